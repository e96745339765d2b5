"""Model files that are damaged or dishonest: refused in one short message, before anything is built."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import treant_viz as tv
from tests.estimators.test_modelfile import ATTACKER, data, fitted
from treant_viz.core.serial import checksum
from treant_viz.core.tree import MOST_LEVELS
from treant_viz.estimators.fitting import MAX_DEPTH

# Files that are refused


@pytest.fixture(scope="module")
def classifier():
    return fitted(tv.TreantClassifier)[0]


@pytest.fixture
def saved(tmp_path, classifier):
    path = tmp_path / "m.json"
    classifier.to_json(path)
    return path


def refuse(path, *parts, kind=tv.TreantClassifier):
    with pytest.raises(ValueError, match=r"(?s)m\.json.*" + ".*".join(map(re.escape, parts))):
        kind.from_json(path)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_truncated_files(saved, share):
    content = saved.read_bytes()
    saved.write_bytes(content[: int(len(content) * share)])
    refuse(saved, "damaged or not JSON")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r'"prediction": 0\.\d', '"prediction": 0.98765'),
        (r'"threshold": -?[\d.]+', '"threshold": 0.123'),
        (r'"budget": "inf"', '"budget": 3'),
        (r'"max_depth": 6', '"max_depth": 5'),
        (r'"size": \d+', '"size": 1000'),
        (r'"values": \[\s*false,\s*true', '"values": [true, false'),
        (r'"name": "flag"', '"name": "flak"'),
    ],
)
def test_a_changed_value_is_noticed(saved, old, new):
    text = saved.read_text(encoding="utf-8")
    changed = re.sub(old, new, text, count=1)
    assert changed != text
    saved.write_text(changed, encoding="utf-8")
    refuse(saved, "damaged: the content does not match its sha256 checksum")


def test_wrong_class(saved):
    expected = 'expected "class": "TreantRegressor", got \'TreantClassifier\''
    refuse(saved, expected, kind=tv.TreantRegressor)
    refuse(saved, "TreantForestClassifier", kind=tv.TreantForestClassifier)


def test_wrong_format(saved):
    ATTACKER.to_json(saved)
    refuse(saved, 'expected "format": "treant_viz.model", got \'treant_viz.attacker\'')
    saved.write_text("[1, 2]")
    refuse(saved, "expected a JSON object, got list")


def test_newer_version(saved):
    doc = json.loads(saved.read_text())
    saved.write_text(json.dumps(doc | {"version": 2}))
    refuse(saved, "format version 2", "reads versions up to 1", "upgrade treant_viz")


def test_not_json(saved):
    saved.write_bytes(b"\x80\x04\x95\x1a\x00pickle")
    refuse(saved, "damaged or not JSON")
    saved.write_text("__import__('os').system('x')")
    refuse(saved, "damaged or not JSON")


def test_nan(saved):
    text = re.sub(r'"prediction": [\d.]+', '"prediction": NaN', saved.read_text(), count=1)
    saved.write_text(text)
    refuse(saved, "NaN is not JSON")


def resealed(path, change):
    """A file that somebody changed on purpose, with a checksum that fits."""
    doc = json.loads(path.read_text(encoding="utf-8"))
    change(doc)
    body = {k: v for k, v in doc.items() if k not in ("format", "version", "sha256")}
    path.write_text(json.dumps(doc | {"sha256": checksum(body)}), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (lambda d: d.pop("params"), ('"params" is missing',)),
        (lambda d: d["params"].update(eval="1"), ("unexpected keyword argument 'eval'",)),
        (lambda d: d["params"].update(retest="x"), ("retest: expected", "'x'")),
        (lambda d: d["params"].update(loss="x"), ("loss", "expected", "'x'")),
        (lambda d: d["params"].update(attacker={"format": "x"}), ("attacker", "got 'x'")),
        (lambda d: d["params"]["attacker"].update(budget=-1), ("budget", "at least 0")),
        (lambda d: d.update(columns=[]), ('"columns" must be a list', "[]")),
        (lambda d: d.update(columns=[{"name": "a"}]), ("is not a column", "'a'")),
        (lambda d: d["columns"][0].update(categories=["a"]), ("does not fit column", "categories")),
        (lambda d: d["columns"][1].update(categories="ab"), ("column 1", '"categories" must be a list')),
        (lambda d: d["columns"][1].update(categories=[["a"]]), ("column 1", "categor", "['a']")),
        (lambda d: d.update(classes=None), ('"classes" must be an object',)),
        (lambda d: d["classes"].update(values=[1]), ('"classes": expected two values', "[1]")),
        (lambda d: d["classes"].update(values=[[1], [2]]), ('"classes": expected two values',)),
        (lambda d: d["classes"].update(dtype="O8"), ('"classes"', "'O8'", "not supported")),
        (lambda d: d["classes"].update(dtype="<U999999999"), ('"classes"', "not supported")),
        (lambda d: d["classes"].update(dtype="|i3"), ('"classes"', "'|i3'")),
        (lambda d: d["classes"].update(values=["a", "b"]), ('"classes"', "do not fit the type '|b1'")),
        (lambda d: d.update(trees=[]), ("expected one tree, got 0",)),
        (lambda d: d.update(trees=[{"prediction": "inf"}]), ("tree 0", "predicts inf")),
        (lambda d: d.update(trees=[{"prediction": 1.5}]), ("tree 0", "predicts 1.5", "between 0 and 1")),
        (lambda d: d.update(trees=[{"feature": "x"}]), ("tree 0", '"test" is missing')),
    ],
)
def test_nonsense_with_a_fitting_checksum(saved, change, parts):
    resealed(saved, change)
    refuse(saved, *parts)


def deep(levels: int) -> dict:
    t: dict = {"prediction": 0.5}
    for _ in range(levels):
        t = {"feature": "tiny", "test": "<=", "threshold": 0.5, "left": {"prediction": 0.5}, "right": t}
    return t


def numeric(**changes) -> list[dict]:
    leaf = {"prediction": 0.5}
    return [{"feature": "tiny", "test": "<=", "threshold": 0.5, "left": leaf, "right": leaf} | changes]


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (
            lambda d: d["columns"][1]["categories"].append("日本"),
            ("column 1", "categories must differ", "'日本'"),
        ),
        (
            lambda d: d["columns"][2].update(categories=[1, 2, 3, 1.0]),
            ("column 2", "categories must differ", "1"),
        ),
        (
            lambda d: d["columns"][2].update(categories=[1, 2, 3, True]),
            ("column 2", "text or a number", "True"),
        ),
        (lambda d: d["columns"][2].update(categories=[1, 2, 3, 10**400]), ("column 2", "text or a number")),
        (lambda d: d["columns"][2].update(categories=[]), ("column 2", "at least one category")),
        (lambda d: d["columns"][1].update(name="zone"), ("names must differ", "'zone'")),
        (lambda d: d["columns"][1].update(name=1), ("named by text, or all by their places",)),
        (
            lambda d: [c.update(name=10**400) for c in d["columns"]],
            ("named by text, or all by their places",),
        ),
        (lambda d: d["params"].update(random_state=[1]), ("'random_state': expected a plain value", "[1]")),
        (
            lambda d: d["params"].update(random_state={"format": "x"}),
            ("'random_state': expected a plain value",),
        ),
        (lambda d: d["params"].update(random_state=-1), ("random_state: expected a whole number from 0",)),
        (lambda d: d["params"].update(random_state="x"), ("random_state: expected a whole number from 0",)),
        (
            lambda d: d["params"].update(max_features=6),
            ("max_features: expected a whole number from 1 to 5",),
        ),
        (lambda d: d["params"].update(max_depth=10**400), ("max_depth: expected a whole number",)),
        (
            lambda d: d["params"]["attacker"]["rules"][0].update(feature="x"),
            ("the rule's feature 'x' is not a column",),
        ),
        (
            lambda d: d["params"]["attacker"]["rules"][0].update(feature=9),
            ("the rule's feature 9 is not a column",),
        ),
        (
            lambda d: d["params"]["attacker"]["rules"][0].update(feature="zone"),
            ("both numeric and categorical",),
        ),
        (
            lambda d: (
                d["params"]["attacker"]["rules"].pop(2)
                and d["params"]["attacker"]["rules"][0].update(feature="zone")
            ),
            ("is numeric, but the column holds categories",),
        ),
        (
            lambda d: d["params"]["attacker"]["rules"][1].update(becomes="elsewhere"),
            ("attacker: 'elsewhere' is no category of '名前'",),
        ),
        (
            lambda d: d["params"]["attacker"]["rules"][1].update(pre=["elsewhere"]),
            ("'elsewhere' is no category",),
        ),
        (
            lambda d: d["classes"].update(values=[True, False]),
            ("two values in rising order", "[True, False]"),
        ),
        (lambda d: d["classes"].update(values=[True, True]), ("two values in rising order",)),
        (lambda d: d["classes"].update(dtype="object", values=["a", 1]), ("two values in rising order",)),
        (lambda d: d["classes"].update(dtype="<i8", values=[1, 10**400]), ("do not fit the type '<i8'",)),
        (lambda d: d["classes"].update(dtype="<f2", values=[1, 1e300]), ("do not fit the type '<f2'",)),
        (lambda d: d.update(trees=[deep(201)]), ("tree 0: more than 200 levels of tests",)),
        (lambda d: d.update(trees=[deep(900)]), ("nested more than 250 deep",)),
        (
            lambda d: d.update(trees=numeric(threshold=10**400)),
            ("tree 0", '"threshold": expected a finite number'),
        ),
        (lambda d: d.update(trees=numeric(threshold=True)), ("tree 0", '"threshold" must be', "True")),
        (
            lambda d: d.update(trees=numeric(feature="zone", test="==", threshold=9)),
            ("category that its column lacks: 9",),
        ),
        (lambda d: d.update(trees=numeric(feature=5)), ("feature 5 is not a column",)),
        (lambda d: d.update(trees=numeric(feature=True)), ("tree 0", '"feature" must be', "True")),
        (
            lambda d: d.update(trees=numeric(left={"prediction": 0.5, "loss": "x"})),
            ("tree 0: left", '"loss"', "'x'"),
        ),
        (
            lambda d: d.update(trees=numeric(left={"prediction": 0.5, "size": 1.5})),
            ("tree 0: left", '"size"', "1.5"),
        ),
        (
            lambda d: d.update(trees=numeric(left={"prediction": 0.5, "size": -1})),
            ("tree 0: left", '"size"', "-1"),
        ),
        (lambda d: d.update(trees=numeric(left={"prediction": 10**400})), ("tree 0: left", '"prediction"')),
        (lambda d: d.update({"class": "x" * 10**6}), ('expected "class"',)),
        (lambda d: d.update(trees=["x" * 10**6]), ("tree 0: expected an object",)),
        (lambda d: d["params"].update({"x" * 10**6: 1}), ("unexpected keyword argument",)),
        (lambda d: d["params"].update(loss="x" * 10**6), ("loss of a TreantClassifier",)),
        (lambda d: d["columns"][0].update(name="x" * 10**6), ("is not a column",)),
        (lambda d: d.update(columns="x" * 10**6), ('"columns" must be a list',)),
        (lambda d: d["classes"].update(values=["x" * 10**6] * 2), ("do not fit the type",)),
    ],
)
def test_what_would_fail_in_use_is_refused_in_a_short_message(saved, change, parts):
    resealed(saved, change)
    with pytest.raises(ValueError, match=r"(?s)m\.json: .*" + ".*".join(map(re.escape, parts))) as caught:
        tv.TreantClassifier.from_json(saved)
    assert len(str(caught.value)) < 500


def test_a_regressor_has_no_classes(tmp_path):
    m, _ = fitted(tv.TreantRegressor)
    m.to_json(tmp_path / "m.json")
    resealed(tmp_path / "m.json", lambda d: d.update(classes={"dtype": "|b1", "values": [False, True]}))
    refuse(tmp_path / "m.json", '"classes" must be null for a regressor', kind=tv.TreantRegressor)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"max_samples": 0}, "max_samples: expected"),
        ({"max_samples": 1.5}, "max_samples: expected"),
        ({"n_jobs": "x"}, "n_jobs: expected a whole number"),
        ({"n_estimators": 10**400}, "trees, got 3"),
    ],
)
def test_a_forests_own_options_are_checked(tmp_path, change, said):
    m, _ = fitted(tv.TreantForestClassifier)
    m.to_json(tmp_path / "m.json")
    resealed(tmp_path / "m.json", lambda d: d["params"].update(change))
    refuse(tmp_path / "m.json", said, kind=tv.TreantForestClassifier)


def test_the_deepest_tree_that_can_be_grown_can_be_read(saved):
    assert MOST_LEVELS == MAX_DEPTH
    resealed(saved, lambda d: d.update(trees=[deep(MOST_LEVELS)]))
    model = tv.TreantClassifier.from_json(saved)
    assert model.predict_proba(data()[0])[0].tolist() == [0.5, 0.5]
    model.to_json(saved)
    assert tv.TreantClassifier.from_json(saved).tree_ == model.tree_


def test_a_forest_needs_all_its_trees(tmp_path):
    m, _ = fitted(tv.TreantForestClassifier)
    m.to_json(tmp_path / "m.json")
    resealed(tmp_path / "m.json", lambda d: d["trees"].pop())
    refuse(tmp_path / "m.json", "expected 3 trees, got 2", kind=tv.TreantForestClassifier)


def test_a_failed_write_leaves_the_old_file(saved, monkeypatch):
    before = saved.read_bytes()
    other, _ = fitted(tv.TreantClassifier, max_depth=1)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        other.to_json(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_classes_that_json_does_not_know(tmp_path):
    days = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]").astype(object)
    m = tv.TreantClassifier(min_samples_split=2).fit([[0], [1]], [0, 1])
    m.classes_ = days
    with pytest.raises(
        TypeError, match=r"classes: only text, numbers, True and False can be written, got \[datetime"
    ):
        m.to_json(tmp_path / "m.json")
    assert not list(tmp_path.iterdir())
