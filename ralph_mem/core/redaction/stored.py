"""Redact what is stored already, as it may leave."""

from ralph_mem.core import paths
from ralph_mem.core.redaction import gate, privacy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ralph_mem.core.project import Project

LONG_LIST = 2  # the scan level of a row that the long list of `context` has seen


def protect(
    rows: "Sequence[Sequence[str]]", seen: "Sequence[Sequence[int]]", project: "Project", settings: "dict[str, Any]"
) -> "list[list[str]]":  # fmt: skip
    """Return the texts of stored rows as they may leave, `seen` being by which version of the rules each was seen, at which level.

    What today's rules have seen is only looked through for today's values and for terminal sequences, and by the long list where
    that has not seen it: to find nothing in ten rows costs more than all the rest of a search.
    """
    rows = [[gate.clean(text) for text in texts] for texts in rows]
    folders = [*dict.fromkeys([project.root, project.top, paths.environment("HOME") or project.root])]
    known, every = privacy.known_in(folders), bool(settings["privacy.redact_patterns"])
    again = [
        every or version != gate.RULES_VERSION or any([value in text for text in texts for value in known])
        for texts, (version, _) in zip(rows, seen)
    ]
    unsafe = [text for texts, old in zip(rows, again) for text in texts if old]
    safe = iter(privacy.protect(unsafe, project, settings)[0] if unsafe else ())
    rows = [[next(safe) for _ in texts] if old else texts for texts, old in zip(rows, again)]
    closely = [level >= LONG_LIST and not old for (_, level), old in zip(seen, again)]
    return [[*texts] if done else privacy.leaving(texts) for texts, done in zip(rows, closely)]


def show(rows: "Iterable[Any]", names: "Sequence[str]", project: "Project", settings: "dict[str, Any]") -> None:
    """Redact texts of what was read of the rows, in place and as they may leave: it is to be shown, and never written again."""
    found = [*rows]
    texts = [[getattr(each, name) or "" for name in names] for each in found]
    for each, safe in zip(found, protect(texts, [(0, 0)] * len(found), project, settings)):
        for name, text in zip(names, safe):
            setattr(each, name, text)
