"""What if the threshold were another, or the budget? A test on one feature, worked out for all at once.

>>> import pandas as pd
>>> from treant_viz.core.attacker.rules import Attacker, Rule
>>> X = pd.DataFrame({"p": [-7.0, -5, 1, 3, 3, 3, 3]})
>>> A = Attacker([Rule("p", cost=1, delta=(-1, 1))], budget=1)
>>> level = split_states(X, [-2, -1, 0, 2, 2, 2, 2], A, "sse", "p").level_of(1)
>>> i = level.thresholds.tolist().index(1.0)
>>> [int(n[i]) for n in (level.left, level.unknown, level.right)]
[2, 1, 4]
>>> [round(float(plan.loss_under_attack[i]), 6) for plan in (level.standard, level.robust)]
[5.0, 3.7]
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from treant_viz.core.algorithms import treant
from treant_viz.core.attacker.on_table import AttackerOnTable, SideCosts, rule_categories, rules_by_column
from treant_viz.core.attacker.reach import reach_categories, reach_numbers
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.core.constraints import Constraints
from treant_viz.core.data import Data, Sample
from treant_viz.core.losses import Loss, get_loss
from treant_viz.core.options import Options
from treant_viz.core.partition import TernaryPartition, sent_left, ternary_partition
from treant_viz.core.solvers import get_solver
from treant_viz.core.solvers.binary import best_leaves
from treant_viz.core.solvers.pieces import AllPieces
from treant_viz.core.solvers.real import best_pairs
from treant_viz.core.solvers.unknown import Runs, SortedLabels
from treant_viz.core.table import Schema, Table
from treant_viz.trace.recorder import Recorder
from treant_viz.trace.records import frozen_array
from treant_viz.trace.trace import Trace
from treant_viz.trace.what_if_records import BudgetLevel, FeatureStates, Plans

MOST_THRESHOLDS = 800  # per level; beyond that, evenly spaced ones among them
NONE = np.empty(0)


class AlikeRows(NamedTuple):
    """Rows that nothing here can tell apart: the same value (by its place) and the same label."""

    code: np.ndarray
    y: np.ndarray
    rows: np.ndarray  # how many


def split_states(
    X: Any, y: Any, attacker: Attacker, loss: str, feature: Any, top: float | None = None
) -> FeatureStates:
    """Every state of a test on `feature`, for budgets up to `top` (the attacker's own if none is given)."""
    schema = _schema(X, attacker)
    f, labels = schema.index(feature), np.asarray(y, dtype=float)
    column, x = schema.columns[f], schema.matrix(X)[:, f]
    the_loss = get_loss(loss, binary=bool(np.isin(labels, (0.0, 1.0)).all()))
    rules = tuple(rules_by_column(attacker, schema).get(f, ()))
    limit = attacker.with_budget(attacker.budget if top is None else top).limit
    values, codes = (
        (np.arange(len(column.categories)), x.astype(int))
        if column.categories is not None
        else np.unique(x, return_inverse=True)
    )
    pairs, count = np.unique(np.column_stack([codes, labels]), axis=0, return_counts=True)
    cells = AlikeRows(pairs[:, 0].astype(int), pairs[:, 1], count)
    if column.categories is not None:
        levels, whole = _of_categories(cells, the_loss, column.categories, rules, limit), True
    else:
        levels, whole = _of_numbers(cells, the_loss, values, rules, limit)
    return FeatureStates(column.name, column.categories, values, codes, labels, loss, levels, whole)


def leaves_tried(states: FeatureStates, budget: float, threshold: Any, y_l: float, y_r: float) -> Plans:
    """What leaves of the user's choice cost at a test, and where the attacker sends the unknown rows."""
    level, cells = states.level_of(budget), AlikeRows(states.codes, states.y, np.ones(len(states.y)))
    if states.categories is not None:
        v = states.categories.index(threshold)
        can_left = level.reach[cells.code, v]
        can_right, unattacked_left = level.reach[cells.code].sum(axis=1) > can_left, cells.code == v
    else:
        can_left, can_right = level.low[cells.code] <= threshold, level.high[cells.code] > threshold
        unattacked_left = states.values[cells.code] <= threshold
    loss = get_loss(states.loss, binary=bool(np.isin(states.y, (0.0, 1.0)).all()))
    part = _parted(can_left[None], can_right[None])
    return _plan(cells, loss, part, unattacked_left[None], np.array([y_l]), np.array([y_r]))


def stump_trace(X: Any, y: Any, attacker: Attacker, loss: str) -> Trace:
    """The trace of the best stump: Algorithm 3, stopped at depth 1."""
    schema, labels = _schema(X, attacker), np.asarray(y, dtype=float)
    table = Table.of(X, schema)
    the_loss = get_loss(loss, binary=bool(np.isin(labels, (0.0, 1.0)).all()))
    recorder = Recorder(the_loss)
    options = Options(the_loss, get_solver("exact"), max_depth=1, min_samples_split=2).for_run(0, recorder)
    D, A = Data.root(Sample(table, labels, the_loss.binary)), AttackerOnTable(attacker, table)
    treant(D, A, Constraints.none(), options)
    recorded = options.to_dict() | {"retest": A.retest, "weight": None}
    return Trace(X, frozen_array(labels), schema, attacker, the_loss, recorded, tuple(recorder.steps))


def _schema(X: Any, attacker: Attacker) -> Schema:
    """The columns of X; those of categories know the ones that only rules name."""
    schema = Schema.of(X)
    return schema.with_categories(rule_categories(attacker, schema.index))


def _of_numbers(
    cells: AlikeRows, loss: Loss, values: np.ndarray, rules: tuple[Rule, ...], limit: float
) -> tuple[tuple[BudgetLevel, ...], bool]:
    """The levels of a column of numbers, and whether all of their thresholds are there."""
    reach = reach_numbers(values, rules, limit, whole=True)
    ends = [np.unique(np.concatenate([values, *pair])) for pair in zip(reach.low, reach.high, strict=True)]
    chosen = [e[np.isfinite(e)] for e in ends]
    whole = max(map(len, chosen)) <= MOST_THRESHOLDS
    if not whole:
        every = np.unique(np.concatenate(chosen))
        chosen = [every[np.linspace(0, len(every) - 1, MOST_THRESHOLDS).astype(int)]] * len(chosen)
    levels = []
    for cost, low, high, t in zip(reach.costs, reach.low, reach.high, chosen, strict=True):
        t = np.append(-math.inf, t)
        can = low[cells.code] <= t[:, None], high[cells.code] > t[:, None]
        unattacked_left = values[cells.code] <= t[:, None]
        levels.append(_level(cells, loss, float(cost), (low, high, NONE), t, _parted(*can), unattacked_left))
    return tuple(levels), whole


def _of_categories(
    cells: AlikeRows, loss: Loss, categories: tuple[Any, ...], rules: tuple[Rule, ...], limit: float
) -> tuple[BudgetLevel, ...]:
    """The levels of a column of categories; "left" is to be the one that is asked for."""
    k = len(categories)
    cost = reach_categories(categories, rules).cost[:k, :k]
    levels = []
    for c in np.unique(cost[cost <= limit]):
        reach = cost <= c
        here = reach[cells.code].T
        elsewhere = reach[cells.code].sum(axis=1) > here
        unattacked_left = np.arange(k)[:, None] == cells.code
        ends = NONE, NONE, reach
        levels.append(
            _level(cells, loss, float(c), ends, np.arange(k), _parted(here, elsewhere), unattacked_left)
        )
    return tuple(levels)


def _parted(can_left: np.ndarray, can_right: np.ndarray) -> TernaryPartition:
    """Who is left, right, unknown, as masks [threshold, cell], from who can be where."""
    return ternary_partition(SideCosts(*(np.where(can, 0.0, math.inf) for can in (can_left, can_right))))


def _level(
    cells: AlikeRows, loss: Loss, cost: float, ends: tuple[np.ndarray, np.ndarray, np.ndarray],
    thresholds: np.ndarray, part: TernaryPartition, unattacked_left: np.ndarray,
) -> BudgetLevel:  # fmt: skip
    counts = [(mask * cells.rows).sum(axis=1) for mask in part]
    standard = _plan(cells, loss, part, unattacked_left, *means(cells, unattacked_left))
    robust = _plan(cells, loss, part, unattacked_left, *_robust_leaves(cells, loss, part))
    cases = four_cases(cells, part.left, part.unknown, unattacked_left)
    left, right, unknown = (c.astype(int) for c in counts)
    return BudgetLevel(cost, *ends, thresholds, left, unknown, right, standard, robust, cases)


def means(cells: AlikeRows, left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What an unaware learner predicts: the mean of either side, or of all rows where a side is empty."""
    everyone = float(cells.rows @ cells.y / cells.rows.sum())
    sizes = [side @ cells.rows for side in (left, ~left)]
    sums = [side @ (cells.rows * cells.y) for side in (left, ~left)]
    y_l, y_r = (np.where(n > 0, s / np.maximum(n, 1), everyone) for n, s in zip(sizes, sums, strict=True))
    return y_l, y_r


def _robust_leaves(cells: AlikeRows, loss: Loss, part: Any) -> tuple[np.ndarray, np.ndarray]:
    """The best leaves under attack, by threshold; a side that no row can come to says the mean of all."""
    moments = _moments(cells, loss)
    masses = np.stack([mask.astype(float) @ moments for mask in (part.left, part.right, part.unknown)])
    if loss.binary:
        y_l, y_r = best_leaves(masses, None, loss)[0]
    else:
        y_l, y_r = _real_leaves(cells, masses, part.unknown)
    sizes = [mask.any(axis=1) for mask in (part.left | part.unknown, part.right | part.unknown)]
    everyone = float(cells.rows @ cells.y / cells.rows.sum())
    return np.where(sizes[0], y_l, everyone), np.where(sizes[1], y_r, everyone)


def _moments(cells: AlikeRows, loss: Loss) -> np.ndarray:
    """Per cell: its masses of labels 0 and 1, or of real labels: n, sum, sum of squares."""
    n, y = cells.rows, cells.y
    return np.column_stack([n * (y < 0.5), n * (y > 0.5)] if loss.binary else [n, n * y, n * y * y])


def _real_leaves(cells: AlikeRows, masses: np.ndarray, unknown: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    at, who = np.nonzero(unknown)
    ends = np.searchsorted(at, np.arange(len(unknown) + 1))
    anywhere = np.full((2, 1, len(unknown)), math.inf)  # no constraint keeps a prediction from any value
    labels = SortedLabels(cells.y[who], cells.rows[who] * 1.0)
    y_l, y_r, _ = best_pairs(masses, labels, Runs(ends[:-1], ends[1:]), AllPieces(-anywhere, anywhere))
    everyone = masses[:, :, 1].sum(axis=0) / masses[:, :, 0].sum(axis=0)
    alone = (masses[2, :, 0] == 0) & (masses[:2, :, 0] == 0).any(axis=0)  # all rows are surely on one side
    return np.where(alone, everyone, y_l), np.where(alone, everyone, y_r)


def _plan(
    cells: AlikeRows,
    loss: Loss,
    part: TernaryPartition,
    unattacked_left: np.ndarray,
    y_l: np.ndarray,
    y_r: np.ndarray,
) -> Plans:
    """What leaves cost, and where the attacker sends the unknown rows."""
    worse: Any = loss.worse_on_left(y_l[:, None], y_r[:, None], cells.y)  # type: ignore[arg-type]
    left = sent_left(part, worse, unattacked_left)
    hurt_l, hurt_r = loss.ell(y_l[:, None], cells.y), loss.ell(y_r[:, None], cells.y)
    plain, attacked = (
        (cells.rows * np.where(side, hurt_l, hurt_r)).sum(axis=1) for side in (unattacked_left, left)
    )
    flows = [part.unknown & a & b for a in (unattacked_left, ~unattacked_left) for b in (left, ~left)]
    return Plans(y_l, y_r, plain, attacked, np.stack([(m * cells.rows).sum(axis=1) for m in flows]))


def four_cases(
    cells: AlikeRows, left: np.ndarray, unknown: np.ndarray, unattacked_left: np.ndarray
) -> np.ndarray:
    """[case, threshold]: the squared error around its own two means if nobody attacks, if all unknown rows
    swap sides, if all go left, if all go right."""
    out = []
    for side in (unattacked_left, left | (unknown & ~unattacked_left), left | unknown, left):
        y_l, y_r = means(cells, side)
        error = cells.y - np.where(side, y_l[:, None], y_r[:, None])
        out.append(error**2 @ cells.rows)
    return np.stack(out)


__all__ = ["four_cases", "leaves_tried", "split_states", "stump_trace"]
