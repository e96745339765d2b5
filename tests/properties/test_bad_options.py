"""Bad options, rules and attackers, and models that are not fitted: each is told in one clear message."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import treant_viz as tv
from tests.properties.test_bad_input import (
    FORESTS,
    INF,
    MODELS,
    NAN,
    REGRESSORS,
    X,
    Y,
    each_model,
    make,
    refused,
)

# options

OPTIONS = [
    ("attacker", "me", ("Attacker or None", "'me'")),
    ("attacker", [tv.Rule("age", 1, delta=(0, 1))], ("Attacker or None", "Rule(")),
    ("retest", "some", ("'uncorrupted' or 'none' or 'all'", "'some'")),
    ("solver", "fast", ("'exact' or 'slsqp'", "'fast'")),
    ("loss", "hinge", ("'sse'", "'hinge'")),
    ("attack_invariance", "yes", ("True or False", "'yes'")),
    ("max_depth", -1, ("at least 0", "or None", "-1")),
    ("max_depth", 2.5, ("whole number", "2.5")),
    ("max_depth", True, ("whole number", "True")),
    ("max_depth", 1000, ("at most 200", "1000")),
    ("min_samples_split", 1, ("at least 2", "1")),
    ("min_samples_split", 0.5, ("whole number", "0.5")),
    ("min_samples_split", None, ("whole number", "None")),
    ("max_features", 0, ("from 1 to 2", "0")),
    ("max_features", 3, ("from 1 to 2", "3")),
    ("max_features", 1.5, ("share in (0, 1]", "1.5")),
    ("max_features", NAN, ("share in (0, 1]", "nan")),
    ("max_features", "all", ("'sqrt', 'log2' or None", "'all'")),
    ("max_features", True, ("whole number", "True")),
]
FOREST_OPTIONS = [
    ("max_samples", 0, ("from 1 to 6", "0")),
    ("max_samples", 7, ("from 1 to 6", "7")),
    ("max_samples", -0.5, ("share in (0, 1]", "-0.5")),
    ("max_samples", "sqrt", ("share in (0, 1]", "'sqrt'")),
    ("n_estimators", 0, ("at least 1", "0")),
    ("n_estimators", 2.0, ("whole number", "2.0")),
]


@pytest.mark.parametrize(
    ("kind", "name", "value", "parts"),
    [(k, *o) for k in MODELS for o in OPTIONS] + [(k, *o) for k in FORESTS for o in FOREST_OPTIONS],
)
def test_options(kind, name, value, parts):
    error = TypeError if name == "attacker" else ValueError
    m = make(kind, **{name: value})
    with refused(name, *parts, error=error):
        m.fit(X, Y)


@pytest.mark.parametrize("kind", REGRESSORS)
def test_log_loss_is_for_classes(kind):
    with refused("loss", kind.__name__, "'sse'", "'log'"):
        make(kind, loss="log").fit(X, Y)


# predict before fit


@each_model
@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_predict_before_fit(kind, method):
    if method == "predict_proba" and kind in REGRESSORS:
        pytest.skip("regressors have no probabilities")
    with refused(kind.__name__, "not fitted", error=NotFittedError):
        getattr(make(kind), method)(X)


@each_model
def test_write_before_fit(kind, tmp_path):
    with refused("not fitted", error=NotFittedError):
        make(kind).to_json(tmp_path / "m.json")
    assert not list(tmp_path.iterdir())


def test_trace_before_fit():
    with refused("not fitted", error=NotFittedError):
        _ = make(tv.TreantClassifier).trace_


@each_model
def test_a_fit_that_fails_leaves_no_half_fitted_model(kind):
    m = make(kind).fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        m.fit(np.full((6, 3), NAN), Y)
    with refused("not fitted", error=NotFittedError):
        m.predict(X)


# attackers that do not fit the data


@each_model
@pytest.mark.parametrize(
    ("rule", "parts"),
    [
        (tv.Rule("salary", 1, delta=(0, 1)), ("rule's feature 'salary'", "not a column", "'age', 'job'")),
        (tv.Rule("wage", 1, becomes="cook"), ("rule's feature 'wage'", "not a column")),
        (tv.Rule(2, 1, delta=(0, 1)), ("rule's feature 2", "not a column")),
        (tv.Rule("job", 1, delta=(0, 1)), ("rule on 'job' is numeric", "holds categories")),
        (tv.Rule("age", 1, becomes="old"), ("rule on 'age' is categorical", "holds numbers")),
        (tv.Rule(1, 1, delta=(0, 1)), ("rule on 1 is numeric", "holds categories")),
    ],
)
def test_rules_that_do_not_fit_the_columns(kind, rule, parts):
    with refused("attacker", *parts):
        make(kind, attacker=tv.Attacker([rule], 1)).fit(X, Y)


# rules and attackers themselves


@pytest.mark.parametrize(
    ("error", "arguments", "parts"),
    [
        (ValueError, {"pre": (2, 1), "delta": (0, 1)}, ("pre", "'age'", "low end 2 is above the high end 1")),
        (ValueError, {"delta": (3, -3)}, ("delta", "'age'", "low end 3 is above the high end -3")),
        (ValueError, {"pre": (NAN, 1), "delta": (0, 1)}, ("pre", "nan")),
        (ValueError, {"delta": (NAN, 1)}, ("delta", "nan")),
        (ValueError, {"delta": (INF, INF)}, ("delta", "holds no number")),
        (ValueError, {"pre": (-INF, -INF), "delta": (0, 1)}, ("pre", "holds no number")),
        (TypeError, {"delta": 3}, ("delta", "two numbers", "3")),
        (TypeError, {"delta": (1, 2, 3)}, ("delta", "two numbers", "(1, 2, 3)")),
        (TypeError, {"delta": "ab"}, ("delta", "two numbers", "'ab'")),
        (TypeError, {"delta": ("a", "b")}, ("delta", "number", "'a'")),
        (TypeError, {"pre": {"a", "b", "c"}, "delta": (0, 1)}, ("pre", "two numbers")),
        (ValueError, {}, ("'age'", "either delta", "or becomes", "got delta=None and becomes=None")),
        (ValueError, {"delta": (0, 1), "becomes": "b"}, ("'age'", "either delta", "or becomes")),
        (ValueError, {"cost": 0, "delta": (0, 1)}, ("cost", "'age'", "finite number above 0", "0")),
        (ValueError, {"cost": -1, "delta": (0, 1)}, ("cost", "'age'", "above 0", "-1")),
        (ValueError, {"cost": INF, "delta": (0, 1)}, ("cost", "'age'", "finite", "inf")),
        (ValueError, {"cost": NAN, "delta": (0, 1)}, ("cost", "'age'", "nan")),
        (TypeError, {"cost": "cheap", "delta": (0, 1)}, ("cost", "'age'", "number", "'cheap'")),
        (TypeError, {"pre": set(), "becomes": "b"}, ("pre", "set of categories", "set()")),
        (TypeError, {"pre": 3, "becomes": "b"}, ("pre", "set of categories", "3")),
        (TypeError, {"becomes": ["b"]}, ("becomes", "text or a finite number", "['b']")),
        (TypeError, {"becomes": True}, ("becomes", "text or a finite number", "True")),
        (TypeError, {"pre": [None], "becomes": "b"}, ("pre", "text or a finite number", "None")),
    ],
)
def test_rules(error, arguments, parts):
    with refused(*parts, error=error):
        tv.Rule("age", **{"cost": 1, **arguments})


@pytest.mark.parametrize(
    ("feature", "error"), [(None, TypeError), (True, TypeError), (1.5, TypeError), (-1, ValueError)]
)
def test_features_of_rules(feature, error):
    with refused("feature", repr(feature), error=error):
        tv.Rule(feature, 1, delta=(0, 1))


@pytest.mark.parametrize(
    ("budget", "error", "parts"),
    [
        (-1, ValueError, ("at least 0", "-1")),
        (NAN, ValueError, ("number", "nan")),
        ("much", TypeError, ("number", "'much'")),
        (None, TypeError, ("number", "None")),
    ],
)
def test_budgets(budget, error, parts):
    A = tv.Attacker([tv.Rule("age", 1, delta=(0, 1))], 1)
    for make_attacker in (lambda: tv.Attacker(A.rules, budget), lambda: A.with_budget(budget)):
        with refused("budget", *parts, error=error):
            make_attacker()


def test_rules_of_attackers():
    rule, other = tv.Rule("age", 1, delta=(0, 1)), tv.Rule("age", 1, becomes="old")
    with refused("rules", "list of Rule objects", "Rule(", error=TypeError):
        tv.Attacker(rule, 1)  # type: ignore[arg-type]
    with refused("rules", "list of Rule objects", "None", error=TypeError):
        tv.Attacker(None, 1)  # type: ignore[arg-type]
    with refused("rules", "Rule objects", "'age'", error=TypeError):
        tv.Attacker([rule, "age"], 1)  # type: ignore[list-item]
    with refused("rules", "'age'", "both numeric and categorical"):
        tv.Attacker([rule, other], 1)


def test_questions_to_attackers():
    A = tv.Attacker([tv.Rule("age", 1, delta=(0, 1)), tv.Rule("job", 1, becomes="cook")], 1)
    with refused("'job' is categorical", "cost_equal"):
        A.cost_below("job", [1], 2)
    with refused("'age' is numeric", "cost_below"):
        A.cost_equal("age", ["a"], "b")
    with refused("'age'", "numbers", "'x'", error=TypeError):
        A.reachable("age", "x")
    with refused("'age'", "finite", "nan"):
        A.cost_above("age", [NAN], 1)
