"""Adversarial boosting (Kantchelian, Tygar and Joseph, ICML 2016), as TREANT's authors ran it, but exact.

The first tree is grown on the rows as they are. In every later round each row is attacked under the model so
far (the attack with the smallest margin), and one more tree is grown on the unattacked rows and the attacked
ones together.

What differs from the original: Kantchelian et al. look for attacks by coordinate descent over changes of few
features, which need not find the best, and boost by log-loss; here attacks are those of rewriting rules
within a budget and are exact, and the trees are LightGBM's for squared error on -1/+1. TREANT's authors
enumerated attacks that use values of the data file only, and copied only rows that can be attacked; here an
attack may use any value, and every row has its copy. So that trees cannot tell attacked rows by their odd
values (they learn just that if they can: on wine at budget 60, ROC AUC under attack falls from .78 to .72),
thresholds lie between values of the unattacked rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.metrics import roc_auc_score

from treant_viz.attacks.attack import attack
from treant_viz.baselines.boosted import Boosted, first_trees, lightgbm
from treant_viz.baselines.growing import GrowingEnsemble, TooManyCombinationsError
from treant_viz.core import checks
from treant_viz.core.attacker.on_table import rule_categories
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import Schema
from treant_viz.estimators import validation
from treant_viz.long_work import progress


class AdversarialBoosting(Boosted):
    """Gradient boosting on unattacked and attacked rows; parameters of the trees as in GBDTBaseline.

    Parameters
    ----------
    attacker : Attacker or None. Under None every attacked row is the row itself.
    criterion : what of the validation rows decides which round is kept: "loss" (the authors' way) or
        "roc_auc".
    verbose : 1 shows a progress bar of the rounds.
    n_estimators (rounds), learning_rate, num_leaves, max_depth, random_state, n_jobs : as in GBDTBaseline.

    Attributes
    ----------
    booster_ : the LightGBM booster of the round kept; its scores are around -1 and +1.
    best_round_ : how many trees that are. Without validation rows, all.
    valid_losses_ : the validation loss after every round (empty without validation rows); for "roc_auc"
        1 - ROC AUC.
    classes_, n_features_in_, feature_names_in_
    """

    attacker: Attacker | None
    learning_rate: float
    criterion: str
    verbose: int

    def __init__(
        self,
        attacker: Attacker | None = None,
        n_estimators: int = 100,
        learning_rate: float = 0.05,
        num_leaves: int = 256,
        max_depth: int | None = 8,
        random_state: Any = None,
        n_jobs: int | None = None,
        criterion: str = "loss",
        verbose: int = 0,
    ) -> None:
        validation.keep_options(self, locals())

    def _settings(self) -> dict[str, Any]:
        return super()._settings() | {"learning_rate": self.learning_rate}

    def _columns(self, X: Any) -> Schema:
        """Categories that only rules name belong to their columns too."""
        found = super()._columns(X)
        named = rule_categories(self.attacker, lambda f: found.index(f, who="attacker: the rule's feature"))
        return found.with_categories(named)

    def fit(
        self, X: Any, y: Any, X_valid: Any = None, y_valid: Any = None, sample_weight: Any = None
    ) -> Self:
        """Train on X and y; of all rounds keep the one with the least loss on X_valid and y_valid, if given.

        That loss is the mean squared error (labels -1/+1) on the validation rows and their attacked copies,
        attacked in each round as the training rows are: under the model before the round's tree. With
        criterion="roc_auc" it is 1 - ROC AUC of the attacked copies alone, attacked under the model that is
        judged: an attack on an older model would flatter the early rounds.
        """
        if self.attacker is not None and not isinstance(self.attacker, Attacker):
            raise TypeError(f"attacker: expected an Attacker or None, got {self.attacker!r}")
        checks.check_choice(self.criterion, "criterion", ("loss", "roc_auc"))
        M, labels, weight = self._start(X, y, sample_weight)
        train = AttackedRows(self, M, labels, weight)
        valid = self._validation(X_valid, y_valid)
        losses: list[float] = []
        for booster in self._rounds(train):
            losses += [] if valid is None else [valid.judged(booster)]
        self._keep(booster, losses)
        return self

    def _rounds(self, train: AttackedRows) -> Iterator[Any]:
        """The model after every round."""
        settings, train_on = self._settings(), lightgbm().train
        unattacked = self._data(settings, *train.both)
        booster = train_on(settings, unattacked, 1)
        rounds = progress(range(self.n_estimators), self.n_estimators, "rounds", show=bool(self.verbose))
        for done in rounds:
            if done:
                train.attack(booster)
                booster = train_on(
                    settings, self._data(settings, *train.both, like=unattacked), 1, init_model=booster
                )
            yield booster

    def _validation(self, X: Any, y: Any) -> AttackedRows | None:
        if X is None and y is None:
            return None
        if X is None or y is None:
            raise ValueError("X_valid, y_valid: expected both or neither")
        X = validation.check_table(X)
        validation.check_columns(self, X, reset=False)
        given = np.asarray(y)
        if given.shape != (len(X),) or not np.isin(given, self.classes_).all():
            raise ValueError(f"y_valid: expected {len(X)} labels out of {self.classes_.tolist()!r}")
        return AttackedRows(
            self, self._schema.matrix(X), np.where(given == self.classes_[1], 1.0, -1.0), None
        )

    def _keep(self, booster: Any, losses: list[float]) -> None:
        self.valid_losses_ = np.array(losses)
        self.best_round_ = int(np.argmin(losses)) + 1 if losses else self.n_estimators
        self.booster_ = first_trees(booster, self.best_round_)


class AttackedRows:
    """Rows with labels -1/+1 and, once attacked, a copy of each."""

    def __init__(
        self, model: AdversarialBoosting, M: np.ndarray, y: np.ndarray, weight: np.ndarray | None
    ) -> None:
        self.model, self.M, self.y = model, M, y
        self.attacker = model.attacker or Attacker([], 0.0)
        self.growing: GrowingEnsemble | None = GrowingEnsemble(M, -y, self.attacker)
        self.both: tuple[np.ndarray, np.ndarray, np.ndarray | None] = (M, y, weight)
        self.twice = np.r_[y, y], None if weight is None else np.r_[weight, weight]

    def attack(self, booster: Any) -> None:
        """Attack each row under the model so far, which has one tree more than the last time."""
        self.both = (np.vstack([self.M, self._attacked(booster)]), *self.twice)

    def _attacked(self, booster: Any) -> np.ndarray:
        if self.growing is not None:
            try:
                self.growing.add(self.model._form(NewestTree(booster), self.attacker))
                return self.growing.worst().M
            except TooManyCombinationsError:
                self.growing = None
        frame = self.model._frame(self.M)
        return self.model._schema.matrix(
            attack(booster, frame, self.y, self.attacker, "margin").X_adv.to_numpy(object)
        )

    def judged(self, booster: Any) -> float:
        """The criterion of a model with one tree more than last time; its rows are attacked under it."""
        if self.model.criterion == "roc_auc":
            self.attack(booster)
            return 1.0 - float(roc_auc_score(self.y, self._scores(booster)[len(self.y) :]))
        loss = self.loss(booster)
        self.attack(booster)
        return loss

    def loss(self, booster: Any) -> float:
        """The mean squared error of a model on the rows and their copies."""
        return float(np.mean((self._scores(booster) - self.both[1]) ** 2))

    def _scores(self, booster: Any) -> np.ndarray:
        return np.asarray(booster.predict(self.model._frame(self.both[0])))


class NewestTree:
    """A booster of which only the last tree is seen."""

    def __init__(self, booster: Any) -> None:
        self.booster = booster

    def dump_model(self) -> dict[str, Any]:
        return self.booster.dump_model(start_iteration=self.booster.num_trees() - 1, num_iteration=1)


__all__ = ["AdversarialBoosting"]
