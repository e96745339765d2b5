"""build_attacker: write down what an attacker can do, rule by rule, and see on the data what that reaches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ipywidgets as widgets
from traitlets import Any as AnyTrait
from traitlets import Float, Instance, Int, TraitError, validate

from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.live.attacker_file import AttackerFile
from treant_viz.live.base import WIDE, Explorer
from treant_viz.live.entry import budget_text, note
from treant_viz.live.reach_rows import ReachRows, rows_of
from treant_viz.live.rule_fields import RuleFields
from treant_viz.live.rule_list import RuleList
from treant_viz.viz.display import Display
from treant_viz.viz.style.text import name

BAD = (ValueError, TypeError, TraitError)
MOST_UNDONE = 100


class AttackerForm(Explorer):
    """State: `attacker`, `budget` (its budget), `editing` (the rule in the fields; None: a new one),
    `feature` (shown).

    While a rule is edited, every good entry takes effect at once. A wrong one is explained beside its field,
    and the attacker stays as it was.
    """

    attacker = Instance(Attacker).tag(state=True)
    budget = Float().tag(state=True)
    editing = Int(allow_none=True, default_value=None).tag(state=True)
    feature = AnyTrait().tag(state=True)

    def __init__(self, rows: ReachRows, attacker: Attacker, **state: Any) -> None:
        self.rows = rows
        self._past: list[Attacker] = []
        self._quiet: set[str] = set()  # what must not follow the change that is being made
        self.fields = RuleFields(rows.schema, self._categories, self._edited)
        self.rules = RuleList(self._edit, self._remove)
        self.file = AttackerFile(lambda: self.attacker, lambda attacker: self.set_trait("attacker", attacker))
        self.reach, self.heading = widgets.HTML(), widgets.HTML()
        self._buttons()
        if "budget" in state:
            attacker = attacker.with_budget(state["budget"])
        self.purse = budget_text(attacker.budget, lambda budget: self.set_trait("budget", budget))
        first = {"editing": 0} if attacker.rules else {}
        super().__init__(**first | state | {"attacker": attacker, "budget": attacker.budget})
        if self.feature is None:
            self.feature = rows.names(attacker)[0]
        self._show_attacker()
        self._show_rule(follow="feature" not in state)
        self._show_feature()
        self._watch()
        buttons = [self._add, self._new, self._undo]
        fields = widgets.VBox([self.heading, self.fields.box, widgets.HBox(buttons)])
        self._open([self.rules.box], self.purse.row, [fields], self.file.row, [self._picker])
        self.box.children = (*self.box.children[:-1], self.reach, self.box.children[-1])

    def _buttons(self) -> None:
        wide: dict[str, Any] = {"layout": widgets.Layout(width="auto")}
        self._add = widgets.Button(description="Add as a new rule", **wide)
        self._new = widgets.Button(description="Empty the fields for a new rule", **wide)
        self._undo = widgets.Button(description="Undo the last change", **wide)
        self._picker = widgets.Dropdown(options=[], description="picture of feature", style=WIDE)

    def _watch(self) -> None:
        """Controls change the state, the state changes the controls."""
        self._add.on_click(lambda button: self._append())
        self._new.on_click(lambda button: self._start_new())
        self._undo.on_click(lambda button: self._step_back())
        self._picker.observe(lambda change: self._picked(change["new"]), names="value")
        self.observe(self._on_attacker, names="attacker")
        self.observe(lambda change: self._set_budget(change["new"]), names="budget")
        self.observe(lambda change: self._show_rule(), names="editing")
        self.observe(lambda change: self._show_feature(), names="feature")

    # what is refused

    @validate("attacker")
    def _fits(self, proposal: Any) -> Attacker:
        try:
            self.rows.check(proposal["value"])
        except ValueError as error:
            raise TraitError(str(error)) from error
        attacker: Attacker = proposal["value"]
        return attacker

    @validate("budget")
    def _at_least_0(self, proposal: Any) -> float:
        if not proposal["value"] >= 0:
            raise TraitError(
                f"budget: expected a number of at least 0 (it may be infinite), got {proposal['value']!r}"
            )
        return float(proposal["value"])

    @validate("editing")
    def _a_rule(self, proposal: Any) -> int:
        if not 0 <= proposal["value"] < len(self.attacker.rules):
            count = len(self.attacker.rules)
            raise TraitError(
                f"editing: expected None or a rule's place below {count}, got {proposal['value']!r}"
            )
        return int(proposal["value"])

    @validate("feature")
    def _known(self, proposal: Any) -> Any:
        try:
            return self.rows.named(proposal["value"], self.attacker)
        except ValueError as error:
            raise TraitError(str(error)) from error

    # the attacker changes

    @contextmanager
    def _without(self, what: str) -> Iterator[None]:
        """A change that "fields", "past" or "picker" must not follow."""
        self._quiet.add(what)
        try:
            yield
        finally:
            self._quiet.discard(what)

    def _on_attacker(self, change: Any) -> None:
        if "past" not in self._quiet:
            self._past = [*self._past[-MOST_UNDONE:], change["old"]]
        self._show_attacker()
        if "fields" not in self._quiet:
            if self.editing is not None and self.editing >= len(self.attacker.rules):
                self.editing = None
            self._show_rule()
        if self.feature not in self.rows.names(self.attacker):
            self.feature = self.rows.names(self.attacker)[0]
        self._show_feature()

    def _take(self, rules: list[Rule]) -> bool:
        """Other rules, if they go together and fit the data; else words below the fields."""
        try:
            self.attacker = Attacker(rules, self.budget)
        except BAD as error:
            self.fields.notes["rule"].value = note(error)
            return False
        return True

    def _edited(self) -> None:
        """An entry changed: it takes effect if a rule is being edited and the entry is good."""
        if self.editing is None:
            self.fields.clear()
            return
        rule, rules = self.fields.read(), list(self.attacker.rules)
        if rule is None:
            return
        rules[self.editing] = rule
        with self._without("fields"):
            taken = self._take(rules)
        if taken:
            self.feature = rule.feature

    def _append(self) -> None:
        rule = self.fields.read()
        if rule is not None and self._take([*self.attacker.rules, rule]):
            self.editing = len(self.attacker.rules) - 1

    def _edit(self, i: int) -> None:
        self.editing = i
        self._show_rule()

    def _start_new(self) -> None:
        self.editing = None
        self.fields.show(None)
        self._show_heading()

    def _remove(self, i: int) -> None:
        at = self.editing
        rules = [r for j, r in enumerate(self.attacker.rules) if j != i]
        if self._take(rules):
            self.editing = None if at is None or at == i else at - (at > i)
            self._show_rule(follow=False)

    def _step_back(self) -> None:
        if self._past:
            with self._without("past"):
                self.attacker = self._past.pop()

    def _set_budget(self, budget: float) -> None:
        if self.attacker.budget != budget:
            with self._without("fields"):
                self.attacker = self.attacker.with_budget(budget)

    # what is shown

    def _show_attacker(self) -> None:
        """The list of rules and the budget."""
        self.budget = self.attacker.budget
        self.rules.show(self.attacker.rules, self.editing)
        self.purse.show(self.budget)
        self._undo.disabled = not self._past

    def _show_rule(self, *, follow: bool = True) -> None:
        """The fields show the rule that is edited; a new one keeps what was typed."""
        if self.editing is not None:
            rule = self.attacker.rules[self.editing]
            self.fields.show(rule)
            if follow:
                self.feature = rule.feature
        self._show_heading()

    def _show_heading(self) -> None:
        self.rules.show(self.attacker.rules, self.editing)
        if self.editing is None:
            said = "New rule: fill in the fields, then add it."
        else:
            said = f"Rule {self.editing + 1}: what you change takes effect at once."
        self.heading.value = f"<b>{said}</b>"

    def _show_feature(self) -> None:
        with self._without("picker"):
            self._picker.options = [(name(n), n) for n in self.rows.names(self.attacker)]
            self._picker.value = self.feature

    def _picked(self, feature: Any) -> None:
        if "picker" not in self._quiet:
            self.feature = feature

    def _categories(self, feature: Any) -> list[Any]:
        return self.rows.categories(feature, self.attacker) if self.trait_has_value("attacker") else []

    def _display(self) -> Display:
        return self.rows.display(self.attacker, self.feature)

    def _draw(self) -> None:
        super()._draw()
        self.reach.value = self.rows.words(self.attacker, self.feature)

    def code(self) -> str:
        return self.rows.code(self.attacker, self.feature)


def build_attacker(
    X: Any = None, attacker: Attacker | None = None, *, y: Any = None, **state: Any
) -> AttackerForm:
    """Write down an attacker in a form: `.attacker` is what it has become, ready for any explorer or
    estimator.

    `X`: rows on which to see what can be reached (with labels `y` if there are any), a data set as the
    loaders return it, or a fitted tree; without rows, a few values are made up. State to begin with:
    `budget`, `editing`, `feature`.
    """
    return AttackerForm(*rows_of(X, y, attacker), **state)


__all__ = ["AttackerForm", "build_attacker"]
