"""The fields of one rule: what is typed becomes a Rule, and what is wrong is said beside its field."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import ipywidgets as widgets

from treant_viz.core.attacker.rules import Rule
from treant_viz.core.table import Schema
from treant_viz.live.entry import WIDE, EntryError, note, number_in, row_of
from treant_viz.live.rule_words import typed
from treant_viz.viz.style.text import name

LABELS = {"feature": "feature", "cost": "cost", "pre": "applies", "delta": "change", "becomes": "becomes"}


class RuleFields:
    """Controls for one rule. `changed` is called when the user edits it; `known`: a feature's categories."""

    def __init__(
        self, schema: Schema | None, known: Callable[[Any], list[Any]], changed: Callable[[], None]
    ) -> None:
        self.schema, self._known, self._changed, self._showing = schema, known, changed, False
        self._extra: dict[Any, list[str]] = {}
        self.notes = {field: widgets.HTML() for field in (*LABELS, "rule")}
        self._make()
        for control in self.controls.values():
            control.observe(self._on_change, names="value")
        n, c = self.notes, self.controls
        self._numeric = [row_of(c["low"], c["high"], n["pre"]), row_of(c["least"], c["most"], n["delta"])]
        self._categorical = [row_of(c["sources"], c["extra"]), row_of(c["becomes"], n["becomes"])]
        first = [c["feature"], *([] if schema else [c["kind"]]), n["feature"], c["cost"], n["cost"]]
        self.box = widgets.VBox([row_of(*first), *self._numeric, *self._categorical, row_of(n["rule"])])
        self._offer()

    def _make(self) -> None:
        def text(label: str, hint: str = "a number") -> Any:
            look = {"style": WIDE, "layout": widgets.Layout(width="17em")}
            return widgets.Text(description=label, placeholder=hint, continuous_update=False, **look)

        names = [] if self.schema is None else [(name(n), n) for n in self.schema.names]
        pick = widgets.Dropdown(options=names, description="feature", style=WIDE) if self.schema else None
        kinds = [("numbers", False), ("categories", True)]
        self.controls: dict[str, Any] = {
            "feature": pick or text("feature", "its name, or its place: 0, 1, ..."),
            "kind": widgets.Dropdown(options=kinds, description="its values are", style=WIDE),
            "cost": text("cost"),
            "low": text("applies from", "-inf: no bound"),
            "high": text("applies to", "inf: no bound"),
            "least": text("change from"),
            "most": text("change to"),
            "sources": widgets.SelectMultiple(
                options=[],
                description="turns from (none chosen: any)",
                style=WIDE,
                layout=widgets.Layout(width="34em"),
            ),
            "becomes": widgets.Dropdown(options=[("choose one", None)], description="becomes", style=WIDE),
            "extra": text("another category", "its name"),
        }

    # what the fields say

    @property
    def feature(self) -> Any:
        """The feature as the attacker will call it."""
        said = self.controls["feature"].value
        if self.schema is not None:
            return said
        said = said.strip()
        if not said:
            raise EntryError("feature", "feature: give its name, or its place among the columns")
        return int(said) if said.isascii() and said.isdigit() else said

    @property
    def categorical(self) -> bool:
        if self.schema is None:
            return bool(self.controls["kind"].value)
        return self.schema.columns[self.schema.index(self.controls["feature"].value)].categorical

    def read(self) -> Rule | None:
        """The rule that the fields describe; None if something is wrong, as is then said beside its field."""
        self.clear()
        try:
            return self._rule()
        except EntryError as wrong:
            self.notes[wrong.field].value = note(wrong)
        return None

    def _rule(self) -> Rule:
        c, feature = self.controls, self.feature
        cost = number_in(c["cost"].value, "cost", "cost")
        if not self.categorical:
            pre = self._pair("pre", ("low", "high"), (-math.inf, math.inf))
            return _made(feature, cost, pre=pre, delta=self._pair("delta", ("least", "most"), (None, None)))
        if c["becomes"].value is None:
            raise EntryError("becomes", "becomes: choose the category that it turns into")
        return _made(feature, cost, pre=set(c["sources"].value) or None, becomes=c["becomes"].value)

    def _pair(
        self, field: str, ends: tuple[str, str], empty: tuple[float | None, float | None]
    ) -> tuple[float, float]:
        low, high = (
            number_in(self.controls[e].value, field, self.controls[e].description, none)
            for e, none in zip(ends, empty, strict=True)
        )
        return low, high

    # what the fields show

    def show(self, rule: Rule | None) -> None:
        """Fill the fields with a rule; with nothing but the feature if there is none."""
        c = self.controls
        with self._quietly():
            if rule is not None:
                at = (
                    rule.feature
                    if self.schema is None
                    else self.schema.names[self.schema.index(rule.feature)]
                )
                c["feature"].value, c["kind"].value = at if self.schema else str(at), rule.categorical
            self._offer()
            plain = rule if rule is not None and not rule.categorical else None
            c["cost"].value = "" if rule is None else typed(rule.cost)
            for field, ends in (("pre", ("low", "high")), ("delta", ("least", "most"))):
                for e, end in zip(ends, getattr(plain, field, ("", "")), strict=True):
                    c[e].value = end if isinstance(end, str) else typed(end)
            swap = rule if rule is not None and rule.categorical else None
            c["sources"].value = tuple(v for _, v in c["sources"].options if swap and v in (swap.pre or ()))
            c["becomes"].value = swap.becomes if swap else None
            c["extra"].value = ""
        self.clear()

    def clear(self) -> None:
        """No complaints."""
        for shown in self.notes.values():
            shown.value = ""

    def _offer(self) -> None:
        """The controls that the kind of the feature needs, with its categories."""
        for rows, wanted in ((self._numeric, not self.categorical), (self._categorical, self.categorical)):
            for row in rows:
                row.layout.display = "" if wanted else "none"
        try:
            feature = self.feature
        except EntryError:
            return
        values = list(dict.fromkeys([*self._known(feature), *self._extra.get(feature, ())]))
        c = self.controls
        chosen, becomes = c["sources"].value, c["becomes"].value
        with self._quietly():
            c["sources"].options = [(name(v), v) for v in values]
            c["sources"].value = tuple(v for v in values if v in chosen)
            c["becomes"].options = [("choose one", None), *((name(v), v) for v in values)]
            c["becomes"].value = becomes if becomes in values else None

    def _on_change(self, change: Any) -> None:
        if self._showing:
            return
        if change["owner"] is self.controls["extra"]:
            self._add_category(change["new"].strip())
            return
        if change["owner"] in (self.controls["feature"], self.controls["kind"]):
            self._offer()
        self._changed()

    def _add_category(self, new: str) -> None:
        """A category that neither the data nor a rule names yet."""
        try:
            self._extra.setdefault(self.feature, []).extend([new] if new else [])
        except EntryError as wrong:
            self.notes[wrong.field].value = note(wrong)
            return
        with self._quietly():
            self.controls["extra"].value = ""
        self._offer()

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Changes in here are not the user's."""
        before, self._showing = self._showing, True
        try:
            yield
        finally:
            self._showing = before


def _made(feature: Any, cost: float, **how: Any) -> Rule:
    try:
        return Rule(feature, cost, **how)
    except (TypeError, ValueError) as error:
        said = str(error)
        field = next((f for f in LABELS if said.startswith(f"{f} ")), "rule")
        raise EntryError(field, f"{LABELS.get(field, 'rule')}: {said.partition(': ')[2] or said}") from error


__all__ = ["RuleFields"]
