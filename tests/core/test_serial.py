"""JSON documents: written all or nothing, read with suspicion."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treant_viz.core import serial


@given(st.floats(allow_nan=False))
def test_numbers_round_trip_exactly(x):
    y = serial.number_in(json.loads(json.dumps(serial.number_out(x), allow_nan=False)), "x")
    assert y == x
    assert math.copysign(1, y) == math.copysign(1, x)


@pytest.mark.parametrize("wrong", [None, True, "1", "nan", "Infinity", [], {}, math.nan, math.inf, 10**400])
def test_what_is_no_number_is_refused(wrong):
    with pytest.raises(ValueError, match='here: expected a finite number, "inf" or "-inf", got'):
        serial.number_in(wrong, "here")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "Expecting value"),
        (b"not json", "Expecting value"),
        (b'{"a": 1', "Expecting ',' delimiter"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b'{"a": Infinity}', "Infinity is not JSON"),
        (b'{"a": "\xff\xfe"}', "can't decode byte"),
        (b"\x80\x04\x95pickle", "can't decode byte"),
        (b"[" * 100_000, "recursion"),
    ],
)
def test_broken_files_are_named_with_the_reason(tmp_path, content, reason):
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"broken\.json: damaged or not JSON: .*{reason}"):
        serial.read(path)


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.json"):
        serial.read(tmp_path / "nowhere.json")


def test_what_is_written_is_read(tmp_path):
    doc = {"ü": [1, 0.1, 1e-300, "日本語", None, True], "b": {"a": -0.0}}
    serial.write(doc, tmp_path / "x.json")
    assert serial.read(tmp_path / "x.json") == doc
    assert "日本語" in (tmp_path / "x.json").read_text(encoding="utf-8")
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]


@pytest.mark.parametrize("doc", [{"a": math.nan}, {"a": math.inf}, {"a": object()}, {"a": "\ud800"}])
def test_what_cannot_be_written_leaves_the_old_file(tmp_path, doc):
    path = tmp_path / "x.json"
    serial.write({"a": 1}, path)
    with pytest.raises((TypeError, ValueError)):
        serial.write(doc, path)
    assert serial.read(path) == {"a": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]


@pytest.mark.parametrize("step", ["write", "replace"])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "x.json"
    serial.write({"a": 1}, path)

    def half(self, data):
        with open(self, "wb") as f:
            f.write(data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    def fail(*_):
        raise OSError(28, "No space left on device")

    if step == "write":
        monkeypatch.setattr(Path, "write_bytes", half)
    else:
        monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        serial.write({"a": 2}, path)
    monkeypatch.undo()
    assert serial.read(path) == {"a": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]


def test_a_sealed_document_notices_every_change():
    doc = serial.document("thing", 1, {"a": [1, 2.5], "b": {"c": "x"}}, sealed=True)
    assert serial.open_document(doc, "thing", 1, "here", sealed=True) == {"a": [1, 2.5], "b": {"c": "x"}}
    changed = [
        doc | {"a": [1, 2.5000000000000004]},
        doc | {"a": [1.0, 2.5]},
        doc | {"b": {"c": "y"}},
        doc | {"more": 1},
        doc | {"sha256": "0" * 64},
        {k: v for k, v in doc.items() if k != "b"},
        {k: v for k, v in doc.items() if k != "sha256"},
    ]
    for other in changed:
        with pytest.raises(ValueError, match="here: damaged: the content does not match its sha256 checksum"):
            serial.open_document(other, "thing", 1, "here", sealed=True)


def test_versions_and_formats():
    doc = serial.document("thing", 2, {})
    assert serial.open_document(doc, "thing", 2, "here") == {}
    assert serial.open_document(serial.document("thing", 1, {}), "thing", 2, "here") == {}, (
        "older ones are read"
    )
    with pytest.raises(
        ValueError, match=r"here: written in format version 2, .* up to 1; upgrade treant_viz"
    ):
        serial.open_document(doc, "thing", 1, "here")
    with pytest.raises(
        ValueError, match=r'here: expected "format": "treant_viz\.other", got .treant_viz\.thing'
    ):
        serial.open_document(doc, "other", 1, "here")
    for wrong in (0, -1, "1", None, True):
        with pytest.raises(ValueError, match='here: expected "version": a whole number from 1 to 2'):
            serial.open_document(doc | {"version": wrong}, "thing", 2, "here")


def test_fields_are_checked():
    assert serial.field({"a": 1}, "a", int, "here") == 1
    with pytest.raises(ValueError, match='here: "b" is missing'):
        serial.field({"a": 1}, "b", int, "here")
    with pytest.raises(ValueError, match='here: "a" must be text or a list, got 1'):
        serial.field({"a": 1}, "a", (str, list), "here")
    with pytest.raises(ValueError, match='here: "a" must be a whole number, got True'):
        serial.field({"a": True}, "a", int, "here")


# What other readers take in silence, and messages of any length


def read_text(tmp_path, text: str) -> object:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    return serial.read(tmp_path / "x.json")


def refusal(call, *args) -> str:
    with pytest.raises(ValueError) as caught:
        call(*args)
    assert len(str(caught.value)) < 500
    return str(caught.value)


@pytest.mark.parametrize("text", ['{"a": 1, "b": 2, "a": 3}', '[{"x": {"a": 1, "a": 1}}]'])
def test_an_entry_that_appears_twice_is_refused(tmp_path, text):
    said = refusal(read_text, tmp_path, text)
    assert "x.json: damaged or not JSON: the entry 'a' appears more than once in the same object" in said


def test_half_a_letter_is_no_text(tmp_path):
    assert "surrogates not allowed" in refusal(read_text, tmp_path, r'{"a": "\ud800"}')
    assert read_text(tmp_path, r'{"a": "\ud83d\ude00 \\ud800"}') == {"a": "\U0001f600 \\ud800"}


def test_documents_are_nested_only_so_deeply():
    def nested(levels: int) -> dict:
        inside: list = []
        for _ in range(levels - 2):
            inside = [inside]
        return serial.document("thing", 1, {"a": inside})

    assert serial.open_document(nested(serial.DEEPEST), "thing", 1, "here")
    for levels in (serial.DEEPEST + 1, 900, 50_000):
        said = refusal(serial.open_document, nested(levels), "thing", 1, "here")
        assert said == f"here: damaged: lists and objects are nested more than {serial.DEEPEST} deep"


def test_numbers_of_thousands_of_digits_are_refused(tmp_path):
    assert "x.json: damaged or not JSON: Exceeds the limit" in refusal(read_text, tmp_path, "1" * 5000)
    assert "expected a finite number" in refusal(serial.finite_in, 10**400, "here")
    assert "expected a whole number from 0 to 9" in refusal(serial.whole_in, 10**400, "here", 0, 9)
    assert serial.shown(10**5000) == "a value of type int"


@pytest.mark.parametrize(
    "wrong", ["x" * 10**6, ["x" * 10**6] * 100, {"x" * 10**6: 1}, 10**400, [[[[["x"] * 9] * 9] * 9]]]
)
def test_messages_stay_short_whatever_they_quote(wrong):
    refusal(serial.number_in, wrong, "here")
    refusal(serial.finite_in, wrong, "here")
    refusal(serial.whole_in, wrong, "here", 0, 9)
    refusal(serial.field, {"a": wrong}, "a", bool, "here")
    refusal(serial.field, {}, "x" * 10**6, bool, "here")
    refusal(serial.open_document, {"format": wrong}, "thing", 1, "here")
    refusal(serial.open_document, {"format": "treant_viz.thing", "version": wrong}, "thing", 1, "here")


def test_a_long_place_is_shortened_with_the_reason():
    def inside():
        with serial.reading("p" * 5000):
            raise TypeError("p" * 5000 + ": " + "because " * 1000)

    said = refusal(inside)
    assert said.startswith("ppp") and said.endswith("because ")


@pytest.mark.parametrize("wrong", [None, True, "1", "inf", math.inf, -math.inf, math.nan, 10**400])
def test_a_finite_number_is_neither_text_nor_infinite(wrong):
    assert "here: expected a finite number, got" in refusal(serial.finite_in, wrong, "here")
    assert "here: expected a finite number from 0 to 1, got 1.5" in refusal(
        serial.finite_in, 1.5, "here", 0, 1
    )


@pytest.mark.parametrize("wrong", [None, True, "1", 1.0, -1, 10])
def test_a_whole_number_is_counted_within_bounds(wrong):
    assert serial.whole_in(9, "here", 0, 9) == 9
    assert "here: expected a whole number from 0 to 9, got" in refusal(serial.whole_in, wrong, "here", 0, 9)
