"""Outgoing: the rows of a memory as an export holds them, redacted once more by today's rules and values.

What a person excludes by its path stays here, and a part of a memory quotes nothing of the rest of it.
"""

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from ralph_mem.core import path_rules, privacy, quick, secret_neighbours
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.store import Store
from ralph_mem.exports import fields
from ralph_mem.recall import check_types

SESSIONS = "SELECT {columns} FROM sessions AS s ORDER BY s.id"
TURNS = """
SELECT {columns}, s.client_session, t.index_version > 0 FROM turns AS t JOIN sessions AS s ON s.id = t.session_id
WHERE {where} ORDER BY t.id"""
OBSERVATIONS = """
SELECT {columns}, s.client_session, turns.event_id, m.id NOT NULL
FROM observations AS t JOIN sessions AS s ON s.id = t.session_id LEFT JOIN turns ON turns.id = t.turn_id
LEFT JOIN memories AS m ON m.observation_id = t.id WHERE {where} ORDER BY t.id"""
DERIVED = "SELECT child, parent FROM derived_from ORDER BY child, parent"

# What is exported, and how many rows were left out since the person excludes what they are about, or no file can hold them.
Parcel = namedtuple("Parcel", "records left_out")


class Choice:
    """What is to be exported: filters that all have to hold, none for everything; times in milliseconds."""

    __slots__ = ("origins", "since", "types", "until")

    def __init__(self, since: int = 0, until: int = 0, types: Sequence[str] = (), origins: Sequence[str] = ()) -> None:
        check_types(types)
        check_origins(origins)
        self.since, self.until, self.types, self.origins = since, until, list(types), list(origins)

    def is_all(self) -> bool:
        """Say whether nothing is left out."""
        return not (self.since or self.until or self.types or self.origins)

    def where(self, types: Sequence[str] = ()) -> tuple[str, list[object]]:
        """Return a condition over a table `t` and its values."""
        parts: list[str] = ["1"]
        values: list[object] = []
        for part, value in (("t.created_at >= ?", self.since), ("t.created_at < ?", self.until)):
            parts, values = ([*parts, part], [*values, value]) if value else (parts, values)
        for column, names in (("type", types), ("origin", self.origins)):
            if names:
                parts.append(f"t.{column} IN ({', '.join('?' * len(names))})")
                values += names
        return " AND ".join(parts), values


def check_origins(origins: Sequence[str]) -> None:
    """Raise RalphMemError for an origin that no row has."""
    for name in origins:
        if name not in fields.ORIGINS:
            raise RalphMemError(f"there is no origin {ascii(name[:40])[1:-1]}", "one of " + ", ".join(fields.ORIGINS))


def parcel(
    opened: Store, choice: Choice, project: Project, settings: dict[str, Any], tell: Callable[[int], object] = bool
) -> Parcel:
    """Return what is chosen of a memory, as it stood at one moment; `tell` hears how many rows are done."""
    opened.execute("BEGIN")
    try:
        rows = [*_turns(opened, choice, settings), *_observations(opened, choice, settings)]
        kept = [row for row in rows if row is not None]
        sessions = _sessions(opened, choice, {row["session"] for row in kept})
        derived = [{"row": "derived", "child": child, "parent": parent} for child, parent in opened.execute(DERIVED)]
    finally:
        opened.roll_back()
    ready = _protected([*sessions, *kept], project, settings, tell)
    good = [record for record in ready if not fields.wrong(record)]
    return Parcel([*good, *_of(derived, good)], len(rows) - len(kept) + len(ready) - len(good))


def _sessions(opened: Store, choice: Choice, named: set[str]) -> list[dict[str, Any]]:
    found = [_record("session", values) for values in opened.execute(SESSIONS.format(columns=_columns("session", "s")))]
    if choice.is_all():
        return found
    # the summary tells of what may not have been chosen
    return [{**record, "summary": None} for record in found if record["client_session"] in named]


def _turns(opened: Store, choice: Choice, settings: dict[str, Any]) -> list[dict[str, Any] | None]:
    if choice.types and "turn" not in choice.types:
        return []
    where, values = choice.where()
    rows = opened.execute(TURNS.format(columns=_columns("turn", "t"), where=where), values)
    return [_turn_that_may_leave(_record("turn", row), settings) for row in rows]


def _observations(opened: Store, choice: Choice, settings: dict[str, Any]) -> list[dict[str, Any] | None]:
    kinds = [name for name in choice.types if name != "turn"]
    if choice.types and not kinds:
        return []
    where, values = choice.where(kinds)
    rows = opened.execute(OBSERVATIONS.format(columns=_columns("observation", "t"), where=where), values)
    return [_observation_that_may_leave(_record("observation", row), settings) for row in rows]


def _columns(row: str, table: str) -> str:
    return ", ".join([f"{table}.{name}" for name in fields.COLUMNS[row]])


def _record(row: str, values: Sequence[Any]) -> dict[str, Any]:
    return {"row": row, **dict(zip([*fields.COLUMNS[row], *fields.BESIDE[row]], values, strict=True))}


def _turn_that_may_leave(record: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    files, lines = path_rules.allowed(record["files"], record["lines"], settings)
    return {**record, "files": files, "lines": lines, "files_read": path_rules.allowed(record["files_read"], "", settings)[0]}


def _observation_that_may_leave(record: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any] | None:
    if record["type"] == "note":
        return record
    files, _ = path_rules.allowed(record["files"], "", settings)
    return None if files != record["files"] or path_rules.names_excluded(record["title"], settings) else record


def _protected(
    records: list[dict[str, Any]], project: Project, settings: dict[str, Any], tell: Callable[[int], object]
) -> list[dict[str, Any]]:
    privacy.HELD[:] = [{}]  # the values to be masked are the same for all of them
    try:
        kept = []
        for number, record in enumerate(records):
            kept.append(protected(record, project, settings))
            tell(number + 1)
        return kept
    finally:
        privacy.HELD.clear()


def protected(record: dict[str, Any], project: Project, settings: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its texts as they may go anywhere, and with what was cut out of them counted."""
    names = [name for name in fields.TEXTS[record["row"]] if record[name]]
    texts, cut = privacy.protect([record[name] for name in names], project, settings) if names else ([], None)
    found = {**record, **dict(zip(names, secret_neighbours.leaving(texts), strict=True))}
    if "metadata" in names:
        found["metadata"] = _as_json(found["metadata"])
    if "redactions" in record:
        found["redactions"] = _added(record["redactions"], cut)
    return found


def _as_json(text: str) -> str | None:
    """Return facts in the one way that JSON is written here, or nothing where a cut has left no JSON."""
    try:
        return quick.dumps(quick.loads(text))
    except (ValueError, RecursionError):
        return None


def _added(before: str | None, more: str | None) -> str | None:
    """Add up what was cut out of a row, before and now; what is no count counts for nothing."""
    counts: dict[str, int] = {}
    for text in (before, more):
        try:
            found = quick.loads(text) if text else {}
        except (ValueError, RecursionError):
            continue
        for kind, number in found.items() if isinstance(found, dict) else ():
            if isinstance(number, int) and number > 0 and kind.replace("-", "").isalpha():
                counts[kind] = counts.get(kind, 0) + number
    return quick.dumps(counts) if counts else None


def _of(derived: list[dict[str, Any]], records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep of what comes from what the part that the export can name."""
    events = {record["event_id"] for record in records if record["row"] == "turn"}
    for record in records:
        if record["row"] == "observation" and record["turn"] not in events:
            record["turn"] = None
    known = {record["public_id"] for record in records if record["row"] != "session"}
    return [each for each in derived if each["child"] in known and each["parent"] in known]
