"""Make the memory ready at a session's start, end what crashed, and tell where the work stands."""

import posix
import time

from ralph_mem.core import fast, notices, paths
from ralph_mem.core import project as projects
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.hooks import line
from ralph_mem.memory import opening
from ralph_mem.memory.inject import block, briefing
from ralph_mem.memory.ownership import check
from ralph_mem.memory.rows import receipts, sessions
from ralph_mem.memory.rows import records as write
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Activity, Project

WAIT_MS = connection.PROMPT_WAIT_MS
SOURCES = ("startup", "resume", "clear", "compact", "fork")
# A resumed session has its context window, and a fork its parent's.
EMPTY_WINDOW = ("startup", "clear", "compact")
TWO_KERNELS = (
    "another machine, or a container with a kernel of its own, has a session open on this memory; SQLite cannot keep two kernels"
    " apart: work here from one of them at a time"
)
DAY_S = 86_400


def open_store(project: "Project", wait_ms: int = WAIT_MS) -> "connection.Store":
    """Open the memory, made where it is missing; one that is damaged is repaired first. Raises as `adoption.open_ready`."""
    check.admit(project, starting=True)
    try:
        if not _is_doubtful(project):
            return opening.begin(project, wait_ms)
    except fast.errors().NewerStore:
        raise
    except fast.errors().StoreError:  # if it is damaged, that is seen below
        pass
    from ralph_mem.maintenance.recovery import repair  # lazy: only for a memory that may be damaged or gone

    return repair.open_at_start(project, wait_ms)


def _is_doubtful(project: "Project") -> bool:
    """Say whether a memory should be looked at before it is used: it is empty, or an event could not be stored or answered."""
    try:
        size = posix.stat(project.folder + "/memory.db").st_size
    except OSError:
        return False
    if not size:
        return paths.exists(f"{paths.data_home()}/{paths.BACKUPS}")
    if any(map(paths.exists, notices.places(project.root))):
        return True
    if not paths.may_wait(project.folder):
        return False
    from ralph_mem.core import spool  # lazy: only where something waits, maybe of another project

    return spool.tells_of_trouble(project.root)


def records(seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return the session."""
    branch, commit = projects.head(project)
    if branch:
        (branch,), _ = privacy.protect([branch], project, settings)
    return [write.session(
        seen.session, project.root, seen.at, seen.source if seen.source in SOURCES else "startup", model=seen.model or None,
        transcript=seen.transcript or None, branch=branch, commit_id=commit, pid=seen.pid or None,
        born=sessions.client(seen.pid) if seen.pid else None,
        folder=_folder(seen, project, settings),
    )]  # fmt: skip


def _folder(seen: "Activity", project: "Project", settings: "dict[str, Any]") -> str:
    """Return the folder below the project's top at work in which a session begins, redacted; nothing for one that is excluded."""
    folder = "" if seen.cwd in ("", project.root) else briefing.folder_at_work(project, seen.cwd)
    if folder and settings["privacy.exclude_paths"]:
        from ralph_mem.core.redaction import path_rules  # lazy: only in a folder of a project that excludes paths

        folder = "" if path_rules.is_excluded(folder, settings) else folder
    return privacy.protect([folder], project, settings)[0][0] if folder else ""


def answer(opened: "connection.Store", seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "dict[str, str]":
    """Return the briefing, and one line for the user where something went wrong before."""
    sessions.end_crashed(opened, seen.at, seen.session)
    noticed, waited = opening.notice(opened, project), notices.take(project.root)  # in this order: a line follows who was moved
    waited = _settled(project, waited) if waited else ""
    is_anew = opened.property(opening.MADE_ANEW) and paths.LOOP not in posix.environ  # the agent of a loop tells nobody
    lost = _lost(opened, project) if is_anew else ""
    told = [noticed, waited, lost, TWO_KERNELS * sessions.elsewhere(opened, seen.session)]
    trouble = "; ".join([text for text in told if text])
    is_told = seen.source in EMPTY_WINDOW and effective.tells(settings) and paths.LOOP not in posix.environ
    stores = [opened, *(_shared(project) if is_told else [])]  # a loop tells its agent itself
    for each in stores:
        if each.property(connection.UNDO):
            from ralph_mem.memory import undoing  # lazy: only where something can be taken back

            undoing.let_go(each, seen.at)
    text, items = _brief(stores, seen, project, settings) if is_told else ("", None)
    shown = line.at_start(opened, project, settings, items, text, seen.transcript, seen.at) if line.is_wanted(settings) else ""
    message = "; ".join([each for each in (_followable(trouble), shown) if each])
    return {"message": f"ralph-mem: {message}" if message else "", "context": text}


def _lost(opened: "connection.Store", project: "Project") -> str:
    """Say once of a memory that was made anew, by whomever, that a backup of an earlier one is there."""
    from ralph_mem.maintenance.recovery import backups  # lazy: only for a new memory

    opened.drop(opening.MADE_ANEW)
    return backups.offer(opened, project)


def _settled(project: "Project", line: str) -> str:
    """Return a line that waited as it now is: an event that waited is among what this start has stored."""
    from ralph_mem.interfaces.hooks import unstored  # lazy: only where a line waited

    return "" if effective.is_outdated(project, line) else line.replace(unstored.WAITS, unstored.STORED)


def _followable(line: str) -> str:
    """Return a line that names a command as somebody in a session can follow it."""
    if "ralph-mem " not in line:
        return line
    from ralph_mem.memory import extras  # lazy: only for a line that names a command

    return extras.in_a_session(line)


def _brief(
    stores: "list[connection.Store]", seen: "Activity", project: "Project", settings: "dict[str, Any]"
) -> "tuple[str, list[receipts.Item]]":
    opened = stores[0]
    number, tag = opened.one("SELECT id, fence FROM sessions WHERE client_session = ?", (seen.session,))
    budget = settings["memory.inject_tokens_start"]
    known = block.read_instructions(project, seen.instructions)
    where = briefing.folder_at_work(project, seen.cwd), projects.elsewhere(project)
    text, items = briefing.build(stores, settings, number, known, seen.at, *where)
    if not text:
        return "", []
    receipts.add(opened, number, None, receipts.AT_START, seen.at, budget, items)
    # what failed last is told without its rows
    looked_at = sessions.seen_by(stores, {item.memory for item in items}) if block.STILL_FAILING not in text else (0, 0)
    return block.fence(text, tag, project, settings, looked_at), items


def _shared(project: "Project") -> "list[connection.Store]":
    """Open the memory of all projects, brought up to date where it is older than the release, if there is one."""
    everywhere = projects.everywhere()
    if everywhere is None or not connection.exists(everywhere.folder):
        return []
    try:
        opened = open_store(everywhere)
    except (fast.errors().StoreError, OSError) as error:  # the project's own memory is told all the same
        notices.note(project.root, f"the memory of all projects could not be read ({error})")
        return []
    line = notices.take(everywhere.root)
    if line:  # it was repaired
        notices.note(project.root, line)
    return [opened]


def afterwards(opened: "connection.Store", _seen: "Activity", settings: "dict[str, Any]") -> None:
    """Remember the interpreter, empty a log that a killed session left, or that holds what was forgotten, and have what
    is new embedded where that is set up; once a day, look whether all projects take too much.
    """
    opening.remember_interpreter()
    if paths.exists(f"{paths.data_home()}/{paths.PLUGIN}"):
        opening.remember_plugin()
    if opened.log_bytes() > connection.LEFT_LOG_BYTES or opened.property(connection.FORGETTING):
        opened.checkpoint()
    if opened.property(connection.UNFINISHED):
        from ralph_mem.maintenance.forget import resume  # lazy: only after a forget that was killed

        resume.start(opened.folder)
    if paths.exists(paths.data_home() + paths.MODEL):
        from ralph_mem.memory.recall import embeddings_client  # lazy: only where embeddings are set up

        embeddings_client.wake(opened.folder)
    if _day_has_gone(f"{paths.data_home()}/{paths.QUOTA}"):
        from ralph_mem.maintenance import usage  # lazy: once a day

        usage.tell_daily(opened.folder.rpartition("/")[0], settings)


def _day_has_gone(mark: str) -> bool:
    try:
        return abs(time.time() - posix.stat(mark).st_mtime) > DAY_S
    except OSError:  # never yet
        return True
