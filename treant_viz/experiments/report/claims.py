"""What the paper's text claims about its experiments, sentence by sentence, and whether our runs agree.

Every claim is a function of a `Judge`, which reads results in one of the views (see `results.VIEWS`). The
verdict comes from a share or a number with a bound that is part of the sentence printed: "yes" from 90 % of
the cases on, "mostly" from 70 % on, else "no".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from treant_viz.datasets import BUDGETS
from treant_viz.evaluation import METRICS
from treant_viz.experiments.report.results import VIEWS, Reading, Results
from treant_viz.experiments.schema import DATASETS


class Finding(NamedTuple):
    """A verdict ("yes", "mostly" or "no") and the numbers behind it."""

    verdict: str
    numbers: str


@dataclass(frozen=True, eq=False)
class Judge:
    """Results in one view, by the paper's names."""

    results: Results
    view: Reading

    def at(self, dataset: str, label: str, train: int, test: int, metric: str = "roc_auc") -> float:
        return self.results.value(self.view, dataset, label, train, test, metric)

    def same(self, label: str, metric: str, dataset: str, budget: int) -> float:
        """Trained and attacked at the same budget."""
        return self.at(dataset, label, budget, budget, metric)


CLAIMS: list[tuple[str, Callable[[Judge], Finding]]] = []


def claim(sentence: str) -> Callable[[Callable[[Judge], Finding]], Callable[[Judge], Finding]]:
    """Mark a function that judges a sentence of the paper."""

    def mark(judged: Callable[[Judge], Finding]) -> Callable[[Judge], Finding]:
        CLAIMS.append((sentence, judged))
        return judged

    return mark


def verdict(share: float) -> str:
    return "yes" if share >= 0.9 else "mostly" if share >= 0.7 else "no"


def by_share(cases: list[bool], what: str) -> Finding:
    """A verdict from the share of cases in which something holds.

    >>> by_share([True, True, True, False], "cells")
    Finding(verdict='mostly', numbers='3 of 4 cells')
    """
    return Finding(verdict(sum(cases) / len(cases)), f"{sum(cases)} of {len(cases)} {what}")


def table_cells() -> Iterator[tuple[str, int, str]]:
    """The 42 cells of a method in the paper's table."""
    return ((d, k, m) for d in DATASETS for k in BUDGETS[d] for m in METRICS)


def top(dataset: str) -> int:
    return max(BUDGETS[dataset])


def half(dataset: str) -> int:
    """Half of the largest budget (for credit 30, for census and wine 60)."""
    return top(dataset) // 2


def drop(judge: Judge, dataset: str, label: str) -> float:
    """The relative change of ROC AUC of a method that knows no attacker, at half of the budget."""
    return judge.at(dataset, label, 0, half(dataset)) / judge.at(dataset, label, 0, 0) - 1


def percent(x: float) -> str:
    return f"{100 * x:+.1f} %"


@claim(
    '"almost random classifiers already when the attacker spends just half of the maximum budget, e.g., wine"'
)
def almost_random(judge: Judge) -> Finding:
    auc = {(d, m): judge.at(d, m, 0, half(d)) for d in DATASETS for m in ("GBDT", "RF")}
    wine = max(auc["wine", m] for m in ("GBDT", "RF"))
    numbers = ", ".join(f"{d} {m} {v:.3f}" for (d, m), v in auc.items())
    return Finding("yes" if wine <= 0.6 else "no", f"ROC AUC at half budget (bound 0.6 on wine): {numbers}")


@claim(
    '"On that dataset [wine], the drop of ROC AUC ranges from -25.8 % to -40.6 % for GBDT", at '
    "half of the budget"
)
def drop_of_gbdt(judge: Judge) -> Finding:
    return _drop(judge, "GBDT", -0.258, -0.406)


@claim('"... and from -15.5 % to -28.4 % for RF"')
def drop_of_rf(judge: Judge) -> Finding:
    return _drop(judge, "RF", -0.155, -0.284)


def _drop(judge: Judge, label: str, least: float, most: float) -> Finding:
    """The paper's ranges are those over the three data sets; its words are about wine."""
    ours = {d: drop(judge, d, label) for d in DATASETS}
    near = abs(max(ours.values()) - least) <= 0.05 and abs(min(ours.values()) - most) <= 0.05
    numbers = ", ".join(f"{d} {percent(v)}" for d, v in ours.items())
    found = "yes, but over the three data sets, not on wine alone" if near else "no"
    return Finding(found, f"{numbers} (bound: both ends within 5 points of the paper's)")


@claim('"RF typically behaves better than GBDT on all the validity measures" under attack')
def rf_beats_gbdt(judge: Judge) -> Finding:
    cases = [judge.at(d, "RF", 0, k, m) > judge.at(d, "GBDT", 0, k, m) for d, k, m in table_cells()]
    return by_share(cases, "budgets and measures")


@claim('"our method outperforms its competitors, basically for all measures and datasets" (the table)')
def outperforms(judge: Judge) -> Finding:
    cases = [judge.same("RF-TREANT", m, d, k) >= _rival(judge, d, k, k, m) for d, k, m in table_cells()]
    return by_share(cases, "cells at least as good as AB and RT")


def _rival(judge: Judge, dataset: str, train: int, test: int, metric: str) -> float:
    return max(judge.at(dataset, m, train, test, metric) for m in ("AB", "RT"))


@claim('"the superiority ... becomes even more pronounced as the strength of the attacker grows": '
       "credit, ROC AUC over AB +2.1 % at budget 10, +19.6 % at 60")  # fmt: skip
def superiority_grows(judge: Judge) -> Finding:
    gains = [judge.same("RF-TREANT", "roc_auc", "credit", k) / judge.same("AB", "roc_auc", "credit", k) - 1
             for k in BUDGETS["credit"]]  # fmt: skip
    text = ", ".join(f"{k}: {percent(g)}" for k, g in zip(BUDGETS["credit"], gains, strict=True))
    return Finding("yes" if gains[-1] > max(gains[0], 0) else "no", text)


@claim('"the performance of RT is consistently worse than that of AB" (the table)')
def rt_worse_than_ab(judge: Judge) -> Finding:
    return by_share(
        [judge.same("RT", m, d, k) < judge.same("AB", m, d, k) for d, k, m in table_cells()], "cells"
    )


@claim('"our method constantly outperforms its competitors on all datasets and measures, especially when '
       'the attacker gets stronger" (maximum training budget, every test budget)')  # fmt: skip
def outperforms_at_top(judge: Judge) -> Finding:
    cases = [
        judge.at(d, "RF-TREANT", top(d), k, m) >= _rival(judge, d, top(d), k, m) for d, k, m in table_cells()
    ]
    ends = [c for c, (d, k, _) in zip(cases, table_cells(), strict=True) if k == top(d)]
    found = by_share(cases, "test budgets and measures")
    return Finding(found.verdict, f"{found.numbers}; at the largest test budget {sum(ends)} of {len(ends)}")


@claim('"just a slight performance degradation in the unattacked setting" (maximum training budget)')
def slight_price(judge: Judge) -> Finding:
    lost = {
        d: judge.at(d, "RF-TREANT", top(d), 0) - max(judge.at(d, m, 0, 0) for m in ("RF", "GBDT"))
        for d in DATASETS
    }
    numbers = ", ".join(f"{d} {v:+.3f}" for d, v in lost.items())
    text = f"clean ROC AUC against the best of RF and GBDT: {numbers} (bound -0.06)"
    return Finding("yes" if min(lost.values()) >= -0.06 else "no", text)


@claim('"nearly constant and insensitive to variations in the attacker\'s budget" (maximum training budget)')
def nearly_constant(judge: Judge) -> Finding:
    spans = {}
    for d in DATASETS:
        values = [judge.at(d, "RF-TREANT", top(d), k) for k in (0, *BUDGETS[d])]
        spans[d] = max(values) - min(values)
    numbers = ", ".join(f"{d} {v:.3f}" for d, v in spans.items())
    return Finding(
        "yes" if max(spans.values()) <= 0.02 else "no",
        f"span of ROC AUC over test budgets: {numbers} (bound 0.02)",
    )


@claim('"AB is usually more robust than RT" (maximum training budget)')
def ab_beats_rt(judge: Judge) -> Finding:
    cases = [judge.at(d, "AB", top(d), k, m) > judge.at(d, "RT", top(d), k, m) for d, k, m in table_cells()]
    return by_share(cases, "test budgets and measures")


@claim(
    '"a few cases where the performance of RT upon attack is comparable to the performance of '
    'traditional GBDT"'
)
def rt_like_gbdt(judge: Judge) -> Finding:
    near = [(d, k) for d in DATASETS for k in BUDGETS[d]
            if judge.at(d, "RT", top(d), k) - judge.at(d, "GBDT", 0, k) <= 0.05]  # fmt: skip
    text = ", ".join(f"{d} at {k}" for d, k in near) or "none"
    return Finding("yes" if near else "no", f"ROC AUC within 0.05 of GBDT's or below: {text}")


@claim('"our method leads to the most robust models for all measures and datasets, irrespective of the '
       'budget used for training" (maximum test budget)')  # fmt: skip
def most_robust(judge: Judge) -> Finding:
    cases = [
        judge.at(d, "RF-TREANT", k, top(d), m) >= _rival(judge, d, k, top(d), m) for d, k, m in table_cells()
    ]
    return by_share(cases, "training budgets and measures")


@claim('"the greater the training budget ..., the better its performance under attack" (maximum test budget)')
def healthy_trend(judge: Judge) -> Finding:
    rises = {m: _rises(judge, m) for m in ("RF-TREANT", "AB", "RT")}
    text = "; ".join(f"{m} {sum(r)} of {len(r)}" for m, r in rises.items())
    mine = rises["RF-TREANT"]
    return Finding(
        verdict(sum(mine) / len(mine)), f"steps up in training budget that lose at most 0.005 ROC AUC: {text}"
    )


def _rises(judge: Judge, label: str) -> list[bool]:
    pairs = [(d, a, b) for d in DATASETS for a, b in zip(BUDGETS[d], BUDGETS[d][1:], strict=False)]
    return [judge.at(d, label, b, top(d)) >= judge.at(d, label, a, top(d)) - 0.005 for d, a, b in pairs]


@claim(
    '"RT is the method which shows the most unpredictable behavior, as its performance '
    'fluctuates up and down"'
)
def rt_fluctuates(judge: Judge) -> Finding:
    falls = {m: sum(not r for r in _rises(judge, m)) for m in ("RT", "AB", "RF-TREANT")}
    text = ", ".join(f"{m} {n}" for m, n in falls.items())
    most = falls["RT"] > max(falls["AB"], falls["RF-TREANT"])
    return Finding(
        "yes" if most else "no", f"steps up in training budget that lose more than 0.005 ROC AUC: {text}"
    )


@claim(
    '"even when the training uses a significantly smaller budget ..., it already achieves nearly '
    'optimal performances"'
)
def small_budgets_do(judge: Judge) -> Finding:
    lost = {
        d: judge.at(d, "RF-TREANT", half(d), top(d)) - judge.at(d, "RF-TREANT", top(d), top(d))
        for d in DATASETS
    }
    numbers = ", ".join(f"{d} {v:+.3f}" for d, v in lost.items())
    text = (
        f"ROC AUC under the strongest attacker, trained for half of that budget against all of it: {numbers}"
    )
    return Finding("yes" if min(lost.values()) >= -0.02 else "no", f"{text} (bound -0.02)")


@claim('"a ROC AUC improvement against the strongest attacker ranging from about 10 % to about 20 %"')
def ten_to_twenty(judge: Judge) -> Finding:
    ours = {d: judge.same("RF-TREANT", "roc_auc", d, top(d)) for d in DATASETS}
    gains = {d: ours[d] / _rival(judge, d, top(d), top(d), "roc_auc") - 1 for d in DATASETS}
    numbers = ", ".join(f"{d} {percent(v)}" for d, v in gains.items())
    held = [0.08 <= g <= 0.22 for g in gains.values()]
    text = f"{sum(held)} of 3 within 8 to 22 % over the better of AB and RT: {numbers}"
    return Finding(verdict(sum(held) / 3), text)


def verdicts(results: Results, views: Iterable[Reading] = VIEWS) -> pd.DataFrame:
    """Every claim of the text, numbered as in the audit, in short and in full, with each view's verdict."""
    judges = [Judge(results, view) for view in views]
    lines = [
        [_short(judged.__name__), sentence, *(judged(judge).verdict for judge in judges)]
        for sentence, judged in CLAIMS
    ]
    columns = ["in short", "claim", *(judge.view.name for judge in judges)]
    return pd.DataFrame(lines, columns=columns, index=range(1, len(CLAIMS) + 1))


def _short(function: str) -> str:
    """A claim's function name, as words.

    >>> _short("rt_worse_than_ab")
    'RT worse than AB'
    """
    return " ".join(w.upper() if w in ("rf", "gbdt", "ab", "rt") else w for w in function.split("_"))


__all__ = ["CLAIMS", "Finding", "Judge", "verdicts"]
