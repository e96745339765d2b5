"""The live picture of constraints in a browser: whatever the hand does, every number is brute force's."""

from __future__ import annotations

import re

import numpy as np
import pytest

import treant_viz as tv
from tests.browser.conftest import Watched
from tests.browser.live import AXE, LivePage, speed
from tests.live.constraint_truth import Truth
from treant_viz.live.explore.constraints import explore_constraints

STATES = 50


def grown(name):
    data = getattr(tv, f"load_{name}")()
    X, y = data.X_train[:400], data.y_train[:400]
    if name == "census":
        return tv.TreantClassifier(data.attacker, max_depth=4).fit(X, y)
    little = {c: float(X[c].std()) / 20 for c in X.columns[:8]}
    A = tv.Attacker([tv.Rule(c, cost=10, delta=(-d, d)) for c, d in little.items()], 20)
    return tv.TreantClassifier(A, "sse", max_depth=5, min_samples_split=10).fit(X, y)


@pytest.fixture(scope="module")
def models(toy_model):
    return {"toy": toy_model, "wine": grown("wine"), "census": grown("census")}


class Expected:
    """What each fact must be, by brute force on the trace."""

    def __init__(self, explorer) -> None:
        self.trace, self.truth, self.made = explorer.trace, Truth(explorer.trace), explorer.trees.made
        facts = explorer.facts()
        self.ends, self.points = facts["ends"], max(map(len, facts["curves"]))

    def inside(self, points) -> list[float]:
        return [p for p in points if self.ends[0] < p < self.ends[1]]

    def at(self, path: str | None, leaf: str, off: list[int]) -> dict:
        gone, truth = {self.made[i] for i in off}, self.truth
        out = {"best": truth.mean(leaf), "constraints": len(truth.on(leaf, gone))}
        for name, choice in (("", gone), ("_before", ())):
            both = truth.losses(path, choice)
            out |= {f"counted{name}": both[0], f"attacked{name}": both[1]}
        for k, p in enumerate(self.inside(truth.legal_ends(leaf, gone))):
            out[f"legal_end@{k}"] = p
        for c in self.trace.at(leaf).constraints:
            i = self.made.index((c.row, c.origin))
            out |= {f"gamma@{i}": c.gamma, f"spent@{i}": c.spent, f"label@{i}": c.y}
            out |= {f"end@{i}.{k}": p for k, p in enumerate(self.inside(truth.ends(c)))}
        for k, p in enumerate(np.linspace(*self.ends, self.points)):
            out[f"curve@{k}"] = truth.loss(leaf, float(p))
        for node in self.trace.steps:
            out |= {f"{name}@{node.path}": x for name, x in self.node(path, node, gone).items()}
        own = {"prediction": "prediction", "leaf_loss": "leaf_loss", "rows": "rows"}
        return out | {name: out[f"{key}@{leaf}"] for name, key in own.items()}

    def tried(self, path: str | None, leaf: str, off: list[int], i: int) -> dict:
        """What else is so while the hand tries a prediction of the leaf."""
        gone, truth, p = (
            {self.made[k] for k in off},
            self.truth,
            float(np.linspace(*self.ends, self.points)[i]),
        )
        out = self.at(path, leaf, off)
        others = [out[f"leaf_loss@{end}"] for end in truth.leaves(path) if end != leaf]
        loss = truth.loss(leaf, p)
        own = {"prediction": p, f"prediction@{leaf}": p, f"leaf_loss@{leaf}": loss, "leaf_loss": loss}
        return out | own | {"counted": sum(others) + loss, "attacked": truth.caused(path, gone, leaf, p)}

    def node(self, path, step, gone) -> dict:
        says = self.truth.says(path, step.path, gone)
        out = {"rows": len(step.data), "prediction": says, "leaf_loss": self.truth.loss(step.path, says)}
        out["leaves"] = sum(not s.taken for s in self.trace.steps if s.path.startswith(step.path))
        return out | ({"threshold": step.split.threshold} if step.taken else {})


def state_of(page) -> tuple[str | None, str, list[int]]:
    """What the picture shows: the tree, the leaf, and what is off."""
    path, leaf, off = page.tab.evaluate(
        "() => [document.querySelector('[data-control=path]').value,"
        " document.querySelector('.tv-now').parentNode.dataset.node,"
        " document.querySelector('.tv-live').dataset.off]"
    )
    return None if path == "whole" else path, leaf, [int(i) for i in off.split(",") if i]


def tried(page) -> int | None:
    """The place of the prediction that the hand tries."""
    found = page.tab.locator("[data-fact^='curve@']")
    return int(found.get_attribute("data-fact")[6:]) if found.count() else None


def wander(page, rng) -> None:
    """A move of the hand."""
    move = rng.integers(0, 7)
    if move == 0:
        options = page.tab.locator("[data-control=path] option").count()
        page.control("path").select_option(index=int(rng.integers(0, options)))
    elif move == 1:
        nodes = page.tab.locator(".tv-node:visible")
        nodes.nth(int(rng.integers(0, nodes.count()))).dispatch_event("click")
    elif move == 2 and page.control("constraint").is_visible():
        page.press("constraint", *["ArrowDown"] * int(rng.integers(0, 4)), "Enter")
    elif move == 3:
        page.drag("prediction", float(rng.uniform(0.66, 0.97)))
    elif move == 4:
        page.press("prediction", *rng.choice(["ArrowRight", "ArrowLeft", "PageUp", "Escape"], 2))
    else:
        button = page.control(str(rng.choice(["next", "row", "off", "on"])))
        if button.is_enabled():
            button.click()
    page.settle()


@pytest.mark.parametrize("name", ["toy", "wine", "census"])
def test_every_number_is_brute_forces_whatever_the_hand_does(opened, models, name):
    explorer, rng, seen = explore_constraints(models[name]), np.random.default_rng(7), set()
    page, expected = opened(explorer), Expected(explorer)
    trials = caused = 0
    for _ in range(STATES):
        wander(page, rng)
        path, leaf, off = state_of(page)
        point, must = tried(page), {"prediction", "counted", "attacked"}
        if point is None:
            page.agrees(expected.at(path, leaf, off), must)
        else:  # in a page, what is not tabulated is said to be unknown: no fact is shown
            trials += not off or name == "toy"
            page.agrees(expected.tried(path, leaf, off, point), must - {"attacked"})
            caused += "attacked" in page.facts() and (not off or name == "toy")
        gone = page.tab.locator(".tv-held[aria-selected=false]").evaluate_all(
            "all => all.map(e => Number(e.dataset.made))"
        )
        assert set(gone) <= set(off)
        seen.add((path, leaf, tuple(off)))
    assert len(seen) >= (10 if name == "toy" else 15)
    assert caused == trials > (3 if name == "toy" else 0)


def title(page) -> str:
    return page.tab.locator(".tv-title").inner_text()


def test_the_toys_panels_e_and_d(opened, models):
    page = opened(explore_constraints(models["toy"]))
    assert title(page) == "1 is forbidden in the leaf p > 1, q ≤ 3: 1.5 is the nearest value allowed"
    shown = page.facts()
    assert (shown["gamma@0"], shown["spent@0"], shown["legal_end@0"]) == ([2.25], [1.0], [-1.5])
    page.press("constraint", "Enter")
    assert title(page) == (
        "Without the constraint of x2 the leaf p > 1, q ≤ 3 slides from 1.5 to 1, "
        "and the attacker causes 3.75, not 3"
    )
    assert (page.facts()["counted"], page.facts()["attacked"]) == ([2.5], [3.75])
    page.tab.locator(".tv-switch").click()  # on again, by the mouse
    assert page.facts()["prediction"] == [1.5]
    page.press("prediction", "Home")
    assert title(page).startswith("−2.32 is allowed in the leaf p > 1, q ≤ 3, and would cost ")
    shown, ends = page.facts(), (-2.32) ** 2 + (2 + 2.32) ** 2  # of the two rows there, with labels 0 and 2
    assert shown["prediction"] == [-2.32] and shown["counted"] == [pytest.approx(0.5 + ends)]
    assert shown["attacked"] == [pytest.approx(0.5 + ends)]  # x2 loses more there than the 2.25 at home
    page.press("prediction", *["PageUp"] * 2)
    assert title(page).endswith("is forbidden in the leaf p > 1, q ≤ 3: 1 constraint stands in the way")
    page.press("prediction", "Escape")
    assert title(page).startswith("1 is forbidden")


def test_whose_constraint_it_is_lights_up_everywhere(opened, models):
    page = opened(explore_constraints(models["toy"]))
    page.tab.locator(".tv-held > .tv-hit").click()
    page.tab.mouse.move(2, 2)

    def nodes(look: str) -> list[str]:
        return page.tab.locator(f".tv-node.{look}").evaluate_all("all => all.map(e => e.dataset.node)")

    assert (nodes("tv-source"), nodes("tv-protects")) == ([""], ["l", "rl"])
    assert page.tab.locator(".tv-row.tv-lit").count() == 1  # x2 in the leaf that it was brought to
    said = page.tab.locator(".tv-detail").inner_text()
    assert said.startswith("x2, y = 0: at the root the attacker sends x2 this way")
    assert "losing at least 2.25" in said and said.endswith("To come here costs it 1.")


def test_with_a_kernel_any_choice_is_asked_for(browser, models):
    """The picture as a notebook mounts it: questions go to Python, and the answers are shown."""
    explorer = explore_constraints(models["wine"])
    mounted, asking = (
        r"mount\(document.getElementById\((\w+)\), (\w+)\)",
        r"mount(document.getElementById(\1), {...\2, ask})",
    )
    html, places = re.subn(mounted, asking, explorer.page())
    assert places == 1
    page, asked = LivePage.__new__(LivePage), []
    Watched.__init__(page, browser)
    page.tab.expose_function("ask", lambda question: asked.append(question) or explorer.answer(question))
    page.tab.set_content(re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", html))
    page.tab.locator(".tv-live svg").first.wait_for()
    expected, rng = Expected(explorer), np.random.default_rng(2)
    for _ in range(6):
        page.press("constraint", *["ArrowDown"] * int(rng.integers(0, 3)), "Enter")
        page.tab.wait_for_timeout(60)
        tree, leaf, off = state_of(page)
        page.agrees(expected.at(tree, leaf, off), {"prediction", "counted", "attacked"})
    assert max(len(q["off"]) for q in asked) > 1
    page.press("prediction", "ArrowRight")  # what that would cause is asked for too
    page.tab.locator("[data-fact=attacked]").wait_for()
    page.agrees(expected.tried(*state_of(page), tried(page)), {"prediction", "counted", "attacked"})
    assert "leaf" in asked[-1]
    page.tab.close()
    page.quiet()


def test_what_a_page_does_not_know_it_says(opened, models):
    explorer = explore_constraints(models["wine"])
    page = opened(explorer)
    page.press("constraint", "Home", "Enter")
    first = state_of(page)[2]
    page.press("constraint", "ArrowDown", "Enter")
    assert len(first) == len(state_of(page)[2]) == 1 and state_of(page)[2] != first
    assert "In a notebook you can combine them" in page.tab.locator(".tv-alert").inner_text()


def test_a_leaf_without_constraints_points_to_one_that_has_some(opened, models):
    page = opened(explore_constraints(models["toy"], leaf="rr"))
    assert title(page) == "No constraint reaches the leaf p > 1, q > 3: it may say what it likes, 2"
    assert (
        "See the leaf p > 1, q ≤ 3 after the split of the right child."
        in page.tab.locator(".tv-subtitle").inner_text()
    )
    page.control("next").click()
    assert state_of(page)[:2] == ("r", "rl")
    data = tv.load_toy()
    free = opened(explore_constraints(tv.TreantRegressor(None, min_samples_split=2).fit(data.X, data.y)))
    assert title(free) == "No constraint is in the way: the attacker has no choice anywhere in this tree"
    assert not any(free.control(name).is_enabled() for name in ("next", "row", "off", "on"))


def test_bars_and_diamonds_stand_at_their_values(opened, models):
    page, explorer = opened(explore_constraints(models["toy"])), explore_constraints(models["toy"])
    track = page.tab.locator(".tv-handle").locator("xpath=..").locator("rect.tv-forbidden").bounding_box()
    low, high = explorer.facts()["ends"]

    def at(p: float) -> float:
        return track["x"] + (p - low) / (high - low) * track["width"]

    legal = page.tab.locator(".tv-handle").locator("xpath=..").locator("rect.tv-legal")
    boxes = [legal.nth(i).bounding_box() for i in range(2)]
    edges = [[b["x"], b["x"] + b["width"]] for b in boxes]
    assert np.allclose(edges, [[at(low), at(-1.5)], [at(1.5), at(high)]], atol=0.1)
    full = page.tab.locator(".tv-handle .tv-diamond").bounding_box()
    hollow = page.tab.locator(".tv-handle").locator("xpath=..").locator(".tv-hollow").bounding_box()
    middles = [b["x"] + b["width"] / 2 for b in (full, hollow)]
    assert np.allclose(middles, [at(1.5), at(1.0)], atol=0.6)


def test_the_leaf_slides_to_its_new_value(opened, models):
    page = opened(explore_constraints(models["toy"]))
    page.tab.emulate_media(reduced_motion="no-preference")
    places = page.tab.evaluate(SLIDE)
    assert len({round(x) for x in places}) > 4 and places == sorted(places, reverse=True)


SLIDE = """async () => {
  const handle = document.querySelector('[data-control=prediction]'), out = [];
  document.querySelector('[data-control=off]').click();
  for (let i = 0; i < 30; i++) {
    await new Promise(requestAnimationFrame);
    out.push(handle.getCTM().e);
  }
  return out;
}"""


@speed
def test_keys_answer_at_once(opened):
    data = tv.load_wine()
    little = {c: float(data.X_train[c].std()) / 20 for c in data.X_train.columns[:8]}
    A = tv.Attacker([tv.Rule(c, cost=10, delta=(-d, d)) for c, d in little.items()], 20)
    model = tv.TreantClassifier(A, max_depth=6).fit(data.X_train[:1000], data.y_train[:1000])
    page = opened(explore_constraints(model))
    page.tab.emulate_media(reduced_motion="no-preference")  # with movements
    times = [page.key_to_picture("constraint", key) for key in ["Enter", "ArrowDown"] * 6]
    times += [page.key_to_picture("prediction", key) for key in ["ArrowRight"] * 6]
    print(f"{sorted(times)[9]:.0f} ms from key to picture, at most {max(times):.0f}")
    assert sorted(times)[9] < 50


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme, opened, models):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in treant_viz/live/src")
    for name, state in (("census", {"path": None}), ("toy", {"leaf": "rr", "off": 2, "row": 2})):
        assert opened(explore_constraints(models[name], **state), theme).accessibility() == []


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 800)])
def test_the_picture_fits_the_window(opened, models, size):
    page = opened(explore_constraints(models["census"]), width=size[0], height=size[1])
    for control in (None, "off"):
        if control:
            page.control(control).click()
        assert page.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        if size[0] < 1000:
            continue
        assert page.tab.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
        least = page.tab.evaluate(
            "() => Math.min(...[...document.querySelectorAll('.tv-live text, .tv-live p, .tv-live button')]"
            ".filter(e => e.textContent).map(e => parseFloat(getComputedStyle(e).fontSize)))"
        )
        assert least >= (16 if size[0] < 1900 else 20) * 0.72  # superscripts are smaller
