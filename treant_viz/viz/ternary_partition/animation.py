"""A picture that moves by itself: the line of a test glides over its thresholds, and what the attacker
decides follows.

One SVG file of shapes, words and CSS, so that it moves wherever a picture may stand, in a README too. It
follows the reader's choice of light or dark, and stands still for readers who asked for less motion.

>>> held = Scene(1.0, "LUR", 2.0, 3.7), Scene(4.0, "LLL", 17.4, 17.4)
>>> [caption(scene) for scene in held]
['The attacker decides for 1 of 3 rows', 'The attacker decides for no row']
>>> print(keyframes("go", "x", ["1px", "2px"]))
@keyframes go{0%,40%{x:1px}50%,90%{x:2px}100%{x:1px}}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_hex, to_rgb

from treant_viz.trace.what_if_records import FeatureStates
from treant_viz.viz.style.palette import DARK, LIGHT, Palette
from treant_viz.viz.style.text import for_html, number
from treant_viz.viz.style.typeface import NAME, font_face

WIDTH, HEIGHT = 1200, 600
SCENE, GLIDE = 1.6, 0.2  # seconds of a scene, and the share of them that is movement
ROOM = (150, 740)  # of the axis
TOP, LANE = 150, 40  # of the rows
FOOT, RISE = 560, 90  # of the curves
BAR = (790, 330)  # where the bars of the losses begin, and how long the longest is
MOST_ROWS = 7


@dataclass(frozen=True, slots=True)
class Scene:
    """A threshold, the side of each row (L, U or R), and the losses of its best leaves."""

    threshold: float
    sides: str
    loss: float
    loss_under_attack: float


def scenes_of(states: FeatureStates, budget: float) -> list[Scene]:
    """All thresholds at which anything changes for this budget."""
    level, c = states.level_of(budget), states.codes
    out = []
    for i, v in enumerate(level.thresholds):
        if np.isfinite(v):
            sides = np.where(level.high[c] <= v, "L", np.where(level.low[c] > v, "R", "U"))
            losses = level.robust.loss[i], level.robust.loss_under_attack[i]
            out.append(Scene(float(v), "".join(sides), float(losses[0]), float(losses[1])))
    return out


def caption(scene: Scene) -> str:
    """What a scene says."""
    unknown = scene.sides.count("U")
    return f"The attacker decides for {f'{unknown} of {len(scene.sides)} rows' if unknown else 'no row'}"


def animated(states: FeatureStates, budget: float, names: Sequence[str]) -> str:
    """The whole file: a lane a row, the losses of every threshold below, their numbers beside."""
    if states.categories is not None or len(states.codes) > MOST_ROWS:
        raise ValueError(f"states: expected a numeric feature and at most {MOST_ROWS} rows, a lane for each")
    scenes, level, feature = scenes_of(states, budget), states.level_of(budget), str(states.feature)
    ends = np.concatenate([level.low, level.high, [s.threshold for s in scenes]])
    low, high = float(ends.min()) - 0.6, float(ends.max()) + 0.6

    def x(v: float) -> float:
        return round(float(np.interp(v, (low, high), ROOM)), 1)

    title = for_html(f"Which rows can the attacker push across a test of {feature}?")
    parts = [
        f'<text class="large" x="40" y="52">{title}</text>',
        _grounds(len(names)),
        *(_row(states, budget, r, name, x) for r, name in enumerate(names)),
        _curves(scenes, x, (low, high)),
        f'<g class="line"><path d="M0,{TOP - 24}V{FOOT}"/>',
        f'<rect x="-58" y="{TOP - 62}" width="116" height="38" rx="19"/></g>',
        *(_words(feature, scene, i, x) for i, scene in enumerate(scenes)),
        _bars(),
    ]
    head = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}"'
    style = font_face() + _style(scenes, x)
    page = f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {head}><title>{title}</title><style>{style}</style>{page}'
        f"{''.join(parts)}</svg>\n"
    )


def _grounds(n: int) -> str:
    """The sides of the line, which move with it."""
    box = f'y="{TOP - 24}" height="{LANE * n + 10}"'
    return (
        f'<svg x="{ROOM[0]}" width="{ROOM[1] - ROOM[0]}" y="0" height="{HEIGHT}">'
        f'<rect class="ground right" x="0" width="{WIDTH}" {box}/>'
        f'<g class="side"><rect class="ground left" x="-{WIDTH}" width="{WIDTH}" {box}/></g></svg>'
    )


def _row(states: FeatureStates, budget: float, r: int, name: str, x: Callable[[float], float]) -> str:
    """A lane: the row's name and label, all that the attacker can make of it, its own value."""
    level, c, y = states.level_of(budget), states.codes[r], TOP + LANE * r
    a, b = x(float(level.low[c])), x(float(level.high[c]))
    words = f"{for_html(name)}<tspan class='soft'>, y = {number(float(states.y[r]))}</tspan>"
    return (
        f'<text x="40" y="{y + 7}">{words}</text>'
        f'<rect class="reach row{r}" x="{a}" y="{y - 10}" width="{b - a:.1f}" height="20"/>'
        f'<circle class="dot" cx="{x(float(states.values[c]))}" cy="{y}" r="6.5"/>'
    )


def _height(loss: float, most: float) -> float:
    return round(FOOT - RISE * loss / (most or 1.0), 1)


def _curves(scenes: Sequence[Scene], x: Callable[[float], float], ends: tuple[float, float]) -> str:
    """The losses as steps, and a dot on each that follows the line."""
    most = max(s.loss_under_attack for s in scenes)
    out = []
    for role in ("loss", "loss_under_attack"):
        at = [_height(getattr(s, role), most) for s in scenes]
        steps = "".join(f"H{x(s.threshold)}V{y}" for s, y in zip(scenes[1:], at[1:], strict=True))
        out.append(f'<path class="curve {role}" d="M{x(scenes[0].threshold)},{at[0]}{steps}H{x(ends[1])}"/>')
    dots = "".join(f'<circle class="on {role}" r="8"/>' for role in ("loss", "loss_under_attack"))
    return "".join(out) + dots + f'<text class="soft" x="40" y="{FOOT - RISE / 2}">loss</text>'


def _words(feature: str, scene: Scene, i: int, x: Callable[[float], float]) -> str:
    """What is written in one scene alone: the test, who decides, both losses."""
    facts = f'data-fact="threshold" data-value="{scene.threshold!r}"'
    test = for_html(f"{feature} ≤ {number(scene.threshold)}")
    known = (("loss", 290, scene.loss), ("loss_under_attack", 430, scene.loss_under_attack))
    losses = "".join(
        f'<text class="huge {role}" x="{BAR[0]}" y="{y}" data-fact="{role}" data-value="{value!r}">'
        f"{number(value)}</text>"
        for role, y, value in known
    )
    at = f'x="{x(scene.threshold)}" y="{TOP - 37}"'
    return (
        f'<g class="scene s{i}"><text class="test" {at} {facts}>{test}</text>'
        f'<text class="strong" x="{BAR[0]}" y="{TOP + 20}">{for_html(caption(scene))}</text>{losses}</g>'
    )


def _bars() -> str:
    """The names of the losses, and bars as long as they are great."""
    rows = (("loss", 230, "loss if nobody attacks"), ("loss_under_attack", 370, "loss under attack"))
    return "".join(
        f'<text class="soft" x="{BAR[0]}" y="{y}">{words}</text>'
        f'<rect class="bar {role}" x="{BAR[0]}" y="{y + 76}" width="{BAR[1]}" height="16"/>'
        for role, y, words in rows
    )


def keyframes(name: str, prop: str, values: Sequence[str]) -> str:
    """A property that holds each value for its scene, and glides to the next."""
    n = len(values)
    held = (
        f"{100 * i / n:.4g}%,{100 * (i + 1 - GLIDE) / n:.4g}%{{{prop}:{v}}}" for i, v in enumerate(values)
    )
    return f"@keyframes {name}{{{''.join(held)}100%{{{prop}:{values[0]}}}}}"


def _style(scenes: Sequence[Scene], x: Callable[[float], float]) -> str:
    """Who moves when. Without movement, the scene with the least loss under attack is shown."""
    most = max(s.loss_under_attack for s in scenes)
    best = min(range(len(scenes)), key=lambda i: (scenes[i].loss_under_attack, scenes[i].loss))
    at = [x(s.threshold) for s in scenes]
    moves = {
        ".line": ("transform", [f"translateX({v}px)" for v in at]),
        ".side": ("transform", [f"translateX({v - ROOM[0]:.1f}px)" for v in at]),
    }
    for role in ("loss", "loss_under_attack"):
        values = [getattr(s, role) for s in scenes]
        where = [f"translate({v}px,{_height(y, most)}px)" for v, y in zip(at, values, strict=True)]
        moves[f".on.{role}"] = ("transform", where)
        moves[f".bar.{role}"] = ("transform", [f"scaleX({y / most:.4g})" for y in values])
    for r in range(len(scenes[0].sides)):
        moves[f".row{r}"] = ("fill", [f"var(--{s.sides[r]})" for s in scenes])
    for i in range(len(scenes)):
        moves[f".s{i}"] = ("opacity", ["1" if j == i else "0" for j in range(len(scenes))])
    still = "".join(f"{who}{{{prop}:{values[best]}}}" for who, (prop, values) in moves.items())
    frames = "".join(keyframes(f"k{k}", *move) for k, move in enumerate(moves.values()))
    runs = "".join(f"{who}{{animation-name:k{k}}}" for k, who in enumerate(moves))
    timing = f"{','.join(moves)}{{animation:{SCENE * len(scenes):g}s ease-in-out infinite}}"
    themes = f":root{{{_colours(LIGHT)}}}@media(prefers-color-scheme:dark){{:root{{{_colours(DARK)}}}}}"
    moving = f"@media not (prefers-reduced-motion:reduce){{{timing}{runs}}}"
    return themes + "".join(_LOOK) + still + frames + moving


def _colours(p: Palette) -> str:
    named = {"bg": p.background, "ink": p.ink, "soft": p.soft, "faint": p.faint, "attack": p.attack}
    named |= {"L": p.left, "U": p.unknown, "R": p.right}
    named |= {"on-L": _pale(p.left, p.background), "on-R": _pale(p.right, p.background)}
    return "".join(f"--{name}:{value};" for name, value in named.items())


def _pale(colour: str, ground: str, share: float = 0.1) -> str:
    """A little of a colour on a ground."""
    r, g, b = ((1 - share) * a + share * c for a, c in zip(to_rgb(ground), to_rgb(colour), strict=True))
    return to_hex((r, g, b))


_LOOK = (
    f"text{{font:22px '{NAME}',sans-serif;fill:var(--ink)}}",
    ".soft{fill:var(--soft)}",
    ".strong{font-weight:700;font-size:24px}",
    ".large{font-weight:700;font-size:32px}",
    ".huge{font-weight:700;font-size:52px}",
    ".huge.loss_under_attack{fill:var(--attack)}",
    ".page{fill:var(--bg)}",
    ".ground.left{fill:var(--on-L)}",
    ".ground.right{fill:var(--on-R)}",
    ".dot{fill:var(--bg);stroke:var(--ink);stroke-width:2.5}",
    ".line path{stroke:var(--ink);stroke-width:4}",
    ".line rect{fill:var(--ink)}",
    ".test{fill:var(--bg);font-weight:700;text-anchor:middle}",
    ".curve{fill:none;stroke:var(--ink);stroke-width:2}",
    ".curve.loss_under_attack{stroke:var(--attack);stroke-width:5}",
    ".on{fill:var(--bg);stroke:var(--ink);stroke-width:3}",
    ".on.loss_under_attack{stroke:var(--attack)}",
    ".bar{fill:var(--ink);transform-box:fill-box;transform-origin:left}",
    ".bar.loss_under_attack{fill:var(--attack)}",
)

__all__ = ["animated", "caption", "keyframes", "scenes_of"]
