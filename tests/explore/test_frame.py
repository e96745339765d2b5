"""Pictures drawn fast: kept axes and kept words give the picture that new ones would give."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from PIL import Image

import treant_viz as tv
from treant_viz.explore.frame import DPI, Screen, png_bytes
from treant_viz.explore.kept_figure import KeptFigure
from treant_viz.explore.quick_text import QuickCanvas, QuickRenderer
from treant_viz.viz.palette import DARK, LIGHT


def pixels(figure, canvas=QuickCanvas) -> np.ndarray:
    made = canvas(figure)
    made.draw()
    return np.asarray(made.buffer_rgba()).astype(int)


@pytest.fixture(scope="module")
def toy():
    data = tv.load_toy()
    return tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y).trace_


@pytest.fixture(scope="module")
def census():
    data = tv.load_census()
    return tv.TreantClassifier(data.attacker, max_depth=2).fit(data.X_train[:300], data.y_train[:300]).trace_


def partitions(toy, census):
    """Numbers and categories, with and without candidates, at the middle and at the edges."""
    at = [("p", 1.0), ("p", -7.0), ("q", 2.0), ("q", 4.0), ("p", 3.0)]
    shown = [tv.TernaryPartitionDisplay.from_trace(toy, "", f, v) for f, v in at]
    shown += [tv.TernaryPartitionDisplay.from_trace(census, "", "age", v) for v in (30.0, 17.0, 55.0)]
    return [*shown, tv.TernaryPartitionDisplay.from_trace(census, "", "sex", "Male"), shown[0], *shown[5:7]]


def others(toy, census):
    modes = ("robust", "standard", "four-case")
    shown = [tv.RobustSplitDisplay.from_trace(toy, mode=mode) for mode in modes]
    shown += [tv.LossSurfaceDisplay.from_trace(toy, path) for path in ("", "r", "")]
    shown += [tv.ConstraintsDisplay.from_trace(toy, off=off) for off in ((), (2,), ())]
    shown += [*tv.TreeDisplay.from_trace(toy).frames(), *tv.TreeDisplay.from_trace(census).frames()]
    return [*shown, tv.SplitSearchDisplay.from_trace(toy), tv.SplitSearchDisplay.from_trace(census, "l")]


@pytest.mark.parametrize("make", [partitions, others])
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_emptied_axes_are_as_good_as_new(toy, census, make, palette):
    """Pixel for pixel the same as in new axes at the same places."""
    screen, kept = Screen(palette), 0
    for display in make(toy, census):
        before = set(map(id, screen.kept.values()))
        figure = screen._drawn(display)
        fast = pixels(figure)
        new = KeptFigure(display.size, palette.background)
        new.set_dpi(DPI)
        display.plot(new, palette=palette)
        new.set_layout_engine("none")
        for mine, its in zip([*new.axes, *new.texts], [*figure.axes, *figure.texts], strict=True):
            mine.set_position(its.get_position())
        assert (fast == pixels(new)).all()
        kept += id(figure) in before
    assert kept >= 3  # or nothing was shown


def test_the_title_stays_where_the_layout_has_put_it(toy):
    screen, shown = Screen(), tv.TernaryPartitionDisplay.from_trace(toy)
    screen.png(shown)
    [placed] = [text.get_position() for figure in screen.kept.values() for text in figure.texts]
    screen.png(shown)
    assert [text.get_position() for figure in screen.kept.values() for text in figure.texts] == [placed]


def test_another_number_of_panels_gets_a_figure_of_its_own():
    figure = KeptFigure((4, 3), "white")
    first = [figure.add_subplot(2, 1, k) for k in (1, 2)]
    figure.empty()
    assert figure.add_subplot(1, 1, 1) is first[0] and not figure.fits
    assert figure.add_subplot(1, 1, 1) is first[1] and figure.fits
    assert figure.add_subplot(1, 1, 1) not in first and not figure.fits


@pytest.mark.parametrize("size", [(9.0, 4.0), (4.0, 6.5)])
def test_a_panel_grows_and_shrinks_with_its_figure(size):
    """What constrained layout would have made of it, to a hundredth of an inch."""

    def made(size):
        figure = KeptFigure(size, "white")
        ax = figure.add_subplot(1, 1, 1)
        ax.set(xticks=[], yticks=[])
        figure.suptitle("heading")
        QuickCanvas(figure).draw()
        return figure, ax

    (figure, ax), (other, its) = made((6.0, 5.0)), made(size)
    figure.empty()
    figure.resize(size)
    figure.suptitle("heading")
    inches = np.abs((ax.get_position(original=True).get_points() - its.get_position().get_points()) * size)
    assert inches.max() < 0.01
    assert abs(figure.texts[0].get_position()[1] - other.texts[0].get_position()[1]) * size[1] < 0.01
    assert pixels(figure).shape[:2] == (size[1] * 100, size[0] * 100)


def test_trees_of_any_size_share_a_figure(toy, census):
    screen, shown = Screen(), [tv.TreeDisplay.from_trace(trace) for trace in (toy, census)]
    first = [screen._drawn(display) for display in shown]
    assert len({display.size for display in shown}) == 2
    assert first[0] is first[1] and first[0].fits
    for display in shown:
        data, size = screen.png(display)
        assert size == tuple(int(DPI * side) for side in display.size)
        assert Image.open(BytesIO(data)).size == size


def test_a_title_of_more_lines_gets_room():
    figure = KeptFigure((4, 3), "white")
    figure.suptitle("one line")
    figure.empty()
    figure.suptitle("another")
    assert figure.fits
    figure.empty()
    figure.suptitle("two\nlines")
    assert not figure.fits


def test_figures_of_the_last_kinds_only_are_kept(toy, monkeypatch):
    monkeypatch.setattr("treant_viz.explore.frame.MOST_KEPT", 2)
    screen = Screen()
    shown = [
        tv.RobustSplitDisplay.from_trace(toy),
        tv.TernaryPartitionDisplay.from_trace(toy),
        tv.TreeDisplay.from_trace(toy),
    ]
    for display in shown:
        screen.png(display)
    assert [kind for kind, _ in screen.kept] == [type(d) for d in shown[1:]]


TEXTS = [
    "x686  y = 0",
    "L^A = 3.7, AV To",
    " ends ",
    "",
    "(ŷ−0)² ≥ 2.25",
    "שלום abc",
    "p <= 1: the attacker decides for x2",
]


@pytest.mark.parametrize("said", TEXTS)
@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_words_by_words_are_as_large_as_the_whole_line(said, weight):
    for size in (11.0, 13.0, 15.0):
        font = FontProperties(size=size, weight=weight)
        quick, usual = (kind(1, 1, DPI).get_text_width_height_descent(said, font, False)
                        for kind in (QuickRenderer, RendererAgg))  # fmt: skip
        assert quick == pytest.approx(usual)


@pytest.mark.parametrize("angle", [0, 30, 90])
def test_stamped_words_look_like_matplotlibs(angle):
    """They may be half a pixel aside: blurred a little, both pictures are the same; without words they are not."""

    def drawn(canvas, said):
        figure = Figure(figsize=(6, 6), dpi=DPI)
        for k, color in enumerate(("black", "#CC79A7")):
            figure.text(0.3, 0.2 + 0.3 * k, said, rotation=angle, color=color, fontsize=13, parse_math=False)
        return blurred(pixels(figure, canvas))

    said = "of 1,000 rows the attacker\ndecides for x2 (ŷ ≥ 2)"
    for _ in range(2):  # drawn, then stamped again
        usual, quick = drawn(FigureCanvasAgg, said), drawn(QuickCanvas, said)
        assert np.abs(usual - quick).max() < 60
        assert np.abs(usual - drawn(QuickCanvas, "of 1,000 rows")).max() > 90


def blurred(image: np.ndarray) -> np.ndarray:
    near = range(-2, 3)
    return sum(np.roll(image, (i, j), (0, 1)) for i in near for j in near) / 25


def test_faint_words_are_left_to_matplotlib():
    figure = Figure(figsize=(3, 1), dpi=DPI)
    figure.text(0.1, 0.5, "faint", alpha=0.3)
    assert (pixels(figure) == pixels(figure, FigureCanvasAgg)).all()


def test_pictures_are_png_files_with_every_pixel():
    """Another program reads them back as they were."""
    given = np.random.default_rng(0).integers(0, 256, (7, 5, 4), dtype=np.uint8)
    with Image.open(BytesIO(png_bytes(given))) as read:
        assert (read.format, read.mode, read.size) == ("PNG", "RGB", (5, 7))
        read.verify()
    assert (np.asarray(Image.open(BytesIO(png_bytes(given)))) == given[..., :3]).all()
