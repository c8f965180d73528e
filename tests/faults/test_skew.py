"""Several versions on one memory: two releases of the plugin, the command line and several Pythons."""

import concurrent.futures
import contextlib
import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import says
from tests.hook import install

# What the next release might add: additive, as all migrations within a major version.
NEXT = '\n\nMIGRATIONS = (*MIGRATIONS, ("ALTER TABLE turns ADD COLUMN mood TEXT", "CREATE TABLE moods (id INTEGER PRIMARY KEY)"))'
EVENTS_OF_EACH = 15


@pytest.fixture(scope="session")
def newer_plugin(tmp_path_factory):
    """Install a plugin of a release that is one schema ahead."""
    folder = install(tmp_path_factory.mktemp("newer"))
    _change(folder / "ralph_mem/memory/store/schema.py", r"\n\nVERSION = len", NEXT + "\nVERSION = len")
    _change(
        folder / "ralph_mem/memory/store/connection.py",
        r"SCHEMA_VERSION = (\d+)",
        lambda found: f"SCHEMA_VERSION = {int(found[1]) + 1}",
    )
    return folder


def _change(file, what, into):
    text, count = re.subn(what, into, file.read_text())
    assert count == 1
    file.write_text(text)


@pytest.fixture
def older(a_session):
    """Start a session of the release at hand, which is the older one."""
    a_session.prompt("Where is the zeppelin?")
    a_session.stop("At the mast.")
    return a_session


@pytest.fixture
def newer(older, newer_plugin):
    """Return a client with the newer release in the same project, about to start."""
    other = older.another(CLAUDE_PLUGIN_ROOT=str(newer_plugin))
    other.plugin = newer_plugin
    return other


def state_of(hook):
    """Return what stands in the database, with all that was in its log: whoever closes it as the last one moves that."""
    with contextlib.closing(sqlite3.connect(hook.database)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return hashlib.sha256(hook.database.read_bytes()).hexdigest()


def titles(hook):
    return hook.values("SELECT title FROM observations ORDER BY seq")


# An older release meets what a newer one wrote


def test_the_newer_release_brings_the_memory_up_to_date_and_keeps_a_backup(older, newer):
    (before,) = older.values("PRAGMA user_version")
    newer.start()
    assert newer.values("PRAGMA user_version") == [before + 1]
    assert newer.values("SELECT prompt FROM turns WHERE mood IS NULL") == ["Where is the zeppelin?"]
    assert [path.name for path in newer.data.glob(f"backups/**/*schema-{before}*")] != []


@pytest.mark.check
def test_an_older_release_writes_not_a_byte_into_a_newer_memory(older, newer):
    newer.start()
    before = state_of(older)
    older.every_event()
    assert state_of(older) == before
    assert older.spooled() != []


@pytest.mark.check
def test_an_older_release_says_once_that_it_is_too_old_and_is_silent_otherwise(older, newer):
    newer.start()
    start, *others = older.another().every_event()
    assert "update" in start["systemMessage"] or "this release knows" in start["systemMessage"]
    assert others == [{}] * len(others)


def test_what_an_older_release_could_not_store_comes_in_with_the_newer_one(older, newer):
    newer.start()
    for number in range(5):
        older.bash(f"make part {number}", "ok")
    older.prompt("Will this wait?")
    older.stop("It did.")
    assert titles(newer) == []
    newer.prompt("Is it there?")
    assert titles(newer) == [f"make part {number}" for number in range(5)]
    assert newer.rows("SELECT prompt, response FROM turns ORDER BY seq LIMIT 1, 1") == [("Will this wait?", "It did.")]
    assert newer.spooled() == [] and newer.damage() == []


def fire_all(hooks):
    """Fire tool events of several sessions side by side; returns how many of them broke the contract."""

    def one(hook, number):
        fields = {"tool_use_id": f"toolu_{hook.session[:8]}_{number}", "tool_input": {"command": f"make {hook.session} {number}"}}
        ran = hook.run("PostToolUse", hook.event("PostToolUse", tool_name="Bash", tool_response={"stdout": "ok"}, **fields))
        return (ran.code, ran.out, ran.err) != (0, b"", b"")

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return sum(pool.map(lambda pair: one(*pair), [(hook, number) for number in range(EVENTS_OF_EACH) for hook in hooks]))


@pytest.mark.check
@pytest.mark.parametrize("when", ["before", "in the middle"])
def test_two_releases_that_write_at_once_lose_nothing(older, newer, when):
    if when == "before":
        newer.start()
        assert fire_all([older, newer]) == 0
    else:
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            starting = pool.submit(newer.start)
            assert fire_all([older]) == 0
            starting.result()
        assert fire_all([newer]) == 0
    newer.stop("All made.")
    wanted = sorted(f"make {hook.session} {number}" for hook in (older, newer) for number in range(EVENTS_OF_EACH))
    assert sorted(titles(newer)) == wanted
    assert newer.spooled() == [] and newer.damage() == []


@pytest.mark.check
def test_the_same_release_from_two_folders_is_one_to_the_memory(older, tmp_path):
    other = older.another()
    other.plugin = install(tmp_path / "elsewhere")
    other.start()
    assert fire_all([older, other]) == 0
    other.stop()
    assert len(titles(other)) == 2 * EVENTS_OF_EACH and other.spooled() == [] and other.damage() == []


# The command line beside the hooks


def command_line(hook, *words, code=0, release=None):
    """Run the installed command line, or that of another release, in the project; returns what it printed, errors too."""
    environment = {"HOME": str(hook.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    if release:
        environment["PYTHONPATH"] = str(release)
    run = says(*words, env=environment, cwd=hook.project)
    assert run.returncode == code, run
    return run.stdout + run.stderr


@pytest.mark.check
def test_the_command_line_and_hooks_write_at_once_and_lose_nothing(older):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        writing = pool.submit(fire_all, [older])
        for number in range(3):
            command_line(older, "inject", f"The lamp {number} is dim")
        assert writing.result() == 0
    older.stop()
    told = titles(older)
    assert sum(title.startswith("make") for title in told) == EVENTS_OF_EACH
    assert sum("is dim" in title for title in told) == 3
    assert older.spooled() == [] and older.damage() == []


@pytest.mark.check
def test_a_newer_command_line_brings_the_memory_up_to_date_and_older_hooks_then_wait(older, newer, newer_plugin):
    command_line(older, "inject", "The lamp is dim", release=newer_plugin)
    before = state_of(older)
    older.bash("make mast", "ok")
    assert state_of(older) == before and len(older.spooled()) == 1
    newer.start()
    assert "make mast" in titles(newer) and newer.spooled() == []


@pytest.mark.check
@pytest.mark.parametrize("words", [["search", "zeppelin"], ["inject", "A lamp"], ["forget", "--all"], ["compress"]])
def test_an_older_command_line_says_that_it_is_too_old_and_changes_nothing(older, newer, words):
    newer.start()
    before = state_of(older)
    assert "update the plugin" in command_line(older, *words, code=1)
    assert state_of(older) == before


def test_an_older_list_of_projects_shows_a_newer_memory_as_such(older, newer):
    newer.start()
    before = state_of(older)
    assert "newer" in command_line(older, "projects")
    assert state_of(older) == before


# Several Pythons


def interpreters():
    """Return the oldest and the newest interpreter of this machine that a hook may meet."""
    names = [f"python3.{minor}" for minor in range(9, 16)]
    beside = [Path(folder, "bin", "python3") for folder in Path(sys.base_prefix).parent.glob("3.*")]
    found = {}
    for path in [*filter(None, map(shutil.which, names)), *beside]:
        run = subprocess.run([path, "-c", "import sys, sqlite3; print(*sys.version_info[:2])"], capture_output=True, text=True)
        version = tuple(map(int, run.stdout.split()))
        if run.returncode == 0 and version >= (3, 9):
            found[version] = str(path)
    return [found[version] for version in sorted(found)][:: max(1, len(found) - 1)]


@pytest.mark.check
def test_the_oldest_and_the_newest_python_of_this_machine_write_into_the_same_memory(older):
    found = interpreters()
    if len(found) < 2:
        pytest.skip("there is one Python on this machine")
    for number, python in enumerate(found * 2):
        (older.data / "python").write_text(python + "\n")
        older.bash(f"make {number} with {python}", "ok")
        older.prompt(f"Which zeppelin is {number}?")
        older.stop("This one.")
    assert titles(older) == [f"make {number} with {python}" for number, python in enumerate(found * 2)]
    assert older.values("SELECT count(*) FROM turns WHERE status = 'stopped'") == [5]
    assert older.spooled() == [] and older.damage() == []
