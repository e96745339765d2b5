"""Hard attacks: many attackable features with wide reach, ours beside veritas, row by row in one run.

Every feature may move by a share of its standard deviation, all of them at once: a box, the question that
veritas answers too. Both have so many CPU seconds a row, and begin with the forest as scikit-learn has it:
both count reading it and the search, ours also asks the forest itself about the rows before and after. The
note has both without the reading, too.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from treant_viz.attacks.attack import attack
from treant_viz.bench.boxes import box_optimum
from treant_viz.bench.measure import Result
from treant_viz.core.attacker.rules import Attacker
from treant_viz.datasets.records import Dataset
from treant_viz.ensembles.common_form import common_form

LINES = ((4, 0.1), (4, 0.5), (6, 0.3), (8, 0.5), (11, 0.5))  # features, share of a standard deviation
SECONDS = 3.0
ROWS = 6


def bench_hard(forest: Any, data: Dataset, rows: int | None) -> Iterator[Result]:
    """A line for each number of features: veritas' time over ours, and who solved how many rows."""
    n = min(ROWS, len(data.X_test) if rows is None else rows)
    X, y = data.X_test.to_numpy()[:n], data.y_test[:n]
    reach = data.X_train.to_numpy().std(axis=0)
    for features, share in LINES:
        eps = {f: share * float(reach[f]) for f in range(features)}
        ours, seconds, own = _ours(forest, X, y, eps)
        what = f"wine, {features} features by {share:g} standard deviations"
        note = f"{n} rows: ours solves {np.isfinite(ours).sum()} in {seconds:.2f} s"
        if not find_spec("veritas"):
            yield Result("attack", what, seconds, " s", "<", SECONDS * n, note, {"ours": seconds})
            continue
        theirs, others, reading = _theirs(forest, X, y, eps)
        note += f", veritas {np.isfinite(theirs).sum()} in {others:.2f} s"
        note += f"; without reading the forest {seconds - own:.3f} s, veritas {others - reading:.3f} s"
        far = np.nanmax(np.abs(ours - theirs), initial=0.0)
        note += f"; scores differ by up to {far:.1g} where both do"
        behind = {"ours": seconds, "veritas": others, "ours reading": own, "veritas reading": reading}
        yield Result("attack", what, others / seconds, "x", ">=", 1, note, behind)


def _ours(
    forest: Any, X: np.ndarray, y: np.ndarray, eps: dict[int, float]
) -> tuple[np.ndarray, float, float]:
    """The worst scores (nan: not solved), the seconds, and how many of them went into reading the forest."""
    A = Attacker.linf(eps)
    start = time.process_time()
    found = attack(forest, X, y, A, time_limit=SECONDS * len(X))
    seconds = time.process_time() - start
    start = time.process_time()
    common_form(forest, X, A)  # the attack has read it as well
    reading = time.process_time() - start
    return np.where(found.exact, found.scores, math.nan), seconds, reading


def _theirs(
    forest: Any, X: np.ndarray, y: np.ndarray, eps: dict[int, float]
) -> tuple[np.ndarray, float, float]:
    """The same, and how many of the seconds went into reading the forest."""
    import veritas

    start = time.process_time()
    trees = veritas.get_addtree(forest, silent=True)
    reading = time.process_time() - start
    boxes = [{f: (x[f] - e, x[f] + e) for f, e in eps.items()} for x in X]
    found = [
        box_optimum(veritas, trees, x, box, least=bool(label), seconds=SECONDS)
        for x, box, label in zip(X, boxes, y, strict=True)
    ]
    seconds = time.process_time() - start
    return np.array(found) / len(forest.estimators_) + 0.5, seconds, reading
