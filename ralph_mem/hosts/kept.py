"""Find and read what other clients kept of past sessions, as the events that their hooks would have been sent.

A host has a module `kept`: `PLACES` are the folders below the client's own in which its records lie, `NAMES` how their files are
called, `begun` reads of an entry whose session it is and in which folder, `events` turns an entry into events. What it does not
know is passed over. One that keeps a database in place of files has `listed` and `steps` besides.
"""

import fnmatch
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from ralph_mem.core import fast
from ralph_mem.core.errors import RalphMemError
from ralph_mem.hosts import known, others
from ralph_mem.hosts.claude_code.archive import MOST_HEAD_BYTES, NO_ENTRIES, UNREACHABLE, Kept, Passed, last_moment
from ralph_mem.hosts.claude_code.event import Event
from ralph_mem.hosts.claude_code.transcripts import MOST_CALLS, Line, Step, lines, moment

OF_AN_AGENT, NOWHERE = "a subagent's", "it does not say in which folder"
# A record that is one document in place of lines is read whole: some thousand turns have this size.
MOST_DOCUMENT_BYTES = 67_108_864
PROMPT, STOP = others.PROMPT, "stop"


def reader_of(host: str) -> ModuleType:
    """Return the module that reads the records of a host; `host` is one of `known.OTHERS`."""
    return __import__(f"ralph_mem.hosts.{host}.kept", None, None, ("events",))  # lazy: one host at a time


def place(host: str) -> Path:
    """Return the folder of a client below which its records lie."""
    reader, setup = reader_of(host), known.setup_of(host)
    if hasattr(reader, "place"):
        return Path(reader.place())
    return Path(known.folder_of(setup))


def files_in(host: str, path: "Path | None" = None) -> list[Path]:
    """Return the records at a path, or in a folder or below it; by default all of the client's. Raises RalphMemError where there
    are none.
    """
    reader, title = reader_of(host), known.setup_of(host).TITLE
    tops = [path] if path else [place(host) / name for name in reader.PLACES]
    try:
        found = [top for top in tops if top.is_file()]
        found += sorted({file for top in tops if top.is_dir() for file in _below(top, reader.NAMES)})
        if path:
            path.stat()
    except OSError as error:
        raise RalphMemError(f"{error.strerror}: {path}", f"name a record of {title}, or a folder that holds some") from error
    if not found:
        raise RalphMemError(f"{title} has kept no session in {path or place(host)}", "name the folder that holds its records")
    return found


def _below(top: Path, names: tuple[str, ...]) -> Iterator[Path]:
    """Find files by the ends of their paths; one that lies behind a link is not looked for."""
    for name in names:
        for file in top.rglob(name.rpartition("/")[2]):
            if fnmatch.fnmatch(str(file), f"*/{name}") and file.is_file():
                yield file


def look(host: str, files: Iterable[Path], tell: Callable[[int], object] = bool) -> tuple[list[Kept], list[Passed]]:
    """Look at the beginning of each file; returns the sessions, by their begin, and what is none; `tell` hears how many so far."""
    kept: list[Kept] = []
    passed: list[Passed] = []
    reader = reader_of(host)
    for number, path in enumerate(files, 1):
        try:
            found = reader.listed(path) if hasattr(reader, "listed") else [_looked_at(host, path)]
        except (OSError, RalphMemError) as error:
            found = [Passed(path, UNREACHABLE, getattr(error, "strerror", "") or str(error))]
        kept += [each for each in found if isinstance(each, Kept)]
        passed += [each for each in found if isinstance(each, Passed)]
        tell(number)
    return sorted(kept, key=lambda each: (each.first, each.bytes)), passed


def _looked_at(host: str, path: Path) -> "Kept | Passed":
    reader, status = reader_of(host), path.stat()
    session, folder, first = "", "", 0
    for line, entry in entries(path):
        first = first or moment_of(entry or {})
        begun = reader.begun(entry, path) if entry else None
        session, folder = (begun[0] or session, begun[1] or folder) if begun else (session, folder)
        if folder or line.start > MOST_HEAD_BYTES:
            break
    if not session or not folder:
        return Passed(path, NOWHERE if session else NO_ENTRIES, "")
    if folder == OF_AN_AGENT:
        return Passed(path, OF_AN_AGENT, "")
    last = max(last_moment(path), first)
    return Kept(path, session, folder, first or last, last, status.st_size, status.st_mtime_ns, [], host)


def entries(path: Path, start: int = 0) -> Iterator[tuple[Line, "dict[str, Any] | None"]]:
    """Yield the entries of a record with the lines that they stand in, from a position on; None for what cannot be read."""
    if path.suffix == ".json":
        yield from _of_document(path)
        return
    with path.open("rb") as file:
        for line in lines(file, start):
            yield line, parsed(b"" if line.tail else line.head)


def _of_document(path: Path) -> Iterator[tuple[Line, "dict[str, Any] | None"]]:
    """Yield a document and then each of its messages; it is one line, which counts as read with the last of them."""
    size = path.stat().st_size
    data = path.read_bytes() if size <= MOST_DOCUMENT_BYTES else b""
    whole = parsed(data)
    messages = whole.pop("messages", None) if whole else None
    for each in [whole, *(messages if isinstance(messages, list) else [])]:
        yield Line(0, size, b"", b"", True), each if isinstance(each, dict) else None


def parsed(data: object) -> "dict[str, Any] | None":
    """Return the JSON object that bytes or a text hold, None where they hold none."""
    try:
        text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
        value = fast.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def moment_of(entry: dict[str, Any]) -> int:
    """Return the time of an entry in milliseconds, 0 where it has none or one that cannot be."""
    return moment({"timestamp": entry.get("timestamp") or entry.get("startTime")})


class Record:
    """One session that another client kept, of which no more is held than the calls that are under way.

    `unreadable` counts lines that are no JSON or longer than what a hook takes; `cut` says that the last one has no end, which may
    still be written. `turn` is the id of the prompt that is being answered, `seen` by what
    entries are known that may come again, `notes` what else a host has to remember.
    """

    def __init__(self, kept: Kept) -> None:
        self.path, self.session, self.host = kept.path, kept.session, kept.host
        self.reader, self.shape = reader_of(kept.host), others.shape_of(kept.host)
        self.unreadable = 0
        self.cut = False
        self.model = self.branch = self.turn = ""
        self.folder = kept.folder
        self.at = 0
        self.said: tuple[str, int] | None = None
        self.calls: dict[str, Any] = {}
        self.seen: set[str] = set()
        self.notes: dict[str, Any] = {}

    def steps(self, start: int = 0) -> Iterator[Step]:
        """Yield the events from a position on, in the order of the record; their times never go back.

        Reading may be taken up again where a turn has ended.
        """
        if hasattr(self.reader, "steps"):
            yield from self.reader.steps(self, start)
            return
        end = start
        for line, entry in entries(self.path, start):
            if entry is None:
                self.cut = not line.whole
                self.unreadable += line.whole
                if self.cut:
                    break
                continue
            self.at = max(self.at, moment_of(entry))
            found = [event for event in self.reader.events(self, entry) if event]
            for number, event in enumerate(found):
                is_over = event.name == STOP
                yield Step(event.at, event, (line.start if number + 1 < len(found) else line.end) if is_over else None)
            end = line.end
        for event in self.closing():
            yield Step(event.at, event, end)

    def theirs(self, name: str, at: int = 0, **fields: Any) -> "Event | None":
        """Return an event from fields in the words of the client; None for one that leaves nothing."""
        common = {"session_id": self.session, "cwd": self.folder, "git_branch": self.branch}
        return self.noted(others.translated(name, self.shape, {**common, **fields}), at)

    def ours(self, name: str, at: int = 0, **fields: Any) -> "Event | None":
        """Return an event from fields in our words."""
        common = {"session_id": self.session, "cwd": self.folder, "git_branch": self.branch}
        return self.noted(Event(name, {**common, **fields}), at)

    def noted(self, event: "Event | None", at: int = 0) -> "Event | None":
        """Give an event its time, and the turn that it belongs to."""
        if not event:
            return None
        event.at = self.at = max(self.at, at)
        if event.name != PROMPT:
            event.fields["prompt_id"] = self.turn
        return event

    def asked(self, event: "Event | None") -> "list[Event]":
        """Return a prompt behind the end of what came before it; calls that were under way are broken off."""
        if not event:
            return []
        self.calls.clear()
        closing, self.turn = self.closing(), event.text("prompt_id")
        return [*closing, event]

    def says(self, text: object) -> None:
        """Note what the agent said, which is its answer unless something comes behind it."""
        self.said = (text, self.at) if isinstance(text, str) and text.strip() else None

    def calls_on(self, call: object, name: object, given: object) -> None:
        """Note a call that begins; what was said before it was no answer."""
        self.said = None
        if isinstance(call, str) and isinstance(name, str):
            self.calls[call] = (name, given if isinstance(given, dict) else {})
        if len(self.calls) > MOST_CALLS:
            del self.calls[next(iter(self.calls))]

    def closing(self) -> list[Event]:
        """Return the end of what was said last, if nothing came behind it."""
        if not self.said:
            return []
        (text, at), self.said = self.said, None
        event = self.ours(STOP, last_assistant_message=text)
        if event:
            event.at = at
        return [event] if event else []
