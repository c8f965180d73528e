"""Carry out a journal, the first time or again after a crash.

A step is done where its path is as the safety snapshot has it, is over where it is as the target has it; else somebody else has
been there: the path is kept and named. Files come a batch at a time: all are written beside the old ones, then flushed, then
each is moved to its place, so that a power cut leaves the old one or the new one.
"""

import os

from ralph_mem.core.errors import SnapshotError
from ralph_mem.ralph.snapshot import FOLDER
from ralph_mem.ralph.snapshot.journal import MEANWHILE, Draft, Journal, Outcome, Step, Work, draft_of, is_as
from ralph_mem.ralph.snapshot.placing import NOTHING, OWNERS, Seen, Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph_mem.ralph.snapshot.journal import Entries, OnStep
    from ralph_mem.ralph.snapshot.store import Snapshots

# What a batch may hold: open files (macOS gives a process 256), and bytes on the disk beside those that they replace.
BATCH_FILES = 100
BATCH_BYTES = 64 * 1024 * 1024


def carry_out(snapshots: "Snapshots", journal: "Journal", entries: "Entries", again: bool, on_step: "OnStep" = None) -> "Outcome":
    """Carry out a journal, or carry it out again, and say what it came to.

    `entries` has each path as the safety snapshot has it and as the target has it. `on_step` hears of each step before it is done.
    Raises SnapshotError where the disk is full or the like; the journal is to be carried out again then.
    """
    try:
        tree = Tree(snapshots.top)
    except OSError as error:
        raise SnapshotError(f"{os.fsdecode(snapshots.top)} cannot be opened: {error.strerror}") from error
    work = Work(snapshots, tree, journal, entries, again, on_step)
    done = False
    try:
        for phase in (_open, _sweep, _clear, _make_folders, _claim, _restore, _delete, _set_modes, _flush):
            phase(work)
        done = True
    except OSError as error:
        raise SnapshotError(
            f"files cannot be put back: {error.strerror}; {len(work.over)} of {len(work.steps)} steps are done",
            "make room on the disk, or see what is wrong with it; the next command of the loop goes on from here",
        ) from error
    finally:
        for step in [] if done else work.of("restore"):
            _drop(work, step)
        tree.close()
    return work.outcome()


def sweep(snapshots: "Snapshots", journal: "Journal") -> None:
    """Delete the temporary files of a journal that will not be carried out."""
    tree = Tree(snapshots.top)
    try:
        for step in journal.steps:
            tree.remove(draft_of(journal, step))
    finally:
        tree.close()


def _sweep(work: Work) -> None:
    """Delete the temporary files of an attempt that was cut off."""
    for step in work.of("restore"):
        with work.or_give_up(step):
            work.tree.remove(draft_of(work.journal, step))


def _drop(work: Work, step: "Step") -> None:
    """Delete a temporary file that is of no use, as far as that goes."""
    try:
        work.tree.remove(draft_of(work.journal, step))
    except OSError:
        pass


def _open(work: Work) -> None:
    for step in work.journal.steps:
        if step.verb == "open":
            work.begin("open", step.path)
            try:
                work.tree.change_mode(step.path, step.mode | OWNERS)
            except OSError:
                pass  # then the steps in it will fail, and each says so


def _clear(work: Work) -> None:
    """Delete what stands in the place of something that comes back: the innermost first."""
    for step in reversed(work.of("delete", "remove_folder", "restore", "make_folder")):
        now, target = work.entries[step.path]
        if step.early:
            _remove(work, step)
        elif now and target and FOLDER in (now.kind, target.kind):
            _clear_place(work, step)


def _clear_place(work: Work, step: "Step") -> None:
    """Remove a folder where a file or link comes, or a file or link where a folder comes."""
    now, target = work.entries[step.path]
    with work.or_give_up(step):
        seen = work.tree.look(step.path)
        if seen.entry is None or is_as(seen.entry, target):
            return
        if not is_as(seen.entry, now):
            work.kept[step.path] = MEANWHILE
            return
        work.begin("clear", step.path)
        (work.tree.remove_folder if seen.entry.kind == FOLDER else work.tree.remove)(step.path)


def _make_folders(work: Work) -> None:
    for step in work.of("make_folder"):
        work.begin("make folder", step.path)
        with work.or_give_up(step):
            try:
                work.tree.make_folder(step.path)
                work.did(step)
            except FileExistsError:
                work.kept[step.path] = MEANWHILE


def _claim(work: Work) -> None:
    """Find the shared files that are as they are to be, for other names to be linked to; of parted names the first keeps it."""
    for step in work.of("restore"):
        with work.or_give_up(step):
            seen, names = work.tree.look(step.path) if work.is_shared(step) else NOTHING, work.names_of(step)
            is_there = seen.entry and names not in work.files and is_as(seen.entry, work.entries[step.path][1])
            if is_there and work.owners.setdefault(seen.key[:2], names) == names:
                work.files[names] = step.path


def _restore(work: Work) -> None:
    for batch in _batches(work):
        drafts: list[Draft] = []
        try:
            for step in batch:
                _write(work, step, drafts)
            work.begin("flush")
            for draft in drafts:
                if draft.file is not None:
                    os.fsync(draft.file)
        finally:
            for draft in drafts:
                if draft.file is not None:
                    os.close(draft.file)
        for draft in drafts:
            _place(work, draft)


def _batches(work: Work) -> "Iterator[list[Step]]":
    batch: list[Step] = []
    size = 0
    for step in work.of("restore"):
        target = work.entries[step.path][1]
        if batch and (len(batch) == BATCH_FILES or size + target.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(step)
        size += target.size
    if batch:
        yield batch


def _write(work: Work, step: "Step", drafts: "list[Draft]") -> None:
    """Write what comes to a path beside it."""
    now, target = work.entries[step.path]
    try:
        seen = work.tree.look(step.path)
        is_there = is_as(seen.entry, target)
        if is_there and (not work.is_shared(step) or work.owners.get(seen.key[:2]) == work.names_of(step)):
            if now and now.twins != target.twins:
                work.did(step)  # its other names are what comes and goes
            else:
                work.was_done(step)
            return
        cleared = seen.entry is None and now is not None and now.kind == FOLDER
        if not (cleared or is_there or is_as(seen.entry, now)):
            work.kept[step.path] = MEANWHILE
            return
        work.begin("write", step.path)
        drafts.append(_drafted(work, step, seen))
    except OSError as error:
        work.give_up(step, error)
        _drop(work, step)
    except SnapshotError as error:  # the store lost this one; that is no reason to leave the others
        work.kept[step.path] = str(error)
        _drop(work, step)


def _drafted(work: Work, step: "Step", seen: "Seen") -> Draft:
    """Make what comes to a path: a link to the file of its other names where that is there, else a file of its own."""
    target, draft, names = work.entries[step.path][1], draft_of(work.journal, step), work.names_of(step)
    if target.twins and names in work.files:
        try:
            work.tree.link(draft, work.files[names])
            made = work.tree.look(draft)
            if is_as(made.entry, target):
                work.renamed.add(made.key[:2])
                return Draft(step, seen, None)
            work.tree.remove(draft)
        except OSError:  # no links here, or not so many: a file of its own has the same bytes
            work.tree.remove(draft)
    file = work.tree.draft(draft, step.path, target, work.snapshots)
    if target.twins:
        work.files[names] = draft
    return Draft(step, seen, file)


def _place(work: Work, draft: Draft) -> None:
    """Move what was written to its path, if nobody was there in the meantime."""
    step, name, names = draft.step, draft_of(work.journal, draft.step), work.names_of(draft.step)
    file = draft.seen.key[:2] if draft.seen.key else ()
    work.begin("place", step.path)
    try:
        if work.tree.is_as_seen(step.path, draft.seen, file in work.renamed):
            work.tree.put(name, step.path)
            work.did(step)
            work.renamed.add(file)
            if work.files.get(names) == name:
                work.files[names] = step.path
            return
        work.kept[step.path] = MEANWHILE
    except OSError as error:
        work.give_up(step, error)
    if work.files.get(names) == name:
        del work.files[names]
    _drop(work, step)


def _delete(work: Work) -> None:
    for step in reversed(work.of("delete", "remove_folder")):
        if not step.early:
            _remove(work, step)


def _remove(work: Work, step: "Step") -> None:
    with work.or_give_up(step):
        seen = work.tree.look(step.path)
        if seen.entry is None:
            work.was_done(step)
            return
        if not is_as(seen.entry, work.entries[step.path][0]) or not work.tree.is_as_seen(step.path, seen):
            work.kept[step.path] = MEANWHILE
            return
        work.begin("delete", step.path)
        (work.tree.remove_folder if seen.entry.kind == FOLDER else work.tree.remove)(step.path)
        work.did(step)


def _set_modes(work: Work) -> None:
    """Give folders their modes, the innermost first: those put back, those changed, and those that were opened."""
    modes = {step.path: step.mode for step in work.journal.steps if step.verb == "open"}
    made = [step for step in work.of("make_folder") if step.path in work.over]
    changed = [step for step in work.of("change_mode") if _may_change_mode(work, step)]
    modes.update((step.path, work.entries[step.path][1].mode) for step in made + changed)
    for path in sorted(modes, reverse=True):
        work.begin("mode", path)
        try:
            if work.tree.mode_of(path) not in (None, modes[path]):
                work.tree.change_mode(path, modes[path])
        except OSError as error:
            step = next((step for step in changed if step.path == path), None)
            if step is None:
                raise
            work.give_up(step, error)
        work.over.update(step.path for step in changed if step.path == path and path not in work.kept)


def _may_change_mode(work: Work, step: "Step") -> bool:
    """Say whether a folder's mode is still the one that the safety snapshot has, or the one that we gave it."""
    now, target = work.entries[step.path]
    try:
        mode = work.tree.mode_of(step.path)
    except OSError as error:
        work.give_up(step, error)
        return False
    if mode in (now.mode, now.mode | OWNERS):  # the latter may be the target's too, and ours all the same
        return True
    if mode == target.mode:
        work.was_done(step)
        return False
    work.kept[step.path] = MEANWHILE
    return False


def _flush(work: Work) -> None:
    """Write the names that came and went to the disk, before the journal is closed.

    A file system with a journal writes them in their order, so the last one takes the others along. On one without, a power cut
    can take names back: each file is whole then, as the loop left it, and another rollback puts it back.
    """
    if work.last:
        work.begin("flush folders")
        try:
            work.tree.sync(work.last)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            pass  # gone with what was in it, or closed again
