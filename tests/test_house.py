"""The house keeps its shape: one name for one thing, short functions, short files, no retired words."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "treant_viz"
FOLDERS = ("treant_viz", "tests")
LONGEST_FUNCTION, LONGEST_FILE, AT_THE_ROOT = 40, 350, 4

# Retired words: some may not be written at all; some are plain English, but name nothing in the package.
NEVER = re.compile(r"(?i)(?<![a-z])(kids?|purses?|crumbs?|boundattacker|left_by_nature|home_left)(?![a-z])")
NO_PART_OF_A_NAME = {"telling", "said", "nobody"}
NO_NAME = {"how", "ink"}
PALETTE = "treant_viz/viz/style/palette.py"  # its `ink` is a colour: to all others an attribute
NO_CLASS = {"Way", "Held", "Stand", "Case"}
LISTS = ("tests/test_house.py", "tests/course/notebooks/test_words.py")


def files(*endings: str) -> list[Path]:
    """All sources of these kinds in the package and the tests, but for the bundle and what npm brings."""
    found = [p for folder in FOLDERS for end in endings for p in sorted((ROOT / folder).rglob(f"*{end}"))]
    return [p for p in found if "node_modules" not in p.parts and p.name != "bundle.js"]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


MODULES = {name_of(p): ast.parse(p.read_text("utf-8")) for p in files(".py")}
PACKAGED = {name: tree for name, tree in MODULES.items() if name.startswith("treant_viz/")}
OURS = {name_of(p): p.read_text("utf-8") for p in files(".py", ".js", ".mjs")}


def test_there_is_something_to_look_at():
    assert len(PACKAGED) > 100 and len(MODULES) > 300
    assert sum(name.endswith(".js") for name in OURS) > 50


def test_a_class_name_exists_once():
    at = [
        (n.name, file)
        for file, tree in PACKAGED.items()
        for n in ast.walk(tree)
        if isinstance(n, ast.ClassDef)
    ]
    often = {name for name, times in Counter(name for name, _ in at).items() if times > 1}
    assert sorted((name, file) for name, file in at if name in often | NO_CLASS) == []


def test_functions_are_short():
    long = [
        (file, n.name, n.end_lineno - n.lineno + 1)
        for file, tree in PACKAGED.items()
        for n in ast.walk(tree)
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
        and n.end_lineno - n.lineno + 1 > LONGEST_FUNCTION
    ]
    assert long == []


def test_files_are_short():
    lines = {name: text.count("\n") for name, text in OURS.items()}
    assert {name: n for name, n in lines.items() if n > LONGEST_FILE} == {}


def test_the_packages_root_holds_few_modules():
    assert len(list(PACKAGE.glob("*.py"))) <= AT_THE_ROOT


def names(source: str) -> set[str]:
    """All names in a Python source, and those in the braces of f-strings; an attribute keeps its dot."""
    found, before = set(), ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            found.add(before + token.string if before == "." else token.string)
        elif token.type == tokenize.STRING and "f" in token.string[:2].lower():
            for braces in re.findall(r"{([^{}]*)}", token.string):
                found |= set(re.findall(r"\.?[A-Za-z_]\w*", re.sub(r"'[^']*'|\"[^\"]*\"", "", braces)))
        before = token.string
    return found


def retired(name: str) -> bool:
    return name in NO_NAME or bool(NO_PART_OF_A_NAME & set(name.strip("._").lower().split("_")))


def test_retired_words_are_told_from_plain_english():
    assert [w for w in ("kid", "kids", "a_purse", "Crumb", "home_left") if not NEVER.search(w)] == []
    assert [w for w in ("skid", "kidney", "crumble", "pursed") if NEVER.search(w)] == []
    assert [n for n in ("said", "x_said", "_telling", ".said", "how", "ink") if not retired(n)] == []
    assert [n for n in ("how_many", ".ink", "coin_ink", "unsaid") if retired(n)] == []
    assert names("f\"{a.said} {said + 'how'} telling\" # kid") == {".said", "a", "said"}


def test_retired_words_are_gone():
    wrong = {name: NEVER.findall(text) for name, text in OURS.items() if name not in LISTS}
    assert {name: words for name, words in wrong.items() if words} == {}


def test_retired_words_name_nothing():
    some = re.compile("|".join(NO_NAME | NO_PART_OF_A_NAME))  # most files need no closer look
    wrong = {file: sorted(filter(retired, names(OURS[file]))) for file in PACKAGED if some.search(OURS[file])}
    assert {file: found for file, found in wrong.items() if found} == {PALETTE: ["ink"]}
