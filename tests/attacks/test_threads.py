"""Searches multiply their matrices in one thread, and leave linear algebra as they found it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import ThreadpoolController

import treant_viz as tv
from treant_viz.attacks import attack as attack_module
from treant_viz.attacks import evasion
from treant_viz.attacks.threads import one_thread


def threads() -> set[int]:
    """How many threads the libraries of linear algebra would use now."""
    return {x.num_threads for x in ThreadpoolController().select(user_api="blas").lib_controllers}


@pytest.fixture
def two():
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        if threads() != {2}:
            pytest.skip("linear algebra here has one thread anyway")
        yield


def test_one_thread_and_then_as_many_as_before(two):
    with one_thread():
        assert threads() == {1}
    assert threads() == {2}
    with pytest.raises(ZeroDivisionError), one_thread():
        print(1 / 0)
    assert threads() == {2}


@pytest.mark.parametrize("question", ["attack", "evasion_cost"])
def test_searches_are_made_in_one_thread(question, two, monkeypatch):
    seen = []

    def watched(act):
        def look(*args):
            seen.append(threads())
            return act(*args)

        return look

    exact = attack_module.SEARCHES["exact"]
    monkeypatch.setitem(attack_module.SEARCHES, "exact", exact._replace(solve=watched(exact.solve)))
    monkeypatch.setattr(evasion, "cheapest", watched(evasion.cheapest))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    model = RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, y)
    A = tv.Attacker([tv.Rule(f, 1, delta=(-0.5, 0.5)) for f in range(3)], 2)
    if question == "attack":
        tv.attack(model, X, y, A)
    else:
        tv.evasion_cost(model, X, A)
    assert seen and all(n == {1} for n in seen)
    assert threads() == {2}
