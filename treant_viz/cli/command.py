"""What the subcommands of `treant-viz` share: how they register, and how they report users' mistakes."""

from __future__ import annotations

import argparse
import codecs
import os
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

PLAIN = str.maketrans(
    {"─": "-", "│": "|", "├": "+", "└": "+", "≤": "<=", "≥": ">=", "·": "-", "…": "...", "’": "'"}
)
Register = Callable[[Any], None]
SUBCOMMANDS: list[Register] = []


class UserError(Exception):
    """Something the user can put right: one line on the terminal, exit code 2."""


def subcommand(register: Register) -> Register:
    """Mark a function that adds a parser to the command's subparsers."""
    SUBCOMMANDS.append(register)
    return register


def speak_plainly() -> None:
    """Terminals that lack a letter (ASCII, cp1252) print a similar one instead of a traceback."""
    codecs.register_error("treant_viz.plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # not where somebody collects what we say
            stream.reconfigure(errors="treant_viz.plain")


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    words = error.object[error.start : error.end].translate(PLAIN)
    return words.encode("ascii", "backslashreplace").decode("ascii"), error.end


def reason_of(error: OSError) -> str:
    """What went wrong with which file. (The temporary name it is first written under is left out.)"""
    why = str(error.strerror or error)
    if not error.filename:
        return why
    name = re.sub(r"\.\d+\.part$", "", os.fsdecode(error.filename))
    return f"{name}: {why}"


def hush() -> None:
    """Drop what cannot be printed (a closed pipe, a full disk): Python would complain about it at its end."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def as_typed(text: str) -> str:
    """A name in UTF-8, even where Python took the command line for ASCII and escaped the other bytes.

    >>> as_typed("gr\\udcc3\\udcb6\\udcc3\\udc9fe"), as_typed("größe")
    ('größe', 'größe')
    """
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def check_places(*paths: str | None) -> None:
    """Report a missing output directory before the work starts, not after it."""
    for path in filter(None, paths):
        folder = Path(path).absolute().parent
        if not folder.is_dir() or Path(path).is_dir():
            raise UserError(f"{path}: cannot write there: no such directory, or a directory itself")
        if Path(path).exists() and not Path(path).is_file():  # a device would be replaced by a file
            raise UserError(f"{path}: cannot write there: not a file")
        _check_access(path if Path(path).exists() else folder, path)


def make_folder(folder: Path) -> None:
    """Make the folder for later output before the work starts, not after it."""
    folder.mkdir(parents=True, exist_ok=True)
    _check_access(folder, folder)


def _check_access(where: str | Path, wanted: str | Path) -> None:
    if not os.access(where, os.W_OK):
        raise UserError(f"{wanted}: cannot write there: permission denied")


def check_apart(*paths: str | None) -> None:
    """Refuse to write over a file that is being read."""
    places = Counter(Path(path).resolve() for path in filter(None, paths))
    if twice := [path for path in filter(None, paths) if places[Path(path).resolve()] > 1]:
        raise UserError(f"{twice[0]}: given twice, but what is written needs a file of its own")


def whole(low: int) -> Callable[[str], int]:
    """A type for argparse: whole numbers from `low` on."""

    def parse(text: str) -> int:
        if not text.lstrip("-").isdigit() or int(text) < low:
            raise argparse.ArgumentTypeError(f"expected a whole number of at least {low}, got {text!r}")
        return int(text)

    return parse


__all__ = [
    "SUBCOMMANDS",
    "UserError",
    "as_typed",
    "check_apart",
    "check_places",
    "hush",
    "make_folder",
    "reason_of",
    "speak_plainly",
    "subcommand",
    "whole",
]
