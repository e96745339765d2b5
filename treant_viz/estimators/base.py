"""Base classes of the estimators, also for learners that you write and that grow in another way.

An estimator is put together from three parts: `TwoClasses` or `RealLabels` (what the labels are), more
options if you have any, and `SingleTree` or `Forest` (how many trees). Whoever grows trees differently
overrides `_make_options` and `_make_problem`: see `baselines.robust` for an example.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treant_viz.core import checks
from treant_viz.core.attacker.on_table import AttackerOnTable
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.data import Sample
from treant_viz.core.losses import Loss, get_loss
from treant_viz.core.options import Options
from treant_viz.core.solvers import get_solver
from treant_viz.core.table import Schema
from treant_viz.core.tree import Tree, landing
from treant_viz.estimators import validation
from treant_viz.estimators.fitting import MAX_DEPTH, TrainingProblem, bind, grow_many, make_table
from treant_viz.estimators.modelfile import ModelFile
from treant_viz.trace.trace import Trace

Origin = (
    tuple[TrainingProblem, np.ndarray | None] | None
)  # what a tree was grown from; None: it was read from a file


class TreantEstimator(ModelFile):
    """What trees and forests share: options, checks, and the training problem they pose."""

    schema_: Schema
    _losses: tuple[str, ...]

    attacker: Attacker | None
    loss: str
    solver: str
    attack_invariance: bool
    max_depth: int | None
    min_samples_split: int
    max_features: Any
    retest: str
    random_state: Any
    thresholds: str = "data"  # of learners that have no such option

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _check_options(self) -> None:
        if self.attacker is not None and not isinstance(self.attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker or None, got {self.attacker!r}")
        checks.check_choice(self.loss, f"loss of a {type(self).__name__}", self._losses)
        checks.check_choice(self.solver, "solver", ("exact", "slsqp"))
        checks.check_choice(self.retest, "retest", ("uncorrupted", "none", "all"))
        checks.check_choice(self.thresholds, "thresholds", ("data", "reachable"))
        checks.check_choice(self.attack_invariance, "attack_invariance", (True, False))
        checks.check_whole(self.max_depth, "max_depth", 0, MAX_DEPTH, none=True)
        checks.check_whole(self.min_samples_split, "min_samples_split", 2)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Check everything, then grow."""
        self._check_options()
        self._forget()
        X, y, weight = validation.check_rows(X, y, sample_weight)
        validation.check_columns(self, X, reset=True)
        table = make_table(X, self.attacker)
        binary, labels = self._labels(y)
        width = validation.how_many(self.max_features, table.width, "max_features", ("sqrt", "log2"))
        options = self._make_options(get_loss(self.loss, binary=binary))
        options = replace(options, max_features=None if width == table.width else width)
        attacker = bind(self.attacker, table, self.retest, self.thresholds)  # type: ignore[arg-type]
        table = table if attacker is None else attacker.table
        problem = self._make_problem(Sample(table, labels, binary, weight), attacker, options)
        self.schema_ = table.schema
        self._grow(problem)
        return self

    def _make_options(self, loss: Loss) -> Options:
        """The options of the growth, made once; how many features a node looks at is filled in by `_fit`."""
        return Options(
            loss=loss,
            solver=get_solver(self.solver),
            attack_invariance=bool(self.attack_invariance),
            max_depth=MAX_DEPTH if self.max_depth is None else int(self.max_depth),
            min_samples_split=int(self.min_samples_split),
        )

    def _make_problem(
        self, sample: Sample, attacker: AttackerOnTable | None, options: Options
    ) -> TrainingProblem:
        """What is to be grown: override it to grow trees in another way."""
        return TrainingProblem(sample, attacker, options)

    def _forget(self) -> None:
        """Drop what an earlier fit has learnt: if this one fails, the model is unfitted, not half of each."""
        for name in [n for n in vars(self) if n.endswith("_")]:
            delattr(self, name)

    def _labels(self, y: np.ndarray) -> tuple[bool, np.ndarray]:
        """Are these two classes? And the labels as numbers."""
        raise NotImplementedError

    def _grow(self, problem: TrainingProblem) -> None:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return bool({"tree_", "estimators_"} & vars(self).keys())

    def _scores(self, X: Any) -> np.ndarray:
        """What the trees predict together."""
        return self._together(self._values(X))

    def _together(self, values: np.ndarray) -> np.ndarray:
        """What trees that say this, as [tree, row], predict together: the mean."""
        return np.asarray(np.mean(values, axis=0))

    def _values(self, X: Any) -> np.ndarray:
        """[tree, row]: what each tree says of each row."""
        check_is_fitted(self)
        X = validation.check_table(X)
        validation.check_columns(self, X, reset=False)
        M = self.schema_.matrix(X)
        out = np.empty((len(self._trees()), len(M)))
        for t, values in zip(self._trees(), out, strict=True):
            for _, leaf, rows in landing(t, M, self.schema_):
                values[rows] = leaf.prediction
        return out


class TwoClasses(ClassifierMixin, TreantEstimator):
    """Two classes outside, 0/1 inside; scores are probabilities of the second class."""

    classes_: np.ndarray
    _losses = ("log", "sse")
    _leaf_range = (0.0, 1.0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow on X (an array, or a data frame whose text columns are categories) and y (two classes)."""
        return self._fit(X, y, sample_weight)

    def _labels(self, y: np.ndarray) -> tuple[bool, np.ndarray]:
        self.classes_, labels = validation.check_labels(y)
        return True, labels

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of `classes_`, in that order."""
        p = self._scores(X)
        return np.column_stack([1.0 - p, p])

    def predict(self, X: Any) -> np.ndarray:
        """The second class where its probability is at least 1/2."""
        second = self._scores(X) >= 0.5
        return self.classes_[second.astype(int)]


class RealLabels(RegressorMixin, TreantEstimator):
    """Real labels, squared error."""

    _losses = ("sse",)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow on X (an array, or a data frame whose text columns are categories) and y (numbers)."""
        return self._fit(X, y, sample_weight)

    def _labels(self, y: np.ndarray) -> tuple[bool, np.ndarray]:
        return False, validation.check_targets(y)

    def predict(self, X: Any) -> np.ndarray:
        """What the tree predicts; for a forest, the mean of what its trees predict."""
        return self._scores(X)


class SingleTree(TreantEstimator):
    """One tree: grown by `fit`, kept in `tree_`."""

    tree_: Tree
    _seed: int
    _origin: Origin

    def __init__(
        self,
        attacker: Attacker | None = None,
        loss: str = "log",
        solver: str = "exact",
        attack_invariance: bool = True,
        max_depth: int | None = 8,
        min_samples_split: int = 20,
        max_features: Any = None,
        retest: str = "uncorrupted",
        random_state: Any = None,
        thresholds: str = "data",
    ) -> None:
        validation.keep_options(self, locals())

    def _grow(self, problem: TrainingProblem) -> None:
        rng, given = check_random_state(self.random_state), isinstance(self.random_state, Integral)
        self._seed = int(self.random_state) if given else draw_seeds(rng, 1)[0]
        self._origin = (problem, None)
        self.tree_ = problem.grow(self._seed)

    def _trees(self) -> list[Tree]:
        return [self.tree_]

    def _set_trees(self, trees: list[Tree], where: str) -> None:
        if len(trees) != 1:
            raise ValueError(f"{where}: expected one tree, got {len(trees)}")
        self.tree_, self._seed, self._origin = trees[0], 0, None

    @property
    def trace_(self) -> Trace:
        """What the algorithm did, node by node. Recorded when asked for, by growing the same tree again.

        Rows are numbered as in the training data, rows of weight zero left out.
        """
        check_is_fitted(self)
        if self._origin is None:
            raise AttributeError(
                "trace_: this model was read from a file, which does not hold its training data"
            )
        problem, rows = self._origin
        return problem.trace(self._seed, rows)


class Forest(TreantEstimator):
    """Many trees, each on a sample of the rows, each node looking at a sample of the features."""

    estimators_: list[Any]
    _tree_class: type[SingleTree]
    n_estimators: int
    max_samples: Any
    n_jobs: int | None
    verbose: int

    def __init__(
        self,
        n_estimators: int = 100,
        max_samples: Any = 0.8,
        max_features: Any = 0.8,
        n_jobs: int | None = None,
        attacker: Attacker | None = None,
        loss: str = "log",
        solver: str = "exact",
        attack_invariance: bool = True,
        max_depth: int | None = 8,
        min_samples_split: int = 20,
        retest: str = "uncorrupted",
        random_state: Any = None,
        verbose: int = 0,
        thresholds: str = "data",
    ) -> None:
        validation.keep_options(self, locals())

    def _check_options(self) -> None:
        super()._check_options()
        checks.check_whole(self.n_estimators, "n_estimators", 1)

    def _grow(self, problem: TrainingProblem) -> None:
        seeds = draw_seeds(check_random_state(self.random_state), self.n_estimators)
        self.estimators_ = self._members(problem, seeds)

    def _members(self, problem: TrainingProblem, seeds: list[int], label: str = "trees") -> list[Any]:
        """One tree for each seed."""
        size = validation.how_many(self.max_samples, len(problem.sample.y), "max_samples")
        grown = grow_many(problem, seeds, size, self.n_jobs, show=label if self.verbose else "")
        return [self._single(s, t, (problem, rows)) for s, (t, rows) in zip(seeds, grown, strict=True)]

    def _single(self, seed: int, tree: Tree, origin: Origin) -> SingleTree:
        """A grown tree as an estimator of its own."""
        known = self._tree_class().get_params()
        shared = {k: v for k, v in self.get_params(deep=False).items() if k in known}
        one = self._tree_class(**shared | {"random_state": seed})
        one.tree_, one._seed, one._origin = tree, seed, origin
        for name in ("schema_", "classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(one, name, getattr(self, name))
        return one

    def _trees(self) -> list[Tree]:
        return [e.tree_ for e in self.estimators_]

    def _set_trees(self, trees: list[Tree], where: str) -> None:
        if len(trees) != self.n_estimators:
            raise ValueError(f"{where}: expected {self.n_estimators} trees, got {len(trees)}")
        self.estimators_ = [self._single(0, t, None) for t in trees]


def draw_seeds(rng: np.random.RandomState, n: int) -> list[int]:
    """One seed a tree, drawn once: the trees do not depend on who grows them in which order."""
    return [int(s) for s in rng.randint(np.iinfo(np.int32).max, size=n)]


__all__ = ["Forest", "RealLabels", "SingleTree", "TreantEstimator", "TwoClasses", "draw_seeds"]
