"""Serve the app with Voila: on this machine only, until Ctrl+C."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from treant_viz.explore.app import SETTINGS

HERE = Path(__file__).parent


def command(port: int, *, browser: bool) -> list[str]:
    """What starts Voila; it listens to this machine alone."""
    options = [
        f"--port={port}",
        "--Voila.ip=127.0.0.1",
        "--template=treant",
        "--VoilaConfiguration.show_tracebacks=True",
    ]
    return [sys.executable, "-m", "voila", str(HERE / "app.ipynb"), *options, *([] if browser else ["--no-browser"])]


def environment(chosen: Mapping[str, str]) -> dict[str, str]:
    """The choice of data, and where our page template is."""
    paths = [str(HERE / "jupyter"), os.environ.get("JUPYTER_PATH", "")]
    return dict(os.environ) | {SETTINGS: json.dumps(dict(chosen)), "JUPYTER_PATH": os.pathsep.join(filter(None, paths))}


def serve(chosen: Mapping[str, str], port: int = 8866, *, browser: bool = True) -> int:
    """Run until the user stops it."""
    if find_spec("voila") is None:
        raise ImportError("voila is not installed")
    print(f"serving on http://127.0.0.1:{port}/ until you press Ctrl+C", flush=True)
    with subprocess.Popen(command(port, browser=browser), env=environment(chosen)) as server:
        try:
            return server.wait()
        except KeyboardInterrupt:
            server.terminate()
            return 0


__all__ = ["command", "environment", "serve"]
