"""The overview of the paper: every panel is an attack that adds up, and tells what becomes of x2."""

from __future__ import annotations

import pytest

import treant_viz as tv
from treant_viz.core.tree import leaves
from treant_viz.experiments.report.figures import toy
from treant_viz.experiments.toy import toy_display, toy_trace
from treant_viz.viz.style.palette import DARK, LIGHT
from treant_viz.viz.toy_figure.display import ToyFigureDisplay, TreeInput
from treant_viz.viz.tree.ribbons import WHOLE


@pytest.fixture(scope="module")
def display() -> ToyFigureDisplay:
    return toy_display()


def test_the_panels_are_the_papers(display):
    assert [(p.heading, p.loss, p.loss_under_attack) for p in display.trees] == [
        ("(b) standard stump", pytest.approx(2), pytest.approx(5)),
        ("(c) robust stump", pytest.approx(3.3875, abs=0.01), pytest.approx(3.7)),
        ("(d) right leaf grown, no constraints", pytest.approx(3.75), pytest.approx(3.75)),
        ("(e) with constraints", pytest.approx(3), pytest.approx(3)),
    ]
    assert display.title == (
        "Under attack, a tree prepared for it loses 3.7 instead of 5; grown on, it loses 3.75 "
        "without constraints, 3 with them"
    )
    ends = display.plot().texts("leaf head")
    assert [e.removeprefix("ŷ = ") for e in ends] == [
        "−1",
        "2",
        "−1.5",
        "1.6",
        "−1.5",
        "1",
        "2",
        "−1.5",
        "1.5",
        "2",
    ]
    assert len(list(toy(None))) == 1


def test_the_losses_of_every_panel_add_up(display):
    """Panel (d) too: x2 costs 2.25 in the left leaf, and no row is counted twice or left out."""
    data = tv.load_toy()
    for p in display.trees:
        assert sorted(g.row for guests in p.guests.values() for g in guests) == [f"x{i}" for i in range(7)]
        by_hand = {
            path: sum((leaf.prediction - g.y) ** 2 for g in p.guests[path]) for path, leaf in leaves(p.tree)
        }
        assert sum(by_hand.values()) == pytest.approx(p.loss_under_attack)
        assert p.loss_under_attack == pytest.approx(
            tv.loss_under_attack(p.tree, data.X, data.y, data.attacker)
        )
    assert [p.sum for p in display.trees] == [
        "1 + 4 = 5", "0.5 + 3.2 = 3.7", "2.75 + 1 + 0 = 3.75", "0.5 + 2.5 + 0 = 3",
    ]  # fmt: skip
    drawn = display.plot()
    assert drawn.texts("loss under attack") == ["5", "3.7", "3.75", "3"]
    assert drawn.texts("losses") == [
        words for n in ("2", "3.39", "3.75", "3") for words in ("loss under attack", f"{n} without attack")
    ]
    assert drawn.texts("leaf details") == [
        f"loss {n}" for n in ("1", "4", "0.5", "3.2", "2.75", "1", "0", "0.5", "2.5", "0")
    ]


def test_every_panel_tells_what_becomes_of_x2(display):
    assert [p.story for p in display.trees] == [
        ("x2 is pushed: its loss grows from 1 to 4",),
        ("x2 is pushed: its loss grows from 2.25 to 2.56",),
        ("x2 stays and loses 2.25: where it was planned, it would now lose only 1",),
        ("x2 may be pushed, but loses 2.25 on either side",),
    ]
    drawn = display.plot()
    assert drawn.texts("pushed") == ["x2 pushed"] * 3
    assert drawn.texts("coin") == ["1"] * 3 and drawn.texts("spared coin") == ["1"]
    assert drawn.texts("rule coin") == ["1"] and drawn.texts("attacker") == [
        "p: raise or lower by up to 1, for 1 each time"
    ]
    assert [len(a) for a in ([*drawn["label ground"]],)] == [3]  # x2 is the hatched circle, in three panels
    assert drawn.texts("pushed row") == ["x2"] * 3
    assert drawn.texts("spared") == ["not spent"]
    assert display.subtitle.startswith("Ribbons are rows") and drawn["feasible"]


def test_all_panels_are_of_one_scale(display):
    """One row is as wide in every panel, and letters of one kind are of one size."""
    drawn = display.plot()
    drawn.figure.canvas.draw()
    ribbons = [a for role in ("left", "unknown", "right") for a in drawn[f"{role} ribbon"]]
    rows = {}
    for a in ribbons:
        points = a.get_path().vertices
        dots = a.get_transform().transform(points[[-2, 0]])[:, 0]
        rows.setdefault(round((points[-2, 0] - points[0, 0]) / (WHOLE / 7)), []).append(dots[0] - dots[1])
    unit = rows[1][0]
    for n, widths in rows.items():
        assert widths == pytest.approx([n * unit] * len(widths), rel=1e-3)
    for role in ("leaf head", "test head", "label", "panel"):
        assert len({t.get_fontsize() for t in drawn[role]}) == 1
    assert min(t.get_fontsize() for t in drawn["leaf details"]) >= 13


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_words_stay_on_the_page_and_inside_their_leaves(display, palette):
    drawn = display.plot(palette=palette)
    drawn.figure.canvas.draw()
    page = drawn.figure.bbox
    for role in ("title", "subtitle", "panel", "losses", "story", "leaf head", "leaf details", "pushed"):
        for t in drawn[role]:
            box = t.get_window_extent()
            assert page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1, (
                t.get_text()
            )
    frames = [a.get_window_extent() for a in drawn["leaf"]]
    assert min(f.y0 for f in frames) > page.y0 + 4 and max(f.x1 for f in frames) < page.x1 - 4
    for t in drawn["leaf details"]:
        b = t.get_window_extent()
        assert any(f.x0 <= b.x0 and b.x1 <= f.x1 and f.y0 <= b.y0 and b.y1 <= f.y1 for f in frames), (
            t.get_text()
        )


def test_those_who_cannot_see_it_can_follow(display):
    words = display.alt_text
    assert (
        "x2 (p = 1, q = 3, y = 0)" in words
        and "p: raise or lower by up to 1, for 1 each time; budget 1" in words
    )
    assert "(d) right leaf grown, no constraints: loss 3.75, under attack 2.75 + 1 + 0 = 3.75." in words
    assert "ŷ = 2: x2 (pushed), x3, x4, x5, x6, loss 4" in words


def test_the_title_claims_no_fall_where_there_is_none():
    data = tv.load_toy()
    trace = toy_trace(data.X, data.attacker)
    root = trace.at("").split.stump
    one = ToyFigureDisplay.from_trees(
        data.X, data.y, data.attacker, [TreeInput("(b)", "robust", root, trace)]
    )
    assert one.title == "The loss under attack stays 3.7 in all panels"
    assert "pale coin" not in one.subtitle and "Green" not in one.subtitle


def test_the_title_tells_of_growing_on_only_where_that_spoils_the_tree(display):
    data = tv.load_toy()
    kept = [t for t in display.trees if t.name != "(d)"]
    shown = ToyFigureDisplay(data.X, display.y, data.attacker, tuple(kept))
    assert shown.title == "Expect the attacker: the loss under attack falls from 5 in (b) to 3 in (e)"


def test_what_the_marks_of_the_trees_are_stands_beside_the_data(display):
    assert display.plot().texts("key") == [
        "pushed by the attacker", "its way without attack", "what a leaf may say, and what it says",
    ]  # fmt: skip


def test_input_that_is_no_toy_is_refused():
    data = tv.load_toy()
    with pytest.raises(ValueError, match="trees: expected at least one tree, got none"):
        ToyFigureDisplay.from_trees(data.X, data.y, data.attacker, [])
    big = data.X.iloc[[0] * 13]
    with pytest.raises(ValueError, match="X: expected a toy of at most 12 rows, got 13"):
        ToyFigureDisplay.from_trees(big, [0.0] * 13, data.attacker, [])


def test_the_data_stand_above_trees_of_one_height_and_nothing_overlaps(display):
    drawn = display.plot()
    drawn.figure.canvas.draw()
    panels = {t.get_text()[:3]: t.get_window_extent() for t in drawn["panel"]}
    assert all(panels["(a)"].y0 > panels[f"({c})"].y1 for c in "bcde")
    assert len({round(panels[f"({c})"].y1) for c in "bcde"}) == 1
    roots = [a.get_window_extent() for a in drawn["test"] if (a.get_gid() or "").startswith("node-root")]
    assert len(roots) == 4 and len({round(b.y1) for b in roots}) == 1, "trees start at one height"
    roles = ("panel", "losses", "loss under attack", "story", "row name", "datum", "column", "attacker",
             "attacker budget", "leaf head", "leaf details", "test head", "pushed row", "pushed")  # fmt: skip
    boxes = [(t.get_text(), t.get_window_extent()) for role in roles for t in drawn[role]]
    for huge in drawn["loss under attack"]:  # digits are lower than the highest letters
        at = [words for words, _ in boxes].index(huge.get_text())
        b = boxes[at][1]
        boxes[at] = huge.get_text(), b.from_extents(b.x0, b.y0, b.x1, b.y1 - 0.2 * b.height)
    assert not [
        (a, b) for i, (a, p) in enumerate(boxes) for b, q in boxes[:i] if p.padded(-2).overlaps(q.padded(-2))
    ]
    heights = [t.get_fontsize() / (72 * display.size[0]) for role in roles for t in drawn[role]]
    assert min(heights) * 1280 >= 13, "on a screen of 1280 dots"


def test_many_trees_stand_below_the_data():
    data = tv.load_toy()
    trace = toy_trace(data.X, data.attacker)
    root = trace.at("").split.stump
    trees = [TreeInput(f"({c})", "robust", root, trace) for c in "bcdefg"]
    drawn = ToyFigureDisplay.from_trees(data.X, data.y, data.attacker, trees).plot()
    drawn.figure.canvas.draw()
    tops = [t.get_window_extent().y1 for t in drawn["panel"]]
    assert tops[0] > max(tops[1:]) and len({round(y) for y in tops[1:]}) == 2
