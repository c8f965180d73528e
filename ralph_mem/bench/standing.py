"""A throwaway memory whose facts are the statements that stood in a file of rules at a time."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence

from ralph_mem.bench import measures
from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.facts import taking, wording
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import facts, records

BEGINNING, DAY_MS = 1_600_000_000_000, 86_400_000  # any day will do


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
