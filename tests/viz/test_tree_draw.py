"""The painter of trees: cards do not overlap, words stay inside them, edges lead where they say."""

from __future__ import annotations

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from treant_viz.core.tree import Leaf, Node, walk
from treant_viz.viz.style.palette import DARK, LIGHT
from treant_viz.viz.style.pen import SMALL, Pen, new_figure, panels
from treant_viz.viz.tree.draw import Card, EdgeLook, draw_tree, needed, predicate_lines

TREE = Node("p", 1.0, Leaf(-1.5), Node("q", 3.0, Leaf(1.5), Leaf(2.0)))
HOSTILE = '<script>alert("1")</script> $x_1$ \\n שלום 🎉' + "a" * 80


def plain_cards(**changes: Card) -> dict[str, Card]:
    made = {
        p: Card(predicate_lines(t))
        if isinstance(t, Node)
        else Card((f"{t.prediction:g}",), ("2 rows",), "leaf")
        for p, t in walk(TREE)
    }
    return made | {k.replace("root", ""): v for k, v in changes.items()}


def drawn(cards: dict[str, Card], palette=LIGHT, **more):
    pen = Pen(palette)
    figure = new_figure(needed(TREE, cards), palette)
    placed = draw_tree(pen, panels(figure, pen)[0][0], TREE, cards, **more)
    FigureCanvasAgg(figure).draw()
    return placed, pen.drawn(figure)


def test_every_node_has_a_frame_and_every_child_an_edge_by_path():
    _, found = drawn(plain_cards())
    gids = {a.get_gid() for role in ("test", "leaf") for a in found[role]}
    assert gids == {"node-root", "node-l", "node-r", "node-rl", "node-rr"}
    assert {a.get_gid() for a in found["edge"]} == {"edge-l", "edge-r", "edge-rl", "edge-rr"}
    assert found.texts("edge label") == ["yes", "no", "yes", "no"]
    assert found.texts("test head") == ["p ≤ 1", "q ≤ 3"]
    assert found.texts("leaf head") == ["-1.5", "1.5", "2"]


def test_edges_run_from_the_parent_to_the_child():
    placed, found = drawn(plain_cards())
    for line in found["edge"]:
        path = line.get_gid().removeprefix("edge-")
        (x0, x1), (y0, y1) = line.get_data()
        assert (x0, y0) == placed.on_edge(path, 0.0) and (x1, y1) == placed.on_edge(path, 1.0)
        assert x0 == pytest.approx(placed.cards[path[:-1]].x) and y0 <= placed.cards[path[:-1]].bottom + 1e-6
        assert (x1, y1) == pytest.approx((placed.cards[path].x, placed.cards[path].top))


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_left_and_right_differ_in_colour_texture_and_letter(palette):
    _, found = drawn(plain_cards(), palette)
    left, right = (next(a for a in found["edge"] if a.get_gid() == f"edge-{s}") for s in "lr")
    assert left.get_color() != right.get_color()
    assert (left.get_linestyle(), right.get_linestyle()) == (
        "-",
        "--",
    )  # matplotlib calls every dash pattern "--"


def test_words_stay_inside_their_cards_even_hostile_ones():
    node = Node(HOSTILE, HOSTILE, Leaf(0.0), Leaf(1.0))
    _, found = drawn(plain_cards(r=Card(predicate_lines(node), ("1000 rows", "loss 123.4 → 56.78"))))
    frames = {a.get_gid(): a.get_window_extent() for role in ("test", "leaf") for a in found[role]}
    for role in ("test head", "test details", "leaf head", "leaf details"):
        for text in found[role]:
            words, frame = text.get_window_extent(), frames["node-" + text.get_gid().split("-", 1)[1]]
            assert (
                frame.x0 <= words.x0
                and words.x1 <= frame.x1
                and frame.y0 <= words.y0
                and words.y1 <= frame.y1
            )


def test_no_word_is_small_in_a_figure_of_the_size_asked_for():
    _, found = drawn(plain_cards())
    assert min(t.get_fontsize() for role in ("leaf details", "edge label") for t in found[role]) >= SMALL


def test_rings_room_below_and_fading():
    cards = plain_cards(
        l=Card(("-1.5",), (), "leaf", rings=2, below=60.0), rr=Card(("2",), (), "leaf", faded=True)
    )
    placed, found = drawn(cards)
    assert [a.get_gid() for a in found["ring"]] == ["ring-1-l", "ring-2-l"]
    assert set(placed.below) == {"l"} and placed.below["l"].height == 60.0
    assert placed.below["l"].top < placed.cards["l"].bottom
    faded = {a.get_gid(): a.get_edgecolor()[3] for a in found["leaf"]}
    assert faded["node-rr"] < 0.5 and faded["node-l"] == faded["node-rl"] == 1.0


def test_the_look_of_an_edge_can_be_changed():
    look = EdgeLook(label="", color="#123456", style="--", width=5.0, faded=True)
    _, found = drawn(plain_cards(), edges={"l": look})
    line = found["edge"][0]
    assert line.get_linestyle() == "--" and line.get_color()[3] < 0.5
    assert len(found["edge label"]) == 3


def test_shorter_neighbours_get_a_trunk_so_that_no_edge_crosses_a_tall_card():
    placed, found = drawn(plain_cards(l=Card(("-1.5",), ("a",) * 9, "leaf")))
    assert [a.get_gid() for a in found["trunk"]] == ["trunk-r"]
    assert placed.on_edge("rl", 0.0)[1] == pytest.approx(placed.cards["l"].bottom)


def test_a_small_axes_gets_a_small_drawing_that_stays_inside():
    pen, figure = Pen(LIGHT), new_figure((10, 6), LIGHT)
    ax = figure.add_axes((0.1, 0.1, 0.3, 0.3))
    placed = draw_tree(pen, ax, TREE, plain_cards())
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    assert all(
        x0 <= b.left and b.right <= x1 and y0 <= b.bottom and b.top <= y1 for b in placed.cards.values()
    )
    assert placed.scale < 1.0


def test_a_missing_card_is_named():
    cards = plain_cards()
    del cards["rl"]
    with pytest.raises(KeyError, match="cards: there is no card for the node at 'rl'"):
        draw_tree(Pen(LIGHT), new_figure((5, 5), LIGHT).add_subplot(), TREE, cards)


@pytest.mark.parametrize(
    ("node", "said"),
    [
        (Node("p", 1.0, Leaf(0), Leaf(1)), ("p ≤ 1",)),
        (Node(3, 0.25, Leaf(0), Leaf(1)), ("x[3] ≤ 0.25",)),
        (Node("colour", "red", Leaf(0), Leaf(1)), ("colour = red",)),
        (
            Node("marital_status", "Married-civ-spouse", Leaf(0), Leaf(1)),
            ("marital_status", "= Married-civ-spouse"),
        ),
    ],
)
def test_tests_as_they_are_drawn(node, said):
    assert predicate_lines(node) == said
