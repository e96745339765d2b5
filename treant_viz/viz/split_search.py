"""Split search: L and L^A of every candidate test, and whether the standard and the robust learner choose the same."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from treant_viz.records import Candidates
from treant_viz.trace import Trace
from treant_viz.viz.canvas import BODY, SMALL, Ink, Target, panels
from treant_viz.viz.card import counted
from treant_viz.viz.display import Display
from treant_viz.viz.loss_lines import LossLine, draw_line, feature_name, line_keys, predicate, recorded_lines, ticks
from treant_viz.viz.text import number
from treant_viz.viz.tree_facts import attacked

MOST_FEATURES = 6
MOST_CATEGORIES = 8
ACROSS = 3  # features beside each other


@dataclass(frozen=True, slots=True)
class Choice:
    """A test, its L (standard leaves) and its L^A (robust leaves)."""

    feature: str | int
    threshold: Any
    categorical: bool
    loss: float
    loss_under_attack: float

    def __str__(self) -> str:
        return predicate(self.feature, self.threshold, self.categorical)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SplitSearchDisplay(Display):
    """Every candidate of a step, feature by feature (the best ones first).

    `robust` and `standard` have the least L^A and the least L; `ties` are the tests as good as `robust`; `taken` and
    `reason` say what became of the node. If nobody attacks, L^A is L: then `attacked` is False, and only L is shown.
    """

    path: str
    lines: tuple[LossLine, ...]
    robust: Choice | None
    standard: Choice
    ties: tuple[str, ...]
    leaf_loss: float
    taken: bool
    reason: str
    attacked: bool = True

    @classmethod
    def from_trace(cls, trace: Trace, path: str = "") -> SplitSearchDisplay:
        step = trace.at(path)
        c = step.candidates
        if c is None or not len(c):
            raise ValueError(f"path {path!r}: no test was tried there ({step.reason})")
        lines = sorted(recorded_lines(c), key=_least)
        tied = np.flatnonzero(c.tied)
        robust = _choice(c, int(tied[0])) if len(tied) else None
        standard = _choice(c, _first_least(c.plain_loss))
        ties = tuple(str(_choice(c, int(i))) for i in tied[1:])
        end = step.leaf_loss, step.taken, step.reason, attacked(trace)
        return cls(path, _front(lines, standard), robust, standard, ties, *end)

    @property
    def shown(self) -> tuple[LossLine, ...]:
        """The features that are drawn."""
        return self.lines[:MOST_FEATURES]

    @property
    def size(self) -> tuple[float, float]:  # type: ignore[override]
        """A row of panels for every three features."""
        rows = [self.shown[k : k + ACROSS] for k in range(0, len(self.shown), ACROSS)]
        return 12.5, 1.6 + sum(3.7 if any(x.categorical for x in row) else 3.0 for row in rows)

    @property
    def same(self) -> bool:
        """Do the standard and the robust learner choose the same test?"""
        r, s = self.robust, self.standard
        return r is not None and (r.feature, r.threshold) == (s.feature, s.threshold)

    @property
    def title(self) -> str:
        r, s, stays = self.robust, self.standard, "" if self.taken else ", but the node stays a leaf"
        if not self.attacked:
            return self._plain_title() + stays
        if r is None:
            return f"No test leaves rows on both sides under attack; the standard choice would be {s}"
        if self.same:
            return f"Standard choice and robust choice agree here: {r}{stays}"
        return f"Standard choice ({s}) and robust choice ({r}) differ here{stays}"

    def _plain_title(self) -> str:
        """The takeaway if nobody attacks."""
        s, n = self.standard, sum(map(len, self.lines))
        if self.ties:
            return f"{1 + len(self.ties)} of {n:,} tests share the least L = {number(s.loss, 5)}: the first is {s}"
        return f"The best of {n:,} tests is {s}: L = {number(s.loss, 5)}"

    @property
    def alt_text(self) -> str:
        what = "L and L^A" if self.attacked else "L"
        n, where = sum(map(len, self.lines)), self.path or "the root"
        said = [f"{what} of {n:,} tests on {len(self.lines)} features at {where}.", f"{self.title}."]
        if self.attacked:
            said.append(f"The standard choice has L = {number(self.standard.loss)}.")
        if self.attacked and self.robust is not None:
            said.append(f"The robust choice has L^A = {number(self.robust.loss_under_attack)}.")
        if self.ties:
            said.append(f"Tied with it: {_some(self.ties)}.")
        return " ".join([*said, f"One leaf costs {number(self.leaf_loss)}."])

    @property
    def summary(self) -> str:
        lines = [f"{feature_name(x.feature)}: {counted(len(x), 'test')}, {self._bests(x)}" for x in self.lines]
        best = "the robust choice" if self.attacked else "the best test"
        ties = [f"tied with {best}: {_some(self.ties)}"] if self.ties else []
        return "\n".join([self.title, *lines, *ties, f"one leaf: {number(self.leaf_loss)}; {self.reason}"])

    def _draw(self, ink: Ink, target: Target) -> None:
        """Two rows of features in a figure; in an Axes one, under room for its title."""
        inside = isinstance(target, Axes)
        lines = self.shown[: ACROSS if inside else MOST_FEATURES]
        head, rows = [0.02] * inside, math.ceil(len(lines) / ACROSS)
        grid = panels(target, ink, [*head, *[1.0] * rows, 0.2], [1.0] * min(len(lines), ACROSS), gap=0.14)
        cells = [ax for row in grid[len(head) : -1] for ax in row]
        for ax in (*(ax for row in grid[: len(head)] for ax in row), *cells[len(lines) :], *grid[-1]):
            ax.set_axis_off()
        self._panels(ink, cells, lines)
        self._key(ink, grid[-1][0])
        self._rest(ink, grid[-1][-1], len(self.lines) - len(lines))

    def _panels(self, ink: Ink, cells: list[Axes], lines: tuple[LossLine, ...]) -> None:
        limits = self._limits()
        for k, (ax, line) in enumerate(zip(cells, lines, strict=False)):
            self._panel(ink, ax, line)
            ax.set_ylim(*limits)
            if k % ACROSS == 0:
                ax.set_ylabel("loss", fontsize=BODY, color=ink.palette.ink)
            else:
                ax.tick_params(axis="y", labelleft=False)

    def _limits(self) -> tuple[float, float]:
        """The same for all features, so that they can be compared."""
        values = np.concatenate([x for line in self.shown for x in (line.plain, line.attacked)])
        values = np.append(values[np.isfinite(values)], self.leaf_loss)
        low, high = float(values.min()), float(values.max())
        room = 0.08 * (high - low) or 1.0
        return low - room, high + room

    def _panel(self, ink: Ink, ax: Axes, line: LossLine) -> None:
        """A feature: its lines (or dots), the leaf's loss, and the choices."""
        ink.style(ax)
        line = _best_categories(line, self.standard) if line.categorical else line
        at = np.arange(len(line), dtype=float) if line.categorical else np.asarray(line.thresholds, dtype=float)
        ink.keep("leaf", ax.axhline(self.leaf_loss, color=ink.palette.soft, linewidth=1.2, linestyle=":", zorder=1))
        draw_line(ink, ax, line, at, attacked=self.attacked)
        self._choices(ink, ax, line, at)
        ticks(ink, ax, line, at)
        look: dict[str, Any] = {"loc": "left", "fontsize": SMALL, "color": ink.palette.ink, "parse_math": False}
        ink.keep("feature", ax.set_title(f"{feature_name(line.feature, 30)}\n{self._bests(line)}", **look))

    def _choices(self, ink: Ink, ax: Axes, line: LossLine, at: np.ndarray) -> None:
        choices = (("robust", self.robust), ("standard", self.standard))
        for role, choice in choices if self.attacked else choices[1:]:
            k = line.find(choice.threshold) if choice is not None and choice.feature == line.feature else None
            if k is not None:
                loss = line.attacked[k] if role == "robust" else line.plain[k]
                ink.keep(f"{role} choice", ax.plot([at[k]], [loss], **_mark(ink, role))[0])

    def _key(self, ink: Ink, ax: Axes) -> None:
        """What stands for what, under all panels."""
        keys = line_keys(ink.palette, "L^A, robust leaves" if self.attacked else None, tied=bool(self.ties))
        marks = {"robust": "robust choice: least L^A", "standard": "standard choice: least L"}
        marks = marks if self.attacked else {"standard": "the best test"}
        keys += [Line2D([], [], label=said, **_mark(ink, role)) for role, said in marks.items()]
        keys.append(Line2D([], [], label="one leaf", color=ink.palette.soft, linewidth=1.2, linestyle=":"))
        where: dict[str, Any] = {"loc": "upper left", "ncol": 3, "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.0}
        ink.legend(ax, keys, **where).set_in_layout(False)

    def _bests(self, line: LossLine) -> str:
        """The least losses of a feature."""
        least = f"least L {number(line.plain[line.standard], 5)}"
        return f"{least}, least L^A {number(line.attacked[line.best], 5)}" if self.attacked else least

    def _rest(self, ink: Ink, ax: Axes, more: int) -> None:
        """How many features are not drawn."""
        if more:
            said = f"and {more} more feature{'s' * (more != 1)}"
            ink.text(ax, 1.0, 0.9, said, "more", transform=ax.transAxes, ha="right", va="top").set_in_layout(False)


def _least(line: LossLine) -> float:
    return float(line.attacked[line.best]) if line.admissible.any() else math.inf


def _front(lines: list[LossLine], standard: Choice) -> tuple[LossLine, ...]:
    """The best features first; the feature of the standard choice is in the first row of panels."""
    k = next(i for i, x in enumerate(lines) if x.feature == standard.feature)
    if k >= ACROSS:
        lines.insert(ACROSS - 1, lines.pop(k))
    return tuple(lines)


def _first_least(loss: np.ndarray) -> int:
    """The first of the least losses, up to rounding."""
    finite = loss[np.isfinite(loss)]
    return int(np.argmax(loss <= finite.min() + 1e-9 * finite.max())) if len(finite) else 0


def _choice(c: Candidates, i: int) -> Choice:
    numbers = (float(c.plain_loss[i]), float(c.loss_under_attack[i]))
    return Choice(c.feature[i], c.threshold[i], c.test[i] == "==", *numbers)


def _best_categories(line: LossLine, standard: Choice) -> LossLine:
    """The best categories by L^A; the standard choice is among them."""
    order = np.argsort(line.attacked, kind="stable").tolist()
    k = line.find(standard.threshold) if standard.feature == line.feature else None
    front = order[:MOST_CATEGORIES]
    return line.taken(front if k is None or k in front else [*front[:-1], k])


def _mark(ink: Ink, role: str) -> dict[str, Any]:
    p = ink.palette
    common: dict[str, Any] = {"linestyle": "", "zorder": 6}
    if role == "robust":
        return common | {"marker": "*", "markersize": 17.0, "color": p.ink, "markeredgecolor": p.background}
    return common | {"marker": "D", "markersize": 12.0, "markerfacecolor": "none", "color": p.ink, "markeredgewidth": 2}


def _some(tests: tuple[str, ...], most: int = 3) -> str:
    more = f" and {len(tests) - most} more" if len(tests) > most else ""
    return ", ".join(tests[:most]) + more


__all__ = ["Choice", "SplitSearchDisplay"]
