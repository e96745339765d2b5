"""A page of all pictures, each with the code that makes it: the examples in the displays' own docstrings.

An example ends with a variable `display`. That the examples run, and say what they say, is tested where they
stand; what they make is drawn here.
"""

from __future__ import annotations

import doctest
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from treant_viz import viz
from treant_viz.viz.display import Display

HEAD = """# Gallery

Every picture of treant_viz, with the code that makes it. In a notebook, `display` shows it;
`display.save("picture.svg")` writes it to a file (pdf, png and html, too: most html files are live).
"""


@dataclass(frozen=True, slots=True)
class Example:
    """A display's class, the code of its example, and what that makes."""

    name: str
    code: str
    display: Display

    @property
    def file(self) -> str:
        return f"{self.name.removesuffix('Display').lower()}.svg"


def examples() -> Iterator[Example]:
    """One for each public display, in the order of their names."""
    for name in sorted(viz.__all__):
        made = getattr(viz, name)
        if isinstance(made, type) and issubclass(made, Display):
            yield _example(name, made.__doc__ or "")


def _example(name: str, text: str) -> Example:
    lines = [e.source for e in doctest.DocTestParser().get_examples(text)]
    code = [line for line in lines if not line.startswith("display.")]
    scope: dict[str, Any] = {}
    exec("".join(code), scope)  # our own docstrings
    return Example(name, "".join(code).strip(), scope["display"])


def gallery() -> Iterator[tuple[str, Display | str]]:
    """The files of the gallery: the pictures, and the page that shows them."""
    page = [HEAD]
    for example in examples():
        yield f"gallery/{example.file.removesuffix('.svg')}", example.display
        shown = f"![{example.display.title}](gallery/{example.file})"
        page.append(f"## {example.name}\n\n{shown}\n\n```python\n{example.code}\n```\n")
    yield "GALLERY.md", "\n".join(page)


__all__ = ["Example", "examples", "gallery"]
