"""The threat models (paper, "Datasets and Threat Models"), one JSON file each in `threats/`.

`THREATS` is where the files come from: `write_threats` writes them, `load_threat` reads them. "Up to" is an
interval of changes that includes 0. Preconditions are closed intervals. Text and authors' rule files agree,
with two exceptions:

- census, `education_num`: the text has no precondition, the authors' file [13, 16];
- credit, `PAY_0` and `PAY_2`: the text's "delayed up to 5 months" is [-1, 5] in the authors' file (-1 is
  "paid duly"). The interval is the same under both protocols, but "authors" applies it to binned values,
  nearly all of which are one month lower than UCI's.

Not the paper's: `quality`, its attacker of wine before a regression, and `diabetes` (see `regression`).
"""

from __future__ import annotations

from importlib.resources import as_file
from math import inf
from pathlib import Path

from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.datasets.shipped import HERE

BUDGETS: dict[str, tuple[int, ...]] = {
    "wine": (20, 40, 60, 80, 100, 120),
    "census": (30, 60, 90, 120),
    "credit": (10, 30, 40, 60),
}
REGRESSION_BUDGETS: dict[str, tuple[int, ...]] = {"quality": (20, 60, 120), "diabetes": (20, 60, 120)}

TOY = (Rule("p", 1, delta=(-1, 1)),)

WINE = (
    Rule("alcohol", 20, pre=(0, 11), delta=(0, 0.5)),
    Rule("residual_sugar", 30, pre=(2, inf), delta=(-0.25, 0)),
    Rule("volatile_acidity", 30, pre=(0.25, inf), delta=(-0.1, 0)),
    Rule("free_sulfur_dioxide", 50, pre=(25, inf), delta=(-2, 0)),
)

OTHER_OCCUPATIONS = frozenset(
    [
        "Adm-clerical",
        "Armed-Forces",
        "Craft-repair",
        "Exec-managerial",
        "Farming-fishing",
        "Handlers-cleaners",
        "Machine-op-inspct",
        "Priv-house-serv",
        "Prof-specialty",
        "Protective-serv",
        "Sales",
        "Tech-support",
        "Transport-moving",
    ]
)


def census_rules(education: tuple[float, float] | None) -> tuple[Rule, ...]:
    """The six rules on census; `education` is the precondition on education_num."""
    return (
        Rule("workclass", 1, pre={"Never-worked"}, becomes="Without-pay"),
        Rule("marital_status", 1, pre={"Divorced", "Separated"}, becomes="Never-married"),
        Rule("occupation", 1, pre=OTHER_OCCUPATIONS, becomes="Other-service"),
        Rule("education_num", 20, pre=education, delta=(-1, 0)),
        Rule("capital_gain", 50, pre=(0, inf), delta=(0, 2000)),
        Rule("hours_per_week", 100, pre=(0, inf), delta=(0, 4)),
    )


CREDIT = (
    Rule("PAY_0", 10, pre=(-1, 5), delta=(-1, 0)),
    Rule("PAY_2", 10, pre=(-1, 5), delta=(-1, 0)),
    Rule("BILL_AMT1", 10, pre=(20_000, 500_000), delta=(-4_000, 0)),
    Rule("LIMIT_BAL", 10, pre=(0, 200_000), delta=(0, 20_000)),
)

DIABETES = (
    Rule("bmi", 20, pre=(25, inf), delta=(-1, 0)),
    Rule("bp", 30, pre=(90, inf), delta=(-5, 0)),
    Rule("s6", 30, pre=(90, inf), delta=(-5, 0)),
    Rule("s5", 50, pre=(4.6, inf), delta=(-0.2, 0)),
)

THREATS: dict[str, Attacker] = {
    "toy": Attacker(TOY, 1),
    "wine-paper": Attacker(WINE, max(BUDGETS["wine"])),
    "wine-authors": Attacker(WINE, max(BUDGETS["wine"])),
    "census-paper": Attacker(census_rules(education=None), max(BUDGETS["census"])),
    "census-authors": Attacker(census_rules(education=(13, 16)), max(BUDGETS["census"])),
    "credit-paper": Attacker(CREDIT, max(BUDGETS["credit"])),
    "credit-authors": Attacker(CREDIT, max(BUDGETS["credit"])),
    "quality": Attacker(WINE, max(REGRESSION_BUDGETS["quality"])),
    "diabetes": Attacker(DIABETES, max(REGRESSION_BUDGETS["diabetes"])),
}


def load_threat(name: str) -> Attacker:
    """The attacker in `threats/<name>.json`, with the largest budget of its data set."""
    with as_file(HERE / "threats" / f"{name}.json") as path:
        return Attacker.from_json(path)


def write_threats(folder: Path) -> None:
    """One JSON file per threat model."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, attacker in THREATS.items():
        attacker.to_json(folder / f"{name}.json")


__all__ = ["BUDGETS", "REGRESSION_BUDGETS", "THREATS", "load_threat", "write_threats"]
