"""What the app is about: rows, labels and an attacker, with trees and a forest grown when needed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treant_viz import datasets
from treant_viz.core.attacker.on_table import rules_by_column
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import Schema
from treant_viz.datasets.user_files import check_local, rules_in, split_table, table_in
from treant_viz.estimators.trees import (
    TreantClassifier,
    TreantForestClassifier,
    TreantForestRegressor,
    TreantRegressor,
)
from treant_viz.viz.style.text import counted, number

ROWS = 1000  # rows of a data set that are explored
TREES = 15  # of a forest
OWN = "own"
CHOICES = ("toy", "wine", "census", "credit")


class RefusedError(ValueError):
    """What is wrong with each of several entries, by the name of the entry."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        super().__init__("; ".join(entries.values()))
        self.entries = dict(entries)


class File(NamedTuple):
    """A file as its content: what a browser hands over has a name, but no place."""

    name: str
    content: bytes


@dataclass(frozen=True, eq=False)
class Study:
    """Rows, their labels (0/1 if there are two) and an attacker; `about` says where they come from."""

    X: pd.DataFrame
    y: np.ndarray
    attacker: Attacker
    about: str
    choice: str = OWN

    @property
    def binary(self) -> bool:
        return len(np.unique(self.y)) == 2

    @property
    def has_a_plane(self) -> bool:
        """Are there two features, one of them a number?"""
        return self.X.shape[1] > 1 and not self.X.select_dtypes("number").empty

    @cached_property
    def robust_tree(self) -> Any:
        """A tree that plans for the attacker."""
        return self._tree(self.attacker)

    @cached_property
    def unaware_tree(self) -> Any:
        """A tree grown as if nobody attacked."""
        return self._tree(None)

    @cached_property
    def robust_forest(self) -> Any:
        return self._forest(self.attacker)

    @cached_property
    def unaware_forest(self) -> Any:
        return self._forest(None)

    def _tree(self, attacker: Attacker | None) -> Any:
        make: Any = TreantClassifier if self.binary else TreantRegressor
        return make(attacker, random_state=0, **self._size).fit(self.X, self.y)

    def _forest(self, attacker: Attacker | None) -> Any:
        make: Any = TreantForestClassifier if self.binary else TreantForestRegressor
        return make(n_estimators=TREES, attacker=attacker, random_state=0, **self._size).fit(self.X, self.y)

    @property
    def _size(self) -> dict[str, int]:
        return {"max_depth": 4, "min_samples_split": 2 if len(self.y) < 40 else 20}

    def against(self, attacker: Attacker) -> Study:
        """The same rows under another attacker; refused if its rules do not fit or it has no bounds."""
        if not math.isfinite(attacker.budget):
            raise ValueError("budget: expected a finite number, as its coins are counted, got an endless one")
        rules_by_column(attacker, Schema.of(self.X))
        return replace(self, attacker=attacker)

    def at(self, budget: float) -> Study:
        """The same under an attacker with another budget."""
        if budget == self.attacker.budget:
            return self
        return replace(self, attacker=self.attacker.with_budget(budget))

    def __str__(self) -> str:
        rules = counted(len(self.attacker.rules), "rule")
        features = counted(self.X.shape[1], "feature")
        return f"{self.about}, {features}. The attacker has {rules}, budget {number(self.attacker.budget)}."


def study_of(choice: str) -> Study:
    """One of the data sets that come with the package."""
    if choice == "toy":
        toy = datasets.load_toy()
        return Study(toy.X, toy.y, toy.attacker, "The paper’s toy: 7 rows", choice)
    if choice not in CHOICES:
        raise ValueError(f"data: expected one of {', '.join(CHOICES)}, got {choice!r}")
    data = getattr(datasets, f"load_{choice}")()
    about = f"{choice.capitalize()}: {_of_so_many(len(data.X_train), 'training rows')}"
    return Study(data.X_train[:ROWS], data.y_train[:ROWS], data.attacker, about, choice)


def own_study(csv: File | None, target: str, rules: File | None, budget: float | str | None = None) -> Study:
    """A table of the user's; all that is wrong is reported together. Without rules, nobody attacks."""
    wrong: dict[str, str] = {}
    K, A, parts = None, None, None
    with _noting(wrong, "budget"):
        K = _budget(budget)
    with _noting(wrong, "csv"):
        table = table_in(_chosen(csv).content, _chosen(csv).name)
        with _noting(wrong, "target"):
            parts = _parts(table, _chosen(csv).name, target)
    with _noting(wrong, "rules"):
        A = Attacker([], K or 0.0) if rules is None else rules_in(rules.content, rules.name, K)
    if parts is not None and A is not None and not wrong:
        with _noting(wrong, "rules"):
            return Study(parts[0][:ROWS], parts[1], A, parts[2]).against(A)
    raise RefusedError(wrong)


@contextmanager
def _noting(wrong: dict[str, str], entry: str) -> Iterator[None]:
    """Note what is refused inside under the name of the entry."""
    try:
        yield
    except (ValueError, TypeError, RecursionError) as error:
        wrong[entry] = str(error)


def _chosen(file: File | None) -> File:
    if file is None:
        raise ValueError("choose a CSV file")
    return file


def _budget(given: float | str | None) -> float | None:
    """A budget as it was typed; if nothing was, that of the rules."""
    text = "" if given is None else str(given).strip()
    if not text:
        return None
    try:
        budget = float(text)
    except ValueError:
        budget = math.nan
    if not 0 <= budget < math.inf:
        raise ValueError(f"budget: expected a finite number of at least 0, such as 2 or 0.5, got {text!r}")
    return budget


def _parts(table: pd.DataFrame, where: str, target: str) -> tuple[pd.DataFrame, np.ndarray, str]:
    """Features, labels, and where they come from."""
    if not target:
        raise ValueError("choose the column to predict")
    X, y = split_table(table, where, target)
    labels, renamed = _labels(y[:ROWS], target)
    return X, labels, f"{where}: {_of_so_many(len(X), 'rows')}, target {target}{renamed}"


def _labels(y: pd.Series, target: str) -> tuple[np.ndarray, str]:
    """Two labels become 0 and 1; numbers stay what they are."""
    found = sorted(y.unique().tolist(), key=lambda label: (str(type(label)), label))
    if len(found) == 2:
        return np.array([found.index(label) for label in y.tolist()]), f" (1 is {found[1]!r})"
    if len(found) < 2 or y.dtype.kind not in "iuf":
        raise ValueError(
            f"target column {target!r}: expected two labels or numbers, got {len(found)} different values"
        )
    return y.to_numpy(dtype=float), ""


def _of_so_many(rows: int, what: str) -> str:
    return f"{rows:,} {what}" if rows <= ROWS else f"the first {ROWS:,} of {rows:,} {what}"


def read_file(path: str) -> File:
    """A file of this machine."""
    check_local(path)
    with open(path, "rb") as file:
        return File(path, file.read())


__all__ = ["CHOICES", "OWN", "File", "RefusedError", "Study", "own_study", "read_file", "study_of"]
