"""Read labelled memories and queries from a file, and check them.

{name, unit, projects: [{id, memories: [{id, session, at, text, role?, title?, files?, reads?, lines?}],
                             queries: [{text, at, relevant: [id, ...], category?, before?, before_session?}]}]}
"""

import json
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ralph_mem.bench import labelled
from ralph_mem.bench.labelled import HINT
from ralph_mem.core.errors import RalphMemError

OBSERVATION, SESSION = UNITS = ("observation", "session")
# Questions that a history answers in words only: the one who is asked about did not do it. They are counted apart.
ADVERSARIAL = "adversarial"

# `unit` says whether `relevant` names memories or sessions. `notes` are lines about what had to be decided while reading.
Histories = namedtuple("Histories", "name unit projects notes")
History = namedtuple("History", "id memories queries")
# `at` is in milliseconds. `title` is None for a note, and may be empty for a turn.
Memory = namedtuple("Memory", "id session at title text role files reads lines")
# `known` says how many memories, in their order, there are when the query's session begins, and `here` how many there are when it
# is asked: where `relevant` names sessions and the prompt stands in one, the turns before it are what its session has done.
Query = namedtuple("Query", "text at relevant category known here")


def read(path: str) -> Histories:
    """Read and check a file of histories. Raises RalphMemError with the place of what is wrong, and OSError."""
    whole = _Part(_parsed(path), f"{Path(path).name}:")
    notes: list[str] = []
    unit = whole.choice("unit", UNITS)
    projects = [_history(part, unit, notes) for part in whole.parts("projects")]
    if not any(project.queries for project in projects):
        raise RalphMemError(f"{Path(path).name} has no queries", HINT)
    return Histories(whole.text("name"), unit, projects, notes)


def hidden(histories: Histories) -> Histories:
    """Return histories without titles and texts: what is left are the files and lines, as a hook alone would see them."""
    projects = [project._replace(memories=[_trace(memory) for memory in project.memories]) for project in histories.projects]
    return histories._replace(projects=projects)


def queries(histories: Histories) -> list[str]:
    """Return the texts of all queries, but for the adversarial ones."""
    return [query.text for project in histories.projects for query in project.queries if query.category != ADVERSARIAL]


def source(name: str) -> str:
    """Return where a set comes from, by its name: `curl` for curl-dev and curl-older-dev."""
    return name.partition("-")[0]


def _trace(memory: Memory) -> Memory:
    return memory._replace(title=None if memory.title is None else "", text="")


def _parsed(path: str) -> Any:
    try:
        return json.loads(Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        what = "it is nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())
        raise RalphMemError(f"{Path(path).name} is not JSON: {what}", HINT) from error


def _history(part: "_Part", unit: str, notes: list[str]) -> History:
    memories = [_memory(each) for each in part.parts("memories")]
    first: dict[str, int] = {}
    number: dict[str, int] = {}
    for at, memory in enumerate(memories):
        first.setdefault(memory.session, at)
        if number.setdefault(memory.id, at) != at:
            raise part.wrong("memories", f"the id {memory.id[:40]} stands there twice")
    queries = []
    for each in part.parts("queries", may_be_empty=True):
        known = _known(each, memories, number, first, notes)
        here = known if unit == OBSERVATION else _here(each, memories, known)
        queries.append(_query(each, number if unit == OBSERVATION else first, known, here))
    return History(part.text("id"), memories, queries)


def _memory(part: "_Part") -> Memory:
    title = part.text("title") if part.has("title") else None
    texts = [part.texts(name) for name in ("files", "reads", "lines")]
    return Memory(
        part.text("id"), part.text("session"), part.moment("at"), title, part.text("text"), part.text("role", missing=""), *texts
    )


def _query(part: "_Part", there: dict[str, int], known: int, here: int) -> Query:
    relevant = part.texts("relevant")
    if not relevant:
        raise part.wrong("relevant", "it names nothing")
    for name in relevant:
        if name not in there:
            raise part.wrong("relevant", f"there is no {name[:40]} in its project")
    return Query(
        part.text("text"), part.moment("at"), tuple(dict.fromkeys(relevant)), part.text("category", missing=""), known, here
    )


def _here(part: "_Part", memories: list[Memory], known: int) -> int:
    """Return at which place of its own session, which begins at `known`, a query stands; without one it begins a session."""
    session = part.text("before_session", missing="")
    for place in range(known, len(memories)):
        if memories[place].session != session:
            break
        if memories[place].title == part.text("text"):
            return place
    return known


def _known(part: "_Part", memories: list[Memory], number: dict[str, int], first: dict[str, int], notes: list[str]) -> int:
    """Return how many memories come before a query."""
    limits = [len(memories)]
    for key, places in (("before", number), ("before_session", first)):
        name = part.text(key, missing="")
        if name in places:
            limits.append(places[name])
        elif name:  # what the query is itself about was left out of the history; its time says as much
            at = part.moment("at")
            limits.append(max((place + 1 for place, memory in enumerate(memories) if memory.at < at), default=0))
            notes.append(f"{part.place_of(key)}: no {name[:40]} in its project; the {limits[-1]} memories before its time count")
    return min(limits)


class _Part:
    """One mapping of a file, read with its place: what is wrong there is told by it."""

    def __init__(self, value: object, where: str) -> None:
        self.where = where
        if not isinstance(value, dict):
            raise RalphMemError(f"{where.rstrip(':')}: not a mapping but {_kind(value)}", HINT)
        self.value: dict[str, Any] = value

    def has(self, key: str) -> bool:
        """Say whether there is anything; null is nothing."""
        return self.value.get(key) is not None

    def place_of(self, key: str) -> str:
        """Return where a key stands: `set.json: projects[0].queries[3].at`."""
        return f"{self.where} {key}" if self.where.endswith(":") else f"{self.where}.{key}"

    def wrong(self, key: str, what: str) -> RalphMemError:
        return RalphMemError(f"{self.place_of(key)}: {what}", HINT)

    def parts(self, key: str, *, may_be_empty: bool = False) -> list["_Part"]:
        values = self._taken(key, list, "a list")
        if not values and not may_be_empty:
            raise self.wrong(key, "it is empty")
        return [_Part(value, f"{self.place_of(key)}[{number}]") for number, value in enumerate(values)]

    def text(self, key: str, missing: str | None = None) -> str:
        if missing is not None and not self.has(key):
            return missing
        return labelled.text(self._taken(key, str, "text"))

    def texts(self, key: str) -> list[str]:
        values = self._taken(key, list, "a list") if self.has(key) else []
        for value in values:
            if not isinstance(value, str):
                raise self.wrong(key, f"not text but {_kind(value)} is among it")
        return [labelled.text(value) for value in values]

    def choice(self, key: str, among: tuple[str, ...]) -> str:
        found = self.text(key)
        if found not in among:
            raise self.wrong(key, f"{found[:40]} is none of {', '.join(among)}")
        return found

    def moment(self, key: str) -> int:
        """Return a time in milliseconds; one without a zone is meant in UTC."""
        word = self.text(key)
        try:
            return labelled.moment(word)
        except (ValueError, OverflowError) as error:
            raise self.wrong(key, f"{word[:40]} is no time; 2026-01-31T12:00:00 is one") from error

    def _taken(self, key: str, kind: Callable[..., Any], named: str) -> Any:
        if key not in self.value:
            raise self.wrong(key, "it is missing")
        if not isinstance(self.value[key], kind):  # type: ignore[arg-type]
            raise self.wrong(key, f"not {named} but {_kind(self.value[key])}")
        return self.value[key]


def _kind(value: object) -> str:
    names = {dict: "a mapping", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null")
