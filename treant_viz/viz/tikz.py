"""A figure as a LaTeX document: TikZ paths and real text, for pdflatex, lualatex and xelatex.

It draws what matplotlib draws, through a renderer of our own. TeX's letters are narrower than those the picture was
laid out with, so each line of text hangs by the end, or by the middle, by which the picture aligned it.
"""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from matplotlib.figure import Figure
from matplotlib.text import Text

from treant_viz.viz.text import for_tex
from treant_viz.viz.tikz_path import coordinate
from treant_viz.viz.tikz_renderer import TikzRenderer

_PREAMBLE = r"""\RequirePackage{fix-cm}
\documentclass[border=0pt]{standalone}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
  \newcommand{\unicode}[1]{\fbox{\rule{0pt}{0.8ex}\rule{0.4ex}{0pt}}}
\else
  \IfFileExists{fontspec.sty}{\usepackage{fontspec}}{}
  \newcommand{\unicode}[1]{\iffontchar\font"#1 \char"#1 \else\fbox{\rule{0pt}{0.8ex}\rule{0.4ex}{0pt}}\fi}
\fi
\ProvideTextCommandDefault{\textquotedbl}{\char34 }
\setlength{\fboxsep}{1pt}
\usepackage{tikz}
\usetikzlibrary{patterns}
\tikzset{
  words/.style={inner sep=0pt, outer sep=0pt, font=\sffamily#1},
  words/.default=,
}
"""


def tikz(figure: Any, alt_text: str = "") -> str:
    """The document; the alt text stands at its top as a comment."""
    if not isinstance(figure, Figure):
        raise TypeError(f"figure: expected a matplotlib Figure, got {type(figure).__name__}")
    dpi = figure.dpi
    try:
        figure.dpi = 72.0  # pixels are points
        figure.draw_without_rendering()
        return _document(figure, alt_text)
    finally:
        figure.dpi = dpi


def _document(figure: Figure, alt_text: str) -> str:
    width, height = (float(side) for side in figure.get_size_inches() * 72.0)
    aligned = {id(t.get_fontproperties()): t.get_horizontalalignment() for t in figure.findobj(Text)}
    renderer = TikzRenderer(width, height, aligned)
    figure.draw(renderer)
    body = renderer.finish()
    corner = coordinate(width, height)
    return (
        f"{_comment(alt_text)}{_PREAMBLE}{renderer.definitions()}"
        "\\begin{document}\n\\begin{tikzpicture}[x=1pt,y=1pt]\n"
        f"\\useasboundingbox (0,0) rectangle {corner};\n\\clip (0,0) rectangle {corner};\n"
        f"{body}\\end{{tikzpicture}}\n\\end{{document}}\n"
    )


def _comment(said: str) -> str:
    """Lines that TeX does not read; they hold no character that ends a line but our own."""
    return "".join(f"% {line}\n" for line in wrap(for_tex(" ".join(said.split())), 100, break_on_hyphens=False))


__all__ = ["tikz"]
