"""The page of the capstone: one file that loads nothing, with every rule, number and word on it, escaped."""

from __future__ import annotations

import pytest

import treant_viz as tv
from treant_viz.course import capstone

GIVEN = capstone.sample("wine")
RULES = [tv.Rule("alcohol", cost=10, delta=(0, 0.3)), tv.Rule("pH", cost=5, pre=(2, 3), delta=(-0.1, 0.1))]
MINE = tv.Attacker(RULES, budget=20)
PICTURE = tv.RuleDisplay.from_attacker(MINE, "alcohol", values=[10.0])


def test_a_page_has_it_all_and_loads_nothing(tmp_path):
    table, hostile = {"standard": (0.8, 0.5), "robust": (0.75, 0.7)}, "<script>alert(1)</script>"
    words = {"answer": f"Take the robust forest. {hostile}", "limits": "Everything else."}
    path = tmp_path / "page.html"
    page = capstone.write_page(
        path, GIVEN, MINE, ["Sugar is cheap.", "So is chalk."], table, PICTURE, **words
    )
    text = path.read_text(encoding="utf-8")
    for wanted in (
        *map(str, RULES),
        "Sugar is cheap.",
        "robust: 0.750 if nobody attacks, 0.700 under attack",
    ):
        assert wanted in page
    assert "So is chalk." in text and "<svg" in text and "0.700 under attack" in text
    assert "<script" not in text and "&lt;script&gt;" in text
    assert "default-src 'none'" in text and "http" not in text.replace("http-equiv", "").replace(
        "http://www.w3.org", ""
    )
    assert capstone.MISSING not in page


def test_what_is_missing_is_named(tmp_path):
    table = {"standard": ..., "robust": (0.75, 0.7)}
    page = capstone.write_page(tmp_path / "p.html", GIVEN, MINE, ..., table, PICTURE, answer=..., limits=" ")
    assert page.count(capstone.MISSING) == len(RULES) + 3


def test_without_an_attacker_of_ones_own_there_is_the_papers(capsys):
    assert capstone.or_papers(..., GIVEN) is GIVEN.papers
    assert "no attacker of your own yet" in capsys.readouterr().out
    assert capstone.or_papers(MINE, GIVEN) is MINE


def test_rows_to_attack_are_not_those_of_the_training():
    assert (len(GIVEN.X), len(GIVEN.X_test)) == (1000, 300)
    whole = tv.load_wine()
    assert GIVEN.X_test.equals(whole.X_test[:300]) and GIVEN.X.equals(whole.X_train[:1000])
    with pytest.raises(ValueError, match=r"name: expected one of \['wine', 'census', 'credit'\], got 'cars'"):
        capstone.sample("cars")
