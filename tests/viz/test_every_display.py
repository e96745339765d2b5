"""What holds for every picture: any names and formats, both themes, notebooks, given axes, same bytes."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from xml.etree import ElementTree

import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import treant_viz as tv
from treant_viz.experiments.toy import toy_trace
from treant_viz.viz.display import Display
from treant_viz.viz.output.export import render
from treant_viz.viz.style.palette import DARK, LIGHT, ROLES, contrast

SCRIPT = "<script>alert('1')</script>"
NAMES = [
    SCRIPT,
    "quo\"te's",
    "$x_1$ & 50%",
    "back\\slash{",
    "\N{PILE OF POO} emoji",
    "n" * 80,
    "שלום עולם",
    "line\nbreak",
]
GRAPHS = ("tree", "attack path", "invariance")


def hostile_toy() -> tuple[pd.DataFrame, tv.Attacker]:
    """The toy with a feature, a category and rows of every bad name."""
    data = tv.load_toy()
    X = pd.DataFrame({SCRIPT: data.X["p"].to_numpy(), NAMES[2]: data.X["q"].to_numpy()}, index=NAMES[:7])
    X[NAMES[3]] = [NAMES[1], NAMES[4], NAMES[5], NAMES[6], NAMES[1], NAMES[4], NAMES[7]]
    rules = [tv.Rule(SCRIPT, 1, delta=(-1, 1)), tv.Rule(NAMES[3], 1, pre={NAMES[4]}, becomes=NAMES[1])]
    return X, tv.Attacker(rules, 1)


def makers(X: pd.DataFrame, A: tv.Attacker) -> dict[str, Callable[[], Display]]:
    """Every display on a toy."""
    y = tv.load_toy().y
    trace = toy_trace(X, A)
    grown = [t for step, t in trace.trees() if step.taken]
    tree = grown[-1]
    p, label = X.columns[0], X.columns[-1]
    rows = [
        (m, k, metric, 0.9 - k / 10, 0.8 - k / 10, 1.0)
        for m in (SCRIPT, NAMES[4]) for k in (0, 1, 2) for metric in ("accuracy", "roc_auc")
    ]  # fmt: skip
    curve = pd.DataFrame(rows, columns=["model", "budget", "metric", "value", "low", "high"])
    grid = pd.DataFrame(
        [(a, b, 0.5 + a - b) for a in (1, 2) for b in (0, 1)],
        columns=["train_budget", "test_budget", "value"],
    )
    cells = pd.DataFrame(
        [
            (d, k, m, s, 0.5, 0.5 + k / 10)
            for d in (SCRIPT, NAMES[5]) for k in (0, 1) for m in NAMES[:3] for s in NAMES[3:5]
        ],
        columns=["dataset", "budget", "method", "metric", "paper", "ours"],
    )  # fmt: skip
    return {
        "tree": lambda: tv.TreeDisplay.from_trace(
            trace, show=("predicate", "rows", "loss", "constraints", "histogram")
        ),
        "ternary partition": lambda: tv.TernaryPartitionDisplay.from_trace(trace, feature=p, threshold=1.0),
        "categories": lambda: tv.TernaryPartitionDisplay.from_data(X, y, A, label, X[label].iloc[0]),
        "robust split": lambda: tv.RobustSplitDisplay.from_trace(trace),
        "rule": lambda: tv.RuleDisplay.from_attacker(A),
        "rule on categories": lambda: tv.RuleDisplay.from_attacker(A, A.features[-1]),
        "split search": lambda: tv.SplitSearchDisplay.from_trace(trace),
        "loss surface": lambda: tv.LossSurfaceDisplay.from_trace(trace),
        "constraints": lambda: tv.ConstraintsDisplay.from_trace(trace),
        "attack path": lambda: tv.AttackPathDisplay.from_tree(tree, X.iloc[2], 0.0, A),
        "invariance": lambda: tv.AttackPathDisplay.from_tree(grown[0], X.iloc[2], 0.0, A, after=grown[1]),
        "forest votes": lambda: tv.ForestVotesDisplay.from_model([tree, grown[0]], X.iloc[2], 0.0, A),
        "cells": lambda: tv.CellsDisplay.from_model([tree, grown[0]], X, y, A),
        "certificate": lambda: tv.CertificateDisplay.from_model([tree, grown[0]], X.iloc[2], A),
        "certificates": lambda: tv.CertificateDisplay.from_table([tree, grown[0]], X, y, A),
        "certificates by rule": lambda: tv.CertificateDisplay.from_table([tree], X, y, A, by="rule"),
        "bounds": lambda: tv.BoundsDisplay.from_model([tree, grown[0]], X, y, A),
        "no search": lambda: tv.BoundsDisplay.from_model([tree], X.iloc[0], -2.0, A),
        "feature space": lambda: tv.FeatureSpaceDisplay.from_tree(tree, X, y, A, features=(p, X.columns[1])),
        "security curve": lambda: tv.SecurityCurveDisplay.from_curve(curve),
        "heat map": lambda: tv.TrainTestHeatmapDisplay.from_results(
            grid.assign(panel=SCRIPT), model=NAMES[4]
        ),
        "audit": lambda: tv.AuditDisplay.from_cells(cells, view=NAMES[2]),
    }


HOSTILE = makers(*hostile_toy())
every = pytest.mark.parametrize("name", HOSTILE)


def test_every_public_display_is_here():
    shown = {type(make()).__name__ for make in HOSTILE.values()}
    assert shown == {n for n in tv.__all__ if n.endswith("Display")}


@every
def test_hostile_names_in_svg(name: str, recwarn):
    text = render(HOSTILE[name](), "svg").decode()
    root = ElementTree.fromstring(text)
    assert root.findall(
        ".//{http://www.w3.org/2000/svg}text"
    )  # words are words, and the typeface comes along
    assert "font-family:'Treant Sans'" in text
    assert "script" not in {e.tag.split("}")[-1] for e in root.iter()}
    assert not re.search(r"\son\w+=", text)
    assert root.find("{http://www.w3.org/2000/svg}title").text
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    assert not [w for w in recwarn if "Glyph" in str(w.message) or "missing" in str(w.message)]


@every
def test_hostile_names_in_html(name: str):
    text = render(HOSTILE[name](), "html").decode()
    assert SCRIPT not in text
    assert text.count("<script") == text.count("</script>") <= 2  # facts, and the code that draws them
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", text)


@every
@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_hostile_names_in_pictures_of_dots_and_of_paper(name: str, kind: str):
    assert render(HOSTILE[name](), kind, DARK, 40.0).startswith({"png": b"\x89PNG", "pdf": b"%PDF"}[kind])


@every
def test_graphs_in_dot_and_a_clear_word_where_there_is_none(name: str):
    if name in GRAPHS:
        text = HOSTILE[name]().to_dot()
        outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
        assert "script" not in outside
        assert text.startswith("digraph")
    else:
        with pytest.raises(ValueError, match="svg, pdf, png or html"):
            HOSTILE[name]().save("x.dot")


@every
def test_a_notebook_shows_a_picture_with_alt_text_and_words(name: str):
    display = HOSTILE[name]()
    data, look = display._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert data["text/plain"] == display.summary == repr(display)
    assert look["image/png"]["alt"] == display.alt_text
    assert len(display.alt_text) > 60
    assert display.title in display.summary
    assert " at 0x" not in display.summary


@every
def test_the_same_picture_gives_the_same_bytes(name: str):
    for kind in ("svg", "png", "html"):
        assert render(HOSTILE[name](), kind, DARK, 40.0) == render(HOSTILE[name](), kind, DARK, 40.0)


@every
def test_it_draws_into_what_it_is_given_and_clears_nothing(name: str):
    figure = Figure(figsize=(14, 8))
    left, right = figure.subfigures(1, 2)
    other = left.add_subplot()
    kept = other.plot([0, 1], label="mine")[0]
    HOSTILE[name]().plot(right)
    own = Figure(figsize=(8, 6)).add_subplot()
    mark = own.plot([0, 1])[0]
    drawn = HOSTILE[name]().plot(own)
    assert kept in other.lines
    assert mark in own.lines
    assert drawn.figure is own.figure
    assert sum(len(found) for found in drawn.artists.values()) > 5


@every
def test_no_text_is_too_small_in_a_figure_of_its_own(name: str):
    drawn = HOSTILE[name]().plot()
    sizes = [
        t.get_fontsize()
        for t in drawn.figure.findobj(lambda a: hasattr(a, "get_fontsize"))
        if t.get_text().strip()
    ]
    assert min(sizes) >= 10.9


@every
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=lambda p: p.name)
def test_words_are_ink_on_background(name: str, palette):
    if name == "heat map":
        return  # numbers in coloured cells: their contrast is tested with the heat map
    drawn = HOSTILE[name]().plot(palette=palette)
    texts = drawn.figure.findobj(lambda a: hasattr(a, "get_fontsize") and a.get_text().strip())
    ends = [*drawn["end"], *drawn["end value"]] if name == "security curve" else []
    for t in ends:  # darkened (or lightened) colours of their lines
        assert contrast(to_hex(t.get_color()), palette.background) >= 4.5
    colors = {to_hex(t.get_color()).upper() for t in texts if t.get_visible() and t not in ends}
    fills = {palette.on(fill) for fill in (palette.ink, palette.coin, palette.low, palette.high)}
    branches = {palette.words(role) for role in ROLES}
    assert contrast(palette.attack, palette.background) >= 4.5
    assert colors <= {palette.ink, palette.soft, palette.coin_ink, palette.attack} | branches | fills


def test_saving_tells_what_it_can_do(tmp_path):
    display = HOSTILE["tree"]()
    with pytest.raises(ValueError, match=r"path: expected a file ending in \.svg, \.pdf"):
        display.save(tmp_path / "tree.bmp")
    with pytest.raises(FileNotFoundError):
        display.save(tmp_path / "nowhere" / "tree.svg")
    assert list(tmp_path.iterdir()) == []
