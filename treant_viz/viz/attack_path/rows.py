"""Which row of a table a picture of an attack opens on: one that is really attacked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from treant_viz.attacks.attack import attack
from treant_viz.core.attacker.rules import Attacker

ROWS, PATIENCE = 60, 2_000  # of a table: rows that are tried, and combinations looked at in each of them


def shown_row(x: Any, y: Any, pick: Callable[[Any, Any], int]) -> tuple[Any, Any]:
    """The row that is shown, and its label: x itself if it is one, else the one picked from the table."""
    if isinstance(x, (Mapping, pd.Series)) or np.ndim(x) == 1 or len(x) == 1:
        return x, np.ravel(np.asarray(y, dtype=object))[0]
    if not len(x) or np.shape(y) != (len(x),):
        raise ValueError(
            f"x: expected one row, or a table and in y a label for each of its rows; got {len(x)} rows "
            f"and labels of shape {np.shape(y)}"
        )
    labels = np.asarray(y)
    place = pick(x, labels)
    return (x.iloc[place] if isinstance(x, pd.DataFrame) else x[place]), labels[place].item()


def harm(model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None = None) -> np.ndarray:
    """By row: what the attack adds to the loss."""
    found = attack(model, X, y, attacker, loss, node_limit=PATIENCE)
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(found.losses - found.clean_losses, nan=0.0)


def most_hurt(model: Any, X: Any, y: Any, attacker: Attacker, loss: str | None = None) -> int:
    """Of the first rows, the place of the one whose loss grows most."""
    return int(np.argmax(harm(model, X[:ROWS], y[:ROWS], attacker, loss)))


__all__ = ["ROWS", "harm", "most_hurt", "shown_row"]
