"""Live feature space in a browser: whatever the hand does, every number is what the exact attack finds."""

from __future__ import annotations

import numpy as np
import pytest

import treant_viz as tv
from tests.browser.live import AXE, speed
from tests.live.test_space import attacked, explorer, given
from treant_viz.core.tree import predict

STATES = 52  # of each of the data sets
KEYS = ["ArrowRight", "ArrowLeft", "Home", "End", "PageDown", "PageUp", "Escape"]


def state_of(page) -> dict:
    """What the controls say."""
    return page.tab.evaluate(
        "() => ({"
        "budget: Number(document.querySelector('[data-control=budget]').getAttribute('aria-valuenow')),"
        " row: document.querySelector('[data-control=row]').getAttribute('aria-valuetext').split(',')[0],"
        " x: Number(document.querySelector('[data-control=x]').value),"
        " y: Number(document.querySelector('[data-control=y]').value)})"
    )


def expected(which, ex, facts, state) -> dict:
    """The numbers of a state, from the exact attack on the tree as it looks in the plane."""
    plane = facts["planes"][f"{state['x']},{state['y']}"]
    places = plane["rows"]["at"]
    at = [facts["rows"]["at"][i] for i in places]
    flat, rows, found = attacked(which, plane, at, state["budget"])
    own = predict(flat, rows)
    after = predict(flat, found.X_adv)
    hurt = found.losses > found.clean_losses + 1e-9
    level = [v for v in plane["levels"] if v["cost"] <= state["budget"]][-1]
    out = {"budget": state["budget"], "rows": len(at), "hit": int(hurt.sum())}
    out |= {"crossing": level["at_risk"] - out["hit"], "safe": len(at) - level["at_risk"]}
    out |= {"plain_loss": found.clean_losses.sum(), "loss_under_attack": found.losses.sum()}
    out |= {f"prediction_{r}": p for r, p in enumerate(plane["regions"]["prediction"])}
    for k, i in enumerate(places):
        out |= {f"before_{i}": own[k], f"after_{i}": after[k], f"cost_{i}": found.costs[k]}
    names = [ex.data.schema.names[state[k]] for k in "xy"]
    if (name := state["row"]) != "no row":
        k = next(k for k, i in enumerate(places) if facts["rows"]["name"][i] == name)
        out |= {"row_label": ex.data.y[at[k]], "row_before": own[k], "row_after": after[k]}
        out |= {"row_cost": found.costs[k]}
        for axis, feature in zip("xy", names, strict=True):
            j = ex.data.schema.index(feature)
            plain = str if ex.data.schema.columns[j].categorical else float
            out[f"row_{axis}"] = plain(rows[feature].iloc[k])
            out[f"end_{axis}"] = plain(found.X_adv[feature].iloc[k])
    return out


def wander(page, rng, facts) -> None:
    """A move of the hand."""
    move = rng.integers(0, 5)
    if move == 0:
        coins = page.tab.locator("[data-control=budget] .tv-coin")
        if n := coins.count():
            coins.nth(int(rng.integers(0, n))).click()
    elif move == 1:
        page.press("row", *rng.choice(KEYS, 3))
    elif move == 2:
        page.press("budget", *rng.choice(KEYS[:4], 2))
    elif move == 3:
        box = page.tab.locator(".tv-plane > .tv-hit").bounding_box()
        page.tab.mouse.click(
            box["x"] + rng.uniform(0.05, 0.95) * box["width"],
            box["y"] + rng.uniform(0.05, 0.95) * box["height"],
        )
        page.tab.mouse.move(2, 2)
    else:
        axis = str(rng.choice(["x", "y"]))
        options = page.control(axis).locator("option:not([disabled])")
        page.control(axis).select_option(
            index=None, value=options.nth(int(rng.integers(0, options.count()))).get_attribute("value")
        )
    page.settle()


@pytest.mark.parametrize("which", ["toy", "wine", "census"])
def test_every_number_is_what_the_exact_attack_finds_whatever_the_hand_does(opened, which):
    ex, rng, seen = explorer(which), np.random.default_rng(5), set()
    page, facts = opened(ex), ex.page_facts()
    must = {"budget", "rows", "hit", "crossing", "safe", "plain_loss", "loss_under_attack"}
    for _ in range(STATES):
        wander(page, rng, facts)
        state = state_of(page)
        lit = {"row_x", "row_label", "row_before"} if state["row"] != "no row" else set()
        page.agrees(expected(which, ex, facts, state), must | lit)
        seen.add(tuple(state.values()))
    assert len(seen) > 10


def test_a_row_under_the_pointer_is_drawn_with_its_box_its_move_and_the_coin(opened):
    ex = explorer("wine")
    page, facts = opened(ex), ex.page_facts()
    plane = facts["planes"]["{},{}".format(*ex.pair)]
    at = page.tab.evaluate(
        "() => { const hurt = [...document.querySelectorAll('circle.tv-hurt')];"
        " const e = hurt[hurt.length - 1], b = e.getBoundingClientRect();"
        " return [b.x + b.width / 2, b.y + b.height / 2, e.__data__.at]; }"
    )
    page.tab.mouse.move(at[0], at[1])
    page.settle()
    [held] = page.tab.locator(".tv-held").evaluate_all(
        "all => all.map(g => g.querySelectorAll('.tv-span').length)"
    )
    assert held >= 1
    lit = page.tab.locator(".tv-detail b").first.inner_text().rstrip(": ")
    assert lit in facts["rows"]["name"]
    shown = page.facts()
    i = plane["rows"]["at"].index(facts["rows"]["name"].index(lit))
    way = next(v for v in plane["levels"] if v["cost"] == ex.budget)["worst"][i]
    assert shown["row_cost"] == [plane["ways"]["cost"][way]]
    assert shown["row_after"] == [plane["regions"]["prediction"][plane["ways"]["region"][way]]]


def test_bands_are_as_long_as_the_reach_and_arrows_end_where_the_attack_ends(opened):
    ex = explorer("toy")
    page = opened(ex)
    found = page.tab.evaluate(
        "() => { const at = (e) => { const b = e.getBoundingClientRect(); return [b.left, b.right]; };"
        " const held = [...document.querySelectorAll('.tv-held')].find(g => g.querySelector('.tv-end'));"
        " const dots = [...document.querySelectorAll('.tv-plane > g:nth-of-type(1) circle')].map(at);"
        " return {span: at(held.querySelector('.tv-span')), end: at(held.querySelector('.tv-end')), dots}; }"
    )
    middle = [(a + b) / 2 for a, b in found["dots"]]
    unit = (middle[3] - middle[0]) / (3 - -7)
    assert found["span"][1] - found["span"][0] == pytest.approx(2 * unit, abs=2)  # x2 reaches 0 to 2
    assert sum(found["end"]) / 2 - middle[2] == pytest.approx(unit, abs=2)


def test_the_title_is_that_of_the_static_picture_and_axes_change_places(opened):
    ex = explorer("census")
    page = opened(ex)
    assert page.tab.locator(".tv-title").inner_text() == ex.display.title
    before = state_of(page)
    swapped = page.control("x").locator(f"option[value='{before['y']}']")
    assert swapped.is_disabled()  # this page does not hold that plane


def test_rows_are_found_by_name_and_strangers_are_said(opened):
    ex = explorer("toy")
    page = opened(ex)
    box = page.control("find")
    for text, row in (("x2", "x2"), ("nobody", "x2")):
        box.fill(text)
        box.press("Enter")
        page.settle()
        assert state_of(page)["row"] == row
    assert "no row is called" in page.tab.locator("[role=alert]").inner_text()


@speed
def test_a_thousand_rows_answer_at_once(opened):
    data = tv.load_wine()
    model = tv.TreantClassifier(None, max_depth=4).fit(data.X_train[:1000], data.y_train[:1000])
    A = data.attacker.with_budget(60)
    page = opened(tv.explore_space(model, data.X_train[:1000], data.y_train[:1000], A))
    for control in ("budget", "row"):
        times = [page.key_to_picture(control, key) for key in ["ArrowLeft", "ArrowRight"] * 5]
        assert sorted(times)[5] < 50, control


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(opened, theme):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in treant_viz/live/src")
    for which in ("toy", "wine"):
        assert opened(explorer(which), theme=theme).accessibility() == []


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 800)])
def test_the_picture_fits_the_window(opened, size):
    page = opened(explorer("wine"), width=size[0], height=size[1])
    assert page.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if size[0] > 1000:
        assert page.tab.evaluate("() => document.documentElement.scrollHeight <= innerHeight")


def test_names_are_text(opened):
    hostile = "<img src=x onerror=alert(1)>"
    _, X, y, _ = given("toy")
    rows = X.rename(columns={"p": hostile}, index={i: f"{hostile}{i}" for i in X.index})
    tree = tv.Node(hostile, 1.0, tv.Leaf(-1.0), tv.Leaf(2.0))
    page = opened(tv.explore_space(tree, rows, y, tv.Attacker([tv.Rule(hostile, 1, delta=(-1, 1))], 1)))
    page.press("row", "Home")
    assert page.tab.locator("img").count() == 0
    assert hostile in page.tab.locator(".tv-detail").inner_text()
