"""Both protocols: which rows, which values, which labels.

Expectations come from the paper's table of data sets and the authors' files, not from the loaders.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.datasets.parts import (
    BOTH,
    EVERY,
    LOADERS,
    authors_files,
    digest,
    needs_authors_files,
    parts,
    whole,
)
from treant_viz.datasets import Dataset, build, load_census, load_credit, load_wine
from treant_viz.datasets.protocols import lower_edge, read_fast
from treant_viz.datasets.shipped import table

# Both protocols


@pytest.mark.parametrize(
    "name, protocol, sizes",
    [
        ("wine", "authors", [3898, 1299, 1300]),
        ("census", "authors", [27132, 9044, 9044]),
        ("credit", "authors", [18000, 6000, 6000]),
        ("wine", "paper", [3898, 1299, 1300]),
        ("census", "paper", [27133, 9044, 9045]),
        ("credit", "paper", [18000, 6000, 6000]),
    ],
)
def test_parts_are_cut_at_60_and_80_percent_rounded_down(name: str, protocol: str, sizes: list[int]) -> None:
    d = LOADERS[name](protocol)
    assert [len(X) for X, _ in parts(d)] == [len(y) for _, y in parts(d)] == sizes
    assert all(X.index.equals(pd.RangeIndex(len(X))) for X, _ in parts(d))


@pytest.mark.parametrize(
    "name, features, percent", [("wine", 12, 63), ("census", 13, 25), ("credit", 23, 22)]
)
@BOTH
def test_features_and_classes_are_the_papers(name: str, protocol: str, features: int, percent: int) -> None:
    """The paper's table of data sets; its 24 features of credit count the label or the ID."""
    d = LOADERS[name](protocol)
    _, y = whole(d)
    assert len(d.feature_names) == features
    assert round(100 * y.mean()) == percent
    assert y.dtype == int and set(y) == {0, 1}


@pytest.mark.parametrize("name, positives", [("wine", 4113), ("census", 11208), ("credit", 6636)])
def test_paper_keeps_every_positive(name: str, positives: int) -> None:
    """Wine: the counts above from 6 up; census: UCI's 24.78 % of 45,222; credit: Yeh and Lien's 6,636."""
    assert whole(LOADERS[name]("paper"))[1].sum() == positives


@EVERY
@BOTH
def test_number_columns_are_doubles_and_text_columns_categories_without_gaps(
    name: str, protocol: str
) -> None:
    for X, _ in parts(LOADERS[name](protocol)):
        text = set(X.select_dtypes("category"))
        assert text == build.TEXT_COLUMNS & set(X)
        assert all(X[c].dtype == np.float64 for c in X if c not in text)
        assert not X.isna().any(axis=None)


@BOTH
def test_no_category_is_unknown_in_another_part_or_to_the_attacker(protocol: str) -> None:
    d = load_census(protocol)
    for column in d.X_train.select_dtypes("category"):
        assert d.X_train[column].dtype == d.X_valid[column].dtype == d.X_test[column].dtype
    for rule in d.attacker.rules:
        if rule.categorical:
            assert {*rule.pre, rule.becomes} <= set(d.X_train[rule.feature].cat.categories)


@EVERY
@BOTH
def test_changes_by_the_caller_do_not_leak_into_the_next_load(name: str, protocol: str) -> None:
    first = LOADERS[name](protocol)
    before = digest(*whole(first))
    for X, y in parts(first):
        number = X.select_dtypes("number").columns[0]
        X.loc[:, number] = -99.0
        del X[X.columns[-1]]
        y[:] = 1 - y
    assert digest(*whole(LOADERS[name](protocol))) == before


@pytest.mark.parametrize("load", LOADERS.values())
@pytest.mark.parametrize("wrong", ["Paper", "", None, 1])
def test_an_unknown_protocol_is_refused(load: Callable[[object], Dataset], wrong: object) -> None:
    with pytest.raises(ValueError, match=f"protocol: expected 'paper' or 'authors', got {wrong!r}"):
        load(wrong)


def test_repr_says_name_protocol_shapes_and_share_of_positives() -> None:
    text = repr(load_credit("authors"))
    for piece in (
        "credit",
        "authors",
        "23 features",
        "18,000 rows",
        "6,000 rows",
        "% positive",
        "10, 30, 40, 60",
    ):
        assert piece in text


def test_records_are_frozen() -> None:
    with pytest.raises(AttributeError):
        load_wine().y_train = np.zeros(3)  # type: ignore[misc]


# Protocol "paper"


@EVERY
def test_paper_split_is_stratified(name: str) -> None:
    d = LOADERS[name]("paper")
    share = whole(d)[1].mean()
    for _, y in parts(d):
        assert abs(y.sum() - share * len(y)) <= 1


@EVERY
def test_paper_split_is_the_same_whatever_the_global_seed(name: str) -> None:
    digests = set()
    for seed in (0, 1):
        np.random.seed(seed)
        table.cache_clear()
        digests.add(digest(*whole(LOADERS[name]("paper"))))
    assert len(digests) == 1


@EVERY
def test_paper_rows_are_ucis_each_once(name: str) -> None:
    X, y = whole(LOADERS[name]("paper"))
    t = table(name)
    label = {"wine": "quality", "census": "income_greater_than_50k", "credit": "default.payment.next.month"}[
        name
    ]
    t = t[t.notna().all(axis=1)]
    expected = t[list(X)].assign(y=(t[label] >= (6 if name == "wine" else 1)).astype(int))
    everything = [*X, "y"]
    ours = X.assign(y=y).sort_values(everything, ignore_index=True)
    pd.testing.assert_frame_equal(
        ours, expected.sort_values(everything, ignore_index=True), check_dtype=False
    )


# Protocol "authors"

# Digests of the authors' own files (train, valid and test end to end).
AUTHORS_DIGESTS = {
    "wine": "d64d60ef3aadb5b2ccad4bcaee4a212ccfce2b7da3995162a2109d90b114f0d9",
    "census": "0eb4711b3cb8153ed994bf10b3ed65ea8183b8e3066716b2a46830a7b471d3ef",
    "credit": "6a3ddeb434e97a0c3af04b31306939ed92d3db61fabea7458e8f0be800849938",
}


@EVERY
def test_authors_protocol_has_the_digest_of_the_authors_files(name: str) -> None:
    assert digest(*whole(LOADERS[name]("authors"))) == AUTHORS_DIGESTS[name]


@needs_authors_files
@EVERY
def test_authors_protocol_equals_the_authors_files_value_for_value(name: str) -> None:
    X, y = authors_files(name)
    ours, labels = whole(LOADERS[name]("authors"))
    assert list(X) == list(ours)
    for column in X:
        assert (X[column].to_numpy() == ours[column].to_numpy()).all(), column
    assert (y == labels).all()
    assert digest(X, y) == AUTHORS_DIGESTS[name]


def test_authors_binning_made_two_columns_constant_and_shifted_the_payment_status() -> None:
    assert whole(load_wine("authors"))[0]["is_white"].unique().tolist() == [0]
    X, _ = whole(load_credit("authors"))
    uci = table("credit")
    assert X["SEX"].nunique() == 1
    assert (X["PAY_0"] == np.maximum(uci["PAY_0"] - 1, -2)).mean() > 0.99


def test_authors_credit_is_in_file_order() -> None:
    assert (whole(load_credit("authors"))[1] == table("credit")["default.payment.next.month"]).all()


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=80), st.integers(1, 20))
def test_lower_edge_is_the_left_end_of_pandas_quantile_bin(values: list[int], bins: int) -> None:
    x = np.array(values, dtype=float)
    edges = pd.Series(x).quantile(np.linspace(0, 1, bins + 1)).drop_duplicates().to_numpy()
    if len(edges) < 2:
        assert (lower_edge(x, bins) == x).all()
        return
    codes = pd.cut(x, edges.tolist(), include_lowest=True, labels=False)
    np.testing.assert_allclose(lower_edge(x, bins), edges[codes], rtol=0, atol=1e-12)


@given(st.decimals(0, 10_000, places=4, allow_nan=False))
def test_read_fast_is_at_most_a_few_last_bits_off(number: object) -> None:
    assert abs(read_fast(str(number)) - float(str(number))) <= 2 * np.spacing(float(str(number)))


@given(st.integers(0, 10**9))
def test_read_fast_is_exact_on_whole_numbers(number: int) -> None:
    assert read_fast(str(number)) == read_fast(f"{number}.0") == number
