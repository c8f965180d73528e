"""Order memories as answers to a query, with all weights in one table.

A row's score is its text score, the best one's being 1, and what the meaning, the day, the files and the person add.
The rows are those of `memory_index.load`.
"""

from ralph_mem.memory.rows import index_text, query_text, reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The weights. Chosen on the development halves of three public sets (questions about long chats; subjects of commits that
# cite earlier ones; prompts of coding sessions), each by one pass over its neighbours: 5,882 turns of LoCoMo, 1,847
# commits of curl, 891 turns of coding sessions. A weight that stands between the best values of two sets is marked.
# Prompt, answer, context, files, lines of a turn; a note has no prompt, and says in a line what a turn says in an answer.
OF_TURN = (2.0, 1.0, 0.3, 3.0, 0.5)  # curl and coding sessions
OF_NOTE = (1.0, 1.0, 0.5, 3.0, 0.5)  # LoCoMo; files and lines as for turns
# bm25: a second mention counts 0.7 of the first one. Long rows are hardly put behind: 0.3 did best on all three sets,
# against the usual 0.75. The length is an average turn's, in characters.
SATURATION, LENGTH_SHARE, AVERAGE_LENGTH = 1.2, 0.3, 800
# Added to a row that matches the text, RECENCY / (1 + age). A week is an age of one, and so are forty memories where that is less:
# in a project with a commit a day last month's work is still the newest. Curl has its best value at 0.6, coding sessions at 1.0;
# libuv, with one a day, gains ten points of recall by the forty, flat from 30 to 60, and the others lose none.
RECENCY, RECENCY_DAYS, RECENCY_MEMORIES = 0.7, 7, 40
# What was noted does not age: recency takes 2 to 8 points off on LoCoMo. A note counts as a turn that is a week old.
NOTE_RECENCY = RECENCY / 2
# Added to a row of the time that a query names: LoCoMo gains a point of recall at ten and two at one, flat from 0.4 to 1.5.
IN_TIME = 0.6
# Added for a file shared with one of the five best, unless a quarter of the candidates name it: coding sessions.
SHARED_FILES, BEST, RARE_FILE_SHARE, RARE_FILES = 0.3, 5, 0.25, 3
# The share that meaning has in the text score. LoCoMo is flat from 0.3 to 0.5 and gains 3 points of recall; commits and
# coding sessions gain half a point at 0.1, and lose from 0.3 on.
MEANING_OF_TURN, MEANING_OF_NOTE = 0.1, 0.4
SPEAKER = 1.5  # times, for a note whose speaker the query names: LoCoMo, flat from 1.3 to 1.8
QUESTION = 0.7  # times, for a note that only asks: LoCoMo, flat from 0.6 to 0.8
UNANSWERED = 0.5  # times, for a turn with neither answer nor files nor commands. Chosen, not measured
# What a person said counts: a pinned memory comes before others that fit as well, one that misled behind all of them
# unless it fits three times better. Chosen, not measured: there is no history of such marks yet.
PINNED, MISLED = 0.2, 0.3
DAY_MS = 86_400_000


def scores(
    rows: "list[tuple[Any, ...]]",
    weights: "dict[str, float]",
    named: "set[str]",
    now: int,
    newest: int,
    meaning: "dict[int, float] | None" = None,
    span: "tuple[int, int] | None" = None,
) -> "list[float]":
    """Return the score of each row for a query.

    `weights` says what each term counts, `named` are the query's words as written, `now` is in milliseconds, `newest` the number
    of the newest row, `meaning` how near each row comes, from 0 to 1, where embeddings are set up, and `span` the time in ms that
    the query names.
    """
    return dated(rows, undated(rows, text_scores(rows, weights), named, meaning), now, newest, span)


def text_scores(rows: "list[tuple[Any, ...]]", weights: "dict[str, float]") -> "list[float]":
    """Return what the words alone say for each row."""
    roots = [(root_of(term), weight) for term, weight in weights.items()]
    return [text_score(row, roots) for row in rows]


def undated(
    rows: "list[tuple[Any, ...]]", texts: "list[float]", named: "set[str]", meaning: "dict[int, float] | None" = None
) -> "list[float]":
    """Return the scores before the day, the files and the marks count: the best text score is 1."""
    best = max(texts, default=0.0) or 1.0
    found = [score / best for score in texts]
    if meaning:
        found = [_with_meaning(row, score, meaning.get(row[0], 0.0)) for row, score in zip(rows, found)]
    return [score * _prior(row, named) for row, score in zip(rows, found)]


def dated(
    rows: "list[tuple[Any, ...]]", found: "list[float]", now: int, newest: int, span: "tuple[int, int] | None" = None
) -> "list[float]":
    """Return scores with what the age, the time that the query names, the files and the marks of each row make of them."""
    found = [score + _recency(row, now, newest) for row, score in zip(rows, found)]
    if span:
        found = [score + IN_TIME * (span[0] <= row[reading.CREATED_AT] < span[1]) for row, score in zip(rows, found)]
    shared = _shared_files(rows, found)
    return [marked(score + more, *row[reading.MARKS]) for row, score, more in zip(rows, found, shared)]


def _with_meaning(row: "tuple[Any, ...]", score: float, meaning: float) -> float:
    share = MEANING_OF_TURN if is_turn(row) else MEANING_OF_NOTE
    return (1 - share) * score + share * meaning


def text_score(row: "tuple[Any, ...]", roots: "list[tuple[str, float]]") -> float:
    """Score a memory on all terms, a term in a weighty column counting as often as that column weighs."""
    shares = OF_TURN if is_turn(row) else OF_NOTE
    whole = index_text.plain("\0".join(row[reading.INDEXED]))
    texts = [each for each in zip(shares, whole.split("\0")) if each[1]]
    length = 1 - LENGTH_SHARE + LENGTH_SHARE * (len(whole) - len(shares) + 1) / AVERAGE_LENGTH
    score = 0.0
    for root, weight in roots:
        if root in whole:  # one look instead of five: most rows lack most of the terms
            often = 0.0
            for share, text in texts:
                often += share * text.count(root)
            score += weight * often * (SATURATION + 1) / (often + SATURATION * length)
    return score


def most_of_text(weight: float) -> float:
    """Return what a row's text score comes near to that says all terms of so much weight again and again."""
    return weight * (SATURATION + 1)


def root_of(term: str) -> str:
    """Cut the ending that the index does not see either, roughly: the rows are already the right ones.

    Of nouns in -ion only those in -ation: with connect for connection .289 of libuv's prompts are answered instead of .303.
    """
    if not term.isascii():
        term = index_text.plain(term)
        if not term.isascii():
            return query_text.stem_of(term)
    if len(term) > 8 and term.endswith(("ation", "ations")):  # migrations, as migrate
        return term[: term.rindex("ion")]
    if len(term) > 4 and term[-1] in "sey":
        if len(term) > 6 and term.endswith("ies"):  # libraries, as library
            return term[:-3]
        return term[:-2] if term.endswith(("sses", "xes", "ches", "shes")) else term[:-1]
    return term[:-3] if len(term) > 6 and term.endswith("ing") else term[:-2] if len(term) > 5 and term.endswith("ed") else term


def is_turn(row: "tuple[Any, ...]") -> bool:
    """Say whether a row is a turn, and not a note or a summary."""
    return bool(row[1][:5] == "turn-")


def _prior(row: "tuple[Any, ...]", named: "set[str]") -> float:
    """Return what the kind of a row, and who said it, make of its text score."""
    title, body, _, files, lines = row[reading.INDEXED]
    if is_turn(row):
        return 1.0 if body or files or lines else UNANSWERED
    speaker = row[reading.SPEAKER]
    asks = (body or title).rstrip()[-1:] in ("?", "\uff1f")
    return (QUESTION if asks else 1.0) * (SPEAKER if speaker and named.issuperset(speaker.lower().split()) else 1.0)


def _recency(row: "tuple[Any, ...]", now: int, newest: int) -> float:
    return recency(row[reading.CREATED_AT], now, newest - row[0]) if is_turn(row) else NOTE_RECENCY


def recency(at: int, now: int, since: int) -> float:
    """Return what the age of a turn adds to its score; times are in milliseconds, and `since` says how many memories came after."""
    return RECENCY / (1 + max(0.0, min((now - at) / DAY_MS / RECENCY_DAYS, since / RECENCY_MEMORIES)))


def _shared_files(rows: "list[tuple[Any, ...]]", found: "list[float]") -> "list[float]":
    """Return for each row what it gets for the rare files that it shares with the best ones."""
    files = [row[reading.FILES].split("\n") if row[reading.FILES] else [] for row in rows]
    named: dict[str, int] = {}
    for paths in files:
        for path in paths:
            named[path] = named.get(path, 0) + 1
    most = max(RARE_FILES, RARE_FILE_SHARE * len(rows))
    order = sorted(range(len(rows)), key=lambda at: -found[at])[:BEST]
    worth: dict[str, float] = {}
    for at in order:
        for path in files[at]:
            if path and named[path] <= most:
                worth[path] = max(worth.get(path, 0.0), found[at] / found[order[0]])
    return [SHARED_FILES * max([worth.get(path, 0.0) for path in paths], default=0.0) for paths in files]


def marked(score: float, pinned: int, misled: int) -> float:
    """Return a score with what the person said about the memory."""
    return float((score + (PINNED if pinned else 0.0)) * MISLED**misled)
