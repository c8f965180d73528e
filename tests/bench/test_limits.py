"""What a hook may cost beside instructions: waiting for the disk, and room on it."""

import re

import pytest

from tests.bench import memory_of
from tests.bench.processes import SESSION, Hooks, has, interpreter

MEGABYTES_OF_A_THOUSAND_SESSIONS = 100

needs_strace = pytest.mark.skipif(not has("strace"), reason="strace is not installed, so no system calls can be counted")


@pytest.fixture
def a_session_at_work(tmp_path):
    (tmp_path / "project").mkdir()
    hooks = Hooks(str(tmp_path / "project"), tmp_path / "home", interpreter())
    hooks.run(hooks.direct("session-start"), hooks.event("SessionStart", source="startup"))
    hooks.run(hooks.direct("user-prompt-submit"), hooks.prompt("Why is the lamp off?"))
    return hooks


@needs_strace
def test_a_tool_event_never_waits_for_the_disk(a_session_at_work):
    for _ in range(3):
        assert a_session_at_work.fsyncs(a_session_at_work.direct("post-tool-use"), a_session_at_work.tool()) == 0


@needs_strace
def test_a_prompt_is_on_the_disk_before_it_is_acknowledged(a_session_at_work):
    argv = a_session_at_work.direct("user-prompt-submit")
    assert a_session_at_work.fsyncs(argv, a_session_at_work.prompt("Where is the fuse?")) >= 1


@pytest.mark.skipif(not has("sh"), reason="there is no shell")
def test_the_launcher_starts_the_interpreter_that_is_remembered(a_session_at_work):
    a_session_at_work.run(a_session_at_work.launched("post-tool-use"), a_session_at_work.tool())
    remembered = a_session_at_work.env["HOME"] + "/.local/share/ralph-mem/python"
    with open(remembered) as file:
        assert re.fullmatch(r"/.*python3[.\d]*\n", file.read())
    assert SESSION


def test_a_thousand_sessions_of_sixty_observations_fit_into_a_hundred_megabytes(tmp_path):
    place = memory_of.build(tmp_path / "project", 1500, 10, memory_of.Words(seed=7))
    size = sum(file.stat().st_size for file in (tmp_path / "project" / ".ralph-mem").iterdir())
    assert place.root and 4 * size <= MEGABYTES_OF_A_THOUSAND_SESSIONS * 1e6
