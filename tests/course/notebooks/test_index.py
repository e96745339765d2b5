"""The README's index is true: every item of the paper is in it, and all that it names exists."""

from __future__ import annotations

import pkgutil
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

import treant_viz as tv

ROOT = Path(__file__).parents[3]
PAPER = {  # what the paper numbers or names, counted in its text
    "Definition": [
        "Attacks",
        "Ternary Partitioning",
        "Robust Splitting",
        "Attack Invariance",
        "Constraints Propagation and Generation",
    ],
    "Example": ["Ternary Partitioning", "Robust Splitting", "Attack Invariance", "Enforcing Constraints"],
    "Figure": [
        "Overview",
        "The impact of the attacker on RF and GBDT",
        "Different test budgets, maximum train budget",
        "Different train budgets, maximum test budget",
    ],
    "Table": [
        "Notation Summary",
        "Main statistics of the datasets",
        "Comparison of adversarial learning techniques",
    ],
}
NUMBERED = [
    "Algorithm 1 (BuildTree)",
    "Algorithm 2 (BestSplit)",
    "Algorithm 3 (Treant)",
    "Algorithm 4 (TSplit)",
]
NUMBERED += ["Equation 1", "Equation 2", "the rewriting rule"]
ITEMS = [f'{kind} "{name}"' for kind, names in PAPER.items() for name in names] + NUMBERED


def index() -> dict[str, list[str]]:
    """By item: code, test, notebook and picture, as they are written."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("| paper | code | test | notebook | picture |")[2].partition("\n\n")[0]
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in table.strip().splitlines()[1:]]
    return {item: cells for item, *cells in rows}


def links(cell: str) -> list[tuple[str, str]]:
    """What a cell names, and where it leads."""
    found = re.findall(r"\[`?([^]`]+)`?\]\(([^)]+)\)", cell)
    assert found
    return found


def there(name: str, file: str) -> Any:
    """What a name such as `reach.reach_numbers` means, in the module that its link leads to."""
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    first, *rest = name.split(".")
    assert module.split(".")[-1] == first, f"{name} is said to be in {file}"
    return pkgutil.resolve_name(f"{module}:{'.'.join(rest)}" if rest else module)


def test_every_item_of_the_paper_is_in_the_index():
    assert [item for item in ITEMS if item not in index()] == []


@pytest.mark.parametrize("item", list(index()))
def test_a_row_of_the_index_is_true(item):
    code, test, _, picture = index()[item]
    for name, file in links(code):
        assert callable(there(name, file)) or there(name, file).__name__.startswith("treant_viz")
        assert (ROOT / file).exists()
    for name, file in links(test):
        assert (ROOT / file).name == name or f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")
    for name in re.findall(r"`([^`]+)`", picture):
        assert hasattr(tv, name[3:]) if name.startswith("tv.") else (ROOT / name).exists(), name


@pytest.mark.parametrize("item", list(index()))
def test_the_notebook_of_the_index_speaks_of_the_item_beside_a_picture(item):
    [(_, link)] = links(index()[item][2])
    book = nbformat.read(ROOT / link, as_version=4)
    words = f"> **The paper, {item}.**"
    said = [i for i, c in enumerate(book.cells) if c.cell_type == "markdown" and words in c.source]
    assert said, f"{link} does not speak of it"
    near = book.cells[max(said[0] - 4, 0) : said[0] + 5]
    assert any("image/png" in o.get("data", {}) for c in near if c.cell_type == "code" for o in c.outputs)


def test_links_in_the_readme_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"\]\(([^)#]+)[^)]*\)", text)
    assert len(found) > 20
    assert not [link for link in found if not link.startswith("https:") and not (ROOT / link).exists()]


def test_the_readme_names_every_notebook_and_its_minutes():
    from tests.course.notebooks.test_structure import MINUTES, SOURCES

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for number, source in SOURCES.items():
        assert re.search(
            rf"\[{number} · [^]]+\]\(notebooks/{source.stem}\.ipynb\) \| {MINUTES[number]} \|", text
        )


def test_the_readme_names_every_command():
    from treant_viz.cli.main import make_parser

    [commands] = [a for a in make_parser()._actions if a.dest == "command"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in commands.choices if f"treant-viz {name}" not in text] == []


def named(expression: str, known: dict[str, Any]) -> Any:
    """What an expression of the notation table names. Arguments are words: `at(path)` means the root."""
    first, *rest = re.sub(r"\([^)]*\)", lambda m: "()" if m[0] == "(path)" else "", expression).split(".")
    found = known[first]
    for part in rest:
        found = found.at("") if part == "at()" else getattr(found, part)
    return found


def test_the_notation_names_code_that_exists():
    """The last column of the table of symbols in notebook 06, asked of a real trace."""
    toy = tv.load_toy()
    trace = tv.TreantRegressor(toy.attacker, min_samples_split=2).fit(toy.X, toy.y).trace_
    known = {"tv": tv, "A": toy.attacker, "trace": trace, "step": trace.at(""), "X": toy.X, "y": toy.y}
    text = (ROOT / "notebooks/source/06_full_algorithm.md").read_text(encoding="utf-8")
    table = text.partition("| symbol | meaning | in the code |")[2].partition("\n\n")[0]
    told = re.findall(r"`([^`]+)`", table)
    assert len(told) > 12
    assert [name for name in told if named(name, known) is None] == []
