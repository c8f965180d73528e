"""Whoever talks to the page within this process: the person's browser, and what sends any bytes that it likes."""

import asyncio
import re
import time
from collections import namedtuple
from urllib.parse import urlencode

from starlette.testclient import TestClient

from ralph_mem.interfaces.page import routes, security
from tests.readers import dump

PORT = 4711
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"

Answer = namedtuple("Answer", "status headers body first")


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


class Person:
    """A person with the page open in their browser, in the project of a session."""

    def __init__(self, session):
        self.session, self.clock, self.log = session, Clock(), []
        self.keys = security.Keys(PORT, self.clock)
        self.app = routes.Page(session.project, self.keys, self.log.append).app()
        self.browser = TestClient(self.app, base_url=ORIGIN, follow_redirects=True)

    def comes_in(self):
        """Open the page by its token, as the file that was written leads to it."""
        token = {"token": self.keys.token}
        assert self.browser.get(f"{self.keys.base}/open", params=token).status_code == 200
        return self

    def sees(self, view, public_id="", status=200, where="here", **fields):
        """Look at a view; returns its HTML."""
        answer = self.browser.get(self.keys.base + "/" + "/".join([where, view, *[public_id] * bool(public_id)]), params=fields)
        assert answer.status_code == status, (answer.status_code, answer.text[-600:], self.log)
        return answer.text

    def sends(self, verb, status=200, where="here", **fields):
        """Send a form as the browser does, and follow where it leads; returns the HTML of that."""
        data = {"form": self.keys.form, **fields}
        headers = {"origin": ORIGIN, "sec-fetch-site": "same-origin"}
        answer = self.browser.post(f"{self.keys.base}/{where}/do/{verb}", data=data, headers=headers)
        assert answer.status_code == status, (answer.status_code, answer.text[-600:], self.log)
        return answer.text

    def hidden(self, html, name):
        """Return what a hidden field of a page holds."""
        return re.search(rf'name="{name}" value="([^"]*)"', html)[1]

    def receives(self, method="GET", path=None, headers=None, body=b"", query=b"", cookie=True, **changes):
        """Have any request arrive, with the person's own headers but for those that are changed; None takes one away."""
        own = {"host": HOST, "origin": ORIGIN, "sec-fetch-site": "same-origin", "content-type": security.FORM}
        own["cookie"] = f"{security.COOKIE}={self.keys.cookie}" if cookie else None
        given = [(name, value) for name, value in {**own, **(headers or {})}.items() if value is not None]
        raw = [(name.encode(), each.encode("latin-1")) for name, value in given for each in _each(value)]
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": self.keys.base + "/here/today" if path is None else path, "query_string": query, "headers": raw,
            "client": ("127.0.0.1", 5), "server": ("127.0.0.1", PORT), "root_path": "", **changes,
        }  # fmt: skip
        scope["raw_path"] = scope["path"].encode("utf-8", "replace")
        return asyncio.run(_asked(self.app, scope, body))

    def times(self, view, query=""):
        """Return the answer to a view and the processor time in ms that this process takes until its first byte."""
        began = time.process_time()
        answer = self.receives(path=f"{self.keys.base}/here/{view}", query=query.encode())
        return answer, 1000 * (answer.first - began)

    def form(self, **fields):
        """Return the body of a form of ours."""
        return urlencode({"form": self.keys.form, **fields}).encode()

    def remembers(self):
        """Return all rows of the project's memory."""
        return dump(self.session.store)


def _each(value):
    return value if isinstance(value, list) else [value]


async def _asked(app, scope, body):
    sent, first = [], []
    parts = [body[at : at + 65_536] for at in range(0, len(body), 65_536)] or [b""]

    async def receive():
        if not parts:
            await asyncio.Event().wait()  # the browser stays until it is answered
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message):
        sent.append(message)
        if message.get("body"):
            first.append(time.process_time())

    await app(scope, receive, send)
    text = b"".join(message.get("body", b"") for message in sent)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], headers, text.decode("utf-8", "replace"), next(iter(first), time.process_time()))
