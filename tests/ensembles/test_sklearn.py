"""scikit-learn's models in common form say what they say, to the last bit of a threshold."""

from __future__ import annotations

import numpy as np
import pytest

import treant_viz as tv
from tests.ensembles.samples import NO_ATTACKER, numbers, scores_in_common_form
from treant_viz.attacks.attack import attack, loss_under_attack
from treant_viz.ensembles.ensemble import float64_cut

lgb = pytest.importorskip("lightgbm")
sk = pytest.importorskip("sklearn.ensemble")


trees = pytest.importorskip("sklearn.tree")


def around_the_thresholds(model_trees, width: int) -> np.ndarray:
    """Rows on the thresholds, and the numbers just beside them, in 64 and in 32 bits."""
    values = np.unique(np.concatenate([t.threshold[t.feature >= 0] for t in model_trees]))
    short = values.astype(np.float32)
    near = [
        values,
        short,
        *(np.nextafter(short, np.float32(s)) for s in (-np.inf, np.inf)),
        float64_cut(values),
    ]
    near += [np.nextafter(v, s) for v in (values, float64_cut(values)) for s in (-np.inf, np.inf)]
    return np.repeat(np.concatenate(near).astype(float)[:, None], width, axis=1)


SKLEARN = [
    trees.DecisionTreeClassifier(max_depth=6, random_state=0),
    trees.DecisionTreeRegressor(max_depth=6, random_state=0),
    trees.ExtraTreeClassifier(max_depth=6, random_state=0),
    trees.ExtraTreeRegressor(max_depth=6, random_state=0),
    sk.RandomForestClassifier(9, max_depth=6, random_state=0),
    sk.RandomForestRegressor(9, max_depth=6, random_state=0),
    sk.ExtraTreesClassifier(9, max_depth=6, random_state=0),
    sk.ExtraTreesRegressor(9, max_depth=6, random_state=0),
    sk.GradientBoostingClassifier(n_estimators=9, random_state=0),
    sk.GradientBoostingClassifier(n_estimators=9, loss="exponential", random_state=0),
    sk.GradientBoostingClassifier(n_estimators=9, init="zero", random_state=0),
    sk.GradientBoostingRegressor(n_estimators=9, random_state=0),
    sk.GradientBoostingRegressor(n_estimators=9, loss="huber", random_state=0),
]


@pytest.mark.parametrize("model", SKLEARN, ids=lambda m: repr(m)[:45])
def test_scikit_learn_models_say_what_they_say(model):
    X, y = numbers()
    model.fit(X, y)
    scores = model.predict_proba(X)[:, 1] if hasattr(model, "classes_") else model.predict(X)
    assert scores_in_common_form(model, X) == pytest.approx(scores, rel=1e-12, abs=1e-12)
    assert attack(model, X, y, NO_ATTACKER).scores == pytest.approx(scores, rel=1e-12)


@pytest.mark.parametrize("model", [SKLEARN[4], SKLEARN[11]], ids=["forest", "boosting"])
def test_scikit_learn_compares_32_bits_and_so_do_we(model):
    X, y = numbers()
    model.fit(X.to_numpy(), y)
    parts = np.ravel(model.estimators_)
    Z = around_the_thresholds([t.tree_ for t in parts], 3)
    scores = model.predict_proba(Z)[:, 1] if hasattr(model, "classes_") else model.predict(Z)
    assert len(Z) > 200
    assert scores_in_common_form(model, Z) == pytest.approx(scores, rel=1e-12, abs=1e-12)


def test_a_cut_is_the_last_number_that_rounds_to_the_left():
    rng = np.random.default_rng(1)
    t = np.concatenate([rng.normal(size=500), 1e9 * rng.normal(size=500), rng.integers(-5, 6, size=50) / 2])
    t = np.concatenate([t, t.astype(np.float32)])
    cut = float64_cut(t)
    assert (cut.astype(np.float32) <= t).all()
    assert (np.nextafter(cut, np.inf).astype(np.float32) > t).all()


def test_scikit_learn_trees_take_missing_values():
    X, y = numbers()
    X.loc[::5, "a"] = np.nan
    model = sk.RandomForestClassifier(9, max_depth=5, random_state=0).fit(X, y)
    assert scores_in_common_form(model, X) == pytest.approx(
        model.predict_proba(X)[:, 1], rel=1e-12, abs=1e-12
    )
    A = tv.Attacker([tv.Rule("a", 1, delta=(-1, 1)), tv.Rule("d", 1, delta=(-1e5, 1e5))], 2)
    result = attack(model, X, y, A)
    assert np.isnan(result.X_adv["a"]).equals(np.isnan(X["a"]))
    assert sum(map(bool, result.rules)) > 100


def test_labels_may_have_any_names():
    X, y = numbers()
    named = np.array(["no", "yes"])[y]
    A = tv.Attacker([tv.Rule("a", 1, delta=(-1, 1))], 1)
    for make in (
        lambda: trees.DecisionTreeClassifier(max_depth=3),
        lambda: lgb.LGBMClassifier(n_estimators=3, verbose=-1),
    ):
        plain, worded = loss_under_attack(make().fit(X, y), X, y, A), make().fit(X, named)
        assert loss_under_attack(worded, X, named, A) == pytest.approx(plain)
        with pytest.raises(ValueError, match="the model's classes are"):
            attack(worded, X, y, A)


def test_names_are_those_of_the_data_where_the_model_knows_none():
    X, y = numbers()
    model = trees.DecisionTreeRegressor(max_depth=4).fit(X.to_numpy(), y)
    A = tv.Attacker([tv.Rule("a", 1, delta=(-1, 1))], 1)
    by_name = attack(model, X, y, A)
    by_place = attack(model, X.to_numpy(), y, tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1))
    assert np.array_equal(by_name.scores, by_place.scores)
