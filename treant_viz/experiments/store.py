"""Results in a folder: tidy CSV files, one a protocol and data set, written all or nothing after every model.

`authors-wine.csv` has one row a method, training budget, test budget and seed; `authors-wine.correct.csv`
holds, for models attacked at the budget they were trained for, which test rows they got right (for McNemar's
test). `regression-quality.csv` has errors in place of shares, for all rows and for those without twins.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import math
import os
import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from treant_viz.core import serial
from treant_viz.experiments.schema import (
    CLEAN,
    COLUMNS,
    COLUMNS_OF_REGRESSION,
    CORRECT,
    DATASETS,
    ERRORS,
    KEY,
    MEASURES,
    PROTOCOLS,
    REGRESSION,
    Job,
    budgets,
    methods,
)

WHOLE = ("train_budget", "seed", "test_budget", "trees", "robust_trees")
SHARES = (*MEASURES, *CLEAN)
ROWS = ("all", "no twins")
FROM_ZERO = ("fit_seconds", "attack_seconds", *ERRORS)
MOST_BYTES = 1_000_000  # eight rows a byte
Records = list[dict[str, Any]]


class Store:
    """The results in a folder. Nothing is ever lost: files are read, extended, and replaced as a whole."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def path(self, protocol: str, dataset: str, kind: str = "") -> Path:
        return self.folder / f"{protocol}-{dataset}{kind}.csv"

    def has(self, job: Job, scale: str) -> bool:
        """Is a model measured at every budget? Results of another scale in the same folder are refused."""
        found = self._of(job)
        if strange := [r["scale"] for r in found if r["scale"] != scale]:
            raise ValueError(
                f"{self.folder}: holds results of {strange[0]}; for {scale} choose another folder"
            )
        return {r["test_budget"] for r in found} == {0, *budgets(job.protocol, job.dataset)}

    def params(self, job: Job) -> dict[str, Any] | None:
        """The parameters a model was made with, if it is there."""
        found = self._of(job)
        return json.loads(found[0]["params"]) if found else None

    def _of(self, job: Job) -> Records:
        """The rows of one model."""
        path = self.path(job.protocol, job.dataset)
        return [r for r in _read(path, _columns(job.protocol)) if _job(r) == job]

    def add(self, records: Records) -> None:
        """Put the records of one model into its files."""
        job = _job(records[0])
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = [{k: r[k] for k in CORRECT} for r in records if r["correct"]]
        parts = [(".correct", CORRECT, kept)] if kept else []
        for kind, columns, new in (*parts, ("", _columns(job.protocol), records)):  # what is done comes last
            path = self.path(job.protocol, job.dataset, kind)
            old = [r for r in _read(path, columns) if _job(r) != job]
            _write(path, columns, old + new)

    def lines(self, name: str, columns: Iterable[str]) -> Records:
        """The rows of another file of the folder; none if it is not there."""
        return _read(self.folder / name, columns)

    def extend(self, name: str, columns: tuple[str, ...], records: Records) -> None:
        """Put rows about one data set and seed into such a file, in place of those that it has of them."""
        self.folder.mkdir(parents=True, exist_ok=True)
        about = {(r["dataset"], r["seed"]) for r in records}
        old = [r for r in self.lines(name, columns) if (r["dataset"], r["seed"]) not in about]
        _write(self.folder / name, columns, old + records, ("dataset", "seed"))

    def table(self) -> pd.DataFrame:
        """All results, one row a method, training budget, test budget and seed."""
        frames = [self.frame(p.name, COLUMNS) for p in self._files("")]
        if not frames:
            raise FileNotFoundError(f"{self.folder}: no results here; `treant-viz experiments` makes them")
        return pd.concat(frames, ignore_index=True)

    def frame(self, name: str, columns: Iterable[str]) -> pd.DataFrame:
        """A file of the folder as a table; one that is damaged is refused with the reason."""
        path = self.folder / name
        _read(path, columns)
        with serial.reading(str(path), "damaged: "):
            return pd.read_csv(path)

    def correct(self) -> dict[tuple[Any, ...], str]:
        """By (dataset, protocol, method, train budget, seed): which rows are right at that budget."""
        return {_job(r): r["correct"] for p in self._files(".correct") for r in _read(p, CORRECT)}

    def _files(self, kind: str) -> list[Path]:
        paths = (self.path(protocol, name, kind) for protocol in PROTOCOLS for name in DATASETS)
        return [p for p in paths if p.exists()]


def _columns(protocol: str) -> tuple[str, ...]:
    return COLUMNS_OF_REGRESSION if protocol == REGRESSION else COLUMNS


def _job(record: dict[str, Any]) -> Job:
    return Job(*(record[k] for k in Job._fields))


def _read(path: Path, columns: Iterable[str]) -> Records:
    """The rows of a file, checked before use: budgets and seeds are numbers, all else is as written."""
    if not path.exists():
        return []
    with serial.reading(str(path), "damaged: "):
        rows: Records = _lines(path.read_bytes().decode("utf-8"), columns)
        for i, row in enumerate(rows, 1):
            with serial.reading(f"row {i}"):
                _check_row(row, path)
                row |= {k: int(row[k]) for k in WHOLE if k in row}
        _check_together(rows)
    return rows


def _lines(text: str, columns: Iterable[str]) -> Records:
    """The lines of a file by column; each has as many fields as the header."""
    if "\0" in text:
        raise ValueError("no letter may be NUL")
    try:
        header, *lines = [
            line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line
        ] or [[]]
    except csv.Error as error:
        raise ValueError(f"not a table: {error}") from error
    if missing := set(columns) - set(header):
        raise ValueError(f"the columns {serial.shown(sorted(missing))} are missing")
    if len(set(header)) < len(header):
        raise ValueError("column names must differ")
    if strange := [i for i, line in enumerate(lines, 1) if len(line) != len(header)]:
        raise ValueError(
            f"row {strange[0]} has {len(lines[strange[0] - 1])} fields, but the header has {len(header)}"
        )
    return [dict(zip(header, line, strict=True)) for line in lines]


def _check_row(row: dict[str, Any], path: Path) -> None:
    for column, text in row.items():
        what = f"column {column}"
        if column in WHOLE and not re.fullmatch(r"[0-9]{1,9}", text):
            raise ValueError(f"{what}: expected a whole number from 0 on, got {serial.shown(text)}")
        if column in SHARES and not (text == "nan" or 0 <= _number(text, what) <= 1):
            raise ValueError(f"{what}: expected a number from 0 to 1, got {serial.shown(text)}")
        if column in FROM_ZERO and _number(text, what) < 0:
            raise ValueError(f"{what}: expected a number of at least 0, got {serial.shown(text)}")
    if row.get("rows", ROWS[0]) not in ROWS:
        raise ValueError(f"column rows: expected one of {', '.join(ROWS)}, got {serial.shown(row['rows'])}")
    if "trees" in row and int(row["trees"]) < max(1, int(row.get("robust_trees", 0))):
        raise ValueError("column trees: expected at least one, and no fewer than are robust")
    known = methods(row.get("protocol", ""))
    if row["method"] not in known:
        raise ValueError(
            f"column method: expected one of {', '.join(known)}, got {serial.shown(row['method'])}"
        )
    if "protocol" in row and not path.name.startswith(f"{row['protocol']}-{row['dataset']}."):
        raise ValueError(
            f"it belongs to {serial.shown((row['protocol'], row['dataset']))}, not into this file"
        )
    if "params" in row and not isinstance(serial.parse(row["params"].encode(), "params"), dict):
        raise ValueError(f"params: expected an object, got {serial.shown(row['params'])}")
    if "correct" in row:
        _bits(row["correct"])


def _number(text: str, what: str) -> float:
    """As Python writes numbers, and nothing else that it reads as one."""
    if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?", text) or math.isinf(float(text)):
        raise ValueError(f"{what}: expected a number, got {serial.shown(text)}")
    return float(text)


def _bits(text: str) -> int:
    """How many bytes say which rows were right (see `schema.packed`); unpacks no more than can be right."""
    try:
        unpack = zlib.decompressobj()
        found = len(unpack.decompress(base64.b64decode(text, validate=True), MOST_BYTES))
    except (ValueError, zlib.error) as error:
        raise ValueError(f"correct: cannot be unpacked: {error}") from error
    if not unpack.eof:
        raise ValueError("correct: cannot be unpacked: it is cut off, or too large")
    return found


def _check_together(rows: Records) -> None:
    """No result is there twice, and models of one file were tested on the same rows."""
    keys = [tuple(r.get(k) for k in ("effect", "rows", "robust_trees", *KEY)) for r in rows]
    if len(set(keys)) < len(keys):
        raise ValueError("a result appears more than once")
    if len({_bits(r["correct"]) for r in rows if "correct" in r}) > 1:
        raise ValueError("correct: models were not tested on the same rows")


def _write(path: Path, columns: tuple[str, ...], rows: Records, key: tuple[str, ...] = KEY) -> None:
    """In the order of the key; the file that was there stays until the new one is whole."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(rows, key=lambda r: tuple(r[k] for k in key)))
    serial.write_whole(path, text.getvalue())


__all__ = ["Store"]
