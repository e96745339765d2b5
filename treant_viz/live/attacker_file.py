"""Load and save an attacker from a form: a file by name, or one uploaded. A damaged file changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ipywidgets as widgets
from traitlets import TraitError

from treant_viz.core import serial
from treant_viz.core.attacker.rules import Attacker
from treant_viz.live.entry import WIDE, note
from treant_viz.viz.style.text import for_html

REFUSED = (OSError, ValueError, TypeError, RecursionError, TraitError)


class AttackerFile:
    """Controls for files. `get` gives the attacker, `put` takes another (or raises and keeps the old)."""

    def __init__(self, get: Callable[[], Attacker], put: Callable[[Attacker], None]) -> None:
        self._get, self._put = get, put
        look: dict[str, Any] = {"layout": widgets.Layout(width="auto")}
        self.path = widgets.Text(description="rule file (JSON)", placeholder="attacker.json", style=WIDE)
        self.load = widgets.Button(description="Load from this file", **look)
        self.save = widgets.Button(description="Save to this file", **look)
        self.upload = widgets.FileUpload(accept=".json", description="Upload a rule file", icon="", **look)
        self.note = widgets.HTML()
        self.load.on_click(lambda button: self._try(self._load))
        self.save.on_click(lambda button: self._try(self._save))
        self.upload.observe(
            lambda change: self._try(self._uploaded) if change["new"] else None, names="value"
        )
        self.row = [self.path, self.load, self.save, self.upload, self.note]

    def _try(self, act: Callable[[], str]) -> None:
        """Do it and say so, or say why it cannot be done."""
        try:
            said = act()
            self.note.value = f'<span role="status">{for_html(said)}</span>'
        except REFUSED as error:
            why = (
                f"{error.filename}: {error.strerror}"
                if isinstance(error, OSError) and error.strerror
                else error
            )
            self.note.value = note(f"{why}. The attacker is as it was.")

    def _named(self) -> Path:
        if not self.path.value.strip():
            raise ValueError("rule file: give the name of a file, such as attacker.json")
        return Path(self.path.value.strip()).expanduser()

    def _load(self) -> str:
        path = self._named()
        return self._taken(Attacker.from_json(path), str(path))

    def _uploaded(self) -> str:
        [file] = self.upload.value[-1:]
        self.upload.value = ()  # so that the same file can be uploaded again
        where = str(file["name"])
        doc = serial.parse(bytes(file["content"]), where)
        return self._taken(Attacker.from_dict(doc, where), where)

    def _taken(self, attacker: Attacker, where: str) -> str:
        self._put(attacker)
        return f"Loaded {_rules(attacker)} from {where}."

    def _save(self) -> str:
        path, attacker = self._named(), self._get()
        if path.exists():
            self._check_ours(path)
        attacker.to_json(path)
        return f"Saved {_rules(attacker)} to {path}."

    def _check_ours(self, path: Path) -> None:
        """Only an attacker's file is written over."""
        try:
            Attacker.from_json(path)
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"{path}: exists and is no rule file, so it is not written over; choose another"
            ) from error


def _rules(attacker: Attacker) -> str:
    n = len(attacker.rules)
    return f"{n} rule{'s' * (n != 1)}"


__all__ = ["AttackerFile"]
