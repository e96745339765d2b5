"""Of the second part of the audit: forests of standard and robust trees, by the share of robust ones."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from treant_viz.datasets.shipped import shipped
from treant_viz.experiments.report.tables import TextTable
from treant_viz.experiments.schema import DATASETS, MIXED, MIXED_FILE
from treant_viz.experiments.store import Store

HEAD = (
    "ROC AUC unattacked / attacked with the largest budget, means over seeds (protocol `authors`, robust "
    "trees grown for that budget). A share is on the front if no other has at least as much of both, and "
    "more of one."
)


def load_mixed(dataset: str, rows: str = "all") -> pd.DataFrame:
    """Of the mixtures that come with the package: ROC AUC by the share of robust trees, in per cent.

    `rows`: "all" test rows, or those with "no twins".

    >>> load_mixed("wine").loc[100].round(2).to_dict()
    {'unattacked': 0.81, 'attacked': 0.81}
    """
    table = stored(Store(shipped("results")))
    part = table[(table["dataset"] == dataset) & (table["rows"] == rows)]
    return pd.DataFrame.from_dict(front_of(part), "index", columns=["unattacked", "attacked"])


def stored(store: Store) -> pd.DataFrame:
    """Every mixture that is stored, with the share of its robust trees."""
    table = store.frame(MIXED_FILE, MIXED)
    return table.assign(share=(100 * table["robust_trees"] / table["trees"]).round().astype(int))


def mixed(store: Store) -> Iterator[str]:
    """All of it, if there is anything to tell."""
    if not (store.folder / MIXED_FILE).exists():
        return
    table = stored(store)
    yield "## Mixed forests: for quiet days, and for when the attacker comes"
    yield ""
    yield HEAD
    yield ""
    lines, fronts, shares = [], [], sorted(table["share"].unique())
    for (dataset, rows), part in _parts(table):
        both = front_of(part)
        cells = [f"{both[s][0]:.3f} / {both[s][1]:.3f}" if s in both else "" for s in shares]
        seeds = str(part["seed"].nunique())
        fronts.append(undominated(both))
        lines.append([dataset, rows, seeds, *cells, ", ".join(f"{s} %" for s in fronts[-1])])
    yield TextTable(["data", "rows", "seeds", *(f"{s} % robust" for s in shares), "front"], lines).markdown()
    yield ""
    ends = [sum(share in front for front in fronts) for share in (0, 100)]
    yield f"Standard trees alone are on {ends[0]} of {len(fronts)} fronts, robust trees alone on {ends[1]}."
    yield ""


def _parts(table: pd.DataFrame) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    for dataset in DATASETS:
        for rows in ("all", "no twins"):
            part = table[(table["dataset"] == dataset) & (table["rows"] == rows)]
            if len(part):
                yield (dataset, rows), part


def front_of(part: pd.DataFrame) -> dict[int, tuple[float, float]]:
    """By share: ROC AUC unattacked and attacked."""
    quiet = part["test_budget"] == 0
    clean, attacked = (part[chosen].groupby("share")["roc_auc"].mean() for chosen in (quiet, ~quiet))
    return {int(s): (float(clean[s]), float(attacked[s])) for s in clean.index.intersection(attacked.index)}


def undominated(both: dict[int, tuple[float, float]]) -> list[int]:
    """The shares that are on the front.

    >>> undominated({0: (0.9, 0.5), 50: (0.8, 0.7), 75: (0.7, 0.7), 100: (0.7, 0.8)})
    [0, 50, 100]
    """
    return [
        s
        for s, (clean, attacked) in both.items()
        if not any(c >= clean and a >= attacked and (c, a) != (clean, attacked) for c, a in both.values())
    ]


__all__ = ["load_mixed", "mixed"]
