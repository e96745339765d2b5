"""Submissions that look alike: a reason to ask, and never a proof.

Compared are a student's own words (below "Why?") and own code: the cells that differ from those handed out,
without comments, layout and outputs. Short answers are alike in all honest classes, so only long ones count.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from functools import cache

from treant_viz.course.grading.submission import naming, read
from treant_viz.datasets.shipped import shipped

FEWEST_WORDS, FEWEST_TOKENS = 8, 40
NEAR = 0.9  # share of words or tokens in the same order
SKIPPED = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def words_of(text: str) -> list[str]:
    """The words, without capitals and punctuation."""
    return re.findall(r"\w+", text.lower())


def tokens_of(cells: Iterable[str]) -> list[str]:
    """The code as tokens, without comments and layout; names count, since renaming changes them all."""
    found: list[str] = []
    for cell in cells:
        try:
            ast.parse(cell)
            tokens = tokenize.generate_tokens(io.StringIO(cell).readline)
            found += [token.string for token in tokens if token.type not in SKIPPED]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            found += cell.split()
    return found


def pairs_alike(given: Mapping[str, list[str]], fewest: int) -> list[tuple[str, str, str]]:
    """Pairs of students with equal or nearly equal lists, each with the word for it."""
    long = [(name, words) for name, words in sorted(given.items()) if len(words) >= fewest]
    found = []
    for i, (a, first) in enumerate(long):
        for b, second in long[i + 1 :]:
            if first == second:
                found.append((a, b, "the same"))
            elif _near(first, second):
                found.append((a, b, "nearly the same"))
    return found


def _near(a: list[str], b: list[str]) -> bool:
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return matcher.real_quick_ratio() >= NEAR and matcher.quick_ratio() >= NEAR and matcher.ratio() >= NEAR


def alike_in(
    given: Mapping[str, Mapping[str, tuple[str, list[str]]]], answered: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], list[str]]:
    """By student and exercise: whose words, code or whole file are alike.

    `given` has each student's words and cells for an exercise, `answered` the digests of files with answers.
    """
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    handed = _handed_out()
    owners: dict[str, set[str]] = defaultdict(set)
    for student, digest in answered:
        owners[digest].add(student)
    same_file = {s: sorted(group - {s}) for group in owners.values() for s in group if len(group) > 1}
    for key, by_student in given.items():
        for student in set(by_student) & set(same_file):
            found[student, key].append(f"the same file as {', '.join(same_file[student])}")
        words = {student: words_of(told) for student, (told, _) in by_student.items()}
        code = {
            student: tokens_of(c for c in cells if c not in handed and naming([c], key))
            for student, (_, cells) in by_student.items()
        }
        for what, lists, fewest in (("words", words, FEWEST_WORDS), ("code", code, FEWEST_TOKENS)):
            for a, b, nearly in pairs_alike(lists, fewest):
                found[a, key].append(f"{nearly} {what} as {b}")
                found[b, key].append(f"{nearly} {what} as {a}")
    return found


@cache
def _handed_out() -> frozenset[str]:
    """The cells of the notebooks as students get them."""
    paths = shipped("notebooks").glob("[0-9][0-9]_*.ipynb")
    return frozenset(cell for path in paths for cell in read(path).cells)


__all__ = ["FEWEST_TOKENS", "FEWEST_WORDS", "alike_in", "pairs_alike", "tokens_of", "words_of"]
