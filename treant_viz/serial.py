"""JSON documents with a format name and a version: written plainly, read with suspicion."""

from __future__ import annotations

import hashlib
import json
import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]
_LARGEST = sys.float_info.max


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
        raise ValueError(f'{what}: expected a finite number, "inf" or "-inf", got {value!r}')
    return float(value)


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
        raise ValueError(f'{where}: expected "format": "treant_viz.{kind}", got {doc.get("format")!r}')
    _check_version(doc.get("version"), version, where)
    body = {k: v for k, v in doc.items() if k not in ("format", "version", "sha256")}
    if sealed and doc.get("sha256") != checksum(body):
        raise ValueError(f"{where}: damaged: the content does not match its sha256 checksum")
    return body


def _check_version(found: object, known: int, where: str) -> None:
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise ValueError(f'{where}: expected "version": a whole number from 1 to {known}, got {found!r}')
    if found > known:
        raise ValueError(
            f"{where}: written in format version {found}, but this treant_viz reads versions up to {known}; "
            "upgrade treant_viz to read it"
        )


def write(doc: Json, path: str | os.PathLike[str], *, indent: int | None = 1) -> None:
    """Write all or nothing: whatever goes wrong, a file that was there before stays as it was."""
    text = json.dumps(doc, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"
    target = Path(path)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(text.encode("utf-8"))
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> object:
    """The JSON value in a file; a broken file is named, with the place where it breaks."""
    try:
        return json.loads(Path(path).read_bytes().decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:  # JSONDecodeError and UnicodeDecodeError are ValueErrors
        raise ValueError(f"{path}: damaged or not JSON: {error}") from error


def _no_constant(name: str) -> float:
    raise ValueError(f'{name} is not JSON: write infinities as "inf" or "-inf"')


def field(body: Mapping[str, Any], name: str, kind: type | tuple[type, ...], where: str) -> Any:
    """body[name], checked for presence and type."""
    if name not in body:
        raise ValueError(f'{where}: "{name}" is missing')
    value = body[name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        kinds = (kind,) if isinstance(kind, type) else kind
        names = " or ".join(_KINDS.get(k, k.__name__) for k in kinds)
        raise ValueError(f'{where}: "{name}" must be {names}, got {value!r}')
    return value


_KINDS = {
    str: "text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "an object",
}  # fmt: skip
