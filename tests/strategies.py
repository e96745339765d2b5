"""Random small problems for hypothesis: whole numbers and categories, so that brute force is exhaustive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import treant_viz as tv

COLOURS = ("red", "green", "blue")
INF = float("inf")


@dataclass(frozen=True)
class Problem:
    """A data set, rules (in the oracle's form), a budget, and which columns are categories."""

    X: tuple[tuple, ...]
    y: tuple[float, ...]
    kinds: tuple[str, ...]
    rules: tuple[tuple, ...]
    budget: float
    weights: tuple[int, ...] | None = None

    @property
    def frame(self) -> pd.DataFrame:
        columns = {}
        for j, kind in enumerate(self.kinds):
            values = [x[j] for x in self.X]
            columns[f"f{j}"] = (
                pd.Categorical(values, COLOURS) if kind == "cat" else np.array(values, dtype=float)
            )
        return pd.DataFrame(columns)

    @property
    def attacker(self) -> tv.Attacker:
        return tv.Attacker([to_rule(r) for r in self.rules], self.budget)


def to_rule(r: tuple) -> tv.Rule:
    if r[0] == "cat":
        return tv.Rule(f"f{r[1]}", r[2], pre=r[3], becomes=r[4])
    return tv.Rule(f"f{r[1]}", r[2], pre=(r[3], r[4]), delta=(r[5], r[6]))


def to_oracle(t: tv.Leaf | tv.Node, names: tuple[str, ...] = ("f0", "f1", "f2")) -> tuple:
    """A tree in the oracle's form."""
    if isinstance(t, tv.Leaf):
        return ("leaf", t.prediction)
    f = names.index(t.feature) if isinstance(t.feature, str) else t.feature
    return ("node", f, t.test, t.threshold, to_oracle(t.left, names), to_oracle(t.right, names))


@st.composite
def number_rules(draw, f: int):
    integers = st.integers(-3, 6)
    a, b = sorted((draw(integers), draw(integers)))
    a = draw(st.sampled_from([a, a, -INF]))
    b = draw(st.sampled_from([b, b, INF]))
    dl, du = sorted((draw(st.integers(-3, 3)), draw(st.integers(-3, 3))))
    return ("num", f, draw(st.integers(1, 3)), a, b, dl, du)


@st.composite
def category_rules(draw, f: int):
    pre = draw(st.one_of(st.none(), st.frozensets(st.sampled_from(COLOURS), min_size=1)))
    return ("cat", f, draw(st.integers(1, 3)), pre, draw(st.sampled_from(COLOURS)))


@st.composite
def problems(draw, binary: bool = True, max_rows: int = 7, weighted: bool = False) -> Problem:
    kinds = tuple(draw(st.lists(st.sampled_from(["num", "num", "cat"]), min_size=1, max_size=3)))
    n = draw(st.integers(2, max_rows))
    cell = {"num": st.integers(0, 4), "cat": st.sampled_from(COLOURS)}
    X = tuple(tuple(draw(cell[k]) for k in kinds) for _ in range(n))
    labels = st.integers(0, 1) if binary else st.integers(-2, 3)
    y = [draw(labels) for _ in range(n)]
    if binary and len(set(y)) == 1:
        y[0] = 1 - y[0]
    some = st.lists(st.integers(0, len(kinds) - 1), min_size=1, max_size=3)
    rules = tuple(draw(category_rules(f) if kinds[f] == "cat" else number_rules(f)) for f in draw(some))
    weights = tuple(draw(st.integers(1, 3)) for _ in range(n)) if weighted else None
    return Problem(X, tuple(map(float, y)), kinds, rules, draw(st.integers(0, 4)), weights)
