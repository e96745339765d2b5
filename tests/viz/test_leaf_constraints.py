"""ConstraintsDisplay: the toy's panels (d) and (e), legal values by brute force, and many constraints."""

from __future__ import annotations

import time

import numpy as np
import pytest

import treant_viz as tv
from treant_viz.core.tree import Leaf, leaves
from treant_viz.viz.leaf_constraints.display import ConstraintsDisplay
from treant_viz.viz.output.export import render
from treant_viz.viz.style.palette import DARK, LIGHT
from treant_viz.viz.style.pen import new_figure


def test_panel_e_one_is_forbidden_and_one_and_a_half_is_the_nearest_legal_value(toy_trace):
    shown = ConstraintsDisplay.from_trace(toy_trace, "r")
    assert shown.title == "1 is forbidden in the leaf p > 1, q ≤ 3: 1.5 is the nearest value allowed"
    assert shown.subtitle.endswith("Loss: squared error.") and shown.focus == "rl"
    assert shown.attacked == pytest.approx(3.0)
    assert {p: b.prediction for p, b in shown.bounds.items()} == {"l": -1.5, "rl": 1.5, "rr": 2.0}
    inf = float("inf")
    assert shown.bounds["rl"].feasible == ((-inf, -1.5), (1.5, inf)) and shown.bounds["rl"].best == 1.0
    assert shown.bounds["l"].feasible == ((-1.5, 1.5),)


def test_panel_d_comes_back_without_the_constraint(toy_trace):
    shown = ConstraintsDisplay.from_trace(toy_trace, "r", off=[2])
    assert shown.title == "Without the constraints of x2 the loss under attack goes from 3 to 3.75"
    assert shown.bounds["rl"].prediction == 1.0
    drawn = shown.plot()
    assert len(drawn["constraint off"]) == 2 and not drawn["constraint"] and not drawn["wanted"]


def test_labels_name_the_row_the_loss_and_the_node(toy_trace):
    drawn = ConstraintsDisplay.from_trace(toy_trace, "r").plot()
    assert drawn.texts("constraint label") == [
        "x2 (y = 0) must lose at most 2.25", "x2 (y = 0) must lose at least 2.25", "may say anything",
    ]  # fmt: skip
    assert drawn.texts("prediction text") == ["says −1.5", "says 1.5, not 1", "says 2"]
    assert " ".join(drawn.texts("why")).replace("\u00a0", " ") == (
        "The split p ≤ 1 counts on the attacker choosing this side for x2: it planned a loss of 2.25 on "
        "the other. If x2 lost less here, it would be sent there."
    )
    (arrow,) = drawn["moved"]
    assert arrow.xyann[0] < arrow.xy[0], "from the hollow diamond at 1 to the full one at 1.5"
    assert drawn.texts("line end") == ["−2", "−1", "0", "1", "2"]
    assert drawn.texts("test head") == ["all 7 rows", "p > 1"]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_bars_and_diamonds_stand_at_their_values(toy_trace, palette):
    shown = ConstraintsDisplay.from_trace(toy_trace, "r")
    drawn = shown.plot(palette=palette)
    low, high = shown.ends
    tracks = {a.get_gid(): a.get_bbox() for a in drawn["number line"]}
    assert len({(b.x0, b.x1) for b in tracks.values()}) == 1  # one axis for all leaves
    frame = tracks["line-rl"]

    def at(value: float) -> float:
        return frame.x0 + (value - low) / (high - low) * frame.width

    pieces = [a for a in drawn["feasible"] if a.get_gid().endswith("-rl")]
    assert [(a.get_x(), a.get_x() + a.get_width()) for a in pieces] == [
        pytest.approx((at(low), at(-1.5))), pytest.approx((at(1.5), at(high))),
    ]  # fmt: skip
    assert {a.get_facecolor()[:3] for a in pieces} == {
        tuple(int(palette.feasible[i : i + 2], 16) / 255 for i in (1, 3, 5))
    }
    (solid,) = (a for a in drawn["predicted"] if a.get_gid() == "predicted-rl")
    (hollow,) = drawn["wanted"]
    assert solid.get_xdata()[0] == pytest.approx(at(1.5)) and hollow.get_xdata()[0] == pytest.approx(at(1.0))
    assert not drawn["constraint"], "a bar for the only constraint would say it twice"
    assert [t.get_position()[0] for t in drawn["feasible end"]] == pytest.approx([at(-1.5), at(1.5)] * 2)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_each_of_several_constraints_has_a_bar_in_a_tint_of_what_is_allowed(toy_trace, palette):
    """Grey is what is forbidden, and nothing else."""
    from dataclasses import replace

    step = toy_trace.at("rl")
    two = (*step.constraints, replace(step.constraints[0], sense="<=", gamma=4.0, at=-2.0))
    steps = tuple(replace(s, constraints=two) if s.path == "rl" else s for s in toy_trace.steps)
    drawn = ConstraintsDisplay.from_trace(replace(toy_trace, steps=steps)).plot(palette=palette)
    [line] = (a.get_bbox() for a in drawn["number line"] if a.get_gid() == "line-rl")
    bars = {(round(a.get_x(), 3), round(a.get_x() + a.get_width(), 3)) for a in drawn["constraint"]}
    assert len(bars) == 3, "at most −1.5, at least 1.5, and from −2 to 2"
    assert {x for bar in bars for x in bar} >= {round(line.x0, 3), round(line.x1, 3)}
    [color] = {a.get_facecolor()[:3] for a in drawn["constraint"]}
    assert color[1] > max(color[0], color[2]), "green"


def test_what_the_dashed_line_stands_for_is_the_plan_of_the_split(toy_trace):
    """Without q the left side says −1.5: x2, whose label is 0, loses 2.25 there."""
    split = toy_trace.at("").split
    spared = min((split.y_l - 0.0) ** 2, (split.y_r - 0.0) ** 2)
    words = ConstraintsDisplay.from_trace(toy_trace).why
    assert spared == pytest.approx(2.25) and "it planned a loss of 2.25 on the other" in words


def test_the_leaf_of_the_title_lies_on_a_panel(toy_trace):
    assert [a.get_gid() for a in ConstraintsDisplay.from_trace(toy_trace, "r").plot()["focus"]] == [
        "focus-rl"
    ]


def test_legal_values_are_those_that_satisfy_every_constraint(toy_trace, bound_census):
    for trace in (toy_trace, bound_census):
        shown = ConstraintsDisplay.from_trace(trace)
        grid = np.linspace(0.001, 0.999, 333) if trace.loss.binary else np.linspace(-4, 4, 333)
        for path, b in shown.bounds.items():
            ok = np.ones(len(grid), dtype=bool)
            for c in trace.at(path).constraints:
                hurt = -np.log(grid if c.y else 1 - grid) if trace.loss.name == "log" else (grid - c.y) ** 2
                ok &= hurt <= c.gamma + 1e-9 if c.sense == "<=" else hurt >= c.gamma - 1e-9
            legal = np.array([any(a - 1e-9 <= g <= z + 1e-9 for a, z in b.feasible) for g in grid])
            assert (ok == legal).all()
            assert b.best == pytest.approx(trace.y[trace.at(path).data.rows].mean())
            assert b.prediction == trace.at(path).leaf


def test_many_constraints_are_summed_up_by_a_binding_one(bound_census):
    shown = ConstraintsDisplay.from_trace(bound_census, focus="lr")
    b = shown.bounds["lrr"]
    assert b.count == len(bound_census.at("lrr").constraints) == 28 and b.more == 27
    assert b.held[0].allowed == b.feasible
    drawn = shown.plot()
    assert "28 constraints; darker: more allow it" in drawn.texts("constraint label")
    for low, high, share in b.density:  # the share that allows the middle, counted by hand
        p, constraints = (low + high) / 2, bound_census.at("lrr").constraints
        losses = [-np.log(p if c.y else 1 - p) for c in constraints]
        ok = [
            v <= c.gamma if c.sense == "<=" else v >= c.gamma
            for v, c in zip(losses, constraints, strict=True)
        ]
        assert share == pytest.approx(np.mean(ok))
    assert len([a for a in drawn["density"] if a.get_gid().endswith("-lrr")]) == len(b.density) > 1
    assert "  and 27 others" in shown.summary and ", ends included" in shown.summary


def test_a_leaf_without_constraints_may_predict_anything(bound_census):
    free = [p for p, b in ConstraintsDisplay.from_trace(bound_census).bounds.items() if not b.count]
    summary = ConstraintsDisplay.from_trace(bound_census, depth=9).summary
    assert free and summary.count("legal: anything; ") == len(free)


def test_a_value_that_is_not_the_nearest_is_not_said_to_be(toy_trace):
    """The other end of what is legal, as a solver that is stuck would leave it."""
    from dataclasses import replace

    split = replace(toy_trace.at("r").split, y_l=-1.5)
    steps = tuple(replace(s, split=split) if s.path == "r" else s for s in toy_trace.steps)
    shown = ConstraintsDisplay.from_trace(replace(toy_trace, steps=steps), "r")
    assert shown.bounds["rl"].prediction == -1.5
    assert shown.title == "1 is forbidden in the leaf p > 1, q ≤ 3: 1.5 is the nearest value allowed"


def test_a_big_tree_shows_the_way_to_the_leaf_that_is_bound(bound_census):
    shown = ConstraintsDisplay.from_trace(bound_census)
    assert shown.bounds[shown.focus].bound
    assert [shown.focus] == [r.path for r in shown.rows if r.kind == "leaf"], "one leaf, large"
    assert shown.title.startswith("This leaf may not say ") and len(shown.title) < 70
    assert shown.rows[[r.path for r in shown.rows].index(shown.focus)].words
    assert shown.hidden and shown.size == (12.8, 7.2)
    everything = ConstraintsDisplay.from_trace(bound_census, depth=9)
    assert len(everything.rows) == len(bound_census) and not everything.hidden


def test_the_loss_under_attack_is_that_of_the_tree_shown(bound_census):
    shown = ConstraintsDisplay.from_trace(bound_census)
    t = bound_census
    assert shown.attacked == pytest.approx(tv.loss_under_attack(shown.tree, t.X, t.y, t.attacker, "log"))
    assert [leaf.prediction for _, leaf in leaves(shown.tree)] == [
        b.prediction for b in shown.bounds.values()
    ]


def test_no_legal_value_is_said_and_drawn_as_infeasible(toy_trace):
    from dataclasses import replace

    step = toy_trace.at("rl")
    apart = (
        replace(step.constraints[0], sense="<=", at=-1.0),
        replace(step.constraints[0], sense=">=", at=5.0),
    )
    steps = tuple(replace(s, constraints=apart) if s.path == "rl" else s for s in toy_trace.steps)
    shown = ConstraintsDisplay.from_trace(replace(toy_trace, steps=steps))
    assert (
        shown.title == "Nothing may be said in the leaf p > 1, q ≤ 3: its constraints contradict each other"
    )
    assert "nothing is allowed" in shown.plot().texts("prediction text")


def test_names_of_rows_are_made_harmless(toy_trace):
    shown = ConstraintsDisplay.from_trace(toy_trace, "r", names={2: '<b>"$x$\n' + "z" * 80})
    assert shown.plot().texts("constraint label")[0].startswith('<b>"$x$')
    assert "<b>" not in render(shown, "svg").decode()


def test_a_subfigure_speed_size_and_the_same_bytes(bound_census):
    left, right = new_figure((20, 8), LIGHT).subfigures(1, 2)
    mine = left.add_subplot()
    start = time.process_time()
    drawn = ConstraintsDisplay.from_trace(bound_census).plot(right)
    assert time.process_time() - start < 2.0
    assert drawn.figure is right and not mine.texts
    one, two = (render(ConstraintsDisplay.from_trace(bound_census), "svg") for _ in range(2))
    assert one == two and len(one) < 500_000


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda t: ConstraintsDisplay.from_trace(Leaf(1.0)), TypeError, "trace: expected a Trace, got Leaf"),
        (lambda t: ConstraintsDisplay.from_trace(t, "rrr"), KeyError, "rrr"),
        (
            lambda t: ConstraintsDisplay.from_trace(t, off=[5]),
            ValueError,
            r"off: expected rows .* \(2\), got 5",
        ),
        (lambda t: ConstraintsDisplay.from_trace(t, off="x2"), ValueError, "off: .* got 'x2'"),
        (lambda t: ConstraintsDisplay.from_trace(t, focus="lll"), KeyError, "lll"),
        (lambda t: ConstraintsDisplay.from_trace(t, depth=0), ValueError, "depth: .* got 0"),
    ],
)
def test_bad_input_is_named(toy_trace, make, error, said):
    with pytest.raises(error, match=said):
        make(toy_trace)


def test_constraints_that_ask_for_the_same_stand_as_one(toy_trace):
    from dataclasses import replace

    step = toy_trace.at("rl")
    twice = (*step.constraints, *(replace(c, row=3) for c in step.constraints))
    steps = tuple(replace(s, constraints=twice) if s.path == "rl" else s for s in toy_trace.steps)
    shown = ConstraintsDisplay.from_trace(replace(toy_trace, steps=steps))
    assert "2 rows (y = 0) must lose at least 2.25" in shown.plot().texts("constraint label")
    assert shown.summary.count("must lose at least 2.25") == 2, "the summary names them one by one"
