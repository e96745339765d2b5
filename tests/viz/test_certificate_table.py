"""CertificateDisplay of a table: accuracy at every budget, who pays, who is to blame; titles are true."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.attacks.fitted import EITHER, MODELS, table
from tests.viz.certificates import RULES, TREES, Forest, X, hard, least_cost, share, stump
from tests.viz.measures import overlap
from treant_viz.viz.certificate.words import percent

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


def test_no_label_covers_a_bar():
    drawn = share(9).plot()
    drawn.figure.canvas.draw()
    bars = [a.get_window_extent() for role in ("paid", "fallen") for a in drawn[role]]
    for role in ("paid share", "fallen count"):
        for label in drawn[role]:
            box = label.get_bbox_patch().get_window_extent()
            assert all(overlap(box, bar) <= 0 for bar in bars)


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


def test_no_two_rules_look_alike_and_long_ones_do_not_fill_the_title():
    jobs = [f"a job with a very long name, number {i}" for i in range(12)]
    data = pd.DataFrame({"job": [*jobs, "other"], "p": 1.0})
    model = tv.TreantClassifier(max_depth=2, min_samples_split=2).fit(data, [1] * 12 + [0])
    turn = tv.Rule("job", 2, pre=set(jobs), becomes="other")
    A = tv.Attacker([turn, tv.Rule("p", 1, delta=(0, 1)), tv.Rule("p", 2, delta=(0, 1))], 3)
    d = tv.CertificateDisplay.from_table(model, data, None, A, by="rule")
    assert len(d.title) < 160
    drawn = d.plot()
    assert drawn.texts("payer") == ["job", "p", "p"]
    assert drawn.texts("rule")[1:] == [
        "raise by up to 1, for 1 each time",
        "raise by up to 1, for 2 each time",
    ]


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


def test_few_rows_are_bars_below_the_line_as_long_as_they_are_safe():
    """Five rows: the line is their outline, and a coin stands where a row changes."""
    d = share(4)
    drawn, c = d.plot(), d.certificate
    assert "A bar is a row, as long as it is safe." in d.subtitle
    bars = sorted(drawn["row bar"], key=lambda bar: bar.get_y())
    assert [bar.get_height() for bar in bars] == pytest.approx([1 / len(X)] * len(X))
    long = [min(cost, 4.0) for cost in sorted(c.every.changes_at, reverse=True)]
    assert [bar.get_width() for bar in bars] == pytest.approx(long)
    fallen = c.every.fallen[0]
    assert (
        len(drawn["coin"]) == fallen and sum("safe" in t for t in drawn.texts("row words")) == len(X) - fallen
    )
    alone = share(4, rules=RULES[:1])
    assert len(alone.certificate.payers) == 1 and not alone.plot()["paid"]
    assert alone.subtitle.startswith("The share of rows that")
