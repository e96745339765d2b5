"""explore_growth: steps, words, losses, constraints and candidates are the trace's own; controls and state agree."""

from __future__ import annotations

import html
import re
from itertools import product
from typing import Any

import ipywidgets as widgets
import numpy as np
import pandas as pd
import pytest
from traitlets import TraitError

import treant_viz as tv
from treant_viz.explore.candidate_table import COLUMNS, SHOWN, ordered
from treant_viz.explore.frame import Screen
from treant_viz.explore.growth import GrowthExplorer, explore_growth
from treant_viz.viz.text import for_html, number

HOSTILE = '<script>alert("$x$ & y")</script>'


@pytest.fixture(scope="module")
def toy():
    data = tv.load_toy()
    return tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y)


@pytest.fixture(scope="module")
def wine():
    """Deep enough for parts of the tree to be folded away, with rules that make rows unknown."""
    data = tv.load_wine()
    X, y = data.X_train[:300], data.y_train[:300]
    little = {c: float(X[c].std()) / 20 for c in X.columns[:8]}
    A = tv.Attacker([tv.Rule(c, cost=10, delta=(-d, d)) for c, d in little.items()], 10)
    return tv.TreantClassifier(A, max_depth=6, min_samples_split=10).fit(X, y)


@pytest.fixture
def undrawn(monkeypatch):
    """For tests of words: pictures are made, but only their alt text is put on the screen."""
    monkeypatch.setattr(Screen, "html", lambda self, display: for_html(display.alt_text))


@pytest.fixture
def ex(toy):
    return explore_growth(toy)


def words(widget: Any) -> list[str]:
    """The texts of a piece of HTML."""
    return [html.unescape(t) for t in re.split(r"<[^>]*>", widget.value) if t.strip()]


def cells(ex: GrowthExplorer) -> list[list[str]]:
    """The rows of the table of candidates."""
    body = ex.below[1].value.partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        [html.unescape(c) for c in re.findall(r"<td[^>]*>(.*?)</td>", row)]
        for row in re.findall(r"<tr.*?</tr>", body, re.DOTALL)
    ]


def control(ex: GrowthExplorer, kind: type, said: str = "") -> Any:
    def inside(box: Any) -> Any:
        for child in getattr(box, "children", ()):
            yield child
            yield from inside(child)

    (found,) = (w for w in inside(ex.box) if type(w) is kind and said in getattr(w, "description", ""))
    return found


# The first frame


def test_the_first_frame_teaches_the_toys_root(ex):
    assert ex.display.title == "Step 1 of 7: the root asks p ≤ 1, loss under attack 17.43 → 3.7"
    said = words(ex.below[0])
    assert "Of 7 candidate tests, p <= 1 is chosen: L^A = 3.7 here." in said
    assert "L: 2 rows surely left. U: 1 unknown. R: 4 rows surely right." in said
    assert any(line.startswith("Tied with q <= 2") for line in said)
    assert "x2 (y = 0), at home left: it costs 2.25 left, 2.56 right; the attacker sends it right." in said
    assert "L = 3.39, unattacked." in said and "L^A = 3.7 under attack; before this step 17.4286." in said
    assert "Created here for the left child: 1: x2: (ŷ−0)² ≤ 2.25 (reached for 0)." in said
    assert "Created here for the right child: 1: x2: (ŷ−0)² ≥ 2.25 (reached for 1)." in said
    assert 'alt="A tree with 1 test and 2 leaves.' in ex.picture.value


def test_every_control_has_a_name(undrawn, ex):
    kinds = (widgets.Button, widgets.SelectionSlider, widgets.Dropdown, widgets.ToggleButton, widgets.Textarea)
    seen: list[Any] = []

    def visit(box: Any) -> None:
        for child in getattr(box, "children", ()):
            seen.append(child)
            visit(child)

    visit(ex.box)
    controls = [w for w in seen if isinstance(w, kinds)]
    assert len(controls) == 10 and all(w.description for w in controls)
    assert not any(type(w).__name__ == "Output" for w in seen)


# State and controls


def test_a_step_set_from_python_moves_everything(ex):
    before = ex.picture.value
    ex.step = 4
    assert ex.display.title.startswith("Step 5 of 7: node r asks q ≤ 3") and ex.picture.value != before
    assert control(ex, widgets.SelectionSlider).value == 4
    said = words(ex.below[0])
    assert "To bring 1 row here the attacker has spent: x2 for 1." in said
    assert "Inherited by node r: 1: x2: (ŷ−0)² ≥ 2.25 (from the root, reached for 1)." in said
    assert "Handed down to the left child: 1 of 1 inherited." in said
    assert "Handed down to the right child: 0 of 1 inherited." in said


def test_controls_change_the_state(undrawn, ex):
    control(ex, widgets.SelectionSlider).value = 2
    assert ex.step == 2 and "It stays a leaf: too deep or too few rows (0 tests tried)." in words(ex.below[0])
    assert words(ex.below[1]) == ["No test was tried here: too deep or too few rows."]
    ex.step = 0
    control(ex, widgets.Dropdown).value = "threshold"
    toggle = control(ex, widgets.ToggleButton, "first")
    assert toggle.description == "smallest first ▲"
    toggle.value = False
    assert (ex.sort_by, ex.ascending, toggle.description) == ("threshold", False, "largest first ▼")
    assert ex.state == {"step": 0, "sort_by": "threshold", "ascending": False}


def test_buttons_go_back_and_forth_and_stop_at_the_ends(undrawn, ex):
    seen = []
    for name in ("Back", "Next", "Next", "Back", "Last", "Next", "First"):
        control(ex, widgets.Button, name).click()
        seen.append(ex.step)
    assert seen == [0, 1, 2, 1, 6, 6, 0]


def test_state_to_begin_with(toy):
    ex = explore_growth(toy.trace_, step=1, sort_by="y_l", ascending=False)
    assert ex.display.title.startswith("Step 2 of 7")
    assert control(ex, widgets.SelectionSlider).value == 1 and control(ex, widgets.Dropdown).value == "y_l"
    assert control(ex, widgets.ToggleButton, "first").description == "largest first ▼"


def test_frames_are_kept_and_share_one_layout(undrawn, ex):
    first = ex.display
    ex.step = 6
    assert ex.display.place == first.place
    ex.step = 0
    assert ex.display is first


def test_sorting_does_not_draw_the_tree_again(ex, monkeypatch):
    monkeypatch.setattr(ex._screen, "html", lambda display: pytest.fail("drawn again"))
    ex.sort_by = "left"
    assert ex.message.value == "" and "sorted by L: rows left" in ex.below[1].value


# Numbers


@pytest.mark.parametrize("which", ["toy", "wine"])
def test_losses_are_those_of_the_tree_so_far(which, request, undrawn):
    model = request.getfixturevalue(which)
    ex = explore_growth(model)
    t = ex.trace
    trees = [tree for _, tree in t.trees()]
    for i in sorted({*range(0, len(t), 7), len(t) - 1}):
        ex.step = i
        plain, attacked = (
            tv.loss_under_attack(trees[i], t.X, t.y, t.attacker.with_budget(k), t.loss.name)
            for k in (0, t.attacker.budget)
        )
        assert ex.losses.plain == pytest.approx(plain) and ex.losses.attacked == pytest.approx(attacked)
        said = words(ex.below[0])
        assert f"L = {number(plain)}, unattacked." in said
        assert any(line.startswith(f"L^A = {number(ex.losses.attacked)} under attack") for line in said)


def test_the_attacker_does_what_the_record_says(wine, undrawn):
    ex = explore_growth(wine)
    moved = 0
    for i, s in enumerate(ex.trace.steps):
        if not s.taken or not 0 < len(s.split.partition.unknown) <= 12:
            continue
        ex.step = i
        ends = dict(re.findall(r"x(\d+) \(y = [^)]*\), at home [^;]*; .*?(left|right)\.", ex.below[0].value))
        left = set(s.split.left.rows.tolist())
        assert {int(r): end == "left" for r, end in ends.items()} == {
            r: r in left for r in s.split.partition.unknown.tolist()
        }
        moved += "the attacker sends it" in ex.below[0].value
    assert moved


def test_constraints_are_counted_as_recorded(wine, undrawn):
    ex = explore_growth(wine)
    tried = [i for i, s in enumerate(ex.trace.steps) if s.taken and s.constraints][:3]
    assert tried
    for i in tried:
        ex.step, s = i, ex.trace.steps[i]
        said = " ".join(words(ex.below[0]))
        assert f"Inherited by node {s.path}: {len(s.constraints)}: x{s.constraints[0].row}: " in said
        for side, C in (("left", s.split.left_constraints), ("right", s.split.right_constraints)):
            new = sum(c.origin == s.path for c in C)
            assert f"Created here for the {side} child: {new or 'none'}" in said
            assert f"Handed down to the {side} child: {len(C) - new} of {len(s.constraints)} inherited." in said


def test_without_attack_invariance_the_true_loss_is_said(undrawn):
    data = tv.load_toy()
    model = tv.TreantRegressor(data.attacker, min_samples_split=3, attack_invariance=False).fit(data.X, data.y)
    ex = explore_growth(model, step=2)  # panel (d)
    assert ex.losses.true == pytest.approx(3.75) and ex.losses.attacked == pytest.approx(2.5)
    said = words(ex.below[0])
    true = number(ex.losses.true)
    assert f"Attack invariance is off: the algorithm counts this, the attacker can cause {true}." in said
    assert "Attack invariance is off: none are created." in said


def test_a_plain_loss_that_is_not_known_is_not_said(undrawn):
    data = tv.load_toy()
    weight = [1, 1, 2, 1, 1, 1, 1]
    ex = explore_growth(tv.TreantRegressor(data.attacker, min_samples_split=2).fit(data.X, data.y, weight))
    assert ex.losses.plain is None and "L is not known: rows have weights." in words(ex.below[0])


def test_a_single_leaf_is_a_trace_too(undrawn):
    data = tv.load_toy()
    ex = explore_growth(tv.TreantRegressor(data.attacker, min_samples_split=99).fit(data.X, data.y))
    control(ex, widgets.Button, "Next").click()
    assert ex.step == 0 and ex.display.title.startswith("Step 1 of 1: the root stays a leaf")


def test_a_node_without_gain_names_the_best_test(wine, undrawn):
    ex = explore_growth(wine)
    idle = [i for i, s in enumerate(ex.trace.steps) if s.reason == "no gain"]
    assert idle
    ex.step, ex.sort_by = idle[0], "loss_under_attack"
    assert any("It stays a leaf: no gain; the best of " in line for line in words(ex.below[0]))
    assert "best, but the node stays a leaf" in ex.below[1].value


# Candidates


def test_the_table_is_sorted_by_any_column(wine, undrawn):
    ex = explore_growth(wine)
    frame = ex.trace.steps[0].candidates.to_frame()
    frame["order"] = np.arange(len(frame))
    for ex.sort_by, ex.ascending in product(COLUMNS, (True, False)):
        key = frame[ex.sort_by].sort_values(ascending=ex.ascending, kind="stable")
        assert [int(row[0]) - 1 for row in cells(ex)] == key.index[:SHOWN].tolist(), ex.sort_by
        ((sense, head),) = re.findall(r'aria-sort="(\w+)"[^>]*>([^<]*)', ex.below[1].value)
        assert sense == ("ascending" if ex.ascending else "descending") and head.startswith(COLUMNS[ex.sort_by])


def test_names_and_numbers_can_be_sorted_together(undrawn):
    X = pd.DataFrame({"n": range(8), "c": list("abababab")})
    ex = explore_growth(
        tv.TreantRegressor(None, min_samples_split=2, max_depth=1).fit(X, range(8)), sort_by="threshold"
    )
    assert [row[2] for row in cells(ex)] == [*(f"<= {i}" for i in range(7)), "== a", "== b"]


def test_the_table_shows_the_records_numbers_and_says_how_many_more(wine, undrawn):
    ex = explore_growth(wine)
    step = ex.trace.steps[0]
    c, rows = step.candidates, cells(ex)
    assert len(rows) == SHOWN and f"and {len(c) - SHOWN:,} more" in ex.below[1].value
    for row in rows:
        i = int(row[0]) - 1
        assert row[1:3] == [c.feature[i], f"<= {number(c.threshold[i])}"]
        assert row[3:6] == [str(x[i]) for x in (c.left, c.unknown, c.right)]
        assert row[9] == number(float(c.loss_under_attack[i]), 5)
    assert rows[0][-1] == "chosen" and rows[0][1] == step.split.feature
    ex.ascending = False
    assert (
        f"is number {ordered(c, 'loss_under_attack', False).index(int(rows[0][0]) - 1) + 1:,} in" in ex.below[1].value
    )


def test_chosen_and_tied_are_said_in_words(undrawn, ex):
    notes = {(row[1], row[2]): row[-1] for row in cells(ex)}
    assert notes[("p", "<= 1")] == "chosen" and notes[("q", "<= 2")] == "tied with the best"
    assert notes[("p", "<= 3")] == "not allowed: one side would be empty" and notes[("q", "<= 1")] == ""


# Bad input


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("step", 7, "step: expected a whole number from 0 to 6, got 7"),
        ("step", -1, "step: .* got -1"),
        ("step", True, "step: .* got True"),
        ("step", "r", "step: .* got 'r'"),
        ("step", None, "step: .* got None"),
        ("sort_by", "beauty", "sort_by: expected one of .* got 'beauty'"),
        ("ascending", "yes", "ascending"),
    ],
)
def test_bad_state_is_refused_and_the_last_good_picture_stays(undrawn, ex, name, value, said):
    picture, state = ex.picture.value, ex.state
    with pytest.raises(TraitError, match=said):
        setattr(ex, name, value)
    assert (ex.picture.value, ex.state) == (picture, state)
    assert control(ex, widgets.SelectionSlider).value == 0


def test_other_things_than_trees_are_refused(toy, undrawn):
    with pytest.raises(TypeError, match=r"expected a fitted TreantClassifier .* got DataFrame"):
        explore_growth(tv.load_toy().X)
    with pytest.raises(ValueError, match="not fitted"):
        explore_growth(tv.TreantRegressor())
    with pytest.raises(TypeError, match="'stepp' cannot be set"):
        explore_growth(toy, stepp=1)


# What is kept and copied


@pytest.mark.parametrize("which", ["toy", "wine"])
def test_the_code_makes_the_same_picture(which, request, undrawn):
    model = request.getfixturevalue(which)
    ex = explore_growth(model)
    deep = max(range(len(ex.trace)), key=lambda i: len(ex.trace.steps[i].path))
    for i in (0, len(ex.trace) // 2, deep):
        ex.step = i
        *before, last = ex.code().splitlines()
        names = {"tv": tv, "model": model}
        exec("\n".join(before), names)
        assert eval(last, names).summary == ex.display.summary == repr(ex)
        assert ex.as_code.value == ex.code()
    assert ("focus=" in ex.code()) == (which == "wine")
    assert "model" not in explore_growth(ex.trace).code()


def test_names_of_users_are_made_harmless():
    X = pd.DataFrame({HOSTILE: [HOSTILE, "b", HOSTILE, "b"], "$q$": [1, 1, 2, 2]})
    A = tv.Attacker([tv.Rule(HOSTILE, cost=1, pre={"b"}, becomes=HOSTILE)], 1)
    model = tv.TreantRegressor(A, min_samples_split=2, max_depth=2).fit(X, [0, 9, 0, 8])
    ex = explore_growth(model)
    told = set()
    for i in range(len(ex.trace)):
        ex.step = i
        for part in (*ex.below, ex.picture):
            assert "<script" not in part.value and 'alert("' not in part.value
        told |= {t for part in ex.below for t in words(part) if "<script>" in t}
    assert told


def test_a_saved_notebook_keeps_the_picture(ex):
    data, _ = ex._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data and data["text/plain"] == ex.display.summary
    assert data["image/png"]
