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

MEBI = 2**20

Times = dict[str, float]
Sense = Literal["<=", "<", ">="]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Result:
    """One number, the bound it has to keep (None: shown for information), and the seconds or bytes it came from."""

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


def interleaved(contenders: Mapping[str, Callable[[], object]], rounds: int, clock: Clock = time.process_time) -> Times:
    """The best time of each contender; in every round each has one turn, and another one begins."""
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


def memory_now() -> tuple[int, int]:
    """Resident bytes now and at their peak. Where the system does not tell, the peak stands for both.

    Linux's own account comes first: a child's `getrusage` starts from the size of the process that started it.
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
    home = str(Path(__file__).parents[1])
    path = os.pathsep.join(filter(None, [home, os.environ.get("PYTHONPATH")]))
    run = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    if run.returncode:
        raise RuntimeError(f"a measuring process failed: {run.stderr.strip()}")
    return json.loads(run.stdout)
