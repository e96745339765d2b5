"""ConstraintsDisplay: the toy's panels (d) and (e), legal values against brute force, and many constraints."""

from __future__ import annotations

import time

import numpy as np
import pytest

import treant_viz as tv
from treant_viz.tree import Leaf, leaves
from treant_viz.viz.canvas import new_figure
from treant_viz.viz.export import render
from treant_viz.viz.leaf_constraints import ConstraintsDisplay
from treant_viz.viz.palette import DARK, LIGHT


@pytest.fixture(scope="module")
def toy_trace():
    toy = tv.load_toy()
    return tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y).trace_


@pytest.fixture(scope="module")
def census_trace():
    census = tv.load_census()
    return tv.TreantClassifier(census.attacker, max_depth=4).fit(census.X_train[:1500], census.y_train[:1500]).trace_


def test_panel_e_one_is_forbidden_and_one_and_a_half_is_the_nearest_legal_value(toy_trace):
    shown = ConstraintsDisplay.from_trace(toy_trace, "r")
    assert shown.title == "1 is forbidden at leaf rl, 1.5 is the nearest legal value: loss under attack 3"
    assert shown.attacked == pytest.approx(3.0)
    assert {p: b.prediction for p, b in shown.bounds.items()} == {"l": -1.5, "rl": 1.5, "rr": 2.0}
    inf = float("inf")
    assert shown.bounds["rl"].feasible == ((-inf, -1.5), (1.5, inf)) and shown.bounds["rl"].best == 1.0
    assert shown.bounds["l"].feasible == ((-1.5, 1.5),)


def test_panel_d_comes_back_without_the_constraint(toy_trace):
    shown = ConstraintsDisplay.from_trace(toy_trace, "r", off=[2])
    assert shown.title == "Without the constraints of x2, loss under attack 3 → 3.75"
    assert shown.bounds["rl"].prediction == 1.0
    drawn = shown.plot()
    assert len(drawn["constraint off"]) == 2 and not drawn["constraint"] and not drawn["forbidden"]


def test_labels_name_the_row_the_loss_and_the_node(toy_trace):
    drawn = ConstraintsDisplay.from_trace(toy_trace, "r").plot()
    assert drawn.texts("constraint label") == ["x2: (ŷ−0)² ≤ 2.25", "x2: (ŷ−0)² ≥ 2.25, from the root"]
    assert drawn.texts("values") == ["◆ -1.5", "◇ 1 → ◆ 1.5"]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_bars_and_diamonds_stand_at_their_values(toy_trace, palette):
    shown = ConstraintsDisplay.from_trace(toy_trace, "r")
    drawn = shown.plot(palette=palette)
    low, high = shown.ends
    frame = next(a for a in drawn["leaf"] if a.get_gid() == "node-rl").get_bbox()

    def at(value: float) -> float:
        return frame.x0 + (value - low) / (high - low) * frame.width

    pieces = [a for a in drawn["feasible"] if a.get_gid().endswith("-rl")]
    assert [(a.get_x(), a.get_x() + a.get_width()) for a in pieces] == [
        pytest.approx((at(low), at(-1.5))), pytest.approx((at(1.5), at(high))),
    ]  # fmt: skip
    assert {a.get_facecolor()[:3] for a in pieces} == {
        tuple(int(palette.feasible[i : i + 2], 16) / 255 for i in (1, 3, 5))
    }
    (solid,) = (a for a in drawn["prediction"] if a.get_gid() == "prediction-rl")
    (hollow,) = drawn["optimum"]
    assert solid.get_xdata()[0] == pytest.approx(at(1.5)) and hollow.get_xdata()[0] == pytest.approx(at(1.0))
    (forbidden,) = (a for a in drawn["forbidden"] if a.get_gid() == "forbidden-feasible-0-rl")
    assert forbidden.get_hatch() and forbidden.get_x() == pytest.approx(at(-1.5))


def test_inherited_constraints_are_fainter_than_new_ones(toy_trace):
    drawn = ConstraintsDisplay.from_trace(toy_trace, "r").plot()
    alpha = {a.get_gid().split("-")[-1]: a.get_facecolor()[3] for a in drawn["constraint"]}
    assert alpha["l"] == 1.0 and alpha["rl"] < 0.5


def test_legal_values_are_those_that_satisfy_every_constraint(toy_trace, census_trace):
    for trace in (toy_trace, census_trace):
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


def test_many_constraints_are_summed_up_by_a_binding_one(census_trace):
    shown = ConstraintsDisplay.from_trace(census_trace, focus="lr")
    b = shown.bounds["lrr"]
    assert b.count == len(census_trace.at("lrr").constraints) == 28 and b.more == 27
    assert b.held[0].allowed == b.feasible
    assert shown.plot().texts("more constraints") == ["+ 27 more"]
    assert "  + 27 more" in shown.summary


def test_a_big_tree_shows_the_way_to_the_leaf_that_is_bound(census_trace):
    shown = ConstraintsDisplay.from_trace(census_trace)
    path = shown.title.split(" at leaf ")[1].split(",")[0]
    assert shown.bounds[path].bound and shown.cards[path].below > 0
    assert shown.size[0] <= 15
    everything = ConstraintsDisplay.from_trace(census_trace, depth=9)
    assert len(everything.cards) == len(census_trace)


def test_the_loss_under_attack_is_that_of_the_tree_shown(census_trace):
    shown = ConstraintsDisplay.from_trace(census_trace)
    t = census_trace
    assert shown.attacked == pytest.approx(tv.loss_under_attack(shown.tree, t.X, t.y, t.attacker, "log"))
    assert [leaf.prediction for _, leaf in leaves(shown.tree)] == [b.prediction for b in shown.bounds.values()]


def test_no_legal_value_is_said_and_drawn_as_infeasible(toy_trace):
    from dataclasses import replace

    step = toy_trace.at("rl")
    apart = (replace(step.constraints[0], sense="<=", at=-1.0), replace(step.constraints[0], sense=">=", at=5.0))
    steps = tuple(replace(s, constraints=apart) if s.path == "rl" else s for s in toy_trace.steps)
    shown = ConstraintsDisplay.from_trace(replace(toy_trace, steps=steps))
    assert shown.title == "No prediction is legal at leaf rl: its constraints contradict each other"
    assert "infeasible" in shown.plot().texts("values")


def test_names_of_rows_are_made_harmless(toy_trace):
    shown = ConstraintsDisplay.from_trace(toy_trace, "r", names={2: '<b>"$x$\n' + "z" * 80})
    assert shown.plot().texts("constraint label")[0].startswith('<b>"$x$')
    assert "<b>" not in render(shown, "svg").decode()


def test_no_constraints_no_lines():
    toy = tv.load_toy()
    trace = tv.TreantRegressor(None, min_samples_split=2).fit(toy.X, toy.y).trace_
    shown = ConstraintsDisplay.from_trace(trace)
    assert shown.title == "No leaf has constraints: the attacker has no choice here"
    assert not shown.plot()["feasible"]


def test_a_subfigure_speed_size_and_the_same_bytes(census_trace):
    left, right = new_figure((20, 8), LIGHT).subfigures(1, 2)
    mine = left.add_subplot()
    start = time.perf_counter()
    drawn = ConstraintsDisplay.from_trace(census_trace).plot(right)
    assert time.perf_counter() - start < 2.0
    assert drawn.figure is right and not mine.texts
    one, two = (render(ConstraintsDisplay.from_trace(census_trace), "svg") for _ in range(2))
    assert one == two and len(one) < 500_000


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda t: ConstraintsDisplay.from_trace(Leaf(1.0)), TypeError, "trace: expected a Trace, got Leaf"),
        (lambda t: ConstraintsDisplay.from_trace(t, "rrr"), KeyError, "rrr"),
        (lambda t: ConstraintsDisplay.from_trace(t, off=[5]), ValueError, r"off: expected rows .* \(2\), got 5"),
        (lambda t: ConstraintsDisplay.from_trace(t, off="x2"), ValueError, "off: .* got 'x2'"),
        (lambda t: ConstraintsDisplay.from_trace(t, focus="lll"), KeyError, "lll"),
        (lambda t: ConstraintsDisplay.from_trace(t, depth=0), ValueError, "depth: .* got 0"),
    ],
)
def test_bad_input_is_named(toy_trace, make, error, said):
    with pytest.raises(error, match=said):
        make(toy_trace)
