"""Search: from the words of a prompt to the memories that hold enough of them to be worth saying.

The terms are joined by OR, but looked up one by one, newest rows first and no further than "common" begins: that bounds
the cost at any size, tells how rare each is, and says which rows hold it. The few rows that hold the rarest are then
read and scored on all terms; FTS5's own bm25 would cost 8,000 instructions for every row that matches.
"""

import math

from ralph_mem.core import common_words, index_text, memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.store import Store

CANDIDATES = 12
# Prompt, response, context, files, lines: the weights that did best on histories of coding work, that of the context on
# conversations. Recency likewise: added to a text score of at most 1, for rows that match the text.
WEIGHTS = (2.0, 1.0, 0.3, 3.0, 0.5)
RECENCY = 0.5
RECENCY_DAYS = 7
# What a person said counts: a pinned memory comes before others that fit as well, one that misled behind all of them
# unless it fits three times better. Chosen, not measured: there is no history of such marks yet.
PINNED = 0.2
MISLED = 0.3
# bm25 with its usual constants; the length is that of an average turn, in characters.
SATURATION = 1.2
LENGTH_SHARE = 0.75
AVERAGE_LENGTH = 800
# The floor. An uncommon term stands in at most eight memories or one in fifty, and counts two, or one where it is
# ordinary English; three admit. A rare one admits alone: it stands in one memory only, or in at most three or one in 500
# if those have it in the prompt, the files or the lines. Chosen on the development sets, against counting terms alone:
# with 891 memories 7 and 16 % of what another project and a chat had asked were let through instead of 25 and 35 %, none
# of twenty everyday prompts instead of three, and 59 % of the project's own prompts instead of 61 %. With 5 to 60
# memories 6, 12 and 1 % instead of 37, 19 and 24 %; that costs more there: 52 % of the own prompts instead of 82 %.
RARE, RARE_SHARE = 3, 500
UNCOMMON, UNCOMMON_SHARE = 8, 50
MOST_POSTINGS = 500  # a quarter of a millisecond
FULL, HALF, ENOUGH = 2, 1, 3
ANYWHERE, TELLING = "title body files lines", "title files lines"
DAY_MS = 86_400_000

# Words that every project is full of: they order, but they are no evidence that a memory is meant.
# A string, as in common_words: a set would be built anew for every prompt.
WEAK = (
    " add answer api app application args argument available avoid bash behavior best better big bin block branch broke"
    " broken bug build call case cause change check choose class clean clear cli cmake code com command comment commit"
    " compare config confirm content correct correctly create css csv current data debug default delete dependency describe"
    " detail dev different dir directly directory doc docker documentation edit empty enable end ensure env error exactly"
    " example exist explain fail false feature field file find first fix flag folder following format found full function"
    " git github golang handle happen help history html http https idea implement implementation import improve include info"
    " input install int internal issue item java javascript job json keep key last level lib library line linux list load"
    " local log logic long look macos main master merge message method missing model module move multiple name new node none"
    " npm null number object old open option org output package page parameter part pass passing path pattern piece pip"
    " place plan point practice print problem process program project properly pull push pytest python question quick ran"
    " read readme real reason recommend refactor reference relevant remove rename replace repo repository request result"
    " return review root run rust save script second section send separate server service session sessions set setting setup"
    " shell short show similar simple size skip small source specific sql src start state status step string structure"
    " suggest summary support sure system task tell test tests text thing think three time title tmp today together toml"
    " tool top true try turn two type typescript understand unit unused update url usage user usr value variable venv verify"
    " version view warning whole windows work world write written wrong wrote www xml yaml yesterday "
)
SUFFIXES = ("s", "es", "ed", "d", "ing", "er", "ly")


class Hit:
    """A memory that answers a query.

    `values` is its row, as `memories.load` returns it. `evidence` is what the terms count that it holds outside its
    context; `admitted` says whether that is enough.
    """

    __slots__ = ("admitted", "evidence", "score", "values")

    def __init__(self, values: "tuple[Any, ...]", score: float, evidence: int, admitted: bool) -> None:
        self.values = values
        self.score = score
        self.evidence = evidence
        self.admitted = admitted


def hits(store: "Store", query: str, now: int) -> "list[Hit]":
    """Return the memories that a prompt may mean, best first; those below the floor come last, not admitted.

    `now` is in milliseconds; it only orders.
    """
    wanted = index_text.terms(query)
    strong = [term for term in wanted if not is_weak(term)]
    total = store.one("SELECT max(id) FROM memories")[0] or 0
    found = holders(store, strong, total) if strong and total else {}
    if not found:
        return []
    rarity = {term: math.log(1 + total / (len(rows) + 0.5)) for term, rows in found.items()}
    evidence = _evidence(store, found, rarity, total)
    chosen = sorted(evidence, key=lambda row: (evidence[row][1], evidence[row][2], int(row)), reverse=True)[:CANDIDATES]
    # a word that is everywhere, or weak, tells less than any uncommon one
    weights = {**dict.fromkeys(wanted, 0.5 * min(rarity.values())), **rarity}
    return _ranked(memories.load(store, chosen), weights, evidence, now)


def is_weak(term: str) -> bool:
    """Say whether a word is too ordinary in any project to show that a memory is meant."""
    if len(term) < 3 and term.isascii():
        return True
    return any([f" {form} " in WEAK or common_words.is_common(form) for form in _forms(term)])


def _is_ordinary(term: str) -> bool:
    return any([common_words.is_ordinary(form) for form in _forms(term)])


def _forms(term: str) -> "list[str]":
    """Return a word and what it may come from: tests, tested and testing from test, running from run, used from use."""
    found = [term]
    for suffix in SUFFIXES:
        if term.endswith(suffix):
            stem = term[: -len(suffix)]
            found += [stem, stem + "e"] + ([stem[:-1]] if stem[-1:] == stem[-2:-1] else [])
    return found


def holders(store: "Store", strong: "list[str]", total: int) -> "dict[str, list[str]]":
    """Return the numbers of the memories that hold each uncommon term outside their context, newest first."""
    most = min(max(UNCOMMON, total // UNCOMMON_SHARE), MOST_POSTINGS)
    found = {term: _holding(store, term, ANYWHERE, most + 1) for term in strong}
    return {term: rows for term, rows in found.items() if 0 < len(rows) <= most}


def _holding(store: "Store", term: str, columns: str, limit: int) -> "list[str]":
    # in one string: a row of its own for each number would cost ten times as much
    (numbers,) = store.one(
        "SELECT group_concat(rowid) FROM (SELECT rowid FROM memory_fts WHERE memory_fts MATCH ? ORDER BY rowid DESC LIMIT ?)",
        (f"{{{columns}}} : {quoted(term)}", limit),
    )
    return numbers.split(",") if numbers else []


def _telling(store: "Store", term: str, rows: "list[str]", rare: int) -> "list[str]":
    """Return the rows for which a term is evidence enough by itself."""
    if len(rows) == 1:
        return rows
    return _holding(store, term, TELLING, rare) if len(rows) <= rare else []


def quoted(term: str) -> str:
    """Return a term as FTS5 reads it, whatever is in it."""
    return '"' + term.replace('"', '""') + '"'


def _evidence(
    store: "Store", found: "dict[str, list[str]]", rarity: "dict[str, float]", total: int
) -> "dict[str, tuple[int, bool, float]]":
    """Return for each row how much the uncommon terms count that it holds, whether that is enough, and how rare they
    are together.
    """
    rare = max(RARE, total // RARE_SHARE)
    held: dict[str, tuple[int, bool, float]] = {}
    for term, rows in found.items():
        value = HALF if _is_ordinary(term) else FULL
        telling = _telling(store, term, rows, rare) if value == FULL else []
        for number in rows:
            count, enough, weight = held.get(number, (0, False, 0.0))
            enough = enough or count + value >= ENOUGH or number in telling
            held[number] = (count + value, enough, weight + rarity[term])
    return held


def _ranked(
    rows: "list[tuple[Any, ...]]", weights: "dict[str, float]", evidence: "dict[str, tuple[int, bool, float]]", now: int
) -> "list[Hit]":
    roots = [(root_of(term), weight) for term, weight in weights.items()]
    scores = [text_score(row, roots) for row in rows]
    best = max(scores, default=0.0) or 1.0
    found = []
    for row, score in zip(rows, scores):
        count, enough, _ = evidence[str(row[0])]
        age = max(0.0, (now - row[memories.CREATED_AT]) / DAY_MS)
        whole = score / best + RECENCY / (1 + age / RECENCY_DAYS)
        if row[memories.PINNED] or row[memories.MISLED]:
            # what misled must be meant twice as clearly
            enough = enough and (not row[memories.MISLED] or count >= ENOUGH * (1 + row[memories.MISLED]))
            whole = marked(whole, *row[memories.PINNED :])
        found.append(Hit(row, whole, count, enough))
    found.sort(key=lambda hit: (not hit.admitted, -hit.score))
    return found


def marked(score: float, pinned: int, misled: int) -> float:
    """Return a score with what the person said about the memory."""
    return float((score + (PINNED if pinned else 0.0)) * MISLED**misled)


def text_score(row: "tuple[Any, ...]", roots: "list[tuple[str, float]]") -> float:
    """Score a memory on all terms, a term in a weighty column counting as often as that column weighs."""
    texts = [text.lower() for text in row[memories.TEXTS]]
    length = 1 - LENGTH_SHARE + LENGTH_SHARE * sum([len(text) for text in texts]) / AVERAGE_LENGTH
    score = 0.0
    for root, weight in roots:
        often = sum([share * text.count(root) for share, text in zip(WEIGHTS, texts)])
        score += weight * often * (SATURATION + 1) / (often + SATURATION * length)
    return score


def root_of(term: str) -> str:
    """Cut the ending that the index does not see either, roughly: the rows are already the right ones."""
    return term[:-1] if len(term) > 4 and term[-1] in "sey" else term[:-3] if len(term) > 6 and term.endswith("ing") else term
