"""How speed and memory are measured: contenders in turns, ratios, exponents, fresh processes."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from treant_viz.bench.synthetic import CENSUS_ROWS, WINE_ROWS

MEBI = 2**20

Times = dict[str, float]
Sense = Literal["<=", "<", ">="]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Result:
    """One number, the bound to keep (None: shown for information), and the seconds or bytes behind it."""

    name: str
    what: str
    value: float
    unit: str
    sense: Sense = "<="
    bound: float | None = None
    note: str = ""
    behind: Mapping[str, float] | None = None

    @property
    def ok(self) -> bool | None:
        """Is the bound kept? None if there is none."""
        if self.bound is None:
            return None
        kept = {"<=": self.value <= self.bound, "<": self.value < self.bound, ">=": self.value >= self.bound}
        return kept[self.sense]

    def __str__(self) -> str:
        bound = "" if self.bound is None else f"{self.sense} {self.bound:g}"
        verdict = {None: "", True: "pass", False: "FAIL"}[self.ok]
        number = f"{self.value:.4g}" if self.value < 1000 else f"{self.value:.0f}"
        line = f"{self.name:8} {self.what:52} {number + self.unit:>10} {bound:>8} {verdict}"
        return line.rstrip() + (f"\n{'':9}{self.note}" if self.note else "")


@dataclass(frozen=True, slots=True)
class Workload:
    """How much to measure."""

    rounds: int = 7
    wine_rows: int = WINE_ROWS
    census_rows: int = CENSUS_ROWS
    all_budgets: bool = True
    candidates: int = 40
    wine_trees: int = 120
    census_trees: int = 50
    loops: int = 60
    forest_rounds: int = 3
    scaling_rows: tuple[int, ...] = (5_000, 10_000, 20_000, 40_000, 80_000)
    scaling_rounds: int = 3
    starts: int = 5
    attack_trees: int = 100
    attack_rows: int | None = None
    milp_rows: int = 40
    attack_growth: tuple[int, ...] = (10, 30, 100, 300)
    boosting_rounds: int = 100
    picture_rows: int = 1000
    picture_rounds: int = 3
    explorer_rows: int = 1000
    explorer_steps: int = 9
    threshold_data: tuple[str, ...] = ("wine", "census", "credit")
    threshold_trees: int = 20
    threshold_seeds: int = 3
    regressor_rows: tuple[int, ...] = (1_000, 3_000, 6_000)
    regressor_rounds: int = 3
    boosted_trees: int = 100
    boosted_seeds: int = 3

    def of(self, budgets: tuple[int, ...]) -> tuple[int, ...]:
        """All budgets, or only the smallest and the largest."""
        return budgets if self.all_budgets else (budgets[0], budgets[-1])


QUICK = Workload(
    rounds=2, all_budgets=False, candidates=8, wine_trees=16, census_trees=0, loops=20, forest_rounds=1,
    scaling_rows=(5_000, 10_000, 20_000), scaling_rounds=1, starts=1, attack_trees=10,
    attack_rows=100, milp_rows=1, attack_growth=(10,), boosting_rounds=3, picture_rounds=1,
    explorer_steps=3, threshold_data=("wine",), threshold_trees=2, threshold_seeds=1,
    regressor_rows=(500, 1_000), regressor_rounds=1, boosted_trees=5, boosted_seeds=1,
)  # fmt: skip


def interleaved(
    contenders: Mapping[str, Callable[[], object]], rounds: int, clock: Clock = time.process_time
) -> Times:
    """The best time of each contender; each has a turn in every round, and rounds start in turns too."""
    names = list(contenders)
    best = dict.fromkeys(names, math.inf)
    for r in range(rounds):
        first = r % len(names)
        for name in names[first:] + names[:first]:
            start = clock()
            contenders[name]()
            best[name] = min(best[name], clock() - start)
    return best


def ratios(times: Times, peer: str) -> Times:
    """The time of every contender but the peer, in units of the peer's."""
    return {name: t / times[peer] for name, t in times.items() if name != peer}


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """b of seconds = a * size^b, by least squares on logarithms.

    >>> round(exponent([1, 2, 4, 8], [3, 12, 48, 192]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def load() -> float | None:
    """How many processes wanted a core, averaged over the last minute; None if the system does not say."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def memory_now() -> tuple[int, int]:
    """Resident bytes, now and at their peak. Where the system gives only the peak, it stands for both.

    Linux's own account comes first: a child's `getrusage` starts from the size of the process that started
    it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        return tuple(1024 * int(lines[key].split()[0]) for key in ("VmRSS", "VmHWM"))  # type: ignore[return-value]
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return peak, peak


def fresh_process(code: str) -> Any:
    """What another interpreter prints, as JSON, after running the code."""
    home = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
    run = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    if run.returncode:
        raise RuntimeError(f"a measuring process failed: {run.stderr.strip()}")
    return json.loads(run.stdout)
