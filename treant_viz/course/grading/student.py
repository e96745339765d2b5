"""Runs one notebook in a sandbox and passes its answers on: `python -m treant_viz.course.grading.student`.

The process that grades speaks to us in lines of JSON: first the cells and the limits, then verdicts, and
calls of the student's functions, whose arguments it has pickled (it is we who are not to be trusted, not it).
We say which cells failed, what `check` was asked, and what functions returned.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO


class Channel:
    """Messages to and from the process that grades. What the notebook prints goes nowhere."""

    def __init__(self) -> None:
        self.into: BinaryIO = os.fdopen(os.dup(0), "rb")
        self.out: BinaryIO = os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)

    def send(self, **message: Any) -> None:
        self.out.write(json.dumps(message).encode() + b"\n")
        self.out.flush()

    def receive(self) -> dict[str, Any]:
        received = self.into.readline()
        if not received:
            os._exit(1)  # nobody is listening any more
        return json.loads(received)


def main() -> None:
    """From the first line to the last."""
    line = Channel()
    task = line.receive()
    from treant_viz.course.grading.sandbox import shut_in  # before anything has started a thread

    line.send(sandbox=shut_in(Path(task["folder"]), task["seconds"], task["gigabytes"]))
    from treant_viz.course import exercises

    functions: list[Callable[..., Any]] = []
    exercises.check = lambda key, answer: _asked(line, functions, key, answer)
    _run(line, task["cells"])
    line.send(done=True)


def _run(line: Channel, cells: list[str]) -> None:
    """Cell by cell; one that fails is told, and the next one has its turn."""
    from IPython.core.interactiveshell import InteractiveShell

    class Shell(InteractiveShell):
        def enable_gui(self, gui: str | None = None) -> None:
            """%matplotlib asks for one; pictures go nowhere here."""

    shell: Any = Shell.instance()
    for number, source in enumerate(cells):
        line.send(cell=number)
        result = shell.run_cell(source)
        error = result.error_before_exec or result.error_in_exec
        if error is not None:
            line.send(failed=f"{type(error).__name__}: {str(error)[:200]}")


def _asked(line: Channel, functions: list[Callable[..., Any]], key: Any, answer: Any) -> Any:
    """What `check` is in here: the answer goes out, functions are called as they are asked for."""
    from treant_viz.course.exercises.judge import Verdict
    from treant_viz.course.grading.wire import encode

    def keep(function: Callable[..., Any]) -> int:
        functions.append(function)
        return len(functions) - 1

    line.send(key=str(key)[:20], answer=encode(answer, keep))
    while "verdict" not in (message := line.receive()):
        number, arguments = message["call"], pickle.loads(base64.b64decode(message["arguments"]))
        try:
            line.send(returned=encode(functions[number](*arguments)))
        except Exception as error:
            line.send(raised=[type(error).__name__[:50], str(error)[:200]])
    return Verdict(str(key), *message["verdict"])


if __name__ == "__main__":
    main()
