"""Who reads which model, and which models are refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.naive_bayes import GaussianNB

import treant_viz as tv
from tests.ensembles.samples import NO_ATTACKER, numbers
from treant_viz.attacks.attack import attack
from treant_viz.ensembles.common_form import common_form

lgb = pytest.importorskip("lightgbm")


sk = pytest.importorskip("sklearn.ensemble")


trees = pytest.importorskip("sklearn.tree")


def unsuitable():
    X, y = numbers(60)
    three = np.arange(60) % 3
    pipeline = pytest.importorskip("sklearn.pipeline")
    mixing = pipeline.make_pipeline(PCA(2), trees.DecisionTreeClassifier())
    yield "pipeline", mixing.fit(X, y), "cannot be undone: it mixes columns"
    yield "not of trees", pipeline.make_pipeline(GaussianNB()).fit(X, y), "cannot be attacked"
    coded = sk.HistGradientBoostingClassifier(max_iter=2, categorical_features=[1]).fit(X, y)
    yield "categories in histograms", coded, "categorical features cannot be attacked"
    yield "three classes", sk.RandomForestClassifier(2).fit(X, three), "two classes"
    yield "three boosted", sk.GradientBoostingClassifier(n_estimators=2).fit(X, three), "two classes"
    yield "two outputs", trees.DecisionTreeRegressor().fit(X, np.column_stack([y, y])), "one output"
    init = sk.GradientBoostingRegressor(n_estimators=2, init=trees.DecisionTreeRegressor()).fit(X, y)
    yield "odd start", init, "start from a constant"
    quiet = {"verbose": -1, "min_data_in_leaf": 2, "num_threads": 1}
    triple = quiet | {"objective": "multiclass", "num_class": 3}
    yield "lightgbm, three", lgb.train(triple, lgb.Dataset(X, three), 2), "two classes"
    yield "linear leaves", lgb.train(quiet | {"linear_tree": True}, lgb.Dataset(X, y), 2), "linear trees"
    yield "not fitted", lgb.LGBMClassifier(), "not fitted"
    yield "not fitted either", trees.DecisionTreeClassifier(), "not fitted"
    yield "ours, not fitted", tv.TreantClassifier(), "not fitted"


@pytest.mark.parametrize(
    ("name", "model", "message"), list(unsuitable()), ids=lambda v: v if isinstance(v, str) else ""
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_unsuitable_models_are_refused_with_the_reason(name, model, message):
    X, y = numbers(60)
    with pytest.raises((TypeError, ValueError), match=message):
        attack(model, X, y, NO_ATTACKER)


def test_any_model_may_bring_its_own_common_form():
    class Halved:
        """A tree whose score counts half."""

        def common_form(self, X, attacker):
            form = common_form(tv.Node("a", 0.0, tv.Leaf(0.0), tv.Leaf(1.0)), X, attacker)
            return dataclasses.replace(form, scale=0.5, scores=lambda Z: 0.5 * form.scores(Z))

    X, _ = numbers(40)
    A = tv.Attacker([tv.Rule("a", 1, delta=(0, 9))], 1)
    assert set(attack(Halved(), X, np.zeros(40), A).scores) == {0.5}
