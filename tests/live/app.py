"""The app, served to tests, and files as its page sends them."""

from __future__ import annotations

import base64
import http.client
import json

import pandas as pd

import treant_viz as tv


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
