"""A tree as a picture: what each node asks, how many rows come to it, what it costs; with a trace, step by
step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from matplotlib.axes import Axes

from treant_viz.core.tree import Leaf, Node, Tree, at, depth, leaves
from treant_viz.trace.trace import Trace
from treant_viz.viz.display import Display
from treant_viz.viz.output.dot import dot_source, graphviz_source
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.sheet import sheet
from treant_viz.viz.style.text import counted, name, node_name, number
from treant_viz.viz.tree import facts as tree_facts
from treant_viz.viz.tree.card import Card
from treant_viz.viz.tree.cards import SHOWN, TreeWindow, cards, window
from treant_viz.viz.tree.draw import FIGURE, MARGIN, draw_tree, staged
from treant_viz.viz.tree.facts import Facts
from treant_viz.viz.tree.icicle import draw_icicle
from treant_viz.viz.tree.layout import Layout, LayoutBox
from treant_viz.viz.tree.titles import (
    LOSSES,
    how_to_read,
    leaf_count,
    one_line,
    step_title,
    trace_title,
    tree_title,
)

LARGEST = 1.3  # times the usual figure that a tree may take if depth is "fit"
ENOUGH = 3  # levels of tests that are worth more than words in leaves
BAND = 132.0  # points for the overview of a tree of which larger parts are hidden
TOLD = 4  # leaves of a hidden part that need no overview
USUAL = ("predicate", "rows", "loss", "labels", "feasible")
FEWER = (USUAL, USUAL[:-1], USUAL[:-2])  # what gives way where a second level of tests could not be read
Depth = int | Literal["fit"] | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TreeDisplay(Display):
    """A tree. `seen` is the part that is shown, `cards` what is written on it, `place` where it stands.

    >>> import treant_viz as tv
    >>> toy = tv.load_toy()
    >>> model = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y)
    >>> display = tv.TreeDisplay.from_trace(model.trace_)
    >>> display.title
    'From one leaf to 4, the loss under attack of 7 rows falls from 17.4 to 2.5'
    """

    tree: Tree
    facts: Mapping[str, Facts]
    seen: TreeWindow
    cards: Mapping[str, Card]
    place: Layout
    options: Mapping[str, Any]
    heading: str
    scale: float = 1.0
    meaning: str = "prediction"
    loss_name: str = ""
    trace: Trace | None = None
    steps: int = 0

    @classmethod
    def from_tree(
        cls,
        tree: Tree,
        *,
        show: Sequence[str] = USUAL,
        depth: Depth = "fit",
        focus: str = "",
        title: str | None = None,
    ) -> TreeDisplay:
        """A bare tree.

        `show`: what to write on the nodes, of "predicate", "rows", "loss", "labels", "feasible" (on leaves),
        "constraints", "histogram"; what is not known is left out. `focus`: the path to show in full; what
        branches off it becomes a stub. `depth`: how many levels of tests from the focus on, None for all,
        "fit" for as many as can be read.
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
        """The tree that a trace grew, up to and with the step at `step`, a path; `frames()` shows it grow."""
        if not isinstance(trace, Trace):
            raise TypeError(f"trace: expected a Trace, got {type(trace).__name__}")
        steps = len(trace) if step is None else trace.steps.index(trace.at(step)) + 1
        return _grown(trace, steps, _options(show, depth, focus), marked=step)

    @classmethod
    def from_model(
        cls,
        model: Any,
        *,
        show: Sequence[str] = USUAL,
        depth: Depth = "fit",
        focus: str = "",
        title: str | None = None,
    ) -> TreeDisplay:
        """A fitted tree of ours, or a DecisionTreeClassifier or DecisionTreeRegressor of scikit-learn."""
        tree = getattr(model, "tree_", None)
        if tree is None:
            raise TypeError(
                f"model: expected a fitted tree with the attribute tree_, got {type(model).__name__}"
            )
        ours = isinstance(tree, (Leaf, Node))
        tree, known = (tree, tree_facts.from_tree(tree)) if ours else tree_facts.from_sklearn(model)
        shown = _made(tree, known, _options(show, depth, focus), title or tree_title(tree))
        classes: Any = getattr(model, "classes_", ())
        return replace(shown, meaning=f"probability of {name(classes[-1], 12)}") if len(classes) else shown

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        return FIGURE[0] * self.scale, FIGURE[1] * self.scale

    @property
    def source(self) -> Mapping[str, Any] | None:
        """What it was made from, for its live sister: a trace, and the number of the last step."""
        return None if self.trace is None else {"trace": self.trace, "step": self.steps - 1}

    @property
    def title(self) -> str:
        return self.heading

    @property
    def subtitle(self) -> str:
        hidden, show = set(self.seen.hidden), self.options["show"]
        return how_to_read(self.facts, set(self.cards), hidden, show, self.loss_name)

    @property
    def alt_text(self) -> str:
        ends = [number(leaf.prediction) for _, leaf in leaves(self.tree)]
        more = f" and {len(ends) - 12} more" if len(ends) > 12 else ""
        words = f"A tree with {counted(len(ends) - 1, 'test')} and {leaf_count(len(ends))}."
        if isinstance(self.tree, Node):
            words += f" The root asks whether {one_line(self.tree)}; rows for which that holds go left."
        words += "".join(self._pushes())
        words += f" From left to right the leaves predict {', '.join(ends[:12])}{more} ({self.meaning})."
        hidden = len(self.seen.hidden)
        return words + (f" Not shown in full: {counted(hidden, 'part')} of the tree." if hidden else "")

    def _pushes(self) -> Iterator[str]:
        """What the coins tell, node by node."""
        for path in self.cards:
            flow = self.facts[path].flow if path in self.facts else None
            if flow is not None and flow.pushed:
                side = "left" if path[-1] == "l" else "right"
                who = flow.who or counted(flow.pushed, "row")
                cost = " to ".join(dict.fromkeys(number(k) for k in (flow.costs[0], flow.costs[-1])))
                yield f" At {node_name(path[:-1])} the attacker pushes {who} to the {side}, at cost {cost}."

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
        place, scale = _stage(self, made)
        return tuple(replace(d, place=place, scale=scale) for d in made)

    def to_dot(self) -> str:
        """The same nodes and words in DOT; ids are node paths."""
        return dot_source(self.seen.tree, self.cards, self.title)

    def to_graphviz(self) -> Any:
        """A `graphviz.Source` of `to_dot()`, for notebooks and `.render()`."""
        return graphviz_source(self.to_dot())

    def _draw(self, pen: Pen, target: Target) -> None:
        ax: Any = target
        band = (
            BAND * self.scale / (72 * self.size[1] - 60)
            if self._overview and not isinstance(ax, Axes)
            else 0.0
        )
        if not isinstance(ax, Axes):
            ax = target.add_axes((0.0, band, 1.0, 1.0 - band))  # type: ignore[union-attr]
        pen.axes.append(ax)
        flows = {path: f.flow for path, f in self.facts.items() if f.flow is not None}
        draw_tree(pen, ax, self.seen.tree, self.cards, place=self.place, flows=flows)
        if band:
            self._draw_overview(pen, target.add_axes((0.0, 0.0, 1.0, band)))  # type: ignore[union-attr]

    @property
    def _overview(self) -> bool:
        """Is a larger part of the tree hidden, and are its rows known?"""
        return _band(self.seen) > 0 and all(f.rows is not None for f in self.facts.values())

    def _draw_overview(self, pen: Pen, ax: Axes) -> None:
        paper = sheet(ax, pen, 1.0, 1.0)
        box = LayoutBox(2 * MARGIN, 1.2 * MARGIN, paper.width - 4 * MARGIN, paper.height - 1.7 * MARGIN)
        shown = set(self.cards) - set(self.seen.hidden)
        known = [leaf.prediction for _, leaf in leaves(self.tree)]
        binary = min(known) >= 0.0 and max(known) <= 1.0
        draw_icicle(
            paper, box, self.tree, self.facts, shown, (0.0, 1.0) if binary else (min(known), max(known))
        )


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
    tree: Tree,
    facts: Mapping[str, Facts],
    options: Mapping[str, Any],
    heading: str,
    marked: str | None = None,
) -> TreeDisplay:
    focus = options["focus"]
    at(tree, focus)
    options = _fitting(tree, facts, options) if options["depth"] == "fit" else options
    levels = options["depth"] or depth(tree) + 1
    seen = window(tree, focus, levels, _attacked(facts, focus, levels) if options.get("fold") else None)
    words = cards(seen, facts, options["show"], marked)
    place, scale = staged(seen.tree, _sizes(words), _band(seen))
    return TreeDisplay(tree, facts, seen, words, place, dict(options) | {"depth": levels}, heading, scale)


def _band(seen: TreeWindow) -> float:
    """The height that is kept for an overview: where more is hidden than a word on it tells."""
    return BAND if any(sum(1 for _ in leaves(t)) > TOLD for t in seen.hidden.values()) else 0.0


def _sizes(words: Mapping[str, Card]) -> dict[str, tuple[float, float]]:
    return {path: card.taken for path, card in words.items()}


def _fitting(tree: Tree, facts: Mapping[str, Facts], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with as many levels as can be read; a third one is worth more than words in leaves."""
    made: list[dict[str, Any]] = []
    for show in FEWER if options["show"] == USUAL else [options["show"]]:
        fewer = dict(options) | {"show": show}
        made.append(fewer | {"depth": _levels(tree, facts, fewer)})
    best = max(made, key=lambda o: min(int(o["depth"]), ENOUGH))  # the first of those that show as much
    seen = window(tree, best["focus"], best["depth"])
    large = staged(seen.tree, _sizes(cards(seen, facts, best["show"])), _band(seen))[1] > 1
    return best | {"fold": large and bool(_attacked(facts, best["focus"], best["depth"]))}


def _attacked(facts: Mapping[str, Facts], focus: str, levels: int) -> set[str]:
    """Nodes in sight that pushed rows come to, and those above them: the others may be folded."""
    flows = {p: f.flow for p, f in facts.items() if f.flow is not None and len(p) <= len(focus) + levels}
    pushed = {path for path, flow in flows.items() if flow.pushed}
    hit = (p for p, flow in flows.items() if flow.unknown and pushed & {p[:k] for k in range(len(p) + 1)})
    return {path[:k] for path in hit for k in range(len(path) + 1)}


def _levels(tree: Tree, facts: Mapping[str, Facts], options: Mapping[str, Any]) -> int:
    """The most levels below the focus that can be read without scrolling; at least one."""
    for levels in range(2, depth(tree) + 2):
        seen = window(tree, options["focus"], levels)
        sizes = _sizes(cards(seen, facts, options["show"]))
        if staged(seen.tree, sizes, _band(seen))[1] > LARGEST:
            return levels - 1
    return depth(tree) + 1


def _grown(
    trace: Trace, steps: int, options: Mapping[str, Any], marked: str | None = None, frame: bool = False
) -> TreeDisplay:
    """The tree after this step; in a frame, a focus that is not there yet is no mistake."""
    tree = next(t for i, (_, t) in enumerate(trace.trees(), 1) if i == steps)
    facts = tree_facts.from_trace(trace, steps)
    focus = options["focus"]
    while frame and focus not in facts:
        focus = focus[:-1]
    heading = step_title(trace, steps) if marked is not None else trace_title(trace, steps)
    shown = _made(tree, facts, options if not frame else _deeper(options, focus), heading, marked)
    meaning = "probability of 1" if trace.loss.binary else "prediction"
    return replace(shown, meaning=meaning, loss_name=LOSSES[trace.loss.name], trace=trace, steps=steps)


def _deeper(options: Mapping[str, Any], focus: str) -> dict[str, Any]:
    """Options of a frame in which only the beginning of the focus is there."""
    return dict(options) | {"focus": focus, "depth": 1 if focus != options["focus"] else options["depth"]}


def _stage(last: TreeDisplay, made: Sequence[TreeDisplay]) -> tuple[Layout, float]:
    """One layout with room for the cards of all frames."""
    sizes = _sizes(last.cards)
    for path, card in (item for d in made for item in d.cards.items()):
        wide, tall = card.taken
        sizes[path] = max(sizes[path][0], wide), max(sizes[path][1], tall)
    return staged(last.seen.tree, sizes, _band(last.seen))


__all__ = ["TreeDisplay"]
