"""List the transcripts that the client has kept, with project and time, and tell the end of one."""

import os
import re
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ralph_mem.core import fast, paths, project
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.hosts.claude_code import event, transcripts
from ralph_mem.hosts.claude_code.launch import stream

NAMED = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # by the session that it is of
AGENT = "agent-"
COMPACTING = "agent-acompact"  # the client's own agent that writes a summary, which the session's transcript holds too
# The first lines are bookkeeping and what was attached to the first prompt; the last lines may be results.
MOST_HEAD_BYTES = 4_194_304
TAIL_BYTES = 131_072
LATELY_BYTES = 262_144  # what one call writes is a hundredth of it, a whole file in a result aside
NO_ENTRIES, UNREACHABLE, GONE = "nothing was said in it", "it cannot be read", "its folder is gone"
ELSEWHERE, OLD = "of another project", "it ended before --since"

# `folder` is where the session started, `first` and `last` are the times of its first and last entry, `agents` the files of
# its subagents with who they are. `bytes` and `changed_at` (nanoseconds) tell whether a file is the same as before. `host` is
# the client that kept it where that is another one.
Kept = namedtuple("Kept", "path session folder first last bytes changed_at agents host", defaults=("",))
AgentFile = namedtuple("AgentFile", "path agent first bytes changed_at")
Passed = namedtuple("Passed", "path why detail")
TRANSCRIPTS = "projects"


def place() -> Path:
    """Return the folder in which the client keeps its transcripts."""
    return Path(f"{event.config_folder()}/{TRANSCRIPTS}")


def all_kept() -> list[Path]:
    """Return the transcripts that the client keeps, none where it has kept none yet. Raises RalphMemError where they are closed."""
    try:
        return sorted(_below(place()))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RalphMemError(f"{error.strerror}: {place()}", "is it a folder of yours?") from error


def files_in(path: Path) -> list[Path]:
    """Return the transcripts of sessions at a path, or in a folder or below it. Raises RalphMemError where there is none."""
    if path.name.startswith(AGENT) and path.is_file():
        raise RalphMemError(f"that is the transcript of a subagent: {path}", "name the transcript of its session")
    try:
        found = [path] if path.is_file() else sorted(_below(path))
        path.stat()
    except OSError as error:
        raise RalphMemError(f"{error.strerror}: {path}", "name a transcript, or a folder that holds some") from error
    if not found:
        raise RalphMemError(f"no transcript lies in {path}", "Claude Code keeps them in ~/.claude/projects for 30 days")
    return found


def _below(folder: Path) -> Iterator[Path]:
    """Find transcripts in a folder and in the folders of projects in it; below a session's own lie those of its subagents."""
    for path in [*folder.iterdir(), *[inner for each in folder.iterdir() if each.is_dir() for inner in _entries(each)]]:
        if path.suffix == ".jsonl" and not path.name.startswith(AGENT) and path.is_file():
            yield path


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def look(files: Iterable[Path], tell: Callable[[int], object] = bool) -> tuple[list[Kept], list[Passed]]:
    """Look at the ends of each file; returns the sessions, by their begin, and the files without; `tell` hears how many so far."""
    kept, passed, strays = [], [], _Strays()
    for number, path in enumerate(files, 1):
        try:
            found = _look(path, strays)
        except OSError as error:
            passed.append(Passed(path, UNREACHABLE, error.strerror or ""))
        else:
            kept += [found] if found else []
            passed += [] if found else [Passed(path, NO_ENTRIES, "")]
        tell(number)
    return sorted(kept, key=lambda each: (each.first, each.bytes)), passed


def _look(path: Path, strays: "_Strays") -> "Kept | None":
    head = _head(path)
    if not head:
        return None
    status = path.stat()
    session = path.stem if NAMED.fullmatch(path.stem) else head["session"] or path.stem
    agents = [*_agents_in(path.with_suffix("") / "subagents"), *strays.of(path.parent, session)]
    last = max(last_moment(path), head["at"])
    return Kept(path, session, head["cwd"], head["at"], last, status.st_size, status.st_mtime_ns, agents)


def _head(path: Path) -> dict[str, Any]:
    """Return session, folder and time of the first entry that has a folder; {} where none has."""
    with path.open("rb") as file:
        for line in transcripts.lines(file):
            if line.start > MOST_HEAD_BYTES:
                break
            entry = transcripts.entry_of(line) if b'"cwd"' in line.head else None
            cwd, at = (entry.get("cwd"), transcripts.moment(entry)) if entry else ("", 0)
            if entry and isinstance(cwd, str) and cwd.startswith("/") and at:
                session = entry.get("sessionId")
                return {"session": session if isinstance(session, str) else "", "cwd": cwd, "at": at}
    return {}


def last_moment(path: Path) -> int:
    """Return the time of the last line that has one, looked for at the end of the file; 0 where none is found there."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        tail = file.read(TAIL_BYTES)
    for piece in reversed(tail.split(b'"timestamp"')[1:]):
        told = piece.lstrip(b': "')[:40].partition(b'"')[0].decode("ascii", "replace")
        if at := transcripts.moment({"timestamp": told}):
            return at
    return 0


def _agents_in(folder: Path) -> list[AgentFile]:
    files = [path for path in _entries(folder) if path.name.startswith(AGENT) and path.suffix == ".jsonl"]
    return [found for path in files if not path.name.startswith(COMPACTING) and (found := _agent(path))]


def _agent(path: Path) -> "AgentFile | None":
    """Look at the transcript of a subagent; who it was stands in a file beside it."""
    try:
        head, status = _head(path), path.stat()
    except OSError:
        return None
    try:
        told = fast.loads(paths.read(str(path.with_suffix(".meta.json"))))
    except ValueError:
        told = None
    kind = told.get("agentType") if isinstance(told, dict) else ""
    agent = transcripts.Agent(path.stem.removeprefix(AGENT), kind if isinstance(kind, str) and kind else "unknown")
    return AgentFile(path, agent, head["at"], status.st_size, status.st_mtime_ns) if head else None


class _Strays:
    """Subagents whose transcripts lie beside those of sessions, as older clients kept them; each folder is looked at once."""

    def __init__(self) -> None:
        self.known: dict[Path, dict[str, list[AgentFile]]] = {}

    def of(self, folder: Path, session: str) -> list[AgentFile]:
        if folder not in self.known:
            self.known[folder] = {}
            for found in _agents_in(folder):
                self.known[folder].setdefault(_head(found.path)["session"], []).append(found)
        return self.known[folder].get(session, [])


def sort(kept: list[Kept], only: "Project | None", since: int) -> tuple[dict[str, tuple[Project, list[Kept]]], list[Passed]]:
    """Sort sessions by project, `only` one of them, `since` its end in ms; returns also those that belong to none."""
    sorted_by: dict[str, tuple[Project, list[Kept]]] = {}
    passed, found = [], {folder: project.find(folder) for folder in {each.folder for each in kept}}
    for each in kept:
        here = found[each.folder]
        why = _why_not(each, here, only, since)
        if why:
            passed.append(Passed(each.path, why, each.folder if why == GONE else ""))
        else:
            sorted_by.setdefault(here.root, (here, []))[1].append(each)
    return sorted_by, passed


def _why_not(kept: Kept, here: Project, only: "Project | None", since: int) -> str:
    if only and here.root != only.root and not project.same_place(here.root, only.root):
        return ELSEWHERE
    if since and kept.last < since:
        return OLD
    # a worktree or a folder inside a repository may be gone: the repository is there, and its memory
    return "" if paths.exists(here.root) and (here.git or paths.exists(kept.folder)) else GONE


def done_lately(session: str, since: int, most_bytes: int = LATELY_BYTES) -> list[str]:
    """Return what the agent of a session did from a moment on (in ms), as far as the end of its transcript tells.

    There is a line for each call of a tool, and for each thing that it said; none where there is no transcript.
    """
    found = sorted(place().glob(f"*/{session}.jsonl")) if NAMED.fullmatch(session) else []
    try:
        return [line for path in found[:1] for line in _calls_in(str(path), since, most_bytes)]
    except OSError:  # it is the client's, which may take it away
        return []


def _calls_in(path: str, since: int, most_bytes: int) -> Iterator[str]:
    with open(path, "rb") as file:
        start = max(0, os.fstat(file.fileno()).st_size - most_bytes)
        for line in transcripts.lines(file, start):
            entry = transcripts.entry_of(line) if b'"assistant"' in line.head else None
            if entry and entry.get("type") == "assistant" and transcripts.moment(entry) >= since and not entry.get("isSidechain"):
                yield from _told_by(entry)


def _told_by(entry: dict[str, Any]) -> Iterator[str]:
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else []:
        told = stream.told_of(block) if isinstance(block, dict) else ""
        if told:
            yield told
