"""What an attack hands back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import treant_viz as tv
from tests.attacks.fitted import EITHER, MODELS, table
from tests.attacks.problems import (
    STUMP,
)
from treant_viz.attacks.attack import attack
from treant_viz.ensembles.common_form import common_form


def test_results_are_readable_and_cannot_be_changed():
    X, y = table()
    result = attack(MODELS["forest"], X, y, EITHER)
    assert repr(result).startswith("AttackResult: 60 rows, ")
    assert repr(result).endswith("exact")
    with pytest.raises(ValueError, match="read-only"):
        result.scores[0] = 1.0
    step = next(s for steps in result.moves for s in steps)
    assert str(step).startswith(f"{step.rule.feature}: ")
    assert f"cost {step.rule.cost:g}" in str(step)


def test_the_moves_keep_their_old_name_too():
    result = attack(STUMP, [[0.5], [3.0]], [0, 1], tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1))
    assert result.rules is result.moves
    assert [len(moves) for moves in result.moves] == [1, 0]


def test_a_model_that_contradicts_its_own_trees_is_refused():
    """The search adds up leaves; if the model then says something else, no result is given."""

    class Liar:
        def common_form(self, X, attacker=None):
            return replace(common_form(STUMP, X, attacker), scores=lambda Z: np.full(len(Z), 0.25))

    with pytest.raises(RuntimeError, match=r"its trees add up to .* but it says"):
        attack(Liar(), [[0.5]], [0], tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1))
