"""The paper's claims can be read without their verdicts; with them, no colour is needed."""

from __future__ import annotations

import pandas as pd

from treant_viz.course.claims_table import ClaimsTable

CLAIMS = pd.DataFrame(
    {"in short": ["ahead", "<b>"], "claim": ["It wins.", "1 < 2"], "ours": ["yes, 9 of 9", "mostly, 3 of 4"],
     "text": ["no, 0 of 9", "yes, 1 of 1"]},
    index=[1, 2],
)  # fmt: skip


def test_before_the_guess_there_is_no_verdict():
    table = ClaimsTable(CLAIMS, with_verdicts=False)
    page = table._repr_html_()
    assert "It wins." in page and "It wins." in repr(table)
    assert not [word for word in ("yes", "mostly", "✓", "✗", "ours") if word in page + repr(table)]


def test_after_it_every_view_has_its_verdict_in_words_and_signs():
    page = ClaimsTable(CLAIMS)._repr_html_()
    assert [page.count(told) for told in ("✓ yes", "✗ no", "≈ mostly", "9 of 9")] == [2, 1, 1, 0]
    assert "<b>&lt;b&gt;</b>" in page and "1 &lt; 2" in page
    assert repr(ClaimsTable(CLAIMS)).splitlines()[0].strip() == "1 ahead: ours: yes, text: no"
