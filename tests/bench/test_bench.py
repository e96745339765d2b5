"""The measurements on tiny sizes, and the generated data at its full size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import treant_viz as tv
from treant_viz.bench import measure, trees
from treant_viz.bench import run as bench
from treant_viz.bench.run import Result, Workload
from treant_viz.bench.synthetic import (
    census_like,
)
from treant_viz.datasets import Dataset, load_census

TINY = Workload(
    rounds=1, wine_rows=400, census_rows=500, all_budgets=False, candidates=2, wine_trees=4, census_trees=0,
    loops=2, forest_rounds=1, scaling_rows=(200, 400), scaling_rounds=1, starts=1, attack_trees=3,
    attack_rows=10, milp_rows=1, attack_growth=(2, 3), boosting_rounds=2,
)  # fmt: skip


class Clock:
    """A clock that work moves forward."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, *seconds: float) -> Callable[[], None]:
        """Work that takes so long the first time, so long the second time, ..."""
        turns = iter(seconds)

        def run() -> None:
            self.now += next(turns)

        return run


def test_the_best_round_of_each_contender_counts() -> None:
    clock = Clock()
    times = measure.interleaved({"a": clock.work(5, 2, 3), "b": clock.work(1, 4, 9)}, 3, clock)
    assert times == {"a": 2, "b": 1}


def test_contenders_take_turns_and_another_one_begins_each_round() -> None:
    order: list[str] = []
    measure.interleaved({name: lambda name=name: order.append(name) for name in "abc"}, 3)
    assert "".join(order) == "abc" + "bca" + "cab"


def test_ratios_come_from_both_timings() -> None:
    assert measure.ratios({"peer": 0.5, "slow": 2.0, "fast": 0.25}, "peer") == {"slow": 4.0, "fast": 0.5}


@pytest.mark.parametrize("power", [0.5, 1.0, 1.37, 2.0])
def test_the_exponent_of_made_up_timings(power: float) -> None:
    sizes = [5_000, 10_000, 20_000, 40_000, 80_000]
    assert measure.exponent(sizes, [3e-6 * n**power for n in sizes]) == pytest.approx(power)


@pytest.mark.parametrize(
    ("sense", "bound", "ok"),
    [
        ("<=", 6, True),
        ("<=", 5, True),
        ("<=", 4.9, False),
        ("<", 5, False),
        (">=", 5, True),
        (">=", 5.1, False),
    ],
)
def test_a_bound_is_kept_or_missed(sense: measure.Sense, bound: float, ok: bool) -> None:
    result = Result("tree", "something", 5.0, "x", sense, bound)
    assert result.ok is ok
    assert ("pass" if ok else "FAIL") in str(result)


def test_a_number_without_a_bound_has_no_verdict() -> None:
    result = Result("import", "something", 5.0, " s", note="see there")
    assert result.ok is None
    assert str(result).split() == ["import", "something", "5", "s", "see", "there"]


def test_tree_measures_every_data_set_and_divides_by_the_peer() -> None:
    results = list(trees.bench_tree(TINY))
    assert len(results) == 6
    for worst, median in zip(results[::2], results[1::2]):
        times = dict(worst.behind or {})
        peer = times.pop(trees.PEER)
        assert set(times) == {f"{loss}, budget {k}" for loss in ("sse", "log") for k in _ends(worst.what)}
        found = [t / peer for t in times.values()]
        assert worst.value == pytest.approx(max(found)) and median.value == pytest.approx(np.median(found))
        assert worst.bound == median.bound == 6


def _ends(what: str) -> tuple[int, int]:
    return (20, 120) if what.startswith("wine") else (30, 120)


def test_a_full_plan_takes_every_budget() -> None:
    assert Workload().of(census_like(100).budgets) == (30, 60, 90, 120)


def test_solver_compares_seconds_per_candidate() -> None:
    results = list(trees.bench_solver(TINY))
    assert [r.what.split(":")[0] for r in results] == [
        "wine, root", "wine, constrained node", "census, root", "census, constrained node",
    ]  # fmt: skip
    for r in results:
        assert r.behind is not None
        assert r.value == pytest.approx(r.behind["slsqp"] / r.behind["exact"])
        assert r.value > 10  # thousands, if nobody disturbs


def test_jobs_grow_the_same_forest_twice() -> None:
    [result] = trees.bench_jobs(TINY)
    assert result.behind is not None
    assert result.value == pytest.approx(result.behind["n_jobs=1"] / result.behind["n_jobs=2"])
    assert (result.sense, result.bound) == (">=", 1.7)
    assert "plain loops gain" in result.note


def test_memory_is_the_growth_of_a_fresh_process() -> None:
    [result] = trees.bench_memory(TINY)
    assert result.behind is not None
    assert result.value == pytest.approx(result.behind["peak"] - result.behind["imports"])
    assert 0 < result.value < 200 and result.ok


def test_attacks_are_timed_on_every_model_and_against_every_peer() -> None:
    results = list(bench.BENCHMARKS["attack"](TINY))
    timed = [r for r in results if r.behind and set(r.behind) == {"rows", "seconds"}]
    assert all(r.behind["rows"] == 10 and r.value == r.behind["seconds"] > 0 for r in timed)
    assert len(timed) >= 3
    grown = [r for r in results if "all budgets" in r.what]
    assert [next(iter(r.behind)) for r in grown] == ["budget 20"] * 2
    milp = next(r for r in results if "MILP" in r.what)
    assert milp.value == pytest.approx(milp.behind["milp"] / milp.behind["exact"])


def test_adversarial_boosting_is_timed() -> None:
    pytest.importorskip("lightgbm")
    [result] = bench.BENCHMARKS["boosting"](TINY)
    assert result.behind == {"rounds": 2, "seconds": result.value}
    assert result.note.startswith("10 rows, budget 120")


def test_every_display_is_timed_and_weighed() -> None:
    results = list(bench.BENCHMARKS["pictures"](replace(TINY, picture_rows=120, picture_rounds=1)))
    assert len(results) == 2 * 9 + 2
    assert all(r.value > 0 and r.bound is not None for r in results)
    assert all(r.value < 500 for r in results if r.unit == " kB")


def test_a_step_of_every_explorer_is_timed() -> None:
    pytest.importorskip("ipywidgets")
    results = list(bench.BENCHMARKS["explorers"](replace(TINY, explorer_steps=2)))
    assert {r.what.split(",")[0].split(" of ")[0] for r in results} == {
        "explore_split", "build_attacker", "explore_growth", "explore_constraints", "explore_surface",
        "explore_attack", "explore_forest",
    }  # fmt: skip
    assert all((r.unit, r.sense, r.bound) == (" ms", "<", 150.0) for r in results)
    for r in results:
        assert r.behind is not None and r.behind["steps"] == 2
        assert r.value == pytest.approx((r.behind["least"] + r.behind["most"]) / 2)


def test_a_step_that_changes_no_picture_is_not_counted() -> None:
    pytest.importorskip("ipywidgets")
    from treant_viz.bench.explorers import timed
    from treant_viz.datasets import load_toy
    from treant_viz.live import explore_split

    shown = explore_split(load_toy())
    assert len(list(timed(shown, "threshold", [-5.0, 1.0]))) == 2
    with pytest.raises(RuntimeError, match=r"threshold=1\.0 makes no new picture"):
        list(timed(shown, "threshold", [1.0]))


def test_without_ipywidgets_explorers_are_left_out_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treant_viz.bench.explorers.find_spec", lambda name: None)
    [result] = bench.BENCHMARKS["explorers"](TINY)
    assert "left out: ipywidgets is not installed" in str(result) and "treant-viz[lab]" in result.note
    assert result.ok is None


def test_memory_of_a_fresh_process_is_not_its_parents() -> None:
    ballast = np.ones(30_000_000)
    now, peak = measure.memory_now()
    child = measure.fresh_process(
        "import json; from treant_viz.bench import measure; print(json.dumps(measure.memory_now()))"
    )
    assert peak >= now > ballast.nbytes
    assert child[1] < peak - ballast.nbytes / 2


def test_a_failing_process_is_reported() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        measure.fresh_process("1 / 0")


def test_scaling_fits_an_exponent_for_both_kinds_of_columns() -> None:
    rounded, continuous = trees.bench_scaling(TINY)
    assert rounded.what.startswith("rounded") and continuous.what.startswith("continuous")
    for r in (rounded, continuous):
        assert r.behind is not None
        assert r.value == pytest.approx(np.log2(r.behind["ours 400"] / r.behind["ours 200"]))


def test_import_is_quick_and_lean() -> None:
    plain, dragged, _, dragged_by_all = bench.bench_import(TINY)
    assert plain.what == "import treant_viz" and plain.ok
    assert dragged.value == dragged_by_all.value == 0


def test_the_environment_names_versions_and_cores_and_no_host() -> None:
    import platform

    where = bench.environment()
    assert where["numpy"] == np.__version__ and where["cores"] >= 1
    assert platform.node() not in [str(v) for v in where.values()]


def test_thresholds_are_compared_on_training_rows_and_on_validation_rows_without_a_twin(monkeypatch) -> None:
    from treant_viz.bench import thresholds

    whole = load_census("authors")
    names = ("X_train", "y_train", "X_valid", "y_valid")
    few = {name: getattr(whole, name)[:1500] for name in names}
    monkeypatch.setitem(thresholds.LOADERS, "census", lambda protocol: replace(whole, **few))
    plan = replace(TINY, threshold_data=("census",), threshold_trees=2, threshold_seeds=2)
    results = list(bench.BENCHMARKS["thresholds"](plan))
    assert [r.what for r in results] == [
        f"census, budget {k}, {who}: {measure}"
        for k in (60, 120)
        for who in ("tree", "2 trees, seed 0", "2 trees, seed 1")
        for measure in ("training L^A", "validation AUC")
    ]
    for r in results:
        assert set(r.behind) == {"data", "reachable"}
        scale = 1500 if "training" in r.what else 1
        assert r.value == pytest.approx((r.behind["reachable"] - r.behind["data"]) / scale)
    assert any(abs(r.value) > 1e-6 for r in results)
    assert all(0.6 < r.behind["data"] < 0.95 for r in results[1::2])


def test_the_regressor_is_compared_at_every_size_with_the_same_rows() -> None:
    results = list(
        bench.BENCHMARKS["regressor"](replace(TINY, regressor_rows=(200, 400), regressor_rounds=1))
    )
    ratios, exponents = [r for r in results if r.unit], [r for r in results if not r.unit]
    assert [r.what.split(" rows")[0] for r in ratios] == ["200", "400"] * 2
    assert all(r.value == pytest.approx(r.behind["ours"] / r.behind["scikit-learn"]) for r in ratios)
    for (small, large), slope in zip((ratios[:2], ratios[2:]), exponents, strict=True):
        assert slope.value == pytest.approx(np.log2(large.behind["ours"] / small.behind["ours"]))


def test_boosted_trees_are_judged_for_each_seed_and_timed(monkeypatch) -> None:
    from treant_viz.bench import boosted

    def few(data: Dataset) -> Dataset:
        names = ("X_train", "y_train", "X_test", "y_test")
        return replace(data, **{name: getattr(data, name)[:200] for name in names})

    census, load_wine = few(load_census("authors")), boosted.load_wine
    monkeypatch.setattr(boosted, "load_census", lambda protocol: census)
    monkeypatch.setattr(boosted, "load_wine", lambda *args, **options: few(load_wine(*args, **options)))
    results = list(bench.BENCHMARKS["boosted"](replace(TINY, boosted_trees=2, boosted_seeds=2)))
    quality, gains, (training, attacked) = results[:2], results[2:5], results[5:]
    for seed, r in enumerate(quality):
        model = tv.TreantBoostClassifier(2, attacker=census.attacker, random_state=seed)
        model.fit(census.X_train, census.y_train)
        expected = tv.evaluate(model, census.X_test, census.y_test, census.attacker)["roc_auc"]
        assert (r.value, r.bound) == (pytest.approx(expected), 0.897)
        assert f"2 trees, seed {seed}" in r.what
    for r in gains:
        ours, theirs = map(float, r.note.split(",")[0].split(" against "))
        assert r.value == pytest.approx(ours - theirs, abs=1e-4)
    assert (training.bound, attacked.bound) == (120, 10)
    assert 0 < training.value < 20 and 0 < attacked.value < 20
