"""Collect the rows of a memory as an export holds them, redacted anew, without what the person excludes."""

import re
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from ralph_mem.core import fast
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import when
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import path_rules, privacy, terminal
from ralph_mem.maintenance.transfer import document, fact_rows
from ralph_mem.maintenance.transfer.document import BESIDE_ROWS, DERIVED, of_name
from ralph_mem.memory.recall.lookup import STRANGE, STRANGERS, WITHHELD, check_types
from ralph_mem.memory.rows import kinds
from ralph_mem.memory.rows.kinds import said_in
from ralph_mem.memory.rows.row import Kind, allowed
from ralph_mem.memory.store.connection import Store

HEADING = "# What is remembered of "  # by which a file of Markdown is known as ours
PUNCTUATION = "\\`*_{}[]<>()#+-.!|~&:@\"'/"


def written(project: str, records: list[dict[str, Any]], *, outside: bool = False) -> str:
    """Return rows as Markdown, by session and turn; what web and MCP tools brought in only where `outside` asks for it."""
    sessions = [record for record in records if record["row"] == "session"]
    lines = [HEADING + name(project)]
    for session in sessions:
        rows = [each for each in records if each.get("session") == session["client_session"]]
        rows.sort(key=lambda each: each.get("seq") or each["created_at"] * 1000)
        where = f", branch {name(session['branch'])}" if session["branch"] else ""
        lines += ["", f"## {when(session['started_at'])}, {name(session['public_id'])}{where}"]
        lines += _told(rows, outside=outside)
    alone = [row for row in records if row["row"] not in ("session", *BESIDE_ROWS) and not row.get("session")]
    return "\n".join([*lines, *_told(alone, outside=outside), ""])


def _told(rows: list[dict[str, Any]], *, outside: bool) -> list[str]:
    lines = []
    for row in rows:
        lines += ["", *(_turn(row, outside=outside) if row["row"] == "turn" else _observation(row, outside=outside))]
    return lines


def _turn(row: dict[str, Any], *, outside: bool) -> list[str]:
    asked, said, lines = row["prompt"], row["response"], row["lines"]
    if row["tainted"] and not outside:
        said = WITHHELD if said else ""
    if row["tainted"] > 1 and not outside:
        asked, said, lines = STRANGE, "", ""
    parts = [f"### {when(row['created_at'])}, {row['public_id']}, {_source(row)}"]
    for heading, text in (("Asked", asked), ("Answered", said), ("Changed", row["files"]), ("Ran", lines)):
        parts += ["", f"{heading}:", "", *block(text)] if text.strip() else []
    return parts


def _observation(row: dict[str, Any], *, outside: bool) -> list[str]:
    kind = of_name(row["row"])
    title, said, tainted = row[kind.asked] or "", said_in(kind, row), row.get("tainted", 0)
    if tainted and not outside:
        said = WITHHELD if said else ""
        title = STRANGE if tainted > 1 else title
    heading = f"#### {when(row['created_at'])}, {row['public_id']}, {row.get('type') or kind.name}, {_source(row)}"
    return [heading, "", *block(title), *(["", *block(said)] if said.strip() else [])]


def _source(row: dict[str, Any]) -> str:
    tool = f" {name(row['tool_name'])}" if row.get("tool_name") else ""
    return f"from {row.get('origin') or 'here'}{tool}" + (", not to be trusted" if row.get("tainted") else "")


def block(text: str) -> list[str]:
    """Return a text as lines of code, inside a fence that is longer than any in it."""
    lines = terminal.plain(text).rstrip("\n").split("\n")
    longest = max([len(run) for line in lines for run in re.findall("`+", line)], default=0)
    fence = "`" * max(3, longest + 1)
    return [fence + "text", *lines, fence]


def name(text: str) -> str:
    """Return a name in one line in which no sign means anything."""
    return "".join(["\\" + char if char in PUNCTUATION else char for char in " ".join(terminal.plain(text).split())])


MADE_FROM = "SELECT child, parent FROM derived_from ORDER BY child, parent"

# What is exported, and how many rows were left out since the person excludes what they are about, or no file can hold them.
Parcel = namedtuple("Parcel", "records left_out")


class Choice:
    """What is to be exported: filters that all have to hold, none for everything; times in milliseconds.

    `for_model` leaves out what others of a team share and nobody here has approved.
    """

    __slots__ = ("for_model", "origins", "since", "types", "until")

    def __init__(self, since: int = 0, until: int = 0, types: Sequence[str] = (), origins: Sequence[str] = ()) -> None:
        check_types(types)
        check_origins(origins)
        self.for_model = False
        self.since, self.until, self.types, self.origins = since, until, list(types), list(origins)

    def is_all(self) -> bool:
        """Say whether nothing is left out."""
        return not (self.since or self.until or self.types or self.origins)

    def where(self, kind: Kind) -> tuple[str, list[object]]:
        """Return a condition over the rows `t` of a kind, and its values."""
        parts: list[str] = ["1"]
        values: list[object] = []
        for part, value in (("t.created_at >= ?", self.since), ("t.created_at < ?", self.until)):
            parts, values = ([*parts, part], [*values, value]) if value else (parts, values)
        for column, names in ((kind.column("type", f"'{kind.name}'"), self.types), (kind.column("origin"), self.origins)):
            if names:
                parts.append(f"{column} IN ({', '.join('?' * len(names))})")
                values += names
        if self.for_model and kind is kinds.OBSERVATION:
            parts.append(f"NOT (t.type = 'item' AND t.tainted = {STRANGERS})")
        return " AND ".join(parts), values


def check_origins(origins: Sequence[str]) -> None:
    """Raise RalphMemError for an origin that no row has."""
    for name in origins:
        if name not in document.ORIGINS:
            raise RalphMemError(f"there is no origin {ascii(name[:40])[1:-1]}", "one of " + ", ".join(document.ORIGINS))


def parcel(
    opened: Store, choice: Choice, project: Project, settings: dict[str, Any], tell: Callable[[int], object] = bool
) -> Parcel:
    """Return what is chosen of a memory, as it stood at one moment; `tell` hears how many rows are done."""
    opened.execute("BEGIN")
    try:
        rows = [row for kind in kinds.of_memory(opened) for row in _rows(opened, kind, *choice.where(kind))]
        kept = [row for row in (_that_may_leave(row, settings) for row in rows) if row is not None]
        sessions = _sessions(opened, choice, {row.get("session") for row in kept})
        names = {row["public_id"] for row in kept}
        known = fact_rows.collected(opened, names) + fact_rows.related(opened, names, settings, choice.is_all())
        derived = [{"row": DERIVED, "child": child, "parent": parent} for child, parent in opened.execute(MADE_FROM)]
    finally:
        opened.roll_back()
    ready = _protected([*sessions, *kept], project, settings, tell)
    good = [record for record in ready if not document.wrong(record)]
    named = {record["public_id"] for record in good}
    about = [each for each in _protected(known, project, settings, bool) if not document.wrong(each) and _is_about(each, named)]
    return Parcel([*good, *about, *_of(derived, good)], len(rows) - len(kept) + len(ready) - len(good))


def _is_about(record: dict[str, Any], named: set[str]) -> bool:
    """Say whether what is said of facts is said of those that are exported."""
    return named.issuperset(fact_rows.observations_of(record))


def _sessions(opened: Store, choice: Choice, named: set[str | None]) -> list[dict[str, Any]]:
    found = _rows(opened, kinds.SESSION, "1", [])
    if choice.is_all():
        return found
    # the summary tells of what may not have been chosen
    return [{**record, "summary": None} for record in found if record["client_session"] in named]


def _rows(opened: Store, kind: Kind, where: str, values: list[object]) -> list[dict[str, Any]]:
    columns = {**{name: f"t.{name}" for name in kinds.exported(kind)}, **document.beside(kind)}
    sql = f"SELECT {', '.join(columns.values())} FROM {kind.table} AS t WHERE {where} ORDER BY t.id"
    return [{"row": kind.name, **dict(zip(columns, row, strict=True))} for row in opened.execute(sql, values)]


def _that_may_leave(record: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any] | None:
    """Return a row without the paths that the person excludes, or nothing where it is about one; a turn only loses them."""
    kind = document.of_name(record["row"])
    files, lines = allowed(record.get("files") or "", record.get("lines") or "", settings)
    if kind is kinds.TURN:
        return {**record, "files": files, "lines": lines, "files_read": allowed(record["files_read"], "", settings)[0]}
    if record.get("type") == "note" or not settings["privacy.exclude_paths"]:
        return record
    is_about = files != (record.get("files") or "") or path_rules.names_excluded(record[kind.asked] or "", settings)
    return None if is_about else record


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
    names = [name for name in document.texts(record["row"]) if record[name]]
    texts, cut = privacy.protect([record[name] for name in names], project, settings) if names else ([], None)
    found = {**record, **dict(zip(names, privacy.leaving(texts), strict=True))}
    for name in [name for name in names if name in document.of_name(record["row"]).json]:
        found[name] = _as_json(found[name])
    if "redactions" in record:
        found["redactions"] = _added(record["redactions"], cut)
    return found


def _as_json(text: str) -> str | None:
    """Return facts in the one way that JSON is written here, or nothing where a cut has left no JSON."""
    try:
        return fast.dumps(fast.loads(text))
    except (ValueError, RecursionError):
        return None


def _added(before: str | None, more: str | None) -> str | None:
    """Add up what was cut out of a row, before and now; what is no count counts for nothing."""
    counts: dict[str, int] = {}
    for text in (before, more):
        try:
            found = fast.loads(text) if text else {}
        except (ValueError, RecursionError):
            continue
        for kind, number in found.items() if isinstance(found, dict) else ():
            if isinstance(number, int) and number > 0 and kind.replace("-", "").isalpha():
                counts[kind] = counts.get(kind, 0) + number
    return fast.dumps(counts) if counts else None


def _of(derived: list[dict[str, Any]], records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep of what comes from what the part that the export can name."""
    events = {record["event_id"] for record in records if record["row"] == "turn"}
    for record in records:
        if record.get("turn") not in events and "turn" in record:
            record["turn"] = None
    known = {record["public_id"] for record in records if record["row"] != "session"}
    return [each for each in derived if each["child"] in known and each["parent"] in known]
