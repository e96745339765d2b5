"""Constraints and what they leave, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping

from treant_viz.core.losses import Loss, Pieces
from treant_viz.trace.trace import Trace
from treant_viz.viz.style.text import name, number
from treant_viz.viz.tree.facts import row_name


def called(trace: Trace, row: int, names: Mapping[int, str]) -> str:
    """A row by the name it was given, or as the table has it."""
    return name(names.get(row, row_name(trace.X.index[row])), 14)


def loss_in_words(loss: Loss, y: float) -> str:
    """The loss of a prediction on the label y, in symbols.

    >>> from treant_viz.core.losses import LOG, SSE
    >>> loss_in_words(SSE, 0.0), loss_in_words(SSE, -1.0), loss_in_words(LOG, 1.0), loss_in_words(LOG, 0.0)
    ('(ŷ−0)²', '(ŷ+1)²', '−log ŷ', '−log(1−ŷ)')
    """
    if loss.name == "sse":
        return f"(ŷ{'+' if y < 0 else '−'}{number(abs(y))})²"
    return "−log ŷ" if y > 0.5 else "−log(1−ŷ)"


def pieces_in_words(pieces: Pieces) -> str:
    """A feasible set in words.

    >>> pieces_in_words(((-float("inf"), -1.5), (1.5, float("inf")))), pieces_in_words(())
    ('at most −1.5 or at least 1.5', 'nothing: infeasible')
    >>> pieces_in_words(((0.25, 0.25), (1.0, 2.0)))
    'exactly 0.25 or from 1 to 2, ends included'
    """
    return " or ".join(_piece_in_words(a, b) for a, b in pieces) or "nothing: infeasible"


def _piece_in_words(a: float, b: float) -> str:
    if a == -math.inf and b == math.inf:
        return "anything"
    if a == -math.inf:
        return f"at most {number(b)}"
    if b == math.inf:
        return f"at least {number(a)}"
    return f"exactly {number(a)}" if a == b else f"from {number(a)} to {number(b)}, ends included"


__all__ = ["called", "loss_in_words", "pieces_in_words"]
