"""Confirm a success by the judges of the start, in a copy of the tree."""

import os
import tempfile
import time
from collections import namedtuple

from ralph_mem.core.errors import SnapshotError
from ralph_mem.core.redaction import path_rules
from ralph_mem.ralph import changes, files, leftovers
from ralph_mem.ralph.criteria import CUSTOM, FAILED, PASSED, TEST_PASS, VACUOUS, Verdict, evidence, judging, passed
from ralph_mem.ralph.judges import built, installed, scratch, substitutes, tracked
from ralph_mem.ralph.judges.start import Start, judges_of
from ralph_mem.ralph.snapshot import FILE, FOLDER, Taken, others, placing, restoring, rollback_plan, store, taking
from ralph_mem.ralph.tasks import named_tests
from ralph_mem.ralph.tasks.judging import first_verdicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ralph_mem.ralph.criteria import Criterion
    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.snapshot.store import Snapshots

    # Runs criteria in a folder, in an environment, and returns their verdicts.
    Judge = Callable[[Sequence[Criterion], str, dict[str, str]], list[Verdict]]

MOST_NAMED, MOST_KEPT = 5, 50
TRIES = 2  # a test may fail by chance
CONFIRMED, TAMPERED, FAILS, UNCONFIRMED = "confirmed", "tampered", "fails", "unconfirmed"
# Where the checks ran a last time: in a copy, or in the tree itself with the judges of the start put in.
COPY, TREE = "copy", "tree"

Outcome = namedtuple("Outcome", "says judges patched verdicts where copied_s")
Outcome.__doc__ = """What a confirmation came to.

`says` is one of those above; `judges` are the Substitutes of what the run has changed, `patched` lines about what it did to
installed runners; `verdicts` are those by the judges of the start, and `where` they came about. `copied_s` is what the copy took.
"""


def is_due(verdicts: "Sequence[Verdict]") -> bool:
    """Say whether verdicts look like a success: all that is open only checks less than before."""
    return bool(verdicts) and all([verdict.status in (PASSED, VACUOUS) for verdict in verdicts])


def confirm(loop: "Loop", number: int, verdicts: "list[Verdict]", judge: "Judge") -> Outcome:
    """Judge the files of snapshot `number` by the judges of the start. Raises SnapshotError.

    `verdicts` are those by the judges as they are now. Where it says `tampered`, `put_back` is to be called.
    """
    criteria = [each for each in loop.every_criterion() if each.argv]
    if not criteria:
        return Outcome(CONFIRMED, [], [], verdicts, "", 0.0)
    snapshots = store.open_to_read(loop.place)  # others may take and read snapshots while the checks run
    if snapshots is None:
        raise SnapshotError("the snapshots of this run are gone", "begin again: nobody knows any more how its judges were")
    with snapshots:
        trial = _Trial(loop, snapshots, number, criteria, verdicts, judge)
        return trial.outcome() if trial.changed or trial.patched or passed(verdicts) else trial.says(UNCONFIRMED, verdicts, "")


def put_back(loop: "Loop", number: int, judges: "Sequence[substitutes.Substitute]") -> "tuple[Taken, set[bytes]]":
    """Put judges back as they were at the start, after snapshot `number`, but for what the person changed meanwhile.

    Returns a snapshot of that, and the paths that stay as the person has them. Raises SnapshotError.
    """
    with store.open_store(loop.place) as snapshots:
        restoring.recover(snapshots)
        theirs = set(others.since(snapshots, loop.run.id, _first(loop)))
        taken = _put_and_taken(loop, snapshots, number, [each for each in judges if each.path not in theirs])
        # what such a judge did when it ran, after the snapshot, goes as well
        more = _changed(loop, snapshots, taken.id, [each for each in loop.every_criterion() if each.argv])
        more = [each for each in more if each.path not in theirs]
        return (_put_and_taken(loop, snapshots, taken.id, more) if more else taken), theirs


def _put_and_taken(loop: "Loop", snapshots: "Snapshots", number: int, judges: "Sequence[substitutes.Substitute]") -> "Taken":
    _put(loop, snapshots, number, judges)
    for each in judges:
        loop.wrote(os.fsdecode(each.path))
    return taking.take(snapshots, snapshots.find(number).label, run=loop.run.id, scope=files.scope_of(loop.settings))


def _changed(
    loop: "Loop", snapshots: "Snapshots", number: int, criteria: "Sequence[Criterion]", sites: "Sequence[str]" = ()
) -> "list[substitutes.Substitute]":
    start = Start(snapshots, _first(loop), criteria, loop.place.top, named_tests(loop.run))
    return substitutes.of(start, snapshots.differences(_first(loop), number), loop.option("may_change") or (), sites)


def _put(loop: "Loop", snapshots: "Snapshots", number: int, judges: "Sequence[substitutes.Substitute]") -> None:
    scope, start = files.scope_of(loop.settings), _first(loop)
    whole = [each.path for each in judges if not each.is_mixed]
    if whole:
        restoring.roll_back(snapshots, start, number, run=loop.run.id, scope=scope, force=True, only=whole)
    placing.write(snapshots.top, {each.path: each.piece for each in judges if each.is_mixed})


def _first(loop: "Loop") -> int:
    """Return the snapshot with the judges of the start: of a room as it was made, else of the person's files."""
    return int(loop.run.base or loop.run.start_snapshot)


def _as_they_were(loop: "Loop", number: int, names: "list[bytes]") -> None:
    """Put the agent's own judges back into the tree: they are as good as those of the start."""
    with store.open_store(loop.place) as snapshots:
        scope = files.scope_of(loop.settings)
        restoring.roll_back(snapshots, number, number, run=loop.run.id, scope=scope, force=True, only=names)


def names(outcome: Outcome, settings: "dict[str, Any]") -> "list[str]":
    """Return what an outcome is about, in words; a path that is excluded has no name."""
    paths = [(each.path.decode("utf-8", "backslashreplace"), each.what) for each in outcome.judges]
    shown = [(changes.EXCLUDED if path_rules.is_excluded(path, settings) else path, what) for path, what in paths]
    return [*[f"{path} ({what})" for path, what in shown], *outcome.patched][:MOST_KEPT]


def lines(outcome: Outcome, theirs: "set[bytes]") -> "list[str]":
    """Return what is to be said of an iteration that passed by changed judges alone, of which some may be the person's."""
    done = {True: "left as you changed it", False: "put back"}
    told = [(done[each.path in theirs], each) for each in outcome.judges]
    found = [f"{what}, the checks pass only with it: {each.what} {_name(each)}, {each.says}" for what, each in told]
    return [*found[:MOST_NAMED], *[f"not confirmed, it runs the checks: {line}" for line in outcome.patched[:MOST_NAMED]]]


def _name(judge: "substitutes.Substitute") -> str:
    return str(judge.path.decode("utf-8", "backslashreplace"))


class _Trial:
    """One confirmation."""

    def __init__(
        self, loop: "Loop", snapshots: "Snapshots", number: int, criteria: "list[Criterion]", verdicts: "list[Verdict]",
        judge: "Judge",
    ) -> None:  # fmt: skip
        self.loop, self.snapshots, self.number, self.criteria = loop, snapshots, number, criteria
        self.now, self.judge = verdicts, judge
        self.around = loop.environment()
        self.sites = installed.sites(criteria, self.around)
        self.changed = _changed(loop, snapshots, number, criteria, self.sites)
        self.patched = installed.patched(loop.run.runners, criteria, loop.place.top, self.around, loop.run.marked_ns)
        self.are_caches_new = installed.are_compiled_since(loop.run.runners, loop.run.marked_ns)
        self.copied_s = 0.0

    def outcome(self) -> Outcome:
        """Say what it comes to."""
        if self.patched:  # nobody has them as they were
            return self.says(TAMPERED, [_failed(verdict, self.patched) for verdict in self.now], "")
        try:
            found = self._in_a_copy()
        except SnapshotError:  # no room for a copy
            found = None
        return found or self._in_the_tree()

    def _in_a_copy(self) -> "Outcome | None":
        """Return what the checks come to in a copy; None where it is the copy that does not suit them."""
        began = time.monotonic()
        instead = {each.path: each.piece for each in self.changed}
        in_the_way = _in_the_way(self.snapshots, self.number, instead)
        with scratch.made(self.snapshots, self.number, {**in_the_way, **instead}, self.loop.run.started * 1_000_000) as copy:
            untracked = self._with_git(copy)
            self.copied_s = time.monotonic() - began
            for _ in range(TRIES if self.changed else 1):
                verdicts = self._judged_in(copy)
                if passed(verdicts) or self._is_cut_off(verdicts):
                    return self._by_the_start(verdicts, COPY)
            if untracked:  # in the tree nobody tracks them
                return self.says(FAILS, [_untracked(each, untracked) for each in verdicts], COPY)
            if in_the_way:
                return None
            # last of all: what the agent's own judges do to the copy nobody knows
            if self.changed and self._is_as_here(copy):
                return self._by_the_start(verdicts, COPY)
            return self.says(FAILS, verdicts, COPY) if self._fail_as_at_the_start(verdicts) else None

    def _with_git(self, copy: "scratch.Scratch") -> "list[str]":
        """Give a copy a repository where the checks ask git; returns what judges and was tracked at the start alone."""
        start = Start(self.snapshots, _first(self.loop), self.criteria, self.loop.place.top)
        if not tracked.is_asked(start.texts):
            return []
        judges = judges_of(self.snapshots, start.number, self.criteria, start.top, self.loop.option("may_change") or ())
        return tracked.bring(self.loop, copy.top, {path for paths in judges.values() for path in paths})

    def _is_as_here(self, copy: "scratch.Scratch") -> bool:
        """Say whether a copy with all that the agent did is judged as the tree is: else the copy itself is what fails."""
        theirs = self.snapshots.some(self.number, [each.path for each in self.changed])
        if not all([each.stored for each in theirs.values() if each.kind == FILE]):
            return True  # what is too large for a snapshot cannot be tried, nor put back
        copy.change({each.path: substitutes.piece_of(self.snapshots, theirs.get(each.path)) for each in self.changed})
        return _statuses(self._judged_in(copy)) == _statuses(self.now)

    def _fail_as_at_the_start(self, verdicts: "list[Verdict]") -> bool:
        """Say whether all that fails did so before, with the same words: then it is the work that is missing, and not the place."""
        first = {(each.type, each.name): each.failing for each in first_verdicts(self.loop.run)}
        wrong = [(first.get((each.type, each.name), {}), each) for each in verdicts if each.status != PASSED]
        return all([each.failing and all([_is_in(old, *test) for test in each.failing.items()]) for old, each in wrong])

    def _judged_in(self, copy: "scratch.Scratch") -> "list[Verdict]":
        environment = copy.environment(self.around, self.sites, self.are_caches_new)
        found = self.judge([copy.criterion(each) for each in self.criteria], copy.top, environment)
        return self._whole([copy.renamed(verdict) for verdict in found])

    def _in_the_tree(self) -> Outcome:
        """Put the judges of the start into the tree, run the checks there, and put back what was there unless they fail."""
        with store.open_store(self.loop.place) as snapshots:
            _put(self.loop, snapshots, self.number, self.changed)
        verdicts = self._judged_anew()
        found = self._by_the_start(verdicts, TREE)
        if found.says != TAMPERED and self.changed:
            _as_they_were(self.loop, self.number, [each.path for each in self.changed])
        return found

    def _judged_anew(self) -> "list[Verdict]":
        """Run the checks in the tree without what lies there in caches, or was built: it may be anybody's."""
        every = [path for path, entry in self.snapshots.entries(self.number).items() if entry.kind == FILE]
        since_ns = self.loop.run.started * 1_000_000
        built.age_ignored(self.snapshots, time.time_ns(), since_ns)
        caches = tempfile.TemporaryDirectory(prefix=leftovers.prefix())
        settings = built.without_new_settings(self.snapshots, since_ns)
        with caches as folder, settings, built.sources_younger(self.snapshots.top, every):
            environment, began_ns = {**self.around, "PYTHONPYCACHEPREFIX": folder}, time.time_ns()
            for _ in range(TRIES):
                verdicts = self._whole(self.judge(self.criteria, self.loop.place.top, environment))
                if passed(verdicts) or self._is_cut_off(verdicts):
                    break
            wrong = built.not_from_the_sources(self.snapshots, began_ns) if passed(verdicts) else []
        return [_unbuilt(verdict, wrong) for verdict in verdicts]

    def _by_the_start(self, verdicts: "list[Verdict]", where: str) -> Outcome:
        """Say what verdicts by the judges of the start mean."""
        if passed(verdicts):  # where the agent's own check less than before, they go all the same
            return self.says(CONFIRMED if passed(self.now) else TAMPERED, verdicts, where)
        return self.says(TAMPERED if self.changed and not self._is_cut_off(verdicts) else FAILS, verdicts, where)

    def _whole(self, found: "list[Verdict]") -> "list[Verdict]":
        """Return all verdicts: new ones in the place of old ones, and the others, such as that on a plan, as they are."""
        by_name = {(verdict.type, verdict.name): verdict for verdict in found}
        return [by_name.get((verdict.type, verdict.name), verdict) for verdict in self.now]

    def _is_cut_off(self, verdicts: "list[Verdict]") -> bool:
        return bool(self.loop.is_asked_to_stop()) or any([each.why == judging.NO_TIME for each in verdicts])

    def says(self, says: str, verdicts: "list[Verdict]", where: str) -> Outcome:
        """Return an outcome with what it is about."""
        return Outcome(says, self.changed, self.patched, verdicts, where, round(self.copied_s, 3))


def _is_in(before: "dict[str, str]", test: str, message: str) -> bool:
    return test in before and evidence.normal(before[test]) == evidence.normal(message)


def _failed(verdict: "Verdict", patched: "list[str]") -> "Verdict":
    why = f"it ran with what was changed after the start: {', '.join(patched[:MOST_NAMED])}"
    return verdict._replace(status=FAILED, why=why, failing={}, excerpt="")


def _unbuilt(verdict: "Verdict", wrong: "list[str]") -> "Verdict":
    if not wrong or verdict.type not in (TEST_PASS, CUSTOM):
        return verdict
    return verdict._replace(status=FAILED, why="; ".join(wrong[:MOST_NAMED]), failing={}, excerpt="")


def _untracked(verdict: "Verdict", paths: "list[str]") -> "Verdict":
    return (
        verdict
        if verdict.status == PASSED
        else verdict._replace(why=f"{verdict.why}; {tracked.LOST}: {', '.join(paths[:MOST_NAMED])}")
    )


def _statuses(verdicts: "list[Verdict]") -> "dict[tuple[str, str], str]":
    return {(verdict.type, verdict.name): verdict.status for verdict in verdicts}


def _in_the_way(snapshots: "Snapshots", number: int, instead: "dict[bytes, Any]") -> "dict[bytes, None]":
    """Return what stands where a judge of the start needs a folder: a link there would lead elsewhere."""
    above = {folder for path, piece in instead.items() if piece for folder in rollback_plan.folders_above(path)}
    found = snapshots.some(number, sorted(above))
    return dict.fromkeys([path for path, entry in found.items() if entry.kind != FOLDER])
