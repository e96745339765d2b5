"""Axes that are stamped look as if they were drawn, and whatever changes their look is seen."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from treant_viz.explore.frame import DPI
from treant_viz.explore.kept_figure import KeptAxes
from treant_viz.explore.quick_axis import MOST_KEPT
from treant_viz.explore.quick_text import QuickCanvas


def made(kind=KeptAxes):
    figure = Figure(figsize=(4, 3), dpi=DPI)
    ax = figure.add_axes((0.2, 0.2, 0.7, 0.7), axes_class=kind)
    ax.set(xlim=(0, 10), ylim=(0, 1), xlabel="across", ylabel="up")
    canvas = QuickCanvas(figure)
    for _ in range(2):  # the first one finds the places of the labels
        canvas.draw()
    return ax, canvas


def pixels(canvas) -> np.ndarray:
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).astype(int)


CHANGES = {
    "limits": lambda ax: ax.set_xlim(0, 9.7),
    "limits, the other way round": lambda ax: ax.set_xlim(10, 0),
    "scale": lambda ax: ax.set(xlim=(1, 100), xscale="log"),
    "ticks": lambda ax: ax.set_xticks([1, 2, 7]),
    "minor ticks": lambda ax: ax.set_xticks([1.5, 2.5], minor=True),
    "words of ticks": lambda ax: ax.set_yticks([0, 0.5], labels=["none", "half"]),
    "colour of ticks": lambda ax: ax.tick_params(axis="x", color="red"),
    "colour of words": lambda ax: ax.tick_params(axis="y", labelcolor="red"),
    "size of words": lambda ax: ax.tick_params(axis="y", labelsize=13),
    "length of ticks": lambda ax: ax.tick_params(length=9),
    "width of ticks": lambda ax: ax.tick_params(width=4),
    "room before words": lambda ax: ax.tick_params(pad=9),
    "no words": lambda ax: ax.tick_params(labelbottom=False),
    "other side": lambda ax: ax.tick_params(left=False, labelleft=False, right=True, labelright=True),
    "turned words": lambda ax: ax.tick_params(axis="x", rotation=40),
    "lines across": lambda ax: ax.grid(True, color="green"),
    "label": lambda ax: ax.set_xlabel("another"),
    "colour of the label": lambda ax: ax.xaxis.label.set_color("red"),
    "weight of the label": lambda ax: ax.xaxis.label.set_fontweight("bold"),
    "place of the label": lambda ax: ax.xaxis.set_label_coords(0.8, -0.1),
    "place of the axes": lambda ax: ax.set_position((0.3, 0.3, 0.5, 0.5)),
    "a common factor": lambda ax: ax.set_ylim(1e8, 1e8 + 1),
    "no axis": lambda ax: ax.xaxis.set_visible(False),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_is_seen(change):
    """After a picture without the change, the same pixels as in axes that never had another look."""
    ax, canvas = made()
    before = pixels(canvas)
    change(ax)
    new, fresh = made()
    other, plain = made(Axes)
    change(new), change(other)
    new._quick[0]._kept.clear(), new._quick[1]._kept.clear()
    after = pixels(canvas)
    assert (after != before).any()
    assert (after == pixels(fresh)).all()
    assert np.abs(after - pixels(plain)).max() <= 8  # of 255: a stamp is blended once more


def test_what_looks_the_same_is_drawn_once(monkeypatch):
    ax, canvas = made()
    drawn = []
    for quick in ax._quick:
        monkeypatch.setattr(quick, "_usual", drawn.append)
    first = pixels(canvas)
    ax.set_xlim(0, 10 + 1e-6)  # less than a hundredth of a pixel
    assert (pixels(canvas) == first).all()
    assert drawn == []
    ax.set_xlim(0, 9)
    canvas.draw()
    assert len(drawn) == 1


def test_only_the_last_looks_are_kept():
    ax, canvas = made()
    for k in range(MOST_KEPT + 5):
        ax.set_xlim(0, 10 + k)
        canvas.draw()
    assert len(ax._quick[0]._kept) == MOST_KEPT
    assert len(ax._quick[1]._kept) == 2  # as they were placed first, and then
