"""Who has typed a command: a person at a terminal, or the agent of a client in a shell of its own."""

import os

import pytest

from ralph_mem.hosts import asker, known

# What each client sets in the shells of its agent: seen in those that run here, read in the documents of the two that do not.
SET = {
    "claude-code": ("CLAUDE_CODE_SESSION_ID", "7b0c"), "codex": ("CODEX_THREAD_ID", "01a20de4"), "copilot": ("COPILOT_CLI", "1"),
    "gemini": ("GEMINI_CLI", "1"), "opencode": ("OPENCODE", "1"), "qwen": ("QWEN_CODE", "1"), "cursor": ("CURSOR_AGENT", "1"),
    "goose": ("GOOSE_TERMINAL", "1"), "another": ("AI_AGENT", "another"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_client(monkeypatch):
    """Let nothing above the tests be a client."""
    monkeypatch.setattr(asker.descendants, "above", list)
    for name in asker.variables():
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def at_a_terminal(monkeypatch):
    monkeypatch.setattr(os, "isatty", lambda file: file == 2)  # its output goes into another program


def test_every_client_is_known_by_its_shell():
    assert {*SET} == {known.FIRST, *known.OTHERS, *known.BY_DOCUMENTS, "another"}


def test_the_shell_of_a_client_that_names_no_session_is_a_models(monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    assert asker.is_a_model()


@pytest.mark.parametrize("client", SET)
def test_what_runs_in_the_shell_of_a_client_is_a_models_also_at_a_terminal(client, at_a_terminal, monkeypatch):
    monkeypatch.setenv(*SET[client])
    assert asker.is_a_model() and not asker.is_a_person()


def test_a_person_is_at_a_terminal_wherever_the_output_goes(at_a_terminal):
    assert asker.is_a_person()


def test_without_a_terminal_nobody_counts_as_a_person_and_no_client_is_seen(monkeypatch):
    monkeypatch.setattr(os, "isatty", lambda file: False)
    assert not asker.is_a_person() and not asker.is_a_model()
