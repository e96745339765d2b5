"""The white-box attack: the worst an attacker can do to each row, exactly, for a tree or an ensemble.

>>> import pandas as pd
>>> from treant_viz.core.attacker.rules import Attacker, Rule
>>> from treant_viz.core.tree import Leaf, Node
>>> stump = Node("p", 1.0, Leaf(-1.0), Leaf(2.0))
>>> X = pd.DataFrame({"p": [-7, -5, 1, 3, 3, 3, 3], "q": [1, 2, 3, 3, 4, 4, 4]})
>>> A = Attacker([Rule("p", cost=1, delta=(-1, 1))], budget=1)
>>> result = attack(stump, X, [-2, -1, 0, 2, 2, 2, 2], A)
>>> print(result)
AttackResult: 7 rows, 1 attacked, loss 2 -> 5, exact
>>> print(*result.moves[2])
p: 1 -> 2 (+1), cost 1
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from treant_viz.attacks.all_rows import RowSearch, worst_attacks
from treant_viz.attacks.batch import AttackedModel, batch_of_one
from treant_viz.attacks.cell_costs import checked_attacker, spending_limit
from treant_viz.attacks.exhaustive import enumerate_all
from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.attacks.limits import Limits
from treant_viz.attacks.milp import solve_milp
from treant_viz.attacks.result import AttackResult, empty_result
from treant_viz.attacks.row_problem import row_problem, whole_row_problem
from treant_viz.attacks.search import solve
from treant_viz.attacks.tables import one_row
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.tree import Leaf, Node
from treant_viz.ensembles.common_form import common_form
from treant_viz.long_work import Progress

Method = Literal["exact", "exhaustive", "milp"]
SEARCHES = {"exact": RowSearch(row_problem, solve), "milp": RowSearch(whole_row_problem, solve_milp)}


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

    `model`: a bare tree or a list of them (a forest: the mean), our trees and forests, scikit-learn's trees,
    forests, (Hist)GradientBoosting* and IsolationForest (its score: 0.5 + `decision_function`), a booster,
    classifier or regressor of LightGBM or XGBoost, a model of CatBoost, or a Pipeline of encoders and scalers
    that ends in one of them (rules then speak of the table before it). `loss`: "sse", "log" or "margin" (the
    score towards the other class: the least where y > 0, else the greatest); None is the model's own: the
    attribute `loss` of our estimators, "log" for other classifiers and boosters with a
    binary objective, "sse" for all else.

    `method`: "exact"; or, for small problems, "exhaustive" (plain enumeration) or "milp" (mixed-integer
    programming). `time_limit` (seconds, the whole call) and `node_limit` (combinations of cells looked at,
    per row) may stop a search early: `exact` is then False in those rows, and `lower` and `upper` enclose the
    true loss. `progress`: True, or a function of (rows done, rows in all). Of equal attacks the cheapest is
    reported (by "milp" any of them).
    """
    K = checked_attacker(A).budget
    limits: dict[str, Any] = {"time_limit": time_limit, "node_limit": node_limit, "progress": progress}
    return attack_budgets(model, X, y, A, [K], loss, method=method, **limits)[K]


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
    attackers = {b: checked_attacker(A).with_budget(b) for b in budgets}
    if not attackers:
        raise ValueError("budgets: expected at least one budget, got none")
    X = X if hasattr(X, "iloc") else np.asarray(X)
    stop = Limits.of(time_limit, node_limit, progress, len(X))
    if not len(X):
        return {b: empty_result(X, y) for b in attackers}
    dearest = attackers[max(attackers)]
    form = common_form(model, X, dearest)
    rows = LabelledRows(form, X, y, loss)
    if method == "exhaustive":
        return {b: enumerate_all(rows, A, stop) for b, A in attackers.items()}
    if method not in SEARCHES:
        raise ValueError(f"method: expected 'exact', 'exhaustive' or 'milp', got {method!r}")
    order = sorted(attackers)
    limits = [spending_limit(attackers[b]) for b in order]
    results = worst_attacks(rows, AttackedModel(form, X, dearest), limits, SEARCHES[method], stop)
    by_budget = dict(zip(order, results, strict=True))
    return {b: by_budget[b] for b in attackers}


def loss_under_attack(model: Any, X: Any, y: Any, A: Attacker, loss: str | None = None) -> float:
    """L^A: the sum over rows of the greatest loss the attacker can cause. For `loss` see `attack`."""
    return float(attack(model, X, y, A, loss).losses.sum())


def worst_leaves(tree: Any, x: Any, y: float, A: Attacker, loss: str = "sse") -> frozenset[str]:
    """Lambda^A: the paths of the leaves where the attacker causes the greatest loss on one row x."""
    tree = getattr(tree, "tree_", tree)
    if not isinstance(tree, (Leaf, Node)):
        raise TypeError(
            f"tree: expected a Leaf or a Node, or a fitted tree estimator, got {type(tree).__name__}"
        )
    X = one_row(x)
    form = common_form(tree, X, checked_attacker(A))
    rows = LabelledRows(form, X, [y], loss)
    leaves = batch_of_one(form, X, A).reached.leaf
    losses = rows.ell(form.nodes.value[leaves], rows.y)
    worst = losses.max()
    near = losses >= worst - 1e-9 * abs(worst) if math.isfinite(worst) else losses == worst
    return frozenset(form.paths[u] for u in leaves[near])


__all__ = ["AttackResult", "attack", "attack_budgets", "loss_under_attack", "worst_leaves"]
