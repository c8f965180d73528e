"""Recording: whether events arrive, what waits to be stored, and whether somebody switched it off."""

import time
from collections.abc import Iterator
from pathlib import Path

from ralph_mem import glance
from ralph_mem.core import paths, settings, spool, store, terminal, yaml_reader
from ralph_mem.core.errors import ConfigError
from ralph_mem.core.project import Project
from ralph_mem.doctor.finding import Finding, ok, problem, warning

VARIABLE = "RALPH_MEM_RECORDING"


def switch(project: Project) -> Iterator[Finding]:
    """Look whether recording is switched off, and by what."""
    values, where = _values(project)
    if settings.recording(project, values):
        yield ok("recording", "on")
        return
    word = paths.environment(VARIABLE)
    off = project.folder + "/off"
    if word.lower() in settings.OFF:
        yield warning("recording", f"off by {VARIABLE}={word}", f"unset {VARIABLE}")
    elif paths.exists(off):
        yield warning("recording", f"off by {off}", "remove that file")
    elif values.get("recording") is False:
        yield warning("recording", f"off by {where}", "take `recording: off` out of it")
    else:
        yield warning("recording", "off: CI, and nobody attends the session", f"set {VARIABLE}=on where it is wanted all the same")


def _values(project: Project) -> tuple[dict[str, object], str]:
    """Return what the config says of recording and which file does, without the cache that the hooks keep of it."""
    values: dict[str, object] = {}
    where = ""
    for file in config_files(project):
        try:
            told = yaml_reader.read(paths.read(file)).get("recording")
        except ConfigError:  # the check of the config tells
            continue
        if told is not None:
            values, where = {"recording": told}, file
    return values, where


def config_files(project: Project) -> list[str]:
    """Return the config files that are there, the user's before the project's, which rules."""
    home = paths.config_home()
    files = ([home + "/config.yaml"] if home else []) + [project.folder + "/config.yaml"]
    return [file for file in files if paths.exists(file)]


def events(project: Project) -> Iterator[Finding]:
    """Look when the last event of a project was recorded."""
    start = f"start Claude Code anew in {project.root}: a running session does not load new hooks"
    if not store.exists(project.folder):
        yield warning("events", f"none recorded yet in {project.root}", start)
        return
    seen = glance.of(project.folder)
    if seen.at is None:
        yield problem("events", f"the memory is {seen.state}", "see the database below")
    elif not seen.at:
        yield warning("events", "none recorded yet", start)
    else:
        counts = f"{seen.sessions} sessions, {seen.turns} turns, {seen.observations} observations"
        yield ok("events", f"the last one at {glance.when(seen.at)}, {_ago(seen.at)}; {counts}")


def _ago(at: int) -> str:
    seconds = max(0, time.time() - at / 1000)
    for length, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return "just now"


def waiting(project: Project) -> Iterator[Finding]:
    """Look at the events that wait for the database; they are shown, not brought in."""
    files = spool.pending(project.root)
    unreadable = [str(file) for folder in spool.folders(project.root) for file in Path(folder).glob("*.unreadable")]
    if unreadable:
        seen = f"{len(unreadable)} that cannot be read, in {Path(unreadable[0]).parent}"
        yield warning("spool", seen, "remove them: they are not tried again")
    if files:
        seen = f"{len(files)} events wait in {Path(files[0]).parent}"
        yield warning("spool", seen, "nothing: the next event of a session brings them in, unless the database has a problem")
    if not files and not unreadable:
        yield ok("spool", "no event waits")


def trouble_line(project: Project) -> Iterator[Finding]:
    """Look at the line of trouble that the next session start will tell; it is shown, not taken."""
    home = paths.data_home()
    places = [project.folder + "/trouble"] + ([f"{home}/trouble/{paths.key_of(project.root)}"] if home else [])
    line = next(filter(None, [paths.read(place, 1024) for place in places]), "")
    if line:
        yield warning("trouble", terminal.plain(line), "the next session start tells it once more and forgets it")
    else:
        yield ok("trouble", "none since the last session start")
