"""Erasure: what a forget would take is shown first, then it is taken: rows, index entries, what was derived from them,
lines of receipts, and what every other file of ours holds of them. Afterwards the raw files are read, to say what is left
and where.

The steps come in an order, each can be done twice, and a kill between two of them only delays the rest. Standard library
only: the skill uses it.
"""

from collections import namedtuple

from ralph_mem import access, artefacts, copies, frozen, layers, needles, residue, trees, unfinished
from ralph_mem.core import forgotten, paths, tombstones
from ralph_mem.core.errors import RalphMemError
from ralph_mem.erasure_report import Report
from ralph_mem.recall import find, transcript
from ralph_mem.selection import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.core.store import Store
    from ralph_mem.recall import Reader, Row
    from ralph_mem.selection import Plan
    from ralph_mem.unfinished import Job

    Tell = Callable[[str], Any]

MOST_SHOWN = 50
EVENTS = "SELECT event_id FROM {} WHERE public_id = ?"
STRANGE = "it came with this folder and was set aside, so it is not opened: delete it, or forget with --all, if you need it no more"
OPEN = "SELECT public_id, client_pid FROM sessions WHERE ended_at IS NULL ORDER BY id DESC LIMIT 3"


def preview(reader: "Reader", plans: "list[Plan]", most: int = MOST_SHOWN) -> "list[str]":
    """Return in lines what would go, the first rows of each kind."""
    lines = _shown(reader, [row for plan in plans for row in plan.meant], most)
    along = _shown(reader, [row for plan in plans for row in plan.with_them], most)
    lines += ["with it, since it tells of the same:", *along] if along else []
    sessions = [name_of(plan, number) for plan in plans for number in plan.sessions]
    return lines + [f"{name}  the session itself" for name in sessions]


def _shown(reader: "Reader", rows: "list[Row]", most: int) -> "list[str]":
    lines = []
    for row in rows[:most]:
        try:  # read again, the way a search shows it: a preview withholds what a search withholds
            lines.append(layers.index(find(reader, row.public_id)))
        except RalphMemError:
            lines.append(f"{row.public_id}  {row.type}  (about a path that the config excludes)")
    return lines + ([f"and {len(rows) - most} more"] if len(rows) > most else [])


class Work:
    """A forget at work: where, what it is about, who hears what is being done and what is done, and what came of it."""

    def __init__(self, project: "Project", stores: "list[Store]", job: "Job", tell: "Tell", on_step: "Tell" = len) -> None:
        self.project = project
        self.stores = stores
        self.job = job
        self.tell = tell
        self.on_step = on_step
        self.log_is_empty = True
        self.pending: list[tuple[str, str]] = []
        self.held: list[frozen.Held] = []

    def changed(self, kind: str, names: "list[str]") -> None:
        """Note which artefacts of a kind have changed."""
        if names:
            self.job.changed[kind] = list(dict.fromkeys([*self.job.changed.get(kind, []), *names]))

    def places(self, *kinds: str) -> "list[str]":
        """Return the files of some kinds as they are now."""
        return artefacts.of_kind(artefacts.of(self.project, self.stores), *kinds)


def forget(
    reader: "Reader",
    plans: "list[Plan]",
    tell: "Tell" = len,
    snapshots: bool = False,
    on_step: "Tell" = len,
) -> Report:
    """Delete what plans name, with all that tells of it, wherever it lies, and look whether it is gone.

    `tell` hears what is being done, `on_step` of each step once it is done. With `snapshots`, those of finished loops go too
    where they hold the text. A forget that was killed before is finished first. Raises RalphMemError.
    """
    with unfinished.Lock():
        _finish_former(reader, tell)
        transcripts = sorted({path for plan in plans for path, _ in map(transcript, plan.rows()) if paths.exists(path)})
        job = _job_of(plans, snapshots)
        job.marks = tombstones.marks_of(_marks(reader.project, plans))
        unfinished.keep(reader.project, job)
        on_step("drafted")
        return _go_on(Work(reader.project, reader.stores, job, tell, on_step), transcripts)


def resume(reader: "Reader", tell: "Tell" = len) -> "Report | None":
    """Go on with a forget that was killed; returns its report, or None where none waits.

    Raises RalphMemError where another process is at it.
    """
    with unfinished.Lock(0):
        job = unfinished.read(reader.project)
        return _go_on(Work(reader.project, reader.stores, job, tell), []) if job else None


def _finish_former(reader: "Reader", tell: "Tell") -> None:
    job = unfinished.read(reader.project)
    if job:
        tell("finishing an earlier forget")
        _go_on(Work(reader.project, reader.stores, job, tell), [])


def _job_of(plans: "list[Plan]", snapshots: bool) -> "Job":
    parts: dict[str, list[str]] = {"ids": [], "sessions": [], "shared": [], "shared_sessions": []}
    for plan in plans:
        ids, sessions = ("shared", "shared_sessions") if access.is_global(plan.store) else ("ids", "sessions")
        parts[ids] += [row.public_id for row in plan.rows()]
        parts[sessions] += [name_of(plan, number) for number in plan.sessions]
    rows = [row for plan in plans for row in plan.rows()]
    query = plans[0].selection.query
    found = needles.of(rows, [*parts["sessions"], *parts["shared_sessions"]], query)
    return unfinished.Job(parts, found, snapshots=snapshots, everything=plans[0].selection.everything)


def _marks(project: "Project", plans: "list[Plan]") -> "list[tuple[str, str]]":
    """Return what is marked of rows: their ids, those of their events, their texts; of sessions what the client calls them."""
    found = []
    for plan in plans:
        scope = scope_of(project, plan.store)
        for row in plan.rows():
            (event,) = plan.store.one(EVENTS.format("turns" if row.type == "turn" else "observations"), (row.public_id,))
            text = tombstones.text_of(scope, row.type, row.asked, row.said)
            found += [(tombstones.ROW, row.public_id), (tombstones.EVENT, event), (tombstones.TEXT, text)]
        for number in plan.sessions:
            (client,) = plan.store.one("SELECT client_session FROM sessions WHERE id = ?", (number,))
            found.append((tombstones.SESSION, client))
    return found


def scope_of(project: "Project", store: "Store") -> str:
    """Return the name of a memory for marks of texts."""
    return "everywhere" if access.is_global(store) else paths.key_of(project.root)


def _go_on(work: Work, transcripts: "list[str]") -> Report:
    """Do the steps that are not done, and report."""
    for step in STEPS:
        if step.name in work.job.done:
            continue
        work.tell(step.told)
        step.do(work)
        work.job.done += [step.name] * step.is_once
        unfinished.keep(work.project, work.job)
        work.on_step(step.name)
    report = _report(work, transcripts)
    unfinished.audit(_counts(work.job, report))
    work.on_step("audited")
    unfinished.discard(work.project)
    _say_finished(work.stores)
    return report


def _say_finished(stores: "list[Store]") -> None:
    for store in stores:
        with access.Change(store):
            store.set_property(forgotten.UNFINISHED, None)
        access.empty_log(store)


# The steps


def _hide(work: Work) -> None:
    """Delete the rows. From here on no event tells of them: it waits for the lock, or after a kill it finds the intent."""
    job = work.job
    with unfinished.Intent(work.project, job) as intent:
        for store in work.stores:
            with access.Change(store):
                intent.write()  # once the memory is locked: or an event that comes in between would do the work
                work.on_step("said")
                tombstones.add(job.marks, job.at)
                store.set_property(forgotten.UNFINISHED, 1)
                _delete_from(store, job)
                _clear_tables(work, store)
                work.on_step("deleted")


def _delete_from(store: "Store", job: "Job") -> None:
    parts = job.parts
    if access.is_global(store):
        forgotten.delete(store, parts["shared"], parts["shared_sessions"])
    else:
        forgotten.delete(store, parts["ids"], parts["sessions"], parts["shared"])


def _clear_tables(work: Work, store: "Store") -> None:
    if work.job.everything:
        store.execute("DELETE FROM loop_runs")
        store.execute("DELETE FROM jobs")
        return
    count = artefacts.redact_tables(store, work.job.needles)
    work.changed("loop tables", [f"{count} {'value' if count == 1 else 'values'} in {store.folder}/memory.db"] if count else [])


def _rewrite(work: Work) -> None:
    work.log_is_empty = all([access.rewrite(store) for store in work.stores])


def _clear_spool(work: Work) -> None:
    work.changed("spool", artefacts.clear_spool(work.places(artefacts.SPOOL), work.job.needles, work.job.at))


def _clear_copies(work: Work) -> None:
    if work.job.everything:
        found = work.places(artefacts.COPY, artefacts.ASIDE)
        for path in found:
            paths.remove(path)
        work.changed("copies deleted", found)
        return
    scope = paths.key_of(work.project.root)
    rewritten, removed = copies.clear(work.places(artefacts.COPY), work.job.needles, scope, work.stores)
    work.changed("copies rewritten", rewritten)
    work.changed("copies deleted", removed)


def _clear_aside(work: Work) -> None:
    scope = paths.key_of(work.project.root)
    rewritten, left = copies.clear_aside(work.places(artefacts.ASIDE), work.job.needles, scope, work.stores)
    work.changed("copies rewritten", rewritten)
    work.pending += [(path, STRANGE) for path in left]


def _clear_records(work: Work) -> None:
    work.changed("loop records", artefacts.redact_records(work.places(artefacts.LOOP), work.job.needles))


def _clear_caches(work: Work) -> None:
    work.changed("caches", artefacts.clear_caches(work.places(artefacts.CACHE), work.job.needles))


def _clear_snapshots(work: Work) -> None:
    for tree in trees.of(work.project):
        try:
            held = frozen.runs_that_hold(tree, work.job.needles)
            work.held += frozen.delete_runs(tree, held) if work.job.snapshots else held
        except RalphMemError as error:
            work.pending.append(("the snapshots of loops", f"{error}; {error.hint}"))
    work.changed("snapshots", [each.run for each in work.held if each.deleted])


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
    found = artefacts.of(work.project, work.stores)
    own = unfinished.all_of(work.project)  # overwritten once this is done
    left = residue.verify(work.stores, [path for path in artefacts.walk(found) if path not in own], work.job.needles)
    report = Report(work.job.removed, work.log_is_empty, left, transcripts, work.job.changed)
    report.pending += work.pending
    if not work.log_is_empty:
        report.pending += [("the log of the database", why) for why in _who_reads(work.stores)]
    _tell_snapshots(work, report)
    report.out_of_reach += _beyond(work, found)
    return report


def _who_reads(stores: "list[Store]") -> "list[str]":
    found = [row for store in stores for row in store.execute(OPEN).fetchall()]
    return [f"session {name} is open" + (f" (process {pid})" if pid else "") for name, pid in found] or ["another process reads it"]


def _tell_snapshots(work: Work, report: Report) -> None:
    for each in work.held:
        if each.busy and work.job.snapshots:
            report.pending.append((f"the snapshots of {each.run}", "its loop is at work; forget again when it has ended"))
        elif not each.deleted:
            report.out_of_reach.append(
                f"the snapshots of {each.run} hold it, since your own files did: forget with --snapshots deletes them"
            )


def _beyond(work: Work, found: "list[artefacts.Artefact]") -> "list[str]":
    """Return what holds the text and is not ours to change: the person's own files, other projects', exports."""
    chosen = artefacts.of_kind(found, artefacts.THEIRS, artefacts.ELSEWHERE)
    held = residue.holding(chosen, {residue.PIECES: work.job.needles.long_pieces()})
    kinds = {artefact.path: artefact.kind for artefact in found}
    lines = [f"{kinds[path]} file holds it: {path}" for path in chosen if held.get(path)]
    records, typed = artefacts.of_kind(found, artefacts.LOOP), work.job.needles.typed()
    lines += [f"the record of a loop has it as a name: {path}" for path in residue.holding(records if typed else [], {"": typed})]
    lines += [f"an export that you made holds it: {path}" for path in artefacts.exports(work.job.needles)]
    return lines + [f"an encrypted export that you made may hold it: {path}" for path in artefacts.encrypted_exports()]


def _counts(job: "Job", report: Report) -> "dict[str, Any]":
    return {
        "at": job.at, "rows": job.removed, "sessions": len(job.parts["sessions"]) + len(job.parts["shared_sessions"]),
        "changed": {kind: len(names) for kind, names in job.changed.items()}, "files_read": len(report.residue.looked),
        "clean": report.is_clean(), "pending": len(report.pending), "out_of_reach": len(report.out_of_reach),
    }  # fmt: skip
