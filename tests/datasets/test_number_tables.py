"""The two tables whose labels are numbers, and their attackers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from treant_viz.datasets import load_wine
from treant_viz.datasets.regression import load_diabetes, load_quality
from treant_viz.datasets.shipped import table


@pytest.mark.parametrize(("load", "rows"), [(load_quality, 6497), (load_diabetes, 442)])
def test_every_row_is_in_one_part_and_seeds_cut_anew(load, rows: int):
    first, again, other = load(3), load(3), load(4)
    assert len(first.y_train) + len(first.y_valid) + len(first.y_test) == rows
    assert (len(first.y_train), len(first.y_valid)) == (6 * rows // 10, 8 * rows // 10 - 6 * rows // 10)
    pd.testing.assert_frame_equal(first.X_test, again.X_test)
    assert first.y_test.tolist() == again.y_test.tolist() != other.y_test.tolist()
    every = np.sort(np.concatenate([first.y_train, first.y_valid, first.y_test]))
    assert (every == np.sort(np.concatenate([other.y_train, other.y_valid, other.y_test]))).all()


def test_quality_is_ucis_under_the_papers_attacker():
    data = load_quality()
    assert set(data.y_train) == set(range(3, 10)) and data.y_train.dtype == float
    assert data.attacker == load_wine("paper").attacker
    rows = pd.concat([data.X_train, data.X_valid, data.X_test])
    assert np.allclose(np.sort(rows["alcohol"]), np.sort(table("wine")["alcohol"]))
    assert "quality" not in data.feature_names


def test_labels_belong_to_their_rows():
    wine = table("wine")
    known = wine.groupby(list(wine.columns[:-1]))["quality"].unique()
    data = load_quality(5)
    for row, y in list(zip(data.X_test.itertuples(index=False, name=None), data.y_test))[:50]:
        assert y in known[row]


def test_patients_only_change_what_is_not_normal():
    """Body mass of 24 stays; 30 goes down by one for each 20 that is spent."""
    A = load_diabetes().attacker
    assert A.reachable("bmi", 24.0) == ((24.0, 24.0),)
    [reach] = A.reachable("bmi", 30.0, budget=40)
    assert tuple(reach) == (28.0, 30.0)
    assert set(A.features) == {"bmi", "bp", "s5", "s6"}


def test_a_table_of_numbers_says_so():
    assert "labels from" in repr(load_diabetes()) and "positive" not in repr(load_diabetes())
    assert "positive" in repr(load_wine())
