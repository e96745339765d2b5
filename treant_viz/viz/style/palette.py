"""Colours and second cues: what stands for what in every picture, in a light and in a dark theme.

A branch is told by colour, by texture and by letter, so that nothing depends on colour alone. Pictures take a
palette as an argument; no global setting is touched. Live pictures have theirs in `live.css`.

>>> LIGHT.branch("unknown")
Branch(letter='U', color='#CC79A7', hatch='////')
>>> LIGHT.prediction(0.0), LIGHT.prediction(1.0), LIGHT.on(LIGHT.prediction(1.0))
('#E9EDF1', '#2B3A49', '#FFFFFF')
>>> method("RF-TREANT").width > method("GBDT").width
True
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Role = Literal["left", "unknown", "right"]
ROLES: tuple[Role, Role, Role] = ("left", "unknown", "right")


class Branch(NamedTuple):
    """How a branch of a split looks: its letter, its colour, its texture ("" is a solid fill)."""

    letter: str
    color: str
    hatch: str


class Method(NamedTuple):
    """How a method of the evaluation looks: a colour, a marker, a dash and a width of its line."""

    color: str
    marker: str
    dash: Any = "-"
    width: float = 2.0


@dataclass(frozen=True, slots=True)
class Palette:
    """One theme. `ink` is text, `soft` is text of less weight, `faint` is lines and tracks, `panel` a quiet
    fill.

    `left_ink`, `unknown_ink` and `right_ink` are the colours of words about a branch, `coin*` those of the
    attacker's coins, `attack` that of the loss under attack, `low` and `high` the ends of the scale of
    predictions, `steep` the end of the scale of losses, `deep` that of heat maps of losses, `measure` the
    map of measures.
    """

    name: str
    background: str
    ink: str
    soft: str
    faint: str
    panel: str
    left_ink: str
    unknown_ink: str
    right_ink: str
    low: str
    high: str
    attack: str
    steep: str
    deep: str
    coin: str = "#F2C14E"
    coin_edge: str = "#A97C12"
    coin_ink: str = "#4A3606"
    left: str = "#0072B2"
    unknown: str = "#CC79A7"
    right: str = "#D55E00"
    feasible: str = "#009E73"
    measure: str = "cividis"

    @property
    def loss(self) -> tuple[str, str, str]:
        """The colours of loss surfaces and of losses in heat maps, from the least to the most; all words can
        be read on all of them.
        """
        return self.background, mixed(self.background, self.steep, 0.45), self.steep

    @property
    def attacker(self) -> str:
        """The attacker is drawn in ink: dark, or light in the dark."""
        return self.ink

    def branch(self, role: Role) -> Branch:
        """The look of "left", "unknown" or "right"."""
        letter, hatch = {"left": ("L", ""), "unknown": ("U", "////"), "right": ("R", "")}[role]
        return Branch(letter, getattr(self, role), hatch)

    def words(self, role: Role) -> str:
        """The colour of words about a branch, which can be read on the background."""
        return str(getattr(self, f"{role}_ink"))

    def tint(self, role: Role, share: float = 0.18) -> str:
        """A branch's colour let down with the background, opaque."""
        return mixed(self.background, getattr(self, role), share)

    def prediction(self, share: float) -> str:
        """The colour of a prediction: 0 is the least that is possible, 1 the most (0 and 1, or the label
        range).
        """
        return mixed(self.low, self.high, min(1.0, max(0.0, share)))

    def on(self, fill: str) -> str:
        """The ink that can be read on a fill: black or white, whichever contrasts more."""
        return max(("#000000", "#FFFFFF"), key=lambda color: contrast(color, fill))


LIGHT = Palette(
    "light", background="#FFFFFF", ink="#1D2733", soft="#4A5663", faint="#DCE2E8", panel="#F5F7F9",
    left_ink="#00639C", unknown_ink="#9A3F74", right_ink="#AD4A00", low="#E9EDF1", high="#2B3A49",
    attack="#8F6400", steep="#A7A6DC", deep="#5A57AE",
)  # fmt: skip
DARK = Palette(
    "dark", background="#12161C", ink="#F3F6F9", soft="#B4BFCB", faint="#333D49", panel="#1B212A",
    left_ink="#5DB7EA", unknown_ink="#E9A8CB", right_ink="#FF9B57", low="#2A333E", high="#E3E9EF",
    attack="#F2C14E", steep="#4C4A8C", deep="#9B99E6",
)  # fmt: skip

METHODS: dict[
    str, Method
] = {  # the same in every figure, notebook and theme; RF-TREANT is the strongest line
    "RF-TREANT": Method("#D1495B", "o", "-", 3.6),
    "RF-TREANT, text": Method("#D1495B", "o", (0, (4, 1.4)), 2.6),
    "RF": Method("#7A8794", "s", (0, (6, 2)), 1.8),
    "GBDT": Method("#8A6FB8", "^", (0, (3, 1.6)), 1.8),
    "AB": Method("#2E8BA8", "D", (0, (6, 2, 1.2, 2)), 1.8),
    "RT": Method("#9A7B2F", "v", (0, (1.4, 1.4)), 2.0),
    "RT, mended": Method("#9A7B2F", "P", (0, (4, 1.4, 1.2, 1.4)), 1.8),
}
FULL_NAMES = {  # what the paper's short names stand for
    "RF-TREANT": "TREANT forest",
    "RF": "random forest",
    "GBDT": "gradient boosting",
    "AB": "adversarial boosting",
    "RT": "robust trees",
}
_OTHERS = (
    Method("#4C86C6", "X", (0, (5, 1, 1, 1)), 1.8),
    Method("#5F9150", "h", (0, (3, 1, 1, 1, 1, 1)), 1.8),
    Method("#B8658F", "<", (0, (8, 2)), 1.8),
    Method("#A56A43", ">", (0, (2, 1)), 1.8),
)


def methods(labels: Iterable[str]) -> dict[str, Method]:
    """The looks of the methods of one figure; those that the table does not know get what is left, in their
    order.
    """
    given = list(dict.fromkeys(labels))
    strangers = [label for label in given if label not in METHODS]
    return {x: METHODS.get(x) or _OTHERS[strangers.index(x) % len(_OTHERS)] for x in given}


def method(label: str) -> Method:
    """The look of one method."""
    return methods([label])[label]


def mixed(a: str, b: str, share: float) -> str:
    """A colour between two, "#rrggbb" each: `share` of the second.

    >>> mixed("#000000", "#FFFFFF", 0.5)
    '#808080'
    """
    pairs = ((int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{int(x + share * (y - x) + 0.5):02X}" for x, y in pairs)


def contrast(a: str, b: str) -> float:
    """The contrast of two colours as WCAG 2 has it, from 1 to 21."""
    low, high = sorted((_luminance(a), _luminance(b)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


__all__ = [
    "DARK", "FULL_NAMES", "LIGHT", "METHODS", "ROLES", "Branch", "Method", "Palette", "Role", "contrast",
    "method", "methods", "mixed",
]  # fmt: skip
