"""A temporary memory, filled from a history as the hooks would have filled it."""

import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ralph_mem.bench.histories import Memory
from ralph_mem.core.project import Activity, Project
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective
from ralph_mem.memory import access, activities, conversation, notes_by_hand, opening
from ralph_mem.memory.facts import accepting, learning
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import facts, kinds, records, row

if TYPE_CHECKING:
    from typing_extensions import Self

AGENT = "bench"
CHANGED = ("+", "-")


class Throwaway:
    """The memory of one history, as a context manager: a project in a temporary folder, with the default settings.

    `names` leads from the public id of a memory to its id in the history, for turns by `turns` from their row number too. Where it
    `learns`, what may hold is a fact as soon as it was said, beside the turn that said it, and goes by that turn's id.
    """

    def __init__(self, learns: bool = False) -> None:
        self.learns = learns
        self.settings = dict(effective.DEFAULTS)
        self.names: dict[str, str] = {}
        self.turns: dict[int, str] = {}
        self.sessions: set[str] = set()
        self.session = ""
        self.drawn = random.Random(0)  # noqa: S311 - no secret

    def __enter__(self) -> "Self":
        self.folder = tempfile.TemporaryDirectory(prefix="ralph-mem-bench-")
        try:
            self.project = Project(str(Path(self.folder.name, "project")))
            Path(self.project.root).mkdir()
            self.project.folder = str(Path(self.folder.name, "memory"))  # none that a clone may bring, so the home needs no key
            self.store = opening.open_ready(self.project)
        except BaseException:
            self.folder.cleanup()
            raise
        self.reader = lookup.Reader([self.store], self.project, self.settings)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.store.close()
        self.folder.cleanup()

    def remember(self, memories: Sequence[Memory]) -> None:
        """Write memories, in their order, and commit them; the indexes are left as Stop leaves them."""
        if not memories:
            return
        self.store.begin()
        try:
            for memory in memories:
                self._enter(memory)
                self._write_note(memory) if memory.title is None else self._write_turn(memory)
            self.store.commit()
        finally:
            self.store.roll_back()
        self.store.tidy()
        if self.learns:
            self._learn()

    def _learn(self) -> None:
        """Make facts of what was said in passing and of notes, as somebody does who accepts every candidate."""
        learning.learn(self.store, self.project, self.settings, sys.maxsize, float("inf"))
        with access.Change(self.store) as opened:
            for fact in facts.of_status(opened, facts.CANDIDATE):
                accepting.accept(opened, fact, fact.said_at)
        for fact in facts.of_status(self.store, facts.ACTIVE):
            for source in facts.sources(self.store, fact.public_id):
                self.names.setdefault(fact.public_id, self.names[source])

    def number_of_session(self) -> int:
        """Return the row number of the session that was written last."""
        return int(self.store.one("SELECT id FROM sessions WHERE client_session = ?", (self.session,))[0])

    def name_of(self, found: lookup.Row) -> str:
        """Return the id in the history of what a row belongs to: a note, or the turn in which something was run."""
        return self.names.get(found.public_id) or self.turns.get(found.turn, "")

    def _enter(self, memory: Memory) -> None:
        """Begin the session of a memory, and end the one before."""
        if memory.session == self.session:
            return
        if self.session:
            records.apply(self.store, records.end(self.session, memory.at))
        source = "resume" if memory.session in self.sessions else "startup"
        records.apply(self.store, records.session(memory.session, self.project.root, memory.at, source, agent=AGENT))
        self.sessions.add(memory.session)
        self.session = memory.session

    def _write_turn(self, memory: Memory) -> None:
        """Store a prompt, what was done about it, and the answer."""
        assert memory.title is not None  # noqa: S101 - notes go another way
        kind = conversation.kind_of(memory.title)
        (prompt, response), _ = self._protected(memory.title if kind == "prompt" else "", memory.text)
        of_turn = (memory.session, f"prompt:{memory.id}", memory.at)
        records.apply(self.store, records.turn(*of_turn, kind, privacy.shorten(prompt, conversation.PROMPT_CHARACTERS)))
        for record in self._done(memory):
            records.apply(self.store, record)
        answer = privacy.shorten(response, conversation.RESPONSE_CHARACTERS)
        records.apply(self.store, records.close(*of_turn, answer, kind=kind))
        self.turns[self._name(memory, "turn", f"prompt:{memory.id}")] = memory.id

    def _done(self, memory: Memory) -> list[dict[str, Any]]:
        """Return what the tools of a turn leave: one edit with the changed lines, a command for every other line, paths."""
        changed = [line for line in memory.lines if line.startswith(CHANGED)] if memory.files else []
        found = []
        if changed:
            found += self._used(memory, "edit", tool=row.EDIT, path=memory.files[0], diff="\n".join(changed))[:1]
        for number, line in enumerate(line for line in memory.lines if line not in changed):
            found += self._used(memory, "command", number, tool=row.COMMAND, command=line, ended_well=True)
        for read, files in ((False, memory.files), (True, memory.reads)):
            (names,), _ = self._protected("\n".join(files))
            found += [records.files(memory.session, f"prompt:{memory.id}", names, read)] if names else []
        return found

    def _used(self, memory: Memory, kind: str, number: int = 0, **known: Any) -> list[dict[str, Any]]:
        ids = {"session": memory.session, "turn": f"prompt:{memory.id}", "id": f"{kind}:{number}:{memory.id}", "at": memory.at}
        return activities.records(Activity(kind, **ids, **known), self.project, self.settings)

    def _write_note(self, memory: Memory) -> None:
        (said, files, lines), redactions = self._protected(memory.text, "\n".join(memory.files), "\n".join(memory.lines))
        said = privacy.shorten(said, notes_by_hand.MOST_CHARACTERS)
        if not (said or files or lines):
            return
        title, content = notes_by_hand.parts(said)
        records.apply(self.store, records.memory(
            memory.session, memory.at, f"note:{memory.id}", title, content, type="note", origin="user", files=files, lines=lines,
            redactions=redactions, speaker=memory.role or None,
        ))  # fmt: skip
        self._name(memory, "obs", f"note:{memory.id}")

    def _name(self, memory: Memory, kind: str, event: str) -> int:
        """Learn the row of a memory, and give it an id that is the same in every run: what is told names it, for tokens."""
        name = f"{kind}-{''.join(self.drawn.choices(row.ALPHABET, k=10))}"
        self.store.execute(f"UPDATE {kinds.of_id(name).table} SET public_id = ? WHERE event_id = ?", (name, event))
        self.names[name] = memory.id
        return int(self.store.one(f"SELECT id FROM {kinds.of_id(name).table} WHERE event_id = ?", (event,))[0])

    def _protected(self, *texts: str) -> tuple[list[str], str | None]:
        return privacy.protect([text.strip() for text in texts], self.project, self.settings)
