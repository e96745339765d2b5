"""What the form of an attacker is told: facts that fit a page, and a reach that is the rules’ own."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import treant_viz as tv
from tests.live.conftest import TOY
from treant_viz.core.reference import reachable

SCHEMA = json.loads((Path(tv.__file__).parent / "live/schemas/attacker.json").read_text("utf-8"))
SETS = {"toy": tv.load_toy, "wine": tv.load_wine, "census": tv.load_census, "nothing": lambda: None}


def card(**more):
    """A card as the browser sends it."""
    empty = {"feature": "p", "kind": "number", "cost": "1", "low": "", "high": "", "least": "-1", "most": "1"}
    return empty | {"pre": None, "becomes": None, "rule": None} | more


def asked(ex, *cards, **more):
    return ex.answer({"cards": list(cards), "budget": "1", "row": 0} | more)


@pytest.mark.parametrize("name", SETS)
def test_facts_fit_their_schema_and_a_page(name):
    ex = tv.build_attacker(SETS[name]())
    for facts in (ex.facts(), ex.page_facts()):
        jsonschema.validate(facts, SCHEMA)
        assert len(json.dumps(facts, allow_nan=False)) < 300_000
    sent = json.loads(json.dumps(ex._to_browser(), allow_nan=False))
    answer = ex.answer(
        {"cards": [{"feature": r["feature"], "rule": r} for r in sent["rules"]], "budget": "x"}
    )
    assert answer["read"] == sent["rules"], "what stands stays, while nothing right is typed"


@pytest.mark.parametrize("name", ["toy", "wine", "census"])
def test_the_reach_of_a_row_is_that_of_rules_applied_one_by_one(name):
    data = SETS[name]()
    ex, rng = tv.build_attacker(data), np.random.default_rng(3)
    X = TOY.X if name == "toy" else data.X_train
    for i in rng.integers(0, len(X), 6):
        facts = ex._row(ex.attacker, int(i))
        for place, found in facts["reach"].items():
            feature = X.columns[int(place)]
            x = X[feature].iloc[i]
            A = tv.Attacker(ex.attacker.rules_on(feature), ex.budget)
            for cost, pieces in found["stages"]:
                expected = brute(A.with_budget(cost), feature, x)
                assert sorted(map(str, pieces)) == sorted(map(str, expected)), (feature, x, cost)


def brute(A, feature, x):
    """What rules make of a value, step by step: sets of categories, or intervals put together by hand."""
    if isinstance(x, str):
        found, spent = {x: 0.0}, [(x, 0.0)]
        for value, cost in spent:
            for r in A.rules:
                new = cost + r.cost
                if value in (r.pre or {value}) and new <= A.budget and new < found.get(r.becomes, math.inf):
                    found[r.becomes] = new
                    spent.append((r.becomes, new))
        return sorted(found)
    todo, seen = [(float(x), float(x), 0.0)], set()
    while todo:
        low, high, cost = todo.pop()
        if (low, high, cost) in seen:
            continue
        seen.add((low, high, cost))
        for r in A.rules:
            a, b = max(low, r.pre.low), min(high, r.pre.high)
            if a <= b and cost + r.cost <= A.budget:
                todo.append((a + r.delta.low, b + r.delta.high, cost + r.cost))
    out: list[list[float]] = []
    for low, high, _ in sorted(seen):
        if out and low <= out[-1][1]:
            out[-1][1] = max(out[-1][1], high)
        else:
            out.append([low, high])
    return [[plain(a), plain(b)] for a, b in out]


def plain(x):
    x = float(f"{x:.12g}")
    return int(x) if x == int(x) else x


def test_the_oracle_agrees_with_the_papers_own_program():
    A = tv.Attacker([tv.Rule("p", 1, (0, 5), (-1, 0.5)), tv.Rule("p", 2, (3, 4), (6, 7))], 4)
    merged: list[list[float]] = []
    for low, high in sorted((low, high) for _, low, high in reachable(A, "p", 3.0)):
        if merged and low <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], high)
        else:
            merged.append([low, high])
    assert brute(A, "p", 3.0) == merged and len(merged) > 1


@pytest.mark.parametrize("budget", [1e9, math.inf])
def test_an_endless_budget_is_answered_at_once_and_the_words_are_true(budget):
    """A budget of 1e9 used to mean seconds of silence, and then a refusal; inf was refused."""
    start = time.perf_counter()
    ex = tv.build_attacker(TOY, budget=budget)
    answer = asked(ex, card(), budget=str(budget), row=2)
    assert time.perf_counter() - start < 1.0
    assert answer["faults"] == {} and ex.attacker.budget == budget
    found = answer["rows"]["2"]["reach"]["0"]
    assert found["whole"] is False and found["followed"] == 200
    assert found["stages"][-1] == [200, [[1 - 200, 1 + 200]]]
    assert "For 200, the attacker can" in ex.display.title
