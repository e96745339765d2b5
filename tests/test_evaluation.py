"""Measures against scikit-learn and by hand, security curves, bootstrap intervals, McNemar's test."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import treant_viz as tv
from treant_viz.evaluation import (
    METRICS,
    Judged,
    correct_under_attack,
    evaluate,
    mcnemar,
    security_curve,
    worst_scores,
)

BUDGETS = [0, 1, 2, 3, 5]


@pytest.fixture(scope="module")
def case():
    """120 rows, two attacked columns of numbers, one of categories."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.normal(size=120), "b": rng.normal(size=120), "c": rng.choice(["u", "v", "w"], 120)}
    )
    y = (X.a + 0.5 * X.b + (X.c == "u") + rng.normal(scale=0.5, size=120) > 0.4).astype(int).to_numpy()
    rules = [
        tv.Rule("a", 1, delta=(-0.3, 0.3)),
        tv.Rule("b", 2, delta=(-0.5, 0)),
        tv.Rule("c", 2, pre={"u"}, becomes="v"),
    ]
    return X, y, tv.Attacker(rules, 3)


@pytest.fixture(scope="module")
def models(case):
    X, y, A = case
    options = {"loss": "sse", "random_state": 0, "n_estimators": 5, "max_depth": 4}
    return {
        "robust": tv.TreantForestClassifier(attacker=A, **options).fit(X, y),
        "plain": tv.TreantForestClassifier(attacker=None, **options).fit(X, y),
    }


def by_hand(judged: Judged) -> tuple[float, float, float]:
    """scikit-learn's word on the same scores."""
    said = judged.scores >= judged.threshold
    f1 = f1_score(judged.positive, said, average="macro", zero_division=0)
    return accuracy_score(judged.positive, said), f1, roc_auc_score(judged.positive, judged.scores)


@pytest.mark.parametrize("seed", range(30))
def test_measures_are_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    scores = rng.integers(0, rng.integers(1, 12) + 1, size=n) / 10  # many ties, some at the threshold
    positive = np.r_[True, False, rng.random(n - 2) < rng.random()]
    judged = Judged(scores, positive, float(rng.choice([0.0, 0.5])))
    assert list(judged.measures()) == list(METRICS)
    np.testing.assert_allclose(list(judged.measures().values()), by_hand(judged), rtol=0, atol=1e-14)


def test_measures_by_hand():
    """Rows 0, 2 and 3 count as positive, 0 and 3 are. Of four pairs three are in order, one is tied."""
    judged = Judged(np.array([0.9, 0.1, 0.5, 0.5]), np.array([True, False, False, True]), 0.5)
    assert judged.correct.tolist() == [True, True, False, True]
    accuracy, f1, auc = judged.measures().values()
    assert accuracy == 0.75
    assert f1 == pytest.approx((2 * 2 / 5 + 2 * 1 / 3) / 2)
    assert auc == (1 + 1 + 1 + 0.5) / 4


def test_rows_of_one_class_have_no_roc_auc_and_the_f1_of_what_there_is():
    judged = Judged(np.array([0.9, 0.8]), np.array([True, True]), 0.5)
    accuracy, f1, auc = judged.measures().values()
    assert (accuracy, f1) == (1.0, f1_score([1, 1], [1, 1], average="macro"))
    assert np.isnan(auc)


def test_a_resample_is_worth_its_repeated_rows():
    rng = np.random.default_rng(1)
    judged = Judged(rng.integers(0, 10, 50) / 10, rng.random(50) < 0.4, 0.5)
    times = rng.integers(0, 4, (6, 50))
    for t, found in zip(times, judged.resampled(times.astype(float))):
        repeated = Judged(np.repeat(judged.scores, t), np.repeat(judged.positive, t), 0.5)
        np.testing.assert_allclose(found, by_hand(repeated), atol=1e-14)


def test_budget_zero_is_the_clean_score_exactly(case, models):
    X, y, A = case
    curve = security_curve(models, X, y, A, [0, 2], n_boot=0)
    for name, model in models.items():
        p = model.predict_proba(X)[:, 1]
        clean = worst_scores(model, X, y, A, [0])[0]
        np.testing.assert_array_equal(clean.scores, p)
        at_zero = curve[(curve.model == name) & (curve.budget == 0)].set_index("metric").value
        assert at_zero.to_dict() == evaluate(model, X, y) == evaluate(model, X, y, A.with_budget(0))
        assert at_zero["accuracy"] == model.score(X, y)
        assert at_zero["roc_auc"] == pytest.approx(roc_auc_score(y, p), abs=1e-14)


def test_the_curve_is_a_tidy_table_that_falls_with_the_budget(case, models):
    X, y, A = case
    curve = security_curve(models, X, y, A, BUDGETS, n_boot=50)
    assert list(curve.columns) == ["model", "budget", "metric", "value", "low", "high"]
    assert list(curve.model.unique()) == list(models) and list(curve.budget.unique()) == BUDGETS
    assert len(curve) == len(models) * len(BUDGETS) * len(METRICS)
    assert list(curve.metric[:3]) == list(METRICS)
    for _, line in curve.groupby(["model", "metric"]):
        assert line.value.is_monotonic_decreasing
        assert line.value.iloc[0] > line.value.iloc[-1]
    assert (curve.low <= curve.value).all() and (curve.value <= curve.high).all()


def test_one_run_serves_all_budgets(case, models):
    X, y, A = case
    together = worst_scores(models["plain"], X, y, A, BUDGETS)
    for b in BUDGETS:
        alone = tv.attack(models["plain"], X, y, A.with_budget(b), "margin").scores
        np.testing.assert_allclose(together[b].scores, alone, atol=1e-12)


def test_worst_scores_go_down_for_positives_and_up_for_negatives(case, models):
    X, y, A = case
    clean, worst = (worst_scores(models["plain"], X, y, A, [0, 5])[b].scores for b in (0, 5))
    assert (worst[y == 1] <= clean[y == 1]).all() and (worst[y == 0] >= clean[y == 0]).all()


def test_a_single_model_goes_by_the_name_of_its_class(case, models):
    X, y, A = case
    curve = security_curve(models["plain"], X, y, A, [1, 0, 1], n_boot=0)
    assert curve.model.unique().tolist() == ["TreantForestClassifier"]
    assert curve.budget.tolist() == [1, 1, 1, 0, 0, 0]
    assert curve.low.isna().all() and curve.high.isna().all()


def test_any_two_labels_and_other_models(case):
    X, y, A = case
    numbers, words = X[["a", "b"]], np.where(y == 1, "yes", "no")
    A = tv.Attacker([r for r in A.rules if r.feature != "c"], 3)
    for model in (
        DecisionTreeClassifier(max_depth=3, random_state=0),
        RandomForestClassifier(5, random_state=0),
    ):
        model.fit(numbers, words)
        found = evaluate(model, numbers, words)
        assert found["roc_auc"] == pytest.approx(roc_auc_score(y, model.predict_proba(numbers)[:, 1]))
        assert evaluate(model, numbers, words, A)["accuracy"] < found["accuracy"]


def test_the_threshold_is_zero_for_labels_minus_one_and_one(case):
    lgb = pytest.importorskip("lightgbm")
    X, y, _ = case
    M = X[["a", "b"]].to_numpy()
    options = {"objective": "regression", "verbosity": -1, "num_threads": 1}
    for labels, threshold in ((2 * y - 1, 0.0), (y, 0.5)):
        booster = lgb.train(options, lgb.Dataset(M, labels), 10)
        judged = worst_scores(booster, M, labels, tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1), [0])[0]
        assert judged.threshold == threshold
        assert judged.correct.mean() == np.mean((booster.predict(M) >= threshold) == (y == 1))


def test_intervals_are_seeded_and_grow_with_the_level(case, models):
    X, y, A = case
    model = models["robust"]
    first, again, other, wide = (
        security_curve(model, X, y, A, [0, 2], n_boot=200, random_state=s, level=level)
        for s, level in ((0, 0.9), (0, 0.9), (1, 0.9), (0, 0.99))
    )
    pd.testing.assert_frame_equal(first, again)
    assert not first[["low", "high"]].equals(other[["low", "high"]])
    assert (first.value == other.value).all()
    assert ((wide.low <= first.low) & (wide.high >= first.high)).all()


def test_the_interval_of_an_accuracy_is_the_binomial_one():
    rng = np.random.default_rng(0)
    judged = Judged(rng.random(400), rng.random(400) < 0.5, 0.5)
    resamples = np.array([np.bincount(rng.integers(400, size=400), minlength=400) for _ in range(4000)])
    _, value, low, high = judged.lines(resamples, 0.95)[0]
    half = 1.96 * np.sqrt(value * (1 - value) / 400)
    assert (low, high) == (pytest.approx(value - half, abs=0.006), pytest.approx(value + half, abs=0.006))


def test_mcnemar_by_hand_and_by_scipy():
    """Only a is right in 9 rows, only b in 2: (|9 - 2| - 1)^2 / 11."""
    a = np.r_[np.ones(9), np.zeros(2), np.ones(30), np.zeros(5)].astype(bool)
    b = np.r_[np.zeros(9), np.ones(2), np.ones(30), np.zeros(5)].astype(bool)
    statistic, p_value = mcnemar(a, b)
    assert statistic == pytest.approx(36 / 11)
    assert p_value == pytest.approx(1 - chi2.cdf(36 / 11, df=1))
    assert mcnemar(b, a) == (statistic, p_value)


def test_mcnemar_sees_no_difference_where_there_is_none():
    assert mcnemar([True, False], [True, False]) == (0.0, 1.0)
    assert mcnemar([True, False], [False, True]) == (0.0, 1.0)  # not 1/2: a correction must not overshoot
    statistic, p_value = mcnemar([True, True, False], [False, False, True])
    assert (statistic, p_value) == (0.0, 1.0)
    with pytest.raises(ValueError, match=r"one length, got \(2,\) and \(1,\)"):
        mcnemar([True, False], [True])


def test_correctness_under_attack_is_what_the_accuracy_counts(case, models):
    X, y, A = case
    correct = {name: correct_under_attack(m, X, y, A) for name, m in models.items()}
    for name, m in models.items():
        assert correct[name].mean() == evaluate(m, X, y, A)["accuracy"]
    assert 0 <= mcnemar(correct["robust"], correct["plain"]).p_value <= 1


def test_progress_reaches_the_end(case, models, capsys):
    X, y, A = case
    seen = []
    security_curve(models, X, y, A, [3], n_boot=0, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen) and seen[-1] == (2 * len(X), 2 * len(X))
    security_curve(models, X, y, A, [3], n_boot=0, progress=True)
    assert f"{2 * len(X)}/{2 * len(X)}" in capsys.readouterr().err
    security_curve(models, X, y, A, [3], n_boot=0)
    assert capsys.readouterr().err == ""


def test_an_infinite_budget_is_a_budget(case, models):
    X, y, A = case
    curve = security_curve(models["plain"], X, y, A, [5, np.inf], n_boot=0)
    assert curve.value.iloc[3] <= curve.value.iloc[0]


def test_bad_input_is_refused_by_name(case, models):
    X, y, A = case
    with pytest.raises(ValueError, match="X: expected at least one row"):
        security_curve(models, X.iloc[:0], y[:0], A, [1])
    with pytest.raises(ValueError, match="X: expected at least one row"):
        evaluate(models["plain"], X.iloc[:0], y[:0])
    with pytest.raises(ValueError, match="models: expected at least one"):
        security_curve({}, X, y, A, [1])
    with pytest.raises(ValueError, match="budgets: expected at least one"):
        security_curve(models, X, y, A, [])
    with pytest.raises(ValueError, match="n_boot"):
        security_curve(models, X, y, A, [1], n_boot=-1)
    with pytest.raises(ValueError, match="level"):
        security_curve(models, X, y, A, [1], level=95)
    with pytest.raises(ValueError, match="y: expected 120 labels"):
        evaluate(models["plain"], X, y[:-1], A)
    with pytest.raises(ValueError, match=r"a label is .*7"):
        evaluate(models["plain"], X, np.where(y == 1, 7, 0), A)
    with pytest.raises(ValueError, match=r"columns|feature names"):
        evaluate(models["plain"], X[["b", "a", "c"]], y, A)
    with pytest.raises(ValueError, match="y: expected labels 0/1 or -1/"):
        evaluate(tv.Leaf(0.5), X, y + 1)
    with pytest.raises((TypeError, ValueError), match="fitted"):
        evaluate(tv.TreantClassifier(), X, y)
