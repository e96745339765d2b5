"""What the app is about: rows, labels and an attacker, with a tree and a forest grown when needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from treant_viz import datasets
from treant_viz.core.attacker.on_table import rules_by_column
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import Schema
from treant_viz.datasets.user_files import read_rules, read_table
from treant_viz.estimators.trees import (
    TreantClassifier,
    TreantForestClassifier,
    TreantForestRegressor,
    TreantRegressor,
)
from treant_viz.live.rule_words import typed

ROWS = 1000  # rows of a data set that are explored
OWN = "my own table"
CHOICES = ("toy", "wine", "census", "credit", OWN)


@dataclass(frozen=True, eq=False)
class Study:
    """Rows, their labels (0/1 if there are two) and an attacker; `about` says in words where they come from.

    Trees that are attacked know the attacker only if they are `robust`.
    """

    X: pd.DataFrame
    y: np.ndarray
    attacker: Attacker
    about: str = ""
    robust: bool = False

    @property
    def binary(self) -> bool:
        return len(np.unique(self.y)) == 2

    @cached_property
    def tree(self) -> Any:
        """One that knows the attacker: its growth is shown."""
        return self._grown(self.attacker)

    @cached_property
    def target(self) -> Any:
        """The tree that is attacked."""
        return self.tree if self.robust else self._grown(None)

    @cached_property
    def forest(self) -> Any:
        """The forest that is attacked."""
        make: Any = TreantForestClassifier if self.binary else TreantForestRegressor
        known = self.attacker if self.robust else None
        return make(attacker=known, n_estimators=15, random_state=0, **self._size).fit(self.X, self.y)

    def _grown(self, attacker: Attacker | None) -> Any:
        make: Any = TreantClassifier if self.binary else TreantRegressor
        return make(attacker, random_state=0, **self._size).fit(self.X, self.y)

    @property
    def _size(self) -> dict[str, int]:
        return {"max_depth": 4, "min_samples_split": 2 if len(self.y) < 40 else 20}

    def against(self, attacker: Attacker) -> Study:
        """The same rows under another attacker; refused if its rules do not fit or it has no bounds."""
        if not np.isfinite(attacker.budget):
            raise ValueError(
                "budget: expected a finite number, as sliders have ends and attacks are played to theirs"
            )
        rules_by_column(attacker, Schema.of(self.X))
        return replace(self, attacker=attacker)

    def said(self) -> str:
        """What there is, in a sentence."""
        n = len(self.attacker.rules)
        rules = f"{n} rule{'s' * (n != 1)}, budget {typed(self.attacker.budget)}"
        return f"{self.about}; {self.X.shape[1]} features. The attacker has {rules}."


def study_of(
    choice: str, csv: str = "", target: str = "", rules: str = "", budget: float | None = None
) -> Study:
    """The data of a choice; a table of one's own needs the name of its target column and a rule file."""
    if choice == "toy":
        toy = datasets.load_toy()
        made = Study(toy.X, toy.y, toy.attacker, "The paper's toy: 7 rows")
    elif choice in CHOICES[1:4]:
        data = getattr(datasets, f"load_{choice}")()
        said = f"{choice}: {_of_so_many(len(data.X_train), 'training rows')}"
        made = Study(data.X_train[:ROWS], data.y_train[:ROWS], data.attacker, said)
    elif choice == OWN:
        return _own(csv.strip(), target.strip(), rules.strip(), budget)
    else:
        raise ValueError(f"data: expected one of {', '.join(CHOICES)}, got {choice!r}")
    return made if budget is None else made.against(made.attacker.with_budget(budget))


def _own(csv: str, target: str, rules: str, budget: float | None) -> Study:
    for name, given in (("CSV file", csv), ("target column", target), ("rule file", rules)):
        if not given:
            raise ValueError(
                f"{name}: missing; a table of your own needs a CSV file, its target column and a rule file"
            )
    X, y = read_table(csv, target)
    attacker = read_rules(rules, budget)
    labels, said = _labels(y[:ROWS], target)
    about = f"{csv}: {_of_so_many(len(X), 'rows')}, target {target}{said}"
    return Study(X[:ROWS], labels, attacker, about).against(attacker)


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


__all__ = ["CHOICES", "OWN", "Study", "study_of"]
