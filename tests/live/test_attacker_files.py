"""build_attacker: rules as files and code; damaged files lose nothing, hostile names do no harm."""

from __future__ import annotations

import json
import math
import re

import pandas as pd
import pytest

import treant_viz as tv
from tests.live.conftest import PEOPLE, TOY
from treant_viz.live.explore.rule_text import attacker_code

HOSTILE = "<script>alert('$x_1$\")</script>"


def made_by(code):
    space = {"tv": tv}
    *before, last = code.splitlines()
    exec("\n".join(before), space)
    return eval(last, space)


def document(**more):
    return json.dumps(TOY.attacker.to_dict() | more)


# files


def test_a_file_is_taken(form):
    A = tv.Attacker([tv.Rule("q", 5, delta=(0, 1))], 7)
    found = form.answer({"file": json.dumps(A.to_dict()), "name": "a.json", "row": 2})
    assert found["rules"] == [r.to_dict() for r in A.rules] and found["budget"] == 7
    assert found["rows"]["2"]["reach"].keys() == {"1"}
    form.hear({"rules": found["rules"], "budget": 7, "feature": "1", "editing": 0, "row": 2})
    assert form.attacker == A


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "damaged or not JSON"),
        ('{"format": "treant_viz.tree", "version": 1}', 'expected "format"'),
        (document(budget="lots"), "budget"),
        (json.dumps(tv.Attacker([tv.Rule("z", 1, delta=(0, 1))], 1).to_dict()), "rule 0: .*is not a column"),
        ('{"format": "treant_viz.attacker", "version": 1, "budget": NaN, "rules": []}', "NaN|nan"),
        ("[" * 100_000, "damaged or not JSON"),
        (
            '{"format": "treant_viz.attacker", "version": 1, "budget": 1, "budget": 9, "rules": []}',
            "more than once",
        ),
        (document(budget=-1, rules=[{"feature": "p", "cost": 0, "delta": [0]}, 7]), "4 faults"),
        (
            document(rules=[{"feature": f, "cost": 1, "delta": [0, 1]} for f in "pyz"]),
            "2 faults: rule 1: .*'y' is not a column.*; rule 2: .*'z' is not a column",
        ),
    ],
)
def test_damaged_files_are_explained_and_nothing_is_lost(form, content, words):
    before = form.state
    reply = form.answered({"file": content, "name": "bad<b>.json"})
    assert re.search(words, reply["error"]) and reply["error"].startswith("bad<b>.json: ")
    assert len(reply["error"]) < 1200
    assert form.state == before


def test_a_saved_page_holds_the_rules_and_the_picture_takes_any_other_ending(people, tmp_path):
    page = people.save(tmp_path / "attacker.html").read_text("utf-8")
    assert '"picture":"attacker"' in page and '"becomes":"single"' in page
    assert people.save(tmp_path / "a.svg").read_text("utf-8").lstrip().startswith("<")


# code


@pytest.mark.parametrize("feature", ["age", "status", "score"])
def test_code_makes_the_same_attacker_and_picture(people, feature):
    people.feature = feature
    assert made_by(people.code()).summary == people.display.summary


@pytest.mark.parametrize("feature", ["p", "job", 3])
def test_code_without_rows_makes_its_own(feature):
    rules = [
        *TOY.attacker.rules,
        tv.Rule("job", 1, pre={"a", "b"}, becomes="c"),
        tv.Rule(3, 1, pre=(0, math.inf), delta=(0, 2)),
    ]
    ex = tv.build_attacker(None, tv.Attacker(rules, 2), feature=feature)
    assert made_by(ex.code()).summary == ex.display.summary


def test_attackers_survive_their_code(people):
    A = tv.Attacker(
        [*people.attacker.rules, tv.Rule("score", 0.1, pre=(-math.inf, 1 / 3), delta=(-1e-20, 1e20))],
        math.inf,
    )
    assert eval(attacker_code(A), {"tv": tv}) == A


def test_hostile_names_do_no_harm(tmp_path):
    X = pd.DataFrame({HOSTILE: [1.0, 2.0, 3.0], "c": [HOSTILE, "b", "b"]})
    rules = [tv.Rule(HOSTILE, 1, delta=(0, 1)), tv.Rule("c", 1, pre={HOSTILE}, becomes="b")]
    ex = tv.build_attacker(X, tv.Attacker(rules, 1))
    assert HOSTILE not in ex.page()
    for feature in (HOSTILE, "c"):
        ex.feature = feature
        assert made_by(ex.code()).summary == ex.display.summary


def test_a_feature_that_only_python_knows_can_be_named():
    ex = tv.build_attacker(PEOPLE)
    ex.attacker = tv.Attacker([tv.Rule("status", 1, becomes="widowed")], 1)
    known = ex.facts()["features"][1]["categories"]
    assert [c["key"] for c in known] == ["divorced", "married", "single", "widowed"]
    assert [c["rows"] for c in known] == [2, 1, 1, 0]
