"""The white-box attack: the worst an attacker can do to each row, exactly, for a tree or an ensemble.

>>> import pandas as pd
>>> from treant_viz.attacker import Attacker, Rule
>>> from treant_viz.tree import Leaf, Node
>>> stump = Node("p", 1.0, Leaf(-1.0), Leaf(2.0))
>>> X = pd.DataFrame({"p": [-7, -5, 1, 3, 3, 3, 3], "q": [1, 2, 3, 3, 4, 4, 4]})
>>> A = Attacker([Rule("p", cost=1, delta=(-1, 1))], budget=1)
>>> result = attack(stump, X, [-2, -1, 0, 2, 2, 2, 2], A)
>>> print(result)
AttackResult: 7 rows, 1 attacked, loss 2 -> 5, exact
>>> print(*result.rules[2])
p: 1 -> 2 (+1), cost 1
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from treant_viz.attack_case import AttackResult, Case, nothing
from treant_viz.attack_engine import Engine, Limits, Way, leaves_in_reach, purse, search
from treant_viz.attack_exhaustive import enumerate_all
from treant_viz.attack_milp import WholeTask, solve_milp
from treant_viz.attack_search import solve
from treant_viz.attack_task import Task
from treant_viz.attacker import Attacker
from treant_viz.ensembles import ensemble
from treant_viz.progress import bar
from treant_viz.tree import Leaf, Node

Method = Literal["exact", "exhaustive", "milp"]
Progress = bool | Callable[[int, int], None] | None


def attack(
    model: Any,
    X: Any,
    y: Any,
    A: Attacker,
    loss: str | None = None,
    *,
    method: Method = "exact",
    time_limit: float | None = None,
    node_limit: int | None = None,
    progress: Progress = None,
) -> AttackResult:
    """The worst attack on each row of X, both classes attacked.

    `model`: a bare tree or a list of them (a forest: the mean), our trees and forests, scikit-learn's trees, forests
    and GradientBoosting*, a LightGBM booster, classifier or regressor. `loss`: "sse", "log" or "margin" (the score
    towards the other class: the least where y > 0, else the greatest); None is the model's own: the attribute `loss`
    of our estimators, "log" for other classifiers and boosters with a binary objective, "sse" for all else.

    `method`: "exact"; or, for small problems, "exhaustive" (plain enumeration) or "milp" (mixed-integer programming).
    `time_limit` (seconds, the whole call) and `node_limit` (combinations of cells looked at, per row) may stop a
    search early: `exact` is then False in those rows, and `lower` and `upper` enclose the true loss.
    `progress`: True, or a function of (rows done, rows in all). Of equal attacks the cheapest is reported
    (by "milp" any of them).
    """
    K = _checked(A).budget
    results = attack_budgets(
        model, X, y, A, [K], loss, method=method, time_limit=time_limit, node_limit=node_limit, progress=progress
    )
    return results[K]


def attack_budgets(
    model: Any,
    X: Any,
    y: Any,
    A: Attacker,
    budgets: Iterable[float],
    loss: str | None = None,
    *,
    method: Method = "exact",
    time_limit: float | None = None,
    node_limit: int | None = None,
    progress: Progress = None,
) -> dict[float, AttackResult]:
    """`attack` for several budgets in one run: by budget, the worst attack on each row."""
    attackers = {b: _checked(A).with_budget(b) for b in budgets}
    if not attackers:
        raise ValueError("budgets: expected at least one budget, got none")
    X = X if hasattr(X, "iloc") else np.asarray(X)
    dearest = attackers[max(attackers)]
    stop = _limits(time_limit, node_limit, progress, len(X))
    if not len(X):
        return {b: nothing(X, y) for b in attackers}
    form = ensemble(model, X, dearest)
    case = Case(form, X, y, loss)
    if method == "exhaustive":
        return {b: case.result(enumerate_all(case, attackers[b], stop)) for b in attackers}
    order = sorted(attackers)
    limits = [purse(attackers[b]) for b in order]
    worst = search(case, Engine(form, X, dearest), limits, _way(method), stop)
    found = dict(zip(order, worst, strict=True))
    return {b: case.result(found[b]) for b in attackers}


def loss_under_attack(model: Any, X: Any, y: Any, A: Attacker, loss: str | None = None) -> float:
    """L^A: the sum over rows of the greatest loss the attacker can cause. For `loss` see `attack`."""
    return float(attack(model, X, y, A, loss).losses.sum())


def worst_leaves(tree: Any, x: Any, y: float, A: Attacker, loss: str = "sse") -> frozenset[str]:
    """Lambda^A: the paths of the leaves where the attacker causes the greatest loss on one row x."""
    tree = getattr(tree, "tree_", tree)
    if not isinstance(tree, (Leaf, Node)):
        raise TypeError(f"tree: expected a Leaf or a Node, or a fitted tree estimator, got {type(tree).__name__}")
    X = _one_row(x)
    form = ensemble(tree, X, _checked(A))
    case = Case(form, X, [y], loss)
    leaves = leaves_in_reach(Engine(form, X, A))
    losses = case.ell(form.nodes.value[leaves], case.y)
    worst = losses.max()
    near = losses >= worst - 1e-9 * abs(worst) if math.isfinite(worst) else losses == worst
    return frozenset(form.paths[u] for u in leaves[near])


def _checked(A: object) -> Attacker:
    if not isinstance(A, Attacker):
        raise TypeError(f"A: expected an Attacker, got {A!r}")
    return A


def _one_row(x: Any) -> Any:
    if isinstance(x, (Mapping, pd.Series)):
        return pd.DataFrame({k: [v] for k, v in x.items()})
    rows = x if isinstance(x, pd.DataFrame) else np.atleast_2d(np.asarray(x))
    if len(rows) != 1:
        raise ValueError(f"x: expected one row, got {len(rows)}")
    return rows


def _way(method: str) -> Way:
    ways = {"exact": Way(Task, solve), "milp": Way(WholeTask, solve_milp)}
    if method not in ways:
        raise ValueError(f"method: expected 'exact', 'exhaustive' or 'milp', got {method!r}")
    return ways[method]


def _limits(time_limit: float | None, node_limit: int | None, progress: Progress, n: int) -> Limits:
    for name, limit in (("time_limit", time_limit), ("node_limit", node_limit)):
        if limit is not None and not limit >= 0:
            raise ValueError(f"{name}: expected None or a number of at least 0, got {limit!r}")
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    return Limits(deadline, math.inf if node_limit is None else node_limit, _ticker(progress, n))


def _ticker(progress: Progress, total: int) -> Callable[[float], None]:
    """A function to be told which share of the work is done."""
    if progress is None or progress is False:
        return lambda share: None
    if progress is not True and not callable(progress):
        raise TypeError(f"progress: expected None, True or a function of (done, total), got {progress!r}")
    report = _Printer() if progress is True else progress
    return lambda share: report(round(share * total), total)


class _Printer:
    """A bar on standard error, redrawn at most ten times a second."""

    def __init__(self) -> None:
        self.start, self.drawn, self.done = time.monotonic(), 0.0, -1

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done > self.done and (now - self.drawn > 0.1 or done == total):
            self.drawn, self.done = now, done
            end = "\n" if done == total else ""
            print("\r" + bar(done, total, "rows attacked", now - self.start), end=end, file=sys.stderr, flush=True)


__all__ = ["AttackResult", "attack", "attack_budgets", "loss_under_attack", "worst_leaves"]
