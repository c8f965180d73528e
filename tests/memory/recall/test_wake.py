"""Waking the worker: told where it runs, started where it does not, and no trouble where it cannot be."""

import contextlib
import functools
import json
import os
import posix
import signal
import time
from pathlib import Path

import pytest

from ralph_mem.memory.recall import embeddings_client
from tests import clock
from tests.memory.recall.test_embeddings_client import Worker, with_patience, write_model

__all__ = ["with_patience"]

# Stands where the interpreter should be, and writes down how it was started.
WITNESS = """#!/bin/sh
files=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2; readlink /proc/$$/fd/*)
exec 3>{0}.draft
echo "$@" >&3
cat /proc/$$/stat >&3
echo "$files" >&3
tr '\\0' '\\n' </proc/$$/environ >&3
mv {0}.draft {0}
"""
PATIENCE_S = 20


@pytest.fixture
def a_witness(a_home, tmp_path):
    """Set a model up whose interpreter only writes down how it was started; returns what it wrote, waiting for that."""
    script, told = tmp_path / "python", tmp_path / "told"
    script.write_text(WITNESS.format(told))
    script.chmod(0o700)
    write_model(a_home, python=str(script))

    def read():
        clock.wait_for(told.exists, PATIENCE_S)
        _, stat, *_ = told.read_text().splitlines()
        with contextlib.suppress(ChildProcessError):  # a search that waits has heard of its end
            os.waitpid(int(stat.split()[0]), 0)  # in a hook's life it is not us who outlives it
        return told.read_text()

    read.path = told
    return read


def children():
    """Return our child processes, those that nobody has buried included; other tests of this run may have some at work."""
    found = set()
    for process in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = process.read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        found |= {process.parent.name} if int(parent) == os.getpid() else set()
    return found


def test_without_embeddings_nothing_is_started(a_home, a_store):
    before = children()
    embeddings_client.wake(a_store.folder)
    assert children() - before == set()


def test_the_recorded_interpreter_runs_the_worker_for_the_memory(a_witness, a_store):
    embeddings_client.wake(a_store.folder)
    assert a_witness().splitlines()[0] == f"-I -m ralph_mem.interfaces.worker {a_store.folder}"


def test_the_worker_has_a_session_of_its_own_and_no_file_of_ours(a_witness, a_store):
    embeddings_client.wake(a_store.folder)
    lines = a_witness().splitlines()
    pid, (_, _, _, session) = lines[1].split()[0], lines[1].rpartition(")")[2].split()[:4]
    assert session == pid
    assert lines[2:5] == ["/dev/null"] * 3
    assert [line for line in lines[5:] if line.startswith(a_store.folder)] == []


def test_a_c_library_that_starts_no_session_starts_the_worker_all_the_same(a_witness, a_store, monkeypatch):
    spawn = posix.posix_spawn

    def spawning(*given, setsid=False, **more):
        if setsid:
            raise NotImplementedError
        return spawn(*given, **more)

    monkeypatch.setattr(posix, "posix_spawn", spawning)
    embeddings_client.wake(a_store.folder)
    lines = a_witness().splitlines()
    assert lines[0] == f"-I -m ralph_mem.interfaces.worker {a_store.folder}" and lines[2:5] == ["/dev/null"] * 3


def test_the_worker_gets_no_secret_and_silences_the_hooks_below_it(a_witness, a_store, the_environment):
    the_environment(API_TOKEN="h7Kqh7Kq", PYTHONPATH="/elsewhere", CLAUDE_CODE_SESSION_ID="s", XDG_DATA_HOME="")
    embeddings_client.wake(a_store.folder)
    environment = {line.partition("=")[0] for line in a_witness().splitlines() if "=" in line}
    assert not {"API_TOKEN", "PYTHONPATH", "CLAUDE_CODE_SESSION_ID"} & environment
    assert {"HOME", "PATH", "RALPH_MEM_RECORDING"} <= environment


def test_a_worker_that_runs_is_told_and_no_other_started(a_home, a_witness, a_store, with_patience):
    worker = Worker(a_home / ".local/share/ralph-mem/embeddings/worker", b'{"model": "tiny@1"}\n')
    embeddings_client.wake(a_store.folder)
    worker.leave()
    assert json.loads(worker.heard[0]) == {"folder": a_store.folder}
    assert not a_witness.path.exists()


@pytest.mark.parametrize("python", ["/nowhere/python", "", None, 7, "relative", "nul\0"])
def test_an_interpreter_that_is_gone_is_nobodys_trouble(a_home, a_store, python):
    write_model(a_home, python=python)
    before = children()
    embeddings_client.wake(a_store.folder)
    assert embeddings_client.open_sense() is not None
    assert children() - before == set()


def test_a_search_that_finds_no_worker_starts_one_and_asks_again_while_it_has_time(a_witness, a_store):
    asked = embeddings_client.open_sense(0.2)
    assert asked.near(a_store, "tungsten") == {} and asked.silent
    assert a_witness().splitlines()[0] == f"-I -m ralph_mem.interfaces.worker {a_store.folder}"


def test_a_search_does_not_wait_for_a_worker_that_cannot_be_started(a_home, a_store):
    write_model(a_home, python="/nowhere/python")
    began = time.monotonic()
    assert embeddings_client.open_sense(60).near(a_store, "tungsten") == {}
    assert time.monotonic() - began < PATIENCE_S


@pytest.mark.parametrize("children", [signal.SIG_DFL, signal.SIG_IGN])
def test_a_search_does_not_wait_for_a_worker_that_has_ended_with_an_error(a_home, a_store, children, request):
    request.addfinalizer(functools.partial(signal.signal, signal.SIGCHLD, signal.signal(signal.SIGCHLD, children)))
    write_model(a_home, python="/bin/false")
    began = time.monotonic()
    assert embeddings_client.open_sense(60).near(a_store, "tungsten") == {}
    assert time.monotonic() - began < PATIENCE_S


def test_a_prompt_after_a_pause_goes_by_its_words_and_starts_a_worker(a_witness, a_session):
    a_session.asks("Where is the tungsten?")
    assert a_witness().splitlines()[0] == f"-I -m ralph_mem.interfaces.worker {a_session.store.folder}"
