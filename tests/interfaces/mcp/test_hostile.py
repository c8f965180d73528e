"""Messages that mean harm: none ends the server, reads what belongs to another project, or goes without its answer."""

import json
import os
import sqlite3
import sys
from contextlib import closing

import pytest

from ralph_mem.core.project import Project
from ralph_mem.memory import opening
from tests.hook import REPOSITORY, Hook
from tests.interfaces.mcp.clients import NEWEST, OLDEST, Inside, Outside
from tests.interfaces.mcp.hostile import messages
from tests.sessions import Session

SECRET = "marmalade in the larder of the other house"


@pytest.fixture
def another_memory(tmp_path):
    """Make another project of the same person with a memory; returns its folder and the id of its turn."""
    folder = tmp_path / "other"
    folder.mkdir()
    other = Session(opening.open_ready(Project(str(folder))), Project(str(folder)), "other-session")
    other.starts()
    name = other.has_a_turn("Where is the marmalade?", f"It is {SECRET}.")
    other.store.checkpoint()
    return str(folder), name


def is_answered(message):
    """Say whether a message has to be answered: all but notifications and answers that nobody asked for."""
    try:
        read = json.loads(message)
    except (ValueError, RecursionError):
        return True
    if isinstance(read, dict) and "id" not in read and read.get("jsonrpc") == "2.0" and isinstance(read.get("method"), str):
        return False
    return not (isinstance(read, dict) and "method" not in read and ("result" in read or "error" in read))


def test_there_are_a_hundred_of_them(tmp_path):
    found = messages(str(tmp_path), "turn-aaaaaaaaaa")
    print(f"{len(found)} hostile messages, the longest of {max(map(len, found)):,} bytes")
    assert len(set(found)) >= 100 and not any(b"\n" in each for each in found)


@pytest.mark.check
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_each_is_answered_and_the_server_goes_on(plugin, tmp_path, another_memory, version):
    hook = Hook(tmp_path / "person", plugin)
    hook.start()
    hook.prompt("Where is the lamp?")
    hook.stop("In the hangar.")
    with Outside(hook, version=version) as client:
        client.begins()
        told = []
        for number, message in enumerate(messages(*another_memory)):
            client.send(message)
            client.send(json.dumps({"jsonrpc": "2.0", "id": f"after {number}", "method": "nope"}).encode())
            answers = [client.line()]
            while answers[-1].get("id") != f"after {number}":
                answers.append(client.line())
            assert len(answers) - 1 == is_answered(message), message[:200]
            told += answers
        client.is_idle()
        assert "lamp" in client.uses("search", query="lamp")
        code, rest, complaints = client.ends()
    assert (code, rest, complaints) == (0, b"", b"")
    assert SECRET not in json.dumps(told) and "root:" not in json.dumps(told)
    assert [path.name for path in tmp_path.rglob("was-run")] == []
    with closing(sqlite3.connect(f"file:{hook.database}?mode=ro", uri=True)) as db:
        assert db.execute("SELECT prompt FROM turns").fetchall() == [("Where is the lamp?",)]


OPENED = []
WATCHING = []


def _watch(event, given):
    if WATCHING and event in {"open", "sqlite3.connect", "os.listdir", "os.chdir", "os.unlink", "os.rename", "os.mkdir"} and given:
        OPENED.append(os.fsdecode(given[0]) if isinstance(given[0], (str, bytes)) else "")


@pytest.mark.check
def test_nothing_of_another_project_is_opened(a_session, another_memory):
    a_session.has_a_turn("Where is the lamp?", "In the hangar.")
    client = Inside(a_session.project.root)
    client.begins()
    sys.addaudithook(_watch)
    WATCHING.append(True)
    try:
        for message in messages(*another_memory):
            client.exchange(message)
    finally:
        WATCHING.clear()
    project, home = a_session.project.root, os.path.dirname(a_session.project.root)
    ours = [path for path in OPENED if path.startswith((project, f"file://{project}"))]
    print(f"{len(OPENED)} times something was opened, {len(ours)} times of this project")
    assert ours and not [path for path in OPENED if another_memory[0] in path or "passwd" in path or ".ssh" in path]
    allowed = (project, f"file://{project}", f"{home}/home", f"file://{home}/home", "/proc/", sys.base_prefix, str(REPOSITORY))
    assert {path for path in OPENED if not path.startswith(allowed)} == set()
