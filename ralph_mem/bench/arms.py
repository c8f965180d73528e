"""What each way of telling tells at a prompt.

Those are the hook, the five newest memories, everything until the budget is full, and nothing.
"""

from collections import namedtuple
from typing import Any

from ralph_mem.bench.asking import Prompt
from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.memory import conversation
from ralph_mem.memory.inject import block, prompting
from ralph_mem.memory.recall import search
from ralph_mem.memory.rows import query_text, reading, row, turns

HOOK, ALL, FIVE, NOTHING = ARMS = ("hook", "inject-all", "newest-five", "none")
NEW_SESSION = 0  # no session of the store: nothing happened in its context window
NEWEST_TOLD = 5
# More than fit into any budget for a prompt: the shortest line about a memory costs ten tokens.
MOST_TOLD = 100
TAG = "0" * 24  # as long as one of a hook
NEWEST = "SELECT id FROM memories ORDER BY created_at DESC, id DESC LIMIT ?"

# The public ids of memories, and the whole text that tells them.
Told = namedtuple("Told", "names text")
SILENCE = Told((), "")


def told(throwaway: Throwaway, prompt: Prompt, sense: Any = None) -> dict[str, Told]:
    """Return what each arm tells at a prompt a session that was told nothing yet."""
    session = session_of(throwaway, prompt)
    return {HOOK: _by_hook(throwaway, prompt, session, sense), **_without_asking(throwaway, session), NOTHING: SILENCE}


def judged(throwaway: Throwaway, prompt: Prompt, sense: Any = None) -> list[tuple[str, float]]:
    """Return the memories that the hook judges at a prompt, by their public ids, with how likely each is meant."""
    words = is_looked_up(prompt.text)
    at_hand = turns.at_hand(throwaway.store, session_of(throwaway, prompt), 0)
    hits = search.hits(throwaway.store, words, prompt.at, sense, at_hand=at_hand) if words else []
    return [(hit.values[1], hit.chance) for hit in hits]


def session_of(throwaway: Throwaway, prompt: Prompt) -> int:
    """Return the number of the session in which a prompt is asked, which is there if it has done something before."""
    return throwaway.number_of_session() if prompt.here > prompt.known else NEW_SESSION


def is_looked_up(text: str) -> str:
    """Return the words of a prompt that the hook looks up, nothing for one that it does not."""
    words = conversation.asked(text)
    return words if conversation.kind_of(words) == "prompt" and query_text.terms(words) else ""


def _by_hook(throwaway: Throwaway, prompt: Prompt, session: int, sense: Any) -> Told:
    words = is_looked_up(prompt.text)
    if not words:
        return SILENCE
    window = prompting.Window(session, 0, {})
    said, items = prompting.build([throwaway.store], throwaway.project, throwaway.settings, words, window, prompt.at, sense)
    return _fenced(throwaway, [(item.memory, "") for item in items if item.outcome != "missed"], said)


def _fenced(throwaway: Throwaway, items: list[tuple[str, str]], said: str = "") -> Told:
    """Return what was told with the lines around it, or silence where that is nothing."""
    texts = said or "\n".join(text for _, text in items)
    whole = block.fence(texts, TAG, throwaway.project, throwaway.settings)
    return Told(tuple(name for name, _ in items), whole) if items else SILENCE


def _without_asking(throwaway: Throwaway, session: int) -> dict[str, Told]:
    """Return what the two other ways tell: all memories in full, or five in a line each and then in full, as there is room.

    What happened in the session itself they do not tell either.
    """
    numbers = [str(number) for (number,) in throwaway.store.execute(NEWEST, (MOST_TOLD,))]
    known = [block.Memory(values, None, throwaway.settings) for values in reading.load_rows(throwaway.store, numbers)]
    newest = [memory for memory in known if memory.says_something() and memory.session != session]
    room = throwaway.settings["memory.inject_tokens_prompt"] - block.AROUND_TOKENS
    told = {ALL: _in_full(newest, room), FIVE: _in_lines(newest[:NEWEST_TOLD], room)}
    return {arm: _fenced(throwaway, items) for arm, items in told.items()}


def _in_full(newest: list[block.Memory], room: int) -> list[tuple[str, str]]:
    found = []
    for memory in newest:
        room -= row.tokens(memory.full())
        if room < 0:
            break
        found.append((memory.public_id, memory.full()))
    return found


def _in_lines(newest: list[block.Memory], room: int) -> list[tuple[str, str]]:
    found = {}
    for memory in newest:
        if row.tokens(memory.line()) <= room:
            found[memory.public_id] = memory.line()
            room -= row.tokens(memory.line())
    for memory in newest:
        more = row.tokens(memory.full()) - row.tokens(memory.line())
        if memory.public_id in found and more <= room:
            found[memory.public_id] = memory.full()
            room -= more
    return list(found.items())
