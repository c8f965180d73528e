"""What a client calls things: a token in a name, an id or a path of an event reaches no file either."""

import random

import pytest

from ralph_mem.core.redaction import privacy
from ralph_mem.maintenance import scrub as scrubbing
from tests.core.redaction import secret_corpus
from tests.readers import files_of, holding

TOKEN = "gh" + "p_" + secret_corpus.some(random.Random(18), secret_corpus.ALNUM, 36)
IDS = {"session_id": "the-session", "transcript_path": "/x/t.jsonl", "permission_mode": "default", "git_branch": "main"}
TOOL = {
    **IDS, "tool_name": "Bash", "tool_input": {"command": "make lamp", "description": "Build it"}, "tool_use_id": "t1",
    "prompt_id": "p1",
    "tool_response": {"stdout": "done", "stderr": ""}, "agent_id": "a1", "agent_type": "explore",
}  # fmt: skip
EVENTS = {
    "session-start": {**IDS, "source": "startup", "model": "large"},
    "user-prompt-submit": {**IDS, "prompt": "Fix the lamp please", "prompt_id": "p2"},
    "post-tool-use": TOOL,
    "post-tool-use-failure": {**TOOL, "error": "Exit code 2"},
    "stop": {**IDS, "last_assistant_message": "Done.", "prompt_id": "p2"},
    "subagent-stop": {
        **IDS,
        "last_assistant_message": "All is done.",
        "agent_type": "explore",
        "agent_id": "a7",
        "prompt_id": "p9",
    },
    "post-compact": {**IDS, "compact_summary": "What was done so far", "trigger": "auto"},
    "session-end": {**IDS, "reason": "other"},
}
FIELDS = [(event, field) for event, fields in EVENTS.items() for field in fields]


def with_token(value):
    return {key: f"{each} {TOKEN}" for key, each in value.items()} if isinstance(value, dict) else f"{value}/{TOKEN}"


def test_there_are_fifty_fields():
    assert len(FIELDS) >= 50


@pytest.mark.parametrize(("event", "field"), FIELDS)
def test_a_token_in_this_field_reaches_no_file(a_session, event, field):
    a_session.asks("Mend the lamp in the hall")
    a_session.sends(event, **{**EVENTS[event], field: with_token(EVENTS[event][field])})
    assert holding(files_of(a_session.project), TOKEN) == []


def test_events_of_a_session_with_a_token_for_an_id_stay_together(a_session):
    for event in ("session-start", "user-prompt-submit", "post-tool-use", "stop"):
        a_session.sends(event, **{**EVENTS[event], "session_id": f"s/{TOKEN}", "prompt_id": "p3"})
    found = a_session.rows(
        "SELECT s.client_session, t.response FROM sessions s JOIN turns t ON t.session_id = s.id WHERE response > ''"
    )
    assert found == [("s/[REDACTED:github-token]", "Done.")]


@pytest.fixture
def names_of_an_older_release(a_session, monkeypatch):
    """Have two sessions, turns and observations whose names hold a token, stored as they came."""
    monkeypatch.setattr(privacy, "rename", lambda seen: None)
    for number in range(2):
        told = dict.fromkeys(
            ("session_id", "model", "transcript_path", "prompt_id", "tool_use_id", "agent_id"), f"{number}/{TOKEN}"
        )
        for event in ("session-start", "user-prompt-submit", "post-tool-use", "session-end"):
            a_session.sends(event, **{**EVENTS[event], **{key: told[key] for key in told.keys() & {*EVENTS[event], "prompt_id"}}})
    return a_session


def test_a_scrub_takes_tokens_out_of_names_and_says_how_many(names_of_an_older_release):
    session = names_of_an_older_release
    assert holding(files_of(session.project), TOKEN) != []
    report, _ = scrubbing.scrub(session.store, scrubbing.protector(session.project, session.settings))
    assert report.changed == {"sessions": 2, "turns": 2, "observations": 2}
    assert holding(files_of(session.project), TOKEN) == []
