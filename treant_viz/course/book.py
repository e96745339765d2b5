"""The notebooks as a book of HTML pages that can be read offline: `treant-viz book --out DIR`."""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

from treant_viz.course.page import document, page, title_of
from treant_viz.shipped import shipped

TITLE = "TREANT: trees that plan for the attacker"
WORDS = "A course in eleven notebooks, from the paper's toy example to its experiments."


def notebooks(solutions: bool = False) -> list[Path]:
    """The notebooks in reading order."""
    folder = shipped("notebooks") / ("solutions" if solutions else "")
    return sorted(folder.glob("[0-9][0-9]_*.ipynb"))


def write_book(out: Path, solutions: bool = False) -> Iterator[Path]:
    """A page for each notebook as it is stored, and an index; gives the files as they are written."""
    out.mkdir(parents=True, exist_ok=True)
    books = {path.stem: nbformat.read(path, as_version=4) for path in notebooks(solutions)}
    names = list(books)
    for i, name in enumerate(names):
        earlier, later = names[i - 1 : i] if i else [], names[i + 1 : i + 2]
        before, after = (_nav(books, earlier, later, look) for look in ("", ' class="end"'))
        yield _write(out / f"{name}.html", page(books[name], before, after))
    yield _write(out / "index.html", _index(books))


def _nav(books: dict[str, Any], earlier: list[str], later: list[str], look: str) -> str:
    links = [f'<a href="{n}.html" rel="prev">← {html.escape(title_of(books[n]))}</a>' for n in earlier]
    links += ['<a href="index.html">Contents</a>']
    links += [f'<a href="{n}.html" rel="next">{html.escape(title_of(books[n]))} →</a>' for n in later]
    return f'<nav{look} aria-label="chapters">{"".join(links)}</nav>'


def _index(books: dict[str, Any]) -> str:
    items = "".join(f'<li><a href="{n}.html">{html.escape(title_of(b))}</a></li>' for n, b in books.items())
    return document(TITLE, f'<main><h1>{TITLE}</h1><p>{WORDS}</p><ol class="contents">{items}</ol></main>')


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


__all__ = ["notebooks", "write_book"]
