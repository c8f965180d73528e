"""In force: the settings as hooks read them, and without what hooks write as they do: the doctor changes nothing."""

from collections.abc import Iterator
from typing import Any

from ralph_mem import glance
from ralph_mem.core import approved_settings, paths, quick, settings, trust
from ralph_mem.core.project import Project


def heard(project: Project) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield each config file that is there with what of it counts, and what there is to say of the rest; a later one rules."""
    below: dict[str, Any] = dict(settings.DEFAULTS)
    for file, last in zip(settings.files(project), _last_good(project), strict=True):
        if not glance.is_gone(file):
            counts, said = approved_settings.read(project, file, last, below, settings.OFF)
            below.update(counts)
            yield file, counts, next((line.partition(":")[0] for line in said if line.endswith(trust.HOW)), "")


def values(project: Project) -> dict[str, Any]:
    """Return the settings by dotted key."""
    found: dict[str, Any] = dict(settings.DEFAULTS)
    for _, counts, _ in heard(project):
        found.update(counts)
    return found


def _last_good(project: Project) -> list[dict[str, Any]]:
    """Return what hooks keep of each config file: it stays in force where that cannot be read."""
    number = len(settings.files(project))
    try:
        known = quick.loads(paths.read(f"{paths.data_home()}/settings/{paths.key_of(project.root)}.json"))["values"]
    except (ValueError, TypeError, LookupError):
        known = []
    fits = isinstance(known, list) and len(known) == number and all(isinstance(each, dict) for each in known)
    return known if fits else [{} for _ in range(number)]
