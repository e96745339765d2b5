"""The regression study: tuned on attacked validation rows, measured exactly, stored, taken up again, told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.cli import main as cli
from treant_viz.datasets.regression import load_diabetes, load_quality
from treant_viz.experiments import jobs, regression
from treant_viz.experiments.jobs import plan, run, run_job
from treant_viz.experiments.report.beyond import beyond
from treant_viz.experiments.report.regression import regression as told
from treant_viz.experiments.schema import COLUMNS_OF_REGRESSION, ERRORS, REGRESSORS, Job, Scale
from treant_viz.experiments.store import Store

TINY = Scale(trees=2, rows=120, n_boot=10)
TIMES = ["fit_seconds", "attack_seconds"]


def job(method: str, budget: int = 60, seed: int = 0, dataset: str = "diabetes") -> Job:
    return Job(dataset, "regression", method, budget if REGRESSORS[method].aware else 0, seed)


def test_the_plan_has_every_regressor():
    todo = plan(["quality", "diabetes"], ["regression"], None, None, [0])
    assert len(todo) == len(set(todo)) == 2 * (6 + 2 * 3)
    assert set(regression.LEARNERS) == set(REGRESSORS) == {j.method for j in todo}


@pytest.mark.parametrize("method", REGRESSORS)
def test_every_regressor_is_attacked_at_every_budget(method: str):
    records = run_job(job(method), TINY)
    assert [r["test_budget"] for r in records] == [0, 20, 60, 120]
    assert all(np.diff([r["rmse"] for r in records]) >= -1e-9), "a stronger attacker never helps"
    assert all(r["mae"] <= r["rmse"] and r["rmse_low"] <= r["rmse_high"] for r in records)
    assert all(r["n_rows"] == len(load_diabetes().y_test) for r in records)
    if method == "mean" or method.startswith("drop-"):
        assert len({round(r["rmse"], 9) for r in records}) == 1, "nothing to attack"


@pytest.mark.parametrize("method", ["forest", "drop-boosting", "treant-tree"])
def test_the_numbers_are_those_of_the_attack(method: str):
    data = jobs.load("diabetes", "regression", TINY.rows, False, 7)
    [clean, *_, worst] = run_job(job(method, 120, seed=7), TINY)
    params = {k: v for k, v in json.loads(clean["params"]).items() if k != "validation_rmse"}
    A = data.attacker if method == "treant-tree" else None
    model = regression.fitted(job(method, seed=7), A, params, data)
    found = tv.attack(model, data.X_test, data.y_test, data.attacker, "sse")
    assert worst["rmse"] == pytest.approx(np.sqrt(found.losses.mean()))
    assert worst["mae"] == pytest.approx(np.abs(data.y_test - model.predict(found.X_adv)).mean())
    assert clean["rmse"] == pytest.approx(np.sqrt(np.mean((data.y_test - model.predict(data.X_test)) ** 2)))


def test_the_mean_is_the_mean_of_the_training_labels():
    data = load_quality(2)
    [first, *_] = run_job(job("mean", dataset="quality", seed=2), Scale(trees=2, n_boot=2))
    assert first["rmse"] == pytest.approx(np.sqrt(np.mean((data.y_test - data.y_train.mean()) ** 2)))


def test_what_is_dropped_is_not_asked_for():
    data = load_diabetes()
    model = regression.fitted(job("drop-forest"), None, {"n_estimators": 5}, data)
    touched = [data.feature_names.index(f) for f in data.attacker.features]
    assert not {f for t in model.estimators_ for f in t.tree_.feature} & set(touched)


@pytest.mark.parametrize("method", ["tree", "treant-tree"])
def test_the_best_on_validation_rows_without_twins_is_kept(method: str):
    """Those who know the attacker are judged under attack, the others on clean rows."""
    data = load_quality()
    valid = data.without_twins()
    assert len(valid.y_valid) < 0.9 * len(data.y_valid)
    A = data.attacker if method == "treant-tree" else None
    one = job(method, 120, dataset="quality")
    scores = {}
    for params in regression.grid(method, 2):
        model = regression.fitted(one, A, params, data)
        said = model if A is None else tv.attack(model, valid.X_valid, valid.y_valid, A, "sse")
        predicted = said.predict(valid.X_valid) if A is None else said.scores
        scores[params["max_depth"]] = float(np.sqrt(np.mean((valid.y_valid - predicted) ** 2)))
    _, chosen = regression.tuned(one, 2, data)
    assert chosen["max_depth"] == min(scores, key=scores.get)
    assert chosen["validation_rmse"] == pytest.approx(min(scores.values()), abs=1e-6)


def test_every_seed_is_tuned_on_its_own_rows():
    """Test rows of this seed may be validation rows of another: parameters of seed 0 must not be taken."""
    known = {"max_depth": 3, "validation_rmse": 0.0}
    alone, given = (run_job(job("treant-tree", seed=1), TINY, params) for params in (None, known))
    assert alone[0]["params"] == given[0]["params"]


def test_quality_is_measured_with_and_without_twins():
    records = run_job(job("tree", dataset="quality"), Scale(trees=2, n_boot=2))
    assert [r["rows"] for r in records] == ["all"] * 4 + ["no twins"] * 4
    data = load_quality()
    few = int((~tv.twins(data.X_test, data.X_train)).sum())
    assert {(r["rows"], r["n_rows"]) for r in records} == {("all", 1300), ("no twins", few)}
    assert records[0]["rmse"] != records[4]["rmse"]


def test_results_are_stored_and_nothing_is_done_twice(tmp_path):
    store = Store(tmp_path)
    todo = plan(["diabetes"], ["regression"], ["tree", "treant-tree"], [20, 120], [0, 1])
    assert run(todo[:2], store, TINY) == 2
    assert run(todo, store, TINY) == 4
    assert run(todo, store, TINY) == 0
    assert [p.name for p in tmp_path.iterdir()] == ["regression-diabetes.csv"]
    table = pd.read_csv(tmp_path / "regression-diabetes.csv")
    assert len(table) == 6 * 4
    assert set(table["scale"]) == {"2 trees, 120 rows, 10 resamples"}
    assert "scikit-learn" in table["versions"][0]
    with pytest.raises(ValueError, match="holds results of 2 trees"):
        run(todo, store, Scale(trees=3))


def test_a_cluster_gives_the_same_numbers(tmp_path):
    distributed = pytest.importorskip("distributed")
    todo = plan(["diabetes"], ["regression"], ["tree", "treant-tree"], [20], [0, 1])
    here, there = Store(tmp_path / "a"), Store(tmp_path / "b")
    run(todo, here, TINY)
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        run(todo, there, TINY, dask=cluster.scheduler_address)
    a, b = (pd.read_csv(s.folder / "regression-diabetes.csv").drop(columns=TIMES) for s in (here, there))
    pd.testing.assert_frame_equal(a, b, check_exact=True)


@pytest.mark.parametrize(
    ("column", "text", "message"),
    [
        ("rmse", "-1.0", "column rmse: expected a number of at least 0"),
        ("mae", "nan", "column mae: expected a number"),
        ("method", "rf", "column method: expected one of mean, tree"),
    ],
)
def test_damaged_results_are_refused(column: str, text: str, message: str, tmp_path):
    store = Store(tmp_path)
    run([job("mean")], store, TINY)
    path = tmp_path / "regression-diabetes.csv"
    table = pd.read_csv(path).astype(str)
    table.loc[1, column] = text
    table.to_csv(path, index=False)
    with pytest.raises(ValueError, match=message):
        store.has(job("mean"), str(TINY))


def test_the_command(tmp_path, capsys):
    argv = ["experiments", "--regression", "--quick", "--methods", "tree", "mean", "--jobs", "1"]
    assert cli.main([*argv, "--out", str(tmp_path)]) == 0
    assert "4 models trained, 0 were there already" in capsys.readouterr().out
    names = sorted(p.name for p in (tmp_path / "quick").iterdir())
    assert names == ["regression-diabetes.csv", "regression-quality.csv"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--regression", "--dataset", "census"], "--dataset: census is not among quality, diabetes"),
        (["--dataset", "quality"], "--dataset: quality is not among census, wine, credit"),
        (["--regression", "--methods", "rf"], "--methods: unknown method 'rf'. There are mean: the mean"),
        (["--regression", "--distinct"], "--regression does without --distinct"),
        (["--regression", "--effects"], "--regression does without --distinct"),
    ],
)
def test_what_does_not_go_together_is_said(words: list[str], said: str, tmp_path, capsys):
    assert cli.main(["experiments", *words, "--out", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


def put(store: Store, method: str, rmse: dict[int, float], seed: int = 0) -> None:
    """Errors made up: a model at every test budget, trained for each of them if it knows the attacker."""
    for train in (20, 60, 120) if REGRESSORS[method].aware else (0,):
        about = {"fit_seconds": 1, "attack_seconds": 1, "params": "{}", "scale": "s", "versions": "v"}
        store.add(
            [
                job(method, train, seed, "quality")._asdict()
                | {"rows": "all", "test_budget": b, "n_rows": 9, "correct": ""}
                | dict.fromkeys(ERRORS, v + train / 10000 if REGRESSORS[method].aware else v)
                | about
                for b, v in rmse.items()
            ]
        )


def test_the_audit_tells_what_is_stored(tmp_path):
    store = Store(tmp_path)
    put(store, "mean", dict.fromkeys((0, 20, 60, 120), 0.85))
    put(store, "forest", {0: 0.70, 20: 0.72, 60: 0.8, 120: 0.95})
    for seed, least in enumerate((0.74, 0.76)):
        put(store, "drop-forest", dict.fromkeys((0, 20, 60, 120), 0.757), seed)
        put(store, "treant-forest", {0: 0.71, 20: 0.72, 60: 0.73, 120: least}, seed)
    lines = list(told(store))
    assert "| RF-TREANT | 0.722 ± 0.000 / 0.722 | 0.722 ± 0.000 / 0.722 |" in "\n".join(lines)
    assert "| 0.762 ± 0.014 / 0.762 |" in "\n".join(lines), "trained for 120, attacked with 120"
    assert (
        "Attacked with 120, forest, dropped is off least (0.757). Worse than predicting the mean: forest. "
        "RF-TREANT is better than forest, dropped in 1 of 2 splits; its error is 0.005 more on average."
    ) in lines
    text = "\n".join(lines)
    assert "a forest of TREANT trees" in text and REGRESSORS["boosting"].what not in text


def test_nothing_is_told_of_nothing(tmp_path):
    assert list(told(Store(tmp_path))) == []


RESULTS = Path(__file__).parents[2] / "figures" / "results"


def test_stored_results_are_made_again():
    """One model of each table, from its seed: the same numbers as those that are committed."""
    for dataset in ("quality", "diabetes"):
        table = Store(RESULTS).frame(f"regression-{dataset}.csv", COLUMNS_OF_REGRESSION)
        one = job("treant-tree", 120, 1, dataset)
        again = run_job(one, Scale(trees=50))
        mine = table[(table[list(Job._fields)] == pd.Series(one._asdict())).all(axis=1)]
        stored = mine.set_index(["rows", "test_budget"])["rmse"].to_dict()
        assert {(r["rows"], r["test_budget"]): r["rmse"] for r in again} == pytest.approx(stored, abs=1e-9)


def test_the_audit_has_them(tmp_path):
    text = "\n".join(beyond(Store(RESULTS)))
    assert "# Beyond the paper" in text and "## When labels are numbers" in text
