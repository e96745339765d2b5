"""A live picture in a notebook: facts go to the browser, the state comes and goes, questions are answered.

The bundle that draws is `bundle.js` beside this file; nothing is loaded from anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from treant_viz.live.page import BUNDLE
from treant_viz.viz.style.typeface import font_face

Answer = Callable[[dict[str, Any]], dict[str, Any]]


class LivePicture(anywidget.AnyWidget):
    """The picture called `picture`, with its facts and its state; `answer` replies to questions."""

    _esm = BUNDLE
    _css = font_face()
    picture = traitlets.Unicode().tag(sync=True)
    facts = traitlets.Dict().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)

    def __init__(self, answer: Answer, **traits: Any) -> None:
        super().__init__(**traits)
        self._answer = answer
        self.on_msg(self._asked)

    def _asked(self, widget: Any, content: Any, buffers: Any) -> None:
        if isinstance(content, dict) and content.get("kind") == "ask":
            reply = self._answer(content.get("question") or {})
            self.send({"kind": "answer", "id": content.get("id"), **reply})


__all__ = ["LivePicture"]
