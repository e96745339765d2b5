"""Explorers: pictures with controls, for notebooks (ipywidgets) and for the app. They only call displays.

They need ipywidgets (the extra "lab"), which is imported with the first explorer.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "build_attacker": "attacker_form",
    "explore_attack": "attack",
    "explore_constraints": "constraints",
    "explore_forest": "forest",
    "explore_growth": "growth",
    "explore_split": "split",
    "explore_surface": "surface",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'treant_viz.explore' has no attribute {name!r}")
    try:
        import_module("ipywidgets")
    except ImportError as error:
        raise ImportError("explorers need ipywidgets, which is not installed: pip install 'treant-viz[lab]'") from error
    value = getattr(import_module(f"treant_viz.explore.{_HOME[name]}"), name)
    globals()[name] = value
    return value
