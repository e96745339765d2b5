"""Damaged files of every kind that the package reads: each is refused in one short ValueError, or works.

"Works" is meant: a model predicts and is attacked, a trace is replayed and drawn, an attacker reaches, a
table is learnt from. `TREANT_VIZ_FUZZ=5000` reads so many files in all (`-s` shows what became of them).
"""

from __future__ import annotations

import json
import os
import random
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from tests.damage import damaged_bytes, damaged_json, damaged_table
from treant_viz import viz
from treant_viz.baselines import RobustForest, RobustTree
from treant_viz.bench.measure import memory_now
from treant_viz.core.serial import checksum
from treant_viz.core.tree import to_text
from treant_viz.datasets.user_files import read_rules, read_table
from treant_viz.experiments.report.audit import differences
from treant_viz.experiments.report.mixed import mixed
from treant_viz.experiments.report.regression import regression
from treant_viz.experiments.report.results import Results
from treant_viz.experiments.schema import Job, unpacked
from treant_viz.experiments.store import Store
from treant_viz.trace.replay import rerun
from treant_viz.trace.trace import Trace

FILES = int(os.environ.get("TREANT_VIZ_FUZZ", "260"))
SECONDS, BYTES, LETTERS = 5.0, 500_000_000, 500
RESULTS = Path(__file__).parents[2] / "figures" / "results"
TOY = tv.load_toy()


class Reader(NamedTuple):
    """A kind of file: its name, a good one, what reads it, and what uses what was read.

    `refusal`: what a sound file may be refused for in use (an attacker who can do too much, a table without
    classes).
    """

    file: str
    good: Callable[[], str]
    read: Callable[[Path], Any]
    use: Callable[[Any], None]
    share: float = 1.0
    refusal: str = "nothing"


# What is read


def people(n: int = 24) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {"age": rng.integers(20, 60, n) / 2, "job": rng.choice(["a", "b", "日本"], n), "hours": rng.random(n)}
    )
    return X, ((X["age"] > 18) ^ (X["job"] == "b") ^ (rng.random(n) < 0.2)).to_numpy().astype(int)


ATTACKER = tv.Attacker(
    [tv.Rule("age", 1, pre=(0, 25), delta=(-2, 2)), tv.Rule("job", 2, pre={"a"}, becomes="c")], 3
)


@cache
def fitted(kind: type) -> Any:
    X, y = people()
    forest = {"n_estimators": 2} if "Forest" in kind.__name__ else {}
    return kind(attacker=ATTACKER, max_depth=3, min_samples_split=3, random_state=0, **forest).fit(X, y)


@cache
def trace(name: str) -> Trace:
    if name == "toy":
        return tv.TreantRegressor(TOY.attacker, min_samples_split=2).fit(TOY.X, TOY.y).trace_
    if name == "slsqp":
        return tv.TreantRegressor(TOY.attacker, solver="slsqp", min_samples_split=2).fit(TOY.X, TOY.y).trace_
    if name == "robust":
        return fitted(RobustTree).trace_
    X, y = people()
    how: dict[str, Any] = {"retest": "all", "max_depth": 3, "min_samples_split": 3}
    return tv.TreantClassifier(ATTACKER, **how).fit(X, y, np.linspace(1, 2, len(y))).trace_


def unnamed() -> str:
    toy = tv.Attacker([tv.Rule(0, 2, delta=(-1, 1))], 2)
    return json.dumps(tv.TreantRegressor(toy, min_samples_split=2).fit(TOY.X.to_numpy(), TOY.y).to_dict())


def attacker() -> str:
    return json.dumps(ATTACKER.to_dict())


def published() -> str:
    number = {"pre": "(0, np.inf)", "post": 0.5, "cost": 2, "is_numerical": True}
    word = {"pre": "('a', 'b')", "post": "c", "cost": 1, "is_numerical": False}
    return json.dumps(
        {"attacks": [{"age": [number, number | {"pre": "(-1.5, 3)", "post": -1}]}, {"job": [word]}]}
    )


def table() -> str:
    X, y = people()
    return X.assign(label=y).to_csv(index=False, lineterminator="\n")


def stored(kind: str, rows: int = 30) -> str:
    return "".join((RESULTS / kind).read_text(encoding="utf-8").splitlines(keepends=True)[:rows])


# How it is used


def three_of(categories: Any) -> list[Any]:
    return [categories[i % len(categories)] for i in range(3)]


def some_rows(schema: Any) -> Any:
    """Rows that a model with this schema must take."""
    columns = [[-1.0, 0.0, 7.5] if c.categories is None else three_of(c.categories) for c in schema.columns]
    if isinstance(schema.names[0], str):
        return pd.DataFrame(dict(zip(schema.names, columns, strict=True)))
    return np.array(columns, dtype=object).T


def use_model(m: Any) -> None:
    X = some_rows(m.schema_)
    said = m.predict(X)
    assert len(said) == 3 and (hasattr(m, "classes_") or np.isfinite(said).all())
    tv.attack(m, X, said, m.attacker or tv.Attacker([], 0))
    assert all(to_text(t) for t in m._trees())
    assert type(m).from_dict(m.to_dict()).to_dict() == m.to_dict()


def use_trace(t: Trace) -> None:
    assert str(t)
    trees, losses = list(t.trees()), list(t.losses())
    assert len(trees) == len(losses) == len(t)
    for step in t.steps:
        if step.candidates is not None and len(step.candidates) and len(step.path) < 2:
            rerun(t, step.path, step.candidates.feature[0], step.candidates.threshold[0])
            rerun(t, step.path, step.candidates.feature[-1], step.candidates.threshold[-1], (0.25, 0.5))
    for picture in pictures(t):
        picture.plot()
        plt.close("all")
    again = json.loads(json.dumps(t.to_dict(), allow_nan=False))
    assert Trace.from_dict(again).to_dict() == t.to_dict()


def pictures(t: Trace) -> Iterator[Any]:
    yield viz.TreeDisplay.from_trace(t, show=("predicate", "rows", "loss", "constraints", "histogram"))
    yield viz.ConstraintsDisplay.from_trace(t)
    for step in [s for s in t.steps if s.split is not None][:2]:
        yield viz.SplitSearchDisplay.from_trace(t, step.path)
        yield viz.RobustSplitDisplay.from_trace(t, step.path)
        yield viz.TernaryPartitionDisplay.from_trace(t, step.path)
        yield viz.LossSurfaceDisplay.from_trace(t, step.path)


def use_attacker(A: tv.Attacker) -> None:
    assert str(A) and repr(A)
    assert tv.Attacker.from_dict(json.loads(json.dumps(A.to_dict(), allow_nan=False))) == A
    for f in A.features:
        categorical = A.rules_on(f)[0].categorical
        assert A.reachable(f, "a" if categorical else 1.0)


def use_table(table: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = table
    tv.TreantClassifier(max_depth=1, min_samples_split=2).fit(X, y).predict(X)


def use_results(table: pd.DataFrame) -> None:
    found = Results(table)
    assert len(found.means) == len(found.spread)


def read_results(path: Path) -> pd.DataFrame:
    store = Store(path.parent)
    store.params(Job("wine", "authors", "ab", 20, 0))
    return store.table()


def use_correct(kept: dict[Any, str]) -> None:
    assert all(len(unpacked(text, 5)) == 5 for text in kept.values())


@cache
def results() -> Results:
    return Results(Store(RESULTS).table())


def read_effects(path: Path) -> str:
    return differences(Store(path.parent), results()).markdown()


def told(section: Callable[[Store], Iterable[str]]) -> Callable[[Path], str]:
    """A section of the audit, made from a folder in which there is only the file."""
    return lambda path: "\n".join(section(Store(path.parent)))


TREANT = (
    tv.TreantClassifier,
    tv.TreantRegressor,
    tv.TreantForestClassifier,
    tv.TreantForestRegressor,
    tv.TreantBoostClassifier,
    tv.MixedForestClassifier,
)
MODELS = (*TREANT, RobustTree, RobustForest)
TRACES = ("toy", "slsqp", "robust", "people")
LIMIT = "open new values at more than"


def model_text(kind: Any) -> str:
    return json.dumps(fitted(kind).to_dict())


def trace_text(name: str) -> str:
    return json.dumps(trace(name).to_dict())


READERS: dict[str, Reader] = {
    **{
        k.__name__: Reader("m.json", partial(model_text, k), k.from_json, use_model, 1.5, LIMIT)
        for k in MODELS
    },
    **{
        f"trace-{n}": Reader("t.json", partial(trace_text, n), Trace.from_json, use_trace, 2)
        for n in TRACES
    },
    "model-without-names": Reader("m.json", unnamed, tv.TreantRegressor.from_json, use_model, 1, LIMIT),
    "attacker": Reader("a.json", attacker, tv.Attacker.from_json, use_attacker, 1, LIMIT),
    "rules": Reader("r.json", published, lambda p: tv.read_published_rules(p, 3), use_attacker, 1, LIMIT),
    "user-rules": Reader("r.json", attacker, lambda p: read_rules(str(p), 3), use_attacker, 1, LIMIT),
    "table": Reader("t.csv", table, lambda p: read_table(str(p), "label"), use_table, 2, ""),
    "results": Reader("authors-wine.csv", lambda: stored("authors-wine.csv"), read_results, use_results),
    "correct": Reader(
        "authors-wine.correct.csv", lambda: stored("authors-wine.correct.csv"),
        lambda p: Store(p.parent).correct(), use_correct,
    ),
    "effects": Reader("effects.csv", lambda: stored("effects.csv"), read_effects, str),
    "regression": Reader(
        "regression-diabetes.csv", lambda: stored("regression-diabetes.csv"), told(regression), str
    ),
    "mixed": Reader("mixed.csv", lambda: stored("mixed.csv"), told(mixed), str),
}  # fmt: skip
SHARES = sum(r.share for r in READERS.values())


# The accidents


def sealed(doc: Any) -> Any:
    if not isinstance(doc, dict) or "sha256" not in doc:
        return doc
    return doc | {
        "sha256": checksum({k: v for k, v in doc.items() if k not in ("format", "version", "sha256")})
    }


def damaged(name: str, i: int) -> bytes:
    """The i-th damaged file of a kind; `damaged("table", 3)` is always the same."""
    rng, good = random.Random(f"{name} {i}"), READERS[name].good()
    if rng.random() < 0.2:
        return damaged_bytes(good.encode(), rng)
    return damaged_table(good, rng) if READERS[name].file.endswith("csv") else damaged_json(good, rng, sealed)


def outcome(reader: Reader, path: Path) -> str:
    """ "works", or the refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = reader.read(path)
        except (ValueError, FileNotFoundError) as error:  # a folder without results is said to be one
            assert isinstance(error, ValueError) or "no results here" in str(error)
            return short(str(error))
        try:
            reader.use(made)
        except ValueError as error:
            if reader.refusal not in str(error):
                raise
            return short(str(error))
    return "works"


def short(message: str) -> str:
    assert 0 < len(message) < LETTERS, f"a message of {len(message)} letters: {message[:200]}"
    return message


@pytest.mark.parametrize("name", READERS)
def test_a_good_file_works(name, tmp_path):
    path = tmp_path / READERS[name].file
    path.write_text(READERS[name].good(), encoding="utf-8")
    assert outcome(READERS[name], path) == "works"


@pytest.mark.parametrize("name", READERS)
def test_damaged_files_are_refused_or_work(name, tmp_path):
    reader = READERS[name]
    path, files, before = (
        tmp_path / reader.file,
        max(1, round(FILES * reader.share / SHARES)),
        memory_now()[1],
    )
    slowest, counted = 0.0, Counter[bool]()
    for i in range(files):
        path.write_bytes(damaged(name, i))
        begin = time.process_time()
        try:
            counted[outcome(reader, path) == "works"] += 1
        except Exception as error:
            raise AssertionError(
                f"damaged({name!r}, {i}): {type(error).__name__} {str(error)[:300]}"
            ) from error
        slowest = max(slowest, time.process_time() - begin)
        assert slowest < SECONDS, f"damaged({name!r}, {i}) took {slowest:.1f} s"
    grown = memory_now()[1] - before
    print(f"{name}: {files} files, {counted[True]} work, slowest {slowest:.2f} s, {grown / 1e6:.0f} MB more")
    assert grown < BYTES
