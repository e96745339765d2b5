"""What the panels of a split search leave out or shade: categories worth next to nothing, the damage."""

import numpy as np
import pandas as pd

import treant_viz as tv
from tests.viz.measures import on_one_line
from treant_viz.viz.split_search.display import SplitSearchDisplay
from treant_viz.viz.style.text import number


def test_categories_worth_next_to_nothing_are_one_line():
    d = tv.load_census("authors")
    X, y, attacker = d.X_train[:1000], d.y_train[:1000], d.attacker.with_budget(60)
    trace = tv.TreantClassifier(attacker, max_depth=1).fit(X, y).trace_
    shown = SplitSearchDisplay.from_trace(trace)
    line, drawn = shown.lines[0], shown.plot()
    names = [t.get_text() for t in drawn.axes[0].get_yticklabels()]
    folded = [k for k, t in enumerate(line.thresholds) if t not in names]
    assert drawn.texts("note") == [f"{len(folded)} more: near {number(shown.leaf_loss)} "]
    gain = shown.leaf_loss - line.plain.min()
    for losses in (line.plain, line.attacked):
        assert np.abs(losses[folded] - shown.leaf_loss).max() < 0.08 * gain
    assert len(drawn["best"]) + len(drawn["robust choice"]) == len(shown.shown), "every best is marked"


def test_the_gap_between_both_losses_is_shaded_where_a_rule_makes_one():
    toy = tv.load_toy()
    model = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y)
    drawn = SplitSearchDisplay.from_trace(model.trace_).plot()
    for gap, plain, attacked in zip(drawn["damage"], drawn["loss"], drawn["attacked"], strict=True):
        box, shown = gap.get_datalim(gap.axes.transData), ~np.isclose(plain.get_ydata(), attacked.get_ydata())
        assert shown.any() == (gap.axes is drawn.axes[0]), "no rule touches q"
        assert not shown.any() or box.y0 == plain.get_ydata().min()
    assert drawn.texts("feature") == ["p", "q   no rule touches it"]


def test_few_rows_stand_above_the_curves_with_what_the_attacker_can_make_of_them(toy_trace, wine_trace):
    """p moves by 1 either way: where a bar ends, the loss under attack may jump."""
    drawn = SplitSearchDisplay.from_trace(toy_trace).plot()
    rows = sorted(dot.get_xdata()[0] for dot in drawn["row"])
    assert rows == [-7.0, -5.0, 1.0, 3.0, 3.0, 3.0, 3.0]
    bars = sorted(tuple(bar.get_xdata()) for bar in drawn["reach"])
    assert bars == [(x - 1.0, x + 1.0) for x in rows]
    lanes = [(bar.get_ydata()[0], *bar.get_xdata()) for bar in drawn["reach"]]
    assert not [
        1 for i, a in enumerate(lanes) for b in lanes[:i] if a[0] == b[0] and a[1] <= b[2] and b[1] <= a[2]
    ]
    assert not SplitSearchDisplay.from_trace(wine_trace).plot()["reach"], "a thousand rows have no room"


def test_small_panels_say_what_their_best_test_loses(wine_trace):
    d = SplitSearchDisplay.from_trace(wine_trace)
    drawn = d.plot()
    assert not drawn["same"]
    said_there = dict(zip([m.axes for m in drawn["best"]], drawn.texts("best name")))
    for title, line in zip(drawn["feature"], d.shown):
        if title.axes in said_there:
            assert said_there[title.axes] == number(line.attacked[line.best])
    assert len(said_there) >= 3
    assert [ax.yaxis.get_tick_params()["labelleft"] for ax in drawn.axes] == [True] + [False] * 4


def test_categories_of_the_large_panel_are_rows_with_names_the_best_on_top():
    rng = np.random.default_rng(2)
    c = rng.choice(["red", "green", "blue", "grey"], 200, p=[0.4, 0.3, 0.2, 0.1])
    y = ((c == "red") ^ (rng.random(200) < 0.1)).astype(float)
    A = tv.Attacker([tv.Rule("c", 1, pre={"green"}, becomes="blue")], 1)
    trace = (
        tv.TreantClassifier(A, max_depth=1).fit(pd.DataFrame({"c": c, "z": rng.normal(size=200)}), y).trace_
    )
    d = SplitSearchDisplay.from_trace(trace)
    drawn = d.plot()
    ax, line = drawn.axes[0], d.lines[0]
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert names[0] == "red" and names == [
        line.thresholds[k] for k in np.argsort(line.attacked, kind="stable")
    ]
    assert ax.yaxis_inverted(), "the first is on top"
    losses = drawn["attacked"][0].get_xdata().tolist()
    assert losses == sorted(line.attacked.tolist())
    assert on_one_line(drawn, "robust name")[0].startswith("best either way: loss ")
    assert drawn.texts("curve name") == ["if nobody attacks", "under attack"]
    assert ax.get_xlim() == drawn.axes[1].get_ylim(), "one scale of losses"
