"""JSON documents with a format name and a version: written plainly, read with suspicion."""

from __future__ import annotations

import hashlib
import json
import math
import os
import reprlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Json = dict[str, Any]
DEEPEST = 250  # lists and objects inside each other; a tree of 200 levels needs 203
_LARGEST = sys.float_info.max
_PLACE, _REASON = 160, 300  # letters of a message: where, and why
_FAULTS, _FAULT = 8, 110  # of a file with many: how many are named, and in how many letters
_GLANCE = reprlib.Repr()
_GLANCE.maxlevel = 3
_GLANCE.maxstring = _GLANCE.maxother = _GLANCE.maxlong = 60


def short(text: str, most: int = _REASON) -> str:
    """The text, or its beginning and its end: what a message quotes may be a whole file.

    >>> short("abcdefghijklmnopqrstuvwxyz", 11)
    'abcd...wxyz'
    """
    keep = (most - 3) // 2
    return text if len(text) <= most else f"{text[:keep]}...{text[-keep:]}"


def shown(value: object) -> str:
    """How a message quotes a value, however large it is.

    >>> shown("inf"), shown([1] * 1000), shown(10**400)[:8]
    ("'inf'", '[1, 1, 1, 1, 1, 1, ...]', '10000000')
    """
    try:
        return short(_GLANCE.repr(value), 100)
    except ValueError:  # Python writes no whole numbers of thousands of digits
        return f"a value of type {type(value).__name__}"


class FaultsError(ValueError):
    """Everything that is wrong, in one message: the first few by name, and how many more.

    >>> print(FaultsError(["rule 0: no cost", "rule 3: no feature"], "a.json"))
    a.json: 2 faults: rule 0: no cost; rule 3: no feature
    """

    def __init__(self, faults: Sequence[str], where: str = "") -> None:
        self.faults, self.where = tuple(faults), where
        more = [f"and {len(faults) - _FAULTS} more"] if len(faults) > _FAULTS else []
        told = [short(fault, _FAULT) for fault in faults[:_FAULTS]] + more
        text = short(faults[0]) if len(faults) == 1 else f"{len(faults)} faults: {'; '.join(told)}"
        super().__init__(f"{where}: {text}" if where else text)

    @property
    def placed(self) -> list[str]:
        """Each with its place."""
        return [f"{self.where}: {fault}" if self.where else fault for fault in self.faults]


def each(readers: Iterable[Callable[[], Any]]) -> list[Any]:
    """What all readers make; if some refuse, all that is wrong at once."""
    made: list[Any] = []
    wrong: list[str] = []
    for read in readers:
        try:
            made.append(read())
        except FaultsError as error:
            wrong.extend(error.placed)
        except (ValueError, TypeError, OverflowError) as error:
            wrong.append(short(str(error)))
    if wrong:
        raise FaultsError(wrong)
    return made


@contextmanager
def reading(where: str, also: str = "") -> Iterator[None]:
    """Whatever is refused inside is refused in one short message that says where."""
    try:
        yield
    except FaultsError as error:
        faults = [f.removeprefix(f"{where}: ") for f in error.placed]
        raise FaultsError(faults, f"{short(where, _PLACE)}: {also}".removesuffix(": ")) from error
    except (ValueError, TypeError, OverflowError) as error:
        place = short(where, _PLACE)
        reason = str(error).removeprefix(f"{where}: ").removeprefix(f"{place}: ").removeprefix(also)
        raise ValueError(f"{place}: {also}{short(reason)}") from error


def number_out(x: float) -> float | str:
    """JSON has no infinity: it is written as "inf" or "-inf".

    >>> number_out(float("inf")), number_out(1.5)
    ('inf', 1.5)
    """
    x = float(x)
    return x if math.isfinite(x) else str(x)


def number_in(value: object, what: str) -> float:
    """A finite number, or one of "inf" and "-inf"; anything else is refused."""
    if value in ("inf", "-inf"):
        return float(str(value))
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -_LARGEST <= value <= _LARGEST:
        raise ValueError(f'{what}: expected a finite number, "inf" or "-inf", got {shown(value)}')
    return float(value)


def finite_in(value: object, what: str, low: float = -_LARGEST, high: float = _LARGEST) -> float:
    """A finite number between two others."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        span = "" if (low, high) == (-_LARGEST, _LARGEST) else f" from {low:.6g} to {high:.6g}"
        raise ValueError(f"{what}: expected a finite number{span}, got {shown(value)}")
    return float(value)


def whole_in(value: object, what: str, low: int, high: int) -> int:
    """A whole number between two others."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{what}: expected a whole number from {low} to {high}, got {shown(value)}")
    return value


def document(kind: str, version: int, body: Mapping[str, Any], *, sealed: bool = False) -> Json:
    """The body under its format name and version; sealed ones carry a checksum of the body."""
    head: Json = {"format": f"treant_viz.{kind}", "version": version}
    if sealed:
        head["sha256"] = checksum(body)
    return head | dict(body)


def checksum(body: Mapping[str, Any]) -> str:
    text = json.dumps(dict(body), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def open_document(doc: object, kind: str, version: int, where: str, *, sealed: bool = False) -> Json:
    """The body of a document, or a ValueError that says what is wrong with it."""
    if not isinstance(doc, dict):
        raise ValueError(f"{where}: expected a JSON object, got {type(doc).__name__}")
    if doc.get("format") != f"treant_viz.{kind}":
        raise ValueError(f'{where}: expected "format": "treant_viz.{kind}", got {shown(doc.get("format"))}')
    _check_version(doc.get("version"), version, where)
    _check_nesting(doc, where)
    body = {k: v for k, v in doc.items() if k not in ("format", "version", "sha256")}
    if sealed and doc.get("sha256") != checksum(body):
        raise ValueError(f"{where}: damaged: the content does not match its sha256 checksum")
    return body


def _check_version(found: object, known: int, where: str) -> None:
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise ValueError(f'{where}: expected "version": a whole number from 1 to {known}, got {shown(found)}')
    if found > known:
        raise ValueError(
            f"{where}: written in format version {shown(found)}, but this treant_viz reads versions up to "
            f"{known}; upgrade treant_viz to read it"
        )


def _check_nesting(doc: Json, where: str) -> None:
    """Level by level: a document that is nested too deeply would exhaust the code that walks through it."""
    level: list[Any] = [doc]
    for _ in range(DEEPEST):
        inside = (v for box in level for v in (box.values() if isinstance(box, dict) else box))
        level = [v for v in inside if isinstance(v, (dict, list))]
        if not level:
            return
    raise ValueError(f"{where}: damaged: lists and objects are nested more than {DEEPEST} deep")


def write(doc: Json, path: str | os.PathLike[str], *, indent: int | None = 1) -> None:
    """Write a document as JSON, all or nothing."""
    write_whole(path, json.dumps(doc, indent=indent, ensure_ascii=False, allow_nan=False) + "\n")


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write all or nothing: whatever goes wrong, a file that was there before stays as it was."""
    target = Path(path)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> object:
    """The JSON value in a file; a broken file is named, with the place where it breaks."""
    return parse(Path(path).read_bytes(), str(path))


def parse(content: bytes, where: str) -> object:
    """The JSON value in the content of a file; what other readers would take in silence is refused."""
    with reading(where, "damaged or not JSON: "):
        text = content.decode("utf-8")
        try:
            value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_distinct)
            if (
                "\\ud" in text or "\\uD" in text
            ):  # half a letter, escaped, is no text: it could not be written again
                json.dumps(value, ensure_ascii=False).encode("utf-8")
        except RecursionError:
            raise ValueError("lists and objects are nested too deeply (recursion)") from None
        return value


def _no_constant(name: str) -> float:
    raise ValueError(f'{name} is not JSON: write infinities as "inf" or "-inf"')


def _distinct(pairs: list[tuple[str, Any]]) -> Json:
    """An object; Python would take the last of several entries of the same name."""
    out = dict(pairs)
    if len(out) < len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise ValueError(f"the entry {shown(twice)} appears more than once in the same object")
    return out


def field(body: Mapping[str, Any], name: str, kind: type | tuple[type, ...], where: str) -> Any:
    """body[name], checked for presence and type."""
    if not isinstance(body, Mapping):
        raise ValueError(f"{where}: expected an object, got {shown(body)}")
    if name not in body:
        raise ValueError(f"{where}: {_quoted(name)} is missing")
    value = body[name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        kinds = (kind,) if isinstance(kind, type) else kind
        names = " or ".join(_KINDS.get(k, k.__name__) for k in kinds)
        raise ValueError(f"{where}: {_quoted(name)} must be {names}, got {shown(value)}")
    return value


def _quoted(name: str) -> str:
    return f'"{short(name, 60)}"'


_KINDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    type(None): "null",
}
