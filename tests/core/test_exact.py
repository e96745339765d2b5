"""The exact solvers on nodes with constraints made up at random: no feasible pair of leaves does better."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.core.test_candidates import Node, node, one_by_one
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data, Sample
from treant_viz.core.losses import BINARY_SSE, LOG, SSE, Loss
from treant_viz.core.partition import ternary_partition
from treant_viz.core.solvers import binary as exact_binary
from treant_viz.core.solvers import real as exact_real
from treant_viz.estimators.fitting import make_table

ALL = np.ones(4, dtype=bool)
NO_CONSTRAINTS = Constraints.none()


def coarse(seed: int, retest: str) -> Node:
    """A node whose constraints stand at quarters, so that bounds meet; every other one has weights."""
    e = node(seed, retest)
    weight = np.random.default_rng(seed).integers(1, 4, 40) * 1.0 if seed % 2 else None
    sample = Sample(e.D.sample.table, e.D.sample.y, True, weight)
    return Node(replace(e.D, sample=sample), e.A, replace(e.C, at=(1 + np.round(2 * e.C.at)) / 4))


def row_losses(loss: Loss, p: np.ndarray, y: np.ndarray) -> np.ndarray:
    """[prediction, row], from the definition."""
    p, y = np.asarray(p, dtype=float)[:, None], y[None, :]
    if loss.name == "sse":
        return (p - y) ** 2
    with np.errstate(divide="ignore"):
        return -np.log(np.where(y == 1, p, 1 - p))


def objective(e: Node, loss: Loss, i: int, T, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """[a, b]: the loss under attack of candidate i with leaves a and b, row by row."""
    parts = ternary_partition(e.D.costs(e.A, int(T.feature[i]), int(T.code[i])))
    w = np.ones(len(e.D)) if e.D.sample.weight is None else e.D.sample.weight[e.D.rows]
    on_left, on_right = row_losses(loss, a, e.D.y), row_losses(loss, b, e.D.y)
    sides = on_left[:, parts.left] @ w[parts.left], on_right[:, parts.right] @ w[parts.right]
    hurt = np.maximum(on_left[:, None, parts.unknown], on_right[None, :, parts.unknown]) @ w[parts.unknown]
    return sides[0][:, None] + sides[1][None, :] + hurt


def check_pair(e: Node, loss: Loss, T, i: int, y: tuple[float, float], value: float, boxes) -> None:
    """Inside the boxes, of the right loss, and no point of a grid over them is below."""
    assert all(low <= p <= high for p, (low, high) in zip(y, boxes, strict=True))
    assert value == pytest.approx(objective(e, loss, i, T, [y[0]], [y[1]])[0, 0], abs=1e-9)
    assert value <= objective(e, loss, i, T, *(np.linspace(*box, 13) for box in boxes)).min() + 1e-9


def children_get_rows(e: Node, T, i: int, y_l: float, y_r: float) -> bool:
    """Definition "Robust Splitting", row by row."""
    f, v = int(T.feature[i]), int(T.code[i])
    parts = ternary_partition(e.D.costs(e.A, f, v))
    hurt_l, hurt_r = (e.D.y - y_l) ** 2, (e.D.y - y_r) ** 2
    unknown = np.where(np.isclose(hurt_l, hurt_r), e.D.unattacked_left(f, v), hurt_l > hurt_r)
    left = np.where(parts.unknown, unknown, parts.left)
    return bool(left.any() and (~left).any())


@pytest.mark.parametrize("loss", [BINARY_SSE, LOG], ids=["sse", "log"])
def test_labels_01_no_leaves_between_the_bounds_do_better(loss):
    compared = apart = 0
    for e in (coarse(seed, retest) for seed in range(60) for retest in ("uncorrupted", "all")):
        with np.errstate(invalid="raise", divide="raise"):
            N = exact_binary.best_stumps(e.D, e.A, e.C, loss, ALL)
        for i in range(len(N)):
            boxes = one_by_one(e, N.tally, i)
            if all(low <= high for low, high in boxes):
                check_pair(e, loss, N.tally, i, (N.y_l[i], N.y_r[i]), N.loss[i], boxes)
                compared += 1
                apart += boxes[0][1] < boxes[1][0] or boxes[1][1] < boxes[0][0]
    assert compared > 500
    assert apart > 20, "leaves whose bounds have no point in common"


@pytest.mark.parametrize("constrained", [False, True])
def test_labels_01_a_stump_is_admissible_if_both_children_get_rows(constrained):
    refused = 0
    for e in few_rows(200):
        N = exact_binary.best_stumps(e.D, e.A, e.C if constrained else NO_CONSTRAINTS, BINARY_SSE, ALL)
        for i in np.flatnonzero(~np.isclose(N.y_l, N.y_r)):
            assert N.admissible[i] == children_get_rows(e, N.tally, i, N.y_l[i], N.y_r[i])
        refused += (~N.admissible).sum()
    assert refused > 5


def few_rows(n: int) -> list[Node]:
    """Nodes of three rows: often all of them are unknown."""
    nodes = (coarse(2 * seed, "uncorrupted") for seed in range(n))
    return [e._replace(D=replace(e.D, rows=e.D.rows[:3], spent_id=e.D.spent_id[:3])) for e in nodes]


def real(e: Node, seed: int) -> Node:
    y = np.random.default_rng(seed).integers(-3, 4, 40) * 1.0
    return e._replace(D=replace(e.D, sample=Sample(e.D.sample.table, y, False, e.D.sample.weight)))


def test_real_labels_no_leaves_do_better():
    wide = [(-9.0, 9.0)] * 2
    for seed in range(40):
        e = real(coarse(seed, "uncorrupted"), seed)
        N = exact_real.best_stumps(e.D, e.A, NO_CONSTRAINTS, SSE, ALL)
        for i in range(len(N)):
            check_pair(e, SSE, N.tally, i, (N.y_l[i], N.y_r[i]), N.loss[i], wide)


def test_real_labels_a_stump_is_admissible_if_both_children_get_rows():
    refused = 0
    for seed, e in enumerate(real(e, seed) for seed, e in enumerate(few_rows(100))):
        N = exact_real.best_stumps(e.D, e.A, NO_CONSTRAINTS, SSE, ALL)
        assert len(N) < 100, seed
        for i in range(len(N)):
            assert N.admissible[i] == children_get_rows(e, N.tally, i, N.y_l[i], N.y_r[i])
        refused += (~N.admissible).sum()
    assert refused > 5


def moments(labels: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.array([w.sum(), (w * labels).sum(), (w * labels * labels).sum()])


@pytest.mark.parametrize("empty", ["none", "left", "right", "both"])
def test_real_labels_in_boxes_no_point_does_better(empty):
    """Each leaf in its own interval: the exact pair against all points of a grid, for empty sides too."""
    rng = np.random.default_rng(7)
    for _ in range(200):
        sizes = [0 if empty in (side, "both") else int(rng.integers(1, 4)) for side in ("left", "right")]
        left, right, u = (np.sort(rng.integers(-4, 5, n) * 1.0) for n in (*sizes, int(rng.integers(1, 4))))
        w = [rng.integers(1, 3, len(labels)) * 1.0 for labels in (left, right, u)]
        boxes = [tuple(np.sort(rng.integers(-5, 6, 2)) * 1.0) for _ in range(2)]
        found = exact_real.best_pair(moments(left, w[0]), moments(right, w[1]), u, w[2], boxes[:1], boxes[1:])
        a, b = (np.linspace(*box, 41) for box in boxes)
        at = [labelled(p, labels, weights) for p, labels, weights in ((a, left, w[0]), (b, right, w[1]))]
        hurt = np.maximum((a[:, None, None] - u) ** 2, (b[None, :, None] - u) ** 2) @ w[2]
        assert all(low <= p <= high for p, (low, high) in zip(found[:2], boxes, strict=True))
        assert found.loss <= (at[0][:, None] + at[1] + hurt).min() + 1e-9
        mine = [
            labelled(np.array([p]), *part)[0] for p, part in zip(found[:2], ((left, w[0]), (right, w[1])))
        ]
        hurt = np.maximum((found.y_l - u) ** 2, (found.y_r - u) ** 2) @ w[2]
        assert found.loss == pytest.approx(sum(mine) + hurt, abs=1e-9)


def labelled(p: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return (p[:, None] - labels) ** 2 @ weights


def test_a_leaf_keeps_to_its_constraints():
    """The best leaf of random nodes with random constraints, labels 0/1: the mean, clipped to the bounds."""
    for e in (coarse(seed, "uncorrupted") for seed in range(60)):
        wants_more = e.C.most == (e.D.sample.y[e.C.row] == 1)
        low, high = max([0.0, *e.C.at[wants_more]]), min([1.0, *e.C.at[~wants_more]])
        w = np.ones(len(e.D)) if e.D.sample.weight is None else e.D.sample.weight[e.D.rows]
        y, value = exact_binary.best_leaf(e.D, e.C, BINARY_SSE)
        if low <= high:
            assert y == pytest.approx(min(max(np.average(e.D.y, weights=w), low), high))
            assert value == pytest.approx(labelled(np.array([y]), e.D.y, w)[0])


def test_a_loss_is_never_below_0():
    """Rows of one label on each side: what is left of their squares is rounding, of either sign."""
    rng, nobody, found = np.random.default_rng(0), tv.Attacker([], 0), []
    for _ in range(200):
        y = np.repeat(rng.normal(size=2) * 10.0 ** rng.integers(0, 4), rng.integers(1, 9, 2))
        table = make_table(pd.DataFrame({"a": (y == y[-1]) * 1.0}), nobody)
        A = AttackerOnTable(nobody, table, "uncorrupted")
        D = Data.root(Sample(table, y, False))
        found += exact_real.best_stumps(D, A, NO_CONSTRAINTS, SSE, ALL[:1]).loss.tolist()
    assert len(found) == 200 and min(found) >= 0.0 and max(found) < 1e-6
