"""The app in a real browser: data, pictures, one budget, files of one's own, a class that looks on."""

from __future__ import annotations

import json
import os
import time

import pandas as pd
import pytest

import treant_viz as tv
from tests.browser.live import AXE
from tests.browser.pages import AppPage
from treant_viz.live.app.pictures import PICTURES
from treant_viz.live.app.serve import listening
from treant_viz.live.app.study import study_of

TOY = tv.load_toy()
HOSTILE = "<img src=x onerror=alert(1)>"
REFUSED = "the server responded with a status of 4"  # Chromium says so of every answer that is an error


@pytest.fixture(scope="module")
def served():
    with listening(study_of("toy"), 0) as made:
        yield made


@pytest.fixture
def opened(browser, served):
    pages = []

    def open_it(**size) -> AppPage:
        pages.append(AppPage(browser, served.address, **size))
        return pages[-1]

    yield open_it
    for page in pages:
        page.tab.close()
        page.quiet(REFUSED)


def grown(budget: float | None):
    attacker = None if budget is None else TOY.attacker.with_budget(budget)
    return tv.TreantRegressor(attacker, max_depth=4, min_samples_split=2).fit(TOY.X, TOY.y)


def test_it_opens_at_once_and_one_budget_goes_through_all_pictures(opened):
    start = time.perf_counter()
    page = opened()
    if os.environ.get("TREANT_VIZ_SPEED"):  # where nothing else runs
        assert time.perf_counter() - start < 5
    assert "token" not in page.tab.url
    page.says("The paper’s toy: 7 rows, 2 features. The attacker has 1 rule, budget 1.")
    page.shows_facts(threshold=1, left=2, unknown=1, right=4, loss=3.39, loss_under_attack=3.7)
    page.press("threshold", "ArrowLeft")
    page.shows_facts(threshold=0)
    page.coin(3)
    split = tv.explore_split(TOY, threshold=0, budget=3).display
    left, unknown, right = split.counts
    page.shows_facts(threshold=0, left=left, unknown=unknown, right=right)
    page.open("Growth")
    for budget in (3, 1):
        page.coin(budget) if budget != 3 else None
        total = tv.loss_under_attack(grown(budget), TOY.X, TOY.y, TOY.attacker.with_budget(budget))
        page.control("last").click()
        assert f"{total:.3g}" in page.title() or "stays a leaf" in page.title()
        assert page.tab.locator("#main .tv-candidate, #main [data-control=step]").count() > 0
    page.open("Attack")
    page.shows_facts(row_loss=0, row_loss_under_attack=4)  # x2 falls into the leaf 2
    page.tab.get_by_label("the trees that are attacked").select_option("robust")
    page.ready()
    page.shows_facts(row_loss=1, row_loss_under_attack=2.25)
    page.coin(1)  # a click on the last coin takes it away: nobody attacks
    page.shows_facts(budget=0)
    page.expect(page.tab.locator("#budget [data-fact=budget]")).to_have_text("0")
    page.open("Split")
    page.shows_facts(threshold=0, budget=0, unknown=0)


@pytest.mark.parametrize("data", ["wine", "census", "credit"])
def test_every_picture_opens_with_every_data_set(opened, data):
    page, seen = opened(), set()
    page.choose(data)
    page.says(f"{data.capitalize()}: the first 1,000 of")
    for picture in PICTURES.values():
        page.open(picture.name)
        assert page.title() not in seen
        seen.add(page.title())
        assert page.tab.evaluate("document.documentElement.scrollHeight <= innerHeight"), picture.name
        assert page.on_each_other() == [], picture.name
        assert page.nameless() == []


def test_tabs_and_the_budget_are_moved_by_keys(opened):
    page = opened()
    page.tab.get_by_role("tab", name="Split").focus()
    page.tab.keyboard.press("ArrowRight")
    page.ready()
    assert page.tab.evaluate("document.activeElement.textContent") == list(PICTURES.values())[1].name
    page.tab.keyboard.press("ArrowLeft")
    page.ready()
    budget = page.tab.get_by_role("slider", name="budget of the attacker")
    budget.focus()
    page.tab.keyboard.press("End")
    page.shows_facts(budget=4)


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci in treant_viz/live/src")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_in_anybodys_way(opened, theme):
    page = opened()
    page.tab.emulate_media(color_scheme=theme)
    page.open("Attack")
    page.tab.evaluate(AXE.read_text("utf-8"))
    for dialog in (None, "own"):
        if dialog:
            page.tab.evaluate("document.getElementById('own').showModal()")
        found = page.tab.evaluate("() => axe.run(document)")["violations"]
        assert [f"{v['id']}: {n['html'][:120]}" for v in found for n in v["nodes"]] == []


def files(column: str, rows: int = 60) -> dict:
    table = pd.DataFrame({column: range(rows), "b": [k % 7 for k in range(rows)]})
    table["label"] = ["yes" if k > rows / 2 else "no" for k in range(rows)]
    A = tv.Attacker([tv.Rule(column, 1, delta=(-2, 2))], 2)
    text = {"csv": table.to_csv(index=False), "rules": json.dumps(A.to_dict())}
    names = {"csv": f"{column}.csv", "rules": "rules <b>.json"}
    return {k: {"name": names[k], "mimeType": "text/plain", "buffer": text[k].encode()} for k in text}


def test_a_table_of_ones_own_and_all_that_is_wrong_with_it(opened):
    page, given = opened(), files(HOSTILE)
    box = page.tab.get_by_role("dialog", name="A table of your own")
    page.tab.get_by_label("data", exact=True).select_option("own")
    page.expect(box).to_be_visible()
    show = box.get_by_role("button", name="Show it")
    box.get_by_label("attacker’s rules (JSON)").set_input_files({**given["rules"], "buffer": b"{"})
    box.get_by_label("budget").fill("abc")
    show.click()
    for words in ("choose a CSV file", "damaged or not JSON", "expected a finite number of at least 0"):
        page.complains(words)
    box.get_by_label("table (CSV)").set_input_files({**given["csv"], "buffer": b"a,b\n1\n"})
    page.complains("line 2 has 1 fields, but the header has 2")
    box.get_by_label("table (CSV)").set_input_files(given["csv"])
    page.expect(box.get_by_label("column to predict")).to_have_value("label")
    box.get_by_label("attacker’s rules (JSON)").set_input_files(given["rules"])
    box.get_by_label("budget").fill("1")
    show.click()
    page.expect(box).to_be_hidden()
    page.says(
        f"{HOSTILE}.csv: 60 rows, target label (1 is 'yes'), 2 features. The attacker has 1 rule, budget 1."
    )
    names = page.control("feature").locator("option").all_inner_texts()
    assert [n.replace("\xa0", " ") for n in names] == [HOSTILE, "b (no rule)"]
    for picture in PICTURES.values():
        page.open(picture.name)
    assert page.nameless() == []


def test_files_are_dropped_on_the_page_and_may_come_without_rules(opened):
    page = opened()
    text = files("a")["csv"]["buffer"].decode()
    page.tab.evaluate(
        """text => {
        const data = new DataTransfer();
        data.items.add(new File([text], "mine.csv"));
        window.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
    }""",
        text,
    )
    box = page.tab.get_by_role("dialog", name="A table of your own")
    page.expect(box.get_by_label("column to predict")).to_have_value("label")
    box.get_by_role("button", name="Show it").click()
    page.says("mine.csv: 60 rows, target label (1 is 'yes'), 2 features. The attacker has 0 rules, budget 0.")


def test_a_server_that_has_forgotten_the_page_is_asked_anew(opened, served):
    page = opened()
    page.choose("wine")
    served.api.sessions._open.clear()
    page.open("Growth")
    page.says("Wine: the first 1,000 of")
    served.api.sessions._open.clear()
    page.press("step", "ArrowRight")
    page.open("Split")
    assert page.tab.locator("#trouble").inner_text() == ""


def test_pages_that_are_left_are_forgotten(opened, served):
    page = opened()
    before = len(served.api.sessions)
    for _ in range(3):
        page.tab.reload()
        page.ready()
    end = time.monotonic() + 20
    while len(served.api.sessions) > before and time.monotonic() < end:
        page.tab.wait_for_timeout(50)
    assert len(served.api.sessions) <= before


def test_a_presenter_has_the_screen_larger_letters_and_keys(opened):
    page = opened()
    size = "parseFloat(getComputedStyle(document.querySelector('#main svg')).fontSize)"
    before = page.tab.evaluate(size)
    page.tab.get_by_role("button", name="Present").click()
    page.expect(page.tab.locator("html.presenting")).to_have_count(1)
    page.ready()
    page.tab.wait_for_timeout(300)
    assert page.tab.evaluate(size) > 1.1 * before
    names = [p.name for p in PICTURES.values()]
    chosen = page.tab.locator("[role=tab][aria-selected=true]")
    for key, name in (("PageDown", names[1]), ("PageDown", names[2]), ("PageUp", names[1])):
        page.tab.keyboard.press(key)
        page.expect(chosen).to_have_text(name)
        page.ready()
    page.tab.get_by_role("button", name="Present").click()
    page.expect(page.tab.locator("html.presenting")).to_have_count(0)


def test_the_code_that_it_shows_makes_the_picture(opened):
    page = opened()
    page.press("threshold", "ArrowLeft")
    page.expect(page.tab.locator("#main[aria-busy=false]")).to_be_visible()
    page.tab.wait_for_timeout(200)
    page.tab.get_by_role("button", name="Python").click()
    page.expect(page.tab.locator("#python pre")).to_contain_text("TernaryPartitionDisplay")
    code = page.tab.locator("#python pre").inner_text()
    space = {"tv": tv, "X": TOY.X, "y": TOY.y, "attacker": TOY.attacker}
    *start, last = code.splitlines()
    exec("\n".join(start), space)
    assert eval(last, space).threshold == 0


def test_on_a_phone_everything_is_there(opened):
    page = opened(width=400, height=800)
    for picture in PICTURES.values():
        page.open(picture.name)
        assert page.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
