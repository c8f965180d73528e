"""Read what a client sends, line by line, and answer in the version of the protocol that it speaks.

Up to 2025-11-25 a client introduces itself once; from 2026-07-28 on each request says who sends it and in which version.
"""

from ralph_mem.core import fast
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.release import VERSION
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.mcp import offers
from ralph_mem.interfaces.mcp.roots import ASK, Roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Message = dict[str, Any]

NO_JSON, NO_REQUEST, NO_METHOD, NO_PARAMETERS, FAILED = -32700, -32600, -32601, -32602, -32603
OTHER_VERSION = -32022
# Versions that a client agrees on once, and those that each request names.
AGREED = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
NAMED = ("2026-07-28",)
WITH_BATCHES = ("2025-03-26",)  # the version before knew none, and the one after knows none any more
MOST_IN_A_BATCH = 100
MOST_BYTES = 1_048_576
PREFIX = "io.modelcontextprotocol/"
IN_VERSION, CLIENT, ABLE, SERVER = (
    PREFIX + "protocolVersion",
    PREFIX + "clientInfo",
    PREFIX + "clientCapabilities",
    PREFIX + "serverInfo",
)
INFO = {"name": "ralph-mem", "version": VERSION}
ABILITIES: "dict[str, dict[str, Any]]" = {"tools": {}, "resources": {}, "prompts": {}}
# They open the memory: the server answers each of them in a process of its own.
READING = ("tools/call", "resources/read", "prompts/get")
FRESH = {"ttlMs": 0, "cacheScope": "private"}  # what may be kept of an answer, since 2026-07-28: nothing
OFF = "the MCP server is switched off here (`mcp: off` in the settings)"


class Refused(Exception):
    """What is answered as an error of the protocol."""

    def __init__(self, code: int, message: str, data: "Any" = None) -> None:
        super().__init__(message)
        self.code, self.data = code, data


class Request:
    """A request that is to be answered: its id, method and parameters; `is_alone` says that it names its version itself."""

    def __init__(self, id_: "int | str", method: str, given: "Message", client: str, is_alone: bool) -> None:
        self.id, self.method, self.given, self.client, self.is_alone = id_, method, given, client, is_alone


class Heard:
    """What stood in a line: answers that are ready, requests, and None for what nobody answers."""

    def __init__(self, parts: "list[Message | Request | None]", is_batch: bool = False) -> None:
        self.parts, self.is_batch = parts, is_batch

    @property
    def reads(self) -> bool:
        """Say whether a request in it opens the memory."""
        return any([isinstance(each, Request) and each.method in READING for each in self.parts])

    def written(self, answers: "list[Message]") -> str:
        """Return the line that answers it, empty where nothing is answered."""
        if not answers:
            return ""
        return compact(answers if self.is_batch else answers[0]) + "\n"


class Conversation:
    """What one client has said so far.

    `read` answers a tool, a resource or a prompt: by method, parameters, the client's name. A client that `has_commands` of
    ours is offered no prompt: `/mem search` does the same there, and a prompt's long name takes our commands' room in its menu.
    """

    def __init__(self, read: "Callable[[str, Message, str, Roots], Message]", has_commands: bool = False) -> None:
        self.read, self.has_commands = read, has_commands
        self.roots = Roots()
        self.version = self.client = ""
        self.has_roots = False
        self.requests: list[Message] = []  # to send to the client

    def heard(self, line: bytes) -> Heard:
        """Take a line in."""
        try:
            message = fast.loads(line.decode("utf-8"))
        except ValueError:
            return Heard([_error(None, NO_JSON, "this line is no JSON")])
        if not isinstance(message, list):
            return Heard([self._one(message)])
        if self.version not in WITH_BATCHES or not 0 < len(message) <= MOST_IN_A_BATCH:
            why = f"a batch has 1 to {MOST_IN_A_BATCH} messages" if self.version in WITH_BATCHES else "this version has no batches"
            return Heard([_error(None, NO_REQUEST, why)])
        return Heard([self._one(each, in_batch=True) for each in message], is_batch=True)

    def _one(self, message: object, in_batch: bool = False) -> "Message | Request | None":
        id_ = message.get("id") if isinstance(message, dict) else None
        id_ = id_ if isinstance(id_, str) or type(id_) is int else None
        try:
            return self._message(message if isinstance(message, dict) else {}, id_, in_batch)
        except Refused as error:
            return _error(id_, error.code, str(error), error.data)

    def _message(self, message: "Message", id_: "int | str | None", in_batch: bool) -> "Message | Request | None":
        method, given = message.get("method"), message.get("params")
        given = {} if given is None else given
        if "method" not in message and ("result" in message or "error" in message):
            self.roots.answered(message)
            return None
        if message.get("jsonrpc") != "2.0" or not isinstance(method, str) or ("id" in message and id_ is None):
            raise Refused(NO_REQUEST, 'a request has "jsonrpc": "2.0", a method, and a text or a whole number as its id')
        if id_ is None:
            self._told(method)
            return None
        if not isinstance(given, dict):
            raise Refused(NO_PARAMETERS, "params is an object")
        if method == "initialize":
            if in_batch:
                raise Refused(NO_REQUEST, "initialize stands in no batch")
            return _answer(id_, self._begun(given))
        return self._request(id_, method, given)

    def _told(self, method: str) -> None:
        """Take a notification."""
        if method in ("notifications/initialized", "notifications/roots/list_changed") and self.has_roots:
            self.requests.append(self.roots.request())

    def _begun(self, given: "Message") -> "Message":
        """Agree on a version with a client that introduces itself."""
        asked, able = given.get("protocolVersion"), given.get("capabilities")
        if not isinstance(asked, str):
            raise Refused(NO_PARAMETERS, "initialize needs a protocolVersion", {"supported": [*AGREED]})
        self.version = asked if asked in AGREED else AGREED[-1]
        self.client = _name(given.get("clientInfo"))
        self.has_roots = isinstance(able, dict) and isinstance(able.get("roots"), dict)
        return {
            "protocolVersion": self.version, "capabilities": ABILITIES, "serverInfo": INFO, "instructions": offers.INSTRUCTIONS,
        }  # fmt: skip

    def _request(self, id_: "int | str", method: str, given: "Message") -> "Message | Request":
        about = given.get("_meta")
        if not isinstance(about, dict) or IN_VERSION not in about:
            return Request(id_, method, given, self.client, is_alone=False)
        version, able = about[IN_VERSION], about.get(ABLE)
        if not isinstance(version, str) or not isinstance(able, dict):
            raise Refused(NO_PARAMETERS, f"_meta needs {IN_VERSION} as a text and {ABLE} as an object")
        if version not in NAMED:
            raise Refused(
                OTHER_VERSION, "this version of the protocol is not served", {"supported": [*NAMED], "requested": version}
            )
        if method in READING and self._asks_for_roots(given, able):
            needed = {"roots": {"method": ASK}}
            return _answer(id_, {"resultType": "input_required", "inputRequests": needed, "_meta": {SERVER: INFO}})
        return Request(id_, method, given, _name(about.get(CLIENT)), is_alone=True)

    def _asks_for_roots(self, given: "Message", able: "Message") -> bool:
        """Say whether a client that has roots is to tell them with the call, which it sends once more then."""
        told = given.get("inputResponses")
        if isinstance(told, dict) and self.roots.asked and not self.roots.is_known:
            self.roots.take(told.get("roots"))
        return isinstance(able.get("roots"), dict) and self.roots.asked_with_a_call()

    def answers(self, heard: Heard) -> "list[Message]":
        """Return the answers to a line, in its order."""
        return [each if isinstance(each, dict) else self._answered(each) for each in heard.parts if each is not None]

    def failed(self, heard: Heard) -> "list[Message]":
        """Return what is said instead where the answers could not be made."""
        why = "the answer could not be made; `ralph-mem doctor` may say why"
        parts = [each for each in heard.parts if each is not None]
        return [each if isinstance(each, dict) else _error(each.id, FAILED, why) for each in parts]

    def _answered(self, request: Request) -> "Message":
        try:
            result = self._result(request)
        except Refused as error:
            return _error(request.id, error.code, str(error), error.data)
        except RalphMemError as error:
            return _error(request.id, FAILED, f"{error} ({error.hint})" if error.hint else str(error))
        if request.is_alone:
            fresh = FRESH if request.method in FRESHLY else {}
            result = {"resultType": "complete", **result, **fresh, "_meta": {SERVER: INFO}}
        return _answer(request.id, result)

    def _result(self, request: Request) -> "Message":
        if request.method == ("server/discover" if request.is_alone else "ping"):
            told = {"supportedVersions": [*NAMED], "capabilities": ABILITIES, "instructions": offers.INSTRUCTIONS}
            return told if request.is_alone else {}
        if request.method in LISTS:
            key, listed = LISTS[request.method]
            return {key: listed if self.is_on() and not (self.has_commands and listed is offers.PROMPTS) else []}
        if request.method not in READING:
            raise Refused(NO_METHOD, f"there is no method {request.method[:60]!a}")
        return self.read(request.method, request.given, request.client, self.roots)

    def is_on(self) -> bool:
        """Say whether the person lets the server offer anything in the project at work."""
        return bool(effective.load(self.roots.project())["mcp"])


LISTS: "dict[str, tuple[str, list[Message]]]" = {
    "tools/list": ("tools", offers.TOOLS), "resources/list": ("resources", offers.RESOURCES),
    "resources/templates/list": ("resourceTemplates", []), "prompts/list": ("prompts", offers.PROMPTS),
}  # fmt: skip
FRESHLY = (*LISTS, "resources/read", "server/discover")


def _name(info: object) -> str:
    name = info.get("name") if isinstance(info, dict) else None
    return offers.text_of(name) if isinstance(name, str) else ""


def _answer(id_: "int | str", result: "Message") -> "Message":
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def _error(id_: "int | str | None", code: int, message: str, data: "Any" = None) -> "Message":
    said = {"code": code, "message": f"ralph-mem: {message}", **({"data": data} if data is not None else {})}
    return {"jsonrpc": "2.0", "id": id_, "error": said}


def too_long() -> str:
    """Return the line that answers one of which nobody knows what it was."""
    return compact(_error(None, NO_REQUEST, f"a message has at most {MOST_BYTES:,} bytes")) + "\n"


def compact(value: object) -> str:
    """Write JSON without blanks between what it is made of."""
    if isinstance(value, dict):
        return "{" + ",".join([fast.dumps(str(key)) + ":" + compact(item) for key, item in value.items()]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([compact(item) for item in value]) + "]"
    return fast.dumps(value)
