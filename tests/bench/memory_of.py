"""Memories of a given size, made through the store's own functions from natural text."""

import contextlib
import os
import posix
import random
import shutil
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

from ralph_mem.core import project
from ralph_mem.core.redaction import gate
from ralph_mem.core.settings import effective
from ralph_mem.memory import opening
from ralph_mem.memory.ownership import seals
from ralph_mem.memory.rows import records, retention

SESSION = "00000000-0000-4000-8000-{:012d}"
DAY_MS = 86_400_000
NOW_MS = 1_790_000_000_000


class Words:
    """Natural text: pieces of the standard library's sources, of which every Python has eight megabytes."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
        self.whole = "\n".join(file.read_text(errors="replace") for file in files)

    def text(self, characters: int) -> str:
        """Return that many characters from somewhere, without indentation."""
        start = self.random.randrange(len(self.whole) - 2 * characters - 4000)
        lines = [line.strip() for line in self.whole[start : start + 2 * characters + 200].splitlines()[1:]]
        return "\n".join(line for line in lines if line)[:characters]


@contextlib.contextmanager
def at_home(home: Path) -> Iterator[None]:
    """Work as whoever has this home: what is built here is his memory, as any other would be set aside, and the real home is
    left alone.
    """
    before = posix.environ
    posix.environ = {b"HOME": os.fsencode(home), b"PATH": os.environb[b"PATH"]}
    try:
        yield
    finally:
        posix.environ = before


def build(folder: Path, turns: int, tools_per_turn: int, words: Words, characters: int = 730) -> project.Project:
    """Fill a project with so many turns of six to a session, each with tool rows; a turn is an hour."""
    folder.mkdir(parents=True, exist_ok=True)
    place = project.Project(str(folder))
    opened = opening.open_ready(place)
    opened.begin()
    for turn in range(turns):
        for record in _turn(turn, turns, tools_per_turn, words, characters, str(folder)):
            records.apply(opened, record)
        if turn % 10 == 9:
            opened.commit()
            opened.tidy()
            opened.begin()
    opened.commit()
    opened.checkpoint()
    opened.close()
    return place


def empty_what_is_due(place: project.Project) -> None:
    """Take the bodies out of old output, as the Stops of so many turns would have done."""
    opened = opening.open_ready(place)
    retention.keep_all(opened, effective.DEFAULTS, time.time_ns() // 1_000_000)
    opened.tidy()
    opened.close()


def _turn(turn: int, turns: int, tools: int, words: Words, characters: int, folder: str) -> list[dict[str, object]]:
    session = SESSION.format(turn // 6)
    at = NOW_MS - (turns - turn) * 3_600_000
    common = {"session": session, "turn": f"prompt:{turn}", "at": at, "redactions": None, "redaction_version": gate.RULES_VERSION}
    made: list[dict[str, object]] = []
    if turn % 6 == 0:
        made.append({"verb": "session", "session": session, "project": folder, "at": at, "source": "startup"})
    prompt = {"verb": "turn", "kind": "prompt", "origin": "user", "prompt": words.text(90), "branch": "main", "commit_id": ""}
    made.append({**common, **prompt})
    made += [{**common, **observation(f"{turn}-{n}", at + n, words, characters)} for n in range(tools)]
    close = {"verb": "close", "status": "stopped", "response": words.text(350), "kind": "prompt", "origin": "agent"}
    made.append({**common, **close, "prompt": "", "branch": None, "commit_id": None})
    if turn % 6 == 5:
        made.append({"verb": "end", "session": session, "at": at + 1000, "reason": "other"})
    return made


def observation(name: str, at: int, words: Words, characters: int) -> dict[str, object]:
    """Return one tool row whose texts have that many characters together on average, from 40 to 160 % of it."""
    characters = words.random.randint(characters * 2 // 5, characters * 8 // 5)
    title = "make " + words.text(30).replace("\n", " ")
    return {
        "verb": "observation", "event_id": f"toolu_01{name:>022}", "at": at, "type": "tool_use", "origin": "tool",
        "tool_name": "Bash", "title": title, "content": words.text(characters - len(title)), "files": "", "lines": "",
        "metadata": None, "agent_id": None, "agent_type": None, "tainted": 0,
    }  # fmt: skip


def copy(source: project.Project, folder: Path) -> project.Project:
    """Return a copy of a project with its memory."""
    shutil.copytree(source.root, folder)
    place = project.Project(str(folder))
    seals.note(place.folder)
    return place
