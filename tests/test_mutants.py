"""The list of mutants that no test can kill fits the code: a stale entry might hide a new mutant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.mutants import Mutant, _mutant, _within
from tests.mutation import ATTACKS, CORE, ROOT, equivalent


def mutants_in(scopes: set[tuple[str, str]]) -> Iterator[Mutant]:
    """Every mutant of some functions, each given by its module and its name."""
    for path in (path for glob in CORE + ATTACKS for path in ROOT.glob(glob)):
        if path.name in {module for module, _ in scopes}:
            source = path.read_text(encoding="utf-8")
            for site in _within(ast.parse(source), ""):
                if (path.name, site.scope) in scopes:
                    yield from (_mutant(path.name, source, site, text) for text in site.texts)


def test_every_equivalent_mutant_is_still_a_change_of_the_code():
    listed = equivalent()
    possible = {mutant.key for mutant in mutants_in({(module, scope) for module, scope, *_ in listed})}
    assert listed, "the list is not empty"
    assert listed - possible == set()
