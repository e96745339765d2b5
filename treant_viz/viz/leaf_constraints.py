"""Constraint sets per leaf: which predictions the attacker's presence forbids, and which legal one is nearest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from treant_viz.attacks import loss_under_attack
from treant_viz.trace import Trace
from treant_viz.tree import Leaf, Tree, at, leaves, walk
from treant_viz.viz import number_line
from treant_viz.viz.canvas import Ink, Target, panels
from treant_viz.viz.card import Card, counted, said_test
from treant_viz.viz.display import Display
from treant_viz.viz.layout import Layout
from treant_viz.viz.leaf_bounds import (
    LeafBounds,
    bounds_of,
    checked_rows,
    line_ends,
    said_pieces,
    telling_leaf,
    tree_of,
    with_predictions,
)
from treant_viz.viz.number_line import NumberLine
from treant_viz.viz.text import name, number
from treant_viz.viz.tree_cards import Window, window
from treant_viz.viz.tree_ink import Placed, arranged, draw_tree, figure_size, key
from treant_viz.viz.tree_titles import leaf_count

WIDEST = 15.0  # inches


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConstraintsDisplay(Display):
    """A tree with a number line under every leaf that carries constraints."""

    tree: Tree
    seen: Window
    bounds: Mapping[str, LeafBounds]
    cards: Mapping[str, Card]
    place: Layout
    ends: tuple[float, float]
    attacked: float | None
    usual: float | None
    off: tuple[str, ...]

    @classmethod
    def from_trace(
        cls, trace: Trace, path: str | None = None, off: Any = (), *, focus: str | None = None,
        depth: int | None = None, names: Mapping[int, str] | None = None,
    ) -> ConstraintsDisplay:  # fmt: skip
        """The tree that a trace grew, or, given a path, the splits on the way to it and at it alone.

        `off`: rows whose constraints do not count; their leaves then predict what is nearest to their best value.
        `focus`: the path to show in full, `depth`: levels of tests from there on; if not given, the whole tree if it
        fits, else the way to the leaf that its constraints bind most. `names` of rows: x0, x1, ... if not given.
        """
        if not isinstance(trace, Trace):
            raise TypeError(f"trace: expected a Trace, got {type(trace).__name__}")
        if path is not None:
            trace.at(path)
        if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 1):
            raise ValueError(f"depth: expected a whole number of at least 1 or None, got {depth!r}")
        rows, called = checked_rows(off, trace), dict(names or {})
        tree, stands = tree_of(trace, path)
        bounds = {p: bounds_of(trace, p, s, rows, called) for p, s in sorted(stands.items())}
        changed = with_predictions(tree, bounds)
        attacked, usual = (_attacked(t, trace) for t in (changed, tree))
        seen = _window(changed, bounds, focus, depth)
        words = _cards(seen, bounds)
        said = tuple(name(called.get(row, f"x{row}"), 14) for row in sorted(rows))
        return cls(
            changed, seen, bounds, words, arranged(seen.tree, words), line_ends(trace, bounds), attacked, usual, said
        )

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        return figure_size(self.place)

    @property
    def title(self) -> str:
        if self.off:
            rows, losses = f"{', '.join(self.off[:3])}{' and more' * (len(self.off) > 3)}", (self.usual, self.attacked)
            return f"Without the constraints of {rows}, loss under attack {' → '.join(map(_said, losses))}"
        b = telling_leaf(self.bounds)
        if b is None:
            return "No leaf has constraints: the attacker has no choice here"
        if not b.feasible:
            return f"No prediction is legal at {_where(b.path)}: its constraints contradict each other"
        if not b.bound:
            return "No constraint is in the way: every leaf predicts its best value"
        best, legal = number(b.best, 4), number(b.prediction, 4)
        said = f"{best} is forbidden at {_where(b.path)}, {legal} is the nearest legal value"
        return said if self.attacked is None else f"{said}: loss under attack {_said(self.attacked)}"

    @property
    def alt_text(self) -> str:
        lined, ends = self._lined, sum(1 for _ in leaves(self.tree))
        said = f"A tree with {leaf_count(ends)}; a number line under each leaf that has constraints."
        more = f" {len(lined) - 4} more leaves have constraints." if len(lined) > 4 else ""
        return said + "".join(map(_told, lined[:4])) + more

    @property
    def summary(self) -> str:
        lines = [f"loss under attack: {_said(self.attacked)}"]
        for path, card in self.cards.items():
            lines.append(f"{path or 'root'}: {'; '.join(card.words)}")
            if card.below:
                b = self.bounds[path]
                lines += [f"  {number_line.said(h)}: {said_pieces(h.allowed)}" for h in b.held]
                lines += [f"  + {b.more} more"] * bool(b.more)
                lines.append(f"  legal: {said_pieces(b.feasible)}; {number_line.values(b)}")
        return "\n".join([self.title, *lines])

    @property
    def _lined(self) -> tuple[LeafBounds, ...]:
        """The leaves that are shown with a number line."""
        return tuple(self.bounds[path] for path, card in self.cards.items() if card.below)

    def _draw(self, ink: Ink, target: Target) -> None:
        ax = panels(target, ink)[0][0]
        placed = draw_tree(ink, ax, self.seen.tree, self.cards, place=self.place)
        for b in self._lined:
            NumberLine(ink, ax, placed.below[b.path], placed.scale, *self.ends, b.path).draw(b)
        _key(ink, placed)


def _said(value: float | None) -> str:
    return "unknown" if value is None else number(value, 4)


def _told(b: LeafBounds) -> str:
    """A leaf in a sentence."""
    best, prediction = _said(b.best), number(b.prediction, 4)
    return (f" {_where(b.path).capitalize()}: {counted(b.count, 'constraint')}, legal is {said_pieces(b.feasible)};"
            f" best without constraints {best}, prediction {prediction}.")  # fmt: skip


def _where(path: str) -> str:
    return f"leaf {path}" if path else "the root"


def _attacked(tree: Tree, trace: Trace) -> float | None:
    """L^A of the tree on the training data; unknown if rows have weights."""
    if trace.options.get("weight") is not None:
        return None
    return float(loss_under_attack(tree, trace.X, trace.y, trace.attacker, trace.loss.name))


def _window(tree: Tree, bounds: Mapping[str, LeafBounds], focus: str | None, levels: int | None) -> Window:
    """What is shown: the whole tree if it fits, else what is on the way to the leaf that tells most."""
    if focus is None and levels is None:
        whole = window(tree)
        if figure_size(arranged(whole.tree, _cards(whole, bounds)))[0] <= WIDEST:
            return whole
        leaf = telling_leaf(bounds)
        focus = "" if leaf is None else leaf.path[:-1]
    at(tree, focus or "")
    return window(tree, focus or "", 1 if levels is None else levels)


def _cards(seen: Window, bounds: Mapping[str, LeafBounds]) -> dict[str, Card]:
    made = {}
    for path, node in walk(seen.tree):
        if path in seen.hidden:
            made[path] = Card((), (f"… {sum(1 for _ in leaves(seen.hidden[path]))} more", "leaves"), "stub")
        elif isinstance(node, Leaf):
            made[path] = _leaf(node, bounds[path])
        else:
            made[path] = Card(said_test(node))
    return made


def _leaf(leaf: Leaf, b: LeafBounds) -> Card:
    lines = counted(b.rows, "row"), f"loss {number(b.loss, 4)}"
    if not b.count:
        return Card((number(leaf.prediction, 4),), lines, "leaf")
    wide, tall = number_line.size(b)
    return Card((number(leaf.prediction, 4),), (", ".join(lines),), "leaf", below=tall, least=wide)


def _key(ink: Ink, placed: Placed) -> None:
    """What the signs on the number lines mean."""
    p = ink.palette
    diamond: dict[str, Any] = {"marker": "D", "linestyle": "none", "color": p.ink, "markersize": 8}
    handles = [
        Patch(facecolor=p.feasible, label="legal for all constraints"),
        Patch(facecolor=p.soft, label="legal for one; faded: inherited"),
        Patch(facecolor="none", edgecolor=p.soft, hatch="xxxx", linewidth=0.8, label="forbidden"),
        Line2D([], [], **diamond, label="prediction"),
        Line2D([], [], **diamond, markerfacecolor=p.background, label="best without constraints"),
    ]
    key(ink, placed, handles, 240.0)


__all__ = ["ConstraintsDisplay"]
