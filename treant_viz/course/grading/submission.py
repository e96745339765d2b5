"""One handed-in notebook: read as plain JSON, run in a sandbox, its answers judged on this side.

The verdict on an exercise is that on its last answer. Whatever a notebook does (it does not end, eats the
memory, crashes the process, sends nonsense), there is an outcome for every exercise.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import queue
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

from treant_viz.course.exercises import every
from treant_viz.course.exercises.judge import Exercise
from treant_viz.course.grading.wire import decode
from treant_viz.course.reveal import WHY

RIGHT, WRONG, UNANSWERED = "right", "wrong", "no answer"
STOPPED, FAILED, GONE = "stopped before", "cell failed", "cell missing"
UNCHECKED = "check not called"  # its cell ran to the end: the check was replaced, or left out
LARGEST = 20_000_000  # bytes of a notebook, and of what a process may say at once
DATA = 20_000_000  # bytes of files beside it that come along


@dataclass(frozen=True)
class NotebookLimits:
    """What a notebook may use: seconds by the clock and of the processor, gigabytes of memory."""

    seconds: float = 300.0
    gigabytes: float = 4.0


@dataclass
class Outcome:
    """What became of a notebook: by exercise the verdict and its words, and what else is to be told."""

    results: dict[str, tuple[str, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    sandbox: str = ""
    seconds: float = 0.0
    reached: int = 0  # the code cell that was running at the end; after the last one, how many there are
    failed: set[int] = field(default_factory=set)


class Ended(BaseException):
    """The notebook's process is no more, or must not go on. Judges do not catch this."""


@dataclass(frozen=True)
class ReadNotebook:
    """What stands in a notebook: the sources of its code cells, and the student's own words by exercise."""

    cells: list[str]
    reasons: dict[str, str]


def read(path: Path) -> ReadNotebook:
    """A notebook as plain JSON; what is none is refused with the reason."""
    if path.stat().st_size > LARGEST:
        raise ValueError(f"larger than {LARGEST:,} bytes")
    try:
        cells = json.loads(path.read_bytes())["cells"]
        told = [(c["cell_type"], "".join(c["source"])) for c in cells]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"not a notebook ({type(error).__name__})") from error
    reasons: dict[str, str] = {}
    for kind, text in told:
        if kind == "markdown" and (asked := WHY.match(text)):
            reasons[asked[1]] = text[asked.end() :].strip()
    return ReadNotebook([text for kind, text in told if kind == "code"], reasons)


def naming(cells: list[str], key: str) -> list[int]:
    """The cells that name an exercise."""
    return [i for i, cell in enumerate(cells) if f'"{key}"' in cell or f"'{key}'" in cell]


def asked_in(cells: list[str], known: dict[str, Exercise]) -> list[str]:
    """The exercises of the course that a notebook's cells name, and all others of the same notebooks."""
    numbers = {key.partition(".")[0] for key in known if naming(cells, key)}
    return [key for key in known if key.partition(".")[0] in numbers]


def graded(path: Path, limits: NotebookLimits) -> Outcome:
    """Run a notebook and judge its answers; every exercise of it has a result, come what may."""
    start, outcome, known = time.monotonic(), Outcome(), every()
    try:
        cells = read(path).cells
    except (ValueError, OSError) as error:
        outcome.notes.append(str(error))
        return outcome
    asked = asked_in(cells, known)
    with tempfile.TemporaryDirectory(prefix="treant-viz-grade-", ignore_cleanup_errors=True) as folder:
        bring_along(path, Path(folder))
        talk = Talk(folder, start + limits.seconds)
        try:
            talk.begin(cells, limits)
            talk.listen(outcome, known)
            outcome.reached = len(cells)
        except Ended as end:
            outcome.notes.append(str(end))
        finally:
            talk.close()
    outcome.results = {key: outcome.results.get(key) or (_cause(key, cells, outcome), "") for key in asked}
    unchecked = [key for key, (result, _) in outcome.results.items() if result == UNCHECKED]
    if unchecked:
        outcome.notes.insert(0, f"{', '.join(unchecked)}: the course's check was replaced, or is not called")
    outcome.seconds = time.monotonic() - start
    return outcome


def _cause(key: str, cells: list[str], outcome: Outcome) -> str:
    """Why an exercise has no verdict."""
    mine = naming(cells, key)
    if not mine:
        return GONE
    if mine[-1] >= outcome.reached:
        return STOPPED
    return FAILED if outcome.failed & set(mine) else UNCHECKED


def bring_along(path: Path, folder: Path) -> None:
    """Tables and the like that lie beside a notebook are copied, so that it finds them."""
    left = DATA
    for file in sorted(path.parent.iterdir()):
        if file.is_file() and not file.is_symlink() and file.suffix != ".ipynb":
            left -= file.stat().st_size
            if left >= 0:
                shutil.copy(file, folder)


class Talk:
    """The conversation with a notebook's process."""

    def __init__(self, folder: str, until: float) -> None:
        home = {"HOME": folder, "TMPDIR": folder, "IPYTHONDIR": folder, "MPLCONFIGDIR": folder}
        kept = {
            name: os.environ[name]
            for name in ("PATH", "LANG", "PYTHONPATH", "SYSTEMROOT")
            if name in os.environ
        }
        words = [sys.executable, "-P", "-m", "treant_viz.course.grading.student"]
        self.folder, self.until = folder, until
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder,
            env={**kept, **home, "MPLBACKEND": "agg"}, start_new_session=True,
        )  # fmt: skip
        self.heard: queue.Queue[bytes] = queue.Queue(1000)
        Thread(target=self._hear, daemon=True).start()

    def _hear(self) -> None:
        stream: Any = self.process.stdout
        while received := stream.readline(LARGEST):
            self.heard.put(received)
        self.heard.put(b"")

    def begin(self, cells: list[str], limits: NotebookLimits) -> None:
        self.send(cells=cells, folder=self.folder, seconds=limits.seconds, gigabytes=limits.gigabytes)

    def send(self, **message: Any) -> None:
        stream: Any = self.process.stdin
        try:
            stream.write(json.dumps(message).encode() + b"\n")
            stream.flush()
        except OSError as error:
            raise Ended(self._last_words()) from error

    def receive(self) -> dict[str, Any]:
        try:
            received = self.heard.get(timeout=max(self.until - time.monotonic(), 0.001))
        except queue.Empty:
            raise Ended("stopped: it did not end in time") from None
        if not received:
            raise Ended(self._last_words())
        try:
            message = json.loads(received)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise Ended("stopped: its process wrote what is not an answer")
        return message

    def _last_words(self) -> str:
        try:
            code = self.process.wait(max(self.until - time.monotonic(), 1.0))
        except subprocess.TimeoutExpired:
            return "stopped: it had hung up, and did not end in time"
        return f"it ended too early (exit code {code}): it crashed, or took too much time or memory"

    def listen(self, outcome: Outcome, known: dict[str, Exercise]) -> None:
        """Until all cells have had their turn: note what fails, judge what is answered."""
        while "done" not in (message := self.receive()):
            if "sandbox" in message:
                outcome.sandbox = str(message["sandbox"])
            elif "failed" in message:
                outcome.failed.add(outcome.reached)
                outcome.notes.append(f"code cell {outcome.reached + 1}: {str(message['failed'])[:200]}")
            elif "key" in message:
                self.judge(str(message["key"]), message.get("answer"), outcome, known)
            elif isinstance(message.get("cell"), int):
                outcome.reached = message["cell"]

    def judge(self, key: str, answer: Any, outcome: Outcome, known: dict[str, Exercise]) -> None:
        """The verdict on an answer, kept here and passed on to the notebook."""
        if key not in known:
            self.send(verdict=[False, f"there is no exercise {key!r}"])
            return
        try:
            given = decode(answer, self.call)
            verdict = known[key].judged(given)
            words = verdict.message.removeprefix("not yet. ")
            result = RIGHT if verdict else WRONG if verdict.answered else UNANSWERED
            outcome.results[key] = (result, words if result == WRONG else "")
            self.send(verdict=[bool(verdict), verdict.message])
        except Exception as error:  # of a judge that met something nobody thought of
            outcome.results[key] = (WRONG, f"the answer cannot be read ({type(error).__name__})")
            self.send(verdict=[False, "not yet. This answer cannot be read."])

    def call(self, number: int, arguments: tuple[Any, ...]) -> Any:
        """Call a function of the student's, over there."""
        packed = base64.b64encode(pickle.dumps(arguments)).decode()
        self.send(call=number, arguments=packed)
        message = self.receive()
        if "raised" in message:
            name, words = message["raised"]
            raise type(str(name), (Exception,), {})(words)  # judges name the error that was made
        return decode(message.get("returned"), None)

    def close(self) -> None:
        """Nothing of it is left running."""
        self.process.kill()
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, 9)
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]


__all__ = [
    "FAILED",
    "GONE",
    "RIGHT",
    "STOPPED",
    "UNANSWERED",
    "UNCHECKED",
    "WRONG",
    "NotebookLimits",
    "Outcome",
    "ReadNotebook",
    "asked_in",
    "graded",
    "naming",
    "read",
]
