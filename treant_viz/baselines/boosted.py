"""Random forest and gradient boosting as the paper ran them: LightGBM, squared error on the labels -1/+1.

What differs from the originals: both are regressions, whose sign is the class. Breiman's forest draws rows
with replacement and a few features per node; LightGBM's draws 80 % of the rows without replacement and 80 %
of the features per tree. Friedman's boosting grows trees level by level; LightGBM's leaf by leaf, on binned
values.

Scores are (1 + s) / 2, where s is what the booster says: 0 and 1 for the two classes, at least 0.5 for the
second. They are not clipped, since ROC AUC would lose the order of sure rows; `predict_proba` is. `booster_`
itself speaks -1/+1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from importlib import import_module
from typing import Any, Self

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treant_viz.core import checks
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import Column, Schema
from treant_viz.ensembles.ensemble import Ensemble, two_classes
from treant_viz.ensembles.lightgbm import from_lightgbm
from treant_viz.estimators import validation


def lightgbm() -> Any:
    """The module, imported when first needed."""
    try:
        return import_module("lightgbm")
    except ImportError as error:
        raise ImportError(
            "this baseline needs LightGBM, which is not installed: pip install 'treant-viz[experiments]'"
        ) from error


class Boosted(ClassifierMixin, BaseEstimator):
    """What the models on top of LightGBM share: checks, labels, scores, and their common form for attacks."""

    booster_: Any
    classes_: np.ndarray
    n_estimators: int
    num_leaves: int
    max_depth: int | None
    random_state: Any
    n_jobs: int | None
    _schema: Schema

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        tags.classifier_tags.multi_class = False
        return tags

    def _start(self, X: Any, y: Any, sample_weight: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Check everything; the rows as a matrix (categories as codes), labels -1/+1, weights."""
        checks.check_whole(self.n_estimators, "n_estimators", 1)
        checks.check_whole(self.num_leaves, "num_leaves", 2)
        checks.check_whole(self.max_depth, "max_depth", 1, none=True)
        for name in [n for n in vars(self) if n.endswith("_")]:
            delattr(self, name)
        X, y, weight = validation.check_rows(X, y, sample_weight)
        validation.check_columns(self, X, reset=True)
        self._schema = self._columns(X)
        self.classes_, labels = validation.check_labels(y)
        return self._schema.matrix(X), 2 * labels - 1, weight

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        rows, settings = self._start(X, y, sample_weight), self._settings()
        self.booster_ = lightgbm().train(settings, self._data(settings, *rows), self.n_estimators)
        return self

    def _columns(self, X: Any) -> Schema:
        return Schema.of(X)

    def _settings(self) -> dict[str, Any]:
        """LightGBM's parameters; the same `random_state` gives the same model."""
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        return {
            "objective": "regression",
            "num_leaves": self.num_leaves,
            "max_depth": -1 if self.max_depth is None else self.max_depth,
            "seed": seed,
            "num_threads": effective_n_jobs(self.n_jobs),
            "deterministic": True,
            "force_col_wise": True,
            "verbosity": -1,
        }

    def _data(
        self, settings: dict[str, Any], M: np.ndarray, y: np.ndarray, weight: Any, like: Any = None
    ) -> Any:
        """The rows of a matrix for LightGBM; thresholds will lie between their values, or those of `like`."""
        return lightgbm().Dataset(self._frame(M), y, weight=weight, params=settings, reference=like)

    def _frame(self, M: np.ndarray) -> pd.DataFrame:
        """A matrix as LightGBM takes it: named columns, categories as in pandas; code -1 is unknown."""
        columns = [_column(c, x) for c, x in zip(self._schema.columns, M.T, strict=True)]
        return pd.DataFrame(dict(zip(_names(self._schema), columns, strict=True)))

    def _scores(self, X: Any, extra: Schema | None = None) -> np.ndarray:
        """(1 + s) / 2. `extra` may know more categories than the model, for which they are all unknown."""
        check_is_fitted(self, "booster_")
        X = validation.check_table(X)
        validation.check_columns(self, X, reset=False)
        M = (extra or self._schema).matrix(X)
        for j, column in enumerate(self._schema.columns):
            if column.categories is not None:
                M[M[:, j] >= len(column.categories), j] = -1
        return (1.0 + np.asarray(self.booster_.predict(self._frame(M)))) / 2.0

    def staged_scores(self, X: Any) -> Iterator[np.ndarray]:
        """What the booster says after its first tree, its first two, and so on (around -1 and +1)."""
        check_is_fitted(self, "booster_")
        frame = self._frame(self._schema.matrix(X))
        for n in range(1, self.booster_.num_trees() + 1):
            yield np.asarray(self.booster_.predict(frame, num_iteration=n))

    def cut(self, n: int) -> Self:
        """The model of the first n trees."""
        check_is_fitted(self, "booster_")
        part = copy(self)
        part.n_estimators, part.booster_ = n, first_trees(self.booster_, n)
        return part

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of `classes_`, in that order: the score, clipped."""
        p = np.clip(self._scores(X), 0.0, 1.0)
        return np.column_stack([1.0 - p, p])

    def predict(self, X: Any) -> np.ndarray:
        """The second class where the score is at least 1/2."""
        second = self._scores(X) >= 0.5
        return self.classes_[second.astype(int)]

    def common_form(self, X: Any, attacker: Attacker | None = None) -> Ensemble:
        """What `treant_viz.attack` works on."""
        check_is_fitted(self, "booster_")
        validation.check_columns(self, X, reset=False)
        form = self._form(self.booster_, attacker)
        form = replace(form, base=0.5, scale=form.scale / 2, classes=two_classes(self), loss="sse")
        return replace(form, scores=lambda Z: self._scores(Z, form.schema), missing=False)

    def _form(self, booster: Any, attacker: Attacker | None) -> Ensemble:
        """A booster in common form, with the model's names of the columns."""
        names = self._schema.names
        none = self._frame(np.zeros((0, len(names))))
        form = from_lightgbm(booster, none.set_axis(names, axis=1) if _named(names) else none, attacker)
        columns = zip(names, form.schema.columns, strict=True)
        return replace(form, schema=Schema(tuple(replace(c, name=n) for n, c in columns)))


def first_trees(booster: Any, n: int) -> Any:
    """A booster of the first n trees of another one."""
    return lightgbm().Booster(model_str=booster.model_to_string(num_iteration=n))


def _column(column: Column, x: np.ndarray) -> Any:
    if column.categories is None:
        return x
    return pd.Categorical.from_codes(x.astype(np.int64), pd.Index(column.categories))


def _named(names: Sequence[str | int]) -> bool:
    return all(isinstance(n, str) for n in names)


def _names(schema: Schema) -> Sequence[Any]:
    """The columns' names, if they have any and LightGBM takes them."""
    plain = _named(schema.names) and not any(set(str(n)) & set('",:[]{}') for n in schema.names)
    return schema.names if plain else [f"Column_{j}" for j in range(len(schema.columns))]


class GBDTBaseline(Boosted):
    """Gradient boosting: LightGBM, 100 trees, rate 0.05, at most 256 leaves and depth 8; all trees are kept.

    Parameters
    ----------
    n_estimators, learning_rate, num_leaves : as in LightGBM.
    max_depth : levels of tests at most; None: no limit.
    random_state : seed (boosting without sampling does not depend on it).
    n_jobs : threads; None means 1 (several are slow where cores are shared). The model does not depend on it.

    Attributes
    ----------
    booster_ : the LightGBM booster; its scores are around -1 and +1.
    classes_, n_features_in_, feature_names_in_
    """

    learning_rate: float

    def __init__(
        self,
        n_estimators: int = 100,
        learning_rate: float = 0.05,
        num_leaves: int = 256,
        max_depth: int | None = 8,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        validation.keep_options(self, locals())

    def _settings(self) -> dict[str, Any]:
        return super()._settings() | {"learning_rate": self.learning_rate}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on X (an array, or a data frame whose text columns are categories) and y (two classes)."""
        return self._fit(X, y, sample_weight)


class RandomForestBaseline(Boosted):
    """A random forest: LightGBM's, 100 trees, each on 80 % of the rows and of the features.

    Options and attributes as in GBDTBaseline, and `max_samples`, `max_features`: the shares of rows and
    features.
    """

    max_samples: float
    max_features: float

    def __init__(
        self,
        n_estimators: int = 100,
        max_samples: float = 0.8,
        max_features: float = 0.8,
        num_leaves: int = 256,
        max_depth: int | None = 8,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        validation.keep_options(self, locals())

    def _settings(self) -> dict[str, Any]:
        sampling = {
            "bagging_freq": 1,
            "bagging_fraction": self.max_samples,
            "feature_fraction": self.max_features,
        }
        return super()._settings() | {"boosting": "rf"} | sampling

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on X (an array, or a data frame whose text columns are categories) and y (two classes)."""
        return self._fit(X, y, sample_weight)


__all__ = ["GBDTBaseline", "RandomForestBaseline"]
