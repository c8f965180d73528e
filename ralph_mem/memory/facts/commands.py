"""Learn from the log which command tests, lints, builds, runs or formats the project, and when it passed last."""

from ralph_mem.core.command_lines import commands as lines
from ralph_mem.core.command_lines import folders, purposes
from ralph_mem.core.command_lines import runs as run_in
from ralph_mem.core.format import day
from ralph_mem.memory.facts import proved, taking, wording
from ralph_mem.memory.facts.proved import NOT_OURS, Finding
from ralph_mem.memory.rows import facts, log, shingles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.command_lines.runs import Run
    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.store.connection import Store

# The property that holds the number of the last observation that was looked at.
WATERMARK = "commands_learnt"
# Commands in one transaction: a hook that wants to write waits no longer than they take, some 0.1 ms each.
MOST_AT_ONCE = 250
ENDLESS = float("inf")
# What a session in which a command passed counts for, when the one after it counts for one: of the ways to run the program that
# passed last the one is told that counts for most. An odd run takes no place so, and a new way does with its second session. From
# .55 to .85 hardly anything changes; of the builds told in five sets of logs .71 were used so, and .67 by the last pass alone.
FADING = 0.7
# A run in a folder is about a part as long as one at the top passed in one of so many last sessions of that purpose.
# In four sets of logs nothing changes from 2 on; a project that moved into a folder is known as such within days.
RECENT = 5
# Beside plain words what only says where or how a program is started; such a command runs nothing that the project does not have.
PLAIN = frozenset((".", "./...", "-m"))
PASSED, FAILED, UNKNOWN = "passed", "failed", ""
QUOTES = str.maketrans('"\u201c\u201d', "```")  # around a command in a statement, as backticks are
REFUSING = frozenset("not never don't dont no stop avoid without nicht nie kein".split())  # before one that is not to be run


def learn(store: "Store", at: int) -> int:
    """Take in the commands that ran since the last time, at most `MOST_AT_ONCE`; returns how many were looked at.

    Of each purpose one command is an active fact, the usual way to run the program that passed last; the others, and how often each
    passed, stay as superseded ones. Runs of a single file or test count for nothing. `at` is in ms. In the caller's transaction.
    """
    seen = log.ran(store, int(store.property(WATERMARK) or 0), MOST_AT_ONCE)
    if not seen:
        return 0
    known = _Tallies(store)
    for command in seen:
        runs = [run for run in run_in.of(command.line) if run.is_whole]
        for run in runs:
            known.count(run, command, outcome_of(command, run, len(runs)))
    known.write(at)
    store.set_property(WATERMARK, seen[-1].number)
    return len(seen)


def key_of(purpose: str, same: str, place: str) -> str:
    """Return what is equal for two runs of the same command, by what of a run makes no other one of it."""
    return wording.key(f"{purpose}: {same}" + (f" in {place}" if place else ""))


def outcome_of(command: log.Command, run: "Run", runs: int) -> str:
    """Return how one of so many runs of a stored line ended; nothing where the line does not tell."""
    if command.interrupted or never_ran(command) or (command.runs_on and run.purpose != purposes.RUN):  # a server is to run on
        return UNKNOWN
    if command.outcome == "error":
        return FAILED if runs == 1 else UNKNOWN
    if command.outcome == "success":
        return PASSED
    return PASSED if run.sure and not lines.checks(command.line) else UNKNOWN


def never_ran(command: log.Command) -> bool:
    """Say whether a stored line failed before any of its commands ran, since its folder was not there."""
    return command.outcome == "error" and folders.stayed(command.line, command.output)


class _Tallies:
    """The command facts of a memory while runs are counted."""

    def __init__(self, store: "Store") -> None:
        self.store = store
        self.facts = proved.there(store, facts.COMMAND)
        self.told: dict[str, dict[str, Any]] = {key: dict(fact.metadata) for key, fact in self.facts.items()}
        self.passed: dict[str, list[log.Command]] = {}
        self.named = named(store)
        self.changed: dict[str, None] = {}

    def count(self, run: "Run", command: log.Command, outcome: str) -> None:
        """Count a run. A command is known from its first pass on that no stranger's text can have told the agent of."""
        key = key_of(run.purpose, run.same, run.place)
        told = self.told.get(key)
        if outcome == UNKNOWN or (told is None and outcome == FAILED):
            return
        is_known = _is_plain(run) or (told is not None and told["command"] == typed(run))
        if outcome == PASSED and not is_known and self._is_strange(command, typed(run)):
            return
        if told is None:
            told = self.told[key] = {"purpose": run.purpose, "passes": 0, "failures": 0, "last": 0}
        told["passes" if outcome == PASSED else "failures"] += 1
        self.changed[key] = None
        if outcome == PASSED:
            self.passed.setdefault(key, []).append(command)
            if command.at >= told["last"]:
                told.update(last=command.at, command=typed(run), place=run.place)

    def _is_strange(self, command: log.Command, text: str) -> bool:
        """Say whether a stranger's text can have told the agent of a command, and the person did not order it in so many words."""
        if not log.may_be_dictated(self.store, command, text):
            return False
        from ralph_mem.memory.facts import extraction  # lazy: only for a command behind what came in from outside

        return shingles.is_part(self.store, text) or not extraction.says(log.prompt_of(self.store, command), text)

    def write(self, at: int) -> None:
        """Write what has changed, and let the command that passed last stand for its purpose."""
        for key in self.changed:
            told, fact = self.told[key], self.facts.get(key)
            found = Finding(key, statement(told), proof(told), told["last"], told)
            if fact is None:
                fact = self.facts[key] = proved.add(self.store, facts.COMMAND, found, facts.SUPERSEDED, at)
            else:
                proved.rewrite(self.store, fact, found, statement(fact.metadata))
            _sight(self.store, fact, self.passed.get(key, []))
        for purpose in {self.told[key]["purpose"] for key in self.changed}:
            self._choose(purpose, at)

    def _choose(self, purpose: str, at: int) -> None:
        of_purpose = [key for key, told in self.told.items() if told["purpose"] == purpose]
        able = [key for key in of_purpose if self.facts[key].status not in NOT_OURS]
        best = self._best(able)
        for key in able:
            fact = self.facts[key]
            if key == best and fact.status != facts.ACTIVE:
                facts.hold(self.store, fact.number)
            elif key != best and best and fact.status == facts.ACTIVE:
                facts.unlink(self.store, fact.public_id, facts.SUPERSEDES, self.facts[best].public_id)
                taking.supersede(self.store, self.facts[best].public_id, fact, self.told[best]["last"], 1.0, at)

    def _best(self, able: "list[str]") -> "str | None":
        """Return of the ways to run the program that passed last the one that counts for most, as `FADING` says.

        Once one has passed that a person named, what has not passed since that was said is out of use.
        """
        since = max([self.named[key] for key in able if self.told[key]["last"] >= self.named.get(key, ENDLESS)], default=0)
        able = [key for key in able if self.told[key]["last"] >= since]
        passed = {key: log.sessions_of(self.store, facts.sources(self.store, self.facts[key].public_id)) for key in able}
        ages = {
            session: age for age, session in enumerate(sorted({each for found in passed.values() for each in found}, reverse=True))
        }
        whole = [key for key in able if not _place(self.told[key]) and any([ages[session] < RECENT for session in passed[key]])]
        newest = max(whole or able, key=self._order, default=None)
        if newest is None:
            return None
        alike = [key for key in whole or able if _program(self.told[key]) == _program(self.told[newest])]
        return max(alike, key=lambda key: (sum([FADING ** ages[session] for session in passed[key]]), self._order(key)))

    def _order(self, key: str) -> "tuple[int, int]":
        return self.told[key]["last"], self.facts[key].number


def named(store: "Store") -> "dict[str, int]":
    """Return by their keys the commands that people's statements name in quotes, with when that was said last, in ms."""
    found: dict[str, int] = {}
    for fact in facts.of_status(store, *facts.THERE):  # newest first
        is_own = fact.kind in facts.SAID and fact.source != facts.PROPOSAL and not (fact.misled or fact.tainted)
        parts = fact.text.translate(QUOTES).split("`") if is_own else []
        for before, line in zip(parts[::2], parts[1::2]):
            for run in run_in.of(line) if REFUSING.isdisjoint(before.lower().split()) else ():
                found.setdefault(key_of(run.purpose, run.same, run.place), fact.said_at)
    return found


def _program(told: "dict[str, Any]") -> "list[str]":
    """Return the program that a command runs, behind what launches it, without options."""
    words = told["command"].rpartition(" && ")[2].split()
    _, rest = purposes.program(words)
    return [word for word in words[: len(words) - len(rest)] if word[:1] != "-"]


def _place(told: "dict[str, Any]") -> str:
    """Return the folder in which a command is at work; older versions did not note it."""
    if "place" not in told:
        told["place"] = next(iter([run.place for run in run_in.of(told["command"])]), "")
    place: str = told["place"]
    return place


def _is_plain(run: "Run") -> bool:
    return not run.given and all([word.isalpha() or word in PLAIN for word in run.text.split()])


def typed(run: "Run") -> str:
    """Return a command as it is typed in the project's top folder, with what its line set up for it."""
    return run.way + (f"{run.given} " if run.given else "") + run.text


def statement(told: "dict[str, Any]") -> str:
    """Return what a fact says of a command: its purpose, the command, and when it passed last."""
    return f"{told['purpose']}: `{told['command']}` (passed {day(told['last'])})"


def proof(told: "dict[str, Any]") -> str:
    """Return how often a command passed."""
    return f"passed in {told['passes']} of {told['passes'] + told['failures']} runs"


def _sight(store: "Store", fact: "Fact", passed: "list[log.Command]") -> None:
    """Note in which sessions a command passed, by the first time in each."""
    if not passed:
        return
    known = log.sessions_of(store, facts.sources(store, fact.public_id))
    for command in passed:
        if command.session not in known:
            known.add(command.session)
            facts.sight(store, fact.public_id, command.public_id)
