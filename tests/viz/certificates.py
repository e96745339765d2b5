"""Problems for pictures of certificates, small enough to be enumerated, and one that limits stop early."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from treant_viz.ensembles.own_trees import from_trees

RULES = [tv.Rule("p", cost=1, delta=(0, 1)), tv.Rule("q", cost=2, delta=(0, 2))]
ORACLE = {
    "p": [("num", 0, 1, -np.inf, np.inf, 0, 1)],
    "q": [("num", 0, 2, -np.inf, np.inf, 0, 2)],
}


def stump(f: str, at: float, low: float = 0.0, high: float = 1.0) -> tv.Node:
    return tv.Node(f, at, tv.Leaf(low), tv.Leaf(high))


class Forest:
    """Stumps that vote: a classifier with the classes of one's choice."""

    def __init__(self, trees, classes=("good", "bad")):
        self.trees, self.classes = trees, classes

    def common_form(self, X, A=None):
        return replace(from_trees(self.trees, X, A), classes=self.classes)


TREES = [stump("p", 1.5), stump("q", 3.5), stump("q", 1.5), stump("p", 9.0)]
X = pd.DataFrame({"p": [1.0, 0.0, 5.0, 1.0, 1.0], "q": [0.0, 0.0, 0.0, 9.0, 2.0]}, index=list("abcde"))


def show(row: str = "a", budget: float = 9, rules=RULES, model=None, **kw) -> tv.CertificateDisplay:
    model = Forest(TREES) if model is None else model
    return tv.CertificateDisplay.from_model(model, X.loc[row], tv.Attacker(rules, budget), **kw)


def share(budget: float = 9, rules=RULES, model=None, y=None, Z=X, **kw) -> tv.CertificateDisplay:
    model = Forest(TREES) if model is None else model
    return tv.CertificateDisplay.from_table(model, Z, y, tv.Attacker(rules, budget), **kw)


def least_cost(x, rules, budget: float) -> float:
    """By enumeration of what the attacker can make of p and q: what another vote of the trees costs."""
    x = tuple(map(float, x))  # numpy's True + True is True
    ways = [
        oracles.attacks((v,), ORACLE[f] if f in rules else [], budget) for f, v in zip("pq", x, strict=True)
    ]

    def vote(p, q):
        return (p > 1.5) + (q > 3.5) + (q > 1.5) + (p > 9.0) >= 2

    found = [
        a + b
        for (p,), a in ways[0].items()
        for (q,), b in ways[1].items()
        if vote(p, q) != vote(*x) and a + b <= budget
    ]
    return min(found, default=math.inf)


def hard():
    """A forest, rows, labels and an attacker: searches take some thousand combinations."""
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(0)
    Z = pd.DataFrame(rng.normal(size=(300, 8)), columns=list("abcdefgh"))
    y = (Z.iloc[:, :4].sum(axis=1) + Z.a * Z.b > 0).astype(int).to_numpy()
    model = ensemble.RandomForestClassifier(30, max_depth=6, random_state=0).fit(Z, y)
    A = tv.Attacker([tv.Rule(f, 1 + i / 10, delta=(-0.2, 0.2)) for i, f in enumerate("abcde")], 4)
    return model, Z[:12], y[:12], A
