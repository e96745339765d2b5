"""Measurements of speed and memory, as ratios taken in one run, each beside the bound it has to keep.

Contenders take turns, and the best of several rounds counts. What runs in one process is measured in its CPU seconds:
other work on the machine blurs them little. Forests are measured by the clock on the wall. Data are generated
(`synthetic`): the same on every machine. `treant-viz bench` runs this.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.tree import DecisionTreeClassifier

from treant_viz import __version__, serial
from treant_viz.estimators import TreantClassifier, TreantForestClassifier
from treant_viz.fitting import Problem, bind, make_table
from treant_viz.growth import Event, Growth
from treant_viz.losses import get_loss
from treant_viz.measure import (
    MEBI,
    Result,
    Times,
    exponent,
    fresh_process,
    interleaved,
    memory_now,
    ratios,
)
from treant_viz.partition import Sample
from treant_viz.slsqp import solve_candidate
from treant_viz.solvers import Exact
from treant_viz.synthetic import CENSUS_ROWS, WINE_ROWS, Generated, census_like, wine_like
from treant_viz.tree import walk

FORMAT_VERSION = 1
DEPTH, MIN_ROWS = 8, 20
LOSSES = ("sse", "log")
UNWANTED = ("lightgbm", "ipywidgets", "graphviz")
PEER = "scikit-learn"


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to measure."""

    rounds: int = 7
    wine_rows: int = WINE_ROWS
    census_rows: int = CENSUS_ROWS
    all_budgets: bool = True
    candidates: int = 40
    wine_trees: int = 120
    census_trees: int = 50
    loops: int = 60
    forest_rounds: int = 3
    scaling_rows: tuple[int, ...] = (5_000, 10_000, 20_000, 40_000, 80_000)
    scaling_rounds: int = 3
    starts: int = 5
    attack_trees: int = 100
    attack_rows: int | None = None
    milp_rows: int = 40
    attack_growth: tuple[int, ...] = (10, 30, 100, 300)
    boosting_rounds: int = 100
    picture_rows: int = 1000
    picture_rounds: int = 3
    explorer_rows: int = 1000
    explorer_steps: int = 9

    def budgets(self, data: Generated) -> tuple[int, ...]:
        """All of them, or the least and the greatest."""
        return data.budgets if self.all_budgets else (data.budgets[0], data.budgets[-1])


QUICK = Plan(
    rounds=2, all_budgets=False, candidates=8, wine_trees=16, census_trees=0, loops=20, forest_rounds=1,
    scaling_rows=(5_000, 10_000, 20_000), scaling_rounds=1, starts=1, attack_trees=10,
    attack_rows=100, milp_rows=1, attack_growth=(10,), boosting_rounds=3, picture_rounds=1,
    explorer_steps=3,
)  # fmt: skip


def peer_tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=DEPTH, min_samples_split=MIN_ROWS, random_state=0)


def our_tree(data: Generated, loss: str, budget: float) -> TreantClassifier:
    attacker = data.attacker.with_budget(budget)
    return TreantClassifier(attacker, loss, max_depth=DEPTH, min_samples_split=MIN_ROWS, random_state=0)


def bench_tree(plan: Plan) -> Iterator[Result]:
    """One tree against scikit-learn's, at every budget and both losses; ours from the data frame, all of `fit`."""
    census = census_like(plan.census_rows)
    shown = {"wine": wine_like(plan.wine_rows), "census, text": census, "census, category": census.as_category()}
    for what, data in shown.items():
        yield from _tree_results(what, data, plan)


def _tree_results(what: str, data: Generated, plan: Plan) -> Iterator[Result]:
    coded = data.coded
    models = {f"{loss}, budget {k}": our_tree(data, loss, k) for loss in LOSSES for k in plan.budgets(data)}
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


def bench_solver(plan: Plan) -> Iterator[Result]:
    """Seconds per candidate, "slsqp" over "exact", at the root and at the node with the most constraints."""
    for data in (wine_like(plan.wine_rows), census_like(plan.census_rows)):
        nodes = {loss: _telling_nodes(data, loss) for loss in LOSSES}
        for i, kind in enumerate(("root", "constrained node")):
            yield _solver_result(f"{data.name}, {kind}", {loss: found[i] for loss, found in nodes.items()}, plan)


def _solver_result(what: str, nodes: dict[str, Event], plan: Plan) -> Result:
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


def _telling_nodes(data: Generated, loss: str) -> list[Event]:
    """What happened at the root, and at the node (two levels down or more) with the most constraints."""
    events: list[Event] = []
    table = make_table(data.X, data.attacker)
    sample = Sample(table, data.y.astype(float), True)
    bound = bind(data.attacker, table, "uncorrupted")
    problem = Problem(sample, bound, get_loss(loss, binary=True), "exact", True, DEPTH, MIN_ROWS, None)
    problem.grow(0, observe=events.append)
    deep = [e for e in events if e.stumps is not None and len(e.path) >= 2]
    return [events[0], max(deep, key=lambda e: len(e.C))]


def _solver_times(e: Event, loss_name: str, plan: Plan) -> Times:
    """Seconds per candidate of both solvers, "slsqp" on a sample of the node's candidates."""
    loss = get_loss(loss_name, binary=True)
    how = Growth(loss, Exact(), np.random.default_rng(0))
    features = how.features(e.D)
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


def bench_jobs(plan: Plan) -> Iterator[Result]:
    """A forest with two workers against the same with one; the workers have started before the clock does."""
    if plan.wine_trees:
        yield _jobs_result(wine_like(plan.wine_rows), plan.wine_trees, plan)
    if plan.census_trees:
        yield _jobs_result(census_like(plan.census_rows), plan.census_trees, plan)


def _jobs_result(data: Generated, trees: int, plan: Plan) -> Result:
    """Plain loops take turns with the forests: what two workers gain there is what the machine has to give just now."""
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


def _loops(how_many: int, n_jobs: int) -> None:
    Parallel(n_jobs=n_jobs)(delayed(_loop)(400_000) for _ in range(how_many))


def _loop(n: int) -> int:
    return sum(i * i for i in range(n))


def bench_memory(plan: Plan) -> Iterator[Result]:
    """How far the memory of a fresh process grows while it makes census-size data and grows trees."""
    code = f"from treant_viz import bench; bench.print_memory({plan.census_rows}, {plan.all_budgets})"
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


def bench_scaling(plan: Plan) -> Iterator[Result]:
    """The exponent of time against rows, for rounded columns and for columns without a value twice."""
    for rounded in (True, False):
        data = {n: wine_like(n, rounded=rounded) for n in plan.scaling_rows}
        coded = {n: d.coded for n, d in data.items()}
        contenders = {f"ours {n}": _fit(our_tree(d, "log", 60), d) for n, d in data.items()}
        contenders |= {f"{PEER} {n}": _peer_fit(coded[n], d.y) for n, d in data.items()}
        times = interleaved(contenders, plan.scaling_rounds)
        ours, peer = ([times[f"{who} {n}"] for n in data] for who in ("ours", PEER))
        span = ", ".join(f"{n:,}: {t:.3g} s" for n, t in zip(data, ours, strict=True))
        note = f"{span}; {PEER}'s exponent {exponent(list(data), peer):.2f}, last ratio {ours[-1] / peer[-1]:.1f}x"
        kind = "rounded" if rounded else "continuous"
        what = f"{kind} columns: exponent of time against rows"
        yield Result("scaling", what, exponent(list(data), ours), "", "<=", 1.2, note, times)


def _peer_fit(X: np.ndarray, y: np.ndarray) -> Callable[[], object]:
    return lambda: peer_tree().fit(X, y)


def bench_import(plan: Plan) -> Iterator[Result]:
    """Seconds of `import treant_viz` in a fresh interpreter, and whether it drags in what it must not."""
    few = "if not name.startswith(('explore_', 'build_'))"  # explorers are made of ipywidgets
    names = f"[getattr(treant_viz, name) for name in treant_viz.__all__ {few}]"
    for what, then, bound in (("import treant_viz", "", 1.0), ("import treant_viz, all but explorers", names, None)):
        code = (
            f"import json, sys, time; start = time.perf_counter(); import treant_viz; {then}\n"
            f"took = time.perf_counter() - start\n"
            f"print(json.dumps([took, [m for m in {UNWANTED!r} if m in sys.modules]]))"
        )
        runs = [fresh_process(code) for _ in range(plan.starts)]
        dragged = sorted({m for _, found in runs for m in found})
        yield Result("import", what, statistics.median(t for t, _ in runs), " s", "<", bound)
        note = f"imported: {', '.join(dragged)}" if dragged else ""
        yield Result("import", f"  of {', '.join(UNWANTED)}", len(dragged), "", "<=", 0, note)


def _attack(plan: Plan) -> Iterator[Result]:
    """The exact attack on ensembles (see `bench_attack`)."""
    from treant_viz.bench_attack import bench_attack

    return bench_attack(plan.attack_trees, plan.attack_rows, plan.milp_rows, plan.attack_growth)


def _boosting(plan: Plan) -> Iterator[Result]:
    """Adversarial boosting with exact attacks (see `bench_attack`)."""
    from treant_viz.bench_attack import bench_boosting

    return bench_boosting(plan.boosting_rounds, plan.attack_rows)


def _pictures(plan: Plan) -> Iterator[Result]:
    """Every display: how long it takes, how large it is (see `bench_pictures`)."""
    from treant_viz.bench_pictures import bench_pictures

    return bench_pictures(plan.picture_rows, plan.picture_rounds)


def _explorers(plan: Plan) -> Iterator[Result]:
    """Every explorer: how long a step of a slider takes (see `bench_explorers`)."""
    from treant_viz.bench_explorers import bench_explorers

    return bench_explorers(plan.explorer_rows, plan.explorer_steps)


BENCHMARKS: dict[str, Callable[[Plan], Iterator[Result]]] = {
    "tree": bench_tree,
    "solver": bench_solver,
    "jobs": bench_jobs,
    "memory": bench_memory,
    "scaling": bench_scaling,
    "import": bench_import,
    "attack": _attack,
    "boosting": _boosting,
    "pictures": _pictures,
    "explorers": _explorers,
}


def environment() -> dict[str, Any]:
    """What the numbers depend on: versions and cores, and how busy the machine was before."""
    packages = {name: version(name) for name in ("numpy", "pandas", "scipy", "scikit-learn", "joblib")}
    machine = {"system": platform.system(), "machine": platform.machine(), "cores": os.cpu_count(), "load": load()}
    return {"treant_viz": __version__, "python": platform.python_version()} | packages | machine


def load() -> float | None:
    """How many processes wanted a core, on average over the last minute; None where the system does not tell."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def run(names: Iterable[str], plan: Plan) -> Iterator[Result]:
    """The measurements of these names, one after the other."""
    for name in names:
        yield from BENCHMARKS[name](plan)


def to_dict(results: Iterable[Result], plan: Plan, where: Mapping[str, Any]) -> serial.Json:
    """Plain JSON values."""
    rows = [asdict(r) | {"ok": r.ok} for r in results]
    return serial.document("bench", FORMAT_VERSION, {"environment": dict(where), "plan": asdict(plan), "results": rows})
