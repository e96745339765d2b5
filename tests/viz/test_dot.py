"""DOT: stable ids, the words of the drawing, nothing of the user's is obeyed."""

from __future__ import annotations

import builtins
import html
import re
import shutil
import subprocess

import pytest

import treant_viz as tv
from treant_viz.core.tree import Leaf, Node
from treant_viz.viz.tree.cards import SHOWN
from treant_viz.viz.tree.display import TreeDisplay

HOSTILE = '"];x["\\N&lt;<b>'
needs_dot = pytest.mark.skipif(
    shutil.which("dot") is None, reason="the program dot (Graphviz) is not installed"
)


@pytest.fixture(scope="module")
def toy():
    data = tv.load_toy()
    trace = tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y).trace_
    return TreeDisplay.from_trace(trace, show=SHOWN, depth=None)


def test_ids_are_paths_and_labels_are_the_words_of_the_drawing(toy):
    found = dict(re.findall(r'^  "(\w+)" \[label="(.*?)"', toy.to_dot(), re.MULTILINE))
    assert {k: v.split("\\n") for k, v in found.items()} == {
        path or "root": list(card.words) for path, card in toy.cards.items()
    }
    edges = re.findall(r'"(\w+)" -> "(\w+)" \[label=" (\w+)', toy.to_dot())
    assert [f"{a} {b} {answer}" for a, b, answer in edges] == [
        "root l yes", "l ll yes", "l lr no", "root r no", "r rl yes", "r rr no",
    ]  # fmt: skip


def test_dot_is_stable_and_can_be_saved(toy, tmp_path):
    assert toy.save(tmp_path / "tree.dot").read_text() == toy.to_dot()
    assert toy.to_dot() == toy.to_dot()


def test_windows_hold_in_dot_too():
    tree = Node("a", 1.0, Node("b", 1.0, Leaf(0.0), Leaf(1.0)), Leaf(2.0))
    source = TreeDisplay.from_tree(tree, depth=1).to_dot()
    assert '"l" [label="2 more leaves", style="rounded,dotted"]' in source and '"ll"' not in source


@needs_dot
def test_dot_reads_it(toy):
    drawn = subprocess.run(
        ["dot", "-Tplain"], input=toy.to_dot(), capture_output=True, text=True, check=True
    ).stdout
    assert sorted(re.findall(r"^node (\w+)", drawn, re.MULTILINE)) == [
        "l",
        "ll",
        "lr",
        "r",
        "rl",
        "root",
        "rr",
    ]


@needs_dot
def test_hostile_names_make_no_node_of_their_own():
    shown = TreeDisplay.from_tree(Node(HOSTILE, HOSTILE, Leaf(0.0), Leaf(1.0)))
    drawn = subprocess.run(
        ["dot", "-Tsvg"], input=shown.to_dot(), capture_output=True, text=True, check=True
    ).stdout
    assert drawn.count('class="node"') == 3
    words = [html.unescape(w) for w in re.findall(r"<text[^>]*>([^<]*)</text>", drawn)]
    assert f"{HOSTILE} = {HOSTILE}" in words


@needs_dot
def test_graphviz_gets_the_same_source(toy):
    graphviz = pytest.importorskip("graphviz")
    source = toy.to_graphviz()
    assert isinstance(source, graphviz.Source) and source.source.rstrip() == toy.to_dot()
    assert b"<svg" in source.pipe("svg")


def test_a_missing_package_is_named(toy, monkeypatch):
    usual = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "graphviz":
            raise ImportError("No module named 'graphviz'")
        return usual(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="to_graphviz needs the Python package graphviz"):
        toy.to_graphviz()


def test_a_missing_program_is_named(toy, monkeypatch):
    pytest.importorskip("graphviz")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match="to_graphviz needs the program dot"):
        toy.to_graphviz()
