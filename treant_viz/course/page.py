"""A notebook as one HTML page that needs nothing from elsewhere: pictures inside, formulas as MathML."""

from __future__ import annotations

import html
import re
from importlib.resources import files
from typing import Any

from jinja2 import pass_context
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from pygments.formatters import HtmlFormatter

_CODE = re.compile(r"(<pre.*?</pre>|<code.*?</code>)", re.S)
_MATH = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$\n](?:[^$]*?[^$\s])?)\$", re.S)
_LINK = re.compile(r'href="([\w.-]+)\.ipynb(#[^"]*)?"')


class Body(HTMLExporter):
    """nbconvert's plain HTML of the cells, formulas turned into MathML."""

    def __init__(self) -> None:
        super().__init__(template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True)

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """Words as HTML."""
        return with_mathml(super().markdown2html(context, source))


def with_mathml(page: str) -> str:
    r"""Formulas between dollars as MathML, which browsers show by themselves; code stays as it is.

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
    """The whole page of a notebook; links to other notebooks become links to their pages."""
    body, _ = Body().from_notebook_node(notebook)
    body = _LINK.sub(lambda m: f'href="{m[1]}.html{m[2] or ""}"', body)
    return document(title_of(notebook), f"{before}<main>{body}</main>{after}")


def document(title: str, body: str) -> str:
    """HTML around a body, with the style sheet inside."""
    style = files("treant_viz.course").joinpath("book.css").read_text(encoding="utf-8")
    colours = HtmlFormatter(style="default").get_style_defs(".highlight")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{colours}\n{style}</style></head>\n<body>{body}</body></html>\n"
    )


__all__ = ["document", "page", "title_of", "with_mathml"]
