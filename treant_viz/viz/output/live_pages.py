"""Pages one can touch. Pictures do not know who makes them (`live`): the package says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Maker = Callable[[Any, str], str | None]
_makers: list[Maker] = []


def made_by(maker: Maker) -> None:
    """From now on this function is asked for the page of a display in a theme; None if it has none."""
    _makers.append(maker)


def live_page(display: Any, theme: str) -> str | None:
    """The page of the first who can make one."""
    return next(filter(None, (maker(display, theme) for maker in _makers)), None)


__all__ = ["live_page", "made_by"]
