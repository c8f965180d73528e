"""Write facts that the log proves, and write them anew as the log goes on."""

import posix

from ralph_mem.core import fast
from ralph_mem.memory.rows import existing, facts, records, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.store.connection import Store

# What a person took away stays away; what stands in the project's instructions is told by them.
NOT_OURS = (facts.REJECTED, facts.RETIRED, facts.EXPORTED)
GONE = "no longer so"  # why we retired a fact, where nobody else did


class Finding:
    """What was found in the log: the key by which it is known again, the statement, its proof in words, and the time in ms.

    `metadata` is what the finder needs to know again, `anchors` are the paths that the statement names, `sources` the ids of the
    turns and observations that prove it.
    """

    __slots__ = ("anchors", "at", "key", "metadata", "proof", "sources", "text")

    def __init__(
        self, key: str, text: str, proof: str, at: int, metadata: "dict[str, Any]", anchors: "tuple[str, ...]" = ()
    ) -> None:
        self.key, self.text, self.proof, self.at, self.metadata, self.anchors = key, text, proof, at, metadata, anchors
        self.sources: list[str] = []


def there(store: "Store", kind: str) -> "dict[str, Fact]":
    """Return the facts of a kind that this memory's log proved, or proposed where they are patterns, by their keys.

    A command or a place that came with an import is none of them: its source is a proposal, whatever it says of itself.
    """
    source = facts.PROPOSAL if kind == facts.PATTERN else facts.RAN
    found = facts.read(store, "WHERE f.kind = ? AND f.source = ? ORDER BY o.id", (kind, source))
    return {fact.text_key: fact for fact in found}


def add(store: "Store", kind: str, found: Finding, status: str, at: int) -> "Fact":
    """Store a finding as a fact; one that is active was proved, every other is a proposal. In the caller's transaction."""
    facts.make(store)
    event = f"fact:{posix.urandom(8).hex()}"
    records.apply(store, records.observation(
        facts.SESSION, at, event, found.text, found.proof, type=facts.TYPE, metadata=fast.dumps(found.metadata), origin="test",
    ))  # fmt: skip
    number, name = facts.stored(store, event)
    facts.add(store, number, {
        "kind": kind, "status": status, "source": facts.PROPOSAL if status == facts.CANDIDATE else facts.RAN, "text_key": found.key,
        "said_at": found.at, "recorded_at": at, "anchors": [{"path": path} for path in found.anchors],
    })  # fmt: skip
    known = facts.of_id(store, name)
    assert known is not None  # noqa: S101 - it was written in the lines above
    return known


def write(store: "Store", kind: str, status: str, found: "Iterable[Finding]", at: int) -> "dict[str, Fact]":
    """Store findings as facts of a status or write them anew, with what proves them; returns those known before, by their keys.

    What somebody took away stays so, unless it was us. In the caller's transaction; the same again changes nothing.
    """
    known = there(store, kind)
    for finding in found:
        fact = known.get(finding.key)
        if fact is None:
            fact = add(store, kind, finding, status, at)
        elif fact.status not in NOT_OURS or fact.retired_why == GONE:
            rewrite(store, fact, finding, fact.metadata.get("said", ""))
            if fact.status == facts.RETIRED:
                facts.hold(store, fact.number, status)
        for source in finding.sources:
            facts.sight(store, fact.public_id, source)
    return known


def rewrite(store: "Store", fact: "Fact", found: Finding, was: str) -> None:
    """Let a fact say what is found now; one whose statement is not what it `was`, as a person corrected it, keeps its words."""
    texts = {"metadata": fast.dumps(found.metadata), "content": found.proof}
    if fact.text == was:
        texts["title"] = found.text
    existing.replace(store, row.OBSERVATION, fact.number, texts)
    facts.change(store, fact.number, {"said_at": found.at})
