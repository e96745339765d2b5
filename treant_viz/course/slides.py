"""A lecture as one HTML file: what the marks in the notebooks' sources choose, with notes for the speaker.

Pictures are those of the stored notebooks, live where the book has them live. The file needs no network,
no kernel and no library.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbconvert.filters.markdown_mistune import markdown2html_mistune
from pygments.formatters import HtmlFormatter

from treant_viz.course.book import TITLE, Body, notebooks, with_mathml, with_places
from treant_viz.course.build import live_of, put_back
from treant_viz.course.marks import Marked, code_of, is_code, slides
from treant_viz.datasets.shipped import shipped
from treant_viz.live.page import document

LECTURES = (45, 90)
QUESTIONS = 3  # minutes at the end
PAPER = (
    "S. Calzavara, C. Lucchese, G. Tolomei, S. A. Abebe, S. Orlando: TREANT: training evasion-aware decision "
    "trees. Data Mining and Knowledge Discovery 34, 2020"
)
KEYS = "Next: → or Page Down. Back: ← or Page Up. Notes: N. Full screen: F."
NEXT_TIME = (
    "Hand out `treant-viz handout`, the toy as one live page. Who wants more: the whole course opens with "
    "`treant-viz lab`, and `treant-viz book` needs nothing but a browser."
)
_CELL = re.compile(r",?\s+before\s+you\s+run\s+the\s+(next\s+)?cell")  # a class has none to run
_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


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
    made, pictures = [], {}
    for path in notebooks():
        source = (shipped("notebooks") / "source" / f"{path.stem}.md").read_text(encoding="utf-8")
        chosen = [slide for slide in slides(source) if minutes in slide.lectures]
        if chosen:
            book = put_back(nbformat.read(path, as_version=4), live_of(path))
            for slide in chosen:
                one, live = _made(slide, book, path.stem[:2])
                made.append(one)
                pictures.update(live)
    total = sum(slide.minutes for slide in made) + QUESTIONS
    every = [_first(total, made), *made, _last()]
    look = f"{HtmlFormatter(style='default').get_style_defs('.highlight')}\n{_file('deck.css')}"
    return document(f"{TITLE}: {total} minutes", _body(every), pictures, look, "light", _file("deck.js"))


def _file(name: str) -> str:
    return files("treant_viz.course").joinpath(name).read_text(encoding="utf-8")


def _made(slide: Marked, book: Any, number: str) -> tuple[Slide, dict[str, Any]]:
    parts, pictures = [], {}
    for block in slide.shown:
        if is_code(block):
            body, live = _shown(code_of(block), book, number)
            pictures.update(live)
        else:
            body = words(block)
        parts.append(f'<div class="part">{body}</div>')
    spoken = [slide.notes, *slide.after]
    look = "live" if pictures else "split" if len(parts) > 1 else ""
    notes = "".join(words(text) for text in spoken if text)
    question = words(_CELL.sub("", slide.question))
    return Slide(slide.title, slide.minutes, "".join(parts), notes, question, number, look), pictures


def words(text: str) -> str:
    """Markdown as HTML, formulas as MathML; a link would lead out of the lecture, so its words stay alone."""
    return with_mathml(markdown2html_mistune(_LINK.sub(r"\1", text)).strip()) if text else ""


def _shown(code: str, book: Any, number: str) -> tuple[str, dict[str, Any]]:
    """What a cell shows, and the facts of its live picture."""
    found = [cell for cell in book.cells if cell.cell_type == "code" and cell.source == code]
    if not found:
        first = code.partition("\n")[0]
        raise ValueError(
            f"notebook {number} has no cell that begins with {first!r}: build the notebook again"
        )
    cell = deepcopy(found[0])
    cell.id = f"slide-{number}-{cell.id}"
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
    return f'<main id="deck">{"".join(sections)}</main>{_FOOT}'


_FOOT = """
<footer id="foot"><button id="back" aria-label="back">←</button>
<span id="place" role="status"></span>
<button id="next" aria-label="next">→</button>
<button id="notes" aria-pressed="false">notes</button></footer>
"""


def _section(number: int, slide: Slide, when: str) -> str:
    asked = f'<div class="question">{slide.question}</div>' if slide.question else ""
    where = f" · notebook {slide.source}" if slide.source else ""
    head = f"<h1>{html.escape(slide.title)}</h1>"
    stage = f'<div class="stage">{head}{asked}<div class="shown">{slide.body}</div></div>'
    aside = f'<aside class="notes" aria-label="notes" tabindex="-1">{slide.notes}</aside>'
    facts = f'id="s{number}" data-when="{when}{where}" data-minutes="{slide.minutes}"'
    return f'<section class="slide {slide.look}" {facts}>{stage}{aside}</section>'


def write_slides(out: Path, minutes: int) -> Path:
    """Write the lecture."""
    out.write_text(deck(minutes), encoding="utf-8")
    return out


def planned(minutes: int) -> Iterator[tuple[str, Marked]]:
    """The slides of a lecture, each with its notebook's number."""
    for path in sorted((shipped("notebooks") / "source").glob("[0-9][0-9]_*.md")):
        for slide in slides(path.read_text(encoding="utf-8")):
            if minutes in slide.lectures:
                yield path.name[:2], slide


__all__ = ["LECTURES", "deck", "planned", "write_slides"]
