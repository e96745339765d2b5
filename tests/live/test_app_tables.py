"""The app with a table of one's own: what is shown, what is refused, and that names stay words."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.live.app import OWN, file, rules, table
from treant_viz.live.app.pictures import PICTURES
from treant_viz.live.app.study import File, RefusedError, own_study

TOY = tv.load_toy()
HOSTILE = "<script>alert(1)</script>"
PUBLISHED = {"attacks": [{"a": [{"pre": "(0, 99)", "post": 1.0, "cost": 1, "is_numerical": True}]}]}


def test_a_table_of_ones_own_is_shown(web):
    name, _ = web.page()
    assert web.post("columns", session=name, csv=OWN["csv"]) == (200, {"columns": ["a", "label"]})
    status, told = web.post("data", session=name, **OWN)
    assert status == 200
    assert told["about"] == (
        "t.csv: 60 rows, target label (1 is 'yes'), 1 feature. The attacker has 1 rule, budget 2."
    )
    _, shown = web.post("picture", session=name, picture="split", budget=2)
    assert shown["facts"]["y"] == [0, 1, 1] * 20


@pytest.mark.parametrize(
    ("wrong", "entries"),
    [
        ({"csv": None}, {"csv": "choose a CSV file"}),
        ({"target": ""}, {"target": "choose the column to predict"}),
        ({"target": "z"}, {"target": "t.csv: no column 'z'; the columns are 'a', 'label'"}),
        ({"csv": file("t.csv", b"PK\x03\x04\0")}, {"csv": "t.csv: not a table: expected text in UTF-8"}),
        ({"csv": table([1, 1, 1])}, {"target": "expected two labels or numbers, got 1 different"}),
        ({"csv": table(["a", "b", "c"])}, {"target": "expected two labels or numbers, got 3 different"}),
        ({"rules": file("r.json", "{")}, {"rules": "r.json: damaged or not JSON"}),
        ({"rules": rules(column="z")}, {"rules": "is not a column"}),
        ({"rules": rules(PUBLISHED)}, {"rules": "r.json: published rules have no budget: give one"}),
        ({"budget": "abc"}, {"budget": "budget: expected a finite number of at least 0, such as 2"}),
        ({"budget": "-1"}, {"budget": "got '-1'"}),
        ({"budget": "inf"}, {"budget": "got 'inf'"}),
        (
            {"csv": None, "rules": file("r.json", "["), "budget": "nan"},
            {"csv": "choose", "rules": "damaged", "budget": "got 'nan'"},
        ),
        (
            {"target": "z", "rules": file("r.json", "["), "budget": "1 000"},
            {"target": "no column", "rules": "damaged", "budget": "got '1 000'"},
        ),
    ],
)
def test_all_that_is_wrong_is_said_at_once_and_nothing_changes(web, wrong, entries):
    name, _ = web.page()
    _, before = web.post("picture", session=name, picture="split", budget=1)
    status, told = web.post("data", session=name, **OWN | wrong)
    assert status == 400
    assert set(told["entries"]) == set(entries)
    assert all(words in told["entries"][entry] for entry, words in entries.items()), told
    assert web.post("picture", session=name, picture="split", budget=1)[1] == before


def test_published_rules_take_their_budget_from_the_field(web):
    name, _ = web.page()
    status, told = web.post("data", session=name, **OWN | {"rules": rules(PUBLISHED), "budget": " 3 "})
    assert (status, told["budget"]) == (200, 3)


def test_without_rules_nobody_attacks(web):
    name, _ = web.page()
    status, told = web.post("data", session=name, **OWN | {"rules": None, "budget": ""})
    assert (status, told["budgets"]) == (200, [0])
    assert "The attacker has 0 rules, budget 0." in told["about"]
    fitting = [p["picture"] for p in told["pictures"]]
    assert fitting == [p for p in PICTURES if p != "space"]  # a single feature makes no plane
    for picture in fitting:
        assert web.post("picture", session=name, picture=picture, budget=0)[0] == 200


def test_numbers_stay_numbers_and_two_labels_of_any_kind_become_0_and_1():
    def made(labels):
        frame = pd.DataFrame({"a": range(len(labels)), "label": labels})
        return own_study(File("t.csv", frame.to_csv(index=False).encode()), "label", None)

    assert made([0.5, 1.5, 2.5, 9.0]).y.tolist() == [0.5, 1.5, 2.5, 9.0]
    assert made([True, False] * 10).y.tolist() == [1, 0] * 10
    assert made(["b", "a", "b"]).y.tolist() == [1, 0, 1]
    with pytest.raises(RefusedError, match="not a table"):
        own_study(File("t.csv", b"a,b\n1\n"), "a", None)


def test_hostile_names_stay_words(web):
    name, _ = web.page()
    given = OWN | {"csv": table([0, 1] * 20, HOSTILE), "rules": rules(column=HOSTILE)}
    status, headers, _ = web.ask("POST", "/api/data", json.dumps({"session": name} | given).encode())
    assert (status, headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    _, shown = web.post("picture", session=name, picture="split", budget=2)
    assert shown["facts"]["features"][0]["name"] == HOSTILE


def test_an_attacker_that_was_built_serves_all_pictures(web):
    A = tv.Attacker([tv.Rule("p", 0.5, delta=(-1, 1)), tv.Rule("q", 2, delta=(-1, 0))], 2)
    name, _ = web.page()
    status, told = web.post("data", session=name, attacker=A.to_dict())
    assert (status, told["choice"], told["budget"]) == (200, "toy", 2)
    assert told["about"] == "The paper’s toy: 7 rows, 2 features. The attacker has 2 rules, budget 2."
    _, shown = web.post("picture", session=name, picture="attack", budget=2)
    tree = tv.TreantRegressor(None, max_depth=4, min_samples_split=2).fit(TOY.X, TOY.y)
    assert shown["facts"] == json.loads(json.dumps(tv.explore_attack(tree, TOY.X, TOY.y, A).facts()))
    assert web.post("attacker", session=name, key=shown["key"]) == (200, {"attacker": A.to_dict()})
    for wrong, words in (
        (A.with_budget(np.inf).to_dict(), "budget: expected a finite number"),
        (tv.Attacker([tv.Rule("z", 1, delta=(0, 1))], 1).to_dict(), "is not a column"),
        ({"format": "x"}, 'attacker: expected "format"'),
    ):
        status, refused = web.post("data", session=name, attacker=wrong)
        assert status == 400 and words in refused["error"]
    _, shown = web.post("picture", session=name, picture="growth", budget=2)
    status, refused = web.post("attacker", session=name, key=shown["key"])
    assert (status, "in which an attacker is built, got 'growth'" in refused["error"]) == (400, True)
