"""Notebooks as HTML pages that need nothing from elsewhere: pictures inside, formulas as MathML.

`treant-viz book` writes all of them, to be read offline; `treant-viz tour` runs the first one here and
now and shows it to a newcomer.
"""

from __future__ import annotations

import html
import os
import re
import sys
import webbrowser
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from jinja2 import pass_context
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import markdown2html_mistune
from pygments.formatters import HtmlFormatter

from treant_viz.course.build import live_of, put_back, run
from treant_viz.course.questions import with_buttons
from treant_viz.course.reveal import folded
from treant_viz.datasets.shipped import shipped
from treant_viz.live.explore.base import FOR_BOOKS
from treant_viz.live.page import document as live_document
from treant_viz.live.page import place

TITLE = "TREANT: trees that plan for the attacker"
WORDS = "A course in notebooks, from the paper's toy example to its experiments, and to yours."
CONTENTS = '<nav><a href="index.html">Contents</a></nav>'
TEACHERS = {  # pages that a class does not get
    "guide": "plans, misconceptions, questions and homework",
    "lecture": "the lecture, slide by slide",
    "answers": "model answers and points",
}

_CODE = re.compile(r"(<pre.*?</pre>|<code.*?</code>)", re.S)
_MATH = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$\n](?:[^$]*?[^$\s])?)\$", re.S)
_LINK = re.compile(r'href="([\w.-]+)\.ipynb(#[^"]*)?"')


class Body(HTMLExporter):
    """nbconvert's plain HTML of the cells, formulas turned into MathML."""

    def __init__(self, **options: bool) -> None:
        prompts = {"exclude_input_prompt": True, "exclude_output_prompt": True}
        super().__init__(template_name="basic", **prompts, **options)

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """Markdown as HTML."""
        return with_mathml(super().markdown2html(context, source))


def with_mathml(page: str) -> str:
    r"""Formulas between dollars become MathML, which browsers render natively; code stays as it is.

    >>> with_mathml("<p>if $p &gt; 1$</p>")
    '<p>if <math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">...</p>'
    >>> with_mathml("<code>$HOME$</code>")
    '<code>$HOME$</code>'
    """
    parts = _CODE.split(page)
    return "".join(part if i % 2 else _MATH.sub(_formula, part) for i, part in enumerate(parts))


def _formula(found: re.Match[str]) -> str:
    wide = found[1] is not None
    return str(convert(html.unescape(found[1] if wide else found[2]), display="block" if wide else "inline"))


def title_of(notebook: Any) -> str:
    """The notebook's first heading."""
    return str(notebook.cells[0].source.splitlines()[0].lstrip("# "))


def page(notebook: Any, before: str = "", after: str = "") -> str:
    """The whole page of a notebook, reveals folded; links to other notebooks become links to their pages."""
    still, pictures = with_places(notebook)
    for cell in still.cells:
        if cell.cell_type == "markdown":
            cell.source = with_buttons(cell.source, cell.id, _in_a_line)
    writers = Body(), Body(exclude_output=True), Body(exclude_input=True)
    body = folded(still.cells, *(partial(_written, writer) for writer in writers))
    body = _LINK.sub(lambda m: f'href="{m[1]}.html{m[2] or ""}"', body)
    return document(title_of(notebook), f"{before}<main>{body}</main>{after}", pictures)


def _in_a_line(words: str) -> str:
    """Markdown as HTML that may stand in a button."""
    made = with_mathml(markdown2html_mistune(words)).strip()
    return made.removeprefix("<p>").removesuffix("</p>").replace("\n", " ")


def _written(writer: Body, cells: list[Any]) -> str:
    cells = [cell for cell in cells if cell.source]
    return str(writer.from_notebook_node(nbformat.v4.new_notebook(cells=cells))[0]) if cells else ""


def with_places(notebook: Any) -> tuple[Any, dict[str, Any]]:
    """The notebook with a placeholder for each live picture, and the facts that go into it."""
    made, pictures = deepcopy(notebook), {}
    for cell in made.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if FOR_BOOKS in data:
                pictures[cell.id] = data[FOR_BOOKS]
                alt = html.escape(output.metadata.get("image/png", {}).get("alt", ""))
                image = f'<img src="data:image/png;base64,{data["image/png"].strip()}" alt="{alt}">'
                output.data = {"text/html": place(cell.id, image)}
    return made, pictures


def document(title: str, body: str, pictures: dict[str, Any] | None = None) -> str:
    """A complete HTML document around a body: style sheet, drawing code and facts included."""
    style = files("treant_viz.course").joinpath("book.css").read_text(encoding="utf-8")
    colours = HtmlFormatter(style="default").get_style_defs(".highlight")
    ask = files("treant_viz.course").joinpath("questions.js").read_text(encoding="utf-8")
    script = ask if 'class="question"' in body else ""
    return live_document(title, body, pictures or {}, f"{colours}\n{style}", "light", script)


def notebooks(solutions: bool = False) -> list[Path]:
    """The notebooks in reading order."""
    folder = shipped("notebooks") / ("solutions" if solutions else "")
    return sorted(folder.glob("[0-9][0-9]_*.ipynb"))


def write_book(out: Path, solutions: bool = False, for_class: bool = False) -> Iterator[Path]:
    """Write a page for each stored notebook, and an index; yields the files as they are written.

    For a class there are no pages for teachers.
    """
    out.mkdir(parents=True, exist_ok=True)
    books = {p.stem: put_back(nbformat.read(p, as_version=4), live_of(p)) for p in notebooks(solutions)}
    names = list(books)
    for i, name in enumerate(names):
        earlier, later = names[i - 1 : i] if i else [], names[i + 1 : i + 2]
        before, after = (_nav(books, earlier, later, look) for look in ("", ' class="end"'))
        yield _write(out / f"{name}.html", page(books[name], before, after))
    for name in () if for_class else TEACHERS:
        yield _write(out / f"{name}.html", page(teachers_page(name), CONTENTS))
    yield _write(out / "index.html", _index(books, for_class))


def teachers_page(name: str) -> Any:
    """A page for teachers, as a notebook of a single cell."""
    words = (shipped("notebooks") / f"{name.upper()}.md").read_text(encoding="utf-8")
    for other in TEACHERS:
        words = words.replace(f"]({other.upper()}.md)", f"]({other}.html)")
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(words, id=name)])


def _nav(books: dict[str, Any], earlier: list[str], later: list[str], look: str) -> str:
    links = [f'<a href="{n}.html" rel="prev">← {html.escape(title_of(books[n]))}</a>' for n in earlier]
    links += ['<a href="index.html">Contents</a>']
    links += [f'<a href="{n}.html" rel="next">{html.escape(title_of(books[n]))} →</a>' for n in later]
    return f'<nav{look} aria-label="chapters">{"".join(links)}</nav>'


def _index(books: dict[str, Any], for_class: bool) -> str:
    items = "".join(f'<li><a href="{n}.html">{html.escape(title_of(b))}</a></li>' for n, b in books.items())
    links = ", ".join(f'<a href="{name}.html">{what}</a>' for name, what in TEACHERS.items())
    listed = f'<ol class="contents">{items}</ol>' + f"<p>For teachers: {links}</p>" * (not for_class)
    return document(TITLE, f"<main><h1>{TITLE}</h1><p>{WORDS}</p>{listed}</main>")


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def write_tour(out: Path) -> Path:
    """Run the first notebook and write it as a page."""
    book = nbformat.read(notebooks()[0], as_version=4)
    with TemporaryDirectory() as folder:
        out.write_text(page(run(book, Path(folder))), encoding="utf-8")
    return out


def show(path: Path) -> bool:
    """Open a page in the user's browser, if there is a screen to open it on."""
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    return webbrowser.open(path.resolve().as_uri())


__all__ = ["notebooks", "show", "with_mathml", "write_book", "write_tour"]
