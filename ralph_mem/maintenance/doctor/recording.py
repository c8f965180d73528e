"""Check whether events arrive, what waits, which settings hold, and whether recording is off."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ralph_mem.core import fast, notices, paths, spool
from ralph_mem.core.finding import Finding, ok, problem, warning
from ralph_mem.core.format import AHEAD, ago, count, when
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import terminal
from ralph_mem.core.settings import effective, schema, trust
from ralph_mem.maintenance import status
from ralph_mem.memory import access, inspect
from ralph_mem.memory.ownership import check, seals
from ralph_mem.memory.recall import features
from ralph_mem.memory.store import connection

RELOAD = "type /reload-plugins in a session that was running when the plugin came, or start Claude Code anew"
CLOSED = "see the permissions below"
SET_BACK = "nothing, if the clock is right now: what is recorded stays in order"
REFUSED = "see the database below"
VARIABLE = "RALPH_MEM_RECORDING"


def heard(project: Project) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield each config file that is there with what of it counts, and what there is to say of the rest; a later one rules."""
    below: dict[str, Any] = dict(effective.DEFAULTS)
    for file, last in zip(effective.files(project), _last_good(project), strict=True):
        if not inspect.is_gone(file):
            counts, said = trust.read(project, file, last, below, effective.OFF)
            below.update(counts)
            yield file, counts, next((line.partition(":")[0] for line in said if line.endswith(trust.HOW)), "")


def settings_of(project: Project) -> dict[str, Any]:
    """Return the settings by dotted key."""
    found: dict[str, Any] = dict(effective.DEFAULTS)
    for _, counts, _ in heard(project):
        found.update(counts)
    return {**found, **trust.of_variables(effective.variables(), found)[0]}


def _last_good(project: Project) -> list[dict[str, Any]]:
    """Return what hooks keep of each config file: it stays in force where that cannot be read."""
    number = len(effective.files(project))
    try:
        known = fast.loads(paths.read(f"{paths.data_home()}/{paths.SETTINGS}/{paths.key_of(project.root)}.json"))["values"]
    except (ValueError, TypeError, LookupError):
        known = []
    fits = isinstance(known, list) and len(known) == number and all(isinstance(each, dict) for each in known)
    return known if fits else [{} for _ in range(number)]


def config(project: Project) -> Iterator[Finding]:
    """Look whether the config files are understood, and whether all that the project's own says is in force."""
    files = [file for file in effective.files(project) if not inspect.is_gone(file)]  # also out of reach
    findings: list[Finding] = []
    for file, _, waiting in heard(project):
        _, wrong, unknown = schema.values_of(file, {})
        if waiting:
            findings.append(warning("config", f"{file}: {waiting}", "`ralph-mem trust` shows it, and how to approve of it"))
        if wrong:
            findings.append(problem("config", f"{file}: {wrong}", "mend it; `ralph-mem config check` shows where it is"))
        if unknown:
            findings.append(warning("config", f"{file}: {unknown}", "mend the name, or take it out"))
    yield from findings or [ok("config", ", ".join(files) or "none: the defaults are in force")]


def switch(project: Project) -> Iterator[Finding]:
    """Look whether recording is switched off, and by what."""
    word = paths.environment(VARIABLE)
    values, where, wrong = _values(project)
    off = status.off_by(project, values)
    if off:
        seen = status.state(project, values, "")
        which = f" ({where})" if where and where not in seen else ""
        yield warning("recording", seen + which, _how_to_switch_on(project, off, where))
        return
    begun = _begun(project, values)
    decided = word.lower() in effective.ON
    unclear = warning("recording", f"{begun.seen}; {wrong} may say otherwise, and cannot be read", "mend that file")
    yield unclear if wrong and not decided else begun


def _how_to_switch_on(project: Project, off: str, where: str) -> str:
    if off.startswith(VARIABLE):
        return f"unset {VARIABLE}"
    if off == f"{project.folder}/{paths.OFF}":
        return "`ralph-mem resume`"
    return "take `recording` out of it" if where else f"set {VARIABLE}=on where it is wanted all the same"


def _begun(project: Project, values: dict[str, Any]) -> Finding:
    """Say since when a project is recorded, or why it is not yet."""
    if inspect.is_gone(project.folder + "/memory.db"):
        do = CLOSED if access.closed(project) else REFUSED if check.refusal(project) else RELOAD
        return warning("recording", status.state(project, values, status.not_begun(project)), do)
    try:
        with contextlib.closing(inspect.connect(project.folder)) as db:
            usable = _is_usable(project, db)
            _, since, stopped = status.of_sessions(db)
    except inspect.FAILURES:
        usable = False
    if not usable:
        return warning("recording", status.state(project, values, status.UNUSABLE), REFUSED)
    hindered = status.hindered(project)
    if hindered:
        return problem("recording", status.state(project, values, hindered), CLOSED)
    seen = status.state(project, values, status.unheard(since, stopped), since)
    return ok("recording", seen) if since else warning("recording", seen, RELOAD)


def _is_usable(project: Project, db: Any) -> bool:
    """Say whether a database that is there is ours and of this release."""
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return version <= connection.SCHEMA_VERSION and not is_strange(project, db)


def is_strange(project: Project, db: Any) -> bool:
    """Say of a database that is open to be read whether it bears a seal that is not ours; without one nobody can know."""
    held = db.execute("SELECT value FROM properties WHERE key = ?", (seals.SEAL,)).fetchone()
    if not held or not seals.can_be_shipped(project.folder):
        return False
    return not seals.is_seal(held[0], seals.bytes_of(f"{paths.data_home()}/{paths.KEY}", seals.KEY_BYTES))


def _values(project: Project) -> tuple[dict[str, object], str, str]:
    """Return what the config says of recording, which file does, and one that cannot be read."""
    values: dict[str, object] = {}
    where = unclear = ""
    for file, counts, _ in heard(project):
        unclear = file if schema.values_of(file, {})[1] else unclear
        if "recording" in counts:
            values, where = {"recording": counts["recording"]}, file
    return values, where, unclear


def events(project: Project) -> Iterator[Finding]:
    """Look when the last event of a project was recorded."""
    start = f"{RELOAD}, in {project.root}"
    if inspect.is_gone(project.folder + "/memory.db"):
        do = CLOSED if access.closed(project) else REFUSED if check.refusal(project) else start
        yield warning("events", f"none recorded yet in {project.root}", do)
        return
    seen = inspect.of(project.folder)
    if seen.at is None:
        yield problem("events", f"the memory is {seen.state}", REFUSED)
    elif not seen.at or _is_unheard(project):
        yield warning("events", "none recorded yet", start)
    else:
        numbers = {"session": seen.sessions, "turn": seen.turns, "observation": seen.observations}
        counts = ", ".join(count(number, what) for what, number in numbers.items())
        back = ago(seen.at, time.time_ns() // 1_000_000)
        told = f"the last one at {when(seen.at)}, {back}; {counts}"
        yield warning("events", told, SET_BACK) if back == AHEAD else ok("events", told)


def _is_unheard(project: Project) -> bool:
    """Say whether all that a memory holds came another way than by events, as a note or out of an archive."""
    try:
        with contextlib.closing(inspect.connect(project.folder)) as db:
            return not status.of_sessions(db)[1]
    except inspect.FAILURES:
        return False


def waiting(project: Project) -> Iterator[Finding]:
    """Look at the events that wait for the database; they are shown, not brought in."""
    files = spool.pending(project.root)
    unreadable = [str(file) for folder in spool.folders(project.root) for file in Path(folder).glob("*.unreadable")]
    if unreadable:
        seen = f"{len(unreadable)} that cannot be read, in {Path(unreadable[0]).parent}"
        yield warning("spool", seen, "remove them: they are not tried again")
    if files:
        seen = f"{count(len(files), 'event')} in {Path(files[0]).parent}"
        goes_in = "nothing: the next event of a session brings them in, unless the database has a problem"
        yield warning("spool", seen, CLOSED if access.closed(project) else goes_in)
    yield from _strange(project, spool.beside(project.root), spool.folders(project.root))
    if not files and not unreadable:
        yield ok("spool", "no event waits")


def trouble_line(project: Project) -> Iterator[Finding]:
    """Look at the line of trouble that the next session start will tell; it is shown, not taken."""
    places = notices.places(project.root)
    line = next(filter(None, [paths.read(place, 1024) for place in places]), "")
    if line:
        yield warning("trouble", terminal.plain(line), "the next session start tells it once more and forgets it")
    else:
        yield ok("trouble", "none since the last session start")
    yield from _strange(project, notices.beside(project.root), places)


def _strange(project: Project, path: str, places: list[str]) -> Iterator[Finding]:
    """Look for what lies where only a person without a home has it: whoever made the folder may have put it there."""
    if path not in places and project.folder != project.root and not inspect.is_gone(path):
        seen = f"{path} is none of what is kept for you here, and is not read"
        yield warning(path.rpartition("/")[2], seen, "look where it came from, and remove it")


def judging(_: Project) -> Iterator[Finding]:
    """Look at the table of weights that decides what a prompt is told."""
    if features.read_tables()[0]:
        yield ok("what prompts are told", "the table of weights is whole")
    else:
        what = "the table of weights is missing or damaged, so prompts are told nothing"
        yield problem("what prompts are told", f"{what}: {features.TABLE}", "install the plugin anew")


def leaving(project: Project) -> Iterator[Finding]:
    """Tell what of the memory may leave this machine: nothing, unless its person has set a budget for a model."""
    cents = settings_of(project)[trust.BUDGET]
    may = f"sentences of your prompts, to a model, for {cents} cents a day at most, when `ralph-mem learn --with` is confirmed"
    yield ok("what may leave", may if cents else "nothing that is remembered")
