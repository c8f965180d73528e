"""Clients that mean harm: each is hung up on, whoever is its own is answered, and what the worker takes stays as it was."""

import contextlib
import os
import socket
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("onnxruntime", reason="the extra `embeddings` is not installed")

from ralph_mem.core import paths
from ralph_mem.memory.embeddings import models, serving
from ralph_mem.memory.recall import embeddings_client
from tests.clock import HANGS_S, wait_for

GROWN_KB = 16_384  # what an allocator may keep; the 100 MB that one of them sends do not fit
CONNECTIONS, SENT_MB, DRIPS, MOST_FILES = 1000, 100, 150, 100
NEAR = {1: 0.5}


class StandIn:
    """Stands for the model, which nobody here asks anything of: it always finds the same."""

    leaving = False

    def is_done(self):
        return False

    def near(self, _folder, _query):
        return NEAR


@pytest.fixture
def a_worker(a_small_model, a_session):
    """Have the loop of a worker running in a process of its own; returns its id."""
    place = Path(embeddings_client.home(), "worker")
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    embeddings_client.with_address(str(place), listener.bind)
    listener.listen(64)
    child = os.fork()
    if not child:
        try:
            serving.Serving(listener, a_small_model, StandIn()).run()
        finally:
            os._exit(0)
    listener.close()
    yield child
    os.kill(child, 9)
    os.waitpid(child, 0)


def answers(session):
    """Say whether whoever is its own is answered; where the queue is full a hook goes on without it."""
    try:
        answer = embeddings_client.ask({"folder": session.store.folder, "query": "car"}, time.monotonic() + HANGS_S)
    except embeddings_client.DAMAGED:
        return False
    return answer.get("near") == {"1": NEAR[1]}


def resident_kb(pid):
    return int(Path(f"/proc/{pid}/status").read_text().partition("VmRSS:")[2].split()[0])


@contextlib.contextmanager
def connected():
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(HANGS_S)
        embeddings_client.with_address(f"{embeddings_client.home()}/worker", line.connect)
        yield line


def sends_without_end():
    with connected() as line:
        for _ in range(SENT_MB):
            line.sendall(b"x" * 1_048_576)


def drips():
    with connected() as line:
        for _ in range(DRIPS):
            line.sendall(b" ")
            time.sleep(0.02)


def connects_a_thousand_times():
    with contextlib.ExitStack() as lines:
        for _ in range(CONNECTIONS):
            lines.enter_context(connected())


def asks_a_thousand_times_and_reads_nothing():
    for _ in range(CONNECTIONS):
        with connected() as line:
            line.sendall(b'{"folder": "/etc", "query": "car"}\n')


@pytest.mark.parametrize(
    "does_harm", [sends_without_end, drips, connects_a_thousand_times, asks_a_thousand_times_and_reads_nothing]
)
def test_no_client_ends_it_or_has_it_grow(a_session, a_worker, does_harm):
    assert answers(a_session)
    before, files = resident_kb(a_worker), len(os.listdir(f"/proc/{a_worker}/fd"))  # with what this process has open besides
    with contextlib.suppress(OSError):  # it was hung up on while it was still sending
        does_harm()
    wait_for(lambda: answers(a_session), HANGS_S)
    wait_for(lambda: len(os.listdir(f"/proc/{a_worker}/fd")) < files + MOST_FILES, HANGS_S)
    print(f"{does_harm.__name__}: {resident_kb(a_worker) - before} KB more")
    assert resident_kb(a_worker) - before < GROWN_KB


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
def test_another_user_who_gets_at_its_socket_is_told_nothing(a_session, a_worker):
    place = Path(embeddings_client.home(), "worker")
    place.chmod(0o711)
    (place / "socket").chmod(0o777)
    child = os.fork()
    if not child:
        code = 1
        try:
            code = _asks_as_somebody_else(place)
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert answers(a_session)


def _asks_as_somebody_else(place):
    """Return 0 where nothing was answered, 2 where something was."""
    os.chdir(place)
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(HANGS_S)
        line.connect("socket")
        with contextlib.suppress(OSError):
            line.sendall(b"{}\n")
        try:
            return 2 if line.recv(1000) else 0
        except ConnectionError:
            return 0


def test_a_model_that_can_be_loaded_again_ends_what_was_told_of_it(a_small_model, monkeypatch):
    paths.write(models.trouble_file(), "the model tiny@1 cannot be loaded")
    monkeypatch.setattr(serving, "Embedder", lambda model: SimpleNamespace(model=model))
    told = []
    monkeypatch.setattr(serving.Serving, "run", lambda _: told.append(os.path.exists(models.trouble_file())))
    with socket.socket(socket.AF_UNIX) as listener:
        embeddings_client.with_address(embeddings_client.home(), listener.bind)
        serving.serve(listener, a_small_model, [], lambda _: 0)
    assert told == [False]
