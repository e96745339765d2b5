"""What exercises are tested with: right answers, and typical wrong ones with words of their message."""

from __future__ import annotations

from typing import Any, NamedTuple


class Case(NamedTuple):
    """Right answers, worked out without the judge's code; wrong ones, and what they are told."""

    right: list[Any]
    wrong: list[tuple[Any, str]]
