"""An open page: its study, the explorers of its pictures, and how long it may be idle."""

from __future__ import annotations

import time
from collections import OrderedDict
from secrets import token_urlsafe
from threading import Lock, RLock
from typing import Any

from treant_viz.live.app.pictures import PICTURES
from treant_viz.live.app.study import Study

PAGES = 8  # open at the same time; of more, the one that was idle longest is forgotten
KEPT = 12  # explorers a page
IDLE = 1800.0  # seconds without a word, after which a page is forgotten (if it comes back, it opens anew)
COINS = 40  # budgets that a page offers


class GoneError(Exception):
    """A page, or a picture of it, that is not known (any more)."""


class Session:
    """One page. Whoever works with it holds its `lock`."""

    def __init__(self, study: Study) -> None:
        self.study, self.lock, self.seen = study, RLock(), time.monotonic()
        self._made: OrderedDict[str, Any] = OrderedDict()

    def budgets(self) -> list[float]:
        """The budgets at which some test on an attacked feature changes, 0 first."""
        _, split = self.open("split", self.study.attacker.budget, robust=True)
        found = {0.0, self.study.attacker.budget}
        for feature in self.study.X.columns:
            if feature in self.study.attacker.features:
                found |= {float(level.cost) for level in split.states(feature).levels}
        levels = sorted(found)
        return levels[:: -(-len(levels) // COINS)]

    def open(self, name: str, budget: float, robust: bool) -> tuple[str, Any]:
        """The explorer of a picture at a budget, and the key by which it is asked for from now on."""
        picture = PICTURES[name]
        one = picture.grown_for_one_budget(robust)
        key = f"{name}{'-robust' * (picture.either and robust)}{f'-{budget!r}' * one}"
        if key not in self._made:
            self._made[key] = picture.make(self.study.at(budget) if one else self.study, robust)
            while len(self._made) > KEPT:
                self._made.popitem(last=False)
        explorer = self.explorer(key)
        if explorer.has_trait("budget") and not one:
            explorer.budget = budget
        return key, explorer

    def explorer(self, key: str) -> Any:
        if key not in self._made:
            raise GoneError(key)
        self._made.move_to_end(key)
        return self._made[key]


class Sessions:
    """All open pages, by unguessable names."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, Session] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._open)

    def add(self, session: Session) -> str:
        name = token_urlsafe(16)
        with self._lock:
            self._open[name] = session
            now = time.monotonic()
            old = [k for k, s in self._open.items() if now - s.seen > IDLE]
            for k in [*old, *list(self._open)[:-PAGES]]:
                self._open.pop(k, None)
        return name

    def get(self, name: object) -> Session:
        with self._lock:
            if not isinstance(name, str) or name not in self._open:
                raise GoneError(name)
            session = self._open[name]
            self._open.move_to_end(name)
            session.seen = time.monotonic()
            return session

    def replace(self, name: object, session: Session) -> None:
        """The page shows something else; nothing of what it showed is kept."""
        self.get(name)
        with self._lock:
            self._open[str(name)] = session

    def drop(self, name: object) -> None:
        with self._lock:
            self._open.pop(str(name), None)


__all__ = ["PAGES", "GoneError", "Session", "Sessions"]
