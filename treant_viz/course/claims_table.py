"""The paper's claims as a table to read: first the words alone, then with a verdict for each view."""

from __future__ import annotations

import html
from dataclasses import dataclass

import pandas as pd

SIGNS = {"yes": ("✓", "#00694d"), "mostly": ("≈", "#7a5b00"), "no": ("✗", "#a34700")}
CELL = "padding:.35em .7em;vertical-align:top"


@dataclass(frozen=True)
class ClaimsTable:
    """Claims in short and in full, then a column for each view, as `verdicts` returns them."""

    claims: pd.DataFrame
    with_verdicts: bool = True

    def _views(self) -> list[str]:
        return list(map(str, self.claims.columns[2:])) if self.with_verdicts else []

    def _words(self, verdict: str) -> str:
        return verdict.partition(",")[0]

    def __repr__(self) -> str:
        lines = []
        for number, row in self.claims.iterrows():
            told = ", ".join(f"{view}: {self._words(row[view])}" for view in self._views())
            lines.append(f"{number:2} {row['in short']}: {told or row['claim']}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f'<th style="{CELL}">{html.escape(view)}</th>' for view in self._views())
        rows = "".join(self._row(number, row) for number, row in self.claims.iterrows())
        first = f'<th></th><th style="{CELL};text-align:left">what the paper says</th>'
        return f"<table><tr>{first}{head}</tr>{rows}</table>"

    def _row(self, number: object, row: pd.Series) -> str:
        verdicts = "".join(self._verdict(row[view]) for view in self._views())
        words = f"<b>{html.escape(row['in short'])}</b><br>{html.escape(row['claim'])}"
        claim = f'<td style="{CELL};text-align:left;max-width:36em;white-space:normal">{words}</td>'
        return f'<tr><td style="{CELL}">{number}</td>{claim}{verdicts}</tr>'

    def _verdict(self, verdict: str) -> str:
        """A sign, a word and a colour: none of them is needed to understand the others."""
        word = self._words(verdict)
        sign, colour = SIGNS.get(word, ("", "inherit"))
        look = f"{CELL};color:{colour};font-weight:bold;white-space:nowrap"
        return f'<td style="{look}">{sign} {html.escape(word)}</td>'


__all__ = ["ClaimsTable"]
