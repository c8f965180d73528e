"""The briefing that an empty context window gets, at a start, after /clear and after a compaction."""

from ralph_mem.core import fast
from ralph_mem.memory.inject import block
from ralph_mem.memory.rows import index_text, receipts, records, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.inject.instruction_text import Said
    from ralph_mem.memory.store.connection import Store

# How many rows of a kind are read: more than have room. Lessons are long, and few of them are news.
MOST_PINS, MOST_NOTES, MOST_LESSONS, LOOKED_AT = 400, 40, 10, 12
MOST_FAILURES, CUT = 3, block.LINE_CHARACTERS
MOST_LINES = 7  # of turns that are not the newest
FULL, LINE = "full", "line"
# What is told whole at most costs so much, and for less there is no line: a longer note is a document.
NOTE_TOKENS, TURN_TOKENS, FEWEST_TOKENS = 300, 400, 40
# Shares of what the pins leave: a person's own words come first, but they do not tell where the work stands.
NOTES_SHARE, LESSONS_SHARE = 0.5, 0.15
PINS, SAID, LEFT, TURNS, FAILING = "Pinned:", "Notes of the user:", "Left by loops and tests:", "Last turns, newest first:", ""
TOO_MANY = "({} of {} pinned memories do not fit into the {:,} tokens of a briefing; /mem-search finds them.)"

# What misled, and what came in with somebody else's file (tainted is 2 then), is not told unasked.
RECENT = index_text.TURN + " WHERE t.index_version > 0 AND NOT t.misled AND t.tainted < 2 ORDER BY t.id DESC LIMIT ?"
NOTES = index_text.OBSERVATION + (
    " WHERE m.observation_id NOT NULL AND o.type = 'note' AND (o.origin = 'user') = ? AND NOT o.misled AND o.tainted < 2"
    " ORDER BY m.observation_id DESC LIMIT ?"
)
PINNED = (
    f"{index_text.OBSERVATION} WHERE o.pinned AND NOT o.misled AND o.tainted < 2 UNION ALL"
    f" {index_text.TURN} WHERE t.pinned AND NOT t.misled AND t.tainted < 2 ORDER BY 5 DESC LIMIT ?"
)


class Page:
    """A briefing while it is filled: what has room, in tokens and characters, and what each of its parts holds so far."""

    def __init__(self, budget: int) -> None:
        self.tokens = budget - row.tokens(block.OPENING) - block.FENCE_TOKENS
        self.characters = block.ROOM
        self.parts: dict[str, list[str]] = {PINS: [], SAID: [], LEFT: [], TURNS: [], FAILING: []}
        self.items: dict[str, list[receipts.Item]] = {part: [] for part in self.parts}

    def has_room(self, part: str, texts: "list[str]", spare: int = 0) -> bool:
        """Say whether texts fit into a part, so that so many tokens stay."""
        return self._is_enough(part, _cost(texts), sum([len(text) + 1 for text in texts]), spare)

    def _is_enough(self, part: str, tokens: int, characters: int, spare: int) -> bool:
        heading = not self.parts[part] and len(part)
        return tokens + heading // 2 + spare <= self.tokens and characters + heading <= self.characters

    def add(self, part: str, text: str, spare: int = 0) -> int:
        """Put in a text, if it fits so that so many tokens stay; returns what it costs, and nothing where it does not."""
        cost = row.tokens(text)
        if not self._is_enough(part, cost + 1, len(text) + 1, spare):  # with the line break behind it
            return 0
        if not self.parts[part] and part:
            self.parts[part].append(part)
            self.tokens -= len(part) // 2
            self.characters -= len(part) + 1
        self.parts[part].append(text)
        self.tokens -= cost + 1
        self.characters -= len(text) + 1
        return cost

    def tell(self, part: str, memory: block.Memory, text: str, outcome: str, spare: int = 0) -> bool:
        """Put in a memory, if it fits, with its items of the receipt."""
        cost = self.add(part, text, spare)
        if cost:
            item = receipts.Item(memory.public_id, outcome, 0.0, 0, cost, memory.own_words())
            self.items[part] += [item, *receipts.folded(item, [each.public_id for each in memory.again])]
        return cost > 0

    def text(self) -> str:
        """Return what it holds, in order."""
        return "\n".join([line for lines in self.parts.values() for line in lines])


def _cost(texts: "list[str]") -> int:
    return sum([row.tokens(text) + 1 for text in texts])


def build(
    stores: "list[Store]", settings: "dict[str, Any]", session: int, known: "Said | None"
) -> "tuple[str, list[receipts.Item]]":
    """Return the briefing and the items of its receipt; both empty where there is nothing to tell.

    Pinned memories come first and whole, then what the person said, what loops and tests left, and the last turns. The first
    store is the project's; of a second one, that of all projects, pinned memories and notes are told. `known` is what the
    project's instructions say.
    """
    store = stores[0]
    told = receipts.told(store, session)
    read = {PINS: _pinned(stores), SAID: _notes(stores, 1, MOST_NOTES), LEFT: _notes(stores, 0, MOST_LESSONS)}
    read[TURNS] = store.execute(RECENT, (LOOKED_AT,)).fetchall()
    parts = _worth(read, known, settings, told)
    page = Page(settings["memory.inject_tokens_start"])
    if any(parts.values()):
        left_out = tell_pins(page, parts[PINS], settings["memory.inject_tokens_start"])
        for line in _still_failing(store, settings):
            page.add(FAILING, line)
        _tell_rest(page, parts)
        page.items[PINS] += [receipts.Item(memory.public_id, "missed", 0.0, 0, 0) for memory in left_out]
    items = [item for each in page.items.values() for item in each]
    return (page.text(), items) if any([item.tokens for item in items]) else ("", [])


def _pinned(stores: "list[Store]") -> "list[tuple[Any, ...]]":
    """Return the rows of what is pinned, the project's first, newest first."""
    return [values for each in stores if each.property(index_text.WAS_PINNED) for values in each.execute(PINNED, (MOST_PINS,))]


def _notes(stores: "list[Store]", are_the_users: int, most: int) -> "list[tuple[Any, ...]]":
    """Return the rows of notes, newest first: two of the project, one of all projects, and so on."""
    own, *others = [each.execute(NOTES, (are_the_users, most)).fetchall() for each in stores]
    found = []
    for at, values in enumerate(own):
        found += [values, *[rows.pop(0) for rows in others if at % 2 and rows]]
    return found + [values for rows in others for values in rows]


def _worth(
    read: "dict[str, list[tuple[Any, ...]]]", known: "Said | None", settings: "dict[str, Any]", told: "dict[str, str]"
) -> "dict[str, list[block.Memory]]":
    """Return of the rows of each part the memories that are worth telling, each once, and what says the same as one."""
    seen: set[str] = set(told)
    parts: dict[str, str] = {}
    found = []
    for part, rows in read.items():
        for values in rows:
            if values[1] not in seen:
                seen.add(values[1])
                parts[values[1]] = part
                found.append(block.Memory(values, known, settings))
    kept = block.folded([memory for memory in found if _is_worth(memory)])
    block.compare(kept, known)
    return {part: [memory for memory in kept if parts[memory.public_id] == part] for part in read}


def pins(stores: "list[Store]", settings: "dict[str, Any]", known: "Said | None") -> "tuple[int, int, int]":
    """Return how many pinned memories there are, how many of them no briefing has room for, and the tokens that all would take."""
    found = _worth({PINS: _pinned(stores)}, known, settings, {})[PINS]
    budget = settings["memory.inject_tokens_start"]
    return len(found), len(tell_pins(Page(budget), found, budget)), _cost([PINS, *map(_bare, found)]) if found else 0


def tell_pins(page: Page, pinned: "list[block.Memory]", budget: int) -> "list[block.Memory]":
    """Tell what is pinned, whole; where not all of it fits, without ids and days, and then the first ones and how many are
    missing. Returns those.
    """
    labelled = [memory.full(block.WHOLE, block.WHOLE) for memory in pinned]
    texts = labelled if page.has_room(PINS, labelled) else [_bare(memory) for memory in pinned]
    said = TOO_MANY.format(len(pinned), len(pinned), budget)
    spare = 0 if page.has_room(PINS, texts) else _cost([said])
    left_out = []
    for memory, text in zip(pinned, texts):
        if not page.tell(PINS, memory, text, FULL, spare):
            left_out.append(memory)
    if left_out:
        page.add(PINS, TOO_MANY.format(len(left_out), len(pinned), budget))
    return left_out


def _bare(memory: block.Memory) -> str:
    """Tell a memory whole, without its id and its day."""
    text = memory.full(block.WHOLE, block.WHOLE).replace(memory.label() + " ", "", 1)
    return text + (" (differs from CLAUDE.md)" if memory.differs else "")


def _tell_rest(page: Page, parts: "dict[str, list[block.Memory]]") -> None:
    """Spend what the pins left, by shares first, and then what is left of these."""
    room = page.tokens
    notes = _tell(page, SAID, parts[SAID], NOTE_TOKENS, room - int(room * NOTES_SHARE))
    newest = parts[TURNS][:1]
    older = [*_tell(page, TURNS, newest, min(TURN_TOKENS, page.tokens), 0), *parts[TURNS][1:]]
    lessons = _tell(page, LEFT, parts[LEFT], NOTE_TOKENS, page.tokens - int(room * LESSONS_SHARE))
    _tell_lines(page, TURNS, older[:MOST_LINES])
    for part, rest in ((SAID, notes), (LEFT, lessons)):
        _tell_lines(page, part, _tell(page, part, rest, NOTE_TOKENS, 0))


def _tell(page: Page, part: str, found: "list[block.Memory]", most: int, spare: int) -> "list[block.Memory]":
    """Tell memories whole as long as so many tokens stay; returns those that do not fit."""
    rest = []
    for memory in found:
        fits = page.tokens - spare >= FEWEST_TOKENS
        if not (fits and page.tell(part, memory, memory.brief(most), FULL, spare)):
            rest.append(memory)
    return rest


def _tell_lines(page: Page, part: str, found: "list[block.Memory]") -> None:
    for memory in found:
        if page.tokens < FEWEST_TOKENS:
            return
        page.tell(part, memory, memory.line(block.OUTCOME_CHARACTERS), LINE)


def _still_failing(store: "Store", settings: "dict[str, Any]") -> "list[str]":
    """Tell which commands failed at the end of the last session and were not seen to pass after that."""
    seen: set[str] = set()
    failing = []
    for kind, title, lines, public_id, facts in store.execute(records.RAN, (row.COMMAND,)):
        command = title.partition("|")[0].partition("2>")[0].rstrip()  # whatever its output went through
        if kind == "error" and command not in seen and _may_be_told(title, settings):
            from ralph_mem.memory.inject import failure_words  # lazy: only for a command that failed

            said = _exit_code(facts) + failure_words.last(lines, public_id)
            failing.append(block.escaped(f"- still failing: {title[:CUT]}: {said}"))
        seen.add(command)
    return failing[:MOST_FAILURES]


def _exit_code(facts: "str | None") -> str:
    """Return how a command ended, of the facts that were noted of it; nothing where a client did not say."""
    code = fast.loads(facts).get("exit") if facts else None
    return f"exit {code}, " if isinstance(code, int) else ""


def _may_be_told(command: str, settings: "dict[str, Any]") -> bool:
    if not settings["privacy.exclude_paths"]:
        return True
    from ralph_mem.core.redaction import path_rules  # lazy: only for a project that excludes paths

    return not path_rules.names_excluded(command, settings)


def _is_worth(memory: block.Memory) -> bool:
    """Say whether a turn changed or ran something, or was about something; "yes" and "thanks" are not worth a line."""
    is_note = memory.public_id[:4] == "obs-"
    return memory.says_something() and bool(
        is_note or memory.pinned or memory.files or memory.lines or index_text.terms(memory.asked)
    )
