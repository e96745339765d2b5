"""Live votes of a forest in a browser: whatever the hand does, every number is what the model's trees say."""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import treant_viz as tv
from tests.browser.live import AXE, speed
from tests.live.test_forest import A, X, Y, data, explorer, model, score_of, words_of
from treant_viz.live import explore_forest

STATES = 20  # of each of the data sets
KEYS = ["ArrowRight", "ArrowLeft", "Home", "End", "PageDown", "PageUp"]
WHICH = ["toy", "forest", "census", "boosting"]


def state_of(page) -> dict:
    """What the controls say."""
    found = page.tab.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('[data-control]')]"
        ".map(e => [e.dataset.control,"
        " ['aria-valuenow', 'aria-valuetext', 'aria-valuemax'].map(name => e.getAttribute(name))]))"
    )
    lit = re.match(r"tree (\d+):", found["tree"][1])
    return {
        "budget": float(found["budget"][0]),
        "name": found["row"][1],
        "step": -1 if found["step"][0] == found["step"][2] else int(found["step"][0]),
        "tree": int(lit[1]) if lit else None,
    }


@cache
def played(which, row, budget):
    """The exact attack on a row: its moves, and what trees and model say after each of them."""
    rows, y, attacker = data(which)
    result = tv.attack(model(which), rows.iloc[[row]], y[[row]], attacker.with_budget(budget))
    Z, stages = rows.iloc[[row]].copy(), [rows.iloc[[row]]]
    for move in result.moves[0]:
        Z = Z.copy()
        Z[move.rule.feature] = move.after
        stages.append(Z)
    said = [words_of(which, stage) for stage in stages], [score_of(which, stage) for stage in stages]
    return result.moves[0], *said


def lost(which, y, score) -> float:
    if which == "toy":
        return (score - y) ** 2
    right = score if y == 1 else 1 - score
    return -math.log(right) if right > 0 else math.inf


def second_side(which, explorer, words) -> np.ndarray:
    """Which trees are on the side of the second class? A tie is the second one's in our models only."""
    if which == "census":
        return words >= 0.5
    return words > (explorer.facts()["sides"]["threshold"] if which == "boosting" else 0.5)


def expected(which, explorer, state) -> dict:
    """The numbers of a state, from the attack on this row and the model's own trees."""
    rows, y, attacker = data(which)
    row = next(r for r in range(len(rows)) if explorer.named(r) == state["name"])
    moves, said, scores = played(which, row, state["budget"])
    made = len(moves) if state["step"] < 0 else state["step"]
    over = [second_side(which, explorer, w) for w in said]
    spent = sum(m.rule.cost for m in moves[:made])
    number = float(y[row]) if which == "toy" else float(model(which).classes_.tolist().index(y[row]))
    out = {"budget": state["budget"], "attacker_budget": attacker.budget, "row_y": number, "spent": spent}
    out |= {"left": state["budget"] - spent, "score_before": scores[0], "score": scores[made]}
    out |= {"mean": said[made].mean()}
    out |= {"loss_before": lost(which, number, scores[0]), "loss_now": lost(which, number, scores[made])}
    out |= {f"move_{k}_cost": m.rule.cost for k, m in enumerate(moves, 1)}
    out |= {f"before_{t}": v for t, v in enumerate(said[0])} | {
        f"after_{t}": v for t, v in enumerate(said[made])
    }
    if which != "toy":
        steps = enumerate(pairwise(over), 1)
        out |= {f"turns_{k}": int((a != b).sum()) for k, (a, b) in steps}
        out |= {"ones_before": int(over[0].sum()), "ones_now": int(over[made].sum())}
    if state["tree"] is not None:
        out |= {"lit_before": said[0][state["tree"]], "lit_after": said[made][state["tree"]]}
    return out


def wander(page, rng) -> None:
    """A move of the hand."""
    move = rng.integers(0, 6)
    if move == 0:
        coins = page.tab.locator("[data-control=budget] .tv-coin")
        if n := coins.count():
            coins.nth(int(rng.integers(0, n))).click()
    elif move == 1:
        page.press("row", *rng.choice(KEYS, 3))
    elif move == 2:
        page.press("step", *rng.choice(KEYS[:4], 2))
    elif move == 3:
        page.press("tree", *rng.choice([*KEYS[:4], "Escape"], 2))
    elif move == 4:
        page.press("budget", *rng.choice(KEYS[:4], 2))
    else:
        box = page.tab.locator(".tv-strip-ground").last.bounding_box()
        page.tab.mouse.click(box["x"] + rng.uniform(0.01, 0.99) * box["width"], box["y"] + 20)
        page.tab.mouse.move(2, 2)
    page.settle()


@pytest.mark.parametrize("which", WHICH)
def test_every_number_is_what_the_models_trees_say_whatever_the_hand_does(opened, which):
    ex, rng, seen = explorer(which), np.random.default_rng(3), set()
    page = opened(ex)
    must = {"budget", "spent", "left", "score_before", "score", "mean", "loss_before", "loss_now", "before_0"}
    for _ in range(STATES):
        wander(page, rng)
        state = state_of(page)
        page.agrees(
            expected(which, ex, state), must | ({"lit_after"} if state["tree"] is not None else set())
        )
        seen.add(tuple(state.values()))
    assert len(seen) >= 10 and len({step for _, _, step, _ in seen}) > 1


def test_marks_stand_where_their_trees_are_and_the_line_where_the_mean_is(opened):
    ex = explorer()
    page = opened(ex)
    _, said, scores = played("forest", ex.row, 120.0)
    found = page.tab.evaluate(
        "() => { const at = (e) => { const r = e.getBoundingClientRect(); return r.x + r.width / 2; };"
        " const all = (css) => [...document.querySelectorAll(css)].map(at);"
        " return {before: all('.tv-before'), mean: all('.tv-mean')[0],"
        " turned: [...document.querySelectorAll('.tv-turned')]"
        ".map(g => [g.__data__, at(g.querySelector('path'))])}; }"
    )
    low, high = np.argmin(said[0]), np.argmax(said[0])
    x0, x1 = found["before"][low], found["before"][high]
    unit = (x1 - x0) / (said[0][high] - said[0][low])

    def place(v):
        return pytest.approx(x0 + (v - said[0][low]) * unit, abs=0.6)

    assert found["before"] == [place(v) for v in said[0]]
    assert found["mean"] == place(scores[-1])
    assert found["turned"] == [
        [t, place(said[-1][t])] for t in np.flatnonzero((said[0] > 0.5) != (said[-1] > 0.5))
    ]


def test_a_tree_that_is_pointed_at_is_lit_where_it_turns_with_its_numbers(opened):
    ex = explorer()
    page, (moves, said, _) = opened(ex), played("forest", ex.row, 120.0)
    tree = int(np.flatnonzero((said[0] > 0.5) != (said[-1] > 0.5))[0])
    box = page.tab.locator(f"[data-fact=before_{tree}]").bounding_box()
    page.tab.mouse.move(box["x"] + 60, box["y"] + box["height"] / 2)
    page.settle()
    assert page.facts()["lit_before"] == [pytest.approx(said[0][tree])]
    assert page.tab.locator(".tv-lane.tv-lit").evaluate_all("all => all.map(g => g.__data__)") == [tree]
    turns = [k for k in range(1, len(said)) if (said[k - 1][tree] > 0.5) != (said[k][tree] > 0.5)]
    assert page.tab.locator(".tv-entry.tv-lit").evaluate_all("all => all.map(g => g.__data__.i)") == turns
    assert f"changes sides at move {turns[0]}" in page.tab.locator(".tv-detail").inner_text()
    page.tab.locator(".tv-entry").nth(turns[0]).hover()
    page.settle()
    lit = page.tab.locator(".tv-lane.tv-lit").evaluate_all("all => all.map(g => g.__data__)")
    k = turns[0]
    assert sorted(lit) == np.flatnonzero((said[k - 1] > 0.5) != (said[k] > 0.5)).tolist()
    assert len(moves) >= k


def test_rows_are_found_and_what_a_page_does_not_hold_is_said(opened):
    ex = explorer()
    page, at = opened(ex), ex.page_facts()["rows"]["at"]
    other = next(r for r in range(300) if r not in at)
    box, strip = page.control("find"), page.tab.locator(".tv-strip-ground").last.bounding_box()
    for text, row in ((str(at[3]), at[3]), (str(other), at[3]), ("nobody", at[3])):
        box.fill(text)
        box.press("Enter")
        page.settle()
        assert state_of(page)["name"] == f"row {row}"
    assert "no row is called" in page.tab.locator("[role=alert]").inner_text()
    page.tab.mouse.move(strip["x"] + 2, strip["y"] + 10)
    page.settle()
    shown = page.facts()
    assert shown["hovered_before"] + shown["hovered_after"] == pytest.approx(
        [ex.facts()["rows"][k][0] for k in ("before", "after")]
    )


def test_playing_an_attack_slides_the_mean_across_the_line(opened):
    ex = explorer()
    page, (moves, _, scores) = opened(ex), played("forest", ex.row, 120.0)
    title = page.tab.locator(".tv-title")
    assert title.inner_text() == ex.display.title
    page.press("step", "Home")
    assert title.inner_text().startswith("Without an attack, row")
    for k, move in enumerate(moves, 1):
        page.press("step", "ArrowDown")
        assert title.inner_text().startswith(f"Move {k} of {len(moves)}: {move.rule.feature}")
        assert page.facts()["score"] == [pytest.approx(scores[k])]
    page.press("step", "Escape")
    assert title.inner_text() == ex.display.title


@speed
def test_a_hundred_trees_answer_at_once(opened):
    from sklearn.ensemble import RandomForestClassifier

    made = RandomForestClassifier(100, max_depth=6, min_samples_leaf=3, random_state=0).fit(X, Y)
    page = opened(explore_forest(made, X, Y, A))
    for control, keys in (("budget", ["ArrowLeft", "ArrowRight"]), ("row", ["ArrowRight", "ArrowLeft"])):
        times = [page.key_to_picture(control, key) for key in keys * 5]
        assert sorted(times)[5] < 50, control


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(opened, theme):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in treant_viz/live/src")
    for which in ("forest", "toy"):
        assert opened(explorer(which), theme=theme).accessibility() == []


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 800)])
def test_the_picture_fits_the_window(opened, size):
    page = opened(explorer("boosting"), width=size[0], height=size[1])
    assert page.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if size[0] > 1000:
        assert page.tab.evaluate("() => document.documentElement.scrollHeight <= innerHeight")


def test_infinity_and_names_are_text(opened):
    hostile = "<img src=x onerror=alert(1)>"
    rows = X.rename(columns={"alcohol": hostile}, index={i: f"{hostile}{i}" for i in X.index})
    tree = tv.Node(hostile, 10.0, tv.Leaf(0.0), tv.Leaf(1.0))
    rule = tv.Rule(hostile, 1, delta=(0, 1))
    ex = explore_forest(
        [tree, tree], rows, (rows[hostile] > 10).astype(int), tv.Attacker([rule], 2), loss="log"
    )
    page = opened(ex)
    assert page.facts()["loss_now"] == [math.inf]
    assert (
        page.tab.locator("img").count() == 0
        and hostile[:8] in page.tab.locator(".tv-what").nth(1).text_content()
    )
