"""Tell whether a command that passed is one that failed before, run again."""

from ralph_mem.core.command_lines import commands, extents, folders, purposes
from ralph_mem.core.command_lines.runs import Step

# By which a command only says what it would do or what is wrong, and without which it does it.
CHECKING = frozenset("--check -check --check-only --check-formatted --dry-run --diff --verify-no-changes".split())
PARTS = frozenset([option for options in extents.PART.values() for option in options.split()])
# With these a command does another thing, or does it to a part alone; what one letter means differs from program to program.
ELSE = (
    CHECKING
    | purposes.ASKING
    | {option for option in extents.SELECTING | PARTS if len(option) > len("-p")}
    | {"-target", "--exit-zero", "--ignored"}
)
LESS = {"gradle": "-x --exclude-task", "gradlew": "-x --exclude-task"}  # by which a program leaves something out
ARGUED = frozenset("just lein".split())  # of which the next word may be an argument of the target
ANY = "pytest"  # what any runner is known to run
# What git does that leaves nothing half done behind it, the words by which that only lists, and what is done by itself alone.
CONCLUDING = frozenset(
    "am bisect branch checkout cherry-pick commit merge pull push rebase reset restore revert stash switch tag worktree".split()
)
LISTING = frozenset("list log show -l --list".split())
FOR_ITSELF = frozenset("clone fetch push submodule".split())
BESIDE = commands.LOOKING | commands.NAMING | {"tee"}  # what fails for itself at most


def counts(step: Step) -> bool:
    """Say whether a command of a line that failed has to pass again: one that only looks, or prepares, does not."""
    return purposes.name_of(step.words[0]) not in BESIDE


def stands_for(later: Step, failed: Step) -> bool:
    """Say whether what passed later is the command that failed, with more to it or, where that only checked, without it.

    What may be more are options, a runner in front as in `uv run pytest`, and, of what does several targets, further ones. Of git
    it is whatever concludes what that did not get done.
    """
    if folders.ELSEWHERE in (later.place, failed.place):
        return False
    if later.words[0] == failed.words[0] == "git":
        return _concludes(commands.of_git(later.words[1:]), commands.of_git(failed.words[1:]))
    if later.place != failed.place:
        return False
    behind = _behind_runner(later, failed.words[0])
    return _repeats(later, failed) or (behind is not None and _repeats(behind, failed))


def _concludes(later: "list[str]", failed: "list[str]") -> bool:
    """Say whether what git did later ends what it did not get done, as `git rebase --continue` ends `git rebase main`."""
    if not later or not failed or not CHECKING.isdisjoint(later) or not LISTING.isdisjoint(later[1:2]):
        return False
    return later[0] == failed[0] or (later[0] in CONCLUDING and failed[0] not in FOR_ITSELF)


def _behind_runner(step: Step, program: str) -> "Step | None":
    """Return a command without what runs it on this machine, where that is a program of a name."""
    at = step.words.index(program) if program in step.words else 0
    before = step.words[:at]
    is_run = before and purposes.name_of(before[0]) not in purposes.OF_CONTAINERS and purposes.program([*before, ANY]) == (ANY, [])
    return Step(step.words[at:], step.given, folders.Walk(step.folder), step.sure) if is_run else None


def _repeats(later: Step, failed: Step) -> bool:
    """Say whether the words of a command are those of the one that failed, with no more beside them than may be."""
    others, further = _others(later), _further(later, failed)
    checks = purposes.CHECKING.intersection(failed.words)
    is_else = any([word.partition("=")[0] in others for word in later.words if word not in checks])
    before, wanted = "", [word for word in _words(failed, is_else) if word not in checks]
    for word in [word for word in _words(later, is_else) if word not in checks]:
        if wanted[:1] == [word]:
            wanted, before = wanted[1:], ""
        elif word in further:
            before = ""
        elif word.partition("=")[0] in others or (word[:1] != "-" and (not before or extents.is_part(word))):
            return False
        else:
            before = word if word[:1] == "-" else ""
    return not wanted


def _further(later: Step, failed: Step) -> "list[str]":
    """Return the targets that may be done beside those of the command that failed; one without any does what nobody named."""
    name, does = purposes.program(later.words)[0], failed.purposes()
    found = purposes.of_several(later.words) if purposes.of_several(failed.words) else []
    return [word for word in found if name not in ARGUED or purposes.said(name, word) not in ("", *does)]


def _others(step: Step) -> "frozenset[str]":
    """Return the options by which a command would do another thing than without, or a part of it."""
    program = purposes.program(step.words)[0]
    its_own = f"{extents.PART.get(program, '')} {LESS.get(program, '')}".split()
    return ELSE.union(its_own, extents.SELECTING if purposes.TEST in step.purposes() else ())


def _words(step: Step, as_they_are: bool) -> "list[str]":
    return step.plain() if as_they_are else step.same().split(" ")
