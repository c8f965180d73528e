"""Turn what Claude Code hands to a hook on stdin into an activity, even when it is cut off."""

import _signal
import posix
import time

from ralph_mem.core import fast, paths
from ralph_mem.core.project import NOTIFICATIONS, PASTE_MARKS, Activity
from ralph_mem.core.settings import effective

CONFIG_FOLDER = "CLAUDE_CONFIG_DIR"  # the variable that says where the client keeps its settings
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Two megabytes hold every text we would keep, and leave an event of nothing but brackets below 64 MB of memory; of a longer one the
# end is kept too, since the ids stand there.
HEAD_BYTES = 1_835_008
TAIL_BYTES = 262_144
CHUNK_BYTES = 65_536
# The client writes an event whole and at once. A pipe that says nothing for this long will not.
SILENCE_SECONDS = 0.5
# One that trickles for this long will not end before the client's patience does, which is five seconds.
PATIENCE_SECONDS = 3.0

EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
READS = ("Read", "Glob", "Grep", "LS")
# Our own MCP server, as the client names it: the plugin's, or what a person added by that name. A project's own list of servers is
# none of theirs, and the name of a tool says nothing: any server may have one of that name.
OUR_PLUGIN, OUR_SERVER, OF_A_PERSON = "plugin:ralph-mem:", "ralph-mem", ("local", "user")
EXIT_CODES = ("exit_code", "exitCode", "exit", "returncode")  # the client names none: what it calls a success ended with 0
MOST_PID, MOST_DIGITS = 2**31, 11  # beyond what fits a process number of any system, to ask for it is an error
# How it begins a turn that nobody typed, besides with an element: with the agent's own plan, and for other sessions.
PLAN, OF_OTHERS = "Implement the following plan:", ("Another Claude session sent", "This session is being continued from")
PROPOSING = "Did you mean "  # before the name of a file like the one that is not there
# What the client gives the model anyway: of the project, and in its own folder.
INSTRUCTIONS = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")
RULE_FILES = ("CLAUDE.md", "AGENTS.md")  # those of a project, which its repository holds
# What none of its events has, and how the record of a session is not called: another client installed the same plugin.
STRANGE, STRANGE_RECORD = ("timestamp", "turn_id", "sessionId", "conversation_id"), "/rollout-"
# How it wants to be answered; it drops an answer that does not name its event.
ANSWERED = {"start": "SessionStart", "prompt": "UserPromptSubmit", "answer": "Stop"}

effective.UNATTENDED["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
NOTIFICATIONS.append("<task-notification>")
PASTE_MARKS.extend(("[Image", "[Pasted text"))


class Event:
    """One event, with typed access to its fields; a field of the wrong type counts as missing."""

    __slots__ = ("at", "fields", "name")

    def __init__(self, name: str, fields: "dict[str, Any]") -> None:
        self.name = name
        self.fields = fields
        self.at = time.time_ns() // 1_000_000

    def text(self, key: str) -> str:
        """Return a field that is text, else nothing."""
        value = self.fields.get(key)
        return _fit(value) if isinstance(value, str) else ""

    def mapping(self, key: str) -> "dict[str, Any]":
        """Return a field that is a mapping, else an empty one."""
        value = self.fields.get(key)
        return value if isinstance(value, dict) else {}

    def given(self, key: str) -> str:
        """Return what a tool was given for a parameter that is text, as it came, else nothing."""
        return _text(self.mapping("tool_input"), key)

    def is_named_so(self) -> bool:
        """Say whether the client calls the event as the hook's command does, or says nothing of it: it may not be Claude Code."""
        name = self.name.title().replace("-", "")
        return bool(self.fields.get("hook_event_name", name) == name)

    @property
    def turn(self) -> str:
        """Return the event id of the turn that it belongs to; nothing, for a client that does not tell, means the last."""
        prompt = self.text("prompt_id")
        return f"prompt:{prompt}" if prompt else ""

    @property
    def session(self) -> str:
        """Return the client's own id of the session."""
        return self.text("session_id")


def _fit(text: str) -> str:
    """Return a text that fits UTF-8 and a path: without lone surrogates and NULs."""
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "")


def _text(mapping: "dict[str, Any]", key: str) -> str:
    value = mapping.get(key)
    return value if isinstance(value, str) else ""


def read(name: str) -> "Event | None":
    """Read the named event from stdin, at most 2 MiB and without long waits; None for one that is unknown."""
    return Event(name, parse(*drain_stdin())) if name in OF_EVENT else None


def is_strange(event: Event) -> bool:
    """Say whether an event has the shape of another client's."""
    told = event.fields
    is_goose = "event" in told and "hook_event_name" not in told
    return is_goose or any([word in told for word in STRANGE]) or STRANGE_RECORD in event.text("transcript_path")


def answer(seen: Activity, said: "dict[str, str]") -> str:
    """Return what to print: `message` is for the person, `context` for the model."""
    found: dict[str, Any] = {}
    if said.get("message"):
        found["systemMessage"] = said["message"]
    if said.get("context"):
        found["hookSpecificOutput"] = {"hookEventName": ANSWERED[seen.kind], "additionalContext": said["context"]}
    return fast.dumps(found) if found else ""


def prompt_history() -> str:
    """Return the file in which the client keeps every prompt that was typed, of all projects."""
    return config_folder() + "/history.jsonl"


def config_folder() -> str:
    """Return the folder of the client's settings."""
    return paths.environment(CONFIG_FOLDER) or (paths.environment("HOME") or "/nowhere") + "/.claude"


def instructions() -> "tuple[str, ...]":
    """Return the files whose text the client gives the model anyway, as seen from the project's root, or absolute."""
    return (*INSTRUCTIONS, config_folder() + "/CLAUDE.md")


def pid() -> int:
    """Return the process of the client, 0 where it tells no number that a process can have."""
    told = paths.environment("CLAUDE_PID")
    number = int(told) if told.isascii() and told.isdigit() and len(told) < MOST_DIGITS else 0
    return number if number < MOST_PID else 0


# From an event to an activity


def activity(event: Event) -> "Activity | None":
    """Return what an event tells; None for one that is not understood, or a tool whose calls leave nothing."""
    return OF_EVENT[event.name](event) if event.session and event.is_named_so() else None


def _activity(event: Event, kind: str, **known: "Any") -> Activity:
    return Activity(
        kind, at=event.at, session=event.session, turn=event.turn, cwd=event.text("cwd"), branch=event.text("git_branch"),
        folder=paths.environment("CLAUDE_PROJECT_DIR") or event.text("cwd"), agent_id=event.text("agent_id"),
        agent_type=event.text("agent_type"), **known,
    )  # fmt: skip


def _start(event: Event) -> Activity:
    known = {"source": event.text("source"), "model": event.text("model"), "transcript": event.text("transcript_path")}
    return _activity(event, "start", pid=pid(), instructions=instructions(), **known)


def _prompt(event: Event) -> Activity:
    text = event.text("prompt")
    if "<" in text or text.startswith((PLAN, *OF_OTHERS)):
        from ralph_mem.hosts.claude_code import brought  # lazy: only for a prompt that may hold more than was typed

        text = brought.with_our_marks(text, PLAN)
    return _activity(event, "prompt", text=text, instructions=instructions())


def _stop(event: Event) -> Activity:
    waiting = bool(event.fields.get("background_tasks") or event.fields.get("session_crons"))
    again = bool(event.fields.get("stop_hook_active"))
    return _activity(event, "answer", text=event.text("last_assistant_message"), waiting=waiting, again=again)


def _subagent(event: Event) -> "Activity | None":
    """Take what a subagent reports to its parent. Compaction fires the event too, without an agent's type."""
    said = event.text("last_assistant_message")
    name = "agent:" + event.text("agent_id")
    return _activity(event, "report", text=said, id=name) if said and event.text("agent_type") else None


def _compacting(event: Event) -> Activity:
    return _activity(event, "compacting")  # answered with nothing: that would go into the request for the summary


def _summary(event: Event) -> "Activity | None":
    """Take the summary without the analysis that the model wrote before it; all of a text without the tag."""
    text = event.text("compact_summary")
    _, tag, rest = text.partition("<summary>")
    text = (rest.partition("</summary>")[0] if tag else text).strip()
    return _activity(event, "summary", text=text) if text else None


def _end(event: Event) -> Activity:
    return _activity(event, "end", reason=event.text("reason"))


def _tool(event: Event) -> "Activity | None":
    tool = event.text("tool_name")
    if tool == "Bash":
        return _command(event)
    if tool in EDITS:
        return _edit(event)
    if tool in ("Agent", "Task"):
        return _used(event, "errand", asked=event.given("description"), text=event.given("prompt"))
    if tool in READS and event.name != "post-tool-use":  # what could not be read is no news, what lies near it may be a stranger's
        _, _, near = event.text("error").partition(PROPOSING)
        return _used(event, "output", text=near) if near else None
    from ralph_mem.hosts.claude_code import brought  # lazy: only for a tool that reads something

    if tool in READS:
        path = event.given("file_path") or event.given("path")
        found = brought.of_read(event.mapping("tool_response"), path)
        return _activity(event, "read", id=event.text("tool_use_id"), path=path, searched=tool == "Grep", **found)
    kind, found = brought.of_tool(tool, event.fields.get("tool_response"), event.mapping("tool_input"))
    return _used(event, "recalled" if _is_ours(event) else kind, **found)


def _command(event: Event) -> Activity:
    response = event.fields.get("tool_response")
    known: dict[str, Any] = {"command": event.given("command"), "text": _output(response), "ended_well": _has_ended_well(event)}
    told = event.mapping("tool_response")
    if told.get("interrupted") is True:
        known["interrupted"] = True
    task = told.get("backgroundTaskId")
    if task:
        known |= {"runs_on": True, "task": str(task)}
    return _used(event, "command", **known)


def _is_ours(event: Event) -> bool:
    """Say whether the tool is one of our own server."""
    server = event.mapping("mcp_server")
    name, source = server.get("name"), server.get("source")
    if source == "plugin":
        return isinstance(name, str) and name.startswith(OUR_PLUGIN)
    return name == OUR_SERVER and source in OF_A_PERSON


def _edit(event: Event) -> Activity:
    diff, text, told = _diff(event), event.given("content") or event.given("new_source"), event.mapping("tool_response")
    path = event.given("file_path") or event.given("notebook_path")
    # a cell of a notebook, or what a file held already
    is_there = "new_string" in event.mapping("tool_input") or event.given("notebook_path") or _text(told, "type") == "update"
    return _used(event, "edit", path=path, diff=diff, text=text, is_new=not (diff or is_there))


def _used(event: Event, kind: str, **known: "Any") -> Activity:
    failure = event.text("error")
    number = failure.partition("\n")[0].removeprefix("Exit code ") if failure.startswith("Exit code ") else ""
    if number.isascii() and number.isdigit() and len(number) < MOST_DIGITS:
        known["exit"] = int(number)
    if event.fields.get("is_interrupt") is True:
        known["interrupted"] = True
    took = event.fields.get("duration_ms")
    if isinstance(took, (int, float)) and not isinstance(took, bool):
        known["took_ms"] = took
    return _activity(event, kind, tool=event.text("tool_name"), id=event.text("tool_use_id"), failure=failure, **known)


def _has_ended_well(event: Event) -> bool:
    """Say whether a response is Claude Code's, which has another event for failures, of a command that is over."""
    response = event.mapping("tool_response")
    if event.name != "post-tool-use" or not all([isinstance(response.get(key), str) for key in ("stdout", "stderr")]):
        return False
    return not any([response.get(key) for key in ("interrupted", "backgroundTaskId")] + [key in response for key in EXIT_CODES])


def _output(response: object) -> str:
    if isinstance(response, str):
        return response
    if not isinstance(response, dict):
        return ""
    return "\n".join([text for text in (_text(response, "stdout"), _text(response, "stderr")) if text])


def _diff(event: Event) -> str:
    """Return the changed lines of an edit; nothing for a new file."""
    hunks = _list(event.mapping("tool_response").get("structuredPatch"))
    lines = [line for hunk in hunks if isinstance(hunk, dict) for line in _list(hunk.get("lines"))]
    changed = [line for line in lines if isinstance(line, str) and line[:1] in "+-"]
    if not changed and "new_string" in event.mapping("tool_input"):
        for sign, key in (("-", "old_string"), ("+", "new_string")):
            changed += [sign + line for line in event.given(key).splitlines()]
    return "\n".join(changed)


def _list(value: object) -> "list[Any]":
    return value if isinstance(value, list) else []


OF_EVENT = {
    "session-start": _start, "user-prompt-submit": _prompt, "post-tool-use": _tool, "post-tool-use-failure": _tool,
    "stop": _stop, "subagent-stop": _subagent, "pre-compact": _compacting, "post-compact": _summary, "session-end": _end,
}  # fmt: skip


# From stdin to an event


def parse(head: bytes, tail: bytes = b"") -> "dict[str, Any]":
    """Return the fields of an event. `tail` is what remains of the end when the middle was cut out."""
    if not tail:
        try:
            fields = fast.loads(head.strip().decode("utf-8", "replace"))
            return fields if isinstance(fields, dict) else {}
        except ValueError:
            pass
    # nearly every event is whole
    from ralph_mem.hosts.claude_code import cut_event  # lazy: only for an event that was cut off

    return cut_event.fields(head, tail)


def drain_stdin() -> "tuple[bytes, bytes]":
    """Return head and tail of stdin; what lies between is read and dropped, so that the client never blocks."""
    head: list[bytes] = []
    tail: list[bytes] = []
    size = 0
    _signal.signal(_signal.SIGALRM, _raise_timeout)
    end = time.monotonic() + PATIENCE_SECONDS
    try:
        while True:
            _signal.setitimer(_signal.ITIMER_REAL, max(0.001, min(SILENCE_SECONDS, end - time.monotonic())))
            chunk = posix.read(0, CHUNK_BYTES)
            if not chunk:
                break
            size += len(chunk)
            (head if size <= HEAD_BYTES else tail).append(chunk)
            if len(tail) * CHUNK_BYTES > 2 * TAIL_BYTES:
                tail = [b"".join(tail)[-TAIL_BYTES:]]
    except (TimeoutError, OSError):
        pass
    finally:
        _signal.signal(_signal.SIGALRM, _signal.SIG_IGN)  # from here on nobody waits
        _signal.setitimer(_signal.ITIMER_REAL, 0)
    return b"".join(head), b"".join(tail)[-TAIL_BYTES:]


def _raise_timeout(_signal_number: int, _frame: object) -> None:
    raise TimeoutError
