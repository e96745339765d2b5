"""Numbers in place of classes: how far off is a prediction when the attacker moves it as far as they can?

Each model is tuned on validation rows without twins, by the root of the mean squared error: under attack if
the learner knows an attacker, else on clean rows. Every seed has a split of its own and is tuned on its own,
since another seed's test rows may be among these validation rows.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from treant_viz.attacks.attack import attack_budgets
from treant_viz.core.attacker.rules import Attacker
from treant_viz.datasets import Dataset, twins
from treant_viz.estimators.trees import TreantForestRegressor, TreantRegressor
from treant_viz.evaluation import resamples
from treant_viz.experiments.schema import REGRESSORS, Job, Scale

LEVEL = 0.95  # of the bootstrap intervals
Params = dict[str, Any]
Records = list[dict[str, Any]]


class Regressor(NamedTuple):
    """What learns, options that are fixed, what is tried of the others, and are there many trees?"""

    make: Callable[..., Any]
    fixed: Params
    tried: dict[str, tuple[Any, ...]]
    many: bool = True


FOREST = Regressor(RandomForestRegressor, {"max_features": 0.4}, {"max_depth": (5, 8, 12)})
BOOSTING = Regressor(
    GradientBoostingRegressor, {}, {"max_depth": (2, 3, 5), "learning_rate": (0.05, 0.1, 0.2)}
)
LEARNERS = {
    "mean": Regressor(TreantRegressor, {"max_depth": 0}, {}, many=False),
    "tree": Regressor(DecisionTreeRegressor, {"min_samples_split": 20}, {"max_depth": (3, 5, 8)}, many=False),
    "forest": FOREST,
    "boosting": BOOSTING,
    "drop-forest": FOREST,
    "drop-boosting": BOOSTING,
    "treant-tree": Regressor(TreantRegressor, {}, {"max_depth": (3, 5, 8)}, many=False),
    "treant-forest": Regressor(TreantForestRegressor, {"max_features": 0.4}, {"max_depth": (5, 8, 12)}),
}


def run_job(job: Job, scale: Scale, data: Dataset) -> Records:
    """Tune, attack, measure: one record a test budget, first 0 (no attack), for all rows; then for those
    without a twin, if any row has one.
    """
    start = time.perf_counter()
    model, params = tuned(job, scale.trees, data)
    fitted = time.perf_counter()
    results = attack_budgets(model, data.X_test, data.y_test, data.attacker, [0, *data.budgets], "sse")
    seconds = {
        "fit_seconds": round(fitted - start, 2),
        "attack_seconds": round(time.perf_counter() - fitted, 2),
    }
    every, distinct = np.ones(len(data.y_test), dtype=bool), ~twins(data.X_test, data.X_train)
    known = {"all": every} if distinct.all() else {"all": every, "no twins": distinct}
    return [
        job._asdict()
        | {"rows": which, "test_budget": b, "n_rows": int(rows.sum())}
        | measured(np.abs(data.y_test - found.scores)[rows], scale.n_boot)
        | seconds
        | {"params": json.dumps(params, sort_keys=True), "correct": ""}
        for which, rows in known.items()
        for b, found in results.items()
    ]


def tuned(job: Job, trees: int, data: Dataset) -> tuple[Any, Params]:
    """The model that is best on validation rows without twins, and what it was made with."""
    attacker = data.attacker.with_budget(job.train_budget) if REGRESSORS[job.method].aware else None
    valid = data.without_twins()

    def judged(params: Params) -> tuple[float, Any, Params]:
        model = fitted(job, attacker, params, data)
        score = rmse(model, valid.X_valid, valid.y_valid, attacker)
        return score, model, params | {"validation_rmse": round(score, 6)}

    _, model, params = min(map(judged, grid(job.method, trees)), key=lambda one: one[0])
    return model, params


def grid(method: str, trees: int) -> Iterator[Params]:
    """What is tried, small models first.

    >>> [p["max_depth"] for p in grid("treant-tree", 50)]
    [3, 5, 8]
    """
    learner = LEARNERS[method]
    fixed = learner.fixed | ({"n_estimators": trees} if learner.many else {})
    for values in product(*learner.tried.values()):
        yield fixed | dict(zip(learner.tried, values, strict=True))


def fitted(job: Job, attacker: Attacker | None, params: Params, data: Dataset) -> Any:
    """One model; what drops features sees them as constants, so that no tree can ask for them."""
    known = {} if attacker is None else {"attacker": attacker}
    model = LEARNERS[job.method].make(**params, **known, random_state=job.seed)
    X = data.X_train
    if job.method.startswith("drop-"):
        X = X.assign(**dict.fromkeys(map(str, data.attacker.features), 0.0))
    return model.fit(X, data.y_train)


def rmse(model: Any, X: Any, y: np.ndarray, A: Attacker | None) -> float:
    """The root of the mean squared error, under attack if there is an attacker."""
    A = A or Attacker([], 0.0)
    losses = attack_budgets(model, X, y, A, [A.budget], "sse")[A.budget].losses
    return float(np.sqrt(losses.mean()))


def measured(errors: np.ndarray, n_boot: int) -> dict[str, float]:
    """RMSE and MAE of absolute errors, each with the ends of its bootstrap interval.

    >>> measured(np.array([3.0, 4.0]), 0)["mae"]
    3.5
    """
    drawn = resamples(len(errors), n_boot, 0) / len(errors)
    values = {
        "rmse": (np.sqrt(np.mean(errors**2)), np.sqrt(drawn @ errors**2)),
        "mae": (errors.mean(), drawn @ errors),
    }
    tail = (1 - LEVEL) / 2
    out: dict[str, float] = {}
    for name, (value, again) in values.items():
        low, high = np.quantile(again, [tail, 1 - tail]) if n_boot else (np.nan, np.nan)
        out |= {name: float(value), f"{name}_low": float(low), f"{name}_high": float(high)}
    return out


__all__ = ["LEARNERS", "run_job"]
