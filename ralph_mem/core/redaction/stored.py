"""Redact what is stored already, as it may leave."""

from ralph_mem.core import paths
from ralph_mem.core.redaction import gate, privacy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ralph_mem.core.project import Project


def protect(
    rows: "Sequence[Sequence[str]]", rules: "Sequence[int]", project: "Project", settings: "dict[str, Any]"
) -> "list[list[str]]":  # fmt: skip
    """Return the texts of stored rows as they may leave, `rules` being the version of the rules that each row has been through.

    What today's rules have seen is only looked through for today's values and for terminal sequences: to find nothing in ten rows
    costs more than all the rest of a search.
    """
    rows = [[gate.clean(text) for text in texts] for texts in rows]
    folders = [*dict.fromkeys([project.root, project.top, paths.environment("HOME") or project.root])]
    known, every = privacy.known_in(folders), bool(settings["privacy.redact_patterns"])
    again = [
        every or version != gate.RULES_VERSION or any([value in text for text in texts for value in known])
        for texts, version in zip(rows, rules)
    ]
    seen = [text for texts, old in zip(rows, again) for text in texts if old]
    safe = iter(privacy.protect(seen, project, settings)[0] if seen else ())
    return [privacy.leaving([next(safe) for _ in texts] if old else texts) for texts, old in zip(rows, again)]
