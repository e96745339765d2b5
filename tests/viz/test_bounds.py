"""BoundsDisplay: what is drawn is the recorded search, on one scale, and titles are true."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest

import treant_viz as tv
from tests.attacks.problems import forest, row, shifts, step
from tests.viz.measures import overlap

RULES = tv.Attacker(shifts(1, 1, 1, 1), 3)


def shown(seed: int) -> tv.BoundsDisplay:
    trees, rng = forest(seed, 6)
    x = pd.Series({f"f{i}": float(2 * rng.integers(0, 6)) for i in range(4)}, name="x")
    return tv.BoundsDisplay.from_model(trees, x, -1.0, RULES)


@pytest.mark.parametrize("lines", [1, 6, 1000])
def test_the_ends_of_the_drawing_hold_every_combination_once_folded_or_not(lines):
    for seed in range(12):
        if (tree := shown(seed).tree) is None:
            continue
        root = tree.drawn(lines)
        assert sum(b.combinations for b in root.ends()) == tree.record.affordable == root.combinations
        assert lines < 1000 or "folded" not in {b.kind for b in root.ends()}
        tried = sum(len(b.sums) for b in tree.drawn(1000).ends())
        assert tried == tree.record.visited


def test_what_is_drawn_is_what_the_search_did():
    checked = 0
    for d in filter(lambda d: d.tree and not d.tree.folded(15), map(shown, range(20))):
        drawn, r = d.plot(), d.tree.record
        assert len(drawn["visited"]) + len(drawn["best"]) == r.visited
        skipped = [int(t.rpartition(": skip ")[2].split()[0]) for t in drawn.texts("cut words")]
        assert len(skipped) == len(drawn["skipped"]) and r.visited + sum(skipped) == r.affordable
        alone = all(b.branches == 1 for b in d.tree.drawn(15).walk())
        way = [str(int(o[k].cost)) for o, k in zip(r.options, r.found, strict=True) if o[k].cost]
        assert not drawn["best"] or not alone or drawn.texts("coin") == way
        checked += bool(skipped)
    assert checked > 3


def test_bars_and_dots_stand_at_their_scores_and_what_is_skipped_ends_before_the_worst():
    """All bars begin together, and a bar is as long as its bound says: on one scale with the dots."""
    checked = 0
    for d in filter(lambda d: d.tree, map(shown, range(12))):
        drawn, r = d.plot(), d.tree.record
        [line] = drawn["worst"]
        lines = list(d.tree.drawn(15).walk())
        bars = [*drawn["promise"], *drawn["skipped"]]
        assert len({round(a.get_x(), 6) for a in bars}) == 1
        by_name = {a.get_gid(): a for a in bars}
        ends = {by_name[g].get_x() + by_name[g].get_width(): r.score(b.bound) for b in lines
                if (g := "bar-" + ("-".join(map(str, b.cells)) or "root")) in by_name}  # fmt: skip
        dots = [a.get_center()[0] for a in (*drawn["visited"], *drawn["best"])]
        scores = [r.score(s) for b in lines for s in b.sums]
        known = sorted([*ends.items(), *zip(sorted(dots), sorted(scores), strict=True)])
        slope = [(y - known[0][1]) / (x - known[0][0]) for x, y in known[1:] if x - known[0][0] > 1.0]
        assert slope == pytest.approx([slope[0]] * len(slope), rel=1e-3)
        assert all(a.get_x() + a.get_width() <= line.get_xdata()[0] + 1e-6 for a in drawn["skipped"])
        checked += bool(drawn["skipped"])
    assert checked > 3


def test_titles():
    """One step decides: the stump on f0 is worth more than that on f1, and one coin pays for one of them."""
    x, one = row(0, 0), tv.Attacker(shifts(1, 1), 1)
    few = tv.BoundsDisplay.from_model([step(0, 1.0)], x, -1.0, one)
    assert few.title == "All 2 cases for row 0 are tried: no bound rules any of them out"
    none = tv.BoundsDisplay.from_model([step(0, -1.0)], x, -1.0, one, label="a row")
    assert none.title == "Nothing that 1 can pay for hurts a row: there is no search"
    assert none.plot().texts("nothing")[0] == "a row: no bar reaches further than the row itself"
    table = pd.DataFrame([{"f0": 0.0, "f1": 0.0}, {"f0": -4.0, "f1": 0.0}])
    some = tv.BoundsDisplay.from_model([step(0, -1.0)], table, [-1.0, -1.0], one)
    assert some.title == "Nothing that 1 can pay for hurts any of 2 rows: there is no search"
    d = tv.BoundsDisplay.from_model([step(0, 1.0), step(1, 0.25)], x, -1.0, one)
    r = d.tree.record
    assert (r.visited, r.affordable) == (1, 3)
    assert d.title == "To find the worst of 3 cases for row 0, 1 try is enough: bounds rule out 2"
    drawn = d.plot()
    assert drawn.texts("cut words") == ["could get to 0.125, not past 0.5: skip 2 cases"]
    assert drawn.texts("best words") == ["0.5, the worst"]
    assert drawn.texts("worst name") == ["the worst found: 0.5"]
    assert d.subtitle.endswith("Coins are prices; 1 may be spent.")
    assert "The best way found: f0 → 2 for 1." in d.alt_text


def test_a_search_that_finds_nothing_says_so():
    """Each tree could be made worse, but never without making the other one better by more."""
    trees = [
        tv.Node("f0", 1.0, tv.Leaf(0.0), tv.Leaf(1.0)),
        tv.Node("f0", 1.0, tv.Leaf(2.0), tv.Leaf(0.0)),
        tv.Node("f1", 1.0, tv.Leaf(2.0), tv.Leaf(0.0)),
        tv.Node("f1", 1.0, tv.Leaf(0.0), tv.Leaf(1.0)),
    ]
    d = tv.BoundsDisplay.from_model(trees, row(0, 0), -1.0, tv.Attacker(shifts(1, 1), 2), label="x")
    r = d.tree.record
    assert r.solution.cost == 0
    if r.visited:
        assert d.title.startswith(("To find the worst of", "All "))
    else:
        assert (
            d.title
            == f"Without a single try: none of {r.affordable} cases for x is worse than the row as it is"
        )
    assert not d.plot()["coin"]


def test_no_words_stand_on_others_or_leave_the_page():
    for d in filter(lambda s: s.tree, map(shown, range(12))):
        drawn = d.plot()
        roles = ("choice", "node words", "cut words", "whole words", "folded words", "best words")
        boxes = [w.get_window_extent() for r in roles for w in drawn[r]]
        page = drawn.axes[0].get_window_extent()
        assert all(b.x0 >= page.x0 and b.x1 <= page.x1 for b in boxes)
        for one, other in itertools.combinations(boxes, 2):
            assert overlap(one, other) <= 2.0


def test_of_many_rows_one_is_shown_whose_search_tries_some_and_skips_some():
    trees, _ = forest(5, 14, depth=4)
    table = pd.DataFrame([{f"f{i}": v for i in range(4)} for v in (0.0, 2.0, 4.0, 6.0)])
    A, y = tv.Attacker(shifts(1, 1, 1, 1), 3), [-1.0] * 4
    each = [tv.BoundsDisplay.from_model(trees, table.iloc[[k]], -1.0, A).tree for k in range(4)]
    both = [min(t.record.visited, t.record.affordable - t.record.visited) for t in each if t is not None]
    assert max(both) > 1
    found = tv.BoundsDisplay.from_model(trees, table, y, A).tree.record
    assert found.visited > 1 and found.affordable - found.visited > 1


def test_what_is_folded_is_said():
    trees, _ = forest(5, 14, depth=4)
    x = pd.Series({f"f{i}": 4.0 for i in range(4)}, name="x")
    d = tv.BoundsDisplay.from_model(trees, x, -1.0, tv.Attacker(shifts(1, 1, 1, 1), 4))
    assert ("folded" in d.subtitle) == d.tree.folded(15)
    assert d.tree.folded(1) == any(b.kind == "folded" for b in d.tree.drawn(1).ends())


def test_bad_input_is_named():
    with pytest.raises(TypeError, match="attacker: expected an Attacker, got int"):
        tv.BoundsDisplay.from_model([step(0, 1.0)], row(0, 0), -1.0, 3)
