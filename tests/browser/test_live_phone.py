"""All live pictures on a phone: one page of them, on data with long names and thousands of values."""

from __future__ import annotations

import pytest

import treant_viz as tv
from tests.browser.live import ON_EACH_OTHER
from treant_viz import live
from treant_viz.live.page import document, place

SMALLEST = """(within) => Math.min(...[...document.querySelectorAll(`${within} :is(text, p, button, select)`)]
  .filter((e) => e.textContent.trim() && e.checkVisibility({visibilityProperty: true}))
  .map((e) => parseFloat(getComputedStyle(e).fontSize)))"""


@pytest.fixture(scope="module")
def explorers():
    data = tv.load_census()
    X, y, A = data.X_train[:300].reset_index(drop=True), data.y_train[:300], data.attacker
    robust = tv.TreantClassifier(A, max_depth=3).fit(X, y)
    plain = tv.TreantClassifier(None, max_depth=3).fit(X, y)
    forest = tv.TreantForestClassifier(n_estimators=5, attacker=None, max_depth=3, random_state=0).fit(X, y)
    return {
        "split": live.explore_split(X, y, A),
        "growth": live.explore_growth(robust, step=len(robust.trace_) - 1),
        "constraints": live.explore_constraints(robust),
        "attack": live.explore_attack(plain, X[:60], y[:60], A),
        "forest": live.explore_forest(forest, X[:60], y[:60], A),
        "surface": live.explore_surface(robust),
        "search": live.explore_search(robust),
        "space": live.explore_space(plain, X, y, A),
        "curves": live.explore_curves(tv.load_results()),
        "attacker": live.build_attacker(X, attacker=A),
    }


def test_no_words_stand_on_each_other_or_beyond_the_edge(watched, explorers, tmp_path):
    given = {name: ex.given() for name, ex in explorers.items()}
    page = document("all", "".join(place(name, "") for name in given), given, "body { margin: 0 1rem; }")
    (tmp_path / "all.html").write_text(page, "utf-8")
    tab = watched.tab
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.emulate_media(reduced_motion="reduce")
    tab.goto((tmp_path / "all.html").as_uri())
    tab.locator("#attacker .tv-live svg").first.wait_for()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    wrong = {name: tab.evaluate(ON_EACH_OTHER, f"#{name}") for name in given}
    assert {name: words for name, words in wrong.items() if words} == {}
    assert min(tab.evaluate(SMALLEST, f"#{name}") for name in given) >= 11.5  # raised letters are smaller
