"""Which part of a tree a picture of attacks shows, what is written on it, and where it stands: no ink."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from treant_viz.tree import Leaf, Node, Tree, depth, leaves, walk
from treant_viz.viz import lettering
from treant_viz.viz.attack_facts import Attack, Move, Ways
from treant_viz.viz.attack_words import change_lines, loss_said, spent
from treant_viz.viz.canvas import SMALL
from treant_viz.viz.card import LINE, RING, Card, said_test
from treant_viz.viz.layout import Box, Layout, layout
from treant_viz.viz.text import number
from treant_viz.viz.tree_cards import Window
from treant_viz.viz.tree_ink import figure_size

WIDEST, TALLEST = 12.0, 8.5  # inches that a tree may take; what is cut down to some ways may be taller
DOWN, NARROW = 50.0, 36.0  # least gap between levels; in a deep tree
LABEL, BELOW_COIN = 42.0, 16.0  # for the label of an edge, and for the head of an arrow
MOST = 8  # attacks drawn at the same time
EMPTY = Layout({}, (), 0.0, 0.0)


class Coin(NamedTuple):
    """What buys an edge: the cost on the coin, the change beside it."""

    cost: str
    lines: tuple[str, ...]

    @classmethod
    def of(cls, moves: tuple[Move, ...]) -> Coin:
        return cls(number(spent(moves)), change_lines(moves))

    @property
    def round(self) -> float:
        """The diameter of the coin."""
        return max(21.0, lettering.width(self.cost, SMALL, bold=True) + 9.0)

    @property
    def width(self) -> float:
        return self.round + 18.0 + max(lettering.width(s, SMALL) for s in self.lines)

    @property
    def height(self) -> float:
        return max(self.round + 6.0, LINE * SMALL * len(self.lines) + 8.0)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """One tree of the picture. `kept` are the leaves whose attacks are drawn, `shown` is the one that is played: after
    `step` of its moves, or with all attacks and the verdict if that is None. Leaves below `new` are new."""

    ways: Ways
    shown: str
    kept: tuple[str, ...]
    seen: Window
    place: Layout
    heading: str = ""
    new: str | None = None
    step: int | None = None

    @property
    def attack(self) -> Attack:
        """The attack that is played, as far as it has come."""
        return self.ways.attacks[self.shown].until(self.step)

    @property
    def drawn(self) -> tuple[Attack, ...]:
        """The attacks that are drawn, the one that is played last; standing still is none."""
        others = [self.ways.attacks[leaf] for leaf in self.kept] if self.step is None else []
        every = [a for a in others if a.leaf != self.shown] + [self.attack]
        return tuple(a for a in every if a.moves)

    @property
    def paid(self) -> dict[str, tuple[Move, ...]]:
        """By edge, the moves that buy it: those of the attack that is played, else of the worst one."""
        out: dict[str, tuple[Move, ...]] = {}
        for attack in (*self.drawn[-1:], *self.drawn[:-1]):
            for edge, moves in self.ways.coins(attack).items():
                out.setdefault(edge, moves)
        return out

    @property
    def coins(self) -> dict[str, Coin]:
        return {edge: Coin.of(moves) for edge, moves in self.paid.items()}

    @property
    def seen_paths(self) -> frozenset[str]:
        return frozenset(path for path, _ in walk(self.seen.tree))

    @property
    def cards(self) -> dict[str, Card]:
        return dict(_cards(self))


def scene(ways: Ways, shown: str, heading: str = "", new: str | None = None) -> Scene:
    """The whole tree if it can be read; if not, only the ways that the row takes, as many as can be read."""
    for kept, seen in _choices(ways, shown):
        made = Scene(ways, shown, _visible(ways, seen, kept), seen, EMPTY, heading, new)
        made = replace(made, place=arranged(made))
        wide, tall = figure_size(made.place)
        if wide <= WIDEST and (tall <= TALLEST or seen.hidden):
            break
    return made


def _choices(ways: Ways, shown: str) -> Iterator[tuple[tuple[str, ...], Window]]:
    """What could be drawn: the leaves whose attacks are drawn, and the part of the tree; the most first."""
    ranked = [leaf for leaf in (shown, *ways.ranked()) if leaf != ways.home]
    ranked = list(dict.fromkeys(ranked))
    if len(ranked) <= MOST:
        yield tuple(ranked), Window(ways.tree, {})
    for most in range(min(MOST, len(ranked)), -1, -1):
        yield tuple(ranked[:most]), touched(ways.tree, {*ways.attacks[shown].stops, *ranked[:most]})


def _visible(ways: Ways, seen: Window, ranked: tuple[str, ...]) -> tuple[str, ...]:
    """The leaves in reach that are shown, stops on the way of the attack that is played among them."""
    there = {path for path, _ in walk(seen.tree)} - set(seen.hidden)
    return tuple(leaf for leaf in dict.fromkeys([*ranked, *ways.ranked()]) if leaf in there)


def touched(tree: Tree, ends: Collection[str]) -> Window:
    """The ways to some leaves; all tests that branch off are hidden."""
    hidden: dict[str, Tree] = {}

    def cut(t: Tree, path: str) -> Tree:
        if isinstance(t, Leaf):
            return t
        if not any(end.startswith(path) for end in ends):
            hidden[path] = t
            return Leaf(0.0)
        return Node(t.feature, t.threshold, cut(t.left, path + "l"), cut(t.right, path + "r"), t.test)

    return Window(cut(tree, ""), hidden)


def _cards(s: Scene) -> Iterator[tuple[str, Card]]:
    for path, node in walk(s.seen.tree):
        faded = s.step is None and not any(leaf.startswith(path) for leaf in s.ways.attacks)
        if path in s.seen.hidden:
            yield path, _stub(s.ways, path, s.seen.hidden[path])
        elif isinstance(node, Leaf):
            yield path, _leaf(s, path, faded)
        else:
            yield path, Card(said_test(node), faded=faded)


def _stub(ways: Ways, path: str, hidden: Tree) -> Card:
    every, near = (sum(1 for _ in leaves(hidden)), sum(leaf.startswith(path) for leaf in ways.attacks))
    reach = f"{near} in reach" if near else "out of reach"
    return Card((), (f"… {every} leaves", reach), "stub", faded=not near)


def _leaf(s: Scene, path: str, faded: bool) -> Card:
    ways, verdict = s.ways, s.step is None
    notes = ["new"] if s.new is not None and path.startswith(s.new) else []
    if path == ways.home:
        notes.append("home")
    elif verdict and path in ways.attacks:
        notes.append(f"cost {number(ways.attacks[path].cost)}")
    rings = (path in ways.attacks) + (path in ways.worst) if verdict else 0
    lines = [f"loss {loss_said(ways, path)}", *([", ".join(notes)] if notes else [])]
    return Card((number(ways.predictions[path], 4),), tuple(lines), "leaf", faded=faded, rings=rings)


def arranged(made: Scene) -> Layout:
    """The layout of the cards, with room for coins above the cards they lead to, whatever the step."""
    coins, cards = _all_coins(made), made.cards
    sizes = {}
    for path, card in cards.items():
        wide, tall = card.taken
        sizes[path] = max(wide, 1.45 * coins[path].width if path in coins else 0.0), tall
    extra: dict[int, float] = {}
    down = DOWN if depth(made.seen.tree) < 5 else NARROW
    for path in cards:
        coin = LABEL + coins[path].height + BELOW_COIN - down if path in coins else 0.0
        extra[len(path)] = max(extra.get(len(path), 0.0), 1.5 * RING * cards[path].rings + coin)
    across = max(90.0 - 15.0 * sum(1 for _ in leaves(made.seen.tree)), 24.0)
    return _opened(layout(made.seen.tree, sizes, across=across, down=down), extra)


def _all_coins(made: Scene) -> dict[str, Coin]:
    """The widest coin that an edge has at any step."""
    out: dict[str, Coin] = {}
    for step in (None, *range(len(made.ways.attacks[made.shown].moves))):
        for edge, coin in replace(made, step=step).coins.items():
            out[edge] = max(coin, out.get(edge, coin), key=lambda c: (c.width, c.height))
    return out


def _opened(place: Layout, extra: Mapping[int, float]) -> Layout:
    """More room above some levels."""
    up = [sum(more for level, more in extra.items() if level > i) for i in range(len(place.floors))]
    boxes = {path: box._replace(bottom=box.bottom + up[len(path)]) for path, box in place.boxes.items()}
    floors = tuple(floor + more for floor, more in zip(place.floors, up, strict=True))
    return Layout(boxes, floors, place.width, place.height + up[0])


def within(place: Layout, width: float, height: float, top: float) -> Layout:
    """The layout in the upper middle of a larger area, with so much room left free above it."""
    dx, dy = (width - place.width) / 2, height - top - place.height
    boxes = {path: Box(b.left + dx, b.bottom + dy, b.width, b.height) for path, b in place.boxes.items()}
    return Layout(boxes, tuple(floor + dy for floor in place.floors), width, height)


__all__ = ["BELOW_COIN", "Coin", "Scene", "arranged", "scene", "touched", "within"]
