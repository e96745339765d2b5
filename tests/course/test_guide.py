"""The guide for teachers is true: sections exist, minutes add up, what is left out is not missed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.course.notebooks.test_structure import MINUTES, SOURCES
from treant_viz.course.book import title_of
from treant_viz.course.build import notebook, target
from treant_viz.course.exercises import every
from treant_viz.datasets.shipped import shipped

GUIDE = (shipped("notebooks") / "GUIDE.md").read_text(encoding="utf-8")
PLANS = {"One lecture of 45 minutes": 45, "One lecture of 90 minutes": 90, "One lab of three hours": 180}

each = pytest.mark.parametrize("number", list(SOURCES))


def part(title: str, level: str = "##") -> str:
    """What the guide says below a heading; of a notebook's heading, its number is enough."""
    heading = title_of(notebook(SOURCES[title], "student")) if title in SOURCES else title
    found = re.search(
        rf"^{level} {re.escape(heading)}\n(.*?)(?=^#{{2,{len(level)}}} |\Z)", GUIDE, re.M | re.S
    )
    assert found, title
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The rows of the first table in a text, without its head."""
    lines = re.findall(r"^\|(.*)\|$", text, flags=re.M)[2:]
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def sections(number: str) -> dict[str, list[str]]:
    """The code of each section of a notebook, as students get it."""
    found: dict[str, list[str]] = {"": []}
    for cell in notebook(SOURCES[number], "student").cells:
        if cell.cell_type == "code":
            found[list(found)[-1]].append(cell.source)
        else:
            found |= {title: [] for title in re.findall(r"^## (.+)$", cell.source, flags=re.M)}
    return found


def minutes(number: str) -> dict[str, int]:
    return {section: int(told) for section, told, *_ in rows(part(number, "###"))}


def left_out(text: str) -> list[str]:
    return re.findall(r'"([^"]+)"', text)


def names(code: str) -> Iterator[tuple[str, bool]]:
    """The names of a cell, each with whether it is given a value there."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name):
            yield node.id, isinstance(node.ctx, ast.Store)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, True
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name, True) for alias in node.names)


def missed(number: str, skipped: list[str]) -> set[str]:
    """Names that remaining cells use, and that only skipped ones give a value."""
    known, lost, wanted = set(), set(), set()
    for title, cells in sections(number).items():
        for cell in cells:
            found = list(names(cell))
            given = {name for name, stored in found if stored}
            if title in skipped:
                lost |= given - known
            else:
                wanted |= ({name for name, _ in found} - given) & lost
                known |= given
                lost -= given
    return wanted


@each
def test_every_section_has_its_minutes_and_they_add_up(number):
    told = minutes(number)
    assert list(told) == [title for title in sections(number) if title]
    assert sum(told.values()) == MINUTES[number]
    link = f"]({target(SOURCES[number], 'student').name}), {MINUTES[number]} minutes."
    assert link in part(number, "###")


@each
def test_every_notebook_has_misconceptions_questions_and_something_to_skip(number):
    text = part(number, "###")
    wrong = text.partition("**Misconceptions**")[2].partition("**To discuss**")[0]
    assert len(re.findall(r'^- \*"', wrong, flags=re.M)) >= 3
    assert text.partition("**To discuss**")[2].partition("**Skip**")[0].count("?") >= 2
    skipped = left_out(text.partition("**Skip**")[2])
    assert skipped and set(skipped) <= set(minutes(number))
    assert missed(number, skipped) == set()


def test_a_skipped_section_that_is_needed_would_be_noticed():
    assert missed("09", ["Make a point yourself"]) == {"forest", "strongest", "wine"}
    assert "their_stump" in missed("01", ["Is that what scikit-learn does?"])


def test_every_notebook_has_its_outcome():
    assert [row[0] for row in rows(part("What students can do in the end"))] == list(SOURCES)


@pytest.mark.parametrize("plan", list(PLANS))
def test_a_plan_fits_its_time(plan):
    table = rows(part(plan))
    assert sum(int(told) for told, *_ in table) == PLANS[plan]
    assert {number for _, number, _ in table} <= {"", *SOURCES}


def test_no_lecture_goes_without_robust_splitting():
    for plan in list(PLANS)[:2]:
        [(told, what)] = [(told, what) for told, number, what in rows(part(plan)) if number == "04"]
        assert int(told) >= 10, what


def lab_minutes(number: str, kept: list[str]) -> float:
    """What people need at the least: 180 words a minute, a minute for a prediction, four for an exercise."""
    words = tasks = 0
    title = ""
    for cell in notebook(SOURCES[number], "student").cells:
        parts = re.split(r"(?m)^(?=## )", cell.source) if cell.cell_type == "markdown" else []
        for text in parts:
            title = text[3:].partition("\n")[0] if text.startswith("## ") else title
            if title in kept:
                words += len(text.split())
                tasks += text.count("**Predict.**") + text.count("**Try it.**")
                tasks += 4 * text.count("### Exercise")
    return 1.3 * (words / 180 + tasks)


def test_the_lab_has_time_for_what_it_keeps_and_misses_nothing_that_it_skips():
    done = [row for row in rows(part("One lab of three hours")) if row[1]]
    assert [number for _, number, _ in done] == ["01", "02", "03", "04", "05"]
    for told, number, what in done:
        kept = left_out(what)
        assert set(kept) <= set(minutes(number)) and int(told) >= lab_minutes(number, kept), number
        assert missed(number, [title for title in sections(number) if title and title not in kept]) == set()
    assert [told for told, _, what in rows(part("One lab of three hours")) if what == "break"] == ["15"]


def test_exercises_and_commands_exist():
    from treant_viz.cli.main import make_parser

    told = re.findall(r"[Ee]xercises? ((?:\d\d\.\d(?:, | and )?)+)", GUIDE)
    told = re.findall(r"\d\d\.\d", " ".join(told))
    assert set(told) <= set(every()) and len(set(told)) > 25
    [commands] = [a for a in make_parser()._actions if a.dest == "command"]
    assert set(re.findall(r"treant-viz (\w+)", GUIDE)) <= set(commands.choices)


def test_homework_comes_after_the_notebooks_it_needs():
    """A sheet "after 01 to 03" asks for no exercise of a later notebook."""
    sheets = re.findall(r"^### Sheet \d: .*?\(after (.*?)\)\n(.*?)(?=^### )", GUIDE, flags=re.M | re.S)
    assert len(sheets) == 4
    for after, text in sheets:
        assert {key[:2] for key in re.findall(r"\b(\d\d)\.\d\b", text)} <= {
            f"{n:02}" for n in range(int(after[-2:]) + 1)
        }


def test_its_links_lead_somewhere():
    for link in re.findall(r"\]\(([^)]+)\)", GUIDE):
        assert (shipped("notebooks") / link).exists(), link


ANSWERS = (shipped("notebooks") / "ANSWERS.md").read_text(encoding="utf-8")


def sheet(number: int, text: str) -> str:
    found = re.search(rf"^##+ Sheet {number}: .*?\n(.*?)(?=^##+ |\Z)", text, re.M | re.S)
    assert found, number
    return found[1]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_every_task_of_a_sheet_has_its_points_and_its_answer(number):
    asked, answered = sheet(number, GUIDE), sheet(number, ANSWERS)
    points = [int(n) for n in re.findall(r"^\d\. \((\d+) points\)", asked, flags=re.M)]
    assert sum(points) == 20
    assert [int(n) for n in re.findall(r"^\*\*\d\.\*\* \((\d+) points", answered, flags=re.M)] == points
    keys = re.search(r"--exercises ([\d.,]+)`", asked)[1].split(",")
    assert keys == re.findall(r"^\| (\d\d\.\d) \|", answered, flags=re.M)
    assert points[0] == 3 * len(keys)
    assert all(key in asked.partition("\n1. ")[2].partition("\n2. ")[0] for key in keys)


@pytest.mark.parametrize("d", range(10))
def test_the_answers_by_hand_are_right_for_every_digit(d):
    """Against the package and against brute force."""
    import treant_viz as tv

    A = tv.Attacker([tv.Rule("p", 1, pre=(0, 5), delta=(0, 1))], 3)
    reach = [A.reachable("p", 3 + d / 10, budget=k)[-1].high for k in (1, 2, 3)]
    assert reach == pytest.approx([4 + d / 10, 5 + d / 10, 6])
    assert (reach[1] > 5.5) == (d >= 6)

    def attacked(y_l, y_r):
        sure = 2 * y_l**2 + 2 * (y_r - 4 - d) ** 2
        return sure + sum(max((y_l - y) ** 2, (y_r - y) ** 2) for y in (1, 3 + d))

    best = 1 + d / 3, 3 + 2 * d / 3
    assert attacked(*best) == pytest.approx(12 * (1 + d / 3) ** 2)
    around = [(best[0] + i / 50, best[1] + j / 50) for i in range(-60, 61) for j in range(-60, 61)]
    assert all(attacked(*pair) >= attacked(*best) - 1e-9 for pair in around)  # it is convex
    assert abs(best[1] - 1) > abs(best[0] - 1) and abs(best[0] - 3 - d) > abs(best[1] - 3 - d)
