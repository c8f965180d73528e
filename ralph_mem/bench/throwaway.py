"""Throwaway: a memory that is gone afterwards, filled from a history as the hooks would have filled it."""

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ralph_mem import corrections, recall
from ralph_mem.bench.histories import Memory
from ralph_mem.core import adoption, capture, privacy, records, redact, row, settings, turns
from ralph_mem.core.event import Event
from ralph_mem.core.project import Project

if TYPE_CHECKING:
    from typing_extensions import Self

AGENT = "bench"
# What UserPromptSubmit and Stop keep.
PROMPT_CHARACTERS = RESPONSE_CHARACTERS = 4000
RENAME = {
    "turn": "UPDATE turns SET public_id = ? WHERE event_id = ?",
    "obs": "UPDATE observations SET public_id = ? WHERE event_id = ?",
}
NUMBER = {"turn": "SELECT id FROM turns WHERE event_id = ?", "obs": "SELECT id FROM observations WHERE event_id = ?"}
CHANGED = ("+", "-")


class Throwaway:
    """The memory of one history, as a context manager: a project in a temporary folder, with the default settings.

    `names` leads from the public id of a memory to its id in the history, for turns by `turns` from their row number too.
    """

    def __init__(self) -> None:
        self.settings = dict(settings.DEFAULTS)
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
            self.store = adoption.open_ready(self.project)
        except BaseException:
            self.folder.cleanup()
            raise
        self.reader = recall.Reader([self.store], self.project, self.settings)
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

    def name_of(self, found: recall.Row) -> str:
        """Return the id in the history of what a row belongs to: a note, or the turn in which something was run."""
        return self.names.get(found.public_id) or self.turns.get(found.turn, "")

    def _enter(self, memory: Memory) -> None:
        """Begin the session of a memory, and end the one before."""
        if memory.session == self.session:
            return
        if self.session:
            records.apply(self.store, {"verb": "end", "session": self.session, "at": memory.at, "reason": "other"})
        source = "resume" if memory.session in self.sessions else "startup"
        record = {"verb": "session", "session": memory.session, "project": self.project.root, "source": source, "agent": AGENT}
        records.apply(self.store, {**record, "at": memory.at})
        self.sessions.add(memory.session)
        self.session = memory.session

    def _write_turn(self, memory: Memory) -> None:
        """Store a prompt, what was done about it, and the answer."""
        assert memory.title is not None  # noqa: S101 - notes go another way
        kind = turns.kind_of(memory.title)
        (prompt, response), _ = self._protected(memory.title if kind == "prompt" else "", memory.text)
        turn = {
            "session": memory.session, "turn": f"prompt:{memory.id}", "at": memory.at, "kind": kind, "origin": "user",
            "branch": None, "commit_id": None, "redactions": None, "redaction_version": redact.RULES_VERSION,
        }  # fmt: skip
        records.apply(self.store, {"verb": "turn", **turn, "prompt": privacy.shorten(prompt, PROMPT_CHARACTERS)})
        for record in self._done(memory):
            records.apply(self.store, record)
        answer = privacy.shorten(response, RESPONSE_CHARACTERS)
        records.apply(self.store, {"verb": "close", **turn, "prompt": "", "response": answer, "status": "stopped"})
        self.turns[self._name(memory, "turn", f"prompt:{memory.id}")] = memory.id

    def _done(self, memory: Memory) -> list[dict[str, Any]]:
        """Return what the tools of a turn leave: one edit with the changed lines, a command for every other line, paths."""
        changed = [line for line in memory.lines if line.startswith(CHANGED)] if memory.files else []
        found = []
        if changed:
            found.append(self._used(memory, "Edit", {"file_path": memory.files[0]}, {"structuredPatch": [{"lines": changed}]}))
        for number, line in enumerate(line for line in memory.lines if line not in changed):
            found.append(self._used(memory, "Bash", {"command": line}, {"stdout": ""}, number))
        for read, files in ((False, memory.files), (True, memory.reads)):
            (names,), _ = self._protected("\n".join(files))
            where = {"session": memory.session, "turn": f"prompt:{memory.id}"}
            found += [{"verb": "files", **where, "read": read, "files": names}] if names else []
        return [record for record in found if record]

    def _used(
        self, memory: Memory, tool: str, given: dict[str, str], response: dict[str, Any], number: int = 0
    ) -> dict[str, Any] | None:
        fields = {"session_id": memory.session, "prompt_id": memory.id, "tool_use_id": f"{tool}:{number}:{memory.id}"}
        event = Event("post-tool-use", {**fields, "tool_name": tool, "tool_input": given, "tool_response": response})
        event.at = memory.at
        return capture.observation(event, self.project, self.settings)

    def _write_note(self, memory: Memory) -> None:
        (said, files, lines), redactions = self._protected(memory.text, "\n".join(memory.files), "\n".join(memory.lines))
        said = privacy.shorten(said, corrections.MOST_CHARACTERS)
        if not (said or files or lines):
            return
        title, content = corrections.parts(said)
        records.apply(self.store, {
            "verb": "memory", "session": memory.session, "turn": "", "at": memory.at, "event_id": f"note:{memory.id}",
            "type": "note", "origin": "user", "tool_name": None, "title": title, "content": content, "files": files,
            "lines": lines, "metadata": None, "agent_id": None, "agent_type": None, "tainted": 0, "redactions": redactions,
            "redaction_version": redact.RULES_VERSION, "speaker": memory.role or None,
        })  # fmt: skip
        self._name(memory, "obs", f"note:{memory.id}")

    def _name(self, memory: Memory, kind: str, event: str) -> int:
        """Learn the row of a memory, and give it an id that is the same in every run: what is told names it, for tokens."""
        name = f"{kind}-{''.join(self.drawn.choices(row.ALPHABET, k=10))}"
        self.store.execute(RENAME[kind], (name, event))
        self.names[name] = memory.id
        return int(self.store.one(NUMBER[kind], (event,))[0])

    def _protected(self, *texts: str) -> tuple[list[str], str | None]:
        return privacy.protect([text.strip() for text in texts], self.project, self.settings)
