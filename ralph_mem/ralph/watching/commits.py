"""Write what a loop did as commits of a branch of its own.

Neither HEAD nor index nor files are touched: git takes the commits from a stream, and no hook runs and no signature is made.
"""

import os
from collections import namedtuple

from ralph_mem.core import process
from ralph_mem.core.errors import LoopError, RalphMemError
from ralph_mem.core.format import listed
from ralph_mem.core.redaction import path_rules
from ralph_mem.ralph import display, progress
from ralph_mem.ralph.snapshot import FILE, LINK, others, store
from ralph_mem.ralph.watching import file_patch, patch
from ralph_mem.ralph.watching.file_patch import MIXED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.loop import Loop
    from ralph_mem.ralph.record import Iteration, Run
    from ralph_mem.ralph.snapshot import Change, Entry
    from ralph_mem.ralph.watching.file_patch import Side

HEADS, OWN = "refs/heads/", "ralph/"  # git's place of branches, and below it that of our own
# What could run a program of the repository, or tidy it up.
QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false")
KEPT = ("GIT_CONFIG", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
SECONDS, MOST_BYTES = 120, 1_048_576
MOST_NAMED = 3
MOST_SUBJECT = 72  # as git's own lists show it whole

Written = namedtuple("Written", "id paths left_out")
Written.__doc__ = (
    """A commit: its id, how many paths it has, and how many are left out: private ones, and what no snapshot keeps."""
)


def is_wanted(run: "Run") -> bool:
    """Say whether a run is to leave commits."""
    return bool(run.options.get("commit") or run.options.get("branch"))


def branch_of(run: "Run") -> str:
    """Return the name of the branch that a run writes."""
    return str(run.options.get("branch") or OWN + run.id)


def check(project: "Project", branch: str, snapshot: bool) -> None:
    """Raise LoopError where no commits could be written, or the branch is anybody's already."""
    if not project.git:
        raise LoopError("commits need git, and this is no repository", "leave out --commit and --branch, or `git init`")
    if not snapshot:
        raise LoopError("commits are made of snapshots", "leave out --no-snapshot, or --commit and --branch")
    _identity(project)
    if not branch:
        return
    if _git(project, "check-ref-format", "--branch", branch).code or branch.startswith("-"):
        raise LoopError(f"{branch[:60]} is no name of a branch", "for example: --branch tries/rounding")
    if _id_of(project, HEADS + branch) or HEADS + branch in _checked_out(project):
        raise LoopError(f"there is a branch {branch[:60]} already, which stays as it is", "name a new one with --branch")


def begin(loop: "Loop") -> None:
    """Note from where the branch of a run begins: whatever its agent does to HEAD, it begins there."""
    if is_wanted(loop.run):
        loop.note("branch", name=branch_of(loop.run), base=_id_of(loop.place, "HEAD"))


def mark_uncommitted(loop: "Loop") -> None:
    """Keep what the person has not committed when a run begins in their own files; of a room that is known."""
    if is_wanted(loop.run) and loop.option("here"):
        with store.open_store(loop.place) as snapshots:
            others.note_uncommitted(snapshots, loop.run.id, loop.place.top, loop.run.start_snapshot)


def after(loop: "Loop", iteration: "Iteration") -> None:
    """Commit what was done up to an iteration that is the best so far. What goes wrong is told: no iteration fails by that."""
    best = progress.best(loop.run) if is_wanted(loop.run) else None
    if best is None or best.number != iteration.number or not iteration.snapshot:
        return
    try:
        found = _written(loop, iteration)
    except (RalphMemError, OSError) as error:
        loop.told(f"no commit of iteration {iteration.number}: {error}")
        return
    if found:
        loop.note("commit", number=iteration.number, id=found.id, paths=found.paths, left_out=found.left_out)


def _written(loop: "Loop", iteration: "Iteration") -> "Written | None":
    """Write a commit of the paths that iterations changed since the last one, as they are after this one."""
    ref = HEADS + branch_of(loop.run)
    if ref in _checked_out(loop.place):
        raise LoopError(f"{branch_of(loop.run)} is checked out, and what is at work there is not changed")
    since = loop.run.commits[-1][0] if loop.run.commits else 0
    with patch.opened(loop.place, loop.run) as snapshots:
        steps = _own_changes(loop, snapshots, since, iteration.number)
        now = snapshots.entries(iteration.snapshot)
        allowed = {path: now.get(path) for path in steps if _may_be_told(loop, path, now.get(path))}
        found = _contents(loop, snapshots, allowed, steps)
        kept = {path: side for path, side in found.items() if side is not MIXED}
        _tell_mixed(loop, iteration, [path for path in found if path not in kept])
        if not kept:
            return None
        _fed(loop.place, b"".join([_head(loop, iteration, ref), *_body(kept), b"\ndone\n"]))
    return Written(_id_of(loop.place, ref), len(kept), len(steps) - len(kept))


def _own_changes(loop: "Loop", snapshots: "store.Snapshots", since: int, number: int) -> "dict[bytes, list[Change]]":
    """Return by its path what the iterations behind one, up to another, changed themselves, in their order."""
    done = [str(each.number) for each in loop.run.iterations if since < each.number <= number and each.snapshot]
    found: dict[bytes, list[Change]] = {}
    for span in [patch.span_of(loop.run, each, snapshots) for each in done]:
        for change in patch.changes_of(loop.run, span, snapshots):
            found.setdefault(change.path, []).append(change)
    return found


def _contents(
    loop: "Loop", snapshots: "store.Snapshots", allowed: "dict[bytes, Entry | None]", steps: "dict[bytes, list[Change]]"
) -> "dict[bytes, Side | None]":
    """Return what a commit is to have of each path: of one that the person changed too what is the loop's."""
    before = _parent(loop.run)
    theirs = others.uncommitted(snapshots, loop.run.id) | {*others.since(snapshots, loop.run.id, 0)}
    theirs = theirs if loop.run.branch.get("base") else set()  # nothing was committed at all: then a file goes in whole
    return {
        path: file_patch.own_part(_committed(loop.place, before, path), steps[path], snapshots)
        if path in theirs
        else file_patch.side_of(entry, snapshots)
        for path, entry in sorted(allowed.items())
    }


def _committed(project: "Project", commit: str, path: bytes) -> "Side | None":
    """Return what a commit has of a path, as it is in a work tree."""
    said = _git(project, "ls-tree", "-z", "--full-tree", commit, "--", os.fsdecode(path)) if commit else None
    if said is None or said.code or not said.out:
        return None
    content = _git(project, "cat-file", "--filters", f"{commit}:{os.fsdecode(path)}")
    return file_patch.Side(said.out.split()[0], content.out)


def _tell_mixed(loop: "Loop", iteration: "Iteration", paths: "list[bytes]") -> None:
    if paths:
        named = listed([display.name_of(path) for path in paths], MOST_NAMED)
        loop.told(f"not in the commit of iteration {iteration.number}, since what you had not committed is there too: {named}")


def _may_be_told(loop: "Loop", path: bytes, entry: "Entry | None") -> bool:
    """Say whether a path goes into a commit: a file or link that is kept and not private, in no repository of its own."""
    name = path.decode("utf-8", "replace")
    if path_rules.is_secret(name) or path_rules.is_excluded(name, loop.settings) or _is_in_another(loop.place.top, path):
        return False
    return entry is None or (entry.kind in (FILE, LINK) and entry.stored)


def _is_in_another(top: str, path: bytes) -> bool:
    above = path.split(b"/")[:-1]
    folders = [b"/".join(above[: number + 1]) for number in range(len(above))]
    return any([os.path.lexists(os.path.join(os.fsencode(top), folder, b".git")) for folder in folders])


def _head(loop: "Loop", iteration: "Iteration", ref: str) -> bytes:
    """Return how a commit begins in git's stream; it stands on the last one, or on what HEAD was when the run began."""
    before = _parent(loop.run)
    message = _message(loop.run, iteration).encode("utf-8", "replace")
    people = _identity(loop.project)
    told = b"feature done\ncommit %s\nauthor %s\ncommitter %s\ndata %d\n%s\n"
    return told % (ref.encode(), *people, len(message), message) + (b"from %s\n" % before.encode() if before else b"")


def _parent(run: "Run") -> str:
    """Return the commit on which the next one stands: the last one, or what HEAD was when the run began; empty for none."""
    return str(run.commits[-1][1] if run.commits else run.branch.get("base") or "")


def _message(run: "Run", iteration: "Iteration") -> str:
    subject = display.rendered(next(iter(run.goal.strip().splitlines()), ""), MOST_SUBJECT)
    state = display.in_words(iteration.verdicts) or "not judged"
    return f"{subject}\n\n{state}\n\nIteration {iteration.number} of {run.id}.\n"


def _body(kept: "dict[bytes, Side | None]") -> "Iterable[bytes]":
    """Return the paths of a commit in git's stream; what goes comes first, for a folder may be in its place."""
    yield from [b"D %s\n" % file_patch.quoted(path) for path in kept if kept[path] is None]
    for path, side in kept.items():
        if side:
            yield b"M %s inline %s\ndata %d\n" % (side.mode, file_patch.quoted(path), len(side.data)) + side.data + b"\n"


def _identity(project: "Project") -> "list[bytes]":
    """Return who the person is to git as author and as committer, and the time. Raises LoopError where git does not know."""
    found = [_git(project, "var", name) for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT")]
    if any([said.code or not said.out.strip() for said in found]):
        raise LoopError("git does not know who you are", 'git config --global user.name "NAME", and user.email')
    return [said.out.strip() for said in found]


def _id_of(project: "Project", ref: str) -> str:
    """Return the commit that a ref leads to, empty for none."""
    said = _git(project, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    return "" if said.code else str(said.out.decode().strip())


def _checked_out(project: "Project") -> "list[str]":
    """Return the branches that a worktree has checked out, born or not."""
    lines = _git(project, "worktree", "list", "--porcelain").out.decode("utf-8", "replace").splitlines()
    return [line[len("branch ") :] for line in lines if line.startswith("branch ")]


def _fed(project: "Project", stream: bytes) -> None:
    said = _git(project, "fast-import", "--quiet", "--done", stdin=stream)
    if said.code != 0:
        raise LoopError(f"git takes no commit: {display.rendered(said.err.decode('utf-8', 'replace'), 200)}")


def bring(project: "Project", run: "Run") -> "dict[str, Any]":
    """Bring the branch of a run that worked in a room into the person's repository, only where they named one.

    Returns what the record keeps of it: its name, or why it is not there; nothing where there is none to bring.
    """
    branch = str(run.options.get("branch") or "")
    if not run.room or not branch or not run.commits or run.brought.get("name"):
        return {}
    room, ref = project.in_room(run.room), HEADS + branch
    if _id_of(room, ref) != run.commits[-1][1]:
        return {"why": "in its room it is not as the loop left it"}
    if _id_of(project, ref) or ref in _checked_out(project):
        return {"why": "you have a branch of that name by now"}
    options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
    said = _git(project, "fetch", *options, run.room, f"{ref}:{ref}")
    return {"name": branch} if said.code == 0 else {"why": display.rendered(said.err.decode("utf-8", "replace"), 200)}


def _git(project: "Project", *words: str, stdin: "bytes | None" = None) -> "process.Outcome":
    """Run git in a tree, whatever repository the environment names; it may name the person."""
    around = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(KEPT)}
    return process.run(["git", *QUIET, *words], project.top, around, SECONDS, MOST_BYTES, stdin=stdin)
