"""The self-contained HTML page of a display: its structure, its ids, and that no name of a user's escapes."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from html.parser import HTMLParser

import pytest

from treant_viz.viz.display import Display
from treant_viz.viz.output.page import inline, page
from treant_viz.viz.style.palette import DARK, LIGHT
from treant_viz.viz.style.pen import Pen, Target, panels

HOSTILE = '<script>alert("1")</script> --> url(#x) id="q" \' $a_b$ \\ & \u202e'


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bars(Display):
    """A stepper of bars, each a step higher; hatched, so that the SVG needs patterns and clip paths."""

    height: int = 1
    steps: int = 3
    who: str = "x2"

    @property
    def title(self) -> str:
        return f"Bar {self.height} of {self.who}"

    @property
    def alt_text(self) -> str:
        return f"{self.who} is {self.height} high."

    def frames(self) -> tuple[Bars, ...]:
        return tuple(Bars(i, 1, self.who) for i in range(1, self.steps + 1))

    def _draw(self, pen: Pen, target: Target) -> None:
        [[ax]] = panels(target, pen)
        pen.bar(ax, 0, 0, 1, self.height, "unknown", "bar", gid="node-r")
        pen.keep("line", ax.plot([0, 1], [0, self.height], marker="o")[0])
        pen.text(ax, 0.2, 0.2, self.who, "name")
        pen.style(ax, xlabel=self.who)


class Outline(HTMLParser):
    """What a browser would see: elements with attributes, and the words of each element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not self._open or not data.strip():
            return
        self.words.setdefault(self._open[-1], []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [a for t, a in self.elements if t == tag]

    @property
    def ids(self) -> list[str]:
        return [a["id"] for _, a in self.elements if a.get("id")]


def test_every_frame_is_an_inline_picture_with_its_caption_and_description():
    seen = Outline(page(Bars()))
    assert len(seen.all("svg")) == len(seen.all("figure")) == 3
    assert seen.words["figcaption"] == [f"Step {i} of 3: Bar {i} of x2" for i in (1, 2, 3)]
    assert seen.words["p"] == [f"x2 is {i} high." for i in (1, 2, 3)]
    assert seen.words["desc"] == seen.words["p"]
    assert [a["role"] for a in seen.all("svg")] == ["img"] * 3


def test_ids_differ_and_every_reference_has_its_target_in_the_same_frame():
    text = page(Bars())
    ids = Outline(text).ids
    assert len(set(ids)) == len(ids)
    for i, frame in enumerate(re.findall(r"<figure.*?</figure>", text, re.DOTALL)):
        used = set(re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', frame))
        targets = {a or b for a, b in used}
        assert len(targets) >= 5  # clip paths and hatches; letters are text and refer to nothing
        assert targets <= set(Outline(frame).ids)
        assert all(t.startswith(f"f{i}-") for t in targets)
        assert f'id="f{i}-node-r"' in frame


def test_labels_name_elements_that_exist():
    seen = Outline(page(Bars()))
    for picture in seen.all("svg"):
        assert {picture["aria-labelledby"], picture["aria-describedby"]} <= set(seen.ids)
    assert all(b.get("aria-label") or b["id"] == "step-play" for b in seen.all("button"))
    assert seen.all("input")[0]["aria-label"] == "Step"
    assert [a["aria-live"] for t, a in seen.elements if "aria-live" in a] == ["polite"]


def test_the_policy_admits_the_one_script_and_nothing_from_outside():
    text = page(Bars())
    seen = Outline(text)
    policy = next(m["content"] for m in seen.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    digest = base64.b64encode(hashlib.sha256("".join(seen.words["script"]).encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy
    assert "http:" not in policy
    assert "https:" not in policy
    outside = re.findall(r"""(?:src|href|action)\s*=\s*["'](?!#|data:)[^"']*""", text)
    assert outside == []
    assert "@import" not in text
    assert set(re.findall(r"https?://[^\"' )]*", text)) <= {
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/2000/svg",
    }


def test_a_single_picture_needs_no_script():
    text = page(Bars(steps=1))
    assert Outline(text).all("script") == Outline(text).all("button") == Outline(text).all("figcaption") == []
    assert "script-src 'none'" in text


def test_names_of_users_stay_words():
    text = page(Bars(who=HOSTILE))
    seen = Outline(text)
    assert len(seen.all("script")) == 1
    assert "alert" not in "".join(seen.words["script"])
    assert "".join(seen.words["figcaption"]).startswith(f"Step 1 of 3: Bar 1 of {HOSTILE}")
    assert len(set(seen.ids)) == len(seen.ids)
    assert all(re.match(r"f\d+-|step(-|$)", i) for i in seen.ids)


def test_words_that_look_like_references_are_left_alone():
    picture = (
        '<?xml?><!-- id="a" --><svg x="1"><title>url(#t)</title><g id="a"/><g style="fill: url(#a)"/></svg>'
    )
    made = inline(picture, "f0-")
    assert '<title id="f0-title">url(#t)</title>' in made
    assert '<g id="f0-a"/><g style="fill: url(#f0-a)"/>' in made
    assert "<!--" not in made


def test_the_theme_is_the_palettes():
    assert "color-scheme: light" in page(Bars(steps=1), LIGHT)
    dark = page(Bars(steps=1), DARK)
    assert "color-scheme: dark" in dark
    assert f"background: {DARK.background}; color: {DARK.ink}" in dark


def test_same_display_same_bytes_and_twenty_frames_stay_small():
    assert page(Bars()) == page(Bars())
    assert len(page(Bars(steps=20)).encode()) < 2_000_000


def test_nothing_to_show_is_refused():
    with pytest.raises(ValueError, match="without frames"):
        page(Bars(steps=0))


def test_saved_as_html_it_is_the_page(tmp_path):
    saved = Bars().save(tmp_path / "bars.html", palette=DARK)
    assert saved.read_text(encoding="utf-8") == page(Bars(), DARK)
