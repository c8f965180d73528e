"""Hear from the kernel which files the programs of a loop write, and nobody else's.

Each call that changes a file waits until it is noted, and goes on as it was asked. Where the kernel has no such thing nothing is
heard.
"""

import ctypes
import os
import select
import shutil
import socket
import struct
import sys
import threading
import time
from pathlib import Path

from ralph_mem.core import process
from ralph_mem.ralph import leftovers
from ralph_mem.ralph.attribution import system_calls
from ralph_mem.ralph.attribution.finishing import Pending
from ralph_mem.ralph.attribution.system_calls import FILE, GONE, NONE, TREE
from ralph_mem.ralph.attribution.writes import MET, STARTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.attribution.system_calls import Call
    from ralph_mem.ralph.attribution.writes import Writes

LAUNCHER = str(Path(__file__).with_name("launcher.py"))
RECEIVE, ANSWER = 0xC0502100, 0xC0182101
TOLD = struct.Struct("=QIIiIQ6Q")  # id, process, flags, call, machine, instruction, arguments
SAID = struct.Struct("=QqiI")
GO_ON = 1
LONGEST_PATH = 4096
WORKING_FOLDER = -100
ITSELF = ("/proc/self/", "/proc/thread-self/")
WAIT_MS = 200


class Listener:
    """Listens to every program that `process.run` starts, while it is used as `with Listener(writes): ...`."""

    def __init__(self, writes: "Writes") -> None:
        self.writes = writes
        self._kernel = ctypes.CDLL(None, use_errno=True)
        self._calls = system_calls.calls()
        self._folder = leftovers.folder()
        self._open_folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._place = f"/proc/{os.getpid()}/fd/{self._open_folder}/socket"  # an address has at most 107 bytes, a path more
        self._filter = system_calls.filter_of().hex()
        self._over = False
        self._folders: dict[str, str] = {}
        self._are_stale = False  # a call has changed where links or folders lead
        self._server = socket.socket(socket.AF_UNIX)
        self._thread = threading.Thread(target=self._listen, name="ralph-mem listener", daemon=True)

    def __enter__(self) -> "Listener":  # noqa: PYI034 - Self came with Python 3.11
        """Begin."""
        self._server.bind(self._place)
        self._server.listen(16)
        self._thread.start()
        process.WRAPPERS.append(self._wrapped)
        return self

    def __exit__(self, *_: object) -> None:
        """End; programs that still run are heard no more."""
        process.WRAPPERS.remove(self._wrapped)
        self._over = True
        self._thread.join()
        self._server.close()
        os.close(self._open_folder)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _wrapped(self, words: "list[str]", folder: str) -> "list[str]":
        """Return the words that start a program so that it is heard; one that is not there is left to fail by itself."""
        program = words[0] if words else ""
        if not program or not shutil.which(os.path.join(folder, program) if "/" in program else program):
            return words
        self.writes.count(STARTED)
        known = system_calls.machine()
        number = str(known[1] if known else 0)
        return [sys.executable, "-I", "-S", LAUNCHER, self._place, number, self._filter, *words]

    def _listen(self) -> None:
        poll, fds = select.poll(), dict[int, Pending]()
        poll.register(self._server, select.POLLIN)
        while not self._over:
            for fd, event in poll.poll(WAIT_MS):
                if fd == self._server.fileno():
                    fds.update({met: Pending() for met in self._meet(poll)})
                elif event & select.POLLIN:
                    self._hear(fd, fds[fd])
                else:
                    poll.unregister(fd)
                    self.writes.finish(fds.pop(fd).all())
                    os.close(fd)
        for fd in fds:
            os.close(fd)

    def _meet(self, poll: "select.poll") -> "list[int]":
        met, _ = self._server.accept()
        with met:
            _, given, _, _ = met.recvmsg(1, socket.CMSG_SPACE(4))
        found = [struct.unpack("i", data[:4])[0] for _, _, data in given]
        for fd in found:
            poll.register(fd, select.POLLIN)
            self.writes.count(MET)
        return found

    def _hear(self, fd: int, pending: Pending) -> None:
        """Note a call and let it go on."""
        told = ctypes.create_string_buffer(TOLD.size)
        if self._kernel.ioctl(fd, ctypes.c_ulong(RECEIVE), told):
            return
        number, pid, _, call, _, _, *arguments = TOLD.unpack(told.raw)
        try:
            self.writes.finish(pending.done_by(pid))
            calls = self._calls.get(call, [])
            self._forget(call in system_calls.LINKING)
            named = [self._note(pid, each, arguments) for each in calls]
            self._tell(calls, named)
            for each, path in zip(calls, named):
                if each.kind == FILE and self.writes.is_of_the_tree(path):
                    pending.began(pid, path)
        except (OSError, ValueError):  # it is gone, or its memory is not ours to read
            pass
        finally:
            answer = ctypes.create_string_buffer(SAID.pack(number, 0, 0, GO_ON), SAID.size)
            self._kernel.ioctl(fd, ctypes.c_ulong(ANSWER), answer)

    def _tell(self, calls: "list[Call]", named: "list[str]") -> None:
        touches = self.writes.touches
        if touches and all(named):
            if calls[0].kind == TREE:
                touches.moved(*named)
            for call, path in zip(calls, named):
                if call.kind != TREE:
                    (touches.gone if call.kind == GONE else touches.opened)(path)

    def _note(self, pid: int, call: "Call", arguments: "list[int]") -> str:
        """Note what a call changes; returns its path without links in the folders above it."""
        at = time.time_ns()
        if call.path == NONE:
            path = os.readlink(f"/proc/{pid}/fd/{arguments[call.folder] & 0xFFFFFFFF}")
        else:
            path = self._path(pid, call, arguments)
        if not path:
            return ""
        folder, _, name = os.path.normpath(path).rpartition("/")
        real = f"{self._real(folder)}/{name}"
        is_link = os.path.islink(path)
        # what moves or removes a link does nothing to what it leads to
        for each in [real, os.path.realpath(path)] if is_link and call.kind == FILE else [real]:
            self.writes.rescue(each, call.kind)
            self.writes.add(each, call.kind, at)
        if call.kind == TREE or (is_link and call.kind == GONE):
            self._forget(True)
        return real

    def _forget(self, is_changing: bool) -> None:
        """Forget where links led: before a call that changes that is carried out, and once more with the next one."""
        if is_changing or self._are_stale:
            self._folders.clear()
            self._are_stale = is_changing

    def _real(self, folder: str) -> str:
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder or "/").rstrip("/")
        return self._folders[folder]

    def _path(self, pid: int, call: "Call", arguments: "list[int]") -> str:
        told = _text(pid, arguments[call.path])
        for itself in ITSELF:  # for us it would be our own
            if told.startswith(itself):
                folder, _, name = told[len(itself) :].rpartition("/")
                return os.path.join(os.path.realpath(f"/proc/{pid}/{folder}"), name)
        if told.startswith("/"):
            return told
        number = WORKING_FOLDER if call.folder == NONE else ctypes.c_int32(arguments[call.folder] & 0xFFFFFFFF).value
        place = os.readlink(f"/proc/{pid}/cwd" if number == WORKING_FOLDER else f"/proc/{pid}/fd/{number}")
        return f"{place}/{told}" if told else place


def _text(pid: int, address: int) -> str:
    """Return the text at an address of a process."""
    if not address:
        return ""
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        first = os.pread(memory, 4096 - address % 4096, address)  # up to the end of its page: the next may not be there
        if b"\0" not in first:
            first += os.pread(memory, LONGEST_PATH, address + len(first))
    finally:
        os.close(memory)
    return os.fsdecode(first.partition(b"\0")[0])


def is_possible() -> bool:
    """Say whether this machine's calls are known; whether the kernel tells of them shows with the first program."""
    return bool(system_calls.machine())
