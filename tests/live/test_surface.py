"""explore_surface: the start decides where SLSQP ends, and everything shown is what the solver did."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from traitlets import TraitError

import treant_viz as tv
from tests.live.hand import by_hand
from treant_viz.live import explore_surface
from treant_viz.live.explore.surface import of_display
from treant_viz.trace.replay import rerun
from treant_viz.viz.loss_surface.display import LossSurfaceDisplay

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((Path(tv.__file__).parent / "live/schemas/surface.json").read_text())
HOSTILE = "<script>alert('$x_1$\")</script>"


@pytest.fixture(scope="module")
def wine():
    data = tv.load_wine()
    attacker = data.attacker.with_budget(60)
    return tv.TreantClassifier(attacker, max_depth=3).fit(data.X_train[:300], data.y_train[:300])


@pytest.fixture(scope="module")
def census():
    data = tv.load_census()
    return tv.TreantClassifier(data.attacker, "sse", max_depth=3).fit(data.X_train[:300], data.y_train[:300])


@pytest.fixture(params=["toy_model", "wine", "census"])
def fitted(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def ex(toy_model):
    return explore_surface(toy_model)


@pytest.fixture(scope="module")
def still(toy_model):
    """One that no test changes."""
    return explore_surface(toy_model)


def shown_table(explorer) -> dict:
    [table] = explorer.facts()["tables"].values()
    return table


def made_by(code, **names):
    """The display that an explorer's code makes: its last line is an expression."""
    space = {"tv": tv, **names}
    *before, last = code.splitlines()
    exec("\n".join(before), space)
    return eval(last, space)


# facts


def test_facts_fit_their_schema_and_are_small(fitted):
    ex = explore_surface(fitted)
    for facts in (ex.facts(), ex.page_facts()):
        jsonschema.validate(facts, SCHEMA)
        assert len(json.dumps(facts, separators=(",", ":"), allow_nan=False)) < 300_000


def test_a_thousand_wines_are_below_300_kB():
    data = tv.load_wine()
    model = tv.TreantClassifier(data.attacker, max_depth=3).fit(data.X_train[:1000], data.y_train[:1000])
    facts = explore_surface(model).page_facts()
    assert len(json.dumps(facts, separators=(",", ":"))) < 300_000 and len(facts["tables"]) >= 5


def worst(ex, y_l, y_r) -> float:
    """The loss under attack of the present test with these leaves, by the attack on a tree of depth one."""
    t, sign = ex.trace, "==" if isinstance(ex.threshold, str) else "<="
    assert ex.path == "", "below the root the attacker has spent something"
    stump = tv.Node(ex.feature, ex.threshold, tv.Leaf(y_l), tv.Leaf(y_r), sign)
    return tv.loss_under_attack(stump, t.X, t.y, t.attacker, t.loss.name)


def test_losses_of_starts_ends_and_contours_are_those_of_the_attack_on_the_stump(fitted):
    ex = explore_surface(fitted, path="")
    table = shown_table(ex)
    runs, (low, high) = table["runs"], table["frame"]
    for i in range(0, len(runs["loss"]), 29):
        assert runs["start_loss"][i] == pytest.approx(
            worst(ex, runs["start_l"][i], runs["start_r"][i]), rel=1e-7
        )
        assert runs["loss"][i] == pytest.approx(worst(ex, runs["y_l"][i], runs["y_r"][i]), rel=1e-7)
    step = (high - low) / 95  # of the grid behind the contours
    for level, lines in list(zip(table["contours"]["level"], table["contours"]["line"]))[3::3]:
        for line in lines:
            for x, y in list(zip(line[::2], line[1::2]))[::7]:
                if 60 < x < 940 and 60 < y < 940:
                    at = [low + (high - low) * v / 1000 for v in (x, y)]
                    around = [worst(ex, at[0] + i * step, at[1] + j * step) for i in (-1, 1) for j in (-1, 1)]
                    assert min(around) <= level <= max(around)


def test_the_optimum_is_the_least_of_all_losses_on_a_fine_grid(toy_model):
    for path, feature, threshold in (("", "p", 1.0), ("", "q", 1.0), ("", "p", 3.0)):
        ex = explore_surface(toy_model, path=path, feature=feature, threshold=threshold)
        side = np.linspace(-4, 4, 41)
        least = min(worst(ex, y_l, y_r) for y_l in side for y_r in side)
        y_l, y_r, loss = shown_table(ex)["optimum"]
        assert loss <= least + 1e-9 and loss == pytest.approx(worst(ex, y_l, y_r))


def test_every_start_of_the_grid_ends_where_a_rerun_ends_and_is_stuck_where_that_loses_more(toy_trace):
    """The toy's right child, in closed form: L = y_l^2 + (y_l - 2)^2 + 3 (y_r - 2)^2, and |y_l| >= 1.5."""
    ex = explore_surface(toy_trace)
    runs = shown_table(ex)["runs"]
    for i, start in enumerate(zip(runs["start_l"], runs["start_r"])):
        y_l, y_r = runs["y_l"][i], runs["y_r"][i]
        assert abs(y_l) >= 1.5 - 1e-6
        assert runs["loss"][i] == pytest.approx(y_l**2 + (y_l - 2) ** 2 + 3 * (y_r - 2) ** 2)
        assert runs["stuck"][i] == (runs["loss"][i] > 2.5 + 1e-5)
        assert runs["difference"][i] == (pytest.approx(runs["loss"][i] - 2.5) if runs["stuck"][i] else 0)
        if i % 40 == 0:
            run = rerun(toy_trace, "r", "q", 3.0, start)
            assert (run.y_l, run.y_r) == pytest.approx((y_l, y_r), abs=1e-11)
            assert runs["words"][runs["status"][i]] == run.status
    assert 0 < sum(runs["stuck"]) < len(runs["stuck"])


def test_forbidden_ground_ends_at_the_constraint(still):
    """x2 (y = 0) lost 2.25 at the root: its leaf may not say anything nearer to 0 than 1.5."""
    assert shown_table(still)["allowed"] == [[[None, -1.5], [1.5, None]], [[None, None]]]


# state


def test_the_first_picture_shows_slsqp_stuck(still):
    assert still.state == {
        "path": "r", "feature": "q", "threshold": 3.0, "start_l": -1.0, "start_r": 2.0, "constrained": True,
    }  # fmt: skip
    assert still.display.title == (
        "From (−1, 2) SLSQP stops at (−1.5, 2) with loss 14.5; the optimum is 2.5 at (1.5, 2)"
    )


def test_without_a_gap_the_first_start_is_the_papers_or_where_that_is_the_end_already_from_afar(
    toy_model, wine
):
    root = explore_surface(toy_model, path="")
    assert (root.start_l, root.start_r) == (-1.0, 2.0)
    far = explore_surface(wine)
    assert len(far.run.walk) > 2 and far.run.loss < worst(far, far.start_l, far.start_r)


def test_the_hand_moves_the_start_the_test_and_the_node(ex):
    by_hand(ex, start_l=1.0)
    assert ex.start_l == 1.0 and ex.run.loss == pytest.approx(2.5, abs=1e-6)
    assert ex.display.title == "From (1, 2) SLSQP finds the optimum (1.5, 2): Lᴬ = 2.5"
    by_hand(ex, constrained=False)
    assert ex.run.loss == pytest.approx(2.0, abs=1e-6)
    by_hand(ex, path="", test=3)
    C = ex.trace.at("").candidates
    assert (ex.path, ex.feature, ex.threshold) == ("", C.feature[3], C.threshold[3])


@pytest.mark.parametrize("change", [{"path": "x"}, {"test": 99}, {"start_l": 9.0}, {"test": None}])
def test_a_state_that_cannot_be_is_put_back(ex, change):
    before = ex.state
    by_hand(ex, **change)
    assert ex.state == before and ex.widget.state == ex._to_browser()


def test_the_browser_hears_of_another_test_at_once(ex):
    """Not of the chosen split on the way there, which would be asked for."""
    heard = []
    ex.widget.send_state = lambda key=None: heard.append(dict(ex.widget.state))
    by_hand(ex, path="", test=2, start_l=0.5)
    assert all(state["test"] == 2 and state["path"] == "" for state in heard)


def test_another_node_opens_at_its_chosen_split_and_another_feature_at_its_best(ex):
    ex.path = ""
    assert (ex.feature, ex.threshold) == ("p", 1.0)
    ex.feature = "q"
    assert (ex.feature, ex.threshold) == ("q", 2.0)
    ex.threshold = 1.0
    assert ex.display.test == "q ≤ 1"
    ex.path = "r"
    assert (ex.path, ex.feature, ex.threshold) == ("r", "q", 3.0)
    assert ex.widget.state["path"] == "r"


def test_numbers_shown_are_the_models(wine):
    ex = explore_surface(wine, path="")
    c = wine.trace_.at("").candidates
    for v in ex._thresholds()[:3]:
        ex.threshold = v
        i = list(zip(c.feature, c.threshold, strict=True)).index((ex.feature, v))
        assert shown_table(ex)["optimum"][2] == pytest.approx(c.loss_under_attack[i])
        assert ex.run.loss >= c.loss_under_attack[i] - 1e-9


@pytest.mark.parametrize(
    ("trait", "value", "said"),
    [
        ("path", "rr", "path: expected a step with candidates"),
        ("feature", "p", "feature: expected one with candidates at 'r'"),
        ("threshold", 3.5, "threshold: expected a candidate of 'q'"),
        ("start_l", 9.0, "start_l: expected a number from −4 to 4"),
        ("start_r", None, "start_r"),
        ("constrained", "maybe", "constrained"),
    ],
)
def test_what_cannot_be_is_refused_and_the_state_stays(still, trait, value, said):
    state = still.state
    with pytest.raises(TraitError, match=said):
        setattr(still, trait, value)
    assert still.state == state


def test_bad_state_to_begin_with_is_refused(toy_model):
    with pytest.raises(TraitError, match="path: expected a step"):
        explore_surface(toy_model, path="x")
    with pytest.raises(TraitError, match="feature: expected one with candidates"):
        explore_surface(toy_model, path="r", feature="p")
    with pytest.raises(TraitError, match="threshold: expected a candidate"):
        explore_surface(toy_model, path="r", feature="q", threshold=7.0)
    with pytest.raises(TypeError, match="expected a fitted"):
        explore_surface("toy")
    with pytest.raises(TypeError, match="'begin' cannot be set"):
        explore_surface(toy_model, begin=1)


def test_a_tree_without_candidates_has_no_surface():
    toy = tv.load_toy()
    leaf = tv.TreantRegressor(toy.attacker, max_depth=0).fit(toy.X, toy.y)
    with pytest.raises(ValueError, match="no surface to show"):
        explore_surface(leaf)


# questions


def test_a_question_is_answered_with_the_run_and_if_need_be_with_the_surface(ex):
    ask = {"path": "", "test": 1, "constrained": True, "start_l": 0.3, "start_r": -0.7, "surface": True}
    answer = ex.answer(ask)
    jsonschema.validate(ex.facts() | {k: answer[k] for k in ("tests", "tables")}, SCHEMA)
    C = ex.trace.at("").candidates
    run = rerun(ex.trace, "", C.feature[1], C.threshold[1], (0.3, -0.7))
    assert answer["ran"]["loss"] == pytest.approx([run.loss], abs=1e-11)
    assert set(ex.answer(ask | {"surface": False})) == {"ran"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"path": "x"}, "path: expected a step"),
        ({"test": 99}, "test: expected 0 to"),
        ({"test": "1"}, "test: expected 0 to"),
        ({"start_l": 99}, "start: expected two numbers from −4 to 4"),
        ({"start_r": None}, "start: expected two numbers"),
    ],
)
def test_bad_questions_are_refused(still, change, said):
    ask = {"path": "r", "test": 0, "constrained": True, "start_l": 0.3, "start_r": -0.7}
    with pytest.raises(ValueError, match=said):
        still.answer(ask | change)


# what it leaves behind


def test_a_page_knows_the_present_start_both_sides_of_a_constraint_and_all_nodes(toy_model):
    ex = explore_surface(toy_model, start_l=0.123, start_r=-0.456)
    facts = ex.page_facts()
    runs = facts["tables"]["r:0:1"]["runs"]
    assert (0.123, -0.456) in zip(runs["start_l"], runs["start_r"])
    assert {"r:0:1", "r:0:0"} <= set(facts["tables"])
    assert {key.split(":")[0] for key in facts["tables"]} == set(facts["nodes"]["path"])
    assert set(facts["tests"]) == set(facts["nodes"]["path"])


def test_code_makes_the_same_picture(toy_model, toy_trace):
    for ex, names in (
        (explore_surface(toy_model), {"model": toy_model}),
        (
            explore_surface(toy_trace, path="", feature="q", threshold=1.0, constrained=False),
            {"trace": toy_trace},
        ),
    ):
        assert made_by(ex.code(), **names).summary == ex.display.summary


def test_a_display_has_a_live_sister(toy_trace):
    run = rerun(toy_trace, "r", "q", 3.0, (0.5, 1.0))
    for d, start in (
        (LossSurfaceDisplay.from_trace(toy_trace, "r", iterates=run.walk), (0.5, 1.0)),
        (LossSurfaceDisplay.from_trace(toy_trace, "r", start=(0.5, 99.0), constrained=False), (0.5, 4.0)),
    ):
        ex = of_display(d)
        assert (ex.start_l, ex.start_r) == start
        assert ex.display.test == d.test and ex.display.optimum == d.optimum


def test_hostile_names_are_data_and_never_markup():
    toy = tv.load_toy()
    X = toy.X.rename(columns={"q": HOSTILE})
    ex = explore_surface(tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(X, toy.y))
    assert ex.feature == HOSTILE and "<script>alert" not in ex.page()


def test_the_output_bundle_has_the_live_picture_and_words(still):
    bundle, _ = still._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"} <= set(bundle)
    assert bundle["text/plain"] == still.display.summary == repr(still)
