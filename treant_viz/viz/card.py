"""A node of a tree as it is drawn: words that are fit to be drawn, small drawings, marks; and how its edge looks.

>>> Card(("1.5",), ("2 rows", "loss 2.5"), "leaf").words
('1.5', '2 rows', 'loss 2.5')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from matplotlib.axes import Axes

from treant_viz.tree import Node
from treant_viz.viz import lettering
from treant_viz.viz.canvas import BODY, SMALL, Ink
from treant_viz.viz.layout import Box
from treant_viz.viz.text import name, number

PAD, LINE, RING = 8.0, 1.3, 4.5  # inner margin, line height in letters, distance of a ring
LEAST = 76.0  # width of a card, so that the labels of two edges have room side by side


class Inset(Protocol):
    """A small drawing inside a card, below its words; `said` is what it shows, in words."""

    @property
    def said(self) -> str: ...
    @property
    def width(self) -> float: ...
    @property
    def height(self) -> float: ...
    def draw(self, ink: Ink, ax: Axes, box: Box, scale: float, gid: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Card:
    """A node as it is drawn: its first lines are large, the details small; `below` is room left free under it."""

    head: tuple[str, ...]
    details: tuple[str, ...] = ()
    kind: Literal["test", "leaf", "stub"] = "test"
    insets: tuple[Inset, ...] = ()
    emphasis: bool = False
    faded: bool = False
    rings: int = 0
    below: float = 0.0
    least: float = LEAST

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the card itself."""
        words = [lettering.width(s, BODY, bold=True) for s in self.head]
        words += [lettering.width(s, SMALL) for s in self.details]
        wide = max([*words, *(i.width for i in self.insets)], default=0.0)
        tall = LINE * (BODY * len(self.head) + SMALL * len(self.details)) + sum(i.height for i in self.insets)
        return max(wide + 2 * PAD, self.least), tall + 1.5 * PAD

    @property
    def words(self) -> tuple[str, ...]:
        """All that the card says, line by line."""
        return (*self.head, *self.details, *(i.said for i in self.insets))

    @property
    def taken(self) -> tuple[float, float]:
        """Width and height with rings (but for the gap above, where they have room) and what is left free below."""
        (wide, tall), ring = self.size, RING * self.rings
        return wide + 2 * ring, tall + ring + self.below


@dataclass(frozen=True, slots=True)
class EdgeLook:
    """How the edge into a node looks; what is None is as the branch has it. `label=""` leaves the label out; `at` is
    where it stands on the edge, 0 at the parent and 1 at the node."""

    label: str | None = None
    color: str | None = None
    width: float = 2.6
    style: Any = None
    faded: bool = False
    at: float = 0.55


def counted(n: int, what: str) -> str:
    """A number of things: "1 row", "2 rows"."""
    return f"{n} {what}{'s' * (n != 1)}"


def said_test(node: Node, longest: int = 22) -> tuple[str, ...]:
    """A test as it is drawn, in two lines if one would be too long."""
    feature = name(node.feature if isinstance(node.feature, str) else f"x[{node.feature}]", longest)
    value = name(node.threshold, longest) if node.test == "==" else number(node.threshold)
    sign = "=" if node.test == "==" else "≤"
    if len(feature) + len(value) + 3 <= 18:
        return (f"{feature} {sign} {value}",)
    return feature, f"{sign} {value}"


__all__ = ["LINE", "PAD", "RING", "Card", "EdgeLook", "Inset", "counted", "said_test"]
