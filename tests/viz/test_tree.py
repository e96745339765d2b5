"""TreeDisplay: what is written on the nodes is what the trace and the models say."""

from __future__ import annotations

import time

import numpy as np
import pytest

import treant_viz as tv
from treant_viz.core.tree import Leaf, Node, leaves, walk
from treant_viz.viz.output.export import render
from treant_viz.viz.style.palette import DARK, LIGHT
from treant_viz.viz.style.pen import new_figure
from treant_viz.viz.style.text import number
from treant_viz.viz.tree.cards import SHOWN
from treant_viz.viz.tree.display import TreeDisplay
from treant_viz.viz.tree.insets import Circles, Legal
from treant_viz.viz.tree.ribbons import WHOLE

HOSTILE = '<script>alert("1")</script> $x_1$ \\n & שלום 🎉' + "a" * 80


def full(levels: int, counter: list[int]) -> Leaf | Node:
    counter[0] += 1
    i = counter[0]
    return (
        Leaf(i / 8, 1.5, 10)
        if levels == 0
        else Node(f"f{i}", i * 1.5, full(levels - 1, counter), full(levels - 1, counter))
    )


def test_the_toy_tree_carries_the_numbers_of_the_paper(toy_trace):
    shown = TreeDisplay.from_trace(toy_trace, show=SHOWN, depth=None)
    words = {path: card.words for path, card in shown.cards.items()}
    assert words[""][:4] == ("p ≤ 1", "7 rows, loss 17.4 → 3.7", "1 row up to the attacker", "0 constraints")
    assert words["r"][:3] == ("q ≤ 3", "5 rows, loss 3.2 → 2.5", "1 constraint")
    assert words["rl"][:3] == ("ŷ = 1.5", "2 rows, loss 2.5", "1 constraint")
    assert words["rl"][3:] == (
        "labels 0 (pushed), 2",
        "may predict at most −1.5 or at least 1.5; not 1: x2 must lose at least 2.25, as planned above",
    )
    assert words["rr"] == ("ŷ = 2", "3 rows, loss 0", "0 constraints", "labels 2, 2, 2")
    assert shown.title == "From one leaf to 4, the loss under attack of 7 rows falls from 17.4 to 2.5"


def test_what_a_leaf_may_predict_is_what_its_constraints_leave(toy_trace):
    """x2 has label 0 and loses 2.25 at -1.5: -1.5 or less, or 1.5 or more, is what the right leaf may say."""
    drawn = TreeDisplay.from_trace(toy_trace).plot()
    assert drawn.texts("why") == ["not 1: x2 must lose at least", "2.25, as planned above"]
    assert list(drawn.texts("feasible end")) == ["−1.5", "1.5"] * 2
    assert len({round(a.get_width(), 6) for a in drawn["number line"]}) == 1, "alike on all cards"
    line = drawn["number line"][1]
    green = [a for a in drawn["feasible"] if a.get_gid().endswith("rl")]
    ends = [(a.get_x(), a.get_x() + a.get_width()) for a in green]
    low, wide = line.get_x(), line.get_width()
    at = [[-3 + 6 * (x - low) / wide for x in pair] for pair in ends]  # the line goes from -3 to 3
    assert at == [pytest.approx([-3, -1.5]), pytest.approx([1.5, 3])]


def test_a_ribbon_is_as_wide_as_its_rows_and_the_attackers_is_hatched(toy_trace, deep_wine):
    for trace in (toy_trace, deep_wine):
        shown = TreeDisplay.from_trace(trace, depth=None)
        drawn = shown.plot()
        unit = WHOLE / len(trace.y)
        for role in ("left", "unknown", "right"):
            for a in drawn[f"{role} ribbon"]:
                path = a.get_gid().split("-")[2]
                flow, points = shown.facts[path].flow, a.get_path().vertices
                rows = flow.unknown if role == "unknown" else flow.sure
                assert points[-2, 0] - points[0, 0] == pytest.approx(
                    unit * rows
                )  # where it leaves the parent
                half = (
                    len(points) - 3
                ) // 2  # the way down, and the way up: opposite points are as far apart
                across = np.hypot(*(points[1 : 1 + half] - points[-3 : -3 - half : -1]).T)
                assert across == pytest.approx(np.full(half, unit * rows), rel=1e-6, abs=1e-6)
                assert bool(a.get_hatch()) == (role == "unknown" and unit * rows >= 1.2)
        for path, f in shown.facts.items():
            step = next((s for s in trace.steps if s.path == path), None)
            if step is not None and step.taken:
                unknown = [shown.facts[path + s].flow.unknown for s in "lr"]
                assert sum(unknown) >= len(step.split.partition.unknown)
                assert sum(shown.facts[path + s].flow.rows for s in "lr") == f.rows


def test_a_coin_lies_where_rows_are_pushed_and_names_its_price(toy_trace, deep_wine):
    toy = TreeDisplay.from_trace(toy_trace)
    drawn = toy.plot()
    assert [a.get_gid() for a in drawn["coin"]] == ["coin-r"]
    assert (drawn.texts("coin"), drawn.texts("pushed")) == (["1"], ["x2 pushed"])
    assert [a.get_gid() for a in drawn["own way"]] == ["own-l", "own-lr"], "q = 3: to the leaf of −1"
    assert drawn.texts("own way words") == ["x2 without attack"]
    assert "hatched: sent by the attacker." in toy.subtitle
    assert drawn.texts("pushed row") == ["x2"] and len(drawn["own way head"]) == 2
    assert "At the root the attacker pushes x2 to the right, at cost 1." in toy.alt_text
    shown = TreeDisplay.from_trace(deep_wine, depth=None)
    for path, f in shown.facts.items():
        if f.flow is not None:
            parent, child = deep_wine.at(path[:-1]), deep_wine.at(path)
            before = dict(zip(parent.data.rows.tolist(), parent.data.spent.tolist(), strict=True))
            paid = [
                k - before[r]
                for r, k in zip(child.data.rows.tolist(), child.data.spent.tolist(), strict=True)
            ]
            assert f.flow.pushed == sum(k > 0 for k in paid)
            assert f.flow.costs == tuple(sorted({k for k in paid if k > 0}))


def test_the_subtitle_speaks_only_of_what_is_shown(toy_trace):
    toy = TreeDisplay.from_trace(toy_trace)
    assert "squared error" in toy.subtitle
    assert "Green: what a leaf may say; diamond: what it says." in toy.subtitle
    assert toy.subtitle.endswith("Loss: squared error, before → after a test.") and "to 2.5" in toy.title
    ends = [toy.facts[path].loss for path, _ in leaves(toy.tree)]
    assert sum(ends) == pytest.approx(2.5), "the number of the title is that of the leaves"
    data = tv.load_toy()
    plain = TreeDisplay.from_trace(tv.TreantRegressor(None, min_samples_split=2).fit(data.X, data.y).trace_)
    assert "Ribbons are as wide as the rows they carry." in plain.subtitle
    assert not [w for w in ("hatched", "coin", "Green") if w in plain.subtitle]
    assert TreeDisplay.from_tree(Node("p", 1.0, Leaf(-1.0), Leaf(2.0))).subtitle == ""


def test_if_nobody_attacks_no_row_is_the_attackers_and_none_is_counted_as_such():
    data = tv.load_toy()
    shown = TreeDisplay.from_trace(tv.TreantRegressor(None, min_samples_split=2).fit(data.X, data.y).trace_)
    assert shown.cards[""].words == ("p ≤ 1", "7 rows, loss 17.4 → 2")
    drawn = shown.plot()
    assert "unknown ribbon" not in drawn.artists and "coin" not in drawn.artists
    assert not [
        a for a in drawn.figure.findobj(lambda a: hasattr(a, "get_text")) if "attacker" in a.get_text()
    ]


def test_what_is_drawn_is_what_the_summary_says(toy_trace):
    shown = TreeDisplay.from_trace(toy_trace, show=SHOWN, depth=None)
    drawn = shown.plot()
    roles = ("test head", "leaf head", "stub details", "test details", "leaf details", "label counts")
    lines = [line for role in roles for text in drawn.texts(role) for line in text.split("\n")]
    insets = [i.text for c in shown.cards.values() for i in c.insets if type(i) in (Circles, Legal)]
    said = [line for card in shown.cards.values() for line in card.words]
    assert sorted([*lines, *insets]) == sorted(said)
    labels = [
        number(y) for c in shown.cards.values() for i in c.insets if isinstance(i, Circles) for y, _ in i.rows
    ]
    assert drawn.texts("label") == labels
    assert str(shown) == shown.summary
    assert all("; ".join(card.words) in shown.summary for card in shown.cards.values())


def test_histograms_count_the_rows_of_each_node(toy_trace, deep_wine):
    for path, card in TreeDisplay.from_trace(toy_trace, show=("histogram",), depth=None).cards.items():
        counts = card.insets[-1].labels.counts
        y = toy_trace.y[toy_trace.at(path).data.rows]
        assert counts == tuple(
            int(((y >= low) & ((y < low + 0.5) | (low == 1.5))).sum()) for low in np.arange(-2, 2, 0.5)
        )
    shown = TreeDisplay.from_trace(deep_wine, show=("histogram",))
    for path in set(shown.cards) - set(shown.seen.hidden):
        y = deep_wine.y[deep_wine.at(path).data.rows]
        ones, said = int((y == 1).sum()), shown.cards[path].words[-1]
        mixed = f"{ones} of {len(y):,} have label 1"
        assert said == (mixed if 0 < ones < len(y) else f"all have label {int(ones > 0)}")


def test_hostile_names_are_drawn_as_text_and_survive_every_format():
    tree = Node(HOSTILE, HOSTILE, Leaf(0.0, 1.0, 2), Node("$\\frac{1}{0}$", 2.0, Leaf(0.5), Leaf(1.0)))
    shown = TreeDisplay.from_tree(tree)
    assert "<script>" not in render(shown, "svg").decode()
    assert render(shown, "png").startswith(b"\x89PNG")
    assert "$\\frac{1}{0}$ ≤ 2" in shown.plot().texts("test head")


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_drawing_into_a_subfigure_leaves_the_rest_alone(toy_trace, palette):
    figure = new_figure((12, 6), palette)
    left, right = figure.subfigures(1, 2)
    mine = left.add_subplot()
    mine.plot([0, 1], [0, 1])
    drawn = TreeDisplay.from_trace(toy_trace).plot(right, palette=palette)
    assert len(mine.lines) == 1 and drawn.figure is right and set(drawn.axes).isdisjoint({mine})
    again = TreeDisplay.from_trace(toy_trace).plot(mine, palette=palette)
    assert len(mine.lines) > 1 and again.axes == (mine,)


def test_255_nodes_are_drawn_fast_and_large_enough_to_read():
    tree = full(7, [0])
    start = time.process_time()
    shown = TreeDisplay.from_tree(tree)
    drawn = shown.plot()
    assert time.process_time() - start < 2.0
    assert shown.size[0] <= 16 and len(list(walk(shown.seen.tree))) >= 15
    assert min(t.get_fontsize() for t in drawn["stub details"]) >= 13
    assert len(TreeDisplay.from_tree(tree, depth=None).cards) == 255


def test_the_same_picture_gives_the_same_bytes_and_a_small_file(deep_wine):
    one, two = (render(TreeDisplay.from_trace(deep_wine, show=SHOWN), "svg") for _ in range(2))
    assert one == two and len(one) < 500_000


def test_alt_text_says_what_is_to_be_seen(toy_trace):
    said = TreeDisplay.from_trace(toy_trace).alt_text
    assert said.startswith("A tree with 3 tests and 4 leaves. The root asks whether p ≤ 1")
    assert "−2, −1, 1.5, 2" in said
    assert "3 parts of the tree" in TreeDisplay.from_tree(full(4, [0]), focus="l", depth=1).alt_text


def test_a_single_leaf():
    shown = TreeDisplay.from_tree(Leaf(0.25, 1.0, 4))
    assert shown.title == "A single leaf: 0.25 for every row" and list(shown.cards) == [""]
    assert shown.plot().texts("leaf head") == ["ŷ = 0.25"]


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda t: TreeDisplay.from_tree("tree"), TypeError, "tree: expected a Leaf or a Node, got str"),
        (lambda t: TreeDisplay.from_trace(Leaf(1.0)), TypeError, "trace: expected a Trace, got Leaf"),
        (lambda t: TreeDisplay.from_trace(t, step="rrr"), KeyError, "'rrr'"),
        (
            lambda t: TreeDisplay.from_model(3),
            TypeError,
            "model: expected a fitted tree with the attribute tree_, got int",
        ),
        (lambda t: TreeDisplay.from_trace(t, show=("rows", "colour")), ValueError, "show: .* got 'colour'"),
        (lambda t: TreeDisplay.from_trace(t, show="rows"), ValueError, "show: .* got 'rows'"),
        (lambda t: TreeDisplay.from_trace(t, depth=0), ValueError, "depth: .* got 0"),
        (lambda t: TreeDisplay.from_trace(t, depth=2.5), ValueError, "depth: .* got 2.5"),
        (lambda t: TreeDisplay.from_trace(t, focus="lx"), ValueError, "focus: .* got 'lx'"),
        (lambda t: TreeDisplay.from_trace(t, focus="lll"), KeyError, "lll"),
    ],
)
def test_bad_input_is_named(toy_trace, make, error, said):
    with pytest.raises(error, match=said):
        make(toy_trace)


def test_the_subtitle_explains_only_what_is_written(deep_census):
    plain = tv.TreeDisplay.from_trace(deep_census, show=["predicate", "rows"], depth=3)
    assert "Green" not in plain.subtitle and "Loss" not in plain.subtitle
    assert not any("loss" in word for card in plain.cards.values() for word in card.words)


def test_a_leaf_without_loss_has_none_a_row(deep_census):
    shown = tv.TreeDisplay.from_trace(deep_census, depth=None)
    words = [w for card in shown.cards.values() for w in card.words]
    assert any(w.endswith("loss 0") for w in words) and "loss 0, 0 a row" not in words


def test_an_attacker_who_can_cross_no_test_is_told_so_in_the_title():
    wine = tv.load_wine()
    X, y = wine.X_train[:1000], wine.y_train[:1000]
    trace = tv.TreantClassifier(wine.attacker.with_budget(60), max_depth=3).fit(X, y).trace_
    shown = TreeDisplay.from_trace(trace)
    assert not any(len(s.split.partition.unknown) for s in trace.steps if s.taken)
    ends = 1 + sum(s.taken for s in trace.steps)
    words = "and the attacker can push none of them across a test"
    assert shown.title == f"{ends} leaves for 1,000 rows, {words}"
    assert "attack" not in shown.subtitle


def test_narrow_ways_of_the_attackers_rows_can_be_seen(deep_census):
    """The ribbon stays as wide as its rows; a dotted line of one width lies on it."""
    drawn = TreeDisplay.from_trace(deep_census, depth=3).plot()
    thin = {a.get_gid().removeprefix("thin-"): a for a in drawn["thin way"]}
    ribbons = {a.get_gid().removeprefix("ribbon-unknown-"): a for a in drawn["unknown ribbon"]}
    assert thin and thin.keys() <= ribbons.keys()
    assert all(a.get_linewidth() > 2.5 and a.get_linestyle() != "-" for a in thin.values())


def test_pushed_rows_are_counted_in_leaves_that_do_not_name_them(deep_census):
    shown = TreeDisplay.from_trace(deep_census, depth=None)
    for path, card in shown.cards.items():
        known = shown.facts[path]
        if card.kind == "leaf" and not known.few:
            said = [w for w in card.details if w.endswith("by the attacker")]
            assert said == ([f"{known.flow.unknown:,} sent by the attacker"] if known.flow.unknown else [])
