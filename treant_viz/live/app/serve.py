"""Serve the app with Voila: on this machine only, until Ctrl+C."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from treant_viz import long_work

SETTINGS = "TREANT_VIZ_APP"  # the choice of data, as JSON, in the environment of the page
HERE = Path(__file__).parent
HOST = "127.0.0.1"
PATIENCE = 60.0  # seconds in which the server must answer
WIDGETS = [
    "@jupyter-widgets/jupyterlab-manager",
    "@voila-dashboards/widgets-manager8",
    "anywidget",
]  # no other extension is loaded


def command(port: int, *, browser: bool) -> list[str]:
    """What starts Voila: it listens to this machine alone, at this port or not at all, and ends with us."""
    options = [
        f"--port={port}",
        f"--Voila.ip={HOST}",
        "--Voila.port_retries=0",
        "--Voila.log_level=WARN",
        "--template=treant",
        *(f"--VoilaConfiguration.extension_allowlist={name}" for name in WIDGETS),
        "--VoilaConfiguration.show_tracebacks=True",
    ]
    return long_work.command(
        "voila", str(HERE / "app.ipynb"), *options, *([] if browser else ["--no-browser"])
    )


def environment(chosen: Mapping[str, Any]) -> dict[str, str]:
    """The choice of data, where our page template is, and that the working folder is no place for modules."""
    paths = [str(HERE / "jupyter"), os.environ.get("JUPYTER_PATH", "")]
    return dict(os.environ) | {
        SETTINGS: json.dumps(dict(chosen)),
        "PYTHONSAFEPATH": "1",
        "JUPYTER_PATH": os.pathsep.join(filter(None, paths)),
    }


def free_port(port: int) -> int:
    """The port, if nobody listens there and we may; for 0, one that is free."""
    with closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError) as error:
            why = (
                error.strerror
                if isinstance(error, OSError) and error.strerror
                else "expected a number up to 65535"
            )
            raise ValueError(
                f"port {port} cannot be used: {why}; choose another by --port, or 0 for any that is free"
            ) from error
        return int(probe.getsockname()[1])


def serve(chosen: Mapping[str, Any], port: int = 8866, *, browser: bool = True) -> int:
    """Run until the user stops it; the address is printed as soon as it is true."""
    if find_spec("voila") is None:
        raise ImportError("voila is not installed")
    port = free_port(port)
    with until_stopped(command(port, browser=browser), environment(chosen)) as server:
        if not _answers(server, port):
            raise ValueError(f"the server could not be started at port {port}; what it said is above")
        print(f"serving on http://{HOST}:{port}/ until you press Ctrl+C", flush=True)
        return server.wait()
    return 0


@contextmanager
def until_stopped(words: list[str], env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A server that ends with us, kernels included: by Ctrl+C, by a signal, or after an error."""
    before = {
        s: signal.signal(s, _interrupt) for s in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))
    }
    server = subprocess.Popen(
        words, env=env, start_new_session=True
    )  # Ctrl+C is for us, who then tell the server
    try:
        yield server
    except KeyboardInterrupt:
        print("stopped", flush=True)
    finally:
        for s, handler in before.items():
            signal.signal(s, handler)
        _stop(server)


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Ask it to end, which ends its kernels; insist if it does not."""
    server.terminate()
    try:
        server.wait(15)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _answers(server: subprocess.Popen[bytes], port: int) -> bool:
    """Wait until the server listens; False if it has ended or takes too long."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        with closing(socket.socket()) as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return True
        time.sleep(0.1)
    return False


__all__ = ["SETTINGS", "command", "environment", "free_port", "serve", "until_stopped"]
