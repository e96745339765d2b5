"""Explorers: pictures with controls, for notebooks (ipywidgets) and for the app. They only call displays.

They need ipywidgets and anywidget (the extra "lab"), which are imported with the first explorer.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "build_attacker": "attacker_form",
    "explore_attack": "explore.attack",
    "explore_constraints": "constraints",
    "explore_forest": "forest",
    "explore_growth": "explore.growth",
    "explore_split": "explore.split",
    "explore_surface": "surface",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treant_viz.live' has no attribute {name!r}")
    try:
        import_module("ipywidgets")
        import_module("anywidget")
    except ImportError as error:
        said = f"explorers need {error.name}, which is not installed: pip install 'treant-viz[lab]'"
        raise ImportError(said) from error
    value = getattr(import_module(f"treant_viz.live.{_HOME[name]}"), name)
    globals()[name] = value
    return value
