"""What the trees of a forest or a booster say of one row as an attack goes on, and on which side that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from treant_viz.attacks.cells import CellGrid
from treant_viz.attacks.reachable_leaves import reachable_leaves
from treant_viz.attacks.tables import rewritten
from treant_viz.core.attacker.rules import Attacker
from treant_viz.ensembles.ensemble import Ensemble, identity
from treant_viz.viz.attack_path.facts import Move
from treant_viz.viz.attack_path.words import value_said


class Sides(NamedTuple):
    """Where a tree's vote turns, what the two sides are called, and whether a tie is the second one's."""

    threshold: float
    names: tuple[str, str]
    tie: bool

    def second(self, values: np.ndarray) -> np.ndarray:
        """Which values are on the second side?"""
        return values >= self.threshold if self.tie else values > self.threshold


class KnownForm:
    """A model that is known in common form already."""

    def __init__(self, form: Ensemble) -> None:
        self.form = form

    def common_form(self, X: Any, attacker: Attacker | None = None) -> Ensemble:
        return self.form


def leaf_values(form: Ensemble, row: Any, moves: Sequence[Move]) -> np.ndarray:
    """[moves applied, tree]: the value of the leaf that the row is in."""
    stages, changes = [row], dict[int, dict[int, Any]]()
    for m in moves:
        changes[m.column] = {0: m.after}
        stages.append(rewritten(row, changes))
    grid = CellGrid(form, np.concatenate([form.matrix(Z) for Z in stages]))
    leaf = reachable_leaves(grid, [], grid.cells, 0.0).leaf  # without moves each row has one leaf a tree
    values = form.nodes.value[leaf].reshape(len(stages), -1)
    values.setflags(write=False)
    return values


def sides_of(model: Any, form: Ensemble, loss: str | None) -> Sides | None:
    """None without classes. A tie goes to the second class in our models, to the first elsewhere."""
    if form.classes is None and loss != "log":
        return None
    turn = 0.5 if form.link is identity else 0.0
    threshold = round((turn - form.base) / (form.scale * len(form.nodes.roots)), 12)
    first, second = form.classes or (0, 1)
    ours = type(model).__module__.partition(".")[0] == "treant_viz" or not hasattr(model, "fit")
    return Sides(threshold + 0.0, (label_said(first, 16), label_said(second, 16)), ours)


def label_said(label: Any, longest: int = 20) -> str:
    """A label as it is drawn.

    >>> label_said(np.float64(2.0)), label_said("good"), label_said(np.int64(1))
    ('2', 'good', '1')
    """
    return value_said(label.item() if isinstance(label, np.generic) else label, longest)


__all__ = ["KnownForm", "Sides", "label_said", "leaf_values", "sides_of"]
