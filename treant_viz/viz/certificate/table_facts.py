"""What it costs to change the predictions of a data set, which features pay for it, and which are to blame.

The rows at stake are those that the model gets right (all of them where there are no labels). If k of them
are safe at a budget, of n rows in all, accuracy under attack at this budget is k / n: the sorted column of
costs is the security curve.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from treant_viz.attacks.cell_costs import affordable_rules, spending_limit
from treant_viz.attacks.evasion import certify
from treant_viz.attacks.labelled_rows import LabelledRows
from treant_viz.attacks.tables import some_rows
from treant_viz.core.attacker.rules import Attacker, Rule
from treant_viz.ensembles.common_form import common_form
from treant_viz.ensembles.ensemble import Ensemble

FEW = 12  # rows that are drawn one by one
By = Literal["feature", "rule"]


@dataclass(frozen=True, slots=True, eq=False)
class RowGroup:
    """Some rows of the table: how many they are, and, of those at stake, `safe_below` and `changes_at` in
    rising order. `label` is None for all rows.
    """

    label: Any
    n: int
    safe_below: np.ndarray
    changes_at: np.ndarray

    def safe(self, budget: float) -> tuple[int, int]:
        """How many of the rows at stake stay as they are under this budget: at least, at most."""
        return int((self.safe_below > budget).sum()), int((self.changes_at > budget).sum())

    @property
    def fallen(self) -> tuple[int, int]:
        """How many of the rows at stake change within the whole budget: at least, at most."""
        return int((self.changes_at < math.inf).sum()), int((self.safe_below < math.inf).sum())

    @property
    def at_stake(self) -> int:
        return len(self.changes_at)


@dataclass(frozen=True, slots=True, eq=False)
class Payer:
    """A feature, or a single rule: what the attacks spend on it, how many use it, and how many of the first
    rows at stake still change if the attacker loses it: at least, at most.
    """

    feature: str | int
    rule: Rule | None
    paid: float
    uses: int
    fallen: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class TableCertificate:
    """A data set: all rows, the rows by class, and who pays. `blamed` are the first rows, with `fallen` of
    those at stake among them: on these it was computed what losing a feature would mean to the attacker.
    """

    budget: float
    tolerance: float
    labelled: bool
    every: RowGroup
    classes: tuple[RowGroup, ...]
    payers: tuple[Payer, ...]
    blamed: int
    fallen: tuple[int, int]
    inexact: int

    @property
    def few(self) -> bool:
        """Can each row be drawn, and is its cost known?"""
        return self.every.n <= FEW and not self.inexact

    @property
    def paid(self) -> float:
        """What all attacks cost together, as far as they are known."""
        return sum(p.paid for p in self.payers)


@dataclass(frozen=True, slots=True, eq=False)
class Certified:
    """A table with the certificate of each row. `labels` are the classes that rows are told apart by: the
    true ones, or, without labels, the predicted ones; None for regressors.
    """

    model: Any
    X: Any
    attacker: Attacker
    options: Mapping[str, Any]
    form: Ensemble
    table: pd.DataFrame
    labels: np.ndarray | None
    labelled: bool

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, attacker: Attacker, **options: Any) -> Certified:
        """`options` are those of `certify`."""
        form = common_form(model, X, attacker)
        table = certify(model, X, attacker, **options).reset_index(drop=True)
        labels = _labels(form, X, y, table)
        return cls(model, X, attacker, options, form, table, labels, y is not None and labels is not None)

    def again(self, X: Any, attacker: Attacker) -> pd.DataFrame:
        """Certificates of other rows, or against another attacker."""
        return certify(self.model, X, attacker, **self.options).reset_index(drop=True)

    @property
    def at_stake(self) -> np.ndarray:
        """By row: has the attacker something to change? Without labels, always; else what is right."""
        if not self.labelled:
            return np.ones(len(self.X), bool)
        return np.asarray(self.table["prediction"].to_numpy() == self.labels)

    @property
    def groups(self) -> list[RowGroup]:
        """All rows, and the rows by class."""
        every, classes = np.ones(len(self.X), bool), self.form.classes or ()
        found = [
            (c, self.labels == c) for c in classes if self.labels is not None and (self.labels == c).any()
        ]
        stake = self.at_stake
        return [_group(c, self.table, stake, mine) for c, mine in [(None, every), *found]]


def table_certificate(known: Certified, rows: int, by: By) -> TableCertificate:
    """The certificates of all rows, and of the first `rows` of them again without each feature or rule."""
    table, stake, attacker = known.table, known.at_stake, known.attacker
    first = Blame(known, table[:rows][stake[:rows]])
    keys = list(_keys(known.form, attacker, by))
    every, *classes = known.groups
    return TableCertificate(
        budget=float(attacker.budget),
        tolerance=float(known.options.get("tolerance", 0.0)),
        labelled=known.labelled,
        every=every,
        classes=tuple(classes),
        payers=tuple(_payers(keys, known.form, table[stake], first)),
        blamed=min(rows, len(known.X)),
        fallen=first.fallen,
        inexact=int((~table["exact"][stake]).sum()),
    )


def _labels(form: Ensemble, X: Any, y: Any, table: pd.DataFrame) -> np.ndarray | None:
    """The classes that rows are told apart by: the true ones, or, without labels, the predicted ones."""
    if form.classes is None:
        return None
    if y is None:
        return table["prediction"].to_numpy()
    LabelledRows(form, X, y, "margin")  # refuses labels that are not the model's
    return np.asarray(y)


def _group(label: Any, table: pd.DataFrame, stake: np.ndarray, mine: np.ndarray) -> RowGroup:
    found = table[stake & mine]
    columns = [np.sort(found[name].to_numpy(dtype=float)) for name in ("safe_below", "changes_at")]
    for column in columns:
        column.setflags(write=False)
    plain = label.item() if isinstance(label, np.generic) else label
    return RowGroup(plain, int(mine.sum()), *columns)


@dataclass(frozen=True, slots=True)
class _Key:
    """What the attacker may lose: a feature with all its rules, or one rule."""

    column: int
    rules: frozenset[Rule]
    single: bool


def _keys(form: Ensemble, attacker: Attacker, by: By) -> Iterator[_Key]:
    """What can be lost, affordable rules alone."""
    rules = affordable_rules(attacker, form.schema, spending_limit(attacker))
    for column, some in rules.items():
        if by == "feature":
            yield _Key(column, frozenset(some), False)
        else:
            yield from (_Key(column, frozenset([r]), True) for r in dict.fromkeys(some))


def _payers(keys: Sequence[_Key], form: Ensemble, table: pd.DataFrame, first: Blame) -> Iterator[Payer]:
    """Who pays how much, those that pay most first."""
    spent = [[[m.rule.cost for m in path if m.rule in k.rules] for path in table["moves"]] for k in keys]
    totals = [sum(map(sum, costs)) for costs in spent]
    for i in sorted(range(len(keys)), key=lambda i: -totals[i]):
        key, uses = keys[i], sum(map(bool, spent[i]))
        rule = next(iter(key.rules)) if key.single else None
        name = form.schema.columns[key.column].name
        yield Payer(name, rule, float(totals[i]), uses, first.without(key.rules))


class Blame:
    """The rows at stake among the first ones, and how many of them change if the attacker loses some rules.

    Losing rules makes no attack cheaper. So a row stays safe where it is safe, and it falls as before where
    its attack does without these rules: only the others have to be looked at again.
    """

    def __init__(self, known: Certified, table: pd.DataFrame) -> None:
        self.known, self.table = known, table

    @property
    def fallen(self) -> tuple[int, int]:
        """How many change with all rules: at least, at most."""
        return _fallen(self.table)

    def without(self, lost: frozenset[Rule]) -> tuple[int, int]:
        """How many change without these rules: at least, at most."""
        uses = np.array([any(m.rule in lost for m in path) or not path for path in self.table["moves"]], bool)
        again = uses & (self.table["safe_below"].to_numpy() < math.inf)
        if not again.any():
            return self.fallen
        attacker, places = self.known.attacker, self.table.index[again].tolist()
        rest = Attacker([r for r in attacker.rules if r not in lost], attacker.budget)
        new = _fallen(self.known.again(some_rows(self.known.X, places), rest))
        kept = _fallen(self.table[~again])
        return new[0] + kept[0], new[1] + kept[1]


def _fallen(table: pd.DataFrame) -> tuple[int, int]:
    return int((table["changes_at"] < math.inf).sum()), int((table["safe_below"] < math.inf).sum())


__all__ = ["By", "Certified", "Payer", "RowGroup", "TableCertificate", "table_certificate"]
