"""The memory of a project for programs, by namespaces and keys, and what people and agents left in it."""

import time

from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces.library import arguments, edge, sections, tasks
from ralph_mem.interfaces.library.item import Item, Past, told
from ralph_mem.maintenance import registry
from ralph_mem.maintenance.forget import erase, select
from ralph_mem.memory import access, items, namespaces, notes_by_hand
from ralph_mem.memory.facts import taking
from ralph_mem.memory.recall import lookup, meaning
from ralph_mem.memory.rows import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Any

    Items = list[Item]
    Namespace = tuple[str, ...]
    Namespaces = list[Namespace]
    Rows = list[dict[str, Any]]
    Sections = dict[str, list[str]]

# What to give where something else was given.
WORDS = "give the words to look for"
HOW_LONG = "how long it stays, such as ttl=3600"
A_TIME = "a time since 1970, such as time.time() or datetime.timestamp()"


@edge.explained
class Memory:
    """The memory of one project, of which every call opens the files anew: nothing is held between two of them.

    Namespaces are tuples of texts. `project`, `("global",)` and `("session", ID)` are those of ralph-mem, with whatever stands
    behind these parts; every other one belongs to the program that names it. All methods raise `RalphMemError` where a memory
    cannot be opened and for an argument that is none, and those that write where recording is paused.
    """

    def __init__(self, path: "str | os.PathLike[str] | None" = None, session: str = "") -> None:
        """Mean the project that a folder belongs to, the current one by default; `session` is the id of the session at work."""
        self._place = namespaces.Place(registry.choose(arguments.path(path)))
        self._session = arguments.session(session)

    @property
    def path(self) -> str:
        """The root folder of the project."""
        return self._place.project.root

    @property
    def project(self) -> "Namespace":
        """The namespace of the project, `("project", ID)`; the memory is made where it is missing."""
        opened = self._place.read(()) or self._place.write(())
        try:
            return (namespaces.PROJECT, str(opened.property("project_id")))
        finally:
            opened.close()

    @property
    def session(self) -> "Namespace":
        """The namespace of the session at work, whose items go a day after it has ended."""
        if not self._session:
            raise RalphMemError("this memory was opened without a session", "Memory(path, session=ID)")
        return (namespaces.SESSION, self._session)

    # Values by namespace and key

    def put(
        self, namespace: "Sequence[str]", key: str, value: "Any", index: "bool | Sequence[str]" = True, ttl: "float | None" = None,
        outside: bool = False,
    ) -> Item:  # fmt: skip
        """Keep a JSON value of at most 64 KiB under a key, in place of an earlier one, and return it as it was stored.

        Secrets in it are cut out. `index` says what a search finds it by: its telling fields, fields of these names (`"$"` is all
        of it as JSON), or, with False, nothing. `ttl` is how many seconds it stays. `outside` marks text from the web and the
        like. What is indexed, is not from outside and belongs to no session may be told to the model where it fits a prompt.
        """
        expires_at = 0 if ttl is None else time.time_ns() // 1_000_000 + arguments.milliseconds(ttl, HOW_LONG)
        what = (arguments.key(key), arguments.value(value), arguments.index(index))
        return Item(items.put(self._place, self._seen(namespace), *what, expires_at, bool(outside)))

    def get(self, namespace: "Sequence[str]", key: str) -> "Item | None":
        """Return the item of a key, or None."""
        found = items.get(self._place, self._seen(namespace), arguments.key(key))
        return Item(found) if found else None

    def delete(self, namespace: "Sequence[str]", key: str) -> bool:
        """Delete the item of a key with its history; says whether it was there. `forget` takes it from backups as well."""
        return items.delete(self._place, self._seen(namespace), arguments.key(key))

    def clear_namespace(self, namespace: "Sequence[str]") -> int:
        """Delete all items of exactly one namespace; returns how many that were."""
        return items.clear(self._place, self._seen(namespace))

    def search(self, namespace_prefix: "Sequence[str]", query: str, limit: int = 5, min_score: float = 0.0) -> "Items":
        """Return the items under a prefix that answer a query, the best first, in the product's own order.

        The score orders one answer and cannot be compared between two: the item that fits the words best has 1, to which its age
        and a pin add. Items of a session are found only under its own namespace.
        """
        wanted, least = arguments.text(query, WORDS), arguments.number(min_score, "min_score=0.5")
        most = arguments.whole_number(limit, "limit=5")
        found = items.search(self._place, self._seen(namespace_prefix), wanted, most)
        return [Item(item, score) for score, item in found if score >= least and self._is_seen(item.namespace)]

    def list(self, namespace: "Sequence[str]", prefix: str = "") -> "Items":
        """Return the items of exactly one namespace whose keys begin so, in the order in which they were made."""
        start = arguments.text(prefix, "give how the keys begin")
        return [Item(item) for item in items.listed(self._place, self._seen(namespace)) if item.key.startswith(start)]

    def list_namespaces(self, prefix: "Sequence[str]" = ()) -> "Namespaces":
        """Return the namespaces that hold anything and begin with these parts."""
        found = items.namespaces(self._place, self._seen(prefix))
        return [each for each in found if self._is_seen(each)]

    def history(self, namespace: "Sequence[str]", key: str) -> "Items":
        """Return what a key held, oldest first, the present value last: at most the last ten before it."""
        found = items.get(self._place, self._seen(namespace), arguments.key(key))
        return Past.versions(found) if found else []

    def stats(self) -> "dict[str, Any]":
        """Return how many items there are, in how many namespaces and which, and the file of the project's memory."""
        counts = {name: number for name, number in items.namespaces(self._place, ()).items() if self._is_seen(name)}
        return {
            "items": sum(counts.values()), "namespaces": len(counts), "by_namespace": counts,
            "path": f"{self._place.project.folder}/memory.db",
        }  # fmt: skip

    def _seen(self, namespace: "Sequence[str]") -> "Namespace":
        """Return a namespace as a tuple. Raises RalphMemError for none, and for what another session keeps for itself."""
        names = arguments.namespace(namespace)
        if not self._is_seen(names):
            raise RalphMemError(
                "what another session keeps for itself is not seen here", "Memory(path, session=ID) is at work in it"
            )
        return names

    def _is_seen(self, names: "Namespace") -> bool:
        return names[:1] != (namespaces.SESSION,) or names[1:2] in ((), (self._session,))

    # What people and agents left

    def remember(self, text: str, everywhere: bool = False) -> str:
        """Keep a note in the words of a person, of this project or of all of them; returns its id."""
        said = arguments.text(text, "give the words of the note")
        place = self._place.of((namespaces.GLOBAL,) if everywhere else ())
        name = notes_by_hand.inject(place, self._place.project, self._place.settings, said)[0]
        with access.writing(place) as opened:
            taking.take_notes(opened, time.time_ns() // 1_000_000)
        return name

    def facts(self, *statuses: str) -> "Rows":
        """Return what holds, newest first, or the facts of other statuses: `candidate`, `superseded`, `retired`, `rejected`."""
        wanted = [arguments.one_of(facts.STATUSES, "status", status) for status in statuses] or [facts.ACTIVE]
        opened = self._place.read(())
        if opened is None:
            return []
        try:
            return [told(fact) for fact in facts.of_status(opened, *wanted)]
        finally:
            opened.close()

    def turns(self, query: str = "", limit: int = 20) -> "Rows":
        """Return prompts with their answers: those that answer a query, the best first, or the last ones, newest first.

        The answer of a turn that read text from the web is withheld, as in every search.
        """
        wanted, most = arguments.text(query, WORDS), arguments.whole_number(limit, "limit=20")
        if not access.is_there(self._place.project):
            return []
        stores = access.to_read(self._place.project)
        try:
            reader = lookup.Reader(stores[:1], self._place.project, self._place.settings)
            found = tasks.turns(reader, wanted, most, meaning.sense())
        finally:
            for opened in stores:
                opened.close()
        return [_turn(row) for row in found]

    def forget(self, *ids: str, query: str = "") -> "dict[str, Any]":
        """Delete rows for good by their ids, or all that holds a text, from backups and every other place of ours, too.

        It cannot be undone, and nobody is asked. Returns how many rows went, and what is left where.
        """
        names = [arguments.text(each, "give ids one by one, such as memory.forget(item.id)") for each in ids]
        chosen = select.Selection(names, query=arguments.text(query, "give the text that what goes holds"))
        if not (chosen.ids or chosen.query):
            raise RalphMemError("what should be forgotten?", "give ids such as item.id, or query=TEXT for all that holds a text")
        reader = lookup.Reader(access.to_change(self._place.project), self._place.project, self._place.settings)
        try:
            report = erase.forget(reader, select.plan(reader, chosen))
        finally:
            for opened in reader.stores:
                opened.close()
        return {"rows": report.removed, "clean": report.is_clean(), "pending": [list(each) for each in report.pending]}

    def as_of(self, at: float) -> Past:
        """Return what was known at a time in seconds since 1970: its facts, and what keys held then."""
        return Past(self._place, self._seen, arguments.milliseconds(at, A_TIME))

    # For a task

    def context(self, task: str, extra: str = "", **limits: "Any") -> str:
        """Return what is remembered for a task, of the session, the project and all projects, as a text for a model.

        It is empty where nothing is likely enough to be meant. `limits` are those of `tasks.Limits`: `format`, `max_skills`,
        `max_short_term`, `min_score`, `include_scores`, `tokens`.
        """
        wanted = [arguments.text(each, "give what is to be done in words") for each in (task, extra)]
        return tasks.context(self._place, self._session, "\n".join(wanted).strip(), tasks.Limits(self._place.settings, **limits))

    def sections(self, **tokens: int) -> "Sections":
        """Return what is held in one call, each sort within its own tokens: `core`, `facts`, `episodes`, `patterns`, `relations`.

        None of the texts is cut. A number of tokens by the name of a sort changes what it may cost.
        """
        budgets = sections.budgets(tokens)
        opened = self._place.read(())
        if opened is None:
            return {name: [] for name in budgets}
        try:
            return sections.of(opened, self._place, budgets)
        finally:
            opened.close()

    def with_context(self, prompt: str, task: str = "", **limits: "Any") -> str:
        """Return a prompt with what is remembered behind it, or the prompt itself where there is nothing.

        What is looked for is the task, or the first 500 characters of the prompt where none is given.
        """
        said = arguments.text(prompt, "give the prompt in words")
        found = self.context(task or said[: tasks.PROMPT_CHARACTERS], **limits)
        return f"{said}\n\n{found}" if found else said


def _turn(row: "lookup.Row") -> "dict[str, Any]":
    return {
        "id": row.public_id, "at": row.at, "prompt": row.asked, "answer": row.said, "files": row.files.splitlines(),
        "score": row.score, "tainted": bool(row.tainted),
    }  # fmt: skip
