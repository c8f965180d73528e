"""Delete what a person chose to forget, in the memory and in every other file of ours.

The steps come in an order, and each can be done twice after a kill. Standard library only: the skill uses it.
"""

from collections import namedtuple

from ralph_mem.core import paths, places
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count
from ralph_mem.hosts.claude_code import event
from ralph_mem.maintenance.forget import copies, inventory, loop_snapshots, pending, select, verify
from ralph_mem.maintenance.forget.pending import Report
from ralph_mem.maintenance.forget.select import name_of
from ralph_mem.memory import access
from ralph_mem.memory.recall.lookup import Reader, transcript
from ralph_mem.memory.rows import deletion, kinds, outbox, tombstones
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.store.connection import Store

    Tell = Callable[[str], Any]

STRANGE = "it came with this folder and was set aside, so it is not opened: delete it, or forget with --all, if you need it no more"
OPEN = "SELECT public_id, client_pid FROM sessions WHERE ended_at IS NULL ORDER BY id DESC LIMIT 3"


class Work:
    """A forget at work: where, what it is about, who hears what is being done and what is done, and what came of it."""

    def __init__(self, project: "Project", stores: "list[Store]", job: "pending.Job", tell: "Tell", on_step: "Tell" = len) -> None:
        self.project = project
        self.stores = stores
        self.job = job
        self.tell = tell
        self.on_step = on_step
        self.log_is_empty = True
        self.pending: list[tuple[str, str]] = []
        self.held: list[loop_snapshots.Held] = []

    def changed(self, kind: str, names: "list[str]") -> None:
        """Note which artefacts of a kind have changed."""
        if names:
            self.job.changed[kind] = list(dict.fromkeys([*self.job.changed.get(kind, []), *names]))

    def places(self, *kinds: str) -> "list[str]":
        """Return the files of some kinds as they are now."""
        return inventory.of_kind(inventory.of(self.project, self.stores), *kinds)


def forget(
    reader: "Reader", plans: "list[select.Plan]", tell: "Tell" = len, snapshots: "bool | list[str]" = False, on_step: "Tell" = len
) -> Report:
    """Delete what plans name, with all that tells of it, wherever it lies, and look whether it is gone.

    `tell` hears what is being done, `on_step` of each step once it is done. `snapshots` are the runs whose snapshots go too, unless
    they are at work; True stands for those that hold the text. A forget that was killed before is finished first.

    Raises RalphMemError.
    """
    with pending.Lock():
        if pending.waits(reader.project):
            tell("finishing an earlier forget")
        _finish_former(reader, tell)  # also of what a kill left of one that had not begun
        transcripts = sorted({path for plan in plans for path, _ in map(transcript, plan.rows()) if paths.exists(path)})
        job = _job_of(plans, snapshots)
        named = [each for plan in plans if plan.store for each in tombstones.named(plan.store, plan.rows(), plan.sessions)]
        job.marks = tombstones.marks_of(named)
        pending.keep(reader.project, job)
        on_step("drafted")
        return _go_on(Work(reader.project, reader.stores, job, tell, on_step), transcripts)


def resume(reader: "Reader", tell: "Tell" = len) -> "Report | None":
    """Go on with a forget that was killed; returns its report, or None where none waits.

    Raises RalphMemError where another process is at it.
    """
    with pending.Lock(0):
        return _finish_former(reader, tell)


def _finish_former(reader: "Reader", tell: "Tell") -> "Report | None":
    job = pending.read(reader.project)
    return _go_on(Work(reader.project, reader.stores, job, tell), []) if job else None


def _job_of(plans: "list[select.Plan]", snapshots: "bool | list[str]") -> "pending.Job":
    parts: dict[str, list[str]] = {"ids": [], "sessions": [], "shared": [], "shared_sessions": []}
    for plan in plans:
        is_global = plan.store is not None and access.is_global(plan.store)
        ids, sessions = ("shared", "shared_sessions") if is_global else ("ids", "sessions")
        parts[ids] += [row.public_id for row in plan.rows()]
        parts[sessions] += [name_of(plan, number) for number in plan.sessions]
    return pending.Job(parts, select.needles_of(plans), snapshots, select.all_of(plans))


def _go_on(work: Work, transcripts: "list[str]") -> Report:
    """Do the steps that are not done, and report."""
    for step in STEPS:
        if step.name in work.job.done:
            continue
        work.tell(step.told)
        step.do(work)
        work.job.done += [step.name] * step.is_once
        pending.keep(work.project, work.job)
        work.on_step(step.name)
    report = _report(work, transcripts)
    pending.audit(_counts(work.job, report))
    work.on_step("audited")
    pending.discard(work.project)
    for store in work.stores:
        with access.Change(store):
            store.set_property(connection.UNFINISHED, None)
        access.empty_log(store)
    return report


# The steps


def _hide(work: Work) -> None:
    """Delete the rows. From here on no event tells of them: it waits for the lock, or after a kill it finds the intent."""
    from ralph_mem.memory.facts import replaced  # lazy: what only shows what would go does without it

    job = work.job
    with pending.Intent(work.project, job) as intent:
        for store in work.stores:
            with access.Change(store):
                intent.write()  # once the memory is locked: or an event that comes in between would do the work
                work.on_step("said")
                tombstones.add(job.marks, job.at)
                store.set_property(connection.UNFINISHED, 1)
                replacing = replaced.by_team(store)
                _delete_from(store, job)
                replaced.settle(store, replacing, job.at)
                _clear_tables(work, store)
                work.on_step("deleted")


def _delete_from(store: "Store", job: "pending.Job") -> None:
    parts = job.parts
    if access.is_global(store):
        deletion.delete(store, parts["shared"], parts["shared_sessions"])
    else:
        deletion.delete(store, parts["ids"], parts["sessions"], parts["shared"])


def _clear_tables(work: Work, store: "Store") -> None:
    if _is_all_of(work.job, store):
        for kind in kinds.beside(store):
            store.execute(f"DELETE FROM {kind.table}")
        return
    for whose, changed in inventory.redact_tables(store, work.job.needles).items():
        work.changed(whose, [f"{count(changed, 'value')} in {store.folder}/memory.db"])


def _is_all_of(job: "pending.Job", store: "Store") -> bool:
    return job.everything in (select.BOTH, select.GLOBAL if access.is_global(store) else select.PROJECT)


def _rewrite(work: Work) -> None:
    work.log_is_empty = all([access.rewrite(store) for store in work.stores])


def _clear_spool(work: Work) -> None:
    if work.job.everything in (select.PROJECT, select.BOTH):
        own = [store for store in work.stores if _is_all_of(work.job, store)]
        waiting = inventory.of_kind(inventory.of(work.project, own), places.WAITING)
        work.changed("spool", inventory.clear_spool(waiting, None, work.job.at))
    work.changed("spool", inventory.clear_spool(work.places(places.WAITING), work.job.needles, work.job.at))


def _clear_copies(work: Work) -> None:
    own = [store for store in work.stores if _is_all_of(work.job, store)]
    if work.job.everything in (select.PROJECT, select.BOTH):
        found = inventory.of_kind(inventory.of(work.project, own), places.COPY, places.ASIDE)
        for path in found:
            paths.remove(path)
        work.changed("copies deleted", found)
    scope = paths.key_of(work.project.root)
    rewritten, removed = copies.clear(work.places(places.COPY), work.job.needles, scope, work.stores)
    work.changed("copies rewritten", rewritten)
    work.changed("copies deleted", removed)


def _clear_aside(work: Work) -> None:
    scope = paths.key_of(work.project.root)
    rewritten, left = copies.clear_aside(work.places(places.ASIDE), work.job.needles, scope, work.stores)
    work.changed("copies rewritten", rewritten)
    work.pending += [(path, STRANGE) for path in left]


def _clear_records(work: Work) -> None:
    work.changed("loop records", inventory.redact_records(work.places(places.LOOP), work.job.needles))


def _clear_caches(work: Work) -> None:
    work.changed("caches", inventory.clear_caches(work.places(places.CACHE), work.job.needles))


def _clear_snapshots(work: Work) -> None:
    for tree in inventory.worktrees_of(work.project):
        try:
            work.held += _without_doomed(tree, work.job)
        except RalphMemError as error:
            work.pending.append(("the snapshots of loops", f"{error}; {error.hint}"))
    work.changed("snapshots", [each.run for each in work.held if each.deleted])
    if work.stores:
        loop_snapshots.note_undecided(work.stores[0], work.held)


def _without_doomed(tree: "Project", job: "pending.Job") -> "list[loop_snapshots.Held]":
    """Delete the snapshots that are to go from one tree; returns all that hold the text, with what became of them."""
    named = job.snapshots if isinstance(job.snapshots, list) else []
    everything = bool(job.snapshots) and job.everything in (select.PROJECT, select.BOTH)
    held = loop_snapshots.runs_that_hold(tree, job.needles, named, everything)
    doomed = [each for each in held if not each.partly and (job.snapshots is True or each.run in named)]
    return [*loop_snapshots.delete_runs(tree, doomed, everything), *[each for each in held if each not in doomed]]


def _empty_log(work: Work) -> None:
    work.log_is_empty = all([access.empty_log(store) for store in work.stores])


Step = namedtuple("Step", "name do told is_once")
# Hidden at once; then indexes, files, and the log once more. What has to be known for the report is done again by a resumed one.
STEPS = (
    Step("hidden", _hide, "deleting rows", True),
    Step("rewritten", _rewrite, "rewriting the files", True),
    Step("spool", _clear_spool, "looking into the spool", True),
    Step("copies", _clear_copies, "looking into backups", True),
    Step("aside", _clear_aside, "looking into what was set aside", False),
    Step("records", _clear_records, "looking into records of loops", True),
    Step("caches", _clear_caches, "looking into caches", True),
    Step("snapshots", _clear_snapshots, "looking into snapshots", False),
    Step("log", _empty_log, "emptying the log", False),
)


def _report(work: Work, transcripts: "list[str]") -> Report:
    """Have a separate process read every file, and say what came of it all."""
    work.tell("reading the files")
    found = inventory.of(work.project, work.stores)
    own = pending.all_of(work.project)  # overwritten once this is done
    left = verify.verify(work.stores, [path for path in inventory.walk(found) if path not in own], work.job.needles)
    report = Report(work.job.removed, work.log_is_empty, left, transcripts, work.job.changed)
    left.files += _left_in_snapshots(work, found)
    report.in_snapshots = not all([each.deleted for each in work.held])
    report.pending += work.pending
    if not work.log_is_empty:
        report.pending += [("the log of the database", why) for why in _who_reads(work.stores)]
    _tell_snapshots(work, report)
    report.out_of_reach += _beyond(work, found)
    return report


def _who_reads(stores: "list[Store]") -> "list[str]":
    found = [row for store in stores for row in store.execute(OPEN).fetchall()]
    return [f"session {name} is open" + (f" (process {pid})" if pid else "") for name, pid in found] or ["another process reads it"]


def _left_in_snapshots(work: Work, found: "list[inventory.Artefact]") -> "list[str]":
    """Return the files of snapshots whose raw bytes hold it, where all that held it were deleted."""
    files = inventory.of_kind(found, places.SNAPSHOT)
    were_all = work.job.snapshots and all([each.deleted for each in work.held])
    return loop_snapshots.files_that_hold(files, work.job.needles) if files and were_all else []


def _tell_snapshots(work: Work, report: Report) -> None:
    for each in [each for each in work.held if not (each.deleted or each.partly)]:
        why = "your own files held it; forget the same with --snapshots to delete them"
        if each.busy:
            why = "its loop is at work; forget the same with --snapshots when it has ended"
        report.pending.append((f"the {' and '.join(each.where)} of {each.run}", why))


def _beyond(work: Work, found: "list[inventory.Artefact]") -> "list[str]":
    """Return what holds the text and is not ours to change: the person's own files, other projects', exports."""
    chosen = inventory.of_kind(found, places.THEIRS, places.ELSEWHERE)
    held = verify.holding(chosen, {verify.PIECES: work.job.needles.long_pieces()})
    kinds = {artefact.path: artefact.kind for artefact in found}
    lines = [f"{kinds[path]} file holds it: {path}" for path in chosen if held.get(path)]
    records, typed = inventory.of_kind(found, places.LOOP), work.job.needles.typed()
    history = [path for path in [event.prompt_history()] if paths.exists(path)]
    prompts = verify.holding(history, {verify.PIECES: [*work.job.needles.long_pieces(), *typed]})
    lines += [f"Claude Code's own list of prompts holds it: {path}" for path in history if prompts.get(path)]
    lines += [f"the record of a loop has it as a name: {path}" for path in verify.holding(records if typed else [], {"": typed})]
    shared = inventory.shared_files(work.project, [*work.job.parts["ids"], *work.job.parts["shared"]])
    lines += [f"you or your team shared it: delete {path}; git's history keeps what was committed" for path in shared]
    given = {each.team for store in work.stores for each in outbox.entries(store) if each.rev and each.id in work.job.parts["ids"]}
    lines += [f"the server of {team} has it, and who pulled it: ralph-mem team push takes it from there" for team in sorted(given)]
    lines += [f"an export that you made holds it: {path}" for path in inventory.exports(work.job.needles)]
    return lines + [f"an encrypted export that you made may hold it: {path}" for path in inventory.encrypted_exports()]


def _counts(job: "pending.Job", report: Report) -> "dict[str, Any]":
    return {
        "at": job.at, "rows": job.removed, "sessions": len(job.parts["sessions"]) + len(job.parts["shared_sessions"]),
        "changed": {kind: len(names) for kind, names in job.changed.items()}, "files_read": len(report.residue.looked),
        "clean": report.is_clean(), "pending": len(report.pending), "out_of_reach": len(report.out_of_reach),
    }  # fmt: skip
