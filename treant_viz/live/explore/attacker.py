"""build_attacker: rules as pictures one takes hold of, and what they make of a row, at once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from traitlets import Any as AnyTrait
from traitlets import Float, Instance, Int, TraitError, validate

from treant_viz.core import serial
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.live.explore.base import LiveExplorer
from treant_viz.live.explore.form_rows import FormRows, rows_of
from treant_viz.live.explore.rule_text import attacker_code, budget_in, rule_in
from treant_viz.viz.display import Display
from treant_viz.viz.rule.display import RuleDisplay
from treant_viz.viz.rule.live_facts import feature_facts, row_facts

ROOM = 250_000  # letters of facts that a page may hold
MOST_ROWS, MOST_CARDS = 60, 1000
FEW_COINS = 4  # of the cheapest rule: a smaller budget leaves nothing to play with


class AttackerExplorer(LiveExplorer):
    """State: `attacker`, its `budget`, `feature` (the number line that is shown), `editing` (the place of the
    rule in hand; None: none) and `row`, whose reach is drawn.

    `attacker` is always the last one that was right: what is wrong on the page is explained there.
    """

    picture = "attacker"
    attacker = Instance(Attacker).tag(state=True)
    budget = Float().tag(state=True)
    feature = AnyTrait().tag(state=True)
    editing = Int(allow_none=True, default_value=None).tag(state=True)
    row = Int().tag(state=True)

    def __init__(self, rows: FormRows, attacker: Attacker, **state: Any) -> None:
        self.rows = rows
        budget = state.get("budget")
        A = attacker if budget is None else attacker.with_budget(_a_budget(budget))
        given = {name: value for name, value in state.items() if value is not None}
        super().__init__(**given | {"attacker": A, "budget": A.budget})
        if "feature" not in given:
            self.feature = self._most_informative() if self.editing is None else self._on(self.editing)
        self._hold_a_rule()
        if "row" not in given:
            self.row = rows.first_moved(self.feature, A)
        self.observe(self._another_attacker, names="attacker")
        self.observe(self._another_budget, names="budget")
        self.observe(lambda change: self._hold_a_rule(), names="feature")
        self.observe(lambda change: self._look_at_it(), names="editing")
        self._open()

    def _most_informative(self) -> Any:
        """The first feature on which the attacker can move somebody; else the first with a rule, or any."""
        A, rows = self.rows.named(self.attacker), self.rows
        moved = (f for f in A.features if rows.moves(rows.first_moved(f, A), f, A))
        return next(moved, (A.features or rows.keys(A))[0])

    @property
    def rules(self) -> tuple[Rule, ...]:
        return self.attacker.rules

    # one thing follows another

    def _another_attacker(self, change: Any) -> None:
        self.budget = self.attacker.budget
        known = [self._on(i) for i in range(len(self.rules))] or self.rows.keys(self.attacker)
        if self.feature not in known:
            self.feature = known[0]
        self._hold_a_rule()

    def _another_budget(self, change: Any) -> None:
        if self.attacker.budget != self.budget:
            self.attacker = self.attacker.with_budget(self.budget)

    def _on(self, i: int | None) -> Any:
        """The feature of a rule; None if there is no such rule."""
        known = i is not None and i < len(self.rules)
        return self.rows.key(self.rules[i or 0].feature, self.attacker) if known else None

    def _hold_a_rule(self) -> None:
        """The rule in hand is on the feature that is shown."""
        if self._on(self.editing) != self.feature:
            mine = (i for i in range(len(self.rules)) if self._on(i) == self.feature)
            self.editing = next(mine, None)

    def _look_at_it(self) -> None:
        if self.editing is not None:
            self.feature = self._on(self.editing)

    # what the browser is given

    def facts(self) -> dict[str, Any]:
        return self._about(self.attacker, [self.row])

    def page_facts(self) -> dict[str, Any]:
        """As many rows as a page should hold; the shown one always."""
        facts, n = self.facts(), len(self.rows)
        room = ROOM - len(json.dumps(facts))
        for i in dict.fromkeys(np.linspace(0, n - 1, min(n, MOST_ROWS)).astype(int).tolist()):
            more = self._row(self.attacker, i)
            room -= len(json.dumps(more))
            if room > 0:
                facts["rows"][str(i)] = more
        return facts

    def _about(self, attacker: Attacker, rows: list[int]) -> dict[str, Any]:
        """Features, and some rows under an attacker; `top`: the budget up to which their reach is known."""
        A, known = self.rows.named(attacker), self.rows.keys(attacker)
        columns = [(k, self.rows.values(k, A), self.rows.categories(k, A)) for k in known]
        return {
            "picture": "attacker",
            "data": self.rows.X is not None,
            "count": len(self.rows),
            "features": feature_facts(columns, self.rows.X is not None),
            **self._reached(attacker, rows),
        }

    def _reached(self, attacker: Attacker, rows: list[int]) -> dict[str, Any]:
        return {
            "rules": [r.to_dict() for r in self.rows.named(attacker).rules],
            "top": serial.number_out(_top(attacker)),
            "rows": {str(i): self._row(attacker, i) for i in rows},
        }

    def _row(self, attacker: Attacker, i: int) -> dict[str, Any]:
        A = self.rows.named(attacker)
        values = [self.rows.value(i, k, A) for k in self.rows.keys(A)]
        reaches = self.rows.reaches(i, A.with_budget(_top(A)))
        y = None if self.rows.y is None else float(self.rows.y[i])
        return row_facts(values, reaches, self.rows.label(i), y)

    # what the browser asks

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """`cards`, as they are typed, with `budget` and `row`: what is wrong, the rules, and what they reach.
        Or the text of a `file`: its attacker.
        """
        row = _place(question.get("row", self.row), len(self.rows))
        if "file" in question:
            A = self._in_file(str(question["file"]), str(question.get("name", "file")))
            return {"budget": serial.number_out(A.budget), "faults": {}, **self._about(A, [row])}
        faults: dict[str, Any] = {}
        cards = _cards(question.get("cards"))
        rules = [self._read(i, card, faults) for i, card in enumerate(cards)]
        A = Attacker([r for r in rules if r is not None], self._paid(question, faults))
        self.rows.check(A)
        reached = self._reached(A, [row]) if self.rows.X is not None else self._about(A, [row])
        read = [None if r is None else r.to_dict() for r in rules]
        return reached | {"faults": faults, "read": read, "budget": serial.number_out(A.budget)}

    def _read(self, i: int, card: Mapping[str, Any], faults: dict[str, Any]) -> Rule | None:
        """The rule on a card; if something is wrong, the last one that was right."""
        feature = card.get("feature")
        categorical = card.get("kind") == "category"
        if self.rows.schema is not None:
            categorical = self.rows.schema.columns[self.rows.schema.index(feature)].categorical
        rule, wrong = rule_in(card, feature, categorical)
        if wrong:
            faults[str(i)] = wrong
        return Rule.from_dict(card["rule"]) if rule is None and card.get("rule") else rule

    def _paid(self, question: Mapping[str, Any], faults: dict[str, Any]) -> float:
        try:
            return budget_in(question.get("budget", ""))
        except ValueError as error:
            faults["budget"] = str(error)
            return self.budget

    def _in_file(self, text: str, where: str) -> Attacker:
        A = Attacker.from_dict(serial.parse(text.encode("utf-8"), where), where)
        with serial.reading(where):
            self.rows.check(A)
        return A

    def _to_browser(self) -> dict[str, Any]:
        A = self.rows.named(self.attacker)
        shown = {
            "feature": str(self.rows.keys(A).index(self.feature)),
            "editing": self.editing,
            "row": self.row,
        }
        return {"rules": [r.to_dict() for r in A.rules], "budget": serial.number_out(A.budget), **shown}

    def _from_browser(self, state: Mapping[str, Any]) -> None:
        rules = [Rule.from_dict(r) for r in state["rules"]]
        found = Attacker(rules, serial.number_in(state["budget"], "budget"))
        if found != self.rows.named(self.attacker):
            self.attacker = found
        places, at = self.rows.keys(self.attacker), int(state["feature"])
        if 0 <= at < len(places):
            self.feature = places[at]
        self.editing, self.row = state["editing"], state["row"]

    # what is refused

    @validate("attacker")
    def _fits(self, proposal: Any) -> Attacker:
        if once := [r for r in proposal["value"].rules if r.once]:
            raise TraitError(
                f"attacker: rules that may be used once cannot be drawn by hand yet; got {once[0]}"
            )
        try:
            self.rows.check(proposal["value"])
        except ValueError as error:
            raise TraitError(f"attacker: {error}") from error
        attacker: Attacker = proposal["value"]
        return attacker

    @validate("budget")
    def _at_least_0(self, proposal: Any) -> float:
        return _a_budget(proposal["value"])

    @validate("editing")
    def _a_rule(self, proposal: Any) -> int | None:
        i = proposal["value"]
        if i is not None and not 0 <= i < len(self.rules):
            raise TraitError(f"editing: expected None or a rule's place below {len(self.rules)}, got {i!r}")
        return None if i is None else int(i)

    @validate("feature")
    def _known(self, proposal: Any) -> Any:
        try:
            return self.rows.key(proposal["value"], self.attacker)
        except ValueError as error:
            raise TraitError(str(error)) from error

    @validate("row")
    def _a_row(self, proposal: Any) -> int:
        try:
            return _place(proposal["value"], len(self.rows))
        except ValueError as error:
            raise TraitError(str(error)) from error

    # what it leaves behind

    @property
    def display(self) -> Display:
        A = self.rows.named(self.attacker)
        value = self.rows.value(self.row, self.feature, A)
        return RuleDisplay.from_attacker(A, self.feature, values=[value])

    def code(self) -> str:
        A = self.rows.named(self.attacker)
        value = self.rows.value(self.row, self.feature, A)
        show = f"tv.RuleDisplay.from_attacker(A, {self.feature!r}, values=[{value!r}])"
        return f"A = {attacker_code(A)}\n{show}"


def _place(row: Any, count: int) -> int:
    if isinstance(row, bool) or not isinstance(row, (int, np.integer)) or not 0 <= row < count:
        raise ValueError(f"row: expected a whole number from 0 to {count - 1}, got {row!r}")
    return int(row)


def _cards(cards: Any) -> list[Mapping[str, Any]]:
    if not isinstance(cards, list) or not all(isinstance(c, Mapping) for c in cards):
        raise ValueError(f"cards: expected a list of rules as they are typed, got {serial.shown(cards)}")
    if len(cards) > MOST_CARDS:
        raise ValueError(f"cards: expected at most {MOST_CARDS}, got {len(cards)}")
    return cards


def _top(attacker: Attacker) -> float:
    costs = [rule.cost for rule in attacker.rules]
    return max(attacker.budget, FEW_COINS * min(costs, default=0.0))


def _a_budget(value: Any) -> float:
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not real or not value >= 0:
        raise TraitError(f"budget: expected a number of at least 0, or infinity, got {value!r}")
    return float(value)


def build_attacker(
    X: Any = None, attacker: Attacker | None = None, *, y: Any = None, **state: Any
) -> AttackerExplorer:
    """Make an attacker by hand: `.attacker` is what it has become, ready for any explorer or estimator.

    `X`: rows on which to see what can be reached (with labels `y` if there are any), a data set as the
    loaders return it, or a fitted tree; without rows, a few values are made up. State to begin with:
    `budget`, `feature`, `editing` (the place of a rule), `row`.
    """
    return AttackerExplorer(*rows_of(X, y, attacker), **state)


def of_display(display: RuleDisplay) -> AttackerExplorer:
    """The live sister of a picture of rules: the same values, and the rules to take hold of."""
    source = display.source or {}
    feature = source["feature"]
    rows = FormRows(given={feature: list(source["values"])})
    return AttackerExplorer(rows, source["attacker"], feature=feature)


__all__ = ["AttackerExplorer", "build_attacker", "of_display"]
