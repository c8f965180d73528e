"""What a hook may cost beside instructions: waiting for the disk, and room on it."""

import re
from pathlib import Path

import pytest

from tests.bench import memory_of
from tests.bench.processes import SESSION, Hooks, has, interpreter

MEGABYTES_OF_A_THOUSAND_SESSIONS = 100

needs_strace = pytest.mark.skipif(not has("strace"), reason="strace is not installed, so no system calls can be counted")


# Looked for when the file is read, before the tests move the home away.
PYTHONS = {
    version: sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python3")) for version in ("3.9", "3.10", "3.12", "3.13")
}


@pytest.fixture
def a_session_at_work(tmp_path):
    return at_work(tmp_path, interpreter())


def at_work(tmp_path, python):
    (tmp_path / "project").mkdir()
    hooks = Hooks(str(tmp_path / "project"), tmp_path / "home", python)
    hooks.run(hooks.direct("session-start"), hooks.event("SessionStart", source="startup"))
    hooks.run(hooks.direct("user-prompt-submit"), hooks.prompt("Why is the lamp off?"))
    return hooks


@needs_strace
def test_a_tool_event_never_waits_for_the_disk(a_session_at_work):
    for _ in range(3):
        assert a_session_at_work.fsyncs(a_session_at_work.direct("post-tool-use"), a_session_at_work.tool()) == 0


@needs_strace
@pytest.mark.parametrize("version", PYTHONS)
def test_a_tool_event_never_waits_for_the_disk_under_other_pythons(tmp_path, version):
    if not (found := PYTHONS[version]):
        pytest.skip(f"there is no Python {version} here")
    hooks = at_work(tmp_path, str(found[0]))
    hooks.run(hooks.direct("post-tool-use"), hooks.tool())
    assert hooks.fsyncs(hooks.direct("post-tool-use"), hooks.tool()) == 0


@needs_strace
def test_a_prompt_is_on_the_disk_before_it_is_acknowledged(a_session_at_work):
    argv = a_session_at_work.direct("user-prompt-submit")
    assert a_session_at_work.fsyncs(argv, a_session_at_work.prompt("Where is the fuse?")) >= 1


@needs_strace
@pytest.mark.parametrize("name", ["session-start", "user-prompt-submit", "post-tool-use"])
def test_a_hook_opens_the_memory_of_its_project_exactly_once(a_session_at_work, name):
    data = {
        "session-start": a_session_at_work.event("SessionStart", source="resume"),
        "user-prompt-submit": a_session_at_work.prompt("Where is the fuse?"), "post-tool-use": a_session_at_work.tool(),
    }  # fmt: skip
    opened = a_session_at_work.openings(a_session_at_work.direct(name), data[name])
    assert opened == [f"{a_session_at_work.root}/.ralph-mem/memory.db"]


@pytest.mark.skipif(not has("sh"), reason="there is no shell")
def test_the_launcher_starts_the_interpreter_that_is_remembered(a_session_at_work):
    a_session_at_work.run(a_session_at_work.launched("post-tool-use"), a_session_at_work.tool())
    remembered = a_session_at_work.env["HOME"] + "/.local/share/ralph-mem/python"
    with open(remembered) as file:
        assert re.fullmatch(r"/.*python3[.\d]*\n", file.read())
    assert SESSION


@pytest.mark.check
def test_a_thousand_sessions_of_sixty_observations_fit_into_a_hundred_megabytes(tmp_path):
    place = memory_of.build(tmp_path / "project", 1500, 10, memory_of.Words(seed=7))
    size = sum(file.stat().st_size for file in (tmp_path / "project" / ".ralph-mem").iterdir())
    assert place.root and 4 * size <= MEGABYTES_OF_A_THOUSAND_SESSIONS * 1e6
