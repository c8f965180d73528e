"""Say by embeddings, where they are set up, how near each memory comes to a query."""

from ralph_mem.core import paths
from ralph_mem.memory.rows import reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.recall.embeddings_client import Sense
    from ralph_mem.memory.store.connection import Store

# The small table beside the model: on LoCoMo 0.3 to 0.5 of it do best, two points of recall more than the model alone.
TABLE_SHARE = 0.3
# Where no worker answers, the table alone counts less: 0.25 of a note's score did best there against 0.4 with the model.
TABLE_ALONE = 0.6

# How near a memory has to come to be found without a word of a search. To ten queries about nothing that is there the nearest of
# coding sessions comes to 0.2 at the middle and 0.29 at most, of libuv to 0.24 and 0.32; what answers a query lies above 0.28 in
# three of four. Of the hundred hits for these ten 17 stay, and sessions have as good a recall at ten with any from 0.2 to 0.35.
LEAST = 0.25


def sense() -> "Sense | None":
    """Return what tells meaning for a search, which waits for the worker, or None where no embeddings are set up."""
    if not paths.exists(paths.data_home() + paths.MODEL):
        return None
    # nobody else needs it
    from ralph_mem.memory.recall import embeddings_client  # lazy: only where embeddings are set up

    return embeddings_client.open_sense(embeddings_client.SEARCH_S)


def near(
    sense: "Sense", store: "Store", query: str, rows: "list[tuple[Any, ...]]", table_alone: bool = True
) -> "tuple[dict[int, float], dict[int, float]]":
    """Return the cosines of the memories nearest to a query, at most a hundred, which need not share a word with it, and by
    the small table those of `rows` and of the nearest. Where no worker answers there is the table, unless it shall not count alone.
    """
    asked = without_speakers(query, rows)
    nearest = sense.near(store, asked)
    if not nearest and not table_alone:
        return {}, {}
    numbers = list(dict.fromkeys([row[0] for row in rows] + list(nearest)))
    return nearest, sense.alike(store, asked, numbers)


def add_nearest(
    sense: "Sense", store: "Store", query: str, rows: "list[tuple[Any, ...]]", own: "list[str]", most: int
) -> "tuple[dict[int, float], dict[int, float]]":
    """Add the nearest rows, so many at most, which need no word in common and are none of the session's `own`.

    Returns the cosines of the nearest memories, and how near all come. Where no worker answers there are none: the small table
    alone says too little to admit anything.
    """
    nearest, alike = near(sense, store, query, rows, table_alone=False)
    nearest = {number: cosine for number, cosine in nearest.items() if str(number) not in own}
    known = {row[0] for row in rows}
    rows += reading.load_rows(store, [str(number) for number in list(nearest)[:most] if number not in known])
    return nearest, values(nearest, alike)


def values(nearest: "dict[int, float]", alike: "dict[int, float]") -> "dict[int, float]":
    """Return for each memory how near it comes, from 0 to 1: max-norm above the hundredth one, or above the mean."""
    by_table = _scaled(alike, sum(alike.values()) / len(alike) if alike else 0.0)
    if not nearest:
        return {number: TABLE_ALONE * value for number, value in by_table.items()}
    found = {number: (1 - TABLE_SHARE) * value for number, value in _scaled(nearest, min(nearest.values())).items()}
    for number, value in by_table.items():
        found[number] = found.get(number, 0.0) + TABLE_SHARE * value
    return found


def _scaled(cosines: "dict[int, float]", low: float) -> "dict[int, float]":
    top = max(cosines.values(), default=low)
    return {number: max(0.0, cosine - low) / (top - low) for number, cosine in cosines.items()} if top > low else {}


def without_speakers(query: str, rows: "list[tuple[Any, ...]]") -> str:
    """Return a query without the names of those who said the rows: a vector would be about the person, and they are matched
    by name already. On LoCoMo the model alone finds 0.63 instead of 0.51 among the first ten.
    """
    names = {part for row in rows for part in (row[reading.SPEAKER] or "").lower().split()}
    kept = [word for word in query.split() if _bare(word) not in names]
    return " ".join(kept) if names and kept else query


def _bare(word: str) -> str:
    word = word.lower().strip(".,:;!?\"'()")
    return word[:-2] if word.endswith(("'s", "\u2019s")) else word
