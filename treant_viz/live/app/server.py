"""Who may ask the server: this machine, pages that it served itself, and only with the printed token.

Another site in the same browser can send requests here, but it does not know the token, its `Origin` is not
ours, and a name that it makes point to this machine is not in the list of hosts.
"""

from __future__ import annotations

import json
import secrets
import sys
import traceback
from collections.abc import Callable
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from treant_viz.live.app.api import Api
from treant_viz.live.app.session import GoneError
from treant_viz.live.app.study import RefusedError, Study
from treant_viz.live.page import BUNDLE
from treant_viz.viz.style.typeface import font_face

HOST = "127.0.0.1"
LARGEST = 40_000_000  # bytes of a question, files included
PATIENCE = 30.0  # seconds for a request to arrive
WEB = Path(__file__).with_name("web")
FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    **{f"/{path.name}": (path.read_bytes, "text/javascript") for path in sorted(WEB.glob("*.js"))},
    "/app.css": ((WEB / "app.css").read_bytes, "text/css"),
    "/bundle.js": (BUNDLE.read_bytes, "text/javascript"),
    "/letters.css": (lambda: font_face().encode(), "text/css"),
}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
        "img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
NO_TOKEN = (
    "This page is only for those who have its whole address: open the one that the command has printed."
)


class AppServer(ThreadingHTTPServer):
    """Listens from the moment it is made; each request gets its own thread."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, port: int, first: Study) -> None:
        super().__init__((HOST, port), Handler)
        self.api, self.token = Api(first), secrets.token_hex(24)

    @property
    def hosts(self) -> tuple[str, str]:
        return f"{HOST}:{self.server_port}", f"localhost:{self.server_port}"

    @property
    def address(self) -> str:
        """What the user opens."""
        return f"http://{self.hosts[0]}/?token={self.token}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that hangs up is no fault; all else is shown."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """GET for the page and its code, POST for questions."""

    server: AppServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "treant-viz", ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if not self._from_here():
            self._refuse(
                HTTPStatus.MISDIRECTED_REQUEST, f"expected the host {' or '.join(self.server.hosts)}"
            )
        elif path in FILES:
            read, kind = FILES[path]
            self._send(HTTPStatus.OK, read(), kind)
        elif path != "/":
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here")
        elif not self._knows_the_token():
            self._refuse(HTTPStatus.FORBIDDEN, NO_TOKEN)
        else:
            cookie = f"{self._cookie}={self.server.token}; HttpOnly; SameSite=Strict; Path=/"
            self._send(HTTPStatus.OK, (WEB / "index.html").read_bytes(), "text/html", {"Set-Cookie": cookie})

    def do_POST(self) -> None:
        self.close_connection = True  # unless all of the question has been read
        if not self._from_here() or self.headers.get("Origin") not in [
            f"http://{h}" for h in self.server.hosts
        ]:
            self._refuse(HTTPStatus.FORBIDDEN, "only pages of this server may ask")
        elif not self._knows_the_token():
            self._refuse(HTTPStatus.FORBIDDEN, NO_TOKEN)
        elif self.headers.get("Content-Type", "").split(";")[0] != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected JSON")
        elif not (length := self.headers.get("Content-Length", "")).isdecimal():
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "expected a length")
        elif int(length) > LARGEST:
            self._refuse(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"expected at most {LARGEST:,} bytes, got {int(length):,}",
            )
        else:
            content = self.rfile.read(int(length))
            self.close_connection = self.headers.get("Connection", "").lower() == "close"
            self._reply(content)

    def _reply(self, content: bytes) -> None:
        """The answer, or an error message; our own faults are printed on the terminal as well."""
        status, answer = HTTPStatus.OK, {}
        try:
            question = urlsplit(self.path).path.removeprefix("/api/")
            body = json.loads(content)
            if not isinstance(body, dict):
                raise ValueError(f"question: expected an object, got {type(body).__name__}")
            answer = self.server.api.answer(question, body)
        except GoneError:
            status, answer = (
                HTTPStatus.GONE,
                {"error": "this page was idle for long and has to be opened anew"},
            )
        except RefusedError as error:
            status, answer = HTTPStatus.BAD_REQUEST, {"error": str(error), "entries": error.entries}
        except (ValueError, TypeError, RecursionError) as error:
            status, answer = HTTPStatus.BAD_REQUEST, {"error": str(error)}
        except Exception as error:
            traceback.print_exc()
            words = f"a fault of this program (the terminal has more): {type(error).__name__}: {error}"
            status, answer = HTTPStatus.INTERNAL_SERVER_ERROR, {"error": words}
        self._send(
            status, json.dumps(answer, ensure_ascii=False, allow_nan=False).encode(), "application/json"
        )

    # who asks

    def _from_here(self) -> bool:
        return self.headers.get("Host") in self.server.hosts

    @property
    def _cookie(self) -> str:
        return f"treant-viz-{self.server.server_port}"

    def _knows_the_token(self) -> bool:
        """In the address, as it is opened first, or in the cookie that was set then."""
        given = parse_qs(urlsplit(self.path).query).get("token", [])
        try:
            kept = SimpleCookie(self.headers.get("Cookie", "")).get(self._cookie)
        except CookieError:
            kept = None
        given += [kept.value] if kept is not None else []
        return any(secrets.compare_digest(t.encode(), self.server.token.encode()) for t in given)

    # what is sent

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True
        self._send(status, f"{why}\n".encode(), "text/plain")

    def _send(
        self, status: HTTPStatus, content: bytes, kind: str, more: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        content_is = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(content))}
        for name, value in (HEADERS | content_is | (more or {})).items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: the terminal belongs to the user."""


__all__ = ["HOST", "AppServer"]
