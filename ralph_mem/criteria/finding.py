"""Finding: which criteria a project has, read from its files; nothing is run."""

import os
import shlex

from ralph_mem.criteria import (
    BUILD_SUCCESS,
    CUSTOM,
    LINT_CLEAN,
    MARKER,
    TEST_PASS,
    TYPE_CHECK,
    Criterion,
    compiled_project,
    definition,
    makefile,
    node_project,
    parsing,
    python_project,
    wish,
)
from ralph_mem.criteria.place import Check, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

# Seconds. A suite or a build of a common project needs one to three minutes, and one that hangs should not take more than a third
# of the half an hour that a loop has; the others read files and nothing else.
SECONDS = {TEST_PASS: 600.0, BUILD_SUCCESS: 300.0, TYPE_CHECK: 300.0, LINT_CLEAN: 120.0, CUSTOM: 120.0, MARKER: 0.0}

# The source of a check that no file of the project tells of.
ASKED = "--criteria"

# A Makefile comes last: where a language's own tool is found, `make test` would run the same again.
KINDS: "tuple[ModuleType, ...]" = (python_project, node_project, compiled_project, makefile)
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


def find(folder: str, types: "list[str]", seconds: "float | None" = None) -> "tuple[list[Criterion], list[str]]":
    """Return the criteria of a project, and a line for each type that was asked for and not found.

    `types` are items such as `test_pass` or `custom=./check.sh --all`; see `wish`. Raises ConfigError for one that cannot
    be read. `seconds` is the time for each, in place of what its type is given.
    """
    top = os.path.realpath(folder)
    criteria, missing = [], []
    places, more = _places(top)
    for item in types:
        wished = wish.read(item)
        if wished.type == MARKER:
            criteria.append(marker(top))
        elif wished.argv:
            criteria.append(_given(top, wished, seconds))
        else:
            found = [_criterion(check, wished.type, seconds) for check in _look(places, wished.type)]
            criteria += found
            missing += [] if found else [_not_found(wished.type)]
    missing += [f"{more} more projects below the top were not looked at: name their checks with --criteria"] if more else []
    return _distinct(criteria), missing


def marker(folder: str) -> Criterion:
    """Return the criterion that the agent says that it is done; it runs nothing."""
    return Criterion(MARKER, MARKER, (), os.path.realpath(folder), SECONDS[MARKER], 0, ASKED, "")


def with_details(criterion: Criterion, scratch: str) -> "tuple[tuple[str, ...], dict[str, str]]":
    """Return the command line that also writes a report into `scratch`, and what to add to the environment.

    What is run stays the same. A criterion that writes such a report itself keeps its own.
    """
    argv = tuple(criterion.argv)
    own = "junit" in criterion.definition or any("junit" in word for word in argv)
    for at, word in enumerate(argv[: parsing.FIRST_WORDS]):
        # an option of the command line and no variable: pytest run by a test would overwrite the report
        if word.rpartition("/")[2] in ("pytest", "py.test") and not own:
            report = f"--junitxml={os.path.join(scratch, parsing.REPORT)}"
            # of the two families only the older one names the file of a test
            return (*argv[: at + 1], report, "-o", "junit_family=xunit1", *argv[at + 1 :]), {}
    return argv, {}


def _places(top: str) -> "tuple[list[Place], int]":
    """Return the top and the folders below it, higher ones first, and how many more there would have been."""
    level, found = [Place(top, top)], [Place(top, top)]
    for _ in range(DEEPEST):
        level = [place for above in level for place in _below(above)][:MOST_FOLDERS]
        found += [place for place in level if any(kind.is_one(place) for kind in KINDS)]
    return found[: MOST_PROJECTS + 1], max(0, len(found) - MOST_PROJECTS - 1)


def _below(above: Place) -> "list[Place]":
    names = sorted(name for name in above.names if name not in LEFT_OUT and not name.startswith("."))
    folders = [os.path.join(above.folder, name) for name in names]
    # a linked folder is somewhere else, or here already
    return [Place(path, above.top) for path in folders if os.path.isdir(path) and not os.path.islink(path)]


def _look(places: "list[Place]", kind: str) -> "list[Check]":
    """Return the checks of one type; a folder is passed over where the check of one above it sees it too."""
    found: list[Check] = []
    covered: list[tuple[str, ModuleType]] = []
    for place in places:
        here: list[Check] = []
        for project in KINDS:
            above = any(room is project and place.folder.startswith(top + "/") for top, room in covered)
            if above or not project.is_one(place) or (project is makefile and (here or (found and not place.is_top))):
                continue
            checks = project.checks(place, kind)
            here += checks
            covered += [(place.folder, project)] if checks and project.covers(place) else []
        found += here
    return found


def _criterion(check: Check, kind: str, seconds: "float | None") -> Criterion:
    time = SECONDS[kind] if seconds is None else seconds
    return Criterion(kind, check.name, check.argv, check.folder, time, 0, check.source, check.definition)


def _given(top: str, wished: wish.Wish, seconds: "float | None") -> Criterion:
    time = SECONDS[wished.type] if seconds is None else seconds
    said = definition.of(Place(top, top), wished.argv)
    return Criterion(wished.type, shlex.join(wished.argv), wished.argv, top, time, wished.expected, ASKED, said)


def _not_found(kind: str) -> str:
    return f"{kind}: no {WHERE[kind]} found in this project; name one as '{kind}=COMMAND'"


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
