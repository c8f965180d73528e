"""Know which prompts nobody has learned from yet, and what had been read aloud before each in its session."""

from ralph_mem.core import fast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# Properties of a database: up to which turn it has been learned from, by its number and its time in ms; and by their numbers
# which earlier turns wait, as they were open, or how often they failed.
LEARNED = ("learned", "learned_later")
PROPOSED = ("proposed", "proposed_later")  # the same of what a model was asked about
MOST_TRIES = 2
MOST_OVERHEARD = 2000  # observations of a session: a long day has some hundred
# A number may be another turn's after a forget: that one is newer. A note of the prompt's own words is a fact by itself.
TOLD = """
EXISTS (SELECT 1 FROM observations AS o WHERE o.session_id = t.session_id AND o.type = 'note' AND o.title <> ''
    AND instr(lower(t.prompt), lower(o.title)))"""
READ = f"""
SELECT t.id, t.public_id, t.session_id, s.client_session, t.seq, t.created_at, t.prompt, t.branch, t.redactions, t.status = 'open',
    t.tainted, {TOLD}
FROM turns AS t JOIN sessions AS s ON s.id = t.session_id
WHERE t.kind = 'prompt' AND t.origin = 'user'"""
BEHIND = "t.kind = 'prompt' AND t.origin = 'user' AND t.id > ?1 - 1000 AND (t.id > ?1 OR t.created_at > ?2)"
# Without the words: of ten thousand that wait few are looked at each time.
NUMBERS = f"SELECT t.id FROM turns AS t WHERE {BEHIND} ORDER BY t.created_at, t.id LIMIT ?3"
NEW = f"{READ} AND t.id IN ({NUMBERS}) ORDER BY t.created_at, t.id"
LATER = READ + " AND t.id IN ({}) ORDER BY t.created_at, t.id"
OVERHEARD = """
SELECT o.title || char(10) || o.content || char(10) || o.lines FROM observations AS o
WHERE o.session_id = ? AND o.seq < ? AND o.origin <> 'user' ORDER BY o.seq DESC LIMIT ?"""
BEFORE = READ + " AND t.session_id = ? AND t.seq < ? ORDER BY t.seq DESC LIMIT 1"
# The first so many characters of what a person said after a place in the order, in small letters, with the turn's number and place.
SAID = """
SELECT t.id, t.seq, lower(substr(t.prompt, 1, ?)) FROM turns AS t {}
    AND t.seq > ? AND t.kind = 'prompt' AND t.origin = 'user' AND NOT t.misled AND t.tainted < 2"""
OF_TURNS = SAID.format("WHERE t.id IN ({})") + " AND NOT (t.session_id = ? AND t.seq > ?) ORDER BY t.seq DESC"
OF_MEMORIES = SAID.format("JOIN memories AS m ON m.turn_id = t.id WHERE m.id IN ({})")
DEAD = """
INSERT INTO jobs (kind, subject, status, attempts, error, created_at) VALUES ('learn', ?, 'failed', ?, ?, ?)"""


class Prompt:
    """A turn with the words that a user typed, redacted; `at` is in ms, `is_noted` says that they are kept as a note already."""

    def __init__(self, values: "tuple[Any, ...]") -> None:
        self.number, self.public_id, self.session, self.client_session, self.seq, self.at, self.text, *rest = values
        self.branch, self.redactions, self.is_open, self.tainted, self.is_noted = rest


class Progress:
    """How far a memory has been learned from: the last turn by number and time, and the tries of those that wait."""

    def __init__(self, number: int, at: int, waiting: "dict[int, int]") -> None:
        self.number, self.at, self.waiting = number, at, waiting


def progress(store: "Store", names: "tuple[str, str]" = LEARNED) -> Progress:
    """Return how far a memory has been learned from, or how far what is kept under other names has gone."""
    number, at = fast.loads(store.property(names[0]) or "[0, 0]")
    later: dict[str, int] = fast.loads(store.property(names[1]) or "{}")
    return Progress(number, at, {int(number): tries for number, tries in later.items()})


def keep(store: "Store", reached: Progress, names: "tuple[str, str]" = LEARNED) -> None:
    """Write down how far a memory has been learned from. The caller holds the transaction."""
    store.set_property(names[0], fast.dumps([reached.number, reached.at]))
    later = {str(number): tries for number, tries in reached.waiting.items()}
    store.set_property(names[1], fast.dumps(later) if later else None)


def passed(reached: Progress, prompt: Prompt) -> int:
    """Move on behind a prompt, which waits no longer; returns how often it was tried before."""
    reached.number, reached.at = max(reached.number, prompt.number), max(reached.at, prompt.at)
    return reached.waiting.pop(prompt.number, 0)


def learn_again(store: "Store", turns: "list[str]") -> None:
    """Let turns be learned from again, by their ids; others are passed over. The caller holds the transaction."""
    sql = f"SELECT id FROM turns WHERE public_id IN ({', '.join('?' * len(turns))})"
    numbers = [number for (number,) in store.execute(sql, turns)]
    if numbers:
        reached = progress(store)
        keep(store, Progress(reached.number, reached.at, {**dict.fromkeys(numbers, 0), **reached.waiting}))


def waiting(store: "Store", reached: Progress) -> "list[Prompt]":
    """Return the prompts that wait from before, as far as they are still there; the others wait no longer."""
    listed = ",".join([str(int(number)) for number in reached.waiting])
    found = [Prompt(values) for values in store.execute(LATER.format(listed))] if listed else []
    there = [prompt.number for prompt in found]
    reached.waiting = {number: tries for number, tries in reached.waiting.items() if number in there}
    return found


def new(store: "Store", reached: Progress, most: int) -> "list[Prompt]":
    """Return prompts that nobody has looked at yet, the oldest first, open ones among them."""
    return [Prompt(values) for values in store.execute(NEW, (reached.number, reached.at, most))]


def unlearned(store: "Store", most: int) -> "list[int]":
    """Return the numbers of prompts to look at: those that wait from before, then at most so many new ones, the oldest first."""
    reached = progress(store)
    new = store.execute(NUMBERS, (reached.number, reached.at, most)).fetchall()
    return [*reached.waiting, *[number for (number,) in new]]


def of(store: "Store", reached: Progress, number: int) -> "Prompt | None":
    """Return a prompt by its number, as it is now; None where it is gone, then it waits no longer, or was looked at meanwhile."""
    values = store.one(LATER.format(int(number)))
    if values is None:
        reached.waiting.pop(number, None)
        return None
    prompt = Prompt(values)
    return prompt if number > reached.number or prompt.at >= reached.at or number in reached.waiting else None


def before(store: "Store", prompt: Prompt) -> "Prompt | None":
    """Return the prompt that was typed before one in its session."""
    values = store.one(BEFORE, (prompt.session, prompt.seq))
    return Prompt(values) if values else None


def texts(store: "Store", names: "list[str]") -> "dict[str, str]":
    """Return the words of turns by their ids, as they are now; those that are gone are left out."""
    sql = f"SELECT public_id, prompt FROM turns WHERE public_id IN ({', '.join('?' * len(names))})"
    return dict(store.execute(sql, names).fetchall())


def said_in_turns(
    store: "Store", turns: "list[str]", characters: int, since: int, window: "tuple[int, int]"
) -> "list[tuple[int, int, str]]":
    """Return of turns by their numbers number, place in the order and beginning of those after a place in it, the newest first.

    What is in a `window` is left out: that of a session by its number, since a place.
    """
    sql = OF_TURNS.format(", ".join("?" * len(turns)))
    return list(store.execute(sql, (characters, *turns, since, *window)).fetchall())


def said_in_memories(store: "Store", memories: "list[str]", characters: int, since: int) -> "list[str]":
    """Return the beginnings of the prompts of memories, by their numbers, that were said after a place in the order."""
    rows = store.execute(OF_MEMORIES.format(", ".join("?" * len(memories))), (characters, *memories, since))
    return [text for _, _, text in rows]


def are_notes_there(store: "Store") -> bool:
    """Say whether a person has kept any note."""
    return store.one("SELECT 1 FROM observations WHERE type = 'note' AND origin = 'user' LIMIT 1") is not None


def overheard(store: "Store", prompt: Prompt) -> "list[str]":
    """Return what tools and agents had brought into a session before a prompt of it, the last first."""
    rows = store.execute(OVERHEARD, (prompt.session, prompt.seq, MOST_OVERHEARD))
    return [text for (text,) in rows]


def bury(store: "Store", prompt: Prompt, tries: int, error: str, at: int) -> None:
    """Note that nothing could be learned from a prompt; `error` holds none of its words. The caller holds the transaction."""
    store.execute(DEAD, (prompt.public_id, tries, error, at))
