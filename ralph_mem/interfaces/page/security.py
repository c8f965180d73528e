"""Decide about each request, before anything else of the page sees it, whether it is the person's."""

import hmac
import secrets
import time
from collections import deque
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = "127.0.0.1"
COOKIE = "ralph_mem_page"
OPEN = "/open"
TOKEN_S = 60.0  # a browser that is not running yet takes some seconds
BYTES = 16  # 128 bits, which nobody guesses
# Who tries keys, gets so many a minute; whoever has the right cookie is not kept out by that.
TRIES, TRIES_S = 10, 60.0
MOST_BYTES = 131_072  # of a form: the longest note has 8,000 characters, each of at most 12 bytes in a form
FORM = "application/x-www-form-urlencoded"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " frame-ancestors 'none'; base-uri 'none'"
)
# `same-origin` and not `no-referrer`, with which a form sends `Origin: null`.
HEADERS = {
    "content-security-policy": CSP, "x-content-type-options": "nosniff", "referrer-policy": "same-origin",
    "cache-control": "no-store", "x-frame-options": "DENY", "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin", "permissions-policy": "interest-cohort=(), browsing-topics=()",
}  # fmt: skip
COME_IN = (
    '<!doctype html><html lang="en"><title>ralph-mem</title><meta http-equiv="refresh" content="0;url=./"><a href="./">Open</a>'
)


class Keys:
    """What one run of the page is opened by: a path, a token that works once, a cookie, and what each form has to bring."""

    def __init__(self, port: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.host, self.clock = f"{HOST}:{port}", clock
        self.path, self.cookie, self.form = [secrets.token_hex(BYTES) for _ in range(3)]
        self.token, self.token_until = secrets.token_hex(BYTES), clock() + TOKEN_S
        self.used = clock()  # when the person asked for something last
        self.on_open: Callable[[], object] = lambda: None  # hears that the token is used
        self.tries: deque[float] = deque(maxlen=TRIES)

    @property
    def origin(self) -> str:
        """Return the origin of our own forms."""
        return f"http://{self.host}"

    @property
    def base(self) -> str:
        """Return what all addresses of this run begin with."""
        return f"/{self.path}"

    @property
    def way_in(self) -> str:
        """Return the address that works once, within a minute."""
        return f"{self.origin}{self.base}{OPEN}?token={self.token}"

    def redeem(self, token: str) -> bool:
        """Say whether a token is the one that opens, which it does no second time."""
        fits = bool(self.token) and same(token, self.token) and self.clock() < self.token_until
        if fits:
            self.token = ""
            self.tries.pop()  # which was none
            self.on_open()
        return fits

    def may_try(self) -> bool:
        """Count a try with a wrong key, and say whether that is one of those that are looked at."""
        now = self.clock()
        is_one_too_many = len(self.tries) == TRIES and now - self.tries[0] < TRIES_S
        if not is_one_too_many:
            self.tries.append(now)
        return not is_one_too_many


def same(one: str, other: str) -> bool:
    """Compare two keys in a time that does not tell how far they agree."""
    return hmac.compare_digest(one.encode("utf-8", "surrogateescape"), other.encode("utf-8", "surrogateescape"))


class Guard:
    """Hands over to the page what the person asks from their own browser, and answers all else."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self.app, self.keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        refused = self._refused(scope)
        body = b""
        if refused is None and scope["method"] == "POST":
            read = await _read(receive)
            refused, body = (None, read) if read is not None else (_no("that is too much for a form", 413), b"")
        answer = refused or self.app
        await answer(scope, _again(body, receive), _with_headers(send))

    def _refused(self, scope: Scope) -> Response | None:
        """Return the answer to what is not the person's, or opens the page for them; None for what goes on."""
        headers = Headers(scope=scope)
        if headers.getlist("host") != [self.keys.host]:
            return _no("this is not its address", 421)
        _, path, rest = [*scope["path"].split("/", 2), "", ""][:3]
        if not same(path, self.keys.path):
            return _no("there is nothing here", 404)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return _no("GET and POST alone", 405)
        if f"/{rest}" == OPEN:
            return self._opened(scope)
        if not self._has_cookie(headers):
            return _no("open the page from a terminal: ralph-mem page", 401 if self.keys.may_try() else 429)
        refused = self._not_from_here(headers, scope["method"])
        if refused is None:
            self.keys.used = self.keys.clock()
        return refused

    def _opened(self, scope: Scope) -> Response:
        """Give the cookie to whoever has the token; a page of ours leads on, since a strict cookie would not follow a redirect."""
        given = parse_qs(scope["query_string"].decode("ascii", "replace")).get("token", [""])
        if scope["method"] != "GET" or len(given) != 1 or not self.keys.may_try() or not self.keys.redeem(given[0]):
            return _no("this address works once, within a minute: ralph-mem page makes a new one", 401)
        answer = Response(COME_IN, media_type="text/html")
        answer.set_cookie(COOKIE, self.keys.cookie, path=self.keys.base, httponly=True, samesite="strict")
        self.keys.used = self.keys.clock()
        return answer

    def _has_cookie(self, headers: Headers) -> bool:
        """Say whether our cookie is among those that came; what listens on another port may have put one of its name there."""
        pairs = [each.strip().partition("=") for line in headers.getlist("cookie") for each in line.split(";")]
        return any([name == COOKIE and same(value, self.keys.cookie) for name, _, value in pairs])

    def _not_from_here(self, headers: Headers, method: str) -> Response | None:
        """Refuse what another page has a browser send, and what is no plain form of ours."""
        sites = headers.getlist("sec-fetch-site")
        if method != "POST":
            return None if sites in ([], ["same-origin"], ["none"]) else _no("another page asks for this", 403)
        if headers.getlist("origin") != [self.keys.origin] or sites not in ([], ["same-origin"]):
            return _no("another page sends this", 403)
        if [each.partition(";")[0].strip().lower() for each in headers.getlist("content-type")] != [FORM]:
            return _no("a form alone", 415)
        return None


def _no(why: str, status: int) -> Response:
    return PlainTextResponse(f"ralph-mem: {why}\n", status)


async def _read(receive: Receive) -> bytes | None:
    """Return the whole body of a form, None where it is larger than any of ours."""
    parts, left = [], MOST_BYTES
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        left -= len(parts[-1])
        if left < 0:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _again(body: bytes, then: Receive) -> Receive:
    """Return what gives a body that was read already, and then what else comes: that the browser has gone."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return waiting.pop() if waiting else await then()

    return receive


def _with_headers(send: Send) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return answer
