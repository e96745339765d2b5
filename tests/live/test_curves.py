"""explore_curves: its facts are the table's, its state and code agree with the static picture."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from traitlets import TraitError

import treant_viz as tv
from treant_viz.evaluation import METRICS
from treant_viz.experiments.report.results import VIEWS, Results, paper_table
from treant_viz.live.displays import explorer_of

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((Path(tv.__file__).parent / "live/schemas/curves.json").read_text())
HOSTILE = '</script><script>alert("$x$ & y")</script>'


@pytest.fixture(scope="module")
def results():
    return tv.load_results()


@pytest.fixture(scope="module")
def toy_curve():
    """Two stumps on the toy, attacked for real."""
    data = tv.load_toy()
    stumps = {
        "far": tv.Node("p", 1.0, tv.Leaf(-1.5), tv.Leaf(2.0)),
        "q": tv.Node("q", 2.0, tv.Leaf(0.0), tv.Leaf(2.0)),
    }
    y = (data.y > 0).astype(int)
    return tv.security_curve(stumps, data.X, y, data.attacker, [0, 1, 2, 4], n_boot=50)


@pytest.fixture
def ex(results):
    return tv.explore_curves(results, dataset="wine")


def by_hand(explorer, **change) -> None:
    """As the browser sends it."""
    explorer.hear({**explorer.shown_state, **change})


def truth(results: Results) -> dict:
    """By reading, data set, model, training and test budget and measure: averages over the stored seeds."""
    keys = ["protocol", "dataset", "method", "train_budget", "test_budget"]
    means = results.rows.groupby(keys)[[f"{m}{e}" for m in METRICS for e in ("", "_low", "_high")]].mean()
    labels = ("RF", "GBDT", "AB", "RT", "RF-TREANT")
    names = [(v, v.method(label), label) for v in VIEWS for label in labels]
    return {
        (v.name, d, label, k, b, m): [row[f"{m}{e}"] for e in ("", "_low", "_high")]
        for v, method, label in names for (p, d, found, k, b), row in means.iterrows()
        if (p, found) == (v.protocol, method) for m in METRICS
    }  # fmt: skip


def numbers(facts) -> dict:
    """The same from the facts."""
    out = {}
    for line in facts["lines"]:
        place = [facts["readings"][line["reading"]], facts["datasets"][line["dataset"]]]
        for j, m in enumerate(facts["measures"]):
            for i, b in enumerate(line["budgets"]):
                key = (*place, facts["models"][line["model"]]["name"], line["train"], b, m["key"])
                out[key] = [line[c][j][i] for c in ("value", "low", "high")]
    return out


# Facts


def test_facts_fit_their_schema_and_are_small(ex, toy_curve):
    for explorer in (ex, tv.explore_curves(toy_curve)):
        jsonschema.validate(explorer.facts(), SCHEMA)
        assert len(json.dumps(explorer.facts(), separators=(",", ":"), allow_nan=False)) < 300_000


def test_the_facts_of_results_are_the_stored_ones_all_of_them(ex, results):
    expected, found = truth(results), numbers(ex.facts())
    assert set(found) == set(expected) and len(found) > 2000
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=1e-9), key


def test_the_facts_of_a_curve_are_its_rows(toy_curve):
    found = numbers(tv.explore_curves(toy_curve).facts())
    assert len(found) == len(toy_curve) == 24
    for r in toy_curve.itertuples():
        assert found["", "", r.model, None, r.budget, r.metric] == pytest.approx([r.value, r.low, r.high])


def test_spans_falls_prices_and_scales_are_those_of_the_numbers(ex):
    facts, by = ex.facts(), numbers(ex.facts())
    for line in facts["lines"]:
        for j in range(3):
            column = line["value"][j]
            assert line["span"][j] == pytest.approx(max(column) - min(column))
            assert line["fall"][j] == pytest.approx(column[0] - column[-1])
    assert len(facts["prices"]) == 3 * 3 * 3
    for p in facts["prices"]:
        place = (
            facts["readings"][p["reading"]],
            facts["datasets"][p["dataset"]],
            facts["models"][p["model"]]["name"],
        )
        mine = {key[3:]: v[0] for key, v in by.items() if key[:3] == place}
        for j, m in enumerate(METRICS):
            trains = sorted({k for k, _, q in mine if q == m})
            enough = {b: next(k for k in trains if k >= b) for _, b, q in mine if q == m}
            loss = [(k - enough[b], mine[enough[b], b, m] - v) for (k, b, q), v in mine.items() if q == m]
            assert p["little"][j] == pytest.approx(max(x for side, x in loss if side < 0))
            assert p["much"][j] == pytest.approx(max(x for side, x in loss if side > 0))
    for j, m in enumerate(METRICS):
        every = [v[0] for key, v in by.items() if key[-1] == m]
        assert facts["scales"][j] == pytest.approx([min(every), max(every)])


def test_the_papers_numbers_are_there_at_equal_budgets(ex):
    facts, table = ex.facts(), paper_table().set_index(["dataset", "method", "budget", "metric"])["value"]
    assert len(facts["paper"]) == len(table) == 126
    for d, model, train, budget, m, value in facts["paper"]:
        key = facts["datasets"][d], facts["models"][model]["name"], budget, facts["measures"][m]["key"]
        assert train == budget and value == pytest.approx(table[key])


def test_what_is_not_known_is_null():
    frame = pd.DataFrame(
        [("a", 0, "accuracy", 0.5), ("a", 1, "accuracy", 0.4), ("b", 1, "roc_auc", 0.3)],
        columns=["model", "budget", "metric", "value"],
    )
    facts = tv.explore_curves(frame).facts()
    jsonschema.validate(facts, SCHEMA)
    a, b = facts["lines"]
    assert a["value"] == [[0.5, 0.4], [None, None]] and a["span"] == [pytest.approx(0.1), None]
    assert b["value"] == [[None], [0.3]] and a["low"] == [[None, None], [None, None]] and a["train"] is None


# State


def test_the_first_frame_is_the_strongest_attacker_on_what_was_trained_for_him(ex):
    assert ex.state == {
        "reading": "as published", "dataset": "wine", "measure": "roc_auc", "train": 120.0, "budget": 120.0,
        "methods": ["RF-TREANT", "AB", "RT", "RF", "GBDT"], "focus": "RF-TREANT", "bands": True,
        "view": "curves",
    }  # fmt: skip
    assert ex.display.title.startswith("RF-TREANT hardly moves as the test budget grows, while GBDT falls by")


def test_where_nobody_is_known_the_steadiest_is_in_focus_and_there_is_no_training_budget(toy_curve):
    ex = tv.explore_curves(toy_curve)
    spans = toy_curve.groupby(["model", "metric"])["value"].agg(np.ptp).groupby("model").max()
    assert ex.focus == spans.idxmin() and ex.train is None and ex.trains() == []
    assert ex.budgets() == [0, 1, 2, 4] and ex.budget == 4
    with pytest.raises(TraitError, match="view: a heat map needs models that were trained"):
        ex.view = "heat map"


def test_another_data_set_brings_its_own_budgets(ex):
    ex.train, ex.budget = 40, 60
    ex.dataset = "census"
    assert (ex.train, ex.budget) == (
        120,
        60,
    )  # census knows an attacker with 60, but nobody was trained for 40
    ex.dataset = "credit"
    assert (ex.train, ex.budget) == (60, 60)


def test_python_and_the_hand_set_one_state(ex):
    by_hand(
        ex,
        dataset="census",
        train=30,
        budget=90,
        focus="AB",
        methods=["AB", "RT"],
        bands=False,
        view="heat map",
    )
    assert (ex.dataset, ex.train, ex.budget, ex.focus, ex.methods) == ("census", 30, 90, "AB", ["AB", "RT"])
    assert ex.display.title.startswith("Expecting too weak an attacker costs up to")
    assert ex.display.subtitle.startswith("AB. In a frame: ")
    ex.methods = ("RT", "AB")
    assert ex._to_browser()["methods"] == ["AB", "RT"]  # in their order


def test_the_widget_follows(ex):
    pytest.importorskip("anywidget")
    ex.widget.state = {**ex.widget.state, "measure": "accuracy"}
    assert ex.measure == "accuracy"
    ex.focus = None
    assert ex.widget.state["focus"] is None


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("dataset", "iris", r"dataset: expected one of \['census', 'wine', 'credit'\], got 'iris'"),
        ("measure", "f2", "measure: expected one of .*'roc_auc'.* got 'f2'"),
        ("reading", "upside down", "reading: expected one of .*'as published'.* got 'upside down'"),
        ("view", "pie", r"view: expected one of \['curves', 'heat map'\], got 'pie'"),
        ("train", 30, r"train: expected one of \[20.0, .*120.0\], got 30"),
        ("train", None, "train: .* got None"),
        ("budget", 7, r"budget: expected one of \[0.0, .*\], got 7"),
        ("budget", True, "budget: .* got True"),
        ("budget", "60", "budget: .* got '60'"),
        ("methods", [], r"methods: expected some of .* got \[\]"),
        ("methods", "AB", "methods: expected some of .* got 'AB'"),
        ("methods", ["XGB"], r"methods: expected some of .* got \['XGB'\]"),
        ("focus", "XGB", "focus: expected None or one of .* got 'XGB'"),
        ("bands", "yes", "bands"),
    ],
)
def test_bad_state_is_refused_and_the_last_good_one_stays(ex, name, value, said):
    state = ex.state
    with pytest.raises(TraitError, match=said):
        setattr(ex, name, value)
    by_hand(ex, **{name: value})
    assert ex.state == state
    if name not in ("train", "budget"):
        with pytest.raises(TraitError, match=said):
            tv.explore_curves(tv.load_results(), **{"dataset": "wine"} | {name: value})


def test_bad_tables_are_refused(toy_curve, results):
    with pytest.raises(
        TypeError, match="curve: expected a data frame as `security_curve` returns it, got list"
    ):
        tv.explore_curves([1])
    with pytest.raises(ValueError, match=r"curve: the columns \['value'\] are missing"):
        tv.explore_curves(toy_curve.drop(columns="value"))
    with pytest.raises(ValueError, match=r"paper: the columns \['metric'\] are missing"):
        tv.explore_curves(toy_curve, paper=toy_curve.drop(columns="metric"))
    with pytest.raises(TypeError, match="expected none with results"):
        tv.explore_curves(results, train_budgets={"wine": 60})
    with pytest.raises(ValueError, match="results: expected all that the figures of one view show"):
        tv.explore_curves(Results(results.rows[results.rows["method"] == "ab"]))
    with pytest.raises(TypeError, match="'budgett' cannot be set"):
        tv.explore_curves(results, budgett=1)


# What is left behind


def rerun(explorer, **names):
    *before, last = explorer.code().splitlines()
    names |= {"tv": tv}
    exec("\n".join(before), names)
    return eval(last, names)


@pytest.mark.parametrize("view", ["curves", "heat map"])
def test_the_code_makes_the_same_picture(results, view):
    rng = np.random.default_rng(2)
    ex = tv.explore_curves(results, view=view)
    for _ in range(4):
        ex.reading, ex.dataset = str(rng.choice([v.name for v in VIEWS])), str(rng.choice(["wine", "credit"]))
        ex.train, ex.budget = float(rng.choice(ex.trains())), float(rng.choice(ex.budgets()))
        ex.measure, ex.bands = str(rng.choice(METRICS)), bool(rng.integers(2))
        ex.focus, ex.methods = [None, "AB", "RT"][rng.integers(3)], ["RF-TREANT", "AB", "GBDT"]
        made = rerun(ex)
        assert made.summary == ex.display.summary == repr(ex)
        assert (made.subtitle, made.alt_text) == (ex.display.subtitle, ex.display.alt_text)


def test_the_code_of_a_table_of_ones_own_makes_the_same_picture(toy_curve):
    paper = toy_curve.assign(value=0.5)
    ex = tv.explore_curves(toy_curve, paper=paper, measure="accuracy", methods=["q"])
    made = rerun(ex, curve=toy_curve, paper=paper)
    assert made.summary == ex.display.summary and "hollow" in made.subtitle == ex.display.subtitle
    named = toy_curve.assign(dataset="toy")
    ex = tv.explore_curves(named, train_budgets={"toy": 2}, x="test budget")
    assert rerun(ex, curve=named).subtitle == ex.display.subtitle
    assert "trained for 2" in ex.display.plot().texts("panel")[0]


def test_displays_open_as_their_live_sister(results, toy_curve):
    shown = tv.SecurityCurveDisplay.from_curve(toy_curve, paper=toy_curve, focus=["far"])
    live = explorer_of(shown)
    assert live.focus == "far" and len(live.facts()["paper"]) == 24
    assert numbers(live.facts()) == numbers(tv.explore_curves(toy_curve).facts())
    rows = results.rows
    mine = rows[(rows["method"] == "treant") & (rows["protocol"] == "authors")]  # three seeds each
    frame = mine.assign(panel=mine["dataset"], value=mine["accuracy"])
    display = tv.TrainTestHeatmapDisplay.from_results(frame, model="mine", measure="accuracy")
    live = explorer_of(display)
    assert (live.view, live.focus, live.dataset) == ("heat map", "mine", frame["panel"].iloc[0])
    panel = display.panels[0]
    expected = {(k, t): v for k, t, v in panel.cells}
    found = {key[3:5]: v[0] for key, v in numbers(live.facts()).items() if key[1] == panel.title}
    assert found == pytest.approx(expected)
    assert live.display.scale == pytest.approx(display.scale)


def test_names_of_users_are_made_harmless(tmp_path, toy_curve):
    ex = tv.explore_curves(toy_curve.replace({"model": {"far": HOSTILE}}).assign(dataset=HOSTILE))
    jsonschema.validate(ex.facts(), SCHEMA)
    page = ex.save(tmp_path / "curves.html").read_text("utf-8")
    assert ex.facts()["datasets"] == [HOSTILE] and "<script>alert" not in page
    assert ex.save(tmp_path / "curves.svg").read_bytes().startswith(b"<?xml")
