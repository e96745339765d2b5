"""What the tests of the baselines share."""

from __future__ import annotations

import pytest

import treant_viz as tv
from tests.baselines.samples import RULES, as_rules, large


@pytest.fixture(scope="module")
def data():
    """Training rows, labels, and an attacker on all kinds of columns."""
    rules = [
        tv.Rule("p", 1, delta=(-0.5, 0.5)),
        tv.Rule("q", 2, pre=(2, 9), delta=(-2, 0)),
        as_rules(RULES)[2],
    ]
    return *large(), tv.Attacker(rules, 3)
