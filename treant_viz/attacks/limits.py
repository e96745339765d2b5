"""When a search must stop: after some seconds, or after looking at some number of combinations in a row."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from treant_viz.long_work import Progress, reporter


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a whole call, and `tick`, which is told what share of the work is done."""

    deadline: float = math.inf
    nodes: float = math.inf
    tick: Callable[[float], object] = lambda share: None

    @classmethod
    def of(cls, time_limit: float | None, node_limit: int | None, progress: Progress, n_rows: int) -> Limits:
        """What the caller asked for, checked; the time counts from now on."""
        for name, limit in (("time_limit", time_limit), ("node_limit", node_limit)):
            if limit is not None and not limit >= 0:
                raise ValueError(f"{name}: expected None or a number of at least 0, got {limit!r}")
        report = reporter(progress, "rows attacked")
        return cls(
            math.inf if time_limit is None else time.monotonic() + time_limit,
            math.inf if node_limit is None else node_limit,
            lambda share: report(round(share * n_rows), n_rows),
        )

    @property
    def struck(self) -> bool:
        return self.deadline < math.inf and time.monotonic() > self.deadline

    def for_row(self, rows_left: int) -> RowLimits:
        """The limits of one row: its fair share of the time left."""
        if self.deadline == math.inf:
            return RowLimits(math.inf, self.nodes)
        now = time.monotonic()
        return RowLimits(now + (self.deadline - now) / rows_left, self.nodes)


class RowLimits:
    """The limits of the search on one row: a moment when it must end, and how many points it may look at."""

    def __init__(self, deadline: float = math.inf, nodes: float = math.inf) -> None:
        self.deadline, self.nodes = deadline, nodes

    def affords(self, n: float) -> bool:
        """May the search look at n more points? If so, they are counted."""
        if self.struck or n > self.nodes:
            return False
        self.nodes -= n
        return True

    def strike(self) -> None:
        """No more from now on."""
        self.nodes = 0

    @property
    def struck(self) -> bool:
        return self.nodes <= 0 or (self.deadline < math.inf and time.monotonic() > self.deadline)

    @property
    def seconds(self) -> float:
        """The time left."""
        return max(0.0, self.deadline - time.monotonic())
