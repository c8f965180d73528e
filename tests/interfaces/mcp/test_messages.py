"""Messages of all sorts, made up by a program: each request is answered once, by its id, and no line is more than one."""

import json
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph_mem.interfaces.mcp import offers, protocol, roots
from tests.interfaces.mcp.clients import AGREED, NAMED, Inside, envelope, introduction

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3))
keys = st.sampled_from(["query", "since", "until", "type", "limit", "id", "ids", "from", "about", "text", "path", "name", "_meta"])
arguments = st.dictionaries(
    keys, values | st.sampled_from(["lamp", "7d", "turn-aaaaaaaaaa", ["obs-aaaaaaaaaa"], 3, 50]), max_size=4
)
tools = st.sampled_from([*offers.SCHEMAS, "forget", ""])
methods = st.sampled_from([*protocol.LISTS, *protocol.READING, "ping", "initialize", "server/discover", "nope", ""]) | st.text(
    max_size=9
)
params = (
    values
    | st.fixed_dictionaries({"name": tools, "arguments": arguments | values})
    | st.fixed_dictionaries({"uri": st.sampled_from([offers.BRIEFING, "file:///etc/passwd"]) | values})
    | st.builds(envelope, st.sampled_from([*NAMED, *AGREED, "x"]), st.dictionaries(st.just("roots"), values), name=tools)
)
ids = st.integers() | st.text(max_size=9) | values
members = {"jsonrpc": st.just("2.0") | values, "id": ids, "method": methods | values, "params": params, "result": values}
objects = st.fixed_dictionaries({}, optional=members)
requests = st.fixed_dictionaries({"jsonrpc": st.just("2.0"), "id": ids, "method": methods}, optional={"params": params})
messages = requests | objects | values | st.lists(requests | values, max_size=4)

BROAD = settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def is_request(message):
    """Say whether a message is to be answered: it has an id, or is none that anybody could send."""
    if isinstance(message, dict) and "method" not in message and ("result" in message or "error" in message):
        return False
    is_told = isinstance(message, dict) and "id" not in message
    return not (is_told and message.get("jsonrpc") == "2.0" and isinstance(message.get("method"), str))


@pytest.fixture
def a_batching_client(a_session):
    a_session.has_a_turn("Where is the lamp?", "In the hangar.")
    client = Inside(a_session.project.root, version="2025-03-26")
    client.begins()
    return client


@given(messages)
@BROAD
def test_each_request_is_answered_once_by_its_id(a_batching_client, message):
    client = a_batching_client
    client.asks("initialize", **introduction("2025-03-26"))
    folder = client.said.roots.folder
    answers = client.exchange(json.dumps(message).encode())
    asked = message if isinstance(message, list) and message else [message]
    wanted = [each.get("id") if isinstance(each, dict) else None for each in asked if is_request(each)]
    known = [each if isinstance(each, str) or type(each) is int else None for each in wanted]
    assert [answer["id"] for answer in answers] == known
    assert all(("result" in answer) != ("error" in answer) for answer in answers)
    assert client.said.roots.folder == folder


@given(
    st.binary(max_size=200) | messages.map(json.dumps).map(str.encode).flatmap(lambda text: st.sampled_from([text[:-1], text[1:]]))
)
@BROAD
def test_any_bytes_are_answered_by_one_line_at_most(a_batching_client, line):
    for answer in a_batching_client.exchange(line.replace(b"\n", b"")):
        assert answer["jsonrpc"] == "2.0"


@given(tools, arguments)
@BROAD
def test_a_call_with_any_arguments_gives_a_text_or_says_what_is_allowed(a_batching_client, tool, given_arguments):
    answer = a_batching_client.asks("tools/call", name=tool, arguments=given_arguments)
    if "code" in answer:
        assert answer["code"] == -32602 and tool not in offers.SCHEMAS
    else:
        (block,) = answer["content"]
        assert block["text"] and (not answer.get("isError") or block["text"].startswith("ralph-mem: "))


@given(st.text(min_size=1, max_size=200))
@BROAD
def test_a_path_comes_back_from_its_uri(path):
    plain = "/" + path.replace("\0", "").strip("/")
    assert roots.path_of("file://" + quote(plain.encode("utf-8", "surrogatepass"))).encode(
        "utf-8", "surrogateescape"
    ) == plain.encode("utf-8", "surrogatepass")
