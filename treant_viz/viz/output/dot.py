r"""Trees in DOT, the language of graphviz: the words of the drawing, ids that are node paths, everything
escaped.

>>> from treant_viz.core.tree import Leaf, Node
>>> from treant_viz.viz.tree.draw import Card
>>> words = {"": Card(("p ≤ 1",)), "l": Card(("-1.5",), ("2 rows",), "leaf"), "r": Card(("1.6",), (), "leaf")}
>>> print(dot_source(Node("p", 1.0, Leaf(-1.5), Leaf(1.6)), words, "A stump"))
digraph tree {
  graph [label="A stump", labelloc=t, labeljust=l, fontname="DejaVu Sans", fontsize=15];
  node [fontname="DejaVu Sans", fontsize=13, penwidth=1.6, shape=box];
  edge [fontname="DejaVu Sans", fontsize=11, penwidth=2.6, arrowhead=none];
  "root" [label="p ≤ 1"];
  "l" [label="-1.5\n2 rows", style=rounded, penwidth=2.4];
  "r" [label="1.6", style=rounded, penwidth=2.4];
  "root" -> "l" [label=" yes ", color="#0072B2", style=solid];
  "root" -> "r" [label=" no ", color="#D55E00", style=dashed];
}
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from treant_viz.core.tree import Tree, walk
from treant_viz.viz.style.palette import LIGHT, Palette
from treant_viz.viz.style.text import for_dot
from treant_viz.viz.tree.card import Card
from treant_viz.viz.tree.draw import LABELS, SIDES

_HEAD = """digraph tree {{
  graph [label="{title}", labelloc=t, labeljust=l, fontname="DejaVu Sans", fontsize=15];
  node [fontname="DejaVu Sans", fontsize=13, penwidth=1.6, shape=box];
  edge [fontname="DejaVu Sans", fontsize=11, penwidth=2.6, arrowhead=none];"""
_LOOKS = {"test": "", "leaf": ", style=rounded, penwidth=2.4", "stub": ', style="rounded,dotted"'}
_STYLES = {"l": "solid", "r": "dashed"}


def dot_source(tree: Tree, cards: Mapping[str, Card], title: str = "", palette: Palette = LIGHT) -> str:
    """The source of the graph: the same tree gives the same text."""
    return dot_sources([DotPart(tree, cards)], title, palette)


class DotEdge(NamedTuple):
    """An edge that does not look as its branch does: attributes of DOT, and lines below its label."""

    look: str
    notes: tuple[str, ...] = ()


class DotPart(NamedTuple):
    """A tree of a graph; `edges` by the path to them. A part with a heading is a cluster with own ids."""

    tree: Tree
    cards: Mapping[str, Card]
    edges: Mapping[str, DotEdge] = {}
    heading: str = ""


def dot_sources(parts: Sequence[DotPart], title: str = "", palette: Palette = LIGHT) -> str:
    """The source of a graph of one tree or several."""
    lines = [_HEAD.format(title=_escaped(title))]
    for i, part in enumerate(parts):
        prefix = f"{i}-" if len(parts) > 1 else ""
        body = [*_nodes(part, prefix), *_edges(part, prefix, palette)]
        start, end = (
            [f"  subgraph cluster_{i} {{", f'  label="{_escaped(part.heading)}"; color="#FFFFFF";'],
            ["  }"],
        )
        lines += [*start, *body, *end] if len(parts) > 1 else body
    return "\n".join([*lines, "}"])


def _nodes(part: DotPart, prefix: str) -> Iterator[str]:
    for path, _ in walk(part.tree):
        card = part.cards[path]
        phrase = "\\n".join(map(_escaped, card.words))
        strong = ", penwidth=4" if card.emphasis else ""
        rings = f", peripheries={card.rings + 1}" if card.rings else ""
        pale = ', color="#B0B0B0", fontcolor="#4D4D4D"' if card.faded else ""
        yield f'  "{prefix}{path or "root"}" [label="{phrase}"{_LOOKS[card.kind]}{strong}{rings}{pale}];'


def _edges(part: DotPart, prefix: str, palette: Palette) -> Iterator[str]:
    for path in (path for path, _ in walk(part.tree) if path):
        side, parent = path[-1], path[:-1] or "root"
        plain = f'color="{palette.branch(SIDES[side]).color}", style={_STYLES[side]}'
        look, notes = part.edges.get(path, DotEdge(plain))
        phrase = "\\n".join([LABELS[side], *map(_escaped, notes)])
        yield f'  "{prefix}{parent}" -> "{prefix}{path}" [label=" {phrase} ", {look}];'


def _escaped(text: str) -> str:
    """In quoted strings graphviz also reads entities such as &lt;, so the user's ampersands are escaped."""
    return for_dot(text.replace("&", "&amp;"))


def graphviz_source(dot: str) -> Any:
    """A `graphviz.Source`, which notebooks show; it needs the Python package, and `dot` to render."""
    try:
        import graphviz
    except ImportError as error:
        raise ImportError(
            "to_graphviz needs the Python package graphviz (pip install graphviz, or treant-viz[lab]); "
            "plot() and to_dot() need nothing"
        ) from error
    if shutil.which("dot") is None:
        raise RuntimeError(
            "to_graphviz needs the program dot of Graphviz, which is not on the PATH "
            "(https://graphviz.org/download/); "
            "plot() and to_dot() need nothing"
        )
    return graphviz.Source(dot)


__all__ = ["DotEdge", "DotPart", "dot_source", "dot_sources", "graphviz_source"]
