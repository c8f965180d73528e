"""Read how people changed their files of rules, a labelled set, and hold what stood in one.

{name, projects: [{id, statements: [text], items: [{op: ADD or UPDATE, new, store: [number], target: number for UPDATE}]}]}
"""

import contextlib
from collections import namedtuple
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ralph_mem.bench import labelled, measures
from ralph_mem.bench.labelled import text
from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.facts import taking, wording
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import facts, records

OPERATIONS = ADD, UPDATE = ("ADD", "UPDATE")

# `statements` are all that ever stood in the file of a project; the numbers of its items lead there.
RuleFiles = namedtuple("RuleFiles", "name projects")
RuleFile = namedtuple("RuleFile", "id statements items")
# A statement that came in: those that stood then, and the number of the one that it replaced, None where it replaced none.
Item = namedtuple("Item", "op new store target")
BEGINNING, DAY_MS = 1_600_000_000_000, 86_400_000  # any day will do


def read(path: str) -> RuleFiles:
    """Read and check a file. Raises RalphMemError with the place of what is wrong, and OSError."""
    found = labelled.read(
        path, "rule files", lambda whole: RuleFiles(text(whole["name"]), [_project(each) for each in whole["projects"]])
    )
    labelled.need(path, any(project.items for project in found.projects), "no items")
    return found


def _project(given: Any) -> RuleFile:
    name, statements = text(given["id"]), [text(each) for each in given["statements"]]
    return RuleFile(
        name, statements, [_item(each, len(statements), f"{name}, item {at}") for at, each in enumerate(given["items"])]
    )


def _item(given: Any, statements: int, where: str) -> Item:
    op, target = given["op"], given.get("target")
    if op not in OPERATIONS:
        raise ValueError(f"{where}: op is neither ADD nor UPDATE")
    numbers = [*given["store"], *([target] if op == UPDATE else [])]
    if not all(isinstance(each, int) and 0 <= each < statements for each in numbers):
        raise ValueError(f"{where}: a number names no statement")
    if op == UPDATE and target not in given["store"]:
        raise ValueError(f"{where}: the target does not stand in the store")
    return Item(op, text(given["new"]), tuple(given["store"]), target if op == UPDATE else None)


class Standing(Throwaway):
    """Facts that hold at once, each said a day after the one before it in the file; what is asked about comes after them."""

    def __init__(self, statements: Sequence[str]) -> None:
        super().__init__()
        self.statements, self.now = statements, BEGINNING + len(statements) * DAY_MS
        self.numbers: dict[str, int] = {}  # of the facts, by the keys of their words
        self.texts: dict[str, str] = {}  # by the ids of the facts
        self.held: set[str] = set()

    def hold(self, numbers: Iterable[int]) -> None:
        """Let exactly these statements be the facts that hold; of those with the same words one does."""
        wanted = {wording.key(self.statements[number]): number for number in numbers}
        self.store.begin()
        facts.make(self.store)
        for key in self.held - wanted.keys():
            facts.change(self.store, self.numbers[key], {"status": facts.RETIRED})
        for key, number in wanted.items():
            if key not in self.numbers:
                self._add(key, self.statements[number], BEGINNING + number * DAY_MS)
            elif key not in self.held:
                facts.change(self.store, self.numbers[key], {"status": facts.ACTIVE})
        self.store.commit()
        self.held = set(wanted)

    def _add(self, key: str, text: str, at: int) -> None:
        event = f"fact:{key}"
        said = records.observation(facts.SESSION, at, event, text, "", type=facts.TYPE, origin="user")
        records.apply(self.store, said)
        number, name = facts.stored(self.store, event)
        known = {"kind": facts.RULE, "status": facts.ACTIVE, "source": facts.ADD, "text_key": key, "said_at": at}
        facts.add(self.store, number, known)
        self.numbers[key], self.texts[name] = number, text

    @contextlib.contextmanager
    def taken(self, text: str) -> Iterator[taking.Taken]:
        """Take a statement in as a person's own, yield what became of it, and take all of that back."""
        self.store.begin()
        try:
            found = taking.take(self.store, taking.Statement(text, facts.RULE, facts.ADD, self.now), self.now)
            if found.public_id:
                self.texts.setdefault(found.public_id, text)
            yield found
        finally:
            self.store.roll_back()

    def search(self, words: str) -> list[str]:
        """Return the texts of the facts that a person's search for some words finds, the best first, as far as anybody looks."""
        try:
            found = lookup.search(self.reader, words, self.now, lookup.Wanted(limit=measures.DEPTH))
        except RalphMemError:  # a query without a word
            return []
        return [self.texts[row.public_id] for row in found if row.public_id in self.texts]
