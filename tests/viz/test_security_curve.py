"""Curves: what is drawn is what was measured; names, bad input, given axes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import treant_viz as tv
from treant_viz.viz.output.export import render
from treant_viz.viz.security_curve.display import SecurityCurveDisplay
from treant_viz.viz.security_curve.facts import spread
from treant_viz.viz.style.palette import _OTHERS, DARK, METHODS

HOSTILE = [
    "<script>alert(1)</script>",
    'a"b',
    "$x_1$",
    "\\frac",
    "\N{PILE OF POO}" * 3,
    "n" * 80,
    "שלום",
    "a\nb",
]


def table(models=("TREANT", "RF"), datasets=("wine",), metrics=("roc_auc",)) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    lines = []
    for d in datasets:
        for m in models:
            start = rng.uniform(0.7, 0.9)
            for metric in metrics:
                for k in (0, 20, 60, 120):
                    v = start - (0.0 if m == "TREANT" else 0.003) * k
                    lines.append((d, m, k, metric, v, v - 0.02, v + 0.02))
    return pd.DataFrame(lines, columns=["dataset", "model", "budget", "metric", "value", "low", "high"])


def test_the_lines_are_the_values():
    frame = table(datasets=("wine", "census"), metrics=("accuracy", "roc_auc"))
    drawn = SecurityCurveDisplay.from_curve(frame).plot()
    assert len(drawn["curve"]) == 2 * 2 * 2
    for line in drawn["curve"]:
        _, d, metric, model = line.get_gid().split("-")
        mine = frame[(frame.dataset == d) & (frame.metric == metric) & (frame.model == model)]
        assert line.get_xdata() == pytest.approx(mine.budget)
        assert line.get_ydata() == pytest.approx(mine.value)


def test_a_curve_of_security_curve_can_be_drawn():
    X = pd.DataFrame({"p": [0.0, 1.0, 2.0, 3.0]})
    A = tv.Attacker([tv.Rule("p", cost=1, delta=(-1, 1))], budget=1)
    stump = tv.Node("p", 1.0, tv.Leaf(0.0), tv.Leaf(1.0))
    frame = tv.security_curve({"stump": stump}, X, [0, 0, 1, 1], A, [0, 1], n_boot=0)
    display = SecurityCurveDisplay.from_curve(frame)
    drawn = display.plot()
    assert [list(line.get_ydata()) for line in drawn["curve"]] == [[1.0, 0.5]] * 3
    assert not drawn["band"]
    assert "accuracy stump 0: 1.000, 1: 0.500" in display.summary


def test_the_steadiest_model_makes_the_title_unless_one_is_given():
    title = "does not move at all as the test budget grows, while RF falls by 0.36"
    assert SecurityCurveDisplay.from_curve(table()).title == f"TREANT {title}"
    assert SecurityCurveDisplay.from_curve(table(), takeaway="Look!").title == "Look!"
    moved = table()
    moved.loc[(moved.model == "TREANT") & (moved.budget == moved.budget.max()), "value"] -= 0.01
    title = "TREANT hardly moves as the test budget grows"
    assert SecurityCurveDisplay.from_curve(moved).title == f"{title}, while RF falls by 0.36"
    assert SecurityCurveDisplay.from_curve(moved[moved.model == "TREANT"]).title == title
    both = pd.concat([moved, moved[moved.model == "TREANT"].assign(model="twin")])
    assert SecurityCurveDisplay.from_curve(both[both.model != "RF"]).title == title


def test_a_model_that_falls_is_not_said_to_hardly_move():
    falling = table(("RF", "GBDT"))  # both lose 0.36 of everything over the budgets
    both = SecurityCurveDisplay.from_curve(falling).title
    assert both.endswith("moves least of all, but still by 0.36 as the test budget grows")
    alone = SecurityCurveDisplay.from_curve(falling[falling.model == "RF"]).title
    assert alone == "RF moves by 0.36 as the test budget grows"
    several = table(("RF", "GBDT"), metrics=("accuracy", "roc_auc"))
    assert "by up to 0.36" in SecurityCurveDisplay.from_curve(several).title


def test_printed_numbers_are_hollow_and_the_training_budget_is_a_rule():
    frame = table()
    paper = frame[(frame.budget == 120) & (frame.model == "RF")].assign(value=0.5)
    drawn = SecurityCurveDisplay.from_curve(frame, paper=paper, train_budgets={"wine": 60}).plot()
    [mark], [rule] = drawn["printed"], drawn["train budget"]
    assert (mark.get_xdata()[0], mark.get_ydata()[0], mark.get_markerfacecolor()) == (120, 0.5, "none")
    assert rule.get_xdata()[0] == 60
    assert drawn.texts("panel") == ["wine · ROC AUC   trained for 60"]
    said = SecurityCurveDisplay.from_curve(frame, paper=paper, train_budgets={"wine": 60}).subtitle
    assert said == (
        "The test budget is what the attacker may spend. The band is the bootstrap interval of TREANT; "
        "hollow marks are printed in the paper; the dashed rule is the budget trained for."
    )
    last = SecurityCurveDisplay.from_curve(frame, train_budgets={"wine": 120})
    assert not last.plot()["train budget"] and "dashed" not in last.subtitle
    assert last.plot().texts("panel") == ["wine · ROC AUC   trained for 120"]
    stranger = SecurityCurveDisplay.from_curve(frame, paper=paper.assign(model="X"))
    assert "hollow" not in stranger.subtitle and not stranger.plot()["printed"]
    elsewhere = SecurityCurveDisplay.from_curve(frame, paper=paper.assign(dataset="census"))
    assert "hollow" not in elsewhere.subtitle and not elsewhere.plot()["printed"]


def test_only_lines_in_focus_have_a_band_and_rf_treant_is_the_strongest_line():
    frame = table(["RF", "RF-TREANT", "mine"])
    for focus, bands in ((None, 1), ((), 0), (["RF", "mine"], 2)):
        display = SecurityCurveDisplay.from_curve(frame, focus=focus)
        drawn = display.plot()
        assert len(drawn["band"]) == bands and ("The band" in display.subtitle) == bool(bands)
        widths = {line.get_gid().split("-", 3)[3]: line.get_linewidth() for line in drawn["curve"]}
        assert max(widths, key=widths.get) == "RF-TREANT"
        bold = [t.get_text().strip() for t in drawn["end"] if t.get_fontweight() == "bold"]
        assert bold == list(display.focus)
    two = SecurityCurveDisplay.from_curve(frame, focus=["RF", "mine"])
    assert two.subtitle.endswith("may spend. The band is the bootstrap interval of RF and mine.")
    with pytest.raises(ValueError, match=r"focus: expected models of the frame .* got \['AB'\]"):
        SecurityCurveDisplay.from_curve(frame, focus=["AB"])


def test_a_band_is_the_interval_and_none_is_drawn_where_none_is_known():
    frame = table(["RF"])
    [band] = SecurityCurveDisplay.from_curve(frame).plot()["band"]
    corners = {(round(x), round(y, 9)) for x, y in band.get_paths()[0].vertices}
    assert corners == {
        (b, round(v, 9)) for b, *ends in frame[["budget", "low", "high"]].to_numpy() for v in ends
    }
    bare = SecurityCurveDisplay.from_curve(frame.drop(columns=["low", "high"]))
    assert not bare.plot()["band"] and bare.subtitle == "The test budget is what the attacker may spend."


def test_panels_of_a_measure_have_one_scale_and_one_data_set_stands_side_by_side():
    frame = table(datasets=("wine", "census"), metrics=("accuracy", "roc_auc"))
    drawn = SecurityCurveDisplay.from_curve(frame).plot()
    tops = [ax.get_ylim() for ax in drawn.axes]
    assert tops[0] == tops[1] and tops[2] == tops[3]
    alone = SecurityCurveDisplay.from_curve(frame[frame.dataset == "wine"]).plot()
    boxes = [ax.get_position() for ax in alone.axes]
    assert len(boxes) == 2 and boxes[0].y0 == boxes[1].y0 and boxes[0].x1 < boxes[1].x0
    assert alone.texts("panel") == ["wine · accuracy", "ROC AUC"]


def test_budgets_that_are_close_lose_their_number_but_never_the_last_one():
    frame = pd.concat([table(["RF"]).assign(budget=lambda f, k=k: f.budget + k) for k in range(20)])
    drawn = SecurityCurveDisplay.from_curve(frame).plot()
    drawn.figure.canvas.draw()
    labels = drawn.axes[0].get_xticklabels()
    boxes = [t.get_window_extent() for t in labels]
    assert labels[-1].get_text() == "139" and not any(a.overlaps(b) for a, b in pairwise(boxes))


def test_models_differ_in_colour_marker_and_dash():
    drawn = SecurityCurveDisplay.from_curve(table([f"m{i}" for i in range(5)])).plot()
    looks = [(a.get_color(), a.get_marker(), a.get_linestyle(), a._dash_pattern) for a in drawn["curve"]]
    few = min(5, len(_OTHERS))  # strangers get what the table has left
    assert len({c for c, *_ in looks}) == len({m for _, m, *_ in looks}) == few
    known = SecurityCurveDisplay.from_curve(table(["RF-TREANT", "RF", "GBDT", "AB", "RT"])).plot()["curve"]
    looks = [(a.get_color(), a.get_marker(), str(a._dash_pattern)) for a in known]
    assert all(len({look[k] for look in looks}) == 5 for k in range(3))
    assert {a.get_color() for a in known} == {
        METHODS[m].color for m in ("RF-TREANT", "RF", "GBDT", "AB", "RT")
    }


def test_names_at_the_line_ends_do_not_overlap():
    display = SecurityCurveDisplay.from_curve(table([f"model {i}" for i in range(6)]))
    drawn = display.plot()
    drawn.figure.canvas.draw()
    boxes = [t.get_window_extent() for t in drawn["end"]]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_every_name_stands_once_and_the_papers_are_spelled_out():
    known = ["RF-TREANT", "AB", "RT", "mine"]
    frame = table(known, ("census", "wine"), ("accuracy", "roc_auc"))
    many = SecurityCurveDisplay.from_curve(frame).plot()
    assert sorted(many.texts("end")) == sorted(known) and not many["end value"]
    assert set(many.texts("full name")) == {"TREANT forest", "adversarial", "boosting", "robust trees"}
    few = SecurityCurveDisplay.from_curve(frame[frame.metric == "roc_auc"]).plot()
    assert sorted(few.texts("end")) == sorted(known) and len(few["end value"]) == 8
    lines = {line.get_gid(): line.get_ydata()[-1] for line in few["curve"]}
    assert sorted(few.texts("end value")) == sorted(f"{v:.2f}".replace("-", "\u2212") for v in lines.values())
    for drawn in (many, few):
        drawn.figure.canvas.draw()
        roles = ("end", "full name", "end value")
        boxes = [a.get_window_extent() for role in roles for a in drawn[role]]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
        assert all(b.x1 <= drawn.figure.bbox.x1 for b in boxes)


def test_no_value_lies_above_the_highest_grid_line_and_every_panel_has_three_or_more():
    for datasets, metrics in ((("a", "b"), ("accuracy", "roc_auc")), (("a",), ("roc_auc",))):
        drawn = SecurityCurveDisplay.from_curve(table(datasets=datasets, metrics=metrics)).plot()
        for ax in drawn.axes:
            low, high = ax.get_ylim()
            ticks = [t for t in ax.get_yticks() if low <= t <= high]
            mine = [v for line in drawn["curve"] if line.axes is ax for v in line.get_ydata()]
            assert len(ticks) >= 3 and max(mine) <= max(ticks) + 1e-9 and min(mine) >= low


def test_guessing_is_marked_where_it_is_on_the_scale_of_roc_auc():
    frame = table(metrics=("accuracy", "roc_auc"))
    drawn = SecurityCurveDisplay.from_curve(frame).plot()
    [line], [words] = drawn["chance"], drawn["chance name"]
    assert line.axes is drawn.axes[1] is words.axes and line.get_ydata()[0] == 0.5
    high = frame.assign(value=0.9, low=0.89, high=0.91)
    assert not SecurityCurveDisplay.from_curve(high).plot()["chance"]


def test_the_fall_that_the_title_tells_is_marked_in_its_panel():
    frame = table(datasets=("wine", "census"), metrics=("accuracy", "roc_auc"))
    frame.loc[(frame.model == "RF") & (frame.dataset == "census") & (frame.metric == "roc_auc")
              & (frame.budget == 120), "value"] -= 0.1  # fmt: skip
    display = SecurityCurveDisplay.from_curve(frame)
    drawn = display.plot()
    [words], [bracket] = drawn["fall"], drawn["fall bracket"]
    ends = [c for c in display.curves if (c.model, c.dataset, c.metric) == ("RF", "census", "roc_auc")]
    points = ends[0].points
    assert (bracket.xyann[1], bracket.xy[1]) == (points[0].value, points[-1].value)  # all of the fall
    assert words.axes is drawn.axes[3] and words.get_text() == "falls by 0.46"
    assert display.title.endswith("RF falls by up to 0.46")
    assert not SecurityCurveDisplay.from_curve(frame, takeaway="Look!").plot()["fall"]


def test_spread_keeps_order_and_distance():
    rng = np.random.default_rng(1)
    for _ in range(50):
        values = rng.uniform(0, 1, 6).round(2).tolist()
        places = spread(values, 0.1, 0.0, 1.0)
        order = np.argsort(values, kind="stable")
        assert np.all(np.diff(np.array(places)[order]) >= 0.1 - 1e-9)
        assert max(places) <= 1 + 1e-9


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_hostile_names_are_drawn_safely(name, kind, recwarn):
    frame = table((name, "RF"), (name,))
    data = render(SecurityCurveDisplay.from_curve(frame), kind)
    assert kind != "svg" or b"<script" not in data
    assert not [w for w in recwarn if "Glyph" in str(w.message)]


def test_bad_input_is_named():
    with pytest.raises(TypeError, match="frame: expected a data frame"):
        SecurityCurveDisplay.from_curve([1])
    with pytest.raises(ValueError, match=r"frame: the columns \['value'\] are missing"):
        SecurityCurveDisplay.from_curve(table().drop(columns="value"))
    with pytest.raises(ValueError, match="at least one row"):
        SecurityCurveDisplay.from_curve(table()[:0])


def test_the_callers_figure_is_left_alone():
    display = SecurityCurveDisplay.from_curve(table(datasets=("a", "b")))
    figure = Figure(figsize=(10, 5))
    first, second = figure.subfigures(1, 2)
    ax = first.add_subplot()
    line = ax.plot([0, 1])[0]
    display.plot(second, palette=DARK)
    assert line in ax.lines
    own = figure.add_subplot()
    mark = own.plot([0, 1])[0]
    display.plot(own)
    assert mark in own.lines


def test_the_same_picture_gives_the_same_bytes():
    for kind in ("svg", "png", "pdf"):
        assert render(SecurityCurveDisplay.from_curve(table()), kind) == render(
            SecurityCurveDisplay.from_curve(table()), kind
        )


def test_the_price_of_the_steadiest_model_while_nobody_attacks_is_told():
    rows = [("still", 0, 0.7), ("still", 1, 0.7), ("usual", 0, 0.8), ("usual", 1, 0.5)]
    frame = pd.DataFrame(rows, columns=["model", "budget", "value"]).assign(metric="roc_auc")
    assert "While nobody attacks, still is 0.1 behind." in SecurityCurveDisplay.from_curve(frame).subtitle
    late = SecurityCurveDisplay.from_curve(frame.assign(budget=frame.budget + 1))
    assert "nobody" not in late.subtitle, "its first budget is no budget of 0"
    ahead = frame.assign(value=frame["value"].where(frame["model"] == "still", 0.6))
    assert "nobody" not in SecurityCurveDisplay.from_curve(ahead).subtitle
    dual = SecurityCurveDisplay.from_curve(frame.assign(budget=frame.budget + 1), x="training budget")
    assert dual.subtitle == "The training budget is what the learner expected them to spend."
