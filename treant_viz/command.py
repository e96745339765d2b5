"""What the subcommands of `treant-viz` share: how they register, and how they tell users what to put right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Register = Callable[[Any], None]
SUBCOMMANDS: list[Register] = []


class UserError(Exception):
    """Something the user can put right: told in one line, exit code 2."""


def subcommand(register: Register) -> Register:
    """Mark a function that adds a parser to the command's subparsers."""
    SUBCOMMANDS.append(register)
    return register


def check_places(*paths: str | None) -> None:
    """Files to be written later need a directory: better said before the work than after it."""
    for path in filter(None, paths):
        if not Path(path).absolute().parent.is_dir() or Path(path).is_dir():
            raise UserError(f"{path}: cannot write there: no such directory, or a directory itself")


__all__ = ["SUBCOMMANDS", "UserError", "check_places", "subcommand"]
