"""What is measured on a drawn picture: how far boxes reach into each other, how thick a ribbon is."""

from __future__ import annotations

import numpy as np


def overlap(a, b):
    """How far two boxes reach into each other, in pixels."""
    return min(min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0))


def corners(drawn, role):
    """The rectangles (left, low, right, high) of a compound shape."""
    (patch,) = drawn[role]
    points = patch.get_path().vertices.reshape(-1, 5, 2)[:, :4]
    return sorted((*p.min(axis=0), *p.max(axis=0)) for p in points)


def height(line, v):
    """The height of a drawn step function at v: flat between its jumps."""
    x, y = line.get_data()
    assert (y[0::2] == y[1::2]).all(), "flat between jumps"
    return y[2 * (np.searchsorted(x[::2], v, side="right") - 1)]


def thickness(ribbon):
    """At either end, and nowhere less between: a ribbon's edges run in parallel."""
    points = ribbon.get_path().vertices[:8]
    return points[:4, 1] - points[:3:-1, 1]


def point(artist):
    return float(artist.get_xdata()[0]), float(artist.get_ydata()[0])


def on_one_line(drawn, role):
    """The words of a role, without their line breaks."""
    return [words.replace("\n", " ") for words in drawn.texts(role)]
