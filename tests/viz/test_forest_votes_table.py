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
    assert d.subtitle.startswith("Circles show what each tree votes; their mean decides.")


def test_labels_that_do_not_fit_the_table_are_refused():
    with pytest.raises(ValueError, match="x: expected one row, or a table and in y a label for each"):
        ForestVotesDisplay.from_model(forest(), X[:5], Y[:3], A)


def test_a_move_that_changes_nothing_is_said_to_lead_on():
    model = forest()
    many = (ForestVotesDisplay.from_model(model, X.iloc[[i]], Y[i], A) for i in range(60))
    d = next(d for d in many if any(a == b for a, b in zip(d.scores[:-2], d.scores[1:-1], strict=True)))
    assert any("still" in words and words.endswith("a step on the way") for words in d.plot().texts("stop"))


def test_flipped_trees_are_named_in_bold_and_arrow_heads_stand_just_before_the_end():
    d = ForestVotesDisplay.from_model(forest(), X[:80], Y[:80], A)
    drawn = d.plot()
    bold = {a.get_text() for a in drawn["tree"] if a.get_fontweight() == "bold"}
    assert bold == {f"tree {t}" for t in d.flipped.tolist()}
    for head in drawn["head"]:
        lanes = np.asarray(head.get_ydata(), dtype=int)
        trees = d.order[lanes]
        way = (head.get_xdata() - d.before[trees]) / (d.after[trees] - d.before[trees])
        assert ((way > 0.6) & (way < 1.0)).all()
        assert ((d.after > d.before)[trees] == (head.get_marker() == ">")).all()
    long = np.abs(d.after - d.before) > 0.3 * np.ptp(drawn["before"][0].axes.get_xlim())
    assert sum(len(head.get_xdata()) for head in drawn["head"]) >= long.sum() > 0
    assert not drawn["stop on the way"]


def test_each_coin_of_the_bill_names_the_trees_that_it_turns():
    d = ForestVotesDisplay.from_model(forest(), X[:80], Y[:80], A)
    stops = d.plot().texts("stop")
    assert len(stops) == len(d.moves) + 1
    for k, words in enumerate(stops[1:], 1):
        turned = d.turns(k).tolist()
        named = ", ".join(map(str, turned))
        count = f"{len(turned)} tree{'s' * (len(turned) != 1)}" if turned else "no tree"
        assert named + " change" in words or f"{count} change" in words or "still" in words


def test_an_arrow_leads_from_the_mean_before_to_the_mean_after_where_there_is_room():
    model, seen = forest(), 0
    for i in range(20):
        d = ForestVotesDisplay.from_model(model, X.iloc[[i]], Y[i], A)
        for arrow in d.plot()["turn arrow"]:
            assert (arrow.xy[0] > arrow.xyann[0]) == (d.score > d.scores[0])
            seen += 1
    assert seen
