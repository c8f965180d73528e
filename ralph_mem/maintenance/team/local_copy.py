"""Hold the items of a team in a person's own memory, withheld until they are approved."""

import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import digits_of
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import whole
from ralph_mem.maintenance.team import approvals, item_files, policy, shared_item
from ralph_mem.maintenance.team.approvals import Standing
from ralph_mem.maintenance.team.shared_item import Refused, Shared
from ralph_mem.memory import access, notes_by_hand
from ralph_mem.memory.facts import prepared, replaced
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import items as rows
from ralph_mem.memory.rows import kinds, outbox, tombstones
from ralph_mem.memory.rows.items import Stored
from ralph_mem.memory.store import connection, schema
from ralph_mem.memory.store.connection import Store

TEAM, FILES = rows.TEAM, "repository"
# More copies than these go only at a person's word: a server or a branch that lost its items must not take them along.
MOST_GOING = 20
WITHHELD, OPEN = rows.STRANGERS, 0  # how tainted a row is: somebody else's is told to nobody unasked
IS_THERE = " WHERE t.public_id = ?"


class ManyGo(RalphMemError):
    """More copies would go than go by themselves."""

    def __init__(self, leaving: list[str]) -> None:
        what = f"{len(leaving)} items of the team are gone there, and would go here: nothing is changed"
        super().__init__(what, f"if that is right: ralph-mem team pull --confirm {digits_of(leaving)}")


EDITED = "it bears the id of something of yours and says something else than you shared: look at who changed it"


class Taken(NamedTuple):
    """What a pull changed, by ids: new here, changed, gone, unchanged, own; refused with why. `waiting` is how many wait."""

    new: list[str]
    changed: list[str]
    gone: list[str]
    same: list[str]
    own: list[str]
    refused: list[tuple[str, str]]
    waiting: int


class Held(NamedTuple):
    """An item as it is held here, with how it stands."""

    item: Shared
    standing: Standing
    team: str


def namespace(team: str) -> tuple[str, ...]:
    """Return where the items of a team lie."""
    return (TEAM, team)


def held(opened: Store, project: Project) -> list[Held]:
    """Return what is held of all teams, those that wait first, then the newest first."""
    found = []
    for name in teams(opened):
        copies = _copies(opened, name)
        own = _own_beside(opened, project, name, copies)
        stands = approvals.standings({**copies, **own}, [*_approved(project, name, copies), *own])
        found += [Held(item, _of_row(item, stands[item.id], own), name) for item in copies.values()]
    return sorted(found, key=lambda each: (each.standing.word != approvals.WAITING, -each.item.at, each.item.id))


def teams(opened: Store) -> list[str]:
    """Return the teams of which anything is held here."""
    return [name[1] for name in rows.counts(opened) if name[:1] == (TEAM,) and len(name) == 2]


def waiting(opened: Store) -> int:
    """Return how many items wait for a person's approval."""
    return int(opened.property(connection.TEAM_WAITING) or 0)


def take(
    opened: Store, project: Project, settings: dict[str, Any], team: str, items: list[Shared], may_go: str = "",
    is_full: bool = False,
) -> Taken:  # fmt: skip
    """Let a memory hold exactly these items of a team, besides those that are its own or were forgotten here.

    All of it in one transaction. Where many copies would go, `may_go` are the digits of their ids; of a copy that `is_full` as many
    go as come, which nobody is asked about. Raises ManyGo without them, and RalphMemError where approvals cannot be read.
    """
    protect, marks = whole.protector(project, settings), tombstones.Marks()
    kept: dict[str, Shared] = {}
    own: dict[str, Shared] = {}
    refused: list[tuple[str, str]] = []
    shared = _shared(opened, project, team)
    for item in items:
        if marks.have(tombstones.ROW, item.id):
            continue
        if _is_own(opened, team, item.id):
            if shared_item.digest(team, item) in shared:
                own[item.id] = item
            else:
                refused.append((item.id, EDITED))
        elif protect(item.body)[1] or protect(item.author)[1] or protect("\n".join(item.anchors))[1]:
            refused.append((item.id, "it holds what looks like a secret: tell its author"))
        else:
            kept[item.id] = item
    with access.Change(opened):
        before, replacing = _stored(opened, team), replaced.by_team(opened)
        leaving = [name for name in before if name not in kept]
        pushed_out = len([name for name in kept if name not in before]) if is_full else 0
        if len(leaving) > MOST_GOING + pushed_out and may_go.lower() != digits_of(leaving):
            raise ManyGo(leaving)
        _delete(opened, [before[name] for name in leaving])
        if kept:
            schema.make(opened, schema.NOTES)
            opened.set_property(connection.NOTES_INDEXED, 1)
        changed = [name for name in kept if name in before and _of(before[name]) != kept[name]]
        _settle(opened, project, team, kept, own)
        _settle_own(opened, replacing)
        number = _count(opened, project)
    new = [name for name in kept if name not in before]
    same = [name for name in kept if name in before and name not in changed]
    return Taken(new, changed, leaving, same, list(own), refused, number)


def search(opened: Store, project: Project, settings: dict[str, Any], team: str, query: str, limit: int) -> list[Shared]:
    """Return what of the items that are held of a team answers a query, the best first."""
    reader = lookup.Reader([opened], project, settings, outside=True)
    wanted = lookup.Wanted(limit, types=(rows.TYPE,), tool=rows.text_of(opened, namespace(team)))
    copies = _copies(opened, team)
    answers = lookup.search(reader, query, time.time_ns() // 1_000_000, wanted)
    return [copies[each.public_id] for each in answers if each.public_id in copies]


def share(opened: Store, project: Project, items: list[Shared]) -> list[str]:
    """Write a person's own items into files of the repository, and note outside of it what they say; returns the files' names."""
    policy.need(items, FILES)
    with access.Change(opened):
        approvals.change(project, {shared_item.digest(FILES, item): item.id for item in items})
        return [item_files.write(project, item) for item in items]


def approve(opened: Store, project: Project, chosen: list[Held], take_back: bool = False) -> int:
    """Approve items exactly as they are held, or take back what was approved of them, earlier texts too.

    Own facts that they replace hold no longer, and again once no approved item replaces them. Returns how many wait then. In a
    transaction of its own.
    """
    digests = {shared_item.digest(each.team, each.item): each.item.id for each in chosen}
    with access.Change(opened):
        replacing = replaced.by_team(opened)
        approvals.change(project, digests, take_back)
        for team in {each.team for each in chosen}:
            stored = _stored(opened, team)
            kept = {name: _of(each) for name, each in stored.items()}
            _settle(opened, project, team, kept, _own_beside(opened, project, team, kept))
        _settle_own(opened, replacing)
        return _count(opened, project)


def _settle_own(opened: Store, before: set[tuple[str, str]]) -> None:
    at = time.time_ns() // 1_000_000
    if replaced.settle(opened, before, at):
        prepared.write(opened, at)


def drop(opened: Store, project: Project, team: str) -> int:
    """Delete what is held of a team; returns how many items that were."""
    with access.Change(opened):
        found, replacing = list(_stored(opened, team).values()), replaced.by_team(opened)
        _delete(opened, found)
        _settle_own(opened, replacing)
        _count(opened, project)
    return len(found)


def _settle(opened: Store, project: Project, team: str, kept: dict[str, Shared], own: dict[str, Shared]) -> None:
    """Write the rows that are not as they should be now: new, changed, approved, replaced, beside another one."""
    whole_team = {**kept, **own}
    stands = approvals.standings(whole_team, [*_approved(project, team, kept), *own])
    stored = _stored(opened, team)
    for name, item in kept.items():
        stands_as = _of_row(item, stands[name], own)
        there = stored.get(name)
        if there is None or there.value != _value(team, item, stands_as):
            _write(opened, team, item, stands_as, there)


def _of_row(item: Shared, found: Standing, own: dict[str, Shared]) -> Standing:
    """Return how an item stands among those that are rows of a team: beside a person's own newer word the newest is told."""
    others = [each for each in (item, *found.others) if each.id not in own]
    is_first = found.word == approvals.BESIDE and min(others, key=lambda each: (-each.at, each.id)) == item
    return Standing(approvals.TOLD, found.others) if is_first else found


def _write(opened: Store, team: str, item: Shared, stands: Standing, there: Stored | None) -> None:
    """Write one row. What is not told by itself is found among the raw rows; what waits is withheld as well."""
    is_open = stands.word != approvals.WAITING
    title, content = notes_by_hand.parts(item.body)
    behind = approvals.beside(stands.others) if stands.word == approvals.TOLD else ""
    said = "\n".join([part for part in (content, behind) if part])
    record = {
        "namespace": namespace(team), "key": item.id, "title": title, "content": said, "at": item.at, "session": rows.SESSION,
        "tainted": OPEN if is_open else WITHHELD, "redactions": None, "public_id": item.id,
        "speaker": f"{item.author} (claimed, team {team})",
    }  # fmt: skip
    known = {"key": item.id, "value": _value(team, item, stands), "index": True, "updated_at": time.time_ns() // 1_000_000}
    rows.put(opened, there, record, {**known, "expires_at": 0, "was": []}, is_told=stands.word == approvals.TOLD)


def _value(team: str, item: Shared, stands: Standing) -> dict[str, Any]:
    """Return an item as the value under its key; what it says is its `text`, and how it stands is written with it."""
    others = [each.id + ":" + shared_item.digest(team, each) for each in stands.others]
    text, old = shared_item.text_of(item), {replaced.SUPERSEDES: list(item.supersedes)} if item.supersedes else {}
    return {"text": item.body, "author": item.author, "kind": item.kind, "at": item.at, "standing": stands.word,
            "others": others, "item": text, **old}  # fmt: skip


def _of(stored: Stored) -> Shared:
    return shared_item.read(stored.value["item"], 2**62)


def _stored(opened: Store, team: str) -> dict[str, Stored]:
    """Return the rows of a team by the ids of its items; what a program keeps in the same namespace is none of them."""
    found = {each.key: each for each in rows.within(opened, namespace(team)) if _is_item(each)}
    return {name: each for name, each in found.items() if name == each.public_id}


def _is_item(stored: Stored) -> bool:
    return isinstance(stored.value, dict) and isinstance(stored.value.get("item"), str)


def _copies(opened: Store, team: str) -> dict[str, Shared]:
    """Return the items that are held; one that does not read as an item any more is left out."""
    found = {}
    for name, each in _stored(opened, team).items():
        try:
            found[name] = _of(each)
        except Refused:
            continue
    return found


def _approved(project: Project, team: str, items: dict[str, Shared]) -> list[str]:
    kept = approvals.read(project)
    return [name for name, item in items.items() if shared_item.digest(team, item) in kept]


def _is_own(opened: Store, team: str, public_id: str) -> bool:
    """Say whether an id is that of a row of this memory which came not from this team."""
    there = opened.one(kinds.reading(kinds.OBSERVATION, "tool_name type") + IS_THERE, (public_id,))
    return there is not None and there != (rows.text_of(opened, namespace(team)), rows.TYPE)


def _own_beside(opened: Store, project: Project, team: str, kept: dict[str, Shared]) -> dict[str, Shared]:
    """Return the person's own items, which may replace or contradict those of others."""
    found = item_files.read(project, time.time_ns() // 1_000_000).items if team == FILES else _given(opened, team)
    shared = _shared(opened, project, team)
    own = [item for item in found if item.id not in kept and _is_own(opened, team, item.id)]
    return {item.id: item for item in own if shared_item.digest(team, item) in shared}


def _shared(opened: Store, project: Project, team: str) -> set[str]:
    """Return the hashes of what this person shared, or approved: of one's own that somebody has edited since it has none."""
    return approvals.read(project) if team == FILES else {shared_item.digest(team, each) for each in _given(opened, team)}


def _given(opened: Store, team: str) -> list[Shared]:
    """Return what this person gave to a team's server; what was forgotten meanwhile reads as no item."""
    found = []
    for entry in outbox.entries(opened, team):
        try:
            found.append(shared_item.read(entry.text, 2**62))
        except Refused:
            continue
    return found


def _delete(opened: Store, found: Iterable[Stored]) -> None:
    rows.delete(opened, list(found))


def _count(opened: Store, project: Project) -> int:
    """Write how many items wait, for all who tell a model no more than that."""
    number = 0
    for team in teams(opened):
        copies = _copies(opened, team)
        number += len(copies) - len(_approved(project, team, copies))
    if number != waiting(opened):
        opened.set_property(connection.TEAM_WAITING, number or None)
    return number
