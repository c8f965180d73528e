"""The entrance of the hooks reads an event, stores it in one transaction, and prints the answer.

What happens in a session comes from its client's host as an activity. A kind of activity that is answered has a module here,
with some of these: `records`, what to store where it is not capture's; `open_store`, where opening takes more than connecting;
`answer`, which runs in the transaction after the records and returns a message for the person and context for the model;
`afterwards`, which runs when the user no longer waits for the answer; `DURABLE`, `WAIT_MS`.
"""

import _signal
import posix

from ralph_mem.core import fast, paths, project
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import event as client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from ralph_mem.core.project import Activity, Project
    from ralph_mem.memory.store.connection import Store

    Values = dict[str, Any]
    Records = list[dict[str, Any]]

MODULES = {"start": "session_start", "prompt": "prompt", "answer": "answer", "end": "waking"}
OF_OTHERS = "other_hosts"
# Seconds of a processor that may go into looking through an event: a hundred times what the longest takes. A client waits
# for five or ten, at the end of a turn for an hour.
LONGEST_LOOK_S = 3.0
# What changes rows that are there, and would leave a new memory empty.
ADDS_NOTHING = ("end", "files", "keep", "heard")
# Before Python 3.11 a connection that nobody holds is closed at once, and to close the last one costs four fsyncs.
KEPT: "list[Store]" = []


def enter(name: str = "", host: str = "") -> str:
    """Handle the event on stdin, of the client that installed the plugin or of a named host; returns what to print, nothing for
    nearly all. Raises only what nobody foresaw.
    """
    posix.umask(0o077)
    seen = _seen(name, host)
    if seen is None:
        return ""
    place = project.find(seen.folder or posix.getcwd())
    values = effective.load(place)
    if paths.exists(f"{paths.data_home()}/{paths.PAUSED}"):
        from ralph_mem.core import session_pause  # lazy: only where a session was ever paused

        if not session_pause.is_heard(seen):  # asked first: a pause ends with its session where recording is off as well
            from ralph_mem.interfaces.hooks import while_paused  # lazy: only in a session that is paused

            return while_paused.keep_hashes(seen, place, values, store)
    if not effective.recording(place, values):
        # an agent could else end the loop that a person began by writing one file
        return "" if seen.host else client.answer(seen, _of_loop(seen, place, values))
    said = _handled(seen, place, values)
    if seen.kind in MODULES and seen.kind != "end":
        said = _with_news(seen, place, said)
    return _others().answer(seen, said) if seen.host else client.answer(seen, said)


def _with_news(seen: "Activity", place: "Project", said: "dict[str, str]") -> "dict[str, str]":
    """Return what a session is told with how a loop ended elsewhere, or was killed."""
    if _is_loop_live(place):
        from ralph_mem.ralph import telling  # lazy: only where a loop is live

        telling.of_gone(place, seen.session if seen.kind == "answer" else "")
    if paths.exists(f"{paths.data_home()}/{paths.NEWS}"):
        from ralph_mem.core import news  # lazy: only where a loop has ever ended elsewhere

        if effective.attended() and paths.LOOP not in posix.environ:  # the agent of a loop is nobody
            return news.added(place.root, said)
    return said


def _is_loop_live(place: "Project") -> bool:
    return paths.exists(f"{paths.data_home()}/{paths.LOOPS}/{paths.key_of(place.top)}/live.json")


def _seen(name: str, host: str) -> "Activity | None":
    if host:
        return _others().read(name, host)  # type: ignore[no-any-return]
    event = client.read(name)
    if event is None:
        return None
    # another client may have installed the same plugin
    return _others().unnamed(event) if client.is_strange(event) else client.activity(event)


def _others() -> "Any":
    from ralph_mem.hosts import others  # lazy: only for an event of another client

    return others


def _handled(seen: "Activity", place: "Project", values: "Values") -> "dict[str, str]":
    try:
        module = module_of(seen.kind)
    except ImportError as error:  # a Python that was built without SQLite
        return _unstored().missing(seen, place, error)  # type: ignore[no-any-return]
    found: Records = []
    try:
        found = _in_time(records_of, module, seen, place, values)
        said = store(module, found, seen, place, values) if found or hasattr(module, "answer") else {}
    except Exception as error:  # the one place that must survive everything: keep what is redacted, and tell
        said = _unstored().told(module, found, seen, place, values, error)
    own = _of_loop(seen, place, values) if (not said or seen.source == "compact") and not seen.host else {}
    return said or own


def _in_time(look: "Callable[..., Records]", *given: "Any") -> "Records":
    """Return what a look returns. Raises RalphMemError after LONGEST_LOOK_S: a rule may be caught in a text nobody thought of."""
    _signal.signal(_signal.SIGPROF, _give_up)
    _signal.setitimer(_signal.ITIMER_PROF, LONGEST_LOOK_S)
    try:
        return look(*given)
    finally:
        _signal.setitimer(_signal.ITIMER_PROF, 0)


def _give_up(*_: object) -> None:
    # no TimeoutError: that is an OSError, which whoever reads a file passes over
    raise fast.errors().RalphMemError(f"to look through it took longer than {LONGEST_LOOK_S:.0f} seconds")


def _unstored() -> "Any":
    from ralph_mem.interfaces.hooks import unstored  # lazy: only for an event that could not be stored

    return unstored


def module_of(kind: str) -> "ModuleType | None":
    """Return the module that answers a kind of activity, None for one that is only stored."""
    if kind not in MODULES:
        return None
    return __import__("ralph_mem.interfaces.hooks." + MODULES[kind], None, None, ("answer",))  # lazy: an event loads its own alone


def records_of(module: "ModuleType | None", seen: "Activity", place: "Project", values: "Values") -> "Records":
    """Return what is to be stored of an activity."""
    from ralph_mem.core.redaction import privacy  # lazy: not for a Python without SQLite

    privacy.rename(seen)
    if module and hasattr(module, "records"):
        found: Records = module.records(seen, place, values)
    elif seen.kind in project.SAID:
        from ralph_mem.memory import conversation  # lazy: not for what tools did

        found = conversation.records(seen, place, values)
    elif seen.kind in project.DONE:
        from ralph_mem.memory import capture  # lazy: only for what tools did

        found = capture.records(seen, place, values)
    else:
        from ralph_mem.memory import capture_reports  # lazy: only for what came from elsewhere

        found = capture_reports.records(seen, place, values)
    if seen.late:
        found = [*_of_others().late(seen, place, values), *found]
    if seen.host:
        for record in found:
            record["agent"] = seen.host
    return found


def _of_others() -> "Any":
    """Return what completes an event of another client than that of the plugin."""
    return __import__("ralph_mem.interfaces.hooks." + OF_OTHERS, None, None, ("answer",))  # lazy: only for such an event


def _of_loop(seen: "Activity", place: "Project", values: "Values") -> "dict[str, str]":
    """Once its event is stored, a loop that is live in this project has the last word: on what comes now, or its own end."""
    concerned = seen.kind in ("answer", "end") or seen.source == "compact"
    if not concerned or not _is_loop_live(place):
        return {}
    from ralph_mem.ralph import in_session  # lazy: only where a loop is live

    try:
        if seen.kind != "answer":
            (in_session.end if seen.kind == "end" else in_session.compacted)(seen, place)
            return {}
        for opened in KEPT:  # checks take minutes, in which others want to tidy up
            opened.close()
        return in_session.step(seen, place, values)
    except Exception as error:  # the next command that looks at the loop finds that its client has gone
        line = " ".join(str(error).split())[:300]
        return {} if seen.kind != "answer" else {"message": f"ralph-mem: the loop cannot go on: {line}"}


# The one transaction of an event: what waits in the spool, its records, its answer


def store(module: "ModuleType | None", found: "Records", seen: "Activity", place: "Project", values: "Values") -> "dict[str, str]":
    """Store the records of an event and return its answer, acknowledged only when both are committed.

    Raises whatever keeps the records from being stored; an answer that fails costs nothing but itself.
    """
    from ralph_mem.memory.rows import records  # lazy: an event that leaves nothing does without the database
    from ralph_mem.memory.store import connection  # lazy: as above

    wait_ms = getattr(module, "WAIT_MS", connection.TOOL_WAIT_MS)
    opened = module.open_store(place, wait_ms) if module and hasattr(module, "open_store") else _connect(place, wait_ms, found)
    KEPT.append(opened)
    opened.tree = place.top
    opened.begin(getattr(module, "DURABLE", False))
    try:
        drained = _drain(opened, place)
        for record in found:
            records.apply(opened, record)
        said = _answer(module, opened, seen, place, values)
        opened.commit()
    except BaseException:
        opened.roll_back()
        raise
    if drained:
        from ralph_mem.core import spool  # lazy: only where something waited

        spool.remove(drained)
    try:
        if module and hasattr(module, "afterwards"):
            module.afterwards(opened, seen, values)
        elif opened.log_bytes() > connection.LARGE_LOG_BYTES:
            opened.checkpoint()
    except connection.sqlite.Error:  # what fails here is done by the next event
        pass
    return said


def _drain(opened: "Store", place: "Project") -> "list[str]":
    """Store what waits in the spool; returns its files."""
    if not paths.may_wait(place.folder):
        return []
    from ralph_mem.memory.rows import draining  # lazy: only where something waits, maybe of another project

    return draining.drain(opened, place.root)


def _connect(place: "Project", wait_ms: int, found: "Records") -> "Store":
    """Open the memory of a project, made where the start of the session was not heard: the plugin may be newer than the session."""
    from ralph_mem.memory.store import connection  # lazy: an event that leaves nothing does without the database

    try:
        return connection.connect(place.folder, wait_ms)
    except fast.errors().StoreError:
        if connection.exists(place.folder) or all([record["verb"] in ADDS_NOTHING for record in found]):
            raise
    from ralph_mem.memory import opening  # lazy: only in a project whose session start was not heard

    return opening.begin_late(place)


def _answer(module: "ModuleType | None", opened: "Store", seen: "Activity", place: "Project", values: "Values") -> "dict[str, str]":
    if not module or (not seen.host and not hasattr(module, "answer")):
        return {}
    opened.execute("SAVEPOINT answering")
    try:
        if seen.host:
            said: dict[str, str] = _of_others().answer(module, opened, seen, place, values)
        else:
            said = module.answer(opened, seen, place, values)
    except Exception as error:  # the prompt must be stored even where nothing can be said about it
        from ralph_mem.core import notices  # lazy: only when nothing could be recalled

        opened.execute("ROLLBACK TO answering")
        notices.note(place.root, f"nothing could be recalled ({error})")
        said = {}
    opened.execute("RELEASE answering")
    return said
