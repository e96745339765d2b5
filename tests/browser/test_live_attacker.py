"""The form of an attacker in a browser: whatever the hand does, rules and reach are Python's."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import treant_viz as tv
from tests.browser.live import AXE, LivePage, speed
from tests.live.test_attacker_facts import brute
from treant_viz.live.explore.attacker import build_attacker

STATES = 12  # on each of five features: 60 in all
BOXES = ("cost", "low", "high", "least", "most")
TOY, WINE, CENSUS = tv.load_toy(), tv.load_wine(), tv.load_census()
WITH_PYTHON = """() => {
  const given = JSON.parse(document.getElementById("facts").textContent).live;
  const ask = async (question) => {
    const reply = await answered(question);
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply.facts;
  };
  live.live.destroy();
  globalThis.form = remount({ ...given, ask, onState: heard });
}"""
SMALLEST = """() => Math.min(
  ...[...document.querySelectorAll('.tv-live text, .tv-live p, .tv-live button, .tv-live input')]
    .filter(e => e.textContent).map(e => parseFloat(getComputedStyle(e).fontSize)))"""


class FormPage(LivePage):
    """A page whose questions a Python of the test answers, as a kernel does; `told` is the last state."""

    def __init__(self, browser, path, explorer=None, **size) -> None:
        super().__init__(browser, path, **size)
        if explorer is None:
            return
        self.tab.expose_function("answered", lambda q: explorer.answered(q))
        self.tab.expose_function("heard", lambda state: explorer.hear(state))
        self.tab.evaluate(WITH_PYTHON)
        self.tab.locator(".tv-live svg").first.wait_for()

    def type(self, box: str, text: str) -> None:
        self.control(f"box-{box}").fill(text)
        self.settle()

    def complaints(self) -> list[str]:
        return [
            t
            for t in self.tab.locator(".tv-fields .tv-fault, .tv-bar-of-controls .tv-fault").all_inner_texts()
            if t
        ]

    def saved(self) -> tv.Attacker:
        """The file that the page gives."""
        with self.tab.expect_download() as waiting:
            self.control("download").click()
        return tv.Attacker.from_json(waiting.value.path())


@pytest.fixture
def opened(browser, tmp_path):
    pages = []

    def open_it(explorer, asking=False, **size) -> FormPage:
        path = tmp_path / f"{len(pages)}.html"
        text = explorer.page()
        start = "const put = "
        assert start in text
        if asking:  # the same page, with somebody to ask
            more = 'globalThis.remount = (given) => mount(document.getElementById("live"), given);'
            text = text.replace(start, more + start).replace("http-equiv", "data-was")
        path.write_text(text, "utf-8")
        pages.append(FormPage(browser, path, explorer if asking else None, **size))
        return pages[-1]

    yield open_it
    for page in pages:
        page.tab.close()
        assert page.said == []
        assert [url for url in page.asked if not url.startswith(("file:", "blob:"))] == []


def expected(ex) -> dict:
    """The numbers of a state: the rule's own, and the reach, rule by rule and step by step."""
    A, key = ex.attacker, ex.feature
    x = ex.rows.value(ex.row, key, A)
    out = {"budget": A.budget, "row_value": x, "row_y": float(ex.rows.y[ex.row])}
    if ex.editing is not None:
        r = A.rules[ex.editing]
        out["cost"] = r.cost
        if not r.categorical:
            ends = dict(zip(("low", "high", "least", "most"), (*r.pre, *r.delta), strict=True))
            out |= {name: end if end > -math.inf else "-inf" for name, end in ends.items()}
    only = tv.Attacker(A.rules_on(key), A.budget)
    values = ex.rows.values(key, A)
    out |= {f"rows_{c}": values.count(c) for c in set(values) if isinstance(c, str)}
    stages = grown(only, key, x)
    if isinstance(x, str):
        return out | {f"stage_{k}": cost for k, (cost, _) in enumerate(stages[1:])}
    shown = stages[1:] if len(stages) <= 6 else [*stages[1:5], stages[-1]]
    for k, (cost, pieces) in enumerate(shown):
        out |= {f"stage_{k}": cost, f"low_{k}": pieces[0][0], f"high_{k}": pieces[-1][1]}
    for j, (low, high) in enumerate(stages[-1][1]):
        out |= {f"piece_{j}_low": low, f"piece_{j}_high": high}
    return out


def grown(A, key, x) -> list[tuple[float, list]]:
    """What comes into reach, at each sum of costs at which anything does."""
    sums = {0.0}
    for _ in range(12):
        sums |= {round(s + r.cost, 9) for s in sums for r in A.rules if s + r.cost <= A.budget * (1 + 1e-9)}
    out: list[tuple[float, list]] = []
    for cost in sorted(sums):
        found = brute(A.with_budget(cost * (1 + 1e-12)), key, x)
        if not out or found != out[-1][1]:
            out.append((cost, found))
    return out


def wander(page, rng, categories: bool) -> str:
    """A move of the hand."""
    move = str(
        rng.choice(["budget", "row", "coin", *(["pills"] * 3 if categories else ["drag", "keys", "type"])])
    )
    if move == "budget":
        coins = page.tab.locator("[data-control=budget] .tv-coin")
        coins.nth(int(rng.integers(0, min(coins.count(), 3)))).click()
    elif move == "row":
        page.press("row", *rng.choice(["ArrowRight", "ArrowLeft", "PageUp", "Home"], 2))
    elif move == "coin":
        page.press("coin", str(rng.choice(["ArrowUp", "ArrowUp", "ArrowDown"])))
    elif move == "pills":
        side = str(rng.choice(["from", "becomes"]))
        pills = page.control(side).locator("button")
        pills.nth(int(rng.integers(0, pills.count()))).click()
    elif move == "drag":
        page.drag(str(rng.choice(["low", "high", "least", "most"])), float(rng.uniform(0.0, 0.9)))
    elif move == "keys":
        end = str(rng.choice(["low", "high", "least", "most"]))
        keys = ["PageUp", "PageDown", "ArrowRight", "ArrowLeft"] + (
            ["Home", "End"] if end in ("low", "high") else []
        )
        page.press(end, *rng.choice(keys, 2))
    else:
        page.type("cost", str(rng.choice(["1", "7.5", "30"])))
    page.settle()
    return move


@pytest.mark.parametrize(
    ("data", "feature"),
    [
        (TOY, "p"),
        (WINE, "alcohol"),
        (WINE, "residual_sugar"),
        (CENSUS, "marital_status"),
        (CENSUS, "education_num"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_every_number_is_pythons_whatever_the_hand_does(opened, data, feature):
    ex, rng, seen, moves = (
        build_attacker(data, feature=feature, budget=4 if data is TOY else 60),
        np.random.default_rng(5),
        set(),
        set(),
    )
    ex.attacker = tv.Attacker([r for r in ex.rules if r.feature == feature], ex.budget)
    page, categories = opened(ex, asking=True), feature == "marital_status"
    for _ in range(STATES):
        moves.add(wander(page, rng, categories))
        page.tab.wait_for_function("() => !document.querySelector('.tv-dragged')")
        page.tab.wait_for_timeout(30)
        page.agrees(expected(ex), {"budget", "cost", "row_value"})
        seen.add((ex.attacker.rules, ex.budget, ex.row))
    assert len(seen) >= STATES // 2 and len(moves) >= 3


def test_adding_a_rule_on_another_feature_loses_nothing(opened):
    """Change p's rule to -2..2, choose q, add: once there were two rules on q then, and none on p."""
    ex = build_attacker(TOY)
    page = opened(ex, asking=True)
    page.type("least", "-2")
    page.type("most", "2")
    page.control("feature").select_option("1")
    page.control("add").click()
    page.type("cost", "2")
    page.type("most", "0")
    page.tab.wait_for_timeout(50)
    [p, q] = ex.rules
    assert p == tv.Rule("p", 1, delta=(-2, 2)) and (q.feature, q.cost, q.delta[1]) == ("q", 2, 0)
    page.control("duplicate").click()
    page.tab.wait_for_timeout(50)
    assert ex.rules == (p, q, q) and page.saved() == ex.attacker
    page.control("remove").click()
    page.control("remove").click()
    page.tab.wait_for_timeout(50)
    assert ex.rules == (p,) and ex.editing is None
    for _ in range(3):
        page.control("undo").click()
    page.tab.wait_for_timeout(50)
    assert ex.rules == (p, q)


def test_all_that_is_wrong_is_said_at_once_in_place_and_what_stood_stands(opened):
    ex = build_attacker(TOY)
    page = opened(ex, asking=True)
    for box, text in (("cost", "cheap"), ("low", "0,5"), ("least", "3"), ("budget", "-1")):
        page.type(box, text)
    page.tab.wait_for_timeout(50)
    said = page.complaints()
    for words in (
        "cost: expected a number such as 2 or 0.5, got 'cheap'",
        "applies from: expected a number such as 2 or 0.5 (or nothing: no bound), got '0,5'",
        "change to: the low end 3 is above the high end 1",
        "budget: expected a number of at least 0, or inf, got '-1'",
    ):
        assert words in said
    assert len(said) == 4 and ex.attacker == TOY.attacker == page.saved()
    assert page.control("box-cost").get_attribute("aria-invalid") == "true"
    for box, text in (("cost", "2"), ("low", ""), ("least", "−1"), ("budget", "inf")):
        page.type(box, text)
    page.tab.wait_for_timeout(50)
    assert page.complaints() == []
    assert ex.attacker == tv.Attacker([tv.Rule("p", 2, delta=(-1, 1))], math.inf)


def test_a_file_is_taken_and_a_damaged_one_changes_nothing(opened, tmp_path):
    A = tv.Attacker([tv.Rule("q", 5, pre=(0, 3), delta=(0, 0.25)), tv.Rule("p", 1, delta=(0, 1))], 7)
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    A.to_json(good)
    doc = A.to_dict()
    doc["rules"][0]["cost"], doc["rules"][1]["delta"], doc["budget"] = -1, [2, 1], "x"
    bad.write_text(json.dumps(doc))
    for asking in (True, False):
        ex = build_attacker(TOY)
        page = opened(ex, asking=asking)
        page.control("file").set_input_files(bad)
        page.tab.locator(".tv-alert:not(:empty)").wait_for()
        said = page.tab.locator(".tv-alert").inner_text()
        assert "3 faults" in said and said.endswith("The attacker is as it was.")
        assert page.saved() == TOY.attacker
        page.control("file").set_input_files(good)
        page.tab.wait_for_function(
            "() => document.querySelectorAll('[data-control=rules] button').length === 2"
        )
        page.tab.wait_for_timeout(50)
        assert page.saved() == A and (not asking or ex.attacker == A)
        assert page.tab.locator(".tv-alert").inner_text() == ""


def test_a_page_without_python_says_what_it_cannot_know(opened):
    page = opened(build_attacker(TOY, budget=2))
    assert "This page has no Python" in page.tab.locator(".tv-offline").inner_text()
    assert page.facts()["piece_0_high"] == [-5]
    page.tab.locator("[data-control=budget] .tv-coin").first.click()  # less money: the facts hold that
    assert page.facts()["piece_0_high"] == [-6]
    page.type("most", "2")
    assert "takes Python to say" in page.tab.locator(".tv-title").inner_text()
    assert "piece_0_high" not in page.facts()
    page.type("most", "1")
    assert page.facts()["piece_0_high"] == [-6]
    page.type("most", "nothing")
    assert page.complaints() == ["change to: expected a number such as 2 or 0.5, got 'nothing'"]


def test_an_end_dragged_off_the_line_has_no_bound(opened):
    ex = build_attacker(WINE)
    page = opened(ex, asking=True)
    page.drag("low", 0.0)
    page.drag("high", 1.0)
    page.tab.wait_for_timeout(50)
    assert ex.rules[0].pre == (-math.inf, math.inf) and page.control("box-low").input_value() == ""


def test_python_changes_the_page_and_features_can_be_named(opened):
    ex = build_attacker()
    page = opened(ex, asking=True)
    page.control("new-kind").select_option("category")
    page.type_into = page.control("new-feature")
    page.type_into.fill("job")
    page.type_into.press("Enter")
    page.control("add").click()
    assert "becomes: choose the category" in " ".join(page.complaints())
    page.control("box-category").fill("clerk")
    page.control("box-category").press("Enter")
    page.tab.wait_for_timeout(60)
    assert ex.rules == (*TOY.attacker.rules, tv.Rule("job", 1, becomes="clerk"))
    ex.attacker = tv.Attacker([tv.Rule("p", 3, delta=(0, 1))], 5)
    page.tab.evaluate("(s) => form.set(s)", ex.shown_state)
    page.tab.locator("[data-fact=piece_0_high][data-value='-1']").wait_for()  # asked for: -2 and one step
    shown = page.facts()
    assert shown["cost"] == [3] and shown["budget"] == [5] and shown["row_value"] == [-2]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme, tmp_path, browser):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in treant_viz/live/src")
    for ex in (build_attacker(WINE), build_attacker(CENSUS)):
        path = tmp_path / f"{theme}.html"
        path.write_text(ex.page(theme=theme), "utf-8")
        page = LivePage(browser, path)
        assert page.accessibility() == []
        page.tab.close()


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 800)])
def test_the_picture_fits_the_window(opened, size):
    for data, feature in ((WINE, "alcohol"), (CENSUS, "occupation")):
        page = opened(build_attacker(data, feature=feature), width=size[0], height=size[1])
        assert page.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        if size[0] > 1000:
            assert page.tab.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
            least = page.tab.evaluate(SMALLEST)
            assert least >= (16 if size[0] < 1900 else 20) * 0.9  # on coins


@speed
def test_keys_answer_at_once(opened):
    page = opened(build_attacker(WINE))
    times = [page.key_to_picture("most", key) for key in ["ArrowRight", "ArrowLeft"] * 5]
    assert sorted(times)[5] < 50
