"""Pipelines of encoders and scalers in common form say what they say themselves, to the last bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

import treant_viz as tv
from tests.ensembles.samples import scores_in_common_form
from treant_viz.ensembles.common_form import common_form

CITIES = ("Bern", "Oslo", "Rome", "Wien")
NUMBERS = ("a", "b c", "d")


def table(n: int = 200, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "city": rng.choice(CITIES, size=n),
            "b c": rng.integers(0, 20, size=n),
            "grade": rng.integers(1, 5, size=n),
            "d": 1e6 * rng.random(n),
            "note": rng.choice(["x", "y"], size=n),
        }
    )
    score = X["a"] + X["b c"] / 8 + (X["city"] == "Rome") - X["grade"] / 4 + rng.normal(size=n) / 2
    return X, (score > score.median()).to_numpy().astype(int)


def columns(scaler, **encoding):
    options = {"handle_unknown": "ignore"} | encoding
    return make_column_transformer(
        (OneHotEncoder(**options), ["city"]),
        (OrdinalEncoder(), ["grade"]),
        (scaler, list(NUMBERS)),
        remainder="drop",
    )


def lightgbm():
    return pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=8, verbose=-1, n_jobs=1)


def after_all_scalers():
    by_column = make_column_transformer(
        (StandardScaler(), ["a"]), (MaxAbsScaler(), ["b c"]), ("passthrough", ["d"]), remainder="drop"
    )
    return make_pipeline(by_column, MinMaxScaler((-3, 5), clip=True), RobustScaler())


MODELS = {
    "forest": lambda: make_pipeline(columns(StandardScaler()), RandomForestClassifier(8, random_state=0)),
    "sparse": lambda: make_pipeline(
        columns(MinMaxScaler()).set_params(sparse_threshold=1.0), ExtraTreesClassifier(8, random_state=0)
    ),
    "regression": lambda: make_pipeline(columns(RobustScaler()), RandomForestRegressor(8, random_state=0)),
    "boosted": lambda: make_pipeline(
        columns(StandardScaler()), StandardScaler(with_mean=False), GradientBoostingClassifier(n_estimators=8)
    ),
    "histograms": lambda: make_pipeline(
        columns(make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), sparse_output=False),
        HistGradientBoostingClassifier(max_iter=8),
    ),
    "flags": lambda: make_pipeline(
        columns(make_pipeline(SimpleImputer(add_indicator=True), MinMaxScaler()), drop="first"),
        RandomForestClassifier(8, random_state=0),
    ),
    "nothing": lambda: Pipeline(
        [("pick", columns("passthrough")), ("no", "passthrough"), ("model", RandomForestClassifier(8))]
    ),
    "scalers upon scalers": lambda: make_pipeline(after_all_scalers(), RandomForestClassifier(8)),
    "lightgbm": lambda: make_pipeline(columns(StandardScaler()).set_output(transform="default"), lightgbm()),
    "outliers": lambda: make_pipeline(
        columns(StandardScaler()), IsolationForest(n_estimators=6, max_samples=12, random_state=0)
    ),
    "rare kinds": lambda: make_pipeline(
        columns(StandardScaler(), handle_unknown="infrequent_if_exist", max_categories=3),
        RandomForestClassifier(8, random_state=0),
    ),
    "of pipelines": lambda: make_pipeline(
        columns(StandardScaler(), sparse_output=False),
        make_pipeline(MinMaxScaler(), RandomForestClassifier(4, random_state=0)),
    ),
    "weights": lambda: make_pipeline(
        columns(StandardScaler()).set_params(transformer_weights={"standardscaler": 0.3}),
        RandomForestClassifier(8, random_state=0),
    ),
}


def own(model, X) -> np.ndarray:
    """The pipeline's own scores."""
    if isinstance(model[-1], IsolationForest):
        return model.decision_function(X) + 0.5
    return model.predict_proba(X)[:, 1] if hasattr(model, "predict_proba") else model.predict(X)


def around_the_thresholds(model, X) -> pd.DataFrame:
    """For each column of numbers rows on its thresholds, and on the numbers of 64 bits beside them."""
    form, parts = common_form(model, X), []
    for f, name in enumerate(X.columns):
        cuts = np.unique(form.nodes.threshold[form.nodes.feature == f])
        cuts = cuts[np.abs(cuts) < 1e100]
        values = np.concatenate([cuts, *(np.nextafter(cuts, s) for s in (-np.inf, np.inf))])
        rows = X.iloc[np.arange(len(values)) % len(X)].copy()
        if name in NUMBERS and len(values):
            rows[name] = values
        parts.append(rows)
    return pd.concat(parts, ignore_index=True)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("seed", range(2))
def test_scores_are_the_pipelines_own_to_the_last_bit_of_a_threshold(kind, seed):
    X, y = table(seed=seed)
    model = MODELS[kind]().fit(X, y)
    near = around_the_thresholds(model, X)
    assert len(near) > 30
    for rows in (X, near):
        assert scores_in_common_form(model, rows) == pytest.approx(own(model, rows), abs=1e-9)


@pytest.mark.parametrize("kind", ["forest", "histograms", "boosted", "lightgbm"])
def test_a_threshold_is_the_last_number_that_goes_left(kind):
    """The number itself and the next one are told apart by the made column, just at the model's threshold."""
    X, y = table()
    model = MODELS[kind]().fit(X, y)
    form, before = common_form(model, X), model[:-1]
    inner = common_form(model[-1], np.zeros((1, before.transform(X).shape[1])))
    tests = np.flatnonzero((form.nodes.feature == 0) & (np.abs(form.nodes.threshold) < 1e100))
    assert len(tests) > 5
    cut, made = form.nodes.threshold[tests], inner.nodes.feature[tests]
    for x, left in ((cut, True), (np.nextafter(cut, np.inf), False)):
        rows = X.iloc[np.zeros(len(x), dtype=int)].assign(a=x)
        values = np.asarray(before.transform(rows), dtype=float)[np.arange(len(x)), made]
        assert ((values <= inner.nodes.threshold[tests]) == left).all()


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("seed", range(2))
def test_attacks_are_those_of_plain_enumeration(kind, seed):
    """On numbers and on categories; the pipeline itself scores what enumeration tries."""
    X, y = table(80, seed=seed)
    model = MODELS[kind]().fit(X, y)
    rules = [
        tv.Rule("a", 1, delta=(-0.2, 0.2)),
        tv.Rule("b c", 2, delta=(0, 1)),
        tv.Rule("city", 1, pre={"Bern", "Oslo"}, becomes="Rome"),
        tv.Rule("note", 1, becomes="z"),
    ]
    if kind != "scalers upon scalers":  # there, grades are numbers
        rules.append(tv.Rule("grade", 1, pre={3, 4}, becomes=1))
    A = tv.Attacker(rules, 3)
    rows = X.iloc[:8]
    labels = np.where(y[:8] > 0, 1, -1) if isinstance(model[-1], IsolationForest) else y[:8]
    found = tv.attack(model, rows, labels, A, "margin")
    tried = tv.attack(model, rows, labels, A, "margin", method="exhaustive")
    assert found.exact.all()
    assert any(found.moves)
    assert found.losses == pytest.approx(tried.losses, abs=1e-9)
    assert found.scores == pytest.approx(own(model, found.X_adv), abs=1e-12)


def test_the_cost_of_evasion_is_that_of_plain_enumeration():
    X, y = table()
    model = MODELS["forest"]().fit(X, y)
    A = tv.Attacker([tv.Rule("a", 1, delta=(-0.3, 0.3)), tv.Rule("city", 1, becomes="Rome")], 3)
    rows = X.iloc[:25]
    costs, said = tv.evasion_cost(model, rows, A), model.predict(rows)
    assert 1 <= (costs < np.inf).sum() < len(rows)
    for b in (0, 1, 2, 3):
        tried = tv.attack(model, rows, said, A.with_budget(b), "margin", method="exhaustive").X_adv
        assert ((model.predict(tried) != said) == (costs <= b)).all()


@pytest.mark.parametrize("kind", ["histograms", "flags"])
def test_missing_values_go_where_the_pipeline_sends_them(kind):
    X, y = table()
    rng = np.random.default_rng(0)
    X["a"] = X["a"].mask(rng.random(len(X)) < 0.2)
    X["city"] = X["city"].mask(rng.random(len(X)) < 0.2)
    model = MODELS[kind]().fit(X, y)
    assert scores_in_common_form(model, X) == pytest.approx(own(model, X), abs=1e-9)
    A = tv.Attacker([tv.Rule("a", 1, delta=(-1, 1)), tv.Rule("city", 1, becomes="Oslo")], 2)
    found = tv.attack(model, X.iloc[:30], y[:30], A)
    assert found.scores == pytest.approx(own(model, found.X_adv), abs=1e-12)


def test_missing_values_pass_through_to_a_model_that_takes_them():
    X, y = table()
    X["a"] = X["a"].mask(np.random.default_rng(0).random(len(X)) < 0.2)
    for last in (HistGradientBoostingClassifier(max_iter=8), RandomForestClassifier(8)):
        model = make_pipeline(columns(StandardScaler(), sparse_output=False), last).fit(X, y)
        assert scores_in_common_form(model, X) == pytest.approx(own(model, X), abs=1e-9)


def test_tables_without_names_and_pipelines_without_steps():
    X, y = table()
    M = X[list(NUMBERS)].to_numpy()
    for model in (
        make_pipeline(RandomForestClassifier(8)),
        make_pipeline(StandardScaler(), RandomForestClassifier(8)),
    ):
        model.fit(M, y)
        assert scores_in_common_form(model, M) == pytest.approx(own(model, M))
    mixed = X.drop(columns="note").to_numpy(dtype=object)
    encoder = make_column_transformer(
        (OneHotEncoder(), [1]), (OrdinalEncoder(), [3]), (StandardScaler(), [0, 2, 4])
    )
    model = make_pipeline(encoder, RandomForestClassifier(8)).fit(mixed, y)
    A = tv.Attacker([tv.Rule(1, 1, becomes="Rome"), tv.Rule(0, 1, delta=(-1, 1))], 2)
    found = tv.attack(model, mixed[:20], y[:20], A)
    tried = tv.attack(model, mixed[:20], y[:20], A, method="exhaustive")
    assert found.losses == pytest.approx(tried.losses)


def test_a_category_that_no_encoder_knows():
    """An encoder that takes it has its own answer; one that does not is no way for the attacker."""
    X, y = table()
    A = tv.Attacker([tv.Rule("city", 1, becomes="Paris")], 1)
    takes = make_pipeline(columns(StandardScaler()), RandomForestClassifier(8, random_state=0)).fit(X, y)
    found = tv.attack(takes, X.iloc[:20], y[:20], A)
    assert any(found.moves)
    assert found.losses == pytest.approx(tv.attack(takes, X[:20], y[:20], A, method="exhaustive").losses)
    refuses = make_pipeline(columns(StandardScaler(), handle_unknown="error"), RandomForestClassifier(8))
    with pytest.raises(ValueError, match=r"into 'Paris', a category the model does not know"):
        tv.attack(refuses.fit(X, y), X, y, A)


def test_a_table_without_rows():
    X, y = table()
    model = MODELS["forest"]().fit(X, y)
    assert len(tv.evasion_cost(model, X.iloc[:0], tv.Attacker([tv.Rule("a", 1, delta=(0, 1))], 1))) == 0


def fitted(*steps, on=NUMBERS, kind=float):
    X, y = table()
    X = X[list(on)].astype(kind)
    return make_pipeline(*steps, RandomForestClassifier(2)).fit(X, y), X


def unsuitable():
    yield lambda: fitted(PCA(2)), r"step 'pca' of the pipeline \(PCA\) cannot be undone: it mixes columns"
    yield lambda: fitted(Normalizer()), "it mixes columns"
    yield lambda: fitted(QuantileTransformer(n_quantiles=9)), "rounding may turn the order"
    yield lambda: fitted(FunctionTransformer(np.negative)), "not known to keep"
    yield lambda: fitted(StandardScaler(), KBinsDiscretizer()), "'kbinsdiscretizer'.*KBinsDiscretizer"
    yield lambda: fitted(StandardScaler(), OrdinalEncoder()), "'ordinalencoder'.*scaled before"
    yield lambda: fitted(SimpleImputer(missing_values=3.0)), "column 'b c'.*fills in for 3.0|column 'a'"
    yield lambda: fitted(StandardScaler(), kind=np.float32), "column 'a' has numbers of 32 bits.*'standard"
    inside = make_column_transformer((make_pipeline(StandardScaler(), PCA(1)), ["a", "d"]))
    yield lambda: fitted(inside), "step 'columntransformer__pipeline__pca'"
    weights = make_column_transformer((StandardScaler(), ["a", "d"]))
    weights.set_params(transformer_weights={"standardscaler": -1.0})
    yield lambda: fitted(weights), "weight -1, which turns the order around"
    yield lambda: (make_pipeline(StandardScaler(), RandomForestClassifier()), table()[0]), "not fitted"
    yield lambda: (fitted(StandardScaler())[0], table()[0]), "X has"
    yield lambda: (fitted(StandardScaler())[0], table()[0][["a", "d", "b c"]]), "in this order"


@pytest.mark.parametrize(("make", "match"), list(unsuitable()))
def test_steps_that_cannot_be_undone_are_refused_by_name(make, match):
    model, X = make()
    with pytest.raises(ValueError, match=match):
        common_form(model, X)


def test_missing_values_that_nobody_takes_and_kinds_of_them_that_are_told_apart():
    X, y = table()
    some = X["city"].astype(object).where(np.arange(len(X)) % 5 > 0, None)
    some[1] = np.nan
    encoder = make_column_transformer((OneHotEncoder(), ["city"]), remainder="drop")
    model = make_pipeline(encoder, RandomForestClassifier(2)).fit(X.assign(city=some), y)
    with pytest.raises(ValueError, match="tells apart kinds of missing values"):
        common_form(model, X.assign(city=some))


def test_a_numeric_rule_on_a_column_that_is_encoded_is_refused():
    X, y = table()
    model = MODELS["forest"]().fit(X, y)
    with pytest.raises(ValueError, match="grade"):
        tv.attack(model, X, y, tv.Attacker([tv.Rule("grade", 1, delta=(0, 1))], 1))
