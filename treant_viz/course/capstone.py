"""The capstone: the reader's own attacker against three forests, on a data set of choice, and a page.

Sizes are fixed, so that everybody's numbers can be checked: the first rows of training and test data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treant_viz.baselines import DropRandomForest
from treant_viz.core.attacker.rules import Attacker
from treant_viz.datasets import load_census, load_credit, load_wine
from treant_viz.estimators.trees import TreantForestClassifier
from treant_viz.viz.output.page import figure, style
from treant_viz.viz.style.palette import LIGHT
from treant_viz.viz.style.text import for_html

LOADERS = {"wine": load_wine, "census": load_census, "credit": load_credit}
LABELS = {
    "wine": ("bad", "good"),
    "census": ("earns up to 50,000 dollars a year", "earns more"),
    "credit": ("pays next month's bill", "does not pay it"),
}
TRAINED, TESTED, TREES = 1000, 300, 25
MISSING = "(still missing)"


class CapstoneSample(NamedTuple):
    """Rows to train on, rows to attack, and the attacker of the paper for comparison."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    X_test: pd.DataFrame
    y_test: np.ndarray
    papers: Attacker
    labels: tuple[str, str]


def sample(name: str) -> CapstoneSample:
    """The first rows of one of the paper's three data sets."""
    if name not in LOADERS:
        raise ValueError(f"name: expected one of {list(LOADERS)}, got {name!r}")
    data = LOADERS[name]()
    train, test = (
        (data.X_train[:TRAINED], data.y_train[:TRAINED]),
        (data.X_test[:TESTED], data.y_test[:TESTED]),
    )
    return CapstoneSample(name, *train, *test, data.attacker, LABELS[name])


def or_papers(mine: Any, given: CapstoneSample) -> Attacker:
    """Your attacker, or the paper's as long as you have none."""
    if isinstance(mine, Attacker):
        return mine
    print("You have no attacker of your own yet, so here is the one of the paper.")
    return given.papers


def contenders(given: CapstoneSample, attacker: Attacker) -> dict[str, Any]:
    """Three forests on the same rows: one that knows no attacker, one that does not look, one that plans."""
    models: dict[str, Any] = {
        "standard": TreantForestClassifier(TREES, attacker=None, random_state=0),
        "dropping": DropRandomForest(attacker, n_estimators=TREES, random_state=0),
        "robust": TreantForestClassifier(TREES, attacker=attacker, random_state=0),
    }
    return {name: model.fit(given.X, given.y) for name, model in models.items()}


def write_page(
    path: str | Path,
    given: CapstoneSample,
    attacker: Attacker,
    reasons: Sequence[str] | Any,
    table: Mapping[str, Any],
    picture: Any,
    *,
    answer: str | Any,
    limits: str | Any,
) -> str:
    """One page in HTML: who attacks, what became of the three models, your answer, and what you do not know.

    Returns its words.
    """
    parts = _parts(given, attacker, reasons, table, answer, limits)
    head, *rest = (f"<h2>{for_html(title)}</h2>{_lines(lines)}" for title, lines in parts.items())
    title = f"My attacker on {given.name}"
    body = f"<h1>{title}</h1>{head}{rest[0]}{figure(picture, 'f0-')}{''.join(rest[1:])}"
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    Path(path).write_text(
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<style>{style(LIGHT)} main {{ max-width: 60rem; }}</style></head>"
        f"<body><main>{body}</main></body></html>\n",
        encoding="utf-8",
    )
    return "\n\n".join("\n".join([title, *lines]) for title, lines in parts.items())


def _parts(
    given: CapstoneSample,
    attacker: Attacker,
    reasons: Any,
    table: Mapping[str, Any],
    answer: Any,
    limits: Any,
) -> dict[str, list[str]]:
    """The words of the page, section by section."""
    told = list(reasons) if isinstance(reasons, (list, tuple)) else []
    told += [MISSING] * (len(attacker.rules) - len(told))
    rules = [f"{rule}: {reason}" for rule, reason in zip(attacker.rules, told, strict=False)]
    results = [f"{name}: {_pair(numbers)}" for name, numbers in table.items()]
    return {
        f"Who attacks, with a budget of {attacker.budget:g}": rules,
        f"ROC AUC on {len(given.X_test)} test rows": results,
        "Who should use the robust forest?": [_words(answer)],
        "What this page does not show": [_words(limits)],
    }


def _pair(numbers: Any) -> str:
    """A model's two numbers in words."""
    if numbers is ... or not isinstance(numbers, (tuple, list)) or len(numbers) != 2:
        return MISSING
    return f"{numbers[0]:.3f} if nobody attacks, {numbers[1]:.3f} under attack"


def _words(text: Any) -> str:
    return text.strip() if isinstance(text, str) and text.strip() else MISSING


def _lines(lines: Sequence[str]) -> str:
    if len(lines) == 1:
        return f"<p>{for_html(lines[0])}</p>"
    return f"<ul>{''.join(f'<li>{for_html(line)}</li>' for line in lines)}</ul>"


__all__ = [
    "LOADERS",
    "MISSING",
    "TESTED",
    "CapstoneSample",
    "contenders",
    "or_papers",
    "sample",
    "write_page",
]
