"""Feature space: dots are as large as their rows are many, who is hurt can be counted, words stand clear."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex

import treant_viz as tv
from tests.viz.measures import overlap
from treant_viz.viz.feature_space.display import FeatureSpaceDisplay
from treant_viz.viz.feature_space.dots import LEAST, MANY, groups
from treant_viz.viz.feature_space.draw import frame_of
from treant_viz.viz.feature_space.facts import PlaneBox
from treant_viz.viz.feature_space.view import PlaneView
from treant_viz.viz.style.palette import LIGHT
from treant_viz.viz.style.pen import Pen

make = FeatureSpaceDisplay.from_tree


def test_where_many_rows_stand_together_the_area_of_their_dot_is_their_number():
    data = tv.load_census()
    X, y = data.X_train[:600], data.y_train[:600]
    d = make(tv.TreantClassifier(None, max_depth=4).fit(X, y), X, y, data.attacker.with_budget(60))
    drawn = d.plot()
    [dots] = drawn["others"]
    frame = frame_of(d)
    found = groups(d, PlaneView.of(Pen(LIGHT), drawn.axes[0], frame))
    many = [g for g in found if g.across > LEAST]
    assert max(g.rows for g in many) > 20 and max(g.across for g in many) == pytest.approx(MANY)
    assert len({round(g.across**2 / g.rows, 6) for g in many}) == 1
    assert all(g.across == LEAST for g in found if g not in many), "a dot that can be seen"
    assert sorted(np.sqrt(dots.get_sizes())) == pytest.approx(sorted(g.across for g in found))
    assert drawn["scale"]


@pytest.mark.parametrize("load", [tv.load_wine, tv.load_census])
def test_every_row_that_is_hurt_can_be_counted_in_the_picture(load):
    """A ring each, or a ring with the number of rows that stand there, or a row that is told of."""
    data = load()
    attacker = data.attacker.with_budget(60)
    X, y = data.X_train[:600], data.y_train[:600]
    d = make(tv.TreantClassifier(None, max_depth=4).fit(X, y), X, y, attacker)
    drawn = d.plot()
    [dots] = drawn["others"]
    rings = sum(to_hex(c).upper() == LIGHT.unknown for c in dots.get_edgecolors())
    several = [int(t) for t in drawn.texts("rows")]
    told = sum(len(i.rows) for i in d.instances if i.moved_to)
    assert rings - len(several) + sum(several) + told == d.hit > 10
    low, high = np.transpose([drawn.axes[0].get_xlim(), drawn.axes[0].get_ylim()])
    assert ((d.others[d.others_hit] > low) & (d.others[d.others_hit] < high)).all()  # none is off the plane
    said = d.slice(3)
    assert "3 rows beyond the edges" in said and ("see other borders" in said) == (d.rows > d.shown)


@pytest.mark.parametrize("load", [tv.load_wine, tv.load_census])
def test_words_and_coins_stand_clear_of_each_other_and_within_the_plane(load):
    data = load()
    X, y = data.X_train[:600], data.y_train[:600]
    d = make(tv.TreantClassifier(None, max_depth=4).fit(X, y), X, y, data.attacker.with_budget(60))
    drawn = d.plot()
    drawn.axes[0].get_figure(root=True).draw_without_rendering()
    plane = drawn.axes[0].get_window_extent()
    boxes = [a.get_window_extent() for role in ("label", "coin", "prediction") for a in drawn[role]]
    for box in boxes:
        assert plane.x0 <= box.x0 and box.x1 <= plane.x1 and plane.y0 <= box.y0 and box.y1 <= plane.y1
    assert max(overlap(a, b) for a, b in itertools.combinations(boxes, 2)) <= 2.0


@pytest.mark.parametrize("load", [tv.load_wine, tv.load_census])
def test_no_dot_leaves_the_region_of_its_row_and_a_list_counts_every_push(load):
    """Dots that would lie over a border stand just inside; none is moved further than its own size."""
    data = load()
    X, y = data.X_train[:600], data.y_train[:600]
    d = make(tv.TreantClassifier(None, max_depth=4).fit(X, y), X, y, data.attacker.with_budget(60))
    drawn = d.plot()
    view = PlaneView.of(Pen(LIGHT), drawn.axes[0], frame_of(d))
    here = {(float(x), float(y)) for x, y in d.others}
    for g in groups(d, view):
        near = min(here, key=lambda p: np.hypot(*(np.subtract(view.at(*p), view.at(g.x, g.y)))))
        homes = [r for r in d.regions if r.meets(PlaneBox((near[0],) * 2, (near[1],) * 2))]
        drawn_in = [r for r in d.regions if r.meets(PlaneBox((g.x, g.x), (g.y, g.y)))]
        assert [r.prediction for r in homes] == [r.prediction for r in drawn_in]
    assert sum(p.rows for p in d.pushes) == d.hit
    listed = [int(t.split()[0].replace(",", "")) for t in drawn.texts("push rows")]
    assert listed == [p.rows for p in d.pushes][: len(listed)] and listed == sorted(listed, reverse=True)
    rest = [int(t.split()[1]) for t in drawn.texts("push more")]
    assert sum(listed) + sum(rest) == d.hit
    long = [np.ptp(bar.get_xdata()) for bar in drawn["push"]]
    assert np.divide(long, listed) == pytest.approx([long[0] / listed[0]] * len(long))
