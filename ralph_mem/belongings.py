"""Belongings: all that lies on this machine because of ralph-mem, by place, and what an uninstall takes or leaves.

What lies in our data folder under a name that no release of ours gives is somebody else's: it is named and left alone.
"""

import json
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

from ralph_mem import projects
from ralph_mem.core import paths, quick
from ralph_mem.core.errors import RalphMemError
from ralph_mem.ralph import living
from ralph_mem.ralph.run import HEADLESS

# Whatever any room keeps in the data folder, by the first part of its path. Each has a line here, which a test is held to.
MEANINGS = {
    "backups": "copies of memories",
    "crash.txt": "where the last bug was met",
    "embeddings": "the model of embeddings",
    "export-key": "the key by which your exports are known",
    "exports.jsonl": "the list of your exports",
    "flaky": "tests that pass and fail by chance",
    "forgotten": "marks of what was forgotten, and counts",
    "key": "the key by which your memories are known",
    "known": "which databases are known to be yours",
    "loops": "records of loops",
    "projects": "the list of your projects",
    "python": "the Python that hooks start",
    "quota": "when the sizes were looked at last",
    "settings": "settings as they were read last",
    "snapshots": "snapshots of loops",
    "spool": "events that wait for a database",
    "trouble": "lines that wait to be told",
    "trust": "what you approved of projects",
}
# Without these, memories that stay would be a stranger's to the next install: what waits for them and what was forgotten, too.
NEEDED = ("forgotten", "key", "projects", "spool")
MEMORY, EVERYWHERE = "the memory of a project, with its config", "the memory of all projects, with your config"
STRANGE = "not ours: left alone"

# A file or folder, how much it is, and what it is.
Belonging = namedtuple("Belonging", "path bytes what")


def of_home(memories: bool) -> tuple[list[Belonging], list[Belonging]]:
    """Return what lies in the data folder and is ours: what goes, and what stays with the memories unless these go as well."""
    found = [each for each in _in_home() if each.what != STRANGE]
    stays = [] if memories else [each for each in found if Path(each.path).name in NEEDED]
    return [each for each in found if each not in stays], stays


def strange() -> list[Belonging]:
    """Return what lies in the data folder, and is not ours."""
    return [each for each in _in_home() if each.what == STRANGE]


def _in_home() -> list[Belonging]:
    home = paths.data_home()
    found = sorted(Path(home).iterdir()) if home and Path(home).is_dir() else []
    return [_belonging(path, _meaning(path.name)) for path in found]


def _meaning(name: str) -> str:
    """Return what a name stands for; who is killed while writing leaves it with a number behind."""
    return MEANINGS.get(name) or MEANINGS.get(name.rpartition(".")[0]) or STRANGE


def memories() -> list[Belonging]:
    """Return the memories: those of the projects that are known, where they are there, and the one of all projects."""
    places = dict.fromkeys([Path(each.path, paths.STATE) for each in projects.known() if each.path])
    everywhere = Path(paths.config_home() or "/nowhere/at/all")
    found = [_belonging(path, MEMORY) for path in places if path.is_dir() and not path.is_symlink()]
    return [*found, *([_belonging(everywhere, EVERYWHERE)] if everywhere.is_dir() else [])]


def exports() -> list[str]:
    """Return the exports that were written and are there still: the person's own files."""
    found = []
    for line in paths.read(f"{paths.data_home()}/exports.jsonl", 16_777_216).splitlines() if paths.data_home() else []:
        try:
            path = json.loads(line)["path"]
        except (ValueError, TypeError, LookupError):
            continue
        found += [path] if isinstance(path, str) and Path(path).is_file() else []
    return list(dict.fromkeys(found))


def remove(found: list[Belonging]) -> list[Belonging]:
    """Remove them; returns those that were there. Raises RalphMemError, also while a loop is at work."""
    for path in _loops_at_work():
        raise RalphMemError(f"a loop is at work, says {path}", "`ralph-mem ralph stop` stops it")
    removed = [each for each in found if projects.remove(Path(each.path))]
    home = Path(paths.data_home() or "/nowhere/at/all")
    if home.is_dir() and not any(home.iterdir()):
        home.rmdir()
    return removed


def _loops_at_work() -> Iterator[Path]:
    for path in sorted(Path(paths.data_home() or "/nowhere", "loops").glob("*/live.json")):
        try:
            told = quick.loads(paths.read(str(path)))
        except ValueError:
            continue
        if isinstance(told, dict):
            pid, born = told.get("pid"), told.get("born")
            lives = isinstance(pid, int) and living.is_running(pid, born if isinstance(born, int) else 0)
            if living.is_held(f"{path.parent}/lock") if told.get("mode") == HEADLESS else lives:
                yield path


def _belonging(path: Path, what: str) -> Belonging:
    return Belonging(str(path), projects.size(path), what)
