"""explore_surface: the start decides where SLSQP ends, and everything shown is what the solver did."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from traitlets import TraitError

import treant_viz as tv
from treant_viz.core.data import Sample
from treant_viz.core.losses import LOG, SSE
from treant_viz.core.options import Event, Options
from treant_viz.core.solvers import get_solver, slsqp
from treant_viz.estimators.fitting import TrainingProblem, bind, make_table
from treant_viz.trace.replay import rerun

HOSTILE = "<script>alert('$x_1$\")</script>"


@pytest.fixture(scope="module")
def model():
    toy = tv.load_toy()
    return tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y)


@pytest.fixture(scope="module")
def trace(model):
    return model.trace_


@pytest.fixture(scope="module")
def wine():
    data = tv.load_wine()
    attacker = data.attacker.with_budget(60)
    return tv.TreantClassifier(attacker, max_depth=3).fit(data.X_train[:300], data.y_train[:300])


@pytest.fixture
def ex(model):
    return tv.explore_surface(model)


@pytest.fixture(scope="module")
def still(model):
    """One that no test changes."""
    return tv.explore_surface(model)


def made_by(code, **names):
    """The display that an explorer's code makes: its last line is an expression."""
    space = {"tv": tv, **names}
    *before, last = code.splitlines()
    exec("\n".join(before), space)
    return eval(last, space)


# the solver, again, from a trace


@pytest.mark.parametrize(("start", "end", "loss"), [((-1, 2), (-1.5, 2), 14.5), ((1, 2), (1.5, 2), 2.5)])
def test_the_start_decides_where_slsqp_ends_in_the_toys_right_child(trace, start, end, loss):
    run = rerun(trace, "r", "q", 3.0, start)
    assert (run.y_l, run.y_r, run.loss) == pytest.approx((*end, loss), abs=1e-6)
    assert run.status.startswith("0:")
    assert run.iterates[0] == start


def test_without_constraints_both_starts_end_at_the_plain_optimum(trace):
    for start in ((-1, 2), (1, 2)):
        run = rerun(trace, "r", "q", 3.0, start, constrained=False)
        assert (run.y_l, run.y_r, run.loss) == pytest.approx((1, 2, 2), abs=1e-6)


def random_problem(seed: int, binary: bool) -> tuple[pd.DataFrame, np.ndarray, tv.Attacker]:
    """20 rows of numbers and letters, every column but one under attack."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": rng.integers(0, 12, 20), "b": rng.integers(0, 8, 20), "c": rng.choice(list("xyz"), 20)}
    )
    X["d"] = rng.integers(0, 3, 20)
    y = (X["a"] + X["b"] > 9).astype(float) if binary else (X["a"] + X["b"]) / 2.0
    rules = [
        tv.Rule("a", 1, delta=(-1, 1)),
        tv.Rule("b", 1, pre=(0, 4), delta=(0, 1)),
        tv.Rule("c", 1, becomes="x"),
    ]
    return X, y.to_numpy(), tv.Attacker(rules, 2)


@pytest.mark.parametrize("retest", ["uncorrupted", "all"])
@pytest.mark.parametrize(("loss", "binary"), [(SSE, False), (LOG, True)])
def test_a_rerun_from_the_trace_is_the_run_of_the_algorithm(loss, binary, retest):
    """Candidates of every node of random trees: the problem read from the record is the one solved."""
    compared = constrained = boxed = 0
    for seed in range(2):
        X, y, attacker = random_problem(seed, binary)
        table = make_table(X, attacker)
        options = Options(loss, get_solver("exact"), max_depth=3, min_samples_split=2)
        problem = TrainingProblem(Sample(table, y, binary), bind(attacker, table, retest), options)
        seen: list[Event] = []
        problem.grow(0, observe=seen.append)
        trace = problem.trace(0)
        for e in seen:
            for i in range(0, 0 if e.stumps is None else len(e.stumps), 5):
                f, v = int(e.stumps.tally.feature[i]), int(e.stumps.tally.code[i])
                want = slsqp.solve_candidate(e.D, e.A, e.C, loss, f, v, (0.25, 0.75))
                got = rerun(trace, e.path, table.schema.columns[f].name, table.threshold(f, v), (0.25, 0.75))
                assert got.iterates == want.iterates
                assert got.status == want.status
                compared, constrained, boxed = (
                    compared + 1,
                    constrained + bool(len(e.C)),
                    boxed + (f in e.D.boxes),
                )
    assert compared >= 20
    assert constrained >= 5, "constraints were among what is compared"
    assert boxed >= 3 or retest != "all", "and features that are tested again"


def test_weights_count(trace):
    toy = tv.load_toy()
    weighed = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(
        toy.X, toy.y, sample_weight=[1, 1, 1, 5, 1, 1, 1]
    )
    t = weighed.trace_
    [i] = [
        i
        for i, c in enumerate(zip(t.at("").candidates.feature, t.at("").candidates.threshold))
        if c == ("q", 2.0)
    ]
    run = rerun(t, "", "q", 2.0)
    assert run.loss == pytest.approx(t.at("").candidates.loss_under_attack[i], abs=1e-5)
    assert run.loss != pytest.approx(rerun(trace, "", "q", 2.0).loss, abs=1e-3)


def test_none_as_start_is_the_papers_start(trace):
    assert rerun(trace, "r", "q", 3.0).iterates[0] == (1.0, 2.0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"threshold": 3.5}, "threshold: expected a value of 'q'"),
        ({"feature": "z"}, "feature 'z' is not a column"),
        ({"start": (1,)}, r"start: expected two numbers"),
        ({"start": (1, math.nan)}, "start: expected finite numbers"),
    ],
)
def test_what_rerun_refuses(trace, change, said):
    arguments = {"feature": "q", "threshold": 3.0, "start": (1, 2)} | change
    with pytest.raises(ValueError, match=said):
        rerun(trace, "r", **arguments)


def test_a_walk_ends_where_the_end_was_moved_to():
    run = slsqp.Run(0.5, 1.0, 0.0, "0: ok; moved", ((0.0, 0.0), (0.4, 1.0)))
    assert run.walk == ((0.0, 0.0), (0.4, 1.0), (0.5, 1.0))
    assert slsqp.Run(0.4, 1.0, 0.0, "0: ok", run.iterates).walk == run.iterates
    assert slsqp.Run(0.4, math.nan, math.nan, "4: no", run.iterates).walk == run.iterates


# the explorer


def test_the_first_frame_shows_slsqp_stuck(still):
    assert still.state == {
        "path": "r", "feature": "q", "threshold": 3.0, "start_l": -1.0, "start_r": 2.0, "constrained": True,
    }  # fmt: skip
    assert still.display.title == (
        "From (−1, 2) SLSQP stops at (−1.5, 2) with loss 14.5; the optimum is 2.5 at (1.5, 2)"
    )
    words, table = (note.value for note in still.below)
    assert "calls that a success" in words
    assert "status 0: Optimization terminated successfully" in words
    assert "stuck: the exact optimum is 2.5" in words
    assert table.count("<tr>") == 1 + len(still.run.walk)
    assert "<td" in table
    assert ">14.5</td>" in table
    assert still.picture.value.startswith("<img alt=")


def test_moving_the_start_by_its_slider_reruns_the_solver(ex):
    before = ex.picture.value
    ex._linked["start_l"].value = 1.0
    assert ex.start_l == 1.0
    assert ex.run.loss == pytest.approx(2.5, abs=1e-6)
    assert ex.display.title == "From (1, 2) SLSQP finds the optimum (1.5, 2): Lᴬ = 2.5"
    assert "It found the exact optimum" in ex.below[0].value
    assert ex.picture.value != before


def test_state_set_from_python_moves_the_controls(ex):
    ex.start_r = 0.5
    assert ex._linked["start_r"].value == 0.5
    assert ex.display.run[0][:2] == (-1.0, 0.5)
    ex.constrained = False
    assert ex._linked["constrained"].value is False
    assert ex.run.loss == pytest.approx(2.0, abs=1e-6)
    assert "No constraint forbids anything" in ex.display.alt_text


def test_another_node_opens_at_its_chosen_split_with_its_own_candidates(ex):
    ex.path = ""
    assert (ex.feature, ex.threshold) == ("p", 1.0)
    assert ex._linked["threshold"].options == (("-7", -7.0), ("-5", -5.0), ("1", 1.0), ("3", 3.0))
    ex._linked["feature"].value = "q"
    assert (ex.feature, ex.threshold) == ("q", 2.0)
    assert ex.display.test == "q ≤ 2"
    ex._linked["threshold"].value = 1.0
    assert (ex.threshold, ex.display.test) == (1.0, "q ≤ 1")
    ex._linked["path"].value = "r"
    assert (ex.path, ex.feature, ex.threshold) == ("r", "q", 3.0)
    assert ex._linked["feature"].options == (("q", "q"),)


def test_numbers_shown_are_the_models(wine):
    ex = tv.explore_surface(wine, path="")
    c = wine.trace_.at("").candidates
    for v in [v for _, v in ex._linked["threshold"].options][:3]:
        ex.threshold = v
        i = list(zip(c.feature, c.threshold, strict=True)).index((ex.feature, v))
        assert ex.display.optimum.loss == pytest.approx(c.loss_under_attack[i])
        assert ex.run.loss >= c.loss_under_attack[i] - 1e-9


def test_the_button_starts_at_the_plain_optimum(ex):
    ex._home.click()
    assert (ex.start_l, ex.start_r) == (1.0, 2.0)
    assert ex.display.run[0][:2] == (1.0, 2.0)


@pytest.mark.parametrize(
    ("trait", "value", "said"),
    [
        ("path", "rr", "path: expected a step with candidates"),
        ("feature", "p", "feature: expected one with candidates at 'r'"),
        ("threshold", 3.5, "threshold: expected a candidate of 'q'"),
        ("start_l", 9.0, "start_l: expected a number from -4 to 4"),
        ("start_r", None, "start_r"),
        ("constrained", "maybe", "constrained"),
    ],
)
def test_what_cannot_be_is_refused_and_the_state_stays(still, trait, value, said):
    state, picture = still.state, still.picture.value
    with pytest.raises(TraitError, match=said):
        setattr(still, trait, value)
    assert still.state == state
    assert still.picture.value == picture


def test_bad_state_to_begin_with_is_refused(model):
    with pytest.raises(TraitError, match="path: expected a step"):
        tv.explore_surface(model, path="x")
    with pytest.raises(TraitError, match="feature: expected one with candidates"):
        tv.explore_surface(model, path="r", feature="p")
    with pytest.raises(TypeError, match="expected a fitted"):
        tv.explore_surface("toy")


def test_code_makes_the_same_picture(model, trace):
    for ex, names in (
        (tv.explore_surface(model), {"model": model}),
        (tv.explore_surface(trace, path="", feature="q", threshold=1.0, constrained=False), {"trace": trace}),
    ):
        assert made_by(ex.code(), **names).summary == ex.display.summary
        assert ex.as_code.value == ex.code()


def test_hostile_names_are_escaped():
    toy = tv.load_toy()
    X = toy.X.rename(columns={"q": HOSTILE})
    ex = tv.explore_surface(tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(X, toy.y))
    assert ex.feature == HOSTILE
    for shown in (ex.picture, ex.message, *ex.below):
        assert "<script" not in shown.value


def test_the_output_bundle_has_controls_picture_and_words(still):
    bundle, _ = still._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"} <= set(bundle)
    assert bundle["text/plain"] == still.display.summary


def test_every_control_has_a_label(still):
    assert all(c.description for c in (*still._linked.values(), still._home))
