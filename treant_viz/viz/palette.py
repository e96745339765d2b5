"""Colours and second cues: what stands for what in every picture, in a light and in a dark theme.

A branch is told by colour, by texture and by letter, so that nothing depends on colour alone. Pictures take a palette
as an argument; no global setting is touched.

>>> LIGHT.branch("unknown")
Branch(letter='U', color='#CC79A7', hatch='////')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Role = Literal["left", "unknown", "right"]


class Branch(NamedTuple):
    """How a branch of a split looks: its letter, its colour, its texture ("" is a solid fill)."""

    letter: str
    color: str
    hatch: str


@dataclass(frozen=True, slots=True)
class Palette:
    """One theme. `ink` is text, `soft` is text of less weight, `faint` is what stays in the background."""

    name: str
    background: str
    ink: str
    soft: str
    faint: str
    left: str = "#0072B2"
    unknown: str = "#CC79A7"
    right: str = "#D55E00"
    feasible: str = "#009E73"
    loss: str = "cividis"

    @property
    def attacker(self) -> str:
        """The attacker is drawn in ink: black, or white in the dark."""
        return self.ink

    def branch(self, role: Role) -> Branch:
        """The look of "left", "unknown" or "right"."""
        letter, hatch = {"left": ("L", ""), "unknown": ("U", "////"), "right": ("R", "....")}[role]
        return Branch(letter, getattr(self, role), hatch)


LIGHT = Palette("light", background="#FFFFFF", ink="#000000", soft="#4D4D4D", faint="#D9D9D9")
DARK = Palette("dark", background="#14161A", ink="#FFFFFF", soft="#C2C6CC", faint="#3A3F47")

SERIES: tuple[tuple[str, str, Any], ...] = (  # models: a colour, a marker and a dash each
    ("#0072B2", "o", "-"),
    ("#D55E00", "s", "--"),
    ("#009E73", "^", "-."),
    ("#CC79A7", "D", ":"),
    ("#7F7F7F", "v", (0, (5, 1, 1, 1))),
    ("#B8860B", "P", (0, (1, 1))),
)

__all__ = ["DARK", "LIGHT", "SERIES", "Branch", "Palette", "Role"]
