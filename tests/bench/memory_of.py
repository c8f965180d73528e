"""Memories of a given size, made through the store's own functions from text whose words are as rare as real ones."""

import random
import shutil
from pathlib import Path

from ralph_mem.core import adoption, project, records, store

SESSION = "00000000-0000-4000-8000-{:012d}"
DAY_MS = 86_400_000
NOW_MS = 1_790_000_000_000


class Words:
    """A vocabulary with the frequencies of natural text: the n-th word comes with a weight of 1/n."""

    def __init__(self, seed: int, size: int = 30_000) -> None:
        self.random = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbgk"
        self.words = ["".join(self.random.choices(letters, k=self.random.randint(3, 9))) for _ in range(size)]
        self.weights = [1 / (n + 2) for n in range(size)]
        self.pool = self.random.choices(self.words, self.weights, k=400_000)

    def text(self, characters: int) -> str:
        """Return that many characters, in lines of eleven words."""
        start = self.random.randrange(len(self.pool) - 2000)
        words = self.pool[start : start + characters // 4]
        lines = [" ".join(words[at : at + 11]) for at in range(0, len(words), 11)]
        return "\n".join(lines)[:characters]


def build(folder: Path, turns: int, tools_per_turn: int, words: Words, characters: int = 730) -> project.Project:
    """Fill a project with so many turns of six to a session, each with tool rows; a turn is an hour."""
    folder.mkdir(parents=True, exist_ok=True)
    place = project.Project(str(folder))
    adoption.make_ready(place)
    opened = store.connect(place.folder, 2000)
    opened.begin()
    for turn in range(turns):
        for record in _turn(turn, turns, tools_per_turn, words, characters, str(folder)):
            records.apply(opened, record)
        if turn % 500 == 499:
            opened.commit()
            opened.tidy()
            opened.begin()
    opened.commit()
    for _ in range(200):
        opened.tidy()
    opened.checkpoint()
    opened.db.close()
    return place


def _turn(turn: int, turns: int, tools: int, words: Words, characters: int, folder: str) -> list[dict[str, object]]:
    session = SESSION.format(turn // 6)
    at = NOW_MS - (turns - turn) * 3_600_000
    common = {"session": session, "turn": f"prompt:{turn}", "at": at, "redactions": None, "redaction_version": 1}
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
    """Return one tool row whose texts have that many characters together."""
    title = "make " + words.text(30).replace("\n", " ")
    return {
        "verb": "observation", "event_id": f"tool:toolu_01{name:>022}", "at": at, "type": "tool_use", "origin": "tool",
        "tool_name": "Bash", "title": title, "content": words.text(characters - len(title)), "files": "", "lines": "",
        "metadata": '{"ms": 120}', "agent_id": None, "agent_type": None, "tainted": 0,
    }  # fmt: skip


def copy(source: project.Project, folder: Path) -> project.Project:
    """Return a copy of a project with its memory."""
    shutil.copytree(source.root, folder)
    return project.Project(str(folder))
