"""Mixed forests: standard and TREANT trees together, and the exact attack on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treant_viz as tv
from tests import oracles
from tests.estimators.test_estimators import ATTACKER, FEWER, X, Y
from tests.strategies import problems, to_oracle
from treant_viz.core.tree import to_text


def make(**options):
    few = {"n_estimators": 6, "max_depth": 3, "min_samples_split": 2, "random_state": 0, "attacker": ATTACKER}
    return tv.MixedForestClassifier(**few | options)


def forest(**options):
    few = {"n_estimators": 6, "max_depth": 3, "min_samples_split": 2, "random_state": 0, "attacker": ATTACKER}
    return tv.TreantForestClassifier(**few | options)


def texts(m) -> list[str]:
    return [to_text(e.tree_) for e in m.estimators_]


def test_the_first_trees_know_the_attacker_and_the_others_do_not():
    m = make(robust_share=1 / 3).fit(X, Y)
    aware, unaware = forest().fit(X, Y), forest(attacker=None).fit(X, Y)
    assert texts(aware)[:2] != texts(unaware)[:2] and texts(aware)[2:] != texts(unaware)[2:]
    assert texts(m) == texts(aware)[:2] + texts(unaware)[2:]
    assert [e.attacker for e in m.estimators_] == [ATTACKER] * 2 + [None] * 4
    assert m.tree_weights_.tolist() == [1.0] * 6


@pytest.mark.parametrize(("share", "attacker"), [(1, ATTACKER), (0, None)])
def test_the_ends_of_the_range_are_forests(share, attacker):
    m = make(robust_share=share, robust_weight=7).fit(X, Y)
    assert m.predict_proba(X) == pytest.approx(forest(attacker=attacker).fit(X, Y).predict_proba(X))


def test_the_score_is_the_weighted_mean():
    m = make(robust_share=0.5, robust_weight=3).fit(X, Y)
    each = [e.predict_proba(X)[:, 1] for e in m.estimators_]
    mean = (3 * sum(each[:3]) + sum(each[3:])) / 12
    assert m.predict_proba(X)[:, 1] == pytest.approx(mean)
    assert m.predict(X).tolist() == (mean >= 0.5).astype(int).tolist()


@FEWER
@given(problems(binary=True), st.sampled_from([0.25, 0.5, 0.75]), st.sampled_from([0.5, 1.0, 3.0]))
def test_the_attack_is_exact(p, share, weight):
    m = tv.MixedForestClassifier(
        4, share, weight, attacker=p.attacker, max_depth=2, min_samples_split=2, random_state=0
    ).fit(p.frame, np.array(p.y))
    trees, w = [to_oracle(e.tree_) for e in m.estimators_], m.tree_weights_
    scores = tv.attack(m, p.frame, p.y, p.attacker, "margin").scores
    for x, y, score in zip(p.X, p.y, scores):
        said = [
            sum(k * oracles.land(t, z)[1] for k, t in zip(w, trees)) / sum(w)
            for z in oracles.attacks(x, p.rules, p.budget)
        ]
        assert score == pytest.approx(min(said) if y == 1 else max(said))


def test_the_three_ways_of_attacking_agree():
    m = make(robust_share=0.5, robust_weight=2.5).fit(X, Y)
    exact, listed, milp = (
        tv.attack(m, X, Y, ATTACKER, "sse", method=w) for w in ("exact", "exhaustive", "milp")
    )
    assert exact.losses == pytest.approx(listed.losses)
    assert exact.losses == pytest.approx(milp.losses)
    assert exact.clean_scores == pytest.approx(m.predict_proba(X)[:, 1])


def test_a_model_file_is_the_model(tmp_path):
    m = make(robust_share=0.5, robust_weight=2.5).fit(X, Y)
    m.to_json(tmp_path / "m.json")
    back = tv.MixedForestClassifier.from_json(tmp_path / "m.json")
    assert back.predict_proba(X).tolist() == m.predict_proba(X).tolist()
    assert [e.attacker for e in back.estimators_] == [e.attacker for e in m.estimators_]
    assert back.to_dict() == m.to_dict()


def test_progress_bars_say_which_trees(capsys):
    make(verbose=1).fit(X, Y)
    err = capsys.readouterr().err
    assert "robust trees |" in err and "standard trees |" in err and err.endswith("\n")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"robust_share": 1.5}, "robust_share: expected a number from 0 to 1, got 1.5"),
        ({"robust_share": True}, "robust_share: expected a number from 0 to 1, got True"),
        ({"robust_weight": 0}, "robust_weight: expected a finite number above 0, got 0"),
        ({"robust_weight": np.nan}, "robust_weight: expected a finite number above 0, got nan"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(ValueError) as caught:
        make(**options).fit(X, Y)
    assert words in str(caught.value)
