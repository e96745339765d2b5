"""A picture as one HTML file that loads nothing: what a display becomes that has no live sister."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from treant_viz.viz.output.export import svg
from treant_viz.viz.style.palette import LIGHT, Palette
from treant_viz.viz.style.text import for_html
from treant_viz.viz.style.typeface import font_face

if TYPE_CHECKING:
    from treant_viz.viz.display import Display

_TAG = re.compile(r"<[A-Za-z][^>]*>")  # attributes of ours and of matplotlib hold no bare ">"
_REFERENCE = re.compile(r'(\sid="|url\(#|href="#)')
_NOISE = re.compile(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", re.DOTALL)

_STYLE = """
:root { color-scheme: %(scheme)s; }
body { margin: 0; padding: 1rem; background: %(background)s; color: %(ink)s;
  font: 1.1rem/1.5 "Treant Sans", system-ui, sans-serif; }
main { max-width: 80rem; margin: 0 auto; }
figure { margin: 0 0 1.5rem; }
figure > svg { display: block; width: 100%%; height: auto; max-height: 82vh; }
[hidden] { display: none !important; }
h1.heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%%);
  white-space: nowrap; }
summary:focus-visible { outline: 3px solid %(ink)s; outline-offset: 2px; }
"""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'none'; \
style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1 class="heard">{title}</h1>
{body}</main>
</body>
</html>
"""


def page(display: Display, palette: Palette = LIGHT) -> str:
    """A display as a document that works from disk."""
    style_sheet = f"{font_face()}{style(palette)}"
    return _PAGE.format(
        title=for_html(display.title), style=style_sheet, body=figure(display, "f0-", palette)
    )


def style(palette: Palette) -> str:
    """How pages of pictures look."""
    scheme = "dark" if _is_dark(palette.background) else "light"
    return _STYLE % {"scheme": scheme, "background": palette.background, "ink": palette.ink}


def figure(frame: Display, prefix: str, palette: Palette = LIGHT) -> str:
    """A picture in a page, with its description; all its ids begin with the prefix."""
    words = f"<details>\n<summary>Description</summary>\n<p>{for_html(frame.alt_text)}</p>\n</details>\n"
    picture = inline(svg(frame, palette, fonts=False), prefix)
    return f'<figure id="{prefix}frame">\n{picture}\n{words}</figure>\n'


def inline(picture: str, prefix: str) -> str:
    """An SVG file as an element of a page: no header, no notes, and ids that are its own."""
    body = _NOISE.sub("", picture[picture.index("<svg") :]).strip()
    body = _TAG.sub(lambda tag: _REFERENCE.sub(rf"\g<1>{prefix}", tag[0]), body)
    names = f'aria-labelledby="{prefix}title" aria-describedby="{prefix}desc"'
    body = body.replace("<svg ", f"<svg {names} ", 1).replace("<title>", f'<title id="{prefix}title">', 1)
    return body.replace("<desc>", f'<desc id="{prefix}desc">', 1)


def _is_dark(colour: str) -> bool:
    """Is a colour "#rrggbb" darker than middle grey?"""
    return sum(int(colour[i : i + 2], 16) for i in (1, 3, 5)) < 3 * 128


__all__ = ["figure", "inline", "page", "style"]
