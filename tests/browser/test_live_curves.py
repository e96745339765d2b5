"""The live picture of security curves in a browser: whatever the hand does, every number is the table's."""

from __future__ import annotations

import re

import numpy as np
import pytest

import treant_viz as tv
from tests.browser.live import AXE, speed
from tests.live.test_curves import truth
from treant_viz.evaluation import METRICS
from treant_viz.experiments.report.results import paper_table

STATES = 50


@pytest.fixture(scope="module")
def results():
    return tv.load_results()


@pytest.fixture(scope="module")
def known(results):
    """By data set: every number, by reading, model, training and test budget and measure."""
    out: dict = {}
    for (reading, d, *key), v in ((k, v) for k, v in truth(results).items()):
        out.setdefault(d, {})[reading, *key] = v
    return out


@pytest.fixture(scope="module")
def toy_curve():
    data = tv.load_toy()
    stumps = {
        "by p": tv.Node("p", 1.0, tv.Leaf(0.2), tv.Leaf(0.9)),
        "by q": tv.Node("q", 2.0, tv.Leaf(0.4), tv.Leaf(0.8)),
    }
    return tv.security_curve(stumps, data.X, (data.y > 0).astype(int), data.attacker, [0, 1, 2, 4], n_boot=50)


STATE = """() => {
  const one = (css) => document.querySelector(css);
  const at = (control) => one(`[data-control=${control}] [aria-checked=true]`)?.dataset.value;
  const rows = [...document.querySelectorAll('.tv-model')]
    .map((e) => [e.querySelector('.tv-who').textContent, e]);
  return {view: at('view') ?? 'curves', measure: at('measure'),
    reading: one('[data-control=reading]')?.value ?? '',
    methods: rows.filter(([, e]) => !e.classList.contains('tv-off')).map(([name]) => name),
    focus: rows.find(([, e]) => e.ariaSelected === 'true')?.[0] ?? null,
    drawn: [...document.querySelectorAll('g.tv-method')].map((e) => e.dataset.method).sort()};
}"""


def expected(numbers: dict, s: dict, budget: float, printed: dict) -> dict:
    """Every fact that may be shown in a state: numbers by reading, model, both budgets, measure."""
    out = {"budget": s["budget"], "at": budget, "train": s["train"]}
    for (reading, model, train, b, m), (value, low, high) in numbers.items():
        if reading != s["reading"]:
            continue
        if model == s["subject"] and m == s["measure"]:
            out[f"cell@{_plain(train)}@{_plain(b)}"] = value
        if b == budget and train in (s["train"], 0, None):
            out[f"{m}@{model}"] = value
            if m == s["measure"]:
                out |= {f"detail@{model}": value, f"low@{model}": low, f"high@{model}": high}
                if (model, train, b, m) in printed:
                    out[f"printed@{model}"] = printed[model, train, b, m]
    return out


def _plain(x: float | None) -> str:
    return "" if x is None else f"{x:g}"


def subject(numbers: dict, s: dict) -> str:
    """Who a map is of: the model in focus, or else that which moves least."""
    if s["focus"] in s["methods"]:
        return s["focus"]

    def span(model):
        wanted, trains = (s["reading"], model, s["measure"]), (s["train"], 0, None)
        mine = [v[0] for (r, who, k, _, m), v in numbers.items() if (r, who, m) == wanted and k in trains]
        return max(mine) - min(mine)

    return min(s["methods"], key=span)


def wander(page, rng) -> None:
    """A move of the hand."""
    move = rng.integers(0, 8)
    drawn = page.tab.locator("[data-control=budget]").count()
    if move == 0:
        page.press("measure", str(rng.choice(["ArrowRight", "ArrowLeft", "Home"])))
    elif move == 1 and drawn:
        page.press("budget", *rng.choice(["ArrowRight", "ArrowLeft", "Home", "End"], 2))
    elif move == 2 and page.tab.locator("[data-control=train][tabindex='0']").count():
        page.press("train", *rng.choice(["ArrowRight", "ArrowLeft", "Home", "End"], 2))
    elif move == 3 and drawn:
        handles = page.tab.locator("[role=slider]").evaluate_all("all => all.map(e => e.dataset.control)")
        page.drag(str(rng.choice(handles)), float(rng.uniform(0.05, 0.6)))
    elif move == 4:
        page.press("methods", *rng.choice(["ArrowDown", "ArrowUp", "Enter", "Escape", "Home"], 2))
    elif move == 5:
        rows = page.tab.locator(".tv-swatch" if rng.random() < 0.4 else ".tv-model")
        rows.nth(int(rng.integers(0, rows.count()))).dispatch_event("click")
    elif move == 6 and page.control("view").count():
        page.press("view", str(rng.choice(["ArrowRight", "ArrowLeft"])))
    elif page.control("cell").count():
        page.press("cell", *rng.choice(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"], 3))
    elif page.control("reading").count():
        page.control("reading").select_option(index=int(rng.integers(0, 3)))
    page.settle()


def check(page, numbers: dict, printed: dict) -> dict:
    """All facts on the screen are those of what the controls say; returns that."""
    shown, s = page.facts(), page.tab.evaluate(STATE)
    s |= {"budget": shown["at"][0], "train": shown.get("train", [None])[0]}
    s["subject"] = subject(numbers, s)
    must = {"at"} | {f"{s['measure']}@{m}" for m in s["methods"]}
    if s["view"] == "heat map":
        trains = {k for r, who, k, _, _ in numbers if r == s["reading"] and who == s["subject"] and k}
        must |= {f"cell@{_plain(k)}@0" for k in trains}
    page.agrees(expected(numbers, s, s["budget"], printed), must)
    assert s["drawn"] == (sorted(s["methods"]) if s["view"] == "curves" else [])
    return s


@pytest.mark.parametrize("name", ["wine", "census"])
def test_every_number_is_the_stored_one_whatever_the_hand_does(opened, results, known, name):
    page, rng = opened(tv.explore_curves(results, dataset=name)), np.random.default_rng(3)
    table = paper_table()
    printed = {
        (r.method, r.budget, r.budget, r.metric): r.value for r in table.itertuples() if r.dataset == name
    }
    found = set()
    for _ in range(STATES):
        wander(page, rng)
        s = check(page, known[name], printed)
        found.add((s["view"], s["measure"], s["train"], s["budget"], s["reading"], s["focus"]))
    assert len(found) > 20


def test_every_number_of_the_toy_is_that_of_the_attack(opened, toy_curve):
    page, rng = opened(tv.explore_curves(toy_curve)), np.random.default_rng(4)
    numbers = {
        ("", r.model, None, r.budget, r.metric): [r.value, r.low, r.high] for r in toy_curve.itertuples()
    }
    assert not page.control("view").count() and not page.control("dataset").count()
    for _ in range(STATES):
        wander(page, rng)
        check(page, numbers, {})


def test_pointing_at_a_budget_shows_all_its_numbers_and_a_click_keeps_them(opened, results, known):
    page = opened(tv.explore_curves(results, dataset="wine", budget=120))
    at = {b: known["wine"]["as published", "AB", 120, b, "roc_auc"][0] for b in (40, 120)}
    assert page.facts()["roc_auc@AB"] == [pytest.approx(at[120])]
    tick = page.tab.locator("text.tv-tick", has_text=re.compile("^40$")).bounding_box()
    x, y = tick["x"] + tick["width"] / 2, tick["y"] - 60
    page.tab.mouse.move(x + 3, y)
    page.settle()
    assert page.facts()["at"] == [40] and page.facts()["budget"] == [120]
    assert page.facts()["roc_auc@AB"] == [pytest.approx(at[40])]
    page.tab.mouse.click(x + 3, y)
    page.tab.mouse.move(3, 3)
    page.settle()
    assert page.facts()["budget"] == page.facts()["at"] == [40]


def test_a_model_under_the_pointer_stands_out_and_a_click_puts_its_band_under_it(opened, results):
    page = opened(tv.explore_curves(results, dataset="wine"))
    row = page.tab.locator(".tv-model", has_text="RT").last
    row.hover()
    assert page.tab.locator("g.tv-method:not(.tv-dim)").evaluate_all(
        "all => all.map(e => e.dataset.method)"
    ) == ["RT"]
    row.click()
    page.tab.mouse.move(3, 3)
    page.settle()
    assert page.tab.locator("g.tv-dim").count() == 0
    assert page.tab.locator("g.tv-method .tv-strong").text_content() == "RT"
    assert page.tab.locator(".tv-band").get_attribute("fill") == "#9A7B2F"
    assert page.tab.locator(".tv-title").inner_text().startswith("RT falls by 0.3 as the test budget grows")
    page.control("bands").click()
    assert page.tab.locator(".tv-band").count() == 0


def test_lines_and_hollow_marks_stand_where_their_values_are(opened, results, known):
    page = opened(tv.explore_curves(results, dataset="wine", methods=["RF-TREANT", "AB"]))
    ticks = page.tab.locator("g:has(> line.tv-grid)").first.evaluate(
        "g => [...g.querySelectorAll('text')].map(e => [+e.textContent, +e.getAttribute('y')])"
    )
    (v0, y0), (v1, y1) = ticks[0], ticks[-1]
    places = page.tab.locator("g.tv-method[data-method=AB] .tv-point").evaluate_all(
        "all => all.map(e => +e.getAttribute('transform').split(',')[1].slice(0, -1))"
    )
    values = [
        known["wine"]["as published", "AB", 120, b, "roc_auc"][0] for b in (0, 20, 40, 60, 80, 100, 120)
    ]
    assert places == pytest.approx([y0 + (v - v0) * (y1 - y0) / (v1 - v0) for v in values], abs=0.02)
    hollow = page.tab.locator(".tv-printed").evaluate_all(
        "all => all.map(e => +e.getAttribute('transform').split(',')[1].slice(0, -1))"
    )
    table = paper_table().query("dataset == 'wine' and budget == 120 and metric == 'roc_auc'")
    printed = table.set_index("method")["value"][["AB", "RF-TREANT"]]
    assert sorted(hollow) == pytest.approx(
        sorted(y0 + (v - v0) * (y1 - y0) / (v1 - v0) for v in printed), abs=0.02
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme, opened, results, toy_curve):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in treant_viz/live/src")
    for explorer in (
        tv.explore_curves(toy_curve),
        tv.explore_curves(results, dataset="wine", methods=["AB", "RT"], focus="AB"),
        tv.explore_curves(results, view="heat map"),
    ):
        assert opened(explorer, theme).accessibility() == []


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 800)])
@pytest.mark.parametrize("view", ["curves", "heat map"])
def test_the_picture_fits_the_window(opened, results, size, view):
    page = opened(tv.explore_curves(results, dataset="wine", view=view), width=size[0], height=size[1])
    assert page.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if size[0] > 1000:
        assert page.tab.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
        least = page.tab.evaluate(
            "() => Math.min(...[...document.querySelectorAll('.tv-live text, .tv-live p, .tv-live button')]"
            ".filter(e => e.textContent).map(e => parseFloat(getComputedStyle(e).fontSize)))"
        )
        assert least >= (16 if size[0] < 1900 else 20)


def test_names_at_the_ends_do_not_overlap(opened, results):
    page = opened(tv.explore_curves(results, dataset="credit", reading="protocol paper"))
    for measure in METRICS:
        page.control("measure").locator(f"[data-value={measure}]").click()
        tops = sorted(
            page.tab.locator("g.tv-method text").evaluate_all(
                "all => all.map(e => e.getBoundingClientRect().y)"
            )
        )
        assert len(tops) == 5 and min(np.diff(tops)) >= 16


@speed
def test_dragging_is_smooth_and_keys_answer_at_once(opened, results):
    page = opened(tv.explore_curves(results, dataset="wine"))
    page.press("budget", "End")
    times = [page.key_to_picture("budget", key) for key in ["ArrowLeft", "ArrowRight"] * 5]
    print(f"{sorted(times)[5]:.0f} ms from key to picture")
    assert sorted(times)[5] < 50
