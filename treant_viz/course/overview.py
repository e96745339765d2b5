"""The overview in the hand-out: one picture; on a phone a table, and its trees below each other.

The panels on a phone are windows on the same drawing (`<use>`), so that nothing is drawn or stored twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.text import Text

from treant_viz.viz.output.page import figure
from treant_viz.viz.style.palette import DARK, LIGHT, Palette
from treant_viz.viz.style.text import for_html, name, value
from treant_viz.viz.toy_figure.display import ToyFigureDisplay, rule_lines

NARROW = "46rem"  # below this width the panels stand below each other
EDGE, CARD = 6.0, 24.0  # points around a panel; from the last words to beyond the edge of their card

STYLE = f"""
.dark {{ display: none; }} [data-theme="dark"] .dark {{ display: block; }}
[data-theme="dark"] .light {{ display: none; }}
@media (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) .dark {{ display: block; }}
  :root:not([data-theme="light"]) .light {{ display: none; }} }}
.wide figure > svg {{ max-height: none; }} .narrow {{ display: none; }}
.narrow svg {{ width: 100%; max-width: 26rem; height: auto; margin: 0 auto 1.2rem; }}
.narrow table {{ border-collapse: collapse; }}
.narrow :is(td, th) {{ padding: 0.1rem 0.42rem; text-align: right; }}
@media (max-width: {NARROW}) {{ .narrow {{ display: block; }}
  .wide {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }} }}
"""


def overview(display: ToyFigureDisplay) -> str:
    """The picture in both themes, and its panels for narrow screens."""
    both = [(p, f"overview-{p.name}-") for p in (LIGHT, DARK)]
    wide = "".join(f'<div class="{p.name}">{figure(display, prefix, p)}</div>' for p, prefix in both)
    windows = list(panel_boxes(display))
    narrow = "".join(_window(p, prefix, box) for box in windows for p, prefix in both)
    head = f"<p><strong>{for_html(display.title)}</strong></p>\n{_table(display)}"
    return f'<div class="wide">{wide}</div>\n<div class="narrow">{head}{narrow}</div>\n'


def panel_boxes(display: ToyFigureDisplay) -> Iterator[tuple[float, float, float, float]]:
    """Where the trees stand in the drawing: x, y, width and height in points, from the top left."""
    drawn = display.plot()
    sheet: Any = drawn.figure
    sheet.canvas.draw()
    scale, (wide, high) = 72.0 / sheet.dpi, sheet.get_size_inches() * 72.0
    words = [a.get_window_extent() for found in drawn.artists.values() for a in found if isinstance(a, Text)]
    heads = [text.get_window_extent() for text in drawn["panel"][1:]]  # the first one names the data
    lefts = [head.x0 * scale - EDGE for head in heads]
    for left, right, head in zip(lefts, [*lefts[1:], wide], heads, strict=True):
        top = high - head.y1 * scale - EDGE
        mine = [w for w in words if left <= w.x0 * scale < right and w.y0 <= head.y0]
        width = max(w.x1 * scale for w in mine) + CARD - left
        yield left, top, width, high - min(w.y0 for w in mine) * scale + CARD - top


def _window(p: Palette, prefix: str, box: tuple[float, float, float, float]) -> str:
    part = " ".join(f"{v:.1f}" for v in box)
    drawing = f'<use href="#{prefix}figure_1"/>'
    return f'<svg class="{p.name}" viewBox="{part}" aria-hidden="true">{drawing}</svg>\n'


def _table(display: ToyFigureDisplay) -> str:
    """The data and the attacker in words."""
    heads = "".join(f"<th>{for_html(name(str(i), 5))}</th>" for i in display.X.index)
    columns = [(str(c), [value(v) for v in display.X[c]]) for c in display.X.columns]
    columns.append(("label y", [value(v) for v in display.y]))
    rows = "".join(
        f"<tr><th>{for_html(name(head, 8))}</th>{''.join(f'<td>{for_html(v)}</td>' for v in values)}</tr>"
        for head, values in columns
    )
    rules = f"Budget {value(display.attacker.budget)}; {'; '.join(rule_lines(display.attacker))}"
    return f"<table><tr><td></td>{heads}</tr>{rows}</table>\n<p>{for_html(rules)}.</p>\n"


__all__ = ["STYLE", "overview", "panel_boxes"]
