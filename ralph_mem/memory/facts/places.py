"""Learn from the log which files change together, and at which port something answers."""

from itertools import combinations

from ralph_mem.core.format import day
from ralph_mem.memory.facts import proved, taking, wording
from ralph_mem.memory.facts.proved import Finding
from ralph_mem.memory.rows import facts, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph_mem.memory.store.connection import Store

# Half a year of work, and as much of it as a wake of a second can read.
WINDOW_MS, MOST_TURNS, MOST_COMMANDS = 180 * 86_400_000, 5_000, 5_000
FEWEST_SESSIONS, FEWEST_ANSWERS = 4, 2
# Of the sessions that changed either file both are in so many: a change log goes with all, so with none in particular.
SHARE = 0.5
# A session that changed more was a sweep through the project, and says nothing of two of its files.
MOST_FILES = 20
MOST_PAIRS = 20  # the best known ones
HERE = ("http://localhost:", "http://127.0.0.1:", "https://localhost:", "https://127.0.0.1:")


def found(store: "Store", at: int) -> "dict[str, Finding]":
    """Return what changes together and what answers where, as of a time in ms, by the keys of the facts."""
    return {finding.key: finding for finding in (*pairs(store, at), *answers(store, at))}


def write(store: "Store", found: "dict[str, Finding]", at: int) -> None:
    """Write what was found, and retire what was found before and is so no more. In the caller's transaction."""
    for key, fact in proved.write(store, facts.PLACE, facts.ACTIVE, found.values(), at).items():
        if key not in found and fact.status == facts.ACTIVE:
            taking.retire(store, fact, proved.GONE, at)


def pairs(store: "Store", at: int) -> "Iterator[Finding]":
    """Yield the pairs of files that were changed together in enough sessions, the best known first."""
    sessions: dict[int, dict[str, tuple[str, int]]] = {}
    for session, turn, paths, time in log.changed(store, at - WINDOW_MS, MOST_TURNS):
        sessions.setdefault(session, {}).update(dict.fromkeys(paths, (turn, time)))
    alone: dict[str, int] = {}
    both: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for files in sessions.values():
        for path in files if len(files) <= MOST_FILES else ():
            alone[path] = alone.get(path, 0) + 1
        for one, other in combinations(sorted(files), 2) if len(files) <= MOST_FILES else ():
            both.setdefault((one, other), []).append(files[other])
    often = [
        (pair, turns) for pair, turns in both.items()
        if len(turns) >= FEWEST_SESSIONS and len(turns) >= SHARE * max(alone[pair[0]], alone[pair[1]])
    ]  # fmt: skip
    for (one, other), turns in sorted(often, key=lambda each: (-len(each[1]), each[0]))[:MOST_PAIRS]:
        yield _finding(f"`{one}` and `{other}` change together", turns, (one, other))


def answers(store: "Store", at: int) -> "Iterator[Finding]":
    """Yield the addresses on this machine that answered a command in enough sessions."""
    answered: dict[str, dict[int, tuple[str, int]]] = {}
    for command in log.ran_since(store, at - WINDOW_MS, MOST_COMMANDS):
        address = _address(command.line) if command.outcome != "error" and command.output.strip() else ""
        if address:
            answered.setdefault(address, {})[command.session] = (command.public_id, command.at)
    for address, sessions in answered.items():
        if len(sessions) >= FEWEST_ANSWERS:
            yield _finding(f"Something answers at {address}", list(sessions.values()))


def _finding(text: str, proofs: "list[tuple[str, int]]", anchors: "tuple[str, ...]" = ()) -> Finding:
    last = max(time for _, time in proofs)
    text = f"{text} ({len(proofs)} sessions, last on {day(last)})"
    found = Finding(wording.key(text.rpartition(" (")[0]), text, "", last, {"said": text}, anchors)
    found.sources = [name for name, _ in proofs]
    return found


def _address(line: str) -> str:
    """Return the address with its port that a command of one part asks; nothing for any other command."""
    if any([sign in line for sign in ("|", ";", "&", ">")]):
        return ""
    words = line.replace('"', " ").replace("'", " ").split()
    for word in words if words[:1] in (["curl"], ["wget"], ["http"]) else ():
        for beginning in HERE:
            port = word.removeprefix(beginning).partition("/")[0] if word.startswith(beginning) else ""
            if port.isdigit():
                return beginning + port
    return ""
