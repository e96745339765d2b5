"""The published rule files are text with Python in it; it is parsed, never run."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treant_viz as tv
from treant_viz.core.attacker.published import parse_pre

SHARED = Path(__file__).parents[3] / "shared" / "data"
INF = math.inf


def write(tmp_path, *entries) -> Path:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"attacks": list(entries)}))
    return path


def numeric(pre: object, post: object = 1.0, **more) -> dict:
    return {"pre": pre, "post": post, "cost": 20, "is_numerical": True, **more}


def test_rules_of_both_kinds(tmp_path):
    path = write(
        tmp_path,
        {"alcohol": [numeric("(0, 11.0)", 0.5)]},
        {"sugar": [numeric("(2, np.inf)", -0.25, cost=30), numeric("(-np.inf, 0)", 1)]},
        {"job": [{"pre": "('cook', 'clerk')", "post": "nurse", "cost": 1, "is_numerical": False}]},
        {"class": [{"pre": "('Never-worked')", "post": "Without-pay", "cost": 1, "is_numerical": False}]},
    )
    assert tv.read_published_rules(path, 40) == tv.Attacker(
        [
            tv.Rule("alcohol", 20, pre=(0, 11), delta=(0, 0.5)),
            tv.Rule("sugar", 30, pre=(2, INF), delta=(-0.25, 0)),
            tv.Rule("sugar", 20, pre=(-INF, 0), delta=(0, 1)),
            tv.Rule("job", 1, pre={"cook", "clerk"}, becomes="nurse"),
            tv.Rule("class", 1, pre={"Never-worked"}, becomes="Without-pay"),
        ],
        40,
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(0, np.inf)", (0, INF)),
        (" ( -np.inf ,1e3 ) ", (-INF, 1000)),
        ("(-1, 5)", (-1, 5)),
        ("(.5, 1.)", (0.5, 1)),
        ("(+2, math.inf)", (2, INF)),
        ("('a')", ("a",)),
        ("('a',)", ("a",)),
        ("('it is', \"it's\", ' padded ')", ("it is", "it's", " padded ")),
        ("('(a, b)', 'c,d')", ("(a, b)", "c,d")),
        ("('ü 日本')", ("ü 日本",)),
    ],
)
def test_preconditions(text, value):
    assert parse_pre(text) == value


HOSTILE = [
    "__import__('os').system('x')",
    "(__import__('os').system('x'))",
    "(__import__('os').system('x'), 1)",
    "(0, __import__('os').system('touch /tmp/x'))",
    "(0, exec('import os'))",
    "(0, np.inf.__class__)",
    "(lambda: 0)()",
    "(0, 1)[0]",
    "(0, 1); import os",
    "(open('x'), 1)",
    "('a'.join([]))",
    "('a' 'b')",
    "('a' + 'b')",
    "(f'{1}')",
    "('\\x41')",
    "(0, nan)",
    "(0, np.nan)",
    "(0, True)",
    "(1_000, 2)",
    "(0x10, 20)",
    "(0,, 1)",
    "(, )",
    "((0, 1))",
    "[0, 1]",
    "0, 1",
    "(0, 1",
    "",
    "(" + "1" * 20_000 + "x)",
    "(" * 5_000 + ")" * 5_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda t: t[:24])
@pytest.mark.parametrize("is_numerical", [True, False])
def test_hostile_preconditions_are_refused_not_run(tmp_path, text, is_numerical, monkeypatch):
    ran: list = []
    monkeypatch.setattr("os.system", ran.append)
    rule = {"pre": text, "post": 1 if is_numerical else "b", "cost": 1, "is_numerical": is_numerical}
    with pytest.raises(ValueError, match=r"rules\.json: attack 0, feature 'f': .*precondition"):
        tv.read_published_rules(write(tmp_path, {"f": [rule]}), 1)
    assert not ran


@given(st.text(alphabet="()'\",np.inf0123456789e+- ab_\\", max_size=30))
def test_whatever_is_accepted_is_a_tuple_of_numbers_or_of_text(text):
    try:
        found = parse_pre(text)
    except ValueError as error:
        assert "precondition" in str(error)
        return
    assert text.strip()[0] == "(" and text.strip()[-1] == ")"
    assert all(isinstance(v, (float, str)) and v == v for v in found)
    assert all(v in text for v in found if isinstance(v, str))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (3, "attack 0: expected an object of features, got 3"),
        ({"f": {}}, 'attack 0: "f" must be a list'),
        ({"f": [3]}, "attack 0, feature 'f': expected an object, got 3"),
        ({"f": [{}]}, "feature 'f': \"cost\": expected a finite number"),
        ({"f": [numeric("(0, 1)", cost=-1)]}, "feature 'f': cost .*above 0"),
        ({"f": [numeric(["0", "1"])]}, "feature 'f': \"pre\" must be text"),
        ({"f": [numeric("(2, 1)")]}, "feature 'f': pre .*low end 2 is above the high end 1"),
        ({"f": [numeric("(1, 2, 3)")]}, "feature 'f': pre .*two numbers"),
        ({"f": [numeric("('a', 'b')")]}, "feature 'f': precondition .*expected numbers"),
        ({"f": [numeric("(0, 1)", "up")]}, "feature 'f': \"post\": expected a finite number"),
        ({"f": [numeric("(0, 1)", is_numerical=1)]}, "feature 'f': \"is_numerical\" must be true or false"),
        ({"f": [numeric("(0, 1)", "b", is_numerical=False)]}, "precondition .*expected quoted categories"),
        ({"f": [numeric("('a')", 1, is_numerical=False)]}, "feature 'f': \"post\" must be text"),
        ({"f": [numeric("()", "b", is_numerical=False)]}, "precondition .*expected quoted categories"),
    ],
)
def test_damaged_files_are_refused_with_the_place(tmp_path, entry, message):
    with pytest.raises(ValueError, match=rf"rules\.json: .*{message}|rules\.json: {message}"):
        tv.read_published_rules(write(tmp_path, entry), 1)


def test_other_json_is_refused(tmp_path):
    path = tmp_path / "rules.json"
    for text in ("[]", "{}", '{"attacks": 3}'):
        path.write_text(text)
        with pytest.raises(ValueError, match=r'rules\.json: expected an object with a list "attacks"'):
            tv.read_published_rules(path, 1)
    path.write_text("{")
    with pytest.raises(ValueError, match=r"rules\.json: damaged or not JSON"):
        tv.read_published_rules(path, 1)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the authors' files are not beside the checkout")
@pytest.mark.parametrize(
    ("name", "rules", "dearest"), [("wine", 4, 50), ("census", 6, 100), ("credit", 4, 10)]
)
def test_the_authors_own_files(name, rules, dearest):
    A = tv.read_published_rules(SHARED / name / "attacks.json", 10)
    assert len(A.rules) == rules
    assert max(r.cost for r in A.rules) == dearest
    assert A.budget == 10


LONG = "x" * 1_500_000


@pytest.mark.parametrize(
    "entry",
    [
        [LONG],
        {LONG: 3},
        {LONG: [3]},
        {"f": [LONG]},
        {"f": [numeric(LONG)]},
        {"f": [numeric(f"({LONG})")]},
        {"f": [numeric("(0, 1)", 10**400)]},
        {"f": [numeric("(0, 1)", cost=10**400)]},
        {"f": [numeric("(0, 1)"), numeric("('a')", "b", is_numerical=False)]},
    ],
    ids=lambda entry: str(entry)[:30],
)
def test_whatever_a_file_holds_its_refusal_is_one_short_value_error(tmp_path, entry):
    with pytest.raises(ValueError, match=r"rules\.json: ") as caught:
        tv.read_published_rules(write(tmp_path, entry), 1)
    assert len(str(caught.value)) < 500
