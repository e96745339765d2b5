"""Rules and attackers as values: text form, JSON, and files that are refused with the reason."""

from __future__ import annotations

import copy
import json
import math
import pickle
import time

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treant_viz import Attacker, Rule

INF = math.inf
FEWER = settings(max_examples=settings().max_examples * 2 // 5)


def test_rules_and_attackers_are_values():
    rule = Rule(np.int64(2), np.float64(1.5), pre=[0, 1], delta=np.array([0, 1]))
    assert rule == Rule(2, 1.5, pre=(0, 1), delta=(0, 1))
    assert type(rule.feature) is int and type(rule.cost) is float and type(rule.delta.low) is float
    assert Rule("c", 1, pre="a", becomes=np.str_("b")) == Rule("c", 1, pre={"a"}, becomes="b")
    A = Attacker([rule], 2)
    assert hash(A) == hash(Attacker([Rule(2, 1.5, pre=(0, 1), delta=(0, 1))], 2.0))
    assert A.with_budget(3) != A
    assert pickle.loads(pickle.dumps(A)) == A == copy.deepcopy(A)
    with pytest.raises(AttributeError):
        A.budget = 3  # type: ignore[misc]


def test_asking_does_not_change_an_attacker():
    A = Attacker([Rule("f", 1, delta=(-1, 1)), Rule("c", 1, becomes="x")], 2)
    before = joblib.hash(A)
    A.reachable("f", 1), A.cost_above("f", [1], 2), A.cost_equal("c", ["y"], "x"), str(A), A.limit
    assert joblib.hash(A) == before


def test_text_form():
    rules = [
        Rule("p", 1, delta=(-1, 1)),
        Rule("q", 2.5, pre=(0, INF), delta=(0, 0.5)),
        Rule("c", 1, becomes="x"),
    ]
    assert str(Attacker([*rules, Rule("c", 1, pre={"b", "a"}, becomes="x")], 10)) == (
        "Attacker with budget 10:\n"
        "  (-inf, inf) -p->_1 [-1, 1]\n"
        "  [0, inf) -q->_2.5 [0, 0.5]\n"
        "  any -c->_1 x\n"
        "  {a, b} -c->_1 x"
    )
    assert str(Attacker([], 1)) == "Attacker with budget 1:\n  (no rules)"


# Files

names = st.text(min_size=1, max_size=5) | st.integers(0, 9)
costs = st.floats(0, 1e9, exclude_min=True)
any_end = st.floats(allow_nan=False)
category = st.text(max_size=4) | st.integers(-3, 3) | st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def intervals(draw):
    low, high = sorted((draw(any_end), draw(any_end)))
    return (min(low, 1e308), max(high, -1e308))


numeric = st.builds(lambda f, k, p, d: Rule(f, k, p, d), names, costs, st.none() | intervals(), intervals())
some = st.none() | st.frozensets(category, min_size=1)
categorical = st.builds(lambda f, k, p, b: Rule(f"{f} (c)", k, p, becomes=b), names, costs, some, category)
attackers = st.builds(Attacker, st.lists(numeric | categorical, max_size=4), st.floats(0, allow_nan=False))


@FEWER
@given(attackers)
def test_json_round_trip(tmp_path_factory, A):
    path = tmp_path_factory.mktemp("attacker") / "a.json"
    A.to_json(path)
    B = Attacker.from_json(path)
    assert B == A
    assert str(B) == str(A)
    assert B.to_dict() == A.to_dict()
    json.loads(
        path.read_text(encoding="utf-8"), parse_constant=lambda word: pytest.fail(f"{word} is not JSON")
    )


GOOD = {
    "format": "treant_viz.attacker",
    "version": 1,
    "budget": 2,
    "rules": [{"feature": "p", "cost": 1, "delta": [0, 1]}],
}


def damaged(**changes) -> dict:
    return {k: v for k, v in {**GOOD, **changes}.items() if v != "drop"}


def rule(**changes) -> dict:
    return damaged(rules=[{k: v for k, v in {**GOOD["rules"][0], **changes}.items() if v != "drop"}])


def test_a_hand_written_file():
    assert Attacker.from_dict(GOOD) == Attacker([Rule("p", 1, delta=(0, 1))], 2)


@pytest.mark.parametrize(
    ("doc", "message"),
    [
        ([], "expected a JSON object, got list"),
        (
            damaged(format="treant_viz.model"),
            'expected "format": "treant_viz.attacker", got \'treant_viz.model\'',
        ),
        (damaged(version=2), "format version 2, .*upgrade treant_viz"),
        (damaged(version="drop"), '"version": a whole number from 1 to 1, got None'),
        (damaged(version=True), '"version": a whole number from 1 to 1, got True'),
        (damaged(version=1.0), '"version": a whole number'),
        (damaged(budget="drop"), '"budget": expected a finite number, "inf" or "-inf", got None'),
        (damaged(budget="7"), "\"budget\": .*got '7'"),
        (damaged(budget=-1), "budget: expected a number of at least 0"),
        (damaged(rules="drop"), '"rules" is missing'),
        (damaged(rules={}), '"rules" must be a list'),
        (damaged(rules=[3]), "rule 0: expected an object, got 3"),
        (rule(feature="drop"), 'rule 0: "feature" is missing'),
        (rule(feature=1.5), 'rule 0: "feature" must be text or a whole number, got 1.5'),
        (rule(feature=True), 'rule 0: "feature" must be text or a whole number, got True'),
        (rule(cost="drop"), 'rule 0: "cost": expected a finite number'),
        (rule(cost=0), "rule 0: cost of the rule on 'p': expected a finite number above 0"),
        (rule(cost=10**400), 'rule 0: "cost": expected a finite number'),
        (rule(delta="drop"), "rule 0: the rule on 'p' needs either delta"),
        (rule(delta=[0]), 'rule 0: "delta": expected two numbers'),
        (rule(delta=5), 'rule 0: "delta": expected two numbers'),
        (rule(delta={"low": 0, "high": 1}), 'rule 0: "delta": expected two numbers'),
        (rule(delta=[0, "infinity"]), 'rule 0: "delta": expected a finite number'),
        (rule(delta=[2, 1]), "rule 0: delta of the rule on 'p': the low end 2 is above the high end 1"),
        (rule(pre="(0, np.inf)"), 'rule 0: "pre": expected two numbers'),
        (rule(delta="drop", becomes="x", pre="ab"), 'rule 0: "pre" must be a list'),
        (
            rule(delta="drop", becomes="x", pre=[]),
            "rule 0: pre of the rule on 'p': expected a set of categories",
        ),
        (rule(delta="drop", becomes=["x"]), "rule 0: becomes of the rule on 'p': a category is text"),
        (rule(becomes="x"), 'rule 0: .*"delta" must be a list|rule 0: .*either delta'),
        (rule(eval="import os"), r"rule 0: unknown entries \['eval'\]"),
    ],
)
def test_damaged_files_are_refused_with_the_reason(doc, message, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(doc))
    with pytest.raises(ValueError, match=rf"a\.json: {message}|a\.json: .*{message}|{message}"):
        Attacker.from_json(path)


LONG = "x" * 1_500_000


@pytest.mark.parametrize(
    "doc",
    [
        rule(feature=10**400),
        rule(feature=[LONG]),
        rule(cost=LONG),
        rule(delta=LONG),
        rule(delta=[10**400, 1]),
        rule(feature=LONG, cost=-1),
        rule(feature=LONG, delta="drop"),
        rule(delta="drop", becomes=10**400),
        rule(delta="drop", becomes="x", pre=[10**400]),
        rule(delta="drop", becomes="x", pre=[[LONG]]),
        rule(**{LONG: 1}),
        damaged(budget=LONG),
        damaged(rules=LONG),
        damaged(rules=[LONG]),
        damaged(
            rules=[
                {"feature": LONG, "cost": 1, "delta": [0, 1]},
                {"feature": LONG, "cost": 1, "becomes": "a"},
            ]
        ),
    ],
    ids=lambda doc: str(doc)[50:90],
)
def test_whatever_a_file_holds_its_refusal_is_one_short_value_error(doc, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(doc))
    with pytest.raises(ValueError, match=r"a\.json: ") as caught:
        Attacker.from_json(path)
    assert len(str(caught.value)) < 500


def test_numbers_beyond_all_floats_are_refused_by_name():
    with pytest.raises(ValueError, match="cost of the rule on 'p': expected a number that a float can hold"):
        Rule("p", 10**400, delta=(0, 1))
    with pytest.raises(ValueError, match="budget: expected a number that a float can hold"):
        Attacker([], 10**400)
    with pytest.raises(TypeError, match=r"values of feature 'p': expected numbers, got .1000"):
        Attacker([Rule("p", 1, delta=(0, 1))], 1).reachable("p", 10**400)


def test_many_rules_on_many_features_are_taken_at_once():
    rules = [Rule(f"f{i}", 1, delta=(0, 1)) for i in range(20_000)]
    begin = time.process_time()
    Attacker(rules, 1)
    assert time.process_time() - begin < 2


def test_all_that_is_wrong_with_a_file_is_said_at_once(tmp_path):
    """A mistake in the budget, two in one rule, one in another: four, each with its place."""
    good = {"feature": "p", "cost": 1, "delta": [0, 1]}
    rules = [good | {"cost": -1, "delta": [2, 1]}, good, {"feature": "q", "cost": 1, "delta": [0]}]
    doc = {"format": "treant_viz.attacker", "version": 1, "budget": "lots", "rules": rules}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(doc))
    with pytest.raises(ValueError, match="4 faults") as caught:
        Attacker.from_json(path)
    said = str(caught.value)
    for part in ('"budget": expected', "rule 0: cost", "rule 0: delta", 'rule 2: "delta": expected two'):
        assert part in said
    assert "rule 1" not in said and said.startswith(f"{path}: ") and said.count("rule 0: rule 0") == 0


def test_a_file_with_a_thousand_faults_is_refused_in_a_message_one_can_read(tmp_path):
    rules = [{"feature": "p" * 500, "cost": "x" * 500, "delta": [0]}] * 500
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"format": "treant_viz.attacker", "version": 1, "budget": 1, "rules": rules}))
    with pytest.raises(ValueError, match=r"1000 faults: .*; and 992 more$") as caught:
        Attacker.from_json(path)
    assert len(str(caught.value)) < 1200


@pytest.mark.parametrize("rules", ["abc", Rule("p", 1, delta=(-1, 1)), 3])
def test_rules_are_asked_for_as_a_list(rules):
    with pytest.raises(TypeError, match="rules: expected a list of Rule objects, got"):
        Attacker(rules, 1)
