"""What the attacker can cause if a leaf says something else: the loss under attack along the number line.

A trial is known by a key: what is off (of what holds this tree), the tree, and the leaf, as in "0,3|r|rl".
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from treant_viz.viz.facts import exact
from treant_viz.viz.leaf_constraints.live_facts import POINTS, WHOLE, Trees
from treant_viz.viz.leaf_constraints.switches import Made

WHOLE_ROOM, ROOM = 270_000, 100_000  # letters of all facts, of trials
Trial = list[float | None]


def trial(trees: Trees, path: str | None, leaf: str, off: Collection[Made]) -> Trial:
    """The loss under attack of a tree for predictions of one leaf from end to end; null is infinite."""
    says, attacks = trees.predictions(path, off), trees.attacks(path)
    points, budget = np.linspace(*trees.ends, POINTS), trees.trace.attacker.budget
    return [exact(v) for v in attacks.totals_along(says, attacks.number[leaf], points, budget)]


def key_of(trees: Trees, path: str | None, leaf: str, off: Collection[Made]) -> str:
    """By what the browser finds a trial."""
    stands = trees.tree(path)[1].values()
    held = {(c.row, c.origin) for stand in stands for c in stand.constraints}
    places = sorted(trees.made.index(m) for m in held.intersection(off))
    return f"{','.join(map(str, places))}|{WHOLE if path is None else path}|{leaf}"


def tabulated_trials(
    trees: Trees, states: Sequence[Collection[Made]], first: str | None, taken: int
) -> dict[str, Trial]:
    """Trials while there is room beside what is taken, first those of the first tree; none with weights."""
    out: dict[str, Trial] = {}
    if trees.trace.options.get("weight") is not None:
        return out
    room = min(ROOM, WHOLE_ROOM - taken)
    for path, leaf, off in _all(trees, states, first):
        key = key_of(trees, path, leaf, off)
        if key in out:
            continue
        found = trial(trees, path, leaf, off)
        room -= len(json.dumps(found))
        if room < 0:
            break
        out[key] = found
    return out


def _all(
    trees: Trees, states: Sequence[Collection[Made]], first: str | None
) -> Iterator[tuple[str | None, str, Collection[Made]]]:
    for off in states:
        for path in dict.fromkeys([first, None, *trees.splits]):
            for leaf in trees.tree(path)[1]:
                yield path, leaf, off


__all__ = ["key_of", "tabulated_trials", "trial"]
