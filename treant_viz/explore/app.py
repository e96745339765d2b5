"""The explorers as one page, for people without notebooks: `treant-viz app` serves it with Voila on this machine.

Choose the toy, wine, census, credit, or a table of your own with a rule file; a tab is made when it is first opened.
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets
import numpy as np
import pandas as pd

from treant_viz import datasets, explore
from treant_viz.attacker import Attacker
from treant_viz.estimators import TreantClassifier, TreantForestClassifier, TreantForestRegressor, TreantRegressor
from treant_viz.explore.base import WIDE
from treant_viz.userfiles import read_rules, read_table

ROWS = 1000  # rows of a data set that are explored
CHOICES = ("toy", "wine", "census", "credit", "my own table")
SETTINGS = "TREANT_VIZ_APP"  # what the command was told, as JSON, in the environment


@dataclass(frozen=True, eq=False)
class Study:
    """Rows, labels and an attacker, with a tree and a forest grown on them when they are needed."""

    X: pd.DataFrame
    y: np.ndarray
    attacker: Attacker

    @property
    def binary(self) -> bool:
        return len(np.unique(self.y)) == 2

    def tree(self) -> Any:
        least = 2 if len(self.y) < 40 else 20
        make: Any = TreantClassifier if self.binary else TreantRegressor
        return make(self.attacker, max_depth=4, min_samples_split=least, random_state=0).fit(self.X, self.y)

    def forest(self) -> Any:
        make: Any = TreantForestClassifier if self.binary else TreantForestRegressor
        options = {"n_estimators": 15, "max_depth": 4, "min_samples_split": 2 if len(self.y) < 40 else 20}
        return make(attacker=self.attacker, random_state=0, **options).fit(self.X, self.y)


def study_of(choice: str, csv: str = "", target: str = "", rules: str = "", budget: float | None = None) -> Study:
    """The data of a choice; a table of one's own needs the name of its target column and a rule file."""
    if choice == "toy":
        toy = datasets.load_toy()
        return Study(toy.X, toy.y, toy.attacker)
    if choice in CHOICES[1:4]:
        data = getattr(datasets, f"load_{choice}")()
        return Study(data.X_train[:ROWS], data.y_train[:ROWS], data.attacker)
    for name, given in (("table", csv), ("target column", target), ("rule file", rules)):
        if not given.strip():
            raise ValueError(
                f"{name}: missing; a table of your own needs a CSV file, its target column and a rule file"
            )
    X, y = read_table(csv, target)
    return Study(X[:ROWS], y.to_numpy()[:ROWS], read_rules(rules, budget))


TABS: dict[str, Callable[[Study], Any]] = {
    "Split": lambda s: explore.explore_split(s.X, s.y, s.attacker),
    "Growth": lambda s: explore.explore_growth(s.tree()),
    "Constraints": lambda s: explore.explore_constraints(s.tree()),
    "Surface": lambda s: explore.explore_surface(s.tree()),
    "Attack": lambda s: explore.explore_attack(s.tree(), s.X[:200], s.y[:200], s.attacker),
    "Forest": lambda s: explore.explore_forest(s.forest(), s.X[:200], s.y[:200], s.attacker),
    "Attacker": lambda s: explore.build_attacker(s.X, s.attacker, y=s.y),
}


class App:
    """A choice of data above, a tab for each explorer below."""

    def __init__(self, choice: str = "toy", csv: str = "", target: str = "", rules: str = "") -> None:
        text: dict[str, Any] = {"style": WIDE, "layout": widgets.Layout(width="22em"), "continuous_update": False}
        self.choice = widgets.Dropdown(options=CHOICES, description="data", style=WIDE)
        self.fields = {
            "csv": widgets.Text(csv, description="CSV file", **text),
            "target": widgets.Text(target, description="target column", **text),
            "rules": widgets.Text(rules, description="rule file (JSON)", **text),
        }
        self.load_button = widgets.Button(description="Load", tooltip="Load the table of your own")
        self.own = widgets.HBox([*self.fields.values(), self.load_button], layout=widgets.Layout(flex_flow="row wrap"))
        self.message = widgets.HTML()
        self.tabs = widgets.Tab([widgets.VBox() for _ in TABS], titles=tuple(TABS))
        self.explorers: dict[str, Any] = {}
        self.box = widgets.VBox([widgets.HBox([self.choice]), self.own, self.message, self.tabs])
        self.choice.observe(lambda change: self._chosen(), names="value")
        self.tabs.observe(lambda change: self._opened(), names="selected_index")
        self.load_button.on_click(lambda button: self.load())
        self.choice.value = choice
        self._chosen()

    def _chosen(self) -> None:
        own = self.choice.value == CHOICES[-1]
        self.own.layout.display = "" if own else "none"
        if not own or all(f.value for f in self.fields.values()):
            self.load()

    def load(self) -> None:
        """Take the data that is chosen; what is wrong with it is said, and what was shown before stays."""
        try:
            self.study = study_of(self.choice.value, **{k: f.value for k, f in self.fields.items()})
        except (ValueError, OSError) as error:
            self.message.value = f'<div role="alert" style="color:#8A1C00">{html.escape(str(error))}</div>'
            return
        self.message.value = f"{len(self.study.y):,} rows, budget {self.study.attacker.budget:g}"
        self.explorers = {}
        for tab in self.tabs.children:
            tab.children = ()
        self._opened()

    def _opened(self) -> None:
        """Make the tab that is looked at."""
        name = list(TABS)[self.tabs.selected_index or 0]
        if name not in self.explorers:
            self.explorers[name] = TABS[name](self.study)
            self.tabs.children[self.tabs.selected_index or 0].children = (self.explorers[name].box,)


def open_app() -> widgets.Widget:
    """The page, as the command `treant-viz app` asked for it."""
    return App(**json.loads(os.environ.get(SETTINGS, "{}"))).box


__all__ = ["App", "open_app", "study_of"]
