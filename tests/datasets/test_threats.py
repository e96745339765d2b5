"""The threat models and the toy are those of the paper."""

from __future__ import annotations

from math import inf

import pytest

from tests.datasets.parts import LOADERS, parts
from treant_viz.datasets import load_census, load_toy
from treant_viz.datasets.shipped import table

OCCUPATIONS = {
    *("Craft-repair", "Prof-specialty", "Exec-managerial", "Adm-clerical", "Sales", "Machine-op-inspct"),
    *("Transport-moving", "Handlers-cleaners", "Farming-fishing", "Tech-support", "Protective-serv"),
    *("Priv-house-serv", "Armed-Forces"),
}
WINE = {
    ("alcohol", (0, 11), (0, 0.5), 20),
    ("residual_sugar", (2, inf), (-0.25, 0), 30),
    ("volatile_acidity", (0.25, inf), (-0.1, 0), 30),
    ("free_sulfur_dioxide", (25, inf), (-2, 0), 50),
}
CENSUS = {
    ("workclass", frozenset({"Never-worked"}), "Without-pay", 1),
    ("marital_status", frozenset({"Divorced", "Separated"}), "Never-married", 1),
    ("occupation", frozenset(OCCUPATIONS), "Other-service", 1),
    ("capital_gain", (0, inf), (0, 2000), 50),
    ("hours_per_week", (0, inf), (0, 4), 100),
}
CREDIT = {
    ("PAY_0", (-1, 5), (-1, 0), 10),
    ("PAY_2", (-1, 5), (-1, 0), 10),
    ("BILL_AMT1", (20000, 500000), (-4000, 0), 10),
    ("LIMIT_BAL", (0, 200000), (0, 20000), 10),
}
THREATS = [
    ("wine", "paper", WINE, (20, 40, 60, 80, 100, 120)),
    ("wine", "authors", WINE, (20, 40, 60, 80, 100, 120)),
    ("census", "paper", CENSUS | {("education_num", (-inf, inf), (-1, 0), 20)}, (30, 60, 90, 120)),
    ("census", "authors", CENSUS | {("education_num", (13, 16), (-1, 0), 20)}, (30, 60, 90, 120)),
    ("credit", "paper", CREDIT, (10, 30, 40, 60)),
    ("credit", "authors", CREDIT, (10, 30, 40, 60)),
]


@pytest.mark.parametrize("name, protocol, rules, budgets", THREATS)
def test_threat_models_are_the_papers(
    name: str, protocol: str, rules: set[object], budgets: tuple[int, ...]
) -> None:
    d = LOADERS[name](protocol)
    found = [
        (r.feature, r.pre if r.categorical else tuple(r.pre), r.becomes or tuple(r.delta), r.cost)
        for r in d.attacker.rules
    ]
    assert set(found) == rules and len(found) == len(rules)
    assert d.budgets == budgets
    assert d.attacker.budget == max(budgets)
    assert set(d.attacker.features) <= set(d.feature_names)


def test_every_occupation_but_other_service_can_be_hidden() -> None:
    assert set(table("census")["occupation"].cat.categories) == OCCUPATIONS | {"Other-service"}


def test_rule_on_never_worked_applies_to_no_row() -> None:
    assert all("Never-worked" not in set(X["workclass"]) for X, _ in parts(load_census()))


def test_toy_is_the_papers_figure() -> None:
    toy = load_toy()
    assert list(toy.X.columns) == ["p", "q"] and list(toy.X.index) == [f"x{i}" for i in range(7)]
    assert toy.X["p"].tolist() == [-7, -5, 1, 3, 3, 3, 3]
    assert toy.X["q"].tolist() == [1, 2, 3, 3, 4, 4, 4]
    assert toy.y.tolist() == [-2, -1, 0, 2, 2, 2, 2] and toy.y.dtype == float
    (rule,) = toy.attacker.rules
    assert (rule.feature, tuple(rule.pre), tuple(rule.delta), rule.cost) == ("p", (-inf, inf), (-1, 1), 1)
    assert toy.attacker.budget == 1


def test_toy_changes_do_not_leak() -> None:
    toy = load_toy()
    toy.X.loc["x0", "p"] = 0.0
    toy.y[0] = 0.0
    assert load_toy().X.loc["x0", "p"] == -7 and load_toy().y[0] == -2
