"""BoundsDisplay: the drawn tree is the recorded search, the bar is to scale, and titles are true."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest

import treant_viz as tv
from tests.attacks.problems import forest, row, shifts, step

RULES = tv.Attacker(shifts(1, 1, 1, 1), 3)


def shown(seed: int) -> tv.BoundsDisplay:
    trees, rng = forest(seed, 6)
    x = pd.Series({f"f{i}": float(2 * rng.integers(0, 6)) for i in range(4)}, name="x")
    return tv.BoundsDisplay.from_model(trees, x, -1.0, RULES)


@pytest.mark.parametrize("slots", [1, 5, 1000])
def test_the_leaves_of_the_drawing_hold_every_combination_once_folded_or_not(slots):
    for seed in range(12):
        if (tree := shown(seed).tree) is None:
            continue
        root = tree.root(slots)
        assert sum(b.combinations for b in root.ends()) == tree.record.affordable == root.combinations
        kinds = {b.kind for b in root.ends()}
        assert slots < 1000 or "folded" not in kinds
        way = [b for b in root.ends() if b.kind == "whole" and b.cells == tree.record.found[:-1]]
        assert way or not any(b.cells == tree.record.found[:-1] for b in tree.root(1000).ends())


def test_the_bar_below_is_to_scale():
    checked = 0
    for seed in range(8):
        d = shown(seed)
        if d.tree is None:
            continue
        drawn, r = d.plot(), d.tree.record
        [visited], cut = drawn["visited share"], drawn["cut share"]
        whole = visited.get_width() + sum(a.get_width() for a in cut)
        assert visited.get_width() / whole == pytest.approx(r.visited / r.affordable)
        sizes = [n for n in d.tree.cut_by_level if n]
        assert [a.get_width() / whole for a in cut] == pytest.approx([n / r.affordable for n in sizes])
        assert r.visited + sum(sizes) == r.affordable
        checked += bool(sizes)
    assert checked > 2


def test_what_is_drawn_is_what_the_search_did():
    d = next(
        s
        for s in map(shown, range(20))
        if s.tree and len(s.tree.record.cut()) > 3 and s.tree.record.visited > 1
    )
    drawn, r = d.plot(), d.tree.record
    groups = {look.cells[:-1] for look in r.cut()}
    assert len(drawn["cut"]) == (len(r.cut()) if d.tree.drawn(44)[1] else len(groups))
    assert len(drawn["visited"]) + len(drawn["best"]) == r.visited
    paid = [str(int(o[k].cost)) for o, k in zip(r.options, r.found, strict=True) if o[k].cost]
    assert drawn.texts("coin") == paid
    best = d.tree.record.score(r.solution.value)
    assert any(f"{best:.3g}, the worst".replace("-", "−") in t for t in drawn.texts("best words"))


def test_titles():
    """One step decides: the stump on f0 is worth more than that on f1, and one coin pays for one of them."""
    x, one = row(0, 0), tv.Attacker(shifts(1, 1), 1)
    few = tv.BoundsDisplay.from_model([step(0, 1.0)], x, -1.0, one)
    assert few.title == "Here bounds cut nothing: the search looks at all 2 combinations"
    none = tv.BoundsDisplay.from_model([step(0, -1.0)], x, -1.0, one, label="a row")
    assert none.title == "Nothing that 1 can pay for hurts a row: there is no search"
    assert none.plot().texts("nothing")[0] == "a row"
    table = pd.DataFrame([{"f0": 0.0, "f1": 0.0}, {"f0": -4.0, "f1": 0.0}])
    some = tv.BoundsDisplay.from_model([step(0, -1.0)], table, [-1.0, -1.0], one)
    assert some.title == "Nothing that 1 can pay for hurts any of 2 rows: there is no search"
    d = tv.BoundsDisplay.from_model([step(0, 1.0), step(1, 0.25)], x, -1.0, one)
    r = d.tree.record
    assert (r.visited, r.affordable) == (1, 3)
    assert d.title == "The search visits 1 of 3 combinations: bounds cut 2"
    drawn = d.plot()
    assert drawn.texts("cut words") == ["at most 0.125", "< 0.5:", "2 cut"]
    assert drawn.texts("share words") == ["1 visited", "2 cut"]
    assert drawn.texts("bar head") == ["3 combinations", "for 1 or less"]
    assert (
        d.subtitle
        == "The attacker may spend 1; a branch is cut where its score cannot beat one found before."
    )
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
    assert r.visited == 0 or d.title.startswith("The search visits")
    if not r.visited:
        assert d.title == f"Bounds cut all of {r.affordable} combinations: none does more than x as it is"
    assert not d.plot()["coin"]


def test_no_words_stand_on_others_or_on_branches():
    """The words of a node stand above it, where no branch leaves it; crowded ones are left out."""
    seen = 0
    for d in filter(lambda s: s.tree, map(shown, range(12))):
        drawn = d.plot()
        nodes = {a.get_center()[1] for a in drawn["node"]}
        for words in (*drawn["choice"], *drawn["bound"]):
            assert any(0 < words.get_position()[1] - y < 40 for y in nodes)
        boxes = [w.get_window_extent() for r in ("choice", "bound", "cut words") for w in drawn[r]]
        for one, other in itertools.combinations(boxes, 2):
            wide = min(one.x1, other.x1) - max(one.x0, other.x0)
            assert wide <= 3.0 or min(one.y1, other.y1) - max(one.y0, other.y0) <= 5.0
        seen += len(boxes)
    assert seen > 30


def test_of_many_rows_the_one_whose_search_visits_most_is_shown():
    """With more in reach the search visits more; the row that comes first visits one combination."""
    trees, _ = forest(5, 14, depth=4)
    table = pd.DataFrame([{f"f{i}": v for i in range(4)} for v in (0.0, 2.0, 4.0, 6.0)])
    A, y = tv.Attacker(shifts(1, 1, 1, 1), 3), [-1.0] * 4
    each = [tv.BoundsDisplay.from_model(trees, table.iloc[[k]], -1.0, A).tree for k in range(4)]
    hurt = [t for t in each if t is not None and t.record.solution.value > t.record.unattacked]
    fitting = [t.record.visited for t in hurt if t.root(10**9).slots <= 24]
    shown = tv.BoundsDisplay.from_model(trees, table, y, A)
    assert shown.tree.record.visited == max(fitting) > min(fitting)


@pytest.mark.parametrize(("features", "budget"), [(2, 2), (2, 3)])
def test_in_a_small_tree_every_branch_says_how_many_combinations_it_cuts(features, budget):
    """Beside every bar the number of combinations: with those visited they are all there are."""
    checked = 0
    for seed in range(12):
        trees, rng = forest(seed, 6)
        x = pd.Series({f"f{i}": float(2 * rng.integers(0, 6)) for i in range(4)}, name="x")
        d = tv.BoundsDisplay.from_model(trees, x, -1.0, tv.Attacker(shifts(*[1] * features), budget))
        if d.tree is None or not d.tree.drawn(44)[1]:
            continue
        drawn, r = d.plot(), d.tree.record
        cut = [int(t.removesuffix(" cut")) for t in drawn.texts("cut words") if t.endswith(" cut")]
        assert sum(cut) + len(drawn["visited"]) + len(drawn["best"]) == r.affordable
        assert len(cut) == len(drawn["cut"]) and len(drawn["visited"]) + len(drawn["best"]) == r.visited
        checked += 1
    assert checked > 3


def test_the_words_of_all_leaves_stand_on_one_line_and_a_cut_names_the_score_it_could_not_beat():
    checked = 0
    for seed in range(12):
        trees, _rng = forest(seed, 6)
        x = pd.Series({f"f{i}": 4.0 for i in range(4)}, name="x")
        d = tv.BoundsDisplay.from_model(trees, x, -1.0, tv.Attacker(shifts(1, 1), 2))
        if d.tree is None or not d.tree.drawn(44)[1]:
            continue
        drawn, r = d.plot(), d.tree.record
        said = [t for t in drawn.texts("cut words") if t[0] in "<=>"]
        assert len(said) == len(drawn["cut"]) and all(t.endswith(":") for t in said)
        known = {f"{r.score(b.best):.3g}" for b in d.tree.drawn(44)[0].ends() if b.kind == "cut"}
        assert {t[2:-1].replace("−", "-") for t in said} == known
        tops = {round(w.get_position()[1], 6) for w in (*drawn["score"], *drawn["best words"][:1])}
        assert len(tops) <= 1
        checked += bool(said)
    assert checked > 3


def test_what_is_folded_is_said():
    trees, _ = forest(5, 14, depth=4)
    x = pd.Series({f"f{i}": 4.0 for i in range(4)}, name="x")
    d = tv.BoundsDisplay.from_model(trees, x, -1.0, tv.Attacker(shifts(1, 1, 1, 1), 4))
    assert "folded" not in d.subtitle or d.tree.folded(44)
    assert d.tree.folded(1) == any(b.kind == "folded" for b in d.tree.root(1).ends())


def test_bad_input_is_named():
    with pytest.raises(TypeError, match="attacker: expected an Attacker, got int"):
        tv.BoundsDisplay.from_model([step(0, 1.0)], row(0, 0), -1.0, 3)
