"""Answers to the exercises of notebook 13: a threat model on census; its numbers by scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

import treant_viz as tv
from tests.course.exercises.cases import Case
from treant_viz.course import capstone

RULES = [
    tv.Rule("hours_per_week", cost=10, pre=(20, 60), delta=(0, 5)),
    tv.Rule("education_num", cost=30, pre=(9, 12), delta=(0, 1)),
    tv.Rule("occupation", cost=20, pre={"Adm-clerical", "Sales"}, becomes="Exec-managerial"),
]
MINE = tv.Attacker(RULES, budget=60)
REASONS = [f"Somebody can do this for reason number {i}." for i in range(3)]


class Once:
    """What the right answers need, worked out when it is first asked for."""

    def __init__(self) -> None:
        self.given = capstone.sample("census")
        self.models = capstone.contenders(self.given, MINE)

    def scores(self, name: str, rows: str, budget: float) -> np.ndarray:
        X, y = self.rows(rows)
        return tv.attack(self.models[name], X, y, MINE.with_budget(budget)).scores

    def rows(self, rows: str):
        g = self.given
        return (g.X, g.y) if rows == "train" else (g.X_test, g.y_test)

    def table(self, rows: str = "test") -> dict[str, tuple[float, float]]:
        y = self.rows(rows)[1]
        return {
            name: tuple(roc_auc_score(y, self.scores(name, rows, budget)) for budget in (0, MINE.budget))
            for name in self.models
        }

    def p_value(self) -> float:
        y = self.given.y_test
        right = [(self.scores(name, "test", 60) >= 0.5) == (y == 1) for name in ("robust", "dropping")]
        return float(tv.mcnemar(*right).p_value)


def page(
    table, answer: str, limits: str = "One sample, one seed, guessed prices, and no other attacker."
) -> str:
    """The words of a page, without its picture."""
    parts = capstone._parts(capstone.sample("census"), MINE, REASONS, table, answer, limits)
    return "\n\n".join("\n".join([title, *lines]) for title, lines in parts.items())


ONCE = Once()
SEVEN = tv.Attacker([tv.Rule(f, 9, delta=(0, 1)) for f in capstone.sample("wine").X.columns[:7]], budget=20)
TABLE, TRAIN, P = ONCE.table(), ONCE.table("train"), ONCE.p_value()
GOOD = "I would take the dropping forest, since the robust one is no better beyond chance; it costs a little."


def with_rules(*rules: tv.Rule, budget: float = 60) -> tuple[str, tv.Attacker, list[str]]:
    return "census", tv.Attacker(rules, budget), REASONS[: len(rules)]


def swapped(table):
    return {name: (b, a) for name, (a, b) in table.items()}


CASES = {
    "13.1": Case(
        right=[("census", MINE, REASONS), ["census", MINE, tuple(REASONS)]],
        wrong=[
            (("cars", MINE, REASONS), "The data are one of wine, census, credit"),
            (("census", RULES, REASONS), "An attacker is expected"),
            (("wine", MINE, REASONS), "the table has no column 'hours_per_week'"),
            (with_rules(*RULES[:2]), "3 to 12 rules are asked for"),
            (("wine", SEVEN, ["Why not, after all?"] * 7), "Rules on 6 features are enough"),
            (with_rules(*RULES, budget=5), "pay for the cheapest rule at least once"),
            (with_rules(*RULES, budget=10**9), "at most 30 times"),
            (with_rules(*RULES[:2], tv.Rule("age", 5, pre=(200, 300), delta=(0, 1))), "applies to none"),
            (with_rules(*RULES[:2], tv.Rule("sex", 5, delta=(0, 1))), "sex is a category"),
            (with_rules(*RULES[:2], tv.Rule("occupation", 5, pre={"Sales"}, becomes="Baker")), "'Baker'"),
            (with_rules(*(tv.Rule("age", c, pre=(20, 60), delta=(0, c)) for c in (5, 6, 7))), "one feature"),
            (
                with_rules(*(tv.Rule(f, 5, delta=(0, 1)) for f in ("age", "education_num", "capital_gain"))),
                "applies to every row",
            ),
            (("census", ONCE.given.papers, ["Five words make a reason."] * 6), "attacker of the paper"),
            (("census", MINE, REASONS[:2]), "A list of 3 reasons"),
            (("census", MINE, ["People lie.", *REASONS[1:]]), "is no reason yet"),
            (("census", MINE, [REASONS[0]] * 3), "the same reason"),
            ("census", "The answer has 3 parts"),
        ],
    ),
    "13.2": Case(
        right=[("census", MINE, TABLE)],
        wrong=[
            (("census", MINE, TRAIN), "the numbers of the training rows"),
            (("census", MINE, swapped(TABLE)), "the other way round"),
            (("census", MINE, {n: (a, a) for n, (a, _) in TABLE.items()}), "an attacker without a coin"),
            (("census", MINE, {n: (0.9, b) for n, (_, b) in TABLE.items()}), "the first number is not"),
            (("census", MINE, {n: (a, 0.9) for n, (a, _) in TABLE.items()}), "the second number is not"),
            (("census", MINE, {"robust": TABLE["robust"]}), "A dictionary with the names"),
            (("census", MINE, dict.fromkeys(TABLE, 0.8)), "two numbers are expected"),
            (("census", None, TABLE), "An attacker is expected"),
        ],
    ),
    "13.3": Case(
        right=[("census", MINE, P, "undecided")],
        wrong=[
            (("census", MINE, P, "robust"), "not unusual by chance"),
            (("census", MINE, 0.01, "robust"), "not McNemar's p-value"),
            (("census", MINE, P, "yes"), "The verdict is one of"),
            (("census", MINE, str(P), "undecided"), "A number is expected"),
        ],
    ),
    "13.4": Case(
        right=[("census", MINE, page(TABLE, GOOD))],
        wrong=[
            (("census", MINE, page(TABLE, ...)), "still missing"),
            (("census", MINE, page(dict.fromkeys(TABLE, ...), GOOD)), "still missing"),
            (("census", MINE, page(TRAIN, GOOD)), "not those on the test rows"),
            (("census", MINE, page(TABLE, "Yes, robust.")), "The answer is too short"),
            (("census", MINE, page(TABLE, GOOD, "Nothing.")), "what the page does not show"),
            (("census", MINE, page(TABLE, " ".join(["word"] * 20))), "names none of the three models"),
            (("census", tv.Attacker([*RULES[::-1][:2], tv.Rule("age", 9, pre=(1, 50), delta=(0, 1))], 60),
              page(TABLE, GOOD)), "does not say that the attacker has the rule"),
            (("census", MINE, 7), "The page is what write_page returns"),
        ],
    ),
}  # fmt: skip
