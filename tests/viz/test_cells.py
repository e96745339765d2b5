"""CellsDisplay: what is drawn can be reached, each cell for its least cost, and the counts are true."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from tests.viz.measures import overlap
from treant_viz.viz.cells.draw import window
from treant_viz.viz.cells.facts import cells_of, telling_row

ONE = [tv.Rule("p", cost=1, delta=(-1, 1)), tv.Rule("q", cost=2, delta=(0, 2))]


def stump(f: str, at: float) -> tv.Node:
    return tv.Node(f, at, tv.Leaf(0.0), tv.Leaf(1.0))


FOREST = [stump("p", 1.5), stump("p", 2.5), stump("p", 9.0), stump("q", 0.5), stump("q", 3.5)]
X = pd.Series({"p": 1.0, "q": 0.0}, name="x")


def show(budget: float, forest=FOREST, rules=ONE, x=X) -> tv.CellsDisplay:
    return tv.CellsDisplay.from_model(forest, x, 0.0, tv.Attacker(rules, budget))


def test_coins_stand_on_the_cells_that_they_buy():
    """p = 1 gets over 1.5 for 1 and over 2.5 for 2; q = 0 over 0.5 for 2, over 3.5 only for 4."""
    drawn = show(3).plot()
    assert drawn.texts("coin") == ["1", "2", "2"]
    assert len(drawn["reached"]) == 3 + 2
    assert len(drawn["out of reach"]) == 1 + 1
    p, _q = (a.get_center() for a in drawn["own cell"])
    boxes = {a.get_gid(): a for a in drawn["reached"]}
    assert boxes["cell-0-0"].contains_point(drawn.axes[0].transData.transform(p))
    for coin, cell in zip(drawn["coin"], ("cell-0-1", "cell-0-2", "cell-1-1"), strict=True):
        box = boxes[cell]
        assert coin.get_position()[0] == pytest.approx(box.get_x() + box.get_width() / 2)
    assert drawn.texts("count") == ["3", "× 2"]
    assert drawn.texts("product") == ["= 6 combinations"]
    assert sorted(drawn.texts("threshold")) == ["0.5", "1.5", "2.5", "3.5", "9"]


def test_all_boxes_are_equally_wide_so_that_a_strip_is_as_long_as_its_cells_are_many():
    drawn = show(3).plot()
    wide = [a.get_width() for a in (*drawn["reached"], *drawn["out of reach"])]
    assert max(wide) == pytest.approx(min(wide))


@pytest.mark.parametrize("budget", [0, 1, 2, 3, 4, 6])
def test_costs_and_counts_are_those_of_brute_force(budget):
    """Every attack on the row, walked rule by rule; a cell costs what its cheapest value does."""
    found = cells_of(FOREST, X, tv.Attacker(ONE, budget))
    cuts = {"p": [1.5, 2.5, 9.0], "q": [0.5, 3.5]}
    rules = {"p": [("num", 0, 1, -np.inf, np.inf, -1, 1)], "q": [("num", 0, 2, -np.inf, np.inf, 0, 2)]}
    costs = {}
    for f, x in (("p", 1), ("q", 0)):
        costs[f] = {}
        for (z,), cost in oracles.attacks((x,), rules[f], budget).items():
            cell = sum(z > c for c in cuts[f])
            costs[f][cell] = min(cost, costs[f].get(cell, np.inf))
    for s in found.strips:
        assert {i: s.costs[i] for i in s.reach} == costs[s.feature]
    every = itertools.product(*(costs[s.feature].values() for s in found.strips))
    assert found.affordable == sum(sum(c) <= budget for c in every)
    assert found.product == np.prod([len(costs[s.feature]) for s in found.strips])


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: show(3), "3 × 2 = 6 combinations of cells to try on x; a budget of 3 pays for 5"),
        (
            lambda: show(3, [FOREST[0], FOREST[3]]),
            "2 × 2 = 4 combinations of cells to try on x, and a budget of 3 pays for each of them",
        ),
        (
            lambda: show(1),
            "Only p can leave its cell: 2 cells to try on x; ten features like it would make 1,024",
        ),
        (lambda: show(0.5), "A budget of 0.5 pays for no rule: there is nothing to try on x"),
        (lambda: show(1, FOREST[2:3]), "A budget of 1 brings x into no other cell: there is nothing to try"),
    ],
)
def test_the_title_is_true_of_each_picture(made, words):
    assert made().title == words
    assert made().plot().artists


def test_long_products_are_shortened_and_huge_ones_rounded():
    names = [f"f{i}" for i in range(12)]
    forest = [stump(f, c) for f in names for c in range(1, 9)]
    x = pd.Series(dict.fromkeys(names, 0.5), name="x")
    shown = show(8, forest, [tv.Rule(f, 1, delta=(0, 1)) for f in names], x)
    assert shown.cells.product == 9**12
    assert shown.title.startswith(
        "9 × 9 × 9 × 9 × 9 × … × 9 = 282,429,536,481 combinations of cells to try on x;"
    )
    drawn = shown.plot()
    assert drawn.texts("more features") == ["and 3 more features: × 9 × 9 × 9"]
    [whole], [some] = drawn["bar"], drawn["bar share"]
    assert some.get_xdata()[0] == whole.get_x()  # 125,970 of so many: a line, not a bar of least width
    left = drawn["product"][0].get_window_extent().x0
    assert all(a.get_window_extent().x1 < left for a in drawn["count"])


@pytest.mark.parametrize(("features", "cells", "budget"), [(2, 5, 4), (3, 4, 5), (4, 2, 2), (5, 2, 9)])
def test_every_combination_is_a_square_and_those_too_dear_are_crossed_out(features, cells, budget):
    """Each step costs 1: what a combination costs is the number of steps."""
    names = [f"f{i}" for i in range(features)]
    forest = [stump(f, c) for f in names for c in range(1, cells)]
    x = pd.Series(dict.fromkeys(names, 0.5), name="x")
    d = show(budget, forest, [tv.Rule(f, 1, delta=(0, 1)) for f in names], x)
    drawn = d.plot()
    sums = [sum(c) for c in itertools.product(range(cells), repeat=features)]
    paid = [c for c in sums if c <= budget]
    assert len(drawn["within the budget"]) == len(paid) == d.cells.affordable
    assert len(drawn["too dear"]) == len(sums) - len(paid)
    assert sorted(map(int, drawn.texts("sum"))) == sorted(paid)
    assert len(drawn["cross"]) == 2 * len(drawn["too dear"])
    dear = f"; {len(sums) - len(paid)} cost more"
    assert drawn.texts("affordable") == [
        f"{len(paid)} for {budget} or less{dear}"
        if len(paid) < len(sums)
        else f"none costs more than {budget}"
    ]
    if len(paid) < len(sums):
        assert drawn.texts("why")[0].endswith(f" > {budget}: crossed out")
    page = drawn.axes[0].get_window_extent()
    for a in (*drawn["within the budget"], *drawn["too dear"]):
        box = a.get_window_extent()
        assert page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1


def test_the_table_of_two_features_adds_the_coins_of_its_row_and_column():
    drawn = show(3).plot()
    assert sorted(drawn.texts("sum")) == ["0", "1", "2", "2", "3"]  # 2 + 2 is too dear
    assert drawn.texts("sum too dear") == ["4"]
    assert drawn.texts("table head") == ["down: q, across: p"]
    assert drawn.texts("why") == ["2 + 2 > 3: crossed out"]


@pytest.mark.parametrize("budget", [1, 2, 3, 4])
def test_a_strip_says_where_the_row_is_and_what_is_out_of_reach(budget):
    drawn = show(budget).plot()
    now = ": p = 1" if budget == 1 else ""  # only p can leave its cell
    assert drawn.texts("mark") == [f"x is here{now}", f"out of reach for {budget}"]
    page = drawn.axes[0].get_window_extent()
    words = [
        t.get_window_extent() for role in drawn.artists for t in drawn[role] if hasattr(t, "get_fontsize")
    ]
    on_page = [w for w in words if page.x0 <= w.x0 and w.x1 <= page.x1 and w.y0 >= page.y0]
    assert len(on_page) == len(words)
    marks = [t.get_window_extent() for role in ("mark", "feature", "own value") for t in drawn[role]]
    assert max(overlap(a, b) for a, b in itertools.combinations(marks, 2)) <= 0.0


def test_features_without_a_choice_are_one_line_of_words():
    drawn = show(3, [FOREST[0], FOREST[4]]).plot()
    assert drawn.texts("still") == ["No other cell within reach: q"]
    assert not drawn["product"] and drawn.texts("mark")[0] == "x is here: p = 1"


def test_a_row_in_the_middle_shows_what_lies_around_it_and_counts_what_does_not():
    forest = [stump("p", c + 0.5) for c in range(20)]
    [strip] = [s for s in show(2, forest, x=pd.Series({"p": 10.0, "q": 0.0})).strips if s.feature == "p"]
    w = window(strip)
    assert (strip.own, strip.reach) == (10, (8, 9, 10, 11, 12))
    assert (w.cells, w.before, w.after) == ((7, 8, 9, 10, 11, 12, 13), 7, 7)


def test_categories_are_cells_too():
    data = pd.DataFrame({"c": ["a", "b", "d"], "p": [1.0, 2.0, 3.0]})
    A = tv.Attacker([tv.Rule("c", 1, pre={"a"}, becomes="b"), tv.Rule("p", 1, delta=(0, 1))], 2)
    m = tv.TreantClassifier(max_depth=3, min_samples_split=2).fit(data, [0, 1, 0])
    shown = tv.CellsDisplay.from_model(m, data.iloc[[0]], 0, A)
    [strip] = [s for s in shown.strips if s.names is not None]
    assert [strip.names[i] for i in strip.reach] == ["a", "b"]
    assert "c, now a: 3 cells, 2 in reach, the others than its own for 1." in shown.alt_text
    assert {"a", "b"} <= set(shown.plot().texts("category"))


def test_a_table_opens_on_a_row_that_is_really_attacked():
    """Rows 0 and 1 gain the attacker nothing; of rows 2 and 3 more cells are in reach of row 3."""
    table = pd.DataFrame({"p": [5.0, -9.0, 1.0, 1.0], "q": [9.0, 9.0, 9.0, 0.0]})
    A = tv.Attacker(ONE, 3)
    assert telling_row(FOREST, table, [0, 0, 0, 0], A) == 3
    assert tv.CellsDisplay.from_model(FOREST, table, [0, 0, 0, 0], A).label == "row 3"


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (
            lambda: tv.CellsDisplay.from_model(FOREST, X, 0, "wine"),
            TypeError,
            "attacker: expected an Attacker, got str",
        ),
        (
            lambda: tv.CellsDisplay.from_model(
                FOREST, pd.DataFrame({"p": [1.0] * 3, "q": 0.0}), [0], tv.Attacker(ONE, 1)
            ),
            ValueError,
            "x: expected one row, or a table and in y a label for each of its rows; got 3 rows",
        ),
    ],
)
def test_bad_input_is_named(make, error, words):
    with pytest.raises(error, match=words):
        make()


def area(points) -> float:
    """Of a polygon by the shoelace formula; closed parts follow each other."""
    total, part = 0.0, []
    for x, y in points:
        part.append((x, y))
        if len(part) > 1 and part[-1] == part[0]:
            pairs = itertools.pairwise(part)
            total += abs(sum(a * d - b * c for (a, b), (c, d) in pairs)) / 2
            part = []
    return total


@pytest.mark.parametrize(("cuts", "n"), [((1.5,), 2), ((1.5, 2.5), 3), ((1.5, 2.5, 3.5, 4.5), 5)])
def test_a_single_feature_shows_how_combinations_multiply_each_a_square_of_one_size(cuts, n):
    drawn = show(5, x=pd.Series({"p": 1.0, "q": 0.0}, name="x"), forest=[stump("p", c) for c in cuts]).plot()
    sizes = [area(map(tuple, a.get_path().vertices.tolist())) for a in drawn["block"]]
    powers = [n**k for k in range(1, len(sizes) + 1)]
    assert len(sizes) > 1 and powers[-1] <= 1024
    assert [s / sizes[0] * n for s in sizes] == pytest.approx(powers)
    assert drawn.texts("combinations") == [f"{k:,}" for k in powers]
    assert drawn.texts("multiply") == ["Cells of several features multiply. If more features were like p:"]
    assert all(t == f"10 features: {n**10:,}" for t in drawn.texts("more")) and bool(drawn["more"]) == (n > 2)


def test_a_single_feature_names_what_the_model_asks_and_has_cells_of_one_width():
    forest = [stump("p", c) for c in (1.5, 1.501, 900.0)]
    drawn = show(2, forest).plot()
    boxes = {round(a.get_width(), 6) for a in (*drawn["reached"], *drawn["out of reach"])}
    assert len(boxes) == 1
    assert drawn.texts("threshold") == ["p ≤ 1.5?", "p ≤ 1.501?", "p ≤ 900?"]
