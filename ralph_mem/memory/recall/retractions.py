"""Find the later prompts by which a person took back what a turn says that is about to be told.

Such a prompt seldom shares a word with what is asked: `what state library do we use?` finds `let's use zustand for state`, and not
`scrap zustand, go back to context`. It has to name the same thing, by a word that is rare here and in English.
"""

from ralph_mem.memory.recall import candidates, features, ranking, search
from ralph_mem.memory.rows import index_text, prompts, query_text, reading, turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.recall.search import Hit
    from ralph_mem.memory.store.connection import Store

SEQ, PROMPT = 3, 6
# How many rows may hold a word that is rare here, and in a large memory which share of them: what half of all turns are about is
# named by too many of them.
FEW_ROWS, FEW_OF_ALL = 20, 0.05
# What stands before a thing that is wanted after all, or behind it.
WANTING, WANTED = frozenset("use using keep bring install add to".split()), frozenset("again back stays after".split())
UNWANTING = frozenset("not don't dont t never stop stopped without avoid longer".split())  # within three words before it
ENDS = (". ", "! ", "? ", "; ")


def with_retractions(store: "Store", found: "list[Hit]", window: "tuple[int, int]") -> "list[Hit]":
    """Return hits, and before each turn among those that are admitted the newest prompt that took back what that names.

    What happened in the `window` that asks, of a session since a place in its order, is known there.
    """
    told = [hit for hit in found if hit.admitted and hit.values[2] >= 0 and ranking.is_turn(hit.values)]
    if not told:
        return found
    first = min([hit.values[SEQ] for hit in told])
    later = prompts.said_in_turns(store, store.property(turns.TAKING_BACK).split(","), turns.READ_CHARACTERS, first, window)
    for hit in told:
        number = _taken_back_by(store, hit.values, later)
        found = _put_before(store, found, hit, number) if number else found
    return found


def _taken_back_by(store: "Store", values: "tuple[Any, ...]", later: "list[tuple[int, int, str]]") -> int:
    """Return the number of the newest of later turns that takes back a thing that a turn names, unless one after that wants it
    again; 0 where none does.
    """
    said = values[PROMPT][: query_text.QUERY_CHARACTERS]
    rare = [word for word in query_text.words(said) if candidates.share_of(word) <= candidates.RARE]
    for number, seq, prompt in later:
        if seq > values[SEQ] and any([word in prompt for word in rare]):
            for word in _things(prompt, said):
                rows = _rows_with(store, word) if word in rare else []
                if rows:
                    return 0 if _is_back(store, word, rows, seq) else number
    return 0


def _things(prompt: str, said: str) -> "list[str]":
    """Return the words of the things that a prompt takes back, of which a text says all."""
    from ralph_mem.memory.facts import retraction_things as things  # lazy: only for a prompt that names the same

    for mark in ENDS:
        prompt = prompt.replace(mark, mark.rstrip() + "\n")
    return [word for sentence in prompt.splitlines() for word in things.words_in(said, things.of(sentence))]


def _rows_with(store: "Store", word: str) -> "list[str]":
    """Return the numbers of the memories that hold a word, if that names what few of them are about."""
    stands = candidates.read(store, search.INDEX, [word], search.ANY, search.FEWEST_POSTINGS)
    counts = candidates.counted(store, search.INDEX, stands, search.FEWEST_POSTINGS)
    return stands[word] if counts.of[word] <= max(FEW_ROWS, FEW_OF_ALL * counts.total) else []


def _is_back(store: "Store", word: str, rows: "list[str]", since: int) -> bool:
    """Say whether a prompt after a place in the order wants a thing after all."""
    return any([_wants(prompt, word) for prompt in prompts.said_in_memories(store, rows, turns.READ_CHARACTERS, since)])


def _wants(prompt: str, word: str) -> bool:
    """Say whether a prompt wants a thing, and neither asks for it nor takes it back."""
    if "?" in prompt or _things(prompt, word):
        return False
    words = ["", *index_text.split(prompt), ""]
    wanted = [at for at, each in enumerate(words) if each == word and (words[at - 1] in WANTING or words[at + 1] in WANTED)]
    return any([UNWANTING.isdisjoint(words[max(0, at - 3) : at]) for at in wanted])


def _put_before(store: "Store", found: "list[Hit]", hit: "Hit", number: int) -> "list[Hit]":
    """Return hits with a turn, by its number, before one of them: where both have no room, the later one is told."""
    values = store.one(f"{reading.TURN} WHERE t.id = ?", (number,))
    if values is None:
        return found
    there = next((each for each in found if each.values[1] == values[1]), None)
    later = there or search.Hit(values, hit.score, hit.chance, features.RETRACTION, True)
    later.admitted = True
    rest = [each for each in found if each is not there]
    at = min(rest.index(hit), found.index(there) if there else len(found))
    return [*rest[:at], later, *rest[at:]]
