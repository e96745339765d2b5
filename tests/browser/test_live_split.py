"""The live picture of a split in a browser: whatever the hand does, every number is Python's."""

from __future__ import annotations

import numpy as np
import pytest

import treant_viz as tv
from tests.browser.live import AXE, LivePage, speed
from tests.trace.test_what_if import brute, log, reachable, sse
from treant_viz.live.explore.split import explore_split

STATES = 50
PLAN_KEYS = ("standard", "four-case", "robust")


def toy():
    data = tv.load_toy()
    return data.X, data.y, data.attacker


def wine(rows=1000):
    data = tv.load_wine()
    return data.X_train[:rows], data.y_train[:rows], data.attacker


def census(rows=300):
    data = tv.load_census()
    return data.X_train[:rows], data.y_train[:rows], data.attacker


@pytest.fixture
def opened(browser, tmp_path):
    pages = []

    def open_it(explorer, **size) -> LivePage:
        path = explorer.save(tmp_path / f"{len(pages)}.html")
        pages.append(LivePage(browser, path, **size))
        return pages[-1]

    yield open_it
    for page in pages:
        page.tab.close()
        page.quiet()


def state_of(page) -> dict:
    """What the controls say."""
    shown = page.facts()
    plan = page.tab.locator("[data-control=plan] [aria-checked=true]").get_attribute("data-value")
    return {"threshold": shown["threshold"][0], "budget": shown["budget"][0], "plan": plan}


def expected(X, y, attacker, feature, state, explorer) -> dict:
    """The numbers of a state, from what is reachable and the losses of rows, one by one."""
    A, v, ell = attacker.with_budget(state["budget"]), state["threshold"], sse if len(set(y)) > 2 else log
    column, level = X[feature].tolist(), explorer.states(feature).level_of(state["budget"])
    home = np.array([x == v if isinstance(v, str) else x <= v for x in column])
    i = at(explorer.states(feature), level, v)
    means = [y[side].mean() if side.any() else y.mean() for side in (home, ~home)]
    leaves = means if state["plan"] != "robust" else (level.robust.y_l[i], level.robust.y_r[i])
    count, plain, attacked = brute(column, y, A, feature, v, *leaves, ell)
    out = {"left": count["L"], "unknown": count["U"], "right": count["R"], "y_l": leaves[0], "y_r": leaves[1]}
    out |= {"loss": plain, "loss_under_attack": attacked, "budget": state["budget"], "threshold": v}
    out["standard_loss_under_attack"] = brute(column, y, A, feature, v, *means, ell)[2]
    out |= flows(column, y, A, feature, v, home, leaves)
    out |= {f"case_{k}": c for k, c in enumerate(cases(column, y, A, feature, v, home))}
    return out


def at(states, level, v) -> int:
    if states.categories is not None:
        return states.categories.index(v)
    return int(np.searchsorted(level.thresholds, v, side="right")) - 1


def reached(column, A, feature, v) -> tuple[np.ndarray, np.ndarray]:
    """Who can be left, and who can be right."""
    if isinstance(v, str):
        sets = [reachable(A, feature, x) for x in column]
        return np.array([v in s for s in sets]), np.array([bool(s - {v}) for s in sets])
    ends = [reachable(A, feature, x) for x in column]
    return np.array([e[0][0] <= v for e in ends]), np.array([e[-1][1] > v for e in ends])


def flows(column, y, A, feature, v, home, leaves) -> dict:
    left, right = reached(column, A, feature, v)
    ell = (
        sse if len(set(y)) > 2 else lambda p, t: abs(p - t)
    )  # both losses of 0/1 labels grow with the distance
    hurt = [np.array([ell(p, t) for t in y]) for p in leaves]
    same = np.abs(hurt[0] - hurt[1]) < 1e-12
    sent = np.where(same, home, hurt[0] > hurt[1])
    unknown = left & right
    sides = {"left": lambda m: m, "right": lambda m: ~m}
    return {f"{a}_{b}": int((unknown & sides[a](home) & sides[b](sent)).sum()) for a in sides for b in sides}


def cases(column, y, A, feature, v, home) -> list[float]:
    left, right = reached(column, A, feature, v)
    unknown, out = left & right, []
    for side in (home, (left & ~right) | (unknown & ~home), left, left & ~right):
        parts = [y[m] for m in (side, ~side) if m.any()]
        out += [sum(((part - part.mean()) ** 2).sum() for part in parts)]
    return out


def wander(page, rng, categories: bool) -> None:
    """A move of the hand."""
    move = rng.integers(0, 4)
    if move == 0:
        page.press("plan", "Home", *["ArrowRight"] * int(rng.integers(0, 3)))
    elif move == 1:
        coins = page.tab.locator("[data-control=budget] .tv-coin")
        if n := coins.count():
            coins.nth(int(rng.integers(0, n))).click()
    elif move == 2 or categories:
        page.press(
            "threshold", *rng.choice(["ArrowRight", "ArrowLeft", "PageUp", "PageDown", "Home", "End"], 3)
        )
    else:
        page.drag("threshold", float(rng.uniform(0.1, 0.62)))
    page.settle()


@pytest.mark.parametrize(
    ("data", "feature"),
    [(toy, "p"), (toy, "q"), (wine, "alcohol"), (census, "education_num"), (census, "occupation")],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_every_number_is_pythons_whatever_the_hand_does(opened, data, feature):
    X, y, A = data() if data is not wine else wine(250)
    explorer, rng, seen = explore_split(X, y, A, feature=feature), np.random.default_rng(7), set()
    page, y = opened(explorer), np.asarray(y, dtype=float)
    for _ in range(STATES):
        wander(page, rng, isinstance(explorer.threshold, str))
        state = state_of(page)
        must = {"left", "unknown", "right", "y_l", "y_r", "loss", "loss_under_attack"}
        expect = expected(X, y, A, feature, state, explorer)
        page.agrees(expect, {name for name in must if expect[name] or name[:2] == "y_" or "loss" in name})
        seen.add(tuple(state.values()))
    assert len(seen) >= 8 and {plan for *_, plan in seen} == set(PLAN_KEYS)


def test_the_first_picture_is_the_papers_panel_c(opened):
    page = opened(explore_split(tv.load_toy()))
    assert page.tab.locator(".tv-title").inner_text() == "The attacker decides for x2 alone"
    shown = page.facts()
    assert (
        shown["loss_under_attack"] == [pytest.approx(3.7)]
        and shown["y_l"] == [-1.5]
        and shown["y_r"] == [1.6]
    )
    assert (shown["left"], shown["unknown"], shown["right"]) == ([2], [1], [4])


def test_a_row_lights_up_with_its_numbers_and_stays_when_clicked(opened):
    page = opened(explore_split(tv.load_toy()))
    page.tab.locator(".tv-lane").nth(2).click()
    page.tab.mouse.move(2, 2)
    page.agrees(
        {**page_numbers(page), "row_value": 1, "row_y": 0, "row_cost": 1}, {"row_value", "row_y", "row_cost"}
    )
    assert page.tab.locator(".tv-lane.tv-lit").count() == 1


def page_numbers(page) -> dict:
    return {name: values[0] for name, values in page.facts().items()}


@speed
def test_a_drag_over_a_thousand_rows_is_smooth_and_keys_answer_at_once(opened):
    page = opened(explore_split(*wine(), feature="alcohol"))
    assert page.frames_a_second() >= 30
    times = [page.key_to_picture("threshold", key) for key in ["ArrowRight", "ArrowLeft"] * 5]
    assert sorted(times)[5] < 50


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme, tmp_path, browser):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in treant_viz/live/src")
    for explorer in (explore_split(tv.load_toy()), explore_split(*census(), feature="occupation")):
        path = tmp_path / f"{theme}.html"
        path.write_text(explorer.page(theme=theme), "utf-8")
        page = LivePage(browser, path)
        assert page.accessibility() == []
        page.tab.close()


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 800)])
def test_the_picture_fits_the_window(opened, size):
    page = opened(explore_split(*wine(300)), width=size[0], height=size[1])
    assert page.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if size[0] > 1000:
        assert page.tab.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
        least = page.tab.evaluate(
            "() => Math.min(...[...document.querySelectorAll('.tv-live text, .tv-live p, .tv-live button')]"
            ".filter(e => e.textContent).map(e => parseFloat(getComputedStyle(e).fontSize)))"
        )
        assert least >= (16 if size[0] < 1900 else 20) * 0.72  # superscripts are smaller


def test_features_that_a_page_lacks_are_off_and_say_so(opened):
    explorer = explore_split(*wine(), feature="density")
    page = opened(explorer)
    off = page.tab.locator("[data-control=feature] option[disabled]").all_inner_texts()
    assert off and all("not in this page" in text for text in off)
    assert len(off) + len(explorer.page_facts()["tables"]) == len(explorer.columns)


def test_letters_are_the_packages_own(opened):
    page = opened(explore_split(*toy()))
    loaded = page.tab.evaluate("() => [...document.fonts].map(f => [f.family, f.weight, f.style, f.status])")
    assert len(loaded) == 3 and all(family.strip('"') == "Treant Sans" for family, *_ in loaded)
    assert {status for *_, status in loaded} == {"loaded"}
    family = page.tab.evaluate("() => getComputedStyle(document.querySelector('.tv-live')).fontFamily")
    assert family.startswith('"Treant Sans"')


def test_values_that_crowd_get_room_of_their_own(opened):
    """Most gains of capital are nothing, and one is 99,999: reach is drawn where it can be seen."""
    page = opened(explore_split(*census(), feature="capital_gain"))
    axis = page.control("axis")
    assert axis.locator("[aria-checked=true]").inner_text() == "even"
    before, at = page.facts(), page.control("threshold").bounding_box()["x"]
    page.press("axis", "Home")
    assert axis.locator("[aria-checked=true]").inner_text() == "true distances"
    assert page.facts() == before
    assert page.control("threshold").bounding_box()["x"] < at - 50
    for choice in ("Home", "End"):
        page.press("axis", choice)
        columns = page.tab.locator(".tv-shade").first.bounding_box()
        bars = page.tab.locator("rect[fill='var(--left)']").evaluate_all(
            "all => all.map(e => e.getBoundingClientRect()).filter(b => b.height > 1).map(b => b.left)"
        )
        assert min(bars) >= columns["x"] - 2
    assert opened(explore_split(*toy())).control("axis").is_hidden()
