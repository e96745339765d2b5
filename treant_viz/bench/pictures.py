"""How long pictures take and how large they are: a thousand wines, and trees of many nodes.

Seconds are CPU seconds of one process, the best of several rounds: making the display, drawing it, and
writing it as a picture of a screen's resolution.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from treant_viz.bench.measure import Result
from treant_viz.core.tree import Leaf, Node, Tree
from treant_viz.datasets import load_wine
from treant_viz.estimators.trees import TreantClassifier
from treant_viz.evaluation import security_curve
from treant_viz.viz import (
    AttackPathDisplay,
    ConstraintsDisplay,
    FeatureSpaceDisplay,
    LossSurfaceDisplay,
    RobustSplitDisplay,
    SecurityCurveDisplay,
    SplitSearchDisplay,
    TernaryPartitionDisplay,
    TreeDisplay,
)
from treant_viz.viz.display import Display
from treant_viz.viz.output.export import render

Makers = Mapping[str, Callable[[], Display]]
KILO = 1000.0


def bench_pictures(rows: int, rounds: int) -> Iterator[Result]:
    """Every display on this many wines; then a tree of 255 nodes."""
    for name, make in displays(rows).items():
        yield Result("pictures", f"{name}, {rows:,} wines", _seconds(make, rounds), " s", "<", 1.0)
        yield Result("pictures", f"{name} as svg", len(render(make(), "svg")) / KILO, " kB", "<", 500.0)
    tree = bushy(7)
    yield Result(
        "pictures", "tree of 255 nodes", _seconds(lambda: TreeDisplay.from_tree(tree), rounds), " s", "<", 2.0
    )
    whole = _drawing(lambda: TreeDisplay.from_tree(tree, depth=None), rounds)
    yield Result("pictures", "tree of 255 nodes, all of them, drawn", whole, " s", "<", 2.0)


def displays(rows: int) -> Makers:
    """By name: how each picture is made."""
    wine = load_wine()
    X, y, A = wine.X_train[:rows], wine.y_train[:rows], wine.attacker.with_budget(60)
    model = TreantClassifier(A, max_depth=4).fit(X, y)
    trace, tree = model.trace_, model.tree_
    curve = security_curve({"tree": model}, X[:200], y[:200], A, [0, 20, 60], n_boot=50)
    first: Any = X.iloc[0]
    return {
        "tree": lambda: TreeDisplay.from_trace(trace),
        "ternary partition": lambda: TernaryPartitionDisplay.from_trace(
            trace, feature="alcohol", threshold=10.4
        ),
        "robust split": lambda: RobustSplitDisplay.from_trace(trace),
        "split search": lambda: SplitSearchDisplay.from_trace(trace),
        "loss surface": lambda: LossSurfaceDisplay.from_trace(trace),
        "constraints": lambda: ConstraintsDisplay.from_trace(trace),
        "attack path": lambda: AttackPathDisplay.from_tree(tree, first, float(y[0]), A, loss="log"),
        "feature space": lambda: FeatureSpaceDisplay.from_tree(tree, X, y, A),
        "security curve": lambda: SecurityCurveDisplay.from_curve(curve[curve["metric"] == "roc_auc"]),
    }


def _seconds(make: Callable[[], Display], rounds: int) -> float:
    """CPU seconds from scratch to a PNG, the best of several rounds."""
    return _best(lambda: render(make(), "png", dpi=100.0), rounds)


def _drawing(make: Callable[[], Display], rounds: int) -> float:
    return _best(lambda: make().plot(), rounds)


def _best(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def bushy(depth: int, path: str = "") -> Tree:
    """A full tree with this many levels of tests."""
    if len(path) == depth:
        return Leaf(0.5, 1.0, 10)
    return Node(f"feature {len(path)}", 1.5, bushy(depth, path + "l"), bushy(depth, path + "r"))


__all__ = ["bench_pictures"]
