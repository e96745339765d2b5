"""How fast one tree and one forest grow, how fast each solver is, how memory and time grow with the rows.

Data are generated (`synthetic`): the same on every machine. The peer is scikit-learn's tree.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.tree import DecisionTreeClassifier

from treant_viz.bench.measure import (
    MEBI,
    Result,
    Times,
    Workload,
    exponent,
    fresh_process,
    interleaved,
    load,
    memory_now,
    ratios,
)
from treant_viz.bench.synthetic import Generated, census_like, wine_like
from treant_viz.core.data import Sample
from treant_viz.core.losses import get_loss
from treant_viz.core.options import Event, Options
from treant_viz.core.solvers import Exact
from treant_viz.core.solvers.slsqp import solve_candidate
from treant_viz.core.tree import walk
from treant_viz.estimators.fitting import TrainingProblem, bind, make_table
from treant_viz.estimators.trees import TreantClassifier, TreantForestClassifier

DEPTH, MIN_ROWS = 8, 20
LOSSES = ("sse", "log")
PEER = "scikit-learn"


def peer_tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=DEPTH, min_samples_split=MIN_ROWS, random_state=0)


def our_tree(data: Generated, loss: str, budget: float) -> TreantClassifier:
    attacker = data.attacker.with_budget(budget)
    return TreantClassifier(attacker, loss, max_depth=DEPTH, min_samples_split=MIN_ROWS, random_state=0)


def bench_tree(plan: Workload) -> Iterator[Result]:
    """One tree against scikit-learn's, at every budget, both losses; ours includes all of `fit`."""
    census = census_like(plan.census_rows)
    shown = {
        "wine": wine_like(plan.wine_rows),
        "census, text": census,
        "census, category": census.as_category(),
    }
    for what, data in shown.items():
        yield from _tree_results(what, data, plan)


def _tree_results(what: str, data: Generated, plan: Workload) -> Iterator[Result]:
    coded = data.coded
    models = {
        f"{loss}, budget {k}": our_tree(data, loss, k) for loss in LOSSES for k in plan.of(data.budgets)
    }
    contenders: dict[str, Callable[[], object]] = {PEER: lambda: peer_tree().fit(coded, data.y)}
    contenders |= {name: _fit(m, data) for name, m in models.items()}
    times = interleaved(contenders, plan.rounds)
    found = ratios(times, PEER)
    worst = max(found, key=found.__getitem__)
    sizes = [sum(1 for _ in walk(m.tree_)) for m in models.values()]
    peer_size = peer_tree().fit(coded, data.y).tree_.node_count
    note = (
        f"worst: {worst}: {1e3 * times[worst]:.0f} ms, {min(sizes)} to {max(sizes)} nodes; "
        f"{PEER}: {1e3 * times[PEER]:.1f} ms, {peer_size} nodes; stretch 3: {_reached(found[worst] <= 3)}"
    )
    yield Result("tree", f"{what}: times {PEER}, worst", found[worst], "x", "<=", 6, note, times)
    yield Result("tree", f"{what}: times {PEER}, median", statistics.median(found.values()), "x", "<=", 6)


def _fit(model: Any, data: Generated) -> Callable[[], object]:
    return lambda: model.fit(data.X, data.y)


def _reached(yes: bool) -> str:
    return "reached" if yes else "not reached"


def bench_solver(plan: Workload) -> Iterator[Result]:
    """Seconds per candidate, "slsqp" over "exact", at the root and at the node with the most constraints."""
    for data in (wine_like(plan.wine_rows), census_like(plan.census_rows)):
        nodes = {loss: _informative_nodes(data, loss) for loss in LOSSES}
        for i, kind in enumerate(("root", "constrained node")):
            yield _solver_result(
                f"{data.name}, {kind}", {loss: found[i] for loss, found in nodes.items()}, plan
            )


def _solver_result(what: str, nodes: dict[str, Event], plan: Workload) -> Result:
    """The loss for which "exact" gains least."""
    times = {loss: _solver_times(e, loss, plan) for loss, e in nodes.items()}
    gains = {loss: t["slsqp"] / t["exact"] for loss, t in times.items()}
    loss = min(gains, key=gains.__getitem__)
    e, t = nodes[loss], times[loss]
    note = (
        f"{loss}, {f'node {e.path}, ' if e.path else ''}{len(e.D)} rows, {len(e.C)} constraints: "
        f"exact {1e6 * t['exact']:.2f} us, slsqp {1e6 * t['slsqp']:.0f} us a candidate"
    )
    return Result("solver", f"{what}: exact faster than slsqp", gains[loss], "x", ">=", 300, note, t)


def _informative_nodes(data: Generated, loss: str) -> list[Event]:
    """The events at the root and at the node with the most constraints, two or more levels down."""
    events: list[Event] = []
    table = make_table(data.X, data.attacker)
    sample = Sample(table, data.y.astype(float), True)
    bound = bind(data.attacker, table, "uncorrupted")
    options = Options(get_loss(loss, binary=True), Exact(), True, DEPTH, MIN_ROWS)
    problem = TrainingProblem(sample, bound, options)
    problem.grow(0, observe=events.append)
    deep = [e for e in events if e.stumps is not None and len(e.path) >= 2]
    return [events[0], max(deep, key=lambda e: len(e.C))]


def _solver_times(e: Event, loss_name: str, plan: Workload) -> Times:
    """Seconds per candidate of both solvers, "slsqp" on a sample of the node's candidates."""
    loss = get_loss(loss_name, binary=True)
    options = Options(loss, Exact())
    features = options.features(e.D)
    T = Exact().best_stumps(e.D, e.A, e.C, loss, features).tally
    drawn = np.random.default_rng(0).choice(len(T), min(plan.candidates, len(T)), replace=False)
    pairs = [(int(T.feature[i]), int(T.code[i])) for i in drawn]
    times = interleaved(
        {
            "exact": lambda: Exact().best_stumps(e.D, e.A, e.C, loss, features),
            "slsqp": lambda: [solve_candidate(e.D, e.A, e.C, loss, f, v) for f, v in pairs],
        },
        plan.rounds,
    )
    return {"exact": times["exact"] / len(T), "slsqp": times["slsqp"] / len(pairs)}


def bench_jobs(plan: Workload) -> Iterator[Result]:
    """A forest grown by two workers against one; workers are started before the clock."""
    if plan.wine_trees:
        yield _jobs_result(wine_like(plan.wine_rows), plan.wine_trees, plan)
    if plan.census_trees:
        yield _jobs_result(census_like(plan.census_rows), plan.census_trees, plan)


def _jobs_result(data: Generated, trees: int, plan: Workload) -> Result:
    """Plain loops take turns with the forests: what these gain is all the machine can give."""
    _forest(data, 4, 2).fit(data.X, data.y)
    _loops(4, 2)
    runs = {f"n_jobs={n}": _fit(_forest(data, trees, n), data) for n in (1, 2)}
    runs |= {f"loops, n_jobs={n}": partial(_loops, plan.loops, n) for n in (1, 2)}
    times = interleaved(runs, plan.forest_rounds, time.perf_counter)
    gain, ceiling = (times[f"{kind}n_jobs=1"] / times[f"{kind}n_jobs=2"] for kind in ("", "loops, "))
    note = (
        f"{trees} trees, workers warm: {times['n_jobs=1']:.2f} s and {times['n_jobs=2']:.2f} s on the wall; "
        f"plain loops gain {ceiling:.2f}x; {os.cpu_count()} cores, load now {load()}"
    )
    return Result("jobs", f"{data.name}: forest, n_jobs=2 faster than 1", gain, "x", ">=", 1.7, note, times)


def _forest(data: Generated, trees: int, n_jobs: int) -> TreantForestClassifier:
    attacker = data.attacker.with_budget(data.budgets[len(data.budgets) // 2])
    return TreantForestClassifier(trees, n_jobs=n_jobs, attacker=attacker, random_state=0)


def _loops(count: int, n_jobs: int) -> None:
    Parallel(n_jobs=n_jobs)(delayed(_loop)(400_000) for _ in range(count))


def _loop(n: int) -> int:
    return sum(i * i for i in range(n))


def bench_memory(plan: Workload) -> Iterator[Result]:
    """How far the memory of a fresh process grows while it makes census-size data and grows trees."""
    code = (
        f"from treant_viz.bench.trees import print_memory; print_memory({plan.census_rows}, "
        f"{plan.all_budgets})"
    )
    base, data, peak = (b / MEBI for b in fresh_process(code))
    note = f"after imports {base:.0f} MiB, with the data {data:.0f} MiB, peak {peak:.0f} MiB"
    behind = {"imports": base, "data": data, "peak": peak}
    yield Result("memory", "census: growth over the imports", peak - base, " MiB", "<", 1024, note, behind)


def print_memory(rows: int, all_budgets: bool) -> None:
    """For a process of its own: bytes after the imports, with the data, and at the peak of growing trees."""
    base = memory_now()[0]
    data = census_like(rows)
    made = memory_now()[0]
    for budget in data.budgets if all_budgets else data.budgets[-1:]:
        for loss in LOSSES:
            our_tree(data, loss, budget).fit(data.X, data.y)
    print(json.dumps([base, made, memory_now()[1]]))


def bench_scaling(plan: Workload) -> Iterator[Result]:
    """The exponent of time against rows, for rounded columns and for columns without a value twice."""
    for rounded in (True, False):
        data = {n: wine_like(n, rounded=rounded) for n in plan.scaling_rows}
        coded = {n: d.coded for n, d in data.items()}
        contenders = {f"ours {n}": _fit(our_tree(d, "log", 60), d) for n, d in data.items()}
        contenders |= {f"{PEER} {n}": _peer_fit(coded[n], d.y) for n, d in data.items()}
        times = interleaved(contenders, plan.scaling_rounds)
        ours, peer = ([times[f"{who} {n}"] for n in data] for who in ("ours", PEER))
        span = ", ".join(f"{n:,}: {t:.3g} s" for n, t in zip(data, ours, strict=True))
        note = (
            f"{span}; {PEER}'s exponent {exponent(list(data), peer):.2f}, last ratio "
            f"{ours[-1] / peer[-1]:.1f}x"
        )
        kind = "rounded" if rounded else "continuous"
        what = f"{kind} columns: exponent of time against rows"
        yield Result("scaling", what, exponent(list(data), ours), "", "<=", 1.2, note, times)


def _peer_fit(X: np.ndarray, y: np.ndarray) -> Callable[[], object]:
    return lambda: peer_tree().fit(X, y)


__all__ = ["bench_jobs", "bench_memory", "bench_scaling", "bench_solver", "bench_tree", "print_memory"]
