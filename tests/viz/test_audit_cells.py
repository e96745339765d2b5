"""The audit picture: every cell at its own place, and those too far off told apart and named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb

import treant_viz as tv
from treant_viz.experiments.report.results import VIEWS, compared, within
from treant_viz.viz.audit.draw import LOWER
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


def cells(drawn) -> dict[str, tuple[str, str, bool]]:
    """By id: the number in a cell, its colour, and whether it is told to be off."""
    every = {p.get_gid(): p for role in ("near", "off") for p in drawn[role]}
    words = {(t.axes, *t.get_position()): t.get_text() for t in drawn["number"]}
    place = {gid: (p.axes, p.get_x() + 0.5, p.get_y() + 0.5) for gid, p in every.items()}
    off = {p.get_gid() for p in drawn["off"]}
    return {
        gid: (words[place[gid]], to_hex(p.get_facecolor()).upper(), gid in off) for gid, p in every.items()
    }


def test_every_cell_tells_its_difference_and_only_those_too_far_off_have_a_colour():
    found = cells(tv.AuditDisplay.from_cells(table()).plot())
    expected = {f"cell-{m}-{d} {k}-{s}": ours - paper for d, k, m, s, paper, ours in TABLE}
    shown = {gid: float(words.replace("\N{MINUS SIGN}", "-")) for gid, (words, *_) in found.items()}
    assert shown == pytest.approx(expected)
    coloured = {gid for gid, (_, fill, _) in found.items() if fill != LIGHT.panel}
    assert coloured == {gid for gid, (*_, off) in found.items() if off}
    assert coloured == {
        "cell-AB-wine 20-roc_auc",
        "cell-RT-wine 20-roc_auc",
        "cell-RT-census 30-accuracy",
        "cell-RT-census 30-roc_auc",
    }


def test_more_and_less_have_colours_of_their_own_stronger_the_farther_off():
    found = cells(tv.AuditDisplay.from_cells(table()).plot())
    less, little, much = (
        found[f"cell-{gid}"][1]
        for gid in ("RT-wine 20-roc_auc", "AB-wine 20-roc_auc", "RT-census 30-roc_auc")
    )
    assert less == LOWER  # 0.3 is beyond the strongest colour
    assert contrast(much, "#FFFFFF") > contrast(little, "#FFFFFF") > contrast(LIGHT.panel, "#FFFFFF")


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_numbers_can_be_read_on_their_cells(palette):
    rows = [("d", k, "m", "s", 0.5, 0.5 + k / 100) for k in range(-30, 31)]
    display = tv.AuditDisplay.from_cells(pd.DataFrame(rows, columns=COLUMNS))
    drawn = display.plot(palette=palette)
    fill = {p.get_y() + 0.5: to_hex(p.get_facecolor()) for role in ("near", "off") for p in drawn[role]}
    assert all(contrast(t.get_color(), fill[t.get_position()[1]]) >= 4.5 for t in drawn["number"])


def test_one_bar_has_the_colours_of_the_cells_whatever_the_table():
    for frame in (table(), table()[:3]):
        drawn = tv.AuditDisplay.from_cells(frame).plot()
        assert drawn.axes[-1].get_ylim() == (-0.2, 0.2)
        for words, fill, _ in cells(drawn).values():
            x = max(-0.2, min(0.2 - 1e-9, float(words.replace("\N{MINUS SIGN}", "-"))))
            at = [p for p in drawn["bar"] if p.get_y() <= x + 1e-12][-1]
            assert np.abs(np.array(to_rgb(fill)) - at.get_facecolor()[:3]).max() < 0.05


def test_a_difference_just_as_large_as_the_tolerance_is_within_it():
    found = cells(tv.AuditDisplay.from_cells(table(), tolerance=0.05).plot())
    assert not found["cell-AB-wine 20-roc_auc"][2]  # 0.85 - 0.80 is a hair more than 0.05 in a computer
    hair = pd.DataFrame([("wine", 20, "AB", "accuracy", 0.5, 0.5402)], columns=COLUMNS)
    assert cells(tv.AuditDisplay.from_cells(hair).plot())["cell-AB-wine 20-accuracy"][0] == "+0.0402"


def test_rows_are_budgets_from_top_to_bottom_and_blocks_methods():
    drawn = tv.AuditDisplay.from_cells(table()).plot()
    first, second, _ = drawn.axes
    assert [t.get_text() for t in first.get_yticklabels()] == ["wine 20", "census 30"]
    assert [t.get_text() for t in second.get_yticklabels()] == ["", ""]
    assert first.get_ylim()[0] > first.get_ylim()[1]
    assert drawn.texts("method") == ["AB", "RT"]
    assert drawn.texts("verdict") == ["3 of 4 agree", "1 of 4 agrees"]


def test_words_count_what_is_drawn():
    display = tv.AuditDisplay.from_cells(table(), view="as run")
    assert display.subtitle.startswith("As run. A cell is our number less the paper's")
    assert "AB: 3 of 4 agree, the farthest is AB on wine 20: +0.050 (ROC AUC)" in display.alt_text
    assert "RT census 30: accuracy +0.060, ROC AUC +0.070" in display.summary


@pytest.mark.parametrize(
    ("off", "title"),
    [
        ({}, "All 6 cells agree with the paper"),
        ({"A": 1}, "All 4 cells of B and C agree with the paper; 1 of the other 2 does not"),
        ({"A": 2, "B": 1}, "All 2 cells of C agree with the paper; 3 of the other 4 do not"),
        ({"A": 1, "B": 1, "C": 1}, "3 of 6 cells agree with the paper"),
        ({"A": 2, "B": 2, "C": 1}, "1 of 6 cells agrees with the paper; C is closest (1 of 2)"),
        ({"A": 2, "B": 2, "C": 2}, "0 of 6 cells agree with the paper"),
    ],
)
def test_the_title_counts_what_agrees(off, title):
    rows = [("d", k, m, "s", 0.5, 0.9 if k < off.get(m, 0) else 0.5) for m in "ABC" for k in (0, 1)]
    display = tv.AuditDisplay.from_cells(pd.DataFrame(rows, columns=COLUMNS))
    assert display.title == title
    assert sum(found for *_, found in cells(display.plot()).values()) == sum(off.values())


def test_a_table_of_one_cell_is_told_as_one():
    one = tv.AuditDisplay.from_cells(table()[:1])
    assert (one.title, one.verdict("AB")) == ("The one cell agrees with the paper", "the one cell agrees")
    far = tv.AuditDisplay.from_cells(table()[1:2])
    assert (far.title, far.verdict("AB")) == ("0 of 1 cell agree with the paper", "none of 1 agrees")


def test_two_data_sets_whose_names_look_alike_keep_rows_of_their_own():
    long = (
        table()
        .replace({"wine": "a" * 40 + "1" + "z" * 40, "census": "a" * 40 + "2" + "z" * 40})
        .assign(budget=1)
    )
    drawn = tv.AuditDisplay.from_cells(long).plot()
    assert len(drawn.axes[0].get_yticks()) == 2


def test_stored_results_are_drawn_as_they_are_counted():
    stored = compared(tv.load_results(), VIEWS[0])
    display = tv.AuditDisplay.from_cells(stored, tolerance=0.04)
    drawn = display.plot(palette=DARK)
    near, total, _ = within(stored, stored["method"].unique(), 0.04)
    assert (len(drawn["near"]), len(drawn["near"]) + len(drawn["off"])) == (near, total)
    assert display.title == "All 42 cells of RF-TREANT agree with the paper; 4 of the other 84 do not"


def test_numbers_stay_inside_their_cells():
    for view in VIEWS:
        drawn = tv.AuditDisplay.from_cells(compared(tv.load_results(), view)).plot()
        drawn.figure.canvas.draw()
        for words in drawn["number"]:
            wide = words.axes.get_window_extent().width / 3
            assert words.get_window_extent().width < wide - 4, words.get_text()


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
