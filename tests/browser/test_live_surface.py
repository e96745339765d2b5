"""The live loss surface in a browser: wherever the hand puts the start, what is told is what SLSQP did."""

from __future__ import annotations

import re

import numpy as np
import pytest

import treant_viz as tv
from tests.browser.live import AXE, LivePage, speed
from treant_viz.live.explore.surface import SurfaceExplorer, explore_surface
from treant_viz.live.page import page
from treant_viz.trace.replay import rerun
from treant_viz.viz.loss_surface.display import LossSurfaceDisplay

STATES = 50
ALWAYS = {"start_l", "start_r", "walk_l", "walk_r", "start_loss", "y_l", "y_r", "loss", "optimum", "stuck"}
STUCK = "From (−1, 2) SLSQP reports success at a loss of 14.5; the optimum is 2.5"


@pytest.fixture(scope="module")
def models(toy_model):
    wine, census = tv.load_wine(), tv.load_census()
    A = wine.attacker.with_budget(20)
    return {
        "toy": toy_model,
        "wine": tv.TreantClassifier(A, max_depth=3).fit(wine.X_train[:300], wine.y_train[:300]),
        "census": tv.TreantClassifier(census.attacker, "sse", max_depth=3).fit(
            census.X_train[:300], census.y_train[:300]
        ),
    }


@pytest.fixture(scope="module")
def pages(models):
    """Explorers that no test changes, each with its page."""
    explorers = {name: explore_surface(model) for name, model in models.items()}
    return {name: (ex, ex.page()) for name, ex in explorers.items()}


@pytest.fixture
def opened(browser, tmp_path):
    pages = []

    def open_it(html: str, **size) -> LivePage:
        path = tmp_path / f"{len(pages)}.html"
        path.write_text(html, "utf-8")
        pages.append(LivePage(browser, path, **size))
        return pages[-1]

    yield open_it
    for one in pages:
        one.tab.close()
        one.quiet()


class Shown:
    """What the controls of a page say, and what Python says to that."""

    def __init__(self, page: LivePage, explorer: SurfaceExplorer, facts: dict) -> None:
        self.page, self.explorer, self.facts = page, explorer, facts
        self.displays: dict[tuple, LossSurfaceDisplay] = {}

    def state(self) -> dict:
        shown, tab = self.page.facts(), self.page.tab
        box = self.page.control("constrained")
        return {
            "path": tab.locator("[data-control=node]").input_value(),
            "test": int(tab.locator("[data-control=test]").input_value()),
            "constrained": box.is_checked(),
            "bound": box.is_visible() and box.is_checked(),
            "start": (shown["start_l"][0], shown["start_r"][0]),
        }

    def expected(self, state: dict) -> dict:
        trace, path, i = self.explorer.trace, state["path"], state["test"]
        C = trace.at(path).candidates
        where = trace, path, C.feature[i], C.threshold[i]
        run = rerun(*where, state["start"], constrained=state["bound"])
        key = (path, i, state["bound"])
        d = self.displays.setdefault(key, LossSurfaceDisplay.from_trace(*where, constrained=state["bound"]))
        told = float(C.loss_under_attack[i])
        best = told if state["bound"] or not trace.at(path).constraints else d.optimum.loss
        table = self.facts["tables"][f"{path}:{i}:{int(state['bound'])}"]
        begin = d.surface.point(*run.iterates[0])
        out = dict(zip(("start_l", "start_r"), state["start"], strict=True))
        out |= {"walk_l": begin.y_l, "walk_r": begin.y_r, "start_loss": begin.loss}
        out |= {"y_l": run.y_l, "y_r": run.y_r, "loss": run.loss}
        out |= {"optimum": best, "difference": run.loss - best}
        out |= {"best_l": d.optimum.y_l, "best_r": d.optimum.y_r}
        out |= {"starts": len(table["runs"]["stuck"]), "stuck": sum(table["runs"]["stuck"])}
        return out | {f"level_{k}": v for k, v in enumerate(table["contours"]["level"])}

    def agrees(self, state: dict) -> None:
        expected = self.expected(state)
        missed = expected["difference"] > 1e-6 * (1 + expected["optimum"])
        self.page.agrees(expected, ALWAYS | ({"difference"} if missed else set()))
        title = self.page.tab.locator(".tv-title").inner_text()
        assert (("reports success at" in title) or ("gives up" in title)) == missed, title


def wander(shown: Shown, rng) -> None:
    """A move of the hand: drag, click, keys, another test or node, constraints on and off."""
    page, tab, move = shown.page, shown.page.tab, rng.integers(0, 8)
    if move <= 1:
        drag(page, *rng.uniform(0.05, 0.95, 2))
    elif move == 2:
        sheet = tab.locator(".tv-sheet").bounding_box()
        x, y = rng.uniform(0.05, 0.95, 2)
        tab.mouse.click(sheet["x"] + x * sheet["width"], sheet["y"] + y * sheet["height"])
    elif move <= 4:
        page.press("start", *rng.choice(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home"], 3))
    elif move == 5 and page.control("constrained").is_visible():
        page.control("constrained").click()
    else:
        choose(page, "test" if move == 6 else "node", rng)
    page.settle()


def choose(page: LivePage, name: str, rng) -> None:
    box = page.control(name)
    values = box.locator("option:not([disabled])").evaluate_all("all => all.map(o => o.value)")
    box.select_option(str(rng.choice(values)))


def drag(page: LivePage, x: float, y: float) -> None:
    """Take hold of the start, and bring it to a place on the surface."""
    start = page.control("start").locator(".tv-hit").bounding_box()
    sheet = page.tab.locator(".tv-sheet").bounding_box()
    page.tab.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.tab.mouse.down()
    page.tab.mouse.move(sheet["x"] + x * sheet["width"], sheet["y"] + y * sheet["height"], steps=3)
    page.settle()
    page.tab.mouse.up()
    page.settle()


@pytest.mark.parametrize("name", ["toy", "wine", "census"])
def test_every_number_is_pythons_wherever_the_hand_puts_the_start(opened, pages, name):
    (explorer, html), rng, seen = pages[name], np.random.default_rng(3), set()
    shown = Shown(opened(html), explorer, explorer.page_facts())
    for _ in range(STATES):
        wander(shown, rng)
        state = shown.state()
        shown.agrees(state)
        seen.add((state["path"], state["test"], state["bound"], *state["start"]))
    assert len(seen) >= 30 and len({s[0] for s in seen}) >= 2


def test_the_first_picture_is_the_show_case(opened, pages):
    page = opened(pages["toy"][1])
    tab = page.tab
    assert tab.locator(".tv-title").inner_text() == STUCK
    facts = page.facts()
    assert facts["loss"] == [pytest.approx(14.5)] and facts["optimum"] == [2.5]
    assert "status 0: Optimization terminated successfully" in tab.locator(".tv-panel").inner_text()
    assert "the start goes to the nearest one" in tab.locator(".tv-detail").inner_text()
    assert tab.locator(".tv-stuck").get_attribute("d").count("M") == facts["stuck"][0]
    page.press("start", "Home")
    assert (
        tab.locator(".tv-title").inner_text() == "From (1, 2) SLSQP finds the optimum (1.5, 2), a loss of 2.5"
    )
    assert not page.control("home").is_enabled()


def test_where_the_best_pairs_are_a_segment_a_line_is_drawn_and_no_pair_is_called_the_optimum(opened, models):
    """At p <= 3 the title named (0.7143, 3.286) while SLSQP had ended at (0.7143, 2), at the same loss."""
    page = opened(
        explore_surface(models["toy"], path="", feature="p", threshold=3.0, start_l=-1, start_r=2).page()
    )
    title = page.tab.locator(".tv-title").inner_text()
    assert title == "From (−1, 2) SLSQP ends in one of many best pairs, with a loss of 17.4"
    assert page.tab.locator(".tv-best-pairs").count() == 1
    assert "0.714 to 3.29" in page.tab.locator(".tv-pair-best").inner_text()


# with a kernel


def asking(explorer: SurfaceExplorer) -> str:
    """A page whose questions and states go to Python, as in a notebook."""
    shown, given = explorer.display, {**explorer.given(), "facts": explorer.facts()}
    html = page(given, shown.title, shown.alt_text)
    html = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)
    mounted = r"mount\(document.getElementById\((\w+)\), (\w+)\)"
    two_way = "ask: (question) => window.asked(question), onState: (state) => window.told(state)"
    html, places = re.subn(mounted, rf"mount(document.getElementById(\1), {{...\2, {two_way}}})", html)
    assert places == 1
    return html


class Kernel:
    """Python on the other side: it may take its time, and keeps what it was asked."""

    def __init__(self, opened, explorer: SurfaceExplorer) -> None:
        self.explorer, self.questions = explorer, []
        self.page = opened("<section class='tv-live'><svg width='1' height='1'></svg></section>")
        tab = self.page.tab
        tab.expose_function("asked", self.asked)
        tab.expose_function("told", lambda state: setattr(explorer.widget, "state", state))
        tab.set_content(asking(explorer))
        tab.locator("[data-control=start]").wait_for()

    def asked(self, question: dict) -> dict:
        self.questions.append(question)
        return self.explorer.answer(question)

    def rests(self) -> None:
        self.page.tab.wait_for_function("() => !document.querySelector('.tv-busy')")


def test_with_a_kernel_the_start_goes_anywhere_and_python_runs_slsqp_from_there(opened, models):
    explorer, rng = explore_surface(models["toy"]), np.random.default_rng(5)
    kernel = Kernel(opened, explorer)
    for x, y in rng.uniform(0.1, 0.9, (8, 2)):
        drag(kernel.page, x, y)
        kernel.rests()
        shown, run = kernel.page.facts(), explorer.run
        assert (explorer.start_l, explorer.start_r) == (shown["start_l"][0], shown["start_r"][0])
        assert shown["loss"] == [pytest.approx(run.loss, abs=1e-9)]
        assert (shown["y_l"][0], shown["y_r"][0]) == pytest.approx((run.y_l, run.y_r), abs=1e-9)
        assert explorer.start_l == round(explorer.start_l, 1), "no -0.70000000001"
    assert len({(q["start_l"], q["start_r"]) for q in kernel.questions}) >= 8


def test_another_surface_is_asked_for_and_python_may_set_the_start(opened, models):
    explorer = explore_surface(models["toy"])
    kernel, trace = Kernel(opened, explorer), explorer.trace
    kernel.page.control("node").select_option("")
    kernel.rests()
    assert (explorer.path, explorer.feature, explorer.threshold) == ("", "p", 1.0)
    assert kernel.questions[-1]["surface"] is True
    assert kernel.page.facts()["optimum"] == [pytest.approx(3.7)]
    explorer.start_l = 0.3
    kernel.page.tab.evaluate("(state) => globalThis.live.live.set(state)", explorer.widget.state)
    kernel.rests()
    run = rerun(trace, "", "p", 1.0, (0.3, 2.0))
    assert kernel.page.facts()["loss"] == [pytest.approx(run.loss, abs=1e-9)]


def test_while_slsqp_works_it_says_so_and_only_the_last_place_is_asked_for(opened, models):
    kernel = Kernel(opened, explore_surface(models["toy"]))
    tab = kernel.page.tab
    tab.evaluate(
        "() => { const ask = window.asked; const gate = new Promise((open) => { window.open_it = open; });"
        "window.asked = (question) => gate.then(() => ask(question)); }"
    )
    kernel.page.press("start", *["ArrowRight"] * 6)
    assert tab.locator(".tv-title").inner_text() == "From (−0.4, 2) SLSQP is at work"
    assert "at work" in tab.locator(".tv-panel").inner_text()
    tab.evaluate("() => window.open_it()")
    kernel.rests()
    assert tab.locator(".tv-title").inner_text().startswith("From (−0.4, 2) SLSQP")
    assert [q["start_l"] for q in kernel.questions] == [-0.9, -0.4]


def test_what_python_refuses_is_said(opened, models):
    kernel = Kernel(opened, explore_surface(models["toy"]))
    kernel.page.tab.evaluate(
        "() => { window.asked = () => Promise.reject(new Error('the kernel is gone')); }"
    )
    kernel.page.press("start", "ArrowRight")
    assert kernel.page.tab.locator(".tv-alert").inner_text() == "the kernel is gone"


# how it looks


@speed
def test_keys_answer_at_once(opened, pages):
    page = opened(pages["wine"][1])
    times = [page.key_to_picture("start", key) for key in ["ArrowRight", "ArrowLeft"] * 5]
    assert sorted(times)[5] < 50


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(opened, pages, theme):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in treant_viz/live/src")
    html = pages["toy"][1].replace('"theme":"auto"', f'"theme":"{theme}"')
    page = opened(html)
    assert page.tab.locator(f".tv-live[data-theme={theme}]").count() == 1
    assert page.accessibility() == []


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 800)])
def test_the_picture_fits_the_window(opened, pages, size):
    page = opened(pages["census"][1], width=size[0], height=size[1])
    assert page.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if size[0] > 1000:
        assert page.tab.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
        least = page.tab.evaluate(
            "() => Math.min(...[...document.querySelectorAll('.tv-live text, .tv-live p, .tv-live button')]"
            ".filter(e => e.textContent).map(e => parseFloat(getComputedStyle(e).fontSize)))"
        )
        assert least >= (16 if size[0] < 1900 else 20) * 0.72  # superscripts are smaller


def test_what_a_page_lacks_is_off_and_says_so(opened, pages):
    explorer, html = pages["wine"]
    page = opened(html)
    [last] = page.tab.locator("[data-control=test] option[disabled]").all_inner_texts()
    known = page.tab.locator("[data-control=test] option:not([disabled])").count()
    assert last == f"{len(explorer.tried[explorer.path]) - known:,} tests more – not in this page"
