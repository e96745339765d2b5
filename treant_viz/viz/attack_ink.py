"""Drawing attacks on a tree: the row's own way as a grey road, attacks as dashed arrows, a coin on what is bought."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Circle, FancyBboxPatch, Polygon

from treant_viz.viz.attack_cards import BELOW_COIN, Coin, Scene
from treant_viz.viz.canvas import SMALL, Ink
from treant_viz.viz.card import RING, Card, EdgeLook
from treant_viz.viz.layout import Layout
from treant_viz.viz.palette import Palette
from treant_viz.viz.tree_ink import Placed, draw_tree

ROAD, STRONG, THIN = 8.0, 3.2, 1.8  # widths: the row's own way, the attack that is played, the others
DASHES = (0, (2.6, 1.4))
LABEL_AT = 0.27  # where the label of an edge with a coin stands
Point = tuple[float, float]


def road_color(palette: Palette) -> str:
    """A grey half-way between the background and soft ink."""
    pairs = zip(to_rgb(palette.soft), to_rgb(palette.background), strict=True)
    red, green, blue = ((a + b) / 2 for a, b in pairs)
    return to_hex((red, green, blue))


def draw_scene(ink: Ink, ax: Axes, scene: Scene, place: Layout) -> Placed:
    """The tree with all ways and coins."""
    cards, coins, shown = scene.cards, scene.coins, scene.seen_paths
    placed = draw_tree(ink, ax, scene.seen.tree, cards, _looks(ink.palette, scene, place), place)
    own = _edges(scene.ways.home, shown)
    for edge in {e: None for a in scene.drawn for e in _edges(a.leaf, shown)}:
        _trunk(ink, placed, edge, ink.palette.background, 4.0, "bed", 1.05)
    for edge in own:
        _trunk(ink, placed, edge, road_color(ink.palette), ROAD, "road", 1.1)
    done: set[str] = set()
    for attack in reversed(scene.drawn):
        edges = _edges(attack.leaf, shown)
        _way(ink, placed, cards, edges, done, STRONG if attack.leaf == scene.attack.leaf else THIN)
        done.update(edges)
    for path, coin in coins.items():
        _coin(ink, placed, path, cards[path], coin)
    return placed


def _edges(leaf: str, shown: frozenset[str]) -> list[str]:
    """The edges on the way to a leaf that are shown, by the paths they lead to."""
    return [leaf[:i] for i in range(1, len(leaf) + 1) if leaf[:i] in shown]


def _looks(palette: Palette, scene: Scene, place: Layout) -> dict[str, EdgeLook]:
    """The row's own way is a road; under the dashes of an attack there is nothing; all else is thin."""
    shown, cards, coins = scene.seen_paths, scene.cards, scene.coins
    own, used = set(_edges(scene.ways.home, shown)), {e for a in scene.drawn for e in _edges(a.leaf, shown)}
    looks = {}
    for path in filter(None, shown):
        color, width = (road_color(palette), ROAD) if path in own else (palette.soft, 0.0 if path in used else 1.4)
        idle = scene.step is None and path not in own | used
        looks[path] = EdgeLook(None, color, width, "-", idle, _label_at(path, coins, cards[path].rings, place))
    return looks


def _label_at(path: str, coins: Mapping[str, Coin], rings: int, place: Layout) -> float:
    """Where on an edge its label stands: clear of rings, and of coins on this edge or the one beside it."""
    beside = path[:-1] + "lr"[path[-1] == "l"]
    apart = abs(place[path].x - place[beside].x)
    crowded = beside in coins and 0.5 * apart < coins[beside].width / 2 + 30.0
    return LABEL_AT if path in coins or crowded else 0.55 - 0.07 * rings


def _trunk(ink: Ink, placed: Placed, path: str, color: str, width: float, role: str, zorder: float) -> None:
    """Over the line from a card to where its edges start."""
    (x, floor), start = placed.edges[path][0], placed.cards[path[:-1]].bottom
    if start - floor > 0.5:
        look: dict[str, Any] = {"color": color, "linewidth": width * placed.scale, "zorder": zorder}
        ink.keep(role, placed.ax.plot([x, x], [start, floor], solid_capstyle="butt", **look)[0], f"{role}-{path}")


def _way(
    ink: Ink, placed: Placed, cards: Mapping[str, Card], edges: Sequence[str], done: set[str], width: float
) -> None:
    """Dashes along the edges to a leaf that have none yet, and an arrow head before it."""
    look: dict[str, Any] = {"color": ink.palette.attacker, "linewidth": width * placed.scale, "linestyle": DASHES}
    for path in (e for e in edges if e not in done):
        (x0, y0), end = placed.edges[path][0], _before(placed, path, cards[path], 5.0 * (path == edges[-1]))
        xs, ys = [x0, x0, end[0]], [placed.cards[path[:-1]].bottom, y0, end[1]]
        ink.keep("attack", placed.ax.plot(xs, ys, zorder=1.5, **look)[0], f"attack-{path}")
    if edges:
        last = edges[-1]
        tip = _before(placed, last, cards[last], 1.0)
        _head(ink, placed.ax, placed.edges[last][0], tip, 4.0 + width, "attack head", f"head-{last}")


def _before(placed: Placed, path: str, card: Card, gap: float) -> Point:
    """The point of an edge so far above the rings of the card that it leads to."""
    y0, y1 = placed.edges[path][0][1], placed.edges[path][1][1]
    return placed.on_edge(path, 1.0 - (RING * card.rings + gap) / (y0 - y1))


def _head(ink: Ink, ax: Axes, start: Point, tip: Point, size: float, role: str, gid: str) -> None:
    """A filled arrow head."""
    dx, dy = tip[0] - start[0], tip[1] - start[1]
    far = math.hypot(dx, dy) or 1.0
    ux, uy = dx / far, dy / far
    back = tip[0] - 1.5 * size * ux, tip[1] - 1.5 * size * uy
    corners = [tip, (back[0] - size * uy * 0.7, back[1] + size * ux * 0.7),
               (back[0] + size * uy * 0.7, back[1] - size * ux * 0.7)]  # fmt: skip
    ink.patch(ax, Polygon(corners, closed=True, color=ink.palette.attacker, linewidth=0, zorder=3.5), role, gid)


def _coin(ink: Ink, placed: Placed, path: str, card: Card, coin: Coin) -> None:
    """On the lower end of an edge: what buys it."""
    (x0, y0), (x1, y1) = placed.edges[path]
    y = y1 + RING * card.rings + BELOW_COIN + coin.height / 2
    x = x1 + (x0 - x1) * (y - y1) / (y0 - y1)
    draw_coin(ink, placed.ax, (x, y), coin, placed.scale, path)


def draw_coin(ink: Ink, ax: Axes, middle: Point, coin: Coin, scale: float, gid: str) -> None:
    """A coin with the cost on it, and the change beside it, in one frame."""
    (x, y), p = middle, ink.palette
    left, r = x - coin.width / 2, coin.round / 2
    frame: dict[str, Any] = {"facecolor": p.background, "edgecolor": p.attacker, "linewidth": 1.4 * scale, "zorder": 5}
    shape = f"round,pad=0,rounding_size={coin.height / 2:g}"
    body = FancyBboxPatch((left, y - coin.height / 2), coin.width, coin.height, boxstyle=shape, **frame)
    ink.patch(ax, body, "coin frame", f"coin-{gid}")
    for k in (1.0, 0.82):
        ink.patch(ax, Circle((left + 3.0 + r, y), k * r, **frame | {"zorder": 6}), "coin")
    look: dict[str, Any] = {"fontsize": SMALL * scale, "va": "center", "zorder": 7}
    ink.text(ax, left + 3.0 + r, y - 0.3, coin.cost, "coin cost", gid=f"cost-{gid}", ha="center", weight="bold", **look)
    said = "\n".join(coin.lines)
    ink.text(ax, left + coin.round + 8.0, y, said, "coin change", gid=f"change-{gid}", linespacing=1.15, **look)


__all__ = ["DASHES", "ROAD", "draw_coin", "draw_scene", "road_color"]
