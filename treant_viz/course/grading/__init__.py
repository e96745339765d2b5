"""Grading handed-in notebooks: `treant-viz grade DIR`.

Nobody reads the code of thirty strangers before running it, so it is run where it can do little harm, and
what it says about itself is not believed. `sandbox` takes the network, the files and endless time away from
a process; `student` runs a notebook there and passes on each answer, never a verdict; `wire` writes answers
as plain JSON, functions as numbers by which they can be called; `submission` judges them on this side;
`grade` goes through a folder; `report` is what a teacher reads.
"""
