"""Files that users bring: a table of their own and the attacker's rules."""

from __future__ import annotations

import pandas as pd

from treant_viz import serial
from treant_viz.attacker import Attacker
from treant_viz.rulefiles import read_published_rules


def read_table(path: str, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """The features and the target of a CSV file."""
    try:
        table = pd.read_csv(path, skipinitialspace=True)
    except ValueError as error:
        raise ValueError(f"{path}: not a table: {error}") from error
    if target not in table.columns:
        raise ValueError(f"{path}: no column {target!r}; the columns are {', '.join(map(repr, table.columns))}")
    if table[target].isna().any():
        raise ValueError(f"{path}: column {target!r} has missing values: fill or drop them first")
    return table.drop(columns=target), table[target]


def read_rules(path: str, budget: float | None) -> Attacker:
    """An attacker from our own format, or from that of the published rule files (which have no budget)."""
    doc = serial.read(path)
    if isinstance(doc, dict) and "attacks" in doc:
        if budget is None:
            raise ValueError(f"{path}: published rules have no budget: give one by --budget")
        return read_published_rules(path, budget)
    attacker = Attacker.from_dict(doc, path)
    return attacker if budget is None else attacker.with_budget(budget)


__all__ = ["read_rules", "read_table"]
