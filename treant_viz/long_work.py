"""Long work: a bar that shows how long it will take, and child processes that end with their parent.

A parent that is killed has no chance to tell its children, so they check for themselves: once a second, a
thread in each child asks who its parent is, because the system gives an orphan another one. This works on
Linux and macOS; on Windows nothing is watched, and nothing breaks. (Linux could send a signal instead,
PR_SET_PDEATHSIG, but does so as soon as the *thread* that started the child ends.)

`python -m treant_viz.long_work PID MODULE ...` is `python -m MODULE ...`, watching its parent, the
process PID.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from threading import Thread
from typing import TextIO, TypeVar

T = TypeVar("T")
Progress = bool | Callable[[int, int], object] | None
WIDTH = 30  # characters of a bar
OFTEN = 1.0  # seconds between two looks
GRACE = 15.0  # seconds in which a process that is asked to end may tidy up


def work_for(parent: int) -> None:
    """Called by a worker as it starts: if it is the parent's own child, it ends when the parent is gone."""
    born_of = multiprocessing.parent_process()
    if born_of is not None and born_of.pid == parent:  # neither a thread nor a worker of another cluster
        end_with(parent, os.getpid())


def working_for(parent: int, call: Callable[..., T], *args: object) -> T:
    """Call a function in a worker that learns only now whom it works for: joblib's serve several callers."""
    work_for(parent)
    return call(*args)


@cache
def end_with(parent: int, me: int) -> None:
    """Watch the parent from now on, once in each process: `me` tells a fork from its original."""
    if os.name == "posix":
        Thread(target=_watch, args=(_farewell(parent),), name="parent watcher", daemon=True).start()


def _farewell(parent: int) -> Callable[[], bool]:
    """How to tell that the parent is gone: we have another, or, behind a fork server, it no longer exists."""
    if os.getppid() == parent:
        return lambda: os.getppid() != parent
    return lambda: not _exists(parent)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it belongs to another user, but it is there
        return True
    return True


def _watch(gone: Callable[[], bool]) -> None:
    """Wait, then end as on request: a server ends its kernels first."""
    while not gone():
        time.sleep(OFTEN)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)


def command(module: str, *args: str) -> list[str]:
    """What starts `python -m module args` as a process that ends when we are gone.

    With -P, or else a file in the working folder called html.py would be run in place of Python's own.
    """
    return [sys.executable, "-P", "-m", "treant_viz.long_work", str(os.getpid()), module, *args]


def main(argv: list[str]) -> None:
    """Run a module as a program, watching the process that started us."""
    parent, module, *args = argv
    end_with(int(parent), os.getpid())
    sys.argv = [module, *args]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


class Bar:
    """A bar, called with how much work is done; redrawn at most ten times a second, and at the end."""

    def __init__(self, label: str, to: TextIO | None = None) -> None:
        self.label = label
        self.out = to or sys.stderr
        self.start = time.monotonic()
        self.drawn = 0.0  # when that was
        self.done = -1  # how much of the work the bar shows

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done > self.done and (now - self.drawn > 0.1 or done == total):
            self.drawn = now
            self.done = done
            end = "\n" if done == total else ""
            self.out.write("\r" + bar(done, total, self.label, now - self.start) + end)
            self.out.flush()

    def end(self, total: int) -> None:
        """The work has ended, before all of it was done: what comes next begins on a line of its own."""
        if 0 <= self.done < total:
            self.out.write("\n")
            self.out.flush()


def reporter(progress: Progress, label: str) -> Callable[[int, int], object]:
    """What is called as work proceeds: nothing (None), a bar (True), or the caller's function."""
    if progress is None or progress is False:
        return lambda done, total: None
    if progress is True:
        return Bar(label)
    if not callable(progress):
        raise TypeError(f"progress: expected None, True or a function of (done, total), got {progress!r}")
    return progress


def progress(
    items: Iterable[T], total: int, label: str, *, show: bool = True, to: TextIO | None = None
) -> Iterator[T]:
    """Pass the items on, with a bar that says how many have passed."""
    if not show:
        yield from items
        return
    tell = Bar(label, to)
    try:
        for done, item in enumerate(items, 1):
            tell(done, total)
            yield item
    finally:
        tell.end(total)


def clock(seconds: float) -> str:
    """Hours, minutes and seconds as one reads them.

    >>> clock(7), clock(754), clock(7540)
    ('7 s', '12 min 34 s', '2 h 5 min')
    """
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours} h {m} min" if hours else f"{minutes} min {s} s" if minutes else f"{s} s"


def bar(done: int, total: int, label: str, seconds: float) -> str:
    """One line of progress.

    >>> bar(3, 12, "trees", 6.0)
    'trees |#######                       | 3/12, 6 s, about 18 s left'
    """
    share = done / max(total, 1)
    filled = int(WIDTH * share)
    left = f", about {seconds / share - seconds:.0f} s left" if 0 < done < total else ""
    return f"{label} |{'#' * filled}{' ' * (WIDTH - filled)}| {done}/{total}, {seconds:.0f} s{left}"


if __name__ == "__main__":
    main(sys.argv[1:])
