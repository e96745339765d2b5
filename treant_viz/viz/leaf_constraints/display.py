"""Constraint sets per leaf: which predictions the attacker's presence forbids, and which legal one is
nearest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treant_viz.attacks.attack import loss_under_attack
from treant_viz.core.tree import Node, Tree, at, leaves, walk
from treant_viz.trace.trace import Trace
from treant_viz.viz.attack_path.facts import touched
from treant_viz.viz.display import Display
from treant_viz.viz.leaf_constraints.draw import (
    OutlineLine,
    condition,
    draw,
    held_text,
    needed,
    outline,
    prediction_text,
)
from treant_viz.viz.leaf_constraints.facts import (
    LeafBounds,
    LeafConstraint,
    bounds_of,
    line_ends,
    most_informative_leaf,
    tree_of,
    with_predictions,
)
from treant_viz.viz.leaf_constraints.story import CURVE, apart, window
from treant_viz.viz.leaf_constraints.switches import checked_off, whole_rows
from treant_viz.viz.leaf_constraints.unbound import Crossable, draw_unbound, risky, tests_of
from treant_viz.viz.leaf_constraints.words import called, pieces_in_words
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import counted, node_name, number

LONG = 40  # letters of a leaf's name that the title has room for
TALLEST = 402.0  # points of an outline that is shown in full, with its story


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConstraintsDisplay(Display):
    """A tree as an outline, with a number line beside every leaf; `hidden` are the parts left out.

    >>> import treant_viz as tv
    >>> toy = tv.load_toy()
    >>> model = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y)
    >>> display = tv.ConstraintsDisplay.from_trace(model.trace_)
    >>> display.title
    '1 is forbidden in the leaf p > 1, q ≤ 3: 1.5 is the nearest value allowed'
    """

    tree: Tree
    rows: tuple[OutlineLine, ...]
    hidden: Mapping[str, Tree]
    bounds: Mapping[str, LeafBounds]
    ends: tuple[float, float]
    loss: str
    attacked: float | None
    usual: float | None
    off: tuple[str, ...]
    elsewhere: str | None
    tests: tuple[Crossable, ...] = ()
    risky: Crossable | None = None
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        path: str | None = None,
        off: Any = (),
        *,
        focus: str | None = None,
        depth: int | None = None,
        names: Mapping[int, str] | None = None,
    ) -> ConstraintsDisplay:
        """The tree that a trace grew, or, given a path, the splits on the way to it and at it alone.

        `off`: rows whose constraints do not count, or pairs of a row and the path of a split, if only those
        that this split made do not; leaves then predict what is nearest to their best value. `focus`: the
        path to show in full, `depth`: levels of tests from there on; by default the whole tree if it fits,
        else the leaves that their constraints bind most. `names` of rows by place; by default the table's.
        """
        _check(trace, path, depth)
        gone, named = checked_off(off, trace), dict(names or {})
        tree, stands = tree_of(trace, path)
        bounds = {p: bounds_of(trace, p, s, gone, named) for p, s in sorted(stands.items())}
        changed = with_predictions(tree, bounds)
        seen, hidden = _seen(changed, bounds, focus, depth)
        ends = _ends(trace, bounds, [p for p, _ in leaves(seen) if p not in hidden])
        short = whole_rows(gone, trace)
        return cls(
            changed,
            tuple(outline(seen, hidden)),
            hidden,
            bounds,
            ends,
            trace.loss.name,
            _attacked(changed, trace),
            _attacked(tree, trace),
            tuple(_off_text(trace, given, named) for given in short),
            None if any(b.count for b in bounds.values()) else _elsewhere(trace),
            tests_of(trace, [p for p, t in walk(changed) if isinstance(t, Node)]),
            risky(trace),
            {"trace": trace, "path": path, "off": tuple(short), "names": named},
        )

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        """1280 x 720, or higher if so many leaves were asked for."""
        return 12.8, max(7.2, (needed(list(self.rows), self.bounds) + self.story + 92.0) / 72)

    @property
    def focus(self) -> str | None:
        """The leaf that the title is about."""
        b = most_informative_leaf(self.bounds)
        return (
            None if b is None or self.off or not (b.bound or not b.feasible or self._forbids(b)) else b.path
        )

    @property
    def count(self) -> int:
        """How many rows the leaves hold."""
        return sum(b.rows for b in self.bounds.values())

    @property
    def title(self) -> str:
        if self.off:
            rows = f"{', '.join(self.off[:3])}{' and more' * (len(self.off) > 3)}"
            before, after = _text(self.usual), _text(self.attacked)
            change = f"stays {before}" if before == after else f"goes from {before} to {after}"
            return f"Without the constraints of {rows} the loss under attack {change}"
        b = most_informative_leaf(self.bounds)
        if b is None:
            return "Every leaf may say what fits its rows best: the attacker can cross no test of this tree"
        where = self._where(b.path)
        if not b.feasible:
            return f"Nothing may be said {where}: its constraints contradict each other"
        if b.bound and b.best is not None:
            best, legal = apart(b.best, b.nearest)
            what = f"{best} is forbidden {where}" if len(where) <= LONG else f"This leaf may not say {best}"
            return f"{what}: {legal} is the nearest value allowed"
        if not self._forbids(b):
            return "Constraints forbid nothing that is in sight: every leaf says its best value"
        return f"No leaf is kept from its best value; the nearest limit: {self._span(b)} {where}"

    @property
    def why(self) -> str:
        """Why the leaf of the title may not say what is forbidden."""
        b = most_informative_leaf(self.bounds)
        h = None if b is None else b.binding
        if b is None or h is None or not b.feasible:
            return ""
        split = at(self.tree, h.origin)
        test = condition(split, "l") if isinstance(split, Node) else "the split above"
        side, where, more, there = "this", "on the other", "less here", "there"
        if h.sense == "<=":
            side, where, more, there = "the other", "on this one", "more", "here"
        return (
            f"The split {test} counts on the attacker choosing {side} side for {h.who}: it planned a loss of "
            f"{number(h.gamma)} {where}. If {h.who} lost {more}, it would be sent {there}."
        )

    @property
    def story(self) -> float:
        """The height of the drawing that says why, in points; 0 if nothing is to be told."""
        if self.focus is None or self.focus not in {r.path for r in self.rows if r.kind == "leaf"}:
            return 0.0
        return CURVE if self.why else 0.0

    def _span(self, b: LeafBounds) -> str:
        """What a leaf may say, in short."""
        low, high = b.piece
        if low == high:
            return f"only {number(low)}"
        if low <= self.ends[0]:
            return f"at most {number(high)}"
        return f"at least {number(low)}" if high >= self.ends[1] else f"{number(low)} to {number(high)}"

    @property
    def subtitle(self) -> str:
        if not any(b.count for b in self.bounds.values()):
            more = (
                f" Look at from_trace(trace, {self.elsewhere!r}), where leaves have some."
                if self.elsewhere
                else ""
            )
            return f"Only where rows can be pushed across a test, its leaves must avoid some values.{more}"
        what = {"sse": "squared error", "log": "log-loss"}[self.loss]
        return (
            "Green is what a leaf may say; grey is forbidden, as the attacker would change sides. "
            f"Loss: {what}."
        )

    @property
    def alt_text(self) -> str:
        lined = [b for b in self.bounds.values() if b.count]
        total = sum(1 for _ in leaves(self.tree))
        phrase = (
            f"A tree with {'1 leaf' if total == 1 else f'{total} leaves'}; "
            "a number line beside each leaf that is shown."
        )
        more = f" {len(lined) - 4} more leaves have constraints." if len(lined) > 4 else ""
        return phrase + "".join(map(self._told, lined[:4])) + more

    def _told(self, b: LeafBounds) -> str:
        """A leaf in a sentence."""
        where = self._where(b.path)
        return (
            f" {where[0].upper()}{where[1:]}: {counted(b.count, 'constraint')}, "
            f"legal is {pieces_in_words(b.feasible)}; "
            f"best without constraints {_text(b.best)}, prediction {number(b.prediction)}."
        )

    @property
    def summary(self) -> str:
        lines = [f"loss under attack: {_text(self.attacked)}"]
        for row in self.rows:
            lines.append(f"{row.path or 'root'}: {row.words}")
            if row.kind == "leaf":
                b = self.bounds[row.path]
                lines += [f"  {held_text(h)}{_origin(h)}: {pieces_in_words(h.allowed)}" for h in b.held]
                lines += [f"  and {counted(b.more, 'other')}"] * bool(b.more)
                legal = pieces_in_words(b.feasible) if b.count else "anything"
                lines.append(f"  legal: {legal}; {prediction_text(b)}")
        return "\n".join([self.title, *lines])

    def _where(self, path: str) -> str:
        """A leaf in words: the tests on the way to it, the last two if they are many."""
        if not path:
            return "at the root"
        nodes = [(at(self.tree, path[:i]), path[i]) for i in range(len(path))]
        tests = [condition(node, side) for node, side in nodes if isinstance(node, Node)]
        return f"in the leaf {'… ' * (len(tests) > 2)}{', '.join(tests[-2:])}"

    def _forbids(self, b: LeafBounds) -> bool:
        """Is any prediction in sight forbidden?"""
        return not any(low <= self.ends[0] and self.ends[1] <= high for low, high in b.feasible)

    def _draw(self, pen: Pen, target: Target) -> None:
        if any(b.count for b in self.bounds.values()) or not self.tests:
            draw(self, pen, target)
        else:
            draw_unbound(self.tests, self.risky, pen, target)


def _check(trace: Trace, path: str | None, depth: int | None) -> None:
    if not isinstance(trace, Trace):
        raise TypeError(f"trace: expected a Trace, got {type(trace).__name__}")
    if path is not None:
        trace.at(path)
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 1):
        raise ValueError(f"depth: expected a whole number of at least 1 or None, got {depth!r}")


def _origin(h: LeafConstraint) -> str:
    """Where a constraint comes from, if that is not the split above."""
    return "" if not h.inherited else ", from above" if h.origin else ", from the root"


def _text(value: float | None) -> str:
    return "unknown" if value is None else number(value)


def _off_text(trace: Trace, given: Any, names: Mapping[int, str]) -> str:
    """A row, or a row and where its constraints were made."""
    if isinstance(given, int):
        return called(trace, given, names)
    row, origin = given
    return f"{called(trace, row, names)} (from {node_name(origin)})"


def _attacked(tree: Tree, trace: Trace) -> float | None:
    """L^A of the tree on the training data; unknown if rows have weights."""
    if trace.options.get("weight") is not None:
        return None
    return float(loss_under_attack(tree, trace.X, trace.y, trace.attacker, trace.loss.name))


def _elsewhere(trace: Trace) -> str | None:
    """A step whose leaves have constraints."""
    splits = ((s.path, s.split) for s in trace.steps if s.split is not None and s.taken)
    return next((path for path, s in splits if s.left_constraints or s.right_constraints), None)


def _ends(trace: Trace, bounds: Mapping[str, LeafBounds], shown: list[str]) -> tuple[float, float]:
    """The ends of all number lines; those of a window if the leaf that tells most is alone."""
    ends, first = line_ends(trace, bounds), most_informative_leaf(bounds)
    if first is None or not first.feasible or shown != [first.path]:
        return ends
    return window(first, ends)


def _seen(
    tree: Tree, bounds: Mapping[str, LeafBounds], focus: str | None, levels: int | None
) -> tuple[Tree, dict[str, Tree]]:
    """What is shown: the whole tree if it fits, else the leaf that tells most."""
    if focus is not None or levels is not None:
        start, most = focus or "", 1 if levels is None else levels
        at(tree, start)
        inner = [p for p, t in walk(tree) if isinstance(t, Node)]
        return touched(tree, {p for p in inner if start.startswith(p) or _within(p, start, most)})
    seen, hidden = touched(tree, set(bounds))
    fits, first = (
        needed(list(outline(seen, hidden)), bounds) <= TALLEST - CURVE,
        most_informative_leaf(bounds),
    )
    if fits or first is None:
        return seen, hidden
    seen, hidden = touched(tree, {first.path})
    return seen, {path: leaf for path, leaf in leaves(seen) if path != first.path} | hidden


def _within(path: str, start: str, levels: int) -> bool:
    return path.startswith(start) and len(path) - len(start) < levels


__all__ = ["ConstraintsDisplay"]
