"""scikit-learn's own suite (`check_estimator`), for all estimators, as they are and without their two
samplings.

What is expected to fail is listed with its reason; without rows being sampled and without a least number of
rows per node, nothing may fail.
"""

from __future__ import annotations

import warnings

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import treant_viz as tv

WEIGHTS = "check_sample_weight_equivalence_on_dense_data"
COUNTED = (
    "min_samples_split=20 counts rows, as in scikit-learn, not weights: "
    "15 rows of weight 2 are not split, 30 rows are"
)
SAMPLED = (
    "max_samples=0.8 draws from the rows, as in scikit-learn: "
    "a row of weight 2 is drawn or not, two rows may part"
)

AS_THEY_ARE = [
    tv.TreantClassifier(),
    tv.TreantRegressor(),
    tv.TreantForestClassifier(n_estimators=3),
    tv.TreantForestRegressor(n_estimators=3),
    tv.TreantBoostClassifier(n_estimators=3),
    tv.MixedForestClassifier(n_estimators=3),
]
SMALL = {"max_depth": 4, "min_samples_split": 2}
WHOLE = {"n_estimators": 2, "max_samples": None, **SMALL}
ATTACKED = {"attacker": tv.Attacker([tv.Rule(0, 1, delta=(-0.5, 0.5))], 1), **SMALL}
WITHOUT_SAMPLING = [
    tv.TreantClassifier(**ATTACKED),
    tv.TreantClassifier(max_features=1, **SMALL),
    tv.TreantRegressor(**ATTACKED),
    tv.TreantForestClassifier(**WHOLE),
    tv.TreantForestRegressor(**WHOLE),
    tv.TreantBoostClassifier(**WHOLE),
    tv.MixedForestClassifier(**WHOLE | ATTACKED),
    tv.TreantBoostClassifier(**WHOLE | ATTACKED),
]


def expected_failures(estimator) -> dict[str, str]:
    reasons = [COUNTED, SAMPLED] if hasattr(estimator, "max_samples") else [COUNTED]
    return {WEIGHTS: "; ".join(reasons)} if estimator.min_samples_split == 20 else {}


@parametrize_with_checks(
    AS_THEY_ARE + WITHOUT_SAMPLING, expected_failed_checks=expected_failures, xfail_strict=True
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_the_suite_would_notice_a_broken_estimator():
    """The run above can fail: a classifier that forgets a row of weight does."""

    class Broken(tv.TreantRegressor):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X, y)

    from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data

    with pytest.raises(AssertionError, match="sample_weight"):
        check_sample_weight_equivalence_on_dense_data("Broken", Broken(min_samples_split=2))
