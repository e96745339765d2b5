"""A table of numbers, and what a model in common form says of rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

import treant_viz as tv
from treant_viz.attacks.cells import CellGrid
from treant_viz.attacks.reachable_leaves import reachable_leaves
from treant_viz.ensembles.common_form import common_form

NO_ATTACKER = tv.Attacker([], 0)


def scores_in_common_form(model, X) -> np.ndarray:
    """What the common form says of each row."""
    form = common_form(model, X)
    M = form.matrix(X)
    grid = CellGrid(form, M)
    leaf = reachable_leaves(grid, [], grid.cells, 0.0).leaf.reshape(len(M), -1)
    return form.link(form.base + form.scale * form.nodes.value[leaf].sum(axis=1))


def numbers(n: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b c": rng.integers(0, 20, size=n), "d": 1e6 * rng.random(n)})
    return X, (X["a"] + X["b c"] / 8 + rng.normal(size=n) > 1).to_numpy().astype(int)
