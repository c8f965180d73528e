"""Who may see the page: the person's own browser, from the address that the file names, and nobody else."""

import asyncio
import re

import pytest

from ralph_mem.interfaces.page import security
from tests.interfaces.page.visitors import HOST, ORIGIN

BASE, WAY = "{base}", "{base}/here/today"
NOTE = {"text": "planted"}
# Each request with what is other than in the person's own: method, path, headers, body, cookie; and the status that answers it.
READS = {
    "no host": ({"headers": {"host": None}}, 421),
    "the name of this machine": ({"headers": {"host": "localhost:4711"}}, 421),
    "another port": ({"headers": {"host": "127.0.0.1:4712"}}, 421),
    "no port": ({"headers": {"host": "127.0.0.1"}}, 421),
    "a name that begins as the address": ({"headers": {"host": "127.0.0.1.evil.example:4711"}}, 421),
    "a name that leads here": ({"headers": {"host": "evil.example:4711"}}, 421),
    "a name behind the address": ({"headers": {"host": HOST + ".evil.example"}}, 421),
    "the address with a user": ({"headers": {"host": "a@" + HOST}}, 421),
    "the address in another form": ({"headers": {"host": "127.1:4711"}}, 421),
    "the address as a number": ({"headers": {"host": "2130706433:4711"}}, 421),
    "the address of IPv6": ({"headers": {"host": "[::1]:4711"}}, 421),
    "the address of IPv4 in IPv6": ({"headers": {"host": "[::ffff:127.0.0.1]:4711"}}, 421),
    "every address": ({"headers": {"host": "0.0.0.0:4711"}}, 421),
    "two hosts, the first right": ({"headers": {"host": [HOST, "evil.example"]}}, 421),
    "two hosts, the last right": ({"headers": {"host": ["evil.example", HOST]}}, 421),
    "two hosts in one": ({"headers": {"host": f"{HOST}, evil.example"}}, 421),
    "a dot at the end": ({"headers": {"host": "127.0.0.1.:4711"}}, 421),
    "an empty host": ({"headers": {"host": ""}}, 421),
    "another host for a proxy": ({"headers": {"host": "evil.example", "x-forwarded-host": HOST}}, 421),
    "no path": ({"path": "/"}, 404),
    "an empty path": ({"path": ""}, 404),
    "a path that others guess": ({"path": "/00000000000000000000000000000000/here/today"}, 404),
    "a view without the path": ({"path": "/here/today"}, 404),
    "the path in capitals": ({"path": "{BASE}/here/today"}, 404),
    "a part of the path": ({"path": "{half}/here/today"}, 404),
    "the path behind another": ({"path": "/x{base}/here/today"}, 404),
    "the path behind two slashes": ({"path": "/{base}/here/today"}, 404),
    "a way up in front": ({"path": "/..{base}/here/today"}, 404),
    "an address as the path": ({"path": "http://127.0.0.1:4711{base}/here/today"}, 404),
    "no cookie": ({"cookie": False}, 401),
    "an empty cookie": ({"headers": {"cookie": f"{security.COOKIE}="}}, 401),
    "another's cookie": ({"headers": {"cookie": f"{security.COOKIE}={'0' * 32}"}}, 401),
    "the path as cookie": ({"headers": {"cookie": f"{security.COOKIE}={BASE}"}}, 401),
    "the right value under another name": ({"headers": {"cookie": "session={cookie}"}}, 401),
    "the right value and more": ({"headers": {"cookie": f"{security.COOKIE}={{cookie}}0"}}, 401),
    "a cookie that is broken": ({"headers": {"cookie": ';;="\\'}}, 401),
    "a link on another page": ({"headers": {"sec-fetch-site": "cross-site"}}, 403),
    "a page on another port": ({"headers": {"sec-fetch-site": "same-site"}}, 403),
    "two words of where it is from": ({"headers": {"sec-fetch-site": ["none", "cross-site"]}}, 403),
    "the method PUT": ({"method": "PUT"}, 405),
    "the method DELETE": ({"method": "DELETE"}, 405),
    "the method OPTIONS, as before a request from elsewhere": ({"method": "OPTIONS"}, 405),
    "the method TRACE": ({"method": "TRACE"}, 405),
    "the method CONNECT": ({"method": "CONNECT"}, 405),
    "a method that is none": ({"method": "get"}, 405),
    "a way up in the view": ({"path": "{base}/here/../../../etc/passwd"}, 404),
    "a way up in the styles": ({"path": "{base}/static/../security.py"}, 400),
    "a file of ours that is none of the page": ({"path": "{base}/static/page.css/../../security.py"}, 404),
    "a zero byte in the view": ({"path": "{base}/here/today\0.html"}, 404),
    "a path as a project": ({"path": "{base}/%2Fetc/today"}, 400),
    "a folder as a project": ({"path": "{base}/../today"}, 400),
    "a verb without its form": ({"path": "{base}/here/do/undo"}, 404),
    "a way up as an id": ({"path": "{base}/here/memory/../../etc"}, 404),
    "half a character as an id": ({"path": "{base}/here/memory/\ud800"}, 400),
    "a thousand fields in the address": ({"query": b"&".join([b"a=b"] * 1000)}, 400),
    "a command as an id": ({"path": "{base}/here/loop/$(touch made)"}, 400),
}
WRITES = {
    "no origin": ({"headers": {"origin": None}}, 403),
    "the origin null, as from a file or a frame": ({"headers": {"origin": "null"}}, 403),
    "another page's origin": ({"headers": {"origin": "https://evil.example"}}, 403),
    "another port's origin": ({"headers": {"origin": "http://127.0.0.1:4712"}}, 403),
    "the origin by name": ({"headers": {"origin": "http://localhost:4711"}}, 403),
    "the origin with another scheme": ({"headers": {"origin": f"https://{HOST}"}}, 403),
    "an origin that begins as ours": ({"headers": {"origin": ORIGIN + ".evil.example"}}, 403),
    "two origins": ({"headers": {"origin": [ORIGIN, "https://evil.example"]}}, 403),
    "a form on another page": ({"headers": {"sec-fetch-site": "cross-site"}}, 403),
    "a form that a link opens": ({"headers": {"sec-fetch-site": "none"}}, 403),
    "a form on another port": ({"headers": {"sec-fetch-site": "same-site"}}, 403),
    "a referrer of ours for an origin": ({"headers": {"origin": None, "referer": ORIGIN + "/"}}, 403),
    "no cookie": ({"cookie": False}, 401),
    "JSON": ({"headers": {"content-type": "application/json"}, "body": b'{"text": "planted"}'}, 415),
    "text, which needs no leave of the browser": ({"headers": {"content-type": "text/plain"}}, 415),
    "parts of a form": ({"headers": {"content-type": "multipart/form-data; boundary=x"}}, 415),
    "no type": ({"headers": {"content-type": None}}, 415),
    "two types": ({"headers": {"content-type": [security.FORM, "text/plain"]}}, 415),
    "no word of the form": ({"body": b"text=planted"}, 403),
    "a wrong word of the form": ({"body": b"form=0000&text=planted"}, 403),
    "ten megabytes": ({"body": b"form=x&text=" + b"x" * 10_000_000}, 413),
    "a thousand fields": ({"body": b"&".join([b"a=b"] * 1000)}, 400),
    "bytes that are no text": ({"body": b"\xff\xfe\x00"}, 400),
    "a method behind the method": ({"headers": {"x-http-method-override": "DELETE", "origin": None}}, 403),
    "another host": ({"headers": {"host": "evil.example:4711"}}, 421),
    "a verb that there is not": ({"path": "{base}/here/do/config"}, 404),
    "a view": ({"path": "{base}/here/today"}, 405),
    "another run's path": ({"path": "/" + "f" * 32 + "/here/do/note"}, 404),
}


def filled(value, keys):
    """Return a request with the keys of this run in the places of their names."""
    if isinstance(value, dict):
        return {name: filled(each, keys) for name, each in value.items()}
    if not isinstance(value, str):
        return value
    known = {"{base}": keys.base, "{BASE}": keys.base.upper(), "{half}": keys.base[:17], "{cookie}": keys.cookie}
    for name, word in known.items():
        value = value.replace(name, word)
    return value


def test_hostile_requests_are_more_than_sixty():
    assert len(READS) + len(WRITES) >= 60


def test_no_hostile_request_reads_anything(a_person):
    a_person.keys.may_try = lambda: True  # how many tries there are has a test of its own
    wrong = {}
    for name, (request, status) in READS.items():
        answer = a_person.receives(**filled(request, a_person.keys))
        if answer.status != status or "zeppelin" in answer.body:
            wrong[name] = answer.status
    assert not wrong
    assert not a_person.log


def test_no_hostile_request_writes_anything(a_person):
    a_person.keys.may_try = lambda: True
    before, wrong = a_person.remembers(), {}
    for name, (request, status) in WRITES.items():
        own = {"method": "POST", "path": a_person.keys.base + "/here/do/note", "body": a_person.form(**NOTE)}
        answer = a_person.receives(**{**own, **filled(request, a_person.keys)})
        if answer.status != status:
            wrong[name] = answer.status
    assert not wrong
    assert a_person.remembers() == before


def test_the_same_request_from_the_person_themselves_is_answered(a_person):
    assert a_person.receives().status == 200
    own = {"method": "POST", "path": a_person.keys.base + "/here/do/note", "body": a_person.form(**NOTE)}
    assert a_person.receives(**own).status == 303
    assert a_person.session.rows("SELECT title FROM observations WHERE type = 'note'") == [("planted",)]


def test_the_token_works_once(a_stranger):
    way = {"path": a_stranger.keys.base + "/open", "query": b"token=" + a_stranger.keys.token.encode(), "cookie": False}
    assert [a_stranger.receives(**way).status for _ in range(2)] == [200, 401]


def test_the_token_is_dead_after_a_minute(a_stranger):
    way = {"path": a_stranger.keys.base + "/open", "query": b"token=" + a_stranger.keys.token.encode(), "cookie": False}
    a_stranger.clock.now += security.TOKEN_S
    assert a_stranger.receives(**way).status == 401


def test_the_cookie_is_bound_to_the_random_path_and_out_of_reach_of_scripts_and_other_pages(a_stranger):
    way = {"path": a_stranger.keys.base + "/open", "query": b"token=" + a_stranger.keys.token.encode(), "cookie": False}
    given = a_stranger.receives(**way).headers["set-cookie"]
    words = given.split("; ")
    assert words[0] == f"{security.COOKIE}={a_stranger.keys.cookie}"
    assert sorted(word.lower() for word in words[1:]) == ["httponly", f"path={a_stranger.keys.base}", "samesite=strict"]


def test_keys_have_128_random_bits_each_and_are_others_in_each_run():
    runs = [security.Keys(1) for _ in range(3)]
    keys = [key for run in runs for key in (run.path, run.token, run.cookie, run.form)]
    assert len(set(keys)) == 12
    assert {len(bytes.fromhex(key)) for key in keys} == {16}


def test_after_ten_tries_in_a_minute_no_key_is_looked_at_but_the_right_cookie(a_person):
    tries = [a_person.receives(cookie=False).status for _ in range(12)]
    assert tries == [401] * 10 + [429] * 2
    assert a_person.receives().status == 200
    a_person.clock.now += security.TRIES_S
    assert a_person.receives(cookie=False).status == 401


def test_a_cookie_that_another_port_set_under_our_name_keeps_nobody_out(a_person):
    both = f"{security.COOKIE}=planted; {security.COOKIE}={a_person.keys.cookie}; {security.COOKIE}=planted"
    assert a_person.receives(headers={"cookie": both}).status == 200


@pytest.mark.parametrize("status", [200, 303, 400, 401, 403, 404, 405, 413, 415, 421])
def test_every_answer_says_what_a_browser_may_do_with_it(status, a_person):
    requests = {
        200: {}, 303: {"path": a_person.keys.base + "/"}, 400: {"path": a_person.keys.base + "/here/memory/x"},
        401: {"cookie": False}, 403: {"headers": {"sec-fetch-site": "cross-site"}}, 404: {"path": "/x"}, 405: {"method": "PUT"},
        413: {"method": "POST", "body": b"x" * 200_000}, 415: {"method": "POST", "headers": {"content-type": "text/plain"}},
        421: {"headers": {"host": "x"}},
    }  # fmt: skip
    answer = a_person.receives(**requests[status])
    assert answer.status == status
    assert {name: answer.headers[name] for name in security.HEADERS} == security.HEADERS


def test_no_script_and_no_style_in_line_is_allowed_and_none_is_there(a_person):
    assert "unsafe" not in security.CSP
    assert "default-src 'none'" in security.CSP
    pages = [a_person.sees(view) for view in ("today", "search", "facts", "settings", "growth", "forget")]
    assert not [page for page in pages if page.count("<script") != 1 or "style=" in page or " onclick" in page]
    assert all(re.search(r'<script src="/[0-9a-f]{32}/static/page.js" defer></script>', page) for page in pages)


def test_a_socket_that_stays_open_is_refused(a_person):
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(a_person.app({"type": "websocket", "headers": [], "path": "/"}, None, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_only_what_the_person_asks_for_keeps_the_page_awake(a_person):
    a_person.clock.now += 100
    for request in ({"cookie": False}, {"headers": {"host": "x"}}, {"path": "/x"}, {"headers": {"sec-fetch-site": "cross-site"}}):
        a_person.receives(**request)
    assert a_person.keys.used == a_person.clock.now - 100
    a_person.receives()
    assert a_person.keys.used == a_person.clock.now
