"""Carry out the methods that open the memory, and put what comes of it into the protocol's words."""

import time

from ralph_mem.core import fast
from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces.mcp import answers, offers, protocol, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.mcp.protocol import Message
    from ralph_mem.interfaces.mcp.roots import Roots


class Calls:
    """Answers calls of a client's session, which is one of its process; both as the client tells its child processes."""

    def __init__(self, session: str, process: int) -> None:
        self.session, self.process = session, process

    def read(self, method: str, given: "Message", client: str, roots: "Roots") -> "Message":
        """Return the result of a method. Raises Refused and RalphMemError."""
        asked = reading.Asked(roots.project(), client, self.session, self.process, time.time_ns() // 1_000_000)
        if not asked.settings["mcp"]:
            raise protocol.Refused(protocol.NO_PARAMETERS, protocol.OFF)
        if method == "tools/call":
            return _called(given, asked)
        return _resource(given, asked) if method == "resources/read" else _prompt(given, asked)


def _called(given: "Message", asked: "reading.Asked") -> "Message":
    name = given.get("name")
    if not isinstance(name, str) or name not in offers.SCHEMAS:
        allowed = "one of " + ", ".join(offers.SCHEMAS)
        raise protocol.Refused(protocol.NO_PARAMETERS, f"there is no tool {str(name)[:40]!a}: {allowed}")
    arguments = given.get("arguments")
    try:
        said, is_wrong = answers.called(name, {} if arguments is None else arguments, asked), False
    except RalphMemError as error:
        said, is_wrong = f"ralph-mem: {error}" + (f" ({error.hint})" if error.hint else ""), True
    except fast.load_sqlite().Error as error:
        said, is_wrong = f"ralph-mem: the memory cannot be used now: {error} (try again; `ralph-mem doctor` says more)", True
    return {"content": [{"type": "text", "text": said}], **({"isError": True} if is_wrong else {})}


def _resource(given: "Message", asked: "reading.Asked") -> "Message":
    uri = given.get("uri")
    if uri != offers.BRIEFING:
        raise protocol.Refused(protocol.NO_PARAMETERS, f"the one resource is {offers.BRIEFING}", {"uri": uri})
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": answers.briefed(asked)}]}


def _prompt(given: "Message", asked: "reading.Asked") -> "Message":
    named = given.get("arguments")
    query = named.get(offers.ABOUT["name"]) if isinstance(named, dict) else None
    if given.get("name") != offers.RECALL or not isinstance(query, str):
        raise protocol.Refused(protocol.NO_PARAMETERS, f"the one prompt is {offers.RECALL}, and its argument a query as a text")
    message = {"role": "user", "content": {"type": "text", "text": answers.recalled(query, asked)}}
    return {"description": offers.PROMPTS[0]["description"], "messages": [message]}
