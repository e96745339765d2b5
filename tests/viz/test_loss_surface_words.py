"""The loss surface: its names, contours and words are true, cover nothing and can be read."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex

import treant_viz as tv
from tests.viz.measures import point
from treant_viz.viz.loss_surface.display import LossSurfaceDisplay
from treant_viz.viz.style.palette import DARK, LIGHT, contrast


def traced(toy, X=None, attacker=None, **options):
    model = tv.TreantRegressor(attacker or toy.attacker, min_samples_split=2, **options)
    return model.fit(toy.X if X is None else X, toy.y).trace_


def test_contours_are_thin_and_named_and_both_panels_say_what_they_are(toy_trace, stuck):
    plain = LossSurfaceDisplay.from_trace(toy_trace).plot()
    run = LossSurfaceDisplay.from_trace(toy_trace, "r", iterates=stuck).plot()
    assert max(plain["contour lines"][0].get_linewidth()) < 1.0 and plain["contour value"]
    assert plain.texts("panel head") == ["Loss on the line from ring to star"]
    assert run.texts("panel head") == ["Loss at each step of SLSQP"]
    assert run.texts("chart words") == ["squares obey all constraints; crosses break one"]


def test_the_way_between_both_optima_has_both_losses(toy_trace, toy):
    """At (-1, 2): 2, attacked 5; at (-1.5, 1.6): 3.39, attacked 3.7; both from sums over the rows."""
    drawn = LossSurfaceDisplay.from_trace(toy_trace).plot()
    for role, ends in (("way attacked", (5.0, 3.7)), ("way unattacked", (2.0, 3.39))):
        assert drawn[role][0].get_ydata()[[0, -1]] == pytest.approx(ends)
    assert drawn.texts("way end") == ["5", "2", "3.7", "3.39"]
    left = toy.X["p"].to_numpy() <= 1
    for t, height in zip(np.linspace(0, 1, 241), drawn["way unattacked"][0].get_ydata()):
        says = np.where(left, -1 - 0.5 * t, 2 - 0.4 * t)
        assert height == pytest.approx(float(((toy.y - says) ** 2).sum()))


def test_contours_stand_at_round_numbers(toy_trace, wine_trace):
    for t in (toy_trace, wine_trace):
        drawn = LossSurfaceDisplay.from_trace(t).plot()
        levels = drawn["contour lines"][0].levels
        assert 3 <= len(levels) <= 12 and all(
            len(f"{v:.9g}".replace(".", "").strip("0")) <= 3 for v in levels
        )
        assert np.diff(levels) == pytest.approx(np.diff(levels)[0])


def test_contours_lie_between_the_two_best_pairs(toy_trace, wine_trace):
    for t in (toy_trace, wine_trace):
        d = LossSurfaceDisplay.from_trace(t)
        levels = d.plot()["contour lines"][0].levels
        assert sum((levels > d.optimum.loss) & (levels < d.plain.loss)) >= 2


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_words_on_the_map_cover_no_mark_no_crease_and_no_other_words(toy_trace, wine_trace, palette):
    for t in (toy_trace, wine_trace):
        d = LossSurfaceDisplay.from_trace(t)
        drawn = d.plot(palette=palette)
        drawn.figure.canvas.draw()
        roles = ("optimum name", "plain name", "contour value", "crease name")
        words = [w for role in roles for w in drawn[role]]
        [map_] = drawn["contours"]
        for w in words:
            box = w.get_window_extent().transformed(drawn.axes[0].transData.inverted())
            xs = np.clip(np.linspace(box.x0, box.x1, 9), *d.frame[0])
            ys = np.clip([box.y0, box.y1], *d.frame[1])
            fills = [to_hex(map_.cmap(map_.norm(d.surface.value(x, y)))) for x in xs for y in ys]
            assert min(contrast(to_hex(w.get_color()), fill) for fill in fills) >= 4.5
            assert w.get_bbox_patch() is not None, "contours break where words stand"
        boxes = [w.get_window_extent() for w in words if not w.get_rotation()]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
        ax = drawn.axes[0]
        assert all(ax.bbox.containsx(b.x0) and ax.bbox.containsx(b.x1) for b in boxes)
        points = [point(drawn[role][0]) for role in ("optimum", "plain")]
        for line in (*drawn["crease"], *drawn["way"]):
            (x0, x1), (y0, y1) = line.get_data()
            points += [(x0 + s * (x1 - x0), y0 + s * (y1 - y0)) for s in np.linspace(0, 1, 300)]
        dots = ax.transData.transform(points)
        assert not any(b.contains(*dot) for b in boxes for dot in dots)


def test_names_keep_clear_of_the_numbers_of_a_run(toy, toy_trace):
    drawn = LossSurfaceDisplay.from_trace(toy_trace, slsqp=traced(toy, solver="slsqp")).plot()
    drawn.figure.canvas.draw()
    names = [w.get_window_extent() for role in ("optimum name", "plain name") for w in drawn[role]]
    numbers = [w.get_bbox_patch().get_window_extent() for w in (*drawn["number"], *drawn["off the plot"])]
    assert not any(a.overlaps(b) for a in names for b in numbers)


def test_the_marks_say_what_they_cost_under_attack_and_the_colours_have_a_key(toy_trace, wine_trace):
    drawn = LossSurfaceDisplay.from_trace(toy_trace).plot()
    assert drawn.texts("plain name") == ["best if nobody attacks\n5 under attack"]
    assert drawn.texts("optimum name") == ["best under attack: 3.7"]
    assert [a.get_text() for a in drawn["key"] if hasattr(a, "get_text")] == ["7.5 and more", "3.7"]
    stays = LossSurfaceDisplay.from_trace(wine_trace, "").plot()
    assert stays.texts("optimum name")[0].startswith("best, attacked or not\n") and not stays["plain name"]


def test_where_the_attack_changes_nothing_on_the_way_one_name_says_so(toy_trace):
    drawn = LossSurfaceDisplay.from_trace(toy_trace, "r").plot()
    assert drawn.texts("way name") == ["attacked or not: 0.5 more"] and drawn.texts("way end") == ["2", "2.5"]


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_words_can_be_read_on_every_loss(palette):
    assert min(contrast(palette.ink, c) for c in palette.loss) >= 4.5


def test_either_side_of_a_crease_says_where_the_attacker_sends_the_label(toy_trace):
    """On the side that is named "right" label 0 loses more in the right leaf, and the other way round."""
    d = LossSurfaceDisplay.from_trace(toy_trace)
    drawn = d.plot()
    drawn.figure.draw_without_rendering()
    assert sorted(drawn.texts("crease name")) == ["label 0 is sent left", "label 0 is sent right"]
    for words in drawn["crease name"]:
        box = words.get_window_extent().transformed(drawn.axes[0].transData.inverted())
        y_l, y_r = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        assert (y_r**2 > y_l**2) == words.get_text().endswith("right")
    assert d.subtitle.endswith("The attacker decides for 1 row.")


def test_the_losses_beside_the_map_start_at_zero_and_their_changes_are_named(toy_trace):
    """Without an attacker −1.5 loses 0.25 + 0.25 + 2.25 and 1.6 loses 4 times 0.16: 3.39, where it was 2."""
    drawn = LossSurfaceDisplay.from_trace(toy_trace).plot()
    assert drawn.axes[1].get_ylim()[0] == 0.0
    assert drawn.texts("way name") == ["under attack: 1.3 less", "if nobody attacks: 1.39 more"]
