"""A live picture as one HTML file: drawing code and facts are inside, nothing is loaded from anywhere.

>>> inlined({"name": "</script><b>"})
'{"name":"\\\\u003c/script\\\\u003e\\\\u003cb\\\\u003e"}'
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
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
html {{ color-scheme: {scheme}; background: light-dark(#fff, #14161a); }} body {{ margin: 0; }}
main {{ padding: 1rem 1.5rem; }}</style>
</head>
<body>
<main id="live"><noscript><h1>{title}</h1><p>{words}</p></noscript></main>
<script type="application/json" id="facts">{facts}</script>
<script type="module">{code}</script>
</body>
</html>
"""
_START = """
const given = JSON.parse(document.getElementById("facts").textContent);
const styles = ["400", "700", "italic 400"].map((style) => document.fonts.load(`${style} 1em "Treant Sans"`));
await Promise.allSettled(styles); // letters are measured before the picture is laid out
globalThis.live = mount(document.getElementById("live"), given);
"""


def page(picture: str, facts: Any, state: Any, title: str, words: str, theme: str = "auto") -> str:
    """A document that works from disk. Without JavaScript it shows the title and the words."""
    code = _code()
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "font-src data:; base-uri 'none'; form-action 'none'"
    )
    given = inlined({"picture": picture, "facts": facts, "state": state, "theme": theme})
    scheme = theme if theme in ("light", "dark") else "light dark"
    return _PAGE.format(
        font=font_face(),
        scheme=scheme,
        policy=policy,
        title=html.escape(title),
        words=html.escape(words),
        facts=given,
        code=code,
    )


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


__all__ = ["BUNDLE", "inlined", "page"]
