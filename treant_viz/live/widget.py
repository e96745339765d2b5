"""A live picture in a notebook: facts go to the browser, the state comes and goes, questions are answered.

The bundle that draws is `bundle.js` beside this file; nothing is loaded from anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

BUNDLE = Path(__file__).with_name("bundle.js")
REFUSED = (
    ValueError,
    KeyError,
    TypeError,
)  # what bad input raises; anything else is a fault and is not hidden

Answer = Callable[[dict[str, Any]], dict[str, Any]]


class LivePicture(anywidget.AnyWidget):
    """The picture called `picture` with its facts and its state; `answer` makes new facts from a question."""

    _esm = BUNDLE
    picture = traitlets.Unicode().tag(sync=True)
    facts = traitlets.Dict().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, answer: Answer, **traits: Any) -> None:
        super().__init__(**traits)
        self._answer = answer
        self.on_msg(self._asked)

    def _asked(self, widget: Any, content: Any, buffers: Any) -> None:
        """A question from the browser: answered with facts, or with words about what is wrong."""
        if not isinstance(content, dict) or content.get("kind") != "ask":
            return
        try:
            reply: dict[str, Any] = {"facts": self._answer(content.get("question") or {})}
        except REFUSED as error:
            reply = {"error": str(error.args[0] if error.args else error)}
        self.send({"kind": "answer", "id": content.get("id"), **reply})


__all__ = ["LivePicture"]
