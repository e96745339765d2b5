"""What is written on the nodes of a tree, and which are shown: facts become cards, hidden parts become
stubs.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from treant_viz.core.tree import Leaf, Node, Tree, leaves, walk
from treant_viz.viz.style.text import counted, number
from treant_viz.viz.tree.card import SENT, THEIRS, Card, Inset, predicate_lines
from treant_viz.viz.tree.facts import MANY, Facts
from treant_viz.viz.tree.insets import Circles, Classes, Histogram, Legal

SHOWN = ("predicate", "rows", "loss", "labels", "feasible", "constraints", "histogram")


ALWAYS = 2  # levels of tests that are never folded
LETTERS = {0: 40, 1: 36, 2: 24}  # of a test in one line, by level: further up there is more room


class TreeWindow(NamedTuple):
    """The part of a tree that is shown, with a leaf for every hidden part, and these parts by path."""

    tree: Tree
    hidden: Mapping[str, Tree]


def window(tree: Tree, focus: str = "", depth: int = 10**6, kept: Container[str] | None = None) -> TreeWindow:
    """The way from the root to `focus`, and `depth` levels of tests from there on; below the first two
    levels only tests that are `kept`, if that is given.
    """
    hidden: dict[str, Tree] = {}

    def cut(t: Tree, path: str) -> Tree:
        if isinstance(t, Leaf):
            return t
        on_the_way = focus.startswith(path) and len(path) < len(focus)
        near = path.startswith(focus) and len(path) - len(focus) < depth
        folded = kept is not None and len(path) - len(focus) >= ALWAYS and path not in kept
        if not on_the_way and (not near or folded):
            hidden[path] = t
            return Leaf(0.0)
        return Node(t.feature, t.threshold, cut(t.left, path + "l"), cut(t.right, path + "r"), t.test)

    return TreeWindow(cut(tree, ""), hidden)


def cards(
    seen: TreeWindow, facts: Mapping[str, Facts], show: Sequence[str] = SHOWN, marked: str | None = None
) -> dict[str, Card]:
    """A card for every node that is shown, a stub for every hidden part."""
    made = {}
    for path, node in walk(seen.tree):
        known = facts.get(path, Facts())
        if path in seen.hidden:
            below = [facts.get(path + end, Facts()) for end, _ in leaves(seen.hidden[path])]
            made[path] = _stub(below, known, show)
        else:
            made[path] = _card(node, known, show, path == marked, len(path))
    return made


def _stub(below: Sequence[Facts], known: Facts, show: Sequence[str]) -> Card:
    """A hidden part: how many leaves, and what they lose together."""
    phrase = [f"{len(below):,} more leaves"]
    phrase += [] if known.rows is None else [counted(known.rows, "row")]
    if "loss" in show and below and all(f.loss is not None for f in below):
        phrase.append(f"loss {number(sum(f.loss or 0.0 for f in below))}")
    return Card((), tuple(phrase), "stub")


def _card(node: Tree, known: Facts, show: Sequence[str], marked: bool, level: int) -> Card:
    insets = tuple(_insets(node, known, show))
    if isinstance(node, Leaf):
        value = f"ŷ = {number(node.prediction)}"
        return Card((value,), tuple(_of_leaf(known, show)), "leaf", insets, emphasis=marked)
    head = predicate_lines(node, line=LETTERS.get(level, 18)) if "predicate" in show else ("test",)
    return Card(head, tuple(_of_test(known, show)), "test", insets, emphasis=marked)


def _of_test(known: Facts, show: Sequence[str]) -> Iterable[str]:
    rows = [counted(known.rows, "row")] if "rows" in show and known.rows is not None else []
    loss = []
    if "loss" in show and known.loss is not None:
        after = "" if known.split_loss is None else f" → {number(known.split_loss)}"
        loss = [f"loss {number(known.loss)}{after}"]
    if rows or loss:
        yield ", ".join([*rows, *loss])
    if rows and known.parts is not None and known.parts[1]:
        yield f"{counted(known.parts[1], 'row')} {THEIRS}"
    yield from _count(known, show)


def _of_leaf(known: Facts, show: Sequence[str]) -> Iterable[str]:
    rows = "rows" in show and known.rows is not None
    loss = f"loss {number(known.loss)}" if "loss" in show and known.loss is not None else ""
    if rows and loss and known.rows and known.loss and known.rows >= MANY:
        yield counted(known.rows, "row")
        yield f"{loss}, {number(known.loss / known.rows)} a row"
    elif rows or loss:
        yield ", ".join(filter(None, [counted(known.rows or 0, "row") if rows else "", loss]))
    if rows and known.flow is not None and known.flow.unknown and not known.few:
        yield f"{known.flow.unknown:,} {SENT}"
    yield from _count(known, show)


def _count(known: Facts, show: Sequence[str]) -> Iterable[str]:
    if "constraints" in show and known.constraints is not None:
        yield counted(known.constraints, "constraint")


def _insets(node: Tree, known: Facts, show: Sequence[str]) -> Iterable[Inset]:
    leaf, labels = isinstance(node, Leaf), known.labels
    if leaf and "labels" in show and known.few:
        yield Circles(known.few, known.named)
    elif labels is not None and ("histogram" in show or (leaf and "labels" in show)):
        yield Classes(labels) if labels.classes else Histogram(labels)
    if isinstance(node, Leaf) and "feasible" in show and known.feasible is not None:
        if known.wanted is None or known.wanted == node.prediction:
            yield Legal(known.feasible, node.prediction, known.ends)
        else:
            first, *more = known.demand
            note = f"not {number(known.wanted)}: {first}", *more
            yield Legal(known.feasible, node.prediction, known.ends, known.wanted, note)


__all__ = ["SHOWN", "TreeWindow", "cards", "window"]
