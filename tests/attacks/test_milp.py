"""The mixed-integer program as a cross-check."""

from __future__ import annotations

from scipy.optimize import LinearConstraint

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


def test_an_answer_that_costs_too_much_is_not_taken(monkeypatch):
    """A solver's tolerance may let it spend more than there is."""
    R, kinds, trees, rules, budget, rows = small_forest(4001)
    X, y, A = frame(rows, kinds), R.rng.integers(-4, 5, size=4) / 4, to_attacker(rules, budget)
    real = attack_milp.milp

    def spender(*args, constraints, **kwargs):
        rows, taken, cost = constraints
        return real(
            *args, constraints=[rows, taken, LinearConstraint(cost.A, cost.lb, 10 * budget)], **kwargs
        )

    monkeypatch.setattr(attack_milp, "milp", spender)
    spent = attack(trees, X, y, A, method="milp")
    assert (spent.costs <= budget).all()
    richer = attack(trees, X, y, A.with_budget(10 * budget), method="milp")
    assert (richer.costs > budget).any(), "the case shows nothing otherwise"
