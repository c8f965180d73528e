"""`/mem page`, by which a person opens the page from a session."""

import subprocess
import sys
from pathlib import Path

import pytest

from ralph_mem.interfaces import skills
from ralph_mem.interfaces.skills import upkeep


def asked(session, words="", typed=True):
    """Return what a person asks in a session's project."""
    return skills.Asked(session.project.root, f"page {words}".strip(), session.name, typed=typed)


@pytest.fixture
def programs(monkeypatch):
    """Note which programs are started, with their environment, and start none."""
    seen = []

    def run(order, env=None, **_):
        seen.append((order, env))
        return subprocess.CompletedProcess(order, 0, b"The page opens.\n", b"")

    monkeypatch.setattr(subprocess, "run", run)
    return seen


def test_a_person_starts_it_under_the_interpreter_of_the_hooks_and_without_the_secrets_of_the_session(
    a_session, programs, the_environment
):
    the_environment(DISPLAY=":1", ANTHROPIC_API_KEY="secret")
    assert skills.answered("mem", lambda: asked(a_session)).strip().endswith("The page opens.")
    ((order, environment),) = programs
    assert order == [
        sys.executable,
        "-I",
        "-X",
        "utf8",
        str(Path(upkeep.__file__).parents[1] / "page"),
        a_session.project.root,
        "detached",
    ]
    assert environment[b"DISPLAY"] == b":1"
    assert b"ANTHROPIC_API_KEY" not in environment


def test_a_person_stops_it(a_session, programs):
    skills.answered("mem", lambda: asked(a_session, "--stop"))
    assert programs[0][0][-1] == "stop"


def test_a_model_starts_none(a_session, programs):
    assert "only a person" in skills.answered("mem", lambda: asked(a_session, typed=False))
    assert not programs
