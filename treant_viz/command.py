"""What the subcommands of `treant-viz` share: how they register, and how they tell users what to put right."""

from __future__ import annotations

import argparse
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


def whole(low: int) -> Callable[[str], int]:
    """A type for argparse: whole numbers from `low` on."""

    def parse(text: str) -> int:
        if not text.lstrip("-").isdigit() or int(text) < low:
            raise argparse.ArgumentTypeError(f"expected a whole number of at least {low}, got {text!r}")
        return int(text)

    return parse


__all__ = ["SUBCOMMANDS", "UserError", "check_places", "subcommand", "whole"]
