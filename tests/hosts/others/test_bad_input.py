"""Whatever a client hands over: exit 0, silence, no wrong row, nothing run."""

import json

import pytest

from ralph_mem.hosts import known
from tests.hosts.others.clients import TOOL

WRONG = [None, True, -1, 10**30, [], {}, "", [["x"]], {"x": {"y": 1}}]
MIB = 1024 * 1024


def bad(shape):
    """Return thirty and more inputs by what is wrong with each, as (name of the event, bytes)."""
    tool, fields = shape.command("make it", "made")
    whole = json.dumps(fields).encode()
    found = {f"cut after {share} eighths": (tool, whole[: len(whole) * share // 8]) for share in range(1, 7)}
    found |= {f"every field {value!r:.20}": (tool, json.dumps(dict.fromkeys(fields, value)).encode()) for value in WRONG}
    for number, value in enumerate(WRONG):
        name, prompt = shape.prompt("hello")
        words = prompt["o"] if shape.host == "opencode" else prompt
        words["parts" if shape.host == "opencode" else "prompt"] = value
        found[f"a prompt that is {number}: {value!r:.20}"] = (name, json.dumps(prompt).encode())
    plain = {
        "nothing": b"",
        "a word": b"hello",
        "null": b"null",
        "a list": b"[1]",
        "empty": b"{}",
        "zeros": b"\0" * 4096,
        "braces": b"{" * 100_000,
    }
    found |= {name: (tool, data) for name, data in plain.items()}
    found["UTF-16"] = (tool, json.dumps(fields).encode("utf-16"))
    found["an event that nobody knows"] = ("before-the-world-ends", whole)
    found["an event of another name"] = ("stop", whole.replace(b"tool.execute.after", b"x"))
    return found


@pytest.mark.check
@pytest.mark.parametrize("host", known.OTHERS)
def test_what_cannot_be_understood_is_answered_with_silence_and_leaves_nothing(guest, host):
    inputs = bad(guest.shape(host))
    assert len(inputs) >= 30
    for what, (name, data) in inputs.items():
        if what != "an event of another name" or host != "copilot":  # whose own spelling names no event
            assert guest.sends_bytes(host, name, data) == {}, what
    kept = guest.values("SELECT title FROM observations") if guest.database.exists() else []
    assert set(kept) <= {"make it"}  # of an event that was cut off behind its command
    assert not guest.database.exists() or set(guest.values("SELECT prompt FROM turns")) <= {""}


@pytest.mark.check
@pytest.mark.parametrize("host", known.OTHERS)
def test_the_input_of_another_client_is_answered_with_silence_and_leaves_nothing(guest, host):
    for other in known.OTHERS:
        shape = guest.shape(other)
        for name, fields in (
            shape.start(),
            shape.prompt("hello"),
            shape.command("make it", "made"),
            shape.stop("bye"),
            shape.end(),
        ):
            assert other == host or guest.sends(host, name, fields) == {}
    assert guest.sends_bytes(host, TOOL, guest.event("PostToolUse", tool_name="Bash", tool_input={"command": "x"})) == {}
    assert not guest.memory.exists()


@pytest.mark.parametrize("host", ["", "nobody", "../../evil", "claude_code", "CODEX"])
def test_a_host_that_nobody_knows_is_left_in_silence(guest, host):
    if host:
        assert guest.sends(host, *guest.shape("gemini").prompt("hello")) == {}
    assert not guest.memory.exists()


@pytest.mark.parametrize("host", known.OTHERS)
def test_a_nul_and_half_a_character_are_left_out(guest, host):
    guest.sends(host, *guest.shape(host).prompt("a\0b \ud800 c"))
    assert [text.replace("\ufffd", "?") for text in guest.values("SELECT prompt FROM turns")] == ["ab ? c"]


@pytest.mark.parametrize("host", known.OTHERS)
def test_of_three_megabytes_what_is_kept_is_short(guest, host):
    guest.sends(host, *guest.shape(host).command("make it", "line of output\n" * (3 * MIB // 15), 0))
    kept = guest.rows("SELECT title, length(content) FROM observations")
    assert kept and kept[0][0] == "make it" and kept[0][1] < 3000
    assert guest.damage() == []


@pytest.mark.parametrize("host", known.OTHERS)
def test_a_command_in_an_event_is_never_run(guest, host):
    trap = guest.folder / "trap"
    for name, fields in (
        guest.shape(host).command(f"touch {trap}", f"$(touch {trap})"),
        guest.shape(host).prompt(f"`touch {trap}`"),
    ):
        guest.sends(host, name, fields)
    assert not trap.exists()


@pytest.mark.parametrize("host", known.OTHERS)
def test_a_prompt_without_words_is_none(guest, host):
    assert guest.sends(host, *guest.shape(host).prompt(" \n")) == {}
    assert not guest.database.exists()
