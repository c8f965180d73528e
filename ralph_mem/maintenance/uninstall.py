"""List all that lies on this machine because of ralph-mem, and take what an uninstall takes. What is not ours stays."""

from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

from ralph_mem.core import fast, paths, places
from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance import outside as attached
from ralph_mem.maintenance import registry, wiring
from ralph_mem.ralph import leftovers
from ralph_mem.ralph.record import HEADLESS

MEMORY, EVERYWHERE = "the memory of a project, with its config", "the memory of all projects, with your config"
STRANGE = "not ours: left alone"
IN_PROJECT = "our hooks, for all who work there: `ralph-mem hosts remove NAME --project` takes them out"

# A file or folder, how much it is, and what it is.
Belonging = namedtuple("Belonging", "path bytes what")


def of_home(memories: bool) -> tuple[list[Belonging], list[Belonging]]:
    """Return what lies in the data folder and is ours: what goes, and what stays with the memories unless these go as well."""
    found = [each for each in _in_home() if each.what != STRANGE]
    needed = [place.name for place in places.IN_DATA_HOME if place.on_uninstall == places.STAYS]
    stays = [] if memories else [each for each in found if Path(each.path).name in needed]
    return [each for each in found if each not in stays], stays


def outside() -> list[Belonging]:
    """Return what lies outside of our folders because a person had it put there, and can be taken away."""
    stays = attached.stuck()
    return [Belonging(path, None, what) for path, what in attached.there().items() if path not in stays]


def stuck() -> list[Belonging]:
    """Return what else lies there, with why it cannot be taken away and what to do."""
    return [Belonging(path, None, why) for path, why in attached.stuck().items()]


def in_projects() -> list[Belonging]:
    """Return the files of projects into which a person had our hooks written here: they are the project's, and stay."""
    at_home = attached.there()
    return [Belonging(path, None, IN_PROJECT) for path in wiring.written() if path not in at_home]


def strange() -> list[Belonging]:
    """Return what lies in the data folder, and is not ours."""
    return [each for each in _in_home() if each.what == STRANGE]


def _in_home() -> list[Belonging]:
    home = paths.data_home()
    found = sorted(Path(home).iterdir()) if home and Path(home).is_dir() else []
    known = {path: _place(path.name) for path in found}
    return [_belonging(path, place.meaning if place else STRANGE) for path, place in known.items()]


def _place(name: str) -> "places.Place | None":
    """Return the place of a name; who is killed while writing leaves it with a number behind."""
    return places.of(name, places.IN_DATA_HOME) or places.of(name.rpartition(".")[0], places.IN_DATA_HOME)


def memories() -> list[Belonging]:
    """Return the memories: those of the projects that are known, where they are there, and the one of all projects."""
    places = dict.fromkeys([Path(each.path, paths.STATE) for each in registry.known() if each.path])
    everywhere = Path(paths.config_home() or "/nowhere/at/all")
    found = [_belonging(path, MEMORY) for path in places if path.is_dir() and not path.is_symlink()]
    return [*found, *([_belonging(everywhere, EVERYWHERE)] if everywhere.is_dir() else [])]


def remove(found: list[Belonging]) -> list[Belonging]:
    """Remove them; returns those that were there and are gone. Raises RalphMemError, also while a loop is at work."""
    for path in _loops_at_work():
        raise RalphMemError(f"a loop is at work, says {path}", "`ralph-mem ralph stop` stops it")
    lying_outside = {each.path for each in outside()}
    if lying_outside & {each.path for each in found}:
        attached.take_all_away()
    still = attached.there()
    meant = [each for each in found if each.path not in still]
    removed = [each for each in meant if each.path in lying_outside or registry.remove(Path(each.path))]
    home = Path(paths.data_home() or "/nowhere/at/all")
    if home.is_dir() and not any(home.iterdir()):
        home.rmdir()
    return removed


def _loops_at_work() -> Iterator[Path]:
    for path in sorted(Path(paths.data_home() or "/nowhere", paths.LOOPS).glob("*/live.json")):
        try:
            told = fast.loads(paths.read(str(path)))
        except ValueError:
            continue
        if isinstance(told, dict):
            pid, born = told.get("pid"), told.get("born")
            lives = isinstance(pid, int) and leftovers.is_running(pid, born if isinstance(born, int) else 0)
            if leftovers.is_held(str(path.parent)) if told.get("mode") == HEADLESS else lives:
                yield path


def _belonging(path: Path, what: str) -> Belonging:
    return Belonging(str(path), registry.size(path), what)
