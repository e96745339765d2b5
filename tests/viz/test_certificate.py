"""CertificateDisplay: no attack below the cost changes anything, at the cost one does, and words are true."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests import oracles
from tests.attacks.fitted import EITHER, MODELS, table
from treant_viz.viz.certificate.draw import reach, spans
from treant_viz.viz.certificate.facts import row_certificate
from treant_viz.viz.certificate.words import percent

ensemble = pytest.importorskip("sklearn.ensemble")

RULES = [tv.Rule("p", cost=1, delta=(0, 1)), tv.Rule("q", cost=2, delta=(0, 2))]
ORACLE = {
    "p": [("num", 0, 1, -np.inf, np.inf, 0, 1)],
    "q": [("num", 0, 2, -np.inf, np.inf, 0, 2)],
}


def stump(f: str, at: float, low: float = 0.0, high: float = 1.0) -> tv.Node:
    return tv.Node(f, at, tv.Leaf(low), tv.Leaf(high))


class Forest:
    """Stumps that vote: a classifier with the classes of one's choice."""

    def __init__(self, trees, classes=("good", "bad")):
        self.trees, self.classes = trees, classes

    def common_form(self, X, A=None):
        from dataclasses import replace

        from treant_viz.ensembles.own_trees import from_trees

        return replace(from_trees(self.trees, X, A), classes=self.classes)


TREES = [stump("p", 1.5), stump("q", 3.5), stump("q", 1.5), stump("p", 9.0)]
X = pd.DataFrame({"p": [1.0, 0.0, 5.0, 1.0, 1.0], "q": [0.0, 0.0, 0.0, 9.0, 2.0]}, index=list("abcde"))


def show(row: str = "a", budget: float = 9, rules=RULES, model=None, **kw) -> tv.CertificateDisplay:
    model = Forest(TREES) if model is None else model
    return tv.CertificateDisplay.from_model(model, X.loc[row], tv.Attacker(rules, budget), **kw)


def share(budget: float = 9, rules=RULES, model=None, y=None, Z=X, **kw) -> tv.CertificateDisplay:
    model = Forest(TREES) if model is None else model
    return tv.CertificateDisplay.from_table(model, Z, y, tv.Attacker(rules, budget), **kw)


def least_cost(x, rules, budget: float) -> float:
    """By enumeration of what the attacker can make of p and q: what another vote of the trees costs."""
    x = tuple(map(float, x))  # numpy's True + True is True
    ways = [
        oracles.attacks((v,), ORACLE[f] if f in rules else [], budget) for f, v in zip("pq", x, strict=True)
    ]

    def vote(p, q):
        return (p > 1.5) + (q > 3.5) + (q > 1.5) + (p > 9.0) >= 2

    found = [
        a + b
        for (p,), a in ways[0].items()
        for (q,), b in ways[1].items()
        if vote(p, q) != vote(*x) and a + b <= budget
    ]
    return min(found, default=math.inf)


# one row


@pytest.mark.parametrize("row", list(X.index))
@pytest.mark.parametrize("budget", [0, 1, 2, 3, 4, 6])
def test_the_cost_of_a_row_is_that_of_brute_force(row, budget):
    c = row_certificate(Forest(TREES), X.loc[row], tv.Attacker(RULES, budget))
    assert c.changes_at == c.safe_below == least_cost(X.loc[row], "pq", budget)
    assert c.falls == (c.prediction != c.becomes)
    assert (c.scores[-1] >= 0.5) == (c.becomes == "bad")
    assert len(c.scores) == len(c.moves) + 1


@pytest.mark.parametrize("name", ["forest", "boosting", "lightgbm"])
def test_below_the_cost_no_attack_changes_the_prediction_and_at_the_cost_the_moves_do(name):
    data, model, seen = table()[0], MODELS[name], set()
    for i in range(25):
        c = row_certificate(model, data.iloc[[i]], EITHER)
        own = model.predict(data.iloc[[i]])
        seen.add(c.falls)
        budget = c.changes_at * (1 - 1e-6) if c.falls else EITHER.budget
        below = tv.attack(model, data.iloc[[i]], own, EITHER.with_budget(budget), "margin")
        assert model.predict(below.X_adv) == own
        if c.falls:
            at = data.iloc[[i]].astype(float)
            for m in c.moves:
                at[m.feature] = m.after
            assert model.predict(at) == c.becomes != own
            assert sum(m.cost for m in c.moves) == pytest.approx(c.changes_at)
            assert c.scores[-1] == pytest.approx(model.predict_proba(at)[0, 1])
        else:
            assert c.scores[-1] == pytest.approx(below.scores[0])
    assert seen == {True, False}


def test_the_path_is_drawn_to_scale_and_crosses_the_line_at_the_cost():
    drawn = show("a", 4).plot()
    x, y = drawn["path"][0].get_data()
    c = row_certificate(Forest(TREES), X.loc["a"], tv.Attacker(RULES, 4))
    assert (x[0], x[-1]) == (0.0, 3.0)
    assert [y[0], y[-1]] == [0.0, 0.5] == [c.scores[0], c.scores[-1]]
    assert drawn["changed"][0].get_xdata() == [3.0]
    assert drawn.texts("coin") == drawn.texts("bill coin") == ["1", "2"]
    assert drawn["border"][0].get_ydata()[0] == 0.5
    assert [a.get_position()[0] for a in drawn["coin"]] == [0.5, 2.0], "half-way of each payment"
    (safe,), (open_,) = drawn["safe"], drawn["open"]
    assert (safe.get_x(), safe.get_width()) == (0.0, 3.0)
    assert (open_.get_x(), open_.get_width()) == (3.0, 1.0)
    assert drawn.texts("certificate") == ["safe below 3", "can be changed from 3 on"]
    assert drawn.texts("verdict") == ["now predicted bad"]


def test_a_row_that_nothing_changes_shows_how_far_the_attacker_gets():
    d = show("a", 2)
    drawn = d.plot()
    assert d.title == "No attack for 2 changes the prediction for a: it stays good"
    assert drawn.texts("certificate") == ["safe for all of 2"]
    assert not drawn["open"]
    assert not drawn["changed"]
    assert drawn["path"][0].get_ydata()[-1] == 0.25
    assert drawn.texts("verdict") == ["still predicted good"]
    assert drawn.texts("which attack") == ["the attack that gets farthest"]
    assert "∞" not in d.summary + d.alt_text


def hard():
    rng = np.random.default_rng(0)
    Z = pd.DataFrame(rng.normal(size=(300, 8)), columns=list("abcdefgh"))
    y = (Z.iloc[:, :4].sum(axis=1) + Z.a * Z.b > 0).astype(int).to_numpy()
    model = ensemble.RandomForestClassifier(30, max_depth=6, random_state=0).fit(Z, y)
    A = tv.Attacker([tv.Rule(f, 1 + i / 10, delta=(-0.2, 0.2)) for i, f in enumerate("abcde")], 4)
    return model, Z[:12], y[:12], A


def test_limits_give_bounds_and_the_words_say_so(monkeypatch):
    monkeypatch.setattr("treant_viz.attacks.cheapest.DENSE", 0)
    monkeypatch.setattr("treant_viz.attacks.search.BLOCK", 20)
    monkeypatch.setattr("treant_viz.attacks.search.TAIL", 2)
    (model, Z, _, A), kinds = hard(), set()
    for budget, limit in ((2, 5_000), (8, 50), (8, 1_000)):
        for i, cost in enumerate(tv.evasion_cost(model, Z, A.with_budget(budget))):
            d = tv.CertificateDisplay.from_model(model, Z.iloc[i], A.with_budget(budget), node_limit=limit)
            c = d.certificate
            assert c.safe_below <= cost + 1e-9
            assert cost <= c.changes_at + 1e-9
            kinds.add((c.exact, c.falls))
            assert ("stopped" in d.title) == (not c.exact)
            drawn = d.plot()
            assert bool(drawn["not known"]) == (not c.exact)
            assert bool(drawn["open"]) == c.falls
            ends = [s.end for s in spans(c)]
            assert ends == sorted(ends)
            assert ends[-1] == pytest.approx(reach(c))
    assert kinds == {(True, True), (True, False), (False, True), (False, False)}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: show("a"), "a is safe below 3: for 3, the attacker changes its prediction from good to bad"),
        (lambda: show("a", math.inf), "a is safe below 3: for 3, the attacker changes its prediction from"),
        (lambda: show("d"), "No attack for 9 changes the prediction for d: it stays bad"),
        (lambda: show("d", math.inf), "No attack, whatever it costs, changes the prediction for d: it stays"),
        (lambda: show("a", 0), "No attack for 0 changes the prediction for a: it stays good"),
        (
            lambda: show("a", model=TREES),
            "a is safe below 1: for 1, the attacker moves its prediction from 0",
        ),
        (
            lambda: show("a", model=TREES, tolerance=0.3),
            "a is safe below 3: for 3, the attacker moves its prediction from 0 to 0.5, by more than 0.3",
        ),
        (
            lambda: show("a", 1, model=TREES, tolerance=0.3),
            "No attack for 1 moves the prediction for a by more than 0.3",
        ),
        (
            lambda: show("a", 1, model=[stump("p", 1.5, 0.5, 0.50001)]),
            "a is safe below 1: for 1, the attacker moves its prediction from 0.5 to 0.50001",
        ),
        (lambda: show("a", label="wine 7"), "wine 7 is safe below 3: for 3, the attacker changes its"),
    ],
)
def test_the_title_is_true_of_each_row(make, words):
    d = make()
    assert d.title.startswith(words)
    assert d.plot().artists
    assert len(d.alt_text) > 60


def test_many_moves_leave_the_coins_to_the_bill():
    far = [stump("p", 40.5)]
    drawn = show("a", 100, model=Forest(far)).plot()
    assert not drawn["coin"]
    assert drawn.texts("bill coin") == ["40"]
    assert drawn.texts("move words") == ["p 1 → 41 in 40 moves"]


# a table


def test_the_steps_are_accuracy_under_attack_at_every_budget():
    (data, y), model = table(), MODELS["forest"]
    d = tv.CertificateDisplay.from_table(model, data, y, EITHER)
    x, line = d.plot()["steps"][0].get_data()
    curve = tv.security_curve(model, data, y, EITHER, [0, 1, 2, 3, 4], n_boot=0)
    for budget, truth in zip(range(5), curve[curve.metric == "accuracy"].value, strict=True):
        here = np.asarray(line)[np.flatnonzero(np.asarray(x) <= budget)[-1]]
        assert here == pytest.approx(truth)
    c = d.certificate
    assert [g.label for g in c.classes] == [0, 1]
    assert sum(g.n for g in c.classes) == c.every.n == len(data)
    assert sum(g.fallen[0] for g in c.classes) == c.every.fallen[0]
    fell = tv.evasion_cost(model, data, EITHER)[model.predict(data) == y] < math.inf
    assert c.every.fallen == (fell.sum(), fell.sum())
    assert d.title.startswith(
        f"For 4, the attacker changes {fell.sum()} of the {fell.size} right predictions"
    )


def test_features_pay_what_the_attacks_cost_and_blame_is_what_brute_force_says():
    for budget in (1, 2, 3, 4, 6, 9):
        c = share(budget).certificate
        costs = np.array([least_cost(x, "pq", budget) for x in X.to_numpy()])
        assert c.paid == pytest.approx(costs[costs < math.inf].sum())
        assert c.every.changes_at.tolist() == sorted(costs)
        for p in c.payers:
            left = "q" if p.feature == "p" else "p"
            truth = sum(least_cost(x, left, budget) < math.inf for x in X.to_numpy())
            assert p.fallen == (truth, truth)


@pytest.mark.parametrize("limit", [None, 30, 300])
def test_looking_again_at_some_rows_is_as_good_as_at_all(limit, monkeypatch):
    """Losing a feature: counted only where it matters, and the truth lies between the bounds."""
    monkeypatch.setattr("treant_viz.attacks.cheapest.DENSE", 0)
    model, Z, y, A = hard()
    d = tv.CertificateDisplay.from_table(model, Z, y, A, node_limit=limit)
    right = model.predict(Z) == y
    for p in d.certificate.payers:
        rest = tv.Attacker([r for r in A.rules if r.feature != p.feature], A.budget)
        truth = (tv.evasion_cost(model, Z[right], rest) < math.inf).sum()
        low, high = p.fallen
        assert low <= truth <= high
        assert limit or low == high
    drawn = d.plot()
    assert bool(drawn["band"]) == (d.certificate.inexact > 0)


def test_bars_are_as_long_as_what_they_stand_for():
    d = share(9)
    drawn, c = d.plot(), d.certificate
    wide = [a.get_width() for a in drawn["paid"]]
    paid = [p.paid for p in c.payers if p.paid]
    assert [w / wide[0] for w in wide] == pytest.approx([x / paid[0] for x in paid])
    left = [p.fallen[0] for p in c.payers if p.fallen[0]]
    bars = [a.get_width() for a in drawn["fallen"]]
    assert [w / bars[0] for w in bars] == pytest.approx([n / left[0] for n in left])
    edge = drawn["with all"][0].get_xdata()[0]
    assert bars[0] / edge == pytest.approx(left[0] / c.fallen[0])


LINES = pd.DataFrame({"p": [1.0, 1.0, 5.0], "q": [0.0, 9.0, 0.0]})
ONE = [stump("p", 1.5)]
BOTH = [stump("p", 1.5), stump("q", 1.5)]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: share(9, model=Forest(ONE), y=["good", "good", "bad"], Z=LINES),
            "For 9, the attacker changes 2 of the 3 right predictions; without rules on p, none",
        ),
        (
            lambda: share(9, model=Forest(ONE), y=["bad", "good", "bad"], Z=LINES),
            "For 9, the attacker changes 1 of the 2 right predictions; without rules on p, none",
        ),
        (
            lambda: share(9, model=Forest(ONE), y=["bad", "bad", "good"], Z=LINES),
            "The model gets none of 3 rows right: there is nothing to attack",
        ),
        (
            lambda: share(0.5, model=Forest(ONE), y=["good", "good", "bad"], Z=LINES),
            "No attack for 0.5 changes any of the 3 right predictions",
        ),
        (
            lambda: share(9, model=Forest(ONE), Z=LINES, by="rule"),
            "For 9, the attacker changes 2 of 3 predictions; without the rule “p: raise by up to 1”, none",
        ),
        (
            lambda: share(math.inf, model=Forest(ONE), Z=LINES),
            "With no limit on costs, the attacker changes 2 of 3 predictions; without rules on p, none",
        ),
        (
            lambda: share(9, model=Forest(BOTH), Z=LINES[:1]),
            "For 9, the attacker changes 1 of 1 prediction; losing any one feature saves none",
        ),
        (
            lambda: share(9, model=Forest(BOTH, (0, 1)), Z=LINES, rules=RULES[:1]),
            "For 9, the attacker changes 1 of 3 predictions; without rules on p, none",
        ),
        (
            lambda: share(9, model=Forest(ONE), Z=LINES, rows=1),
            "For 9, the attacker changes 2 of 3 predictions; "
            "without rules on p, none of 1 among the first 1 rows",
        ),
        (
            lambda: share(9, model=ONE, Z=LINES, y=[0, 0, 0]),
            "For 9, the attacker moves 2 of 3 predictions; without rules on p, none",
        ),
        (
            lambda: share(9, model=ONE, Z=LINES, tolerance=1.5),
            "No attack for 9 moves any of 3 predictions by more than 1.5",
        ),
    ],
)
def test_the_title_is_true_of_each_table(make, words):
    d = make()
    assert d.title == words
    assert d.plot().artists
    assert len(d.alt_text) > 60


def test_the_title_says_that_a_search_was_stopped(monkeypatch):
    monkeypatch.setattr("treant_viz.attacks.cheapest.DENSE", 0)
    model, Z, y, A = hard()
    d = tv.CertificateDisplay.from_table(model, Z, y, A, node_limit=1)
    low, high = d.certificate.every.fallen
    assert low < high
    assert d.title.endswith("; the search was stopped early")
    assert "not searched to the end" in d.subtitle.lower()


def test_many_features_are_summed_up():
    names = [f"f{i}" for i in range(14)]
    wide = pd.DataFrame(0.0, index=range(14), columns=names) + 2.0 * (1 - np.eye(14))
    forest = Forest([stump(f, 1.0) for f in names] + [stump("f0", -9.0, -12.6, -12.6)])
    A = tv.Attacker([tv.Rule(f, 1, delta=(-2, 2)) for f in names], 2)
    drawn = tv.CertificateDisplay.from_table(forest, wide, None, A).plot()
    assert len(drawn["payer"]) == 8
    assert drawn.texts("more payers")[0].startswith("6 more features: ")


@pytest.mark.parametrize(
    ("k", "n", "words"), [(1, 3, "33.3 %"), (0, 3, "0 %"), (99_999, 100_000, "99.999 %")]
)
def test_a_share_is_never_rounded_to_all(k, n, words):
    assert percent(k, n) == words


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: tv.CertificateDisplay.from_model(TREES, X.iloc[0], 3), TypeError, "attacker: expected an"),
        (lambda: tv.CertificateDisplay.from_table(TREES, X, None, 3), TypeError, "attacker: expected an"),
        (lambda: tv.CertificateDisplay.from_model(TREES, X, EITHER), ValueError, "x: expected one row"),
        (lambda: share(by="row"), ValueError, "by: expected 'feature' or 'rule'"),
        (lambda: share(Z=X[:0]), ValueError, "X: expected at least one row"),
        (lambda: share(y=["good"] * 4), ValueError, "y: expected 5 labels"),
        (lambda: share(y=["good"] * 4 + ["so so"]), ValueError, "y: the model's classes are"),
        (lambda: share(rows=0), ValueError, "rows: expected a whole number of at least 1"),
    ],
)
def test_bad_input_is_named(make, error, words):
    with pytest.raises(error, match=words):
        make()
