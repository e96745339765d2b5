"""Servers that a test starts on a free port of this machine, and that end with it, kernels included."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

PATIENCE = 120.0  # seconds; a machine may be busy


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(true, what: str) -> None:
    """Ask until it is so."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


class Server:
    """A running command, and what it has said so far."""

    def __init__(self, words: list[str], log: Path, env: dict[str, str] | None = None) -> None:
        self.log = log
        with log.open("w") as out:
            self.process = subprocess.Popen(
                words,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=dict(os.environ) | (env or {}),
                cwd=log.parent,
            )

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def says(self, words: str) -> None:
        """Wait for these words."""
        wait_for(lambda: words in self.said() or self.process.poll() is not None, f"{words!r}")
        assert words in self.said(), self.said()

    def listens(self, port: int) -> None:
        """Wait until somebody answers at this port."""

        def answers() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        wait_for(answers, f"a server at port {port}")

    def family(self) -> list[psutil.Process]:
        """The server and everything that it has started: kernels too."""
        me = psutil.Process(self.process.pid)
        return [me, *me.children(recursive=True)]

    def stop(self, how: int = signal.SIGINT) -> int:
        """As Ctrl+C does; returns the exit code."""
        self.process.send_signal(how)
        return self.process.wait(60)


@contextmanager
def running(words: list[str], log: Path, env: dict[str, str] | None = None) -> Iterator[Server]:
    """A server that is gone afterwards, whatever happens."""
    server = Server(words, log, env)
    try:
        yield server
    finally:
        family = server.family() if server.process.poll() is None else []
        if family:
            server.process.terminate()
        _, left = psutil.wait_procs(family, timeout=20)
        for process in left:
            process.kill()
        server.process.wait()


def app(log: Path, *options: str):
    """`treant-viz app` on a free port; it prints its address when that is true."""
    return running(
        [sys.executable, "-P", "-m", "treant_viz.cli.main", "app", "--no-browser", "--port", "0", *options],
        log,
    )


def address(server: Server) -> str:
    server.says("until you press Ctrl+C")
    [line] = [line for line in server.said().splitlines() if line.startswith("serving on ")]
    return line.split()[2]
