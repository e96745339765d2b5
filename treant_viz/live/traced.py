"""What the explorers of a trace share: words that follow the picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import ipywidgets as widgets

from treant_viz.live.base import Explorer
from treant_viz.live.entry import row_of
from treant_viz.live.problem import trace_of
from treant_viz.trace.trace import Trace


class TraceExplorer(Explorer):
    """An explorer of a trace. Subclasses also give `_notes`: words, by the widget in `below` for them."""

    def __init__(self, what: Any, **state: Any) -> None:
        self.trace = trace_of(what)
        self._given = "" if isinstance(what, Trace) else "trace = model.trace_\n"
        self.below: list[widgets.HTML] = []
        super().__init__(**state)

    def _notes(self) -> Iterable[str]:
        """HTML for each widget of `below`, of the present state."""
        raise NotImplementedError

    def _open_above(self, rows: Sequence[Iterable[Any]], *notes: Any) -> None:
        """Open with rows of controls above the picture and notes (HTML, or a row of controls) below it."""
        self.below = [n for n in notes if isinstance(n, widgets.HTML)]
        self._open(*rows)
        rest = [n if isinstance(n, widgets.Widget) else row_of(*n) for n in notes]
        self.box.children = (*self.box.children[:-1], *rest, self.box.children[-1])

    def _draw(self) -> None:
        super()._draw()
        for note, said in zip(self.below, self._notes(), strict=True):
            note.value = said

    def _code(self, call: str) -> str:
        """A call on the trace, with what has to be there before it."""
        head = "# model: your fitted tree\n" if self._given else "# trace: your trace\n"
        return f"{head}{self._given}{call}"


__all__ = ["TraceExplorer"]
