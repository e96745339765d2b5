"""A display becomes an image for a widget: the picture itself, its size, and its alt text."""

from __future__ import annotations

import base64
import re
from html import unescape
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import treant_viz as tv
from treant_viz.live.frame import DPI, Screen
from treant_viz.viz.style.palette import DARK, LIGHT


@pytest.fixture(scope="module")
def display():
    data = tv.load_toy()
    return tv.TreeDisplay.from_trace(
        tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y).trace_
    )


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_the_image_is_the_picture_in_the_screens_palette(display, palette):
    data, size = Screen(palette).png(display)
    image = Image.open(BytesIO(data))
    assert image.size == size == tuple(int(DPI * side) for side in display.size)
    corner = np.asarray(image.convert("RGB"))[0, 0]
    assert "#" + "".join(f"{int(c):02X}" for c in corner) == palette.background.upper()


def test_the_alt_text_is_in_the_html_and_the_image_can_be_read(display):
    html = Screen().html(display)
    assert unescape(re.search(r'alt="([^"]*)"', html)[1]) == display.alt_text
    data = base64.b64decode(re.search(r"base64,([^\"]*)", html)[1])
    assert Image.open(BytesIO(data)).format == "PNG"
