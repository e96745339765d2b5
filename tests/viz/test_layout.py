"""The geometry of trees: no overlaps, parents in the middle, and a mirrored tree has a mirrored layout."""

from __future__ import annotations

import itertools
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treant_viz.core.tree import Leaf, Node, Tree, walk
from treant_viz.viz.tree.layout import layout

ACROSS, DOWN = 5.0, 9.0


def random_tree(inner: int, rng: random.Random, lean: float = 0.5) -> Tree:
    """A tree with that many inner nodes; `lean` 0 or 1 makes chains."""
    if inner == 0:
        return Leaf(0.0)
    left = round((inner - 1) * (lean if lean in (0, 1) else rng.betavariate(0.6, 0.6)))
    return Node("f", 0.0, random_tree(left, rng, lean), random_tree(inner - 1 - left, rng, lean))


def mirrored(t: Tree) -> Tree:
    return t if isinstance(t, Leaf) else Node("f", 0.0, mirrored(t.right), mirrored(t.left))


@st.composite
def cases(draw):
    rng = random.Random(draw(st.integers(0, 10**6)))
    tree = random_tree(draw(st.integers(0, 255)), rng, draw(st.sampled_from([0.5, 0.5, 0, 1])))
    return tree, {path: (rng.uniform(1, 90), rng.uniform(1, 40)) for path, _ in walk(tree)}


@given(cases())
@settings(max_examples=60, deadline=None)
def test_boxes_have_their_size_and_never_overlap(case):
    tree, sizes = case
    place = layout(tree, sizes, across=ACROSS, down=DOWN)
    assert set(place.boxes) == set(sizes)
    levels: dict[int, list] = {}
    for path, box in place.boxes.items():
        assert (box.width, box.height) == sizes[path]
        levels.setdefault(len(path), []).append((box, path))
    for row in levels.values():
        row.sort()
        assert [path for _, path in row] == sorted(
            path for _, path in row
        )  # "l" before "r", subtree by subtree
        for (a, _), (b, _) in itertools.pairwise(row):
            assert a.right + ACROSS <= b.left + 1e-6
    for k in range(1, len(levels)):
        assert max(b.top for b, _ in levels[k]) + DOWN <= min(b.bottom for b, _ in levels[k - 1]) + 1e-6


@given(cases())
@settings(max_examples=60, deadline=None)
def test_parents_stand_in_the_middle_and_levels_are_aligned(case):
    tree, sizes = case
    place = layout(tree, sizes.get, across=ACROSS, down=DOWN)
    for path, node in walk(tree):
        assert place[path].top == pytest.approx(
            max(b.top for p, b in place.boxes.items() if len(p) == len(path))
        )
        if isinstance(node, Node):
            left, right = place[path + "l"], place[path + "r"]
            assert left.x < place[path].x < right.x
            assert place[path].x == pytest.approx((left.x + right.x) / 2)


@given(cases())
@settings(max_examples=40, deadline=None)
def test_a_mirrored_tree_is_laid_out_mirrored(case):
    tree, sizes = case
    other = str.maketrans("lr", "rl")
    place = layout(tree, sizes)
    flipped = layout(mirrored(tree), {path.translate(other): size for path, size in sizes.items()})
    assert flipped.width == pytest.approx(place.width)
    for path, box in place.boxes.items():
        assert flipped[path.translate(other)].x == pytest.approx(place.width - box.x, abs=1e-6)


@given(cases())
@settings(max_examples=40, deadline=None)
def test_the_picture_is_as_large_as_it_says_and_siblings_are_as_close_as_they_can(case):
    tree, sizes = case
    place = layout(tree, sizes, across=ACROSS, down=DOWN)
    boxes = place.boxes.values()
    assert min(b.left for b in boxes) == pytest.approx(0.0, abs=1e-6)
    assert max(b.right for b in boxes) == pytest.approx(place.width)
    assert (max(b.top for b in boxes), min(b.bottom for b in boxes)) == pytest.approx(
        (place.height, 0.0), abs=1e-6
    )
    for path in [path for path, node in walk(tree) if isinstance(node, Node)][:6]:
        gaps = []
        for depth in {len(p) for p in sizes}:
            level = [(p, b) for p, b in place.boxes.items() if len(p) == depth]
            lefts = [b.right for p, b in level if p.startswith(path + "l")]
            rights = [b.left for p, b in level if p.startswith(path + "r")]
            gaps += [min(rights) - max(lefts)] if lefts and rights else []
        assert min(gaps) == pytest.approx(ACROSS)


def test_one_leaf_is_one_box():
    place = layout(Leaf(1.0), {"": (30.0, 12.0)})
    assert (place.width, place.height, place[""].x, place.floors) == (30.0, 12.0, 15.0, (0.0,))


def test_wide_cards_over_narrow_children_stay_inside_the_picture():
    tree = Node("f", 0.0, Leaf(0.0), Leaf(1.0))
    place = layout(tree, lambda path: (10.0, 10.0) if path else (300.0, 10.0))
    assert (place[""].left, place.width) == (0.0, 300.0)


def test_time_grows_with_the_number_of_nodes_only():
    def seconds(inner: int) -> float:
        tree = random_tree(inner, random.Random(0))
        start = time.process_time()
        layout(tree, lambda path: (10.0, 10.0))
        return time.process_time() - start

    assert seconds(5000) < 1.0


@pytest.mark.parametrize("bad", [(0.0, 1.0), (1.0, -1.0), (float("nan"), 1.0), (1.0, float("inf"))])
def test_sizes_must_be_positive(bad):
    with pytest.raises(ValueError, match=r"size: expected a finite width and height above 0 for '', got"):
        layout(Leaf(0.0), {"": bad})


@pytest.mark.parametrize("gap", ["across", "down"])
def test_gaps_must_not_be_negative(gap):
    with pytest.raises(ValueError, match=f"{gap}: expected a finite gap of at least 0, got -1"):
        layout(Leaf(0.0), {"": (1.0, 1.0)}, **{gap: -1})
