"""The app's server: who may ask, what is answered, what is refused; nothing is left behind."""

from __future__ import annotations

import gc
import json
import socket
import threading
import time
import weakref

import numpy as np
import pytest

import treant_viz as tv
from treant_viz.live.app import api, server, session
from treant_viz.live.app.pictures import PICTURES, Picture
from treant_viz.live.app.serve import listening
from treant_viz.live.app.study import CHOICES, study_of

TOY = tv.load_toy()


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
        ("/own.js", b"// A table of one's own"),
        ("/talk.js", b"// Talking to the server"),
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
        assert shown["state"] == json.loads(json.dumps(made.shown_state))


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
