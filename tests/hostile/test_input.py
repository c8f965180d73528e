"""Giant, binary and invalid input: a hook stays silent and small, keeps what can be kept, and the next event is stored."""

import functools
import gzip
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hook import DEADLINE_S, MOST_MB, NAMES, Hook
from tests.interfaces.hooks.test_bad_input import QUIET, STRANGE, UNREADABLE, is_well

KB, MB = 1024, 1024 * 1024
LEAST = 40
LONGEST_KEPT = 4 * KB
SEVERAL = 100  # random inputs; the strange events of tests/faults send thousands
RNG = random.Random(20_261_122)
# All that may stand in a text of JSON as it is, the control characters included, which JSON forbids.
EVERY_BYTE = bytes(byte for byte in range(256) if byte not in b'"\\')


def junk(size):
    return bytes(RNG.choice(EVERY_BYTE) for _ in range(size))


# What stands in the middle of a command's output, as bytes of the JSON.
GIANT = {
    "a line of 20 MB": b"x" * (20 * MB),
    "a million lines": b"one line\\n" * 1_000_000,
    "8 MB of emoji": "\U0001f389".encode() * (2 * MB),
    "6 MB of emoji, escaped": b"\\ud83c\\udf89" * (MB // 2),
    "6 MB of NULs, escaped": b"\\u0000" * MB,
    "9 MB of colours": b"\\u001b[31m" * MB,
    "4 MB of quotes": b'\\"' * (2 * MB),
    "4 MB of backslashes": b"\\\\" * (2 * MB),
    "4 MB of tags": b"</ralph-mem>" * (MB // 3),
    "4 MB of blanks": b" " * (4 * MB),
    "5 MB of half characters": b"\xe2\x82" * (5 * MB // 2),
    "as much as is read": b"x" * (2 * MB - 700),
    "a little more than is read": b"x" * (2 * MB + 1),
    "as much as is looked at": b"x" * (64 * KB),
    "a little more than is looked at": b"x" * (64 * KB + 1),
}
BINARY = {
    "every byte": EVERY_BYTE,
    "every control character": bytes(range(32)) + b"\x7f",
    "zeros": b"\0" * 999,
    "a program": b"\x7fELF\x02\x01\x01" + junk(2000),
    "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + junk(2000),
    "an archive": gzip.compress(b"x" * 999, mtime=0).replace(b'"', b"'").replace(b"\\", b"/"),
    "a megabyte of junk": junk(64 * KB) * 16,
    "UTF-16": "Größe and 時間".encode("utf-16"),
    "UTF-32": "Größe and 時間".encode("utf-32"),
    "Latin-1": "Größe, naïve café".encode("latin-1"),
    "Shift-JIS": "日本語の出力".encode("shift-jis").replace(b"\\", b"/"),
    "a byte order mark": b"\xef\xbb\xbf",
}
INVALID = {
    "a continuation alone": b"\x80",
    "a beginning alone": b"\xc3",
    "a slash that is too long": b"\xc0\xaf",
    "a NUL that is too long": b"\xc0\x80",
    "half a pair": b"\xed\xa0\x80",
    "a pair in six bytes": b"\xed\xa0\xbd\xed\xb8\x80",
    "beyond the last character": b"\xf4\x90\x80\x80",
    "five bytes": b"\xf8\x88\x80\x80\x80",
    "bytes that are never used": b"\xfe\xff\xfe\xff",
    "a sign of two of its three bytes": b"\xe2\x82",
    "an emoji without its last byte": b"\xf0\x9f\x98",
    "a character that is none": b"\xef\xbf\xbf",
    "a replacement": b"\xef\xbf\xbd",
    **{f"{name}, escaped": json.dumps(text)[1:-1].encode() for name, text in STRANGE.items()},
}
OUTPUTS = {**GIANT, **BINARY, **INVALID}
# Events in whose other places something giant stands; all of them leave their row.
PLACES = {
    "a giant command": {"tool_input": {"command": "make it " + "x" * MB}},
    "a giant path": {"tool_name": "Edit", "tool_input": {"file_path": "/" + "x" * MB, "old_string": "a", "new_string": "b"}},
    "a giant name of a tool": {"tool_name": "mcp__x__" + "x" * MB, "tool_input": {"a": "b"}},
    "a giant key": {"tool_response": {"x" * MB: 1}},
    "many keys": {"tool_response": {f"key {number}": number for number in range(99_999)}},
    "many items": {"tool_response": [[]] * 999_999},
    "a giant number": {"duration_ms": 10**4000},
    "a giant place": {"cwd": "/" + "x" * MB},
    "a giant transcript": {"transcript_path": "/" + "x" * MB},
}
PROMPTS = {
    "a giant prompt": "Where is the zeppelin? " + "x" * (5 * MB),
    "a giant prompt of emoji": "Where? " + "\U0001f389" * MB,
    "a prompt of surrogates": "\ud800" * 9_999,
    "a prompt of NULs": "a" + "\0" * 9_999,
}


def sent(hook, name, data, run=None):
    """Send an event; nothing but its answer comes of it, and it stays small."""
    ran = (run or hook.run)(name, data)
    assert (ran.code, ran.err) == (0, b"") and ran.seconds < DEADLINE_S
    assert ran.peak_mb < MOST_MB


def bash(hook, **fields):
    whole = {"tool_name": "Bash", "tool_input": {"command": "make it"}, "tool_use_id": "toolu_1", "tool_response": {}, **fields}
    return hook.event("PostToolUse", **whole)


def stored_well(hook):
    """Say whether all texts are short and clean, nothing waits or was left, and the next event comes in."""
    texts = [
        text
        for row in hook.rows("SELECT title, content FROM observations UNION SELECT prompt, response FROM turns")
        for text in row
    ]
    assert max(map(len, texts), default=0) < LONGEST_KEPT * 4 and not any("\0" in text for text in texts)
    return is_well(hook) and hook.nothing_left()


def test_there_are_more_than_forty_of_them():
    count = len(UNREADABLE) + len(OUTPUTS) + len(PLACES) + len(PROMPTS)
    print(f"{count} giant, binary and invalid inputs")
    assert count >= LEAST


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_is_no_event_leaves_nothing(a_quick_session, what):
    for name in NAMES:
        sent(a_quick_session, name, UNREADABLE[what])
    assert a_quick_session.values("SELECT count(*) FROM observations UNION SELECT count(*) FROM turns") == [0]
    assert stored_well(a_quick_session)


@pytest.mark.check
@pytest.mark.parametrize("what", OUTPUTS)
def test_an_output_is_kept_with_its_beginning_and_its_end_whatever_stands_between(a_quick_session, what):
    data = bash(a_quick_session, tool_response={"stdout": "the beginning\nHERE\nthe end", "stderr": ""})
    sent(a_quick_session, "PostToolUse", data.replace(b"HERE", OUTPUTS[what]))
    ((title, content),) = a_quick_session.rows("SELECT title, content FROM observations")
    assert title == "make it" and content.startswith("the beginning") and content.endswith("the end")
    assert len(content) <= LONGEST_KEPT
    assert stored_well(a_quick_session)


@pytest.mark.parametrize("what", PLACES)
def test_something_giant_in_any_place_does_not_cost_the_event(a_quick_session, what):
    alone = functools.partial(Hook.run, a_quick_session)  # no fork, which has the memory of all that its launcher has loaded
    a_quick_session.wrap = ["/usr/bin/env"]
    sent(a_quick_session, "PostToolUse", bash(a_quick_session, **PLACES[what]), alone)
    assert a_quick_session.values("SELECT count(*) FROM observations") == [1]
    assert stored_well(a_quick_session)


@pytest.mark.parametrize("what", PROMPTS)
def test_a_giant_prompt_is_kept_with_its_beginning(a_quick_session, what):
    sent(a_quick_session, "UserPromptSubmit", a_quick_session.event("UserPromptSubmit", prompt=PROMPTS[what]))
    (prompt,) = a_quick_session.values("SELECT prompt FROM turns")
    assert prompt[:1] in (PROMPTS[what][:1], "\ufffd"), prompt[:99]
    assert stored_well(a_quick_session)


@settings(max_examples=SEVERAL, **QUIET)
@given(st.sampled_from(sorted(NAMES)), st.binary(max_size=5000))
def test_random_bytes_in_place_of_an_event_leave_nothing(a_quick_session, name, data):
    sent(a_quick_session, name, data)
    assert a_quick_session.values("SELECT count(*) FROM observations UNION SELECT count(*) FROM turns") == [0]


@settings(max_examples=SEVERAL, **QUIET)
@given(st.binary(max_size=5000).map(lambda data: data.translate(None, b'"\\')))
def test_random_bytes_in_an_output_cost_nothing_else(a_quick_session, data):
    before = a_quick_session.values("SELECT count(*) FROM observations")[0]
    event = bash(a_quick_session, tool_use_id=f"toolu_{before}", tool_response={"stdout": "the beginning\nHERE\nthe end"})
    sent(a_quick_session, "PostToolUse", event.replace(b"HERE", data))
    assert a_quick_session.values("SELECT count(*) FROM observations") == [before + 1]
    (content,) = a_quick_session.values("SELECT content FROM observations ORDER BY id DESC LIMIT 1")
    assert content.startswith("the beginning") and content.endswith("the end")
