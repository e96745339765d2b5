"""Files: svg, pdf, png, html, dot. The same picture gives the same bytes: no dates, no random ids."""

from __future__ import annotations

import base64
import os
import re
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from treant_viz.core import serial
from treant_viz.viz.output.live_pages import live_page
from treant_viz.viz.style.palette import LIGHT, Palette
from treant_viz.viz.style.text import for_html
from treant_viz.viz.style.typeface import font_face

if TYPE_CHECKING:
    from treant_viz.viz.display import Display

FORMATS = ("svg", "pdf", "png", "html", "dot")
_ID = re.compile(r'(?<=\s)id="([^"]*)"')
COLOURS = 256  # of a picture in a notebook
SCREEN = 100.0  # dots per inch in a notebook, doubled for sharp screens


def save(
    display: Display, path: str | os.PathLike[str], palette: Palette = LIGHT, dpi: float = 150.0
) -> Path:
    """Write a display; all or nothing."""
    target = Path(path)
    kind = target.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise ValueError(
            f"path: expected a file ending in {', '.join('.' + f for f in FORMATS)}, got {str(path)!r}"
        )
    serial.write_whole(target, render(display, kind, palette, dpi))
    return target


def render(display: Display, kind: str, palette: Palette = LIGHT, dpi: float = 150.0) -> bytes:
    """A display as the bytes of a file."""
    if kind == "dot":
        return display.to_dot().encode()
    if kind == "html":
        from treant_viz.viz.output.page import page

        return (live_page(display, palette.name) or page(display, palette)).encode()
    if kind == "svg":
        return svg(display, palette).encode()
    figure: Any = display.plot(palette=palette).figure
    blank: dict[str, Any] = {"pdf": {"CreationDate": None, "Title": display.title}, "png": {"Software": None}}
    out = BytesIO()
    with mpl.rc_context(
        {"pdf.fonttype": 42}
    ):  # letters as outlines of TrueType, which can be searched and copied
        figure.savefig(out, format=kind, dpi=dpi, metadata=blank[kind])
    return out.getvalue()


def svg(display: Display, palette: Palette = LIGHT, *, fonts: bool = True) -> str:
    """Scalable, with real text, a title and a description; `fonts` puts the typeface into the file."""
    figure: Any = display.plot(palette=palette).figure
    out = BytesIO()
    blank = {"Date": None, "Creator": None, "Format": None, "Type": None}
    with mpl.rc_context({"svg.hashsalt": "treant_viz", "svg.fonttype": "none"}):
        figure.savefig(out, format="svg", metadata=blank)
    inside = f"<title>{for_html(display.title)}</title>\n<desc>{for_html(display.alt_text)}</desc>"
    if fonts:
        inside += f"\n<style>{font_face()}</style>"
    text = unique_ids(out.getvalue().decode())
    text = re.sub(r"<svg ", '<svg role="img" ', text, count=1)
    return re.sub(r"(<svg [^>]*>)", lambda m: f"{m[1]}\n{inside}", text, count=1)


def unique_ids(picture: str) -> str:
    """An id that is used again (a node of a second tree) gets a number, as a document needs.

    >>> unique_ids('<g id="a"/><g id="b"/><g id="a"/>')
    '<g id="a"/><g id="b"/><g id="a-2"/>'
    """
    seen: Counter[str] = Counter()
    taken = set(_ID.findall(picture))

    def once(found: re.Match[str]) -> str:
        name = found[1]
        seen[name] += 1
        if seen[name] == 1:
            return found[0]
        while f"{name}-{seen[name]}" in taken:
            seen[name] += 1
        return f'id="{name}-{seen[name]}"'

    return _ID.sub(once, picture)


def notebook_png(display: Display) -> tuple[dict[str, str], dict[str, Any]]:
    """What a notebook shows and keeps: the picture, its alt text, and the summary as text/plain."""
    data, (width, height) = _few_colours(display, 2 * SCREEN)
    look = {"alt": display.alt_text, "width": width // 2, "height": height // 2}
    return {"image/png": base64.b64encode(data).decode(), "text/plain": display.summary}, {"image/png": look}


def _few_colours(display: Display, dpi: float) -> tuple[bytes, tuple[int, int]]:
    """A PNG in a palette of its own: a third of the bytes, so that notebooks stay small."""
    figure: Any = display.plot().figure
    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    with mpl.rc_context({"text.hinting": "none"}):  # letters stand where they belong, not on whole dots
        canvas.draw()
    picture = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    few = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    out = BytesIO()
    few.save(out, format="png")
    return out.getvalue(), few.size


__all__ = ["FORMATS", "notebook_png", "render", "save", "svg"]
