"""Why: the receipts of what was told, and what would be told now. Receipts hold no text; it is read from the rows."""

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.redaction import context as secret_neighbours
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective
from ralph_mem.memory import access, capture
from ralph_mem.memory.inject import block, briefing, prompting
from ralph_mem.memory.recall import lookup, meaning
from ralph_mem.memory.rows import index_text
from ralph_mem.memory.rows import receipts as receipts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.recall.lookup import Reader
    from ralph_mem.memory.rows.receipts import Item
    from ralph_mem.memory.store.connection import Store

NEW_SESSION = 0
ITEMS = """
SELECT memory, outcome, score, evidence, tokens, misled_at FROM receipt_items WHERE receipt_id = ? ORDER BY position"""


class Line:
    """One line of a receipt: a memory, its outcome (full, line, folded, missed), what spoke for it, what it cost."""

    __slots__ = ("evidence", "memory", "misled_at", "outcome", "row", "score", "tokens")

    def __init__(self, row: "lookup.Row | None", values: "tuple[str, str, float, int, int, int | None]") -> None:
        self.row = row  # nothing, where it is forgotten
        self.memory, self.outcome, self.score, self.evidence, self.tokens, self.misled_at = values


class Receipt:
    """What one event told its session; `prompt` is nothing for a briefing. Times in milliseconds."""

    __slots__ = ("at", "budget", "event", "lines", "prompt", "session", "tokens")

    def __init__(self, values: "tuple[str, str, int, int, int, str]", lines: "list[Line]") -> None:
        self.session, self.event, self.at, self.budget, self.tokens, self.prompt = values
        self.lines = lines


def receipts(reader: "Reader", limit: int, session: str = "", memory: str = "") -> "list[Receipt]":
    """Return the last receipts, newest first: of all sessions or of one, or those that name a memory."""
    own = [store for store in reader.stores if not access.is_global(store)]
    if not own:
        return []
    where, values = "1", []
    if session:
        where, values = "s.public_id = ?", [session]
    if memory:
        where += " AND r.id IN (SELECT receipt_id FROM receipt_items WHERE memory = ?)"
        values.append(memory)
    found = own[0].execute(receipts_of.SHOWN.format(where=where), (*values, limit)).fetchall()
    if not found:
        return []
    prompts = secret_neighbours.leaving(privacy.protect([values[-1] for values in found], reader.project, reader.settings)[0])
    return [Receipt((*values, prompt), _lines(reader, own[0], number)) for (number, *values, _), prompt in zip(found, prompts)]


def _lines(reader: "Reader", store: "Store", receipt: int) -> "list[Line]":
    return [Line(_row(reader, values[0]), values) for values in store.execute(ITEMS, (receipt,))]


def _row(reader: "Reader", name: str) -> "lookup.Row | None":
    try:
        return lookup.find(reader, name)
    except RalphMemError:
        return None


class Preview:
    """What a hook would tell now: its text, fenced as the model would see it, and the lines of its receipt."""

    __slots__ = ("budget", "event", "lines", "text")

    def __init__(self, event: str, budget: int, text: str, lines: "list[Line]") -> None:
        self.event = event
        self.budget = budget
        self.text = text
        self.lines = lines

    @property
    def tokens(self) -> int:
        """Return what the memories in it cost."""
        return sum([line.tokens for line in self.lines if line.outcome != "missed"])


def preview(reader: "Reader", prompt: str, now: int, names: "tuple[str, ...]") -> "list[Preview]":
    """Return what a new session would be told at its start, and then at a prompt; nothing is written.

    `names` are the files with instructions that the client would give the model. The text is empty where the hook would stay
    silent.
    """
    values = reader.settings
    stores = [store for store in reader.stores if not access.is_global(store)]
    if not stores:
        raise RalphMemError(
            f"nothing is remembered for {reader.project.root} yet", "hooks tell nothing in a project without a memory"
        )
    stores += [store for store in reader.stores if access.is_global(store)]
    start, said = values["memory.inject_tokens_start"], values["memory.inject_tokens_prompt"]
    briefed = briefing.build(stores, values, NEW_SESSION, block.read_instructions(reader.project, names))
    answers = [(receipts_of.AT_START, start, briefed)]
    if prompt:
        words = privacy.without_injected(prompt.replace("\0", ""))  # as the event loses it
        told = receipts_of.held([(item.memory, item.outcome) for item in briefed[1]]) if effective.tells(values) else {}
        meant = capture.kind_of(words) == "prompt" and index_text.terms(words)
        window = prompting.Window(NEW_SESSION, 0, told, names)
        found = prompting.build(stores, reader.project, values, words, window, now, meaning.sense()) if meant else ("", [])
        answers.append((receipts_of.AT_PROMPT, said, found))
    return [_previewed(reader, *answer) for answer in answers]


def _previewed(reader: "Reader", event: str, budget: int, found: "tuple[str, list[Item]]") -> Preview:
    on = effective.tells(reader.settings) and effective.recording(reader.project, reader.settings)
    text, items = found if on else ("", [])
    lines = [
        Line(_row(reader, item.memory), (item.memory, item.outcome, item.score, item.evidence, item.tokens, None)) for item in items
    ]
    return Preview(event, budget, block.fence(text, "TAG", reader.project, reader.settings) if text else "", lines)
