"""Plan what of a repository a rollback puts back.

That is what the loop took or moved, and nobody has touched since.
"""

import json
import os
import shlex
from collections import namedtuple

from ralph_mem.core import paths
from ralph_mem.core.format import amount
from ralph_mem.ralph.git import copies, journal, objects, words
from ralph_mem.ralph.git import state as states
from ralph_mem.ralph.git.journal import Action
from ralph_mem.ralph.git.state import FILE, HEAD, INDEX, LOG, OBJECTS, POINTER, REF, REPOSITORY, STASHES, WORKTREE
from ralph_mem.ralph.git.touches import NOBODY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.git.journal import Look
    from ralph_mem.ralph.git.repository import Repository
    from ralph_mem.ralph.git.state import State

Plan = namedtuple("Plan", "actions kept", defaults=((), ()))
Plan.__doc__ = """What a rollback does to git: its actions, and in lines what is left as it is and why."""

OWN_BRANCHES = "refs/heads/ralph/"  # what `--commit` writes
BY_BOTH, BY_YOU = "changed by the loop, then by you", "changed by you"
BY_EITHER = "changed since the iteration began that was cut off, by the loop or by you; --force puts it back"


def plan_of(project: "Project", run: str, number: int, force: bool = False) -> Plan:
    """Return what leads back to what git knew after iteration `number`, 0 for the start; nothing where git was not guarded.

    With `force` what the person changed after the loop had changed it goes back too.
    """
    there, seen = journal.guarded(project, run), journal.looks_of(project, run)
    if not there or not seen or not _is_of(project, run):
        return Plan()
    at = max([place for place, look in enumerate(seen) if look.when == journal.AFTER and look.number <= number], default=0)
    actions: list[Action] = []
    kept: list[str] = []
    for each in there:
        found = _Repository(project, run, each, seen, at, force).plan()
        actions += found.actions
        kept += found.kept
    return Plan(actions, kept)


def _is_of(project: "Project", run: str) -> bool:
    """Say whether a run's repositories are those of the person's tree, and not of a room, there or gone."""
    top = copies.read(project, run)["repositories"]["top"]
    return f"{project.top}/".startswith(f"{top}/") or paths.IN_ROOMS not in top


def undoing(project: "Project", run: str) -> Plan:
    """Return what takes the last rollback of a run back, but for what came out of a copy: nobody wants that gone again."""
    told = journal.read(project, run)
    there = {each.name: each for each in journal.guarded(project, run)}
    if not told:
        return Plan()
    actions, kept = [], []
    for action in reversed(told[-1].actions):
        if action.kind in (LOG, OBJECTS, REPOSITORY) or action.name not in there:
            kept += [f"{action.says}: stays"] if action.kind == REPOSITORY else []
        elif journal.value_now(there[action.name], action) == _as_told(action.value):
            says = f"again as before the rollback: {action.says}"
            actions.append(action._replace(value=action.was, was=action.value, says=says, label=told[-1].label))
        else:
            kept.append(f"{action.says}: {BY_YOU} since")
    return Plan(actions, kept)


def losses(plan: Plan) -> Plan:
    """Return what of a plan brings back what is gone: in a session at which a person is at work they commit and move branches."""
    wanted = [action for action in plan.actions if action.kind in (STASHES, LOG, OBJECTS, REPOSITORY)]
    return Plan([*wanted, *[action for action in plan.actions if action.kind == REF and action.was is None]], plan.kept)


def _as_told(value: "Any") -> "Any":
    return json.loads(json.dumps(value))


class _Repository:
    """One repository: what it knew at the target, when the loop last left it, and what it knows now."""

    def __init__(self, project: "Project", run: str, each: "Repository", seen: "list[Look]", at: int, force: bool) -> None:
        self.project, self.run, self.each, self.force = project, run, each, force
        chain = [look.states.get(each.name, states.NOTHING) for look in seen]
        self.first, self.target = chain[0], chain[at]
        self.last = chain[-1]
        self.now = states.read(each, self.last)
        self.ours = journal.set_by_us(project, run, each.name)
        if self.now.there and not self.last.there and journal.made_again(project, run, each.name):
            self.last = self.now  # what survived of it is as the loop left it
        self.by_loop, self.by_person = self._hands(seen[at:], chain[at:])
        # an iteration was begun, and no look tells how it ended
        self.unknown = states.changed_items(self.last, self.now) if seen[-1].when == journal.BEFORE else set()
        self.by_loop |= self.unknown if force else set()
        self.actions: list[Action] = []
        self.kept: list[str] = []

    def _hands(self, seen: "list[Look]", chain: "list[State]") -> "tuple[set[Any], set[Any]]":
        """Return which items the loop changed after the target, and which somebody else did between two iterations."""
        by_loop: set[Any] = set()
        by_person: set[Any] = set()
        for look, former, state in zip(seen[1:], chain, chain[1:]):
            changed, now = states.changed_items(former, state), states.items_of(state)
            theirs, both = look.others.get(self.each.name, NOBODY) if look.when == journal.AFTER else (changed, set())
            by_loop |= changed - theirs
            by_person |= {item for item in (theirs | both) & changed if now.get(item) not in self.ours.get(item, ())}
        return by_loop, by_person

    def plan(self) -> Plan:
        if not self.target.there:
            return Plan()
        if not self.now.there:
            return self._whole()
        before, now, last = states.items_of(self.target), states.items_of(self.now), states.items_of(self.last)
        # a branch may be checked out in a worktree
        for item in sorted(states.differing_items(before, now), key=lambda item: (item[0] != WORKTREE, item)):
            self._decide(item, before.get(item), now.get(item), last.get(item))
        self._stashes()
        self._logs()
        self._staged()
        self._objects()
        return Plan(self.actions, [words.of_repository(self.each, line) for line in self.kept])

    def _whole(self) -> Plan:
        """Bring back a repository that is gone, as it was before the loop."""
        held = copies.read(self.project, self.run)["held"]
        if not (self.last.there is False or self.force):
            kept = f".git is gone since the loop ended: {BY_YOU}; --force brings it back as it was before the loop"
            return Plan([], [words.of_repository(self.each, kept)])
        around, own = "which lies in the repository around it", held.get(self.each.name)
        of_it = _says_held(own, self._command("fetch")) if own is not None else around
        says = words.of_repository(self.each, f".git with its branches, stashes, index and settings, {of_it}")
        return Plan([Action(self.each.name, REPOSITORY, "", True, False, says, copies.START)], [])

    def _decide(self, item: "tuple[str, str]", target: "Any", now: "Any", last: "Any") -> None:
        kind, name = item
        if kind == INDEX or (kind == FILE and _is_under_way(name)):
            return  # that goes with the commit that is checked out
        if kind == REF and name.startswith(OWN_BRANCHES):
            return
        if kind == WORKTREE:
            self.kept += [self._worktree(name, target, now)] if item in self.by_loop else []
            return
        if item not in self.by_loop:
            self.kept.append(f"{words.named(item)}: {self._by_whom(item)}")
        elif not self.force and ((now != last and now not in self.ours.get(item, ())) or item in self.by_person):
            self.kept.append(f"{words.named(item)}: {BY_BOTH}")
        elif kind == REF and target is None:
            self.kept.append(f"{words.named(item)}: made by the loop; {self._command(_dropping(name))} drops it")
        elif kind == FILE and target is not None and self.first.files.get(name) != target and name != POINTER:
            self.kept.append(f"{words.named(item)}: there is no copy of it as it was then")
        else:
            self._act(kind, name, target, now, _says(item, target, now))

    def _by_whom(self, item: "tuple[str, str]") -> str:
        return BY_EITHER if item in self.unknown else BY_YOU

    def _act(self, kind: str, name: str, value: "Any", was: "Any", says: str) -> None:
        said = words.of_repository(self.each, says)
        self.actions.append(Action(self.each.name, kind, name, value, was, said, copies.START))

    def _worktree(self, name: str, target: "str | None", now: "str | None") -> str:
        """Say what the loop did with another worktree, which stays as it is: somebody may be at work there."""
        called, place = words.worktree(name), shlex.quote(_place_of(self.each, name))
        if target is None:
            return f"{called}: made by the loop; {self._command(f'worktree remove {place}')} removes it"
        if now is None:
            return f"{called}: removed by the loop"
        was, option = words.short(target), "" if target.startswith("ref: ") else "--detach "
        leads = f"`git -C {place} switch {option}{shlex.quote(was)}` leads back"
        return f"{called}: the loop moved its HEAD from {was} to {words.short(now)}; {leads}"

    def _command(self, said: str) -> str:
        return words.command(self.each, self.project.top, said)

    def _stashes(self) -> None:
        """Bring back the stashes that the loop dropped; those that it made hold what somebody had written, and stay."""
        gone = [entry for entry in self.target.stash if entry not in self.now.stash]
        taken = [entry for entry in gone if (STASHES, entry) in self.by_loop]
        made = [entry for entry in self.now.stash if entry not in self.target.stash and (STASHES, entry) in self.by_loop]
        if taken:
            value = [*[each for each in self.now.stash if each not in self.target.stash]]
            value += [each for each in self.target.stash if each in taken or each in self.now.stash]
            self._act(STASHES, "", value, self.now.stash, f"{words.stashes(len(taken))} that the loop dropped")
        left = [entry for entry in gone if (STASHES, entry) in self.unknown and entry not in taken]
        if left:
            self.kept.append(f"{words.stashes(len(left))} dropped: {BY_EITHER}")
        if made:
            self.kept.append(f"{words.stashes(len(made))} that the loop made: {self._command('stash list')} shows what is in it")

    def _logs(self) -> None:
        refs = {**self.now.refs, **{action.item: action.value for action in self.actions if action.kind == REF}}
        for name, told in self.target.logs.items():
            ref = name.partition("logs/")[2]
            is_cut = states.is_cut(told, self.now.logs.get(name, []))
            if is_cut and (ref == "HEAD" or refs.get(ref)) and (LOG, name) in self.by_loop:
                self._act(LOG, name, "", "", f"what the reflog of {words.called(ref)} lost")

    def _staged(self) -> None:
        """Put back what was staged, and a merge or rebase that was under way, where the commit that they build on is there."""
        head = next((action.value for action in self.actions if action.kind == HEAD), self.now.head)
        refs = {**self.now.refs, **{action.item: action.value for action in self.actions if action.kind == REF}}
        is_there = states.commit_of(self.now._replace(head=head, refs=refs)) == states.commit_of(self.target)
        before, now, last = states.items_of(self.target), states.items_of(self.now), states.items_of(self.last)
        wanted = [
            item for item in states.differing_items(before, now) if item[0] == INDEX or (item[0] == FILE and _is_under_way(item[1]))
        ]
        for item in sorted(wanted):
            is_ours = now.get(item) in self.ours.get(item, ()) or (now.get(item) == last.get(item) and item not in self.by_person)
            if item not in self.by_loop:
                self.kept.append(f"{words.named(item)}: {self._by_whom(item)}")
            elif not is_ours and not self.force:
                self.kept.append(f"{words.named(item)}: {BY_BOTH}")
            elif not is_there:
                commit = words.short(states.commit_of(self.target)) or "no commit"
                self.kept.append(f"{words.named(item)}: belongs to {commit}, another commit is checked out")
            elif before.get(item) and before[item] != states.items_of(self.first).get(item):
                self.kept.append(f"{words.named(item)}: there is no copy of it as it was then")
            else:
                self._act(*item, before.get(item), now.get(item), _says(item, before.get(item), now.get(item)))

    def _objects(self) -> None:
        fixed = copies.read(self.project, self.run).get("fixed") or []
        missing = objects.missing(f"{copies.folder_of(self.project)}/objects", fixed, self.each)
        if missing:
            self.actions.insert(
                0, Action(self.each.name, OBJECTS, "", missing, [], _says_objects(self.each, len(missing)), copies.START)
            )


def _says_objects(each: "Repository", number: int) -> str:
    return words.of_repository(each, f"objects that are gone, {number} file{'' if number == 1 else 's'} of them")


def _dropping(ref: str) -> str:
    """Return the command that drops a ref, which git refuses for a branch that is checked out."""
    for prefix, command in (("refs/heads/", "branch -D"), ("refs/tags/", "tag -d")):
        if ref.startswith(prefix):
            return f"{command} {shlex.quote(ref[len(prefix) :])}"
    return f"update-ref -d {shlex.quote(ref)}"


def _place_of(each: "Repository", head: str) -> str:
    """Return the folder of another worktree by the path of its HEAD below the common folder."""
    git = each.common if head == "HEAD" else states.text_of(f"{each.common}/{os.path.dirname(head)}/gitdir")
    return os.path.dirname(str(git))


def _is_under_way(name: str) -> bool:
    return any(part in states.UNDER_WAY or part in states.UNDER_WAY_FOLDERS for part in name.split("/"))


def _says(item: "tuple[str, str]", target: "Any", now: "Any") -> str:
    kind, _ = item
    if kind in (REF, HEAD):
        was = f", which is at {words.short(now)}" if now else ""
        return f"{words.named(item)} at {words.short(target)}{was}" if target else f"{words.named(item)} goes"
    if kind == FILE and target is None:
        return f"{words.named(item)}, which the loop added, goes"
    return f"{words.named(item)} as it was" if kind == FILE else "what was staged"


def _says_held(held: "dict[str, Any]", fetch: str) -> str:
    if held.get("what") == copies.ALL:
        return f"objects and all ({amount(held.get('bytes') or 0)})"
    if held.get("what") == copies.UNPUSHED:
        return f"with what no remote has; {fetch} brings the rest"
    return f"without its objects ({held.get('why')}); {fetch} may bring them"
