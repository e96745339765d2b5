r"""Trees in DOT, the language of graphviz: the words of the drawing, ids that are node paths, everything escaped.

>>> from treant_viz.tree import Leaf, Node
>>> from treant_viz.viz.tree_ink import Card
>>> words = {"": Card(("p ≤ 1",)), "l": Card(("-1.5",), ("2 rows",), "leaf"), "r": Card(("1.6",), (), "leaf")}
>>> print(dot_source(Node("p", 1.0, Leaf(-1.5), Leaf(1.6)), words, "A stump"))
digraph tree {
  graph [label="A stump", labelloc=t, labeljust=l, fontname="DejaVu Sans", fontsize=15];
  node [fontname="DejaVu Sans", fontsize=13, penwidth=1.6, shape=box];
  edge [fontname="DejaVu Sans", fontsize=11, penwidth=2.6, arrowhead=none];
  "root" [label="p ≤ 1"];
  "l" [label="-1.5\n2 rows", style=rounded, penwidth=2.4];
  "r" [label="1.6", style=rounded, penwidth=2.4];
  "root" -> "l" [label=" L yes ", color="#0072B2", style=solid];
  "root" -> "r" [label=" R no ", color="#D55E00", style=dashed];
}
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from typing import Any

from treant_viz.tree import Tree, walk
from treant_viz.viz.card import Card
from treant_viz.viz.palette import LIGHT, Palette
from treant_viz.viz.text import for_dot
from treant_viz.viz.tree_ink import LABELS, ROLES

_HEAD = """digraph tree {{
  graph [label="{title}", labelloc=t, labeljust=l, fontname="DejaVu Sans", fontsize=15];
  node [fontname="DejaVu Sans", fontsize=13, penwidth=1.6, shape=box];
  edge [fontname="DejaVu Sans", fontsize=11, penwidth=2.6, arrowhead=none];"""
_LOOKS = {"test": "", "leaf": ", style=rounded, penwidth=2.4", "stub": ', style="rounded,dotted"'}
_STYLES = {"l": "solid", "r": "dashed"}


def dot_source(tree: Tree, cards: Mapping[str, Card], title: str = "", palette: Palette = LIGHT) -> str:
    """The source of the graph: the same tree gives the same text."""
    paths = [path for path, _ in walk(tree)]
    head = _HEAD.format(title=_escaped(title))
    return "\n".join([head, *_nodes(paths, cards), *_edges(paths, palette), "}"])


def _nodes(paths: list[str], cards: Mapping[str, Card]) -> Iterator[str]:
    for path in paths:
        said = "\\n".join(map(_escaped, cards[path].words))
        strong = ", penwidth=4" if cards[path].emphasis else ""
        yield f'  "{path or "root"}" [label="{said}"{_LOOKS[cards[path].kind]}{strong}];'


def _edges(paths: list[str], palette: Palette) -> Iterator[str]:
    for path in filter(None, paths):
        side, parent = path[-1], path[:-1] or "root"
        look = f'color="{palette.branch(ROLES[side]).color}", style={_STYLES[side]}'
        yield f'  "{parent}" -> "{path}" [label=" {LABELS[side]} ", {look}];'


def _escaped(text: str) -> str:
    """In a quoted string graphviz also reads entities such as &lt;, so the user's own ampersands are escaped."""
    return for_dot(text.replace("&", "&amp;"))


def graphviz_source(dot: str) -> Any:
    """A `graphviz.Source`, which notebooks show; it needs the Python package, and to render the program `dot`."""
    try:
        import graphviz
    except ImportError as error:
        raise ImportError(
            "to_graphviz needs the Python package graphviz (pip install graphviz, or treant-viz[lab]); "
            "plot() and to_dot() need nothing"
        ) from error
    if shutil.which("dot") is None:
        raise RuntimeError(
            "to_graphviz needs the program dot of Graphviz, which is not on the PATH (https://graphviz.org/download/); "
            "plot() and to_dot() need nothing"
        )
    return graphviz.Source(dot)


__all__ = ["dot_source", "graphviz_source"]
