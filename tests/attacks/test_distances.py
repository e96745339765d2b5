"""L-infinity and L0 as attackers: brute force on 300 random forests, veritas, published numbers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import treant_viz as tv
from tests import oracles
from tests.attacks.problems import Random, frame, mean_of, square, to_attacker
from tests.attacks.test_evasion import UNITS
from treant_viz.bench.boxes import box_optimum

ensemble = pytest.importorskip("sklearn.ensemble")

NUMBERS = range(-4, 13)  # thresholds are whole, so whole numbers meet every cell


def within(x: tuple, kind: str, size: int) -> list[tuple]:
    """All whole-numbered rows within a distance of x, written from the definition of the distance."""
    if kind == "linf":
        return list(itertools.product(*(range(v - size, v + size + 1) for v in x)))
    rows = itertools.product(*(NUMBERS for _ in x))
    return [z for z in rows if sum(a != b for a, b in zip(z, x)) <= size]


@pytest.mark.parametrize("kind", ["linf", "l0"])
@pytest.mark.parametrize("seed", range(0, 150, 15))
def test_they_agree_with_brute_force(kind, seed):
    """300 random forests: what the attack does, and at how many changed features a prediction moves."""
    for s in range(seed, seed + 15):
        R = Random(s)
        trees = [R.tree("nnn", 4) for _ in range(6)]
        [x] = R.rows("nnn", 1)
        x, size = tuple(int(v) for v in x), int(R.rng.integers(1, 4))
        A = (tv.Attacker.linf if kind == "linf" else tv.Attacker.l0)(size, ["f0", "f1", "f2"])
        near = within(x, kind, size)
        told = np.array(mean_of(trees)(frame(near, "nnn")))
        y, own = R.rng.integers(-4, 5) / 4, told[near.index(x)]
        X = frame([x], "nnn")
        result = tv.attack(trees, X, [y], A)
        assert result.losses[0] == pytest.approx(max(square(t, y) for t in told), abs=1e-12)
        changed = [sum(a != b for a, b in zip(z, x)) for z, t in zip(near, told) if abs(t - own) > 1e-9]
        assert tv.evasion_cost(trees, X, A)[0] == min(changed, default=math.inf)
        if kind == "linf":
            assert len(result.moves[0]) == len({m.rule.feature for m in result.moves[0]})


def test_veritas_agrees_on_a_box():
    """An L-infinity box, on float32 data: the same worst scores on a forest too large to enumerate."""
    veritas = pytest.importorskip("veritas")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=400) > 0).astype(int)
    forest = ensemble.RandomForestClassifier(20, max_depth=5, random_state=0).fit(X, y)
    A, trees = tv.Attacker.linf(0.15, range(4)), veritas.get_addtree(forest, silent=True)
    ours = tv.attack(forest, X[:30], y[:30], A).scores
    for i in range(30):
        ends = {f: (float(X[i, f]) - 0.15, float(X[i, f]) + 0.15) for f in range(4)}
        best = box_optimum(veritas, trees, X[i], ends, least=bool(y[i]))
        assert ours[i] == pytest.approx(best / 20 + 0.5, abs=1e-5)


# Accuracy, and accuracy under attacks by up to 0.1 a feature, as the authors of GROOT publish it of trees of
# scikit-learn, depth 4, on breast cancer, by fold: github.com/tudelft-cda-lab/GROOT, out/json_results.csv.
PUBLISHED = (
    (0.9210526315789473, 0.19298245614035092),
    (0.9298245614035088, 0.4298245614035088),
    (0.9385964912280702, 0.4298245614035088),
    (0.9649122807017544, 0.2807017543859649),
    (0.8938053097345132, 0.37168141592920356),
)


@pytest.mark.parametrize("fold", range(5))
def test_accuracy_under_attack_is_what_the_authors_of_groot_publish(fold):
    """The same data, folds and trees (malignant is their 1); their attack goes from leaf to leaf."""
    data = pytest.importorskip("sklearn.datasets").load_breast_cancer()
    X, y = data.data, 1 - data.target
    folds = pytest.importorskip("sklearn.model_selection").StratifiedKFold(5, shuffle=True, random_state=1)
    train, test = list(folds.split(X, y))[fold]
    model = pytest.importorskip("sklearn.tree").DecisionTreeClassifier(max_depth=4, random_state=1)
    model.fit(X[train], y[train])
    A = tv.Attacker.linf(0.1, range(30))
    found = tv.attack(model, X[test], y[test], A, "margin")
    held = model.predict(found.X_adv) == y[test]
    assert (model.score(X[test], y[test]), held.mean()) == pytest.approx(PUBLISHED[fold], abs=1e-12)
    right = model.predict(X[test]) == y[test]
    assert (right & (tv.evasion_cost(model, X[test], A) == math.inf)).tolist() == held.tolist()


@pytest.mark.parametrize("seed", range(60))
def test_rules_used_once_agree_with_brute_force_whatever_the_method(seed):
    """Several rules a feature, some of them used once: values, costs and moves."""
    R = Random(9000 + seed)
    rules, budget, unit = (
        R.rules("nn", int(R.rng.integers(2, 5))),
        int(R.rng.integers(2, 7)),
        R.one_of(*UNITS),
    )
    once = {i for i in range(len(rules)) if R.rng.random() < 0.6}
    priced = [(k, f, cost * unit, *rest) for k, f, cost, *rest in rules]
    plain = to_attacker(priced, budget * unit)
    A = tv.Attacker(
        [tv.Rule(r.feature, r.cost, r.pre, r.delta, once=i in once) for i, r in enumerate(plain.rules)],
        budget * unit,
    )
    trees, rows = [R.tree("nn", 4) for _ in range(4)], R.rows("nn", 2)
    X, y = frame(rows, "nn"), R.rng.integers(-4, 5, size=2) / 4
    result = tv.attack(trees, X, y, A)
    for i, x in enumerate(rows):
        tried = oracles.attacks_with_once(x, rules, once, budget)
        told = mean_of(trees)(frame(list(tried), "nn"))
        losses = np.array([square(t, y[i]) for t in told])
        assert result.losses[i] == pytest.approx(losses.max())
        least = min(c for c, loss in zip(tried.values(), losses) if loss >= losses.max() - 1e-9)
        assert result.costs[i] == pytest.approx(least * unit)
        for rule in {m.rule for m in result.moves[i] if m.rule.once}:
            assert sum(m.rule == rule for m in result.moves[i]) <= A.rules.count(rule)
        assert sum(m.rule.cost for m in result.moves[i]) == pytest.approx(result.costs[i])
    for method in ("exhaustive", "milp"):
        assert tv.attack(trees, X, y, A, method=method).losses == pytest.approx(result.losses)


def test_l1_lies_inside_the_ball_and_nearly_fills_it():
    tree = tv.Node("p", 1.0, tv.Leaf(0.0), tv.Node("q", 1.0, tv.Leaf(0.0), tv.Leaf(1.0)))
    X = frame([(0.55, 0.45), (0.5, 0.4)], "nn").set_axis(["p", "q"], axis=1)
    fine = tv.Attacker.l1(1.02, ["p", "q"], steps=1000)
    assert tv.evasion_cost(tree, X, fine).tolist() == pytest.approx([1.0, math.inf], abs=0.01)
