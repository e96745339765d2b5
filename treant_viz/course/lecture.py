"""The plan of the lectures, as a teacher reads and changes it: `notebooks/LECTURE.md`.

A slide is a heading, a line such as `45 90 · 2 min · 04`, and its parts: **Show.** words, **Cell.** a piece
of the code of the cell whose picture or table is shown, **Panel.** panels of the overview, **Ask.** the
question before, **Say.** what the speaker says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from treant_viz.datasets.shipped import shipped

PLAN = "LECTURE.md"
_FACTS = re.compile(r"((?:\d+ )+)· (\d+) min · (\d\d)")
_PART = re.compile(r"^\*\*(Show|Cell|Panel|Ask|Say)\.\*\*\s*", re.M)
SHOWN = ("Show", "Cell", "Panel")
PICTURES = ("Cell", "Panel")


class Planned(NamedTuple):
    """A slide as the plan has it; `shown` are pairs such as ("Cell", code)."""

    title: str
    lectures: frozenset[int]
    minutes: int
    notebook: str
    shown: tuple[tuple[str, str], ...]
    question: str
    notes: str


def planned(minutes: int | None = None) -> list[Planned]:
    """The slides of a lecture in their order; of all lectures without a number."""
    every = slides((shipped("notebooks") / PLAN).read_text(encoding="utf-8"))
    return [slide for slide in every if minutes is None or minutes in slide.lectures]


def slides(plan: str) -> Iterator[Planned]:
    """What a plan says, slide by slide.

    >>> [slide] = slides("# T\\n\\n## A title\\n\\n45 · 2 min · 03\\n\\n**Show.** Words.\\n\\n**Say.** This.")
    >>> slide.title, slide.minutes, slide.shown, slide.notes
    ('A title', 2, (('Show', 'Words.'),), 'This.')
    """
    for text in re.split(r"^## ", plan, flags=re.M)[1:]:
        head, *rest = _PART.split(text)
        title, _, facts = head.partition("\n")
        told = _FACTS.fullmatch(facts.strip())
        parts = [(name, words.strip()) for name, words in zip(rest[::2], rest[1::2], strict=True)]
        one = {name: words for name, words in parts if name not in SHOWN}
        shown = tuple((name, words.strip("`")) for name, words in parts if name in SHOWN)
        if told is None or not shown or "Say" not in one:
            raise ValueError(
                f"{PLAN}, slide {title!r}: expected a line like '45 90 · 2 min · 04', something to show "
                "(Show, Cell or Panel) and what to say (Say)"
            )
        lectures = frozenset(map(int, told[1].split()))
        yield Planned(title, lectures, int(told[2]), told[3], shown, one.get("Ask", ""), one["Say"])


__all__ = ["PICTURES", "Planned", "planned", "slides"]
