"""Buttons, a slider and a player for anything that is shown step by step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

NARROW = {"width": "6em"}


class Stepper:
    """First, back, next and last, which stop at the ends; a slider; a button that plays the steps one after
    another.

    `at` and `last` tell which step is shown and which is the last, `go` shows another; `tips` say what the
    buttons do.
    """

    def __init__(
        self,
        tips: dict[str, str],
        bar: Any,
        at: Callable[[], int],
        last: Callable[[], int],
        go: Callable[[int], None],
    ) -> None:
        self._at, self._last, self._go = at, last, go
        aims: tuple[Callable[[], int], ...] = (lambda: 0, lambda: at() - 1, lambda: at() + 1, last)
        self.buttons = [self._button(*words, aim) for words, aim in zip(tips.items(), aims, strict=True)]
        self.play = widgets.ToggleButton(
            description="Play", tooltip="show one step after the other", layout=widgets.Layout(**NARROW)
        )
        self.play.observe(lambda change: self._played(), names="value")
        self.pause = 1.5  # seconds between steps that play by themselves
        self._waiting: asyncio.TimerHandle | None = None
        self.controls = [*self.buttons, self.play, bar]

    def _button(self, words: str, tip: str, aim: Callable[[], int]) -> Any:
        button = widgets.Button(description=words, tooltip=tip, layout=widgets.Layout(**NARROW))
        button.on_click(lambda _: self._go(min(max(aim(), 0), self._last())))
        return button

    def _played(self) -> None:
        """Begin, or stop; from the end it begins anew."""
        self.play.description = "Pause" if self.play.value else "Play"
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        if self.play.value:
            if self._at() >= self._last():
                self._go(0)
            self._wait()

    def _wait(self) -> None:
        try:
            self._waiting = asyncio.get_running_loop().call_later(self.pause, self._tick)
        except RuntimeError:  # plain Python: no loop that would go on
            self.play.value = False

    def _tick(self) -> None:
        self._waiting = None
        self._go(min(self._at() + 1, self._last()))
        if self._at() < self._last():
            self._wait()
        else:
            self.play.value = False


__all__ = ["Stepper"]
