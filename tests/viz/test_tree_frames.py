"""What of a large tree is shown: frames, windows, a focus, folds, and what a page has room for."""

from __future__ import annotations

import pytest

import treant_viz as tv
from treant_viz.core.tree import Leaf, Node, leaves
from treant_viz.viz.style.text import number
from treant_viz.viz.tree.cards import SHOWN
from treant_viz.viz.tree.display import TreeDisplay


def full(levels: int, counter: list[int]) -> Leaf | Node:
    counter[0] += 1
    i = counter[0]
    return (
        Leaf(i / 8, 1.5, 10)
        if levels == 0
        else Node(f"f{i}", i * 1.5, full(levels - 1, counter), full(levels - 1, counter))
    )


def test_the_overview_shows_every_row_once_on_every_level_that_it_reaches(deep_wine):
    shown = TreeDisplay.from_trace(deep_wine, depth=2)
    assert shown.seen.hidden
    drawn = shown.plot()
    whole = next(a for a in drawn["overview test"] if a.get_gid() == "cell-").get_width()
    wide = sum(a.get_width() for a in drawn["overview leaf"])
    assert wide == pytest.approx(
        whole, rel=2e-3
    )  # the leaves hold all rows; slivers that nobody sees are left out
    for a in drawn["overview leaf"]:
        rows = shown.facts[a.get_gid().removeprefix("cell-")].rows
        assert a.get_width() == pytest.approx(whole * rows / len(deep_wine.y))
    for a in drawn["overview unknown"]:
        parts = shown.facts[a.get_gid().removeprefix("unknown-")].parts
        assert a.get_width() == pytest.approx(whole * parts[1] / len(deep_wine.y))
        assert a.get_hatch()
    assert "overview test" not in TreeDisplay.from_tree(full(4, [0]), depth=None).plot().artists


def test_small_trees_leave_no_empty_half():
    """A stump fills its figure; a tree of some levels is as high as ever."""
    stump = TreeDisplay.from_tree(Node("p", 1.0, Leaf(-1.0), Leaf(2.0)))
    assert stump.title == "The tree asks p ≤ 1 first and ends in 2 leaves after one test"
    drawn = stump.plot()
    drawn.figure.canvas.draw()
    boxes = [a.get_window_extent() for a in (*drawn["test"], *drawn["leaf"])]
    tall = max(b.y1 for b in boxes) - min(b.y0 for b in boxes)
    assert tall > 0.3 * drawn.figure.bbox.height
    assert min(t.get_fontsize() for t in drawn["leaf head"]) > 18  # as large as a small tree may be
    assert stump.size == (12.8, 7.2)


def test_frames_are_the_steps_and_nothing_moves(toy_trace):
    frames = TreeDisplay.from_trace(toy_trace).frames()
    assert [f.title.split(":")[0] for f in frames] == [f"Step {i} of 7" for i in range(1, 8)]
    assert frames[0].title == "Step 1 of 7: the root asks p ≤ 1, loss under attack 17.4 → 3.7"
    assert frames[2].title == "Step 3 of 7: the node left, then left stays a leaf (too deep or too few rows)"
    assert [len(f.cards) for f in frames] == [3, 5, 5, 5, 7, 7, 7]
    assert frames[0].cards["r"].words[:2] == ("ŷ = 1.6", "5 rows, loss 3.2")  # not yet split
    assert len({(f.size, f.place[""], f.place["rl"]) for f in frames}) == 1
    assert [next(p for p, c in f.cards.items() if c.emphasis) for f in frames] == [
        "",
        "l",
        "ll",
        "lr",
        "r",
        "rl",
        "rr",
    ]


def test_a_step_in_the_middle_is_panel_e(toy_trace):
    shown = TreeDisplay.from_trace(toy_trace, step="")
    assert {p: leaf.prediction for p, leaf in leaves(shown.tree)} == {"l": -1.5, "r": 1.6}
    assert len(shown.frames()) == 1


def test_frames_of_a_window_and_of_a_focus_stay_few(deep_wine):
    shown = TreeDisplay.from_trace(deep_wine)
    frames = shown.frames()
    assert len(frames) == len(set(shown.cards) - set(shown.seen.hidden))
    focused = TreeDisplay.from_trace(deep_wine, focus="lllr")
    assert frames[-1].cards.keys() == shown.cards.keys()
    assert focused.frames()[-1].cards.keys() == focused.cards.keys()
    assert all(len(f.plot().axes) == 1 for f in focused.frames()[:3])


def test_a_window_hides_leaves_and_counts_them(deep_wine):
    shown = TreeDisplay.from_trace(deep_wine, depth=2)
    assert max(map(len, shown.cards)) == 2
    hidden = {p: card.words for p, card in shown.cards.items() if card.kind == "stub"}
    for path, words in hidden.items():
        count = sum(p.startswith(path) for p, _ in leaves(shown.tree))
        lost = sum(deep_wine.at(p).leaf_loss for p, _ in leaves(shown.tree) if p.startswith(path))
        rows = len(deep_wine.at(path).data)
        assert words == (f"{count} more leaves", f"{rows} rows", f"loss {number(lost)}")
    assert hidden


def test_a_focus_shows_one_path_in_full():
    tree = full(4, [0])
    shown = TreeDisplay.from_tree(tree, focus="lrlr")
    assert {p for p, c in shown.cards.items() if c.kind == "test"} == {"", "l", "lr", "lrl"}
    assert {p for p, c in shown.cards.items() if c.kind == "stub"} == {"r", "ll", "lrr"}


def test_a_third_level_of_tests_is_worth_more_than_what_leaves_may_say(deep_census):
    """Pushes happen at the second level; without an overview there is room for what leaves may say, too."""
    usual = TreeDisplay.from_trace(deep_census)
    assert {"", "l", "r"} <= set(usual.cards) - set(usual.seen.hidden)
    assert max(map(len, usual.cards)) == 3 and usual.scale <= 1.3 and "coin" in usual.plot().artists
    assert "Green" in usual.subtitle and "overview words" not in usual.plot().artists
    loaded = TreeDisplay.from_trace(deep_census, show=SHOWN)
    assert max(map(len, loaded.cards)) < 3, "all that can be written leaves no room for a third level"
    asked = TreeDisplay.from_trace(deep_census, show=["predicate", "rows", "loss", "feasible"], depth=2)
    assert "Green" in asked.subtitle


def test_a_part_of_two_leaves_needs_no_overview(toy_trace):
    small = TreeDisplay.from_tree(full(3, [0]), depth=2)
    assert small.seen.hidden and "overview words" not in small.plot().artists
    assert TreeDisplay.from_trace(toy_trace, depth=1).plot().texts("overview words") == []


def test_what_nobody_attacks_is_folded_where_a_tree_is_too_large_for_its_page():
    d = tv.load_census("authors")
    X, y, attacker = d.X_train[:1000], d.y_train[:1000], d.attacker.with_budget(60)
    trace = tv.TreantClassifier(attacker, max_depth=4).fit(X, y).trace_
    shown = TreeDisplay.from_trace(trace)
    hit = {p for p in shown.cards if shown.facts[p].flow is not None and shown.facts[p].flow.unknown}
    tests = {p for p, card in shown.cards.items() if card.kind == "test"}
    assert hit and shown.scale <= 1.3 and "overview words" not in shown.plot().artists
    assert all(len(p) < 2 or any(h.startswith(p) for h in hit) for p in tests)
    assert {p[:-1] for p in hit} <= tests and len(tests) == 4
    frames = shown.frames()
    assert all(set(f.cards) <= set(shown.cards) and f.place is frames[0].place for f in frames)


def test_where_room_is_short_tests_that_no_pushed_row_comes_to_are_folded_first():
    census = tv.load_census()
    model = tv.TreantClassifier(census.attacker.with_budget(60), max_depth=4)
    trace = model.fit(census.X_train[:1500], census.y_train[:1500]).trace_
    shown = TreeDisplay.from_trace(trace)
    assert shown.seen.hidden and shown.options["fold"]
    for path in shown.seen.hidden:
        pushed = any(shown.facts[path[:k]].flow.pushed for k in range(1, len(path) + 1))
        assert not (pushed and shown.facts[path].flow.unknown) or len(path) == shown.options["depth"]
