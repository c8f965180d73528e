"""Hash short runs of what web and MCP tools brought in, to know an answer that repeats it.

The page is in the agent's window until that is cleared, so any later turn may quote it; a row keeps only the ends of a long
page. Loaded for an event of such a tool, and for the end of a turn in a session that has had one.
"""

import _blake2

from ralph_mem.memory.store import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.store.connection import Store

# In bytes of text without its punctuation, so that Chinese is treated as English is. A run of WINDOW + STEP - 1, some six words,
# holds a whole window of the page wherever it begins; three words are often the same by chance.
WINDOW, STEP = 24, 12
# Twelve thousand windows of an answer against fifty long pages meet by chance once in three hundred turns.
DIGEST_BYTES = 5
# What a tool event keeps of a page, 14 KB of hashes; the client cuts a tool's answer at some 100,000 characters.
MOST_BYTES = 131_072
KEPT_MS = 30 * 86_400_000  # a session that goes on after that has compacted its window often
BLANKS = {ord(sign): " " for sign in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u3001\u3002"}

# Those of a session's own pages. A fork has those of its parent in its window, too: the client does not say whose fork it is, so
# every page counts that came in before it began.
KEPT = """
SELECT h.hashes FROM shingles AS h JOIN observations AS o ON o.id = h.observation_id, sessions AS s
WHERE s.client_session = ? AND (o.session_id = s.id OR (s.source = 'fork' AND o.created_at <= s.started_at))"""
OLD = """
DELETE FROM shingles WHERE observation_id IN
    (SELECT h.observation_id FROM shingles AS h JOIN observations AS o ON o.id = h.observation_id WHERE o.created_at < ?)"""


def of(text: str) -> str:
    """Return the hashes of a text that came from outside, in hexadecimal; nothing for one of less than six words or so."""
    data = _plain(text)[:MOST_BYTES]
    return b"".join([_hash(data[at : at + WINDOW]) for at in range(0, len(data) - WINDOW + 1, STEP)]).hex()


def parts(text: str, most: int) -> "list[str]":
    """Cut a long text, as much of it as is looked at, into parts of at most so many characters, between words where it has any."""
    found, at = [], 0
    while at < min(len(text), MOST_BYTES):
        end = text.rfind(" ", at + most // 2, at + most) if len(text) > at + most else len(text)
        end = end if end > at else at + most
        found.append(text[at:end])
        at = end
    return found


def keep(store: "Store", number: int, hashes: str, at: int) -> None:
    """Keep the hashes of an observation, and let go of old ones. The caller holds the transaction."""
    schema.make(store, "shingles")
    store.execute(OLD, (at - KEPT_MS,))
    store.execute("INSERT OR REPLACE INTO shingles (observation_id, hashes) VALUES (?, ?)", (number, bytes.fromhex(hashes)))


def repeats(store: "Store", session: str, text: str) -> bool:
    """Say whether a text repeats six words in a row of what came from outside in a session, by the client's id of it.

    A fork goes on in its parent's window, so it is asked for whatever came in before it, too.
    """
    if store.one("SELECT 1 FROM sqlite_master WHERE name = 'shingles'") is None:
        return False
    data = _plain(text)
    own = {_hash(data[at : at + WINDOW]) for at in range(len(data) - WINDOW + 1)}
    return any([not own.isdisjoint(_cut(hashes)) for (hashes,) in store.execute(KEPT, (session,))])


def _plain(text: str) -> bytes:
    """Return a text in small letters, its words with one blank between them."""
    return " ".join(text.casefold().translate(BLANKS).split()).encode("utf-8", "replace")


def _hash(data: bytes) -> bytes:
    return _blake2.blake2b(data, digest_size=DIGEST_BYTES).digest()


def _cut(hashes: bytes) -> "list[bytes]":
    return [hashes[at : at + DIGEST_BYTES] for at in range(0, len(hashes), DIGEST_BYTES)]
