"""A node of a tree as it is drawn: words that are fit to be drawn, small drawings, marks; and how its edge
looks.

>>> Card(("1.5",), ("2 rows", "loss 2.5"), "leaf").words
('1.5', '2 rows', 'loss 2.5')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from matplotlib.axes import Axes

from treant_viz.core.tree import Node
from treant_viz.viz.style import typeface
from treant_viz.viz.style.pen import BODY, HEAD, Pen
from treant_viz.viz.style.text import counted, name, value
from treant_viz.viz.tree.layout import LayoutBox

PAD, LINE, RING = 11.0, 1.28, 4.5  # inner margin, line height in letters, distance of a ring
THEIRS = "up to the attacker"  # rows whose side they choose
SENT = "sent by the attacker"  # those of them that a leaf has
LEAST = 76.0  # width of a card, so that the labels of two edges have room side by side


class Inset(Protocol):
    """A small drawing inside a card, below its words; `text` is what it shows, in words."""

    @property
    def text(self) -> str: ...
    @property
    def width(self) -> float: ...
    @property
    def height(self) -> float: ...
    def draw(self, pen: Pen, ax: Axes, box: LayoutBox, scale: float, gid: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Card:
    """A node as it is drawn: its first lines are large, the details small; `below` is room left free under
    it, `floor` the least height.
    """

    head: tuple[str, ...]
    details: tuple[str, ...] = ()
    kind: Literal["test", "leaf", "stub"] = "test"
    insets: tuple[Inset, ...] = ()
    emphasis: bool = False
    faded: bool = False
    rings: int = 0
    below: float = 0.0
    least: float = LEAST
    floor: float = 0.0

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the card itself."""
        words = [typeface.width(s, HEAD, bold=True) for s in self.head]
        words += [typeface.width(s, BODY, bold=s.endswith((THEIRS, SENT))) for s in self.details]
        wide = max([*words, *(i.width for i in self.insets)], default=0.0)
        tall = LINE * (HEAD * len(self.head) + BODY * len(self.details)) + sum(i.height for i in self.insets)
        return max(wide + 2 * PAD, self.least), max(tall + 1.5 * PAD, self.floor)

    @property
    def words(self) -> tuple[str, ...]:
        """All that the card says, line by line."""
        return (*self.head, *self.details, *(i.text for i in self.insets))

    @property
    def taken(self) -> tuple[float, float]:
        """Width and height with rings (but for the gap above, where they have room) and what is left free
        below.
        """
        (wide, tall), ring = self.size, RING * self.rings
        return wide + 2 * ring, tall + ring + self.below


@dataclass(frozen=True, slots=True)
class EdgeLook:
    """How the edge into a node looks; what is None is as the branch has it. `label=""` leaves the label out;
    `at` is where it stands on the edge, 0 at the parent and 1 at the node."""

    label: str | None = None
    color: str | None = None
    width: float = 2.6
    style: Any = None
    faded: bool = False
    at: float = 0.55


def predicate_lines(node: Node, longest: int = 22, line: int = 18) -> tuple[str, ...]:
    """A test as it is drawn, in two lines if one of so many letters would be too long."""
    feature = name(node.feature if isinstance(node.feature, str) else f"x[{node.feature}]", longest)
    end = name(node.threshold, longest) if node.test == "==" else value(node.threshold)
    sign = "=" if node.test == "==" else "≤"
    if len(feature) + len(end) + 3 <= line:
        return (f"{feature} {sign} {end}",)
    return feature, f"{sign} {end}"


__all__ = ["LINE", "PAD", "RING", "SENT", "THEIRS", "Card", "EdgeLook", "Inset", "counted", "predicate_lines"]
