"""The audit picture: every cell a dot at its own place, and those too far off told apart and named."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

import treant_viz as tv
from treant_viz.experiments.report.results import VIEWS, compared, within
from treant_viz.viz.audit.draw import HIGHER, LOWER, stacked
from treant_viz.viz.style.palette import DARK, LIGHT, contrast

COLUMNS = ["dataset", "budget", "method", "metric", "paper", "ours"]
TABLE = [  # one cell just within 0.04, one beyond, one far beyond to the left
    ("wine", 20, "AB", "accuracy", 0.70, 0.74),
    ("wine", 20, "AB", "roc_auc", 0.80, 0.85),
    ("wine", 20, "RT", "accuracy", 0.70, 0.70),
    ("wine", 20, "RT", "roc_auc", 0.80, 0.50),
    ("census", 30, "AB", "accuracy", 0.60, 0.59),
    ("census", 30, "AB", "roc_auc", 0.90, 0.91),
    ("census", 30, "RT", "accuracy", 0.60, 0.66),
    ("census", 30, "RT", "roc_auc", 0.90, 0.97),
]


def table() -> pd.DataFrame:
    return pd.DataFrame(TABLE, columns=COLUMNS)


def dots(drawn) -> dict[str, tuple[float, float, str, bool]]:
    """By id: how far off a dot is, how high it stands, its colour, and whether it is told to be off."""
    return {
        a.get_gid(): (*map(float, (a.get_xdata()[0], a.get_ydata()[0])), to_hex(a.get_color()).upper(), off)
        for role, off in (("near", False), ("off", True)) for a in drawn[role]
    }  # fmt: skip


def test_every_cell_is_a_dot_at_its_difference_and_only_those_too_far_off_have_a_colour():
    found = dots(tv.AuditDisplay.from_cells(table()).plot())
    expected = {f"cell-{m}-{d} {k}-{s}": ours - paper for d, k, m, s, paper, ours in TABLE}
    assert {gid: x for gid, (x, *_) in found.items()} == pytest.approx(expected)
    coloured = {gid for gid, (*_, color, _) in found.items() if color != LIGHT.soft}
    assert coloured == {gid for gid, (*_, off) in found.items() if off}
    assert coloured == {
        "cell-AB-wine 20-roc_auc",
        "cell-RT-wine 20-roc_auc",
        "cell-RT-census 30-accuracy",
        "cell-RT-census 30-roc_auc",
    }


def test_more_and_less_have_colours_of_their_own():
    found = dots(tv.AuditDisplay.from_cells(table()).plot())
    for gid, (x, _, color, off) in found.items():
        assert not off or color == (HIGHER if x > 0 else LOWER), gid


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_dots_can_be_seen_on_the_band_and_off_it(palette):
    drawn = tv.AuditDisplay.from_cells(table()).plot(palette=palette)
    band = to_hex(drawn["band"][0].get_facecolor())
    assert all(contrast(to_hex(a.get_color()), band) >= 3 for a in drawn["near"])
    assert all(contrast(to_hex(a.get_color()), palette.background) >= 3 for a in drawn["off"])


def test_the_band_is_the_tolerance_and_every_dot_is_on_the_axis():
    for frame, tolerance in ((table(), 0.04), (table()[:3], 0.1), (table()[:1], 0.9)):
        drawn = tv.AuditDisplay.from_cells(frame, tolerance=tolerance).plot()
        [band] = drawn["band"]
        assert (band.get_x(), band.get_x() + band.get_width()) == pytest.approx((-tolerance, tolerance))
        low, high = drawn.axes[0].get_xlim()
        assert low < -tolerance and high > tolerance and low == pytest.approx(-high)
        assert all(low < x < high for x, *_ in dots(drawn).values())
        ticks = [t.get_text() for t in drawn.axes[0].get_xticklabels()]
        assert {"0", f"+{tolerance}", f"\N{MINUS SIGN}{tolerance}"} <= set(ticks)


def test_the_farthest_dot_on_a_side_is_named_with_how_many_more_there_are():
    rows = [("d", k, "m", "s", 0.5, 0.5 + x) for k, x in enumerate((0.0, 0.3, 0.2, 0.1, -0.2, 0.01))]
    drawn = tv.AuditDisplay.from_cells(pd.DataFrame(rows, columns=COLUMNS)).plot()
    assert drawn.texts("number") == ["d 4: \N{MINUS SIGN}0.200", "d 1: +0.300 and 2 more"]


def test_a_difference_just_as_large_as_the_tolerance_is_within_it():
    found = dots(tv.AuditDisplay.from_cells(table(), tolerance=0.05).plot())
    assert not found["cell-AB-wine 20-roc_auc"][3]  # 0.85 - 0.80 is a hair more than 0.05 in a computer
    hair = pd.DataFrame([("wine", 20, "AB", "accuracy", 0.5, 0.5402)], columns=COLUMNS)
    assert tv.AuditDisplay.from_cells(hair).plot().texts("number") == ["wine 20: +0.0402"]


def test_strips_are_measures_and_blocks_methods_from_top_to_bottom():
    drawn = tv.AuditDisplay.from_cells(table()).plot()
    [ax] = drawn.axes
    assert [t.get_text() for t in ax.get_yticklabels()] == ["accuracy", "ROC AUC"] * 2
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    strips = list(ax.get_yticks())
    for gid, (_, y, *_) in dots(drawn).items():
        _, method, _, metric = gid.split("-")
        mine = strips[2 * ("AB", "RT").index(method) + ("accuracy", "roc_auc").index(metric)]
        assert min(strips, key=lambda s: abs(s - y)) == mine
    assert drawn.texts("method") == ["AB", "RT"]
    assert drawn.texts("full name") == ["adversarial boosting", "robust trees"]
    assert drawn.texts("verdict") == ["3 of 4 agree", "1 of 4 agrees"]


def test_dots_of_a_lane_do_not_touch():
    rng = np.random.default_rng(0)
    for _ in range(30):
        xs = rng.normal(size=40).round(1).tolist()
        lanes = stacked(xs, 0.3)
        for lane in set(lanes):
            mine = sorted(x for x, k in zip(xs, lanes) if k == lane)
            assert all(b - a >= 0.3 - 1e-9 for a, b in pairwise(mine))


def test_words_count_what_is_drawn():
    display = tv.AuditDisplay.from_cells(table(), view="as run")
    assert display.subtitle.startswith("As run. A dot is a number of the paper's table")
    assert "AB: 3 of 4 agree, the farthest is AB on wine 20: +0.050 (ROC AUC)" in display.alt_text
    assert "RT census 30: accuracy +0.060, ROC AUC +0.070" in display.summary


@pytest.mark.parametrize(
    ("off", "title"),
    [
        ({}, "All 6 numbers agree with the paper"),
        (
            {"A": 1},
            "All 4 numbers of B and C agree with the paper; 1 of the other 2 does not, on d at budget 0",
        ),
        ({"A": 2, "B": 1}, "All 2 numbers of C agree with the paper; 3 of the other 4 do not"),
        ({"A": 1, "B": 1, "C": 1}, "3 of 6 numbers agree with the paper"),
        ({"A": 2, "B": 2, "C": 1}, "1 of 6 numbers agrees with the paper; C is closest (1 of 2)"),
        ({"A": 2, "B": 2, "C": 2}, "0 of 6 numbers agree with the paper"),
    ],
)
def test_the_title_counts_what_agrees(off, title):
    rows = [("d", k, m, "s", 0.5, 0.9 if k < off.get(m, 0) else 0.5) for m in "ABC" for k in (0, 1)]
    display = tv.AuditDisplay.from_cells(pd.DataFrame(rows, columns=COLUMNS))
    assert display.title == title
    assert sum(found for *_, found in dots(display.plot()).values()) == sum(off.values())


def test_a_table_of_one_cell_is_told_as_one():
    one = tv.AuditDisplay.from_cells(table()[:1])
    assert (one.title, one.verdict("AB")) == ("The one number agrees with the paper", "the one number agrees")
    far = tv.AuditDisplay.from_cells(table()[1:2])
    assert (far.title, far.verdict("AB")) == ("0 of 1 number agree with the paper", "none of 1 agrees")


def test_two_data_sets_whose_names_look_alike_keep_rows_of_their_own():
    long = (
        table()
        .replace({"wine": "a" * 40 + "1" + "z" * 40, "census": "a" * 40 + "2" + "z" * 40})
        .assign(budget=1)
    )
    drawn = tv.AuditDisplay.from_cells(long).plot()
    assert (
        len(drawn["near"]) + len(drawn["off"]) == 8 and len(set(tv.AuditDisplay.from_cells(long).rows)) == 2
    )


def test_stored_results_are_drawn_as_they_are_counted():
    stored = compared(tv.load_results(), VIEWS[0])
    display = tv.AuditDisplay.from_cells(stored, tolerance=0.04)
    drawn = display.plot(palette=DARK)
    near, total, _ = within(stored, stored["method"].unique(), 0.04)
    assert (len(drawn["near"]), len(drawn["near"]) + len(drawn["off"])) == (near, total)
    assert display.title == (
        "All 42 numbers of RF-TREANT agree with the paper; "
        "4 of the other 84 do not, all on census at budget 60"
    )


@pytest.mark.parametrize("view", VIEWS, ids=lambda v: v.name)
def test_names_stay_inside_the_picture_and_cover_no_other_words(view):
    drawn = tv.AuditDisplay.from_cells(compared(tv.load_results(), view)).plot()
    drawn.figure.canvas.draw()
    roles = ("number", "method", "full name", "verdict", "band name", "side")
    boxes = [a.get_window_extent() for role in roles for a in drawn[role]]
    assert all(b.x0 >= 0 and b.x1 <= drawn.figure.bbox.x1 for b in boxes)
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_bad_input_is_named():
    with pytest.raises(TypeError, match="cells: expected a data frame"):
        tv.AuditDisplay.from_cells([1])
    with pytest.raises(ValueError, match=r"cells: the columns \['ours'\] are missing"):
        tv.AuditDisplay.from_cells(table().drop(columns="ours"))
    with pytest.raises(ValueError, match="cells: expected at least one row"):
        tv.AuditDisplay.from_cells(table()[:0])
    with pytest.raises(ValueError, match="cells: expected finite numbers"):
        tv.AuditDisplay.from_cells(table().assign(ours=np.nan))
    for strange in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="tolerance: expected a number above 0"):
            tv.AuditDisplay.from_cells(table(), tolerance=strange)
