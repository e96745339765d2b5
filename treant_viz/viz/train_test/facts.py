"""What heat maps of training against test budget show: a map a panel, and what a wrong guess costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pandas as pd

COLUMNS = ("train_budget", "test_budget", "value")
Cells = Iterable[tuple[float, float, float]]


class Cost(NamedTuple):
    """What a model loses against the right one for the same attacker (less than nothing: it gains)."""

    train: float
    test: float
    lost: float
    right: float  # what the right model was trained for


class Panel(NamedTuple):
    """One heat map: rows are training budgets, columns test budgets (nan: not measured)."""

    title: str
    train: tuple[float, ...]
    test: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]

    @property
    def cells(self) -> Iterator[tuple[float, float, float]]:
        """Training budget, test budget and value of all that was measured."""
        for k, row in zip(self.train, self.values, strict=True):
            yield from ((k, t, v) for t, v in zip(self.test, row, strict=True) if v == v)

    @property
    def costs(self) -> list[Cost]:
        return costs(self.cells)


class Price(NamedTuple):
    """The most that a wrong guess loses against the right one, for the same attacker; nan: no such guess."""

    too_little: float
    too_much: float


def panel(title: str, rows: pd.DataFrame) -> Panel:
    wide = rows.pivot_table("value", "train_budget", "test_budget", aggfunc="mean")
    wide = wide.sort_index().sort_index(axis=1)
    values = tuple(tuple(float(v) for v in row) for row in wide.to_numpy())
    return Panel(title, tuple(float(k) for k in wide.index), tuple(float(k) for k in wide.columns), values)


def costs(cells: Cells) -> list[Cost]:
    """All cells against the right model for their attacker: the one trained for the least budget that is
    enough. So if nobody attacks, it is the model trained for the least.

    >>> [c.lost for c in costs([(1, 0, 0.9), (2, 0, 0.75), (1, 1, 0.5), (2, 1, 0.75), (2, 3, 0.1)])]
    [0.0, 0.15000000000000002, 0.0, -0.25]
    """
    known = list(cells)
    right: dict[float, tuple[float, float]] = {}
    for k, t, v in sorted(known):
        if k >= t:
            right.setdefault(t, (k, v))
    return [Cost(k, t, right[t][1] - v, right[t][0]) for k, t, v in known if t in right]


def price(maps: Iterable[Cells]) -> Price:
    """Of training for less than what comes, and for more, from the cells of maps."""
    every = [c for cells in maps for c in costs(cells)]
    little = (c.lost for c in every if c.train < c.right)
    much = (c.lost for c in every if c.train > c.right)
    return Price(max(little, default=float("nan")), max(much, default=float("nan")))


def checked(frame: Any) -> pd.DataFrame:
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame: expected a data frame, got {type(frame).__name__}")
    if missing := [c for c in COLUMNS if c not in frame]:
        raise ValueError(f"frame: the columns {missing} are missing; expected {list(COLUMNS)}")
    if frame.empty:
        raise ValueError("frame: expected at least one row, got none")
    return frame if "panel" in frame else frame.assign(panel="")


__all__ = ["COLUMNS", "Cost", "Panel", "Price", "checked", "costs", "panel", "price"]
