"""One row under attack on a tree: its own way, every attack within the budget, what they cost and what they
do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.tree import Leaf, Node, Tree, walk
from treant_viz.viz.attack_path.draw import draw, needed
from treant_viz.viz.attack_path.facts import (
    Invariance,
    RowAttacks,
    invariance,
    label_of,
    replaced_leaf,
    tree_of,
    ways,
)
from treant_viz.viz.attack_path.rows import most_hurt, shown_row
from treant_viz.viz.attack_path.tree import PlayedTree, aligned, scene
from treant_viz.viz.attack_path.words import (
    attack_title,
    bill,
    described,
    invariance_title,
    listed,
    step_title,
)
from treant_viz.viz.display import Display
from treant_viz.viz.output.dot import DotEdge, DotPart, dot_sources, graphviz_source
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import name, number
from treant_viz.viz.tree.card import Card


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttackPathDisplay(Display):
    """One row and the attacks on it. `scenes` holds one tree, or a tree before and after one more split.

    >>> import treant_viz as tv
    >>> toy = tv.load_toy()
    >>> standard = tv.TreantRegressor(min_samples_split=2, max_depth=2).fit(toy.X, toy.y)
    >>> display = tv.AttackPathDisplay.from_model(standard, toy.X, toy.y, toy.attacker)
    >>> display.title
    'For 1, the attacker pushes x2 across p ≤ 1: its squared error grows from 0.25 to 4'
    """

    label: str
    scenes: tuple[PlayedTree, ...]
    replaced: str | None = None
    step: int | None = None
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_tree(
        cls, tree: Tree, x: Any, y: Any, attacker: Attacker, *, loss: str = "sse", after: Tree | None = None,
        leaf: str | None = None, label: str | None = None,
    ) -> AttackPathDisplay:  # fmt: skip
        """The row x (a mapping, a Series or a data frame of one row) with the label y, attacked on a tree.

        `after`: the same tree after one more split; then both are shown, and the title says whether attack
        invariance holds for this row. `leaf`: the path of the leaf whose attack is played; None is the one
        that hurts most, of several the cheapest. `label`: what the row is called; None is its name in the
        data.
        """
        phrase = name(label_of(x) if label is None else label, 20)
        found = ways(tree, x, y, attacker, loss)
        source = {"model": tree, "x": x, "y": y, "attacker": attacker, "loss": loss}
        source |= {"after": after, "leaf": leaf}
        if after is None:
            return cls(phrase, (scene(found, _played(found, leaf)),), source=source)
        if leaf is not None:
            raise ValueError(f"leaf: expected None with after=..., got {leaf!r}")
        if not isinstance(after, (Leaf, Node)):
            raise TypeError(f"after: expected a Leaf or a Node, got {type(after).__name__}")
        split = replaced_leaf(tree, after)
        later = ways(after, x, y, attacker, loss)
        first = scene(found, found.best, "Before the split", split)
        second = scene(later, _still(later, split), "After the split", split)
        return cls(phrase, aligned(first, second), split, source=source)

    @classmethod
    def from_model(
        cls,
        model: Any,
        x: Any,
        y: Any,
        attacker: Attacker,
        *,
        loss: str | None = None,
        leaf: str | None = None,
        label: str | None = None,
    ) -> AttackPathDisplay:
        """The same on a fitted tree of ours, or a DecisionTreeClassifier or DecisionTreeRegressor of
        scikit-learn.

        y is a label as the model knows it. x may be a table, with a label for each row in y: then the row
        whose loss grows most is shown. `loss`: None is the model's own, for classifiers of scikit-learn
        "log".
        """
        tree, classes = tree_of(model), getattr(model, "classes_", None)
        ell = str(loss or getattr(model, "loss", "log" if classes is not None else "sse"))
        row, own = shown_row(x, y, lambda X, y: most_hurt(model, X, y, attacker, ell))
        number = number_of(own, classes)
        made = cls.from_tree(tree, row, number, attacker, loss=ell, leaf=leaf, label=label)
        scenes = tuple(replace(s, ways=replace(s.ways, label=own)) for s in made.scenes)
        return replace(made, scenes=scenes, source={**(made.source or {}), "model": model, "y": own})

    @property
    def invariance(self) -> Invariance | None:
        """With `after`: is attack invariance kept for this row, broken, or silent about it?"""
        if self.replaced is None:
            return None
        return invariance(self.scenes[0].ways, self.scenes[1].ways, self.replaced)

    @property
    def title(self) -> str:
        first = self.scenes[0]
        if self.step is not None:
            longest = max(self.scenes, key=lambda s: len(s.ways.attacks[s.shown].moves))
            where = f" ({longest.heading})" if longest.heading and self.step else ""
            return (
                step_title(self.label, longest.ways, longest.ways.attacks[longest.shown], self.step) + where
            )
        if self.replaced is None:
            return attack_title(self.label, first.ways, first.shown)
        verdict = self.invariance
        assert verdict is not None
        return invariance_title(self.label, first.ways, self.scenes[1].ways, self.replaced, verdict)

    @property
    def subtitle(self) -> str:
        money = number(self.scenes[0].ways.budget)
        dashed = " Dashed: its way under attack." if any(s.drawn for s in self.scenes) else ""
        return (
            f"Grey: the way of {self.label} without an attack.{dashed} "
            f"The attacker may spend {money} on one row."
        )

    @property
    def alt_text(self) -> str:
        verdict = self.step is None
        parts = [(s.heading, described(self.label, s.ways, s.attack, verdict)) for s in self.scenes]
        phrase = " ".join(f"{h.capitalize()}: {d}" if h else d for h, d in parts)
        return f"{phrase} Attack invariance: {self.invariance}." if verdict and self.invariance else phrase

    @property
    def summary(self) -> str:
        lines = [self.title]
        for s in self.scenes:
            lines += [f"{s.heading}:"] * bool(s.heading) + list(listed(s.ways, s.attack, self.step is None))
        return "\n".join(lines)

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        """16 to 9, and larger for a tree so deep that its words would be too small."""
        wide, tall = needed(self.scenes)
        high = max(7.2, (tall + 92.0) / 72)
        return max(12.8, wide / 72, high * 16 / 9), high

    def frames(self) -> Sequence[Display]:
        """The row's own way, then the attack move by move, then the verdict."""
        most = max(len(s.ways.attacks[s.shown].moves) for s in self.scenes)
        steps = (
            replace(self, step=k, scenes=tuple(replace(s, step=k) for s in self.scenes))
            for k in range(most + 1)
        )
        return (*steps, self)

    def to_dot(self) -> str:
        """The same trees and ways in DOT; ids are node paths."""
        parts = [DotPart(s.tree, dict(_dot_cards(s)), _dot_edges(s), s.heading) for s in self.scenes]
        return dot_sources(parts, self.title)

    def to_graphviz(self) -> Any:
        """A `graphviz.Source` of `to_dot()`, for notebooks and `.render()`."""
        return graphviz_source(self.to_dot())

    def _draw(self, pen: Pen, target: Target) -> None:
        draw(self.scenes, self.label, pen, target)


def _played(found: RowAttacks, leaf: str | None) -> str:
    """The leaf whose attack is played."""
    if leaf is None:
        return found.best
    if leaf not in found.attacks:
        near = ", ".join(map(repr, sorted(found.attacks)))
        raise ValueError(f"leaf: expected the path of a leaf in reach ({near}), got {leaf!r}")
    return leaf


def _still(later: RowAttacks, split: str) -> str:
    """After a split: the cheapest worst leaf below it, if there is one; if not, the best attack."""
    new = [leaf for leaf in later.worst if leaf.startswith(split)]
    return min(new, key=lambda leaf: (later.attacks[leaf].cost, leaf), default=later.best)


def number_of(y: Any, classes: Any) -> Any:
    """The label of a classifier as 0 or 1."""
    if classes is None:
        return y
    known = list(classes)
    if y not in known:
        raise ValueError(f"y: expected one of the model's classes {known}, got {y!r}")
    return float(known.index(y))


_DOT = {
    (True, True): 'color="#A6A6A6:#000000", style=dashed, penwidth=3',
    (True, False): 'color="#A6A6A6", penwidth=6',
    (False, True): 'color="#000000", style=dashed, arrowhead=normal',
    (False, False): 'color="#B0B0B0", penwidth=1',
}


def _dot_cards(s: PlayedTree) -> Iterator[tuple[str, Card]]:
    """What the nodes say; a ring for a leaf in reach, two for the one that hurts most."""
    for path, node in walk(s.tree):
        lines, kind = s.lines(path, node), "leaf" if isinstance(node, Leaf) else "test"
        near = any(leaf.startswith(path) for leaf in s.ways.attacks)
        verdict = s.step is None and s.has(path) and kind == "leaf"
        rings = (path in s.ways.attacks) + (path in s.ways.worst) if verdict else 0
        shape: Any = "stub" if path in s.hidden else kind
        yield path, Card(lines[:1], tuple(filter(None, lines[1:])), shape, faded=not near, rings=rings)


def _dot_edges(s: PlayedTree) -> dict[str, DotEdge]:
    """The row's own way thick and grey, the attack dashed and black with what buys it, all else thin."""
    bills = {edge: bill(moves) for edge, moves in s.paid.items()}
    out = {}
    for path in filter(None, s.paths):
        used = s.drawn is not None and s.drawn.leaf.startswith(path)
        look = _DOT[s.ways.home.startswith(path), used]
        out[path] = DotEdge(look, (bills[path],) if path in bills else ())
    return out


__all__ = ["AttackPathDisplay", "number_of"]
