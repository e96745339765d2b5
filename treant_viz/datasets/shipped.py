"""What comes with the package: UCI's tables, and where the notebooks and the stored results are.

The tables are xz-compressed CSV files, described and sealed by `data/manifest.json`. It names for each
table its file, SHA-256, number of rows, columns with their types, source, citation and licence. Types
come from there, never from the values. `treant_viz.datasets.build` writes the files.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import lzma
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

PACKAGE = Path(__file__).parents[1]
CLONE = {"notebooks": "notebooks", "results": "figures/results"}

HERE: Traversable = files("treant_viz.datasets")
DATA = HERE / "data"
MISSING = "?"


def shipped(what: str) -> Path:
    """The folder of "notebooks" or "results"."""
    if what not in CLONE:
        raise ValueError(f"what: expected one of {list(CLONE)}, got {what!r}")
    for folder in (PACKAGE / what, PACKAGE.parent / CLONE[what]):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"{what}: neither in the package nor beside it; install treant-viz again")


@cache
def table(name: str) -> pd.DataFrame:
    """UCI's table `name`, read once. Shared by all callers: take copies, change nothing."""
    return read_table(name, DATA)


def read_table(name: str, folder: Traversable) -> pd.DataFrame:
    """A table from a folder with a manifest; a file that is not the one described there is refused."""
    entry = read_manifest(folder)[name]
    path = folder / entry["file"]
    header, *rows = csv.reader(io.StringIO(_unpack(path, entry["sha256"]), newline=""))
    if (len(rows), header) != (entry["rows"], list(entry["columns"])):
        raise ValueError(
            f"{path}: expected {entry['rows']} rows of the columns in the manifest, got {len(rows)}"
        )
    columns = zip(entry["columns"].items(), zip(*rows, strict=True), strict=True)
    return pd.DataFrame({column: _typed(values, kind) for (column, kind), values in columns})


def read_manifest(folder: Traversable = DATA) -> dict[str, Any]:
    """The manifest: one entry a table."""
    entries: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return entries


def _unpack(path: Traversable, sha256: str) -> str:
    packed = path.read_bytes()
    found = hashlib.sha256(packed).hexdigest()
    if found != sha256:
        raise ValueError(
            f"{path}: damaged: its SHA-256 is {found}, expected {sha256}; install treant_viz again"
        )
    return lzma.decompress(packed).decode("utf-8")


def _typed(values: Sequence[str], kind: str) -> pd.Series:
    """Numbers as float64; text as categories, in alphabetical order, with UCI's "?" as missing."""
    if kind == "number":
        return pd.Series(np.array(values, dtype=float))
    categories = sorted(set(values) - {MISSING})
    code = {category: i for i, category in enumerate(categories)} | {MISSING: -1}
    return pd.Series(pd.Categorical.from_codes([code[v] for v in values], categories=pd.Index(categories)))


__all__ = ["DATA", "HERE", "read_manifest", "read_table", "shipped", "table"]
