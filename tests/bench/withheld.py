"""`python -m tests.bench.withheld FILE.json [OTHER.json ...]`: how many ordinary answers are withheld for what strangers said.

A history (docs/benchmarks.md) is played through the hooks' functions: each prompt, command and file, then the answer. It does not
hold what programs printed. So each command and file brings in texts on the same subject, those with the most words of the turn: of
the other files, which strangers wrote; without any, of what the same agent said in later sessions, which has its turns of phrase
and is the severer test. Where all that is brought in is the project's own, it makes no difference.
"""

import functools
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from ralph_mem.bench import histories
from ralph_mem.core import paths
from ralph_mem.core import project as projects
from ralph_mem.core.command_lines import commands, purposes
from ralph_mem.memory import opening, origins
from tests.bench.memory_of import at_home
from tests.sessions import NOON, Session

MUST_PER_100 = 2
PROGRAMS = (
    commands.LOOKING | commands.NAMING | commands.CHECKING | commands.RUNNING | commands.FETCHING | commands.CONTAINERS
    | commands.LAUNCHING | origins.SHOWING | origins.SEARCHING | purposes.RUNNERS | frozenset("git gofmt brew for npm ssh".split())
)  # fmt: skip
TELLING = 5  # letters of a word that says what a text is about
LONGEST_RUN = 20  # texts of a stranger that come in together, as the entries of a log do


def main() -> None:
    """Print the share of answers that are withheld, by reason."""
    counts: Counter[str] = Counter()
    strangers = [memory for path in sys.argv[2:] for history in histories.read(path).projects for memory in history.memories]
    for history in histories.read(sys.argv[1]).projects:
        with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as folder, at_home(Path(folder, "home")):
            counts += _played(history.memories, Path(folder, "project"), strangers)
    answers = counts["answers"]
    for name in ("answers", "that had something from outside before them", "in the turn of a page", "repeats", "withheld"):
        print(f"{name:<48} {counts[name]:>6}  {100 * counts[name] / max(answers, 1):.1f} in 100")
    print(f"must: at most {MUST_PER_100} in 100 withheld")


def _played(memories: list[histories.Memory], root: Path, strangers: list[histories.Memory]) -> Counter[str]:
    _repository(memories, root)
    own = _own_paths(memories)
    place = projects.find(str(root))
    opened = opening.open_ready(place)
    counts: Counter[str] = Counter()
    session = Session(opened, place)
    for at, memory in enumerate(memories):
        if memory.session != session.name:
            session = Session(opened, place, memory.session, NOON + at * 3_600_000)
            session.starts()
        _turn(session, memory, _nearest(strangers or memories[at + 1 :], memory), own)
        ((tainted,),) = session.rows("SELECT tainted FROM turns ORDER BY id DESC LIMIT 1")
        page = session.rows("SELECT 1 FROM observations WHERE origin = 'outside' AND turn_id = (SELECT max(id) FROM turns) LIMIT 1")
        heard = Path(place.folder, paths.HEARD, paths.key_of(memory.session)).exists()
        counts.update(["answers"] * bool(memory.text))
        counts.update(["that had something from outside before them"] * bool(memory.text and (heard or page)))
        if memory.text and tainted:
            counts.update(["withheld", "in the turn of a page" if page else "repeats"])
    opened.close()
    return counts


def _repository(memories: list[histories.Memory], root: Path) -> None:
    """Make a repository that tracks every file that is named by its place in it."""
    root.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "."], cwd=root, check=True)
    for path in _own_paths(memories):
        file = root / path
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        except OSError:  # a folder of the same name
            continue
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)


def _own_paths(memories: list[histories.Memory]) -> list[str]:
    named = [path for memory in memories for path in [*memory.files, *memory.reads]]
    return sorted({path for path in named if path[:1] not in ("/", "~") and ".." not in path})


def _turn(session: Session, memory: histories.Memory, brought: str, own: list[str]) -> None:
    session.asks(memory.title or "Go on.")
    for read in memory.reads:
        path = next((each for each in own if read.endswith("/" + each)), read)
        whole = path if path[:1] in ("/", "~") else f"{session.project.root}/{path}"
        file = {"filePath": whole, "content": brought, "numLines": 1, "startLine": 1, "totalLines": 1}
        session.uses("Read", {"type": "text", "file": file}, file_path=whole)
    for line in memory.lines:
        command = _command(line)
        if command:
            session.runs(_at_home(command, session.project.root, own), brought)
    session.is_answered(memory.text)


def _command(line: str) -> str:
    """Return the command behind its description, nothing where none is known."""
    words = line.split(" ")
    at = next((at for at, word in enumerate(words) if word in PROGRAMS), None)
    return "" if at is None or line[:1] in "+-" else " ".join(words[at:])


def _at_home(command: str, root: str, own: list[str]) -> str:
    """Return a command with the place of this project for that of the one it was typed in, by what stands behind it."""
    tops = {path.partition("/")[0] for path in own if "/" in path}
    words = []
    for word in command.split(" "):
        parts = word.split("/")
        at = next((at for at, part in enumerate(parts) if at and part in tops), 0) if word[:1] in "~/" else 0
        words.append("/".join([root, *parts[at:]]) if at else word)
    return " ".join(words)


def _nearest(others: list[histories.Memory], memory: histories.Memory) -> str:
    wanted = _words(f"{memory.title} {memory.text}")
    found = [each for each in others if each.session != memory.session]
    found.sort(key=lambda each: len(wanted & _words(each.text)), reverse=True)
    return "\n".join(f"{each.title or ''}\n{each.text}" for each in found[:LONGEST_RUN])


@functools.cache
def _words(text: str) -> frozenset[str]:
    return frozenset({word for word in text.lower().split() if len(word) >= TELLING})


if __name__ == "__main__":
    main()
