"""Live attacks on a tree in a browser: whatever the hand does, every number is what the attack finds."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import treant_viz as tv
from tests.browser.live import AXE, speed
from tests.live.test_attack_states import TOY, fitted, panels, toy
from treant_viz.core.tree import leaves
from treant_viz.live.explore.attack import explore_attack
from treant_viz.viz.attack_path.facts import ways

STATES = 20  # of each of three data sets
KEYS = ["ArrowRight", "ArrowLeft", "Home", "End", "PageDown", "PageUp"]
EXPLORERS = {
    "toy": lambda: toy("(e)"),
    "wine": lambda: explore_attack(*fitted("wine_sklearn", 200)),
    "census": lambda: explore_attack(*fitted("census", 200)),
}


def state_of(page) -> dict:
    """What the controls say."""
    found = page.tab.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('[data-control]')]"
        ".map(e => [e.dataset.control,"
        " ['aria-valuenow', 'aria-valuetext', 'aria-valuemax', 'data-shown']"
        ".map(name => e.getAttribute(name))]))"
    )
    _, leaf, _, path = found["leaf"]
    worst = leaf.startswith("the worst: ")
    step = -1 if found["step"][0] == found["step"][2] else int(found["step"][0])
    return {
        "budget": float(found["budget"][0]),
        "name": found["row"][1],
        "leaf": path,
        "worst": worst,
        "step": step,
    }


@cache
def attacked(explorer, budget):
    A = explorer.attacker.with_budget(budget)
    return tv.attack(explorer.model, explorer.X, explorer.y, A, explorer.loss_name)


def expected(explorer, state) -> dict:
    """The numbers of a state, from the attack on this row alone and from that on all rows."""
    row = next(r for r in range(len(explorer.X)) if explorer.named(r) == state["name"])
    A, y = explorer.attacker.with_budget(state["budget"]), float(explorer.numbers[row])
    bare, loss = explorer.trees[0], explorer.loss_name
    found = ways(bare, explorer.X.iloc[[row]], y, A, loss)
    shown = found.best if state["worst"] else state["leaf"]
    assert shown == state["leaf"]
    played = found.attacks[shown]
    now = played if state["step"] < 0 else played.until(state["step"])
    all_rows = attacked(explorer, state["budget"])
    out = {"budget": state["budget"], "strip_budget": state["budget"], "row_y": y, "spent": now.cost}
    out |= {"left": state["budget"] - now.cost, "loss": all_rows.clean_losses.sum()}
    out |= {"loss_under_attack": all_rows.losses.sum(), "row_loss": found.losses[found.home]}
    out |= {"row_loss_under_attack": found.losses[now.leaf]}
    out |= {f"move_{k}_cost": m.cost for k, m in enumerate(played.moves, 1)}
    out |= {f"prediction_{path}": leaf.prediction for path, leaf in leaves(bare)}
    out |= {f"loss_{path}": found.losses[path] for path in found.attacks}
    dear = ways(bare, explorer.X.iloc[[row]], y, explorer.attacker.with_budget(explorer.top), loss)
    return out | {f"cost_{path}": a.cost for path, a in dear.attacks.items()}


def wander(page, rng) -> None:
    """A move of the hand."""
    move = rng.integers(0, 5)
    if move == 0:
        coins = page.tab.locator("[data-control=budget] .tv-coin")
        if n := coins.count():
            coins.nth(int(rng.integers(0, n))).click()
    elif move == 1:
        page.press("row", *rng.choice(KEYS, 3))
    elif move == 2:
        page.press("leaf", *rng.choice(KEYS, 2))
    elif move == 3:
        page.press("step", *rng.choice(KEYS[:4], 2))
    else:
        box = page.tab.locator(".tv-strip-ground").bounding_box()
        page.tab.mouse.click(box["x"] + rng.uniform(0.01, 0.99) * box["width"], box["y"] + 20)
        page.tab.mouse.move(2, 2)
    page.settle()


@pytest.mark.parametrize("name", EXPLORERS)
def test_every_number_is_what_the_attack_finds_whatever_the_hand_does(opened, name):
    explorer, rng, seen = EXPLORERS[name](), np.random.default_rng(5), set()
    page = opened(explorer)
    must = {"row_y", "spent", "left", "loss", "loss_under_attack", "row_loss", "row_loss_under_attack"}
    for _ in range(STATES):
        wander(page, rng)
        state = state_of(page)
        expect = expected(explorer, state)
        page.agrees(expect, must | {f"prediction_{state['leaf']}", f"loss_{state['leaf']}"})
        seen.add(tuple(state.values()))
    assert len(seen) >= 10 and len({leaf for *_, leaf, _, _ in seen}) > 1
    assert len({step for *_, step in seen}) > 1


def test_the_first_picture_is_the_papers_panel_c(opened):
    page = opened(toy("(c)"))
    assert (
        page.tab.locator(".tv-title").inner_text()
        == "For 1, the attacker pushes x2 across p ≤ 1: its loss grows from 2.25 to 2.56"
    )
    shown = page.facts()
    assert (shown["loss"], shown["loss_under_attack"]) == ([pytest.approx(3.39)], [pytest.approx(3.7)])
    assert page.tab.locator(".tv-coin-mark .tv-what").all_text_contents() == ["p 1 → 2"]


def test_branches_open_as_they_become_affordable(opened):
    explorer = explore_attack(*fitted("wine_sklearn", 200))
    page, a = opened(explorer), explorer.attacks[0]
    page.press("budget", "Home")
    for _ in range(len(explorer.facts()["trees"][0]["costs"])):
        budget = state_of(page)["budget"]
        paths = {a.ends[a.leaf[p]][0] for p in a.pairs(explorer.row) if a.cost[p] <= budget * (1 + 1e-9)}
        bright = page.tab.locator(".tv-leaf:not(.tv-shut)")
        open_ = bright.evaluate_all("all => all.map(e => e.dataset.leaf)")
        assert set(open_) == paths
        edges = {path[:k] for path in paths for k in range(1, len(path) + 1)}
        assert page.tab.locator(".tv-branch:not(.tv-shut)").count() == len(edges)
        page.press("budget", "ArrowRight")


def test_ribbons_are_as_wide_as_their_rows(opened):
    explorer = toy("(e)")
    page, a = opened(explorer), explorer.attacks[0]
    wide = page.tab.locator(".tv-branch").evaluate_all(
        "all => Object.fromEntries(all.map(e => {"
        " const n = e.getAttribute('d').match(/-?[\\d.]+/g).map(Number);"
        " const end = n.slice(6, 9); return [e.__data__.path, [n[6], n[8]]]; }))"
    )
    rows = {p: sum(a.ends[leaf][0].startswith(p) for leaf in a.home) for p in wide}
    units = {(right - left) / rows[path] for path, (left, right) in wide.items()}
    assert max(units) - min(units) < 0.02 * max(units)


def test_clicks_on_leaves_rows_found_by_name_and_moves_played(opened):
    page = opened(toy("(c)"))
    page.tab.locator(".tv-leaf[data-leaf=l]").click()
    assert state_of(page)["leaf"] == "l" and not state_of(page)["worst"]
    page.press("leaf", "Escape")
    assert state_of(page)["leaf"] == "r" and state_of(page)["worst"]
    page.tab.locator(".tv-entry").first.click()
    assert page.tab.locator(".tv-title").inner_text().startswith("Without an attack, x2")
    page.press("step", "ArrowDown")
    assert page.tab.locator(".tv-title").inner_text().startswith("Move 1 of 1: p 1 → 2, cost 1")
    box = page.control("find")
    for text, name in (("x5", "x5"), ("1", "x1"), ("nobody", "x1")):
        box.fill(text)
        box.press("Enter")
        page.settle()
        assert state_of(page)["name"] == name
    assert "no row is called" in page.tab.locator("[role=alert]").inner_text()


def test_coins_on_edges_are_buttons_and_a_leaf_out_of_reach_can_be_bought(opened):
    page = opened(toy("(c)"))
    coin, title = page.control("coin"), page.tab.locator(".tv-title")
    assert coin.text_content() == "1p 1 → 2"
    for press in (coin.click, lambda: page.press("coin", "Enter")):  # taken back, made again
        press()
        assert coin.get_attribute("aria-pressed") == "false" and page.facts()["spent"] == [0]
        assert title.inner_text() == "Without an attack, x2 ends in the leaf that predicts −1.5: loss 2.25"
        press()
        assert coin.get_attribute("aria-pressed") == "true" and page.facts()["spent"] == [1]
        assert title.inner_text() == "Move 1 of 1: p 1 → 2, cost 1; loss 2.56, 0 left"
    page.press("budget", "Home")
    leaf = page.tab.locator(".tv-leaf[data-leaf=r]")
    assert "tv-shut" in leaf.get_attribute("class")
    assert leaf.locator("title").text_content() == "costs 1: click to have that much"
    leaf.locator(".tv-price").click()
    assert state_of(page)["budget"] == 1 and state_of(page)["leaf"] == "r"


def test_before_and_after_one_more_split(opened):
    page = opened(toy("(c)", after=panels()["(d)"]))
    title = page.tab.locator(".tv-title")  # it opens on the tree in which the row is really attacked
    assert title.inner_text().startswith("For 1, the attacker pushes x2 across p ≤ 1")
    page.press("tree", "ArrowRight")
    assert (
        title.inner_text()
        == "The new split breaks attack invariance for x2: its worst leaf is now another one"
    )
    page.tab.locator(".tv-leaf[data-leaf=rl]").click()  # what the plan counted on
    assert title.inner_text() == "For 1, the attacker pushes x2 across p ≤ 1: its loss falls from 2.25 to 1"
    assert page.tab.locator("[data-control=coin]").count() == 1
    page.press("leaf", "Escape")
    page.press("budget", "Home")
    assert title.inner_text().startswith("The new split is of no concern to the attack on x2")


@speed
def test_a_thousand_rows_answer_at_once(opened):
    page = opened(explore_attack(*fitted("wine_sklearn", 1000)))
    for control, keys in (("budget", ["ArrowLeft", "ArrowRight"]), ("row", ["ArrowRight", "ArrowLeft"])):
        times = [page.key_to_picture(control, key) for key in keys * 5]
        assert sorted(times)[5] < 50, control


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(opened, theme):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in treant_viz/live/src")
    for explorer in (toy("(c)", after=panels()["(d)"]), explore_attack(*fitted("census", 200))):
        assert opened(explorer, theme=theme).accessibility() == []


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 800)])
def test_the_picture_fits_the_window(opened, size):
    page = opened(explore_attack(*fitted("wine_sklearn", 200)), width=size[0], height=size[1])
    assert page.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if size[0] > 1000:
        assert page.tab.evaluate("() => document.documentElement.scrollHeight <= innerHeight")


def test_infinity_and_names_are_text(opened):
    hostile = "<img src=x onerror=alert(1)>"
    X = TOY.X.rename(columns={"p": hostile}, index={"x2": hostile})
    tree = tv.Node(hostile, 1.0, tv.Leaf(0.0), tv.Leaf(1.0))
    y = (np.asarray(TOY.y) > 0).astype(int)
    ex = explore_attack(tree, X, y, tv.Attacker([tv.Rule(hostile, 1, delta=(-1, 1))], 1), loss="log", row=2)
    page = opened(ex)
    assert page.facts()["row_loss_under_attack"] == [math.inf]
    assert page.tab.locator("img").count() == 0 and "∞" in page.tab.locator(".tv-title").inner_text()
