"""Every refusal names the argument, what it was given and what it expected."""

from __future__ import annotations

import datetime as dt
import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import treant_viz as tv

NAN, INF = math.nan, math.inf
N = 6
X = pd.DataFrame(
    {"age": [20.0, 30, 40, 50, 60, 70], "job": ["cook", "cook", "clerk", "clerk", "nurse", "nurse"]}
)
Y = [0, 0, 0, 1, 1, 1]
MODELS = [
    tv.TreantClassifier,
    tv.TreantRegressor,
    tv.TreantForestClassifier,
    tv.TreantForestRegressor,
    tv.TreantBoostClassifier,
    tv.MixedForestClassifier,
]
REGRESSORS = [m for m in MODELS if "Regressor" in m.__name__]
CLASSIFIERS = [m for m in MODELS if m not in REGRESSORS]
FORESTS = MODELS[2:]
each_model = pytest.mark.parametrize("kind", MODELS)


def make(kind, **options):
    few = {"n_estimators": 2} if kind in FORESTS else {}
    return kind(**{"min_samples_split": 2, **few, **options})


def refused(*parts: str, error: type[Exception] = ValueError):
    """The error is of this type, and its message contains all these parts, in this order."""
    return pytest.raises(error, match="(?s)" + ".*".join(map(re.escape, parts)))


def with_column(name: str, values) -> pd.DataFrame:
    return X.assign(**{name: values})


# X


@each_model
@pytest.mark.parametrize("missing", [NAN, None, pd.NA])
@pytest.mark.parametrize("row", [0, 5])
def test_missing_numbers(kind, missing, row):
    values = [*X["age"]]
    values[row] = missing
    with refused("'age'", "NaN", "fill or drop"):
        make(kind).fit(with_column("age", pd.Series(values, dtype=object)), Y)


@each_model
def test_missing_numbers_of_pandas_own_types(kind):
    with refused("'age'", "NaN"):
        make(kind).fit(with_column("age", pd.array([1, 2, 3, None, 5, 6], dtype="Int64")), Y)


@each_model
@pytest.mark.parametrize("dtype", [object, "str", "category"])
def test_missing_text(kind, dtype):
    with refused("'job'", "NaN", "fill or drop"):
        make(kind).fit(with_column("job", pd.Series(["a", "b", "a", None, "b", "b"], dtype=dtype)), Y)


@each_model
@pytest.mark.parametrize("infinite", [INF, -INF, 10**400])
def test_infinities(kind, infinite):
    values = pd.Series([1, 2, 3, 4, infinite, 5], dtype=object)
    with refused("'age'", "infinity", "only finite numbers"):
        make(kind).fit(with_column("age", values), Y)


@each_model
def test_infinity_and_nan_in_plain_arrays_name_the_column(kind):
    A = np.arange(12.0).reshape(6, 2)
    A[3, 1] = INF
    with refused("column 1", "infinity"):
        make(kind).fit(A, Y)
    A[3, 1] = NAN
    with refused("column 1", "NaN"):
        make(kind).fit(A, Y)


@each_model
def test_bad_numbers_at_predict_time(kind):
    m = make(kind).fit(X, Y)
    for bad, word in [(NAN, "NaN"), (INF, "infinity"), (-INF, "infinity")]:
        with refused("'age'", word):
            m.predict(with_column("age", [1, 2, bad, 4, 5, 6]))


@each_model
def test_empty_data(kind):
    with refused("X", "0 sample(s)", "(0, 2)", "minimum of 1"):
        make(kind).fit(X.iloc[:0], [])
    with refused("X", "0 feature(s)", "(6, 0)", "minimum of 1"):
        make(kind).fit(X[[]], Y)
    with refused("X", "0 sample(s)"):
        make(kind).fit(X, Y).predict(X.iloc[:0])


@each_model
def test_one_row(kind):
    with refused("X", "at least two rows", "one sample"):
        make(kind).fit(X.iloc[:1], [0])
    with refused("X", "at least two rows", "one sample"):
        make(kind).fit(X, Y, sample_weight=[0, 0, 3, 0, 0, 0])


@each_model
def test_one_dimension(kind):
    with refused("X", "2 dimensions", "got 1", "Reshape your data"):
        make(kind).fit([1, 2, 3], [0, 1, 1])
    with refused("X", "2 dimensions", "got 3"):
        make(kind).fit(np.zeros((2, 2, 2)), [0, 1])
    with refused("X", "Reshape your data"):
        make(kind).fit(X, Y).predict(X["age"])


@each_model
def test_rows_of_different_length(kind):
    with refused("X", "rows differ in length"):
        make(kind).fit([[1, 2], [3]], [0, 1])


@each_model
def test_sparse_data(kind):
    with refused("X", "sparse", "dense array or a data frame", error=TypeError):
        make(kind).fit(csr_matrix(np.eye(6)), Y)


@each_model
def test_wrong_number_of_columns(kind):
    m = make(kind).fit(np.arange(12.0).reshape(6, 2), Y)
    with refused("X has 3 features", "expecting 2 features"):
        m.predict(np.zeros((1, 3)))


@each_model
def test_wrong_names_of_columns(kind):
    m = make(kind).fit(X, Y)
    with refused("feature names should match", "salary"):
        m.predict(X.rename(columns={"age": "salary"}))
    with refused("same order"):
        m.predict(X[["job", "age"]])


@each_model
def test_duplicate_column_names(kind):
    twice = X.set_axis(["age", "age"], axis=1)
    with refused("X", "column names must differ", "'age'"):
        make(kind).fit(twice, Y)
    m = make(kind).fit(X, Y)
    with refused("X", "column names must differ", "'age'"):
        m.predict(twice)


@each_model
def test_unknown_category_at_predict_time(kind):
    m = make(kind).fit(X, Y)
    with refused("'job'", "unknown category 'pilot'", "known are 'clerk', 'cook', 'nurse'"):
        m.predict(with_column("job", ["cook"] * 5 + ["pilot"]))
    with refused("'job'", "unknown category 'pilot'"):
        m.predict(with_column("job", pd.Categorical(["cook"] * 5 + ["pilot"])))


@each_model
def test_text_and_numbers_change_places_at_predict_time(kind):
    m = make(kind).fit(X, Y)
    with refused("'age' is numeric", "text '20'"):
        m.predict(with_column("age", ["20"] * N))
    with refused("'age' is numeric", "categories"):
        m.predict(with_column("age", pd.Categorical(["20"] * N)))
    with refused("'job' is categorical", "number 3"):
        m.predict(with_column("job", [3] * N))


@each_model
@pytest.mark.parametrize("row", [0, 5])
def test_a_column_that_mixes_text_and_numbers(kind, row):
    values: list = ["a", "b", "a", "b", "a", "b"]
    values[row] = 1.5
    with refused("'job'", "mixes text and numbers", "1.5", "one or the other"):
        make(kind).fit(with_column("job", pd.Series(values, dtype=object)), Y)
    with refused("column 0", "mixes text and numbers"):
        make(kind).fit([[v] for v in values], Y)


@each_model
@pytest.mark.parametrize("thing", [{"a": 1}, dt.date(2020, 1, 1), b"bytes", [1, 2], dt.datetime(2020, 1, 1)])
def test_values_that_are_neither_text_nor_numbers(kind, thing):
    values = pd.Series([1, 2, 3, 4, 5, thing], dtype=object)
    with refused("'age'", "string or a real number", error=TypeError):
        make(kind).fit(with_column("age", values), Y)


@each_model
@pytest.mark.parametrize(
    "dates", [pd.date_range("2020-01-01", periods=N), pd.to_timedelta(range(N), unit="D")]
)
def test_dates(kind, dates):
    with refused("'age'", "string or a real number", error=TypeError):
        make(kind).fit(with_column("age", dates), Y)


@each_model
def test_complex_numbers(kind):
    with refused("Complex data not supported", "'age'"):
        make(kind).fit(with_column("age", X["age"] + 1j), Y)


@each_model
@pytest.mark.parametrize("categories", [[True, False], list(pd.interval_range(0, 2)), [INF, 1.0]])
def test_categories_that_are_neither_text_nor_finite_numbers(kind, categories):
    with refused("'job'", "text or a finite number", "astype(str)"):
        make(kind).fit(with_column("job", pd.Categorical([categories[0], categories[1]] * 3)), Y)


# y


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_one_class(kind):
    with refused("y", "two classes", "'yes'", "only one class"):
        make(kind).fit(X, ["yes"] * N)
    with refused("y", "two classes", "only one class"):
        make(kind).fit(X, Y, sample_weight=[1, 1, 1, 0, 0, 0])


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_more_than_two_classes(kind):
    with refused("y", "two classes", "got 3", "['a', 'b', 'c']"):
        make(kind).fit(X, ["a", "a", "b", "b", "c", "c"])


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_labels_of_two_kinds(kind):
    with refused("label", "mix"):
        make(kind).fit(X, np.array(["a", 1, "a", 1, "a", 1], dtype=object))


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_real_numbers_are_no_classes(kind):
    with refused("Unknown label type", "continuous"):
        make(kind).fit(X, [0.5, 1.5, 0.5, 1.5, 0.5, 1.5])


@pytest.mark.parametrize("kind", REGRESSORS)
@pytest.mark.parametrize("labels", [["1", "2", "3", "4", "5", "6"], [1, 2, 3, 4, 5, "six"]])
def test_text_is_no_target(kind, labels):
    with refused("y", "expected numbers", "got '"):
        make(kind).fit(X, np.array(labels, dtype=object))


@pytest.mark.parametrize("kind", REGRESSORS)
def test_targets_whose_squares_overflow(kind):
    with refused("y", "at most 1e+100", "1e+200"):
        make(kind).fit(X, [0, 1, 2, 3, 4, 1e200])


@each_model
def test_wrong_number_of_labels(kind):
    with refused("y", "6 rows", "got 5"):
        make(kind).fit(X, Y[:5])
    with refused("y", "requires y"):
        make(kind).fit(X, None)


@each_model
def test_missing_and_infinite_labels(kind):
    with refused("y", "NaN"):
        make(kind).fit(X, [0, 1, 0, 1, 0, NAN])
    with refused("y", "NaN"):
        make(kind).fit(X, np.array([0, 1, 0, 1, 0, None], dtype=object))
    with refused("y", "infinity"):
        make(kind).fit(X, [0, 1, 0, 1, 0, INF])


# sample_weight


@each_model
@pytest.mark.parametrize(
    ("weight", "parts"),
    [
        ([1] * 5, ("each of 6 rows", "shape (5,)")),
        ([[1] * 6], ("each of 6 rows", "shape (1, 6)")),
        ([1, 1, 1, 1, 1, -2], ("at least 0", "-2.0")),
        ([1, 1, 1, 1, 1, NAN], ("finite", "nan")),
        ([1, 1, 1, 1, 1, INF], ("finite", "inf")),
        ([1, 1, 1, 1, 1, 1e200], ("at most 1e+100", "1e+200")),
        ([0] * 6, ("above zero", "all of them are zero")),
        (["heavy"] * 6, ("6 numbers", "heavy")),
    ],
)
def test_weights(kind, weight, parts):
    with refused("sample_weight", *parts):
        make(kind).fit(X, Y, sample_weight=weight)
