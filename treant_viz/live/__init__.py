"""Explorers: interactive pictures for notebooks, pages and the app.

In a notebook they need anywidget (the extra "lab"), which is imported when the first one is shown.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "build_attacker": "explore.attacker",
    "explore_attack": "explore.attack",
    "explore_certificate": "explore.certificate",
    "explore_constraints": "explore.constraints",
    "explore_curves": "explore.curves",
    "explore_forest": "explore.forest",
    "explore_growth": "explore.growth",
    "explore_search": "explore.search",
    "explore_space": "explore.space",
    "explore_split": "explore.split",
    "explore_surface": "explore.surface",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treant_viz.live' has no attribute {name!r}")
    value = getattr(import_module(f"treant_viz.live.{_HOME[name]}"), name)
    globals()[name] = value
    return value
