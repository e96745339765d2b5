"""Sample weights: a weight of k is k rows, no weight is no row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import is_classifier

import treant_viz as tv
from tests.estimators.test_estimators import ATTACKER, FEWER, MODELS, X, Y, grown, make, trees_of
from tests.strategies import problems
from treant_viz.core.tree import leaves, nodes, to_text

# Weights


def losses(m) -> list[float]:
    return [leaf.loss for t in trees_of(m) for _, leaf in leaves(t)]


def same_tree(a, b) -> None:
    """Equal but for rounding of the predictions."""
    assert [(p, n.feature, n.threshold) for p, n in nodes(a)] == [
        (p, n.feature, n.threshold) for p, n in nodes(b)
    ]
    assert [u.prediction for _, u in leaves(a)] == pytest.approx(
        [u.prediction for _, u in leaves(b)], abs=1e-9
    )
    assert [u.loss for _, u in leaves(a)] == pytest.approx([u.loss for _, u in leaves(b)], abs=1e-9)


def grow(p, rows, weights=None, loss="sse", binary=False, **options):
    kind = tv.TreantClassifier if binary else tv.TreantRegressor
    y = np.array(p.y)[rows]
    return make(kind, attacker=p.attacker, loss=loss, **options).fit(p.frame.iloc[rows], y, weights)


@FEWER
@given(
    problems(binary=True, weighted=True),
    st.sampled_from(["sse", "log"]),
    st.sampled_from(["uncorrupted", "all"]),
)
def test_a_weight_of_k_is_k_rows_for_classifiers(p, loss, retest):
    rows = np.arange(len(p.y))
    weighted = grow(p, rows, p.weights, loss, True, retest=retest)
    repeated = grow(p, rows.repeat(p.weights), None, loss, True, retest=retest)
    same_tree(weighted.tree_, repeated.tree_)


@FEWER
@given(problems(binary=False, weighted=True))
def test_a_weight_of_k_is_k_rows_for_regressors(p):
    rows = np.arange(len(p.y))
    weighted, repeated = grow(p, rows, p.weights), grow(p, rows.repeat(p.weights))
    assert sum(losses(weighted)) == pytest.approx(sum(losses(repeated)), abs=1e-9)
    same_tree(weighted.tree_, repeated.tree_)


@FEWER
@given(problems(binary=False, max_rows=9), st.data())
def test_no_weight_is_no_row(p, data):
    n = len(p.y)
    weights = np.array(data.draw(st.lists(st.sampled_from([0, 0, 1, 2.5]), min_size=n, max_size=n)))
    kept = np.flatnonzero(weights)
    if len(kept) < 2:
        return
    a, b = grow(p, np.arange(n), weights), grow(p, kept, weights[kept])
    assert to_text(a.tree_) == to_text(b.tree_)
    assert a.schema_ == b.schema_
    assert a.trace_.to_dict() == b.trace_.to_dict()


@pytest.mark.parametrize("kind", MODELS)
def test_no_weight_is_no_row_for_labels_categories_and_samples(kind):
    weights = (np.arange(len(Y)) % 3 > 0).astype(float)
    kept = weights > 0
    more = X.assign(job=X["job"].where(kept, "only without weight"))
    labels = np.where(kept, Y, 2 if is_classifier(kind()) else 1e9)
    a = make(kind, attacker=ATTACKER).fit(more, labels, weights)
    b = make(kind, attacker=ATTACKER).fit(X[kept], Y[kept])
    assert a.predict(X[kept]).tolist() == b.predict(X[kept]).tolist()
    assert a.schema_ == b.schema_.with_categories({0: ["only without weight"]})
    assert [to_text(t) for t in trees_of(a)] == [to_text(t) for t in trees_of(b)]


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("as_given", [pd.DataFrame.copy, pd.DataFrame.to_numpy], ids=["frame", "array"])
def test_a_category_without_weight_is_known_afterwards(kind, as_given):
    """Also if other rows without weight have no value there, or a number."""
    weights = (np.arange(len(Y)) % 3 > 0).astype(float)
    more = X[["job", "age"]].astype(object)
    more.loc[weights == 0, "job"] = "only without weight"
    more.iloc[[3, 6], 0] = [None, 7]
    m = make(kind).fit(as_given(more), Y, weights)
    seen = more[more["job"].map(lambda job: isinstance(job, str))]
    assert len(m.predict(as_given(seen))) == len(seen)
    with pytest.raises(ValueError, match="unknown category 'never seen'"):
        m.predict(as_given(seen.assign(job="never seen")))


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("names", [["a", "b", "a"], [5, 7, 5], [("a", 1), ("b", 1), ("a", 1)]])
def test_columns_of_one_name_are_refused(kind, names):
    """One of them could be the label."""
    table = pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=pd.Index(names, tupleize_cols=False))
    with pytest.raises(ValueError, match=r"X: column names must differ, but .* appear more than once"):
        make(kind).fit(table, [0, 1, 0, 1])


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("weight", [1, 0.3, 0.001, 4096.0])
def test_equal_weights_change_nothing(kind, weight):
    plain = grown(kind)
    for given_as in (weight, [weight] * len(Y), pd.Series(np.full(len(Y), weight))):
        m = make(kind, attacker=ATTACKER).fit(X, Y, sample_weight=given_as)
        assert m.predict(X) == pytest.approx(plain.predict(X))
        assert sum(losses(m)) == pytest.approx(weight * sum(losses(plain)))


def test_weights_that_are_no_binary_fractions():
    """0.3 is rounded, and so are its sums: the clean split x[2] <= 0 must still be seen as clean."""
    table = np.column_stack([np.zeros(4), np.zeros(4), np.arange(4.0)])
    m = make(tv.TreantClassifier).fit(table, [0, 1, 1, 1], np.full(4, 0.3))
    assert m.tree_ == tv.Node(2, 0.0, tv.Leaf(0.0), tv.Leaf(1.0))


def test_small_labels_are_split_like_large_ones():
    m = make(tv.TreantRegressor).fit([[0], [1], [2], [3]], np.array([0, 0, 1, 1]) * 1e-5)
    assert m.tree_ == tv.Node(0, 1.0, tv.Leaf(0.0), tv.Leaf(1e-5))


def test_weights_matter():
    w = np.where(Y == 1, 10.0, 1.0)
    light, heavy = (
        make(tv.TreantClassifier, max_depth=1).fit(X, Y, v).predict_proba(X)[:, 1] for v in (None, w)
    )
    assert heavy.mean() > light.mean() + 0.1
