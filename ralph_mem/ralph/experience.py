"""Ask the memory about the failures at hand, and leave in it what a run learned. Trouble is said in a line, never raised."""

import re
import time
from collections import namedtuple

from ralph_mem.core.errors import StoreError
from ralph_mem.core.redaction import path_rules, privacy
from ralph_mem.core.settings import effective as switches
from ralph_mem.memory import access
from ralph_mem.memory.facts import remedies
from ralph_mem.memory.inject import block, failure_words
from ralph_mem.memory.recall import search
from ralph_mem.memory.rows import learnt
from ralph_mem.memory.store import connection
from ralph_mem.ralph import folded_lessons, lesson_text, lessons
from ralph_mem.ralph.criteria import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.record import Run

    Settings = dict[str, Any]

Known = namedtuple("Known", "lessons memories said")
Known.__doc__ = """What the memory knows: each lesson of a failure met before, and each memory of the same matter, as its id, its
text and the same in a line, safe to be told, more of them than a prompt tells; `said` is a line for the person where the memory
could not be read.
"""
NOTHING = Known((), (), "")

MOST_LESSONS, MOST_MEMORIES = 3, 3
# What begins a part of a loop's prompt, or ends one.
MARK = re.compile(r"<(?=/?(?:ralph-mem|goal|output|system)\b)", re.IGNORECASE)
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
        try:
            return _known(opened, project, settings, run, now or time.time_ns() // 1_000_000)
        finally:
            for each in opened:
                each.close()
    except TROUBLE as error:
        return NOTHING._replace(said=f"going on without the memory: {error}")


def _known(opened: "list[connection.Store]", project: "Project", settings: "Settings", run: "Run", now: int) -> Known:
    failures = list(evidence.failures(run.verdicts()).values())
    safe, _ = privacy.protect([run.goal, *[message for _, message in failures]], project, settings)
    wanted = {evidence.key_of(evidence.signature_of(test, message)) for (test, _), message in zip(failures, safe[1:])}
    found = [each for one in opened for each in _lessons(one, run.id, wanted, project, settings)]
    query = "\n".join([*safe[1 : 1 + MOST_ASKED], safe[0]])
    ids = {each[0] for each in found}
    memories = [each for one in opened for each in _memories(one, query, now, run, project, settings) if each[0] not in ids]
    return Known(tuple(found[:MOST_LESSONS]), tuple(memories), "")


def _lessons(
    opened: "connection.Store", own: str, wanted: "set[str]", project: "Project", settings: "Settings"
) -> "list[tuple[str, str, str]]":
    """Return the lessons that tell of a signature, those first that tell of the most, newer ones before older ones."""
    if not wanted:
        return []
    if learnt.unfolded(opened):
        with access.Change(opened):
            folded_lessons.fold_old(opened)
    met = [(len(lesson_text.keys_of(row[2]) & wanted), row) for row in learnt.told(opened, own, MOST_READ)]
    best = sorted([each for each in met if each[0]], key=lambda each: -each[0])[:MOST_LESSONS]
    return [_lesson(row, wanted, project, settings) for _, row in best]


def _lesson(row: "tuple[Any, ...]", wanted: "set[str]", project: "Project", settings: "Settings") -> "tuple[str, str, str]":
    public_id, title, content, at = row
    content = failure_words.of_lesson(lesson_text.met_again(content, wanted), public_id)
    safe, text = privacy.protect([title, _allowed(content, settings)], project, settings)[0]
    head = f"- [{public_id}, {time.strftime('%Y-%m-%d', time.localtime(at / 1000))}] the same failure was met before: {safe}"
    full = [head, *["  " + line for line in privacy.shorten(text, TELLING_CHARACTERS).splitlines()]]
    fix = next((line for line in text.splitlines() if line.startswith((remedies.FIXED, remedies.UNDONE))), "")
    return public_id, _harmless("\n".join(full)), _harmless(f"{head}; {fix}".rstrip("; "))


def _harmless(text: str) -> str:
    """Return a text in which nothing looks like a mark of a prompt; any other `<` is a part of what failed."""
    return MARK.sub("&lt;", text)


def _allowed(text: str, settings: "Settings") -> str:
    """Return the paragraphs of a lesson that name no path that the user excludes today."""
    if not settings["privacy.exclude_paths"]:
        return text
    return "\n\n".join([part for part in text.split("\n\n") if not path_rules.names_excluded(part.replace(",", " "), settings)])


def _memories(
    opened: "connection.Store", query: str, now: int, run: "Run", project: "Project", settings: "Settings"
) -> "list[tuple[str, str, str]]":
    """Return what a prompt of these words would be told; nothing tainted, and nothing of the session that is at work."""
    session = opened.one("SELECT id FROM sessions WHERE client_session = ?", (lessons.session_of(run),))
    found = []
    for hit in search.hits(opened, query, now):
        if not hit.admitted or hit.values[5] or (session and hit.values[2] == session[0]):
            continue
        memory = block.Memory(hit.values, None, settings)
        if memory.says_something():
            full, line = privacy.protect([memory.full(), memory.line()], project, settings)[0]
            found.append((memory.public_id, full, line))
    return found[:MOST_MEMORIES]


def keep(project: "Project", settings: "Settings", run: "Run", write: "Callable[..., None]", *what: "Any") -> str:
    """Have one of `lessons.of_...` store something of a run; returns a line where that could not be done."""
    if not run.options.get("memory", True) or not switches.recording(project, settings):
        return ""
    try:
        with access.writing(project) as opened:
            write(opened, project, settings, run, *what)
    except TROUBLE as error:
        return f"the memory was not written: {error}"
    return ""
