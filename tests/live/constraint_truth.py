"""What constraints allow and what leaves then say, worked out from the losses' definitions alone."""

from __future__ import annotations

import math

import treant_viz as tv
from treant_viz.core.tree import Leaf, Node, replaced


class Truth:
    """A trace's leaves and trees with constraints off, worked out from the losses' definitions alone."""

    def __init__(self, trace) -> None:
        self.trace, self.log = trace, trace.loss.name == "log"
        self.low, self.high = (0, 1) if trace.loss.binary else (-math.inf, math.inf)
        self.known: dict = {}

    def hurt(self, p: float, y: float) -> float:
        if not self.log:
            return (p - y) ** 2
        q = p if y else 1 - p
        return -math.log(q) if q > 0 else math.inf

    def ends(self, c) -> list[float]:
        """Where the loss is gamma, within what may be predicted."""
        if self.log:
            q = math.exp(-c.gamma)
            return [q if c.y else 1 - q]
        both = [c.y - math.sqrt(c.gamma), c.y + math.sqrt(c.gamma)]
        return [p for p in both if self.low <= p <= self.high]

    def legal(self, constraints, p: float) -> bool:
        def holds(c):
            hurt, slack = self.hurt(p, c.y), 1e-9 * (1 + min(c.gamma, 1e9))
            return hurt <= c.gamma + slack if c.sense == "<=" else hurt >= c.gamma - slack

        return all(map(holds, constraints))

    def on(self, leaf: str, off) -> list:
        return [c for c in self.trace.at(leaf).constraints if (c.row, c.origin) not in off]

    def mean(self, leaf: str) -> float:
        return float(self.trace.y[self.trace.at(leaf).data.rows].mean())

    def says(self, path: str | None, leaf: str, off) -> float:
        """The legal value nearest to the mean; as the trace has it if no constraint of the leaf is off."""
        step, on = self.trace.at(leaf), self.on(leaf, off)
        if len(on) == len(step.constraints):
            up = self.trace.at(leaf[:-1]).split if leaf else None
            return step.leaf if path is None or up is None else up.y_l if leaf[-1] == "l" else up.y_r
        points = [self.mean(leaf), *(p for c in on for p in self.ends(c))]
        return min((p for p in points if self.legal(on, p)), key=lambda p: abs(p - self.mean(leaf)))

    def legal_ends(self, leaf: str, off) -> list[float]:
        """Values that are legal while one side of them is not."""
        on = self.on(leaf, off)
        points = sorted({round(p, 12) for c in on for p in self.ends(c) if self.legal(on, p)})
        return [p for p in points if not (self.legal(on, p - 1e-5) and self.legal(on, p + 1e-5))]

    def loss(self, leaf: str, p: float) -> float:
        return sum(self.hurt(p, y) for y in self.trace.y[self.trace.at(leaf).data.rows])

    def tree(self, path: str | None, off, at: str = ""):
        s = self.trace.at(at)
        if s.taken and (path is None or path.startswith(at)):
            below = (self.tree(path, off, at + side) for side in "lr")
            return Node(s.split.feature, s.split.threshold, *below, s.split.test)
        return Leaf(self.says(path, at, off))

    def caused(self, path: str | None, off, leaf: str, p: float) -> float:
        """What the attacker can cause if a leaf says p."""
        t, tree = self.trace, replaced(self.tree(path, off), leaf, Leaf(p))
        return tv.loss_under_attack(tree, t.X, t.y, t.attacker, t.loss.name)

    def leaves(self, path: str | None, at: str = "") -> list[str]:
        if self.trace.at(at).taken and (path is None or path.startswith(at)):
            return [p for side in "lr" for p in self.leaves(path, at + side)]
        return [at]

    def losses(self, path: str | None, off) -> tuple[float, float]:
        key = path, frozenset(off)
        if key not in self.known:
            t = self.trace
            counted = sum(self.loss(p, self.says(path, p, off)) for p in self.leaves(path))
            tree = self.tree(path, off)
            self.known[key] = counted, tv.loss_under_attack(tree, t.X, t.y, t.attacker, t.loss.name)
        return self.known[key]
