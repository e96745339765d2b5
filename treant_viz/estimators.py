"""scikit-learn estimators: TREANT trees and forests, for two classes and for regression."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from treant_viz import inputs
from treant_viz.attacker import Attacker
from treant_viz.fitting import MAX_DEPTH, Problem, bind, grow_many, make_table
from treant_viz.losses import get_loss
from treant_viz.modelfile import ModelFile
from treant_viz.partition import Sample
from treant_viz.table import Schema
from treant_viz.trace import Trace
from treant_viz.tree import Tree, landing

Origin = tuple[Problem, np.ndarray | None] | None  # what a tree was grown from; None: it was read from a file


class _Treant(ModelFile):
    """What trees and forests share: options, checks, and the problem they solve."""

    schema_: Schema
    _losses: tuple[str, ...]

    def __init__(
        self, attacker: Attacker | None, loss: str, solver: str, attack_invariance: bool, max_depth: int | None,
        min_samples_split: int, max_features: Any, retest: str, random_state: Any,
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _check_options(self) -> None:
        if self.attacker is not None and not isinstance(self.attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker or None, got {self.attacker!r}")
        inputs.check_choice(self.loss, f"loss of a {type(self).__name__}", self._losses)
        inputs.check_choice(self.solver, "solver", ("exact", "slsqp"))
        inputs.check_choice(self.retest, "retest", ("uncorrupted", "none", "all"))
        inputs.check_choice(self.attack_invariance, "attack_invariance", (True, False))
        inputs.check_whole(self.max_depth, "max_depth", 0, MAX_DEPTH, none=True)
        inputs.check_whole(self.min_samples_split, "min_samples_split", 2)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Check everything, then grow."""
        self._check_options()
        self._forget()
        X, y, weight = inputs.check_rows(X, y, sample_weight)
        inputs.check_columns(self, X, reset=True)
        table = make_table(X, self.attacker)
        binary, labels = self._labels(y)
        width = inputs.how_many(self.max_features, table.width, "max_features", ("sqrt", "log2"))
        problem = Problem(
            Sample(table, labels, binary, weight), bind(self.attacker, table, self.retest),  # type: ignore[arg-type]
            get_loss(self.loss, binary=binary), self.solver, bool(self.attack_invariance),
            MAX_DEPTH if self.max_depth is None else int(self.max_depth), int(self.min_samples_split),
            None if width == table.width else width,
        )  # fmt: skip
        self.schema_ = table.schema
        self._grow(problem)
        return self

    def _forget(self) -> None:
        """Drop what an earlier fit has learnt: if this one fails, the model is unfitted, not half of each."""
        for name in [n for n in vars(self) if n.endswith("_")]:
            delattr(self, name)

    def _labels(self, y: np.ndarray) -> tuple[bool, np.ndarray]:
        """Are these two classes? And the labels as numbers."""
        raise NotImplementedError

    def _grow(self, problem: Problem) -> None:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return bool({"tree_", "estimators_"} & vars(self).keys())

    def _scores(self, X: Any) -> np.ndarray:
        """What the trees say, averaged."""
        check_is_fitted(self)
        X = inputs.check_table(X)
        inputs.check_columns(self, X, reset=False)
        M = self.schema_.matrix(X)
        return np.mean([_values(t, M, self.schema_) for t in self._trees()], axis=0)


def _values(t: Tree, M: np.ndarray, schema: Schema) -> np.ndarray:
    out = np.empty(len(M))
    for _, leaf, rows in landing(t, M, schema):
        out[rows] = leaf.prediction
    return out


class _Classifies(ClassifierMixin, _Treant):
    """Two classes outside, 0/1 inside; scores are probabilities of the second class."""

    classes_: np.ndarray
    _losses = ("log", "sse")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow on X (an array, or a data frame whose text columns are categories) and y (two classes)."""
        return self._fit(X, y, sample_weight)

    def _labels(self, y: np.ndarray) -> tuple[bool, np.ndarray]:
        self.classes_, labels = inputs.check_labels(y)
        return True, labels

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of `classes_`, in that order."""
        p = self._scores(X)
        return np.column_stack([1.0 - p, p])

    def predict(self, X: Any) -> np.ndarray:
        """The second class where its probability is at least 1/2."""
        second = self._scores(X) >= 0.5
        return self.classes_[second.astype(int)]


class _Regresses(RegressorMixin, _Treant):
    """Real labels, squared error."""

    _losses = ("sse",)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow on X (an array, or a data frame whose text columns are categories) and y (numbers)."""
        return self._fit(X, y, sample_weight)

    def _labels(self, y: np.ndarray) -> tuple[bool, np.ndarray]:
        return False, inputs.check_targets(y)

    def predict(self, X: Any) -> np.ndarray:
        """What the tree says (for a forest: the mean of what its trees say)."""
        return self._scores(X)


class _SingleTree(_Treant):
    """One tree."""

    tree_: Tree
    _seed: int
    _origin: Origin

    def __init__(
        self, attacker: Attacker | None = None, loss: str = "log", solver: str = "exact",
        attack_invariance: bool = True, max_depth: int | None = 8, min_samples_split: int = 20,
        max_features: Any = None, retest: str = "uncorrupted", random_state: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            attacker, loss, solver, attack_invariance, max_depth, min_samples_split, max_features, retest, random_state
        )

    def _grow(self, problem: Problem) -> None:
        rng, given = check_random_state(self.random_state), isinstance(self.random_state, Integral)
        self._seed = int(self.random_state) if given else _seeds(rng, 1)[0]
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
            raise AttributeError("trace_: this model was read from a file, which does not hold its training data")
        problem, rows = self._origin
        return problem.trace(self._seed, rows)


class _Forest(_Treant):
    """Many trees, each on a sample of the rows, each node looking at a sample of the features."""

    estimators_: list[Any]
    _tree_class: type[_SingleTree]

    def __init__(
        self, n_estimators: int = 100, max_samples: Any = 0.8, max_features: Any = 0.8, n_jobs: int | None = None,
        attacker: Attacker | None = None, loss: str = "log", solver: str = "exact", attack_invariance: bool = True,
        max_depth: int | None = 8, min_samples_split: int = 20, retest: str = "uncorrupted",
        random_state: Any = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(
            attacker, loss, solver, attack_invariance, max_depth, min_samples_split, max_features, retest, random_state
        )
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_options(self) -> None:
        super()._check_options()
        inputs.check_whole(self.n_estimators, "n_estimators", 1)

    def _grow(self, problem: Problem) -> None:
        size = inputs.how_many(self.max_samples, len(problem.sample.y), "max_samples")
        seeds = _seeds(check_random_state(self.random_state), self.n_estimators)
        grown = grow_many(problem, seeds, size, self.n_jobs, show=bool(self.verbose))
        self.estimators_ = [self._single(s, t, (problem, rows)) for s, (t, rows) in zip(seeds, grown, strict=True)]

    def _single(self, seed: int, tree: Tree, origin: Origin) -> _SingleTree:
        """A grown tree as an estimator of its own."""
        shared = {k: v for k, v in self.get_params(deep=False).items() if k in self._tree_class().get_params()}
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


def _seeds(rng: np.random.RandomState, n: int) -> list[int]:
    """One seed a tree, drawn once: the trees do not depend on who grows them in which order."""
    return [int(s) for s in rng.randint(np.iinfo(np.int32).max, size=n)]


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
        super().__init__(
            attacker, loss, solver, attack_invariance, max_depth, min_samples_split, max_features, retest, random_state
        )


class TreantForestClassifier(_Classifies, _Forest):
    """RF-TREANT: a forest of TREANT trees; its score is the mean of its trees' probabilities.

    Options as in TreantClassifier, and: `n_estimators` trees; `max_samples`, the number or share of rows each tree gets
    (drawn without replacement); `max_features` per node; `n_jobs` through joblib, so that any joblib back end
    (Dask, Ray) can grow the trees; `verbose=1` shows a progress bar. The forest depends on `random_state` alone, not
    on how many workers grew it. `estimators_` holds the trees as TreantClassifiers.
    """

    _tree_class = TreantClassifier


class TreantForestRegressor(_Regresses, _Forest):
    """A forest of TREANT regression trees; its prediction is their mean. Options as in TreantForestClassifier."""

    _tree_class = TreantRegressor

    def __init__(
        self, n_estimators: int = 100, max_samples: Any = 0.8, max_features: Any = 0.8, n_jobs: int | None = None,
        attacker: Attacker | None = None, loss: str = "sse", solver: str = "exact", attack_invariance: bool = True,
        max_depth: int | None = 8, min_samples_split: int = 20, retest: str = "uncorrupted",
        random_state: Any = None, verbose: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(
            n_estimators, max_samples, max_features, n_jobs, attacker, loss, solver, attack_invariance, max_depth,
            min_samples_split, retest, random_state, verbose,
        )  # fmt: skip
