"""Which displays have a live sister, so that their HTML page is the live picture in the same state."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from traitlets import TraitError

from treant_viz.viz.display import Display

SISTERS = {  # a display: the module in `explore` whose `of_display` makes its explorer
    "AttackPathDisplay": "attack",
    "CertificateDisplay": "certificate",
    "ConstraintsDisplay": "constraints",
    "FeatureSpaceDisplay": "space",
    "ForestVotesDisplay": "forest",
    "LossSurfaceDisplay": "surface",
    "RuleDisplay": "attacker",
    "RobustSplitDisplay": "split",
    "SecurityCurveDisplay": "curves",
    "SplitSearchDisplay": "search",
    "TernaryPartitionDisplay": "split",
    "TrainTestHeatmapDisplay": "curves",
    "TreeDisplay": "growth",
}


def explorer_of(display: Display) -> Any:
    """The live sister; None if there is none, or if it cannot show this (an unlimited budget, say)."""
    home = SISTERS.get(type(display).__name__)
    if home is None or display.source is None:
        return None
    try:
        return import_module(f"treant_viz.live.explore.{home}").of_display(display)
    except (TraitError, ValueError):  # what the explorer refuses stays a static page
        return None


def page_of(display: Display, theme: str) -> str | None:
    """A live page without a kernel; None if there is no live sister."""
    found = explorer_of(display)
    return None if found is None else str(found.page(theme, display))


__all__ = ["SISTERS", "explorer_of", "page_of"]
