"""All attacks of a row on a tree: those called the best are the cheapest of the worst."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import treant_viz as tv
from treant_viz.attacks.leaf_attacks import LeafAttacks
from treant_viz.viz.attack_path.facts import tree_of


def test_best_attacks_are_the_cheapest_of_the_worst():
    wine = tv.load_wine()
    X, y, A = wine.X_train[:400], np.asarray(wine.y_train[:400]), wine.attacker
    model = DecisionTreeClassifier(max_depth=4, min_samples_leaf=5, random_state=0).fit(X, y)
    found = LeafAttacks(tree_of(model), X, y.astype(float), A, "log")
    result = tv.attack(model, X, y, A)
    assert found.losses[found.label, found.leaf[found.best(A.budget)]] == pytest.approx(result.losses)
    assert found.cost[found.best(A.budget)] == pytest.approx(result.costs)
