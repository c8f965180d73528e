"""Tell at a session's start what holds, in lines that are kept ready."""

from ralph_mem.memory.inject import block
from ralph_mem.memory.rows import receipts, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.inject.briefing import Page
    from ralph_mem.memory.inject.instruction_text import Said

    # Kept as JSON: the words that it may share with others in one line, the text, what that costs in tokens, the statement if it is
    # the person's own, the ids of the facts in it, until when it is told in ms or 0, the anchors of these facts, and the statement
    # if it is somebody else's.
    Line = list[Any]
    Command = list[str]  # what is told of it, and its id

# So many lines and tokens; of what was said in passing some sentences in a line behind a few words.
STANDING_LINES, STANDING_TOKENS, MOST_IN_LINE, HEAD_TOKENS = 5, 300, 3, 5
# A session that begins further down stands in another folder than the commands are typed in.
PASSED, PASSED_TYPED, TYPED_TOKENS = " passed: ", " passed, typed in the project's top folder: ", 10
COMMANDS, COMMANDS_TOKENS = "- commands that passed: ", 93  # four with a folder and a day have 91
NO_ROOM = "; no room for: "
DIFFERS = " (differs from CLAUDE.md)"
TEXT, COST, WORDS, IDS, UNTIL, ANCHORS, STATEMENT = range(1, 8)


def gone_notes(kept: "dict[str, Any]") -> "list[str]":
    """Return of what is kept ready the ids of the notes that name a path which is gone."""
    notes = kept.get("notes")
    if not notes:
        return []
    from ralph_mem.memory.facts import anchors  # lazy: only for a note that names a path

    return [name for name, named in notes.items() if anchors.gone(named, kept["root"])]


def tell(
    page: "Page", part: str, held: "list[dict[str, Any]]", known: "Said | None", told: "dict[str, str]", at: int, folder: str
) -> None:  # fmt: skip
    """Tell in a part of a briefing what is kept ready of each memory, and which commands passed in the first one's project.

    `known` is what the project's instructions say, `told` what this session's window holds, `at` the time in ms, `folder` the one
    below the project's top at work in which the session is. What speaks of another folder is not told.
    """
    begun, before, behind, spare = 0, "", 0, page.tokens - STANDING_TOKENS - len(part) // 2
    for number, each in enumerate(held):
        kept = _left(each, known, told, at) if known or told or 0 < each["again"] <= at else each
        of_folders = each.get("folders", {})
        for line in kept["lines"]:
            if of_folders and not _is_near(of_folders.get(line[IDS][0], ""), folder):
                continue
            head, text, tokens, own, ids, *_, other = line
            words = set((own or other).lower().split()) if head else block.words_of(text)
            first = block.alike(page.told, words)
            if first:
                head, text, tokens, words = "", *_beside(line, first, page)
            goes_on = head and head == before and behind < MOST_IN_LINE
            if goes_on:
                cost = page.extend(part, text, spare, tokens + 1)
            elif text and begun < STANDING_LINES:
                cost = page.add(part, head + text, spare, tokens + HEAD_TOKENS if head else tokens)
            else:
                continue
            if cost:
                page.note(part, receipts.Item(ids[0], receipts.FULL, 0.0, 0, cost, own), ids[1:])
                page.told.append((ids[0], words, "- " + (own or other) if head else text))
                before, behind, begun = head, behind + 1 if goes_on else 1, begun if goes_on else begun + 1
        if kept["line"] and not number:
            _tell_commands(page, part, kept["line"], bool(folder))


def _is_near(one: str, other: str) -> bool:
    """Say whether one of two folders holds the other; the top, which has no name, holds all."""
    return not one or f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/") or not other


def _tell_commands(page: "Page", part: str, line: "Line", is_below: bool) -> None:
    _, text, tokens, _, ids, *_ = line
    if is_below:
        text, tokens = text.replace(PASSED, PASSED_TYPED, 1), tokens + TYPED_TOKENS
    if page.add(part, text, 0, tokens):
        page.note(part, receipts.Item(ids[0], receipts.FULL, 0.0, 0, tokens), ids[1:])


def _beside(line: "Line", first: "block.Item", page: "Page") -> "tuple[str, int, set[str]]":
    """Return the text, the tokens and the words of a line that an item says nearly in full; no text where that says all."""
    head, text, _, own, ids, *_, other = line
    label = head[2:-1] if head else text[2 : text.find("] ") + 1]
    from ralph_mem.memory.inject import repeats  # lazy: only for items that are nearly the same

    shorter = repeats.beside(page.told, label, "- " + (own or other) if head else text, first)
    if not shorter:
        repeats.fold(page.items, first[0], ids[0])
    return shorter, row.tokens(shorter), block.words_of(shorter)


def command_line(commands: "list[Command]") -> "Line":
    """Return the line of the commands of which it is known that they passed, and for what others are; nothing without any."""
    room, kept, names, others = COMMANDS_TOKENS, [], [], []
    for said, public_id in commands:
        cost = row.tokens(said)
        if cost <= room:
            room -= cost
            kept.append(said)
            names.append(public_id)
        else:
            others.append(said.partition(":")[0])
    text = COMMANDS + "; ".join(kept) + (NO_ROOM + ", ".join(others) if others else "")
    return ["", text, row.tokens(text), "", names, 0, [], ""] if kept else []


def _left(kept: "dict[str, Any]", known: "Said | None", told: "dict[str, str]", at: int) -> "dict[str, Any]":
    """Return of what is kept ready what is told at a time in ms.

    That is without what the instructions say, what this session's window holds, what is over, and what names a path that is gone;
    what says something else than the instructions do is marked.
    """
    lines = [each for each in kept["lines"] if each[IDS][0] not in told and not 0 < each[UNTIL] <= at]
    lines, commands = _anchored(lines, kept["root"]), kept["commands"]
    if known:
        lines = [each for each in lines if not known.covers(each[WORDS] or each[STATEMENT])]
        marks = known.differs([each[WORDS] or each[STATEMENT] for each in lines])
        lines = [_with(each, DIFFERS) if mark else each for each, mark in zip(lines, marks)]
        commands = [each for each in commands if not known.covers(each[0])]
    return {"lines": lines, "line": command_line(commands)}


def _anchored(lines: "list[Line]", root: str) -> "list[Line]":
    """Return the lines of which no path is gone, with what is to be said behind them."""
    if not any([each[ANCHORS] for each in lines]):
        return lines
    from ralph_mem.memory.facts import anchors  # lazy: only for a statement that names a path

    remarks = [anchors.told(each[ANCHORS], root) for each in lines]
    return [_with(each, " " + remark) if remark else each for each, remark in zip(lines, remarks) if remark is not None]


def _with(line: "Line", more: str) -> "Line":
    text = line[TEXT] + more
    return [line[0], text, row.tokens(text), *line[WORDS:]]
