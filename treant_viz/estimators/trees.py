"""The estimators of `tv`: TREANT trees and forests, for two classes and for regression."""

from __future__ import annotations

from typing import Any

from treant_viz.core.attacker.rules import Attacker
from treant_viz.estimators import validation
from treant_viz.estimators.base import Forest, RealLabels, SingleTree, TwoClasses


class TreantClassifier(TwoClasses, SingleTree):
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
    retest : which features may be tested again further down a path: "uncorrupted" (all but those the attacker
        can change: the paper's text), "none" (the authors' code), "all" (what is reachable is tracked).
    random_state : seed of the sampling of features.
    thresholds : where a feature may be tested: at values of the rows ("data": the paper), or also at the ends
        of what they can reach ("reachable": no threshold at all would make a better stump; it changes little
        on the paper's data, see `bench.thresholds`).

    Attributes
    ----------
    tree_ : the tree (`Leaf` or `Node`); its leaves predict the probability of the second class.
    trace_ : what the algorithm did, node by node.
    classes_, schema_, n_features_in_, feature_names_in_
    """


class TreantRegressor(RealLabels, SingleTree):
    """A regression tree that minimises the squared error under attack; options as in TreantClassifier.

    >>> from treant_viz import load_toy
    >>> from treant_viz.core.tree import to_text
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
        self,
        attacker: Attacker | None = None,
        loss: str = "sse",
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


class TreantForestClassifier(TwoClasses, Forest):
    """RF-TREANT: a forest of TREANT trees; its score is the mean of its trees' probabilities.

    Options as in TreantClassifier, and: `n_estimators` trees; `max_samples`, the number or share of rows each
    tree gets (drawn without replacement); `max_features` per node; `n_jobs` through joblib, so that any
    joblib back end (Dask, Ray) can grow the trees; `verbose=1` shows a progress bar. The forest depends on
    `random_state` alone, not on how many workers grew it. `estimators_` holds the trees as TreantClassifiers.
    """

    _tree_class = TreantClassifier


class TreantForestRegressor(RealLabels, Forest):
    """A forest of regression trees, which predicts their mean; options as in TreantForestClassifier."""

    _tree_class = TreantRegressor

    def __init__(
        self,
        n_estimators: int = 100,
        max_samples: Any = 0.8,
        max_features: Any = 0.8,
        n_jobs: int | None = None,
        attacker: Attacker | None = None,
        loss: str = "sse",
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


__all__ = ["TreantClassifier", "TreantForestClassifier", "TreantForestRegressor", "TreantRegressor"]
