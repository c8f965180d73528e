"""Find the criteria that a project has by reading its files; nothing is run."""

import hashlib
import os
import re
import shlex
from collections import namedtuple

from ralph_mem.core.outputs import parsing
from ralph_mem.ralph.criteria import (
    BUILD_SUCCESS,
    CUSTOM,
    LINT_CLEAN,
    MARKER,
    TEST_PASS,
    TYPE_CHECK,
    Criterion,
    acceptance,
    build_files,
    flaky,
    native_build,
    python_project,
    task_files,
)

# Seconds. A suite or a build of a common project needs one to three minutes, and one that hangs should not take more than a third
# of the half an hour that a loop has; the others read files and nothing else.
SECONDS = {TEST_PASS: 600.0, BUILD_SUCCESS: 300.0, TYPE_CHECK: 300.0, LINT_CLEAN: 120.0, CUSTOM: 120.0, MARKER: 0.0}

# The source of a check that no file of the project tells of.
ASKED = "--criteria"

# Files of tasks come last: where a language's own tool is found, `make test` would run the same again.
LAST = (build_files.MAKE, task_files.TASK_FILES)
KINDS = (python_project.PYTHON, build_files.NODE, build_files.COMPILED, native_build.NATIVE, *LAST)
# Folders below the top in which projects of their own are looked for, and how many of them a person would still read.
DEEPEST = 2
MOST_PROJECTS = 20
# Listed on each level. Beyond that it is a heap of data, and a person would wait for seconds.
MOST_FOLDERS = 2_000
LEFT_OUT = {
    *("node_modules", "vendor", "third_party", "venv", "env", "target", "build", "dist", "out", "site-packages", "__pycache__"),
    *("examples", "example", "fixtures", "testdata", "test-data", "templates"),
}
WHERE = {TEST_PASS: "tests", BUILD_SUCCESS: "build", LINT_CLEAN: "linter", TYPE_CHECK: "type checker"}

PYTHON = re.compile(r"(?:^|/)(?:python|pypy)[\d.]*$")
# As `python -m unittest`, in any Python. A product can print what unittest prints, and then end the process as if it were well.
RUNS_UNITTEST = """\
import os, runpy, sys
sys.path[0] = sys.path[0] or os.getcwd()
report = sys.argv.pop(1)
try:
    runpy.run_module("unittest", None, "__main__", True)
except SystemExit as end:
    if not end.code:
        open(report, "w").close()
    raise
"""


def find(folder: str, types: "list[str]") -> "tuple[list[Criterion], list[str]]":
    """Return the criteria of a project, and a line for each type that was asked for and not found.

    `types` are items such as `test_pass` or `custom=./check.sh --all`; see `wish`. Raises ConfigError for one that cannot
    be read.
    """
    top = os.path.realpath(folder)
    criteria, missing = [], []
    places, more = _places(top)
    for item in types:
        wished = acceptance.read(item)
        if wished.type == MARKER:
            criteria.append(marker(top))
        elif wished.argv:
            criteria.append(_given(top, wished, None))
        else:
            found = [_criterion(check, wished.type) for check in _look(places, wished.type)]
            criteria += found
            told = f"{wished.type}: no {WHERE[wished.type]} found in this project; name one as '{wished.type}=COMMAND'"
            missing += [] if found else [told]
    missing += [f"{more} more projects below the top were not looked at: name their checks with --criteria"] if more else []
    return _distinct(criteria), missing


def marker(folder: str) -> Criterion:
    """Return the criterion that the agent says that it is done; it runs nothing."""
    return Criterion(MARKER, MARKER, (), os.path.realpath(folder), SECONDS[MARKER], 0, ASKED, "")


def given(folder: str, item: str, seconds: float) -> Criterion:
    """Return the criterion of an item that names its command, such as `custom=./check.sh`. Raises ConfigError."""
    return _given(os.path.realpath(folder), acceptance.read(item), seconds)


def with_details(criterion: Criterion, scratch: str) -> "tuple[str, ...]":
    """Return the command line that also writes a report into `scratch`; a criterion that writes one itself keeps its own.

    Of unittest the report is an empty file, there once its own end was a success.
    """
    argv = tuple(criterion.argv)
    if is_unittest(argv):
        at = argv.index("unittest")
        return (*argv[: at - 1], "-c", RUNS_UNITTEST, os.path.join(scratch, parsing.REPORT), *argv[at + 1 :])
    if argv[:2] == ("go", "test") and "-json" not in argv and criterion.expected == 0:
        return (*argv[:2], "-json", *argv[2:])  # else it does not tell how many tests ran
    own = "junit" in criterion.definition or any("junit" in word for word in argv)
    for at, word in enumerate(argv[: parsing.FIRST_WORDS]):
        # an option of the command line and no variable: pytest run by a test would overwrite the report
        if word.rpartition("/")[2] in ("pytest", "py.test") and not own:
            report = f"--junitxml={os.path.join(scratch, parsing.REPORT)}"
            # of the two families only the older one names the file of a test
            return (*argv[: at + 1], report, "-o", "junit_family=xunit1", *argv[at + 1 :])
    return argv


def is_unittest(argv: "tuple[str, ...]") -> bool:
    """Say whether a command line starts unittest by a Python of this machine, as `uv run python -m unittest`."""
    at = argv.index("unittest") if "unittest" in argv else 0
    starter = next((number for number, word in enumerate(argv[:at]) if PYTHON.search(word)), at)
    options = all([word.startswith("-") for word in argv[starter + 1 : at]])
    return argv[at - 1 : at] == ("-m",) and argv[:starter] in flaky.STARTERS and options


def _places(top: str) -> "tuple[list[Place], int]":
    """Return the top and the folders below it, higher ones first, and how many more there would have been."""
    level, found = [Place(top, top)], [Place(top, top)]
    for _ in range(DEEPEST):
        level = [place for above in level for place in _below(above)][:MOST_FOLDERS]
        found += [place for place in level if any(kind.is_one(place) for kind in KINDS)]
    return found[: MOST_PROJECTS + 1], max(0, len(found) - MOST_PROJECTS - 1)


def _below(above: "Place") -> "list[Place]":
    names = sorted(name for name in above.names if name not in LEFT_OUT and not name.startswith("."))
    folders = [os.path.join(above.folder, name) for name in names]
    # a linked folder is somewhere else, or here already
    return [Place(path, above.top) for path in folders if os.path.isdir(path) and not os.path.islink(path)]


def _look(places: "list[Place]", kind: str) -> "list[Check]":
    """Return the checks of one type; a folder is passed over where the check of one above it sees it too."""
    found: list[Check] = []
    covered: list[tuple[str, build_files.Tools]] = []
    for place in places:
        here: list[Check] = []
        for project in KINDS:
            above = any(room is project and place.folder.startswith(top + "/") for top, room in covered)
            if above or not project.is_one(place) or (project in LAST and (here or (found and not place.is_top))):
                continue
            checks = project.checks(place, kind)
            here += checks
            # a package is built by itself, whatever tests see
            alone = project is python_project.PYTHON and kind == BUILD_SUCCESS
            covered += [(place.folder, project)] if checks and not alone and project.covers(place) else []
        found += here
    return found


def _criterion(check: "Check", kind: str) -> Criterion:
    return Criterion(kind, check.name, check.argv, check.folder, SECONDS[kind], 0, check.source, check.definition)


def _given(top: str, wished: acceptance.Wish, seconds: "float | None") -> Criterion:
    time = SECONDS[wished.type] if seconds is None else seconds
    said = of(Place(top, top), wished.argv)
    return Criterion(wished.type, shlex.join(wished.argv), wished.argv, top, time, wished.expected, ASKED, said)


def _distinct(criteria: "list[Criterion]") -> "list[Criterion]":
    """Return the criteria without repetition, each with a name of its own among those of its type."""
    found: dict[tuple[str, str], Criterion] = {}
    for criterion in dict.fromkeys(criteria):
        name, number = criterion.name, 1
        while (criterion.type, name) in found:
            number += 1
            name = f"{criterion.name} ({number})"
        found[criterion.type, name] = criterion._replace(name=name)
    return list(found.values())


INTERPRETERS = {"sh", "bash", "zsh", "python", "python3", "node", "ruby", "perl"}
LARGEST_SCRIPT = 1_000_000


def of(place: "Place", argv: "tuple[str, ...]") -> str:
    """Return the script behind `npm test`, the rules behind `make check`, or the hash of the project's own `./check.sh`."""
    program = argv[0].rpartition("/")[2]
    if program == "make":
        return "\n".join(build_files.definition_of_target(place, word) for word in argv[1:])
    if program in {*build_files.MANAGERS.values()}:
        return "\n".join(filter(None, [build_files.definition_of_script(place, word) for word in argv[1:]]))
    tasks = task_files.of(place, program)
    if tasks:
        return tasks
    words = argv[1:2] if program in INTERPRETERS else argv[:1]
    return "\n".join(filter(None, [_hash(place, word) for word in words]))


def _hash(place: "Place", word: str) -> str:
    path = os.path.realpath(os.path.join(place.folder, word))
    if not path.startswith(place.top + "/"):
        return ""  # a program of the machine, or no file at all
    try:
        with open(path, "rb") as file:
            return f"{word}: sha256 {hashlib.sha256(file.read(LARGEST_SCRIPT)).hexdigest()}"
    except OSError:
        return ""


Check = namedtuple("Check", "name argv folder source definition")
Check.__doc__ = """A criterion before its type and its time are known. `source` and `name` are as seen from the top."""


class Place:
    """A folder that is looked at, and the top of the tree that it belongs to."""

    __slots__ = ("folder", "names", "top")

    def __init__(self, folder: str, top: str) -> None:
        self.folder = folder
        self.top = top
        try:
            self.names = set(os.listdir(folder))
        except OSError:
            self.names = set()

    @property
    def is_top(self) -> bool:
        """Say whether it is the top itself."""
        return self.folder == self.top

    def has(self, *names: str) -> bool:
        """Say whether one of these files is in it."""
        return not self.names.isdisjoint(names)

    def check(self, name: str, argv: "tuple[str, ...]", source: str, definition: str = "") -> Check:
        """Return a check in this folder; one below the top is named after it."""
        below = "" if self.is_top else os.path.relpath(self.folder, self.top)
        return Check(f"{below}: {name}" if below else name, argv, self.folder, os.path.join(below, source), definition)
