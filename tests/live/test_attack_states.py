"""The facts of attacks on a tree: they are what the attack itself finds, fit their schema, and are small."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import treant_viz as tv
from treant_viz.core.tree import at, goes_left, nodes
from treant_viz.experiments.toy import toy_panels
from treant_viz.live.explore.attack import explore_attack
from treant_viz.viz.attack_path.facts import invariance, ways

jsonschema = pytest.importorskip("jsonschema")
SCHEMA = json.loads((Path(tv.__file__).parent / "live/schemas/attack.json").read_text())
TOY, ROWS = tv.load_toy(), 400


@cache
def panels() -> dict:
    return {p.name: p.tree for p in toy_panels()}


def toy(panel="(c)", **more):
    return explore_attack(panels()[panel], TOY.X, TOY.y, TOY.attacker, **more)


@cache
def fitted(data: str, rows: int = ROWS):
    """A model of depth 4 or more that expects no attack, its rows, and the attacker."""
    d = getattr(tv, f"load_{data.partition('_')[0]}")()
    X, y = d.X_train[:rows], np.asarray(d.y_train[:rows])
    if data.endswith("sklearn"):
        model = DecisionTreeClassifier(max_depth=4, min_samples_leaf=5, random_state=0).fit(X, y)
    else:
        model = tv.TreantClassifier(max_depth=5, min_samples_split=20).fit(X, y)
    return model, X, y, d.attacker


EXPLORERS = {
    "toy": toy,
    "after": lambda: toy(after=panels()["(d)"]),
    "wine": lambda: explore_attack(*fitted("wine")),
    "wine_sklearn": lambda: explore_attack(*fitted("wine_sklearn")),
    "census": lambda: explore_attack(*fitted("census")),
}


@pytest.mark.parametrize("name", EXPLORERS)
def test_facts_fit_their_schema(name):
    jsonschema.validate(EXPLORERS[name]().page_facts(), SCHEMA)


@pytest.mark.parametrize("data", ["wine", "census"])
def test_a_page_of_a_thousand_rows_has_less_than_300_kB_of_facts(data):
    explorer = explore_attack(*fitted(data, 1000))
    assert len(json.dumps(explorer.page_facts(), separators=(",", ":"))) < 300_000
    assert len(explorer.page_facts()["rows"]["at"]) == 1000


def test_a_page_that_has_no_room_keeps_the_rows_that_lose_most_and_the_present_one(monkeypatch):
    explorer = explore_attack(*fitted("wine"), row=77)
    all_rows = explorer.page_facts()["rows"]["at"]
    monkeypatch.setattr("treant_viz.live.explore.base.ROOM", 20_000)
    facts = explorer.page_facts()
    kept = facts["rows"]["at"]
    assert len(json.dumps(facts, separators=(",", ":"))) <= 20_000
    assert 1 < len(kept) < len(all_rows) and 77 in kept
    assert [r for r in kept if r != 77] == [r for r in all_rows if r != 77][: len(kept) - (77 in kept)]
    assert facts["trees"][0]["loss_under_attack"] == explorer.facts()["trees"][0]["loss_under_attack"]


def shown(facts, tree, place, budget) -> dict:
    """By path, from the facts alone: what each leaf in reach costs, and by which moves."""
    out = {}
    for leaf, cost, chains in zip(
        tree["leaf"][place], tree["cost"][place], tree["attack"][place], strict=True
    ):
        moves = [m for chain in chains for m in facts["chains"][chain]]
        steps = [tuple(facts["moves"][n][m] for n in ("feature", "before", "after", "cost")) for m in moves]
        named = [(facts["features"][f]["name"], *rest) for f, *rest in steps]
        if tree["costs"][cost] <= budget:
            out[tree["leaves"]["path"][leaf]] = tree["costs"][cost], named
    return out


def close(a, b) -> bool:
    return a == b or (not isinstance(a, str) and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9))


@pytest.mark.parametrize("name", ["toy", "wine", "wine_sklearn", "census"])
def test_costs_moves_losses_and_own_ways_are_those_of_each_row_alone(name):
    explorer, rng = EXPLORERS[name](), np.random.default_rng(1)
    facts, bare = explorer.facts(), explorer.trees[0]
    tree = facts["trees"][0]
    for row in rng.permutation(len(explorer.X))[:12].tolist():
        budget = float(rng.choice(tree["costs"]))
        place = facts["rows"]["at"].index(row)
        x, A = explorer.X.iloc[[row]], explorer.attacker.with_budget(budget)
        alone = ways(bare, x, float(explorer.numbers[row]), A, explorer.loss_name)
        found = shown(facts, tree, place, budget)
        assert set(found) == set(alone.attacks)
        for path, (cost, moves) in found.items():
            assert close(cost, alone.attacks[path].cost)
            there = [(m.feature, m.before, m.after, m.cost) for m in alone.attacks[path].moves]
            assert all(map(close, sum(moves, ()), sum(there, ()))) and len(moves) == len(there)
        losses = dict(zip(tree["leaves"]["path"], tree["losses"][facts["rows"]["label"][place]], strict=True))
        assert all(close(math.inf if v is None else v, alone.losses[p]) for p, v in losses.items())
        assert tree["leaves"]["path"][tree["home"][place]] == alone.home
        bits = "".join(f"{int(c, 16):04b}" for c in tree["own"][place])
        assert {p: "rl"[int(b)] for p, b in zip(tree["tests"]["path"], bits, strict=False)} == alone.own


@pytest.mark.parametrize("name", ["toy", "wine_sklearn", "census"])
def test_the_leaves_on_the_way_are_where_the_rewritten_row_falls(name):
    explorer = EXPLORERS[name]()
    facts, bare, checked = explorer.facts(), explorer.trees[0], 0
    tree = facts["trees"][0]
    for place, row in enumerate(facts["rows"]["at"]):
        for chains, stops in zip(tree["attack"][place], tree["stops"][place], strict=True):
            moves = [m for chain in chains for m in facts["chains"][chain]]
            assert len(stops) == max(0, len(moves) - 1)
            if not stops or checked > 40:
                continue
            x = explorer.X.iloc[[row]].astype(object)
            for m, stop in zip(moves, stops, strict=False):
                x[facts["features"][facts["moves"]["feature"][m]]["name"]] = facts["moves"]["after"][m]
                M, path = explorer.attacks[0].schema.matrix(x.infer_objects()), ""
                while path in dict(nodes(bare)):
                    left = goes_left(at(bare, path), M, np.arange(1), explorer.attacks[0].schema)[0]
                    path += "l" if left else "r"
                assert path == tree["leaves"]["path"][stop]
                checked += 1
    assert checked


@pytest.mark.parametrize("name", ["toy", "wine", "wine_sklearn", "census"])
def test_totals_are_those_of_the_attack(name):
    explorer = EXPLORERS[name]()
    tree = explorer.facts()["trees"][0]
    for cost, total in list(zip(tree["costs"], tree["loss_under_attack"], strict=True))[::2]:
        A = explorer.attacker.with_budget(cost)
        expected = tv.loss_under_attack(explorer.model, explorer.X, explorer.y, A, explorer.loss_name)
        assert close(math.inf if total is None else total, expected)
    natural = tv.attack(explorer.model, explorer.X, explorer.y, explorer.attacker, explorer.loss_name)
    assert close(math.inf if tree["loss"] is None else tree["loss"], natural.clean_losses.sum())


def test_the_papers_panels():
    tree = toy("(c)").facts()["trees"][0]
    under = dict(zip(tree["costs"], tree["loss_under_attack"], strict=True))
    assert (tree["loss"], under[0], under[1]) == (
        pytest.approx(3.39),
        pytest.approx(3.39),
        pytest.approx(3.7),
    )
    tree = toy("(e)").facts()["trees"][0]
    under = dict(zip(tree["costs"], tree["loss_under_attack"], strict=True))
    assert (tree["loss"], under[1]) == (pytest.approx(3), pytest.approx(3))


@pytest.mark.parametrize("panel", ["(d)", "(e)"])
def test_attack_invariance_is_tabulated_for_all_budgets(panel):
    before, after = panels()["(c)"], panels()[panel]
    facts = toy(after=after).facts()
    known = facts["invariance"]
    for place, row in enumerate(facts["rows"]["at"]):
        for k, cost in enumerate(known["costs"]):
            A, x, y = TOY.attacker.with_budget(cost), TOY.X.iloc[[row]], TOY.y[row]
            verdict = invariance(ways(before, x, y, A), ways(after, x, y, A), known["path"])
            assert known["verdict"][place][k] == verdict[0]


def test_rows_are_sorted_by_what_they_lose():
    explorer = EXPLORERS["wine_sklearn"]()
    result = tv.attack(explorer.model, explorer.X, explorer.y, explorer.attacker)
    with np.errstate(invalid="ignore"):
        gained = np.nan_to_num(result.losses - result.clean_losses, nan=0.0, posinf=np.inf)
    order = gained[explorer.facts()["rows"]["at"]]
    assert (order[:-1] >= order[1:] - 1e-9).all()
