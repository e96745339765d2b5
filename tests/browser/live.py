"""Live pictures from disk in a real browser: set states by hand, read back every number that is a fact."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

import pytest

from tests.browser.conftest import Watched

speed = pytest.mark.skipif(
    not os.environ.get("TREANT_VIZ_SPEED"),
    reason="frames and milliseconds are measured where nothing else runs: TREANT_VIZ_SPEED=1",
)

AXE = Path(__file__).parents[2] / "treant_viz/live/src/node_modules/axe-core/axe.min.js"
FRAMES = """async (moves) => {
  const times = []; let on = true;
  const tick = (t) => { times.push(t); if (on) requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  const handle = document.querySelector('[data-control=threshold]'), box = handle.getBoundingClientRect();
  const y = box.top + 60, x = box.left + box.width / 2;
  const send = (kind, x) => (kind === 'pointerdown' ? handle : window).dispatchEvent(
    new PointerEvent(kind, {pointerId: 7, clientX: x, clientY: y, bubbles: true, view: window, button: 0}));
  send('pointerdown', x);
  for (let i = 0; i < moves; i++) {
    await new Promise(requestAnimationFrame);
    send('pointermove', x + 250 * Math.sin(i / 9));
  }
  send('pointerup', x); on = false;
  return (times.length - 1) * 1000 / (times[times.length - 1] - times[0]);
}"""
KEY_TO_PICTURE = """async ([control, key]) => {
  const node = document.querySelector(`[data-control=${control}]`); node.focus();
  const start = performance.now();
  node.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
  document.body.getBoundingClientRect();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - start;
}"""


ODD_WORDS = """() => {
  const said = [...document.querySelectorAll('.tv-live *')].flatMap((e) => [
    e.children.length ? '' : e.textContent, ...['title', 'aria-label', 'aria-valuetext', 'aria-description']
      .map((name) => e.getAttribute(name) ?? '')]);
  const odd = /\\b(null|undefined|NaN|Infinity|object Object)\\b/;
  return said.filter((text) => !text.includes('{') && odd.test(text));
}"""
ON_EACH_OTHER = """(within) => {
  const seen = (t) => t.textContent.trim() && t.checkVisibility({visibilityProperty: true});
  const all = [...document.querySelectorAll(`${within} svg text`)].filter(seen)
    .map((t) => [t.getBoundingClientRect(), t.textContent]).filter(([box]) => box.width > 0);
  const both = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
  const touch = (a, b) =>
    both(a, b, "left", "right") > 2 && both(a, b, "top", "bottom") > 0.35 * a.height;
  const beyond = ([box]) => box.left < -1 || box.right > innerWidth + 1;
  const out = all.filter(beyond).map(([, text]) => [text]);
  all.forEach(([a, text], i) => all.slice(0, i).forEach(([b, other]) => {
    if (touch(a, b)) out.push([text, other]);
  }));
  return out;
}"""


class LivePage(Watched):
    """A page with one live picture, saved by an explorer and opened with no network."""

    def __init__(self, browser, path: Path, width: int = 1280, height: int = 720) -> None:
        super().__init__(browser)
        self.tab.set_viewport_size({"width": width, "height": height})
        self.tab.emulate_media(reduced_motion="reduce")
        self.tab.goto(path.as_uri())
        self.tab.locator(".tv-live svg").first.wait_for()

    def control(self, name: str):
        return self.tab.locator(f"[data-control={name}]").first

    def facts(self) -> dict[str, list[float | str]]:
        """Every number on the screen that is a fact, by name."""
        found = self.tab.locator("[data-fact]").evaluate_all(
            "all => all.filter(e => e.checkVisibility({visibilityProperty: true}))"
            ".map(e => [e.dataset.fact, e.dataset.value, e.textContent])"
        )
        out: dict[str, list[float | str]] = {}
        for name, value, _ in found:
            out.setdefault(name, []).append(_plain(value))
        return out

    def agrees(self, expected: dict[str, float | str], must: set[str]) -> None:
        """Every fact shown is Python's, to 1e-9; those in `must` are shown."""
        shown = self.facts()
        assert must <= set(shown), must - set(shown)
        for name, values in shown.items():
            for value in values:
                assert _same(value, expected[name]), (name, value, expected[name])

    def drag(self, control: str, fraction: float) -> None:
        """Take hold of a control and bring it to a place along the picture's width."""
        box, svg = self.control(control).bounding_box(), self.tab.locator(".tv-live svg").first.bounding_box()
        assert box and svg
        y = box["y"] + 0.3 * box["height"]
        self.tab.mouse.move(box["x"] + box["width"] / 2, y)
        self.tab.mouse.down()
        self.tab.mouse.move(svg["x"] + fraction * svg["width"], y, steps=3)
        self.settle()
        self.tab.mouse.up()
        self.tab.mouse.move(2, 2)
        self.settle()

    def press(self, control: str, *keys: str) -> None:
        group = self.control(control)  # in a group of choices, the chosen one takes the keys
        (group.locator("[tabindex='0']").or_(group.and_(self.tab.locator("[tabindex='0']"))).first).focus()
        for key in keys:
            self.tab.keyboard.press(key)
        self.settle()

    def settle(self) -> None:
        self.tab.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def frames_a_second(self, moves: int = 90) -> float:
        return self.tab.evaluate(FRAMES, moves)

    def key_to_picture(self, control: str, key: str) -> float:
        """Milliseconds."""
        return self.tab.evaluate(KEY_TO_PICTURE, [control, key])

    def accessibility(self) -> list[str]:
        """What axe-core finds; it must be installed (npm ci in treant_viz/live/src)."""
        self.tab.evaluate(AXE.read_text("utf-8"))
        found = self.tab.evaluate("() => axe.run('.tv-live')")
        odd = [f"{text!r} is no word for people" for text in self.tab.evaluate(ODD_WORDS)]
        return odd + [f"{v['id']}: {n['html'][:120]}" for v in found["violations"] for n in v["nodes"]]

    def quiet(self) -> None:
        """Nothing was complained about, and nothing was asked of anybody."""
        assert self.said == []
        assert [url for url in self.asked if not url.startswith("file:")] == []


def _plain(value: str) -> float | str:
    number = re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", value)
    return float(value) if number else math.inf if value == "inf" else value


def _same(shown: float | str, expected: float | str) -> bool:
    if isinstance(shown, str) or isinstance(expected, str):
        return shown == expected
    return shown == expected or abs(shown - expected) <= 1e-9 * max(1.0, abs(expected))
