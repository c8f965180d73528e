"""Find the facts that a statement may be about, where there are very many by the rarest of its words."""

from ralph_mem.memory.recall import candidates
from ralph_mem.memory.rows import fact_queries, facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.store.connection import Store

# So many are compared word by word, which takes some 50 ms; a project that writes down all its rules has half as many. Of more,
# those are looked up in the index that hold the rarest words of the statement, at a cost that does not grow with their number.
MOST = 1000
TYPES = (facts.TYPE, "note")


def of(store: "Store", statement: str, text_key: str, at: int) -> "list[Fact]":
    """Return the facts that hold, and candidates, that may be meant by a statement with a key, newest first; `at` is in ms."""
    if not fact_queries.are_more_than(store, MOST):
        return facts.of_status(store, *facts.THERE)
    terms, wanted = candidates.terms_of(statement), candidates.Wanted(types=TYPES)
    held, _ = candidates.find(store, "memory_fts", terms, at, wanted, MOST)
    waiting, _ = candidates.find(store, "observations_fts", terms, at, wanted, MOST)
    same = [str(fact.number) for fact in facts.with_key(store, text_key)]
    return fact_queries.of_numbers(store, held, waiting + same)
