"""Feature space: the regions of a tree in two features, rows with what the attacker can reach, and their
moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treant_viz.core.attacker.on_table import rule_categories
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import Schema
from treant_viz.core.tree import Leaf, Node, Tree, leaves
from treant_viz.viz.attack_path.facts import tree_of
from treant_viz.viz.display import Display
from treant_viz.viz.feature_space.dots import numbered
from treant_viz.viz.feature_space.facts import Region
from treant_viz.viz.feature_space.instances import Instance, Push, instances_of, pushes_of, sample
from treant_viz.viz.feature_space.planes import Plane, Planes, best_plane, given_plane
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import counted, name, number, value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FeatureSpaceDisplay(Display):
    """Regions, boxes and moves in the plane of two features; the others stand still at `fixed`.

    >>> import treant_viz as tv
    >>> toy = tv.load_toy()
    >>> standard = tv.TreantRegressor(min_samples_split=2, max_depth=2).fit(toy.X, toy.y)
    >>> display = tv.FeatureSpaceDisplay.from_tree(standard, toy.X, toy.y, toy.attacker)
    >>> display.title
    '2 of 7 rows can be pushed to a worse prediction: squared error 0.5 → 6.5'
    """

    features: tuple[str | int, str | int]
    categories: tuple[tuple[Any, ...] | None, tuple[Any, ...] | None]
    regions: tuple[Region, ...]
    instances: tuple[Instance, ...]
    others: np.ndarray
    others_label: np.ndarray
    others_hit: np.ndarray
    shown: int
    rows: int
    at_risk: int
    hit: int
    loss: float
    loss_under_attack: float
    budget: float
    fixed: tuple[tuple[str | int, Any], ...]
    span: tuple[float, float]
    pushes: tuple[Push, ...] = ()
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_tree(
        cls,
        tree: Any,
        X: Any,
        y: Any,
        attacker: Attacker,
        features: Sequence[Any] | None = None,
        *,
        rows: Sequence[int] | None = None,
        fixed: Mapping[Any, Any] | None = None,
    ) -> FeatureSpaceDisplay:
        """The plane of two features, by default the one in which the attack hurts most rows.

        `tree`: a Leaf or a Node, or a fitted tree of ours or of scikit-learn; then y may be its classes.
        The other features are held at `fixed`, else at their medians and most frequent categories. Rows for
        which the tree looks different in this plane, because of their other features, are only hinted at.
        """
        data = planes_of(tree, X, y, attacker, fixed)
        chosen, labels = rows_in(rows, len(data.M)), data.y
        keep = best_plane(data, chosen) if features is None else given_plane(data.schema, features)
        seen, points = data.plane(keep, chosen), data.points(keep, chosen)
        drawn = sample(seen, points, labels)
        across, up = (data.schema.columns[f] for f in keep)
        return cls(
            (across.name, up.name),
            (across.categories, up.categories),
            seen.regions,
            instances_of(drawn, points, labels, seen, X),
            *_others([i for i in seen.same if i not in set(drawn)], seen, points, labels),
            *(len(seen.same), len(chosen), len(seen.risk), len(seen.moves)),
            *seen.losses,
            attacker.budget,
            _still(data.schema, seen.row, keep),
            span_of(data),
            pushes_of(seen, points, labels),
            {"tree": tree, "X": X, "y": y, "attacker": attacker, "rows": rows, "fixed": fixed},
        )

    @property
    def title(self) -> str:
        if not self.shown:
            return f"No row sees the tree as it looks in this plane of {self._axes}"
        rows = counted(self.shown, "row")
        if not self.at_risk:
            return f"No row can be pushed across a border here: none of {rows} is at risk"
        if not self.hit:
            return (
                f"{self.at_risk:,} of {rows} can be pushed across a border, but no push there costs anything"
            )
        change = f"squared error {number(self.loss)} → {number(self.loss_under_attack)}"
        return f"{self.hit:,} of {rows} can be pushed to a worse prediction: {change}"

    @property
    def subtitle(self) -> str:
        money = number(self.budget)
        if not self.at_risk:
            return (
                f"The attacker may spend {money} on a row. Try more budget, or features that rules touch; "
                "the shading is what the tree predicts."
            )
        if not self.hit:
            return f"Lines are all that the attacker can make of a row for {money}."
        where = (
            "; each dot has its true label in it" if numbered(self) else "; a dashed ring is where it lands"
        )
        return f"The hatched band is all that the attacker can make of a row for {money}{where}."

    @property
    def _axes(self) -> str:
        return f"{name(self.features[0])} and {name(self.features[1])}"

    @property
    def alt_text(self) -> str:
        predictions = sorted({r.prediction for r in self.regions})
        hidden = self.rows - self.shown
        drawn = sum(len(i.rows) for i in self.instances)
        note = f" {hidden} other rows differ in features that are not shown." if hidden else ""
        still = f" Held still: {self.still()}." if self.fixed else ""
        return (
            f"The plane of {self._axes} with {len(self.regions)} regions, where the tree predicts "
            f"{', '.join(number(p) for p in predictions[:8])}{' and more' * (len(predictions) > 8)}. "
            f"Of {self.shown} instances, "
            f"{self.at_risk} can be moved across a border within a budget of {number(self.budget)}, "
            f"and {self.hit} of "
            f"them so that the loss grows. {drawn} instances are drawn "
            f"with what the attacker can reach.{note}{still}"
        )

    def slice(self, beyond: int = 0, fits: Callable[[str], bool] = lambda text: True) -> str:
        """One line on what stands still, and who is not shown; `beyond`: so many rows are off the plane. As
        many features are named as fit.
        """
        hidden = self.rows - self.shown
        gone = [f"{counted(hidden, 'row')} {'sees' if hidden == 1 else 'see'} other borders and "
                f"{'is' if hidden == 1 else 'are'} not shown"] * bool(hidden)  # fmt: skip
        if beyond:
            gone.append(f"{counted(beyond, 'row')} beyond the edges")
        chosen = bool(self.source and self.source["fixed"]) or len(self.fixed) <= 2
        text = ""
        for n in (4, 3, 2, 1, 0) if chosen else (0,):
            still = f"Held still: {self.still(n)}" if n else "Other features stay at typical values"
            text = "; ".join([*[still] * bool(self.fixed), *gone])
            if fits(text):
                break
        return text

    def still(self, most: int = 4) -> str:
        """The features that are not shown, and where they stand."""
        tested = [f"{name(f, 20)} = {name(value(v), 20)}" for f, v in self.fixed[:most]]
        more = len(self.fixed) - len(tested)
        if not tested:
            return f"typical values of {more} other features"
        return ", ".join(tested) + (f" and {more} more" if more > 0 else "")

    @property
    def summary(self) -> str:
        lines = [
            f"  rows {', '.join(map(str, i.rows))}: ({', '.join(self._at(i.at))}), label {number(i.label)}"
            f"{', at risk' * i.at_risk}"
            f"{'' if i.moved_to is None else f', moved to ({self._pair(i.moved_to)})'}"
            for i in self.instances
        ]
        return "\n".join([self.title, self.alt_text, *lines])

    def _pair(self, at: tuple[float, float]) -> str:
        return ", ".join(self._at(at))

    def _at(self, at: tuple[float, float]) -> list[str]:
        return [name(value(_value(c, v))) for c, v in zip(self.categories, at, strict=True)]

    def _draw(self, pen: Pen, target: Target) -> None:
        from treant_viz.viz.feature_space.draw import draw

        draw(self, pen, target)


def planes_of(tree: Any, X: Any, y: Any, attacker: Attacker, fixed: Mapping[Any, Any] | None) -> Planes:
    """A tree, rows and an attacker, checked, to be looked at in any plane."""
    schema, M, labels = _data(X, _numbers(y, getattr(tree, "classes_", None)), attacker)
    return Planes(_tree(tree), X, labels, schema, M, attacker, fixed)


def _tree(tree: Any) -> Tree:
    if isinstance(tree, (Leaf, Node)):
        return tree
    if not hasattr(tree, "tree_"):
        raise TypeError(
            f"tree: expected a Leaf or a Node, or a fitted tree estimator, got {type(tree).__name__}"
        )
    return tree_of(tree, "tree")


def _numbers(y: Any, classes: Any) -> Any:
    """Labels as a classifier knows them as 0 and 1; all others as they are."""
    known = None if classes is None else list(classes)
    if known is None or not set(np.asarray(y).tolist()) <= set(known):
        return y
    return [float(known.index(v)) for v in np.asarray(y).tolist()]


def span_of(data: Planes) -> tuple[float, float]:
    """The ends of the scale of predictions: 0 and 1 where all is between, else the least and the greatest."""
    every = [leaf.prediction for _, leaf in leaves(data.t)] + [float(data.y.min()), float(data.y.max())]
    low, high = min(every), max(every)
    return (0.0, 1.0) if low >= 0.0 and high <= 1.0 else (low, high)


def _data(X: Any, y: Any, attacker: Attacker) -> tuple[Schema, np.ndarray, np.ndarray]:
    if not isinstance(attacker, Attacker):
        raise TypeError(f"attacker: expected an Attacker, got {attacker!r}")
    schema = Schema.of(X)
    schema = schema.with_categories(rule_categories(attacker, schema.index))
    M = schema.matrix(X)
    try:
        labels = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        raise TypeError("y: expected numbers (classes as 0 and 1)") from None
    if labels.shape != (len(M),) or not len(M) or not np.isfinite(labels).all():
        raise ValueError(
            f"y: expected {len(M)} finite labels, at least one, got an array of shape {labels.shape}"
        )
    return schema, M, labels


def rows_in(rows: Sequence[int] | None, n: int) -> list[int]:
    """The places of the rows to show: all, or those that are given."""
    if rows is None:
        return list(range(n))
    chosen = [int(r) for r in rows]
    if strange := [r for r in chosen if not 0 <= r < n]:
        raise ValueError(f"rows: expected places from 0 to {n - 1}, got {strange[0]}")
    if not chosen:
        raise ValueError("rows: expected at least one row, got none")
    return chosen


def _still(schema: Schema, row: np.ndarray, keep: tuple[int, int]) -> tuple[tuple[str | int, Any], ...]:
    """The columns that stand still, and at what."""
    held = [j for j in range(len(row)) if j not in keep]
    return tuple((schema.columns[j].name, _value(schema.columns[j].categories, row[j])) for j in held)


def _others(
    rest: list[int], seen: Plane, points: Mapping[int, tuple[float, float]], labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows that are only dots: where, their labels, whether the attack hurts them."""
    hurt = np.array([i in seen.moves for i in rest], dtype=bool)
    return np.array([points[i] for i in rest]).reshape(-1, 2), labels[rest], hurt


def _value(categories: tuple[Any, ...] | None, v: float) -> Any:
    return float(v) if categories is None or not math.isfinite(v) else categories[int(v)]


__all__ = ["FeatureSpaceDisplay", "Instance", "planes_of", "rows_in", "span_of"]
