"""LightGBM's boosters in common form, read from `dump_model()`.

A categorical test sends a set of category codes to the left and everything else, missing values too, to the
right. On numbers a missing value counts as 0, or has a side of its own; with zero_as_missing zeros have that
side too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from scipy.special import expit

from treant_viz.core.attacker.on_table import rule_categories
from treant_viz.core.attacker.rules import Attacker
from treant_viz.core.table import Column, Schema, column_names, raw_columns
from treant_viz.ensembles.ensemble import (
    BY_THRESHOLD,
    TO_LEFT,
    TO_RIGHT,
    Ensemble,
    Nodes,
    check_names,
    identity,
    two_classes,
)

Dump = dict[str, Any]


def from_lightgbm(model: Any, X: Any, attacker: Attacker | None) -> Ensemble:
    """A Booster, LGBMClassifier or LGBMRegressor."""
    booster = _booster(model)
    parsed = _parsed(booster)
    schema, known = _schema(parsed, X, attacker)
    nodes = parsed.nodes or _nodes(parsed.trees, schema, known)
    scale = 1.0 / len(nodes.roots) if parsed.head["average_output"] else 1.0
    link, loss = _link(parsed.head.get("objective", "none"))
    form = Ensemble(schema, nodes, lambda Z: np.asarray(booster.predict(Z)), scale=scale, link=link)
    form = replace(form, loss=loss, missing=True, classes=(0, 1) if loss == "log" else None)
    if not hasattr(model, "classes_"):
        return form
    return replace(form, classes=two_classes(model), loss="log", predict=model.predict)


class Parsed(NamedTuple):
    """What `dump_model()` says of a booster. Without tests on categories, `nodes` serve any table.

    `tests`: the columns that nodes ask about, and how.
    """

    head: Dump
    tests: frozenset[tuple[int, str]]
    trees: list[Dump]
    nodes: Nodes | None


PARSED: MutableMapping[Any, tuple[bytes, Parsed]] = WeakKeyDictionary()  # by booster, as long as it lives


def _parsed(booster: Any) -> Parsed:
    """The booster's trees; they are parsed anew only if the booster says something else than last time."""
    if not hasattr(booster, "model_to_string"):
        return _parse(booster)
    digest = hashlib.sha256(booster.model_to_string().encode()).digest()
    if booster not in PARSED or PARSED[booster][0] != digest:
        PARSED[booster] = digest, _parse(booster)
    return PARSED[booster][1]


def _parse(booster: Any) -> Parsed:
    dump = booster.dump_model()
    _refuse(dump)
    trees = [info["tree_structure"] for info in dump["tree_info"]]
    inner = (u for t in trees for u in _walk(t) if "split_feature" in u)
    tests = frozenset((u["split_feature"], u["decision_type"]) for u in inner)
    head = {k: v for k, v in dump.items() if k != "tree_info"}
    if any(kind == "==" for _, kind in tests):
        return Parsed(head, tests, trees, None)
    return Parsed(head, tests, [], _nodes(trees, Schema(()), {}))


def _nodes(trees: list[Dump], schema: Schema, known: dict[int, tuple[Any, ...]]) -> Nodes:
    return Nodes.of(_flat(t, schema, known) for t in trees)


def _booster(model: Any) -> Any:
    if hasattr(model, "dump_model"):
        return model
    name = type(model).__name__
    if name == "LGBMRanker" or not hasattr(model, "fit"):
        raise TypeError(
            f"model: a {name} cannot be attacked: expected a booster, a classifier or a regressor"
        )
    if not getattr(model, "fitted_", False):
        raise ValueError(f"model: this {name} is not fitted")
    return model.booster_


def _refuse(dump: Dump) -> None:
    if dump["num_tree_per_iteration"] != 1:
        raise ValueError(f"model: only two classes can be attacked, but this one has {dump['num_class']}")
    if not dump["tree_info"]:
        raise ValueError("model: this booster has no trees")
    if any("leaf_coeff" in u for info in dump["tree_info"] for u in _walk(info["tree_structure"])):
        raise ValueError(
            "model: linear trees (linear_tree=True) cannot be attacked: their leaves are not constant"
        )


def _link(objective: str) -> tuple[Callable[[np.ndarray], np.ndarray], Literal["sse", "log"]]:
    """What the booster makes of the raw score, and the loss that goes with it."""
    name, *options = objective.split() or ["none"]
    if name == "binary":
        steep = next((float(o.partition(":")[2]) for o in options if o.startswith("sigmoid:")), 1.0)
        return (lambda raw: expit(steep * np.asarray(raw))), "log"
    if name == "cross_entropy":
        return expit, "log"
    if name in ("poisson", "gamma", "tweedie"):
        return np.exp, "sse"
    if name == "regression" and "sqrt" in options:
        return (lambda raw: np.sign(raw) * np.square(raw)), "sse"
    return identity, "sse"


def _schema(parsed: Parsed, X: Any, attacker: Attacker | None) -> tuple[Schema, dict[int, tuple[Any, ...]]]:
    """The columns of X; and, for categorical ones, what each category is called in the booster (its code)."""
    trained, given, data = parsed.head["feature_names"], column_names(X), raw_columns(X)
    if len(data) != len(trained):
        raise ValueError(
            f"X has {len(data)} columns, but the model was fitted on {len(trained)}: {', '.join(trained)}"
        )
    if given is not None and not all(n == f"Column_{i}" for i, n in enumerate(trained)):
        spaced = pd.DataFrame(columns=[n.replace(" ", "_") for n in given])
        check_names(trained, spaced)
    names: Sequence[str | int] = given or range(len(data))
    plain = Schema(tuple(Column(n) for n in names))
    named = rule_categories(attacker, lambda f: plain.index(f, who="attacker: the rule's feature"))
    known = _known_categories(parsed, data, set(named))
    cases = zip(range(len(data)), names, data, strict=True)
    return Schema(
        tuple(Column(n, _categories(known.get(j), x, named.get(j, []), n)) for j, n, x in cases)
    ), known


def _known_categories(parsed: Parsed, data: list[Any], named: set[int]) -> dict[int, tuple[Any, ...]]:
    """By column: a pandas column's categories in training order; a coded column's codes themselves."""
    frames = parsed.head.get("pandas_categorical") or []
    of_pandas = [j for j, x in enumerate(data) if isinstance(x.dtype, pd.CategoricalDtype)]
    if len(of_pandas) != len(frames):
        raise ValueError(
            f"X has {len(of_pandas)} columns of dtype category, "
            f"but the model was fitted on {len(frames)} of them"
        )
    out = {j: tuple(c) for j, c in zip(of_pandas, frames, strict=True)}
    coded = {f for f, kind in parsed.tests if kind == "=="}
    coded |= {f for f in named if (f, "<=") not in parsed.tests}
    return out | dict.fromkeys(coded - set(of_pandas), ())


def _categories(known: tuple[Any, ...] | None, x: Any, named: list[Any], name: Any) -> tuple[Any, ...] | None:
    if known is None:
        return None
    if known:
        return tuple(dict.fromkeys([*known, *named]))
    numbers = pd.unique(pd.Series(np.asarray(x, dtype=float)).dropna())
    if any(isinstance(c, str) for c in named):
        raise ValueError(
            f"attacker: the categories of column {name!r} are numbers, but a rule names {named!r}"
        )
    return tuple(dict.fromkeys([*sorted(map(float, numbers)), *map(float, named)])) or (0.0,)


def _walk(root: Dump) -> Iterator[Dump]:
    """All nodes and leaves, parents first."""
    todo = [root]
    while todo:
        u = todo.pop()
        yield u
        todo += [u[side] for side in ("right_child", "left_child") if side in u]


def _flat(root: Dump, schema: Schema, known: dict[int, tuple[Any, ...]]) -> Nodes:
    walked = list(_walk(root))
    place = {id(u): i for i, u in enumerate(walked)}
    inner = [u for u in walked if "split_feature" in u]
    feature = [u.get("split_feature", -1) for u in walked]
    threshold = [u["threshold"] if u.get("decision_type") == "<=" else np.nan for u in walked]
    left, right = ([place[id(u[k])] if k in u else 0 for u in walked] for k in ("left_child", "right_child"))
    value = [u.get("leaf_value", np.nan) for u in walked]
    missing = [_missing_left(u) if "split_feature" in u else False for u in walked]
    zero = [_zero(u) for u in walked]
    members = {place[id(u)]: _left_codes(u, schema, known) for u in inner if u["decision_type"] == "=="}
    return Nodes.tree(feature, threshold, left, right, value, missing, zero, members)


def _missing_left(u: Dump) -> bool:
    if u["decision_type"] == "==":
        return False
    return bool(u["default_left"]) if u["missing_type"] != "None" else u["threshold"] >= 0


def _zero(u: Dump) -> int:
    if u.get("decision_type") != "<=" or u["missing_type"] != "Zero":
        return BY_THRESHOLD
    return TO_LEFT if u["default_left"] else TO_RIGHT


def _left_codes(u: Dump, schema: Schema, known: dict[int, tuple[Any, ...]]) -> frozenset[int]:
    """The places, among the schema's categories, of those that go left."""
    f = u["split_feature"]
    codes = {int(c) for c in str(u["threshold"]).split("||")}
    if known[f]:
        return frozenset(codes)
    categories = schema.columns[f].categories or ()
    return frozenset(i for i, c in enumerate(categories) if c > -1 and int(c) in codes)
