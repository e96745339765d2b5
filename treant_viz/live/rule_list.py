"""The rules of an attacker, one a line, each with its buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets

from treant_viz.core.attacker.rules import Rule
from treant_viz.live.entry import row_of
from treant_viz.live.rule_words import rule_in_words
from treant_viz.viz.style.text import for_html


class RuleList:
    """Lines are kept and used again, so that the keyboard's focus stays where it is."""

    def __init__(self, edit: Callable[[int], None], remove: Callable[[int], None]) -> None:
        self._edit, self._remove = edit, remove
        self.lines: list[Any] = []
        self.empty = widgets.HTML("No rule yet: nobody attacks.")
        self.box = widgets.VBox([self.empty])

    def show(self, rules: Sequence[Rule], edited: int | None) -> None:
        """These rules; the one that is edited is marked."""
        self.lines += [self._line(i) for i in range(len(self.lines), len(rules))]
        for i, (line, rule) in enumerate(zip(self.lines, rules, strict=False)):
            said = f"{i + 1}. {for_html(rule_in_words(rule))}."
            line.children[0].value = f"<b>{said}</b> (being edited)" if i == edited else said
        self.box.children = tuple(self.lines[: len(rules)]) or (self.empty,)

    def _line(self, i: int) -> Any:
        edit, remove = (
            widgets.Button(description=f"{what} rule {i + 1}", layout=widgets.Layout(width="auto"))
            for what in ("Edit", "Remove")
        )
        edit.on_click(lambda button: self._edit(i))
        remove.on_click(lambda button: self._remove(i))
        return row_of(widgets.HTML(), edit, remove)


__all__ = ["RuleList"]
