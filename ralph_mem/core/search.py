"""Search: from the words of a prompt to the memories that hold enough of them to be worth saying.

The terms are joined by OR, but looked up one by one, newest rows first and no further than "common" begins: that bounds
the cost at any size, tells how rare each is, and says which rows hold it. The few rows that hold the rarest are then
read and scored on all terms; FTS5's own bm25 would cost 8,000 instructions for every row that matches.
"""

import math

from ralph_mem.core import index_text, memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.store import Store

QUERY_CHARACTERS = 1000
MOST_TERMS = 32
CANDIDATES = 12
# Prompt, response, context, files, lines: the weights that did best on histories of coding work, that of the context on
# conversations. Recency likewise: added to a text score of at most 1, for rows that match the text.
WEIGHTS = (2.0, 1.0, 0.3, 3.0, 0.5)
RECENCY = 0.5
RECENCY_DAYS = 7
# bm25 with its usual constants; the length is that of an average turn, in characters.
SATURATION = 1.2
LENGTH_SHARE = 0.75
AVERAGE_LENGTH = 800
# The floor. A rare term stands in at most three memories or one in 500, an uncommon one in at most eight or one in
# fifty; five hundred postings are a quarter of a millisecond.
RARE, RARE_SHARE = 3, 500
UNCOMMON, UNCOMMON_SHARE = 8, 50
MOST_POSTINGS = 500
DAY_MS = 86_400_000

STOPWORDS = frozenset(
    "a about above after again all also am an and any are as at be because been before being below between both but by can"
    " could did do does doing done down during each either else even ever every few for from further get gets getting give"
    " given go goes going gone got had has have having he her here hers him his how i if im in into is it its itself ive just"
    " know let lets like ll made make makes making many may me might more most much must my need needs no nor not now of off"
    " ok okay on once one only onto or other our ours out over own please put quite rather re really same say see seem she"
    " should shall since so some something still such take than thank thanks that the their them then there these they thing"
    " things this those through to too under until up upon us use used uses using ve very via want wants was way we well were"
    " what whats when where whether which while who whom whose why will with within without would yes yep yeah nope you your"
    " yours hi hello hey sure continue proceed ahead right cool great nice perfect good fine next again stop wait back"
    # the same for languages whose words stand alone
    " der die das und ist nicht ein eine mit für auf wie was le la les et est pas une des pour que qui el los las es un por"
    " con como para и в не на что как это по".split()
)
# Words that every project is full of: they order, but they are no evidence that a memory is meant.
WEAK = frozenset(
    "add app application bug build call change check class code command commit config create current data default delete"
    " different directory documentation doc edit error example exist explain fail file find fix folder function help idea"
    " implement import improve issue item job keep last library line list look main method module move name new number"
    " object open option output package page part path piece plan print problem program project pull push question read"
    " refactor remove rename repo repository request result return review run script second section server service set"
    " setting setup show simple small source start state step sure task tell tests test text think time today together"
    " tool try turn type understand update user value version view work world write wrong yesterday first two three better"
    " best big quick long short full whole different type string int field key api model system process thing input system"
    " feature support enable ensure include handle load save send wrote written ran broke broken happen cause reason".split()
)
SUFFIXES = ("s", "es", "ed", "d", "ing", "er", "ly")


class Hit:
    """A memory that answers a query.

    `values` is its row, as `memories.load` returns it. `evidence` counts the uncommon terms that it holds outside its
    context; `admitted` says whether they are enough.
    """

    __slots__ = ("admitted", "evidence", "score", "values")

    def __init__(self, values: "tuple[Any, ...]", score: float, evidence: int, admitted: bool) -> None:
        self.values = values
        self.score = score
        self.evidence = evidence
        self.admitted = admitted


def terms(query: str) -> "list[str]":
    """Return the words of a query that carry meaning, the beginning and the end of a long one."""
    if len(query) > QUERY_CHARACTERS:
        query = query[: QUERY_CHARACTERS // 2] + " " + query[-QUERY_CHARACTERS // 2 :]
    found = [word for word in index_text.words(query) if len(word) > 1 and word not in STOPWORDS]
    return found[:MOST_TERMS]


def hits(store: "Store", query: str, now: int) -> "list[Hit]":
    """Return the memories that a prompt may mean, best first; those below the floor come last, not admitted.

    `now` is in milliseconds; it only orders.
    """
    wanted = terms(query)
    strong = [term for term in wanted if not is_weak(term)]
    total = store.one("SELECT max(id) FROM memories")[0] or 0
    found = holders(store, strong, total) if strong and total else {}
    if not found:
        return []
    rarity = {term: math.log(1 + total / (len(rows) + 0.5)) for term, rows in found.items()}
    evidence = _evidence(found, rarity, total)
    chosen = sorted(evidence, key=lambda row: (evidence[row][1], evidence[row][2], int(row)), reverse=True)[:CANDIDATES]
    # a word that is everywhere, or weak, tells less than any uncommon one
    weights = {**dict.fromkeys(wanted, 0.5 * min(rarity.values())), **rarity}
    return _ranked(memories.load(store, chosen), weights, evidence, now)


def is_weak(term: str) -> bool:
    """Say whether a word is too ordinary in any project to show that a memory is meant."""
    if term in WEAK or (len(term) < 3 and term.isascii()):
        return True
    return any([term.endswith(suffix) and _stems(term, suffix) & WEAK for suffix in SUFFIXES])


def _stems(term: str, suffix: str) -> "set[str]":
    stem = term[: -len(suffix)]
    doubled = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
    return {stem, stem + "e", doubled}


def holders(store: "Store", strong: "list[str]", total: int) -> "dict[str, list[str]]":
    """Return the numbers of the memories that hold each uncommon term outside their context, newest first."""
    most = min(max(UNCOMMON, total // UNCOMMON_SHARE), MOST_POSTINGS)
    found = {}
    for term in strong:
        # in one string: a row of its own for each number would cost ten times as much
        (numbers,) = store.one(
            "SELECT group_concat(rowid) FROM (SELECT rowid FROM memory_fts WHERE memory_fts MATCH ? ORDER BY rowid DESC LIMIT ?)",
            ("{title body files lines} : " + _quoted(term), most + 1),
        )
        rows = numbers.split(",") if numbers else []
        if 0 < len(rows) <= most:
            found[term] = rows
    return found


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _evidence(found: "dict[str, list[str]]", rarity: "dict[str, float]", total: int) -> "dict[str, tuple[int, bool, float]]":
    """Return for each row how many uncommon terms it holds, whether they are enough (two, or one that is rare), and
    how rare they are together.
    """
    rare = max(RARE, total // RARE_SHARE)
    held: dict[str, tuple[int, bool, float]] = {}
    for term, rows in found.items():
        for number in rows:
            count, enough, weight = held.get(number, (0, False, 0.0))
            held[number] = (count + 1, enough or count >= 1 or len(rows) <= rare, weight + rarity[term])
    return held


def _ranked(
    rows: "list[tuple[Any, ...]]", weights: "dict[str, float]", evidence: "dict[str, tuple[int, bool, float]]", now: int
) -> "list[Hit]":
    scores = [_text_score(row, weights) for row in rows]
    best = max(scores, default=0.0) or 1.0
    found = []
    for row, score in zip(rows, scores):
        count, enough, _ = evidence[str(row[0])]
        age = max(0.0, (now - row[memories.CREATED_AT]) / DAY_MS)
        found.append(Hit(row, score / best + RECENCY / (1 + age / RECENCY_DAYS), count, enough))
    found.sort(key=lambda hit: (not hit.admitted, -hit.score))
    return found


def _text_score(row: "tuple[Any, ...]", weights: "dict[str, float]") -> float:
    """Score a memory on all terms, a term in a weighty column counting as often as that column weighs."""
    texts = [text.lower() for text in row[memories.TEXTS]]
    length = 1 - LENGTH_SHARE + LENGTH_SHARE * sum([len(text) for text in texts]) / AVERAGE_LENGTH
    score = 0.0
    for term, weight in weights.items():
        root = _root(term)
        often = sum([share * text.count(root) for share, text in zip(WEIGHTS, texts)])
        score += weight * often * (SATURATION + 1) / (often + SATURATION * length)
    return score


def _root(term: str) -> str:
    """Cut the ending that the index does not see either, roughly: the rows are already the right ones."""
    return term[:-1] if len(term) > 4 and term[-1] in "sey" else term[:-3] if len(term) > 6 and term.endswith("ing") else term
