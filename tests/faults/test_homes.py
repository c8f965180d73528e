"""One project, several homes: a person works on it from a container, too, with a home of its own. Each keeps its memory."""

import os
import posix
import shutil
import sqlite3
import subprocess
import threading
import time
from contextlib import closing

import pytest

from ralph_mem.core import project
from ralph_mem.core.errors import StoreError
from ralph_mem.maintenance.doctor import files
from ralph_mem.memory import opening
from ralph_mem.memory.ownership import foreign
from ralph_mem.memory.rows import tombstones
from tests.hook import Hook, ordinary_owner

SAID = "SELECT prompt FROM turns ORDER BY id"
RAN = "SELECT title FROM observations ORDER BY id"
NAMES = ("host", "container")
KILLED = 9


@pytest.fixture
def a_pair(tmp_path):
    """Make sessions of two homes in one project, none of them begun."""
    host = Hook(tmp_path / "person")
    return {"host": host, "container": at_home(host, "container")}


def at_home(hook, name):
    """Return a session in the same project whose person has another home."""
    other = hook.another(HOME=str(hook.folder / name))
    other.home = hook.folder / name
    other.home.mkdir(exist_ok=True)
    return other


def works(hook, words):
    """Have a session of its home: a prompt, a command, an answer; returns what its start told."""
    session = hook.another()
    told = session.start().get("systemMessage", "")
    session.prompt(f"Where is the {words}?")
    session.bash(f"make {words}", "ok")
    session.stop("There.")
    return told


def asides(hook):
    return sorted(path.name for path in hook.memory.glob("memory.db.unknown-*") if foreign.is_time(path.name.rpartition("-")[2]))


@pytest.mark.check
def test_each_home_finds_its_own_memory_again_however_often_they_take_turns(a_pair):
    told = {name: [works(a_pair[name], f"{name} {number}") for number in range(3)] for name in NAMES}
    for number in range(3, 6):
        for name in NAMES:
            told[name].append(works(a_pair[name], f"{name} {number}"))
            assert a_pair[name].values(SAID) == [f"Where is the {name} {each}?" for each in range(number + 1)]
            assert (len(asides(a_pair[name])), a_pair[name].damage()) == (1, [])
    assert ["yours is back" in line for name in NAMES for line in told[name][3:]] == [True] * 6


def test_the_first_session_of_a_second_home_begins_a_memory_of_its_own_and_says_so(a_pair):
    works(a_pair["host"], "zeppelin")
    told = works(a_pair["container"], "anchor")
    assert "it is set aside, and a new one begun" in told
    assert a_pair["container"].values(SAID) == ["Where is the anchor?"]


def test_what_is_said_while_the_other_home_has_its_memory_in_place_waits_and_comes_in(a_pair):
    host, container = a_pair["host"], a_pair["container"]
    host.start()
    host.prompt("Where is the zeppelin?")
    container.start()
    host.bash("make mast", "ok")
    container.prompt("Where is the anchor?")
    host.stop("At the mast.")
    assert (host.values(SAID), len(list(host.data.glob("spool/*/*.json")))) == (["Where is the anchor?"], 2)
    told = host.another().start()["systemMessage"]
    assert "yours is back" in told and "XDG_DATA_HOME" in told
    assert host.rows("SELECT prompt, response FROM turns") == [("Where is the zeppelin?", "At the mast.")]
    assert host.values(RAN) == ["make mast"] and host.spooled() == []
    container.another().start()
    assert container.values(SAID) == ["Where is the anchor?"]


@pytest.mark.check
def test_what_two_homes_do_at_once_is_lost_by_neither(a_pair):
    sessions = {name: [a_pair[name].another() for _ in range(4)] for name in NAMES}
    workers = [
        threading.Thread(target=talk, args=(session, number)) for name in NAMES for number, session in enumerate(sessions[name])
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for name in NAMES:
        for _ in range(3):  # one that another home disturbs leaves all of it to the next
            a_pair[name].another().start()
        assert sorted(a_pair[name].values(SAID)) == sorted(f"Where is {session.session}?" for session in sessions[name])
        assert len(a_pair[name].values(RAN)) == 4 * 5 and a_pair[name].damage() == []
        assert list(a_pair[name].data.glob("spool/*/*.json")) == []


def talk(session, number):
    """Have a session that is begun anew in its middle, as after a `/clear`: so the memories change places under all others."""
    fire(session, "SessionStart", source="startup")
    fire(session, "UserPromptSubmit", prompt=f"Where is {session.session}?")
    for step in range(5):
        if step == number:
            fire(session, "SessionStart", source="resume")
        given = {"stdout": "ok", "stderr": "", "interrupted": False, "isImage": False}
        fire(
            session,
            "PostToolUse",
            tool_name="Bash",
            tool_input={"command": f"make {step}"},
            tool_response=given,
            tool_use_id=f"{session.session}{step}",
        )
    fire(session, "Stop", last_assistant_message="There.")


def fire(session, name, **fields):
    with session.open(name, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        _, err = process.communicate(session.event(name, **fields))
    assert (process.returncode, err) == (0, b"")


# Killed in the middle


@pytest.fixture(scope="module")
def a_past(tmp_path_factory):
    """Have both homes behind a session each, the container's memory in place, with a log; `again` brings that about once more."""
    host = Hook(tmp_path_factory.mktemp("homes") / "person")
    for name, hook in (("host", host), ("container", at_home(host, "container"))):
        works(hook, name)
        hook.another().prompt("Where now?")  # after the Stop, which empties a long log
    shutil.copytree(host.folder, host.folder.with_name("kept"))
    return host.folder


def again(folder):
    """Return sessions of both homes in the state of their past, in the same place."""
    # to delete it would let another file have the number of a known one
    folder.rename(folder.with_name(f"before {time.time_ns()}"))
    shutil.copytree(folder.with_name("kept"), folder)
    host = Hook(folder)
    return {"host": host, "container": at_home(host, "container")}


def swap(hook, killed_at):
    """Begin a session in a process of its own that is killed before so many of its renames; says whether it was."""
    child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, KILLED)
        return code == KILLED
    steps, rename = iter(range(killed_at)), posix.rename

    def rename_or_die(old, new):
        if "memory.db" in str(old) and next(steps, None) is None:
            os._exit(KILLED)
        rename(old, new)

    posix.rename = rename_or_die
    posix.environ.clear()
    posix.environ.update({name.encode(): value.encode() for name, value in hook.environment.items()})
    try:
        opening.begin(project.Project(str(hook.project)), 1000)
        os._exit(0)
    finally:
        os._exit(1)


@pytest.mark.check
@pytest.mark.parametrize("first", NAMES)
def test_killed_between_any_two_renames_both_homes_have_all_of_theirs(a_past, first):
    killed, moments = True, 0
    while killed:
        pair = again(a_past)
        killed = swap(pair["host"], moments)
        moments += killed
        for name in (first, *[other for other in NAMES if other != first], first):
            session = pair[name].another()
            session.bash("make mast", "ok")
            session.start()
            assert session.values(SAID) == [f"Where is the {name}?", "Where now?"], (moments, name)
            assert session.values(RAN)[:2] == [f"make {name}", "make mast"] and session.damage() == []
    print(f"killed at {moments} moments")
    assert moments == 5  # the database, its log, the log's index, the end of its name; ours


# What lies aside and is not ours


def of_another_project(hook, aside):
    elsewhere = hook.another(CLAUDE_PROJECT_DIR=str(hook.folder / "elsewhere"))
    elsewhere.project = hook.folder / "elsewhere"
    elsewhere.project.mkdir()
    works(elsewhere, "other")
    with elsewhere.connect() as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    aside.write_bytes(elsewhere.database.read_bytes())


def changed(*statements):
    def change(_, aside):
        with closing(sqlite3.connect(aside, isolation_level=None)) as db:
            for statement in statements:
                db.execute(statement)

    return change


def with_its_seal_on_another_project(hook, aside):
    """Take a seal of ours that somebody saw, and the id of this project, but not from the same database."""
    with closing(sqlite3.connect(aside)) as db:
        (seal,) = db.execute("SELECT value FROM properties WHERE key = 'seal'").fetchone()
    of_another_project(hook, aside)
    changed(f"UPDATE properties SET value = '{seal}' WHERE key = 'seal'")(hook, aside)


def tracked(hook, aside):
    for order in (["init", "-q"], ["add", "-f", str(aside)]):
        subprocess.run(["git", "-C", str(hook.project), *order], check=True)


def a_link(hook, aside):
    aside.rename(hook.folder / "elsewhere.db")
    aside.symlink_to(hook.folder / "elsewhere.db")


def a_second_name(hook, aside):
    os.link(aside, hook.folder / "second.db")


def of_another_user(_, aside):
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    os.chown(aside, 65534, 65534)


def its_log_a_link(hook, aside):
    aside.with_name(aside.name + "-wal").symlink_to(hook.folder / "elsewhere")


def a_journal_beside_it(_, aside):
    aside.with_name(aside.name + "-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"x" * 600)


def a_folder(_, aside):
    aside.unlink()
    aside.mkdir()


def a_fifo(_, aside):
    aside.unlink()
    os.mkfifo(aside)


NOT_OURS = {
    "of another project": of_another_project,
    "a seal of ours in another project's": with_its_seal_on_another_project,
    "no seal": changed("DELETE FROM properties WHERE key = 'seal'"),
    "a seal of its own": changed(f"UPDATE properties SET value = '{'0' * 96}' WHERE key = 'seal'"),
    "no id": changed("DELETE FROM properties WHERE key = 'project_id'"),
    "an id that leads elsewhere": changed("UPDATE properties SET value = 'project-../../x' WHERE key = 'project_id'"),
    "its properties a view": changed(
        "ALTER TABLE properties RENAME TO kept", "CREATE VIEW properties AS SELECT key, value FROM kept WHERE length(key)"
    ),
    "tracked by git": tracked,
    "a link": a_link,
    "of two names": a_second_name,
    "another user's": of_another_user,
    "its log a link": its_log_a_link,
    "a journal beside it": a_journal_beside_it,
    "a folder": a_folder,
    "a FIFO": a_fifo,
    "cut short": lambda _, aside: os.truncate(aside, 5000),
    "no database": lambda _, aside: aside.write_text("this is no database\n" * 999),
}


def test_there_are_seventeen_of_them():
    print(f"{len(NOT_OURS)} databases aside that are not ours")
    assert len(NOT_OURS) == 17


@pytest.fixture
def an_aside(a_past):
    """Have the host's memory lie aside, as one file; returns a session of the host and its path."""
    host = again(a_past)["host"]
    (name,) = asides(host)
    changed("PRAGMA wal_checkpoint(TRUNCATE)")(host, host.memory / name)
    return host, host.memory / name


def test_what_lies_aside_and_is_ours_is_taken_back(an_aside):
    host, _ = an_aside
    assert "yours is back" in host.another().start()["systemMessage"]


@pytest.mark.check
@pytest.mark.parametrize("spoil", NOT_OURS.values(), ids=NOT_OURS)
@pytest.mark.parametrize("place", ["taken", "empty"])
def test_what_lies_aside_and_is_not_ours_is_left_there(an_aside, spoil, place):
    host, aside = an_aside
    spoil(host, aside)
    before = os.lstat(aside)
    if place == "empty":
        for path in host.memory.glob("memory.db*"):
            if not path.name.startswith(aside.name):
                path.rename(host.folder / path.name)
    session = host.another()
    assert "is back" not in session.start().get("systemMessage", "")
    session.prompt("Where am I?")
    assert session.values(SAID) == ["Where am I?"]
    assert (os.lstat(aside).st_ino, os.lstat(aside).st_nlink) == (before.st_ino, before.st_nlink)


def test_a_name_that_is_no_time_of_ours_is_passed_over(an_aside):
    host, aside = an_aside
    for end in ("", "x", "7" * 18, "9" * 40, "١" * 19):
        shutil.copyfile(aside, host.memory / f"memory.db.unknown-{end}")
    assert foreign.aside(project.Project(str(host.project))) == [str(aside)]


# What else may be


def test_a_memory_that_somebody_deleted_gets_none_of_its_log_into_the_one_that_comes_back(an_aside):
    host, _ = an_aside
    log = (host.memory / "memory.db-wal").read_bytes()
    assert log
    host.database.unlink()
    assert "is back" in host.another().start()["systemMessage"]
    assert host.values(SAID) == ["Where is the host?", "Where now?"] and host.damage() == []
    assert log in [path.read_bytes() for path in host.memory.glob("memory.db.unknown-*-wal")]


def test_a_command_neither_takes_the_memory_of_another_home_nor_changes_places(an_aside, monkeypatch):
    host, aside = an_aside
    before = host.database.stat().st_ino
    for name, value in (("HOME", str(host.home)), ("XDG_DATA_HOME", None), ("XDG_CONFIG_HOME", None)):
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name, raising=False)
    with pytest.raises(StoreError, match="is not used"):
        opening.open_ready(project.Project(str(host.project)))
    assert (host.database.stat().st_ino, aside.exists()) == (before, True)


def test_the_memory_of_a_container_whose_user_is_another_one_is_set_aside_all_the_same(an_aside):
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    host, _ = an_aside
    for path in (host.database, host.memory / "memory.db-wal"):
        os.chown(path, 65534, 65534)
    session = host.another()
    session.wrap = ordinary_owner()
    assert "yours is back" in session.start()["systemMessage"]
    assert session.values(SAID) == ["Where is the host?", "Where now?"]


def test_what_was_forgotten_while_it_lay_aside_does_not_come_back(an_aside, monkeypatch):
    host, aside = an_aside
    with closing(sqlite3.connect(aside)) as db:
        (name,) = db.execute("SELECT public_id FROM turns WHERE prompt = 'Where now?'").fetchone()
    monkeypatch.setattr(posix, "environ", {key.encode(): value.encode() for key, value in host.environment.items()})
    tombstones.add(tombstones.marks_of([(tombstones.ROW, name)]), time.time_ns() // 1_000_000)
    host.another().start()
    assert host.values(SAID) == ["Where is the host?"] and host.damage() == []


def test_the_doctor_says_what_lies_aside_and_how_two_homes_share_one_memory(an_aside):
    host, path = an_aside
    (finding,) = files.set_aside(project.Project(str(host.project)))
    assert str(path) in finding.seen and "XDG_DATA_HOME" in finding.do
    path.rename(host.folder / "elsewhere.db")
    assert list(files.set_aside(project.Project(str(host.project)))) == []


def test_one_data_home_for_both_makes_it_one_memory_wherever_the_project_lies(tmp_path):
    host = Hook(tmp_path / "person")
    elsewhere = host.folder / "workspaces"
    elsewhere.mkdir()
    order = ["unshare", "--mount"]
    if not shutil.which("unshare") or subprocess.run([*order, "true"], capture_output=True).returncode:
        pytest.skip("namespaces are not allowed here")
    script = 'mount --bind "$0" "$1" && mount -t tmpfs none "$0" && cd "$1" && shift && exec "$@"'
    container = host.another(
        CLAUDE_PROJECT_DIR=str(elsewhere), HOME=str(tmp_path / "root"), XDG_DATA_HOME=str(host.home / ".local/share")
    )
    container.wrap = [*order, "sh", "-c", script, str(host.project), str(elsewhere)]
    for number in range(2):
        for name, hook in (("host", host), ("container", container)):
            session = hook.another()
            told = session.start().get("systemMessage", "")
            session.prompt(f"Where is the {name} {number}?")
            assert "set aside" not in told and "copy" not in told
    assert host.values(SAID) == [f"Where is the {name} {number}?" for number in range(2) for name in NAMES]
