"""explore_growth: step, play and scrub through the growth of a tree: why every node became what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from traitlets import Bool, TraitError, TraitType, Unicode, validate

from treant_viz.live.explore.base import LiveExplorer
from treant_viz.live.problem import trace_of
from treant_viz.trace.trace import Trace
from treant_viz.viz.display import Display
from treant_viz.viz.tree.display import TreeDisplay
from treant_viz.viz.tree.live_facts import COUNTS, NUMBERS, growth_facts

ORDERS = ("order", "feature", "threshold", *COUNTS, *NUMBERS)


class GrowthExplorer(LiveExplorer):
    """State: `step` (0 is the root's), the `node` that is lit (its path, "" is the root; or None), and the
    order of the candidates: `sort_by` and `ascending`.
    """

    picture = "growth"
    step: Any = TraitType(0).tag(state=True)
    node: Any = TraitType(None).tag(state=True)
    sort_by = Unicode("loss_under_attack").tag(state=True)
    ascending = Bool(True).tag(state=True)

    def __init__(self, what: Any, **state: Any) -> None:
        self.trace = trace_of(what)
        self._given = "" if isinstance(what, Trace) else "trace = model.trace_\n"
        self._facts: dict[str, Any] = {}
        super().__init__(**state)
        self._open()

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.trace) - 1

    def facts(self) -> dict[str, Any]:
        """All steps at once: a trace never changes."""
        if not self._facts:
            self._facts = growth_facts(self.trace)
        return self._facts

    def _from_browser(self, state: Mapping[str, Any]) -> None:
        with self.hold_trait_notifications():
            for name in ("step", "node", "sort_by", "ascending"):
                self.set_trait(name, state.get(name, getattr(self, name)))

    # what is refused

    @validate("step")
    def _known(self, proposal: Any) -> int:
        i = proposal["value"]
        if isinstance(i, bool) or not isinstance(i, (int, np.integer)) or not 0 <= i <= self.last:
            raise TraitError(f"step: expected a whole number from 0 to {self.last}, got {i!r}")
        return int(i)

    @validate("node")
    def _a_node(self, proposal: Any) -> str | None:
        path = proposal["value"]
        if path is not None and path not in self.facts()["nodes"]["path"]:
            raise TraitError(f'node: expected None or the path of a node ("" is the root), got {path!r}')
        return None if path is None else str(path)

    @validate("sort_by")
    def _column(self, proposal: Any) -> str:
        if proposal["value"] not in ORDERS:
            raise TraitError(f"sort_by: expected one of {list(ORDERS)}, got {proposal['value']!r}")
        return str(proposal["value"])

    # what it leaves behind

    @property
    def display(self) -> Display:
        return TreeDisplay.from_trace(self.trace, step=self.trace.steps[self.step].path)

    def code(self) -> str:
        head = "# model: your fitted tree\n" if self._given else "# trace: your trace\n"
        path = self.trace.steps[self.step].path
        return f"{head}{self._given}tv.TreeDisplay.from_trace(trace, step={path!r})"


def explore_growth(model_or_trace: Any, **state: Any) -> GrowthExplorer:
    """Step through the growth of a tree: where rows flow, whom the attacker pushes, what leaves may say, and
    the candidates of each test.

    `model_or_trace`: a fitted TreantClassifier or TreantRegressor, or a Trace. State to begin with: `step` (0
    to the number of steps less one), `node` (the path of one to light up), `sort_by` (a number of the
    candidates, such as "loss_under_attack"), `ascending`.
    """
    return GrowthExplorer(model_or_trace, **state)


def of_display(display: TreeDisplay) -> GrowthExplorer:
    """The live sister of a tree that was drawn from a trace."""
    assert display.source is not None
    return GrowthExplorer(display.source["trace"], step=display.source["step"])


__all__ = ["GrowthExplorer", "explore_growth", "of_display"]
