"""A live picture as one HTML file: drawing code and facts are inside, nothing is loaded from anywhere.

>>> inlined({"name": "</script><b>"})
'{"name":"\\\\u003c/script\\\\u003e\\\\u003cb\\\\u003e"}'
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from treant_viz.viz.style.typeface import font_face

BUNDLE = Path(__file__).with_name("bundle.js")

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{font}
{style}</style>
</head>
<body>
{body}
{scripts}</body>
</html>
"""
_SCRIPTS = """<script type="application/json" id="facts">{facts}</script>
<script type="module">{code}</script>
"""
_STYLE = """html {{ color-scheme: {scheme}; background: light-dark(#fff, #12161c); }} body {{ margin: 0; }}
main {{ padding: 1rem 1.5rem; }}"""
_START = """
const given = JSON.parse(document.getElementById("facts").textContent);
const styles = ["400", "700", "italic 400"].map((style) => document.fonts.load(`${style} 1em "Treant Sans"`));
await Promise.allSettled(styles); // letters are measured before the picture is laid out
const put = ([id, picture]) => [id, mount(document.getElementById(id), picture)];
globalThis.live = Object.fromEntries(Object.entries(given).map(put));
"""
Given = Mapping[str, Any]  # a picture's name, its facts, its state


def page(given: Given, title: str, words: str, theme: str = "auto") -> str:
    """A document with one live picture. Without JavaScript it shows the title and the words."""
    scheme = theme if theme in ("light", "dark") else "light dark"
    still = f"<h1>{html.escape(title)}</h1><p>{html.escape(words)}</p>"
    body, style = f"<main>{place('live', still)}</main>", _STYLE.format(scheme=scheme)
    return document(title, body, {"live": given}, style, theme)


def place(name: str, still: str) -> str:
    """Where a picture is put; without JavaScript there is what stands still, as HTML."""
    return f'<div id="{name}"><noscript>{still}</noscript></div>'


def document(
    title: str,
    body: str,
    pictures: Mapping[str, Given],
    style: str,
    theme: str = "auto",
    more: str = "",
) -> str:
    """A document that works from disk: pictures by the ids of their places, and one bundle for all.

    `more` is a script of the document's own.
    """
    scripts, allowed = "", []
    if pictures:
        code = _code()
        allowed.append(_digest(code))
        facts = inlined({name: {**given, "theme": theme} for name, given in pictures.items()})
        scripts = _SCRIPTS.format(facts=facts, code=code)
    if more:
        allowed.append(_digest(more))
        scripts += f'<script type="module">{more}</script>\n'
    scripts_from = " ".join(allowed) or "'none'"
    policy = (
        f"default-src 'none'; script-src {scripts_from}; style-src 'unsafe-inline'; "
        "img-src data:; font-src data:; base-uri 'none'; form-action 'none'"
    )
    head = {"title": html.escape(title), "font": font_face(), "style": style}
    return _PAGE.format(policy=policy, body=body, scripts=scripts, **head)


def _digest(code: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"


def _code() -> str:
    """The bundle without its exports, and the lines that start it: one script, known by its digest."""
    body, _, exports = BUNDLE.read_text("utf-8").rpartition("export{")
    local = next(
        part.split(" as ")[0] for part in exports.split("}")[0].split(",") if part.endswith(" as mount")
    )
    return f"{body}const mount={local};{_START}".replace("</script", "<\\/script")


def inlined(data: Any) -> str:
    """JSON that no HTML parser can mistake for the end of a script."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


__all__ = ["BUNDLE", "document", "inlined", "page", "place"]
