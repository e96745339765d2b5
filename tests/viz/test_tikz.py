"""Figures as LaTeX: structure that always holds, and, where pdflatex is installed, that it compiles to what we see."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from tests.viz.test_page import Bars
from treant_viz.viz.canvas import Ink, panels
from treant_viz.viz.palette import LIGHT
from treant_viz.viz.tikz import tikz
from treant_viz.viz.tikz_path import short
from treant_viz.viz.tikz_text import tex_text

HOSTILE = r"\input{/etc/passwd} $x_1$ 50% {a} #1 ^^M ~ & <b> | `q' ,, -- " + 'é ŷ ≤ … → ◇ 中 😀 "z"'


def drawn(said: str = "x") -> Figure:
    """A figure with a bit of everything."""
    figure = Figure(figsize=(6, 4))
    ink = Ink(LIGHT)
    [[ax, other]] = panels(figure, ink, widths=(1, 1))
    ink.bar(ax, 0, 0, 1, 2, "unknown", "bar")
    ink.bar(ax, 1, 0, 1, 1, "right", "bar")
    ink.text(ax, 0.5, 1.0, said, "text", rotation=30, ha="center", fontsize=12.5, weight="bold")
    ax.plot([0, 2], [0, 2], "--", color="#123456", lw=2.5, alpha=0.5)
    ax.scatter([0.5, 1.5], [1, 0.5], marker="*", s=100)
    ax.plot([0, 1e9], [0, 1])
    ax.set_xlim(0, 2)
    x = np.linspace(-1, 1, 30)
    other.contourf(x, x, x**2 + x[:, None] ** 2, cmap="cividis")
    other.imshow(np.arange(6).reshape(2, 3), extent=(0, 1, 0, 1), cmap="cividis", interpolation="nearest")
    return figure


def balanced(text: str) -> bool:
    """Do braces pair up, escaped ones apart?"""
    depth = 0
    for brace in re.sub(r"\\.", "", text):
        depth += {"{": 1, "}": -1}.get(brace, 0)
        if depth < 0:
            return False
    return depth == 0


def test_document_is_whole_and_only_ascii():
    text = tikz(drawn(HOSTILE), HOSTILE)
    body = text[text.index("\\RequirePackage") :]
    assert balanced(body)
    assert body.isascii()
    assert body.count("\\begin{scope}") == body.count("\\end{scope}") > 0
    assert text.rstrip().endswith("\\end{document}")
    assert all(line.startswith("%") for line in text[: text.index("\\RequirePackage")].splitlines())


def test_a_name_is_never_obeyed():
    node = next(line for line in tikz(drawn(HOSTILE)).splitlines() if "passwd" in line)
    assert r"\textbackslash{}input\{/etc/passwd\} \$x\_1\$ 50\% \{a\} \#1" in node
    assert r"\textasciicircum{}\textasciicircum{}M" in node
    assert "\\input{" not in node


def test_alt_text_cannot_leave_its_comment():
    text = tikz(drawn(), "one\n\\end{document}\r\x0c\u2028\\input{x} " + "long " * 100)
    head = text[: text.index("\\RequirePackage")]
    assert re.fullmatch(r"(% [^\n\r\x0b\x0c]*\n)+", head)


def test_text_is_put_where_the_figure_has_it():
    figure = Figure(figsize=(5, 4))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    for i, ha in enumerate(("left", "center", "right")):
        ax.text(0.5, 0.25 * (i + 1), "word", ha=ha, va="baseline", fontsize=14, color="#FF0000")
    ax.text(0.25, 0.1, "two\nlines", ha="center", va="baseline", rotation=90)
    text = tikz(figure)
    found = re.findall(r"\\node\[(.*?)\]at\((.*?),(.*?)\)\{(\w+)\};", text)
    words = [(look, float(x), float(y)) for look, x, y, said in found if said == "word"]
    assert [(x, y) for _, x, y in words] == [(180.0, 72.0), (180.0, 144.0), (180.0, 216.0)]
    assert [re.search(r"anchor=([a-z ]*)", look)[1] for look, _, _ in words] == ["base west", "base", "base east"]
    assert all(r"\fontsize{14}{16.8}" in look for look, _, _ in words)
    red = re.search(r"\\definecolor\{(c\d+)\}\{HTML\}\{FF0000\}", text)[1]
    assert all(f"text={red}" in look for look, _, _ in words)
    turned = [(look, float(y)) for look, _, y, said in found if said in ("two", "lines")]
    assert len(turned) == 2
    assert all("rotate=90" in look for look, _ in turned)
    assert turned[0][1] == pytest.approx(turned[1][1], abs=0.02)


def test_a_rectangle_keeps_its_corners_and_its_looks():
    figure = Figure(figsize=(1, 1))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    look = {"facecolor": (1, 0, 0, 0.25), "edgecolor": "#0000FF", "linewidth": 3, "linestyle": (0, (2, 1))}
    ax.add_patch(Rectangle((0.25, 0.5), 0.5, 0.25, joinstyle="round", **look))
    line = next(line for line in tikz(figure).splitlines() if "(18,36)" in line)
    assert "(18,36)--(54,36)--(54,54)--(18,54)--cycle" in line
    assert {"line width=3pt", "fill opacity=0.25", "line join=round"} <= set(line[6 : line.index("]")].split(","))
    assert "dash pattern=on 6pt off 3pt" in line


def test_hatches_are_patterns_defined_once():
    text = tikz(drawn())
    assert text.count("\\pgfdeclarepatternformonly{h0}") == text.count("\\pgfdeclarepatternformonly{h1}") == 1
    assert "pattern=h0" in text
    assert "pattern=h1" in text
    assert text.count("\\pgfpathcircle") < 30


def test_images_become_cells_and_large_ones_are_refused():
    plain = tikz(drawn())
    figure = Figure()
    figure.subplots().imshow(np.arange(40_000).reshape(200, 200) % 7, interpolation="none")
    assert plain.count("\\path[fill=") >= 6
    with pytest.raises(ValueError, match="image of more than 20000 cells"):
        tikz(figure)


def test_no_length_is_too_long_for_tex():
    numbers = [float(n) for n in re.findall(r"\((-?[\d.]+),", tikz(drawn()))]
    assert max(map(abs, numbers)) <= 8000
    assert short(-1e12) == "-8000"


def test_same_figure_same_text_and_the_resolution_is_given_back():
    figure = drawn()
    figure.dpi = 123.0
    assert tikz(figure) == tikz(drawn())
    assert figure.dpi == 123.0


def test_only_a_figure_can_be_written():
    with pytest.raises(TypeError, match="figure: expected a matplotlib Figure, got str"):
        tikz("figure")


@pytest.mark.parametrize(
    ("said", "tex"),
    [
        ("a  b", "a \\ b"),
        ("Å", r"\r{A}"),
        ("e\u0301", r"\'{e}"),
        ("−1", r"\ensuremath{-}1"),
        ("😀", r"\unicode{1F600}"),
    ],
)
def test_letters(said, tex):
    assert tex_text(said) == tex


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_it_compiles_to_a_page_of_the_same_size(tmp_path):
    source = tmp_path / "figure.tex"
    source.write_text(tikz(drawn(HOSTILE), HOSTILE), encoding="utf-8")
    run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "-jobname=figure"]
    run.append(r"\pdfobjcompresslevel=0\input{figure.tex}")
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=120, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in (tmp_path / "figure.log").read_text(errors="replace")
    pdf = (tmp_path / "figure.pdf").read_bytes()
    width, height = (float(v) for v in re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf).groups())
    assert (width, height) == pytest.approx((6 * 72 * 72 / 72.27, 4 * 72 * 72 / 72.27), abs=1.0)


def test_saved_as_tex_it_is_the_document(tmp_path):
    saved = Bars().save(tmp_path / "bars.tex").read_text(encoding="utf-8")
    assert saved.startswith("% x2 is 1 high.\n\\RequirePackage")
    assert "pattern=h0" in saved
