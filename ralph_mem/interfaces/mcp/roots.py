"""Find the project that a client is at work in, by its first root or by the working directory."""

import posix
import time

from ralph_mem.core import paths
from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

ASK = "roots/list"
SCHEME, HERE = "file://", ("", "localhost")
# How long calls wait for the answer: a client that has not answered by then goes on in the working directory.
WAIT_S = 1.0
MOST_ASKED = 10  # several calls may come at once; one client gives up after as many rounds
NAME = "ralph-mem-roots-"


class Roots:
    """What a client said about where it is at work. Nothing else, and no argument of a call, ever names a place."""

    def __init__(self) -> None:
        self.folder = ""
        self.asked = 0
        self.is_known = False
        self._until = 0.0

    def request(self) -> "dict[str, Any]":
        """Return the request to send; calls wait for its answer, a while."""
        self.asked += 1
        self._until = time.monotonic() + WAIT_S
        return {"jsonrpc": "2.0", "id": f"{NAME}{self.asked}", "method": ASK}

    def asked_with_a_call(self) -> bool:
        """Say whether a call is to come again with the roots: as long as they are not known, and the client goes along with it."""
        self.asked += not self.is_known
        return not self.is_known and self.asked <= MOST_ASKED

    def expected_s(self) -> float:
        """Return for how many seconds the answer is still waited for, 0 where none is."""
        return max(0.0, self._until - time.monotonic()) if self._until else 0.0

    def answered(self, message: "dict[str, Any]") -> None:
        """Take the answer to the last request; any other one, and one that nobody asked for, says nothing."""
        if self._until and message.get("id") == f"{NAME}{self.asked}":
            self._until = 0.0
            self.take(message.get("result"))

    def take(self, result: object) -> None:
        """Take the first root that is a folder here; where there is none, the working directory holds."""
        self.is_known = True
        listed = result.get("roots") if isinstance(result, dict) else None
        named = [each.get("uri") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        places = [path_of(uri) for uri in named if isinstance(uri, str)]
        self.folder = next((place for place in places if place and paths.exists(place + "/.")), "")

    def project(self) -> "Project":
        """Return the project at work. Raises RalphMemError where the working directory is gone."""
        try:
            return projects.find(self.folder or posix.getcwd())
        except FileNotFoundError as error:
            raise RalphMemError("the working directory is gone", "start the client in another one") from error


def path_of(uri: str) -> str:
    """Return the absolute path that a `file:` URI names, nothing for any other one."""
    host, slash, rest = uri.removeprefix(SCHEME).partition("/")
    if not uri.startswith(SCHEME) or not slash or host not in HERE:
        return ""
    first, *parts = rest.encode("utf-8", "replace").split(b"%")
    path = first
    for part in parts:
        digits = part[:2].decode("latin-1")
        is_code = len(digits) == 2 and all([char in "0123456789abcdefABCDEF" for char in digits])
        path += bytes([int(digits, 16)]) + part[2:] if is_code else b"%" + part
    return "" if b"\0" in path else ("/" + path.decode("utf-8", "surrogateescape")).rstrip("/") or "/"
