"""Results in a folder: tidy CSV files, one a protocol and data set, written all or nothing after every model.

`authors-wine.csv` has one row a method, training budget, test budget and seed; `authors-wine.correct.csv` holds, for
models attacked at the budget they were trained for, which test rows they got right (for McNemar's test).
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from treant_viz import datasets
from treant_viz.evaluation import METRICS
from treant_viz.experiments.jobs import DATASETS, MEASURES, PROTOCOLS, Job

KEY = (*Job._fields, "test_budget")
COLUMNS = (
    *KEY, *MEASURES, *(f"clean_{m}" for m in METRICS), "fit_seconds", "attack_seconds", "params", "scale", "versions",
)  # fmt: skip
CORRECT = (*KEY, "correct")
WHOLE = ("train_budget", "seed", "test_budget")
Records = list[dict[str, Any]]


class Store:
    """The results in a folder. What is there is never lost: files are read, extended, and replaced as a whole."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def path(self, protocol: str, dataset: str, kind: str = "") -> Path:
        return self.folder / f"{protocol}-{dataset}{kind}.csv"

    def has(self, job: Job, scale: str) -> bool:
        """Is a model measured at every budget? Results of another scale in the same folder are refused."""
        found = [r for r in _read(self.path(job.protocol, job.dataset), COLUMNS) if _job(r) == job]
        if strange := [r["scale"] for r in found if r["scale"] != scale]:
            raise ValueError(f"{self.folder}: holds results of {strange[0]}; for {scale} choose another folder")
        return {r["test_budget"] for r in found} == {0, *datasets.BUDGETS[job.dataset]}

    def params(self, job: Job) -> dict[str, Any] | None:
        """The parameters a model was made with, if it is there."""
        found = [r["params"] for r in _read(self.path(job.protocol, job.dataset), COLUMNS) if _job(r) == job]
        return json.loads(found[0]) if found else None

    def add(self, records: Records) -> None:
        """Put the records of one model into its files."""
        job = _job(records[0])
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = [{k: r[k] for k in CORRECT} for r in records if r["correct"]]
        for kind, columns, new in (
            (".correct", CORRECT, kept),
            ("", COLUMNS, records),
        ):  # what counts as done comes last
            path = self.path(job.protocol, job.dataset, kind)
            old = [r for r in _read(path, columns) if _job(r) != job]
            _write(path, columns, old + new)

    def table(self) -> pd.DataFrame:
        """All results, one row a method, training budget, test budget and seed."""
        frames = [pd.read_csv(p) for p in self._files("")]
        if not frames:
            raise FileNotFoundError(f"{self.folder}: no results here; `treant-viz experiments` makes them")
        return pd.concat(frames, ignore_index=True)

    def correct(self) -> dict[tuple[Any, ...], str]:
        """By (dataset, protocol, method, train budget, seed): which rows are right at that budget."""
        return {_job(r): r["correct"] for p in self._files(".correct") for r in _read(p, CORRECT)}

    def _files(self, kind: str) -> list[Path]:
        paths = (self.path(protocol, name, kind) for protocol in PROTOCOLS for name in DATASETS)
        return [p for p in paths if p.exists()]


def _job(record: dict[str, Any]) -> Job:
    return Job(*(record[k] for k in Job._fields))


def _read(path: Path, columns: Iterable[str]) -> Records:
    """The rows of a file, budgets and seeds as numbers, all else as it is written."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if missing := set(columns) - set(reader.fieldnames or ()):
            raise ValueError(f"{path}: damaged: the columns {sorted(missing)} are missing")
        rows: Records = list(reader)
    for row in rows:
        row |= {k: int(row[k]) for k in WHOLE}
    return rows


def _write(path: Path, columns: tuple[str, ...], rows: Records) -> None:
    """In the order of the key; the file that was there stays until the new one is whole."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(sorted(rows, key=lambda r: tuple(r[k] for k in KEY)))
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


__all__ = ["COLUMNS", "Store"]
