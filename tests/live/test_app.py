"""The app's server: who may ask, what is answered, what is refused; nothing is left behind."""

from __future__ import annotations

import base64
import gc
import http.client
import json
import socket
import threading
import time
import weakref

import numpy as np
import pandas as pd
import pytest

import treant_viz as tv
from treant_viz.live.app import api, server, session
from treant_viz.live.app.pictures import PICTURES, Picture
from treant_viz.live.app.serve import listening
from treant_viz.live.app.study import CHOICES, File, RefusedError, own_study, study_of

TOY = tv.load_toy()
HOSTILE = "<script>alert(1)</script>"
PUBLISHED = {"attacks": [{"a": [{"pre": "(0, 99)", "post": 1.0, "cost": 1, "is_numerical": True}]}]}


@pytest.fixture(scope="module")
def served():
    with listening(study_of("toy"), 0) as made:
        yield made


class Browser:
    """Asks as a page of this server does, unless it is told to lie."""

    def __init__(self, served) -> None:
        self.served = served
        self.headers = {
            "Host": served.hosts[0],
            "Origin": f"http://{served.hosts[0]}",
            "Cookie": f"treant-viz-{served.server_port}={served.token}",
            "Content-Type": "application/json",
        }

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str | None):
        """Status, headers and content."""
        link = http.client.HTTPConnection("127.0.0.1", self.served.server_port, timeout=20)
        given = {k: v for k, v in (self.headers | headers).items() if v is not None}
        link.request(method, path, body, given)
        answer = link.getresponse()
        content = answer.read()
        link.close()
        return answer.status, dict(answer.getheaders()), content

    def post(self, question: str, /, **body):
        status, _, content = self.ask("POST", f"/api/{question}", json.dumps(body).encode())
        return status, json.loads(content)

    def page(self, **body):
        """A new page's name, and what it is told."""
        status, told = self.post("hello", **body)
        assert status == 200, told
        return told["session"], told


@pytest.fixture
def web(served):
    return Browser(served)


# who may ask


def test_the_printed_address_opens_the_page_and_sets_a_cookie_that_scripts_cannot_read(web):
    path = web.served.address.partition(str(web.served.server_port))[2]
    status, headers, content = web.ask("GET", path, Cookie=None, Origin=None)
    assert status == 200 and b"<title>" in content
    assert headers["Set-Cookie"] == f"{web.headers['Cookie']}; HttpOnly; SameSite=Strict; Path=/"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';")
    assert web.ask("GET", "/", Origin=None)[0] == 200  # a reload has the cookie


@pytest.mark.parametrize("token", ["", "?token=", "?token=wrong", "?token=%C3%BC", "?other=1"])
def test_without_the_token_there_is_nothing(web, token):
    for cookie in (None, "treant-viz-1=x", f"treant-viz-{web.served.server_port}=ü", "a=;;b\\"):
        status, headers, content = web.ask("GET", f"/{token}", Cookie=cookie and cookie.encode())
        assert (status, "Set-Cookie" in headers) == (403, False)
        assert b"open the one that the command has printed" in content
    assert web.ask("POST", "/api/hello", b"{}", Cookie=None)[0] == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", "", None])
def test_a_name_that_was_made_to_point_here_is_not_ours(web, host):
    if host is None:  # http.client always names a host
        with socket.create_connection(("127.0.0.1", web.served.server_port), timeout=10) as link:
            link.sendall(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            assert b" 421 " in link.recv(999)
        return
    assert web.ask("GET", "/", Host=host)[0] == 421
    assert web.ask("GET", "/app.js", Host=host)[0] == 421
    assert web.ask("POST", "/api/hello", b"{}", Host=host, Origin=f"http://{host}")[0] == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "https://127.0.0.1", "null", None])
def test_other_sites_may_not_ask(web, origin):
    assert web.ask("POST", "/api/hello", b"{}", Origin=origin)[0] == 403


def test_localhost_is_this_machine_too(web):
    name = web.served.hosts[1]
    assert name.startswith("localhost:")
    assert web.ask("POST", "/api/hello", b"{}", Host=name, Origin=f"http://{name}")[0] == 200


def test_questions_have_a_kind_a_length_and_a_limit(web, monkeypatch):
    assert web.ask("POST", "/api/hello", b"{}", **{"Content-Type": "text/plain"})[0] == 415
    assert web.ask("POST", "/api/hello", b"{}", **{"Content-Length": "many"})[0] == 411
    monkeypatch.setattr(server, "LARGEST", 100)
    status, headers, content = web.ask("POST", "/api/hello", b"{" + b" " * 100 + b"}")
    assert (status, headers["Connection"]) == (413, "close")
    assert content == b"expected at most 100 bytes, got 102\n"
    for wrong in (b"", b"[]", b"{", b"\xff", b'{"a": ' + b"[" * 50):
        status, _, content = web.ask("POST", "/api/hello", wrong)
        assert (status, set(json.loads(content))) == (400, {"error"})


@pytest.mark.parametrize("path", ["/../server.py", "/web/app.js", "/app.js/", "//etc/passwd", "/favicon.ico"])
def test_only_the_page_and_its_code_are_served(web, path):
    assert web.ask("GET", path)[0] == 404


def test_the_code_is_served_as_code(web):
    for path, start in (
        ("/app.js", b"// One page"),
        ("/app.css", b"html"),
        ("/bundle.js", b""),
        ("/letters.css", b""),
    ):
        status, headers, content = web.ask("GET", path, Origin=None, Cookie=None)
        assert status == 200 and content.startswith(start)
        assert headers["X-Content-Type-Options"] == "nosniff"
    assert web.ask("PUT", "/")[0] == 501


# what is answered


def test_a_new_page_is_told_of_its_data_and_of_the_budgets_that_matter(web):
    _, told = web.page()
    assert told["about"] == "The paper’s toy: 7 rows, 2 features. The attacker has 1 rule, budget 1."
    assert (told["choice"], told["budget"], told["budgets"]) == ("toy", 1, [0, 1, 2, 3, 4])
    assert [p["picture"] for p in told["pictures"]] == list(PICTURES)
    assert told["choices"] == list(CHOICES) == ["toy", "wine", "census", "credit"]


@pytest.mark.parametrize("data", ["toy", "wine", "census"])
def test_every_picture_of_every_data_set_is_what_python_shows(web, data):
    name, told = web.page(choice=data)
    study = study_of(data)
    for picture in PICTURES:
        status, shown = web.post("picture", session=name, picture=picture, budget=told["budget"])
        assert status == 200, shown
        made = PICTURES[picture].make(study, False)
        assert shown["picture"] == made.picture
        assert shown["facts"] == json.loads(json.dumps(made.facts()))
        assert shown["state"] == json.loads(json.dumps(made.told))


def test_the_hand_is_followed_and_new_facts_come_back(web):
    name, _ = web.page()
    _, shown = web.post("picture", session=name, picture="split", budget=1)
    status, told = web.post("state", session=name, key=shown["key"], state=shown["state"] | {"threshold": 3})
    assert (status, told["state"]["threshold"], "facts" in told) == (200, 3, False)
    other = {"feature": "1", "threshold": 1}
    _, told = web.post("state", session=name, key=shown["key"], state=shown["state"] | other)
    assert set(told["facts"]["tables"]) == {"1"}
    _, told = web.post("ask", session=name, key=shown["key"], question={"feature": "0"})
    assert set(told["facts"]["tables"]) == {"0"}
    _, again = web.post("picture", session=name, picture="split", budget=2)
    assert (again["state"]["feature"], again["state"]["budget"]) == ("1", 2)  # it stands where it was left
    _, told = web.post("code", session=name, key=again["key"])
    assert "attacker.with_budget(2.0)" in told["code"]


def test_a_state_that_cannot_be_is_put_right(web):
    name, _ = web.page()
    _, shown = web.post("picture", session=name, picture="split", budget=1)
    for wrong in ({"threshold": "x"}, {"feature": "99"}, {"budget": -1}, {"plan": None}):
        status, told = web.post("state", session=name, key=shown["key"], state=shown["state"] | wrong)
        assert (status, told["state"]) == (200, shown["state"])


def test_one_budget_for_all_pictures(web):
    name, _ = web.page()
    for budget, tests in ((1, "p"), (0, "q")):
        _, shown = web.post("picture", session=name, picture="growth", budget=budget)
        tree = tv.TreantRegressor(TOY.attacker.with_budget(budget), max_depth=4, min_samples_split=2)
        trace = tree.fit(TOY.X, TOY.y).trace_
        assert shown["facts"] == json.loads(json.dumps(tv.explore_growth(trace).facts())), tests
    for robust in (False, True):
        _, shown = web.post("picture", session=name, picture="attack", budget=2, robust=robust)
        A = TOY.attacker.with_budget(2)
        tree = tv.TreantRegressor(A if robust else None, max_depth=4, min_samples_split=2).fit(TOY.X, TOY.y)
        made = tv.explore_attack(tree, TOY.X, TOY.y, A if robust else TOY.attacker, budget=2)
        assert shown["facts"] == json.loads(json.dumps(made.facts()))
        assert shown["state"]["budget"] == 2


@pytest.mark.parametrize(
    ("question", "body", "words"),
    [
        ("dance", {}, "question: expected one of hello, data"),
        ("answer", {}, "question: expected one of"),
        ("hello", {"choice": "iris"}, "data: expected one of toy, wine, census, credit, got 'iris'"),
        ("picture", {"picture": "cubist"}, "picture: expected one of split"),
        ("picture", {"picture": ["split"]}, "picture: expected one of split"),
        ("picture", {"picture": "split", "budget": "1"}, "budget: expected a finite number of at least 0"),
        ("picture", {"picture": "split", "budget": float("inf")}, "budget: expected a finite number"),
        ("picture", {"picture": "split", "budget": -1}, "budget: expected a finite number"),
        ("picture", {"picture": "split"}, "budget: expected a finite number"),
        ("state", {"key": "split", "state": 1}, "state: expected an object, got int"),
        ("columns", {"csv": {"name": "t.csv"}}, "csv: expected a file with name and content"),
        ("columns", {"csv": {"name": "t.csv", "content": "?"}}, "csv: expected a file with name and content"),
    ],
)
def test_bad_questions_are_answered_with_words(web, question, body, words):
    name, _ = web.page()
    status, told = web.post(question, session=name, **body)
    assert status == 400
    assert words in told["error"]


def test_a_fault_of_ours_is_said_and_the_server_goes_on(web, monkeypatch, capsys):
    def broken(study, robust):
        raise AttributeError("a fault")

    monkeypatch.setitem(PICTURES, "split", Picture("Split", "", broken))
    status, told = web.post("hello")
    assert (status, told["error"]) == (
        500,
        "a fault of this program (the terminal has more): AttributeError: a fault",
    )
    assert "Traceback" in capsys.readouterr().err
    monkeypatch.undo()
    assert web.post("hello")[0] == 200


# a table of one's own


def file(name: str, text: str | bytes) -> dict[str, str]:
    content = text.encode() if isinstance(text, str) else text
    return {"name": name, "content": base64.b64encode(content).decode()}


def table(labels, column: str = "a") -> dict[str, str]:
    frame = pd.DataFrame({column: range(len(labels)), "label": labels})
    return file("t.csv", frame.to_csv(index=False))


def rules(attacker=None, column: str = "a") -> dict[str, str]:
    A = attacker or tv.Attacker([tv.Rule(column, 1, delta=(-1, 1))], 2)
    return file("r.json", A if isinstance(A, str) else json.dumps(A if isinstance(A, dict) else A.to_dict()))


OWN = {"choice": "own", "target": "label", "csv": table(["no", "yes", "yes"] * 20), "rules": rules()}


def test_a_table_of_ones_own_is_shown(web):
    name, _ = web.page()
    assert web.post("columns", session=name, csv=OWN["csv"]) == (200, {"columns": ["a", "label"]})
    status, told = web.post("data", session=name, **OWN)
    assert status == 200
    assert told["about"] == (
        "t.csv: 60 rows, target label (1 is 'yes'), 1 feature. The attacker has 1 rule, budget 2."
    )
    _, shown = web.post("picture", session=name, picture="split", budget=2)
    assert shown["facts"]["y"] == [0, 1, 1] * 20


@pytest.mark.parametrize(
    ("wrong", "entries"),
    [
        ({"csv": None}, {"csv": "choose a CSV file"}),
        ({"target": ""}, {"target": "choose the column to predict"}),
        ({"target": "z"}, {"target": "t.csv: no column 'z'; the columns are 'a', 'label'"}),
        ({"csv": file("t.csv", b"PK\x03\x04\0")}, {"csv": "t.csv: not a table: expected text in UTF-8"}),
        ({"csv": table([1, 1, 1])}, {"target": "expected two labels or numbers, got 1 different"}),
        ({"csv": table(["a", "b", "c"])}, {"target": "expected two labels or numbers, got 3 different"}),
        ({"rules": file("r.json", "{")}, {"rules": "r.json: damaged or not JSON"}),
        ({"rules": rules(column="z")}, {"rules": "is not a column"}),
        ({"rules": rules(PUBLISHED)}, {"rules": "r.json: published rules have no budget: give one"}),
        ({"budget": "abc"}, {"budget": "budget: expected a finite number of at least 0, such as 2"}),
        ({"budget": "-1"}, {"budget": "got '-1'"}),
        ({"budget": "inf"}, {"budget": "got 'inf'"}),
        (
            {"csv": None, "rules": file("r.json", "["), "budget": "nan"},
            {"csv": "choose", "rules": "damaged", "budget": "got 'nan'"},
        ),
        (
            {"target": "z", "rules": file("r.json", "["), "budget": "1 000"},
            {"target": "no column", "rules": "damaged", "budget": "got '1 000'"},
        ),
    ],
)
def test_all_that_is_wrong_is_said_at_once_and_nothing_changes(web, wrong, entries):
    name, _ = web.page()
    _, before = web.post("picture", session=name, picture="split", budget=1)
    status, told = web.post("data", session=name, **OWN | wrong)
    assert status == 400
    assert set(told["entries"]) == set(entries)
    assert all(words in told["entries"][entry] for entry, words in entries.items()), told
    assert web.post("picture", session=name, picture="split", budget=1)[1] == before


def test_published_rules_take_their_budget_from_the_field(web):
    name, _ = web.page()
    status, told = web.post("data", session=name, **OWN | {"rules": rules(PUBLISHED), "budget": " 3 "})
    assert (status, told["budget"]) == (200, 3)


def test_without_rules_nobody_attacks(web):
    name, _ = web.page()
    status, told = web.post("data", session=name, **OWN | {"rules": None, "budget": ""})
    assert (status, told["budgets"]) == (200, [0])
    assert "The attacker has 0 rules, budget 0." in told["about"]
    fitting = [p["picture"] for p in told["pictures"]]
    assert fitting == [p for p in PICTURES if p != "space"]  # a single feature makes no plane
    for picture in fitting:
        assert web.post("picture", session=name, picture=picture, budget=0)[0] == 200


def test_numbers_stay_numbers_and_two_labels_of_any_kind_become_0_and_1():
    def made(labels):
        frame = pd.DataFrame({"a": range(len(labels)), "label": labels})
        return own_study(File("t.csv", frame.to_csv(index=False).encode()), "label", None)

    assert made([0.5, 1.5, 2.5, 9.0]).y.tolist() == [0.5, 1.5, 2.5, 9.0]
    assert made([True, False] * 10).y.tolist() == [1, 0] * 10
    assert made(["b", "a", "b"]).y.tolist() == [1, 0, 1]
    with pytest.raises(RefusedError, match="not a table"):
        own_study(File("t.csv", b"a,b\n1\n"), "a", None)


def test_hostile_names_stay_words(web):
    name, _ = web.page()
    given = OWN | {"csv": table([0, 1] * 20, HOSTILE), "rules": rules(column=HOSTILE)}
    status, headers, _ = web.ask("POST", "/api/data", json.dumps({"session": name} | given).encode())
    assert (status, headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    _, shown = web.post("picture", session=name, picture="split", budget=2)
    assert shown["facts"]["features"][0]["name"] == HOSTILE


def test_an_attacker_that_was_built_serves_all_pictures(web):
    A = tv.Attacker([tv.Rule("p", 0.5, delta=(-1, 1)), tv.Rule("q", 2, delta=(-1, 0))], 2)
    name, _ = web.page()
    status, told = web.post("data", session=name, attacker=A.to_dict())
    assert (status, told["choice"], told["budget"]) == (200, "toy", 2)
    assert told["about"] == "The paper’s toy: 7 rows, 2 features. The attacker has 2 rules, budget 2."
    _, shown = web.post("picture", session=name, picture="attack", budget=2)
    tree = tv.TreantRegressor(None, max_depth=4, min_samples_split=2).fit(TOY.X, TOY.y)
    assert shown["facts"] == json.loads(json.dumps(tv.explore_attack(tree, TOY.X, TOY.y, A).facts()))
    assert web.post("attacker", session=name, key=shown["key"]) == (200, {"attacker": A.to_dict()})
    for wrong, words in (
        (A.with_budget(np.inf).to_dict(), "budget: expected a finite number"),
        (tv.Attacker([tv.Rule("z", 1, delta=(0, 1))], 1).to_dict(), "is not a column"),
        ({"format": "x"}, 'attacker: expected "format"'),
    ):
        status, refused = web.post("data", session=name, attacker=wrong)
        assert status == 400 and words in refused["error"]
    _, shown = web.post("picture", session=name, picture="growth", budget=2)
    status, refused = web.post("attacker", session=name, key=shown["key"])
    assert (status, "in which an attacker is built, got 'growth'" in refused["error"]) == (400, True)


# nothing is left behind, nobody waits for others


def test_pages_that_are_gone_leave_no_memory_behind(web):
    names, kept = [], []
    for _ in range(14):
        name, _ = web.page(choice="toy")
        names.append(name)
        kept.append(weakref.ref(web.served.api.sessions.get(name)))
    assert len(web.served.api.sessions) <= session.PAGES
    assert [web.post("code", session=n, key="split")[0] for n in names[:6]] == [410] * 6
    for name in names:
        assert web.post("bye", session=name) == (200, {})
    gc.collect()
    assert [ref() for ref in kept] == [None] * 14
    assert web.post("bye", session="nobody") == (200, {})


def test_an_idle_page_is_forgotten_when_another_opens(monkeypatch):
    sessions = session.Sessions()
    old = sessions.add(session.Session(study_of("toy")))
    later = time.monotonic() + session.IDLE + 1
    monkeypatch.setattr(time, "monotonic", lambda: later)
    new = sessions.add(session.Session(study_of("toy")))
    assert sessions.get(new)
    with pytest.raises(session.GoneError):
        sessions.get(old)


def test_a_page_keeps_few_explorers():
    page = session.Session(study_of("toy"))
    first, _ = page.open("growth", 0.25, False)
    for k in range(session.KEPT):
        page.open("growth", float(k), False)
    assert len(page._made) == session.KEPT
    with pytest.raises(session.GoneError):
        page.explorer(first)


def test_a_long_fit_holds_up_nobody_else(web, monkeypatch):
    held, go_on = threading.Event(), threading.Event()

    def slow(study, robust):
        held.set()
        assert go_on.wait(20)
        return tv.explore_growth(study.robust_tree)

    one, two = web.page()[0], web.page()[0]
    monkeypatch.setitem(PICTURES, "growth", PICTURES["growth"]._replace(make=slow))
    answers = []
    ask = {"session": one, "picture": "growth", "budget": 1}
    waiting = threading.Thread(target=lambda: answers.append(web.post("picture", **ask)))
    waiting.start()
    assert held.wait(20)
    assert web.post("picture", session=two, picture="split", budget=1)[0] == 200
    assert answers == []
    go_on.set()
    waiting.join(20)
    assert answers[0][0] == 200


def test_two_questions_of_one_page_wait_for_each_other(web):
    name, _ = web.page()
    _, shown = web.post("picture", session=name, picture="split", budget=1)
    states = [shown["state"] | {"threshold": int(t)} for t in np.random.default_rng(0).integers(-8, 7, 20)]
    answers = []

    def ask(state):
        answers.append((state, web.post("state", session=name, key=shown["key"], state=state)))

    threads = [threading.Thread(target=ask, args=(s,)) for s in states]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(answers) == 20
    assert all(status == 200 and told["state"] == state for state, (status, told) in answers)


def test_a_visitor_who_says_nothing_is_sent_away(monkeypatch):
    monkeypatch.setattr(server.Handler, "timeout", 0.2)
    with (
        listening(study_of("toy"), 0) as made,
        socket.create_connection(("127.0.0.1", made.server_port), timeout=10) as link,
    ):
        link.sendall(b"GET / HTTP/1.1\r\nHost:")
        assert link.recv(99) == b""


def test_only_this_machine_is_listened_to(served):
    assert served.server_address[0] == "127.0.0.1"
    assert len(served.token) >= 32
    assert tuple(q for q in vars(api.Api) if not q.startswith("_") and q != "answer") == api.QUESTIONS
