"""What each way of telling tells at a prompt.

Those are the hook, the five newest memories, everything until the budget is full, and nothing.
"""

from typing import Any

from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.core.redaction import privacy
from ralph_mem.memory import capture
from ralph_mem.memory.inject import block, prompting
from ralph_mem.memory.recall import search
from ralph_mem.memory.rows import index_text, row

HOOK, ALL, FIVE, NOTHING = ARMS = ("hook", "inject-all", "newest-five", "none")
# No session of the store: nothing happened in its context window, and nothing was told yet.
NEW_SESSION = prompting.Window(0, 0, {})
NEWEST_TOLD = 5
# More than fit into any budget for a prompt: the shortest line about a memory costs ten tokens.
MOST_TOLD = 100
NEWEST = "SELECT id FROM memories ORDER BY created_at DESC, id DESC LIMIT ?"

Told = list[tuple[str, int]]  # public ids of memories, with what each costs in tokens


def told(throwaway: Throwaway, text: str, now: int, sense: Any = None) -> dict[str, Told]:
    """Return what each arm tells a new session at a prompt."""
    return {HOOK: _by_hook(throwaway, text, now, sense), **_without_asking(throwaway), NOTHING: []}


def judged(throwaway: Throwaway, text: str, now: int, sense: Any = None) -> list[tuple[str, float]]:
    """Return the memories that the hook judges at a prompt, by their public ids, with how likely each is meant."""
    words = is_looked_up(text)
    hits = search.hits(throwaway.store, words, now, sense) if words else []
    return [(hit.values[1], hit.chance) for hit in hits]


def is_looked_up(text: str) -> str:
    """Return the words of a prompt that the hook looks up, nothing for one that it does not."""
    words = privacy.without_injected(text)
    return words if capture.kind_of(words) == "prompt" and index_text.terms(words) else ""


def cost(items: Told) -> int:
    """Return what telling costs in tokens, with the lines around it."""
    return row.tokens(block.OPENING) + block.FENCE_TOKENS + sum(tokens for _, tokens in items) if items else 0


def _by_hook(throwaway: Throwaway, text: str, now: int, sense: Any) -> Told:
    words = is_looked_up(text)
    if not words:
        return []
    _, items = prompting.build([throwaway.store], throwaway.project, throwaway.settings, words, NEW_SESSION, now, sense)
    return [(item.memory, item.tokens) for item in items if item.outcome != "missed"]


def _without_asking(throwaway: Throwaway) -> dict[str, Told]:
    """Return what the two other ways tell: all memories in full, or five in a line each and then in full, as there is room."""
    numbers = [str(number) for (number,) in throwaway.store.execute(NEWEST, (MOST_TOLD,))]
    known = [block.Memory(values, None, throwaway.settings) for values in index_text.load_rows(throwaway.store, numbers)]
    newest = [
        (memory.public_id, row.tokens(memory.line()), row.tokens(memory.full())) for memory in known if memory.says_something()
    ]
    room = throwaway.settings["memory.inject_tokens_prompt"] - row.tokens(block.OPENING) - block.FENCE_TOKENS
    return {ALL: _in_full(newest, room), FIVE: _in_lines(newest[:NEWEST_TOLD], room)}


def _in_full(newest: list[tuple[str, int, int]], room: int) -> Told:
    found = []
    for name, _, full in newest:
        room -= full
        if room < 0:
            break
        found.append((name, full))
    return found


def _in_lines(newest: list[tuple[str, int, int]], room: int) -> Told:
    found = {}
    for name, line, _ in newest:
        if line <= room:
            found[name] = line
            room -= line
    for name, line, full in newest:
        if name in found and full - line <= room:
            found[name] = full
            room -= full - line
    return list(found.items())
