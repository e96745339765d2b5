"""CellsDisplay: what is drawn can be reached, each cell for its least cost, and the counts are true."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from tests.viz.measures import overlap
from treant_viz.viz.cells.facts import cells_of, most_informative_row
from treant_viz.viz.style.text import number

ONE = [tv.Rule("p", cost=1, delta=(-1, 1)), tv.Rule("q", cost=2, delta=(0, 2))]


def stump(f: str, at: float) -> tv.Node:
    return tv.Node(f, at, tv.Leaf(0.0), tv.Leaf(1.0))


FOREST = [stump("p", 1.5), stump("p", 2.5), stump("p", 9.0), stump("q", 0.5), stump("q", 3.5)]
X = pd.Series({"p": 1.0, "q": 0.0}, name="x")


def show(budget: float, forest=FOREST, rules=ONE, x=X) -> tv.CellsDisplay:
    return tv.CellsDisplay.from_model(forest, x, 0.0, tv.Attacker(rules, budget))


def square(drawn, cells: str):
    [found] = [
        a for r in ("within the budget", "too dear") for a in drawn[r] if a.get_gid() == f"case-{cells}"
    ]
    return found


def test_coins_stand_above_and_beside_the_cells_that_they_buy():
    """p = 1 gets over 1.5 for 1 and over 2.5 for 2; q = 0 over 0.5 for 2, over 3.5 only for 4."""
    drawn = show(3).plot()
    assert drawn.texts("coin") == ["1", "2", "2"]
    for coin, cells, axis in zip(drawn["coin"], ("1-0", "2-0", "0-1"), (0, 0, 1), strict=True):
        box = square(drawn, cells)
        middle = (box.get_x() + box.get_width() / 2, box.get_y() + box.get_height() / 2)
        assert coin.get_position()[axis] == pytest.approx(middle[axis])
    [ring] = drawn["own cell"]
    assert square(drawn, "0-0").contains_point(drawn.axes[0].transData.transform(ring.get_center()))
    assert sorted(drawn.texts("threshold")) == ["0.5", "1.5", "2.5", "3.5", "9"]


def test_all_squares_are_equally_large():
    drawn = show(3).plot()
    sizes = {(round(a.get_width(), 6), round(a.get_height(), 6)) for r in ("within the budget", "too dear")
             for a in drawn[r]}  # fmt: skip
    assert len(sizes) == 1


@pytest.mark.parametrize("budget", [1, 3, 6])
def test_every_square_holds_what_the_model_says_of_a_row_in_it(budget):
    """A value of our own in each cell, scored tree by tree; of those in the budget the worst is framed."""
    inside = {"p": {0: 1.0, 1: 2.0, 2: 3.0}, "q": {0: 0.0, 1: 1.0, 2: 4.0}}
    d = show(budget)
    names = [s.feature for s in d.cells.moving]
    for case in d.cells.cases:
        row = dict(X) | {f: inside[f][c] for f, c in zip(names, case.cells, strict=True)}
        assert case.score == pytest.approx(np.mean([row[t.feature] > t.threshold for t in FOREST]))
    drawn = d.plot()
    paid = [c for c in d.cells.cases if c.cost <= budget]
    assert sorted(drawn.texts("answer")) == sorted(number(c.score) for c in paid)
    most = max(c.score for c in paid)  # the label is 0
    assert d.cells.worst.score == most
    assert d.cells.worst.cost == min(c.cost for c in paid if c.score == most)
    [frame] = drawn["worst"]
    assert frame.get_gid() == "worst-" + "-".join(map(str, d.cells.worst.cells))


@pytest.mark.parametrize("budget", [0, 1, 2, 3, 4, 6])
def test_costs_and_counts_are_those_of_brute_force(budget):
    """Every attack on the row, walked rule by rule; a cell costs what its cheapest value does."""
    found = cells_of(FOREST, X, 0.0, tv.Attacker(ONE, budget))
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
        (
            lambda: show(3),
            "3 × 2 = 6 cases are all that the model can tell apart in x; a budget of 3 pays for 5",
        ),
        (
            lambda: show(3, [FOREST[0], FOREST[3]]),
            "2 × 2 = 4 cases are all that the model can tell apart in x; a budget of 3 pays for each of them",
        ),
        (
            lambda: show(1),
            "2 cases are all that the model can tell apart in x; a budget of 1 pays for each of them",
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
        "9 × 9 × 9 × 9 × 9 × … × 9 = 282,429,536,481 cases are all that the model can tell apart in x;"
    )
    [rest] = shown.plot().texts("rest")
    assert rest.startswith("Drawn with 10 other features as they are; their cells multiply it by 9 × 9")
    assert len(shown.cells.cases) == 81


@pytest.mark.parametrize(("features", "cells", "budget"), [(2, 5, 4), (3, 4, 5), (4, 2, 2), (3, 2, 9)])
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
    dear = sorted(c for c in sums if c > budget)
    prices = sorted(int(t.removeprefix("costs ")) for t in drawn.texts("price too dear"))
    assert prices == dear
    assert len(drawn["cross"]) == 2 * len(dear)
    assert (f"costs more than {budget}" in drawn.texts("key words")) == bool(dear)
    assert sorted(c.cost for c in d.cells.cases) == sorted(sums)
    page = drawn.axes[0].get_window_extent()
    for a in (*drawn["within the budget"], *drawn["too dear"]):
        box = a.get_window_extent()
        assert page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1


@pytest.mark.parametrize("budget", [1, 2, 3, 4])
def test_words_stay_on_the_page_and_off_each_other(budget):
    drawn = show(budget).plot()
    assert drawn.texts("key words")[0] == "x as it is, truly 0"
    page = drawn.axes[0].get_window_extent()
    words = [
        t.get_window_extent() for role in drawn.artists for t in drawn[role] if hasattr(t, "get_fontsize")
    ]
    on_page = [w for w in words if page.x0 <= w.x0 and w.x1 <= page.x1 and w.y0 >= page.y0]
    assert len(on_page) == len(words)
    marks = [
        t.get_window_extent() for role in ("feature", "own value", "key words", "rest") for t in drawn[role]
    ]
    assert max(overlap(a, b) for a, b in itertools.combinations(marks, 2)) <= 0.0


def test_features_without_a_choice_are_one_line_of_words_and_one_feature_says_that_they_multiply():
    drawn = show(3, [FOREST[0], FOREST[4]]).plot()
    [rest] = drawn.texts("rest")
    assert rest.startswith(
        "No other cell within reach: q. Features multiply: with a second one like it 2 × 2 = 4"
    )
    assert drawn.texts("feature") == ["p"]


def test_the_choices_of_a_third_feature_are_planes_of_their_own():
    rules = [*ONE, tv.Rule("r", cost=1, delta=(0, 1))]
    x = pd.Series({"p": 1.0, "q": 0.0, "r": 0.0}, name="x")
    drawn = show(3, [*FOREST, stump("r", 0.5)], rules, x).plot()
    assert drawn.texts("plane") == ["r stays 0", "r above 0.5"]
    assert drawn.texts("plane coin") == ["1"]
    assert len(drawn["within the budget"]) + len(drawn["too dear"]) == 3 * 2 * 2


def test_categories_are_cells_too():
    data = pd.DataFrame({"c": ["a", "b", "d"], "p": [1.0, 2.0, 3.0]})
    A = tv.Attacker([tv.Rule("c", 1, pre={"a"}, becomes="b"), tv.Rule("p", 1, delta=(0, 1))], 2)
    m = tv.TreantClassifier(max_depth=3, min_samples_split=2).fit(data, [0, 1, 0])
    shown = tv.CellsDisplay.from_model(m, data.iloc[[0]], 0, A)
    [strip] = [s for s in shown.cells.strips if s.names is not None]
    assert [strip.names[i] for i in strip.reach] == ["a", "b"]
    assert "c, now a: 3 cells, 2 in reach, the others than its own for 1." in shown.alt_text
    assert {"a", "b"} <= set(shown.plot().texts("category"))


def test_a_table_opens_on_a_row_that_is_really_attacked():
    """Rows 0 and 1 gain the attacker nothing; of rows 2 and 3 more cells are in reach of row 3."""
    table = pd.DataFrame({"p": [5.0, -9.0, 1.0, 1.0], "q": [9.0, 9.0, 9.0, 0.0]})
    A = tv.Attacker(ONE, 3)
    assert most_informative_row(FOREST, table, [0, 0, 0, 0], A) == 3
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
