"""Put events of other clients into the words of Claude Code, and answers into theirs, by the tables of hosts.

A host is a folder with a module `shape`: `EVENTS` are its names of events by ours, `FIELDS` its names of fields by ours, `TOOLS`
our names of tools by its own (nothing for one whose calls leave nothing, what is not listed brings in something from outside),
`PARAMETERS` our names of what a tool is given by its own, `INSTRUCTIONS` the files that it gives its model anyway, `SOURCES` how a
session begins by its words, `LATE` whether its record alone tells how the calls of a turn ended, `FLAT` the field of an answer that
names no event, nothing for one that does, `TOLD` at what it takes an answer, where that is not both, `IN_SHELL` what it sets in
the shells of its agent. `unwrapped` puts right what tables cannot say, `outcome` reads how a call ended.
"""

import time
import zlib

from ralph_mem.core import fast, paths
from ralph_mem.core.project import Activity
from ralph_mem.hosts import ended, known
from ralph_mem.hosts.claude_code import event as ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    Fields = dict[str, Any]

TOOL, FAILED, PROMPT = ended.TOOL, ended.FAILED, "user-prompt-submit"
NAMES = {"session-start": "SessionStart", PROMPT: "UserPromptSubmit", TOOL: "PostToolUse", FAILED: "PostToolUseFailure"}
NAMES |= {"stop": "Stop", "pre-compact": "PreCompact", "session-end": "SessionEnd"}
ANSWERED = {"start": "SessionStart", "prompt": "UserPromptSubmit"}  # at its end no turn of theirs is told anything
MOST_STAMP, MOST_MS = 40, 10**14  # of a time: characters, and milliseconds up to the year 5138


def read(name: str, host: str) -> "Activity | None":
    """Read an event of a named host from stdin; None for what is not understood, or not of its shape."""
    if (host not in known.OTHERS and host not in known.BY_DOCUMENTS) or name not in NAMES:
        return None
    head, tail = ours.drain_stdin()
    if tail:
        return activity(name, host, ours.parse(head, tail))
    try:
        fields = fast.loads(head.decode("utf-8", "replace"))
    except ValueError:  # of half an event half a command could be stored
        return None
    return activity(name, host, fields) if isinstance(fields, dict) else None


def unnamed(event: ours.Event) -> "Activity | None":
    """Return what an event tells that came by lines which name no host, and is not Claude Code's."""
    host = known.whose(event.fields)
    return activity(event.name, host, event.fields) if host in known.UNNAMED else None


def activity(name: str, host: str, fields: "Fields") -> "Activity | None":
    """Return what an event of a host tells, None for nothing."""
    if known.whose(fields) != host or name not in NAMES:
        return None
    event = translated(name, shape_of(host), fields)
    seen = ours.activity(event) if event else None
    if event and seen:
        seen.__dict__.update(host=host, folder=event.text("cwd"), pid=0)
        if seen.kind == "answer" and shape_of(host).LATE:
            seen.late = _late(host, event.fields, seen)
        if seen.kind in ANSWERED:
            home = paths.environment("HOME") or "/nowhere"
            seen.instructions = tuple([home + path[1:] if path[0] == "~" else path for path in shape_of(host).INSTRUCTIONS])
    return seen


def _late(host: str, told: "Fields", seen: Activity) -> "list[Activity]":
    """Return what the record of a host says of a turn that its hooks were not told."""
    record = __import__(f"ralph_mem.hosts.{host}.record", None, None, ("late",))  # lazy: once a turn
    found = []
    for name, fields in record.late(told):
        event = ours.Event(name, fields)
        event.at = seen.at
        each = ours.activity(event)
        if each:
            each.__dict__.update(host=host, folder=seen.folder)
            found.append(each)
    return found


def said(host: str, session: str, since: int) -> str:
    """Return what the record of a host says that the agent of a session said last, after a time in ms; nothing where no record
    tells it, or not yet.
    """
    record = __import__(f"ralph_mem.hosts.{host}.record", None, None, ("said",))  # lazy: once a turn
    return str(record.said(session, stamp_of(since)))


def shape_of(host: str) -> "ModuleType":
    """Return the tables of a host, which are loaded for its own events alone."""
    return __import__(f"ralph_mem.hosts.{host}.shape", None, None, ("EVENTS",))  # lazy: a session has one client


def translated(name: str, shape: "ModuleType", fields: "Fields") -> "ours.Event | None":
    """Return an event in our words, None for one of another name, or one that tells nothing."""
    told = dict(shape.unwrapped(name, fields))
    for word, theirs in shape.FIELDS.items():
        if theirs in told:
            told[word] = told.pop(theirs)
    if told.pop("hook_event_name", shape.EVENTS.get(name, NAMES[name])) != shape.EVENTS.get(name, NAMES[name]):
        return None
    if name in (TOOL, FAILED):
        name = _tool(name, shape, told)
    if name == PROMPT and not (isinstance(told.get("prompt"), str) and told["prompt"].strip()):
        return None  # a round of tools that goes on is no prompt
    told["source"] = shape.SOURCES.get(told.get("source"), told.get("source")) if isinstance(told.get("source"), str) else ""
    _name_it(name, told)
    return ours.Event(name, told) if name else None


def _tool(name: str, shape: "ModuleType", told: "Fields") -> str:
    """Put a tool's call into our words; returns which event it is, nothing for one that leaves nothing."""
    tool, given = told.get("tool_name"), told.get("tool_input")
    if not isinstance(tool, str) or not isinstance(given, dict):
        return ""
    told["tool_name"] = shape.TOOLS.get(tool, f"mcp__{tool.removeprefix('mcp__')}")
    told["tool_input"] = {shape.PARAMETERS.get(key, key): value for key, value in given.items()}
    return (shape.outcome(name, told) or name) if told["tool_name"] else ""


def _name_it(name: str, told: "Fields") -> None:
    """Give ids to what has none: by its time and its words, so that who hears it twice stores it once."""
    stamp = stamp_of(told.get("timestamp"))
    if not stamp:
        return
    if name == PROMPT and not told.get("prompt_id"):
        told["prompt_id"] = f"{told.get('session_id')}:{stamp}"
    if name in (TOOL, FAILED) and not told.get("tool_use_id"):
        told["tool_use_id"] = call_id(told.get("session_id"), stamp, told["tool_input"])


def stamp_of(told: object) -> str:
    """Return a time as most clients write it, of one that counts milliseconds as well; nothing for what is no time."""
    if isinstance(told, int) and not isinstance(told, bool) and 0 < told < MOST_MS:
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(told // 1000)) + f".{told % 1000:03d}Z"
    return told[:MOST_STAMP] if isinstance(told, str) else ""


def call_id(session: object, stamp: str, given: "Fields") -> str:
    """Return the id of a tool's call of which the client tells none."""
    return f"call:{session}:{stamp}:{zlib.crc32(fast.dumps(given).encode('utf-8', 'replace')):08x}"


# Slash commands are Claude Code's; everybody has a terminal, and so has an agent. The first are in what a model is told.
IN_CONTEXT = (
    ("(its words: /mem-search --layer 3 ", "(its words: {} show "),
    ("; /mem-search finds them.)", "; {} search finds them.)"),
)
IN_MESSAGES = (("/mem for more", "{} --help for more"), ("/mem ", "{} "))
COMMAND = "ralph-mem"


def _in_a_terminal(text: str, words: "tuple[tuple[str, str], ...]") -> str:
    for typed, command in words:
        if typed in text:
            text = text.replace(typed, command.format(_command()))
    return text


def _command() -> str:
    """Return how a terminal starts our command: by its name where that is on PATH, else from where the plugin lies."""
    if any([folder and paths.exists(f"{folder}/{COMMAND}") for folder in paths.environment("PATH").split(":")]):
        return COMMAND
    file = __file__.rpartition("/ralph_mem/")[0] + "/ralph_mem/interfaces/terminal.py"
    return f"python3 '{file}'" if " " in file else f"python3 {file}"


def takes_in(seen: Activity) -> bool:
    """Say whether what is answered to an activity reaches the model of its host."""
    return seen.kind in getattr(shape_of(seen.host), "TOLD", ANSWERED)


def answer(seen: Activity, said: "dict[str, str]") -> str:
    """Return what to print, in the words of the host of an activity: `message` is for the person, `context` for the model.

    Most took the form over from Claude Code; no field is in it that a strict reader does not know.
    """
    event, context = ANSWERED.get(seen.kind, "") if takes_in(seen) else "", _in_a_terminal(said.get("context", ""), IN_CONTEXT)
    if not event:
        return ""
    flat = shape_of(seen.host).FLAT
    if flat:
        return fast.dumps({flat: context}) if context else ""
    found: Fields = {"systemMessage": _in_a_terminal(said["message"], IN_MESSAGES)} if said.get("message") else {}
    if context:
        found["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": context}
    return fast.dumps(found) if found else ""
