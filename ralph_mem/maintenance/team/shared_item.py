"""Write and read an item that a team shares, as the text that stands for it everywhere."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import NamedTuple

from ralph_mem.core import hashing
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.redaction import gate, privacy
from ralph_mem.memory.rows import row

KINDS = FACT, BULLET, NOTE = ("fact", "bullet", "note")
# 500 tokens: what is longer is a document, and belongs into the repository as one.
MOST_CHARACTERS = 2_000
AUTHOR_CHARACTERS, ANCHOR_CHARACTERS, MOST_NAMED = 60, 200, 20
FENCE, BEHIND = "---", ": "
ONCE, REPEATED = ("id", "kind", "author", "date", "session"), ("supersedes", "anchor")
SESSION = re.compile(r"[0-9a-f]{12}")
DATE = "%Y-%m-%dT%H:%M:%SZ"
A_DAY_MS = 86_400_000  # so far a clock may go ahead


class Refused(RalphMemError):
    """An item that is not as one has to be; it is not taken in."""


class Shared(NamedTuple):
    """An item of a team: its id, what it is, who claims to have said it and when in ms since 1970, and what it says.

    `session` stands for the session that it comes from, `supersedes` are ids, `anchors` are paths below the top of the project.
    """

    id: str
    kind: str
    author: str
    at: int
    session: str
    supersedes: tuple[str, ...]
    anchors: tuple[str, ...]
    body: str


def text_of(item: Shared) -> str:
    """Return the text that stands for an item; `read` makes the item of it again."""
    head = [("id", item.id), ("kind", item.kind), ("author", item.author), ("date", written(item.at))]
    head += [("session", item.session)] if item.session else []
    head += [*[("supersedes", name) for name in item.supersedes], *[("anchor", path) for path in item.anchors]]
    return "\n".join([FENCE, *[name + BEHIND + value for name, value in head], FENCE, item.body, ""])


def digest(team: str, item: Shared) -> str:
    """Return what an approval of exactly this item of a team is kept under."""
    return hashing.of("team", team, text_of(item))


def read(text: str, now: int) -> Shared:
    """Return the item that a text stands for; `now` is in ms. Raises Refused."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0] != FENCE or FENCE not in lines[1:]:
        raise Refused("it does not begin with lines between two ---")
    end = lines.index(FENCE, 1)
    known: dict[str, str] = {}
    several: dict[str, list[str]] = {name: [] for name in REPEATED}
    for line in lines[1:end]:
        name, colon, value = line.partition(BEHIND)
        if not colon or name not in ONCE + REPEATED or name in known:
            raise Refused(f"its line {line[:40]!a} says nothing that is known, or says it twice")
        if name in several:
            several[name].append(value)
        else:
            known[name] = value
    missing = [name for name in ONCE[:-1] if name not in known]
    if missing:
        raise Refused(f"its {missing[0]} is missing")
    known["body"] = "\n".join(lines[end + 1 :]).strip("\n")
    return checked(known, several, now)


def checked(texts: Mapping[str, str], lists: Mapping[str, Sequence[str]], now: int) -> Shared:
    """Return an item made of texts and lists of texts by the names of a file's lines, and its `body`. Raises Refused."""
    for name, value in [*texts.items(), *[(name, value) for name, values in lists.items() for value in values]]:
        _check_text(name, value, lines=name == "body")
    if any(len(values) > MOST_NAMED for values in lists.values()):
        raise Refused(f"it names more than {MOST_NAMED}")
    item = Shared(
        texts["id"], texts["kind"], texts["author"], _moment(texts["date"]), texts.get("session", ""),
        tuple(lists["supersedes"]), tuple(lists["anchor"]), texts["body"],
    )  # fmt: skip
    why = _wrong(item, now)
    if why:
        raise Refused(why)
    return item


def _check_text(name: str, value: str, *, lines: bool = False) -> None:
    """Raise Refused for what a person does not see as it is: an invisible character, an escape, half a character."""
    if gate.clean(value) != value or (not lines and "\n" in value):
        raise Refused(f"its {name} holds a character that nobody sees")
    if privacy.INJECTED in value or f"</{privacy.INJECTED[1:]}" in value:
        raise Refused(f"its {name} quotes what ralph-mem tells")


def _wrong(item: Shared, now: int) -> str:
    """Say what is wrong with an item, nothing where nothing is."""
    tests = (
        (_is_id(item.id), "its id is none"),
        (item.kind in KINDS, f"its kind is none of {', '.join(KINDS)}"),
        (0 < len(item.author.strip()) <= AUTHOR_CHARACTERS, f"its author has not 1 to {AUTHOR_CHARACTERS} characters"),
        (0 < item.at <= now + A_DAY_MS, "its date is no time of the past"),
        (not item.session or SESSION.fullmatch(item.session), "its session is no hash"),
        (all(map(_is_id, item.supersedes)) and item.id not in item.supersedes, "what it supersedes is no other item"),
        (all(map(_is_below, item.anchors)), "an anchor of it is no path in the project"),
        (len(item.body.strip()) > 0, "it says nothing"),
        (len(item.body) <= MOST_CHARACTERS, f"it has {len(item.body):,} characters, more than {MOST_CHARACTERS:,}"),
    )
    return next((why for is_right, why in tests if not is_right), "")


def _is_id(name: str) -> bool:
    return name.startswith("obs-") and row.is_public_id(name)


def _is_below(path: str) -> bool:
    parts = path.split("/")
    return 0 < len(path) <= ANCHOR_CHARACTERS and all(part not in ("", ".", "..", "~") for part in parts) and "\\" not in path


def written(at: int) -> str:
    """Return a time in ms as it stands in a file."""
    return datetime.fromtimestamp(at // 1000, timezone.utc).strftime(DATE)


def _moment(text: str) -> int:
    """Return a time as it stands in a file, in ms, 0 for none."""
    try:
        return int(datetime.strptime(text, DATE).replace(tzinfo=timezone.utc).timestamp()) * 1000
    except (ValueError, OverflowError):
        return 0
