"""Tell in order what happened to facts, from the rows that say so; nothing of it is stored twice."""

from ralph_mem.memory.facts import playbook
from ralph_mem.memory.rows import facts, uses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# One `loaded` for each time that the memory was asked, with the number of its receipt; `injected` for each fact that was told then.
WORDS = LOADED, INJECTED, ADDED, REINFORCED, MERGED, RETIRED = (
    "loaded", "injected", "added", "reinforced", "merged", "retired",
)  # fmt: skip


def events(store: "Store") -> "list[dict[str, Any]]":
    """Return what happened, oldest first: `at` in ms, `event` as one of `WORDS`, the id of the fact, or the receipt's number."""
    if not facts.are_there(store):
        return []
    found = [{"at": at, "event": LOADED, "receipt": receipt, "told": told} for receipt, at, told in uses.loaded(store)]
    found += [{"at": at, "event": INJECTED, "id": name, "receipt": receipt} for receipt, at, name in uses.injected(store)]
    for fact in facts.read(store):
        told = {"id": fact.public_id, "kind": fact.kind, "text": playbook.preview(fact.text)}
        found.append({"at": fact.recorded_at, "event": ADDED, **told})
        if fact.touched_at:
            counts = {"helpful": fact.helpful, "harmful": fact.harmful}
            found.append({"at": fact.touched_at, "event": REINFORCED, **told, **counts})
        if fact.retired_at and fact.status == facts.RETIRED:
            found.append({"at": fact.retired_at, "event": RETIRED, **told, "why": fact.retired_why or "by hand"})
    for one, other, kind, score, _, at in facts.links(store):
        if kind in (facts.SUPERSEDES, facts.SAME):
            found.append({"at": at, "event": MERGED, "id": one, "with": other, "likeness": round(score, 4)})
    return sorted(found, key=lambda each: (each["at"], WORDS.index(each["event"])))
