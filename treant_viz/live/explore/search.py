"""explore_search: all candidate tests of a node, and whether both learners choose the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from traitlets import TraitError, TraitType, validate

from treant_viz.live.explore.base import LiveExplorer, filled
from treant_viz.live.problem import trace_of
from treant_viz.trace.records import Candidates
from treant_viz.trace.trace import Trace
from treant_viz.viz.display import Display
from treant_viz.viz.split_search.display import SplitSearchDisplay
from treant_viz.viz.split_search.facts import choices_of
from treant_viz.viz.split_search.live_facts import search_facts, searched


class SearchExplorer(LiveExplorer):
    """State: `path`, the node ("" is the root), and the candidate that is lit: its `feature` and `threshold`
    (a number, or one of the categories).

    It opens at the largest node where the choices differ; another node, or feature, lights its best test.
    """

    picture = "search"
    path: Any = TraitType(None).tag(state=True)
    feature: Any = TraitType(None).tag(state=True)
    threshold: Any = TraitType(None).tag(state=True)

    def __init__(self, what: Any, **state: Any) -> None:
        self.trace = trace_of(what)
        self._given = "" if isinstance(what, Trace) else "trace = model.trace_\n"
        self.nodes = search_facts(self.trace, [])["nodes"]
        if not self.nodes:
            raise ValueError(f"model: no test was tried at any node ({self.trace.steps[0].reason})")
        path, feature, threshold = (state.pop(name, None) for name in ("path", "feature", "threshold"))
        super().__init__(**state)
        self._sent: list[str] = []
        self._lit = ("", -1)  # the node and the candidate that were set together
        self.observe(self._another_node, names="path")
        self.observe(self._another_feature, names="feature")
        self.path = self._most_informative() if path is None else path
        for name, value in (("feature", feature), ("threshold", threshold)):
            if value is not None:
                self.set_trait(name, value)
        self._open()

    # what is looked up

    @property
    def candidates(self) -> Candidates:
        """All tests that were tried at the present node."""
        found = self.trace.at(self.path).candidates
        assert found is not None
        return found

    def _most_informative(self) -> str:
        """The largest node where the choices differ; else the first."""
        return str(max(self.nodes, key=lambda node: (node["differ"], node["rows"]))["path"])

    def _best(self, places: list[int]) -> int:
        """The candidate that loses least under attack; one that may be chosen, if there is any."""
        c = self.candidates
        return min(places, key=lambda i: (not c.admissible[i], c.loss_under_attack[i]))

    def _on(self, feature: Any) -> list[int]:
        """The candidates on a feature."""
        return [i for i, name in enumerate(self.candidates.feature) if name == feature]

    @property
    def place(self) -> int:
        """The lit candidate, by its place in the order of the search."""
        c = self.candidates
        return next(i for i in self._on(self.feature) if c.threshold[i] == self.threshold)

    def _another_node(self, change: Any) -> None:
        if self._lit[0] != self.path or self._lit[1] < 0:
            standard, tied = choices_of(self.candidates)
            self._light((tied or [standard])[0])
        if hasattr(self, "sent") and self.path not in self.sent["searches"]:
            self._send(self.facts())

    def _another_feature(self, change: Any) -> None:
        if self.candidates.feature[self._lit[1]] != self.feature:
            self._light(self._best(self._on(self.feature)))

    def _light(self, i: int) -> None:
        """A candidate, at once: its threshold means nothing without its feature."""
        self._lit = (self.path, i)
        with self.hold_trait_notifications():
            self.feature, self.threshold = self.candidates.feature[i], self.candidates.threshold[i]

    def _tried(self) -> list[Any]:
        return [self.candidates.threshold[i] for i in self._on(self.feature)]

    # what the browser is given

    def facts(self) -> dict[str, Any]:
        """The nodes that were looked at: a trace never changes."""
        self._sent = list(dict.fromkeys([*self._sent, self.path]))
        return search_facts(self.trace, self._sent)

    def page_facts(self) -> dict[str, Any]:
        """The present node, and as many others as a page should hold, differing choices first."""
        facts = search_facts(self.trace, [self.path])
        others = sorted(self.nodes, key=lambda node: (not node["differ"], -node["rows"]))
        paths = (node["path"] for node in others if node["path"] != self.path)
        return filled(facts, "searches", (self.answer({"path": path})["searches"] for path in paths))

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """All candidates of one more node."""
        try:
            return search_facts(self.trace, [self._known(question.get("path"))])
        except TraitError as error:
            raise ValueError(str(error)) from None

    def _to_browser(self) -> dict[str, Any]:
        return {"path": self.path, "candidate": self.place}

    def _from_browser(self, state: Mapping[str, Any]) -> None:
        path, i = self._known(state.get("path")), state.get("candidate")
        found = self.trace.at(path).candidates
        if not isinstance(i, int) or found is None or not 0 <= i < len(found):
            raise TraitError(f"candidate: expected the place of one at node {path!r}, got {i!r}")
        self._lit = (path, i)
        with self.hold_trait_notifications():
            self.path, self.feature, self.threshold = path, found.feature[i], found.threshold[i]

    # what is refused

    def _known(self, path: Any) -> str:
        known = [step.path for step in searched(self.trace)]
        if path not in known:
            raise TraitError(
                f'path: expected a node where tests were tried ("" is the root): {known}, got {path!r}'
            )
        return str(path)

    @validate("path")
    def _a_node(self, proposal: Any) -> str:
        return self._known(proposal["value"])

    @validate("feature")
    def _a_feature(self, proposal: Any) -> Any:
        known = list(dict.fromkeys(self.candidates.feature))
        if proposal["value"] not in known:
            raise TraitError(f"feature: expected one that was tried here: {known}, got {proposal['value']!r}")
        return proposal["value"]

    @validate("threshold")
    def _a_threshold(self, proposal: Any) -> Any:
        value = proposal["value"]
        value = value.item() if isinstance(value, np.generic) else value
        known = self._tried()
        if isinstance(value, bool) or value not in known:
            some = ", ".join(map(repr, known[:8])) + (f" and {len(known) - 8} more" if len(known) > 8 else "")
            raise TraitError(f"threshold: expected one tried on {self.feature!r} here: {some}; got {value!r}")
        return known[known.index(value)]

    # what it leaves behind

    @property
    def display(self) -> Display:
        return SplitSearchDisplay.from_trace(self.trace, self.path)

    def code(self) -> str:
        head = "# model: your fitted tree\n" if self._given else "# trace: your trace\n"
        return f"{head}{self._given}tv.SplitSearchDisplay.from_trace(trace, path={self.path!r})"


def explore_search(model_or_trace: Any, **state: Any) -> SearchExplorer:
    """All candidate tests of a node, with what they lose if nobody attacks and under attack: the standard
    choice, the robust one, and all that lies between.

    `model_or_trace`: a fitted TreantClassifier or TreantRegressor, or a Trace. State to begin with: `path`
    ("" is the root), and the candidate that is lit: `feature` and `threshold`.
    """
    return SearchExplorer(model_or_trace, **state)


def of_display(display: SplitSearchDisplay) -> SearchExplorer:
    """The live sister of a split search."""
    assert display.source is not None
    return SearchExplorer(display.source["trace"], path=display.source["path"])


__all__ = ["SearchExplorer", "explore_search", "of_display"]
