"""explore_certificate: at which budget predictions change, who pays for it, and what one row takes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from traitlets import TraitError, validate

from treant_viz.attacks.tables import one_row
from treant_viz.core.attacker.rules import Attacker
from treant_viz.live.explore.base import as_many_as_fit
from treant_viz.live.explore.row_explorer import RowExplorer, a_budget
from treant_viz.viz.certificate.display import CertificateDisplay
from treant_viz.viz.certificate.live_facts import certificate_facts, top_budget
from treant_viz.viz.certificate.table_facts import Certified

LISTED = 1000  # rows that the picture knows one by one


class CertificateExplorer(RowExplorer):
    """State: `budget` (up to the attacker's own) and `row`, whose attack is shown."""

    picture = "certificate"

    def __init__(
        self, model: Any, X: Any, attacker: Attacker, y: Any, options: Mapping[str, Any], **state: Any
    ) -> None:
        if not isinstance(attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker, got {attacker!r}")
        self.X = X if isinstance(X, pd.DataFrame) else np.asarray(X)
        if not len(self.X):
            raise ValueError("X: expected at least one row, got none")
        self.y, self.options = y, dict(options)
        self.known = Certified.of(model, self.X, y, attacker, **options)
        self.top, self._order = top_budget(self.known), self._sorted()
        self._asked: set[int] = set()
        self._made = lru_cache(maxsize=8)(self._make)
        row, budget = state.pop("row", None), a_budget(state.pop("budget", None), self.top)
        super().__init__(row=self._first() if row is None else row, budget=budget, **state)
        self.observe(self._follow, names="row")
        self._open()

    # what is worked out

    def _sorted(self) -> list[int]:
        """The rows at stake by their costs, then those that are wrong without an attack."""
        t, stake = self.known.table, self.known.at_stake
        return np.lexsort((t["safe_below"], t["changes_at"], ~stake)).tolist()

    def _first(self) -> int:
        """The row at stake whose prediction takes most to change; if none changes, the first one."""
        hit = self.known.at_stake & (self.known.table["changes_at"].to_numpy() < math.inf)
        return [r for r in self._order if hit[r]][-1] if hit.any() else self._order[0]

    def _listed(self, count: int) -> list[int]:
        """So many rows, spread evenly over the order, and those that were asked for."""
        even = np.linspace(0, len(self._order) - 1, min(count, len(self._order))).astype(int)
        wanted = {self._order[i] for i in even.tolist()} | self._asked | {self.row}
        return [r for r in self._order if r in wanted]

    def _follow(self, change: Any) -> None:
        if self.row not in self.sent["rows"]["at"]:
            self._asked.add(self.row)
            self._send(self.facts())

    # what the browser is given

    def facts(self) -> dict[str, Any]:
        return self._facts(LISTED)

    def _facts(self, count: int) -> dict[str, Any]:
        at = self._listed(count)
        return certificate_facts(self.known, at, [self.named(r) for r in at])

    def page_facts(self) -> dict[str, Any]:
        """As many rows as a page should hold."""
        return as_many_as_fit(self._facts, LISTED)[0]

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The same with one more row."""
        self._asked.add(self.asked_row(question))
        return self.facts()

    # what is refused

    @validate("budget")
    def _a_budget(self, proposal: Any) -> float:
        budget = a_budget(proposal["value"])
        if budget > self.top * (1 + 1e-9):
            raise TraitError(f"budget: expected at most {self.top:g}, what is known about, got {budget!r}")
        return budget

    # what it leaves behind

    @property
    def display(self) -> CertificateDisplay:
        return self._made(self.budget)

    def _make(self, budget: float) -> CertificateDisplay:
        A = self.known.attacker.with_budget(budget)
        return CertificateDisplay.from_table(self.known.model, self.X, self.y, A, **self.options)

    def code(self) -> str:
        more = "".join(f", {k}={v!r}" for k, v in self.options.items() if v)
        return (
            "# model, X, y, attacker: your model, rows, labels (or None) and attacker\n"
            f"A = attacker.with_budget({self.budget!r})\n"
            f"tv.CertificateDisplay.from_model(model, {self.row_as_code}, attacker{more})\n"
            f"tv.CertificateDisplay.from_table(model, X, y, A{more})"
        )


def explore_certificate(
    model: Any,
    X: Any,
    attacker: Attacker,
    y: Any = None,
    *,
    tolerance: float = 0.0,
    node_limit: int | None = None,
    **state: Any,
) -> CertificateExplorer:
    """Drag the budget: how many predictions are still safe, and which features do the attacks pay for? And
    pick a row: what does it take to change its prediction, and by which moves?

    `model`: whatever `certify` takes; `tolerance` and `node_limit` are as there. `y`: the true labels, so
    that rows count that the model gets right; None, and for all regressors, all rows count. State to begin
    with: `budget`, `row`.
    """
    options = {"tolerance": tolerance, "node_limit": node_limit}
    return CertificateExplorer(model, X, attacker, y, options, **state)


def of_display(display: CertificateDisplay) -> CertificateExplorer:
    """The live sister of a picture of a table, or of one row (a table of one)."""
    given = dict(display.source or {})
    if "x" in given:
        given["X"] = pd.DataFrame(one_row(given.pop("x"))).set_axis([display.label])
    return explore_certificate(**given)


__all__ = ["CertificateExplorer", "explore_certificate", "of_display"]
