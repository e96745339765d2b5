"""The reader's own functions grow the toy's tree inside a copy of the reference; spoiled ones are noticed."""

from __future__ import annotations

from math import inf

from tests.course.exercises.cases_06 import plan, side, swapped
from treant_viz.core import reference
from treant_viz.core.tree import to_text
from treant_viz.course.own_treant import Grown, grown_with
from treant_viz.datasets import load_toy


def test_right_functions_grow_the_papers_tree_and_the_reference_is_left_alone():
    before = {name: getattr(reference, name) for name in dir(reference)}
    toy = load_toy()
    grown = grown_with(side, plan)
    assert isinstance(grown, Grown)
    assert grown.tree == reference.grow(toy.X, toy.y, toy.attacker)
    assert (grown.claimed, grown.true) == (2.5, 2.5)  # as the tour says
    assert repr(grown).endswith("claimed: 2.5, true: 2.5. The claim is true.")
    assert {name: getattr(reference, name) for name in dir(reference)} == before


def test_a_row_that_is_thought_safe_is_a_false_claim():
    """Nobody unknown: the plain tree, which learns seven rows by heart and loses x2 (4) under attack."""
    grown = grown_with(lambda left, right: "left" if left == 0 else "right", plan)
    assert grown.claimed == 0 and grown.true == 4
    assert "The claim is wrong." in repr(grown)


def test_without_constraints_a_leaf_predicts_the_mean():
    grown = grown_with(side, lambda *row: (plan(*row)[0], ">=", ">=", 0))
    assert "1   (loss 2)" in to_text(grown.tree) and "1.5" not in to_text(grown.tree)


def test_swapped_constraints_are_a_false_claim():
    grown = grown_with(side, swapped)
    assert grown.claimed < grown.true


def test_what_is_not_written_yet_or_makes_no_sense_is_told():
    assert "have to be written first" in grown_with(lambda *_: ..., lambda *_: ...)
    assert "have to be written first" in grown_with(side, lambda *_: ...)
    assert 'expected "left", "right" or "unknown"' in grown_with(lambda *_: "up", plan)
    assert "expected (" in grown_with(side, lambda *_: ("left", ">=", "<="))
    assert "expected (" in grown_with(side, lambda *_: ("left", ">=", "<=", -1))
    assert "expected (" in grown_with(side, lambda *_: ("left", ">=", "<=", inf))
