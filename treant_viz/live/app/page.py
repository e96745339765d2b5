"""The explorers as one page, for people without notebooks: `treant-viz app` serves it with Voila on this
machine.

Choose the toy, wine, census, credit, or a table of your own with a rule file; a tab is made when it is first
opened.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import ipywidgets as widgets
from traitlets import TraitError

from treant_viz import live as explore
from treant_viz.live.app.serve import SETTINGS
from treant_viz.live.app.study import CHOICES, OWN, Study, study_of
from treant_viz.live.entry import WIDE, EntryError, note, number_in, row_of
from treant_viz.live.rule_words import typed
from treant_viz.viz.style.text import for_html

REFUSED = (ValueError, OSError, TypeError, RecursionError, TraitError)  # what bad entries raise
ATTACKER = "Attacker"
ATTACKED = ("Attack", "Forest")  # tabs in which trees are attacked
KINDS = (("know nothing of him", False), ("expect him", True))
ASK = "Give a CSV file, its target column and a rule file, then press Load. Until then nothing changes."

TABS: dict[str, tuple[str, Callable[[Study], Any]]] = {
    "Split": (
        "Drag the threshold: which rows are surely left, surely right, and which ones does the attacker own?",
        lambda s: explore.explore_split(s.X, s.y, s.attacker),
    ),
    "Growth": (
        "Step through the growth of a robust tree, and read why every node became what it is.",
        lambda s: explore.explore_growth(s.tree),
    ),
    "Constraints": (
        "Some predictions are forbidden. Switch the constraints of a row off, and see what they protect.",
        lambda s: explore.explore_constraints(s.tree),
    ),
    "Surface": (
        "Choose where the solver SLSQP starts: does it find the best pair of leaves, or get stuck?",
        lambda s: explore.explore_surface(s.tree),
    ),
    "Attack": (
        "Pick a row and play the attack on a tree, move by move: "
        "what does the attacker buy, and where does it lead?",
        lambda s: explore.explore_attack(s.target, s.X[:200], s.y[:200], s.attacker),
    ),
    "Forest": (
        "The same against a forest of 15 trees: how many of them change their minds, move by move?",
        lambda s: explore.explore_forest(s.forest, s.X[:200], s.y[:200], s.attacker),
    ),
    ATTACKER: (
        "Write down what an attacker can do, rule by rule; the picture shows what that reaches.",
        lambda s: explore.build_attacker(s.X, s.attacker, y=s.y),
    ),
}


class App:
    """A choice of data above, a tab for each explorer below. What fails is said and changes nothing."""

    def __init__(
        self, choice: str = "toy", csv: str = "", target: str = "", rules: str = "", budget: str | float = ""
    ) -> None:
        self.study: Study | None = None
        self.loaded: dict[str, str] = {}  # what the fields said when they were last loaded
        self.explorers: dict[str, Any] = {}
        self._fields(csv, target, rules, str(budget))
        self.message = widgets.HTML()
        self.tabs = widgets.Tab([widgets.VBox() for _ in TABS], titles=tuple(TABS))
        wide: dict[str, Any] = {"button_style": "primary", "layout": widgets.Layout(width="auto")}
        self.use = widgets.Button(description="Use this attacker in all tabs", **wide)
        self.used = widgets.HTML()
        self.again = widgets.Button(
            description="Start anew", tooltip="the data as they were, with their own attacker"
        )
        title = widgets.HTML("<h1>Decision trees that expect an attack</h1>")
        self.box = widgets.VBox(
            [
                title,
                row_of(self.choice, self.budget, self.kind, self.again),
                self.own,
                self.message,
                self.tabs,
            ]
        )
        self.choice.value = choice
        self._chosen()
        self.choice.observe(lambda change: self._chosen(), names="value")
        self.budget.observe(lambda change: self._priced(change["new"]), names="value")
        self.kind.observe(lambda change: self._preferred(), names="value")
        self.tabs.observe(lambda change: self._opened(), names="selected_index")
        for field in self.fields.values():
            field.observe(lambda change: self._entered(), names="value")
        self.load_button.on_click(lambda button: self.load())
        self.again.on_click(lambda button: self.load())
        self.use.on_click(lambda button: self._handed_over())

    def _fields(self, csv: str, target: str, rules: str, budget: str) -> None:
        text: dict[str, Any] = {
            "style": WIDE,
            "layout": widgets.Layout(width="22em"),
            "continuous_update": False,
        }
        narrow = text | {"layout": widgets.Layout(width="16em")}
        self.choice = widgets.Dropdown(options=CHOICES, description="data", style=WIDE)
        self.budget = widgets.Text(description="attacker's budget", placeholder="a number", **narrow)
        wide = {"style": WIDE, "layout": widgets.Layout(width="24em")}
        self.kind = widgets.Dropdown(options=KINDS, description="attack trees that", **wide)
        self.fields = {
            "csv": widgets.Text(csv, description="CSV file", placeholder="table.csv", **text),
            "target": widgets.Text(target, description="target column", **narrow),
            "rules": widgets.Text(rules, description="rule file (JSON)", placeholder="attacker.json", **text),
            "budget": widgets.Text(budget, description="budget (empty: the file's own)", **text),
        }
        self.load_button = widgets.Button(description="Load", tooltip="load the table of your own")
        self.own = row_of(*self.fields.values(), self.load_button)

    # which data, which attacker

    def _chosen(self) -> None:
        own = self.choice.value == OWN
        self.own.layout.display = "" if own else "none"
        if own and self.study is not None and not self.fields["csv"].value:
            self.message.value = _status(ASK)
        else:
            self.load()

    def _entered(self) -> None:
        """A field changed, nothing else yet. It may come after its Load: a click overtakes the text."""
        assert self.study is not None
        changed = [field for name, field in self.fields.items() if field.value != self.loaded.get(name, "")]
        new = [f"{field.description} {field.value!r}" for field in changed]
        asked = f"Not loaded yet: {', '.join(new)}. Press Load. Still shown: {self.study.about}."
        self.message.value = _status(asked if new else self.study.said())

    def load(self) -> None:
        """Take the data that is chosen; what is wrong with it is said, and what was shown before stays."""
        self._try(self._asked_for)
        if self.study is None:
            self._take(study_of("toy"), say=False)

    def _asked_for(self) -> Study:
        if self.choice.value != OWN:
            return study_of(self.choice.value)
        entries = {name: field.value for name, field in self.fields.items()}
        price = entries["budget"]
        budget = number_in(price, "budget", "budget") if price.strip() else None
        study = study_of(OWN, **entries | {"budget": budget})
        self.loaded = entries
        return study

    def _priced(self, entry: str) -> None:
        """Another budget for the same attacker."""
        now = self.study
        if now is not None and entry != typed(now.attacker.budget):
            self._try(lambda: now.against(now.attacker.with_budget(number_in(entry, "budget", "budget"))))

    def _preferred(self) -> None:
        """Attack trees of the other kind; the other tabs stay."""
        if self.study is not None:
            self._take(self.study, keep=tuple(name for name in TABS if name not in ATTACKED), say=False)

    def _handed_over(self) -> None:
        """What was built in the last tab serves all of them."""
        now, form = self.study, self.explorers[ATTACKER]
        assert now is not None
        try:
            self._take(now.against(form.attacker), keep=(ATTACKER,))
            self.used.value = _status("All tabs now use this attacker.")
        except REFUSED as error:
            self.used.value = note(_words(error))

    def _try(self, make: Callable[[], Study]) -> None:
        try:
            self._take(make())
        except REFUSED as error:
            still = "" if self.study is None else f" Nothing has changed. Still shown: {self.study.about}."
            self.message.value = note(f"{_words(error).rstrip('.')}.{still}")

    def _take(self, study: Study, *, keep: tuple[str, ...] = (), say: bool = True) -> None:
        """Another study: the tabs are made anew, those of `keep` stay."""
        self.study = replace(study, robust=self.kind.value)
        self.budget.value, self.used.value = typed(study.attacker.budget), ""
        if say:
            self.message.value = _status(study.said())
        self.explorers = {name: made for name, made in self.explorers.items() if name in keep}
        for name, page in zip(TABS, self.tabs.children, strict=True):
            page.children = page.children if name in keep else ()
        self._opened()

    # tabs

    def _opened(self) -> None:
        """Make the tab that is looked at, if it is not there yet; if it cannot be made, it says why."""
        at = self.tabs.selected_index or 0
        name, page = list(TABS)[at], self.tabs.children[at]
        if name in self.explorers or self.study is None:
            return
        intro, make = TABS[name]
        first = widgets.HTML(f"<p><b>{for_html(intro)}</b></p>")
        page.children = (first, widgets.HTML(_status("One moment ...")))
        try:
            made = make(self.study)
        except REFUSED as error:
            page.children = (first, widgets.HTML(note(_words(error))))
            return
        self.explorers[name] = made
        last = [row_of(self.use, self.used)] if name == ATTACKER else []
        page.children = (first, *last, made.box)


def _status(text: str) -> str:
    return f'<span role="status">{for_html(text)}</span>'


def _words(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return (
        str(error)
        if isinstance(error, EntryError | ValueError | TraitError)
        else f"{type(error).__name__}: {error}"
    )


def open_app() -> widgets.Widget:
    """The page, as the command `treant-viz app` asked for it."""
    return App(**json.loads(os.environ.get(SETTINGS, "{}"))).box


__all__ = ["App", "open_app"]
