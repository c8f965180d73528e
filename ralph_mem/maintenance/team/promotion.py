"""Make an item for a team of what one person's memory holds, as it will be stored."""

import os
import pwd
import re
import subprocess
import time
from typing import NamedTuple

from ralph_mem.core import hashing
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import path_rules, privacy, whole
from ralph_mem.maintenance.team import shared_item
from ralph_mem.maintenance.team.shared_item import Shared
from ralph_mem.memory import notes_by_hand
from ralph_mem.memory.facts import playbook
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.recall.lookup import Reader, Row
from ralph_mem.memory.rows import facts, row
from ralph_mem.memory.rows.facts import Fact
from ralph_mem.memory.rows.index_text import without_marks

GIT_SECONDS = 10
NOT_SHARED = "facts that hold, bullets of the playbook and notes are shared; prompts, outputs and receipts never"
REWRITE = 'say it in your own words: ralph-mem share ID --text "..."'
# A path from the root of a disk or a home; what stands behind a colon or a slash is an address of the web.
ABSOLUTE = re.compile(r"(?<![\w.:/~])(~|/(\w[\w.+-]*))(/[\w.+-]+)*")


class Promoted(NamedTuple):
    """An item as it will be stored, and how many secrets of which kind were cut out of it."""

    item: Shared
    cut: dict[str, int]


def promote(reader: Reader, public_id: str, text: str = "", supersedes: tuple[str, ...] = ()) -> Promoted:
    """Return the item that a fact, a bullet or a note would be for a team; nothing is written.

    `text` are the person's own words in its place: needed where text from outside has reached it. `supersedes` are ids of items
    that it replaces, besides what the fact replaced here. Raises RalphMemError for what is not to be shared.
    """
    found = lookup.find(reader, public_id)
    fact = facts.of_id(found.store, public_id)
    _check_kind(found, fact)
    if not text and _is_tainted(reader, found, fact):
        raise RalphMemError(f"text from outside has reached {public_id}: it is not shared", REWRITE)
    said = text or _said(found)
    safe, cut = whole.protector(reader.project, reader.settings)(privacy.without_injected(said))
    body = _inside(safe.strip(), reader.project)
    if not without_marks(body).strip() or path_rules.names_excluded(body, reader.settings):
        raise RalphMemError(f"of {public_id} nothing may be shared", "what is left names a path that you exclude, or is empty")
    replaced = [] if text or not fact else _replaced(found, fact)
    kind = shared_item.NOTE if found.type == row.NOTE else _kind(fact)
    texts = {
        "id": public_id, "kind": kind, "author": author(reader.project), "session": _session(found), "body": body,
        "date": shared_item.written(fact.said_at if fact and not text else found.at),
    }  # fmt: skip
    lists = {"supersedes": list(dict.fromkeys([*replaced, *supersedes])), "anchor": [] if text else _anchors(fact)}
    return Promoted(shared_item.checked(texts, lists, time.time_ns() // 1_000_000), cut)


def _check_kind(found: Row, fact: Fact | None) -> None:
    """Raise RalphMemError for a row that is no statement of this project's own."""
    if lookup.is_global(found):
        raise RalphMemError(f"{found.public_id} holds in all projects, and is no project's to share", "share one of this project")
    if fact and fact.status not in facts.HOLDING:
        raise RalphMemError(f"{found.public_id} is {fact.status}, and holds not", NOT_SHARED)
    if found.type not in (row.NOTE, row.FACT):
        raise RalphMemError(f"{found.public_id} is a {found.type}", NOT_SHARED)


def _is_tainted(reader: Reader, found: Row, fact: Fact | None) -> bool:
    """Say whether text from outside has reached a row, or what it was made from."""
    if notes_by_hand.is_from_outside(found) or (fact and (fact.tainted or fact.metadata.get("is_from_outside"))):
        return True
    return any([_is_row_tainted(reader, name) for name in facts.sources(found.store, found.public_id)])


def _is_row_tainted(reader: Reader, name: str) -> bool:
    try:
        return notes_by_hand.is_from_outside(lookup.find(reader, name))
    except RalphMemError:  # forgotten, or of another memory
        return False


def _said(found: Row) -> str:
    """Return what a row says; a title that was made of its text is not said twice."""
    is_cut = found.asked.endswith("...") and found.said.startswith(found.asked[:-3])
    return found.said if is_cut else "\n".join([part for part in (found.asked, found.said) if part])


def _inside(text: str, project: Project) -> str:
    """Return a text with the project's own paths as seen from its top. Raises RalphMemError for one outside of it."""
    for root in {project.root, project.top}:
        text = text.replace(root.rstrip("/") + "/", "")
    known = set(os.listdir("/"))
    outside = next((each[0] for each in ABSOLUTE.finditer(text) if each[1] == "~" or each[2] in known), "")
    if outside:
        raise RalphMemError(f"{outside[:60]} lies outside of the repository: it is not shared", REWRITE)
    return text


def _kind(fact: Fact | None) -> str:
    return shared_item.BULLET if fact and fact.kind in playbook.KINDS else shared_item.FACT


def _replaced(found: Row, fact: Fact) -> list[str]:
    links = facts.links(found.store, fact.public_id)
    return [other for one, other, kind, *_ in links if one == fact.public_id and kind == facts.SUPERSEDES]


def _anchors(fact: Fact | None) -> list[str]:
    return [str(each["path"]) for each in fact.anchors] if fact else []


def _session(found: Row) -> str:
    """Return what stands for the session of a client that a row comes from, nothing for what a terminal or a worker stored."""
    known = found.store.one("SELECT client_session FROM sessions WHERE id = ?", (found.session,))
    name = known[0] if known else facts.SESSION
    return "" if name == facts.SESSION else hashing.of("session", name)[:12]


def author(project: Project) -> str:
    """Return what a person calls themselves: as git has it here, or their login. Nobody checks it."""
    order = ["git", "-c", "core.fsmonitor=false", "-C", project.top, "config", "user.name"]
    try:
        name = subprocess.run(order, capture_output=True, timeout=GIT_SECONDS, check=False).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.SubprocessError):
        name = ""
    try:
        login = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        login = "somebody"
    kept = " ".join(name.split())[: shared_item.AUTHOR_CHARACTERS]
    return kept or login
