"""Every notebook has what the course promises: objectives, predictions, exercises, recap, links."""

from __future__ import annotations

import ast
import re

import nbformat
import pytest

from treant_viz.course.build import LEFT_OUT, notebook, sources, target
from treant_viz.course.exercises import every
from treant_viz.course.questions import asked
from treant_viz.datasets.shipped import shipped

FOLDER = shipped("notebooks")
SOURCES = {s.name[:2]: s for s in sources(FOLDER)}
MINUTES = {
    "00": 20,
    "01": 25,
    "02": 30,
    "03": 20,
    "04": 40,
    "05": 40,
    "06": 40,
    "07": 40,
    "08": 45,
    "09": 40,
    "10": 40,
    "11": 30,
    "12": 45,
    "13": 60,
}

each = pytest.mark.parametrize("number", list(SOURCES))


def text(number: str) -> str:
    return SOURCES[number].read_text(encoding="utf-8")


def prose(number: str, version: str = "student") -> str:
    return "\n\n".join(
        c.source for c in notebook(SOURCES[number], version).cells if c.cell_type == "markdown"
    )


def code(number: str, version: str = "solution") -> list[str]:
    return [c.source for c in notebook(SOURCES[number], version).cells if c.cell_type == "code"]


def test_the_sequence_is_complete():
    assert list(SOURCES) == list(MINUTES)


@each
def test_it_begins_with_objectives_needs_and_time(number):
    first = notebook(SOURCES[number], "student").cells[0].source
    assert first.startswith(f"# {number} · ")
    assert (
        first.index("**What you will learn**") < first.index("**What you need:**") < first.index("**Time:**")
    )
    assert re.search(rf"\*\*Time:\*\* {MINUTES[number]} minutes; ", first)
    assert len(re.findall(r"^- ", first, flags=re.M)) >= 2


@each
def test_predictions_come_before_what_they_predict(number):
    cells = notebook(SOURCES[number], "student").cells
    asked = [i for i, c in enumerate(cells) if "**Predict.**" in c.source]
    assert len(asked) >= 2
    for i in asked:
        assert cells[i].source.rpartition("**Predict.**")[2].count("\n\n") <= 1  # the last thing said
        assert cells[i + 1].cell_type == "code"


@each
def test_there_are_things_to_try(number):
    assert prose(number).count("**Try it.**") >= 3


@each
def test_what_there_is_to_try_is_answered_in_the_solutions(number):
    tried = [
        p for p in prose(number, "solution").split("\n\n") if p.startswith(("**Try it.**", "**Answer.**"))
    ]
    assert len(tried) == 2 * prose(number).count("**Try it.**")
    for question, told in zip(tried[::2], tried[1::2]):
        assert question.startswith("**Try it.**") and told.startswith("**Answer.**")
    assert "**Answer.**" not in prose(number)


@each
def test_there_is_a_question_with_choices(number):
    found = asked(prose(number))
    assert found and len(found) == prose(number).count("**Question.**")
    for question in found:
        assert len(question.choices) >= 3
        assert all(len(choice.reply) > 25 for choice in question.choices)


@each
def test_it_begins_with_something_to_be_curious_about(number):
    hook = notebook(SOURCES[number], "student").cells[0].source.partition("**What you will learn**")[0]
    assert len(hook.partition("\n\n")[2].split()) > 30


@each
def test_exercises_have_a_stub_a_solution_and_a_check(number):
    asked = re.findall(r"^### Exercise (\S+)$", prose(number), flags=re.M)
    assert asked == [key for key in every() if key.startswith(number)]
    assert len(asked) >= 2
    for version in LEFT_OUT:
        assert re.findall(r'tv\.exercises\.check\("(\S+)"', "\n".join(code(number, version))) == asked
    stubs = [c for c in notebook(SOURCES[number], "student").cells if "stub" in c.metadata.get("tags", [])]
    assert len(stubs) == len(asked)
    assert all("..." in c.source for c in stubs)


@each
def test_solutions_are_right_as_stored_and_stubs_are_not(number):
    for version, said in (("student", "no answer yet"), ("solution", "right")):
        stored = nbformat.read(target(SOURCES[number], version), as_version=4)
        told = re.findall(r"Exercise \S+: ([^.]*)\.", str([c.get("outputs") for c in stored.cells]))
        keys = [key for key in every() if key.startswith(number)]
        assert len(told) >= len(keys)
        assert all(t == said or (said != "right" and t == "not yet") for t in told)


@each
def test_it_ends_with_a_recap_and_a_way_on(number):
    end = prose(number).partition("## Recap")[2]
    questions, _, answers = end.partition("<details><summary>Answers</summary>")
    count = len(re.findall(r"^\d\. ", questions, flags=re.M))
    assert count >= 3
    assert len(re.findall(r"^\d\. ", answers, flags=re.M)) == count
    assert re.search(r"\*\*(Next|Where next):\*\* .*\]\(", answers)


@each
def test_links_lead_somewhere(number):
    for link in re.findall(r"\]\(([^)]+)\)", prose(number)):
        assert not link.startswith(("http:", "/")), link
        if not link.startswith(("https:", "#")):
            assert link.endswith(".ipynb"), link  # a copy of the notebooks has nothing but notebooks
            assert (FOLDER / link).exists(), link


@each
def test_functions_are_short_and_nothing_upsets_a_comparison(number):
    for version in LEFT_OUT:
        for cell in code(number, version):
            for node in ast.walk(ast.parse(cell)):
                if isinstance(node, (ast.FunctionDef, ast.Lambda)):
                    assert node.end_lineno - node.lineno + 1 <= 5, cell
            assert not cell.rstrip().endswith(";")
            assert "interact(" not in cell
            assert "Output(" not in cell
            assert cell.count("\n") < 16, cell


@each
def test_short_cells_have_words_before_them(number):
    """Never three code cells in a row."""
    kinds = [c.cell_type for c in notebook(SOURCES[number], "student").cells]
    assert "code code code" not in " ".join(kinds)


@each
@pytest.mark.parametrize("version", list(LEFT_OUT))
def test_notebooks_are_in_step_with_their_source(number, version):
    """Change the source, then run `python -m treant_viz.course.build`."""
    made, stored = (
        notebook(SOURCES[number], version),
        nbformat.read(target(SOURCES[number], version), as_version=4),
    )
    assert [(c.cell_type, c.source, c.id) for c in stored.cells] == [
        (c.cell_type, c.source, c.id) for c in made.cells
    ]
    assert all(c.execution_count for c in stored.cells if c.cell_type == "code")


@each
def test_stored_pictures_have_alt_text_and_no_widget_is_blank(number):
    stored = nbformat.read(target(SOURCES[number], "student"), as_version=4)
    shown = [o for c in stored.cells if c.cell_type == "code" for o in c.outputs if "data" in o]
    pictures = [o for o in shown if "image/png" in o.data]
    assert len(pictures) >= 3
    assert all(len(o.metadata["image/png"]["alt"]) > 40 for o in pictures)
    assert not [o for o in shown if any("widget" in kind for kind in o.data)]
    assert not [
        o for c in stored.cells if c.cell_type == "code" for o in c.outputs if o.get("name") == "stderr"
    ]
    assert target(SOURCES[number], "student").stat().st_size < 1_500_000
