"""What a student has solved so far: one small file beside the notebooks, which all of them read and write."""

from __future__ import annotations

import contextlib
import html
import json
import os
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from treant_viz.datasets.shipped import shipped

FILE = ".treant_viz_progress.json"
SOLVED, TRIED, OPEN = "●", "◐", "○"


@dataclass(frozen=True)
class Progress:
    """By exercise: True if it was solved, False if there were only wrong answers; None if there was none."""

    exercises: dict[str, bool | None]

    def _lines(self) -> list[tuple[str, str, str]]:
        """For each notebook: its title, a mark for each exercise, and how many are solved."""
        found = []
        for number, keys in groupby(self.exercises, key=lambda key: key[:2]):
            states = [self.exercises[key] for key in keys]
            marks = " ".join(OPEN if s is None else SOLVED if s else TRIED for s in states)
            found.append((_title(number), marks, f"{states.count(True)} of {len(states)}"))
        return found

    def _total(self) -> str:
        states = list(self.exercises.values())
        following = next((key for key, state in self.exercises.items() if not state), None)
        more = f" Next: exercise {following}." if following else " That is all of them: well done!"
        return f"{states.count(True)} of {len(states)} exercises solved.{more}"

    def __repr__(self) -> str:
        lines = self._lines()
        width = max(len(title) for title, *_ in lines)
        shown = [f"{title:{width}}  {marks}  {count}" for title, marks, count in lines]
        return "\n".join([*shown, self._total()])

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th style="text-align:left;font-weight:normal">{html.escape(title)}</th>'
            f'<td style="color:#0072b2;text-align:left">{marks}</td><td>{count}</td></tr>'
            for title, marks, count in self._lines()
        )
        key = f"{SOLVED} solved, {TRIED} tried, {OPEN} not yet tried"
        return f"<table><caption>{self._total()} ({key})</caption>{rows}</table>"


def _title(number: str) -> str:
    """The title of a notebook, or its number if there is no such notebook."""
    for source in (shipped("notebooks") / "source").glob(f"{number}_*.md"):
        with source.open(encoding="utf-8") as file:
            return file.readline().lstrip("# ").strip()
    return number


def progress_in(keys: list[str]) -> Progress:
    """What the file of this folder says about these exercises."""
    known = _stored()
    return Progress({key: known.get(key) for key in keys})


def remember(key: str, solved: bool) -> None:
    """Note an answer that was given in a notebook; what was solved once stays solved."""
    shell = sys.modules.get("IPython")
    if shell is None or shell.get_ipython() is None or "TREANT_VIZ_BOOK" in os.environ:
        return
    known = _stored()
    if known.get(key) is not True and known.get(key) is not solved:
        with contextlib.suppress(OSError):  # a folder that may not be written to has no memory
            Path(FILE).write_text(json.dumps(known | {key: solved}, sort_keys=True) + "\n", encoding="utf-8")


def _stored() -> dict[str, bool]:
    """What the file says; a missing or damaged one says nothing."""
    try:
        found = json.loads(Path(FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    items = found.items() if isinstance(found, dict) else ()
    return {str(key): solved for key, solved in items if isinstance(solved, bool)}


__all__ = ["Progress", "progress_in", "remember"]
