"""One model of the paper's evaluation, end to end on little data: training, tuning, attacking, measuring."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import treant_viz as tv
from treant_viz.datasets import BUDGETS
from treant_viz.experiments import jobs, tuning
from treant_viz.experiments.effects import below_eleven
from treant_viz.experiments.jobs import plan, run_job
from treant_viz.experiments.methods import make
from treant_viz.experiments.schema import DATASETS, METHODS, Job, Scale, unpacked
from treant_viz.experiments.store import Store

pytest.importorskip("lightgbm")
TINY = Scale(trees=3, rows=150, n_boot=10)


def test_the_plan_has_every_method_at_every_budget_once():
    todo = plan(DATASETS, ["authors"], None, None, [0])
    aware = [j for j in todo if METHODS[j.method].aware]
    assert len(todo) == len(set(todo)) == 3 * 2 + 5 * 14
    assert {j.train_budget for j in aware if j.dataset == "wine"} == set(BUDGETS["wine"])
    assert all(j.train_budget == 0 for j in todo if j not in aware)


def test_the_text_knows_no_slips_and_first_seeds_come_first():
    todo = plan(["wine"], ["paper", "authors"], None, [20, 120], [0, 1])
    assert "rt-slips" not in {j.method for j in todo if j.protocol == "paper"}
    assert [j.seed for j in todo] == sorted(j.seed for j in todo)
    assert {j.train_budget for j in todo if j.method == "treant"} == {20, 120}


@pytest.mark.parametrize("protocol", ["authors", "paper"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_trained_and_attacked_at_every_budget(method: str, protocol: str):
    budget = 60 if METHODS[method].aware else 0
    records = run_job(Job("wine", protocol, method, budget, 1), TINY)
    assert [r["test_budget"] for r in records] == [0, *BUDGETS["wine"]]
    assert all(np.diff([r["accuracy"] for r in records]) <= 1e-12)
    assert all(
        r["roc_auc_low"] <= r["roc_auc"] + 0.1 and 0 <= r["accuracy_low"] <= r["accuracy_high"] <= 1
        for r in records
    )
    clean = records[0]
    assert all(r[f"clean_{m}"] == clean[m] for r in records for m in ("accuracy", "macro_f1", "roc_auc"))
    assert "numpy" in clean["versions"]
    assert clean["scale"] == "3 trees, 150 rows, 10 resamples"
    same = [r for r in records if r["correct"]]
    assert [r["test_budget"] for r in same] == [budget]
    assert unpacked(same[0]["correct"], 150).mean() == pytest.approx(same[0]["accuracy"])


def test_the_numbers_are_those_of_evaluate():
    wine = tv.load_wine("authors")
    rows = slice(0, TINY.rows)
    A = wine.attacker.with_budget(40)
    model = tv.TreantForestClassifier(3, attacker=A, loss="sse", retest="none", random_state=7)
    model.fit(wine.X_train[rows], wine.y_train[rows])
    records = {r["test_budget"]: r for r in run_job(Job("wine", "authors", "treant-none", 40, 7), TINY)}
    for budget in (0, 40, 120):
        expected = tv.evaluate(model, wine.X_test[rows], wine.y_test[rows], wine.attacker.with_budget(budget))
        assert {k: records[budget][k] for k in expected} == expected


@pytest.mark.parametrize("method", ["drop-rf", "drop-gbdt"])
def test_what_cannot_be_attacked_is_the_same_at_every_budget(method: str):
    records = run_job(Job("wine", "authors", method, 0, 0), TINY)
    assert len({r["roc_auc"] for r in records}) == len({r["accuracy"] for r in records}) == 1


def test_a_boosted_model_is_trained_for_its_budget():
    wine = tv.load_wine("authors")
    rows, A = slice(0, TINY.rows), wine.attacker.with_budget(40)
    model = tv.TreantBoostClassifier(3, attacker=A, random_state=7).fit(
        wine.X_train[rows], wine.y_train[rows]
    )
    records = {r["test_budget"]: r for r in run_job(Job("wine", "authors", "treant-boost", 40, 7), TINY)}
    expected = tv.evaluate(model, wine.X_test[rows], wine.y_test[rows], A)
    assert {k: records[40][k] for k in expected} == expected


def test_without_twins_models_are_the_same_and_are_judged_on_fewer_rows():
    wine = tv.load_wine("authors")
    every = Scale(trees=3, n_boot=5)
    job = Job("wine", "authors", "drop-rf", 0, 0)
    [all_rows, *_], [distinct, *_] = (
        run_job(job, s) for s in (every, Scale(trees=3, n_boot=5, distinct=True))
    )
    assert (all_rows["scale"], distinct["scale"]) == (
        "3 trees, all rows, 5 resamples",
        "3 trees, all rows without twins, 5 resamples",
    )
    right = unpacked(all_rows["correct"], len(wine.y_test))
    kept = ~tv.twins(wine.X_test, wine.X_train)
    assert unpacked(distinct["correct"], int(kept.sum())).tolist() == right[kept].tolist()
    assert distinct["accuracy"] == pytest.approx(right[kept].mean())
    assert distinct["params"] == all_rows["params"]


def test_parameters_are_kept_as_json_without_the_attacker():
    [first, *_] = run_job(Job("wine", "authors", "ab", 20, 0), TINY)
    params = json.loads(first["params"])
    assert params["learning_rate"] == 0.05
    assert params["num_leaves"] == 256
    assert 1 <= params["best_round"] <= 3
    assert not {"attacker", "random_state", "n_jobs"} & set(params)


@pytest.fixture(scope="module")
def wine():
    return jobs.load("wine", "paper", 300)


def test_the_grid_is_the_papers():
    assert len(list(tuning.grid("gbdt"))) == 9
    assert [g["num_leaves"] for g in tuning.grid("rf")] == [8, 32, 256]
    assert [g["max_depth"] for g in tuning.grid("treant")] == [3, 5, 8]
    for ensemble, depths in (("forest", (3, 5, 8, 12, 20)), ("boosted", (4, 6))):
        tried = [tuple(g.values()) for g in tuning.grid("treant-tuned", ensemble)]
        assert tried == [(ensemble, d, share) for d in depths for share in (0.4, 0.8)]


@pytest.mark.parametrize("method", ["gbdt", "treant"])
def test_the_best_of_the_grid_is_kept(wine, method: str):
    A = wine.attacker.with_budget(40)
    tried = [t for p in tuning.grid(method) for t in tuning.judged(method, wine, A, 0, 30, p)]
    best = tuning.tune(method, wine, A, 0, 30)
    assert best.score == max(t.score for t in tried)
    assert best.params == next(t.params for t in tried if t.score == best.score)


@pytest.mark.parametrize("method", ["gbdt", "rf", "treant", "rt", "drop-gbdt", "treant-boost", "mixed"])
def test_the_tuned_model_is_the_one_that_its_parameters_give(wine, method: str):
    A = wine.attacker.with_budget(40)
    tuned = tuning.tune(method, wine, A, 3, 30)
    again = make(method, A, 3, **tuned.params).fit(wine.X_train, wine.y_train)
    assert tuned.model.predict_proba(wine.X_test) == pytest.approx(
        again.predict_proba(wine.X_test), abs=1e-12
    )
    budget = A if METHODS[method].aware else None
    assert tuned.score == pytest.approx(
        tv.evaluate(again, wine.X_valid, wine.y_valid, budget)["roc_auc"], abs=1e-9
    )


def test_adversarial_boosting_is_tuned_one_parameter_at_a_time(wine, monkeypatch):
    """Scores made up: 32 leaves are best, then the rate 0.1."""
    tried = []

    def judged(method, data, attacker, seed, trees, params):
        tried.append((params["num_leaves"], params["learning_rate"]))
        yield tuning.Tuned(
            None, params, {8: 0.1, 32: 0.3, 256: 0.2}[params["num_leaves"]] + params["learning_rate"]
        )

    monkeypatch.setattr(tuning, "judged", judged)
    best = tuning.tune("ab", wine, wine.attacker, 0, 5)
    assert tried == [(8, 0.05), (32, 0.05), (256, 0.05), (32, 0.01), (32, 0.1)]
    assert best.params == {"num_leaves": 32, "learning_rate": 0.1}


def test_adversarial_boosting_keeps_the_round_with_the_best_auc_of_attacked_rows(wine):
    """Every round, the first too, is judged by attacks on its own model: older attacks would flatter it."""
    A = wine.attacker.with_budget(40)
    model = make("ab", A, 0, n_estimators=6, criterion="roc_auc")
    model.fit(wine.X_train, wine.y_train, wine.X_valid, wine.y_valid)
    assert model.best_round_ == int(np.argmin(model.valid_losses_)) + 1
    for n in (1, 3, 6):
        part = make("ab", A, 0, n_estimators=n).fit(wine.X_train, wine.y_train)
        attacked = tv.evaluate(part, wine.X_valid, wine.y_valid, A)["roc_auc"]
        assert model.valid_losses_[n - 1] == pytest.approx(1 - attacked, abs=1e-9)


def test_other_seeds_take_what_was_tuned_with_seed_0_whether_it_is_known_or_not(monkeypatch):
    seed_0 = run_job(Job("wine", "paper", "treant", 40, 0), TINY)[0]["params"]
    alone = run_job(Job("wine", "paper", "treant", 40, 5), TINY)
    monkeypatch.setattr(jobs, "tune", None)  # known parameters are not tuned again
    told = run_job(Job("wine", "paper", "treant", 40, 5), TINY, json.loads(seed_0))
    assert alone[0]["params"] == told[0]["params"] == seed_0
    assert [r["roc_auc"] for r in alone] == [r["roc_auc"] for r in told]


@pytest.fixture
def short(monkeypatch):
    """A grid of two forests and a boosted model, that tests need not wait for deep trees."""
    monkeypatch.setattr(tuning, "DEEPER", (2, 12))
    monkeypatch.setattr(tuning, "BOOSTED", (3,))
    monkeypatch.setattr(tuning, "FEW", 1)
    monkeypatch.setattr(tuning, "FEATURES", (0.4,))


def test_treant_is_tuned_on_attacked_validation_rows_without_twins(short):
    """The whole of wine's training rows, lest the twins of its first rows be somewhere else."""
    wine = tv.load_wine("authors")
    known = tv.twins(wine.X_valid, wine.X_train)
    assert 0.1 < known.mean() < 0.4
    A = wine.attacker.with_budget(120)
    tuned = tuning.tune("treant-tuned", wine, A, 0, 2)

    def mean(ensemble, depth, trees):
        kinds = {"forest": tv.TreantForestClassifier, "boosted": tv.TreantBoostClassifier}
        options = {"max_depth": depth, "max_features": 0.4, "loss": "sse", "random_state": 0}
        model = kinds[ensemble](trees, attacker=A, **options).fit(wine.X_train, wine.y_train)
        return np.mean([*tv.evaluate(model, wine.X_valid[~known], wine.y_valid[~known], A).values()])

    depth = max((2, 12), key=lambda d: mean("forest", d, 1))
    judged = {("forest", depth): mean("forest", depth, 2), ("boosted", 3): mean("boosted", 3, 2)}
    ensemble, depth = max(judged, key=judged.get)
    chosen = {"ensemble": ensemble, "max_depth": depth, "max_features": 0.4, "n_estimators": 2}
    assert tuned.params == chosen
    assert tuned.score == pytest.approx(judged[ensemble, depth], abs=1e-12)
    again = make("treant-tuned", A, 0, **chosen).fit(wine.X_train, wine.y_train)
    assert (tuned.model.predict_proba(wine.X_test) == again.predict_proba(wine.X_test)).all()


@pytest.mark.parametrize("protocol", ["authors", "paper"])
def test_treant_is_tuned_once_under_both_protocols(short, protocol: str, monkeypatch):
    job = Job("wine", protocol, "treant-tuned", 40, 0)
    first = run_job(job, TINY)
    params = json.loads(first[0]["params"])
    assert set(params) == {
        "loss", "retest", "ensemble", "max_depth", "max_features", "n_estimators", "validation_mean",
    }  # fmt: skip
    monkeypatch.setattr(jobs, "tune", None)
    other = run_job(job._replace(seed=1), TINY, params)
    assert other[0]["params"] == first[0]["params"]


def test_treant_is_tuned_once_for_all_test_rows_and_for_those_without_twins(short, monkeypatch, tmp_path):
    """It is tuned without twins anyway; tuned again, both must come to the same parameters."""
    job = Job("wine", "authors", "treant-tuned", 40, 0)
    every = Scale(trees=2, n_boot=5)
    distinct = replace(every, distinct=True)
    alone = json.loads(run_job(job, distinct)[0]["params"])
    jobs.run([job], Store(tmp_path), every)
    monkeypatch.setattr(jobs, "tune", None)  # nothing is left to tune
    jobs.run([job], Store(tmp_path / "distinct"), distinct)
    assert Store(tmp_path / "distinct").params(job) == Store(tmp_path).params(job) == alone
    for file in tmp_path.glob("*.csv"):
        file.unlink()
    jobs.run([job], Store(tmp_path), every)  # and the other way round
    assert Store(tmp_path).params(job) == alone


def test_an_unknown_criterion_is_refused(wine):
    with pytest.raises(ValueError, match="criterion"):
        make("ab", None, 0, criterion="f1").fit(wine.X_train, wine.y_train)


def test_a_rule_for_less_than_eleven_leaves_eleven_alone():
    """10.8 goes to just below 11 first, then up by 0.5; 11 itself cannot be changed."""
    wine = tv.load_wine("authors")
    strict = below_eleven(wine).attacker
    assert wine.attacker.reachable("alcohol", 11.0, budget=20)[-1].high == 11.5
    assert strict.reachable("alcohol", 11.0) == ((11.0, 11.0),)
    assert 11.49 < strict.reachable("alcohol", 10.8)[-1].high < 11.5
    assert strict.rules[1:] == wine.attacker.rules[1:]
    assert strict.budget == wine.attacker.budget
