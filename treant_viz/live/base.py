"""What every explorer is: a state that Python can read and set, controls linked to it, and a picture that
follows.

The state is the traits tagged `state=True`. Controls are linked both ways, so that `ex.budget = 60` moves the
slider and the slider changes `ex.budget`. Changes that come from controls are gathered for a moment before
the picture is drawn. What cannot be drawn is explained below the controls, and the last good picture stays.
"""

from __future__ import annotations

import asyncio
import html
from collections.abc import Iterable
from typing import Any

import ipywidgets as widgets
from traitlets import HasTraits, TraitError

from treant_viz.live.entry import WIDE, NumberField, row_of
from treant_viz.live.frame import Screen
from treant_viz.live.names import naming
from treant_viz.viz.display import Display
from treant_viz.viz.style.palette import LIGHT, Palette

WAIT = 0.04  # seconds in which changes are gathered
REFUSED = (ValueError, KeyError)  # what bad input raises; anything else is a fault and is not hidden


class Explorer(HasTraits):
    """A picture with controls. Subclasses give `_display`, `code` and rows of controls, then call `_open`."""

    def __init__(self, palette: Palette = LIGHT, **state: Any) -> None:
        self.display: Display | None = None
        self._screen = Screen(palette)
        self._waiting: asyncio.TimerHandle | None = None
        self.picture = widgets.HTML()
        self.message = widgets.HTML()
        self.as_code = widgets.Textarea(
            description="Python", layout=widgets.Layout(width="100%", height="9em")
        )
        if wrong := sorted(set(state) - set(self.trait_names(state=True))):
            raise TypeError(
                f"{wrong[0]!r} cannot be set: the state is {sorted(self.trait_names(state=True))}"
            )
        super().__init__(**state)

    # what subclasses give

    def _display(self) -> Display:
        """The picture of the present state."""
        raise NotImplementedError

    def code(self) -> str:
        """Python that makes the present picture as a static one."""
        raise NotImplementedError

    # state

    @property
    def state(self) -> dict[str, Any]:
        """Everything that can be set, by name."""
        return {name: getattr(self, name) for name in sorted(self.trait_names(state=True))}

    def bind(self, control: Any, trait: str, value: str = "value") -> Any:
        """Tie a control and a trait together; what is refused is explained, and the control goes back."""

        def told(change: Any) -> None:
            try:
                self.set_trait(trait, change["new"])
            except TraitError as error:
                self.explain(error)
            setattr(control, value, getattr(self, trait))

        setattr(control, value, getattr(self, trait))
        control.observe(told, names=value)
        self.observe(lambda change: setattr(control, value, change["new"]), names=trait)
        return control

    def bind_number(self, box: Any, bar: Any, trait: str) -> list[Any]:
        """Tie a number box and a slider to a trait; returns them, with room for words about a wrong entry."""
        field = NumberField(box, bar, lambda number: self.set_trait(trait, number))
        field.show(getattr(self, trait))
        self.observe(lambda change: field.show(change["new"]), names=trait)
        return field.row

    # life

    def _open(self, *rows: Iterable[Any]) -> None:
        """Show the first picture, and follow every change from now on."""
        self.box = widgets.VBox([*(row_of(*row) for row in rows), self.message, self.picture, self._copied()])
        self._draw()
        self.observe(lambda change: self._later(), names=sorted(self.trait_names(state=True)))

    def _copied(self) -> Any:
        """A button that shows the code, or hides it."""
        button = widgets.ToggleButton(description="This picture as code", layout=widgets.Layout(width="16em"))

        def turned(change: Any = None) -> None:
            self.as_code.layout.display = "" if button.value else "none"

        button.observe(turned, names="value")
        turned()
        return widgets.VBox([button, self.as_code])

    def _later(self) -> None:
        """Draw when changes have stopped coming; at once where no loop runs (plain Python)."""
        if self._waiting is not None:
            self._waiting.cancel()
        try:
            self._waiting = asyncio.get_running_loop().call_later(WAIT, self.refresh)
        except RuntimeError:
            self.refresh()

    def refresh(self) -> None:
        """Draw the present state, or say why it cannot be drawn."""
        self._waiting = None
        try:
            self._draw()
        except REFUSED as error:
            self.explain(error)

    def _draw(self) -> None:
        display = self._display()
        same = display is self.display  # displays never change
        picture, said = self.picture.value if same else naming(self._screen.html(display)), self.code()
        self.display, self.picture.value, self.as_code.value, self.message.value = display, picture, said, ""

    def explain(self, error: object) -> None:
        """Words below the controls; the picture stays as it is."""
        text = error.args[0] if isinstance(error, KeyError) and error.args else error
        self.message.value = f'<div role="alert" style="color:#8A1C00">{html.escape(str(text))}</div>'

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The controls for a live notebook; the picture and its words for a saved one."""
        assert self.display is not None
        still, look = self.display._repr_mimebundle_()
        live = self.box._repr_mimebundle_() or {}
        return {k: v for k, v in dict(live).items() if k != "text/plain"} | still, look

    def __repr__(self) -> str:
        return "" if self.display is None else self.display.summary


__all__ = ["WIDE", "Explorer"]
