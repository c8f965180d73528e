"""Ask the memory about the failures at hand, and leave in it what a run learned.

The loop goes on without a memory: what cannot be read or written is said in a line, never raised.
"""

import time
from collections import namedtuple

from ralph_mem.core.errors import StoreError
from ralph_mem.core.redaction import path_rules, privacy
from ralph_mem.core.settings import effective as switches
from ralph_mem.memory import access
from ralph_mem.memory.inject import block, failure_words
from ralph_mem.memory.recall import search
from ralph_mem.memory.rows import notes
from ralph_mem.memory.store import connection
from ralph_mem.ralph import lessons
from ralph_mem.ralph.criteria import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.store.connection import Store
    from ralph_mem.ralph.record import Iteration, Run

    Settings = dict[str, Any]

Known = namedtuple("Known", "lessons memories said")
Known.__doc__ = """What the memory knows: each lesson of a failure met before, and each memory of the same matter, as its id, its
text and the same in a line, safe to be told; `said` is a line for the person where the memory could not be read.
"""
NOTHING = Known((), (), "")

MOST_LESSONS, MOST_MEMORIES = 3, 3
MOST_READ = 500  # lessons, the newest ones
MOST_ASKED = 3  # failures in the words of a query, beside the goal
TELLING_CHARACTERS = 3_000  # of a lesson: more than any prompt has room for
# What a memory can be in: locked, newer, full, not ours.
TROUBLE = (StoreError, OSError, connection.sqlite.Error)


def know(project: "Project", settings: "Settings", run: "Run", now: int = 0) -> Known:
    """Return what is known of the failures at hand and of the goal; nothing for a run without memory.

    Lessons come first: those of runs in which a failure of the same signature was met. Of the rest only what a prompt with
    these words would be told is admitted, and nothing that web or MCP tools brought in. `now` is in milliseconds.
    """
    if not run.options.get("memory", True):
        return NOTHING
    try:
        if not any([connection.exists(place.folder) for place in access.places(project)]):
            return NOTHING
        opened = access.to_read(project)
    except TROUBLE as error:
        return NOTHING._replace(said=f"going on without the memory: {error}")
    try:
        return _known(opened, project, settings, run, now or time.time_ns() // 1_000_000)
    except TROUBLE as error:
        return NOTHING._replace(said=f"going on without the memory: {error}")
    finally:
        for each in opened:
            each.close()


def _known(opened: "list[Store]", project: "Project", settings: "Settings", run: "Run", now: int) -> Known:
    failures = list(evidence.failures(run.verdicts()).values())
    safe, _ = privacy.protect([run.goal, *[message for _, message in failures]], project, settings)
    wanted = {evidence.key_of(evidence.signature_of(test, message)) for (test, _), message in _pairs(failures, safe[1:])}
    found = [each for one in opened for each in _lessons(one, run.id, wanted, project, settings)]
    query = "\n".join([*safe[1 : 1 + MOST_ASKED], safe[0]])
    ids = {each[0] for each in found}
    memories = [each for one in opened for each in _memories(one, query, now, run, project, settings) if each[0] not in ids]
    return Known(tuple(found[:MOST_LESSONS]), tuple(memories[:MOST_MEMORIES]), "")


def _pairs(one: "list[Any]", other: "list[Any]") -> "list[tuple[Any, Any]]":
    return [(each, other[at]) for at, each in enumerate(one)]


def _lessons(
    opened: "Store", own: str, wanted: "set[str]", project: "Project", settings: "Settings"
) -> "list[tuple[str, str, str]]":
    """Return the lessons that tell of a signature, those first that tell of the most, newer ones before older ones."""
    if not wanted:
        return []
    rows = opened.execute(notes.LESSONS, (f"lesson:{own}", MOST_READ)).fetchall()
    met = [(len(lessons.keys_of(row[2]) & wanted), row) for row in rows]
    best = sorted([each for each in met if each[0]], key=lambda each: -each[0])[:MOST_LESSONS]
    return [_lesson(row, wanted, project, settings) for _, row in best]


def _lesson(row: "tuple[Any, ...]", wanted: "set[str]", project: "Project", settings: "Settings") -> "tuple[str, str, str]":
    public_id, title, content, at = row
    content = failure_words.of_lesson(lessons.met_again(content, wanted), public_id)
    safe, text = _protected([title, _allowed(content, settings)], project, settings)
    head = f"- [{public_id}, {time.strftime('%Y-%m-%d', time.localtime(at / 1000))}] the same failure was met before: {safe}"
    full = [head, *["  " + line for line in privacy.shorten(text, TELLING_CHARACTERS).splitlines()]]
    fix = next((line for line in text.splitlines() if line.startswith((lessons.FIXED, lessons.UNDONE))), "")
    return public_id, block.escaped("\n".join(full)), block.escaped(f"{head}; {fix}".rstrip("; "))


def _allowed(text: str, settings: "Settings") -> str:
    """Return the paragraphs of a lesson that name no path that the user excludes today."""
    if not settings["privacy.exclude_paths"]:
        return text
    return "\n\n".join([part for part in text.split("\n\n") if not path_rules.names_excluded(part.replace(",", " "), settings)])


def _memories(
    opened: "Store", query: str, now: int, run: "Run", project: "Project", settings: "Settings"
) -> "list[tuple[str, str, str]]":
    """Return what a prompt of these words would be told; nothing tainted, and nothing of the session that is at work."""
    session = opened.one("SELECT id FROM sessions WHERE client_session = ?", (lessons.session_of(run),))
    found = []
    for hit in search.hits(opened, query, now):
        if not hit.admitted or hit.values[5] or (session and hit.values[2] == session[0]):
            continue
        memory = block.Memory(hit.values, None, settings)
        if memory.says_something():
            full, line = _protected([memory.full(), memory.line()], project, settings)
            found.append((memory.public_id, full, line))
    return found[:MOST_MEMORIES]


def _protected(texts: "list[str]", project: "Project", settings: "Settings") -> "list[str]":
    return privacy.protect(texts, project, settings)[0]


def keep_iteration(project: "Project", settings: "Settings", run: "Run", iteration: "Iteration") -> str:
    """Store an iteration and its verdicts, once however often it is called; returns a line where that could not be done."""
    return _written(project, settings, run, lambda opened: lessons.of_iteration(opened, project, settings, run, iteration))


def keep_end(project: "Project", settings: "Settings", run: "Run") -> str:
    """Store how a run ended, and its lesson; returns a line where that could not be done.

    A run that goes on after its end and ends again has one lesson, of the whole. One that a person has corrected, pinned
    or called wrong stays as it is.
    """
    return _written(project, settings, run, lambda opened: lessons.of_end(opened, project, settings, run))


def keep_rollback(project: "Project", settings: "Settings", run: "Run") -> str:
    """Store what a rollback, or its undoing, made of the lesson of a run; returns a line where that could not be done."""
    return _written(project, settings, run, lambda opened: lessons.of_rollback(opened, project, settings, run))


def keep_prompt(project: "Project", settings: "Settings", run: "Run", facts: "dict[str, Any]", at: int) -> str:
    """Store that an iteration begins, and the receipt of what its prompt tells; returns a line where that could not be done."""
    return _written(project, settings, run, lambda opened: lessons.of_prompt(opened, project, settings, run, facts, at))


def _written(project: "Project", settings: "Settings", run: "Run", write: "Callable[[Store], None]") -> str:
    if not run.options.get("memory", True) or not switches.recording(project, settings):
        return ""
    try:
        opened = access.to_write(project)
    except TROUBLE as error:
        return f"the memory was not written: {error}"
    try:
        with access.Change(opened):
            write(opened)
    except TROUBLE as error:
        return f"the memory was not written: {error}"
    finally:
        opened.close()
    return ""
