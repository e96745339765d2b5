"""Serve the app until Ctrl+C, on this machine alone: one process, nothing is left behind."""

from __future__ import annotations

import signal
import socket
import urllib.request
import webbrowser
from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Event, Thread
from typing import Any

from treant_viz.live.app.server import HOST, AppServer
from treant_viz.live.app.study import Study

PATIENCE = 60.0  # seconds in which the server must answer itself


def serve(first: Study, port: int = 8866, *, browser: bool = True) -> int:
    """Run until the user stops it; the address is printed as soon as it is true."""
    with told_to_stop(), listening(first, port) as server:
        print(f"serving on {server.address} until you press Ctrl+C", flush=True)
        if browser:
            webbrowser.open(server.address)
        while True:
            Event().wait(3600)
    return 0


@contextmanager
def listening(first: Study, port: int) -> Iterator[AppServer]:
    """A server that answers, at this port or not at all (0: any free one)."""
    try:
        server = AppServer(port, first)
    except (OSError, OverflowError) as error:
        raise cannot_use(port, error) from error
    with server as made:
        Thread(target=made.serve_forever, name="app", daemon=True).start()
        without_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        without_proxy.open(made.address, timeout=PATIENCE).close()
        yield made
        made.shutdown()


@contextmanager
def told_to_stop() -> Iterator[None]:
    """End quietly on Ctrl+C and on the system's requests to stop."""
    signals = {signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}
    before = {s: signal.signal(s, _interrupt) for s in signals}
    try:
        yield
    except KeyboardInterrupt:
        print("stopped", flush=True)
    finally:
        for s, handler in before.items():
            signal.signal(s, handler)


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def free_port(port: int) -> int:
    """The port, if it is free and we may use it; for 0, any free one."""
    with closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError) as error:
            raise cannot_use(port, error) from error
        return int(probe.getsockname()[1])


def cannot_use(port: int, error: OSError | OverflowError) -> ValueError:
    why = error.strerror if isinstance(error, OSError) and error.strerror else "expected a number up to 65535"
    return ValueError(
        f"port {port} cannot be used: {why}; choose another by --port, or 0 for any that is free"
    )


__all__ = ["free_port", "listening", "serve", "told_to_stop"]
