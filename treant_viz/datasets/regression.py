"""Tables whose labels are numbers, each with its threat model: wine quality and diabetes.

Every seed cuts the rows anew, 60-20-20 at random: averages over seeds are averages over test rows, too.

>>> load_quality()
quality, protocol 'regression': 12 features, budgets 20, 60, 120
  train   3,898 rows, labels from 3 to 9, mean 5.8
  valid   1,299 rows, labels from 3 to 9, mean 5.8
  test    1,300 rows, labels from 3 to 8, mean 5.8
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from treant_viz.datasets.protocols import cuts
from treant_viz.datasets.records import Dataset
from treant_viz.datasets.shipped import table
from treant_viz.datasets.threats import REGRESSION_BUDGETS, load_threat

PROTOCOL = "regression"


def load_quality(seed: int = 0) -> Dataset:
    """Wine Quality with the quality itself as label, 3 to 9, under the paper's attacker; UCI's values."""
    wine = table("wine")
    return _cut("quality", wine.drop(columns="quality"), wine["quality"].to_numpy(dtype=float), seed)


def load_diabetes(seed: int = 0) -> Dataset:
    """442 patients: how far their diabetes has come a year after ten measurements were taken.

    The table comes with scikit-learn. The attacker is a patient who wants to look healthier than they are: a
    lower weight is stated (`bmi`), they rest before blood pressure is taken (`bp`), and fast before blood is
    drawn (`s6`, blood sugar; `s5`, the logarithm of triglycerides). Normal values are left as they are.
    """
    from sklearn.datasets import load_diabetes  # here: stored results are read without scikit-learn

    found = load_diabetes(as_frame=True, scaled=False)
    return _cut("diabetes", found.data.astype(float), found.target.to_numpy(dtype=float), seed)


def _cut(name: str, X: pd.DataFrame, y: np.ndarray, seed: int) -> Dataset:
    rows = np.random.default_rng(seed).permutation(len(y))
    train, valid, test = map(np.sort, np.split(rows, cuts(len(y))))
    tables = (X.iloc[part].reset_index(drop=True) for part in (train, valid, test))
    return Dataset(
        name,
        PROTOCOL,
        next(tables),
        y[train],
        next(tables),
        y[valid],
        next(tables),
        y[test],
        load_threat(name),
        REGRESSION_BUDGETS[name],
    )


__all__ = ["load_diabetes", "load_quality"]
