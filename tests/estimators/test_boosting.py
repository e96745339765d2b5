"""Boosting that knows the attacker: its bounds against brute force, its rounds rebuilt from public parts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.base import clone

import treant_viz as tv
from tests import oracles
from tests.estimators.test_estimators import ATTACKER, FEWER, X, Y
from tests.strategies import problems, to_oracle
from treant_viz.core import serial
from treant_viz.core.tree import leaves, predict, to_text

CLOSE = 1e-9


def boosted(p, **options):
    plain = {"n_estimators": 4, "learning_rate": 0.5, "max_samples": None, "max_features": None}
    plain |= {"max_depth": 2, "min_samples_split": 2, "attacker": p.attacker, "random_state": 0}
    return tv.TreantBoostClassifier(**plain | options).fit(p.frame, np.array(p.y), p.weights)


def make(**options):
    few = {"n_estimators": 5, "max_depth": 3, "min_samples_split": 2, "random_state": 0, "attacker": ATTACKER}
    return tv.TreantBoostClassifier(**few | options)


def log_odds(m, x) -> float:
    return sum(oracles.land(to_oracle(t), x)[1] for t in m.trees_)


def sides(y) -> np.ndarray:
    return np.where(np.asarray(y) > 0.5, 1.0, -1.0)


# What is proven


@FEWER
@given(
    problems(binary=True),
    st.sampled_from(["uncorrupted", "none", "all"]),
    st.sampled_from(["log", "sse"]),
    st.sampled_from([None, 0.6]),
)
def test_no_attack_brings_a_margin_below_its_bound(p, retest, loss, share):
    m = boosted(p, retest=retest, loss=loss, max_samples=share)
    scores = tv.attack(m, p.frame, p.y, p.attacker, "margin").scores
    for x, y, bound, score in zip(p.X, p.y, m.margin_bounds_, scores, strict=True):
        side = 1 if y == 1 else -1
        true = min(side * log_odds(m, z) for z in oracles.attacks(x, p.rules, p.budget))
        assert bound <= true + CLOSE
        assert score == pytest.approx(expit(side * true), abs=CLOSE), "attack is exact on boosted trees"


@FEWER
@given(problems(binary=True), st.sampled_from(["uncorrupted", "none", "all"]))
def test_the_bound_is_the_sum_of_what_the_attacker_makes_of_each_tree_alone(p, retest):
    m = boosted(p, retest=retest)
    reach = [oracles.attacks(x, p.rules, p.budget) for x in p.X]
    alone = [
        [min(side * oracles.land(to_oracle(t), z)[1] for z in near) for near, side in zip(reach, sides(p.y))]
        for t in m.trees_
    ]
    assert m.margin_bounds_ == pytest.approx(np.sum(alone, axis=0), abs=CLOSE)


@FEWER
@given(problems(binary=True, max_rows=12, weighted=True))
def test_what_is_reported_is_never_better_than_what_an_attack_finds(p):
    m = boosted(p, n_iter_no_change=2, validation_fraction=0.4) if len(set(p.X)) > 1 else boosted(p)
    losses = tv.attack(m, p.frame, p.y, p.attacker, "log").losses
    known, w = ~m.valid_rows_, np.array(p.weights, dtype=float)
    if known.any():
        found = np.average(losses[known], weights=w[known])
        assert m.train_losses_[len(m.trees_) - 1] >= found - CLOSE
    if m.valid_rows_.any():
        found = np.average(losses[~known], weights=w[~known])
        assert m.valid_losses_[len(m.trees_) - 1] >= found - CLOSE
        assert m.valid_losses_.min() == m.valid_losses_[len(m.trees_) - 1]


def test_the_bound_can_be_loose_where_trees_disagree():
    """One unit of budget: it spoils either tree, and the bound charges both."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 12, (200, 2)).astype(float)
    y = (table.sum(axis=1) + rng.normal(size=200) > 11).astype(int)
    A = tv.Attacker([tv.Rule(f, 1, delta=(-1, 1)) for f in (0, 1)], 1)
    m = make(attacker=A, n_estimators=10, max_features=1, max_depth=1).fit(table, y)
    scores = tv.attack(m, table, y, A, "margin").scores
    gap = sides(y) * logit(scores) - m.margin_bounds_
    assert gap.min() >= -CLOSE
    assert gap.max() > 0.01
    alone = make(attacker=A, n_estimators=1).fit(table, y)
    one = sides(y) * logit(tv.attack(alone, table, y, A, "margin").scores)
    assert alone.margin_bounds_ == pytest.approx(one), "of one tree it is exact"


def test_exact_attacks_agree():
    m = make(n_estimators=3).fit(X, Y)
    exact, listed, milp = (
        tv.attack(m, X, Y, ATTACKER, method=way) for way in ("exact", "exhaustive", "milp")
    )
    assert exact.losses == pytest.approx(listed.losses)
    assert exact.losses == pytest.approx(milp.losses)
    assert exact.losses.sum() == pytest.approx(tv.loss_under_attack(m, X, Y, ATTACKER, "log"))
    assert exact.clean_scores == pytest.approx(m.predict_proba(X)[:, 1])


# How it grows


def test_every_round_is_a_treant_tree_on_rows_weighted_by_their_bounds():
    m = make(max_samples=None, max_features=None, learning_rate=0.3).fit(X, Y)
    bound = np.zeros(len(Y))
    for t in m.trees_:
        tree = tv.TreantClassifier(ATTACKER, max_depth=3, min_samples_split=2)
        tree.fit(X, Y, 1 / (1 + np.exp(bound)))
        shares = [leaf.prediction for _, leaf in leaves(tree.tree_)]
        expected = [0.3 * np.log((p + 0.02) / (1 - p + 0.02)) for p in shares]
        assert [leaf.prediction for _, leaf in leaves(t)] == pytest.approx(expected)
        bound += np.where(Y == 1, 1, -1) * tv.attack(t, X, 2 * Y - 1, ATTACKER, "margin").scores
    assert m.margin_bounds_ == pytest.approx(bound)
    losses = np.logaddexp(0, -bound)
    assert m.train_losses_[-1] == pytest.approx(losses.mean())
    assert len(m.train_losses_) == 5 and len(m.valid_losses_) == 0 and not m.valid_rows_.any()


def test_the_score_is_the_sum_of_the_trees():
    m = make().fit(X, Y)
    total = sum(predict(t, X) for t in m.trees_)
    assert m.decision_function(X) == pytest.approx(total)
    assert m.predict_proba(X)[:, 1] == pytest.approx(expit(total))
    assert m.predict(X).tolist() == (total >= 0).astype(int).tolist()
    named = make().fit(X, np.array(["no", "yes"])[Y])
    assert named.predict(X).tolist() == np.array(["no", "yes"])[m.predict(X)].tolist()


def test_nobody_attacks_and_the_bounds_are_the_margins():
    m = make(attacker=None).fit(X, Y)
    assert m.margin_bounds_ == pytest.approx(sides(Y) * m.decision_function(X))
    assert (np.diff(m.train_losses_) < 0).all()
    spared = make(attacker=ATTACKER.with_budget(0)).fit(X, Y)
    assert [to_text(t) for t in spared.trees_] == [to_text(t) for t in m.trees_]


def test_knowing_the_attacker_pays():
    aware, unaware = (make(n_estimators=30, attacker=A).fit(X, Y) for A in (ATTACKER, None))
    attacked = [tv.loss_under_attack(m, X, Y, ATTACKER) for m in (aware, unaware)]
    assert attacked[0] < attacked[1]
    assert aware.train_losses_[-1] < aware.train_losses_[0] / 2


def test_certain_rows_stay_in_the_sums():
    """After many rounds margins are so great that their weights would vanish; the trees stay finite."""
    m = make(n_estimators=300, learning_rate=5.0, attacker=None).fit(
        [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    )
    assert np.isfinite(m.decision_function([[0.0], [3.0]])).all()
    assert m.margin_bounds_.min() > 700
    assert m.predict([[1.0], [2.0]]).tolist() == [0, 1]


# Validation rows


def noisy(n=300, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 9, (n, 3)).astype(float)
    return table, (table[:, 0] + rng.normal(0, 4, n) > 4).astype(int)


def test_growth_stops_when_attacked_validation_rows_gain_no_more():
    table, y = noisy()
    A = tv.Attacker([tv.Rule(0, 1, delta=(-1, 1))], 1)
    m = make(attacker=A, n_estimators=200, learning_rate=0.5, n_iter_no_change=4).fit(table, y)
    best = int(np.argmin(m.valid_losses_)) + 1
    assert len(m.trees_) == best < 200
    assert len(m.valid_losses_) == len(m.train_losses_) == best + 4
    few = make(attacker=A, n_estimators=best, learning_rate=0.5, n_iter_no_change=4)
    few.fit(table, y)
    assert few.n_estimators == best
    bounds = [sides(y) * tv.attack(t, table, 2 * y - 1, A, "margin").scores for t in m.trees_]
    assert m.margin_bounds_ == pytest.approx(np.sum(bounds, axis=0)), "those of the trees that are kept"
    valid = np.logaddexp(0, -m.margin_bounds_[m.valid_rows_]).mean()
    assert m.valid_losses_[best - 1] == pytest.approx(valid)


def test_identical_rows_are_held_back_together():
    table, y = noisy()
    m = make(attacker=None, n_iter_no_change=3, validation_fraction=0.25).fit(table, y)
    held = set(map(tuple, table[m.valid_rows_]))
    known = set(map(tuple, table[~m.valid_rows_]))
    assert held and known and not held & known
    assert len(held) == round(0.25 * len(held | known))
    with pytest.raises(ValueError, match="n_iter_no_change: expected two different rows"):
        make(attacker=None, n_iter_no_change=3).fit([[1.0]] * 4, [0, 1, 0, 1])


def test_held_back_rows_teach_nothing():
    table, y = noisy()
    m = make(attacker=None, n_iter_no_change=50, n_estimators=5, max_samples=None).fit(table, y)
    other = np.where(m.valid_rows_, 1 - y, y)
    again = make(attacker=None, n_iter_no_change=50, n_estimators=5, max_samples=None).fit(table, other)
    most = min(len(m.trees_), len(again.trees_))
    assert m.valid_rows_.tolist() == again.valid_rows_.tolist()
    assert [to_text(t) for t in m.trees_[:most]] == [to_text(t) for t in again.trees_[:most]]


# scikit-learn's habits


@FEWER
@given(problems(binary=True, weighted=True))
def test_a_weight_of_k_is_k_rows(p):
    rows = np.arange(len(p.y)).repeat(p.weights)
    weighted = boosted(p)
    repeated = clone(weighted).fit(p.frame.iloc[rows], np.array(p.y)[rows])
    assert weighted.train_losses_ == pytest.approx(repeated.train_losses_, abs=1e-7)


def test_no_weight_is_no_row():
    weight = (np.arange(len(Y)) % 3 > 0).astype(float)
    a, b = make().fit(X, Y, weight), make().fit(X[weight > 0], Y[weight > 0])
    assert [to_text(t) for t in a.trees_] == [to_text(t) for t in b.trees_]
    assert len(a.margin_bounds_) == int(weight.sum())


def test_the_same_seed_grows_the_same_trees():
    first, again, other = (make(max_features=2, random_state=s).fit(X, Y) for s in (1, 1, 2))
    texts = [[to_text(t) for t in m.trees_] for m in (first, again, other)]
    assert texts[0] == texts[1] != texts[2]
    assert clone(first).get_params() == first.get_params()
    more = make(max_features=2, random_state=1, n_estimators=8).fit(X, Y)
    assert [to_text(t) for t in more.trees_[:5]] == texts[0], "more trees begin with the same trees"


def test_progress_bar(capsys):
    make().fit(X, Y)
    assert capsys.readouterr() == ("", "")
    make(verbose=1).fit(X, Y)
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("\rtrees |") and err.endswith("\n")


def test_a_stopped_growth_ends_its_line(capsys):
    table, y = noisy()
    m = make(attacker=None, n_estimators=200, learning_rate=0.5, n_iter_no_change=2, verbose=1).fit(table, y)
    assert len(m.trees_) < 198
    assert capsys.readouterr().err.endswith("\n")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_estimators": 0}, "n_estimators: expected a whole number of at least 1, got 0"),
        ({"learning_rate": 0}, "learning_rate: expected a finite number above 0, got 0"),
        ({"learning_rate": np.inf}, "learning_rate: expected a finite number above 0, got inf"),
        ({"learning_rate": "fast"}, "learning_rate: expected a finite number above 0, got 'fast'"),
        ({"n_iter_no_change": 0}, "n_iter_no_change: expected a whole number of at least 1 or None, got 0"),
        ({"validation_fraction": 1.0}, "validation_fraction: expected a finite number above 0 and below 1"),
        ({"max_samples": 2.0}, "max_samples: expected a whole number from 1 to 80"),
        ({"loss": "hinge"}, "loss of a TreantBoostClassifier: expected 'log' or 'sse', got 'hinge'"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(ValueError) as caught:
        make(**options).fit(X, Y)
    assert words in str(caught.value)


# Files


def test_a_model_file_is_the_model(tmp_path):
    table, y = noisy()
    frame = pd.DataFrame(table, columns=["a", "b", "c"])
    m = make(attacker=None, n_estimators=50, n_iter_no_change=3).fit(frame, y)
    m.to_json(tmp_path / "m.json")
    back = tv.TreantBoostClassifier.from_json(tmp_path / "m.json")
    assert len(back.trees_) == len(m.trees_) < 50
    assert back.predict_proba(frame).tolist() == m.predict_proba(frame).tolist()
    assert back.get_params() == m.get_params()
    assert back.to_dict() == m.to_dict()
    A = tv.Attacker([tv.Rule("a", 1, delta=(-1, 1))], 1)
    assert tv.attack(back, frame, y, A).losses.tolist() == tv.attack(m, frame, y, A).losses.tolist()


def test_a_file_with_another_number_of_trees_is_refused():
    m = make(n_estimators=2).fit(X, Y)
    doc = m.to_dict()
    for trees, n in (([], 0), (doc["trees"] * 2, 4)):
        body = {k: v for k, v in doc.items() if k not in ("format", "version", "sha256")} | {"trees": trees}
        with pytest.raises(ValueError, match=f"expected 1 to 2 trees, got {n}"):
            tv.TreantBoostClassifier.from_dict(serial.document("model", 1, body, sealed=True))
