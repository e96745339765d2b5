"""Live certificates in a browser: whatever the hand does, every number is what the certificates say."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import treant_viz as tv
from tests.browser.live import AXE, speed
from tests.live.test_certificate import explorer, problem
from treant_viz.live import explore_certificate
from treant_viz.live.explore.row_explorer import named

STATES = 50  # of each of the data sets
KEYS = ["ArrowRight", "ArrowLeft", "Home", "End", "PageDown", "PageUp"]
STATE = """() => { const get = (control, name) =>
  document.querySelector(`[data-control=${control}]`).getAttribute(name);
  return [get('budget', 'aria-valuenow'), get('row', 'aria-valuetext')]; }"""


def state_of(page) -> tuple[float, str]:
    """What the controls say: the budget, and what the row is called."""
    budget, name = page.tab.evaluate(STATE)
    return float(budget), name


@cache
def told(which):
    model, X, A, _, options = problem(which)
    return tv.certify(model, X, A, **options)


def score_of(which, Z) -> float:
    model = problem(which)[0]
    return float(model.predict(Z)[0] if which == "toy" else model.predict_proba(Z)[0, 1])


@cache
def bill(which, row) -> dict:
    """Costs, and the model's own score after each move."""
    X, known = problem(which)[1], told(which).iloc[row]
    Z, out = X.iloc[[row]].copy(), {"safe_below": known.safe_below, "changes_at": known.changes_at}
    out["score_before"] = score_of(which, Z)
    for k, m in enumerate(known.moves, 1):
        Z[m.rule.feature] = m.after
        out |= {f"move_{k}_cost": m.rule.cost, f"score_{k}": score_of(which, Z)}
    return out | {"score_after": score_of(which, Z)}


def expected(which, state) -> dict:
    """The numbers of a state, from the certificates themselves."""
    model, X, _, y, _ = problem(which)
    budget, name = state
    row = next(r for r in range(len(X)) if named(X, r) == name)
    certificates, within = told(which), budget * (1 + 1e-9)
    stake = np.ones(len(X), bool) if y is None else certificates.prediction.to_numpy() == y
    groups = [stake]
    if which != "toy":
        labels = certificates.prediction.to_numpy() if y is None else y
        groups += [stake & (labels == c) for c in model.classes_]
    out = {"budget": budget, **bill(which, row)}
    out |= {f"safe_{k}": int((certificates.safe_below[g] > within).sum()) for k, g in enumerate(groups)}
    bought = certificates[stake & (certificates.changes_at <= within).to_numpy()].moves
    for i, f in enumerate(explorer_features(which)):
        costs = [[m.rule.cost for m in path if m.rule.feature == f] for path in bought]
        out |= {f"paid_{i}": sum(map(sum, costs)), f"uses_{i}": sum(map(bool, costs))}
    return out


@cache
def explorer_features(which) -> list[str]:
    """The attacked features in the order of the picture."""
    return [f["name"] for f in explorer(which).facts()["features"]]


def wander(page, rng) -> None:
    """A move of the hand."""
    move = rng.integers(0, 4)
    if move == 0:
        page.press("row", *rng.choice(KEYS, 3))
    elif move == 1:
        page.press("budget", *rng.choice(KEYS[:4], 2))
    elif move == 2:
        page.drag("budget", rng.uniform(0.02, 0.5))
    else:
        box = page.tab.locator(".tv-strip-ground").bounding_box()
        page.tab.mouse.click(box["x"] + rng.uniform(0.01, 0.99) * box["width"], box["y"] + 20)
        page.tab.mouse.move(2, 2)
        page.settle()


@pytest.mark.parametrize("which", ["toy", "wine", "unlabelled", "census", "doubt"])
def test_every_number_is_what_certificates_say_whatever_the_hand_does(opened, which):
    rng, seen = np.random.default_rng(5), set()
    page = opened(explorer(which))
    must = {"budget", "safe_0", "paid_0", "uses_0", "score_before"}
    for _ in range(STATES):
        wander(page, rng)
        state = state_of(page)
        truth = expected(which, state)
        more = {"safe_below"} if truth["safe_below"] < math.inf else set()
        more |= {"changes_at", "score_after", "move_1_cost"} if truth["changes_at"] < math.inf else set()
        page.agrees(truth, must | more)
        seen.add(state)
    assert len(seen) >= 10 and len({budget for budget, _ in seen}) > 1


def test_titles_and_bills_say_what_the_budget_does(opened):
    ex = explorer()
    page, certificates = opened(ex), told("wine")
    cost = certificates.changes_at[ex.row]
    levels = ex.facts()["levels"]
    for budget in levels:
        page.press("budget", *(["Home"] + ["ArrowRight"] * levels.index(budget)))
        enough = "is enough" if budget >= cost else "is not enough"
        assert f"{budget:g} {enough}" in page.tab.locator(".tv-picture").inner_text()
        static = tv.CertificateDisplay.from_table(
            problem("wine")[0], ex.X, ex.y, problem("wine")[2].with_budget(budget), rows=1
        )
        assert page.tab.locator(".tv-title").inner_text().split(":")[0] == static.title.split(";")[0]


def test_the_line_stands_at_its_budget_and_the_dots_at_the_shares(opened):
    ex = explorer("wine", budget=40)
    page = opened(ex)
    at = page.tab.evaluate(
        "() => [...document.querySelectorAll('.tv-certificate svg .tv-dot')]"
        ".map(e => [Number(e.getAttribute('cx')), Number(e.getAttribute('cy'))])"
    )
    grid = page.tab.locator(".tv-grid").evaluate_all("all => all.map(e => Number(e.getAttribute('y1')))")
    bottom, top = max(grid), min(grid)
    truth = expected("wine", (40.0, named(ex.X, ex.row)))
    sizes = [g["n"] for g in ex.facts()["groups"]]
    for k, (x, y) in enumerate(at):
        assert x == at[0][0]
        share = truth[f"safe_{k}"] / sizes[k]
        assert (bottom - y) / (bottom - top) == pytest.approx(share, abs=1e-3)
    bars = page.tab.locator(".tv-paid").evaluate_all("all => all.map(e => Number(e.getAttribute('width')))")
    paid = [truth[f"paid_{i}"] for i in range(len(bars))]
    assert [b / max(bars) for b in bars] == pytest.approx([p / max(paid) for p in paid], abs=1e-3)


def test_rows_are_found_and_what_a_page_does_not_hold_is_said(opened, monkeypatch):
    monkeypatch.setattr("treant_viz.live.explore.certificate.LISTED", 20)
    ex = explorer()
    page, at = opened(ex), ex.page_facts()["rows"]["at"]
    other = next(r for r in range(300) if r not in at)
    box, strip = page.control("find"), page.tab.locator(".tv-strip-ground").bounding_box()
    for text, words in (
        (str(at[3]), ""),
        (str(other), "is not in this page, which holds"),
        ("x", "no row is"),
    ):
        box.fill(text)
        box.press("Enter")
        page.settle()
        assert words in page.tab.locator("[role=alert]").inner_text()
        assert state_of(page)[1] == f"row {at[3]}"
    page.tab.mouse.move(strip["x"] + 2, strip["y"] + 10)
    page.settle()
    assert page.facts()["hovered"] == [told("wine").safe_below[at[0]]]


@speed
def test_a_thousand_rows_answer_at_once(opened):
    model, _, A, _, _ = problem("wine")
    wine = tv.load_wine()
    page = opened(explore_certificate(model, wine.X_train[:1000], A, wine.y_train[:1000]))
    for control, keys in (("budget", ["ArrowLeft", "ArrowRight"]), ("row", ["ArrowRight", "ArrowLeft"])):
        times = [page.key_to_picture(control, key) for key in keys * 5]
        assert sorted(times)[5] < 50, control


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(opened, theme):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm ci in treant_viz/live/src")
    for which in ("wine", "toy", "doubt"):
        assert opened(explorer(which), theme=theme).accessibility() == []


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (390, 800)])
def test_the_picture_fits_the_window(opened, size):
    page = opened(explorer("census"), width=size[0], height=size[1])
    assert page.tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if size[0] > 1000:
        assert page.tab.evaluate("() => document.documentElement.scrollHeight <= innerHeight")


def test_names_are_text(opened):
    hostile = "<img src=x onerror=alert(1)>"
    X = problem("wine")[1]
    rows = X.rename(columns={"alcohol": hostile}, index={i: f"{hostile}{i}" for i in X.index})
    tree = tv.Node(hostile, 10.0, tv.Leaf(0.0), tv.Leaf(1.0))
    page = opened(
        explore_certificate([tree, tree], rows, tv.Attacker([tv.Rule(hostile, 1, delta=(0, 1))], 2))
    )
    assert page.tab.locator("img").count() == 0
    assert hostile[:8] in page.tab.locator(".tv-what").first.text_content()
