"""The table of tested versions: new rows replace their old ones, the others stay."""

from __future__ import annotations

import pytest

from tests import matrix
from tests.matrix import COUNTS, MARKS, SHOWN, Outcome, counts, write


def outcome(cell: str, passed: int) -> Outcome:
    return Outcome(cell, (f"{cell.split('-')[0]}.7", *("1.0" for _ in SHOWN)), (passed, 0, 3), True)


def test_a_row_is_replaced_and_the_others_stay(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{MARKS[0]}\n{MARKS[1]}\nafter\n")
    write([outcome("3.13-newest", 5), outcome("3.11-minimum", 6)], page)
    write([outcome("3.13-newest", 8), outcome("3.12-minimum", 7)], page)
    lines = page.read_text().splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ") and "---" not in line]
    assert rows[0][-3:] == list(COUNTS)
    assert [(r[0], r[1], r[-3]) for r in rows[1:]] == [
        ("minimum", "3.11.7", "6"), ("minimum", "3.12.7", "7"), ("newest", "3.13.7", "8")
    ]  # fmt: skip
    assert lines[0] == "before" and lines[-1] == "after"


def test_an_error_counts_as_failed():
    assert counts("1 failed, 20 passed, 3 skipped, 2 errors in 9.1s") == (20, 3, 3)


def test_a_python_that_is_not_here_fails_nothing_and_a_failed_cell_does(monkeypatch, capsys):
    monkeypatch.setattr(matrix, "find_python", lambda version: None)
    assert matrix.main(["3.12-newest"]) == 0
    assert "no Python 3.12 on this machine, passed over" in capsys.readouterr().out
    failed = Outcome("3.12-newest", ("3.12.1",) * (len(SHOWN) + 1), (5, 1, 0), ok=False)
    monkeypatch.setattr(matrix, "outcomes", lambda *asked: iter([failed]))
    assert matrix.main(["3.12-newest", "--quick"]) == 1
    with pytest.raises(SystemExit):
        matrix.main(["--quick", "--write"])
