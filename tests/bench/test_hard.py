"""Hard attacks beside veritas, and rows a second for every kind of model."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from treant_viz.bench import hard, rates
from treant_viz.bench.boxes import box_optimum
from treant_viz.datasets import load_census, load_wine


def test_hard_attacks_are_timed_beside_veritas_in_one_run() -> None:
    pytest.importorskip("veritas")
    data = load_wine("authors")
    X = data.X_train.to_numpy()
    forest = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, data.y_train)
    results = list(hard.bench_hard(forest, data, 3))
    assert [r.what for r in results] == [
        f"wine, {n} features by {share:g} standard deviations" for n, share in hard.LINES
    ]
    for r in results:
        assert r.value == pytest.approx(r.behind["veritas"] / r.behind["ours"])
        assert r.note.startswith("3 rows: ours solves 3 in")
        assert float(r.note.split("differ by up to ")[1].split()[0]) < 1e-6


def test_in_the_boxes_of_veritas_nothing_moves_that_must_not() -> None:
    """A box of a single point has the forest's own score, even where thresholds lie right beside it."""
    veritas = pytest.importorskip("veritas")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    forest = RandomForestClassifier(15, random_state=0).fit(X, X[:, 0] + X[:, 1] > 0)
    trees = veritas.get_addtree(forest, silent=True)
    cuts = [
        np.sort(np.concatenate([t.tree_.threshold[t.tree_.feature == f] for t in forest.estimators_]))
        for f in range(4)
    ]
    rows = [X[k].copy() for k in range(36)]
    for k, x in enumerate(rows):  # on a threshold in 32 bits, on its neighbours, and a little beside them
        short = np.float32(rng.choice(cuts[k % 4]))
        near = (short, np.nextafter(short, np.float32(-9)), np.nextafter(short, np.float32(9)))[k % 3]
        x[k % 4] = float(near) + 0.4 * (k // 12 - 1) * float(np.spacing(near))
    own = forest.predict_proba(np.array(rows))[:, 1]
    for x, score in zip(rows, own, strict=True):
        for least in (True, False):
            found = box_optimum(veritas, trees, x, {}, least=least)
            assert found / 15 + 0.5 == pytest.approx(score, abs=1e-6)


def test_veritas_gives_up_when_its_time_is_over() -> None:
    veritas = pytest.importorskip("veritas")
    data = load_wine("authors")
    X = data.X_train.to_numpy()
    forest = RandomForestClassifier(50, random_state=0).fit(X, data.y_train)
    trees_, box = veritas.get_addtree(forest, silent=True), dict.fromkeys(range(11), (0.0, 100.0))
    assert np.isnan(box_optimum(veritas, trees_, X[0], box, least=True, seconds=0.05))


def test_rows_a_second_are_counted_for_every_kind_of_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "PATIENCE", 100.0)  # by the clock on the wall, and others work as well
    data = {"wine": load_wine("authors"), "census": load_census("authors")}
    small = {k: replace(d, X_train=d.X_train[:300], y_train=d.y_train[:300]) for k, d in data.items()}
    results = list(rates.bench_rates(small, 2, 5, 1))
    kinds = [k for k in rates.KINDS if k != "LightGBM" or find_spec("lightgbm")]
    assert [r.what for r in results] == [f"{d}, {k}: rows a second" for d in data for k in kinds]
    assert all(r.value == r.behind["search"] > 0 and r.behind["milp"] > 0 for r in results)
