"""Heat maps: the right model for each attacker is framed, and all other cells tell what is lost to it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import treant_viz as tv
from treant_viz.experiments.report.figures import heat_map
from treant_viz.viz.output.export import render
from treant_viz.viz.style.palette import DARK, LIGHT, contrast
from treant_viz.viz.train_test.display import TrainTestHeatmapDisplay
from treant_viz.viz.train_test.draw import told
from treant_viz.viz.train_test.facts import costs, price

HOSTILE = ["<script>alert(1)</script>", "$x_1$", "\\frac", "n" * 80, "שלום", "a\nb"]


def matrix() -> pd.DataFrame:
    return pd.DataFrame(
        [(a, b, 0.5 + a / 1000 - b / 500) for a in (20, 120) for b in (0, 20, 120)],
        columns=["train_budget", "test_budget", "value"],
    )


def grid(values: dict[tuple[int, int], float]) -> pd.DataFrame:
    rows = [(k, t, v) for (k, t), v in values.items()]
    return pd.DataFrame(rows, columns=["train_budget", "test_budget", "value"])


def words(drawn) -> dict[tuple[float, float], str]:
    """By place, row and column: what a cell says."""
    return {(t.get_position()[1], t.get_position()[0]): t.get_text() for role in ("value", "lost")
            for t in drawn[role]}  # fmt: skip


def test_framed_cells_print_their_value_and_others_what_they_lose():
    drawn = TrainTestHeatmapDisplay.from_results(matrix(), model="AB").plot()
    assert drawn.texts("value") == ["0.52", "0.48", "0.38"]
    assert drawn.texts("lost") == ["\N{MINUS SIGN}0.10", "+0.10", "+0.10"]
    framed = [c.get_gid() for c in drawn["cell"] if c.get_linewidth() > 1.5]
    assert framed == ["cell--20-0", "cell--20-20", "cell--120-120"]


def test_the_right_model_is_the_one_trained_for_the_least_that_is_enough():
    rng = np.random.default_rng(4)
    for _ in range(40):
        trains, tests = rng.choice(50, 4, replace=False), rng.choice(50, 5, replace=False)
        value = {(int(k), int(t)): float(rng.random()) for k in trains for t in tests}
        found = {(c.train, c.test): c for c in costs((k, t, v) for (k, t), v in value.items())}
        for k, t in value:
            enough = [j for j in trains if j >= t]
            assert ((k, t) in found) == bool(enough)
            if enough:
                assert found[k, t].right == min(enough)
                assert found[k, t].lost == pytest.approx(value[min(enough), t] - value[k, t])


def test_who_expects_an_attacker_and_meets_none_pays_as_well():
    """The credit map: .772 if trained for 10, .745 if trained for more, and nobody attacks."""
    cells = [
        (10, 0, 0.772),
        (60, 0, 0.745),
        (10, 10, 0.764),
        (60, 10, 0.745),
        (10, 60, 0.709),
        (60, 60, 0.745),
    ]
    assert price([cells]) == pytest.approx((0.036, 0.027))
    display = TrainTestHeatmapDisplay.from_results(grid({(k, t): v for k, t, v in cells}))
    assert (
        display.title
        == "Expecting too weak an attacker costs up to 0.04 ROC AUC, too strong an attacker at most 0.03"
    )
    assert words(display.plot())[1, 0] == "\N{MINUS SIGN}0.03"


@pytest.mark.parametrize(
    ("values", "title"),
    [
        ({(1, 1): 0.9, (1, 2): 0.5, (2, 1): 0.8, (2, 2): 0.7},
         "Expecting too weak an attacker costs up to 0.20 ROC AUC, too strong an attacker at most 0.10"),
        ({(1, 1): 0.9, (1, 2): 0.7, (2, 1): 0.6, (2, 2): 0.7},
         "Expecting too strong an attacker costs up to 0.30 ROC AUC, too weak an attacker nothing"),
        ({(1, 1): 0.9, (1, 2): 0.699, (2, 1): 0.6, (2, 2): 0.7},
         "Expecting too strong an attacker costs up to 0.30 ROC AUC, too weak an attacker at most 0.001"),
        ({(1, 1): 0.9, (1, 2): 0.8, (2, 1): 0.9, (2, 2): 0.7},
         "Expecting the wrong attacker costs no ROC AUC anywhere"),
        ({(1, 0): 0.9, (1, 2): 0.8}, "The model: ROC AUC never falls below 0.8"),
        ({(1, 1): 0.9, (2, 1): 0.8}, "The model: ROC AUC never falls below 0.8"),
    ],
)  # fmt: skip
def test_the_title_of_a_heat_map_says_what_a_wrong_guess_costs(values, title):
    display = TrainTestHeatmapDisplay.from_results(grid(values))
    assert display.title == title
    assert ("trained for just enough" in display.subtitle) == any(p.costs for p in display.panels)


def test_where_no_model_expects_enough_there_is_nothing_to_compare_with():
    display = TrainTestHeatmapDisplay.from_results(grid({(1, 2): 0.8, (1, 3): 0.7}))
    drawn = display.plot()
    assert drawn.texts("value") == ["0.80", "0.70"] and not drawn["bar"]
    assert display.subtitle == "A number is the ROC AUC of a model against an attacker."


def test_the_numbers_of_the_title_are_bold_in_the_picture():
    for method in ("ab", "rt-slips", "treant-none", "treant"):
        display = heat_map(tv.load_results(), method)
        drawn = display.plot()
        bold = [t.get_text()[1:] for t in drawn["lost"] if t.get_fontweight() == "bold"]
        assert len(bold) == 2 and all(number in display.title for number in bold)
        assert all(p in display.title for p, *_ in display.dearest)


def test_all_maps_of_a_scale_have_the_same_colours_and_a_bar_as_far_as_needed():
    first = TrainTestHeatmapDisplay.from_results(matrix(), scale=(0.2, 0.9)).plot()
    few = matrix()[matrix()["train_budget"].eq(20) | matrix()["test_budget"].eq(0)]
    other = TrainTestHeatmapDisplay.from_results(matrix().assign(panel="x"), scale=(0.2, 0.9)).plot()
    assert [to_hex(c.get_facecolor()) for c in first["cell"]] == [
        to_hex(c.get_facecolor()) for c in other["cell"]
    ]
    assert not TrainTestHeatmapDisplay.from_results(few, scale=(0.2, 0.9)).plot()["bar"]  # nothing is lost
    shown = first["bar"]
    assert min(b.get_y() for b in shown) == 0.0
    assert max(b.get_y() + b.get_height() for b in shown) == pytest.approx(0.1)
    assert first.axes[-1].get_yticks() == pytest.approx([0.0, 0.1])
    said = words(first)
    for cell in first["cell"]:
        text = said[cell.get_y() + 0.5, cell.get_x() + 0.5]
        lost = float(text[1:]) if text.startswith("\N{MINUS SIGN}") else 0.0
        at = [b for b in first["bar"] if b.get_y() <= lost + 1e-9][-1]
        here, there = (np.array(a.get_facecolor()) for a in (cell, at))
        assert np.abs(here - there).max() < 0.03
    with pytest.raises(ValueError, match=r"scale: expected ends around all values .* got \(0.5, 0.9\)"):
        TrainTestHeatmapDisplay.from_results(matrix(), scale=(0.5, 0.9))


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_numbers_in_cells_can_be_read(palette):
    values = {(1, t): 0.9 - 0.01 * t for t in range(60)} | {(60, t): 0.9 for t in range(60)}
    drawn = TrainTestHeatmapDisplay.from_results(grid(values)).plot(palette=palette)
    fill = {(c.get_y() + 0.5, c.get_x() + 0.5): to_hex(c.get_facecolor()) for c in drawn["cell"]}
    for text in (*drawn["value"], *drawn["lost"]):
        x, y = text.get_position()
        assert contrast(text.get_color(), fill[y, x]) >= 4.5


def test_numbers_stay_inside_their_cells():
    for method in ("ab", "treant"):
        drawn = heat_map(tv.load_results(), method).plot()
        drawn.figure.canvas.draw()
        for text in (*drawn["value"], *drawn["lost"]):
            low, high = text.axes.get_xlim()
            cell = text.axes.get_window_extent().width / (high - low)
            assert text.get_window_extent().width < cell, text.get_text()


def test_every_cell_has_a_number():
    assert [told(x) for x in (0.0049, -0.0149, 0.01501, -0.3)] == [
        "0",
        "+0.01",
        "\N{MINUS SIGN}0.02",
        "+0.30",
    ]
    values = {(1, 1): 0.9, (1, 2): 0.69, (2, 1): 0.899, (2, 2): 0.7}
    drawn = TrainTestHeatmapDisplay.from_results(grid(values)).plot()
    assert drawn.texts("lost") == ["\N{MINUS SIGN}0.01", "0"]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_hostile_names_are_drawn_safely(name, kind, recwarn):
    data = render(TrainTestHeatmapDisplay.from_results(matrix().assign(panel=name), model=name), kind)
    assert kind != "svg" or b"<script" not in data
    assert not [w for w in recwarn if "Glyph" in str(w.message)]


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"frame: the columns \['train_budget'"):
        TrainTestHeatmapDisplay.from_results(matrix().drop(columns="train_budget"))
    with pytest.raises(TypeError, match="frame: expected a data frame"):
        TrainTestHeatmapDisplay.from_results(None)
    with pytest.raises(ValueError, match="at least one row"):
        TrainTestHeatmapDisplay.from_results(matrix()[:0])


def test_the_callers_figure_is_left_alone():
    display = TrainTestHeatmapDisplay.from_results(matrix())
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
