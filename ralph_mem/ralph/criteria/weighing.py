"""Say whether a check passed, and run a failed one again to tell a flaky test.

An exit code of 0 is not enough: with no test run, with fewer than at the baseline, or with newly skipped ones it says nothing.

A failing test that passes when it is run again is flaky: it is named, and the criterion stays failed. An agent may have
brought in a race, and a lucky run must not end a loop. Two things are done for tests known as flaky from before the loop:
- Where all that failed are of these and pass when run again, the criterion passes if it then is green as a whole twice in a row.
- Where the criterion passed, they are run once more, and it fails if one of them fails.
"""

import json
import re
import time
from collections import namedtuple
from pathlib import Path

from ralph_mem.core import paths
from ralph_mem.ralph.criteria import BROKEN, CUSTOM, FAILED, PASSED, TEST_PASS, TIMED_OUT, VACUOUS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sized

    from ralph_mem.core.outputs.report import Report
    from ralph_mem.core.project import Project
    from ralph_mem.ralph.criteria import Criterion, Verdict
    from ralph_mem.ralph.criteria.judging import Ran

MOST_NAMED = 5
NOT_STARTED = (126, 127)  # what a shell, env or npx exits with for a command it cannot start
# How tools say that what they were to run is not there. Only of what the command line itself names, or the script behind it: the
# same words about anything else are of a test that fails, and for an agent to mend.
NOT_THERE = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"can't open file '([^'\n]+)'",
        r"Can't open perl script \"([^\"\n]+)\"",
        r"^\S*sh: (?:\d+: )?cannot open ([^\s:]+)",
        r"Cannot find module '([^'\n]+)'",
        r"^ruby: No such file or directory -- (\S+)",
        r"^Could not open input file: (\S+)",
        r"No rule to make target [`']([^'\n]+)'",
        r"[Mm]issing script: \"?([\w:.-]+)",
        r"[Cc]ommand \"?([\w:.-]+)\"? not found",
        r"[Cc]ommand not found: (\S+)",
        r"[Cc]ommand '?([\w:.-]+)'? (?:is not found|could not be found)",
        r"[Ff]ailed to spawn: `([^`\n]+)`",
        r"no such command: `([^`\n]+)`",
        r"Task '([^'\n]+)' not found",
    )
)
NO_MODULE = re.compile(r"No module named '?([\w.]+)'?\)?$", re.MULTILINE)
# Runners and linters: a project that is to get one of these names of its own is not to be expected.
RUNNERS = frozenset(
    "pytest xdist pytest_cov nose nose2 tox nox coverage mypy ruff flake8 pylint pyright black isort django behave robot".split()
)
NOTHING_TO_START = re.compile(r"npx canceled due to missing packages|^make(?:\[\d+\])?: \*\*\* .*\bError 12[67]$", re.MULTILINE)
# Who could not be started, in the words of shells, env and make.
NOT_STARTED_BY_SHELL = re.compile(
    r"^(?:\S*(?:sh|env|make)\S*: )?(?:line \d+: |\d+: )?[\u2018'\"]?([^\s:'\"\u2019]+)[\u2019'\"]?:"
    r" (?:command not found|not found|No such file or directory|Permission denied|Is a directory|cannot execute\b.*)$",
    re.MULTILINE,
)
LAST_CHARACTERS = 2_000


def weigh(criterion: "Criterion", ran: "Ran", before: "Verdict | None" = None) -> "tuple[str, str]":
    """Return the status of a run, and a line that says why. `before` is this criterion's verdict at the baseline."""
    unfinished = _unfinished(criterion, ran)
    if unfinished[0]:
        return unfinished
    wrong = _wrong(criterion, ran)
    if wrong:
        return FAILED, wrong
    vacuous = _vacuous(criterion, ran.report, before)
    if vacuous:
        return VACUOUS, vacuous
    return PASSED, _passed(ran.report)


def _unfinished(criterion: "Criterion", ran: "Ran") -> "tuple[str, str]":
    outcome = ran.outcome
    if outcome.ended_by == "start":
        return BROKEN, outcome.err.decode("utf-8", "replace")
    if outcome.ended_by == "time":
        return TIMED_OUT, f"not done after {outcome.seconds:.0f} s, and ended"
    if outcome.ended_by == "stop":
        return BROKEN, "stopped before it was done"
    if outcome.code in (0, criterion.expected):
        return "", ""
    said = ran.output[-LAST_CHARACTERS:]
    if outcome.code in NOT_STARTED:
        return BROKEN, f"exit code {outcome.code}: {_not_started(said)} is not found or not executable"
    missing = _not_there(criterion, said) if ran.report.total is None else ""
    return (BROKEN, f"{missing} is not installed, or not there") if missing else ("", "")


def _not_started(said: str) -> str:
    found = NOT_STARTED_BY_SHELL.findall(said)
    return str(found[-1]) if found else "a command in it"


def _not_there(criterion: "Criterion", said: str) -> str:
    """Return what a check lacks that it cannot run without, empty where it did run."""
    ran = f"{' '.join(criterion.argv or ())}\n{criterion.definition}"
    for module in NO_MODULE.findall(said):
        top = module.partition(".")[0]
        if top in RUNNERS or re.search(rf"-m\s*{re.escape(top)}(?![\w-])", ran):
            return str(top)
    for name in [name for pattern in NOT_THERE for name in pattern.findall(said)]:
        if re.search(rf"(?<![\w.-]){re.escape(name.rstrip('/').rpartition('/')[2])}(?![\w-])", ran):
            return str(name)
    return _not_started(said) if NOTHING_TO_START.search(said) else ""


def _wrong(criterion: "Criterion", ran: "Ran") -> str:
    """Say what is not as expected. A text is expected on top of an exit code of 0."""
    code, text = ran.outcome.code, criterion.expected if isinstance(criterion.expected, str) else None
    wanted = 0 if text is not None else criterion.expected
    if code != wanted:
        return _failing(ran.report) or _ended(code) + (f", and {wanted} is expected" if wanted else "")
    if text is not None and text not in ran.output:
        left_out = f" ({ran.outcome.cut} bytes of it were left out)" if ran.outcome.cut else ""
        return f"the output does not say {text!r}{left_out}"
    return ""


def _ended(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"ended by signal {-code}"


def _failing(report: "Report") -> str:
    if report.failing:
        of = f" of {report.total}" if report.total is not None and report.total >= len(report.failing) else ""
        return f"{len(report.failing)}{of} {'test fails' if len(report.failing) == 1 else 'tests fail'}: {named(report.failing)}"
    if report.diagnostics:
        return f"{report.diagnostics} {'finding' if report.diagnostics == 1 else 'findings'}"
    return "no test was run" if report.total == 0 else ""


def named(ids: "Iterable[str]") -> str:
    """Return the first ids in order, and how many more there are."""
    every = sorted(ids)
    return ", ".join(every[:MOST_NAMED]) + (f" and {len(every) - MOST_NAMED} more" if len(every) > MOST_NAMED else "")


def _vacuous(criterion: "Criterion", report: "Report", before: "Verdict | None") -> str:
    if criterion.type not in (TEST_PASS, CUSTOM) or (criterion.expected != 0 and not isinstance(criterion.expected, str)):
        return ""  # whoever expects another exit code knows what it stands for
    if report.total == 0:
        return "no test was run"
    if before is None:
        return ""
    if before.total and report.total is None:
        return f"the output does not say any more how many tests ran: {before.total} at the start"
    if before.total and report.total < before.total:
        return f"fewer tests than at the start: {report.total}, then {before.total}"
    skipped = set(report.skipped) - set(before.skipped)
    return f"skipped, and not skipped at the start: {named(skipped)}" if skipped else ""


def _passed(report: "Report") -> str:
    if report.total:
        return f"{report.total} {'test passes' if report.total == 1 else 'tests pass'}"
    return "nothing found" if report.diagnostics == 0 else "as expected"


MOST_KEPT = 500
# A test that was repaired is trusted again some day; one that still fails now and then shows it before that.
KEPT_S = 30 * 86_400
MOST_BYTES = 1_048_576


def known(project: "Project", before: float = float("inf")) -> "set[tuple[str, str]]":
    """Return the pairs of criterion and test id that were flaky in this project in the last 30 days.

    `before` leaves out those first seen then or later, in seconds since the epoch: a loop excuses none that it brought in itself.
    """
    return {pair for pair, (first, _) in _read(project).items() if first < before}


def remember(project: "Project", ids: "Iterable[tuple[str, str]]") -> None:
    """Add such pairs to what is known. Where they cannot be kept they will show themselves again."""
    path, now = _path(project), time.time()
    seen = _read(project)
    new = {pair: (seen.get(pair, (now, now))[0], now) for pair in ids}
    if not path or not new:
        return
    latest = sorted({**seen, **new}.items(), key=lambda item: item[1][1])[-MOST_KEPT:]
    try:
        paths.make_folder(path.rpartition("/")[0])
        paths.write(path, json.dumps([[*pair, *times] for pair, times in latest]))
    except OSError:
        pass


def _path(project: "Project") -> str:
    home = paths.data_home()
    return f"{home}/{paths.FLAKY}/{paths.key_of(project.root)}.json" if home else ""


def _read(project: "Project") -> "dict[tuple[str, str], tuple[float, float]]":
    """Return when each was seen first and last."""
    path = _path(project)
    try:
        rows = json.loads(paths.read(path, MOST_BYTES)) if path else []
        oldest = time.time() - KEPT_S
        return {(str(name), str(test)): (float(first), float(last)) for name, test, first, last in rows if last > oldest}
    except (ValueError, TypeError, RecursionError):  # damaged: what is flaky shows itself again
        return {}


Repeated = namedtuple("Repeated", "status why flaky", defaults=((),))
Repeated.__doc__ = """What a criterion came to after all its runs; `flaky` are the ids that both failed and passed."""

MOST_REPEATED = 20  # more than that fail for one reason, and not by chance
GREENS = 2  # a test that fails every other time passes one of four times by luck

# What pytest is started by; any other word before it may be a target's name.
STARTERS = {(), ("uv", "run"), ("poetry", "run"), ("pdm", "run"), ("pipenv", "run"), ("hatch", "run")}
# Options of pytest that take no other word: one after them is a path, if it is one.
ALONE = re.compile(
    r"-[qvxsl]+|-r\w+|--(?:strict|no|disable|last|failed|ff|lf|quiet|verbose|exitfirst|showlocals)[\w-]*|--[\w-]+=.*"
)


def repeat(
    criterion: "Criterion",
    first: "Ran",
    before: "Verdict | None",
    known: "set[str]",
    run_again: "Callable[[Criterion], Ran | None]",
) -> Repeated:
    """Return what a criterion comes to after its first run, repeated where that can tell more.

    `known` are its ids that were flaky before the loop; `run_again` runs a criterion, or returns None where there is no time.
    """
    judged = Repeated(*weigh(criterion, first, before))
    if judged.status == PASSED and known and _few(known):
        return _confirmed(criterion, judged, known, run_again)
    if judged.status == FAILED and first.report.failing and _few(first.report.failing):
        return _doubted(criterion, first, judged, before, known, run_again)
    return judged


def _few(ids: "Sized") -> bool:
    return len(ids) <= MOST_REPEATED


def _confirmed(
    criterion: "Criterion", judged: Repeated, known: "set[str]", run_again: "Callable[[Criterion], Ran | None]"
) -> Repeated:
    again = run_again(only(criterion, known) or criterion)
    failing = known & set(again.report.failing) if again else set()
    if failing:
        return Repeated(FAILED, f"flaky, and failed when run again: {named(failing)}", tuple(sorted(failing)))
    return judged


def _doubted(
    criterion: "Criterion", first: "Ran", judged: Repeated, before: "Verdict | None", known: "set[str]",
    run_again: "Callable[[Criterion], Ran | None]",
) -> Repeated:  # fmt: skip
    failing = set(first.report.failing)
    chosen = only(criterion, failing)
    again = run_again(chosen or criterion)
    if again is None or not _tells_of(again, len(failing) if chosen else first.report.total):
        return judged
    passed = failing - set(again.report.failing) - set(again.report.skipped)
    flaky = tuple(sorted(passed | (set(again.report.failing) - failing)))
    if flaky and passed == failing and failing <= known and _green(criterion, before, run_again):
        return Repeated(PASSED, f"flaky, and passed {GREENS} times in a row afterwards: {named(flaky)}", flaky)
    return judged._replace(why=f"{judged.why} (flaky: {named(flaky)})", flaky=flaky) if flaky else judged


def _tells_of(again: "Ran", tests: "int | None") -> bool:
    """Say whether a run went through to its end and ran what it had to: else it tells nothing of what passes."""
    return not again.outcome.ended_by and again.report.total is not None and again.report.total >= (tests or 1)


def _green(criterion: "Criterion", before: "Verdict | None", run_again: "Callable[[Criterion], Ran | None]") -> bool:
    for _ in range(GREENS):
        again = run_again(criterion)
        if again is None or weigh(criterion, again, before)[0] != PASSED:
            return False
    return True


def only(criterion: "Criterion", ids: "set[str]") -> "Criterion | None":
    """Return a criterion of some of its tests, or None where its tool is not one that we know how to ask for that.

    This is pytest alone, started as such: its paths give way to the ids, and all its options stay.
    """
    at = _pytest(criterion.argv)
    files = [Path(criterion.folder, name.partition("::")[0]) for name in ids]
    if at < 0 or not all([file.is_file() for file in files]):
        return None
    options = _options(criterion.argv[at + 1 :], criterion.folder)
    return None if options is None else criterion._replace(argv=(*criterion.argv[: at + 1], *options, *sorted(ids)))


def _pytest(argv: "tuple[str, ...]") -> int:
    """Return where pytest stands in a command line, or -1."""
    for at, word in enumerate(argv):
        if word.rpartition("/")[2] in ("pytest", "py.test") and (argv[:at] in STARTERS or argv[at - 1] == "-m"):
            return at
    return -1


def _options(words: "tuple[str, ...]", folder: str) -> "list[str] | None":
    """Return a command line without its paths, or None where a path may be an option's value, or become one."""
    kept: list[str] = []
    last = ""
    for word in (*words, "."):  # the end is a path too: ids will stand there
        is_path = not word.startswith("-") and Path(folder, word.partition("::")[0]).exists()
        if is_path and last.startswith("-") and not ALONE.fullmatch(last):
            return None
        if not is_path:
            kept.append(word)
        last = word
    return kept
