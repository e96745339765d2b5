"""One voice: numbers, names, mathematics, and the typeface in every format."""

from __future__ import annotations

import re
from itertools import combinations

import matplotlib as mpl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg

import treant_viz as tv
from treant_viz.viz.output.export import render
from treant_viz.viz.style.formula import math, rich
from treant_viz.viz.style.palette import LIGHT
from treant_viz.viz.style.pen import Pen, new_figure
from treant_viz.viz.style.rich_text import RichText
from treant_viz.viz.style.text import names, number
from treant_viz.viz.style.typeface import glyphs, width, wrapped


@given(st.floats(-1e300, 1e300))
def test_a_number_keeps_three_digits_and_is_never_written_with_an_e(x):
    text = number(x)
    assert "e" not in text and "-" not in text
    plain = text.replace(",", "").replace("−", "-").translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    mantissa, _, power = plain.partition("·10")
    back = float(f"{mantissa}e{power or 0}")
    assert back == pytest.approx(x, rel=5.01e-3, abs=1e-300)


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (1e6, "1,000,000"), (1234567, "1,234,567"), (999.6, "1,000"), (0.0005, "0.0005"), (-0.0, "0"),
        (17.4286, "17.4"), (0.9996, "1"), (-2.5, "−2.5"), (100.0, "100"), (2.0e12, "2·10¹²"),
        (float("nan"), "unknown"), (True, "True"),
    ],
)  # fmt: skip
def test_numbers_as_one_reads_them(x, text):
    assert number(x) == text


@given(st.lists(st.text(alphabet="ab_\n", min_size=30, max_size=60), min_size=2, max_size=6, unique=True))
def test_no_two_names_of_a_picture_look_alike(given_names):
    made = names(given_names, 20)
    assert all(made[a] != made[b] for a, b in combinations(given_names, 2))


def test_long_names_keep_what_tells_them_apart():
    long = [
        f"payment_status_of_the_customer_in_month_{m}_as_reported_by_the_bank_in_its_final_form"
        for m in "123"
    ]
    assert all(m in names(long, 20)[n] for m, n in zip("123", long, strict=True))
    assert names(["p", "q"]) == {"p": "p", "q": "q"}


def test_the_typeface_has_what_the_pictures_need():
    needed = "ŷ≤≥−→∞·×ΛσγÄÖÜäöüß€0123456789"
    from fontTools.ttLib import TTFont  # matplotlib needs it, so it is there

    from treant_viz.viz.style.typeface import FOLDER

    for style in ("Regular", "Bold"):
        font = TTFont(FOLDER / f"TreantSans-{style}.ttf")
        assert set(map(ord, needed)) <= set(font.getBestCmap())
        assert not any(
            "Source" in str(n) for n in font["name"].names if n.nameID in (1, 3, 4, 6, 16)
        )  # a reserved name
    assert "SIL OPEN FONT LICENSE" in (FOLDER / "OFL.txt").read_text(encoding="utf-8").upper()
    assert ord("∈") in glyphs()  # from the typeface that stands in


def test_lines_are_as_wide_as_they_are_measured_and_never_wider_than_their_room():
    words = (
        "The attacker decides for x2 alone, "
        "and for a_name_without_any_space_that_is_wider_than_the_room_it_has"
    )
    lines = wrapped(words, 150.0, 14.0)
    assert all(width(line, 14.0) <= 150.0 for line in lines)
    assert "".join(lines).replace(" ", "") == words.replace(" ", "")
    figure = new_figure((4, 1), LIGHT)
    text = figure.text(0, 0, "The attacker decides", **Pen(LIGHT).type(14.0))
    with mpl.rc_context({"text.hinting": "none"}):
        FigureCanvasAgg(figure).draw()
        drawn = text.get_window_extent().width * 72 / figure.dpi
    assert width("The attacker decides", 14.0) == pytest.approx(drawn, rel=0.03)


def test_mathematics_is_typeset_and_a_users_dollars_are_not():
    figure = new_figure((4, 2), LIGHT)
    pen, ax = Pen(LIGHT), figure.add_subplot()
    loss = pen.text(ax, 0.1, 0.5, "loss Lᴬ of ŷₗ", "a")
    rows = pen.text(ax, 0.1, 0.2, math("D", sub="L") + " = 3", "b")
    user = pen.text(ax, 0.1, 0.8, "$x^2$ <= L^A", "c")
    assert isinstance(loss, RichText) and isinstance(rows, RichText) and not isinstance(user, RichText)
    assert (loss.get_text(), rows.get_text(), user.get_text()) == ("loss Lᴬ of ŷₗ", "D_L = 3", "$x^2$ <= L^A")
    assert [(p.text, p.raised) for p in rich("Lᴬ").pieces] == [("L", 0), ("A", 1)]
    FigureCanvasAgg(figure).draw()


def test_words_in_svg_are_words_and_pdf_embeds_outlines_of_truetype():
    data = tv.load_toy()
    shown = tv.TreeDisplay.from_trace(
        tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y).trace_
    )
    svg = render(shown, "svg").decode()
    assert re.search(
        r"<text style=\"font-weight: 700[^\"]*'Treant Sans', 'DejaVu Sans'[^>]*>p ≤ 1</text>", svg
    )
    assert shown.title in re.findall(r"<text [^>]*>([^<]*)</text>", svg)
    pdf = render(shown, "pdf")
    assert b"/CIDFontType2" in pdf or b"/TrueType" in pdf
    assert b"/Type3" not in pdf and b"TreantSans" in pdf
    page = render(shown, "html").decode()
    assert page.count("@font-face") == 3  # once for all frames


@pytest.mark.parametrize("dpi", [72, 100, 150])
def test_titles_keep_their_margins_as_screens_set_them(dpi):
    """Letters on a screen are up to a twentieth wider than they measure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from treant_viz.viz.style.heading import SIDE, heading
    from treant_viz.viz.style.pen import Pen, new_figure

    figure = new_figure((12.8, 7.2), LIGHT)
    figure.set_dpi(dpi)
    pen = Pen(LIGHT)
    heading(
        pen,
        figure,
        "which a model cannot tell apart at any of its own thresholds " * 4,
        "at the least cost " * 30,
    )
    renderer = FigureCanvasAgg(figure).get_renderer()
    for role in ("title", "subtitle"):
        [words] = pen.artists[role]
        for line in words.get_text().split("\n"):
            wide = renderer.get_text_width_height_descent(line, words.get_fontproperties(), ismath=False)[0]
            assert wide * 72 / dpi <= 12.8 * 72 - 2 * SIDE + 1.0


def test_no_line_of_a_heading_holds_a_single_word_where_that_can_be_helped():
    from treant_viz.viz.style.heading import _lines

    sentence = "The standard choice, alcohol ≤ 10.2, and the robust choice, alcohol ≤ 11.5, differ here"
    whole = width(sentence, 20.0, bold=True)
    for share in (0.95, 0.9, 0.8):
        lines = _lines(sentence, share * whole, 20.0, bold=True)
        assert " ".join(lines) == sentence and len(lines) == 2
        assert width(lines[1], 20.0, bold=True) >= 0.25 * share * whole
    assert _lines(sentence, 2 * whole, 20.0, bold=True) == (sentence,)
