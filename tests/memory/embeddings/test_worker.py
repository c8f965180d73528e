"""The worker as a process: one, for a minute, behind a closed door, whatever its clients do."""

import os
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime", reason="the extra `embeddings` is not installed")

from ralph_mem.memory.embeddings import backlog
from ralph_mem.memory.recall import embeddings_client
from ralph_mem.memory.store import schema
from tests.hook import Hook, install
from tests.memory.embeddings.conftest import BELOW_HOME, have_the_model

pytestmark = pytest.mark.check  # the real model has to be prepared first

PATIENCE_S = 60
SESSIONS = 50


def until(what, patience=PATIENCE_S):
    """Wait for something to be so; returns it."""
    end = time.monotonic() + patience
    while not (found := what()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def workers_of(home):
    """Return the ids of the workers of a home, dead ones that nobody has buried included."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            ours = b"ralph_mem.interfaces.worker" in (process / "cmdline").read_bytes()
            if ours and f"HOME={home}\0".encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def who(patience=PATIENCE_S):
    """Return the process that answers, waiting for one."""

    def ask():
        try:
            return embeddings_client.ask({}, time.monotonic() + 1).get("pid")
        except embeddings_client.DAMAGED:
            return None

    return until(ask, patience)


@pytest.fixture(autouse=True)
def no_worker_stays(a_home):
    """End what a test has left running."""
    yield
    for pid in workers_of(a_home):
        os.kill(pid, signal.SIGKILL)
        until(lambda pid=pid: not is_running(pid))
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


@pytest.fixture
def set_up(prepared, a_home):
    """Set the real model up, with a worker that stays for as long as the test says."""

    def have(**changes):
        return have_the_model(prepared, a_home, **{"python": sys.executable, "idle_seconds": 30, **changes})

    return have


@pytest.fixture
def a_worker(set_up, a_session):
    """Have a worker running for a memory about a car, which it has embedded."""
    set_up()
    a_session.notes("the automobile would not start this morning")
    a_session.notes("rename the column of the price list")
    embeddings_client.wake(a_session.store.folder)
    assert until(lambda: all_embedded(a_session))
    return who()


def all_embedded(session):
    counts = backlog.count(session.store, embeddings_client.described()["model"])
    return counts.memories and counts.embedded == counts.memories


def near(session, query):
    """Ask the worker as a hook does, but with more patience: this machine may be busy."""
    answer = embeddings_client.ask({"folder": session.store.folder, "query": query}, time.monotonic() + PATIENCE_S)
    return {int(number): cosine for number, cosine in answer.get("near", {}).items()}


def test_a_worker_embeds_what_is_there_and_tells_what_is_near(a_session, a_worker):
    found = near(a_session, "trouble with my car engine")
    assert max(found, key=found.get) == 1 and len(found) == 2


def test_a_memory_that_came_later_is_near_once_the_worker_was_woken(a_session, a_worker):
    near(a_session, "penguins")
    a_session.notes("a bird that swims but cannot fly")
    embeddings_client.wake(a_session.store.folder)
    assert until(lambda: max(found := near(a_session, "penguins"), key=found.get) == 3)
    assert who() == a_worker


def test_a_forgotten_memory_is_near_to_nothing_at_once(a_session, a_worker):
    assert 2 in near(a_session, "price list")
    a_session.store.execute("DELETE FROM memories WHERE id = 2")
    a_session.store.execute("VACUUM")
    assert 2 not in near(a_session, "price list")


def test_what_is_kept_for_all_projects_is_embedded_too(set_up, a_session, a_home):
    set_up()
    from ralph_mem.core import project
    from ralph_mem.memory import opening

    shared = opening.open_ready(project.everywhere())
    shared.close()
    embeddings_client.wake(a_session.store.folder)
    answer = until(lambda: who() and embeddings_client.ask({"folder": shared.folder, "query": "x"}, time.monotonic() + PATIENCE_S))
    assert "near" in answer


def test_it_leaves_by_itself_and_takes_its_socket_along(set_up, a_session, a_home):
    set_up(idle_seconds=1)
    embeddings_client.wake(a_session.store.folder)
    pid = who()
    assert pid and until(lambda: not is_running(pid))
    assert not (a_home / BELOW_HOME / "worker" / "socket").exists()
    assert not (a_home / BELOW_HOME / "trouble").exists()


def test_it_leaves_when_the_model_is_no_longer_in_force(a_home, a_worker):
    (a_home / BELOW_HOME / "model.json").unlink()
    assert until(lambda: not is_running(a_worker))


def test_its_door_is_closed_to_others_and_its_means_are_limited(a_home, a_worker):
    assert (a_home / BELOW_HOME / "worker").stat().st_mode & 0o777 == 0o700
    lines = Path(f"/proc/{a_worker}/limits").read_text().splitlines()
    soft = {line[:26].strip(): line[26:47].strip() for line in lines}
    assert soft["Max address space"].isdigit() and soft["Max cpu time"].isdigit()
    assert soft["Max core file size"] == "0"
    assert Path(f"/proc/{a_worker}/cwd").resolve() == Path("/")


def test_clients_that_hang_keep_nobody_waiting_and_are_hung_up_on(a_home, a_session, a_worker):
    hanging = [socket.socket(socket.AF_UNIX) for _ in range(5)]
    for number, line in enumerate(hanging):
        embeddings_client.with_address(str(a_home / BELOW_HOME / "worker"), line.connect)
        line.sendall(b'{"folder": "'[: 3 * number])
    assert near(a_session, "car")
    for line in hanging:
        line.settimeout(PATIENCE_S)
        assert line.recv(10) == b""
        line.close()


RUBBISH = [b"\n", b"null\n", b"[]\n", b"{\n", b"\xff\n", b'{"folder": 7}\n', b'{"folder": "/etc"}\n', b'{"folder": "relative"}\n',
           b'{"folder": "/nowhere/.ralph-mem", "query": "x"}\n', b"x" * 100_000, b"[" * 60_000 + b"\n"]  # fmt: skip


def test_rubbish_is_answered_or_hung_up_on_and_does_no_harm(a_home, a_session, a_worker):
    for question in RUBBISH:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE_S)
            embeddings_client.with_address(str(a_home / BELOW_HOME / "worker"), line.connect)
            try:
                line.sendall(question)
                line.recv(1000)
            except OSError:  # it hangs up on what is too long while that is still being sent
                continue
    assert who() == a_worker and near(a_session, "car")


def test_a_damaged_vector_is_passed_over(a_session, a_worker):
    a_session.store.execute("UPDATE vectors SET vector = x'00' WHERE memory_id = 2")
    a_session.store.execute("VACUUM")  # or it would answer from what it read before
    assert near(a_session, "price list").keys() == {1}


def test_a_worker_that_is_killed_is_replaced_by_the_next_wake(a_session, a_worker):
    os.kill(a_worker, signal.SIGKILL)
    until(lambda: not is_running(a_worker))
    assert embeddings_client.open_sense().near(a_session.store, "car") == {}
    embeddings_client.wake(a_session.store.folder)
    assert who() not in (None, a_worker)


def test_a_worker_killed_in_the_middle_of_its_work_leaves_a_sound_database_and_the_next_goes_on(set_up, a_session):
    set_up()
    for number in range(120):
        a_session.notes(f"note {number} about the lamp in the cellar", "it flickers " * 60)
    schema.make(a_session.store, "vectors")
    embeddings_client.wake(a_session.store.folder)
    assert until(lambda: 0 < a_session.rows("SELECT count(*) FROM vectors")[0][0] < 120)
    os.kill(who(), signal.SIGKILL)
    assert a_session.store.one("PRAGMA integrity_check") == ("ok",)
    embeddings_client.wake(a_session.store.folder)
    assert until(lambda: all_embedded(a_session), 240)


def test_a_missing_file_of_the_model_is_told_and_the_worker_leaves(set_up, a_session, a_home):
    (set_up() / "model.onnx").unlink()
    embeddings_client.wake(a_session.store.folder)
    trouble = a_home / BELOW_HOME / "trouble"
    assert "cannot be loaded" in until(lambda: trouble.exists() and trouble.read_text())
    assert until(lambda: not [pid for pid in workers_of(a_home) if is_running(pid)])


# From the client's side


@pytest.fixture
def a_person(prepared, tmp_path, a_home):
    """Return somebody with a plugin and the real model, in the home of this test."""
    plugin = tmp_path / "plugin"
    plugin.mkdir()
    hook = Hook(tmp_path / "person", install(plugin))
    hook.home = a_home
    hook.environment["HOME"] = str(a_home)
    have_the_model(prepared, a_home, python=sys.executable, idle_seconds=5)
    return hook


def test_fifty_sessions_at_once_have_one_worker_and_leave_none(a_person, a_home):
    sessions = [a_person.another() for _ in range(SESSIONS)]
    a_person.start()
    with ThreadPoolExecutor(SESSIONS) as threads:
        codes = list(threads.map(lambda hook: hook.run("Stop", hook.event("Stop", last_assistant_message="Done."))[0], sessions))
    assert codes == [0] * SESSIONS
    assert who()
    assert until(lambda: len([pid for pid in workers_of(a_home) if is_running(pid)]) == 1)
    assert until(lambda: workers_of(a_home) == [])


def test_a_session_is_embedded_while_it_goes_on(a_person):
    a_person.start()
    a_person.prompt("Why would the automobile not start this morning?")
    a_person.stop("The battery was flat.")
    embedded = "SELECT count(*) FROM vectors WHERE vector IS NOT NULL AND static IS NOT NULL"
    made = "SELECT count(*) FROM sqlite_schema WHERE name = 'vectors'"
    assert until(lambda: a_person.values(made) == [1] and a_person.values(embedded) == [1])
    assert a_person.left_behind() == []


def test_without_a_model_a_session_starts_no_process(a_person, a_home):
    (a_home / BELOW_HOME / "model.json").unlink()
    a_person.every_event()
    assert workers_of(a_home) == []
    assert not (a_home / BELOW_HOME / "worker").exists()
