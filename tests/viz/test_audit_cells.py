"""The audit picture: every cell at its own place, and those too far off told apart and named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.experiments.report.results import VIEWS, compared, within
from treant_viz.viz.style.palette import DARK

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


def marks(drawn) -> dict[str, tuple[float, bool]]:
    """By id: where a mark is, and whether it is filled."""
    found = [*drawn["near"], *drawn["off"]]
    return {
        m.get_gid(): (m.get_xdata()[0], m.get_markerfacecolor() == m.get_markeredgecolor()) for m in found
    }


def test_every_cell_is_a_mark_at_its_difference_and_those_too_far_off_are_filled():
    drawn = tv.AuditDisplay.from_cells(table()).plot()
    expected = {f"cell-{m}-{d} {k}-{s}": ours - paper for d, k, m, s, paper, ours in TABLE}
    found = marks(drawn)
    assert {gid: x for gid, (x, _) in found.items()} == pytest.approx(expected)
    filled = {gid for gid, (_, full) in found.items() if full}
    assert filled == {
        "cell-AB-wine 20-roc_auc",
        "cell-RT-wine 20-roc_auc",
        "cell-RT-census 30-accuracy",
        "cell-RT-census 30-roc_auc",
    }


def test_the_farthest_of_a_row_is_named_once_beside_its_mark():
    drawn = tv.AuditDisplay.from_cells(table()).plot()
    assert sorted(drawn.texts("number")) == ["+0.050", "+0.070", "-0.300"]
    assert {t.get_text(): t.get_ha() for t in drawn["number"]} == {
        "+0.050": "left",
        "+0.070": "left",
        "-0.300": "right",
    }


def test_the_tolerance_is_a_band_and_a_difference_just_as_large_is_within_it():
    drawn = tv.AuditDisplay.from_cells(table(), tolerance=0.05).plot()
    ends = [
        band.get_extents().transformed(ax.transData.inverted()) for band, ax in zip(drawn["band"], drawn.axes)
    ]
    assert [(e.x0, e.x1) for e in ends] == [pytest.approx((-0.05, 0.05))] * 2
    assert not marks(drawn)["cell-AB-wine 20-roc_auc"][
        1
    ]  # 0.85 - 0.80 is a hair more than 0.05 in a computer


def test_rows_are_budgets_from_top_to_bottom_and_panels_methods():
    drawn = tv.AuditDisplay.from_cells(table()).plot()
    first, second = drawn.axes
    assert [t.get_text() for t in first.get_yticklabels()] == ["wine 20", "census 30"]
    assert [t.get_text() for t in second.get_yticklabels()] == ["", ""]
    assert first.get_ylim()[0] > first.get_ylim()[1]
    assert drawn.texts("method") == ["AB", "RT"]


def test_title_and_words_count_what_is_drawn():
    display = tv.AuditDisplay.from_cells(table(), view="as run")
    assert display.title == (
        "As run: 4 of 8 cells are within 0.04 of the paper; the farthest is RT on wine 20: -0.300 (ROC AUC)"
    )
    assert "AB: 3 of 4 within it, the farthest is AB on wine 20: +0.050 (ROC AUC)" in display.alt_text
    assert "RT census 30: accuracy +0.060, ROC AUC +0.070" in display.summary
    assert tv.AuditDisplay.from_cells(table(), tolerance=0.3).title.startswith("all 8 cells are within 0.3")


def test_two_data_sets_whose_names_look_alike_keep_rows_of_their_own():
    long = (
        table()
        .replace({"wine": "a" * 40 + "1" + "z" * 40, "census": "a" * 40 + "2" + "z" * 40})
        .assign(budget=1)
    )
    drawn = tv.AuditDisplay.from_cells(long).plot()
    assert len(drawn.axes[0].get_yticks()) == 2


def test_stored_results_are_drawn_as_they_are_counted():
    cells = compared(tv.load_results(), VIEWS[0])
    drawn = tv.AuditDisplay.from_cells(cells, tolerance=0.04).plot(palette=DARK)
    near, total, worst = within(cells, cells["method"].unique(), 0.04)
    assert (len(drawn["near"]), len(drawn["near"]) + len(drawn["off"])) == (near, total)
    assert max(abs(x) for x, _ in marks(drawn).values()) == pytest.approx(worst)


def test_numbers_beside_marks_stay_inside_their_panel():
    for view in VIEWS:
        drawn = tv.AuditDisplay.from_cells(compared(tv.load_results(), view)).plot()
        drawn.figure.canvas.draw()
        for said in drawn["number"]:
            box, room = said.get_window_extent(), said.axes.get_window_extent()
            assert room.x0 <= box.x0, said.get_text()
            assert box.x1 <= room.x1, said.get_text()


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
