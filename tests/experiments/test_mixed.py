"""Mixed forests by the share of their robust trees: grown once, taken apart, stored, told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.cli import main as cli
from treant_viz.experiments.jobs import load
from treant_viz.experiments.mixed import counts, measure, mixture, run_mixed
from treant_viz.experiments.report.mixed import mixed as told
from treant_viz.experiments.schema import METRICS, MIXED, MIXED_FILE, Job, Scale
from treant_viz.experiments.store import Store

TINY = Scale(trees=3, rows=150, n_boot=0)
JOB = Job("wine", "authors", "mixed", 120, 1)
RESULTS = Path(__file__).parents[2] / "figures" / "results"


def quiet(*about) -> None:
    """No progress."""


def forest(share: float, seed: int = 4, n: int = 5) -> tv.MixedForestClassifier:
    data = load("wine", "authors", 150)
    model = tv.MixedForestClassifier(n, share, attacker=data.attacker, loss="sse", random_state=seed)
    return model.fit(data.X_train, data.y_train)


@pytest.mark.parametrize("robust", range(6))
def test_a_mixture_is_what_fitting_with_its_share_gives(robust: int):
    X = load("wine", "authors", 150).X_test
    part, fitted = mixture(forest(1.0), forest(0.0), robust), forest(robust / 5)
    assert part.predict_proba(X).tolist() == fitted.predict_proba(X).tolist()
    assert part.tree_weights_.tolist() == fitted.tree_weights_.tolist()
    assert [m.attacker for m in part.estimators_] == [m.attacker for m in fitted.estimators_]


def test_the_numbers_are_those_of_evaluate():
    """On all rows, and on those without a twin (of whole tables, where there are some)."""
    whole = Scale(trees=2, n_boot=0)
    data = load("wine", "authors", None)
    model = tv.MixedForestClassifier(2, 0.5, attacker=data.attacker, loss="sse", random_state=1)
    model.fit(data.X_train, data.y_train)
    found = {(r["robust_trees"], r["rows"], r["test_budget"]): r for r in measure(JOB, whole)}
    few = data.without_twins()
    for rows, X, y in (("all", data.X_test, data.y_test), ("no twins", few.X_test, few.y_test)):
        for budget in (0, 120):
            expected = tv.evaluate(model, X, y, data.attacker.with_budget(budget))
            assert {m: found[1, rows, budget][m] for m in METRICS} == pytest.approx(expected)
            assert found[1, rows, budget]["n_rows"] == len(y)


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    store = Store(tmp_path)

    def stop(*about) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_mixed(["wine", "credit"], [0, 1], store, TINY, 1, stop)
    assert run_mixed(["wine", "credit"], [0, 1], store, TINY, 1, quiet) == (3, 4)
    assert run_mixed(["wine", "credit"], [0, 1], store, TINY, 1, quiet) == (0, 4)
    table = store.frame(MIXED_FILE, MIXED)
    assert len(table) == 4 * len(counts(3)) * 2 * 2
    whole = Store(tmp_path / "whole")
    run_mixed(["wine", "credit"], [0, 1], whole, TINY, 1, quiet)
    times = ["fit_seconds", "attack_seconds"]
    expected = whole.frame(MIXED_FILE, MIXED).drop(columns=times)
    pd.testing.assert_frame_equal(table.drop(columns=times), expected, check_exact=True)
    with pytest.raises(ValueError, match=r"holds results of 3 trees.*for 100 trees"):
        run_mixed(["wine"], [0], store, Scale(), 1, quiet)


@pytest.mark.parametrize(
    ("column", "text", "message"),
    [
        ("robust_trees", "-1", "column robust_trees: expected a whole number"),
        ("roc_auc", "2.0", "column roc_auc: expected a number from 0 to 1"),
        ("method", "tree", "column method: expected one of rf"),
        ("robust_trees", "1", "a result appears more than once"),
        ("robust_trees", "4", "column trees: expected at least one, and no fewer than are robust"),
        ("trees", "0", "column trees: expected at least one"),
        ("rows", "some", "column rows: expected one of all, no twins"),
    ],
)
def test_damaged_results_are_refused(column: str, text: str, message: str, tmp_path):
    store = Store(tmp_path)
    store.extend(MIXED_FILE, MIXED, measure(JOB, TINY))
    table = pd.read_csv(tmp_path / MIXED_FILE).astype(str)
    table.loc[0, column] = text
    table.to_csv(tmp_path / MIXED_FILE, index=False)
    with pytest.raises(ValueError, match=message):
        store.lines(MIXED_FILE, MIXED)


def test_the_command(tmp_path, capsys):
    argv = ["experiments", "--mixed", "--quick", "--seeds", "0", "1", "--jobs", "1", "--out", str(tmp_path)]
    assert cli.main(argv) == cli.main(argv) == 0
    assert "0 forests taken apart, 2 were there already" in capsys.readouterr().out.splitlines()[-1]
    for extra in (["--regression"], ["--dask", "tcp://x:1"], ["--protocol", "paper"], ["--budgets", "20"]):
        assert cli.main([*argv, *extra]) == 2
        assert "--mixed goes with --dataset, --seeds" in capsys.readouterr().err


def test_the_audit_tells_the_front(tmp_path):
    """Means over two seeds; 50 % is behind 100 % by both measures, and is not on the front."""
    store = Store(tmp_path)
    assert list(told(store)) == []
    values = {0: (0.9, 0.5), 1: (0.6, 0.6), 2: (0.8, 0.7)}
    about = {"fit_seconds": 1, "attack_seconds": 1, "scale": "s", "versions": "v", "rows": "all", "n_rows": 9}
    for seed, more in ((0, 0.0), (1, 0.02)):
        store.extend(
            MIXED_FILE,
            MIXED,
            [
                {"dataset": "wine", "method": "mixed", "train_budget": 120, "seed": seed, "trees": 2}
                | {"robust_trees": n, "test_budget": b}
                | dict.fromkeys(METRICS, pair[b > 0] + more)
                | about
                for n, pair in values.items()
                for b in (0, 120)
            ],
        )
    lines = list(told(store))
    assert "| data | rows | seeds | 0 % robust | 50 % robust | 100 % robust | front |" in lines[4]
    row = "| wine | all | 2 | 0.910 / 0.510 | 0.610 / 0.610 | 0.810 / 0.710 | 0 %, 100 % |"
    assert row in "\n".join(lines)
    assert "Standard trees alone are on 1 of 1 fronts, robust trees alone on 1." in lines


def test_stored_mixtures_are_of_three_data_sets_and_five_seeds():
    table = Store(RESULTS).frame(MIXED_FILE, MIXED)
    for _, part in table.groupby(["dataset", "rows", "seed"]):
        assert sorted(set(part["robust_trees"])) == counts(100)
        wide = part.pivot(index="robust_trees", columns="test_budget", values="roc_auc")
        assert (np.diff(wide.to_numpy(), axis=1) <= 0).all(), "an attacker never helps"
    assert set(table["dataset"]) == {"wine", "credit", "census"} and set(table["seed"]) == set(range(5))
