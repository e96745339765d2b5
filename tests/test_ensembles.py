"""Models in common form: they must say what the models themselves say, to the last bit of a threshold."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.attack_cells import Grid
from treant_viz.attack_leaves import reached_leaves
from treant_viz.attacks import attack, loss_under_attack
from treant_viz.ensembles import ensemble
from treant_viz.ensembles_sklearn import float64_cut

lgb = pytest.importorskip("lightgbm")
sk = pytest.importorskip("sklearn.ensemble")
trees = pytest.importorskip("sklearn.tree")
NOBODY = tv.Attacker([], 0)


def said(model, X) -> np.ndarray:
    """What the common form says of each row."""
    form = ensemble(model, X)
    M = form.matrix(X)
    grid = Grid(form, M)
    leaf = reached_leaves(grid, [], grid.cells, 0.0).leaf.reshape(len(M), -1)
    return form.link(form.base + form.scale * form.nodes.value[leaf].sum(axis=1))


def numbers(n: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b c": rng.integers(0, 20, size=n), "d": 1e6 * rng.random(n)})
    return X, (X["a"] + X["b c"] / 8 + rng.normal(size=n) > 1).to_numpy().astype(int)


def around_the_thresholds(model_trees, width: int) -> np.ndarray:
    """Rows on the thresholds, and the numbers just beside them, in 64 and in 32 bits."""
    values = np.unique(np.concatenate([t.threshold[t.feature >= 0] for t in model_trees]))
    short = values.astype(np.float32)
    near = [values, short, *(np.nextafter(short, np.float32(s)) for s in (-np.inf, np.inf)), float64_cut(values)]
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
    assert said(model, X) == pytest.approx(scores, rel=1e-12, abs=1e-12)
    assert attack(model, X, y, NOBODY).scores == pytest.approx(scores, rel=1e-12)


@pytest.mark.parametrize("model", [SKLEARN[4], SKLEARN[11]], ids=["forest", "boosting"])
def test_scikit_learn_compares_32_bits_and_so_do_we(model):
    X, y = numbers()
    model.fit(X.to_numpy(), y)
    parts = np.ravel(model.estimators_)
    Z = around_the_thresholds([t.tree_ for t in parts], 3)
    scores = model.predict_proba(Z)[:, 1] if hasattr(model, "classes_") else model.predict(Z)
    assert len(Z) > 200
    assert said(model, Z) == pytest.approx(scores, rel=1e-12, abs=1e-12)


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
    assert said(model, X) == pytest.approx(model.predict_proba(X)[:, 1], rel=1e-12, abs=1e-12)
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


def unsuitable():
    X, y = numbers(60)
    three = np.arange(60) % 3
    pipeline = pytest.importorskip("sklearn.pipeline")
    yield "pipeline", pipeline.make_pipeline(trees.DecisionTreeClassifier()).fit(X, y), "cannot be attacked"
    yield "histograms", sk.HistGradientBoostingClassifier(max_iter=2).fit(X, y), "cannot be attacked"
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
        attack(model, X, y, NOBODY)


# ---------------------------------------------------------------------------------------------------------- LightGBM


def mixed(n: int = 400, seed: int = 0, holes: bool = True) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n) * (rng.random(n) < 0.7),
            "word": pd.Categorical(rng.choice(["u", "v", "w", "x", "y"], n)),
            "code": rng.choice([0, 3, 7, 9], n),
            "with space": rng.integers(0, 30, n),
        }
    )
    y = X["number"].to_numpy() + X["word"].isin(["u", "w"]) + X["code"].isin([3, 9]) + rng.normal(size=n) > 1
    if holes:
        X.loc[rng.random(n) < 0.2, "number"] = np.nan
        X.loc[rng.random(n) < 0.1, "word"] = np.nan
    return X, y.to_numpy().astype(float)


QUIET = {"verbose": -1, "num_threads": 1, "min_data_in_leaf": 3, "num_leaves": 12, "cat_smooth": 1, "seed": 0}
OPTIONS = [
    {"objective": "regression"},
    {"objective": "regression", "zero_as_missing": True},
    {"objective": "regression", "use_missing": False},
    {"objective": "regression", "reg_sqrt": True},
    {"objective": "regression", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.7},
    {"objective": "binary"},
    {"objective": "binary", "sigmoid": 0.7, "max_cat_to_onehot": 1},
    {"objective": "binary", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.7},
    {"objective": "binary", "boosting": "dart"},
    {"objective": "cross_entropy"},
    {"objective": "poisson"},
    {"objective": "regression_l1"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: " ".join(map(str, o.values())))
@pytest.mark.parametrize("holes", [False, True], ids=["full", "holes"])
def test_lightgbm_boosters_say_what_they_say(options, holes):
    X, y = mixed(holes=holes)
    model = lgb.train(QUIET | options, lgb.Dataset(X, y, categorical_feature=["word", "code"]), 8)
    assert said(model, X) == pytest.approx(model.predict(X), rel=1e-9, abs=1e-12)
    other, _ = mixed(seed=1)
    assert said(model, other) == pytest.approx(model.predict(other), rel=1e-9, abs=1e-12)


def test_lightgbm_thresholds_and_zeros_are_met_exactly():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(300, 2)), 1)
    model = lgb.train(QUIET | {"zero_as_missing": True}, lgb.Dataset(X, X[:, 0] * X[:, 1]), 5)
    dump = model.trees_to_dataframe()
    cuts = dump["threshold"].dropna().astype(float).unique()
    tiny = float(np.float32(1e-35))
    zeros = [0.0, tiny, -tiny, np.nextafter(tiny, 1), np.nextafter(-tiny, -1), 1e-30, -1e-30]
    Z = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), zeros])
    Z = np.column_stack([np.repeat(Z, 3), np.tile([0.0, 1.0, -1.0], len(Z))])
    assert said(model, Z) == pytest.approx(model.predict(Z), rel=1e-9, abs=1e-12)


def test_lightgbm_uses_the_best_iteration_it_would_predict_with():
    X, y = mixed()
    data = lgb.Dataset(X, y, categorical_feature=["word", "code"])
    held, truth = mixed(seed=2)
    valid = lgb.Dataset(held, truth, reference=data)
    model = lgb.train(
        QUIET | {"learning_rate": 0.5}, data, 40, [valid], callbacks=[lgb.early_stopping(2, verbose=False)]
    )
    assert 0 < model.best_iteration < 40
    assert said(model, X) == pytest.approx(model.predict(X), rel=1e-9)


def test_categories_of_lightgbm_are_attacked_by_name_or_by_code():
    X, y = mixed(holes=False)
    model = lgb.train(QUIET | {"objective": "binary"}, lgb.Dataset(X, y, categorical_feature=["word", "code"]), 8)
    A = tv.Attacker([tv.Rule("word", 1, pre={"u", "v"}, becomes="x"), tv.Rule("code", 1, becomes=3)], 2)
    result = attack(model, X, y, A)
    assert result.losses == pytest.approx(attack(model, X, y, A, method="exhaustive").losses)
    assert (result.X_adv.dtypes == X.dtypes).all()
    assert set(result.X_adv["word"]) <= set("uvwxy")
    assert (result.X_adv["code"] != X["code"]).any()
    with pytest.raises(ValueError, match="is numeric, but the column holds categories"):
        attack(model, X, y, tv.Attacker([tv.Rule("code", 1, delta=(0, 1))], 1))


def test_a_category_lightgbm_never_saw_counts_as_missing():
    X, y = mixed(holes=False)
    model = lgb.train(QUIET, lgb.Dataset(X, y, categorical_feature=["word", "code"]), 8)
    result = attack(model, X, y, tv.Attacker([tv.Rule("word", 1, becomes="new")], 1))
    assert "new" in set(result.X_adv["word"])
    assert result.scores == pytest.approx(model.predict(result.X_adv))


def test_frames_that_do_not_fit_a_booster_are_refused():
    X, y = mixed(holes=False)
    model = lgb.train(QUIET, lgb.Dataset(X, y), 2)
    with pytest.raises(ValueError, match="dtype category"):
        attack(model, X.assign(word=1.0), y, NOBODY)
    with pytest.raises(ValueError, match="in this order"):
        attack(model, X.rename(columns={"number": "figure"}), y, NOBODY)
    with pytest.raises(ValueError, match="has 3 columns"):
        attack(model, X[["number", "word", "code"]], y, NOBODY)


# -------------------------------------------------------------------------------------------------------------- ours


def test_our_estimators_take_their_own_loss_labels_and_mean():
    X, y = numbers(80)
    A = tv.Attacker([tv.Rule("a", 1, delta=(-0.5, 0.5)), tv.Rule("b c", 2, delta=(0, 2))], 2)
    named = np.array(["bad", "good"])[y]
    tree = tv.TreantClassifier(attacker=A, loss="log", max_depth=3).fit(X, named)
    bare = loss_under_attack(tree.tree_, X, y, A, loss="log")
    assert loss_under_attack(tree, X, named, A) == pytest.approx(bare)
    forest = tv.TreantForestClassifier(n_estimators=4, attacker=A, loss="sse", max_depth=3, random_state=0).fit(
        X, named
    )
    result = attack(forest, X, named, A)
    assert result.clean_scores == pytest.approx(forest.predict_proba(X)[:, 1])
    assert result.losses.sum() == pytest.approx(loss_under_attack([t.tree_ for t in forest.estimators_], X, y, A))
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
        attack(model, X.assign(c="w"), y, NOBODY)


def test_any_model_may_bring_its_own_common_form():
    class Halved:
        """A tree whose score counts half."""

        def common_form(self, X, attacker):
            form = ensemble(tv.Node("a", 0.0, tv.Leaf(0.0), tv.Leaf(1.0)), X, attacker)
            return dataclasses.replace(form, scale=0.5, scores=lambda Z: 0.5 * form.scores(Z))

    X, _ = numbers(40)
    A = tv.Attacker([tv.Rule("a", 1, delta=(0, 9))], 1)
    assert set(attack(Halved(), X, np.zeros(40), A).scores) == {0.5}
