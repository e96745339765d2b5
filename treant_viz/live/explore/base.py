"""What every live explorer is: a state that Python and the user can set, facts, and a picture that follows.

The state is the traits tagged `state=True`; each is checked, and what is wrong is reported by its name. The
browser is given facts for every state that its controls can reach; a saved notebook keeps the static display
and its words.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from traitlets import HasTraits, TraitError

from treant_viz.core import serial
from treant_viz.live.page import page
from treant_viz.viz.display import Display

if TYPE_CHECKING:
    from treant_viz.live.widget import LivePicture

FOR_BOOKS = "application/vnd.treant-viz.live+json"  # what a page without a kernel needs, in a cell's output
BOOK = "TREANT_VIZ_BOOK"  # in the environment of kernels whose notebooks become pages
ROOM = 290_000  # letters of facts that a page may hold; what is shown first is always in
REFUSED = (ValueError, KeyError, TypeError)  # what bad input raises; anything else is a fault, not hidden


class LiveExplorer(HasTraits):
    """Subclasses name their `picture`, give `facts`, `answer`, `display`, `code`, and end with `_open`."""

    picture: ClassVar[str]

    def __init__(self, **state: Any) -> None:
        names = sorted(self.trait_names(state=True))
        if wrong := sorted(set(state) - set(names)):
            raise TypeError(f"{wrong[0]!r} cannot be set: the state is {names}")
        super().__init__(**state)

    # what subclasses give

    def facts(self) -> dict[str, Any]:
        """JSON for the browser: see `live/schemas`."""
        raise NotImplementedError

    def page_facts(self) -> dict[str, Any]:
        """Facts for a page that has no kernel to ask; at least those for the present state."""
        return self.facts()

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """More facts, asked for by the browser; bad questions raise ValueError."""
        raise ValueError(f"question: nothing can be asked of a {type(self).__name__}, got {dict(question)!r}")

    @property
    def display(self) -> Display:
        """The static picture of the present state."""
        raise NotImplementedError

    def code(self) -> str:
        """Python that makes the present picture as a static one."""
        raise NotImplementedError

    # state

    @property
    def state(self) -> dict[str, Any]:
        """Everything that can be set, by name."""
        return {name: getattr(self, name) for name in sorted(self.trait_names(state=True))}

    def _to_browser(self) -> dict[str, Any]:
        """The state in the browser's terms."""
        return self.state

    @property
    def shown_state(self) -> dict[str, Any]:
        """What the browser is to show."""
        return self._to_browser()

    def _from_browser(self, state: Mapping[str, Any]) -> None:
        """Take over what the user set in the browser; what is refused is put back."""
        with self.hold_trait_notifications():
            for name in self.trait_names(state=True):
                if name in state:
                    self.set_trait(name, state[name])

    def answered(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a question from the browser: facts, or an error message."""
        try:
            return {"facts": self.answer(question)}
        except REFUSED as error:
            return {"error": str(error.args[0] if error.args else error)}

    def _open(self) -> None:
        """From now on, whoever watches the picture hears of its state; first come the facts."""
        self.sent = self.facts()
        self.observe(lambda change: self._tell(), names=sorted(self.trait_names(state=True)))

    def _send(self, facts: dict[str, Any]) -> None:
        """Other facts for the browser."""
        self.sent = facts
        if self._watched:
            self.widget.facts = facts

    def hear(self, state: Mapping[str, Any]) -> None:
        """Take over what the user set in the browser, and send back what holds."""
        with contextlib.suppress(TraitError, *REFUSED):  # what cannot be: ours stands, is sent back
            self._from_browser(state)
        self._tell()

    def _tell(self) -> None:
        if self._watched:
            self.widget.state = self._to_browser()

    @property
    def _watched(self) -> bool:
        return "widget" in self.__dict__

    @cached_property
    def widget(self) -> LivePicture:
        """The picture in a notebook, made when it is first looked at: pages and servers need none."""
        try:
            from treant_viz.live.widget import LivePicture
        except ImportError as error:
            text = f"a live picture needs {error.name}, which is not installed: pip install 'treant-viz[lab]'"
            raise ImportError(text) from error
        made = LivePicture(self.answered, picture=self.picture, facts=self.sent, state=self._to_browser())
        made.observe(lambda change: self.hear(change["new"]), names="state")
        return made

    @property
    def box(self) -> LivePicture:
        """The widget, for your own layouts."""
        return self.widget

    # what it leaves behind

    def page(self, theme: str = "auto", display: Display | None = None) -> str:
        """A live page with no kernel: it offers what its facts hold, and says what is missing.

        `display`: the static picture whose words the page has; None is that of the present state.
        """
        still = self.display if display is None else display
        return page(self.given(), still.title, still.alt_text, theme)

    def given(self) -> dict[str, Any]:
        """What a page without a kernel gives to the browser."""
        return {"picture": self.picture, "facts": self.page_facts(), "state": self.shown_state}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a live page (html), or the static picture in any format of displays."""
        target = Path(path)
        if target.suffix.lower() != ".html":
            return self.display.save(target)
        serial.write_whole(target, self.page())
        return target

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live picture for a notebook that runs; the static one and its words for one that is saved."""
        still, look = self.display._repr_mimebundle_()
        made: Any = self.widget._repr_mimebundle_() or {}
        live = made[0] if isinstance(made, tuple) else made
        book = {FOR_BOOKS: self.given()} if os.environ.get(BOOK) else {}
        return {k: v for k, v in dict(live).items() if k != "text/plain"} | still | book, look

    def __repr__(self) -> str:
        return self.display.summary


def letters(facts: Any) -> int:
    """How long facts are in a page."""
    return len(json.dumps(facts, separators=(",", ":")))


def as_many_as_fit(facts_of: Callable[[int], dict[str, Any]], count: int) -> tuple[dict[str, Any], int]:
    """Facts of so many rows, or of as many as a page has room for; and how many these are."""
    facts = facts_of(count)
    while (size := letters(facts)) > ROOM and count > 1:
        count = max(1, int(0.9 * count * ROOM / size))
        facts = facts_of(count)
    return facts, count


def filled(facts: dict[str, Any], key: str, others: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Facts, and under a key as many others as a page has room for."""
    room = ROOM - letters(facts)
    for more in others:
        if (size := letters(more)) < room:
            facts[key] |= more
            room -= size
    return facts


__all__ = ["BOOK", "FOR_BOOKS", "REFUSED", "ROOM", "LiveExplorer", "as_many_as_fit", "filled", "letters"]
