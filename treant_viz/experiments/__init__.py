"""The paper's evaluation, rerun: train, tune, attack, tabulate, and say what differs from the paper.

`jobs` is one model and its measures, `run` many of them, `store` the results in a folder; `tables`, `claims`
and `audit` read the results. The command is `treant-viz experiments`.
"""
