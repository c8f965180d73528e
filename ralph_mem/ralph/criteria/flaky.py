"""Tell a flaky test by running a check that failed again, and keep which ones were flaky.

A test that passes when it is run again is flaky: it is named, and the criterion stays failed, but for two that were flaky
before the loop: where all that failed are such, it passes if it then is green as a whole twice in a row; where it passed,
they are run once more, and it fails if one of them fails.
"""

import json
import re
import time
from collections import namedtuple
from pathlib import Path

from ralph_mem.core import paths
from ralph_mem.ralph.criteria import FAILED, PASSED, Criterion, Verdict
from ralph_mem.ralph.criteria.weighing import named, weigh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.criteria.judging import Ran

MOST_KEPT = 500
# A test that was repaired is trusted again some day; one that still fails now and then shows it before that.
KEPT_S = 30 * 86_400
MOST_BYTES = 1_048_576
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
    if judged.status == PASSED and 0 < len(known) <= MOST_REPEATED:
        return _confirmed(criterion, judged, known, run_again)
    if judged.status == FAILED and 0 < len(first.report.failing) <= MOST_REPEATED:
        return _doubted(criterion, first, judged, before, known, run_again)
    return judged


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
