"""Measurements of speed and memory, as ratios taken in one run, each beside the bound it has to keep.

Contenders take turns, and the best of several rounds counts. What runs in one process is measured in its CPU
seconds: other work on the machine blurs them little. Forests are measured by the clock on the wall.
`treant-viz bench` runs this.
"""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from treant_viz import __version__
from treant_viz.bench.measure import QUICK, Result, Workload, fresh_process, load
from treant_viz.bench.trees import bench_jobs, bench_memory, bench_scaling, bench_solver, bench_tree
from treant_viz.core import serial

FORMAT_VERSION = 1
UNWANTED = ("lightgbm", "ipywidgets", "graphviz")


def bench_import(plan: Workload) -> Iterator[Result]:
    """Seconds of `import treant_viz` in a fresh interpreter, and whether it drags in what it must not."""
    few = "if not name.startswith(('explore_', 'build_'))"  # explorers are made of ipywidgets
    names = f"[getattr(treant_viz, name) for name in treant_viz.__all__ {few}]"
    for what, then, bound in (
        ("import treant_viz", "", 1.0),
        ("import treant_viz, all but explorers", names, None),
    ):
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


def _attack(plan: Workload) -> Iterator[Result]:
    """The exact attack on ensembles (see `bench_attack`)."""
    from treant_viz.bench.attack import bench_attack

    return bench_attack(plan.attack_trees, plan.attack_rows, plan.milp_rows, plan.attack_growth)


def _boosting(plan: Workload) -> Iterator[Result]:
    """Adversarial boosting with exact attacks (see `bench_attack`)."""
    from treant_viz.bench.attack import bench_boosting

    return bench_boosting(plan.boosting_rounds, plan.attack_rows)


def _pictures(plan: Workload) -> Iterator[Result]:
    """Every display: how long it takes, how large it is (see `bench_pictures`)."""
    from treant_viz.bench.pictures import bench_pictures

    return bench_pictures(plan.picture_rows, plan.picture_rounds)


def _explorers(plan: Workload) -> Iterator[Result]:
    """Every explorer: how long a step of a slider takes (see `bench_explorers`)."""
    from treant_viz.bench.explorers import bench_explorers

    return bench_explorers(plan.explorer_rows, plan.explorer_steps)


def _regressor(plan: Workload) -> Iterator[Result]:
    """One regression tree against scikit-learn's (see `bench_regressor`)."""
    from treant_viz.bench.regressor import bench_regressor

    return bench_regressor(plan)


def _thresholds(plan: Workload) -> Iterator[Result]:
    """What thresholds="reachable" changes on the paper's data (see `bench_thresholds`)."""
    from treant_viz.bench.thresholds import bench_thresholds

    return bench_thresholds(plan)


def _boosted(plan: Workload) -> Iterator[Result]:
    """Boosted TREANT trees: how good, and how fast (see `bench_boosted`)."""
    from treant_viz.bench.boosted import bench_boosted

    return bench_boosted(plan)


BENCHMARKS: dict[str, Callable[[Workload], Iterator[Result]]] = {
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
    "regressor": _regressor,
    "thresholds": _thresholds,
    "boosted": _boosted,
}


def environment() -> dict[str, Any]:
    """What the numbers depend on: versions and cores, and how busy the machine was before."""
    packages = {name: version(name) for name in ("numpy", "pandas", "scipy", "scikit-learn", "joblib")}
    machine = {
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": load(),
    }
    return {"treant_viz": __version__, "python": platform.python_version()} | packages | machine


def run(names: Iterable[str], plan: Workload) -> Iterator[Result]:
    """Run the measurements named, one after the other."""
    for name in names:
        yield from BENCHMARKS[name](plan)


def to_dict(results: Iterable[Result], plan: Workload, where: Mapping[str, Any]) -> serial.Json:
    """Plain JSON values."""
    rows = [asdict(r) | {"ok": r.ok} for r in results]
    return serial.document(
        "bench", FORMAT_VERSION, {"environment": dict(where), "plan": asdict(plan), "results": rows}
    )


__all__ = ["BENCHMARKS", "QUICK", "Result", "Workload", "environment", "run", "to_dict"]
