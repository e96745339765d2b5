"""What the loaders return: plain frozen records that print what they hold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from treant_viz.core.attacker.rules import Attacker
from treant_viz.datasets.twins import twins


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Toy:
    """The paper's worked example: seven instances with features p and q, real-valued labels, one attacker."""

    X: pd.DataFrame
    y: np.ndarray
    attacker: Attacker

    def __repr__(self) -> str:
        return f"toy: {len(self.X)} instances, features {', '.join(self.X.columns)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dataset:
    """A data set cut into train, validation and test rows, with its threat model.

    Labels are 0/1, or numbers for regression. Number columns are float64, since an attacker may change them
    by fractions; text columns are categories that include every value of the whole data set, so none is
    unknown at test time. The attacker has the largest of the `budgets`; `attacker.with_budget(K)` gives the
    others. The tables belong to the caller: changing them changes no later load.
    """

    name: str
    protocol: str
    X_train: pd.DataFrame
    y_train: np.ndarray
    X_valid: pd.DataFrame
    y_valid: np.ndarray
    X_test: pd.DataFrame
    y_test: np.ndarray
    attacker: Attacker
    budgets: tuple[int, ...]

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(self.X_train.columns)

    def without_twins(self) -> Dataset:
        """The same without those validation and test rows of which an identical one is in training."""
        valid, test = (~twins(X, self.X_train) for X in (self.X_valid, self.X_test))
        return replace(
            self,
            X_valid=self.X_valid[valid].reset_index(drop=True),
            y_valid=self.y_valid[valid],
            X_test=self.X_test[test].reset_index(drop=True),
            y_test=self.y_test[test],
        )

    def __repr__(self) -> str:
        budgets = ", ".join(map(str, self.budgets))
        head = (
            f"{self.name}, protocol {self.protocol!r}: {len(self.feature_names)} features, budgets {budgets}"
        )
        labels = {"train": self.y_train, "valid": self.y_valid, "test": self.y_test}
        return "\n".join([head, *(_line(part, y) for part, y in labels.items())])


def _line(part: str, y: np.ndarray) -> str:
    """One line of a repr: rows and share of positives.

    >>> _line("test", np.array([0, 1, 1, 1]))
    '  test        4 rows, 75.0 % positive'
    >>> _line("test", np.array([3.0, 9.0]))
    '  test        2 rows, labels from 3 to 9, mean 6.0'
    """
    if not np.isin(y, (0, 1)).all():
        return f"  {part:5} {len(y):7,} rows, labels from {y.min():g} to {y.max():g}, mean {y.mean():.1f}"
    return f"  {part:5} {len(y):7,} rows, {100 * y.mean():.1f} % positive"


__all__ = ["Dataset", "Toy"]
