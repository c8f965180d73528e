"""Answer queries of hooks over a socket, and embed memories in a second thread.

One question a connection, one answer, each a line of JSON: `{"folder": F, "query": Q}` is answered with the nearest
memories, `{"folder": F}` has the memories of F embedded, `{}` only asks who is there.
"""

import json
import os
import queue
import selectors
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.embeddings import backlog, models, vectors
from ralph_mem.memory.embeddings.vectors import Embedder, Matrix
from ralph_mem.memory.recall import embeddings_client
from ralph_mem.memory.store import connection as store

LONGEST_QUESTION = 65_536
MOST_CONNECTIONS = 64
SLOW_CLIENT_S = 2  # a hook gives up after a fortieth of that
TICK_S = 1.0
HUNG_S = 60  # without a tick for so long, the process is ended by an alarm
MOST_LIFE_S = 7200  # then a fresh one takes over, whatever may have piled up
MOST_MATRICES = 8
STATE_WAIT_MS = 20
WORK_WAIT_MS = 5000
GENTLE = 10  # the niceness of the thread that embeds
Tend = Callable[[store.Store], int]


class Work:
    """The memories that wait to be embedded, and the thread that does it."""

    def __init__(self, embedder: Embedder, tend: Tend) -> None:
        self.embedder = embedder
        self.tend = tend
        self.table = embeddings_client.Table(embedder.model)
        self.folders: queue.Queue[str] = queue.Queue()
        self.matrices: dict[str, Matrix] = {}
        self.leaving = False
        self.lock = threading.Lock()
        threading.Thread(target=self._run, daemon=True).start()

    def add(self, folder: str) -> None:
        """Have the memories of a folder embedded, and what is kept for all projects."""
        for each in (folder, paths.config_home()):
            if store.exists(each) and each not in list(self.folders.queue):
                self.folders.put(each)

    def is_done(self) -> bool:
        """Say whether nothing waits."""
        return self.folders.unfinished_tasks == 0

    def near(self, folder: str, query: str) -> dict[int, float]:
        """Return the nearest memories of a folder, by the vectors that there were when it was last looked at."""
        vector = self.embedder.of_query(query) if query.strip() else None
        return {} if vector is None else self._matrix(folder).near(vector)

    def _matrix(self, folder: str) -> Matrix:
        """Return the vectors of a folder; read anew where something was forgotten since, later where something was added."""
        with closing(store.connect(folder, STATE_WAIT_MS)) as opened:
            known = self.matrices.get(folder)
            # the first of a stamp is what a forget changes
            if known is None or opened.one("PRAGMA schema_version") != known.stamp[:1]:
                return self._read(opened)
            return known

    def _read(self, opened: store.Store) -> Matrix:
        matrix = Matrix(opened, self.embedder.model)
        with self.lock:
            self.matrices.pop(opened.folder, None)
            self.matrices[opened.folder] = matrix
            for folder in list(self.matrices)[:-MOST_MATRICES]:
                del self.matrices[folder]
        return matrix

    def _run(self) -> None:
        os.nice(GENTLE)  # on Linux that of this thread alone
        while True:
            folder = self.folders.get()
            try:
                self._tend(folder)
                self._embed(folder)
            except Exception:  # noqa: BLE001, S110 - one of the three edges; locked, gone, full: the next wake tries again
                pass
            finally:
                self.folders.task_done()

    def _tend(self, folder: str) -> None:
        """Do what else rows wait for, such as a look by the long list of rules, in pieces, between which a session may write."""
        while not self.leaving and self._opened(folder, self.tend):
            pass

    def _embed(self, folder: str) -> None:
        """Embed what is missing in a folder. Its database is open only to read and to write, not while the model runs."""
        numbers = self._opened(folder, lambda opened: backlog.waiting(opened, self.embedder.name))
        for start in range(0, len(numbers), vectors.TOGETHER):
            if self.leaving:
                return
            some = numbers[start : start + vectors.TOGETHER]
            found = self._opened(folder, lambda opened, some=some: backlog.items(opened, self.embedder.name, some))
            made = vectors.vectors_of(self.embedder, self.table, found)
            self._opened(folder, lambda opened, found=found, made=made: backlog.keep(opened, self.embedder.name, found, *made))
        self._opened(folder, self._read)

    def _opened(self, folder: str, act: Any) -> Any:
        with closing(store.connect(folder, WORK_WAIT_MS)) as opened:
            return act(opened)


class Line:
    """One client: what it has said so far, and until when it may take its time."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.said = b""
        self.until = time.monotonic() + SLOW_CLIENT_S


class Serving:
    """The loop of the worker: takes questions, and knows when it is time to leave."""

    def __init__(self, listener: socket.socket, model: dict[str, Any], work: Work) -> None:
        self.listener = listener
        self.model = model
        self.work = work
        self.selector = selectors.DefaultSelector()
        self.born = self.busy_at = time.monotonic()
        listener.setblocking(False)
        self.selector.register(listener, selectors.EVENT_READ)

    def run(self) -> None:
        """Answer until nothing was to be done for the model's `idle_seconds`, or another model is in force."""
        while not self._is_time_to_leave():
            signal.alarm(HUNG_S)
            for key, _ in self.selector.select(TICK_S):
                self._accept() if key.data is None else self._hear(key.data)
            self._hang_up_on_the_slow()
        self.work.leaving = True

    def _is_time_to_leave(self) -> bool:
        now = time.monotonic()
        if not self.work.is_done():
            self.busy_at = now
        old = now - self.born > MOST_LIFE_S
        return old or now - self.busy_at > self.model.get("idle_seconds", 60) or embeddings_client.described() != self.model

    def _accept(self) -> None:
        try:
            connection, _ = self.listener.accept()
        except OSError:  # it has hung up meanwhile
            return
        if len(self.selector.get_map()) > MOST_CONNECTIONS or not _is_ours(connection):
            connection.close()
            return
        connection.setblocking(False)
        self.selector.register(connection, selectors.EVENT_READ, Line(connection))

    def _hear(self, line: Line) -> None:
        try:
            more = line.connection.recv(LONGEST_QUESTION)
        except OSError:
            more = b""
        line.said += more
        if line.said.endswith(b"\n"):
            self.busy_at = time.monotonic()
            self._answer(line)
        elif not more or len(line.said) > LONGEST_QUESTION:
            self._hang_up(line)

    def _answer(self, line: Line) -> None:
        try:
            # an answer is smaller than what the socket holds, so this waits for nobody
            line.connection.sendall(json.dumps(self._answer_to(line.said)).encode() + b"\n")
        except OSError:
            pass
        self._hang_up(line)

    def _answer_to(self, said: bytes) -> dict[str, object]:
        told: dict[str, object] = {"model": self.model["model"], "pid": os.getpid()}
        try:
            question = json.loads(said)
            folder = question.get("folder", "")
            if not folder:
                return told
            _look_at(folder)
            if "query" in question:
                return {**told, "near": self.work.near(folder, str(question["query"]))}
            self.work.add(folder)
        except Exception as error:  # noqa: BLE001 - one of the three edges: no question may end the worker
            return {**told, "error": f"{type(error).__name__}: {error}"[:200]}
        return told

    def _hang_up_on_the_slow(self) -> None:
        now = time.monotonic()
        for line in [key.data for key in list(self.selector.get_map().values()) if key.data and key.data.until < now]:
            self._hang_up(line)

    def _hang_up(self, line: Line) -> None:
        self.selector.unregister(line.connection)
        line.connection.close()


def _is_ours(connection: socket.socket) -> bool:
    """Say whether the other end is the same user; the folder of the socket is closed to others, where the system can tell."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return bool(user == os.getuid())


def _look_at(folder: str) -> None:
    """Raise ValueError for what is not a memory of this user."""
    file = Path(folder, "memory.db")
    if not file.is_absolute() or file.is_symlink() or not file.is_file() or file.stat().st_uid != os.getuid():
        raise ValueError("no memory of yours")


def serve(listener: socket.socket, model: dict[str, Any], folders: Sequence[str], tend: Tend) -> None:
    """Embed the memories of folders, and answer. Raises RalphMemError for a damaged model.

    `tend` does what else there is to do to some rows of a memory, and returns how many: 0 when there are no more.
    """
    try:
        work = Work(Embedder(model), tend)
    except (store.sqlite.Error, KeyError) as error:
        raise RalphMemError(f"the model {model['model']} cannot be loaded: {error}") from error
    paths.remove(models.trouble_file())  # of one that could not load it
    for folder in folders:
        work.add(folder)
    Serving(listener, model, work).run()
