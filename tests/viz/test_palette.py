"""Colours by numbers: contrast with the background, and roles told apart by those who see fewer colours."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from treant_viz.viz.style.palette import DARK, LIGHT, METHODS, methods

ROLES = ("left", "unknown", "right", "feasible")
# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB
VISION = {
    "full": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(color: str) -> np.ndarray:
    c = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    """WCAG 2: (lighter + 0.05) / (darker + 0.05)."""
    low, high = sorted(float(linear(c) @ XYZ[1]) for c in (a, b))
    return (high + 0.05) / (low + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    t = XYZ @ np.clip(rgb, 0, 1) / XYZ.sum(axis=1)
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(a: str, b: str, vision: str) -> float:
    """CIE76: 2.3 is just noticeable, 10 is seen at a glance."""
    seen = [lab(np.asarray(VISION[vision]) @ linear(c)) for c in (a, b)]
    return float(np.linalg.norm(seen[0] - seen[1]))


def test_the_measures_are_right():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert distance("#000000", "#FFFFFF", "full") == pytest.approx(100, abs=0.1)
    assert distance("#FF0000", "#00FF00", "deutan") < distance("#FF0000", "#00FF00", "full") / 2


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
@pytest.mark.parametrize("role", ROLES)
def test_fills_stand_out_from_the_background(palette, role):
    assert contrast(getattr(palette, role), palette.background) >= 3


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_text_can_be_read(palette):
    assert contrast(palette.ink, palette.background) >= 15
    assert contrast(palette.soft, palette.background) >= 7
    assert all(contrast(palette.words(r), palette.background) >= 4.5 for r in ("left", "unknown", "right"))
    assert contrast(palette.coin_ink, palette.coin) >= 4.5
    assert all(contrast(m.color, palette.background) >= 3 for m in methods(["?", *METHODS]).values())


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_words_can_be_read_on_every_prediction(palette):
    """On every step of the scale of predictions; and the scale is no colour of a branch, whatever the eye."""
    for i in range(21):
        fill = palette.prediction(i / 20)
        assert contrast(palette.on(fill), fill) >= 4.5
    steps = [lab(linear(palette.prediction(i / 20)))[0] for i in range(21)]
    assert steps in (sorted(steps), sorted(steps, reverse=True))  # lightness runs one way
    assert (
        min(
            distance(palette.prediction(i / 20), getattr(palette, r), "full")
            for i in range(21)
            for r in ROLES
        )
        > 15
    )


def test_a_method_looks_the_same_in_every_figure_and_rf_treant_is_the_strongest():
    alone, together = methods(["RF-TREANT"]), methods(["GBDT", "mine", "RF-TREANT", "yours"])
    assert alone["RF-TREANT"] == together["RF-TREANT"] == METHODS["RF-TREANT"]
    assert METHODS["RF-TREANT"].width > max(m.width for n, m in METHODS.items() if n != "RF-TREANT")
    assert len({(m.color, str(m.dash)) for m in together.values()}) == 4
    assert len({(m.marker, str(m.dash)) for m in METHODS.values()}) == len(METHODS)


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(("a", "b"), list(combinations(ROLES, 2)))
def test_roles_are_told_apart_by_everyone(vision, a, b):
    assert distance(getattr(LIGHT, a), getattr(LIGHT, b), vision) >= 10


def test_nothing_is_told_by_colour_alone():
    branches = [LIGHT.branch(r) for r in ("left", "unknown", "right")]
    for field in ("letter", "color"):
        assert len({getattr(b, field) for b in branches}) == 3
    assert [bool(b.hatch) for b in branches] == [False, True, False]  # the attacker's rows alone are hatched
    paper = [METHODS[m] for m in ("RF-TREANT", "RF", "GBDT", "AB", "RT")]
    assert len({m.marker for m in paper}) == len({str(m.dash) for m in paper}) == len(paper)
