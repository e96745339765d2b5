"""Certificates: how much it takes to change a prediction, of one row or of all rows of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treant_viz.core.attacker.rules import Attacker
from treant_viz.viz.attack_path.facts import label_of
from treant_viz.viz.attack_path.words import move_text
from treant_viz.viz.certificate import words
from treant_viz.viz.certificate.facts import RowCertificate, row_certificate
from treant_viz.viz.certificate.table_facts import By, Certified, TableCertificate, table_certificate
from treant_viz.viz.display import Display
from treant_viz.viz.style.pen import Pen, Target
from treant_viz.viz.style.text import counted, name, number, value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CertificateDisplay(Display):
    """How safe predictions are: the certificate of one row, or those of a table. `label` is what the row is
    called.

    >>> import treant_viz as tv
    >>> wine = tv.load_wine()
    >>> X, y = wine.X_train[:300], wine.y_train[:300]
    >>> forest = tv.TreantForestClassifier(7, max_depth=4, random_state=0).fit(X, y)
    >>> display = tv.CertificateDisplay.from_model(forest, X.iloc[140], wine.attacker)
    >>> display.title
    'Row 140 is safe below 50: for 50, the attacker changes its prediction from 0 to 1'
    """

    certificate: RowCertificate | TableCertificate
    label: str = ""
    source: Mapping[str, Any] | None = None

    @classmethod
    def from_model(
        cls,
        model: Any,
        x: Any,
        attacker: Attacker,
        *,
        tolerance: float = 0.0,
        label: str | None = None,
        node_limit: int | None = None,
    ) -> CertificateDisplay:
        """One row x (a mapping, a Series or a data frame of one row): what it costs to change its prediction,
        and by which moves.

        `model`: whatever `certify` takes; `tolerance` and `node_limit` are those of `certify`. `label`: what
        the row is called; None is its name in the data.
        """
        found = row_certificate(model, x, _checked(attacker), tolerance, node_limit)
        called = name(label_of(x) if label is None else label, 20)
        options = {"tolerance": tolerance, "node_limit": node_limit}
        return cls(found, called, {"model": model, "x": x, "attacker": attacker, **options})

    @classmethod
    def from_table(
        cls,
        model: Any,
        X: Any,
        y: Any,
        attacker: Attacker,
        *,
        tolerance: float = 0.0,
        by: By = "feature",
        rows: int = 500,
        node_limit: int | None = None,
    ) -> CertificateDisplay:
        """All rows of X: how many predictions are safe at each budget, and which features the attacker needs.

        `y`: the true labels, so that rows count that the model gets right; None, and for all regressors, all
        rows count. `by`: what the attacker may lose, a whole "feature" or a single "rule". What that would
        mean is computed on the first `rows` rows. Costs are those of the cheapest attacks; of equally cheap
        ones the one that goes farthest counts. `tolerance` and `node_limit` are those of `certify`.
        """
        if by not in ("feature", "rule"):
            raise ValueError(f"by: expected 'feature' or 'rule', got {by!r}")
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise ValueError(f"rows: expected a whole number of at least 1, got {rows!r}")
        if not len(X):
            raise ValueError("X: expected at least one row, got none")
        options = {"tolerance": tolerance, "node_limit": node_limit}
        known = Certified.of(model, X, y, _checked(attacker), **options)
        source = {"model": model, "X": X, "y": y, "attacker": attacker, **options}
        return cls(table_certificate(known, rows, by), source=source)

    @property
    def title(self) -> str:
        c = self.certificate
        return words.row_title(self.label, c) if isinstance(c, RowCertificate) else words.table_title(c)

    @property
    def subtitle(self) -> str:
        c = self.certificate
        return _row_subtitle(c) if isinstance(c, RowCertificate) else _table_subtitle(c)

    @property
    def alt_text(self) -> str:
        c = self.certificate
        return _row_alt(self.label, c) if isinstance(c, RowCertificate) else _table_alt(c)

    @property
    def summary(self) -> str:
        c = self.certificate
        lines = words.row_lines(self.label, c) if isinstance(c, RowCertificate) else words.table_lines(c)
        return "\n".join([self.title, *lines])

    def _draw(self, pen: Pen, target: Target) -> None:
        from treant_viz.viz.certificate.draw import draw_row
        from treant_viz.viz.certificate.draw_table import draw_table

        c = self.certificate
        if isinstance(c, RowCertificate):
            draw_row(self.label, c, pen, target)
        else:
            draw_table(c, pen, target)


def _checked(attacker: Any) -> Attacker:
    if not isinstance(attacker, Attacker):
        raise TypeError(f"attacker: expected an Attacker, got {type(attacker).__name__}")
    return attacker


def _row_subtitle(c: RowCertificate) -> str:
    shown = [f"Line: {words.attack_text(c)}; coins: the price of each move"] * bool(c.moves)
    shown += ["shaded: as far as any attack gets"] * bool(c.frontier)
    phrase = "; ".join([*shown, f"dotted: {words.border_text(c)}"])
    return f"{phrase[:1].upper()}{phrase[1:]}."


def _row_alt(label: str, c: RowCertificate) -> str:
    phrase = f"The {words.what(c)} of {label} against what the attacker spends, budget {value(c.budget)}. "
    phrase += f"It starts at {number(c.scores[0], 4)}; dotted is {words.border_text(c)}. "
    if c.safe_below == math.inf:
        phrase += "No attack within the budget changes the prediction."
    else:
        known = f"one for {value(c.changes_at)} does" if c.falls else "none is known that does"
        phrase += f"No attack below {value(c.safe_below)} changes the prediction; {known}."
    if c.moves:
        moves = "; ".join(map(move_text, c.moves))
        phrase += f" Drawn is {words.attack_text(c)}: {moves}; it ends at {number(c.scores[-1], 4)}."
    return phrase


def _table_subtitle(c: TableCertificate) -> str:
    share = "are right and stay right" if c.labelled else "keep their prediction"
    some = f" (computed on the first {c.blamed:,} rows)" if c.blamed < c.every.n else ""
    lost = "rule" if c.payers and c.payers[0].rule else "feature"
    band = (
        f" Not searched to the end: {counted(c.inexact, 'row')}; the band is where the line for all may lie."
    )
    more = " A bar is a row, as long as it is safe." * c.few + band * (c.inexact > 0)
    if len(c.payers) == 1:
        return f"The share of rows that {share}, at each budget.{more}"
    return (
        f"Left: the share of rows that {share}, at each budget. Right, for each {lost}: its share of what "
        f"the attacks cost, and how many rows would still change without it{some}.{more}"
    )


def _table_alt(c: TableCertificate) -> str:
    kept = "right" if c.labelled else "unchanged"
    phrase = [f"Steps of the share of rows that are {kept} under attack, from budget 0 to {value(c.budget)}."]
    for g, called in zip((c.every, *c.classes), words.group_names(c), strict=True):
        low, high = (g.at_stake - k for k in reversed(g.fallen))
        end = "to " if low == high else f"to between {words.percent(low, g.n)} and "
        start = words.percent(g.at_stake, g.n)
        phrase.append(f"{called}: from {start} {end}{words.percent(high, g.n)} of {counted(g.n, 'row')}.")
    names = words.payer_names(c)
    for p in c.payers:
        share = f"{number(100 * p.paid / c.paid)} %" if c.paid else "none"
        phrase.append(
            f"{names[id(p)]}: {share} of the costs; without it {words.between(p.fallen)} rows change."
        )
    return " ".join(phrase)


__all__ = ["CertificateDisplay"]
