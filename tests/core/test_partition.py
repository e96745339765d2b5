"""Partitions, robust splits and budgets_left: against the definitions, row by row, and through a pickle."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from tests.strategies import to_oracle
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.data import Data, Sample
from treant_viz.core.losses import SSE
from treant_viz.core.partition import Stump, robust_split, ternary_partition
from treant_viz.core.tree import leaves, nodes
from treant_viz.estimators.fitting import make_table

TOY = tv.load_toy()
INF = np.inf


def toy_root() -> tuple[Data, AttackerOnTable]:
    table = make_table(TOY.X, TOY.attacker)
    return Data.root(Sample(table, TOY.y, False)), AttackerOnTable(TOY.attacker, table)


@pytest.mark.parametrize(
    ("y_l", "y_r", "left"), [(-1.0, 2.0, [0, 1]), (-2.0, 1.0, [0, 1, 2]), (2.0, 2.0, [0, 1, 2])]
)
def test_robust_split_of_the_toy(y_l, y_r, left):
    """x2 (p = 1, label 0) can cross p <= 1: it goes where it hurts more, and stays if both hurt the same."""
    D, A = toy_root()
    split = robust_split(D, A, Stump(0, 2, y_l, y_r, 0.0), SSE)
    D_l, D_r = split.D_l, split.D_r
    assert D_l.rows.tolist() == left
    assert D_r.rows.tolist() == [r for r in range(7) if r not in left]
    assert A.spends[D_r.spent_id].tolist() == ([1, 0, 0, 0, 0] if 2 in D_r.rows else [0, 0, 0, 0])
    parts = ternary_partition(D.costs(A, 0, 2))
    assert [D.rows[p].tolist() for p in parts] == [[0, 1], [3, 4, 5, 6], [2]]


@pytest.mark.parametrize("binary", [False, True])
def test_a_sample_survives_a_pickle(binary):
    sample = Sample(
        make_table(TOY.X, None), (TOY.y > 0) * 1.0 if binary else TOY.y, binary, np.arange(1.0, 8.0)
    )
    twin = pickle.loads(pickle.dumps(sample))
    rows = np.array([0, 2, 3, 6])
    assert np.array_equal(twin.bin_masses(rows), sample.bin_masses(rows))
    assert np.array_equal(twin.total(rows), sample.total(rows))
    assert all(np.array_equal(a, b) for a, b in zip(twin.table.values, sample.table.values, strict=True))


def random_problem(seed: int):
    """Rows of two numbers and a colour, rules of several steps on all of them, and labels of their own."""
    rng = np.random.default_rng(seed)
    rows = [
        (int(a), int(b), str(c))
        for a, b, c in zip(*rng.integers(0, 6, (2, 14)), rng.choice(["r", "g", "b"], 14))
    ]
    rules = [("num", f, int(rng.integers(1, 3)), -INF, INF, -1, int(rng.integers(1, 3))) for f in (0, 1)]
    rules.append(("cat", 2, 1, frozenset("rg"), "b"))
    X = pd.DataFrame(rows, columns=["f0", "f1", "f2"])
    make = [tv.Rule(f"f{f}", c, pre=(a, b), delta=(low, high)) for _, f, c, a, b, low, high in rules[:2]]
    return rows, X, rules, tv.Attacker([*make, tv.Rule("f2", 1, pre=frozenset("rg"), becomes="b")], 3), rng


@pytest.mark.parametrize("retest", ["uncorrupted", "none", "all"])
@pytest.mark.parametrize("kind", ["sse", "log", "real"])
def test_the_loss_a_tree_claims_is_the_loss_it_suffers(retest, kind):
    """With tests on one feature again and again, what was spent above counts below."""
    again = 0
    for seed in range(12):
        rows, X, rules, A, rng = random_problem(seed)
        y = rng.integers(-3, 4, 14) * 1.0 if kind == "real" else np.arange(14) % 2
        loss, model = ("sse", tv.TreantRegressor) if kind == "real" else (kind, tv.TreantClassifier)
        m = model(A, loss=loss, retest=retest, min_samples_split=2, max_depth=5).fit(X, y)
        claimed = sum(leaf.loss for _, leaf in leaves(m.tree_))
        assert claimed == pytest.approx(
            oracles.loss_under_attack(to_oracle(m.tree_), rows, y, rules, 3, loss)
        )
        again += any(repeats(m.tree_))
    assert (again > 0) == (retest == "all")


def repeats(tree):
    """For every inner node: is its feature tested above it?"""
    found = dict(nodes(tree))
    for path, t in found.items():
        yield any(found[path[:k]].feature == t.feature for k in range(len(path)))


def test_a_rule_that_applies_to_no_value_attacks_nothing():
    """The feature may be tested again below, as if there were no rule; and so for categories."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 9, 40) * 1.0, "c": rng.choice(["r", "g", "b"], 40)})
    y = (X["a"] % 3).to_numpy() * 1.0
    idle = tv.Attacker(
        [tv.Rule("a", 1, pre=(50, 60), delta=(-9, 9)), tv.Rule("c", 1, pre={"r"}, becomes="r")], 1
    )
    trees = [tv.TreantRegressor(A, min_samples_split=2).fit(X, y).tree_ for A in (None, idle)]
    assert trees[0] == trees[1]
    assert any(repeats(trees[1]))


def test_a_category_within_the_whole_budget_is_in_reach():
    X = pd.DataFrame({"c": ["r", "r", "b", "b"]})
    A = tv.Attacker([tv.Rule("c", 0.1, pre={"r"}, becomes="b")], 0.1)
    m = tv.TreantClassifier(A, loss="sse", min_samples_split=2).fit(X, [0, 0, 1, 1])
    assert isinstance(m.tree_, tv.Leaf), "all rows can be b"


def test_as_many_features_are_looked_at_as_asked_for():
    X = np.random.default_rng(1).integers(0, 5, (60, 4)) * 1.0
    y = (X.sum(axis=1) > 8).astype(int)
    for n in (1, 2, 4):
        m = tv.TreantClassifier(max_features=n, min_samples_split=2, random_state=3).fit(X, y)
        looked = [len(set(s.candidates.feature)) for s in m.trace_.steps if s.candidates is not None]
        assert max(looked) == n
        assert len(looked) > 3
