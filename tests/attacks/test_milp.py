"""The mixed-integer program as a cross-check."""

from __future__ import annotations

from tests.attacks.problems import (
    check_bounds,
    frame,
    small_forest,
    to_attacker,
)
from treant_viz.attacks import milp as attack_milp
from treant_viz.attacks.attack import attack


def test_a_solver_that_is_wrong_is_not_believed(monkeypatch):
    R, kinds, trees, rules, budget, rows = small_forest(4001)
    X, y, A = frame(rows, kinds), R.rng.integers(-4, 5, size=4) / 4, to_attacker(rules, budget)
    truth, milp = attack(trees, X, y, A), attack_milp.milp

    def lazy(*args, **kwargs):
        """Standing still is the best there is, says this one."""
        answer = milp(*args, **kwargs)
        answer.x, answer.status = None, 0
        return answer

    monkeypatch.setattr(attack_milp, "milp", lazy)
    wrong = attack(trees, X, y, A, method="milp")
    missed = wrong.losses < truth.losses - 1e-9
    assert missed.any()
    assert not wrong.exact[missed].any()
    check_bounds(wrong, truth.losses)
