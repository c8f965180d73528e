"""Approved settings: what counts of a config file from now on, and what there is to say about it.

Loaded when a config file has changed; never by an ordinary event.
"""

from ralph_mem.core import paths, setting_rules, trust, yaml_reader
from ralph_mem.core.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project


def read(
    project: "Project", path: str, last: "dict[str, Any]", below: "dict[str, Any]", off: "tuple[str, ...]"
) -> "tuple[dict[str, Any], list[str]]":
    """Return the values of a file that count over those below it, and what a person has to be told of the file.

    `last` are the last good ones, which stay where it cannot be read. A project's own values count as far as they were
    approved, and where they tighten. `off` are the words that switch recording off, in a file that is broken too.
    """
    text = ""
    try:
        text = yaml_reader.text_of(path)
        values, wrong, unknown = setting_rules.values_in(text, last)
    except ConfigError as error:
        values, wrong, unknown = dict(last), str(error), ""
    if wrong:  # what was good stays as it was approved, and only what is new has to be
        new = {key: value for key, value in values.items() if value != last.get(key)}
        counts, waiting = trust.heard(project, path, text, new, {**below, **last})
        counts = {**last, **counts}
    else:
        counts, waiting = trust.heard(project, path, text, values, below)
    if wrong and _says_off(path, off):
        counts["recording"] = False
    told = [f"{wrong}; the last good settings stay in force"] if wrong else []
    told += [f"{_named(waiting)} not in force until you approve it: {trust.HOW}"] if waiting else []
    return counts, told + ([unknown] if unknown else [])


def _named(keys: "list[str]") -> str:
    more = f" and {len(keys) - 1} more are" if len(keys) > 1 else " is"
    return keys[0] + more


def _says_off(path: str, off: "tuple[str, ...]") -> bool:
    """Find the switch that turns recording off in a file that cannot be read as a whole: privacy only tightens."""
    pairs = [line.partition("#")[0].lower().partition(":") for line in paths.read(path).splitlines()]
    return any([key.strip(" \"'") == "recording" and word.strip(" \"'") in off for key, _, word in pairs])
