"""The live picture of a growth in a browser: whatever the hand does, every number is the trace's."""

from __future__ import annotations

import numpy as np
import pytest

import treant_viz as tv
from tests.browser.live import AXE, speed
from tests.live.test_growth import home
from treant_viz.live.explore.growth import explore_growth

STATES = 50
CANDIDATE = (
    "left",
    "unknown",
    "right",
    "y_l",
    "y_r",
    "loss",
    "loss_under_attack",
    "plain_loss",
    "plain_loss_under_attack",
)


def grown(name):
    """A tree of depth 4, on real data."""
    data = getattr(tv, f"load_{name}")()
    A = data.attacker.with_budget(20) if name == "wine" else data.attacker
    return tv.TreantClassifier(A, "sse", max_depth=4).fit(data.X_train[:400], data.y_train[:400])


@pytest.fixture(scope="module")
def models(toy_model):
    return {"toy": toy_model, "wine": grown("wine"), "census": grown("census")}


class Expected:
    """What each fact must be, from the records of the trace and the trees after each step."""

    def __init__(self, trace) -> None:
        self.trace, self.trees = trace, [tree for _, tree in trace.trees()]
        self.counted = [trace.steps[0].leaf_loss, *(loss for _, loss in trace.losses())]
        self.steps = {s.path: (i, s) for i, s in enumerate(trace.steps)}
        self.plain: dict[int, float] = {}

    def at(self, i: int, lit: str | None = None) -> dict:
        t, step = self.trace, self.trace.steps[i]
        if i not in self.plain:
            A = t.attacker.with_budget(0)
            self.plain[i] = tv.loss_under_attack(self.trees[i], t.X, t.y, A, t.loss.name)
        out = {"step": i, "loss_before": self.counted[i], "loss_under_attack": self.counted[i + 1]}
        out["loss"] = self.plain[i]
        for path, (k, s) in self.steps.items():
            out |= {f"{name}@{path}": x for name, x in self.node(i, path, k, s).items()}
        if lit is not None:
            homes = [home(self.trees[i], t.X.iloc[r]) for r in self.steps[lit][1].data.rows]
            out |= {f"from@{path}": homes.count(path) for path in set(homes)}
        if step.candidates is not None:
            c = step.candidates
            out["tried"] = len(c)
            for k in range(len(c)):
                out |= {f"candidate_{name}@{k}": float(getattr(c, name)[k]) for name in CANDIDATE}
        return out

    def node(self, i, path, k, s) -> dict:
        """A node after step i: waiting as its parent left it, or as its own step made it."""
        y, up = self.trace.y[s.data.rows], self.steps[path[:-1]][1].split if path else None
        says = s.leaf if k <= i or up is None else (up.y_l if path[-1] == "l" else up.y_r)
        loss = (y - says) ** 2
        out = {
            "rows": len(y),
            "bought": int((s.data.spent > 0).sum()),
            "prediction": says,
            "leaf_loss": loss.sum(),
        }
        out |= {"mean": y.mean(), "as_leaf": s.leaf_loss, "constraints": len(s.constraints)}
        out["leaves"] = sum(not q.taken for p, (_, q) in self.steps.items() if p.startswith(path))
        if s.taken:
            out |= {side: len(rows) for side, rows in s.split.partition._asdict().items()}
            out |= {"threshold": s.split.threshold, "split_loss": s.split.loss_under_attack}
        return out


def wander(page, rng) -> None:
    """A move of the hand."""
    move = rng.integers(0, 5)
    if move == 0:
        page.press("step", *rng.choice(["ArrowRight", "ArrowLeft", "PageUp", "Home", "End"], 2))
    elif move == 1:
        button = page.control(str(rng.choice(["first", "back", "next", "last"])))
        if button.is_enabled():
            button.click()
    elif move == 2:
        page.control("sort_by").select_option(index=int(rng.integers(0, 12)))
        page.control("ascending").click()
    elif move == 3:
        page.press("candidate", *["ArrowDown"] * int(rng.integers(1, 4)))
    else:
        page.drag("step", float(rng.uniform(0.73, 0.99)))
    nodes = page.tab.locator(".tv-node:visible")
    if rng.random() < 0.5 and move != 3:
        nodes.nth(int(rng.integers(0, nodes.count()))).dispatch_event("click")
    page.settle()


@pytest.mark.parametrize("name", ["toy", "wine", "census"])
def test_every_number_is_the_traces_whatever_the_hand_does(opened, models, name):
    explorer, rng, seen = explore_growth(models[name]), np.random.default_rng(5), set()
    page, expected = opened(explorer), Expected(explorer.trace)
    for _ in range(STATES):
        wander(page, rng)
        step = int(page.facts()["step"][0])
        lit = page.tab.locator(".tv-node.tv-lit")
        path = lit.get_attribute("data-node") if lit.count() else None
        page.agrees(expected.at(step, path), {"step", "loss_before", "loss_under_attack", "loss"})
        assert page.tab.locator(".tv-node:visible").count() == 1 + 2 * sum(
            s.taken for s in explorer.trace.steps[: step + 1]
        )
        seen.add(step)
    assert len(seen) >= min(len(explorer.trace) - 1, 8)


def test_the_toys_root_is_the_papers(opened, models):
    page = opened(explore_growth(models["toy"]))
    assert (
        page.tab.locator(".tv-title").inner_text()
        == "The root asks p ≤ 1: the loss under attack falls from 17.4 to 3.7"
    )
    shown = page.facts()
    assert (shown["prediction@l"], shown["prediction@r"]) == ([-1.5], [1.6])
    assert page.tab.locator(".tv-best").text_content().startswith("p ≤ 1")
    page.press("node", "ArrowDown", "ArrowRight", "Enter")  # the right child: x2 came from the left one
    assert page.facts()["from@l"] == [1] and page.facts()["bought@r"] == [1]
    assert page.control("node").locator(".tv-lit").count() == 1


def test_ribbons_are_as_wide_as_their_rows(opened, models):
    explorer = explore_growth(models["wine"], step=len(models["wine"].trace_) - 1)
    page, n = opened(explorer), explorer.facts()["nodes"]
    widths = page.tab.locator("path.tv-flow").evaluate_all(
        "all => all.map(e => { const d = (e.getAttribute('d') || '').match(/-?[\\d.]+/g);"
        " return d ? d[6] - 0 === 0 ? 0 :"
        " Math.abs(e.getAttribute('d').match(/H(-?[\\d.]+)/)[1] - d[4]) : 0; })"
    )
    sure = [flow["sure"] for flow in n["flow"] if flow]
    scale = max(widths) / max(sure)
    assert scale > 0 and widths == pytest.approx([scale * rows for rows in sure], abs=0.03)


TOPS = """[...document.querySelectorAll('.tv-live svg, .tv-live .tv-detail')]
  .map(e => e.getBoundingClientRect().top)"""


def test_nothing_jumps_while_stepping(opened, models):
    page = opened(explore_growth(models["census"]))
    heights = []
    for _ in range(len(models["census"].trace_)):
        heights.append(page.tab.evaluate(TOPS))
        page.press("step", "ArrowRight")
    assert len(heights) > 8 and heights.count(heights[0]) == len(heights)


def test_it_plays_by_itself_and_stops_at_the_end(opened, models):
    page = opened(explore_growth(models["toy"], step=5))
    page.control("play").click()
    page.tab.locator("[data-fact=step][data-value='6']").wait_for()
    page.tab.locator("[data-control=play]", has_text="Play").wait_for()


@speed
def test_scrubbing_is_smooth_and_keys_answer_at_once(opened):
    data = tv.load_wine()
    model = tv.TreantClassifier(data.attacker.with_budget(20), "sse", max_depth=4)
    page = opened(explore_growth(model.fit(data.X_train[:1000], data.y_train[:1000])))
    page.tab.emulate_media(reduced_motion="no-preference")  # with movements
    page.press("step", "End", "Home")
    fps = page.tab.evaluate(SCRUB)
    times = [page.key_to_picture("step", key) for key in ["ArrowRight", "ArrowLeft"] * 5]
    print(f"{fps:.0f} frames a second, {sorted(times)[5]:.0f} ms from key to picture")
    assert fps >= 30 and sorted(times)[5] < 50


SCRUB = """async () => {
  const times = [], node = document.querySelector('[data-control=step]'); let on = true;
  const tick = (t) => { times.push(t); if (on) requestAnimationFrame(tick); };
  requestAnimationFrame(tick); node.focus();
  for (let i = 0; i < 60; i++) {
    await new Promise(requestAnimationFrame);
    const key = i % 40 < 20 ? 'ArrowRight' : 'ArrowLeft';
    node.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
  }
  on = false;
  return (times.length - 1) * 1000 / (times[times.length - 1] - times[0]);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme, opened, models):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in treant_viz/live/src")
    for name, step in (("toy", 0), ("wine", len(models["wine"].trace_) - 1)):
        assert opened(explore_growth(models[name], step=step), theme).accessibility() == []


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 800)])
def test_the_picture_fits_the_window(opened, models, size):
    explorer = explore_growth(models["wine"], step=len(models["wine"].trace_) - 2)
    page = opened(explorer, width=size[0], height=size[1])
    assert page.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if size[0] > 1000:
        assert page.tab.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
        least = page.tab.evaluate(
            "() => Math.min(...[...document.querySelectorAll('.tv-live text, .tv-live p, .tv-live button')]"
            ".filter(e => e.textContent).map(e => parseFloat(getComputedStyle(e).fontSize)))"
        )
        assert least >= (16 if size[0] < 1900 else 20) * 0.72  # superscripts are smaller


def test_a_part_of_a_tree_fills_the_picture(opened, models):
    page = opened(explore_growth(models["wine"], step=len(models["wine"].trace_) - 1))
    whole = page.tab.locator(".tv-node:visible").count()
    page.tab.locator(".tv-node:visible").nth(1).dispatch_event("dblclick")
    page.settle()
    assert page.tab.locator(".tv-node:visible").count() < whole
    page.control("whole").click()
    page.settle()
    assert page.tab.locator(".tv-node:visible").count() == whole
