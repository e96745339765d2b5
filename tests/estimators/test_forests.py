"""Forests: which rows their trees draw, what they say, and how they repeat."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

import treant_viz as tv
from tests.estimators.test_estimators import ATTACKER, FORESTS, X, Y, make, trees_of
from treant_viz.core.tree import to_text

# Forests


@pytest.mark.parametrize("kind", FORESTS)
@pytest.mark.parametrize(
    ("max_samples", "size"), [(0.8, 64), (0.29, 23), (1.0, 80), (None, 80), (10, 10), (80, 80), (0.001, 1)]
)
def test_max_samples_draws_rows_without_replacement(kind, max_samples, size):
    m = make(kind, max_samples=max_samples).fit(X, Y)
    rows = [member.trace_.steps[0].data.rows for member in m.estimators_]
    for r in rows:
        assert len(r) == len(set(r.tolist())) == size, "as many rows as asked for, none twice"
        assert r.min() >= 0 and r.max() < len(Y)
    if size < len(Y):
        assert len({tuple(r) for r in rows}) == 3, "each tree has its own"


def test_all_rows_are_equally_likely():
    m = make(tv.TreantForestRegressor, n_estimators=200, max_samples=0.5, max_depth=0).fit(X, Y)
    counts = np.bincount(
        np.concatenate([e.trace_.steps[0].data.rows for e in m.estimators_]), minlength=len(Y)
    )
    assert counts.sum() == 200 * 40
    assert counts.min() > 65 and counts.max() < 135, (
        "200 draws of one half: 100 give or take five deviations of 7"
    )


@pytest.mark.parametrize("kind", FORESTS)
def test_a_forest_says_the_mean_of_its_trees(kind):
    m = make(kind, attacker=ATTACKER).fit(X, Y)
    assert len(m.estimators_) == 3
    said = [e.predict_proba(X) if is_classifier(e) else e.predict(X) for e in m.estimators_]
    mean = sum(said) / 3
    assert (m.predict_proba(X) if is_classifier(m) else m.predict(X)) == pytest.approx(mean)
    if is_classifier(m):
        assert m.predict(X).tolist() == m.classes_[(mean[:, 1] >= 0.5).astype(int)].tolist()


@pytest.mark.parametrize("kind", FORESTS)
def test_a_member_is_what_a_tree_of_its_own_learns_from_its_rows(kind):
    m = make(kind, attacker=ATTACKER, max_features=2).fit(X, Y)
    for member in m.estimators_:
        rows = member.trace_.steps[0].data.rows
        alone = clone(member).fit(X.iloc[rows], Y[rows])
        assert to_text(alone.tree_) == to_text(member.tree_)
        assert type(member) is kind._tree_class
        assert member.get_params()["attacker"] == ATTACKER
        assert member.feature_names_in_.tolist() == list(X.columns)


@pytest.mark.parametrize("kind", FORESTS)
def test_more_trees_begin_with_the_same_trees(kind):
    few, many = (make(kind, n_estimators=n).fit(X, Y) for n in (3, 6))
    assert trees_of(many)[:3] == trees_of(few)
    assert len(set(trees_of(many))) > 1


@pytest.mark.parametrize("kind", FORESTS)
def test_a_forests_random_state(kind):
    first, again, other = (make(kind, random_state=s).fit(X, Y) for s in (1, 1, 2))
    assert trees_of(first) == trees_of(again) != trees_of(other)
    assert trees_of(first.fit(X, Y)) == trees_of(again), "the same fit again gives the same forest"


@pytest.mark.parametrize("kind", FORESTS)
def test_progress_bar(kind, capsys):
    quiet = make(kind).fit(X, Y)
    assert capsys.readouterr() == ("", "")
    loud = make(kind, verbose=1).fit(X, Y)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("\rtrees |") and err.endswith("\n")
    assert err.rstrip("\n").split("\r")[-1].startswith(f"trees |{'#' * 30}| 3/3, ")
    assert trees_of(loud) == trees_of(quiet)
