"""A hand on a live picture: what the browser sends when a control is moved."""

from __future__ import annotations


def by_hand(explorer, **change) -> None:
    """As the browser sends it."""
    explorer.widget.state = {**explorer.widget.state, **change}
