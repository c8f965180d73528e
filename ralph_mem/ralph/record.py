"""Read the state of a run off its record, by a pure fold over the entries."""

from collections import namedtuple

from ralph_mem.ralph import record_lines, stop_reasons
from ralph_mem.ralph.criteria import Verdict
from ralph_mem.ralph.record_lines import DAMAGED
from ralph_mem.ralph.room import entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

append, read = record_lines.append, record_lines.read  # for whoever folds a record
HEADLESS, IN_SESSION, GUARD = "headless", "in_session", "guard"
TAUGHT = ("added", "reinforced", "replaced")  # what became of lessons at the end of a run
RUNNING, INTERRUPTED = "running", "interrupted"  # the other three are in stop_reasons
RATE_LIMITED = "rate_limited"
NEXT_AGENT = "next_agent"  # a decision's reason to go on, with another agent

Iteration = namedtuple(
    "Iteration",
    "number started ended kind why verdicts tree snapshot changed tampered cost tokens message prompt denied forbidden agent tasks"
    " unnamed",
)
Iteration.__doc__ = """One pass of the loop.

`kind` and `why` are the agent's outcome (as `claude.Answer`), `verdicts` what the criteria said afterwards, `tree` and
`snapshot` the files then, `changed` a list of [path, added, changed or deleted], `tampered` lines about edits to what judges
it, `cost` in dollars or None where it is not known. `message` is an excerpt of what the agent said last, `prompt` tells hash,
tokens and memories. `denied` has the rules that would have let through what the agent was refused, `forbidden` in words what no
rule would have, `agent` what the agent that worked is called, `tasks` what came of the tasks of a plan (`tasks.standing_of`),
`unnamed` how many files more than those of `changed` it changed.
"""

# What a record of an older or newer release may lack.
NO_ITERATION = Iteration(0, 0, 0, "done", "", [], "", 0, [], [], None, 0, "", {}, [], [], "", {}, 0)
NO_VERDICT = Verdict("", "", "failed", "", None, {}, [], None, "", 0.0, [])


# What is done to a run that is not at work: it was not seen alive then.
AFTERWARDS = frozenset(("settled", "rolling_back", "rolled_back"))


class Run:
    """A run as its record tells of it so far.

    `baseline` is the list of verdicts before the first iteration, `guarded` that of a guard at the end of the last turn. `begun`
    is the number of the last iteration that was begun, finished or not; `resumed_after` the number of those that were finished
    when a person let it go on, 0 if nobody did; `spent_ms` the time of closed stretches of work and `since` when the open one
    began (0: paused). `waits` are pauses for a rate limit, `waiting` says that the last of them is not over. `taught` counts by
    `TAUGHT` the lessons that it changed.
    `git` has what became of the repository, an entry for each iteration that changed something about it.
    `plan` are the tasks as they were accepted, and `task_log` is what came of them, in its order (`tasks.standing_of`).
    `turn` is the position of the agent that works now, and `turned_after` how many iterations were finished when its turn came.
    `without_memory` says why what was learned before was not told, `snapshots_gone` that there is no way back or on any more.
    `confirmations` has by the number of an iteration what came of judging it by the judges of the start; `runners` are the marks
    of what runs the checks, taken at `marked_ns`.
    `branch` has the name of the branch that it writes and the commit on which that stands, `commits` its [iteration, id],
    `brought` whether the branch of a room is in the person's repository, or why not.
    `settled` is the iteration that was cut off and of which it was looked whose changes are whose, until it is done again, and
    `looked` the snapshot of that look, until another iteration is finished, both 0 for none.
    `back` names what iterations changed and what is as at the start by now.
    `went_on` says that a person let it go on and no check was run since.
    `hints` are what the person said to it, as [when, text, the iteration that was told, 0 for none].
    `room` is the folder in which the agent works, empty where that is the person's own; `base` the snapshot of it as it was made,
    `roots` the folders of the person's that `PYTHONPATH` replaces there, `linked` what it has as links to the person's ignored
    files, and `written` what was written through them. `plan_snapshot` is that of the room as it got a plan that the person changed
    before they let the run go on, 0 for none. `applied` are the results that are in the person's files, the last one last (of
    one of which a rollback kept some paths, since the person had changed them too, these are its `remains`),
    `applying` one that is on its way, `taken_back` those that a rollback took out again, `rolling_back` a rollback that is on
    its way. `damaged` holds numbers of lines that could not be read.
    """

    def __init__(self) -> None:
        self.id = self.goal = self.owner = self.nonce = self.promise = self.folder = self.start_tree = ""
        self.mode, self.status, self.reason, self.why = HEADLESS, RUNNING, "", ""
        self.limits = stop_reasons.DEFAULT
        self.criteria: list[dict[str, Any]] = []
        self.options: dict[str, Any] = {}
        self.plan: list[dict[str, Any]] = []
        self.task_log: list[dict[str, Any]] = []
        self.baseline: list[Verdict] = []
        self.guarded: list[Verdict] = []
        self.iterations: list[Iteration] = []
        self.decisions: list[dict[str, Any]] = []
        self.waits: list[dict[str, Any]] = []
        self.rolled_back: list[dict[str, Any]] = []
        self.confirmations: dict[int, dict[str, Any]] = {}
        self.runners: dict[str, str] = {}
        self.damaged: list[int] = []
        self.git: list[dict[str, Any]] = []
        self.hints: list[list[Any]] = []
        self.branch: dict[str, Any] = {}
        self.commits: list[tuple[int, str]] = []
        self.brought: dict[str, Any] = {}
        self.taught: dict[str, int] = {}
        self.room, self.base, self.plan_snapshot, self.without_memory = "", 0, 0, ""
        self.roots: list[str] = []
        self.linked: list[str] = []
        self.written: list[dict[str, Any]] = []
        self.applied: list[dict[str, Any]] = []
        self.applying: dict[str, Any] = {}
        self.rolling_back: dict[str, Any] = {}
        self.taken_back: list[dict[str, Any]] = []
        self.marked_ns = self.start_snapshot = self.started = self.ended = self.begun = self.resumed_after = 0
        self.settled = self.looked = 0
        self.back: list[str] = []
        self.spent_ms = self.since = self.last_seen = self.turn = self.turned_after = 0
        self.stop_asked = self.waiting = self.snapshots_gone = self.went_on = False

    def add(self, entry: "dict[str, Any]") -> None:
        """Take in the next entry of the record; one of an unknown kind changes nothing."""
        handle = HANDLERS.get(entry.get("what", ""))
        if handle:
            handle(self, entry)
        if entry.get("what") not in AFTERWARDS:
            self.last_seen = max(self.last_seen, *[_number(entry.get(key)) for key in ("at", "now", "started", "ended")])

    def used(self) -> int:
        """Return how many iterations count: those that a rate limit ended do not."""
        return len(self.tried())

    def tried(self) -> "list[Iteration]":
        """Return the iterations that count."""
        return [iteration for iteration in self.iterations if iteration.kind != RATE_LIMITED]

    def next_number(self) -> int:
        """Return the number of the next iteration: one that was begun and never finished is done again."""
        return self.iterations[-1].number + 1 if self.iterations else 1

    def elapsed_ms(self, now: int) -> int:
        """Return how long it has been at work, in which time it lay interrupted does not count."""
        return self.spent_ms + (max(0, now - self.since) if self.since else 0)

    def is_paused(self) -> bool:
        """Say whether a person has it pause: its clock stands still, and it has not ended."""
        return self.status == RUNNING and bool(self.started) and not self.since

    def is_outdated(self) -> bool:
        """Say whether the files may be otherwise than the last verdicts say: a room, a person does not work in."""
        return self.went_on and not self.room

    def hints_for(self, number: int) -> "list[str]":
        """Return what the person said that an iteration is to be told: each once, but again where the iteration is done again."""
        return [text for _, text, told in self.hints if told in (0, number)]

    def cost(self) -> float:
        """Return what it has cost so far, in dollars; an agent that tells no price costs nothing here."""
        return sum([each.cost or 0.0 for each in self.iterations]) + sum([_price(wait.get("cost")) for wait in self.waits])

    def tokens(self) -> int:
        """Return how many tokens its iterations took."""
        return sum([each.tokens or 0 for each in self.iterations])

    def cut_off(self) -> int:
        """Return the number of the iteration that a kill, a full disk or the end of its session cut off, 0 where none was.

        What changed since it began nobody can tell from the person's own edits, but where that was settled.
        """
        done = max(self.iterations[-1].number if self.iterations else 0, self.settled)
        never_at_work = self.waiting or self.reason == "agent_error"
        return self.begun if self.begun > done and not self.room and not never_at_work else 0

    def has_brought(self) -> bool:
        """Say whether a result came into the person's files, and not all of it was in conflict with what they have."""
        return any([each.get("brought", 1) or each.get("deleted") or not each.get("conflicts") for each in self.applied])

    def standing(self) -> int:
        """Return the last iteration whose changes the files have, 0 where they are as at the start."""
        return (0, *self._in_the_files())[-1]

    def _in_the_files(self) -> "tuple[int, ...]":
        """Return the numbers of the iterations whose changes the files have, those after a rollback among them."""
        numbers = [each.number for each in self.iterations]
        now: tuple[int, ...] = ()
        before, done, at = now, 0, {0: now}
        for told in self.rolled_back:
            for number in [each for each in numbers if done < each <= told["done"]]:
                at[number] = now = (*now, number)
            done = told["done"]
            now, before = (before if told.get("to") == "undo" else at.get(_led_to(self, told), now)), now
        since = [each for each in numbers if each > done]
        in_room = self.room and (since or not self.taken_back)  # there nothing is rolled back, and a result has all of it
        return (*numbers,) if in_room else (*now, *since)

    def is_taken_back(self, iteration: "Iteration") -> bool:
        """Say whether a rollback took away what an iteration did; it did not where it kept all of that."""
        kept = self.rolled_back[-1].get("kept_paths") or [] if self.rolled_back else []
        changed = [each[0] for each in iteration.changed]
        return iteration.number not in self._in_the_files() and not (changed and set(changed) <= set(kept))

    def verdicts(self) -> "list[Verdict]":
        """Return the verdicts of the last iteration that was judged, or of the baseline; of a guard, those of the last turn."""
        judged = [each.verdicts for each in self.iterations if each.verdicts]
        return judged[-1] if judged else self.baseline or self.guarded


def _led_to(run: Run, told: "dict[str, Any]") -> int:
    """Return the iteration that a rollback led to, -1 where none is known."""
    if told.get("to") == "start" or told.get("target") == run.start_snapshot:
        return 0
    if "iteration" in told:  # the moment at which a task was begun
        return _number(told["iteration"])
    return next((each.number for each in run.iterations if each.snapshot and each.snapshot == told.get("target")), -1)


def fold(entries: "list[dict[str, Any]]", top: str = "") -> Run:
    """Return the run that a record tells of, with its paths as they are in a tree that lies at `top` now."""
    run = Run()
    for entry in record_lines.placed(entries, top):
        run.add(entry)
    return run


def entry_of(iteration: Iteration) -> "dict[str, Any]":
    """Return an iteration as its entry in the record."""
    verdicts = [dict(verdict._asdict()) for verdict in iteration.verdicts]
    return {"what": "iteration", **iteration._asdict(), "verdicts": verdicts}


def baseline_entry(
    verdicts: "list[Verdict]", at: int, snapshot: int = 0, tree: str = "", tasks: "dict[str, Any] | None" = None
) -> "dict[str, Any]":
    """Return the verdicts before the first iteration as their entry, with the snapshot that was taken before them, if any.

    `tree` is the one that they left, `tasks` what they say of those of a plan.
    """
    there = {"snapshot": snapshot, "tree": tree} if snapshot or tree else {}
    there.update({"tasks": tasks} if tasks else {})
    return {"what": "baseline", "at": at, "verdicts": [dict(verdict._asdict()) for verdict in verdicts], **there}


def _start(run: Run, entry: "dict[str, Any]") -> None:
    for name in "id goal mode owner nonce promise folder criteria options plan start_tree start_snapshot".split():
        if name in entry:
            setattr(run, name, entry[name])
    run.limits = stop_reasons.from_json(entry.get("limits"))
    run.started = run.since = _number(entry.get("at")) or _number(entry.get("started"))


def _baseline(run: Run, entry: "dict[str, Any]") -> None:
    run.baseline = _verdicts(entry)
    run.task_log.append(entry.get("tasks") or {})
    _snapshot(run, entry)
    run.start_tree = str(entry.get("tree") or run.start_tree)  # with what these checks left: the agent begins with that


def _snapshot(run: Run, entry: "dict[str, Any]") -> None:
    # the start is known once: what a resumed run snapshots later does not move it
    run.start_snapshot = run.start_snapshot or _number(entry.get("snapshot"))
    run.start_tree = run.start_tree or str(entry.get("tree") or "")


def _runners(run: Run, entry: "dict[str, Any]") -> None:
    marks = entry.get("marks")
    run.runners = marks if isinstance(marks, dict) else {}
    run.marked_ns = _number(entry.get("ns"))


def _confirmed(run: Run, entry: "dict[str, Any]") -> None:
    run.confirmations[_number(entry.get("number"))] = entry


def _begun(run: Run, entry: "dict[str, Any]") -> None:
    run.begun = _number(entry.get("number"))
    run.waiting, run.settled = False, 0  # what is settled of an iteration is so until it is done again
    if entry.get("task"):
        run.task_log.append({"begun": entry["task"], "iteration": run.begun - 1, "snapshot": _number(entry.get("snapshot"))})
    for hint in run.hints[: _number(entry.get("hints"))]:
        hint[2] = hint[2] or run.begun


def _iteration(run: Run, entry: "dict[str, Any]") -> None:
    fields = {name: entry[name] for name in Iteration._fields if name in entry}
    changed, unnamed = record_lines.named(entry.get("changed") or [])
    fields.update({"changed": changed, "unnamed": unnamed} if unnamed else {})
    run.iterations.append(NO_ITERATION._replace(**{**fields, "verdicts": _verdicts(entry)}))
    run.begun, run.looked = max(run.begun, run.iterations[-1].number), 0
    run.went_on = run.went_on and not run.iterations[-1].verdicts
    if run.iterations[-1].tasks:
        run.task_log.append({**run.iterations[-1].tasks, "iteration": run.iterations[-1].number})


def _verdicts(entry: "dict[str, Any]") -> "list[Verdict]":
    return [
        NO_VERDICT._replace(**{name: value for name, value in told.items() if name in Verdict._fields})
        for told in entry.get("verdicts") or []
    ]


def _decision(run: Run, entry: "dict[str, Any]") -> None:
    run.decisions.append(entry)
    if entry.get("reason") == NEXT_AGENT:
        run.turn, run.turned_after, run.waiting = run.turn + 1, run.iterations[-1].number if run.iterations else 0, False


def _settled(run: Run, entry: "dict[str, Any]") -> None:
    run.settled, run.looked = _number(entry.get("number")), _number(entry.get("snapshot"))


def _waiting(run: Run, entry: "dict[str, Any]") -> None:
    run.waits.append(entry)
    run.waiting = True


def _stop_asked(run: Run, _entry: "dict[str, Any]") -> None:
    run.stop_asked = True


def _paused(run: Run, entry: "dict[str, Any]") -> None:
    run.spent_ms = run.elapsed_ms(_number(entry.get("at")) or run.last_seen)
    run.since = 0


def _continued(run: Run, entry: "dict[str, Any]") -> None:
    run.went_on = True
    run.since = run.since or _number(entry.get("at"))


def _hint(run: Run, entry: "dict[str, Any]") -> None:
    run.hints.append([_number(entry.get("at")), str(entry.get("text") or ""), 0])


def _commit(run: Run, entry: "dict[str, Any]") -> None:
    run.commits.append((_number(entry.get("number")), str(entry.get("id") or "")))


def _resumed(run: Run, entry: "dict[str, Any]") -> None:
    if run.since:  # a crash leaves no `paused`: the work ended with the last that was heard of it
        run.spent_ms = run.elapsed_ms(max(run.last_seen, _number(entry.get("last_beat"))))
    run.since = _number(entry.get("at"))
    run.limits = stop_reasons.from_json(entry.get("limits"), run.limits)
    run.mode, run.owner = entry.get("mode", run.mode), entry.get("owner", run.owner)
    run.nonce = entry.get("nonce", run.nonce)
    run.options = {**run.options, **(entry.get("options") or {})}
    run.status, run.reason, run.why, run.ended, run.stop_asked = RUNNING, "", "", 0, False
    run.waiting, run.went_on = False, True
    run.resumed_after = run.iterations[-1].number if run.iterations else 0
    if entry.get("plan"):  # a person has changed it
        run.plan, run.plan_snapshot = entry["plan"], _number(entry.get("plan_snapshot"))
        run.task_log.append({"proven": entry.get("proven") or []})


def _taught(run: Run, entry: "dict[str, Any]") -> None:
    run.taught = {name: _number(entry.get(name)) for name in TAUGHT if _number(entry.get(name))}


def _end(run: Run, entry: "dict[str, Any]") -> None:
    _paused(run, entry)
    run.ended = _number(entry.get("at"))
    run.status, run.reason, run.why = entry.get("status", "stopped"), entry.get("reason", ""), entry.get("why", "")


def _number(value: "Any") -> int:
    return int(_price(value))


def _price(value: "Any") -> float:
    """Return a number of the record, 0 for what is none (JSON of Python knows NaN and Infinity)."""
    return value if isinstance(value, (int, float)) and abs(value) < float("inf") else 0


HANDLERS: "dict[str, Callable[[Run, dict[str, Any]], None]]" = {
    "start": _start, "baseline": _baseline, "snapshot": _snapshot, "runners": _runners, "confirmed": _confirmed,
    "begun": _begun, "iteration": _iteration, "decision": _decision, "waiting": _waiting, "stop_asked": _stop_asked,
    "without_memory": lambda run, entry: setattr(run, "without_memory", str(entry.get("why") or "")),
    "paused": _paused, "continued": _continued, "hint": _hint, "commit": _commit, "taught": _taught, "resumed": _resumed,
    "branch": lambda run, entry: setattr(run, "branch", entry), "brought": lambda run, entry: setattr(run, "brought", entry),
    "guarded": lambda run, entry: setattr(run, "guarded", _verdicts(entry)),
    "settled": _settled, "back": lambda run, entry: setattr(run, "back", [str(name) for name in entry.get("names") or []]),
    "end": _end, "snapshots_gone": lambda run, _entry: setattr(run, "snapshots_gone", True),
    "git": lambda run, entry: run.git.append(entry), "linked": lambda run, entry: run.written.append(entry),
    "room": entries.room, "applying": entries.applying, "applied": entries.applied, "rolling_back": entries.rolling_back,
    "rolled_back": entries.rolled_back,
    DAMAGED: lambda run, entry: run.damaged.append(_number(entry.get("line"))),
}  # fmt: skip
