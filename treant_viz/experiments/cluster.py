"""Calls that run on a Dask cluster; every worker is sent the tables once, and keeps them.

A plugin carries the tables: Dask hands it to each worker when the worker joins, late ones too. Tables that
are scattered would be dropped wherever no task waits for them, and sent again for the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any
from uuid import uuid4

try:
    from distributed import Client, WorkerPlugin, get_worker, wait
except ImportError as error:
    raise ImportError(
        "a Dask cluster needs Dask, which is not installed: pip install 'treant-viz[dask]'"
    ) from error

SECONDS = 30  # to find the scheduler, and for a first worker to join

Call = tuple[Any, tuple[Any, ...]]  # which table, and the other arguments


class Tables(WorkerPlugin):
    """What a worker keeps: the tables by name."""

    def __init__(self, tables: Mapping[Any, Any]) -> None:
        self.tables = dict(tables)


def on_cluster(
    address: str, function: Callable[..., Any], tables: Mapping[Any, Any], calls: Iterable[Call]
) -> Iterator[Any]:
    """What `function(*arguments, table)` gives for each call, as it comes; all of it runs on the cluster.

    A call is taken from `calls` when there is room for it, as many at a time as the workers have threads.
    """
    with _connected(address) as client:
        name = f"treant_viz-{uuid4().hex}"
        client.register_plugin(Tables(tables), name=name)
        running: set[Any] = set()
        waiting = iter(calls)
        try:
            while True:
                free = max(1, sum(client.nthreads().values())) - len(running)
                new = islice(waiting, max(0, free))
                running |= {client.submit(_there, name, function, *call, pure=False) for call in new}
                if not running:
                    return
                with client.as_current():
                    done = wait(running, return_when="FIRST_COMPLETED").done
                running -= done
                for future in done:
                    yield future.result()
        finally:
            client.cancel(list(running))
            client.unregister_worker_plugin(name)


def _there(name: str, function: Callable[..., Any], key: Any, arguments: tuple[Any, ...]) -> Any:
    """On a worker: the call, with the table that the worker keeps."""
    kept: Any = get_worker().plugins[name]
    return function(*arguments, kept.tables[key])


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    """A client of the scheduler at an address, with at least one worker."""
    try:
        client = Client(address, timeout=SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise ValueError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=SECONDS)
        except TimeoutError as error:
            raise ValueError(f"the Dask scheduler at {address} has no worker") from error
        yield client


__all__ = ["on_cluster"]
