"""What tests of the data sets share: loaders, parts, digests, and the authors' files if they are there."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from treant_viz.datasets import Dataset, build, load_census, load_credit, load_wine

AUTHORS_FILES = Path(os.environ.get("TREANT_VIZ_AUTHORS_FILES", "authors-files"))
needs_authors_files = pytest.mark.skipif(
    not AUTHORS_FILES.is_dir(),
    reason="the authors' files: set TREANT_VIZ_AUTHORS_FILES to their folder to compare",
)
needs_network = pytest.mark.skipif(
    os.environ.get("TREANT_VIZ_NETWORK") != "1", reason="downloads 30 MB: set TREANT_VIZ_NETWORK=1 to run"
)

LOADERS: dict[str, Callable[[str], Dataset]] = {
    "wine": load_wine,
    "census": load_census,
    "credit": load_credit,
}
BOTH = pytest.mark.parametrize("protocol", ["paper", "authors"])
EVERY = pytest.mark.parametrize("name", LOADERS)


def parts(d: Dataset) -> list[tuple[pd.DataFrame, np.ndarray]]:
    return [(d.X_train, d.y_train), (d.X_valid, d.y_valid), (d.X_test, d.y_test)]


def whole(d: Dataset) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = zip(*parts(d), strict=True)
    return pd.concat(X, ignore_index=True), np.concatenate(y)


def digest(X: pd.DataFrame, y: np.ndarray) -> str:
    """SHA-256 of all values, column by column: numbers bit for bit as little-endian doubles, text as text."""
    sha = hashlib.sha256()
    for column in X:
        values = X[column]
        numeric = pd.api.types.is_numeric_dtype(values)
        sha.update(values.to_numpy("<f8").tobytes() if numeric else "\n".join(map(str, values)).encode())
    sha.update(np.asarray(y, "<i1").tobytes())
    return sha.hexdigest()


def authors_files(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The authors' files end to end, labels as 0/1."""
    files = [AUTHORS_FILES / name / f"{part}.csv.bz2" for part in ("train", "valid", "test")]
    t = pd.concat([pd.read_csv(f, dtype=str, keep_default_na=False) for f in files], ignore_index=True)
    X = t.iloc[:, :-1].apply(lambda c: c.astype(float) if c.name not in build.TEXT_COLUMNS else c)
    return X, (t.iloc[:, -1].astype(int) > 0).to_numpy(int)
