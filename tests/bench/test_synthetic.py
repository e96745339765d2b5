"""The generated data have the shape of the real ones, and a seed decides everything."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from treant_viz.bench import trees
from treant_viz.bench.synthetic import (
    CENSUS,
    CENSUS_ROWS,
    WINE,
    WINE_ROWS,
    Generated,
    Text,
    census_like,
    wine_like,
)
from treant_viz.core.tree import walk


def test_wine_like_has_the_promised_shape() -> None:
    data = wine_like()
    assert data.X.shape == (WINE_ROWS, 12) == (4_547, 12)
    assert data.X.nunique().tolist() == [106, 187, 89, 316, 214, 135, 276, 998, 108, 111, 111, 2]
    assert all(dtype.kind == "f" for dtype in data.X.dtypes)
    assert data.y.mean() == pytest.approx(0.633, abs=0.001)
    assert data.attacker.features == ("alcohol", "residual_sugar", "volatile_acidity", "free_sulfur_dioxide")


def test_census_like_has_the_promised_shape() -> None:
    data = census_like()
    X = data.X
    assert X.shape == (CENSUS_ROWS, 13) == (27_132, 13)
    assert X.nunique().tolist() == [72, 7, 18_772, 16, 7, 14, 6, 5, 2, 113, 88, 94, 41]
    assert sum(dtype.kind != "f" for dtype in X.dtypes) == 7
    assert (X["capital_gain"] == 0).mean() == pytest.approx(0.9, abs=0.01)
    assert (X["capital_loss"] == 0).mean() == pytest.approx(0.95, abs=0.01)
    assert X["native_country"].value_counts(normalize=True).iloc[0] == pytest.approx(0.9, abs=0.05)
    assert data.y.mean() == pytest.approx(0.249, abs=0.001)


def test_columns_that_are_not_rounded_hold_no_value_twice() -> None:
    assert (wine_like(2_000, rounded=False).X.nunique() == 2_000).all()


def test_there_may_be_fewer_rows_than_values() -> None:
    assert len(census_like(rows=30).X) == 30


@pytest.mark.parametrize("make", [wine_like, census_like])
def test_a_seed_decides_everything(make: Callable[..., Generated]) -> None:
    one, same, other = make(600), make(600), make(600, seed=1)
    assert one.X.equals(same.X) and (one.y == same.y).all()
    assert not one.X.equals(other.X) and (one.y != other.y).any()


@pytest.mark.parametrize("columns", [WINE, CENSUS])
def test_column_names_differ(columns: tuple) -> None:
    assert len({c.name for c in columns}) == len(columns)


def test_rules_speak_of_columns_and_categories_that_are_there() -> None:
    shares = {c.name: set(c.shares) for c in CENSUS if isinstance(c, Text)}
    for rule in census_like(100).attacker.rules:
        if rule.categorical:
            assert rule.becomes in shares[rule.feature]
        else:
            assert rule.feature in {c.name for c in CENSUS}


def test_coded_data_are_numbers_in_alphabetical_order() -> None:
    data = census_like(300)
    sex = list(data.X.columns).index("sex")
    assert data.coded.dtype == float and data.coded.shape == data.X.shape
    assert (data.coded[:, sex] == (data.X["sex"] == "Male")).all()


def test_category_columns_hold_the_same_text() -> None:
    data = census_like(300)
    twin = data.as_category()
    assert (twin.X["occupation"].dtype == "category") and (twin.X["age"].dtype == float)
    assert (twin.X["occupation"].astype(str) == data.X["occupation"].astype(str)).all()


@pytest.mark.parametrize("make", [wine_like, census_like])
def test_trees_have_about_as_many_nodes_as_on_the_real_data(make: Callable[..., Generated]) -> None:
    data = make()
    for loss in trees.LOSSES:
        model = trees.our_tree(data, loss, data.budgets[1]).fit(data.X, data.y)
        assert 170 <= sum(1 for _ in walk(model.tree_)) <= 260
