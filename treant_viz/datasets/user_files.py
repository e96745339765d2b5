"""Files that users bring: a table and the attacker's rules, by name or by content. Nothing is fetched."""

from __future__ import annotations

import csv
from collections import Counter
from io import StringIO
from pathlib import Path

import pandas as pd

from treant_viz.core import serial
from treant_viz.core.attacker.published import published_rules
from treant_viz.core.attacker.rules import Attacker


def read_table(path: str, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """The features and the target of a CSV file."""
    check_local(path)
    return split_table(table_in(Path(path).read_bytes(), path), path, target)


def table_in(content: bytes, where: str) -> pd.DataFrame:
    """The table in the content of a CSV file called `where`."""
    try:
        return _frame(rows_of(_text(content)))
    except ValueError as error:
        raise ValueError(f"{where}: not a table: {error}") from error


def split_table(table: pd.DataFrame, where: str, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """The features and the target."""
    if target not in table.columns:
        raise ValueError(
            f"{where}: no column {target!r}; the columns are {', '.join(map(repr, table.columns))}"
        )
    if table.empty or table.shape[1] == 1:
        raise ValueError(f"{where}: nothing to learn from: expected rows, and columns beside {target!r}")
    if table[target].isna().any():
        raise ValueError(f"{where}: column {target!r} has missing values: fill or drop them first")
    return table.drop(columns=target), table[target]


def check_local(path: str) -> None:
    """Addresses are refused: nothing is fetched from anywhere."""
    if "://" in path and not Path(path).exists():
        raise ValueError(f"{path}: expected a file on this machine, got an address: download it first")


def _text(content: bytes) -> str:
    """The content of a text file. (Tables in UTF-16 have zero bytes, marked as such or not.)"""
    expected = "expected text in UTF-8, neither compressed nor a spreadsheet"
    if b"\0" in content:
        raise ValueError(f"{expected} (there are zero bytes)")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{expected} ({error})") from error


def rows_of(text: str) -> list[list[str]]:
    """A header of different names and rows of as many fields: pandas would silently rename, shift or fill."""
    lines = csv.reader(StringIO(text, newline=""), skipinitialspace=True, strict=True)
    rows: list[list[str]] = []
    try:
        for row in lines:
            if not _blank(row):
                rows.append(row)
                _check_length(lines.line_num, row, rows[0])
    except csv.Error as error:
        raise ValueError(f"line {lines.line_num}: {error}") from error
    if twice := [repr(name) for name, count in Counter(rows[0] if rows else []).items() if count > 1]:
        raise ValueError(f"column names must differ, but the header has {', '.join(twice)} more than once")
    return rows


def _check_length(line: int, row: list[str], header: list[str]) -> None:
    if len(row) != len(header):
        raise ValueError(f"line {line} has {len(row)} fields, but the header has {len(header)}")


def _blank(row: list[str]) -> bool:
    return len(row) < 2 and not "".join(row).strip(" \t")


def _frame(rows: list[list[str]]) -> pd.DataFrame:
    """Numbers and text told apart as pandas does, looking at all rows of a column together."""
    text = StringIO(newline="")
    csv.writer(text).writerows(rows)
    text.seek(0)
    return pd.read_csv(text, skip_blank_lines=False, low_memory=False)


def read_rules(path: str, budget: float | None) -> Attacker:
    """An attacker from our own format, or from that of the published rule files (which have no budget)."""
    check_local(path)
    return rules_in(Path(path).read_bytes(), path, budget, "give one by --budget")


def rules_in(content: bytes, where: str, budget: float | None, advice: str = "give one") -> Attacker:
    """The same from the content of a file called `where`; `advice` says how to give a budget."""
    doc = serial.parse(content, where)
    if isinstance(doc, dict) and "attacks" in doc:
        if budget is None:
            raise ValueError(f"{where}: published rules have no budget: {advice}")
        return published_rules(doc, where, budget)
    attacker = Attacker.from_dict(doc, where)
    return attacker if budget is None else attacker.with_budget(budget)


__all__ = ["read_rules", "read_table", "rules_in", "split_table", "table_in"]
