"""Search: from the words of a prompt to the memories that hold enough of them to be worth saying.

A term is looked up alone first, newest rows first and no further than "common" begins: that bounds the cost at any
size, tells its rarity, and says which rows hold it. Only then are the uncommon ones joined with OR and ranked.
"""

from ralph_mem.core import index_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.store import Store

QUERY_CHARACTERS = 1000
MOST_TERMS = 32
CANDIDATES = 60
# Title, body, context, files, lines: the weights that did best on histories of coding work, context from
# conversations. Recency likewise: added to a text score of at most 1, for rows that match the text.
WEIGHTS = "2.0, 1.0, 0.3, 3.0, 0.5"
RECENCY = 0.5
RECENCY_DAYS = 7
# The floor. A rare term stands in at most three memories or one in 500, an uncommon one in at most eight or one in
# fifty; a thousand postings are half a millisecond.
RARE, RARE_SHARE = 3, 500
UNCOMMON, UNCOMMON_SHARE = 8, 50
MOST_POSTINGS = 1000
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
    """A memory that answers a query. `evidence` counts the uncommon terms that it holds outside its context."""

    __slots__ = ("admitted", "evidence", "memory", "score")

    def __init__(self, memory: int, score: float, evidence: int, admitted: bool) -> None:
        self.memory = memory
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
    if not strong or not total:
        return []
    holders = _holders(store, strong, total)
    if not holders:
        return []
    evidence = _evidence(holders, total)
    return _ranked(store, _affordable(store, wanted, holders, total), evidence, now)


def is_weak(term: str) -> bool:
    """Say whether a word is too ordinary in any project to show that a memory is meant."""
    if term in WEAK or (len(term) < 3 and term.isascii()):
        return True
    return any([term.endswith(suffix) and _stem(term, suffix) & WEAK for suffix in SUFFIXES])


def _stem(term: str, suffix: str) -> "set[str]":
    stem = term[: -len(suffix)]
    doubled = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
    return {stem, stem + "e", doubled}


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def _holders(store: "Store", strong: "list[str]", total: int) -> "dict[str, list[int]]":
    """Return the rows that hold each uncommon term outside their context, newest first."""
    most = min(max(UNCOMMON, total // UNCOMMON_SHARE), MOST_POSTINGS)
    found = {}
    for term in strong:
        rows = store.execute(
            "SELECT rowid FROM memory_fts WHERE memory_fts MATCH ? ORDER BY rowid DESC LIMIT ?",
            ("{title body files lines} : " + _quoted(term), most + 1),
        ).fetchall()
        if 0 < len(rows) <= most:
            found[term] = [number for (number,) in rows]
    return found


def _evidence(holders: "dict[str, list[int]]", total: int) -> "dict[int, tuple[int, bool]]":
    """Return for each row how many uncommon terms it holds, and whether they are enough: two, or one that is rare."""
    rare = max(RARE, total // RARE_SHARE)
    found: dict[int, tuple[int, bool]] = {}
    for rows in holders.values():
        for number in rows:
            count, _ = found.get(number, (0, False))
            found[number] = (count + 1, count + 1 >= 2 or len(rows) <= rare)
    return found


def _affordable(store: "Store", wanted: "list[str]", holders: "dict[str, list[int]]", total: int) -> "list[str]":
    """Return the terms to rank by: the uncommon ones, rarest first, and all of them where the store is small."""
    chosen = sorted(holders, key=lambda term: len(holders[term]))
    room = 2 * MOST_POSTINGS - sum([len(rows) for rows in holders.values()])
    for term in wanted:
        if term not in holders and room > total:
            chosen.append(term)
            room -= total
    return chosen


def _ranked(store: "Store", chosen: "list[str]", evidence: "dict[int, tuple[int, bool]]", now: int) -> "list[Hit]":
    rows = store.execute(
        f"SELECT rowid, -bm25(memory_fts, {WEIGHTS}) AS score FROM memory_fts WHERE memory_fts MATCH ?"
        f" ORDER BY score DESC LIMIT {CANDIDATES}",
        (" OR ".join([_quoted(term) for term in chosen]),),
    ).fetchall()
    ages = _ages(store, [number for number, _ in rows], now)
    best = max([score for _, score in rows], default=0.0) or 1.0
    found = []
    for number, score in rows:
        count, enough = evidence.get(number, (0, False))
        found.append(Hit(number, score / best + RECENCY / (1 + ages.get(number, 0) / RECENCY_DAYS), count, enough))
    found.sort(key=lambda hit: (not hit.admitted, -hit.score))
    return found


def _ages(store: "Store", numbers: "list[int]", now: int) -> "dict[int, float]":
    """Return how many days old each memory is; one from the future counts as new."""
    rows = store.execute(
        "SELECT m.id, coalesce(t.created_at, o.created_at) FROM memories AS m LEFT JOIN turns AS t ON t.id = m.turn_id"
        f" LEFT JOIN observations AS o ON o.id = m.observation_id WHERE m.id IN ({','.join([str(n) for n in numbers])})"
    ).fetchall()
    return {number: max(0.0, (now - at) / DAY_MS) for number, at in rows}
