"""Titles of a forest’s votes are true, whatever the trees say and whichever move is shown."""

from __future__ import annotations

import numpy as np
import pytest

from treant_viz.viz.attack_path.facts import AppliedRule
from treant_viz.viz.forest_votes.display import ForestVotesDisplay
from treant_viz.viz.forest_votes.facts import Votes, VoteSides
from treant_viz.viz.style.text import number

BOTH = "2 of 2 trees change sides, and with them the prediction"
ONE, NONE = "1 of 2 trees changes sides", "No tree changes sides"
WRONG = f"{ONE}; the prediction was wrong already"


def by_hand(votes, scores, y, tie=False, moves=1, exact=True) -> ForestVotesDisplay:
    """A picture of a forest that says what is written here."""
    move = AppliedRule(0, "p", 1.0, 2.0, 1.0, 1.0)
    made = Votes(np.array(votes), tuple(scores), tuple(0.0 for _ in scores), (move,) * moves, exact)
    return ForestVotesDisplay("x2", "?", y, made, 2.0, VoteSides(0.5, ("no", "yes"), tie), True)


@pytest.mark.parametrize(
    ("votes", "scores", "y", "tie", "title"),
    [
        ([[0.0, 0.2], [0.9, 0.8]], [0.1, 0.85], 0, False, BOTH),
        ([[0.1, 0.2], [0.9, 0.2]], [0.15, 0.55], 0, False, f"{ONE}, and with it the prediction"),
        ([[0.1, 0.8], [0.4, 0.9]], [0.45, 0.65], 0, False, f"{NONE}, and yet the prediction does"),
        ([[0.1, 0.2], [0.6, 0.2]], [0.15, 0.4], 0, False, f"{ONE}, but the prediction stays no"),
        ([[0.9, 0.8], [0.4, 0.8]], [0.85, 0.6], 1, False, f"{ONE}, but the prediction stays yes"),
        ([[0.6, 0.4], [0.6, 0.7]], [0.6, 0.65], 0, False, WRONG),
        ([[0.4, 0.4], [0.5, 0.5]], [0.4, 0.5], 0, True, BOTH),
        ([[0.4, 0.4], [0.5, 0.5]], [0.4, 0.5], 0, False, f"{NONE}, but the prediction stays no"),
    ],
)  # fmt: skip
def test_titles_of_verdicts_are_true(votes, scores, y, tie, title):
    shown = by_hand(votes, scores, y, tie)
    start, end = (number(s) for s in (shown.scores[0], shown.scores[-1]))
    assert shown.title == f"{title}: score {start} → {end}"


def test_titles_of_steps_and_of_no_attack_are_true():
    d = by_hand([[0.1, 0.6], [0.6, 0.6], [0.6, 0.2]], [0.35, 0.6, 0.4], 0, moves=2)
    first, one, two, _ = d.frames()
    assert first.title == "Without an attack, x2 has the score 0.35: 1 of 2 trees says yes"
    assert one.title == "Move 1 of 2: p 1 → 2 (+1), cost 1, 1 tree changes sides, score 0.35 → 0.6"
    assert two.title == "Move 2 of 2: p 1 → 2 (+1), cost 1, 1 tree changes sides, score 0.6 → 0.4"
    assert (len(one.flipped), len(two.flipped)) == (1, 2)
    idle = by_hand([[0.1, 0.6], [0.2, 0.6]], [0.35, 0.4], 0).frames()[1]
    assert idle.title == "Move 1 of 1: p 1 → 2 (+1), cost 1, no tree changes sides, score 0.35 → 0.4"
    still = by_hand([[0.1, 0.6]], [0.35], 0, moves=0)
    assert still.title == "No attack for 2 hurts x2: the score stays 0.35"
    unsure = by_hand([[0.1, 0.6]], [0.35], 0, moves=0, exact=False)
    assert unsure.title == "No attack for 2 was found that hurts x2: the score stays 0.35"
