"""What the panels of a split search leave out or shade: categories worth next to nothing, the damage."""

import numpy as np

import treant_viz as tv
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
