"""How fast the exact attack is, on the data that ship with the package and on models of the paper's size.

Hard attacks are in `hard.py`, rows a second by data set and kind of model in `rates.py`.

Seconds are CPU seconds of one process, training not counted. The peers (LightGBM's models, the MILP, veritas)
are measured where they can be imported.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from treant_viz.attacks.attack import attack, attack_budgets
from treant_viz.attacks.evasion import evasion_cost
from treant_viz.bench.boxes import box_optimum
from treant_viz.bench.hard import bench_hard
from treant_viz.bench.measure import Result
from treant_viz.bench.rates import bench_rates
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.datasets import load_census, load_credit, load_wine
from treant_viz.datasets.records import Dataset
from treant_viz.estimators.trees import TreantForestClassifier

DEPTH = 8


def bench_attack(trees: int, rows: int | None, milp_rows: int, growth: tuple[int, ...]) -> Iterator[Result]:
    """All of it. `rows`: how many test rows (None: all); `growth`: numbers of trees."""
    wine, census = load_wine("authors"), load_census("authors")
    forest = _forest(wine, trees)
    yield _seconds("wine, scikit-learn forest", forest, wine, rows, 5)
    yield _seconds("wine, TREANT forest", _treant(wine, trees), wine, rows, 5)
    yield _seconds("census, TREANT forest", _treant(census, trees), census, rows, 60)
    yield _evasion(forest, wine, rows)
    if find_spec("lightgbm"):
        yield from _lightgbm(wine, census, trees, rows)
    yield from _grows(wine, growth, rows)
    yield _milp(forest, wine, rows, milp_rows)
    if find_spec("veritas"):
        yield _veritas(forest, wine, 300 if rows is None else rows)
    yield from bench_hard(forest, wine, rows)
    data = {"wine": wine, "credit": load_credit("authors"), "census": census}
    yield from bench_rates(data, trees, rows, min(milp_rows, 5))


def bench_boosting(rounds: int, rows: int | None) -> Iterator[Result]:
    """Adversarial boosting on census against the strongest attacker, with the exact attack in every round."""
    if not find_spec("lightgbm"):
        return
    from treant_viz.baselines import AdversarialBoosting

    data, start = load_census("authors"), time.perf_counter()
    model = AdversarialBoosting(data.attacker, n_estimators=rounds, random_state=0)
    model.fit(data.X_train[:rows], data.y_train[:rows], data.X_valid[:rows], data.y_valid[:rows])
    seconds = time.perf_counter() - start
    what = f"census: adversarial boosting, {rounds} rounds, on the wall"
    note = f"{len(data.X_train[:rows])} rows, budget {data.attacker.budget:g}; round {model.best_round_} kept"
    yield Result("boosting", what, seconds, " s", "<", 1200, note, {"rounds": rounds, "seconds": seconds})


def _forest(data: Dataset, trees: int) -> RandomForestClassifier:
    return RandomForestClassifier(trees, max_depth=DEPTH, random_state=0).fit(
        data.X_train.to_numpy(), data.y_train
    )


def _treant(data: Dataset, trees: int) -> TreantForestClassifier:
    forest = TreantForestClassifier(
        trees, attacker=data.attacker, max_depth=DEPTH, loss="sse", random_state=0
    )
    return forest.fit(data.X_train, data.y_train)


def _lightgbm(wine: Dataset, census: Dataset, trees: int, rows: int | None) -> Iterator[Result]:
    from treant_viz.baselines import GBDTBaseline, RandomForestBaseline

    boosted = GBDTBaseline(n_estimators=trees).fit(wine.X_train, wine.y_train)
    yield _seconds("wine, LightGBM, 256 leaves a tree", boosted, wine, rows, 60)
    bagged = RandomForestBaseline(n_estimators=trees).fit(census.X_train, census.y_train)
    yield _seconds("census, LightGBM forest", bagged, census, rows, 60)


def _test(model: Any, data: Dataset, rows: int | None) -> tuple[Any, np.ndarray, Attacker]:
    """Test rows, labels and attacker, with columns as the model knows them: by name, or by index."""
    X, y = data.X_test[:rows], data.y_test[:rows]
    if not isinstance(model, RandomForestClassifier):
        return X, y, data.attacker
    place = {name: i for i, name in enumerate(X.columns)}
    rules = [Rule(place[r.feature], r.cost, r.pre, r.delta) for r in data.attacker.rules]
    return X.to_numpy(), y, Attacker(rules, data.attacker.budget)


def _timed(model: Any, X: Any, y: np.ndarray, A: Attacker, **options: Any) -> float:
    start = time.process_time()
    attack(model, X, y, A, **options)
    return time.process_time() - start


def _seconds(what: str, model: Any, data: Dataset, rows: int | None, bound: float) -> Result:
    X, y, A = _test(model, data, rows)
    seconds = _timed(model, X, y, A)
    note = f"{len(X)} rows, budget {A.budget:g}: {len(X) / seconds:.0f} rows a second"
    return Result("attack", what, seconds, " s", "<", bound, note, {"rows": len(X), "seconds": seconds})


def _evasion(forest: RandomForestClassifier, data: Dataset, rows: int | None) -> Result:
    """The least cost of changing each prediction."""
    X, _, A = _test(forest, data, rows)
    start = time.process_time()
    costs = evasion_cost(forest, X, A)
    seconds = time.process_time() - start
    safe = f"{(costs == np.inf).mean():.0%} of them safe"
    note = f"{len(X)} rows, {safe} within budget {A.budget:g}: {len(X) / seconds:.0f} rows a second"
    behind = {"rows": len(X), "seconds": seconds}
    return Result("attack", "wine, scikit-learn forest: evasion cost", seconds, " s", "<", 5, note, behind)


def _grows(data: Dataset, growth: tuple[int, ...], rows: int | None) -> Iterator[Result]:
    """How time grows with trees and budget; the last number is a single run for all budgets."""
    for trees in growth:
        forest = _forest(data, trees)
        X, y, A = _test(forest, data, rows)
        seconds = {f"budget {b}": _timed(forest, X, y, A.with_budget(b)) for b in data.budgets}
        start = time.process_time()
        attack_budgets(forest, X, y, A, data.budgets)
        seconds["all budgets in one run"] = time.process_time() - start
        note = ", ".join(f"{k}: {v:.2f} s" for k, v in seconds.items())
        total = seconds["all budgets in one run"]
        yield Result(
            "attack",
            f"wine, scikit-learn forest of {trees} trees, all budgets",
            total,
            " s",
            note=note,
            behind=seconds,
        )


def _milp(forest: RandomForestClassifier, data: Dataset, rows: int | None, milp_rows: int) -> Result:
    """Time a row: mixed-integer programming (some rows, evenly spaced) over search (all rows)."""
    X, y, A = _test(forest, data, rows)
    some = np.linspace(0, len(X) - 1, milp_rows).astype(int)
    ours = _timed(forest, X, y, A) / len(X)
    theirs = _timed(forest, X[some], y[some], A, method="milp") / milp_rows
    took = f"search {1e3 * ours:.2f} ms a row ({len(X)} rows), MILP {1e3 * theirs:.0f} ms ({milp_rows} rows)"
    note = f"budget {A.budget:g}: {took}"
    behind = {"exact": ours, "milp": theirs}
    return Result(
        "attack", "wine: exact faster than MILP, a row", theirs / ours, "x", ">=", 100, note, behind
    )


def _veritas(forest: RandomForestClassifier, data: Dataset, rows: int) -> Result:
    """One application of one rule is a box, the question that veritas answers too."""
    import veritas

    X, y, A = _test(forest, data, rows)
    rule = A.rules[0]
    ours = _timed(forest, X, y, Attacker([rule], rule.cost)) / len(X)
    trees = veritas.get_addtree(forest, silent=True)
    start = time.process_time()
    for x, label in zip(X, y, strict=True):
        _box_search(veritas, trees, x, rule, label)
    theirs = (time.process_time() - start) / len(X)
    note = f"{len(X)} rows, {rule} once: ours {1e3 * ours:.2f} ms, veritas {1e3 * theirs:.2f} ms a row"
    behind = {"ours": ours, "veritas": theirs}
    return Result("attack", "wine: time of veritas over ours", theirs / ours, "x", ">=", 1, note, behind)


def _box_search(veritas: Any, trees: Any, x: np.ndarray, rule: Rule, label: int) -> None:
    moved = {}
    if rule.pre.low <= x[rule.feature] <= rule.pre.high:
        moved[rule.feature] = tuple(x[rule.feature] + d for d in rule.delta)
    box_optimum(veritas, trees, x, moved, least=bool(label))
