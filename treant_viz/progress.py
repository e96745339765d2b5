"""A progress bar for long work: plain text on standard error, with the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

T = TypeVar("T")
WIDTH = 30


def progress(items: Iterable[T], total: int, label: str, *, show: bool = True, to: TextIO | None = None) -> Iterator[T]:
    """Pass the items on; redraw the bar at most ten times a second, and once at the end."""
    out, start, drawn = to or sys.stderr, time.monotonic(), 0.0
    for done, item in enumerate(items, 1):
        now = time.monotonic()
        if show and (now - drawn > 0.1 or done == total):
            drawn = now
            out.write("\r" + bar(done, total, label, now - start) + ("\n" if done == total else ""))
            out.flush()
        yield item


def bar(done: int, total: int, label: str, seconds: float) -> str:
    """One line of progress.

    >>> bar(3, 12, "trees", 6.0)
    'trees |#######                       | 3/12, 6 s, about 18 s left'
    """
    share = done / max(total, 1)
    filled = int(WIDTH * share)
    left = f", about {seconds / share - seconds:.0f} s left" if done < total else ""
    return f"{label} |{'#' * filled}{' ' * (WIDTH - filled)}| {done}/{total}, {seconds:.0f} s{left}"
