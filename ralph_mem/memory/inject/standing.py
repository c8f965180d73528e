"""Keep lines ready in which a session's start tells what holds, and say which of them are left then."""

from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.inject.instruction_text import Said
    from ralph_mem.memory.rows.facts import Fact

    # Kept as JSON: the words that it may share with others in one line, the text, what that costs in tokens, the statement if it is
    # the person's own, the ids of the facts in it, until when it is told in ms or 0, the anchors of these facts, and the statement
    # if it is somebody else's.
    Line = list[Any]
    Command = list[str]  # what is told of it, and its id

COMMANDS, COMMANDS_TOKENS = "- commands that passed: ", 93  # four with a folder and a day have 91
NO_ROOM = "; no room for: "
DIFFERS = " (differs from CLAUDE.md)"
TEXT, COST, WORDS, IDS, UNTIL, ANCHORS, STATEMENT = range(1, 8)


def line(head: str, text: str, found: "list[Fact]", until: int) -> "Line":
    """Return the line of a fact and of those that it contradicts, told until a time in ms, or for ever."""
    first, names = found[0], [fact.public_id for fact in found]
    anchors = [anchor for fact in found for anchor in fact.anchors]
    words, statement = (first.text, "") if first.origin == "user" else ("", first.text)
    return [head, text, row.tokens(text), words, names, until, anchors, statement]


def ready(lines: "list[Line]", commands: "list[Command]", notes: "list[Fact]") -> "dict[str, Any]":
    """Return what a start reads: the lines, the commands one by one and in a line, and the anchors of notes that name paths.

    A start has to look at the lines again from a time in ms, or always where one of them names a path.
    """
    anchored, ends = any([each[ANCHORS] for each in lines]), [each[UNTIL] for each in lines if each[UNTIL]]
    again = 1 if anchored else min(ends, default=0)
    # in this order: a start knows by its beginning where there is nothing to tell
    made = {"lines": lines, "commands": commands, "line": command_line(commands), "again": again}
    return {**made, "notes": {note.public_id: note.anchors for note in notes}} if notes else made


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


def left(kept: "dict[str, Any]", known: "Said | None", told: "dict[str, str]", at: int, root: str) -> "dict[str, Any]":
    """Return of what is kept ready what is told at a time in ms in a project, below whose root its paths are.

    That is without what the instructions say, what this session's window holds, what is over, and what names a path that is gone;
    what says something else than the instructions do is marked.
    """
    lines = [each for each in kept["lines"] if each[IDS][0] not in told and not 0 < each[UNTIL] <= at]
    lines, commands = _anchored(lines, root), kept["commands"]
    if known:
        lines = [each for each in lines if not known.covers(each[WORDS] or each[STATEMENT])]
        marks = known.differs([each[WORDS] or each[STATEMENT] for each in lines])
        lines = [_with(each, DIFFERS) if mark else each for each, mark in zip(lines, marks)]
        commands = [each for each in commands if not known.covers(each[0])]
    return {"lines": lines, "line": command_line(commands)}


def gone(kept: "dict[str, Any]", root: str) -> "list[str]":
    """Return of what is kept ready the ids of the notes that name a path which is gone."""
    from ralph_mem.memory.facts import anchors  # lazy: only for a note that names a path

    return [name for name, named in kept.get("notes", {}).items() if anchors.gone(named, root)]


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
