"""ConstraintsDisplay: one leaf large, with its curve and its line; and trees that have no constraints."""

from __future__ import annotations

import numpy as np
import pytest

import treant_viz as tv
from treant_viz.viz.leaf_constraints.display import ConstraintsDisplay

FREE = "Every leaf may say what fits its rows best: the attacker can cross no test of this tree"


def test_no_constraints_no_lines():
    toy = tv.load_toy()
    trace = tv.TreantRegressor(None, min_samples_split=2).fit(toy.X, toy.y).trace_
    shown = ConstraintsDisplay.from_trace(trace)
    assert shown.title == FREE
    drawn = shown.plot()
    assert not drawn["feasible"] and not drawn["rows pushed"]
    assert drawn.texts("test words") == ["p ≤ 1", "p ≤ −7", "p ≤ −5"]
    said = [f"none of {rows} can be pushed across" for rows in (7, 3, 2)]
    assert drawn.texts("rows words") == said and not drawn["example"]
    assert " ".join(drawn.texts("purpose")).startswith(
        "A constraint is a promise about each row that can be pushed across a test"
    )


def test_where_there_are_no_constraints_the_subtitle_points_to_some(toy_trace):
    from dataclasses import replace

    steps = tuple(
        replace(s, constraints=(), split=replace(s.split, left_constraints=(), right_constraints=()))
        if s.path == "" else s
        for s in toy_trace.steps
    )  # fmt: skip
    shown = ConstraintsDisplay.from_trace(replace(toy_trace, steps=steps), "")
    assert shown.title == FREE
    assert f"Look at from_trace(trace, {shown.elsewhere!r}), where leaves have some" in shown.subtitle
    there = ConstraintsDisplay.from_trace(replace(toy_trace, steps=steps), shown.elsewhere)
    assert any(b.count for b in there.bounds.values())


def test_constraints_that_bind_nobody_are_not_said_to_forbid_nothing(toy_trace):
    from dataclasses import replace

    step = toy_trace.at("rl")
    wide = (replace(step.constraints[0], sense="<=", gamma=4.0, at=-2.0, y=0.0),)
    steps = []
    for s in toy_trace.steps:
        if s.split is not None and s.taken:
            s = replace(s, split=replace(s.split, left_constraints=(), right_constraints=()))
        steps.append(replace(s, constraints=wide if s.path == "rr" else ()))
    shown = ConstraintsDisplay.from_trace(replace(toy_trace, steps=tuple(steps)))
    assert shown.title == (
        "No leaf is kept from its best value; the nearest limit: −2 to 2 in the leaf p > 1, q > 3"
    )


def test_the_curve_is_the_loss_of_the_row_and_the_dashed_line_what_the_split_counted(toy_trace):
    """x2 has label 0: saying 1 costs it 1, saying 1.5 costs it 2.25, as much as the split has counted."""
    shown = ConstraintsDisplay.from_trace(toy_trace, "r")
    drawn = shown.plot()
    [curve], [counted] = drawn["loss of the row"], drawn["counted loss"]
    (low, high), xs, ys = shown.ends, *curve.get_data()
    says = low + (high - low) * (xs - xs[0]) / (xs[-1] - xs[0])
    seen, foot = np.isfinite(ys), np.nanmin(ys)
    unit = (counted.get_ydata()[0] - foot) / 2.25
    assert (ys[seen] - foot) / unit == pytest.approx(says[seen] ** 2, abs=1e-3)
    assert drawn.texts("counted loss words") == ["2.25"] and drawn.texts("loss wanted words") == ["1"]
    [solid], [hollow] = drawn["loss now"], drawn["loss wanted"]
    assert [(c.center[1] - foot) / unit for c in (solid, hollow)] == pytest.approx([2.25, 1.0])
    assert drawn.texts("coin") == ["1"] and drawn.texts("who crosses") == ["x2"]
    assert drawn.texts("wanted words") == ["1 fits best"]


def test_a_leaf_shown_alone_has_the_part_of_the_line_on_which_its_story_happens(bound_census):
    """One scale for curve, bar and ticks; the story takes a good part of it."""
    shown = ConstraintsDisplay.from_trace(bound_census)
    b, (low, high) = shown.bounds[shown.focus], shown.ends
    assert low < min(b.best, b.nearest) and max(b.best, b.nearest) < high and high - low < 1
    drawn = shown.plot()
    [line] = (a.get_bbox() for a in drawn["number line"])
    [hollow], [solid] = drawn["wanted"], drawn["predicted"]
    for mark, at in ((hollow, b.best), (solid, b.prediction)):
        share = (mark.get_xdata()[0] - line.x0) / line.width
        assert share == pytest.approx((at - low) / (high - low))
    assert [drawn.texts("line end")[k] for k in (0, -1)] == [f"{low:g}", f"{high:g}"]
    assert f"the tightest of {b.count} constraints" in drawn.texts("constraint label")
    wide = ConstraintsDisplay.from_trace(bound_census, depth=9)
    assert wide.ends == (0.0, 1.0) and wide.bounds[shown.focus] == b


def test_a_row_that_is_counted_on_the_other_side_may_not_lose_more_here(bound_census):
    shown = ConstraintsDisplay.from_trace(bound_census)
    held = shown.bounds[shown.focus].binding
    assert held.sense == "<=" and f"choosing the other side for {held.who}: " in shown.why
    assert shown.why.endswith(f"If {held.who} lost more, it would be sent here.")


def test_without_constraints_bars_show_that_no_row_crosses_and_where_some_would():
    wine = tv.load_wine()
    X, y = wine.X_train[:1000], wine.y_train[:1000]
    trace = tv.TreantClassifier(wine.attacker.with_budget(60), max_depth=3).fit(X, y).trace_
    shown = ConstraintsDisplay.from_trace(trace)
    assert shown.title == FREE and shown.risky is not None and shown.risky.pushed > 0
    assert all(t.pushed == 0 for t in shown.tests)
    drawn = shown.plot()
    home, pushed = ([a.get_width() for a in drawn[role]] for role in ("rows at home", "rows pushed"))
    rows = [t.rows for t in shown.tests[:6]] + [shown.risky.rows - shown.risky.pushed]
    unit = pushed[0] / shown.risky.pushed
    assert [w / unit for w in home] == pytest.approx(rows), "every bar is as long as its rows are many"
    assert drawn["rows pushed"][0].get_hatch()
    *tests, example = drawn.texts("rows words")
    assert tests == [f"none of {t.rows:,} can be pushed across" for t in shown.tests[:6]]
    assert example == f"{shown.risky.pushed:,} of {shown.risky.rows:,} can be pushed across"
    more = len(shown.tests) - 6
    assert drawn.texts("more tests") == [f"and {more} more"] * (more > 0)
