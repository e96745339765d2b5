"""Exercises: solutions pass; stubs and typical mistakes are told why they fail, never the answer."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import treant_viz as tv
from tests.course.exercises.cases import Case
from treant_viz.course import exercises
from treant_viz.course.exercises import check, every, hint

CASES: dict[str, Case] = {}
for path in sorted(Path(__file__).parent.glob("cases_*.py")):
    CASES |= import_module(f"tests.course.exercises.{path.stem}").CASES

RIGHT = [
    pytest.param(key, answer, id=f"{key}-{i}") for key, c in CASES.items() for i, answer in enumerate(c.right)
]
WRONG = [
    pytest.param(key, *pair, id=f"{key}-{i}") for key, c in CASES.items() for i, pair in enumerate(c.wrong)
]


@pytest.fixture(autouse=True)
def _nothing_asked_yet():
    exercises._GIVEN.clear()


def test_every_exercise_has_cases():
    assert list(every()) == sorted(CASES)
    assert all(c.right and len(c.wrong) >= 3 for c in CASES.values())
    assert all(
        len({said for _, said in c.wrong}) >= 3 for c in CASES.values()
    )  # three mistakes, not one thrice


@pytest.mark.parametrize(("key", "answer"), RIGHT)
def test_a_right_answer_passes(key, answer):
    verdict = check(key, answer)
    assert verdict, verdict
    assert verdict.message == f"right. {every()[key].praise}"


@pytest.mark.parametrize(("key", "answer", "said"), WRONG)
def test_a_wrong_answer_is_told_why_and_gets_a_hint(key, answer, said):
    verdict = check(key, answer)
    assert not verdict
    assert said in verdict.message
    assert verdict.message.endswith(f"Hint 1 of {len(every()[key].hints)}: {hint(key, 1)}")


@pytest.mark.parametrize("key", list(CASES))
def test_an_untouched_stub_gets_no_hint(key):
    verdict = check(key, ...)
    assert not verdict and not verdict.answered
    assert repr(verdict) == f"Exercise {key}: no answer yet."


@pytest.mark.parametrize(
    "key", [key for key, case in CASES.items() if any(callable(answer) for answer in case.right)]
)
def test_a_function_that_is_still_the_stub_gets_no_hint(key):
    assert repr(check(key, lambda *_: ...)) == f"Exercise {key}: no answer yet."


def test_an_answer_of_several_parts_is_none_as_long_as_one_is_missing():
    for key, answer in {"13.1": ("census", ..., ...), "13.2": ("census", ..., {"robust": ...})}.items():
        assert repr(check(key, answer)) == f"Exercise {key}: no answer yet."


def test_asking_again_gives_the_next_hint_and_the_last_one_stays():
    first, second = every()["03.1"].hints
    assert check("03.1", ...).message == "no answer yet."  # and uses up no hint
    assert check("03.1", 1).message.endswith(f"\nHint 1 of 2: {first}")
    assert check("03.1", 2).message.endswith(f"\nHint 2 of 2: {second}")
    assert hint("03.1") == second
    assert [hint("00.2") for _ in range(3)] == [*every()["00.2"].hints, every()["00.2"].hints[-1]]
    assert hint("03.1", 1) == first  # the earlier one can still be had


@pytest.mark.parametrize("key", list(CASES))
def test_there_are_two_hints_and_a_word_at_the_end(key):
    assert len(every()[key].hints) >= 2
    assert len({*every()[key].hints, every()[key].praise}) == len(every()[key].hints) + 1


def test_bad_calls_are_explained():
    with pytest.raises(ValueError, match=r"key: expected one of \['00.1'.*got '99.1'"):
        tv.exercises.check("99.1", 0)
    with pytest.raises(ValueError, match="number: expected a number from 1 to 2, got 7"):
        tv.exercises.hint("03.1", 7)
