"""Choose what is told of a time, so that each of its days has a turn."""

import time

from ralph_mem.memory.inject import block, prompt_items, remarks
from ralph_mem.memory.recall import search
from ralph_mem.memory.rows import reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.inject.prompting import Window
    from ralph_mem.memory.rows import receipts
    from ralph_mem.memory.store.connection import Store

MOST = 8  # lines of eight turns leave room for one of them in full; of more days, each of eight parts has its turn first
MOST_READ = 20  # of which some may say the same, or what the instructions say
LEFT_TOKENS = 52  # of the line that says how many are left, with a number of four digits
LEFT = "(Turns of that time that are not told here: {}; /mem sessions --since {} --until {} lists their sessions.)"
PUBLIC_ID, AT, DID = 1, 2, slice(3, 5)


def told(
    store: "Store", project: "Project", settings: "dict[str, Any]", span: "tuple[int, int]", window: "Window"
) -> "tuple[str, list[receipts.Item]]":
    """Return what was done in a time in ms, newest first, and the items of its receipt; a last line says how much is left out."""
    turns = [each for each in store.execute(reading.OF_TIME, (*span, window.session, window.since)) if _is_news(each, window)]
    found = _hits(store, _by_days(turns)[:MOST_READ])
    spare = LEFT_TOKENS if len(turns) > MOST else 0
    texts, items = prompt_items.told(store, found, project, settings, window, MOST, spare) if found else ([], [])
    room = settings["memory.inject_tokens_prompt"] - block.AROUND_TOKENS - sum([item.tokens + 1 for item in items])
    known = {item.memory for item in items} | set(window.told)
    left = len([each for each in turns if each[PUBLIC_ID] not in known])
    if texts and left and room >= LEFT_TOKENS:
        texts.append(LEFT.format(left, *[time.strftime("%Y-%m-%d", time.localtime(at / 1000)) for at in span]))
    return "\n".join(texts), items


def _is_news(turn: "tuple[Any, ...]", window: "Window") -> bool:
    """Say whether a turn was not told whole, and did or said more than a remark."""
    *_, files, lines, asked, _ = turn
    return window.told.get(turn[PUBLIC_ID]) != "full" and bool(files or lines or not remarks.is_remark(asked))


def _by_days(turns: "list[tuple[Any, ...]]") -> "list[str]":
    """Return the numbers of turns: of each day, or part of many days, the one that did most, then the one after that."""
    days: dict[tuple[int, ...], list[tuple[Any, ...]]] = {}
    for turn in turns:
        days.setdefault(time.localtime(turn[AT] / 1000)[:3], []).append(turn)
    parts: list[list[tuple[Any, ...]]] = [[] for _ in range(min(len(days), MOST))]
    for at, day in enumerate(days.values()):
        parts[at * len(parts) // len(days)] += day
    for part in parts:
        part.sort(key=lambda turn: turn[DID], reverse=True)
    most = max(map(len, parts), default=0)
    return [str(part[at][0]) for at in range(most) for part in parts if at < len(part)]


def _hits(store: "Store", numbers: "list[str]") -> "list[search.Hit]":
    return [search.Hit(values, 1.0, 1.0, (), True) for values in reading.load_rows(store, numbers)]
