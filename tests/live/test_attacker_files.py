"""build_attacker: rules as files, words and code; damaged files lose nothing, hostile names do no harm."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime

import pandas as pd
import pytest

import treant_viz as tv
from tests.live.conftest import PEOPLE, TOY
from tests.live.test_attacker_form import fill, line
from treant_viz.live.rule_words import attacker_code, rule_in_words

HOSTILE = "<script>alert('$x_1$\")</script>"


def upload(form, name, content):
    """What the browser sends."""
    file = {
        "name": name,
        "type": "application/json",
        "size": len(content),
        "content": memoryview(content.encode()),
    }
    form.file.upload.value = (file | {"last_modified": datetime(2020, 1, 1, tzinfo=UTC)},)


def made_by(code, **names):
    space = {"tv": tv, **names}
    *before, last = code.splitlines()
    exec("\n".join(before), space)
    return eval(last, space)


# files


def test_saved_and_loaded_again_it_is_the_same(people, tmp_path, form):
    people.file.path.value = str(tmp_path / "a.json")
    people.file.save.click()
    assert "Saved 2 rules" in people.file.note.value
    assert tv.Attacker.from_json(tmp_path / "a.json") == people.attacker
    before = people.attacker
    people.attacker = tv.Attacker([], 0)
    people.file.load.click()
    assert "Loaded 2 rules" in people.file.note.value
    assert people.attacker == before


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "damaged or not JSON"),
        ('{"format": "treant_viz.tree", "version": 1}', "expected &quot;format&quot;"),
        (json.dumps(TOY.attacker.to_dict() | {"budget": "lots"}), "budget"),
        (json.dumps(tv.Attacker([tv.Rule("z", 1, delta=(0, 1))], 1).to_dict()), "is not a column"),
        ('{"format": "treant_viz.attacker", "version": 1, "budget": NaN, "rules": []}', "NaN|nan"),
        ("[" * 100_000, "damaged or not JSON"),
        (
            '{"format": "treant_viz.attacker", "version": 1, "budget": 1, "budget": 9, "rules": []}',
            "more than once",
        ),
    ],
)
@pytest.mark.parametrize("how", ["by name", "uploaded"])
def test_damaged_files_are_explained_and_nothing_is_lost(form, tmp_path, content, words, how):
    fill(form, cost="2")
    before, name = form.state, "bad<b>.json"
    if how == "by name":
        (tmp_path / name).write_text(content)
        form.file.path.value = str(tmp_path / name)
        form.file.load.click()
    else:
        upload(form, name, content)
    assert re.search(words, form.file.note.value)
    assert "The attacker is as it was." in form.file.note.value
    assert "<b>" not in form.file.note.value
    assert form.state == before


def test_an_uploaded_file_is_taken(form):
    A = tv.Attacker([tv.Rule("q", 5, delta=(0, 1))], 7)
    upload(form, "a.json", json.dumps(A.to_dict()))
    assert form.attacker == A
    assert form.file.upload.value == ()


def test_files_that_are_not_there_or_not_named_are_explained(form, tmp_path):
    form.file.load.click()
    assert "rule file: give the name" in form.file.note.value
    form.file.path.value = str(tmp_path / "none.json")
    form.file.load.click()
    assert "No such file" in form.file.note.value
    form.file.path.value = str(tmp_path / "no" / "a.json")
    form.file.save.click()
    assert "No such file" in form.file.note.value


def test_another_kind_of_file_is_not_written_over(form, tmp_path):
    (tmp_path / "notes.txt").write_text("precious")
    form.file.path.value = str(tmp_path / "notes.txt")
    form.file.save.click()
    assert "is not written over" in form.file.note.value
    assert (tmp_path / "notes.txt").read_text() == "precious"


# words and code


@pytest.mark.parametrize("feature", ["age", "status"])
def test_code_makes_the_same_attacker_and_picture(people, feature):
    people.feature = feature
    found = made_by(people.code(), X=PEOPLE, y=[0, 1, 0, 1])
    assert found.summary == people.display.summary
    assert people.as_code.value == people.code()


@pytest.mark.parametrize("feature", ["p", "job", 3])
def test_code_without_rows_makes_its_own(quick, feature):
    rules = [
        *TOY.attacker.rules,
        tv.Rule("job", 1, pre={"a", "b"}, becomes="c"),
        tv.Rule(3, 1, pre=(0, math.inf), delta=(0, 2)),
    ]
    form = tv.build_attacker(None, tv.Attacker(rules, 2), feature=feature)
    assert made_by(form.code()).summary == form.display.summary


def test_attackers_survive_their_code(people):
    A = tv.Attacker(
        [*people.attacker.rules, tv.Rule("score", 0.1, pre=(-math.inf, 1 / 3), delta=(-1e-20, 1e20))],
        math.inf,
    )
    assert eval(attacker_code(A), {"tv": tv}) == A


def test_rules_in_words():
    assert rule_in_words(tv.Rule("p", 1, pre=(2, math.inf), delta=(1, 1))) == (
        "p may change by 1 while it is at least 2, at cost 1"
    )
    assert rule_in_words(tv.Rule(0, 1, pre=(-math.inf, 2), delta=(0, 1))) == (
        "x[0] may change by 0 to 1 while it is at most 2, at cost 1"
    )
    assert rule_in_words(tv.Rule("c", 1, becomes="b")) == "c may turn from any category into b, at cost 1"


def test_hostile_names_are_escaped(quick, tmp_path):
    X = pd.DataFrame({HOSTILE: [1.0, 2.0, 3.0], "c": [HOSTILE, "b", "b"]})
    rules = [tv.Rule(HOSTILE, 1, delta=(0, 1)), tv.Rule("c", 1, pre={HOSTILE}, becomes="b")]
    form = tv.build_attacker(X, tv.Attacker(rules, 1))
    form.file.path.value = HOSTILE
    form.file.load.click()
    fill(form, cost=HOSTILE)
    seen = ""
    for editing in (0, 1):
        form.editing = editing
        lines = [row.children[0] for row in form.rules.box.children]
        shown = [
            form.picture,
            form.message,
            form.reach,
            form.heading,
            form.file.note,
            *lines,
            *form.fields.notes.values(),
        ]
        seen += "".join(w.value for w in shown)
    assert "<script" not in seen
    assert "&lt;script" in seen
    assert made_by(form.code(), X=X).summary == form.display.summary


def test_every_control_has_a_label(form):
    named = [*form.fields.controls.values(), form._add, form._new, form._undo, form._picker]
    named += [form.purse.box, form.purse.slider, *form.file.row[:-1], *line(form, 0).children[1:]]
    assert all(c.description for c in named)
