"""From UCI's tables to features, labels and rows of train, validation and test: the two protocols.

"paper" follows the text: UCI's values, a stratified 60-20-20 split. "authors" rebuilds the authors' files:
their preprocessing, their order of rows, and the cut at 60 % and 80 % of it behind the published numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from treant_viz.datasets.shipped import table

SEED = 42
BINS = 128


class Prepared(NamedTuple):
    """Features and 0/1 labels of all rows, and which rows are train, validation and test."""

    X: pd.DataFrame
    y: np.ndarray
    parts: tuple[np.ndarray, np.ndarray, np.ndarray]


def prepare(name: str, protocol: str) -> Prepared:
    """The data set `name` under a protocol."""
    X, y = FEATURES_AND_LABELS[name]()
    return paper(X, y) if protocol == "paper" else AUTHORS[name](X, y)


def wine() -> tuple[pd.DataFrame, np.ndarray]:
    """White wines, then red ones; good is a quality of at least 6 (paper, "Datasets and Threat Models")."""
    t = table("wine")
    return t.drop(columns="quality"), (t["quality"] >= 6).to_numpy(dtype=int)


def census() -> tuple[pd.DataFrame, np.ndarray]:
    """UCI's train file, then its test file, gaps included; no `education`: `education_num` says it."""
    t = table("census")
    label = "income_greater_than_50k"
    return t.drop(columns=["education", "is_test", label]), t[label].to_numpy(dtype=int)


def credit() -> tuple[pd.DataFrame, np.ndarray]:
    """All clients in file order, without their ID."""
    t = table("credit")
    label = "default.payment.next.month"
    return t.drop(columns=["ID", label]), t[label].to_numpy(dtype=int)


def paper(X: pd.DataFrame, y: np.ndarray) -> Prepared:
    """Rows with missing values dropped; 60-20-20, stratified on the label, with a fixed seed."""
    rows = complete(X, np.arange(len(X)))
    first, second = cuts(len(rows))
    rest, test = split(rows, len(rows) - second, y)
    train, valid = split(rest, second - first, y)
    return Prepared(X, y, (train, valid, test))


def authors_wine(X: pd.DataFrame, y: np.ndarray) -> Prepared:
    """80/20, then 12.5 % of the 80 % for validation, stratified on the quality from 0 to 10; binned."""
    quality = table("wine")["quality"].to_numpy()
    rest, test = split(np.arange(len(X)), 0.2, quality)
    train, valid = split(rest, 0.125, quality)
    return Prepared(lower_edges(X.apply(read_twice)), y, recut(train, valid, test))


def authors_census(X: pd.DataFrame, y: np.ndarray) -> Prepared:
    """UCI's train file 90/10, stratified; its test file as it is. Each lost its first row as a header."""
    is_test = table("census")["is_test"].to_numpy()
    rest, test = (complete(X, np.flatnonzero(is_test == file)[1:]) for file in (0, 1))
    return Prepared(X, y, recut(*split(rest, 0.1, y), test))


def authors_credit(X: pd.DataFrame, y: np.ndarray) -> Prepared:
    """Binned; in file order, neither shuffled nor stratified."""
    return Prepared(lower_edges(X), y, recut(np.arange(len(X))))


def complete(X: pd.DataFrame, rows: np.ndarray) -> np.ndarray:
    """Those of the rows that lack no value."""
    return rows[X.iloc[rows].notna().all(axis=1).to_numpy()]


def split(rows: np.ndarray, size: float, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows in two parts, the second of the given size (share or number), stratified on labels[row]."""
    from sklearn.model_selection import (
        train_test_split,  # imported here: who reads stored results splits nothing
    )

    first, second = train_test_split(rows, test_size=size, random_state=SEED, stratify=labels[rows])
    return first, second


def recut(*files: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The files' rows end to end, cut again at 60 % and 80 %.

    >>> [part.tolist() for part in recut(np.array([5, 7, 9]), np.array([1, 0]))]
    [[5, 7, 9], [1], [0]]
    """
    rows = np.concatenate(files)
    train, valid, test = np.split(rows, cuts(len(rows)))
    return train, valid, test


def cuts(n: int) -> tuple[int, int]:
    """60 % and 80 % of n, rounded down.

    >>> cuts(6497)
    (3898, 5197)
    """
    return 6 * n // 10, 8 * n // 10


def lower_edges(X: pd.DataFrame) -> pd.DataFrame:
    """Each value replaced by the lower edge of its quantile bin, column by column."""
    return X.apply(lambda column: lower_edge(column.to_numpy()))


def lower_edge(values: np.ndarray, bins: int = BINS) -> np.ndarray:
    """The lower edge of each value's right-closed quantile bin: on an edge, a value falls to the edge below.

    >>> lower_edge(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), bins=2).tolist()
    [1.0, 1.0, 1.0, 3.0, 3.0]
    """
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)))
    return edges[np.maximum(np.searchsorted(edges, values) - 1, 0)]


def read_twice(column: pd.Series) -> pd.Series:
    """A column as two rounds of reading and writing CSV leave it, reading as `read_fast` does."""
    once = {x: read_fast(repr(float(x))) for x in column.unique()}
    return column.map({x: read_fast(repr(z)) for x, z in once.items()})


def read_fast(text: str) -> float:
    """A decimal as pandas read it until version 1.2: fast, and off by one in the last bit now and then.

    All digits as one whole number, then divided by 10, 100, 10^4, ... for each bit of the number of
    decimals. The authors' wine files bear the traces.

    >>> read_fast("0.5"), read_fast("0.009")
    (0.5, 0.009000000000000001)
    """
    whole, _, decimals = text.partition(".")
    number = 0.0
    for digit in whole + decimals:
        number = 10.0 * number + int(digit)
    for bit in range(len(decimals).bit_length()):
        if len(decimals) >> bit & 1:
            number /= 10.0 ** (1 << bit)
    return number


FEATURES_AND_LABELS = {"wine": wine, "census": census, "credit": credit}
AUTHORS = {"wine": authors_wine, "census": authors_census, "credit": authors_credit}

__all__ = ["Prepared", "prepare"]
