"""The event: typed access to what the client sent, understood even when it was cut off."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.core import pastes
from ralph_mem.hosts.claude_code import cut_event
from ralph_mem.hosts.claude_code.event import Event, activity, parse
from tests.folded import folded

SENT = {
    "session_id": "s-1",
    "cwd": "/shop",
    "tool_name": "Bash",
    "tool_input": {"command": 'make "all" \\ \U0001f600', "nested": {"deep": [1, {"a": "b"}]}},
    "tool_response": {"stdout": "line one\nline two\tand so on", "stderr": ""},
    "tool_use_id": "toolu_1",
}
ANYTHING = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text()) | st.dictionaries(st.text(), st.text())


@given(ANYTHING)
def test_a_field_that_is_not_text_counts_as_missing(value):
    event = Event("stop", {"field": value})
    assert event.text("field") == (value if isinstance(value, str) else "")
    assert event.text("other") == ""


@given(ANYTHING)
def test_a_field_that_is_no_mapping_counts_as_empty(value):
    event = Event("stop", {"field": value})
    assert event.mapping("field") == (value if isinstance(value, dict) else {})
    assert event.mapping("other") == {}


@pytest.mark.parametrize(("fields", "session"), [({"session_id": "s-1"}, "s-1"), ({"session_id": 7}, ""), ({}, "")])
def test_the_session_is_the_clients_own_id(fields, session):
    assert Event("stop", fields).session == session


@folded("data", [b"", b"null", b"[1]", b'"text"', b"\xff\xfe", b"no json", b"\0", b'{"a"', b"{]"])
def test_what_is_no_event_has_no_fields(data):
    assert parse(data) == {}


def test_an_event_is_read_as_it_was_sent():
    assert parse(json.dumps(SENT).encode()) == parse(json.dumps(SENT, ensure_ascii=False).encode()) == SENT


@folded(
    ("prompt", "typed"),
    [
        ("Mend it.\n<system-reminder>\nS\n</system-reminder>", "Mend it.\n"),
        ("<ide_selection>lines 3 to 4:\nS\n\nmay be</ide_selection>\nMend it.", "\nMend it."),
        ("a <ide_selection>S <system-reminder>S</system-reminder> S</ide_selection> b", "a  b"),
        ("Mend it. <new-diagnostics>S", "Mend it. "),
        ('<pasted_content id="a1">\nS <system-reminder>\nS\n</pasted_content id="a1"> Mend it.', " Mend it."),
        ("Implement the following plan:\n\n# Plan [/pasted]\n- S", "Implement the following plan:"),
        ("if a < b then mend it", "if a < b then mend it"),
    ],
)
def test_what_nobody_typed_into_a_prompt_is_marked(prompt, typed):
    seen = activity(Event("user-prompt-submit", {"session_id": "s-1", "prompt": prompt}))
    assert pastes.typed(seen.text) == typed


@pytest.mark.parametrize("ascii_only", [True, False])
def test_an_event_that_was_cut_off_keeps_the_fields_before_the_cut(ascii_only):
    data = json.dumps(SENT, ensure_ascii=ascii_only).encode()
    for end in range(data.index(b'"tool_input"'), len(data)):
        fields = parse(data[:end])
        assert {key: fields.get(key) for key in ("session_id", "cwd", "tool_name")} == {
            "session_id": "s-1", "cwd": "/shop", "tool_name": "Bash",
        }  # fmt: skip


def test_the_last_field_of_an_event_that_was_cut_off_is_kept_as_far_as_it_goes():
    data = json.dumps(SENT).encode()
    fields = parse(data[: data.index(b"so on")])
    assert fields["tool_input"] == SENT["tool_input"]
    assert fields["tool_response"] == {"stdout": "line one\nline two\tand "}


@pytest.mark.parametrize("middle", ["x" * 400, "\\" * 400, '"' * 400, "\n" * 400, "\U0001f600" * 100, '\\"' * 200])
def test_an_event_without_its_middle_keeps_the_ids_at_its_end(middle):
    data = json.dumps({**SENT, "tool_response": {"stdout": middle + "\nthe end"}, "tool_use_id": "toolu_1"}).encode()
    start = data.index(b'"stdout"') + 20
    for gap in range(40):
        fields = parse(data[: start + gap], data[start + gap + 200 :])
        assert (fields["session_id"], fields["tool_use_id"]) == ("s-1", "toolu_1")
        assert cut_event.CUT_MARK.decode() in fields["tool_response"]["stdout"]


@given(st.binary() | st.text(alphabet='{}[]",:\\u012d8truefalsn e\n').map(str.encode), st.binary())
def test_any_bytes_are_an_event(head, tail):
    assert isinstance(parse(head, tail), dict)


@pytest.mark.parametrize("depth", [20, 5_000, 200_000])
def test_an_event_that_is_nested_without_end_is_survived(depth):
    assert parse(b'{"session_id": "s-1", "deep": ' + b'{"a":' * depth)["session_id"] == "s-1"


ALARMED = (
    "import os, signal; from ralph_mem.hosts.claude_code import event; "
    "event.drain_stdin(); os.kill(os.getpid(), signal.SIGALRM); print('on')"
)


def test_an_alarm_that_comes_when_all_is_read_changes_nothing():
    ended = subprocess.run([sys.executable, "-c", ALARMED], input=b"{}", capture_output=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"on\n", b"")
