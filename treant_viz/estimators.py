"""scikit-learn estimators: TREANT trees and forests, for two classes and for regression."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treant_viz.attacker import Attacker
from treant_viz.fitting import MAX_DEPTH, Problem, bind, make_table
from treant_viz.inputs import check_columns, check_labels, check_table, check_targets, check_weights
from treant_viz.losses import get_loss
from treant_viz.modelfile import ModelFile
from treant_viz.partition import Sample
from treant_viz.progress import progress
from treant_viz.trace import Trace
from treant_viz.tree import Tree, predict

RETESTS = ("uncorrupted", "none", "all")


class _Treant(ModelFile, BaseEstimator):
    """What trees and forests share: options, checks, and the problem they solve."""

    attacker: Attacker | None
    loss: str
    solver: str
    attack_invariance: bool
    max_depth: int | None
    min_samples_split: int
    max_features: Any
    retest: Any
    random_state: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _problem(self, X: Any, y: np.ndarray, binary: bool, sample_weight: Any) -> Problem:
        """Everything checked, coded and bound."""
        self._check_options()
        check_columns(self, X, reset=True)
        table = make_table(X, self.attacker)
        weight = check_weights(sample_weight, len(table))
        sample = Sample(table, y, binary, weight)
        self.schema_ = table.schema
        loss = get_loss(self.loss, binary=binary)
        bound = bind(self.attacker, table, self.retest)
        depth = MAX_DEPTH if self.max_depth is None else int(self.max_depth)
        features = _how_many(self.max_features, table.width, "max_features")
        return Problem(
            sample, bound, loss, self.solver, bool(self.attack_invariance), depth, int(self.min_samples_split),
            None if features == table.width else features,
        )  # fmt: skip

    def _check_options(self) -> None:
        if self.attacker is not None and not isinstance(self.attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker or None, got {self.attacker!r}")
        if self.retest not in RETESTS:
            raise ValueError(f"retest: expected 'uncorrupted', 'none' or 'all', got {self.retest!r}")
        if self.solver not in ("exact", "slsqp"):
            raise ValueError(f"solver: expected 'exact' or 'slsqp', got {self.solver!r}")
        _whole(self.max_depth, "max_depth", 0, MAX_DEPTH, none=True)
        _whole(self.min_samples_split, "min_samples_split", 2)

    def _scores(self, X: Any) -> np.ndarray:
        """What the trees say, averaged."""
        check_is_fitted(self)
        check_columns(self, X, reset=False)
        check_table(X)
        return np.mean([predict(t, X, self.schema_) for t in self._trees()], axis=0)

    def _trees(self) -> list[Tree]:
        raise NotImplementedError

    def _seeds(self, n: int) -> list[int]:
        """One seed a tree, drawn once: the trees do not depend on who grows them in which order."""
        rng = check_random_state(self.random_state)
        return [int(s) for s in rng.randint(np.iinfo(np.int32).max, size=n)]


class _Classifies(ClassifierMixin):
    """Two classes outside, 0/1 inside; scores are probabilities of the second class."""

    classes_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow on X (an array, or a data frame whose text columns are categories) and y (two classes)."""
        check_table(X)
        self.classes_, labels = check_labels(y, len(X))
        self._grow(self._problem(X, labels, True, sample_weight))  # type: ignore[attr-defined]
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of `classes_`, in that order."""
        p = self._scores(X)  # type: ignore[attr-defined]
        return np.column_stack([1.0 - p, p])

    def predict(self, X: Any) -> np.ndarray:
        """The second class where its probability is at least 1/2."""
        p = self._scores(X)  # type: ignore[attr-defined]
        return self.classes_[(p >= 0.5).astype(int)]


class _Regresses(RegressorMixin):
    """Real labels, squared error."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow on X (an array, or a data frame whose text columns are categories) and y (numbers)."""
        check_table(X)
        if self.loss != "sse":  # type: ignore[attr-defined]
            raise ValueError(f"loss: a regressor takes 'sse', got {self.loss!r}")  # type: ignore[attr-defined]
        targets = check_targets(y, len(X))
        self._grow(self._problem(X, targets, False, sample_weight))  # type: ignore[attr-defined]
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self._scores(X)  # type: ignore[attr-defined,no-any-return]


class _SingleTree(_Treant):
    """One tree."""

    tree_: Tree

    def _grow(self, problem: Problem) -> None:
        self._seed = self._seeds(1)[0]
        self._grown_from: tuple[Problem, np.ndarray | None] | None = (problem, None)
        self.tree_ = problem.grow(self._seed)

    def _trees(self) -> list[Tree]:
        return [self.tree_]

    def _set_trees(self, trees: list[Tree], where: str) -> None:
        if len(trees) != 1:
            raise ValueError(f"{where}: expected one tree, got {len(trees)}")
        self.tree_, self._seed, self._grown_from = trees[0], 0, None

    @property
    def trace_(self) -> Trace:
        """What the algorithm did, node by node. Recorded when asked for, by growing the same tree again."""
        check_is_fitted(self)
        if self._grown_from is None:
            raise AttributeError("trace_: this model was read from a file, which does not hold its training data")
        problem, rows = self._grown_from
        return problem.trace(self._seed, rows)


class _Forest(_Treant):
    """Many trees, each on a sample of the rows, each node looking at a sample of the features."""

    n_estimators: int
    max_samples: Any
    n_jobs: int | None
    verbose: int
    estimators_: list[Any]
    _tree_class: type[_SingleTree]

    def _grow(self, problem: Problem) -> None:
        _whole(self.n_estimators, "n_estimators", 1)
        n = len(problem.sample.y)
        size = _how_many(self.max_samples, n, "max_samples")
        seeds = self._seeds(self.n_estimators)
        jobs = (delayed(_grow_one)(problem, seed, size) for seed in seeds)
        run = Parallel(n_jobs=self.n_jobs, return_as="generator" if self.verbose else "list")
        grown = list(progress(run(jobs), len(seeds), "trees", show=bool(self.verbose)))
        self.estimators_ = [
            self._single(seed, tree, (problem, rows)) for seed, (tree, rows) in zip(seeds, grown, strict=True)
        ]

    def _single(self, seed: int, tree: Tree, grown_from: tuple[Problem, np.ndarray | None] | None) -> _SingleTree:
        """A grown tree as an estimator of its own."""
        shared = {k: v for k, v in self.get_params(deep=False).items() if k in self._tree_class().get_params()}
        one = self._tree_class(**shared | {"random_state": seed})
        one.tree_, one._seed, one._grown_from = tree, seed, grown_from
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


def _grow_one(problem: Problem, seed: int, size: int) -> tuple[Tree, np.ndarray]:
    """One tree of a forest: sample the rows, then grow."""
    n = len(problem.sample.y)
    rows = np.sort(np.random.default_rng([seed, 1]).choice(n, size, replace=False)) if size < n else np.arange(n)
    return problem.grow(seed, rows), rows


class TreantClassifier(_Classifies, _SingleTree):
    """A decision tree for two classes that minimises the loss under attack (Algorithm 3 of the paper).

    Parameters
    ----------
    attacker : Attacker or None. None means nobody attacks: plain Algorithm 1.
    loss : "log" or "sse".
    solver : "exact", or "slsqp" as in the paper (slow; for teaching and cross-checking).
    attack_invariance : hand constraints down the tree, so that its training loss stays its loss under attack.
    max_depth : levels of tests at most; None means until nothing is gained (at most 200).
    min_samples_split : a node with fewer rows is not split.
    max_features : features looked at per node: a number, a share, "sqrt", "log2", or None for all.
    retest : which features may be tested again further down a path: "uncorrupted" (all but those the attacker can
        change: the paper's text), "none" (the authors' code), "all" (what is reachable is tracked exactly).
    random_state : seed of the sampling of features.

    Attributes
    ----------
    tree_ : the tree (`Leaf` or `Node`); its leaves predict the probability of the second class.
    trace_ : what the algorithm did, node by node.
    classes_, schema_, n_features_in_, feature_names_in_
    """

    def __init__(
        self, attacker: Attacker | None = None, loss: str = "log", solver: str = "exact",
        attack_invariance: bool = True, max_depth: int | None = 8, min_samples_split: int = 20,
        max_features: Any = None, retest: str = "uncorrupted", random_state: Any = None,
    ) -> None:  # fmt: skip
        self.attacker = attacker
        self.loss = loss
        self.solver = solver
        self.attack_invariance = attack_invariance
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.max_features = max_features
        self.retest = retest
        self.random_state = random_state


class TreantRegressor(_Regresses, _SingleTree):
    """A regression tree that minimises the squared error under attack; options as in TreantClassifier.

    >>> from treant_viz import load_toy
    >>> from treant_viz.tree import to_text
    >>> toy = load_toy()
    >>> m = TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y)
    >>> print(to_text(m.tree_))
    p <= 1
    ├─ yes: q <= 1
    │       ├─ yes: -2   (1 row, loss 0)
    │       └─ no:  -1   (1 row, loss 0)
    └─ no:  q <= 3
            ├─ yes: 1.5   (2 rows, loss 2.5)
            └─ no:  2   (3 rows, loss 0)
    """

    def __init__(
        self, attacker: Attacker | None = None, loss: str = "sse", solver: str = "exact",
        attack_invariance: bool = True, max_depth: int | None = 8, min_samples_split: int = 20,
        max_features: Any = None, retest: str = "uncorrupted", random_state: Any = None,
    ) -> None:  # fmt: skip
        self.attacker = attacker
        self.loss = loss
        self.solver = solver
        self.attack_invariance = attack_invariance
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.max_features = max_features
        self.retest = retest
        self.random_state = random_state


class TreantForestClassifier(_Classifies, _Forest):
    """RF-TREANT: a forest of TREANT trees; its score is the mean of its trees' probabilities.

    Options as in TreantClassifier, and: `n_estimators` trees; `max_samples`, the number or share of rows each tree gets
    (drawn without replacement); `max_features` per node; `n_jobs` through joblib, so that any joblib back end
    (Dask, Ray) can grow the trees; `verbose=1` shows a progress bar. The forest depends on `random_state` alone, not
    on how many workers grew it.
    """

    _tree_class = TreantClassifier

    def __init__(
        self, n_estimators: int = 100, max_samples: Any = 0.8, max_features: Any = 0.8, n_jobs: int | None = None,
        attacker: Attacker | None = None, loss: str = "log", solver: str = "exact", attack_invariance: bool = True,
        max_depth: int | None = 8, min_samples_split: int = 20, retest: str = "uncorrupted",
        random_state: Any = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.n_jobs = n_jobs
        self.attacker = attacker
        self.loss = loss
        self.solver = solver
        self.attack_invariance = attack_invariance
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.retest = retest
        self.random_state = random_state
        self.verbose = verbose


class TreantForestRegressor(_Regresses, _Forest):
    """A forest of TREANT regression trees; its prediction is their mean. Options as in TreantForestClassifier."""

    _tree_class = TreantRegressor

    def __init__(
        self, n_estimators: int = 100, max_samples: Any = 0.8, max_features: Any = 0.8, n_jobs: int | None = None,
        attacker: Attacker | None = None, loss: str = "sse", solver: str = "exact", attack_invariance: bool = True,
        max_depth: int | None = 8, min_samples_split: int = 20, retest: str = "uncorrupted",
        random_state: Any = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.n_jobs = n_jobs
        self.attacker = attacker
        self.loss = loss
        self.solver = solver
        self.attack_invariance = attack_invariance
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.retest = retest
        self.random_state = random_state
        self.verbose = verbose


def _whole(value: Any, name: str, low: int, high: int | None = None, *, none: bool = False) -> None:
    if value is None and none:
        return
    fits = isinstance(value, Integral) and not isinstance(value, bool)
    if not fits or value < low or (high is not None and value > high):
        upper = f" and at most {high}" if high is not None else ""
        raise ValueError(f"{name}: expected a whole number of at least {low}{upper}{' or None' * none}, got {value!r}")


def _how_many(value: Any, n: int, name: str) -> int:
    """A number, or a share, of n things."""
    if value is None:
        return n
    if value in ("sqrt", "log2") and name == "max_features":
        return max(1, int(np.sqrt(n) if value == "sqrt" else np.log2(n)))
    if isinstance(value, Integral) and not isinstance(value, bool) and 1 <= value <= n:
        return int(value)
    if isinstance(value, Real) and not isinstance(value, (bool, Integral)) and 0 < value <= 1:
        return max(1, int(value * n))
    raise ValueError(f"{name}: expected a whole number from 1 to {n}, a share in (0, 1], or None, got {value!r}")
