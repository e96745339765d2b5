"""Exercises of notebook 13: the capstone. Everything is worked out again, on the same rows."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

import numpy as np

from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.course.capstone import LOADERS, MISSING, TESTED, CapstoneSample, contenders, sample
from treant_viz.course.exercises.judge import Unanswered, Wrong, a_number, exercise
from treant_viz.evaluation import correct_under_attack, evaluate, mcnemar

NAMES = ("standard", "dropping", "robust")
LEAST_RULES, MOST_RULES, MOST_FEATURES, MOST_USES, WORDS = 3, 12, 6, 30, 5  # an attack has to end
CLOSE = 0.002  # numbers this close are the same


Pairs = dict[str, tuple[float, float]]


@lru_cache(maxsize=2)
def _models(name: str, attacker: str) -> tuple[CapstoneSample, Attacker, dict[str, Any]]:
    """Everything grown once more; the attacker comes as JSON."""
    given, A = sample(name), Attacker.from_dict(json.loads(attacker))
    return given, A, contenders(given, A)


@lru_cache(maxsize=4)
def _auc(name: str, attacker: str, *, test: bool) -> Pairs:
    """For each model the ROC AUC if nobody attacks and under attack: on test rows, or on those it knows."""
    given, A, models = _models(name, attacker)
    X, y = (given.X_test, given.y_test) if test else (given.X, given.y)
    idle = A.with_budget(0)
    return {
        n: (evaluate(m, X, y, idle)["roc_auc"], evaluate(m, X, y, A)["roc_auc"]) for n, m in models.items()
    }


@lru_cache(maxsize=4)
def _row_by_row(name: str, attacker: str) -> tuple[float, int]:
    """McNemar's p-value for robust and dropping, and on how many more rows robust is right."""
    given, A, models = _models(name, attacker)
    robust, dropping = (
        correct_under_attack(models[n], given.X_test, given.y_test, A) for n in ("robust", "dropping")
    )
    return float(mcnemar(robust, dropping).p_value), int(robust.sum()) - int(dropping.sum())


def _key(given: CapstoneSample, A: Attacker) -> tuple[str, str]:
    return given.name, json.dumps(A.to_dict(), sort_keys=True)


def _parts(answer: Any, count: int, names: str) -> tuple[Any, ...]:
    """The parts of an answer; one that is missing is no answer yet."""
    if not isinstance(answer, (tuple, list)) or len(answer) != count:
        raise Wrong(f"The answer has {count} parts: ({names}).")
    if any(part is ... for part in answer):
        raise Unanswered
    return tuple(answer)


def _threat(data: Any, attacker: Any) -> tuple[CapstoneSample, Attacker]:
    """The data and the attacker, if they fit each other."""
    if data not in LOADERS:
        raise Wrong(f"The data are one of {', '.join(LOADERS)}, not {data!r}.")
    if not isinstance(attacker, Attacker):
        raise Wrong(
            f"An attacker is expected: tv.Attacker([...], budget=...), not {type(attacker).__name__}."
        )
    given = sample(data)
    if wrong := _unsound(attacker, given):
        raise Wrong(wrong)
    return given, attacker


def _unsound(A: Attacker, given: CapstoneSample) -> str | None:
    """Why this attacker is none for these data."""
    if not LEAST_RULES <= len(A.rules) <= MOST_RULES:
        return f"{LEAST_RULES} to {MOST_RULES} rules are asked for, not {len(A.rules)}."
    if set(map(str, A.rules)) == set(map(str, given.papers.rules)):
        return "That is the attacker of the paper. Now yours!"
    for rule in A.rules:
        if wrong := _unsound_rule(rule, given):
            return f"{rule}: {wrong}"
    cheapest = min(rule.cost for rule in A.rules)
    if not (math.isfinite(A.budget) and 0 < cheapest <= A.budget <= MOST_USES * cheapest):
        return f"The budget should pay for the cheapest rule at least once, and at most {MOST_USES} times."
    if len(A.features) < 2:
        return "All rules are about one feature. Which other one could somebody change?"
    if len(A.features) > MOST_FEATURES:
        return f"Rules on {MOST_FEATURES} features are enough. Which of yours are the likeliest?"
    if all(_always(rule, given) for rule in A.rules):
        return "Every rule applies to every row. Give at least one of them a precondition."
    return None


def _applies(rule: Rule, given: CapstoneSample) -> np.ndarray:
    """The rows that the rule may be used on."""
    column = given.X[rule.feature]
    if rule.categorical:
        allowed = np.ones(len(column), dtype=bool) if rule.pre is None else column.isin(list(rule.pre))
        return np.asarray(allowed & (column != rule.becomes))
    low, high = (-math.inf, math.inf) if rule.pre is None else rule.pre
    return np.asarray((column >= low) & (column <= high))


def _always(rule: Rule, given: CapstoneSample) -> bool:
    if rule.categorical:
        return rule.pre is None
    return bool(_applies(rule, given).all())


def _unsound_rule(rule: Rule, given: CapstoneSample) -> str | None:
    if rule.feature not in given.X.columns:
        return f"the table has no column {rule.feature!r}."
    column = given.X[rule.feature]
    text = column.dtype.kind not in "biuf"
    if text != rule.categorical:
        return f"{rule.feature} is {'a category' if text else 'a number'}, the rule is about the other kind."
    if text and rule.becomes not in set(column.cat.categories):
        return f"nobody in the table has the value {rule.becomes!r}."
    if not text and tuple(rule.delta) == (0, 0):
        return "this rule adds nothing."
    return None if _applies(rule, given).any() else "it applies to none of the rows."


@exercise(
    "13.1",
    hints=(
        "Put yourself in somebody's place: what do they fill in, report or measure themselves? What would a "
        "lie, or an honest change, cost them?",
        'A rule such as tv.Rule("hours_per_week", cost=10, pre=(20, 60), delta=(0, 5)); three of them, and '
        "for each a sentence that says why somebody can do this, and why not more.",
    ),
    praise="A threat model that can be discussed: whoever disagrees can point at a rule.",
)
def threat_model(answer: Any) -> str | None:
    """(data, attacker, reasons): an attacker that fits the data, and a reason for each rule."""
    data, attacker, reasons = _parts(answer, 3, "data, mine, reasons")
    _, A = _threat(data, attacker)
    if not isinstance(reasons, (list, tuple)) or len(reasons) != len(A.rules):
        return f"A list of {len(A.rules)} reasons is expected, one for each rule."
    if any(reason is ... for reason in reasons):
        raise Unanswered
    short = [reason for reason in reasons if not isinstance(reason, str) or len(reason.split()) < WORDS]
    if short:
        return f"{short[0]!r} is no reason yet: say in a sentence who can do this, and what limits them."
    return None if len(set(reasons)) == len(reasons) else "Two rules have the same reason."


@exercise(
    "13.2",
    hints=(
        'tv.evaluate(model, X_test, y_test, attacker)["roc_auc"] is the second number of a model. The first '
        "one is the same with a budget of 0.",
        "For every name: evaluate with attacker.with_budget(0), then with attacker, both on given.X_test and "
        "given.y_test.",
    ),
    praise="Three models, the same rows, the same attacker: a fair comparison.",
)
def measured(answer: Any) -> str | None:
    """(data, attacker, table): for each model ROC AUC on the test rows, before and under attack."""
    data, attacker, table = _parts(answer, 3, "data, mine, table")
    given, A = _threat(data, attacker)
    if not isinstance(table, dict) or set(table) != set(NAMES):
        return f"A dictionary with the names {', '.join(NAMES)} is expected."
    for name in NAMES:
        if table[name] is ...:
            raise Unanswered
        if not isinstance(table[name], (tuple, list)) or len(table[name]) != 2:
            return f"{name}: two numbers are expected, (if nobody attacks, under attack)."
        pair = a_number(table[name][0]), a_number(table[name][1])
        if not _close(pair, _auc(*_key(given, A), test=True)[name]):
            return f"{name}: {_wrong_pair(pair, name, _key(given, A))}"
    return None


def _close(pair: tuple[float, float], other: tuple[float, float]) -> bool:
    return all(abs(a - b) < CLOSE for a, b in zip(pair, other, strict=True))


def _wrong_pair(pair: tuple[float, float], name: str, key: tuple[str, str]) -> str:
    """What may have gone wrong with a model's two numbers."""
    before, after = _auc(*key, test=True)[name]
    if _close(pair, (after, before)):
        return "the other way round: first if nobody attacks, then under attack."
    if _close(pair, (before, before)):
        return "the second number is that of an attacker without a coin."
    if _close(pair, _auc(*key, test=False)[name]):
        return "these are the numbers of the training rows. The model knows those; attack the test rows."
    which = "first" if abs(pair[0] - before) >= CLOSE else "second"
    return f"the {which} number is not the ROC AUC on the {TESTED} test rows."


VERDICTS = ("robust", "dropping", "undecided")


@exercise(
    "13.3",
    hints=(
        "correct_under_attack(model, X_test, y_test, attacker) says which rows a model gets right; "
        "tv.mcnemar takes two of these.",
        "With a p-value of 0.05 or more the answer is undecided, whoever is ahead.",
    ),
    praise="Now you know what you may write, and what you may not.",
)
def verdict(answer: Any) -> str | None:
    """(data, attacker, p, verdict): is robust or dropping right on more rows under attack, beyond chance?"""
    data, attacker, p_value, verdict = _parts(answer, 4, "data, mine, p_value, verdict")
    given, A = _threat(data, attacker)
    if verdict not in VERDICTS:
        return f"The verdict is one of {', '.join(VERDICTS)}, not {verdict!r}."
    true_p, lead = _row_by_row(*_key(given, A))
    if abs(a_number(p_value) - true_p) > CLOSE:
        return "That is not McNemar's p-value for robust and dropping, both under attack on the test rows."
    if true_p >= 0.05:
        return None if verdict == "undecided" else "A difference like this one is not unusual by chance."
    right = "robust" if lead > 0 else "dropping"
    return None if verdict == right else "The p-value is small: one of the two models is right on more rows."


@exercise(
    "13.4",
    hints=(
        "Read your page aloud to somebody who has not taken this course. What do they ask?",
        "The answer names the model that you would use, and what it costs on a good day. The limits name "
        "something that nobody has tested: another sample, other rules, a richer attacker.",
    ),
    praise="A page that somebody can act on, and that says where it ends.",
)
def page_of_results(answer: Any) -> str | None:
    """(data, attacker, page): the page names all rules, all numbers, an answer and its limits."""
    data, attacker, page = _parts(answer, 3, "data, mine, page")
    given, A = _threat(data, attacker)
    if not isinstance(page, str):
        raise Wrong("The page is what write_page returns.")
    if MISSING in page:
        raise Wrong(
            f"Something is {MISSING[1:-1]} on the page: a reason, a number, the answer or its limits."
        )
    for rule in A.rules:
        if str(rule) not in page:
            return f"The page does not say that the attacker has the rule {rule}."
    for name, (before, after) in _auc(*_key(given, A), test=True).items():
        if f"{name}: {before:.3f}" not in page or f"{after:.3f} under" not in page:
            return f"The numbers of the {name} model on the page are not those on the test rows."
    return _too_short(page)


def _too_short(page: str) -> str | None:
    """Whether the last two parts, which only a human can write, are there."""
    *_, answer, limits = (part.partition("\n")[2] for part in page.split("\n\n", 3))
    if len(answer.split()) < 3 * WORDS:
        return "The answer is too short: which model, for whom, and at what price on a good day?"
    if len(limits.split()) < 2 * WORDS:
        return "Say more about what the page does not show."
    if not any(name in answer for name in NAMES):
        return "The answer names none of the three models."
    return None
