"""The paper's evaluation, rerun: train, tune, attack, tabulate, and say what differs from the paper.

`jobs` is one model and its measures, and runs many of them, here or on a `cluster`; `store` keeps the results
in a folder; `report` reads them: tables, claims, figures, audit. Beyond the paper are `regression` and
`mixed`. The command is `treant-viz experiments`.
"""
