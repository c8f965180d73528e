"""Read failures and what was done about them out of the lessons of runs, and make one lesson of several."""

import re

from ralph_mem.core.format import day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# How the lines of a lesson begin. They stand in stored rows, so they never change.
FAILED, OPEN, TEST = "failed: ", "still failing: ", "  in: "
FIXED, IN_VAIN, UNDONE, GONE = "fixed by: ", "did not help: ", "passed with this, which was rolled back: ", "gone after iteration "
EARLIER = "fixed earlier by: "
DONE = (FIXED, EARLIER, IN_VAIN, UNDONE, GONE)
# A lesson is read whole: as many as the one of a single run has. Of remedies that worked the newest one, and one before it.
MOST_FAILURES, MOST_IN_VAIN, MOST_EARLIER = 8, 4, 1
# A name that is neither called nor a part of another one: what a copied line is renamed in.
RENAMED = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*(?![\w(])")
NUMBERS = re.compile(r"( \+\d+ -\d+| \((added|changed|deleted)\))$")


class Remedy:
    """A change that was tried against a failure: `done` says how it ended, `told` names its files, `lines` are quoted."""

    __slots__ = ("done", "lines", "told")

    def __init__(self, done: str, told: str, lines: "Sequence[str]" = ()) -> None:
        self.done, self.told, self.lines = done, told, list(lines)

    @property
    def key(self) -> str:
        """Return what makes it the same change: the lines that it added, or where none are known its files."""
        return "\n".join(added(self.lines)) or self.told

    def text(self, done: str = "", word: str = "") -> str:
        """Return it as a lesson tells it."""
        return "\n".join([f"{done or self.done}{self.told}{word}", *self.lines])


class Account:
    """What a lesson says in one paragraph: failures as pairs of message and test, whether they last, and the remedies."""

    __slots__ = ("failures", "is_open", "remedies")

    def __init__(self, paragraph: str) -> None:
        self.failures: list[tuple[str, str]] = []
        self.remedies: list[Remedy] = []
        self.is_open = paragraph.startswith(OPEN)
        for line in paragraph.splitlines():
            self._add(line)

    def _add(self, line: str) -> None:
        done = next((word for word in DONE if line.startswith(word)), "")
        if line.startswith((FAILED, OPEN)):
            said = line.partition(": ")[2]
            self.failures.append((said, said))
        elif done:
            self.remedies.append(Remedy(done, line[len(done) :]))
        elif line.startswith(TEST) and self.failures and not self.remedies:
            self.failures[-1] = (self.failures[-1][0], line[len(TEST) :])
        elif line.startswith("  ") and self.remedies:
            self.remedies[-1].lines.append(line)


def accounts(text: str) -> "list[Account]":
    """Return the paragraphs of a lesson that tell of a failure."""
    found = [Account(paragraph) for paragraph in text.split("\n\n")]
    return [each for each in found if each.failures]


def added(lines: "Iterable[str]") -> "list[str]":
    """Return the lines that a quoted change added, without their marks and their indentation."""
    stripped = [line.strip() for line in lines]
    return [line[1:].strip() for line in stripped if line.startswith("+") and line[1:].strip()]


def tried(text: str, *done: str) -> "list[Remedy]":
    """Return the remedies that a lesson tells of, all or those that ended so."""
    return [one for each in accounts(text) for one in each.remedies if not done or one.done in done]


def shape(line: str) -> str:
    """Return a line of code without the names that a copy of it has others for; it is its own where nothing else is left."""
    found = RENAMED.sub("_", line)
    return found if re.search(r"[A-Za-z0-9'\"]", found) else line


def paths(remedy: Remedy) -> "list[str]":
    """Return the files that a remedy names."""
    parts = remedy.told.split(", ") if remedy.done != GONE else []
    return [NUMBERS.sub("", part) for part in parts if NUMBERS.search(part)]


class History:
    """What was done about some failures over several runs, given as times in ms and texts, oldest first.

    `key_of` makes the key of a failure of its test and its message; only failures of the `wanted` keys count.
    """

    def __init__(self, told: "Iterable[tuple[int, str]]", wanted: "set[str]", key_of: "Callable[[str, str], str]") -> None:
        self.failures: dict[str, tuple[tuple[str, str], bool]] = {}
        self.tried: dict[str, list[tuple[int, Remedy]]] = {}
        for at, text in told:
            for account in accounts(text):
                mine = {key: each for each in account.failures for key in [key_of(each[1], each[0])] if key in wanted}
                self.failures.update({key: (each, account.is_open) for key, each in mine.items()})
                for remedy in account.remedies if mine else ():
                    self.tried.setdefault(remedy.key, []).append((at, remedy))

    def last(self, *done: str) -> "list[list[tuple[int, Remedy]]]":
        """Return the remedies that ended so the last time that they were tried, each with all its times, newest first."""
        found = [times for times in self.tried.values() if times[-1][1].done in done]
        return sorted(found, key=lambda times: -times[-1][0])

    def fix(self) -> "Remedy | None":
        """Return the remedy that worked last, and has not failed since."""
        worked = self.last(FIXED)
        return worked[0][-1][1] if worked else None

    def paths(self) -> "list[str]":
        """Return the files of what worked, and where nothing did of what was tried."""
        chosen = self.last(FIXED) or list(self.tried.values())
        return list(dict.fromkeys(path for times in chosen for path in paths(times[-1][1])))

    def text(self) -> str:
        """Return the lesson: the failures, what fixed them last and before, and what did not help, newest first."""
        lines = []
        for (said, test), is_open in [*self.failures.values()][:MOST_FAILURES]:
            lines.append((OPEN if is_open else FAILED) + said)
            lines += [TEST + test] if test != said else []
        worked = self.last(FIXED)
        lines += [times[-1][1].text(word=_often(times)) for times in worked[:1]]
        lines += [times[-1][1].text(EARLIER, f" (on {day(times[-1][0])})") for times in worked[1 : 1 + MOST_EARLIER]]
        lines += [times[-1][1].text() for times in (self.last(UNDONE) or self.last(GONE))[:1] if not worked]
        lines += [times[-1][1].text(word=_helped(times)) for times in self.last(IN_VAIN)[:MOST_IN_VAIN]]
        return "\n".join(lines)


def _often(times: "list[tuple[int, Remedy]]") -> str:
    worked = [at for at, remedy in times if remedy.done == FIXED]
    return f" ({len(worked)} times, last on {day(worked[-1])})" if len(worked) > 1 else ""


def _helped(times: "list[tuple[int, Remedy]]") -> str:
    worked = [at for at, remedy in times if remedy.done == FIXED]
    return f" (it had helped on {day(worked[-1])})" if worked else ""
