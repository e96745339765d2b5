"""The paper's worked example, grown by the algorithm itself: nothing is typed in but the data.

>>> for panel in toy_panels():
...     print(panel.name or "   ", panel.what, "L = {:g}, L^A = {:g}".format(*panel.losses))
(b) standard stump L = 2, L^A = 5
(c) robust stump L = 3.39, L^A = 3.7
(d) right leaf grown, no constraints L = 3.75, L^A = 3.75
(e) with constraints L = 3, L^A = 3
    grown to the end, p first L = 1.25, L^A = 2.5
    grown to the end, q first L = 2, L^A = 2
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from treant_viz.attacks.attack import loss_under_attack
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.tree import Tree, replaced
from treant_viz.datasets import load_toy
from treant_viz.estimators.trees import TreantRegressor
from treant_viz.trace.trace import Trace

if TYPE_CHECKING:
    from treant_viz.viz.toy_figure.display import ToyFigureDisplay


class ToyPanel(NamedTuple):
    """A tree of the paper's figure, its L and L^A, and the trace it comes from."""

    name: str
    what: str
    tree: Tree
    X: pd.DataFrame
    losses: tuple[float, float]
    trace: Trace


def toy_trace(
    X: pd.DataFrame | None = None,
    attacker: Attacker | None = None,
    solver: str = "exact",
    depth: int | None = None,
    invariance: bool = True,
) -> Trace:
    """What the algorithm does on the toy's rows; without an attacker it is Algorithm 1."""
    toy = load_toy()
    options: dict[str, Any] = {"solver": solver, "attack_invariance": invariance, "max_depth": depth}
    model = TreantRegressor(attacker, min_samples_split=2, **options)
    return model.fit(toy.X if X is None else X, toy.y).trace_


def toy_panels(solver: str = "exact") -> Iterator[ToyPanel]:
    """Panels (b) to (e) of the paper's figure, and both trees grown to the end."""
    X, A = load_toy().X, load_toy().attacker
    plain = toy_trace(X, None, solver, 1)
    yield _panel("(b)", "standard stump", grown(plain), plain, X)
    bare, whole = (toy_trace(X, A, solver, invariance=i) for i in (False, True))
    root = whole.at("").split
    assert root is not None
    yield _panel("(c)", "robust stump", root.stump, whole, X)
    for name, what, trace in (
        ("(d)", "right leaf grown, no constraints", bare),
        ("(e)", "with constraints", whole),
    ):
        right = trace.at("r").split
        assert right is not None
        yield _panel(name, what, replaced(root.stump, "r", right.stump), trace, X)
    yield _panel("", "grown to the end, p first", grown(whole), whole, X)
    swapped = X[["q", "p"]]
    other = toy_trace(swapped, A, solver)
    yield _panel("", "grown to the end, q first", grown(other), other, swapped)


def _panel(name: str, what: str, tree: Tree, trace: Trace, X: pd.DataFrame) -> ToyPanel:
    toy = load_toy()
    return ToyPanel(name, what, tree, X, both_losses(tree, X, toy.y, toy.attacker), trace)


def grown(trace: Trace) -> Tree:
    """The tree at the end of a trace."""
    *_, (_, tree) = trace.trees()
    return tree


def both_losses(model: Any, X: Any, y: Any, attacker: Attacker) -> tuple[float, float]:
    """L and L^A of a tree or a model."""
    return loss_under_attack(model, X, y, attacker.with_budget(0)), loss_under_attack(model, X, y, attacker)


def moving_split() -> str:
    """All tests on p, one after the other, in a picture that moves by itself: an SVG file."""
    from treant_viz.trace.what_if import split_states
    from treant_viz.viz.ternary_partition.animation import animated

    toy = load_toy()
    states = split_states(toy.X, toy.y, toy.attacker, "sse", "p")
    return animated(states, toy.attacker.budget, [f"x{r}" for r in range(len(toy.y))])


def toy_display(solver: str = "exact") -> ToyFigureDisplay:
    """The paper's overview figure, panels (a) to (e), as one picture."""
    from treant_viz.viz.toy_figure.display import ToyFigureDisplay, TreeInput

    toy = load_toy()
    trees = [
        TreeInput(p.name, p.what, p.tree, p.trace, p.name == "(e)") for p in toy_panels(solver) if p.name
    ]
    return ToyFigureDisplay.from_trees(toy.X, toy.y, toy.attacker, trees)


__all__ = ["ToyPanel", "both_losses", "grown", "moving_split", "toy_display", "toy_panels", "toy_trace"]
