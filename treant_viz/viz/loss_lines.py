"""L and L^A against the threshold, one feature at a time: what the split search saw.

L (standard leaves, nobody attacks) is drawn solid with hollow circles, L^A (under attack) dashed with squares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from treant_viz.records import Candidates, frozen_array
from treant_viz.viz.canvas import Ink
from treant_viz.viz.palette import Palette
from treant_viz.viz.sides import Rows, losses, standard_leaves
from treant_viz.viz.text import name, number

MOST_MARKERS = 30  # beyond that, lines have no marker at each threshold
MOST_THRESHOLDS = 200  # beyond that, standard losses are worked out at evenly spaced ones only
ATTACKED = (0, (4, 1.5))


@dataclass(frozen=True, slots=True, eq=False)
class LossLine:
    """A feature's candidates: thresholds (numbers or categories), L, L^A, which share the least L^A of all, and which
    may be chosen (both children get rows)."""

    feature: str | int
    thresholds: tuple[Any, ...]
    categorical: bool
    plain: np.ndarray
    attacked: np.ndarray
    tied: np.ndarray
    admissible: np.ndarray

    def __len__(self) -> int:
        return len(self.thresholds)

    @property
    def best(self) -> int:
        """The place of the least L^A that may be chosen."""
        return int(np.argmin(np.where(self.admissible, self.attacked, np.inf)))

    @property
    def standard(self) -> int:
        """The place of the least L."""
        return int(np.argmin(self.plain))

    def taken(self, which: Sequence[int]) -> LossLine:
        """Some of the candidates."""
        i = list(which)
        parts = (frozen_array(x[i]) for x in (self.plain, self.attacked, self.tied, self.admissible))
        return LossLine(self.feature, tuple(self.thresholds[k] for k in i), self.categorical, *parts)

    def find(self, threshold: Any) -> int | None:
        """The place of a threshold among the candidates."""
        return self.thresholds.index(threshold) if threshold in self.thresholds else None

    def predicate(self, i: int) -> str:
        """The test, as it is drawn."""
        return predicate(self.feature, self.thresholds[i], self.categorical)


def predicate(feature: Any, threshold: Any, categorical: bool, longest: int = 24) -> str:
    """A test in words: "p <= 1"."""
    said = name(threshold, longest) if categorical else number(threshold)
    return f"{feature_name(feature, longest)} {'==' if categorical else '<='} {said}"


def feature_name(feature: Any, longest: int = 24) -> str:
    return name(feature, longest) if isinstance(feature, str) else f"x[{feature}]"


def recorded_lines(c: Candidates) -> Iterator[LossLine]:
    """The candidates of a trace, feature by feature."""
    for feature in dict.fromkeys(c.feature):
        line = recorded_line(c, feature)
        assert line is not None
        yield line


def recorded_line(c: Candidates, feature: Any) -> LossLine | None:
    """The candidates of a trace on one feature; None if there are none."""
    i = [k for k, f in enumerate(c.feature) if f == feature]
    if not i:
        return None
    tied = c.tied & bool(c.tied.sum() > 1)
    parts = (frozen_array(x) for x in (c.plain_loss[i], c.loss_under_attack[i], tied[i], c.admissible[i]))
    return LossLine(feature, tuple(c.threshold[k] for k in i), c.test[i[0]] == "==", *parts)


def standard_line(rows: Rows, v: float) -> LossLine:
    """L and L^A of the stump that an unaware learner would make of each threshold; v is among those shown."""
    values = np.unique(rows.value)
    shown = values if rows.column.categorical else values[:-1]
    if len(shown) > MOST_THRESHOLDS:
        some = np.linspace(0, len(shown) - 1, MOST_THRESHOLDS).astype(int)
        shown = shown[np.union1d(some, np.flatnonzero(shown == v))]
    part = rows.part(shown[:, None])
    y_l, y_r = (p[:, None] for p in standard_leaves(rows, part.home_left))
    plain, attacked = (frozen_array(x.sum(axis=1)) for x in losses(rows, part, y_l, y_r))
    parted = frozen_array(~part.home_left.all(axis=1))
    named = tuple(rows.categories[k] for k in shown) if rows.column.categorical else tuple(shown.tolist())
    return LossLine(rows.column.name, named, rows.column.categorical, plain, attacked, _least(attacked), parted)


def _least(loss: np.ndarray) -> np.ndarray:
    finite = loss[np.isfinite(loss)]
    scale = 1e-9 * float(finite.max()) if len(finite) else 0.0
    tied = loss <= float(loss.min(initial=np.inf)) + scale
    return frozen_array(tied & bool(tied.sum() > 1), bool)


def draw_line(
    ink: Ink, ax: Axes, line: LossLine, at: np.ndarray, *, upright: bool = True, attacked: bool = True
) -> None:
    """Both losses of a feature at the places `at`, upwards or sideways; ties for the least L^A are ringed.

    `attacked=False` leaves L^A out: nobody attacks, so it is L.
    """
    p = ink.palette
    curves = [("loss", line.plain, _plain(p)), ("attacked", line.attacked, _attacked(p))]
    for role, loss, look in curves if attacked else curves[:1]:
        shown = np.where(np.isfinite(loss), loss, np.nan)
        ink.keep(role, ax.plot(*_turned(at, shown, upright), **look | _bare(line))[0])
    if line.tied.any():
        ties = _turned(at[line.tied], line.attacked[line.tied], upright)
        ink.keep("tie", ax.plot(*ties, zorder=4, **tie_look(p))[0])


def ticks(ink: Ink, ax: Axes, line: LossLine, at: np.ndarray) -> None:
    """Ticks: the categories by name, or a few numbers."""
    if line.categorical:
        labels = [name(c, 22) for c in line.thresholds]
        ink.ticks(ax, "x", at.tolist(), labels, rotation=30, ha="right", rotation_mode="anchor")
        ax.set_xlim(-0.6, len(line) - 0.4)
    elif len(line) == 1:
        ink.ticks(ax, "x", at.tolist(), [number(at[0])])
    else:
        ax.locator_params(axis="x", nbins=4)


def _turned(at: np.ndarray, loss: np.ndarray, upright: bool) -> tuple[np.ndarray, np.ndarray]:
    return (at, loss) if upright else (loss, at)


def _bare(line: LossLine) -> dict[str, Any]:
    """Categories are not joined; many thresholds have no marker each."""
    if line.categorical:
        return {"linestyle": ""}
    return {} if len(line) <= MOST_MARKERS else {"marker": ""}


def _plain(p: Palette) -> dict[str, Any]:
    return {"color": p.soft, "linestyle": "-", "linewidth": 1.6, "marker": "o", "markersize": 10.0,
            "markerfacecolor": p.background, "markeredgewidth": 1.6}  # fmt: skip


def _attacked(p: Palette) -> dict[str, Any]:
    return {"color": p.ink, "linestyle": ATTACKED, "linewidth": 2.2, "marker": "s", "markersize": 5.5}


def tie_look(p: Palette) -> dict[str, Any]:
    return {"linestyle": "", "marker": "o", "markersize": 16.0, "markerfacecolor": "none", "color": p.ink,
            "markeredgewidth": 1.4}  # fmt: skip


def line_keys(p: Palette, attacked: str | None, *, tied: bool, bare: LossLine | None = None) -> list[Line2D]:
    """What stands for what, with words for L^A (None: it is not drawn); drawn as `bare` is, if it is given."""
    look = {} if bare is None else _bare(bare)
    keys = [Line2D([], [], label="L, standard leaves" if attacked else "L", **_plain(p) | look)]
    if attacked:
        keys.append(Line2D([], [], label=attacked, **_attacked(p) | look))
    least = "tied for the least L^A" if attacked else "tied for the least L"
    return [*keys, Line2D([], [], label=least, **tie_look(p))] if tied else keys


__all__ = ["LossLine", "draw_line", "feature_name", "line_keys", "predicate", "recorded_line",
           "recorded_lines", "standard_line", "ticks"]  # fmt: skip
