"""What the live picture of a split search shows, as plain JSON: all candidates of a node, in columns.

A candidate is known by its place in the order of the search. A column of the robust stump that equals its
standard sister is left out; losses that are infinite are null.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from treant_viz.trace.records import Candidates, Step
from treant_viz.trace.trace import Trace
from treant_viz.viz.facts import LOSSES, exact, exacts, shown
from treant_viz.viz.split_search.facts import LossLine, choices_of, in_order, limits, robust_steps
from treant_viz.viz.ternary_partition.facts import NodeRows
from treant_viz.viz.tree.facts import attacked

Json = dict[str, Any]
COUNTS = ("left", "unknown", "right")
STANDARD = ("plain_y_l", "plain_y_r", "plain_loss", "plain_loss_under_attack")
ROBUST = ("y_l", "y_r", "loss", "loss_under_attack")


def search_facts(trace: Trace, paths: Iterable[str]) -> Json:
    """Facts for the browser: where tests were tried, and the searches of some of these nodes."""
    return {
        "picture": "search",
        "loss": LOSSES[trace.loss.name],
        "attacked": attacked(trace),
        "nodes": [_node(step, step.candidates) for step in searched(trace)],
        "searches": {path: search(trace, path) for path in paths},
    }


def searched(trace: Trace) -> list[Any]:
    """The steps in which tests were tried."""
    return [step for step in trace.steps if step.candidates is not None and len(step.candidates)]


def _node(step: Step, c: Any) -> Json:
    """Where a search took place, and whether both learners would choose the same."""
    standard, tied = choices_of(c)
    return {
        "path": step.path,
        "rows": len(step.data),
        "tried": len(c),
        "differ": bool(tied) and tied[0] != standard,
    }


def search(trace: Trace, path: str) -> Json:
    """All candidates of a node, feature by feature."""
    step = trace.at(path)
    c = step.candidates
    assert c is not None
    (standard, tied), lines = choices_of(c), in_order(c)
    known = [x for line in lines for x in (line.plain, line.attacked)]
    return {
        "leaf_loss": exact(step.leaf_loss),
        "taken": step.taken,
        "reason": step.reason,
        "standard": standard,
        "robust": tied[0] if tied else -1,
        "tied": tied[1:],
        "ends": exacts(limits([*known, np.array([step.leaf_loss])])),
        "lines": [_line(trace, step, c, line) for line in lines],
    }


def _line(trace: Trace, step: Step, c: Candidates, line: LossLine) -> Json:
    """The candidates on one feature, in the order of their thresholds."""
    i = [k for k, feature in enumerate(c.feature) if feature == line.feature]
    columns: Json = {name: [int(x) for x in getattr(c, name)[i]] for name in COUNTS}
    columns |= {name: exacts(getattr(c, name)[i]) for name in STANDARD}
    for name, plain in zip(ROBUST, STANDARD, strict=True):
        if not _same(getattr(c, name)[i], getattr(c, plain)[i]):
            columns[name] = exacts(getattr(c, name)[i])
    return {
        "feature": shown(line.feature),
        "kind": "category" if line.categorical else "number",
        "order": i,
        "threshold": [str(t) if line.categorical else exact(t) for t in line.thresholds],
        "one_sided": np.flatnonzero(~line.admissible).tolist(),
        **columns,
        "between": None if line.categorical else _between(trace, step, line),
    }


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.allclose(a, b, rtol=1e-12, atol=1e-13))


def _between(trace: Trace, step: Step, line: LossLine) -> Json:
    """Both losses where they jump between thresholds that were tried; the first is that left of all."""
    steps = robust_steps(NodeRows.at(trace, step.path, line.feature), line, step)
    new = ~np.isin(steps.at, np.asarray(line.thresholds, dtype=float))
    columns: Json = {"at": exacts(steps.at[new]), "loss": exacts(steps.loss[new])}
    if not _same(steps.attacked[new], steps.loss[new]):
        columns["attacked"] = exacts(steps.attacked[new])
    return columns


__all__ = ["search", "search_facts", "searched"]
