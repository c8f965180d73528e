"""Say in words what changed in a repository between two looks."""

import shlex

from ralph_mem.core.format import count
from ralph_mem.ralph.git import repository as repositories
from ralph_mem.ralph.git import state as states
from ralph_mem.ralph.git.state import FILE, HEAD, INDEX, REF, REPOSITORY, WORKTREE
from ralph_mem.ralph.git.touches import NOBODY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.git.repository import Repository
    from ralph_mem.ralph.git.state import Item, State
    from ralph_mem.ralph.git.touches import Hands

SHORT = 7
MOST_REFS = 8  # of each kind that are named; more are counted
GONE = ".git is gone"
KINDS = (("refs/heads/", "branch"), ("refs/tags/", "tag"), ("refs/remotes/", "remote-tracking branch"), ("refs/notes/", "notes"))


def changes(repository: "Repository", before: "State", now: "State", others: "Hands" = NOBODY) -> "list[str]":
    """Return a line for each thing that is not as it was; git is asked only how many commits lie between two.

    What others alone changed is left out.
    """
    before = states.with_items_of(before, now, others.theirs)
    if not before.there:
        return [of_repository(repository, "a repository was made")] if now.there else []
    if not now.there:
        return [of_repository(repository, GONE)]
    found = [*_head(before, now), *_refs(repository, before, now), *_stash(before, now), *_logs(before, now)]
    if states.commit_of(before) == states.commit_of(now) and before.index != now.index and before.staged != now.staged:
        found.append("what is staged changed" if now.index else "the index is gone")
    found += _files(before, now)
    found += _worktrees(before, now)
    found += ["the file .git leads elsewhere"] if before.pointer != now.pointer else []
    found += [f"{named(item)}: you changed it meanwhile too" for item in sorted(others.both)]
    return [of_repository(repository, line) for line in found]


def of_repository(repository: "Repository", line: str) -> str:
    """Return a line with the repository that it is about."""
    kind = "submodule " if repositories.is_submodule(repository) else ""
    return f"git: {line}" if not repository.name else f"git of {kind}{repository.name}: {line}"


def command(repository: "Repository", place: str, words: str) -> str:
    """Return a git command as it is typed at `place` for a repository, which need not be the one there."""
    if not repository.name:
        return f"`git {words}`"
    top, common = [shlex.quote(path.removeprefix(f"{place}/")) for path in (repository.top, repository.common)]
    # where no folder is known git would look for the one that the settings name
    return f"`git -C {top} {words}`" if top != common else f"`git --git-dir {common} --work-tree . {words}`"


def losses(before: "State", now: "State") -> bool:
    """Say whether something is out of reach that was in reach: what a person has to be told of even where they are at work."""
    gone = [name for name in before.refs if name not in now.refs]
    cut = [name for name, told in before.logs.items() if states.is_cut(told, now.logs.get(name, []))]
    dropped = [entry for entry in before.stash if entry not in now.stash]
    return before.there and (not now.there or bool(gone or cut or dropped))


def short(value: str) -> str:
    """Return an id, or what HEAD leads to, as people write it."""
    name = value.partition("ref: ")[2]
    return name.replace("refs/heads/", "", 1) if name else value[:SHORT]


def called(name: str) -> str:
    """Return a ref as people call it: `branch main`, `tag v1`."""
    for prefix, kind in KINDS:
        if name.startswith(prefix):
            return f"{kind} {name[len(prefix) :]}"
    return name


def named(item: "Item") -> str:
    """Return an item as people call it."""
    kind, name = item
    if kind == REF:
        return called(name)
    if kind == FILE:
        return f"hook {name.partition('/')[2]}" if name.startswith(states.HOOKS + "/") else name or "the file .git"
    if kind == WORKTREE:
        return worktree(name)
    return {HEAD: "HEAD", INDEX: "what is staged", REPOSITORY: ".git"}[kind]


def worktree(name: str) -> str:
    """Return a worktree as people call it, by the path of its HEAD below the common folder."""
    return f"worktree {name[len(states.WORKTREES) : -len('/HEAD')]}" if name.startswith(states.WORKTREES) else "the main worktree"


def _worktrees(before: "State", now: "State") -> "list[str]":
    names = sorted(before.worktrees.keys() | now.worktrees.keys())
    pairs = [(worktree(name), before.worktrees.get(name), now.worktrees.get(name)) for name in names]
    return [line for name, old, new in pairs for line in [_worktree(name, old, new)] if old != new]


def _worktree(name: str, old: "str | None", new: "str | None") -> str:
    if old and new:
        return f"HEAD of {name} went from {short(old)} to {short(new)}"
    return f"{name} {'added' if new else 'removed'}"


def _head(before: "State", now: "State") -> "list[str]":
    if before.head == now.head:
        return []
    if before.head.startswith("ref: ") or now.head.startswith("ref: "):
        return [f"HEAD went from {short(before.head)} to {short(now.head)}"]
    return [f"HEAD, on no branch, moved from {short(before.head)} to {short(now.head)}"]


def _refs(repository: "Repository", before: "State", now: "State") -> "list[str]":
    names = sorted(before.refs.keys() | now.refs.keys())
    changed = [name for name in names if before.refs.get(name) != now.refs.get(name)]
    remote = [name for name in changed if name.startswith("refs/remotes/")]
    others = [name for name in changed if name not in remote]
    lines = [_ref(repository, name, before.refs.get(name, ""), now.refs.get(name, "")) for name in others[:MOST_REFS]]
    lines += [f"{count(len(others) - MOST_REFS, 'more ref')} changed"] if len(others) > MOST_REFS else []
    gone = [name for name in remote if name not in now.refs]
    lines += [f"{_branches(len(gone))} deleted"] if gone else []
    rest = len(remote) - len(gone)
    return lines + ([f"{_branches(rest)} changed"] if rest else [])


def _ref(repository: "Repository", name: str, old: str, new: str) -> str:
    if not new:
        return f"{called(name)} ({short(old)}) deleted"
    if not old:
        return f"{called(name)} made at {short(new)}"
    gone, come = commits_between(repository, new, old), commits_between(repository, old, new)
    if gone == 0 and come:
        return f"{count(come, 'commit')} made on {called(name)}"
    lost = f" ({count(gone, 'commit')} gone)" if gone else ""
    return f"{called(name)} moved from {short(old)} to {short(new)}{lost}"


def commits_between(repository: "Repository", old: str, new: str) -> "int | None":
    """Return how many commits `new` has that `old` has not; None where git cannot tell."""
    code, said = repositories.ask(repository, "rev-list", "--count", new, f"^{old}", "--")
    return int(said) if not code and said.strip().isdigit() else None


def _stash(before: "State", now: "State") -> "list[str]":
    dropped = [entry for entry in before.stash if entry not in now.stash]
    made = [entry for entry in now.stash if entry not in before.stash]
    lines = [f"{stashes(len(dropped))} dropped"] if dropped else []
    return lines + ([f"{stashes(len(made))} made"] if made else [])


def stashes(number: int) -> str:
    """Return a number of stashes in words."""
    return "1 stash" if number == 1 else f"{number} stashes"


def _branches(number: int) -> str:
    return "1 remote-tracking branch" if number == 1 else f"{number} remote-tracking branches"


def _logs(before: "State", now: "State") -> "list[str]":
    refs = {name: name.partition("logs/")[2] for name in before.logs}
    cut = [ref for name, ref in refs.items() if states.is_cut(before.logs[name], now.logs.get(name, []))]
    told = [ref for ref in cut if ref == "HEAD" or (ref in now.refs and not ref.startswith("refs/remotes/"))]
    return [f"the reflog of {called(ref)} was cut" for ref in told[:MOST_REFS]]


def _files(before: "State", now: "State") -> "list[str]":
    names = sorted(before.files.keys() | now.files.keys())
    changed = [name for name in names if before.files.get(name) != now.files.get(name)]
    lines = [_file(name, name in before.files, name in now.files) for name in changed if name != "info/exclude"]
    return list(dict.fromkeys([line for line in lines if line]))


def _file(name: str, was: bool, is_now: bool) -> str:
    what = "changed" if was and is_now else "deleted" if was else "added"
    if name.startswith(states.HOOKS + "/"):
        return f"hook {name.partition('/')[2]} {what}"
    if name in states.SETTINGS or name.endswith(states.OWN_SETTINGS):
        return f"its {name} {what}"
    if (name.endswith("_MSG") and was == is_now) or name.endswith("AUTO_MERGE"):  # which a stash that was applied leaves as well
        return ""
    return f"what was under way (a merge, rebase or the like) {'goes on' if is_now and was else 'is over' if was else 'was begun'}"
