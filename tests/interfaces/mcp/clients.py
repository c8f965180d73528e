"""Clients of the MCP server: one that talks to its functions, and one that has a process of it."""

import contextlib
import json
import os
import select
import subprocess
import time
from pathlib import Path

from ralph_mem.interfaces.mcp import answers, protocol
from tests import clock
from tests.hook import HANGS_S

AGREED, NAMED = protocol.AGREED, protocol.NAMED
OLDEST, NEWEST = AGREED[0], NAMED[-1]
INFO = {"name": "lamp-editor", "version": "2"}


def envelope(version=NEWEST, able=None, **more):
    """Return what each request carries since 2026-07-28."""
    said = {protocol.IN_VERSION: version, protocol.CLIENT: INFO, protocol.ABLE: {} if able is None else able}
    return {"_meta": said, **more}


def introduction(version=AGREED[-1], able=None):
    return {"protocolVersion": version, "capabilities": {} if able is None else able, "clientInfo": INFO}


class Talk:
    """A client's side of a conversation: it numbers its requests. `exchange` sends a line and returns the answers to it."""

    def __init__(self, version=AGREED[-1]):
        self.version, self.number = version, 0

    def request(self, method, **given):
        self.number += 1
        params = envelope(self.version, **given) if self.version in NAMED else given
        return {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}

    def asks(self, method, **given):
        """Send a request; returns its result, or its error."""
        request = self.request(method, **given)
        (answer,) = self.exchange(json.dumps(request).encode())
        assert answer["jsonrpc"] == "2.0" and answer["id"] == request["id"] and ("result" in answer) != ("error" in answer)
        return answer.get("result", answer.get("error"))

    def tells(self, method):
        assert self.exchange(json.dumps({"jsonrpc": "2.0", "method": method}).encode()) == []

    def begins(self, **more):
        """Introduce itself, where its version has that."""
        if self.version in AGREED:
            told = self.asks("initialize", **introduction(self.version), **more)
            self.tells("notifications/initialized")
            return told
        return self.asks("server/discover")

    def result(self, tool, **arguments):
        return self.asks("tools/call", name=tool, arguments=arguments)

    def uses(self, tool, **arguments):
        """Call a tool that is to succeed; returns its text."""
        found = self.result(tool, **arguments)
        assert not found.get("isError"), found
        return text_of(found)

    def is_refused(self, tool, **arguments):
        """Call a tool that is to refuse; returns what it says."""
        found = self.result(tool, **arguments)
        assert found["isError"], found
        return text_of(found)


def text_of(result):
    (block,) = result["content"]
    assert block["type"] == "text"
    return block["text"]


class Inside(Talk):
    """A client in the same process as the server's functions, at work in a folder and in a session of the tests."""

    def __init__(self, folder, session="the-session", version=AGREED[-1], process=0):
        super().__init__(version)
        self.said = protocol.Conversation(answers.Calls(session, process).read)
        self.said.roots.folder = str(folder)

    def exchange(self, line):
        heard = self.said.heard(line)
        written = heard.written(self.said.answers(heard))
        assert written == "" or (written.endswith("\n") and written.count("\n") == 1 and written.isascii())
        answer = json.loads(written) if written else []
        return answer if isinstance(answer, list) else [answer]


class Outside(Talk):
    """A client that starts the server as its manifest says, in the project of a `Hook` and with its environment."""

    def __init__(self, hook, version=AGREED[-1], cwd=None, **environment):
        super().__init__(version)
        self.hook = hook
        given = {**hook.surroundings(), **environment}
        order = json.loads((hook.plugin / ".mcp.json").read_text())["mcpServers"]["mem"]
        self.process = subprocess.Popen(
            [order["command"], *order["args"]], cwd=cwd or hook.project, env=given,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._held = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        for each in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                each.close()
        self.process.wait()

    def send(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def line(self, timeout=HANGS_S):
        """Return the next line of the server, parsed; None where it has ended."""
        end, waiting = time.monotonic() + timeout, select.poll()
        waiting.register(self.process.stdout, select.POLLIN)
        while b"\n" not in self._held:
            assert waiting.poll(max(0, end - time.monotonic()) * 1000), f"no answer within {timeout} s"
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                return None
            self._held += data
        line, _, self._held = self._held.partition(b"\n")
        return json.loads(line)

    def exchange(self, line):
        self.send(line)
        if b'"id"' not in line:
            return []
        answer = self.line()
        return answer if isinstance(answer, list) else [answer]

    def ends(self, timeout=HANGS_S):
        """End the input and wait until the server has ended; returns its exit code, what it still printed, and its complaints."""
        out, err = self.process.communicate(timeout=timeout)
        return self.process.returncode, self._held + out, err

    def files(self):
        """Return the names of the files that the server's process has open."""
        folder = Path(f"/proc/{self.process.pid}/fd")
        return [os.readlink(each) for each in folder.iterdir()]

    def is_idle(self):
        """Wait until none of its children is at work."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        clock.wait_for(lambda: not path.exists() or not path.read_text().split(), HANGS_S, "a child goes on")
