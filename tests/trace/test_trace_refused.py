"""Damaged traces are refused when they are read, whatever is wrong with them."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import treant_viz as tv
from tests.trace.test_trace import toy
from treant_viz.trace.trace import Trace


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("steps"), 'damaged: "steps" is missing'),
        (lambda d: d.update(steps=3), 'damaged: "steps" must be a list, got 3'),
        (lambda d: d.update(steps=[3]), "damaged: step 0: .*expected an object, got 3"),
        (lambda d: d["steps"][0].pop("leaf"), 'damaged: step 0: .*"leaf" is missing'),
        (
            lambda d: d["steps"][0]["candidates"].update(loss=["x"]),
            "damaged: step 0: loss: expected a finite number",
        ),
        (
            lambda d: d["steps"][0]["constraints"].append([1]),
            "damaged: step 0: constraint: expected 7 values",
        ),
        (lambda d: d.update(loss="x"), "damaged: loss: expected 'sse' or 'log'"),
        (lambda d: d.update(columns=[]), '"columns" must be a list'),
        (lambda d: d.update(version=99), "format version 99"),
        (lambda d: d.update(format="x"), 'expected "format": "treant_viz.trace"'),
    ],
)
def test_damaged_traces_are_refused(change, message, tmp_path):
    doc = toy().trace_.to_dict()
    doc = json.loads(json.dumps(doc))
    change(doc)
    (tmp_path / "t.json").write_text(json.dumps(doc))
    with pytest.raises(ValueError, match=rf"(?s)t\.json: .*{message}|t\.json: {message}"):
        Trace.from_json(tmp_path / "t.json")


def root(d) -> dict:
    return d["steps"][0]


def handed(d) -> list:
    """The constraint that the toy's root hands to its right child, where both have it."""
    return root(d)["split"]["right_constraints"][0]


LONG = "x" * 1_500_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        # the data
        (lambda d: d["X"].pop(), "X: expected 2 columns, got 1"),
        (lambda d: d["X"][0].pop(), "X: expected columns of the same length"),
        (lambda d: d.update(X=[[], []]), "X: expected columns of the same length, with rows"),
        (lambda d: d.update(X=3), "X: expected a list"),
        (lambda d: d["X"][1].__setitem__(0, "a"), "X: column 'q': expected a finite number"),
        (lambda d: d["X"][1].__setitem__(0, None), "X: column 'q': expected a finite number"),
        (lambda d: d["X"][1].__setitem__(0, 10**400), "X: column 'q': expected a finite number"),
        (lambda d: d["columns"][1].update(categories=["a"]), "X: column 'q': .* none of its categories"),
        (lambda d: d["columns"].append(d["columns"][0]), "names must differ"),
        (lambda d: d["y"].pop(), "y: expected 7 labels, got 6"),
        (lambda d: d["y"].__setitem__(0, 1e101), "y: expected numbers of at most 1e"),
        (lambda d: d["y"].__setitem__(0, 10**400), "y: expected a finite number"),
        (lambda d: d.update(binary=True), "y: expected the labels 0 and 1"),
        (lambda d: d.update(binary=1), '"binary" must be true or false'),
        (lambda d: d.update(loss=["sse"]), '"loss" must be text'),
        (lambda d: d.update(loss="log"), "'log' needs two classes"),
        # the attacker and the options
        (lambda d: d["attacker"]["rules"][0].update(feature="z"), "feature 'z' is not a column"),
        (lambda d: d["attacker"].update(budget=-1), "budget"),
        (lambda d: d.update(options=3), '"options" must be an object'),
        (lambda d: d["options"].update(retest="x"), "retest: expected"),
        (lambda d: d["options"].update(solver=3), "solver: expected"),
        (lambda d: d["options"].update(attack_invariance="yes"), "attack_invariance: expected"),
        (lambda d: d["options"].update(max_depth="deep"), "max_depth: expected"),
        (lambda d: d["options"].update(weight=[1] * 6), "weight: expected 7 numbers above 0"),
        (lambda d: d["options"].update(weight=[0] + [1] * 6), "weight: expected 7 numbers above 0"),
        (lambda d: d["options"].update(weight="heavy"), "weight: expected a list"),
        # the steps among themselves
        (lambda d: d.update(steps=[]), "steps: the step at '' is missing"),
        (lambda d: d["steps"].pop(), "steps: the step at 'rr' is missing"),
        (lambda d: d["steps"].append(d["steps"][-1]), "expected no more steps, got the path 'rr'"),
        (lambda d: d["steps"].reverse(), "step 0: expected the path ''"),
        (lambda d: d["steps"][1].update(path="x"), "step 1: expected the path 'l', got the path 'x'"),
        (lambda d: d["steps"][1].update(path=3), 'step 1: .*"path" must be text'),
        (
            lambda d: d["steps"][1]["data"]["rows"].__setitem__(0, 5),
            "step 1: data: not the rows that the step above",
        ),
        (
            lambda d: d["steps"][1]["data"]["spent"].__setitem__(0, 0.5),
            "step 1: data: not the rows that the step above",
        ),
        (
            lambda d: d["steps"][4]["constraints"].clear(),
            "step 4: constraints: not those that the step above",
        ),
        (
            lambda d: root(d)["constraints"].append(handed(d)),
            "step 0: constraints: not those that the step above",
        ),
        # a step
        (lambda d: root(d).update(reason="because"), "step 0: reason: expected one of"),
        (lambda d: root(d).update(split=None), "step 0: the reason 'split' does not go with no split"),
        (
            lambda d: root(d).update(candidates=None),
            "step 0: the reason 'split' does not go with no candidates",
        ),
        (lambda d: root(d).update(split=3), 'step 0: .*"split" must be an object or null'),
        (lambda d: root(d).update(leaf="x"), 'step 0: .*"leaf" must be'),
        (lambda d: root(d).update(leaf=1e200), "step 0: leaf: expected predictions from"),
        (lambda d: root(d).update(leaf=0.7), "step 0: leaf_loss: expected .* the loss of the leaf"),
        (lambda d: root(d).update(leaf_loss=17), "step 0: leaf_loss: expected .* the loss of the leaf"),
        (lambda d: root(d)["data"].update(rows=[], spent=[]), "step 0: data: expected at least one row"),
        (lambda d: root(d)["data"]["rows"].__setitem__(6, 7), "step 0: rows: expected numbers below 7"),
        (lambda d: root(d)["data"]["rows"].__setitem__(6, 0), "step 0: rows: .* in rising order"),
        (lambda d: root(d)["data"]["rows"].__setitem__(6, -1), "step 0: rows: expected a whole number"),
        (lambda d: root(d)["data"]["rows"].__setitem__(6, 6.0), "step 0: rows: expected a whole number"),
        (lambda d: root(d)["data"]["rows"].__setitem__(6, 10**400), "step 0: rows: expected a whole number"),
        (lambda d: root(d)["data"]["spent"].pop(), 'step 0: "rows" and "spent" differ in length: 7 and 6'),
        (lambda d: root(d)["data"]["spent"].__setitem__(0, 9), "step 0: spent: expected costs within"),
        # its candidates
        (
            lambda d: root(d)["candidates"]["y_l"].pop(),
            'step 0: "feature" and "y_l" differ in length: 7 and 6',
        ),
        (lambda d: root(d)["candidates"].pop("tied"), 'step 0: .*"tied" is missing'),
        (lambda d: root(d)["candidates"].update(left=3), 'step 0: .*"left" must be a list'),
        (
            lambda d: root(d)["candidates"]["feature"].__setitem__(0, "z"),
            "step 0: feature 'z' is not a column",
        ),
        (lambda d: root(d)["candidates"]["feature"].__setitem__(0, 0), "step 0: .* does not fit the column"),
        (lambda d: root(d)["candidates"]["feature"].__setitem__(0, None), 'step 0: .*"feature" must be text'),
        (lambda d: root(d)["candidates"]["test"].__setitem__(0, "=="), "step 0: .* does not fit the column"),
        (lambda d: root(d)["candidates"]["test"].__setitem__(0, "<"), "step 0: test: expected '<=' or '=='"),
        (
            lambda d: root(d)["candidates"]["threshold"].__setitem__(0, 0.5),
            "step 0: threshold: 0.5 is no value of 'p'",
        ),
        (
            lambda d: root(d)["candidates"]["threshold"].__setitem__(0, [1]),
            "step 0: threshold: expected a finite",
        ),
        (
            lambda d: root(d)["candidates"]["left"].__setitem__(0, 3),
            "step 0: candidates: .* not 7 rows together",
        ),
        (
            lambda d: root(d)["candidates"]["y_l"].__setitem__(0, "inf"),
            "step 0: y_l: expected a finite number",
        ),
        (
            lambda d: root(d)["candidates"]["y_l"].__setitem__(0, 1e200),
            "step 0: y_l: expected predictions from",
        ),
        (lambda d: root(d)["candidates"]["loss"].__setitem__(0, "-inf"), "step 0: loss: a loss is not -inf"),
        (lambda d: root(d)["candidates"]["loss"].__setitem__(0, -1), "step 0: loss: a loss is at least 0"),
        (lambda d: root(d)["candidates"]["tied"].__setitem__(0, 1), 'step 0: .*"tied" must be true or false'),
        (
            lambda d: root(d)["candidates"].update(admissible=[False] * 7),
            "step 0: .*not admissible is among the best",
        ),
        (
            lambda d: root(d)["candidates"].update(tied=[False] * 7),
            "step 0: split: none of the candidates is the best",
        ),
        (
            lambda d: root(d)["candidates"].update(status=["fine"]),
            'step 0: "feature" and "status" differ in length',
        ),
        (lambda d: root(d)["candidates"].update(status=[3] * 7), 'step 0: .*"status" must be text'),
        (
            lambda d: root(d)["candidates"].update(iterates=[[]] * 7),
            "step 0: iterates: expected at least one point",
        ),
        (
            lambda d: root(d)["candidates"].update(iterates=[[[1]]] * 7),
            "step 0: iterates: expected two numbers",
        ),
        (
            lambda d: root(d)["candidates"].update(iterates=[[["x", 1]]] * 7),
            "step 0: iterates: expected a finite",
        ),
        # its split
        (
            lambda d: root(d)["split"].update(threshold=3.0),
            "step 0: split: 'p' at 3.0 is not the best candidate",
        ),
        (lambda d: root(d)["split"].update(y_l=0.5), "step 0: split: .* is not the best candidate"),
        (lambda d: root(d)["split"].update(loss="x"), "step 0: loss: expected a finite number"),
        (lambda d: root(d)["split"].update(partition=[]), 'step 0: .*"partition" must be an object'),
        (lambda d: root(d)["split"]["partition"].pop("left"), "step 0: left: expected a list, got None"),
        (
            lambda d: root(d)["split"]["partition"]["left"].pop(),
            "step 0: split: the partition is not as large",
        ),
        (
            lambda d: root(d)["split"]["partition"]["left"].__setitem__(1, 6),
            "step 0: split: its parts are not the rows",
        ),
        (
            lambda d: root(d)["split"]["partition"]["left"].__setitem__(1, 9),
            "step 0: rows: expected numbers below 7",
        ),
        (
            lambda d: root(d)["split"]["left"].update(rows=[], spent=[]),
            "step 0: split: its parts are not the rows",
        ),
        # its constraints
        (lambda d: handed(d).__setitem__(0, 99), "step 0: constraint: the data has no row 99"),
        (lambda d: handed(d).__setitem__(0, -1), "step 0: row: expected a whole number"),
        (
            lambda d: handed(d).__setitem__(1, 0.5),
            "step 0: constraint: the data has no row .* with the label 0.5",
        ),
        (lambda d: handed(d).__setitem__(2, "<"), "step 0: constraint: expected a sense"),
        (lambda d: handed(d).__setitem__(3, 99), "step 0: constraint: gamma is not the loss"),
        (lambda d: handed(d).__setitem__(4, 1e200), "step 0: constraint: at: expected predictions"),
        (lambda d: handed(d).__setitem__(5, 99), "step 0: constraint: spent: expected a cost"),
        (
            lambda d: handed(d).__setitem__(6, "l"),
            "step 0: constraint: it comes from 'l', which is not above ''",
        ),
        (
            lambda d: handed(d).__setitem__(6, None),
            "step 0: constraint: expected a sense and where it came from",
        ),
        # long ones
        (lambda d: d.update(steps=LONG), '"steps" must be a list'),
        (lambda d: root(d).update(path=LONG), "step 0: expected the path ''"),
        (lambda d: root(d).update(reason=LONG), "step 0: reason: expected one of"),
        (lambda d: d["X"].__setitem__(0, [LONG] * 7), "X: column 'p': expected a finite number"),
        (lambda d: d["columns"][0].update(name=LONG), "is not a column"),
    ],
)
def test_a_trace_that_does_not_hang_together_is_refused(change, message, tmp_path):
    doc = json.loads(json.dumps(toy().trace_.to_dict()))
    change(doc)
    (tmp_path / "t.json").write_text(json.dumps(doc))
    with pytest.raises(ValueError, match=rf"(?s)t\.json: damaged: (.*{message}|{message})") as caught:
        Trace.from_json(tmp_path / "t.json")
    assert len(str(caught.value)) < 500


def test_the_leaf_keeps_to_the_constraints_and_rows_go_where_they_can():
    good = json.loads(json.dumps(toy().trace_.to_dict()))

    def refused(change) -> str:
        doc = json.loads(json.dumps(good))
        change(doc)
        with pytest.raises(ValueError) as caught:
            Trace.from_dict(doc)
        return str(caught.value)

    def tightened(d) -> None:  # in the root's split and in its child alike
        for c in (root(d)["split"]["right_constraints"][0], d["steps"][4]["constraints"][0]):
            c[2:5] = ["<=", 0.0, c[1]]

    def moved(d) -> None:  # a value that another row has, so that every test stays known
        d["X"][0][6] = d["X"][0][0]

    def charged(d) -> None:
        for data in (root(d)["split"]["right"], d["steps"][4]["data"]):
            data["spent"][-1] = 1.0

    assert "step 4: leaf: " in refused(tightened) and "is not what the constraints allow" in refused(
        tightened
    )
    assert "step 0: split: the partition is not what the attacker can make of the data" in refused(moved)
    assert "step 0: spent: not what it costs to bring the rows to their sides" in refused(charged)


def test_rules_name_categories_that_their_columns_have():
    X = pd.DataFrame({"job": ["a", "b", "a", "b"]})
    A = tv.Attacker([tv.Rule("job", 1, pre={"a"}, becomes="c")], 1)
    doc = tv.TreantClassifier(A, min_samples_split=2).fit(X, [0, 1, 0, 1]).trace_.to_dict()
    assert Trace.from_dict(doc).attacker == A
    doc["attacker"]["rules"][0]["becomes"] = "d"
    with pytest.raises(ValueError, match="attacker: 'd' is no category of 'job'"):
        Trace.from_dict(doc)


def test_a_row_that_cannot_be_brought_over_stays_on_its_side():
    doc = json.loads(json.dumps(toy().trace_.to_dict()))
    left, right = root(doc)["split"]["left"], root(doc)["split"]["right"]
    right["rows"][0], left["rows"][0] = left["rows"][0], right["rows"][0]
    for side in (left, right):
        side["rows"].sort()
    with pytest.raises(
        ValueError, match="step 0: split: a row that cannot be brought to the other side is there"
    ):
        Trace.from_dict(doc)
