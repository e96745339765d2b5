"""Twins: rows of which an identical one is among the training rows.

Whatever remembers its training rows knows the answer for a twin. UCI's wine table holds many a wine several
times over, so that some of what looks like skill on its test rows is memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from treant_viz.core.table import as_table


def twins(X: Any, known: Any) -> np.ndarray:
    """Which rows of X have an identical row among the `known` ones: every feature equal, whatever the label.

    >>> twins([[1, "a"], [2, "a"], [1, "b"]], [[1, "b"], [2, "a"], [2, "a"]]).tolist()
    [False, True, True]
    """
    rows, others = (pd.DataFrame(as_table(table)) for table in (X, known))
    if list(rows.columns) != list(others.columns):
        raise ValueError(
            f"known: expected the columns of X, {', '.join(map(str, rows.columns))}, "
            f"got {', '.join(map(str, others.columns))}"
        )
    if not len(rows) or not len(others):
        return np.zeros(len(rows), dtype=bool)
    seen = set(others.astype(object).itertuples(index=False, name=None))
    return np.array([row in seen for row in rows.astype(object).itertuples(index=False, name=None)])


__all__ = ["twins"]
