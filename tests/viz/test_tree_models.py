"""Trees of models, ours and scikit-learn's, keep their numbers, names and classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treant_viz as tv
from treant_viz.core.tree import leaves, predict
from treant_viz.viz.tree.cards import SHOWN
from treant_viz.viz.tree.display import TreeDisplay


def test_our_models_and_their_classes():
    X, y = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]}), ["no", "no", "yes", "yes"]
    model = tv.TreantClassifier(min_samples_split=2, max_depth=1).fit(X, y)
    shown = TreeDisplay.from_model(model)
    assert shown.cards[""].words == ("a ≤ 2", "4 rows")
    assert shown.cards["r"].words[:2] == ("ŷ = 1", "2 rows, loss 0")
    assert shown.meaning == "probability of yes"


def test_trees_of_scikit_learn_keep_their_numbers_and_names():
    wine = tv.load_wine()
    X, y = wine.X_train[:300], np.asarray(wine.y_train[:300])
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, np.where(y == 1, "good", "bad"))
    shown = TreeDisplay.from_model(model, show=SHOWN, depth=None)
    where = np.asarray(model.apply(X))
    assert predict(shown.tree, X) == pytest.approx(model.predict_proba(X)[:, 1])
    for path, leaf in leaves(shown.tree):
        rows = next(
            where == i
            for i in set(where)
            if model.tree_.value[i, 0, 1] == leaf.prediction and (where == i).sum() == leaf.size
        )
        assert leaf.loss == pytest.approx(((y[rows] - leaf.prediction) ** 2).sum())
        good, said = int((y[rows] == 1).sum()), shown.cards[path].words[-1]
        mixed = f"{good} of {rows.sum():,} have label good"
        assert said == (mixed if 0 < good < rows.sum() else f"all have label {'good' if good else 'bad'}")
    assert shown.cards[""].head[0].split(" ≤")[0] == X.columns[model.tree_.feature[0]]
    assert shown.meaning == "probability of good"


def test_regression_trees_of_scikit_learn():
    X = np.array([[-7.0, 1], [-5, 2], [1, 3], [3, 3], [3, 4], [3, 4], [3, 4]])
    y = np.array([-2.0, -1, 0, 2, 2, 2, 2])
    model = DecisionTreeRegressor(max_depth=1).fit(X, y)
    words = {p: c.words for p, c in TreeDisplay.from_model(model).cards.items()}
    assert words[""] == ("x[0] ≤ 2", "7 rows, loss 17.4 → 2")
    assert (words["l"], words["r"]) == (("ŷ = −1", "3 rows, loss 2"), ("ŷ = 2", "4 rows, loss 0"))
