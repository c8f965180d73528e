"""Record what was injected into a session, why, and what it cost, without its text."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

FULL, LINE, FOLDED, MISSED = "full", "line", "folded", "missed"  # said by the one before, and had no room
AT_START, AT_PROMPT = "SessionStart", "UserPromptSubmit"  # when it was told, as it is stored, whatever a client calls it

# Of receipts, the newest first: number, session, event, time, budget, cost, and the prompt of the turn; so many, behind so many.
SHOWN = """
SELECT r.id, s.public_id, r.event, r.created_at, r.budget, r.tokens, coalesce(t.prompt, '')
FROM receipts AS r JOIN sessions AS s ON s.id = r.session_id LEFT JOIN turns AS t ON t.id = r.turn_id
WHERE {where} ORDER BY r.id DESC LIMIT ? OFFSET ?"""


class Item:
    """One line of a receipt: `outcome` is one of those above; `words` are not stored."""

    __slots__ = ("evidence", "memory", "outcome", "score", "tokens", "words")

    def __init__(self, memory: str, outcome: str, score: float, evidence: int, tokens: int, words: str = "") -> None:
        self.memory, self.outcome, self.score = memory, outcome, score
        self.evidence, self.tokens, self.words = evidence, tokens, words


def add(store: "Store", session: int, turn: "int | None", event: str, at: int, budget: int, items: "list[Item]") -> None:
    """Write the receipt of one event. The caller holds the transaction."""
    tokens = sum([item.tokens for item in items if item.outcome != MISSED])
    cursor = store.execute(
        "INSERT INTO receipts (session_id, turn_id, seq, event, budget, tokens, created_at)"
        " SELECT ?1, ?2, max(?3, 1 + coalesce((SELECT max(seq) FROM receipts WHERE session_id = ?1), 0),"
        " 1 + (SELECT context_since FROM sessions WHERE id = ?1)), ?4, ?5, ?6, ?7",
        (session, turn, at * 1000, event, budget, tokens, at),
    )
    number = cursor.lastrowid
    store.db.executemany(
        "INSERT INTO receipt_items (receipt_id, position, memory, outcome, score, evidence, tokens) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (number, position, item.memory, item.outcome, item.score and round(item.score, 4), item.evidence, item.tokens)
            for position, item in enumerate(items)
        ],
    )


def told(store: "Store", session: int) -> "dict[str, str]":
    """Return what this session's context window holds of us: memory -> line or full."""
    rows = store.execute(
        "SELECT i.memory, i.outcome FROM receipts AS r JOIN receipt_items AS i ON i.receipt_id = r.id"
        " JOIN sessions AS s ON s.id = r.session_id"
        " WHERE r.session_id = ? AND r.seq > s.context_since AND i.outcome <> 'missed' ORDER BY r.seq, i.position",
        (session,),
    ).fetchall()
    return held(rows)


def was_given(store: "Store", session: str, event: str, turn: str, since: int) -> bool:
    """Say whether a session, by the client's id, was told something at an event, in a turn if it is one, or after a time in ms."""
    sql = "SELECT 1 FROM receipts AS r JOIN sessions AS s ON s.id = r.session_id LEFT JOIN turns AS t ON t.id = r.turn_id"
    sql += " WHERE s.client_session = ?1 AND r.event = ?2 AND (t.event_id = ?3 OR (?3 = '' AND r.created_at >= ?4)) LIMIT 1"
    return store.one(sql, (session, event, turn, since)) is not None


def held(rows: "list[tuple[str, str]]") -> "dict[str, str]":
    """Return of the memories and outcomes of receipts, in their order, what was told: memory -> line or full."""
    found: dict[str, str] = {}
    last = ""
    for memory, outcome in rows:
        last = last if outcome == FOLDED else outcome
        if found.get(memory) != FULL and outcome != MISSED:
            found[memory] = last
    return found


def folded(item: Item, memories: "list[str]") -> "list[Item]":
    """Return the items of memories that were told by another one, which says the same."""
    return [Item(memory, FOLDED, item.score, item.evidence, 0) for memory in memories]
