"""A tree as a picture: what each node asks, how many rows come to it, what it costs; with a trace, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from matplotlib.patches import Patch

from treant_viz.trace import Trace
from treant_viz.tree import Leaf, Node, Tree, at, depth, leaves
from treant_viz.viz import tree_facts
from treant_viz.viz.canvas import Ink, Target, panels
from treant_viz.viz.card import Card, counted
from treant_viz.viz.display import Display
from treant_viz.viz.dot import dot_source, graphviz_source
from treant_viz.viz.layout import Layout
from treant_viz.viz.palette import Role
from treant_viz.viz.text import name, number
from treant_viz.viz.tree_cards import SHOWN, Window, cards, window
from treant_viz.viz.tree_facts import Facts
from treant_viz.viz.tree_ink import Placed, arranged, draw_tree, figure_size, key, snug_size, spread
from treant_viz.viz.tree_titles import leaf_count, one_line, step_title, trace_title, tree_title

WIDEST, TALLEST = 14.0, 10.0  # inches that a tree may take if depth is "fit"
USUAL = ("predicate", "rows", "loss")
Depth = int | Literal["fit"] | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TreeDisplay(Display):
    """A tree. `seen` is the part that is shown, `cards` what is written on it, `place` where it stands."""

    tree: Tree
    facts: Mapping[str, Facts]
    seen: Window
    cards: Mapping[str, Card]
    place: Layout
    options: Mapping[str, Any]
    heading: str
    meaning: str = "prediction"
    trace: Trace | None = None
    steps: int = 0

    @classmethod
    def from_tree(
        cls, tree: Tree, *, show: Sequence[str] = USUAL, depth: Depth = "fit", focus: str = "", title: str | None = None
    ) -> TreeDisplay:
        """A bare tree.

        `show`: what to write on the nodes, of "predicate", "rows", "loss", "constraints", "histogram"; what is not
        known is left out. `focus`: the path to show in full; what branches off it becomes a stub. `depth`: so many
        levels of tests from the focus on, None for all, "fit" for as many as can be read.
        """
        if not isinstance(tree, (Leaf, Node)):
            raise TypeError(f"tree: expected a Leaf or a Node, got {type(tree).__name__}")
        known = tree_facts.from_tree(tree)
        return _made(tree, known, _options(show, depth, focus), title or tree_title(tree))

    @classmethod
    def from_trace(
        cls, trace: Trace, *, step: str | None = None, show: Sequence[str] = USUAL, depth: Depth = "fit",
        focus: str = "",
    ) -> TreeDisplay:  # fmt: skip
        """The tree that a trace grew, up to and with the step at the path `step`; `frames()` shows it grow."""
        if not isinstance(trace, Trace):
            raise TypeError(f"trace: expected a Trace, got {type(trace).__name__}")
        steps = len(trace) if step is None else trace.steps.index(trace.at(step)) + 1
        return _grown(trace, steps, _options(show, depth, focus), marked=step)

    @classmethod
    def from_model(
        cls, model: Any, *, show: Sequence[str] = USUAL, depth: Depth = "fit", focus: str = "", title: str | None = None
    ) -> TreeDisplay:
        """A fitted tree of ours, or a DecisionTreeClassifier or DecisionTreeRegressor of scikit-learn."""
        tree = getattr(model, "tree_", None)
        if tree is None:
            raise TypeError(f"model: expected a fitted tree with the attribute tree_, got {type(model).__name__}")
        ours = isinstance(tree, (Leaf, Node))
        tree, known = (tree, tree_facts.from_tree(tree)) if ours else tree_facts.from_sklearn(model)
        shown = _made(tree, known, _options(show, depth, focus), title or tree_title(tree))
        classes: Any = getattr(model, "classes_", ())
        return replace(shown, meaning=f"probability of {name(classes[-1], 12)}") if len(classes) else shown

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        return snug_size(self.place)

    @property
    def title(self) -> str:
        return self.heading

    @property
    def alt_text(self) -> str:
        ends = [number(leaf.prediction, 4) for _, leaf in leaves(self.tree)]
        more = f" and {len(ends) - 12} more" if len(ends) > 12 else ""
        said = f"A tree with {counted(len(ends) - 1, 'test')} and {leaf_count(len(ends))}."
        if isinstance(self.tree, Node):
            said += f" The root asks whether {one_line(self.tree)}; rows for which that holds go left."
        said += f" From left to right the leaves predict {', '.join(ends[:12])}{more} ({self.meaning})."
        hidden = len(self.seen.hidden)
        return said + (f" Not shown in full: {counted(hidden, 'part')} of the tree." if hidden else "")

    @property
    def summary(self) -> str:
        lines = (f"{path or 'root'}: {'; '.join(card.words)}" for path, card in self.cards.items())
        return "\n".join([self.title, *lines])

    def frames(self) -> Sequence[Display]:
        """The tree after each step whose node is shown; nothing moves from frame to frame."""
        if self.trace is None:
            return (self,)
        paths = [s.path for s in self.trace.steps[: self.steps]]
        seen = [i for i, path in enumerate(paths, 1) if path in self.cards and path not in self.seen.hidden]
        made = [_grown(self.trace, i, self.options, marked=paths[i - 1], frame=True) for i in seen]
        stage = _stage(self, made)
        return tuple(replace(d, place=stage) for d in made)

    def to_dot(self) -> str:
        """The same nodes and words in DOT; ids are node paths."""
        return dot_source(self.seen.tree, self.cards, self.title)

    def to_graphviz(self) -> Any:
        """A `graphviz.Source` of `to_dot()`, for notebooks and `.render()`."""
        return graphviz_source(self.to_dot())

    def _draw(self, ink: Ink, target: Target) -> None:
        ax = panels(target, ink)[0][0]
        placed = draw_tree(ink, ax, self.seen.tree, self.cards, place=self.place)
        _key(ink, placed, self)


def _options(show: Sequence[str], depth: Depth, focus: str) -> dict[str, Any]:
    """The arguments that all displays of trees take, checked."""
    if isinstance(show, str) or (wrong := [s for s in show if s not in SHOWN]):
        given = show if isinstance(show, str) else wrong[0]
        raise ValueError(f"show: expected a list of some of {', '.join(map(repr, SHOWN))}, got {given!r}")
    whole = isinstance(depth, int) and not isinstance(depth, bool) and depth >= 1
    if not (depth is None or depth == "fit" or whole):
        raise ValueError(f"depth: expected a whole number of at least 1, None or 'fit', got {depth!r}")
    if not isinstance(focus, str) or set(focus) - set("lr"):
        raise ValueError(f"focus: expected a path of the letters l and r, got {focus!r}")
    return {"show": tuple(show), "depth": depth, "focus": focus}


def _made(
    tree: Tree, facts: Mapping[str, Facts], options: Mapping[str, Any], heading: str, marked: str | None = None
) -> TreeDisplay:
    focus = options["focus"]
    at(tree, focus)
    levels = _fitting(tree, facts, options) if options["depth"] == "fit" else options["depth"] or depth(tree) + 1
    seen = window(tree, focus, levels)
    words = cards(seen, facts, options["show"], marked)
    options = dict(options) | {"depth": levels}
    return TreeDisplay(tree, facts, seen, words, arranged(seen.tree, words), options, heading)


def _fitting(tree: Tree, facts: Mapping[str, Facts], options: Mapping[str, Any]) -> int:
    """The most levels below the focus that can be read without scrolling; at least one."""
    for levels in range(2, depth(tree) + 2):
        seen = window(tree, options["focus"], levels)
        wide, tall = figure_size(arranged(seen.tree, cards(seen, facts, options["show"])))
        if wide > WIDEST or tall > TALLEST:
            return levels - 1
    return depth(tree) + 1


def _grown(
    trace: Trace, steps: int, options: Mapping[str, Any], marked: str | None = None, frame: bool = False
) -> TreeDisplay:
    """The tree after so many steps; in a frame, a focus that is not there yet is no mistake."""
    tree = next(t for i, (_, t) in enumerate(trace.trees(), 1) if i == steps)
    facts = tree_facts.from_trace(trace, steps)
    focus = options["focus"]
    while frame and focus not in facts:
        focus = focus[:-1]
    heading = step_title(trace, steps) if marked is not None else trace_title(trace, steps)
    shown = _made(tree, facts, options if not frame else _deeper(options, focus), heading, marked)
    meaning = "probability of 1" if trace.loss.binary else "prediction"
    return replace(shown, meaning=meaning, trace=trace, steps=steps)


def _deeper(options: Mapping[str, Any], focus: str) -> dict[str, Any]:
    """Options of a frame in which only the beginning of the focus is there."""
    return dict(options) | {"focus": focus, "depth": 1 if focus != options["focus"] else options["depth"]}


def _stage(last: TreeDisplay, made: Sequence[TreeDisplay]) -> Layout:
    """One layout with room for the cards of all frames."""
    sizes = {path: card.taken for path, card in last.cards.items()}
    for path, card in (item for d in made for item in d.cards.items()):
        wide, tall = card.taken
        sizes[path] = max(sizes[path][0], wide), max(sizes[path][1], tall)
    return spread(last.seen.tree, sizes)


def _key(ink: Ink, placed: Placed, display: TreeDisplay) -> None:
    """What the signs on the nodes mean."""
    shown = {line for card in display.cards.values() for line in card.words}
    handles = [Patch(facecolor="none", edgecolor=ink.palette.ink, linewidth=2, label=f"leaf: {display.meaning}")]
    if any(line.startswith("L ") for line in shown):
        said: tuple[tuple[Role, str], ...] = (
            ("left", "L surely left"), ("unknown", "U the attacker chooses"), ("right", "R surely right"),
        )  # fmt: skip
        handles += [Patch(**ink.fill(role), label=label) for role, label in said]
    if any(" → " in line for line in shown):
        handles.append(Patch(facecolor="none", label="loss: as one leaf → split here"))
    key(ink, placed, handles, 215.0)


__all__ = ["TreeDisplay"]
