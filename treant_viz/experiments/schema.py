"""What an experiment is and what is stored of it: data sets, methods, jobs, measures, columns.

Everything here can be read without a learner: `store` and `report` need no more than this, so stored
results are listed and drawn without scikit-learn. The learners behind the names are in `methods`.

>>> Job("wine", "authors", "ab", 20, 0)
Job(dataset='wine', protocol='authors', method='ab', train_budget=20, seed=0)
>>> METHODS["ab"].label, METHODS["rf"].aware
('AB', False)
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from treant_viz.datasets import BUDGETS
from treant_viz.datasets.threats import REGRESSION_BUDGETS
from treant_viz.evaluation import METRICS

DATASETS = ("census", "wine", "credit")
PROTOCOLS = ("authors", "paper")
BEYOND = ("drop-rf", "drop-gbdt", "treant-boost", "treant-tuned", "mixed")  # what the paper does not have
TUNED = ("treant-tuned",)  # under both protocols, on attacked validation rows without twins
# Methods of a protocol: the paper's text says nothing of the two slips in the authors' program.
USUAL: dict[str, tuple[str, ...]] = {
    "authors": ("rf", "gbdt", "ab", "rt-slips", "rt", "treant-none", "treant"),
    "paper": ("rf", "gbdt", "ab", "rt", "treant-none", "treant"),
}


class PaperMethod(NamedTuple):
    """A learner: its name in pictures, what it is, and whether it trains against an attacker."""

    label: str
    what: str
    aware: bool


METHODS = {
    "rf": PaperMethod("RF", "random forest", False),
    "gbdt": PaperMethod("GBDT", "gradient boosting", False),
    "ab": PaperMethod("AB", "adversarial boosting", True),
    "rt": PaperMethod("RT, mended", "robust trees, the four cases as they are meant", True),
    "rt-slips": PaperMethod("RT", "robust trees as the authors ran them", True),
    "rt-alphabet": PaperMethod("RT, alphabet", "robust trees with one slip: categories by <=", True),
    "rt-empty": PaperMethod(
        "RT, no empty cases", "robust trees with one slip: cases with an empty side are passed over", True
    ),
    "treant-none": PaperMethod(
        "RF-TREANT", "TREANT as the authors ran it: no feature is tested twice on a path", True
    ),
    "treant": PaperMethod(
        "RF-TREANT, text", "TREANT as the text has it: no corrupted feature is tested twice on a path", True
    ),
    "drop-rf": PaperMethod("RF, dropped", "random forest without the features that some rule touches", False),
    "drop-gbdt": PaperMethod(
        "GBDT, dropped", "gradient boosting without the features that some rule touches", False
    ),
    "treant-boost": PaperMethod(
        "TREANT, boosted", "TREANT trees, each aware of where those before it are weak under attack", True
    ),
    "treant-tuned": PaperMethod(
        "TREANT, tuned",
        "a forest of TREANT trees as the text has them, or boosted ones, with the depth and the share "
        "of features that do best on attacked validation rows without twins (mean of the measures)",
        True,
    ),
    "mixed": PaperMethod("mixed", "a forest of standard and TREANT trees", True),
}


REGRESSION = "regression"  # takes the place of a protocol where labels are numbers
REGRESSORS = {
    "mean": PaperMethod("mean", "the mean of the training labels, whatever the row", False),
    "tree": PaperMethod("tree", "scikit-learn's regression tree", False),
    "forest": PaperMethod("forest", "scikit-learn's random forest", False),
    "boosting": PaperMethod("boosting", "scikit-learn's gradient boosting", False),
    "drop-forest": PaperMethod("forest, dropped", "the forest without features that a rule touches", False),
    "drop-boosting": PaperMethod("boosting, dropped", "boosting without features that a rule touches", False),
    "treant-tree": PaperMethod("TREANT", "one TREANT tree", True),
    "treant-forest": PaperMethod("RF-TREANT", "a forest of TREANT trees", True),
}


def methods(protocol: str) -> dict[str, PaperMethod]:
    """Every learner that a protocol knows."""
    return REGRESSORS if protocol == REGRESSION else METHODS


def budgets(protocol: str, dataset: str) -> tuple[int, ...]:
    """The budgets of training and of attack.

    >>> budgets("authors", "credit"), budgets("regression", "quality")
    ((10, 30, 40, 60), (20, 60, 120))
    """
    return (REGRESSION_BUDGETS if protocol == REGRESSION else BUDGETS)[dataset]


class Job(NamedTuple):
    """What one model is trained for; its results are one row a test budget."""

    dataset: str
    protocol: str
    method: str
    train_budget: int
    seed: int


@dataclass(frozen=True, slots=True)
class Scale:
    """How much of everything: trees per model, rows of each part at most, resamples of the bootstrap.

    `distinct`: validation and test rows that have a twin, an identical row in training, are left out.
    """

    trees: int = 100
    rows: int | None = None
    n_boot: int = 400
    distinct: bool = False

    def __str__(self) -> str:
        rows = ("all rows" if self.rows is None else f"{self.rows} rows") + " without twins" * self.distinct
        return f"{self.trees} trees, {rows}, {self.n_boot} resamples"


FULL, QUICK = Scale(), Scale(trees=10, rows=600, n_boot=100)
FULL_MIXED = Scale(n_boot=0)  # no intervals: the spread is over seeds
FULL_REGRESSION, QUICK_REGRESSION = Scale(trees=50), Scale(trees=5, rows=300, n_boot=100)

# The columns of what is stored: results, which rows were right, and effects of single differences.
MEASURES = tuple(f"{m}{end}" for m in METRICS for end in ("", "_low", "_high"))
CLEAN = tuple(f"clean_{m}" for m in METRICS)
KEY = (*Job._fields, "test_budget")
ABOUT = ("fit_seconds", "attack_seconds", "params", "scale", "versions")
COLUMNS = (*KEY, *MEASURES, *CLEAN, *ABOUT)
CORRECT = (*KEY, "correct")
ERRORS = ("rmse", "rmse_low", "rmse_high", "mae", "mae_low", "mae_high")
COLUMNS_OF_REGRESSION = (*Job._fields, "rows", "test_budget", "n_rows", *ERRORS, *ABOUT)
MIXED_FILE = "mixed.csv"
MIXED_KEY = ("dataset", "method", "train_budget", "seed", "trees", "robust_trees", "rows", "test_budget")
MIXED = (*MIXED_KEY, "n_rows", *METRICS, "fit_seconds", "attack_seconds", "scale", "versions")
EFFECT = ("effect", "dataset", "method", "train_budget", "test_budget", "seed", *METRICS, *CLEAN, "versions")


def packed(correct: np.ndarray) -> str:
    """Which rows were right, in few letters.

    >>> unpacked(packed(np.array([True, False, True])))[:3].tolist()
    [True, False, True]
    """
    return base64.b64encode(zlib.compress(np.packbits(correct).tobytes(), 9)).decode()


def unpacked(text: str, n: int | None = None) -> np.ndarray:
    """Which of n rows were right. Without n, up to seven times False follows the last row, to fill a byte."""
    bits = np.unpackbits(np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8))
    return bits[:n].astype(bool)


class Effect(NamedTuple):
    """How the paper's text differs from what produced its numbers, and the stored run that is changed."""

    name: str
    text: str
    done: str
    base: Job


def effects(seed: int = 0) -> list[Effect]:
    """All of them, in the order of the audit; the words before the comma of a name say what is changed."""
    treant, ab = partial(_strongest, "treant-none", seed), partial(_strongest, "ab", seed)
    binned = "every feature cut into 128 quantile bins, values replaced by the lower edge of their bin"
    unshifted = "UCI's values (payment status unshifted)"
    one_split = "60-20-20, stratified on the label"
    two_splits = "80-20, 87.5-12.5 on the quality, then cut again"
    always, some = "education may always be lowered", "only from 13 to 16 years on"
    by_auc, by_loss = "rounds chosen by validation ROC AUC", "by validation loss"
    tuned = "hyper-parameters tuned on the validation rows"
    fixed = "100 trees, depth 8, 256 leaves, rate 0.05"
    return [
        Effect("binning, wine", "UCI's values", binned, treant("wine")),
        Effect("binning, credit", unshifted, binned, treant("credit")),
        Effect("split, credit", "stratified sampling", "rows in file order", treant("credit")),
        Effect("split, wine", one_split, two_splits, treant("wine")),
        Effect("rule (iv), census", always, some, treant("census")),
        Effect("rule (i), wine", "alcohol less than 11 %", "11 % itself included", treant("wine")),
        Effect("round of AB, wine", by_auc, by_loss, ab("wine")),
        *(Effect(f"no tuning, {d}", tuned, fixed, treant(d, "paper")) for d in BUDGETS),
    ]


def _strongest(method: str, seed: int, dataset: str, protocol: str = "authors") -> Job:
    return Job(dataset, protocol, method, max(BUDGETS[dataset]), seed)


__all__ = [
    "BEYOND",
    "CLEAN",
    "COLUMNS",
    "COLUMNS_OF_REGRESSION",
    "CORRECT",
    "DATASETS",
    "EFFECT",
    "ERRORS",
    "FULL",
    "FULL_MIXED",
    "FULL_REGRESSION",
    "KEY",
    "MEASURES",
    "METHODS",
    "MIXED",
    "MIXED_FILE",
    "PROTOCOLS",
    "QUICK",
    "QUICK_REGRESSION",
    "REGRESSION",
    "REGRESSORS",
    "TUNED",
    "USUAL",
    "Effect",
    "Job",
    "PaperMethod",
    "Scale",
    "budgets",
    "effects",
    "methods",
    "packed",
    "unpacked",
]
