"""The briefing that an empty context window gets, at a start, after /clear and after a compaction."""

from ralph_mem.core import fast
from ralph_mem.memory.inject import block
from ralph_mem.memory.rows import query_text, reading, receipts, row, sessions
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.inject.instruction_text import Said
    from ralph_mem.memory.store.connection import Store

# How many rows of a kind are read: more than have room. Lessons are long, and few of them are news.
MOST_PINS, MOST_NOTES, MOST_LESSONS, LOOKED_AT = 400, 40, 10, 11
# Of turns that are not the newest: with two more than seven the turn that matters is named as often as among the newest ten. The
# first ones tell their outcome, the rest a few words of it, which pays for the two where answers are long.
MOST_LINES, LONG_LINES, FEW_CHARACTERS = 9, 3, 60
# What is told whole at most costs so much, and for less there is no line: a longer note is a document.
NOTE_TOKENS, TURN_TOKENS, FEWEST_TOKENS = 300, 400, 40
# Shares of what the pins leave: a person's own words come first, but they do not tell where the work stands.
NOTES_SHARE, LESSONS_SHARE = 0.5, 0.15
PINS, SAID, LEFT, TURNS, FAILING = "Pinned:", "Notes of the user:", "Left by loops and tests:", "Last turns, newest first:", ""
STANDING = "Standing (the user's own words; what is quoted was said in passing):"
# The property of a database that has facts, how what is kept of them begins where it is nothing, and what is in it where a note
# names a path.
FACTS, EMPTY, OF_NOTES = "facts", '{"lines": [], "commands": []', '"notes"'
# Behind the label of a note of the user stands all of it; before the same words in a prompt, that it be remembered.
NOTED, MOST_BEFORE_NOTED, CLOSING = "] user: ", 3, ".! "
OF_FOLDER = "Last turns, those that changed something in {}/ first:"
TOO_MANY = "({} of {} pinned memories do not fit into the {:,} tokens of a briefing; /mem-search finds them.)"

# What misled, and what came in with somebody else's file (tainted is 2 then), is not told unasked. A prompt of which nothing came
# would take the place of a turn, but for the last of all, where somebody stopped; in the session itself it is what that is at.
RECENT = reading.TURN + (
    " WHERE t.index_version > 0 AND NOT t.misled AND t.tainted < 2 AND (t.response <> '' OR t.files <> '' OR t.lines <> ''"
    f" OR t.session_id <> ? AND t.id = {reading.NEWEST})"
    " ORDER BY t.id DESC LIMIT ?"
)
NOTES = reading.OBSERVATION + (
    " WHERE m.observation_id NOT NULL AND o.type = 'note' AND (o.origin = 'user') = ? AND NOT o.misled AND o.tainted < 2"
    " ORDER BY m.observation_id DESC LIMIT ?"
)
# Where there is an index for them: asked in the other order, a memory without it would look at every row.
INDEXED_NOTES = NOTES.replace("ORDER BY m.observation_id", "ORDER BY o.id")
PINNED = (
    f"{reading.OBSERVATION} WHERE o.pinned AND NOT o.misled AND o.tainted < 2 UNION ALL"
    f" {reading.TURN} WHERE t.pinned AND NOT t.misled AND t.tainted < 2 ORDER BY 5 DESC LIMIT ?"
)


class Page:
    """A briefing while it is filled: what has room, in tokens and characters, and what each of its parts holds so far."""

    def __init__(self, budget: int, folder: str = "") -> None:
        self.folder = folder  # at work in which the session is, unless that is the top of the project
        self.tokens = budget - block.AROUND_TOKENS
        self.characters = block.ROOM
        self.parts: dict[str, list[str]] = {PINS: [], SAID: [], STANDING: [], LEFT: [], TURNS: [], FAILING: []}
        self.items: dict[str, list[receipts.Item]] = {part: [] for part in self.parts}
        self.told: list[block.Item] = []

    def has_room(self, part: str, texts: "list[str]") -> bool:
        """Say whether texts fit into a part, with its heading."""
        heading = "" if self.parts[part] else self._heading(part)
        characters = sum([len(text) + 1 for text in texts]) + len(heading) + 1
        return _cost(texts) + len(heading) // 2 <= self.tokens and characters <= self.characters

    def _heading(self, part: str) -> str:
        return OF_FOLDER.format(row.escaped(self.folder)) if self.folder and part == TURNS else part

    def add(self, part: str, text: str, spare: int = 0, cost: int = 0) -> int:
        """Put in a text, if it fits so that so many tokens stay; returns its cost, counted where it is not given, or nothing."""
        if not cost:
            cost = row.tokens(text)
        lines, tokens, characters = self.parts[part], cost + 1, len(text) + 1  # with the line break behind it
        heading = "" if lines else self._heading(part)
        if heading:
            tokens, characters = tokens + len(heading) // 2, characters + len(heading) + 1
        if tokens + spare > self.tokens or characters > self.characters:
            return 0
        if heading:
            lines.append(heading)
        lines.append(text)
        self.tokens -= tokens
        self.characters -= characters
        return cost

    def extend(self, part: str, text: str, spare: int, cost: int) -> int:
        """Put a text behind the last one of a part, if it fits so that so many tokens stay; returns its cost, or nothing."""
        if cost + spare > self.tokens or len(text) + 2 > self.characters:
            return 0
        self.parts[part][-1] += "; " + text
        self.tokens -= cost
        self.characters -= len(text) + 2
        return cost

    def tell(self, part: str, memory: block.Memory, text: str, outcome: str, spare: int = 0, cost: int = 0) -> bool:
        """Put in a memory, if it fits, and into the receipt; unless it is pinned, what an item says already is not told again."""
        words = block.words_of(text)
        first = block.alike(self.told, words) if part != PINS else None
        if first:
            from ralph_mem.memory.inject import repeats  # lazy: only for items that are nearly the same

            text = repeats.beside(self.told, memory.label(), text, first)
            if not text:
                repeats.fold(self.items, first[0], memory.public_id)
                return True
            words, cost = block.words_of(text), 0
        cost = self.add(part, text, spare, cost)
        if cost:
            item = receipts.Item(memory.public_id, outcome, 0.0, 0, cost, memory.own_words())
            self.note(part, item, [each.public_id for each in memory.again])
            self.told.append((memory.public_id, words, text))
        return cost > 0

    def says(self, memory: block.Memory) -> bool:
        """Say whether all of a turn is told already, since it only said what another item says; then it is in the receipt."""
        if not memory.only_asks():
            return False
        first = block.alike(self.told, set(memory.asked.lower().split())) or self._noted(memory.asked)
        if first:
            from ralph_mem.memory.inject import repeats  # lazy: only for items that are nearly the same

            repeats.fold(self.items, first[0], memory.public_id)
        return first is not None

    def _noted(self, asked: str) -> "block.Item | None":
        """Return the note that a request asks to keep, such as that it be remembered, and that is told already."""
        asked = asked.lower().rstrip(CLOSING)
        for item in self.told:
            said = item[2].partition(NOTED)[2].lower().rstrip(CLOSING)
            if said and asked.endswith(" " + said) and len(asked[: -len(said)].split()) <= MOST_BEFORE_NOTED:
                return item
        return None

    def note(self, part: str, item: receipts.Item, others: "list[str]") -> None:
        """Put what was told into the receipt, with the ids of what was told in the same words."""
        self.items[part].append(item)
        if others:
            self.items[part] += receipts.folded(item, others)

    def text(self) -> str:
        """Return what it holds, in order."""
        return "\n".join([line for lines in self.parts.values() for line in lines])


def _cost(texts: "list[str]") -> int:
    return sum([row.tokens(text) + 1 for text in texts])


def build(
    stores: "list[Store]", settings: "dict[str, Any]", session: int, known: "Said | None", at: int, folder: str = "",
    elsewhere: "Sequence[str]" = (),
) -> "tuple[str, list[receipts.Item]]":  # fmt: skip
    """Return the briefing and the items of its receipt; both empty where there is nothing to tell.

    Pinned memories come first and whole, then what the person said, what holds, what loops and tests left, and the last turns.
    The first store is the project's; of a second one, that of all projects, pinned memories, notes and what holds are told.
    `known` is what the project's instructions say, `at` the time in ms. Where the session is at work in a `folder` below the top of
    the project, the turns that changed something there come first. `elsewhere` are the branches in other worktrees.
    """
    store = stores[0]
    told = receipts.told(store, session)
    read = {PINS: _pinned(stores), SAID: _notes(stores, 1, MOST_NOTES), LEFT: _notes(stores, 0, MOST_LESSONS)}
    read[TURNS] = store.execute(RECENT, (session, LOOKED_AT)).fetchall()
    held: list[Any] = [each for each in stores if each.property(FACTS) and _is_to_be_told(each.property(connection.STANDING))]
    if held:
        from ralph_mem.memory.inject import standing  # lazy: only where something holds

        held = [_ready(each, at) for each in held]
        gone = [name for kept in held for name in standing.gone_notes(kept)]
        read[SAID] = [values for values in read[SAID] if values[1] not in gone]
    at_work = folder
    if folder and read[TURNS]:
        from ralph_mem.memory.inject import folder_turns  # lazy: only for a session in a folder below the top

        read[TURNS], folder = folder_turns.first(store, read[TURNS], folder, LOOKED_AT)
    parts = _worth(read, known, settings, told)
    for memory in parts[TURNS]:
        memory.is_counted = len(read[TURNS]) < LOOKED_AT
    block.name_whereabouts(store, [memory for part in parts.values() for memory in part], elsewhere)
    page = Page(settings["memory.inject_tokens_start"], folder)
    if held or any(parts.values()):
        left_out = tell_pins(page, parts[PINS], settings["memory.inject_tokens_start"])
        failing = _still_failing(store, settings, elsewhere)
        for line in failing:
            page.add(FAILING, line)
        _tell_rest(page, parts, lambda: standing.tell(page, STANDING, held, known, told, at, at_work) if held else None)
        page.parts[FAILING] = [line for line in page.parts[FAILING] if failing[line] not in "\n".join([*page.parts[TURNS], ""])]
        page.items[PINS] += [receipts.Item(memory.public_id, receipts.MISSED, 0.0, 0, 0) for memory in left_out]
    items = [item for each in page.items.values() for item in each]
    return (page.text(), items) if any([item.tokens for item in items]) else ("", [])


def folder_at_work(project: "Project", cwd: str) -> str:
    """Return the folder at work as seen from the top of the project, nothing for the top itself or a place outside of it."""
    found = project.relative(cwd)
    return "" if found[:1] in ("", "/") or len(found) > block.LINE_CHARACTERS else found


def _pinned(stores: "list[Store]") -> "list[tuple[Any, ...]]":
    """Return the rows of what is pinned, the project's first, newest first."""
    return [values for each in stores if each.property(reading.WAS_PINNED) for values in each.execute(PINNED, (MOST_PINS,))]


def _notes(stores: "list[Store]", are_the_users: int, most: int) -> "list[tuple[Any, ...]]":
    """Return the rows of notes, newest first: two of the project, one of all projects, and so on."""
    sql = [INDEXED_NOTES if each.property(connection.NOTES_INDEXED) else NOTES for each in stores]
    own, *others = [each.execute(asked, (are_the_users, most)).fetchall() for each, asked in zip(stores, sql)]
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
                if part == TURNS and found[-1].asked and not any([values[at] for at in reading.CAME_OF_IT]):
                    found[-1].said = block.UNANSWERED
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
        if not page.tell(PINS, memory, text, receipts.FULL, spare):
            left_out.append(memory)
    if left_out:
        page.add(PINS, TOO_MANY.format(len(left_out), len(pinned), budget))
    return left_out


def _bare(memory: block.Memory) -> str:
    """Tell a memory whole, without its id and its day."""
    text = memory.full(block.WHOLE, block.WHOLE).replace(memory.label() + " ", "", 1)
    return text + (" (differs from CLAUDE.md)" if memory.differs else "")


def _is_to_be_told(kept: "str | None") -> bool:
    """Say whether there is anything among what is kept ready, or nothing is kept and somebody has to look."""
    return not kept or kept[: len(EMPTY)] != EMPTY or OF_NOTES in kept


def _ready(store: "Store", at: int) -> "dict[str, Any]":
    """Return what is kept ready of what holds in a memory at a time in ms, with the folder below which its paths are."""
    kept = store.property(connection.STANDING)
    if not kept:
        from ralph_mem.memory.facts import prepared  # lazy: only where no learner ran since a fact changed

        kept = prepared.write(store, at)[connection.STANDING]
    return {**fast.loads(kept), "root": store.tree}


def _tell_rest(page: Page, parts: "dict[str, list[block.Memory]]", tell_standing: "Callable[[], None]") -> None:
    """Spend what the pins left, by shares first, and then what is left of these."""
    room = page.tokens
    notes = _tell(page, SAID, parts[SAID], NOTE_TOKENS, room - int(room * NOTES_SHARE))
    tell_standing()
    turns = [memory for memory in parts[TURNS] if not page.says(memory)]
    newest = 2 if turns and turns[0].said == block.UNANSWERED else 1  # what was done last is told whole
    older = [*_tell(page, TURNS, turns[:newest], min(TURN_TOKENS, page.tokens), 0), *turns[newest:]]
    lessons = _tell(page, LEFT, parts[LEFT], NOTE_TOKENS, page.tokens - int(room * LESSONS_SHARE))
    _tell_lines(page, TURNS, older[:MOST_LINES])
    for part, rest in ((SAID, notes), (LEFT, lessons)):
        _tell_lines(page, part, _tell(page, part, rest, NOTE_TOKENS, 0))


def _tell(page: Page, part: str, found: "list[block.Memory]", most: int, spare: int) -> "list[block.Memory]":
    """Tell memories whole as long as so many tokens stay; returns those that do not fit."""
    rest = []
    for memory in found:
        fits = page.tokens - spare >= FEWEST_TOKENS
        text, cost = memory.brief(most) if fits else ("", 0)
        if not (fits and page.tell(part, memory, text, receipts.FULL, spare, cost)):
            rest.append(memory)
    return rest


def _tell_lines(page: Page, part: str, found: "list[block.Memory]") -> None:
    for at, memory in enumerate(found):
        if page.tokens < FEWEST_TOKENS:
            return
        is_short = part == TURNS and at >= LONG_LINES
        page.tell(part, memory, memory.line(FEW_CHARACTERS if is_short else block.OUTCOME_CHARACTERS), receipts.LINE)


def _still_failing(store: "Store", settings: "dict[str, Any]", elsewhere: "Sequence[str]") -> "dict[str, str]":
    """Tell which commands failed in the last sessions of this worktree and were not seen to pass after that."""
    ran = sessions.ran(store, elsewhere)
    if not ran:
        return {}
    from ralph_mem.memory.inject import still_failing  # lazy: only for a command that failed

    return still_failing.lines(ran, settings)


def _is_worth(memory: block.Memory) -> bool:
    """Say whether a turn changed or ran something, or was about something; "yes" and thanks are not worth a line."""
    if memory.pinned or memory.public_id[:4] == "obs-" or memory.files or memory.lines:
        return memory.says_something()
    if not query_text.terms(memory.asked) or not memory.says_something() or len(memory.asked) > FEW_CHARACTERS:
        return memory.says_something() and bool(query_text.terms(memory.asked))
    from ralph_mem.memory.inject import remarks  # lazy: only for a short prompt of which nothing came

    return not remarks.is_remark(memory.asked)
