"""Where the notebooks and the stored results are: inside an installed package, or beside it in a clone."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parent
CLONE = {"notebooks": "notebooks", "results": "figures/results"}


def shipped(what: str) -> Path:
    """The folder of "notebooks" or "results"."""
    if what not in CLONE:
        raise ValueError(f"what: expected one of {list(CLONE)}, got {what!r}")
    for folder in (PACKAGE / what, PACKAGE.parent / CLONE[what]):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"{what}: neither in the package nor beside it; install treant-viz again")


__all__ = ["shipped"]
