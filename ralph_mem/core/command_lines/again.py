"""Tell whether a command that passed is one that failed before, run again."""

from ralph_mem.core.command_lines import commands, extents, folders, purposes, runs
from ralph_mem.core.command_lines.runs import MINOR_ALONE, Step

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
# Options by which a program does a part of what it does without; elsewhere a package or target may be one that it does not do then.
NARROWING = {
    "cargo": "-p --package", "dbt": extents.PART["dbt"], "lerna": "--scope", "melos": "--scope", "mvn": "-pl --projects",
    "mvnw": "-pl --projects", "turbo": "--filter",
}  # fmt: skip
IN_HOME = "~/"  # where keys and settings lie
ALL = frozenset(". ./... ... //...".split())  # operands that say what goes without saying
VALUELESS = MINOR_ALONE | CHECKING  # options behind which an operand may stand
CUT_CHARACTERS = 300  # a line of as many may have been stored without its end
ANY = "pytest"  # what any runner is known to run
# What git does that leaves nothing half done behind it, the words by which that only lists, and what is done by itself alone.
CONCLUDING = frozenset(
    "am bisect branch checkout cherry-pick commit merge pull push rebase reset restore revert stash switch tag worktree".split()
)
LISTING = frozenset("list log show -l --list".split())
FOR_ITSELF = frozenset("clone fetch push submodule".split())
BEGUN_BY = {"pull": "fetch"}  # what begins with the other
BESIDE = commands.LOOKING | commands.NAMING | {"tee"}  # what fails for itself at most


def passed(line: str, has_passed: bool) -> "list[Step]":
    """Return the commands that passed of a line that did not fail, as far as it tells; `has_passed` says that its checks did."""
    found = runs.steps(line) if len(line) < CUT_CHARACTERS else []
    return [step for step in found if step.sure or (has_passed and commands.part_checks(step.words))]


def is_over(line: str, later: "list[Step]") -> bool:
    """Say whether every command of a line that failed has passed after that, in another line or beside others, or only looks."""
    if len(line) >= CUT_CHARACTERS:
        return False
    wanted = [step for step in runs.steps(line) if counts(step)]
    return all([any([stands_for(each, step) for each in later]) for step in wanted])


def counts(step: Step) -> bool:
    """Say whether a command of a line that failed has to pass again: one that only looks, or prepares, does not."""
    return purposes.name_of(step.words[0]) not in BESIDE


def stands_for(later: Step, failed: Step) -> bool:
    """Say whether what passed later is the command that failed, with more to it or, where that only checked, without it.

    What may be more are options, a runner in front as in `uv run pytest`, and, of what does several targets, further ones. It also
    is where all there is was tested, linted or built later, of which what failed was a part, and of git whatever concludes what
    that did not get done.
    """
    if folders.ELSEWHERE in (later.place, failed.place):
        return False
    if later.words[0] == failed.words[0] == "git":
        return _concludes(commands.of_git(later.words[1:]), commands.of_git(failed.words[1:]))
    if later.place != failed.place:
        return False
    found = [each for each in (later, _behind_runner(later, failed.words[0])) if each]
    return any([_repeats(each, failed) or _covers(each, failed) for each in found])


def _concludes(later: "list[str]", failed: "list[str]") -> bool:
    """Say whether what git did later ends what it did not get done, as `git rebase --continue` ends `git rebase main`."""
    if not later or not failed or not CHECKING.isdisjoint(later) or not LISTING.isdisjoint(later[1:2]):
        return False
    return failed[0] in (later[0], BEGUN_BY.get(later[0])) or (later[0] in CONCLUDING and failed[0] not in FOR_ITSELF)


def _behind_runner(step: Step, program: str) -> "Step | None":
    """Return a command without what runs it on this machine, where that is a program of a name."""
    at = step.words.index(program) if program in step.words else 0
    before = step.words[:at]
    is_run = before and purposes.name_of(before[0]) not in purposes.OF_CONTAINERS and purposes.program([*before, ANY]) == (ANY, [])
    return _with(step, step.words[at:]) if is_run else None


def _with(step: Step, words: "list[str]") -> Step:
    return Step(words, step.given, folders.Walk(step.folder), step.sure)


def _covers(later: Step, failed: Step) -> bool:
    """Say whether what passed is a run of all there is, of which the one that failed did some tests, files or packages."""
    shared = {*later.purposes()}.intersection(failed.purposes()) - {purposes.RUN, purposes.IMAGE}
    if not any([extents.is_whole(purpose, later.words) for purpose in shared]):
        return False
    return _repeats(_with(later, [word for word in later.words if word not in ALL]), _with(failed, _widened(failed, later)))


def _widened(failed: Step, later: Step) -> "list[str]":
    """Return the words of a command without those that pick a part, of which the later one has none."""
    words = failed.plain()
    program, rest = purposes.program(words)
    narrowing = NARROWING.get(program, "").split()
    has_operands = program in purposes.TOOLS or program in purposes.RUNNERS - purposes.OF_SEVERAL
    kept, before = words[: len(words) - len(rest)], ""
    for word in rest:
        is_picked = word in ALL or word.partition("=")[0] in narrowing or before in narrowing
        is_operand = word[:1] != "-" and word not in later.words and (before[:1] != "-" or before in VALUELESS)
        if not (is_picked or (is_operand and has_operands)):
            kept.append(word)
        before = word
    return kept


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
        elif word.partition("=")[0] in others or (word[:1] != "-" and not (before and _is_value(word))):
            return False
        else:
            before = word if word[:1] == "-" else ""
    return not wanted


def _is_value(word: str) -> bool:
    """Say whether a word behind an option is its value, and no part of the project."""
    return word.startswith(IN_HOME) or not extents.is_part(word)


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
