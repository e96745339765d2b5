"""The figure of what the paper lacks: models without attackable features, and boosted TREANT trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from treant_viz.datasets import BUDGETS
from treant_viz.experiments.report.rows import PROTOCOL, ResultCell, StoredResults, where_fair
from treant_viz.experiments.schema import DATASETS, METHODS
from treant_viz.experiments.store import Store
from treant_viz.viz.security_curve.display import SecurityCurveDisplay

SHOWN = {  # method: its name in the picture, where there is little room
    "treant-boost": "boosted",
    "treant": "RF-TREANT",
    "drop-rf": "RF dropped",
    "drop-gbdt": "GBDT dropped",
    "rf": "RF",
}
OURS, DROPPING = SHOWN["treant-boost"], [SHOWN["drop-rf"], SHOWN["drop-gbdt"]]
METRIC = "roc_auc"
NOTE = (
    "All that know an attacker are trained for the largest budget. Wine: test rows without a twin in training"
)


def beyond_figure(store: Store) -> SecurityCurveDisplay | None:
    """Security curves on every data set; None if results are missing."""
    if not (store.folder / "distinct").is_dir():
        return None
    sets = [StoredResults("all", store), StoredResults("no twins", Store(store.folder / "distinct"))]
    found = list(_lines(sets))
    if None in found:
        return None
    frame = pd.DataFrame(found, columns=["dataset", "model", "budget", "metric", "value", "low", "high"])
    return SecurityCurveDisplay.from_curve(frame, takeaway=_takeaway(frame), note=NOTE, focus=(OURS,))


def _lines(sets: Sequence[StoredResults]) -> Iterator[tuple[object, ...] | None]:
    """A line for each data set, model and test budget; None where it is not stored."""
    for d in DATASETS:
        top = max(BUDGETS[d])
        means = where_fair(sets, ResultCell(d, top, METRIC)).results.means
        for m, name in SHOWN.items():
            for k in (0, *BUDGETS[d]):
                v = means.get((d, PROTOCOL, m, top if METHODS[m].aware else 0, k))
                ends = [v[f"{METRIC}{end}"] for end in ("", "_low", "_high")] if v else []
                yield (d, name, k, METRIC, *ends) if v else None


def _takeaway(frame: pd.DataFrame) -> str:
    """On how many data sets boosted trees withstand the strongest attacker better than dropping does."""
    top = frame[frame["budget"] == frame["dataset"].map({d: max(k) for d, k in BUDGETS.items()})]
    wide = top.pivot(index="dataset", columns="model", values="value")
    ahead = int((wide[OURS] > wide[DROPPING].max(axis=1)).sum())
    return f"Boosted TREANT trees withstand more than dropping features on {ahead} of {len(wide)} data sets"


__all__ = ["beyond_figure"]
