"""A lecture as one HTML file: the slides of `notebooks/LECTURE.md`, with notes for the speaker.

Pictures are those of the stored notebooks, live where the book has them live. The file needs no network,
no kernel and no library.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbconvert.filters.markdown_mistune import markdown2html_mistune
from pygments.formatters import HtmlFormatter

from treant_viz.course.book import TITLE, Body, notebooks, with_mathml, with_places
from treant_viz.course.build import live_of, put_back
from treant_viz.course.lecture import Planned, planned
from treant_viz.course.overview import panel_boxes
from treant_viz.datasets.shipped import shipped
from treant_viz.experiments.toy import toy_display
from treant_viz.live.page import document
from treant_viz.viz.output.page import figure
from treant_viz.viz.style.palette import LIGHT

LECTURES = (45, 90)
QUESTIONS = 3  # minutes at the end
PAPER = (
    "S. Calzavara, C. Lucchese, G. Tolomei, S. A. Abebe, S. Orlando: TREANT: training evasion-aware decision "
    "trees. Data Mining and Knowledge Discovery 34, 2020"
)
KEYS = (
    "Next: → or Page Down. Back: ← or Page Up. Full screen: F. The speaker's window, with notes and clock: N."
)
NEXT_TIME = (
    "Hand out `treant-viz handout`, the toy as one live page. Who wants more: the whole course opens with "
    "`treant-viz lab`, and `treant-viz book` needs nothing but a browser."
)
_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
OVERVIEW = "overview-"  # before the names within the drawing whose panels are shown


class Slide(NamedTuple):
    """A slide in HTML. With a question, its picture waits until the speaker shows it."""

    title: str
    minutes: int
    body: str
    notes: str
    question: str = ""
    source: str = ""
    look: str = ""


def deck(minutes: int) -> str:
    """The lecture of so many minutes as an HTML document."""
    made, pictures, books = [], {}, _Books()
    for slide in planned(minutes):
        one, live = _made(slide, books)
        made.append(one)
        pictures.update(live)
    total = sum(slide.minutes for slide in made) + QUESTIONS
    every = [_first(total, made), *made, _last()]
    look = f"{HtmlFormatter(style='default').get_style_defs('.highlight')}\n{_file('deck.css')}"
    return document(f"{TITLE}: {total} minutes", _body(every), pictures, look, "light", _file("deck.js"))


class _Books(dict[str, Any]):
    """The stored notebooks, each read when its first slide is made."""

    def __missing__(self, number: str) -> Any:
        [path] = [path for path in notebooks() if path.name.startswith(number)]
        self[number] = put_back(nbformat.read(path, as_version=4), live_of(path))
        return self[number]


def _file(name: str) -> str:
    return files("treant_viz.course").joinpath(name).read_text(encoding="utf-8")


def _made(slide: Planned, books: _Books) -> tuple[Slide, dict[str, Any]]:
    parts, pictures, drawn = [], {}, False
    for kind, what in slide.shown:
        if kind == "Cell":
            body, live = _shown(what, books[slide.notebook], slide.notebook)
            pictures.update(live)
            drawn = drawn or "<img" in body or bool(live)
        else:
            body = words(what) if kind == "Show" else _panels(what.split())
            drawn = drawn or kind == "Panel"
        parts.append(f'<div class="part {kind.lower()}">{body}</div>')
    look = " ".join(["live"] * bool(pictures) + ["picture"] * drawn + ["split"] * (len(parts) > 1))
    body, notes, question = "".join(parts), words(slide.notes), words(slide.question)
    return Slide(slide.title, slide.minutes, body, notes, question, slide.notebook, look), pictures


@cache
def _overview() -> tuple[str, dict[str, tuple[float, float, float, float]]]:
    """The overview as one drawing, and where its panels are."""
    display = toy_display()
    names = [tree.name for tree in display.trees]
    return figure(display, OVERVIEW, LIGHT), dict(zip(names, panel_boxes(display), strict=True))


def _panels(names: list[str]) -> str:
    """Windows on the overview's drawing, side by side."""
    boxes = _overview()[1]
    if unknown := set(names) - set(boxes):
        raise ValueError(f"the overview has no panel {sorted(unknown)}, but {sorted(boxes)}")
    return "".join(_window(name, boxes[name]) for name in names)


def _window(name: str, box: tuple[float, float, float, float]) -> str:
    wide, high, part = f"{box[2]:.1f}", f"{box[3]:.1f}", " ".join(f"{v:.1f}" for v in box)
    inner = f'<svg width="{wide}" height="{high}" viewBox="{part}"><use href="#{OVERVIEW}figure_1"/></svg>'
    label = f"panel {name} of the overview of the toy: a tree, where its rows go, and its losses"
    return f'<svg role="img" aria-label="{label}" viewBox="0 0 {wide} {high}">{inner}</svg>'


def words(text: str) -> str:
    """Markdown as HTML, formulas as MathML; a link would lead out of the lecture, so its words stay alone."""
    return with_mathml(markdown2html_mistune(_LINK.sub(r"\1", text)).strip()) if text else ""


def _shown(code: str, book: Any, number: str) -> tuple[str, dict[str, Any]]:
    """What the one cell with this code shows, and the facts of its live picture; printed words stay out."""
    found = [cell for cell in book.cells if cell.cell_type == "code" and code in cell.source]
    if len(found) != 1:
        raise ValueError(
            f"notebook {number} has {len(found) or 'no'} cells with {code!r}: build the notebook again, "
            "or name one cell in LECTURE.md"
        )
    cell = deepcopy(found[0])
    cell.id = f"slide-{number}-{cell.id}"
    cell.outputs = [output for output in cell.outputs if "data" in output]
    still, pictures = with_places(nbformat.v4.new_notebook(cells=[cell]))
    body, _ = Body(exclude_input=True).from_notebook_node(still)
    return body, pictures


def _first(total: int, made: Iterable[Slide]) -> Slide:
    parts: dict[str, int] = {}
    for slide in made:
        parts[slide.source] = parts.get(slide.source, 0) + slide.minutes
    plan = "".join(f"<li>notebook {number}: {minutes} minutes</li>" for number, minutes in parts.items())
    body = f'<div class="part"><p>{html.escape(PAPER)}</p><p class="keys">{KEYS}</p></div>'
    notes = f"<p>{total} minutes, {QUESTIONS} of them for questions:</p><ul>{plan}</ul>"
    return Slide(TITLE, 0, body, notes, look="title")


def _last() -> Slide:
    """The three ideas of the guide."""
    guide = (shipped("notebooks") / "GUIDE.md").read_text(encoding="utf-8")
    ideas = "\n".join(re.findall(r"^\d\. \*\*.*$", guide, flags=re.M)[:3])
    return Slide(
        "Three ideas to take home", QUESTIONS, f'<div class="part">{words(ideas)}</div>', words(NEXT_TIME)
    )


def _body(made: list[Slide]) -> str:
    total, begins = sum(slide.minutes for slide in made), 0
    sections = []
    for i, slide in enumerate(made, 1):
        sections.append(_section(i, slide, f"minute {begins} of {total}"))
        begins += slide.minutes
    body = "".join(sections)
    drawing = f'<div class="drawing" aria-hidden="true">{_overview()[0]}</div>' if "<use " in body else ""
    return f'<main id="deck">{body}</main>{drawing}{_FOOT}'


_FOOT = """
<footer id="foot"><button id="back" aria-label="back">←</button>
<span id="place" role="status"></span>
<button id="next" aria-label="next">→</button>
<button id="notes">notes</button></footer>
"""


def _section(number: int, slide: Slide, when: str) -> str:
    asked = f'<div class="question">{slide.question}</div>' if slide.question else ""
    where = f" · notebook {slide.source}" if slide.source else ""
    head = f"<h1>{html.escape(slide.title)}</h1>"
    stage = f'<div class="stage">{head}{asked}<div class="shown">{slide.body}</div></div>'
    aside = f'<aside class="notes" aria-label="notes">{slide.notes}</aside>'
    facts = f'id="s{number}" data-when="{when}{where}" data-minutes="{slide.minutes}"'
    return f'<section class="slide {slide.look}" {facts}>{stage}{aside}</section>'


def write_slides(out: Path, minutes: int) -> Path:
    """Write the lecture."""
    out.write_text(deck(minutes), encoding="utf-8")
    return out


__all__ = ["LECTURES", "deck", "write_slides"]
