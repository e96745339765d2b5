"""What a class has handed in, opened with care: folders, notebooks and .zip files, and who handed in what.

A folder below the one given is a student, and so is a .zip or a notebook that lies there by itself. A .zip of
the whole class may be given in place of a folder. Nothing is left out without a word: what cannot be graded
comes with the reason. A .zip is never trusted: its names lead nowhere outside, and what it holds is counted
as it is read.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

LARGEST_FILE, LARGEST_ZIP, MOST_FILES = 20_000_000, 100_000_000, 500  # bytes, bytes, files of one .zip
DEEPEST = 2  # a .zip of the class may hold one of each student, and no more
LEFT_ALONE = (".ipynb_checkpoints", "__MACOSX", "__pycache__")


class HandedIn(NamedTuple):
    """A notebook, or the reason why there is none."""

    student: str
    name: str
    path: Path | None
    trouble: str = ""


class Refused(Exception):  # noqa: N818
    """A .zip that is not opened, with the reason."""


def handed_in(given: Path, room: Path, ours: tuple[Path, ...] = ()) -> list[HandedIn]:
    """All that lies in a folder or a .zip; what is unpacked goes into `room`, `ours` are files of our own."""
    depth = 0
    folder = given
    if given.is_file():
        depth = 1
        folder = room / "class"
        try:
            unpack(given, folder)
        except Refused as reason:
            raise ValueError(f"{given}: {reason}") from reason
    found: list[HandedIn] = []
    own = {path.resolve() for path in ours}
    for place in sorted(folder.iterdir()):
        if _shown(place) and place.resolve() not in own:
            student = place.stem if place.is_file() else place.name
            mine = list(_of(place, place.parent, student, room, depth))
            found += mine or [HandedIn(student, place.name, None, "handed in nothing: an empty folder")]
    return found


def _shown(place: Path) -> bool:
    return not place.name.startswith(".") and place.name not in LEFT_ALONE


def _of(place: Path, top: Path, student: str, room: Path, depth: int) -> Iterator[HandedIn]:
    """The notebooks in a folder of a student, or in a .zip; files beside them count only if there is none."""
    found: list[HandedIn] = []
    others: list[HandedIn] = []
    for path in [place] if place.is_file() or place.is_symlink() else sorted(place.rglob("*")):
        name = path.relative_to(top).as_posix()
        if not all(map(_shown, (Path(part) for part in Path(name).parts))):
            continue
        if path.is_symlink():
            found.append(HandedIn(student, name, None, "a link: it is not followed"))
        elif path.is_dir():
            continue
        elif path.suffix.lower() == ".zip":
            found += _opened(path, name, student, room, depth + 1)
        elif path.suffix.lower() == ".ipynb":
            found.append(HandedIn(student, _short(name, student), path))
        else:
            others.append(
                HandedIn(student, name, None, f"no notebook: a file {path.suffix or 'without a kind'}")
            )
    yield from found or others


def _short(name: str, student: str) -> str:
    return name.removeprefix(f"{student}/")


def _opened(path: Path, name: str, student: str, room: Path, depth: int) -> Iterator[HandedIn]:
    if depth > DEEPEST:
        yield HandedIn(student, name, None, "a .zip inside a .zip: not opened")
        return
    target = room / f"zip{len(list(room.iterdir()))}"
    try:
        unpack(path, target)
    except Refused as reason:
        yield HandedIn(student, name, None, f".zip not opened: {reason}")
        return
    inside = list(_of(target, target, student, room, depth))
    yield from inside or [HandedIn(student, name, None, "handed in nothing: an empty .zip")]


def unpack(path: Path, target: Path) -> None:
    """Write the files of a .zip below a new folder, within limits; all or nothing."""
    try:
        with zipfile.ZipFile(path) as packed:
            members = [m for m in packed.infolist() if not m.is_dir()]
            if len(members) > MOST_FILES:
                raise Refused(f"more than {MOST_FILES} files")
            target.mkdir(parents=True)
            left = LARGEST_ZIP
            for member in members:
                left = _written(packed, member, target, left)
    except Refused:
        shutil.rmtree(target, ignore_errors=True)
        raise
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        shutil.rmtree(target, ignore_errors=True)
        raise Refused(f"it is damaged, or has a password ({type(error).__name__})") from error


def _written(packed: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, left: int) -> int:
    """Write one file; what it claims about its size is not believed. Returns the bytes that are left."""
    name = PurePosixPath(member.filename.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts or ":" in member.filename:
        raise Refused(f"a name that leads outside: {member.filename[:80]!r}")
    if (member.external_attr >> 16) & 0o170000 == 0o120000:
        raise Refused(f"a link: {member.filename[:80]!r}")
    place = target / name
    place.parent.mkdir(parents=True, exist_ok=True)
    with packed.open(member) as source, place.open("xb") as out:
        size = 0
        while block := source.read(65536):
            size += len(block)
            if size > min(LARGEST_FILE, left):
                raise Refused(f"larger than {LARGEST_FILE:,} bytes a file or {LARGEST_ZIP:,} in all")
            out.write(block)
    return left - size


__all__ = ["HandedIn", "Refused", "handed_in", "unpack"]
