"""How long a step of a slider takes in every explorer, on a thousand wines: from the change to the new
picture.

Milliseconds are CPU time of one process, the median of several different steps after the first picture.
Without ipywidgets (the extra "lab") there are no explorers, and this is left out.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any, NamedTuple

from treant_viz.bench.measure import Result
from treant_viz.core.attacker.rules import Attacker, Interval
from treant_viz.datasets import load_wine
from treant_viz.estimators.trees import TreantClassifier, TreantForestClassifier

BOUND = 150.0  # milliseconds
TREES = 20


class Slider(NamedTuple):
    """A slider: its explorer's name and maker, the trait that it moves, and the values it takes."""

    what: str
    make: Callable[[], Any]
    trait: str
    values: Callable[[Any], Sequence[Any]]


def bench_explorers(rows: int, steps: int) -> Iterator[Result]:
    """`steps` steps of every slider, on `rows` wines."""
    if not find_spec("ipywidgets"):
        yield Result(
            "explorers",
            "left out: ipywidgets is not installed",
            0.0,
            " ms",
            note="pip install treant-viz[lab]",
        )
        return
    for case in _cases(Wine(rows)):
        start = time.process_time()
        explorer = case.make()
        first = 1e3 * (time.process_time() - start)
        yield _result(case, first, list(timed(explorer, case.trait, _spread(case.values(explorer), steps))))


def _result(case: Slider, first: float, times: Sequence[float]) -> Result:
    note = (
        f"{len(times)} steps: {min(times):.0f} to {max(times):.0f} ms; made, with its first "
        f"picture: {first:.0f} ms"
    )
    behind = {"first": first, "steps": len(times), "least": min(times), "most": max(times)}
    return Result("explorers", case.what, statistics.median(times), " ms", "<", BOUND, note, behind)


def timed(explorer: Any, trait: str, values: Sequence[Any]) -> Iterator[float]:
    """Milliseconds of each step that changes the picture."""
    for value in values:
        before, start = _shown(explorer), time.process_time()
        explorer.set_trait(trait, value)
        took = 1e3 * (time.process_time() - start)
        if _shown(explorer) in (None, before):
            raise RuntimeError(f"{type(explorer).__name__}: {trait}={value!r} makes no new picture")
        yield took


def _shown(explorer: Any) -> Any:
    """What the browser received; None if it was an error message."""
    if hasattr(explorer, "widget"):
        return explorer.widget.state
    return None if explorer.message.value else explorer.picture.value


def _spread(values: Sequence[Any], how_many: int) -> list[Any]:
    """Some of the values, evenly, in their order.

    >>> _spread("abcdefg", 3), _spread("ab", 3)
    (['a', 'c', 'e'], ['a', 'b'])
    """
    return list(values)[:: max(1, len(values) // how_many)][:how_many]


class Wine:
    """The data behind the explorers; models are trained when first needed."""

    def __init__(self, rows: int) -> None:
        data = load_wine()
        self.X, self.y, self.attacker = data.X_train[:rows], data.y_train[:rows], data.attacker
        self.some = self.attacker.with_budget(60)
        self.budgets = [5.0 * k for k in range(1, 12)]

    @cached_property
    def tree(self) -> Any:
        """A tree whose leaves have constraints."""
        return TreantClassifier(self.attacker.with_budget(20), "sse", max_depth=4).fit(self.X, self.y)

    @cached_property
    def naive(self) -> Any:
        """A tree that can be attacked."""
        return TreantClassifier(None, max_depth=4).fit(self.X, self.y)

    @cached_property
    def forest(self) -> Any:
        return TreantForestClassifier(TREES, attacker=None, max_depth=6, random_state=0).fit(self.X, self.y)

    def edited(self, explorer: Any) -> list[Attacker]:
        """The same attacker, but its first rule changes values by another amount."""
        first, *others = explorer.attacker.rules
        rules = [replace(first, delta=Interval(0.0, k / 20)) for k in range(1, 10)]
        return [Attacker([rule, *others], explorer.budget) for rule in rules]


def _cases(wine: Wine) -> list[Slider]:
    """Every slider."""
    return [*_split_cases(wine), *_tree_cases(wine), *_attack_cases(wine)]


def _split_cases(wine: Wine) -> list[Slider]:
    from treant_viz.live import build_attacker, explore_split

    def split(**state: Any) -> Any:
        return explore_split(wine.X, wine.y, wine.attacker, feature="alcohol", **state)

    def plan() -> Any:
        return split(view="robust")

    def values(e: Any) -> list[float]:
        """Those with rows on either side: others are no candidates."""
        return _others(e, "threshold", sorted(set(wine.X[e.feature].tolist()))[:-1])

    return [
        Slider("explore_split, threshold", split, "threshold", values),
        Slider("explore_split, budget", split, "budget", lambda e: wine.budgets),
        Slider("explore_split, threshold of a plan", plan, "threshold", values),
        Slider("explore_split, leaf of a plan", plan, "y_l", lambda e: [0.05 * k for k in range(1, 12)]),
        Slider(
            "build_attacker, change of a rule",
            lambda: build_attacker(wine.X, wine.attacker, y=wine.y),
            "attacker",
            wine.edited,
        ),
    ]


def _tree_cases(wine: Wine) -> list[Slider]:
    from treant_viz.live import explore_constraints, explore_growth, explore_surface

    def surface() -> Any:
        return explore_surface(wine.tree)

    starts = [k / 20 for k in range(21)]
    return [
        Slider(
            "explore_growth, step",
            lambda: explore_growth(wine.tree),
            "step",
            lambda e: range(1, len(e.trace)),
        ),
        Slider(
            "explore_constraints, switch",
            lambda: explore_constraints(wine.tree),
            "off",
            lambda e: [(row,) for row in e.rows],
        ),
        Slider("explore_surface, start", surface, "start_l", lambda e: _others(e, "start_l", starts)),
        Slider(
            "explore_surface, threshold",
            surface,
            "threshold",
            lambda e: _others(e, "threshold", e._thresholds()),
        ),
    ]


def _attack_cases(wine: Wine) -> list[Slider]:
    from treant_viz.live import explore_attack, explore_forest

    def tree() -> Any:
        return explore_attack(wine.naive, wine.X, wine.y, wine.some)

    def forest() -> Any:
        return explore_forest(wine.forest, wine.X, wine.y, wine.some)

    return [
        Slider("explore_attack, budget", tree, "budget", lambda e: wine.budgets),
        Slider("explore_attack, row", tree, "row", lambda e: _others(e, "row", range(len(wine.X)))),
        Slider("explore_attack, step", tree, "step", lambda e: range(e.moves + 1)),
        Slider(f"explore_forest of {TREES} trees, budget", forest, "budget", lambda e: wine.budgets),
        Slider(f"explore_forest of {TREES} trees, move", forest, "move", lambda e: range(e.moves + 1)),
    ]


def _others(explorer: Any, trait: str, values: Sequence[Any]) -> list[Any]:
    return [v for v in values if v != getattr(explorer, trait)]


__all__ = ["bench_explorers"]
