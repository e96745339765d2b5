"""A table of rows: the picture of a forest's votes opens on a row that tells something."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import treant_viz as tv
from treant_viz.viz.forest_votes.display import ForestVotesDisplay

WINE = tv.load_wine()
X, Y, A = WINE.X_train[:300], np.asarray(WINE.y_train[:300]), WINE.attacker


def forest() -> RandomForestClassifier:
    return RandomForestClassifier(12, max_depth=4, min_samples_leaf=3, random_state=0).fit(X, Y)


def test_a_table_opens_on_a_row_whose_prediction_turns_though_some_trees_resist():
    model = forest()
    d = ForestVotesDisplay.from_model(model, X[:80], Y[:80], A)
    assert 0 < len(d.flipped) < 12 and "change sides, and with them the prediction" in d.title
    row = int(d.label.removeprefix("row "))
    alone = ForestVotesDisplay.from_model(model, X.loc[[row]], d.source["y"], A)
    assert (alone.title, alone.scores) == (d.title, d.scores)
    assert d.y == str(Y[X.index.get_loc(row)])


def test_a_table_without_any_attack_opens_on_its_first_row():
    d = ForestVotesDisplay.from_model(forest(), X[:5], Y[:5], A.with_budget(0))
    assert d.label == f"row {X.index[0]}" and d.title.startswith("No attack for 0 hurts")
    assert d.subtitle.startswith("Circles show what each tree votes. Their mean decides.")


def test_labels_that_do_not_fit_the_table_are_refused():
    with pytest.raises(ValueError, match="x: expected one row, or a table and in y a label for each"):
        ForestVotesDisplay.from_model(forest(), X[:5], Y[:3], A)


def test_a_move_that_changes_nothing_is_said_to_lead_on():
    model = forest()
    many = (ForestVotesDisplay.from_model(model, X.iloc[[i]], Y[i], A) for i in range(60))
    d = next(d for d in many if any(a == b for a, b in zip(d.scores[:-2], d.scores[1:-1], strict=True)))
    assert any("still" in words and words.endswith("on the way to more") for words in d.plot().texts("stop"))


def test_flipped_trees_are_named_in_bold_and_arrow_heads_stand_at_the_ends():
    d = ForestVotesDisplay.from_model(forest(), X[:80], Y[:80], A)
    drawn = d.plot()
    bold = {a.get_text() for a in drawn["tree"] if a.get_fontweight() == "bold"}
    assert bold == {f"tree {t}" for t in d.flipped.tolist()}
    for head in drawn["head"]:
        lanes = np.asarray(head.get_ydata(), dtype=int)
        assert head.get_xdata() == pytest.approx(d.after[d.order[lanes]])
    assert not drawn["stop on the way"]
