"""What a model decides, and from which sum of leaves on it decides otherwise."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.attacks.problems import row, shifts, step
from treant_viz.attacks.decisions import Decisions
from treant_viz.attacks.moves import Move
from treant_viz.core.attacker.rules import Attacker
from treant_viz.ensembles.common_form import common_form
from treant_viz.ensembles.ensemble import Ensemble

A = Attacker(shifts(1), 1)
TABLE = pd.DataFrame({"f0": [0.0, 4.0]})


def form_of(*trees, **changes) -> Ensemble:
    return replace(common_form(list(trees), TABLE, A), **changes)


def test_a_regressor_changes_its_mind_beyond_the_tolerance_upwards_or_downwards():
    """The leaves say 0 or 1: nothing lies above the second row's score, nor below the first one's."""
    attempts = Decisions(form_of(step(0, 1.0)), TABLE, 0.25).attempts()
    assert attempts.row.tolist() == [0, 1, 0, 1]
    assert attempts.sign.tolist() == [1, 1, -1, -1]
    assert attempts.border.tolist() == pytest.approx([0.25, math.inf, math.inf, -0.75])
    assert attempts.border[0] > 0.25 and attempts.border[3] > -0.75


def test_a_classifier_changes_its_mind_at_one_half():
    attempts = Decisions(form_of(step(0, 2.0), classes=(0, 1)), TABLE, 0.0).attempts()
    assert attempts.row.tolist() == [0, 1]
    assert attempts.sign.tolist() == [1, -1]
    assert attempts.border.tolist() == pytest.approx([0.5, -0.5])
    assert attempts.border[0] >= 0.5 and attempts.border[1] > -0.5


def test_nothing_is_decided_of_an_empty_table():
    none = Decisions(form_of(step(0, 1.0)), TABLE[:0], 0.0)
    assert none.predictions().tolist() == none.attempts().row.tolist() == []


@pytest.mark.parametrize(
    ("leaves", "changed"),
    [((0.5, 0.25), [False, False]), ((0.5, 0.1), [False, True]), ((0.1, 0.3), [False, True])],
)
def test_one_word_of_the_model_on_a_sum_is_enough_only_if_no_leaf_is_rounded(leaves, changed):
    """A model that says 1 of the second attack alone, as rounding may have it, though the sums are equal."""
    form = form_of(
        *(step(0, value) for value in leaves),
        classes=(0, 1),
        predict=lambda Z: (np.asarray(Z["f0"]) > 3).astype(int),
    )
    attacks = [(Move(A.rules[0], 0.0, after),) for after in (2.0, 4.0)]
    decisions = Decisions(form, row(0), 0.0)
    assert decisions.changed(0, attacks, np.array([1.0, 1.0])).tolist() == changed
