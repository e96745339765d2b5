"""The self-contained HTML page of a display: its structure, its ids, and that no name of a user's escapes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

from treant_viz.viz.display import Display
from treant_viz.viz.output.page import inline, page
from treant_viz.viz.style.palette import DARK, LIGHT
from treant_viz.viz.style.pen import Pen, Target, panels

HOSTILE = '<script>alert("1")</script> --> url(#x) id="q" \' $a_b$ \\ & \u202e'


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bars(Display):
    """A hatched bar, so that the SVG needs patterns and clip paths."""

    height: int = 1
    who: str = "x2"

    @property
    def title(self) -> str:
        return f"Bar {self.height} of {self.who}"

    @property
    def alt_text(self) -> str:
        return f"{self.who} is {self.height} high."

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


def test_the_picture_is_inline_with_its_description():
    seen = Outline(page(Bars()))
    assert len(seen.all("svg")) == len(seen.all("figure")) == 1
    assert seen.words["p"] == seen.words["desc"] == ["x2 is 1 high."]
    assert seen.words["h1"] == seen.words["title"][:1] == ["Bar 1 of x2"]
    assert seen.all("svg")[0]["role"] == "img"


def test_ids_differ_and_every_reference_has_its_target():
    text = page(Bars())
    ids = Outline(text).ids
    assert len(set(ids)) == len(ids)
    targets = {a or b for a, b in re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', text)}
    assert len(targets) >= 5  # clip paths and hatches; letters are text and refer to nothing
    assert targets <= set(ids)
    assert 'id="f0-node-r"' in text
    [picture] = Outline(text).all("svg")
    assert {picture["aria-labelledby"], picture["aria-describedby"]} <= set(ids)


def test_nothing_runs_and_nothing_comes_from_outside():
    text = page(Bars())
    seen = Outline(text)
    policy = next(m["content"] for m in seen.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None and policy.startswith("default-src 'none'; script-src 'none'; style-src")
    assert seen.all("script") == [] and "http:" not in policy and "https:" not in policy
    assert re.findall(r"""(?:src|href|action)\s*=\s*["'](?!#|data:)[^"']*""", text) == []
    assert "@import" not in text
    assert set(re.findall(r"https?://[^\"' )]*", text)) <= {
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/2000/svg",
    }


def test_names_of_users_stay_words():
    seen = Outline(page(Bars(who=HOSTILE)))
    assert seen.all("script") == []
    assert seen.words["h1"] == [f"Bar 1 of {HOSTILE}"]
    assert len(set(seen.ids)) == len(seen.ids)
    assert all(i.startswith("f0-") for i in seen.ids)


def test_words_that_look_like_references_are_left_alone():
    picture = (
        '<?xml?><!-- id="a" --><svg x="1"><title>url(#t)</title><g id="a"/><g style="fill: url(#a)"/></svg>'
    )
    made = inline(picture, "f0-")
    assert '<title id="f0-title">url(#t)</title>' in made
    assert '<g id="f0-a"/><g style="fill: url(#f0-a)"/>' in made
    assert "<!--" not in made


def test_the_theme_is_the_palettes():
    assert "color-scheme: light" in page(Bars(), LIGHT)
    dark = page(Bars(), DARK)
    assert "color-scheme: dark" in dark
    assert f"background: {DARK.background}; color: {DARK.ink}" in dark


def test_same_display_same_bytes():
    assert page(Bars()) == page(Bars())


def test_saved_as_html_it_is_the_page(tmp_path):
    saved = Bars().save(tmp_path / "bars.html", palette=DARK)
    assert saved.read_text(encoding="utf-8") == page(Bars(), DARK)
