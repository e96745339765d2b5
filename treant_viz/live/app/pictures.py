"""The pictures of a study: one line each, in the order of the tabs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from treant_viz import live
from treant_viz.live.app.study import Study

ATTACKED = 200  # rows that a picture of attacks begins with


class Picture(NamedTuple):
    """A tab. `make` gets the study and whether trees plan for the attacker. If `planned`, what is shown was
    grown for one budget, and another budget means another tree; if `either`, the trees can be unaware of the
    attacker, too; if it `builds` an attacker, that can be handed to all pictures. `fits` says for which
    studies there is such a picture.
    """

    name: str
    about: str
    make: Callable[[Study, bool], Any]
    planned: bool = True
    either: bool = False
    builds: bool = False
    fits: Callable[[Study], bool] = lambda s: True

    def grown_for_one_budget(self, robust: bool) -> bool:
        return self.planned and (robust or not self.either)


def _tree(s: Study, robust: bool) -> Any:
    return s.robust_tree if robust else s.unaware_tree


def _forest(s: Study, robust: bool) -> Any:
    return s.robust_forest if robust else s.unaware_forest


PICTURES: dict[str, Picture] = {
    "split": Picture(
        "Split",
        "Drag the threshold: who is surely left, surely right, the attacker’s?",
        lambda s, robust: live.explore_split(s.X, s.y, s.attacker),
        planned=False,
    ),
    "growth": Picture(
        "Growth",
        "Play the growth of a robust tree: why did every node become what it is?",
        lambda s, robust: live.explore_growth(s.robust_tree),
    ),
    "constraints": Picture(
        "Constraints",
        "Some predictions are forbidden. Switch constraints off, and see whom they protect.",
        lambda s, robust: live.explore_constraints(s.robust_tree),
    ),
    "surface": Picture(
        "Surface",
        "Drag the start of SLSQP: does it find the best pair of leaves, or get stuck?",
        lambda s, robust: live.explore_surface(s.robust_tree),
    ),
    "search": Picture(
        "Search",
        "All tests of a node: which one wins if nobody attacks, which one under attack?",
        lambda s, robust: live.explore_search(s.robust_tree),
    ),
    "space": Picture(
        "Feature space",
        "Two features and what a tree says of them: which rows can be pushed across a border?",
        lambda s, robust: live.explore_space(_tree(s, robust), s.X, s.y, s.attacker),
        either=True,
        fits=lambda s: s.has_a_plane,
    ),
    "attack": Picture(
        "Attack",
        "Pick a row and play the attack on a tree, move by move.",
        lambda s, robust: live.explore_attack(_tree(s, robust), s.X[:ATTACKED], s.y[:ATTACKED], s.attacker),
        either=True,
    ),
    "forest": Picture(
        "Forest",
        "The same against 15 trees: which of them turn, and where does their mean go?",
        lambda s, robust: live.explore_forest(_forest(s, robust), s.X[:ATTACKED], s.y[:ATTACKED], s.attacker),
        either=True,
    ),
    "certificate": Picture(
        "Certificate",
        "Drag the budget: how many predictions of a forest are safe, and what does each row take?",
        lambda s, robust: live.explore_certificate(
            _forest(s, robust), s.X[:ATTACKED], s.attacker, s.y[:ATTACKED]
        ),
        either=True,
    ),
}

__all__ = ["PICTURES", "Picture"]
