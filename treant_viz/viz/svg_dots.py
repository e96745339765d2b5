"""Dotted fills in SVG without thousands of points: matplotlib writes every dot of a square inch, two rows are enough.

The dots stand in rows that are shifted by half a step every other time, so the pattern repeats after one step to the
right and two rows up; the picture is the same.
"""

from __future__ import annotations

import re

_TILE = re.compile(
    r'<pattern (id="\w+" patternUnits="userSpaceOnUse") x="0" y="0" width="72" height="72">\s*'
    r'(?P<ground><rect x="0" y="0" width="73" height="73" fill="[^"]*"/>)\s*'
    r'<path d="M 0 (?P<start>[\d.]+) \n(?P<dots>C[^"]*)" (?P<style>style="[^"]*")/>\s*</pattern>'
)
_ROWS = {(n // 2 + 1) * (n + 1) + (n // 2) * n: n for n in range(2, 73, 2)}  # dots in a tile with n rows


def fewer_dots(svg: str) -> str:
    """The same SVG with dotted fills written as one small tile each; other fills are left alone."""
    return _TILE.sub(_small, svg)


def _small(found: re.Match[str]) -> str:
    rows = _ROWS.get(found["dots"].count("\nM ") + 1)
    radius = float(found["start"]) - 72.0
    if rows is None or radius <= 0:
        return found[0]
    step = 72.0 / rows
    places = [(0.0, 0.0), (step, 0.0), (0.0, 2 * step), (step, 2 * step), (step / 2, step)]
    dots = "".join(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}"/>' for x, y in places)
    ground = found["ground"].replace('width="73" height="73"', f'width="{step:g}" height="{2 * step:g}"')
    size = f'x="0" y="0" width="{step:g}" height="{2 * step:g}"'
    return f"<pattern {found[1]} {size}>{ground}<g {found['style']}>{dots}</g></pattern>"


__all__ = ["fewer_dots"]
