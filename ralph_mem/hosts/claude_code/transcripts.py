"""Read the client's record of a session as the events that its hooks were sent.

The format is undocumented and changes with the client (described for 2.1.329): what is not known is passed over.
"""

import heapq
import time
from collections import namedtuple
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from ralph_mem.core import fast
from ralph_mem.hosts.claude_code import event as events
from ralph_mem.hosts.claude_code.event import Event

# What a hook takes of an event is what is taken of a line.
HEAD_BYTES, TAIL_BYTES, CHUNK_BYTES = events.HEAD_BYTES, events.TAIL_BYTES, events.CHUNK_BYTES
# Bookkeeping of the client makes up most of a transcript; these lines are told by their first bytes.
BOOKKEEPING = (b'{"type":"api-request', b'{"type":"queue-operation', b'{"type":"file-history-snapshot', b'{"type":"last-prompt')
SKIPPED = b'"attachment":{"type":'
# What the client writes in the user's name: its own commands and what they print, what the user typed after `!`.
NOT_SAID = ("<command-name>", "<local-command-", "<bash-", "<system-reminder>", "<ide_", "Caveat: The messages below")
NOT_PROMPTS = ("isMeta", "isVisibleInTranscriptOnly", "isCompactSummary")
INTERRUPTED = "[Request interrupted by user"
REFUSED = ("<tool_use_error>", INTERRUPTED, "The user doesn't want to ")
FEEDBACK = "Stop hook feedback:"
TYPED = "<command-message>"
SUMMARY = "\nSummary:\n"
AFTER_SUMMARY = (
    *("\n\nIf you need specific details from before compaction", "\n\nPlease continue the conversation from where"),
    *("\n\nContinue the conversation from where", "\n\nRecent messages are preserved verbatim"),
)
SYNTHETIC = "<synthetic>"
NO_BRANCH = "HEAD"
# A call without a result belongs to a turn that was broken off; more than this many are never under way at once.
MOST_CALLS = 256
DAY_MS = 86_400_000
EARLIEST_MS = 1_600_000_000_000  # before there was a client to write it

# `at` orders steps of several transcripts. `position` is where reading may be taken up again once the event is stored, None
# in the midst of something. An event's branch is in its field `git_branch`, a session's model in `model`.
Step = namedtuple("Step", "at event position")
Agent = namedtuple("Agent", "id type")
# A transcript with its name, the time of its first entry, and where to begin.
Source = namedtuple("Source", "first name transcript position")
Line = namedtuple("Line", "start end head tail whole")


def lines(file: BinaryIO, start: int = 0) -> Iterator[Line]:
    """Yield the lines from a position on; of one longer than 2 MiB only its beginning and its end. An empty one is left out."""
    file.seek(start)
    end = start
    while head := file.readline(HEAD_BYTES):
        begin, end = end, end + len(head)
        tail, piece = b"", head
        while not piece.endswith(b"\n") and (piece := file.readline(CHUNK_BYTES)):
            end += len(piece)
            tail = (tail + piece)[-TAIL_BYTES:]
        if head.strip():
            yield Line(begin, end, head, tail, (tail or head).endswith(b"\n"))


def entry_of(line: Line) -> "dict[str, Any] | None":
    """Return what a line says; {} for what the client keeps for itself, None for what cannot be read."""
    if line.head.startswith(BOOKKEEPING) or (SKIPPED in line.head[:200] and b'"SessionStart' not in line.head[:400]):
        return {}
    if line.tail:
        return (events.parse(line.head, line.tail) or None) if line.whole else None
    try:
        value = fast.loads(line.head.decode("utf-8", "replace"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def moment(entry: dict[str, Any]) -> int:
    """Return the time of an entry in milliseconds, 0 where it has none or one that cannot be."""
    told = entry.get("timestamp")
    try:
        at = int(datetime.fromisoformat(told.replace("Z", "+00:00")).timestamp() * 1000) if isinstance(told, str) else 0
    except (ValueError, OverflowError, OSError):
        return 0
    return at if EARLIEST_MS < at < time.time() * 1000 + DAY_MS else 0


def own_start(path: Path) -> int:
    """Return where a session's own begins: a fork repeats its parent's prompts under the id of its own first one."""
    first, own, answered, asked = "", 0, False, False
    with path.open("rb") as file:
        for line in lines(file):
            if b'"assistant"' in line.head:
                answered = True
            if b'"promptId"' not in line.head or b'"tool_result"' in line.head:
                continue
            entry = entry_of(line) or {}
            if not prompt_of(entry) or entry.get("isSidechain"):
                continue
            if entry.get("promptId") != (first or entry.get("promptId")):
                break
            own = line.start if asked and answered else own
            first, asked, answered = str(entry.get("promptId")), True, False
    return own


def prompt_of(entry: dict[str, Any]) -> str:
    """Return what the user said in an entry, or what stands for a notification of the client; nothing for any other."""
    if entry.get("type") != "user" or any(entry.get(mark) for mark in NOT_PROMPTS):
        return ""
    said = [text for text in _texts(entry) if text.startswith(TYPED) or not text.startswith((*NOT_SAID, INTERRUPTED))]
    text = "\n".join(said)
    return _typed(text) if text.startswith(TYPED) else text


def _typed(text: str) -> str:
    """Return a command as it was typed."""
    name, given = [text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0].strip() for tag in ("command-name", "command-args")]
    return f"{name} {given}".strip() if name.startswith("/") else ""


class Transcript:
    """One file: a session's own, or that of a subagent. Holds no more of it than the calls that are under way.

    `unreadable` counts lines that are no JSON; `cut` says that the last one has no end, which may still be written.
    """

    def __init__(self, path: Path, session: str, agent: "Agent | None" = None) -> None:
        self.path = path
        self.session = session
        self.agent = agent
        self.unreadable = 0
        self.cut = False
        self.model = ""
        self.at = 0
        self.prompt = ""
        self.place = ("", "")  # working folder and branch
        self.said: tuple[str, int] | None = None
        self.calls: dict[str, tuple[str, dict[str, Any]]] = {}

    def steps(self, start: int = 0) -> Iterator[Step]:
        """Yield the events from a position on, in the order of the file; their times never go back."""
        with self.path.open("rb") as file:
            end = start
            for line in lines(file, start):
                entry = entry_of(line)
                if entry is None:
                    self.cut = not line.whole
                    self.unreadable += line.whole
                if self.cut:
                    break
                end = line.end
                yield from self._steps(self._events(entry or {}), end)
            yield from self._steps(self._closing(), end)

    def _steps(self, found: list[Event], end: int) -> Iterator[Step]:
        resting = None if self.calls or self.said else end
        for number, event in enumerate(found, 1):
            yield Step(event.at, event, resting if number == len(found) else None)

    def _events(self, entry: dict[str, Any]) -> list[Event]:
        kind = entry.get("type")
        if kind not in ("user", "assistant", "system", "attachment"):
            return []
        self._note(entry)
        if kind == "user":
            return self._of_user(entry)
        if kind == "assistant":
            return self._of_assistant(entry)
        if kind == "attachment":
            return self._of_start(entry)
        return self._closing() if entry.get("subtype") in ("stop_hook_summary", "turn_duration") else []

    def _note(self, entry: dict[str, Any]) -> None:
        """Note when and where an entry was written, and of which prompt it is."""
        self.at = max(self.at, moment(entry))
        branch = _text(entry, "gitBranch")
        self.place = (_text(entry, "cwd") or self.place[0], branch if branch != NO_BRANCH else "")

    def _event(self, name: str, at: int = 0, agent: "Agent | None" = None, **fields: Any) -> Event:
        own = agent or self.agent
        common = {"session_id": self.session, "cwd": self.place[0], "git_branch": self.place[1], "prompt_id": self.prompt}
        agents = {"agent_id": own.id, "agent_type": own.type} if own else {}
        made = Event(name, {**common, **agents, **fields})
        made.at = at or self.at
        return made

    def _of_start(self, entry: dict[str, Any]) -> list[Event]:
        """Return the start of the session where its hooks left a trace that says how it began."""
        attachment = entry.get("attachment")
        name = _text(attachment, "hookName") if isinstance(attachment, dict) else ""
        source = name.removeprefix("SessionStart:")
        return [self._event("session-start", source=source)] if source in ("startup", "clear", "fork") else []

    def _of_assistant(self, entry: dict[str, Any]) -> list[Event]:
        message = entry.get("message")
        model = _text(message, "model") if isinstance(message, dict) else ""
        if model == SYNTHETIC or entry.get("isApiErrorMessage"):
            self.said = None
            return []
        self.model = self.model or model
        for block in _blocks(entry):
            if block.get("type") == "text" and _text(block, "text"):
                goes_on = isinstance(message, dict) and message.get("stop_reason") == "tool_use"
                self.said = None if goes_on else (_text(block, "text"), self.at)
            elif block.get("type") == "tool_use":
                self.said = None
                self._begin_call(block)
        if entry.get("isSidechain") and not self.agent:
            self.said = None
        return []

    def _begin_call(self, block: dict[str, Any]) -> None:
        given = block.get("input")
        self.calls[_text(block, "id")] = (_text(block, "name"), given if isinstance(given, dict) else {})
        if len(self.calls) > MOST_CALLS:
            del self.calls[next(iter(self.calls))]

    def _of_user(self, entry: dict[str, Any]) -> list[Event]:
        found: list[Event] = []
        stranger = bool(entry.get("isSidechain")) and not self.agent  # older clients keep a subagent's entries here
        results = [block for block in _blocks(entry) if block.get("type") == "tool_result"]
        prompt = "" if results else prompt_of(entry)
        texts = _texts(entry)
        if any(text.startswith(INTERRUPTED) for text in texts):
            self.said = None
        if prompt or (texts and texts[0].startswith(FEEDBACK)):
            found += [] if stranger else self._closing()
        if prompt and not stranger and not self.agent:
            self.calls.clear()  # whatever was under way was broken off
        self.prompt = _text(entry, "promptId") or (_text(entry, "uuid") if prompt and not stranger else self.prompt)
        if entry.get("isCompactSummary"):
            return found + self._of_compaction(texts)
        if prompt and not stranger and not self.agent:
            found.append(self._event("user-prompt-submit", prompt=prompt))
        return found + [event for block in results for event in self._of_result(entry, block, alone=len(results) == 1)]

    def _of_compaction(self, texts: list[str]) -> list[Event]:
        summary = "\n".join(texts)
        summary = summary.partition(SUMMARY)[2] or summary
        for words in AFTER_SUMMARY:
            summary = summary.partition(words)[0]
        return [self._event("session-start", source="compact"), self._event("post-compact", compact_summary=summary.strip())]

    def _of_result(self, entry: dict[str, Any], block: dict[str, Any], *, alone: bool) -> list[Event]:
        """Return the event of a tool call that ran; one that was refused, or did not fit its tool, never reaches a hook."""
        call = _text(block, "tool_use_id")
        name, given = self.calls.pop(call, ("", {}))
        said = _said(block.get("content"))
        if not name or entry.get("toolDenialKind") or said.startswith(REFUSED):
            return []
        agent = Agent(_text(entry, "agentId") or "sidechain", "unknown") if entry.get("isSidechain") and not self.agent else None
        fields: dict[str, Any] = {"tool_name": name, "tool_input": given, "tool_use_id": call, "agent": agent}
        if block.get("is_error") is True:
            return [self._event("post-tool-use-failure", error=said, **fields)]
        response = entry.get("toolUseResult") if alone else None
        if response is None:  # of several results in one entry, and of a subagent's, only the text is kept
            response = {"stdout": said, "stderr": ""} if name == "Bash" else said
        return [self._event("post-tool-use", tool_response=response, **fields)]

    def _closing(self) -> list[Event]:
        """Return the end of what was said last, if nothing came behind it."""
        if not self.said:
            return []
        (text, at), self.said = self.said, None
        return [self._event("subagent-stop" if self.agent else "stop", at, last_assistant_message=text)]


def merged(sources: Iterable[Source]) -> Iterator[tuple[str, Step]]:
    """Yield the steps of transcripts by time, each with its name; a file of hundreds is opened when its time has come."""
    waiting = sorted(sources, key=lambda source: source.first, reverse=True)
    under_way: list[tuple[int, str, Step, Iterator[Step]]] = []
    while under_way or waiting:
        while waiting and (not under_way or waiting[-1].first <= under_way[0][0]):
            source = waiting.pop()
            _go_on(under_way, source.name, source.transcript.steps(source.position))
        if under_way:
            _, name, step, steps = heapq.heappop(under_way)
            yield name, step
            _go_on(under_way, name, steps)


def _go_on(under_way: list[tuple[int, str, Step, Iterator[Step]]], name: str, steps: Iterator[Step]) -> None:
    for step in steps:
        heapq.heappush(under_way, (step.at, name, step, steps))
        return


def _blocks(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the blocks of a message; its content may be one text instead."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _texts(entry: dict[str, Any]) -> list[str]:
    return [_text(block, "text").lstrip("\n") for block in _blocks(entry) if block.get("type") == "text"]


def _said(content: object) -> str:
    """Return the text of a tool's result, which is one text or a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join([_text(block, "text") for block in blocks if isinstance(block, dict) and _text(block, "text")])


def _text(mapping: dict[str, Any], key: str) -> str:
    value = mapping.get(key)
    return value if isinstance(value, str) else ""
