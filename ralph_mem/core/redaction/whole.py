"""Redact whole texts and the values of JSON by all the rules there are, where nobody waits."""

import posix

from ralph_mem.core import paths
from ralph_mem.core.redaction import context, gate, likely, privacy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project

    Protect = Callable[..., tuple[str, dict[str, int]]]


def protector(project: "Project", values: "dict[str, Any]") -> "Protect":
    """Return what redacts a text as a project's settings want it; known values are read now, once for all texts.

    It returns the text and how many secrets of which kind were cut out, and shortens nothing. Of a text that `is_said` (or printed)
    it cuts out what is likely a secret too, though no rule knows it: what a program keeps it wants back as it was.
    """
    folders = dict.fromkeys([project.root, project.top, paths.environment("HOME") or project.root])
    known = privacy.known_values(posix.environ, [*folders])
    patterns = values["privacy.redact_patterns"]

    def protect(text: str, is_said: bool = False) -> "tuple[str, dict[str, int]]":
        text, counts = gate.drop_blocks(gate.clean(text))
        text, more = context.redact_whole(text, known, patterns)
        text, likely_ones = likely.redact(text) if is_said else (text, {})
        return text, {**counts, **more, **likely_ones}

    return protect


def of_json(value: "Any", protect: "Protect", counts: "dict[str, int]", name: str = "") -> "Any":
    """Return a value of JSON with each of its texts redacted, also by the name that it bears; `counts` gets what was cut out.

    A text in which nothing is found stays as it is, to the last character.
    """
    if isinstance(value, str):
        return _of_text(value, protect, counts, name)
    if isinstance(value, dict):
        return {_of_text(key, protect, counts, ""): of_json(each, protect, counts, key) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [of_json(each, protect, counts, name) for each in value]
    return value


def _of_text(text: str, protect: "Protect", counts: "dict[str, int]", name: str) -> str:
    safe, found = protect(text)
    if not found and name:  # which tells of a password what its own letters do not
        before = name + ": "
        safe, found = protect(before + text)
        safe = safe.removeprefix(before)
    for kind, number in found.items():
        counts[kind] = counts.get(kind, 0) + number
    return safe if found else text
