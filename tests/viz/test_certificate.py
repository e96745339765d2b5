"""CertificateDisplay of a row: below the cost no attack changes it, at the cost one does, words are true."""

from __future__ import annotations

import math

import pytest

import treant_viz as tv
from tests.attacks.fitted import EITHER, MODELS, table
from tests.viz.certificates import RULES, TREES, Forest, X, hard, least_cost, show, stump
from tests.viz.measures import overlap
from treant_viz.viz.certificate.draw import reach, spans
from treant_viz.viz.certificate.facts import row_certificate

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
    assert drawn.texts("coin") == ["1", "2"] and not drawn["bill coin"], "each move stands where it is made"
    assert drawn.texts("move words") == ["p 1 → 2", "q 0 → 2"]
    assert drawn.texts("start value") == ["a, predicted good, score 0"]
    assert drawn["border"][0].get_ydata()[0] == 0.5
    assert [a.get_position()[0] for a in drawn["coin"]] == [0.5, 2.0], "half-way of each payment"
    (safe,), (open_,) = drawn["safe"], drawn["open"]
    assert (safe.get_x(), safe.get_width()) == (0.0, 3.0)
    assert (open_.get_x(), open_.get_width()) == (3.0, 1.0)
    assert drawn.texts("certificate") == ["safe below 3", "can be changed from 3 on"]


def test_a_row_that_nothing_changes_shows_how_far_the_attacker_gets():
    d = show("a", 2)
    drawn = d.plot()
    assert d.title == "No attack for 2 changes the prediction for a: it stays good"
    assert drawn.texts("certificate") == ["safe for all of 2"]
    assert not drawn["open"]
    assert not drawn["changed"]
    assert drawn["path"][0].get_ydata()[-1] == 0.25
    assert drawn.texts("frontier words") == ["as far as any attack gets"]
    assert d.subtitle.startswith("Line: the attack that gets farthest; coins: ")
    assert "∞" not in d.summary + d.alt_text


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


def test_words_make_room_for_a_path_that_starts_at_the_border_and_ends_at_the_right():
    there = tv.Node("p", 1.5, tv.Leaf(0.49), tv.Node("p", 2.5, tv.Leaf(0.0), tv.Leaf(0.6)))
    drawn = show("a", 2, model=Forest([there])).plot()
    assert drawn["path"][0].get_ydata().tolist() == [0.49, 0.49, 0.0, 0.0, 0.6]
    assert drawn.texts("side") == ["predicted bad ↑", "predicted good ↓"]
    drawn.figure.canvas.draw()
    others = [*drawn["start value"], *drawn["end value"], *drawn["coin"]]
    for side in drawn["side"]:
        box = side.get_window_extent()
        assert all(overlap(box, other.get_window_extent()) <= 0 for other in others)


@pytest.mark.parametrize("row", list(X.index))
def test_the_frontier_is_as_far_as_any_attack_gets_for_each_cost(row):
    """Found again by plain enumeration, also between the costs at which it jumps."""
    model, x = Forest(TREES), X.loc[[row]]
    c = row_certificate(model, X.loc[row], tv.Attacker(RULES, 4))
    own = [c.prediction]
    for budget in (0, 0.5, 1, 1.5, 2, 2.9, 3, 4):
        A = tv.Attacker(RULES, budget)
        worst = tv.attack(model, x, own, A, "margin", method="exhaustive").scores[0]
        assert [s for cost, s in c.frontier if cost <= budget][-1] == pytest.approx(worst)
    [edge] = show(row, 4).plot()["frontier edge"]
    assert edge.get_drawstyle() == "steps-post"
    seen = [s for cost, s in c.frontier if cost <= edge.axes.get_xlim()[1]]
    assert edge.get_ydata()[:-1].tolist() == seen


def test_a_row_without_a_name_of_its_own_begins_the_sentence():
    x = X.reset_index(drop=True).iloc[[0]]
    d = tv.CertificateDisplay.from_model(Forest(TREES), x, tv.Attacker(RULES, 9))
    assert d.title.startswith("Row 0 is safe below 3: ")


def test_moves_stand_in_the_order_in_which_the_money_moves_the_score_soonest():
    """p takes one tree for 1, q two trees for 2: q first gains more for every coin that is spent early."""
    trees = [stump("p", 1.5), stump("q", 1.5), stump("q", 1.5), stump("p", 9.0), stump("p", 9.0)]
    c = row_certificate(Forest(trees), X.loc["a"], tv.Attacker(RULES, 9))
    assert c.changes_at == 3 and sorted(m.feature for m in c.moves) == ["p", "q"]
    steps = {tuple(m.feature for m in c.moves): c.scores}
    early = {"pq": 2 * 0.2, "qp": 1 * 0.4}  # after the first move, until the second is paid
    [(order, scores)] = steps.items()
    assert early["".join(order)] == max(early.values())
    assert scores[0] == 0.0 and scores[-1] == pytest.approx(0.6)
