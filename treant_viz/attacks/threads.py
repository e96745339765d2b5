"""Products of matrices in one thread.

A search multiplies many small matrices, one after the other. Linear algebra that hands each of them to
several threads gains nothing, and threads that wait for work keep other cores busy.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _libraries() -> ThreadpoolController:
    """The libraries of linear algebra in this process, looked up once."""
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Within this, linear algebra uses one thread; afterwards as many as before."""
    limited: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limited


__all__ = ["one_thread"]
