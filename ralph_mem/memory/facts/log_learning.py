"""Learn from the logs of a memory and of git what nobody said, as far as the time goes."""

import time
from itertools import combinations

from ralph_mem.core import paths, process
from ralph_mem.core.format import day
from ralph_mem.core.settings import effective
from ralph_mem.memory import access
from ralph_mem.memory.facts import anchors, commands, mining, proved, relations, taking, wording
from ralph_mem.memory.facts.proved import Finding
from ralph_mem.memory.rows import facts, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# The property that holds when all was counted last, in ms: once a day is enough, as what it finds takes days to come about.
MINED = "mined_at"
DAY_MS = 86_400_000
ENDLESS = float("inf")
# Commits that are looked through for moves: some months of a busy project, and a fraction of a second.
MOST_COMMITS = 500
MOST_MOVES = 20  # of one file, after which it is left where it is


def learn(store: "Store", root: str, end: float, settings: "dict[str, Any] | None" = None) -> int:
    """Take in the commands that ran since the last time, and once a day count all that comes again and again.

    It leaves off when `end` on the monotonic clock has passed, and goes on there another time; returns how many commands were
    looked at. An endless `end` is a person who asks and waits: then it counts at once. `root` is the project's folder, and without
    `settings` those count that nobody changed. The caller holds no transaction.
    """
    looked_at = 0
    while time.monotonic() < end:
        step = _changed(store, lambda: commands.learn(store, _now()))
        looked_at += step
        if step < commands.MOST_AT_ONCE:
            break
    if time.monotonic() < end and (end == ENDLESS or _is_due(store)):
        count(store, root, settings or effective.DEFAULTS)
    return looked_at


def _is_due(store: "Store") -> bool:
    """Say whether a day has gone since the last time; a clock that was set back does not put it off for ever."""
    return not 0 <= _now() - int(store.property(MINED) or 0) < DAY_MS


def count(store: "Store", root: str, settings: "dict[str, Any]") -> None:
    """Count all that comes again and again, whenever that was done last, and that the settings want.

    The log is read before anything is locked.
    """
    at = _now()
    found = mining.patterns(store, at) if settings["memory.mining"] else []
    pairs = mining.tested(store, at) if settings["memory.relations"] else []
    together = places_found(store, at)

    def write() -> int:
        write_places(store, together, at)
        mining.write(store, found, pairs, at)
        store.set_property(MINED, at)
        return 0

    _changed(store, write)
    _changed(store, lambda: relations.learn(store) if settings["memory.relations"] else 0)
    _changed(store, lambda: follow_renames(store, root))


def _changed(store: "Store", what: "Callable[[], int]") -> int:
    with access.BackgroundChange(store):
        store.properties.clear()  # another process may have gone on meanwhile
        return what()


def _now() -> int:
    return time.time_ns() // 1_000_000


def follow_renames(store: "Store", root: str) -> int:
    """Move the anchors of facts whose files git has renamed below a folder; returns how many facts that were.

    In the caller's transaction. Nothing is started where every file is in its place.
    """
    lost = [fact for fact in facts.of_status(store, facts.ACTIVE, facts.CANDIDATE) if anchors.gone(fact.anchors, root)]
    moves = moved(root) if lost else {}
    followed = 0
    for fact in lost:
        changed = [_moved_anchor(anchor, moves, root) for anchor in fact.anchors]
        if changed != fact.anchors:
            facts.change(store, fact.number, {"anchors": changed})
            followed += 1
    return followed


def moved(root: str) -> "dict[str, str]":
    """Return where git has moved files lately, by where they were; paths as seen from a folder."""
    order = ["git", "-C", root, "-c", "core.fsmonitor=false", "log", f"-n{MOST_COMMITS}", "-M", "--diff-filter=R", "--name-status"]
    said = process.printed_by([*order, "--relative", "--format=", "-z"], GIT_OPTIONAL_LOCKS="0").split("\0")
    moves: dict[str, str] = {}
    for at, word in enumerate(said[:-2]):
        if word.lstrip("\n")[:1] == "R" and word.lstrip("\n")[1:].isdigit():
            moves.setdefault(said[at + 1], said[at + 2])  # the newest move comes first
    return moves


def _moved_anchor(anchor: "anchors.Anchor", moves: "dict[str, str]", root: str) -> "anchors.Anchor":
    """Return an anchor as it is after all moves of its file, with where it was first, unless that ends at nothing."""
    first = anchor["was"] if "was" in anchor else anchor["path"]
    ends = [] if anchors.there(anchor, root) else [_end_of(path, moves, root) for path in (anchor["path"], first)]
    return next(({**anchor, "path": path, "was": first} for path in ends if path), anchor)


def _end_of(path: str, moves: "dict[str, str]", root: str) -> str:
    """Return where a file is after its moves, nothing where none of them ends at a file."""
    for _ in range(MOST_MOVES):
        if paths.exists(f"{root}/{path}"):
            return path
        path = moves.get(path, path)
    return ""


# Places: which files change together, and at which port something answers.

# Half a year of work, and as much of it as a wake of a second can read.
WINDOW_MS, MOST_TURNS, MOST_COMMANDS = 180 * 86_400_000, 5_000, 5_000
FEWEST_SESSIONS, FEWEST_ANSWERS = 4, 2
# Of the sessions that changed either file both are in so many: a change log goes with all, so with none in particular.
SHARE = 0.5
# A session that changed more was a sweep through the project, and says nothing of two of its files.
MOST_FILES = 20
MOST_PAIRS = 20  # the best known ones
HERE = ("http://localhost:", "http://127.0.0.1:", "https://localhost:", "https://127.0.0.1:")


def places_found(store: "Store", at: int) -> "dict[str, Finding]":
    """Return what changes together and what answers where, as of a time in ms, by the keys of the facts."""
    return {finding.key: finding for finding in (*pairs(store, at), *answers(store, at))}


def write_places(store: "Store", found: "dict[str, Finding]", at: int) -> None:
    """Write what was found, and retire what was found before and is so no more. In the caller's transaction."""
    for key, fact in proved.write(store, facts.PLACE, facts.ACTIVE, found.values(), at).items():
        if key not in found and fact.status == facts.ACTIVE:
            taking.retire(store, fact, proved.GONE, at)


def pairs(store: "Store", at: int) -> "Iterator[Finding]":
    """Yield the pairs of files that were changed together in enough sessions, the best known first."""
    sessions: dict[int, dict[str, tuple[str, int]]] = {}
    for session, turn, changed, when in log.changed(store, at - WINDOW_MS, MOST_TURNS):
        sessions.setdefault(session, {}).update(dict.fromkeys(changed, (turn, when)))
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


def _finding(text: str, proofs: "list[tuple[str, int]]", names: "tuple[str, ...]" = ()) -> Finding:
    last = max(when for _, when in proofs)
    text = f"{text} ({len(proofs)} sessions, last on {day(last)})"
    found = Finding(wording.key(text.rpartition(" (")[0]), text, "", last, {"said": text}, names)
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
