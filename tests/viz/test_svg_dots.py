"""Dotted fills in SVG: small, and the dots are where matplotlib has them."""

from __future__ import annotations

import re
from io import BytesIO

import pytest

from treant_viz.viz.canvas import Ink, new_figure
from treant_viz.viz.palette import DARK, LIGHT
from treant_viz.viz.svg_dots import fewer_dots


def svg(role: str, palette=LIGHT) -> str:
    figure, ink, out = new_figure((3, 2), palette), Ink(palette), BytesIO()
    ink.bar(figure.add_subplot(), 0.1, 0.1, 0.5, 0.5, role, "bar")
    figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue().decode()


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_the_small_tile_has_the_same_dots(palette):
    before = svg("right", palette)
    after = fewer_dots(before)
    assert len(after) < len(before) / 5
    color = palette.right.lower()
    style = re.search(r'<pattern.*?<path d=".*?" (style=".*?")', before, re.DOTALL)[1]
    assert f'fill="{color}"' in after and f"<g {style}>" in after and "stroke-width" in style
    step, high = map(float, re.search(r'<pattern .*?width="([\d.]+)" height="([\d.]+)"', after).groups())
    tile = {tuple(map(float, p)) for p in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', after)}
    path = re.search(r'<pattern.*?<path d="(.*?)"', before, re.DOTALL)[1]
    starts = [tuple(map(float, p)) for p in re.findall(r"M ([\d.-]+) ([\d.-]+) ", path)]
    radius = float(re.search(r'<circle [^>]*r="([\d.]+)"', after)[1])
    folded = {(round(x % step, 3) % step, round((y - radius) % high, 3) % high) for x, y in starts}
    assert folded == {(round(x % step, 3), round(y % high, 3)) for x, y in tile}
    assert len(starts) == 613 and (step, high) == (3.0, 6.0)


def test_other_fills_are_left_alone():
    for made in (svg("unknown"), svg("left")):
        assert fewer_dots(made) == made
