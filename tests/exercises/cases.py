"""What every exercise is tested with: answers that are right, and typical wrong ones with words of their message."""

from __future__ import annotations

from typing import Any, NamedTuple


class Case(NamedTuple):
    """Right answers, worked out by hand or by other means than the judge's; wrong ones, and what they are told."""

    right: list[Any]
    wrong: list[tuple[Any, str]]
