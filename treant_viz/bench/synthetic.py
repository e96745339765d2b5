"""Generated data of the size and shape of wine and census, for measuring: no file is read, a seed decides
everything.

Every column has as many distinct values as UCI's, spread and heaped as there, so that the rules of the
paper's threat models bite. Labels follow some columns, with noise, so that trees of depth 8 have about as
many nodes as on real data.

>>> data = wine_like(rows=1000)
>>> data.X.shape, data.X["alcohol"].nunique(), data.budgets
((1000, 12), 111, (20, 40, 60, 80, 100, 120))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from treant_viz.core.attacker.rules import Attacker
from treant_viz.datasets.threats import BUDGETS, load_threat

WINE_ROWS, CENSUS_ROWS = 4_547, 27_132


@dataclass(frozen=True, slots=True)
class Numeric:
    """A column of numbers from `low` to `high`: a bell (`middle` and `width` on the logit scale) over
    distinct values.

    `skew` above 1 puts the values closer together at the low end. `heap` is a value and the share of rows
    that have it. `pull` is the column's weight in the label.
    """

    name: str
    low: float
    high: float
    distinct: int
    middle: float = 0.0
    width: float = 0.8
    skew: float = 1.0
    heap: tuple[float, float] | None = None
    pull: float = 0.0

    def values(self, rng: np.random.Generator, latent: np.ndarray) -> np.ndarray:
        """One value a row, in the order of the latent."""
        d = min(self.distinct, len(latent))
        u = (np.arange(d) + 0.5) / d
        bell = np.exp(-0.5 * ((np.log(u / (1 - u)) - self.middle) / self.width) ** 2) / (u * (1 - u))
        grid, shares = self._spread(np.linspace(0, 1, d)), bell / bell.sum()
        if self.heap:
            shares *= 1 - self.heap[1]
            shares[np.argmin(np.abs(grid - self.heap[0]))] += self.heap[1]
        return _in_order(rng, latent, grid, shares)

    def continuous(self, latent: np.ndarray) -> np.ndarray:
        """The same bell without rounding: no value twice."""
        return self._spread(1 / (1 + np.exp(-self.middle - self.width * latent)))

    def _spread(self, u: np.ndarray) -> np.ndarray:
        return self.low + (self.high - self.low) * u**self.skew


@dataclass(frozen=True, slots=True)
class Text:
    """A column of categories with their shares in percent (which need not add up to 100)."""

    name: str
    shares: dict[str, float]
    pull: float = 0.0

    def values(self, rng: np.random.Generator, latent: np.ndarray) -> np.ndarray:
        weights = np.array(list(self.shares.values()))
        return _in_order(rng, latent, np.array(list(self.shares), dtype=object), weights / weights.sum())


def _in_order(
    rng: np.random.Generator, latent: np.ndarray, values: np.ndarray, shares: np.ndarray
) -> np.ndarray:
    """The values, handed out in the order of the latent, each at least once (if there are enough rows)."""
    values, shares = values[: len(latent)], shares[: len(latent)]
    counts = 1 + rng.multinomial(len(latent) - len(values), shares / shares.sum())
    out = np.empty(len(latent), dtype=values.dtype)
    out[np.argsort(latent)] = np.repeat(values, counts)
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Generated:
    """A generated training set with its threat model; the attacker has the largest of the budgets."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    attacker: Attacker
    budgets: tuple[int, ...]

    @property
    def coded(self) -> np.ndarray:
        """X as numbers, categories by their alphabetical rank: what scikit-learn's trees take."""
        columns = [x if x.dtype.kind == "f" else pd.Categorical(x).codes for _, x in self.X.items()]
        return np.column_stack(columns).astype(float)

    def as_category(self) -> Generated:
        """The same with text columns as `category`."""
        text = {str(name): "category" for name, x in self.X.items() if x.dtype.kind != "f"}
        return replace(self, X=self.X.astype(text))


WINE = (
    Numeric("fixed_acidity", 3.8, 15.9, 106, -1.2, 0.5),
    Numeric("volatile_acidity", 0.08, 1.58, 187, -1.5, 0.7, pull=-0.6),
    Numeric("citric_acid", 0.0, 1.66, 89, -1.6, 0.6),
    Numeric("residual_sugar", 0.6, 65.8, 316, -1.3, 0.7, skew=2),
    Numeric("chlorides", 0.009, 0.611, 214, -1.2, 0.6, skew=1.5),
    Numeric("free_sulfur_dioxide", 1, 289, 135, -1.1, 0.6, skew=1.5, pull=0.2),
    Numeric("total_sulfur_dioxide", 6, 440, 276, -0.9, 0.7, pull=-0.6),
    Numeric("density", 0.987, 1.039, 998, -1.4, 0.3, pull=-0.2),
    Numeric("ph", 2.72, 4.01, 108, -0.2, 0.5),
    Numeric("sulphites", 0.22, 2.0, 111, -1.6, 0.5),
    Numeric("alcohol", 8, 14.9, 111, -0.6, 0.7, pull=1.0),
    Numeric("is_white", 0, 1, 2, 0.0, 1.0, heap=(1, 0.5)),
)

JOBS = {
    "Prof-specialty": 13.4, "Craft-repair": 13.4, "Exec-managerial": 13.2, "Adm-clerical": 12.3,
    "Sales": 11.9, "Other-service": 10.6, "Machine-op-inspct": 6.5, "Transport-moving": 5.2,
    "Handlers-cleaners": 4.5, "Farming-fishing": 3.3, "Tech-support": 3.0, "Protective-serv": 2.1,
    "Priv-house-serv": 0.5, "Armed-Forces": 0.1,
}  # fmt: skip
COUNTRIES = {"United-States": 91.0} | {f"Country-{i:02}": 4 / (i + 1) ** 1.2 for i in range(1, 41)}

CENSUS = (
    Numeric("age", 17, 90, 72, -0.9, 1.0, pull=0.3),
    Text("workclass", {"Private": 73.7, "Self-emp-not-inc": 8.3, "Local-gov": 6.9, "State-gov": 4.3,
                       "Self-emp-inc": 3.6, "Federal-gov": 3.1, "Without-pay": 0.1}),
    Numeric("fnlwgt", 13_492, 1_490_400, 18_772, -1.6, 0.6),
    Numeric("education_num", 1, 16, 16, 0.7, 0.8, heap=(9, 0.2), pull=0.6),
    Text("marital_status", {"Married-civ-spouse": 46.6, "Never-married": 32.3, "Divorced": 13.9,
                            "Separated": 3.1, "Widowed": 2.8, "Married-spouse-absent": 1.2,
                            "Married-AF-spouse": 0.1}, pull=-0.2),
    Text("occupation", JOBS, pull=-0.3),
    Text("relationship", {"Husband": 41.3, "Not-in-family": 25.8, "Own-child": 14.7, "Unmarried": 10.6,
                          "Wife": 4.6, "Other-relative": 3.0}, pull=-2.6),
    Text("race", {"White": 86.0, "Black": 9.3, "Asian-Pac-Islander": 2.9, "Amer-Indian-Eskimo": 1.0,
                  "Other": 0.8}),
    Text("sex", {"Male": 67.5, "Female": 32.5}),
    Numeric("capital_gain", 0, 99_999, 113, -1.0, 0.9, skew=2, heap=(0, 0.9), pull=0.8),
    Numeric("capital_loss", 0, 4_356, 88, 0.0, 0.8, heap=(0, 0.95), pull=0.3),
    Numeric("hours_per_week", 1, 99, 94, -0.3, 0.7, heap=(40, 0.45), pull=0.2),
    Text("native_country", COUNTRIES),
)  # fmt: skip


def wine_like(rows: int = WINE_ROWS, seed: int = 0, *, rounded: bool = True) -> Generated:
    """Twelve columns of numbers, nearly two thirds of the labels 1. Not rounded: no value occurs twice."""
    X, y = _draw(WINE, rows, seed, positive=0.633, noise=1.3, rounded=rounded)
    return Generated("wine", X, y, load_threat("wine-authors"), BUDGETS["wine"])


def census_like(rows: int = CENSUS_ROWS, seed: int = 0) -> Generated:
    """Six columns of numbers, one of them nearly continuous, and seven of text; a quarter of the labels 1."""
    X, y = _draw(CENSUS, rows, seed, positive=0.249, noise=0.9, rounded=True)
    return Generated("census", X, y, load_threat("census-authors"), BUDGETS["census"])


def _draw(
    columns: Sequence[Numeric | Text], rows: int, seed: int, *, positive: float, noise: float, rounded: bool
) -> tuple[pd.DataFrame, np.ndarray]:
    """A table, its columns drawn in the order of correlated latents; the highest scores have the label 1."""
    rng = np.random.default_rng(seed)
    latent = 0.35 * rng.normal(size=(rows, 1)) + rng.normal(size=(rows, len(columns)))
    drawn, score = {}, noise * rng.uniform(-1, 1, size=rows)
    for column, z in zip(columns, latent.T, strict=True):
        smooth = isinstance(column, Numeric) and not rounded
        drawn[column.name] = x = column.continuous(z) if smooth else column.values(rng, z)  # type: ignore[union-attr]
        score += column.pull * np.tanh(_seen(x, z))
    return pd.DataFrame(drawn), (score > np.quantile(score, 1 - positive)).astype(int)


def _seen(x: np.ndarray, latent: np.ndarray) -> np.ndarray:
    """What a column reveals of its latent: the mean over rows with the same value."""
    code = pd.factorize(x)[0]
    return (np.bincount(code, latent) / np.bincount(code))[code]
