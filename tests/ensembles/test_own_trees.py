"""Our own trees and estimators in common form."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.ensembles.samples import NO_ATTACKER, numbers
from treant_viz.attacks.attack import attack, loss_under_attack

sk = pytest.importorskip("sklearn.ensemble")


trees = pytest.importorskip("sklearn.tree")


def test_our_estimators_take_their_own_loss_labels_and_mean():
    X, y = numbers(80)
    A = tv.Attacker([tv.Rule("a", 1, delta=(-0.5, 0.5)), tv.Rule("b c", 2, delta=(0, 2))], 2)
    named = np.array(["bad", "good"])[y]
    tree = tv.TreantClassifier(attacker=A, loss="log", max_depth=3).fit(X, named)
    bare = loss_under_attack(tree.tree_, X, y, A, loss="log")
    assert loss_under_attack(tree, X, named, A) == pytest.approx(bare)
    forest = tv.TreantForestClassifier(
        n_estimators=4, attacker=A, loss="sse", max_depth=3, random_state=0
    ).fit(X, named)
    result = attack(forest, X, named, A)
    assert result.clean_scores == pytest.approx(forest.predict_proba(X)[:, 1])
    assert result.losses.sum() == pytest.approx(
        loss_under_attack([t.tree_ for t in forest.estimators_], X, y, A)
    )
    assert result.losses == pytest.approx(attack(forest, X, named, A, method="exhaustive").losses)
    with pytest.raises(ValueError, match="order"):
        attack(forest, X[["b c", "a", "d"]], named, A)


def test_our_regressors_are_attacked_both_ways():
    X, y = numbers(80)
    A = tv.Attacker([tv.Rule("a", 1, delta=(-0.5, 0.5))], 2)
    target = X["a"] + y
    forest = tv.TreantForestRegressor(n_estimators=3, attacker=A, max_depth=3, random_state=0).fit(X, target)
    result = attack(forest, X, target, A)
    assert result.losses == pytest.approx(attack(forest, X, target, A, method="milp").losses)
    assert (result.losses >= result.clean_losses - 1e-12).all()


def test_a_category_our_models_never_saw_is_refused_if_it_can_be_reached():
    X = pd.DataFrame({"c": ["u", "v"] * 20, "n": np.arange(40.0)})
    y = np.arange(40) % 2
    model = tv.TreantClassifier(attacker=None, max_depth=2).fit(X, y)
    with pytest.raises(ValueError, match="'new', a category the model does not know"):
        attack(model, X, y, tv.Attacker([tv.Rule("c", 1, pre={"u"}, becomes="new")], 1))
    harmless = tv.Attacker([tv.Rule("c", 1, pre={"absent"}, becomes="new")], 1)
    assert attack(model, X, y, harmless).exact.all()
    with pytest.raises(ValueError, match="unknown category 'w'"):
        attack(model, X.assign(c="w"), y, NO_ATTACKER)
