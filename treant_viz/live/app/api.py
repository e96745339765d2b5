"""What a page may ask the server: a method per question, JSON in and out; bad ones raise ValueError."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping
from typing import Any

from treant_viz.core.attacker.rules import Attacker
from treant_viz.datasets.user_files import table_in
from treant_viz.live.app.pictures import PICTURES
from treant_viz.live.app.session import Session, Sessions
from treant_viz.live.app.study import CHOICES, OWN, File, Study, own_study, study_of

Json = dict[str, Any]
SHOWN = ("name", "about", "planned", "either", "builds")  # of a picture
QUESTIONS = ("hello", "data", "bye", "columns", "picture", "state", "ask", "attacker", "code")


class Api:
    """`first` is what a new page shows."""

    def __init__(self, first: Study) -> None:
        self.first = first
        self.sessions = Sessions()

    def answer(self, question: str, body: Mapping[str, Any]) -> Json:
        """The answer to a question by its name."""
        if question not in QUESTIONS:
            raise ValueError(f"question: expected one of {', '.join(QUESTIONS)}, got {question!r}")
        answer: Json = getattr(self, question)(body)
        return answer

    # pages

    def hello(self, body: Mapping[str, Any]) -> Json:
        """A new page: with the data asked for, or those that the command was given."""
        session = Session(self._study(body))
        about = _about(session)
        return {"session": self.sessions.add(session), **about}

    def data(self, body: Mapping[str, Any]) -> Json:
        """Other data for a page. If anything is wrong with them, it keeps those it has."""
        name, new = body.get("session"), Session(self._study(body))
        about = _about(new)
        self.sessions.replace(name, new)
        return about

    def bye(self, body: Mapping[str, Any]) -> Json:
        """The page is gone."""
        self.sessions.drop(body.get("session"))
        return {}

    def columns(self, body: Mapping[str, Any]) -> Json:
        """The columns of a table that was chosen: one of them is the target."""
        csv = _file(body, "csv")
        return {"columns": [] if csv is None else [str(c) for c in table_in(csv.content, csv.name).columns]}

    def _study(self, body: Mapping[str, Any]) -> Study:
        """The data asked for, or those the command was given; under another attacker, if there is one."""
        study = _chosen(body) if "choice" in body else self.first
        built = body.get("attacker")
        return study if built is None else study.against(Attacker.from_dict(built, "attacker"))

    # pictures

    def picture(self, body: Mapping[str, Any]) -> Json:
        """A picture at a given budget: its facts and its state."""
        session = self.sessions.get(body.get("session"))
        name, budget = body.get("picture"), body.get("budget")
        if not isinstance(name, str) or name not in PICTURES:
            raise ValueError(f"picture: expected one of {', '.join(PICTURES)}, got {name!r}")
        with session.lock:
            key, explorer = session.open(name, _budget(budget), bool(body.get("robust")))
            return {
                "key": key,
                "picture": explorer.picture,
                "facts": explorer.sent,
                "state": explorer.shown_state,
            }

    def state(self, body: Mapping[str, Any]) -> Json:
        """Take over what the user set; the answer is the present state, with new facts if there are any."""
        session, state = self.sessions.get(body.get("session")), body.get("state")
        if not isinstance(state, dict):
            raise ValueError(f"state: expected an object, got {type(state).__name__}")
        with session.lock:
            explorer = session.explorer(str(body.get("key")))
            before = explorer.sent
            explorer.hear(state)
            new = {} if explorer.sent is before else {"facts": explorer.sent}
            return {"state": explorer.shown_state, **new}

    def ask(self, body: Mapping[str, Any]) -> Json:
        """More facts that a picture asks for."""
        session, question = self.sessions.get(body.get("session")), body.get("question")
        with session.lock:
            answered: Json = session.explorer(str(body.get("key"))).answered(
                question if isinstance(question, dict) else {}
            )
            return answered

    def attacker(self, body: Mapping[str, Any]) -> Json:
        """The attacker built in a picture, to be sent with the next data."""
        session = self.sessions.get(body.get("session"))
        with session.lock:
            built = session.explorer(str(body.get("key")))
            if not isinstance(getattr(built, "attacker", None), Attacker):
                raise ValueError(
                    f"key: expected a picture in which an attacker is built, got {built.picture!r}"
                )
            return {"attacker": built.attacker.to_dict()}

    def code(self, body: Mapping[str, Any]) -> Json:
        """Python that makes the present picture."""
        session = self.sessions.get(body.get("session"))
        with session.lock:
            return {"code": session.explorer(str(body.get("key"))).code()}


def _about(session: Session) -> Json:
    """What a page has to know of its data."""
    study = session.study
    return {
        "choice": study.choice,
        "about": str(study),
        "budget": study.attacker.budget,
        "budgets": session.budgets(),
        "choices": list(CHOICES),
        "pictures": [
            {"picture": k} | {n: getattr(p, n) for n in SHOWN} for k, p in PICTURES.items() if p.fits(study)
        ],
    }


def _chosen(body: Mapping[str, Any]) -> Study:
    if body["choice"] != OWN:
        return study_of(str(body["choice"]))
    return own_study(
        _file(body, "csv"), str(body.get("target") or ""), _file(body, "rules"), body.get("budget")
    )


def _file(body: Mapping[str, Any], entry: str) -> File | None:
    """A file as the browser has read it: {"name", "content"}, the content in base 64."""
    given = body.get(entry)
    if not given:
        return None
    try:
        return File(str(given["name"])[:200], base64.b64decode(given["content"], validate=True))
    except (KeyError, TypeError, binascii.Error) as error:
        raise ValueError(f"{entry}: expected a file with name and content") from error


def _budget(given: Any) -> float:
    real = isinstance(given, (int, float)) and not isinstance(given, bool)
    if not real or not 0 <= given < math.inf:
        raise ValueError(f"budget: expected a finite number of at least 0, got {given!r}")
    return float(given)


__all__ = ["Api"]
