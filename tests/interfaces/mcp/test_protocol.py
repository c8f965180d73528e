"""The protocol in each of its versions: how a client begins, what is an error of which number, batches, roots."""

import json
import time

import pytest

from ralph_mem.interfaces.mcp import protocol, roots
from tests.interfaces.mcp.clients import AGREED, NAMED, NEWEST, OLDEST, Inside, envelope, introduction

PING = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
WITH_ROOTS = {"roots": {"listChanged": True}}


def exchange(client, message):
    return client.exchange(json.dumps(message).encode())


def code(answer):
    return answer["error"]["code"]


# How a client begins


@pytest.mark.parametrize("version", AGREED)
def test_a_version_that_is_known_is_agreed_on(a_session, version):
    told = Inside(a_session.project.root, version=version).begins()
    assert told["protocolVersion"] == version and told["serverInfo"]["name"] == "ralph-mem"
    assert told["capabilities"] == {"tools": {}, "resources": {}, "prompts": {}}


@pytest.mark.parametrize("version", ["1999-01-01", "2099-01-01", "x", ""])
def test_for_any_other_version_the_newest_is_offered_that_a_client_can_agree_on(a_session, version):
    client = Inside(a_session.project.root)
    assert client.asks("initialize", **introduction(version))["protocolVersion"] == AGREED[-1]


@pytest.mark.parametrize("given", [{}, {"protocolVersion": 7}, {"protocolVersion": None}])
def test_an_introduction_without_a_version_is_an_error(a_session, given):
    assert Inside(a_session.project.root).asks("initialize", **given)["code"] == -32602


@pytest.mark.parametrize("version", NAMED)
def test_where_each_request_names_its_version_there_is_no_introduction(a_session, version):
    client = Inside(a_session.project.root, version=version)
    told = client.begins()
    assert told["supportedVersions"] == [*NAMED] and told["_meta"][protocol.SERVER]["name"] == "ralph-mem"
    assert "lamp" not in client.uses("search", query="marmalade")


@pytest.mark.parametrize("method", ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"])
def test_since_then_each_answer_says_that_it_is_complete_and_for_how_long(a_session, method):
    answer = Inside(a_session.project.root, version=NEWEST).asks(method)
    assert (answer["resultType"], answer["ttlMs"], answer["cacheScope"]) == ("complete", 0, "private")


def test_a_client_of_the_old_way_is_told_nothing_of_the_new_one(a_client):
    assert set(a_client.asks("tools/list")) == {"tools"} and a_client.asks("ping") == {}
    assert a_client.asks("server/discover")["code"] == -32601


def test_a_version_that_is_not_served_is_named_with_those_that_are(a_session):
    for version in ("2099-01-01", "2025-11-25"):
        client = Inside(a_session.project.root)
        (answer,) = exchange(client, {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": envelope(version)})
        assert answer["error"]["code"] == -32022 and answer["error"]["data"] == {"supported": [*NAMED], "requested": version}


@pytest.mark.parametrize("missing", [protocol.ABLE, protocol.IN_VERSION])
def test_half_an_envelope_is_an_error(a_session, missing):
    params = envelope()
    params["_meta"][missing] = 7
    (answer,) = exchange(Inside(a_session.project.root), {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params})
    assert code(answer) == -32602


def test_ping_and_discover_belong_to_one_way_each(a_session):
    assert Inside(a_session.project.root, version=NEWEST).asks("ping")["code"] == -32601


# Errors


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.parametrize(
    "method", ["", "nope", "tools/delete", "sampling/createMessage", "completion/complete", "logging/setLevel"]
)
def test_a_method_that_there_is_not_is_answered_by_its_number(a_session, version, method):
    assert Inside(a_session.project.root, version=version).asks(method)["code"] == -32601


@pytest.mark.parametrize(
    "line", [b"{", b"nope", b'{"a": }', b"[1, 2", b"\xff\xfe{}", b'"\x80"', b"{} {}", b"[" * 9000, b"{'a': 1}"]
)
def test_what_is_no_json_is_answered_by_its_number(a_client, line):
    (answer,) = a_client.exchange(line)
    assert code(answer) == -32700 and answer["id"] is None


@pytest.mark.parametrize(
    ("message", "id_"),
    [
        ({}, None),
        (7, None),
        ("ping", None),
        (None, None),
        ({"method": "ping", "id": 1}, 1),
        ({"jsonrpc": "1.0", "method": "ping", "id": 1}, 1),
        ({"jsonrpc": "2.0", "method": 7, "id": 1}, 1),
        ({"jsonrpc": "2.0", "id": 1}, 1),
        ({"jsonrpc": "2.0", "method": "ping", "id": None}, None),
        ({"jsonrpc": "2.0", "method": "ping", "id": True}, None),
        ({"jsonrpc": "2.0", "method": "ping", "id": 1.5}, None),
        ({"jsonrpc": "2.0", "method": "ping", "id": [1]}, None),
    ],
)
def test_what_is_no_request_is_answered_by_its_number_and_its_id(a_client, message, id_):
    (answer,) = exchange(a_client, message)
    assert code(answer) == -32600 and answer["id"] == id_


@pytest.mark.parametrize("given", [[], [1], "x", 7, True])
def test_parameters_that_are_no_object_are_an_error(a_client, given):
    (answer,) = exchange(a_client, {"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": given})
    assert code(answer) == -32602 and answer["id"] == "a"


@pytest.mark.parametrize("id_", [0, -3, 2**70, "", "abc", "\u2028 \U0001f680"])
def test_an_answer_has_the_id_of_its_request(a_client, id_):
    assert exchange(a_client, {**PING, "id": id_}) == [{"jsonrpc": "2.0", "id": id_, "result": {}}]


@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/cancelled", "nope", "tools/call", ""])
def test_a_notification_is_never_answered(a_client, method):
    assert exchange(a_client, {"jsonrpc": "2.0", "method": method, "params": {"requestId": 1}}) == []


@pytest.mark.parametrize("id_", [1, "ralph-mem-roots-1", None])
def test_an_answer_that_nobody_asked_for_says_nothing(a_client, tmp_path, id_):
    before = a_client.said.roots.folder
    assert exchange(a_client, {"jsonrpc": "2.0", "id": id_, "result": {"roots": [{"uri": tmp_path.as_uri()}]}}) == []
    assert exchange(a_client, {"jsonrpc": "2.0", "id": id_, "error": {"code": 1, "message": "x"}}) == []
    assert a_client.said.roots.folder == before


# Batches: the version of March 2025 has them, the one before and those after have none


@pytest.mark.parametrize("version", [each for each in AGREED if each != "2025-03-26"])
def test_most_versions_have_no_batches(a_session, version):
    client = Inside(a_session.project.root, version=version)
    client.begins()
    (answer,) = exchange(client, [PING, PING])
    assert code(answer) == -32600 and answer["id"] is None


def test_before_a_version_is_agreed_on_there_are_no_batches(a_session):
    (answer,) = exchange(Inside(a_session.project.root), [PING])
    assert code(answer) == -32600


@pytest.fixture
def a_batching_client(a_session):
    client = Inside(a_session.project.root, version="2025-03-26")
    client.begins()
    return client


def test_a_batch_is_answered_in_one_line_without_its_notifications(a_batching_client):
    search = {"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "x"}}}
    told = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    answers = exchange(a_batching_client, [PING, told, search, 9, {**PING, "id": 10, "method": "nope"}])
    assert [answer["id"] for answer in answers] == [7, 8, None, 10]
    assert [code(answer) for answer in answers if "error" in answer] == [-32600, -32601]


def test_a_batch_of_notifications_alone_is_not_answered(a_batching_client):
    assert exchange(a_batching_client, [{"jsonrpc": "2.0", "method": "notifications/cancelled"}] * 2) == []


@pytest.mark.parametrize("size", [0, protocol.MOST_IN_A_BATCH + 1])
def test_an_empty_batch_and_one_that_is_too_large_are_errors(a_batching_client, size):
    (answer,) = exchange(a_batching_client, [PING] * size)
    assert code(answer) == -32600 and answer["id"] is None


def test_nobody_introduces_themselves_in_a_batch(a_batching_client):
    answers = exchange(a_batching_client, [{**PING, "method": "initialize", "params": introduction()}])
    assert [code(answer) for answer in answers] == [-32600]


# Roots


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/ada/shop", "/home/ada/shop"),
        ("file://localhost/home/ada/shop/", "/home/ada/shop"),
        ("file:///home/ada/a%20b%C3%A9", "/home/ada/a bé"),
        ("file:///home/ada/100%", "/home/ada/100%"),
        ("file:///home/ada/%zz%4", "/home/ada/%zz%4"),
        ("file:///", "/"),
        ("file:///a%00b", ""),
        ("file://elsewhere/home", ""),
        ("http:///home/ada", ""),
        ("/home/ada", ""),
        ("file:", ""),
        ("", ""),
    ],
)
def test_a_root_is_a_file_uri_of_this_machine(uri, path):
    assert roots.path_of(uri) == path


def with_roots(folder):
    """Return a client that is at work nowhere yet and has roots, and the request that it is sent for them."""
    client = Inside("/nowhere")
    client.asks("initialize", **introduction(able=WITH_ROOTS))
    client.tells("notifications/initialized")
    (request,) = client.said.requests
    client.said.requests = []
    return client, request


def answer_to(request, *folders):
    return {"jsonrpc": "2.0", "id": request["id"], "result": {"roots": [{"uri": each} for each in folders]}}


def test_a_client_that_has_roots_is_asked_for_them_and_the_first_folder_among_them_counts(a_session, tmp_path):
    client, request = with_roots(tmp_path)
    assert request["method"] == "roots/list" and client.said.roots.expected_s() > 0
    there = f"file://{a_session.project.root}"
    assert exchange(client, answer_to(request, "http://x", "file:///not/there", there, tmp_path.as_uri())) == []
    assert client.said.roots.folder == a_session.project.root and client.said.roots.expected_s() == 0


def test_a_client_without_roots_is_not_asked(a_client):
    a_client.tells("notifications/initialized")
    a_client.tells("notifications/roots/list_changed")
    assert a_client.said.requests == [] and a_client.said.roots.expected_s() == 0


def test_roots_that_have_changed_are_asked_for_again_and_the_older_answer_says_nothing(a_session, tmp_path):
    client, first = with_roots(tmp_path)
    client.tells("notifications/roots/list_changed")
    (second,) = client.said.requests
    exchange(client, answer_to(second, f"file://{a_session.project.root}"))
    exchange(client, answer_to(first, tmp_path.as_uri()))
    assert client.said.roots.folder == a_session.project.root


@pytest.mark.parametrize(
    "result", [None, [], {}, {"roots": None}, {"roots": {}}, {"roots": []}, {"roots": [1]}, {"roots": [{"uri": 7}]}, "x"]
)
def test_without_a_root_the_working_directory_holds(a_session, monkeypatch, tmp_path, result):
    monkeypatch.chdir(a_session.project.root)
    client, request = with_roots(tmp_path)
    exchange(client, {"jsonrpc": "2.0", "id": request["id"], "result": result})
    assert client.said.roots.project().root == a_session.project.root


def test_a_client_that_does_not_answer_is_waited_for_a_while(a_session, monkeypatch, tmp_path):
    client, _ = with_roots(tmp_path)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + roots.WAIT_S + 1)
    assert client.said.roots.expected_s() == 0


def test_a_working_directory_that_is_gone_is_said(a_session, monkeypatch, tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    client = Inside("")
    client.begins()
    assert "the working directory is gone" in client.asks("tools/list")["message"]


def call_with_roots(client, **more):
    able = envelope(able=WITH_ROOTS, name="search", arguments={"query": "lamp"}, **more)
    (answer,) = exchange(client, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": able})
    return answer["result"]


def test_since_2026_a_call_brings_the_roots_that_it_was_asked_for(a_session):
    client = Inside("/nowhere", version=NEWEST)
    for _ in range(2):  # two calls at once are asked both
        assert call_with_roots(client)["inputRequests"] == {"roots": {"method": "roots/list"}}
    there = {"roots": {"roots": [{"uri": f"file://{a_session.project.root}"}]}}
    assert call_with_roots(client, inputResponses=there)["resultType"] == "complete"
    assert client.said.roots.folder == a_session.project.root
    assert call_with_roots(client)["resultType"] == "complete"


def test_roots_that_nobody_asked_for_say_nothing(a_session, tmp_path):
    client = Inside(a_session.project.root, version=NEWEST)
    there = {"roots": {"roots": [{"uri": tmp_path.as_uri()}]}}
    (answer,) = exchange(client, client.request("tools/call", name="facts", inputResponses=there))
    assert "result" in answer and client.said.roots.folder == a_session.project.root


def test_a_client_that_brings_none_is_answered_at_last(a_session, monkeypatch):
    monkeypatch.chdir(a_session.project.root)
    client = Inside("", version=NEWEST)
    kinds = [call_with_roots(client)["resultType"] for _ in range(roots.MOST_ASKED + 1)]
    assert kinds == ["input_required"] * roots.MOST_ASKED + ["complete"]
