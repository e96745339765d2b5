"""The paper's tables with our numbers: as CSV, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from treant_viz import datasets
from treant_viz.datasets import BUDGETS
from treant_viz.evaluation import METRICS, mcnemar
from treant_viz.experiments.report.results import TABLE_METHODS
from treant_viz.experiments.schema import DATASETS, unpacked

SHORT = {"accuracy": "acc.", "macro_f1": "F1", "roc_auc": "AUC"}
PRINTED = {  # the paper's table of data sets
    "instances": {"census": "45,222", "wine": "6,497", "credit": "30,000"},
    "features": {"census": "13", "wine": "12", "credit": "24"},
    "positive : negative (%)": {"census": "25 : 75", "wine": "63 : 37", "credit": "22 : 78"},
}


class TextTable(NamedTuple):
    """A table of text: a head, and rows of as many cells."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        r"""A Markdown table.

        >>> print(TextTable(["a", "b"], [["1", "x|y"]]).markdown())
        | a | b |
        |---|---|
        | 1 | x\|y |
        """
        lines = [self.head, ["---"] * len(self.head), *self.rows]
        cells = (["|".join(_cell(c) for c in line)] for line in lines)
        return "\n".join(f"|{c}|" for [c] in cells)

    def frame(self) -> pd.DataFrame:
        """A data frame of text."""
        return pd.DataFrame([list(row) for row in self.rows], columns=list(self.head))

    def latex(self, caption: str) -> str:
        """A tabular that needs no package."""
        lines = [" & ".join(_tex(c) for c in line) + r" \\" for line in (self.head, *self.rows)]
        body = "\n".join([lines[0], r"\hline", *lines[1:]])
        columns = "ll" + "r" * (len(self.head) - 2)
        return f"% {caption}\n\\begin{{tabular}}{{{columns}}}\n{body}\n\\end{{tabular}}\n"


def _cell(text: str) -> str:
    return text if text == "---" else f" {text} ".replace("|", "\\|")


def _tex(text: str) -> str:
    for letter in "&%#_":
        text = text.replace(letter, "\\" + letter)
    return text.replace("**", "")


def mcnemar_cells(mine: str, theirs: str) -> list[str]:
    """Two models row by row, packed as `schema.packed` does; only rows that one of them gets right count, so
    what fills the last byte does not: how many are mine and theirs, McNemar's statistic and its p.
    """
    a, b = unpacked(mine), unpacked(theirs)
    statistic, p = mcnemar(a, b)
    only = [str(int((x & ~y).sum())) for x, y in ((a, b), (b, a))]
    return [*only, f"{statistic:.1f}", "< 1e-6" if p < 1e-6 else f"{p:.2g}"]


def wide(cells: pd.DataFrame) -> TextTable:
    """The paper's table of results: a row a data set and budget, a cell "paper / ours (difference)"."""
    known = {(c["dataset"], c["budget"], c["method"], c["metric"]): c for c in cells.to_dict("records")}
    head = ["data", "budget", *(f"{m} {SHORT[k]}" for m in TABLE_METHODS for k in METRICS)]
    rows = [
        [d, str(b), *(_three(known[d, b, m, k]) for m in TABLE_METHODS for k in METRICS)]
        for d in DATASETS for b in BUDGETS[d] if (d, b, TABLE_METHODS[0], METRICS[0]) in known
    ]  # fmt: skip
    return TextTable(head, rows)


def _three(c: Any) -> str:
    return f"{c['paper']:.3f} / {c['ours']:.3f} ({c['difference']:+.3f})"


def listed(cells: pd.DataFrame) -> TextTable:
    """The paper's table with one line per cell."""
    head = [
        "data",
        "budget",
        "method",
        "measure",
        "paper",
        "ours",
        "difference",
        "seeds",
        "spread over seeds",
    ]
    rows = [
        [c["dataset"], str(c["budget"]), c["method"], c["metric"], f"{c['paper']:.3f}", f"{c['ours']:.3f}",
         f"{c['difference']:+.3f}", str(c["seeds"]), "" if np.isnan(c["spread"]) else f"{c['spread']:.3f}"]
        for c in cells.to_dict("records")
    ]  # fmt: skip
    return TextTable(head, rows)


def dataset_table() -> pd.DataFrame:
    """The paper's table of data sets: as printed, and counted under both protocols."""
    lines = []
    for name in DATASETS:
        for protocol in ("paper", "authors"):
            data = getattr(datasets, f"load_{name}")(protocol)
            y = np.concatenate([data.y_train, data.y_valid, data.y_test])
            share = 100 * y.mean()
            ours = (f"{len(y):,}", str(len(data.feature_names)), f"{share:.0f} : {100 - share:.0f}")
            lines += [
                (name, protocol, what, PRINTED[what][name], mine)
                for what, mine in zip(PRINTED, ours, strict=True)
            ]
    return pd.DataFrame(lines, columns=["dataset", "protocol", "what", "printed", "ours"])


def as_grid(frame: pd.DataFrame) -> TextTable:
    return TextTable([str(c) for c in frame.columns], [[str(v) for v in row] for row in frame.to_numpy()])


__all__ = ["TextTable", "as_grid", "dataset_table", "listed", "mcnemar_cells", "wide"]
