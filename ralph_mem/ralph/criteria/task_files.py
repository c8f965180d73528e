"""Find the checks that a justfile, a Taskfile, tox or nox name, where no tool of a language is found."""

import hashlib
import os
import re
from collections import namedtuple

from ralph_mem.ralph.criteria import LINT_CLEAN, TEST_PASS, TYPE_CHECK, build_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.criteria.finding import Check, Place

JUSTFILES = ("justfile", "Justfile", ".justfile")
TASKFILES = ("Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml")
NOXFILE = "noxfile.py"
TOX = (("tox.ini", "tox"), ("tox.ini", "testenv"), ("pyproject.toml", "tool.tox"), ("setup.cfg", "tox:tox"))
# A recipe: its name, what it takes, a colon; no assignment, and nothing that is indented.
RECIPE = re.compile(r"@?([A-Za-z_][\w-]*)(?:[ \t][^:=\n]*)?:(?!=)", re.MULTILINE)
TASKS = re.compile(r"^tasks:[ \t]*(?:#.*)?\n((?:[ \t]+.*\n?|[ \t]*(?:#.*)?\n)*)", re.MULTILINE)
TASK = re.compile(r"^([ \t]+)['\"]?([\w-]+)['\"]?:", re.MULTILINE)
SESSION = re.compile(r"^@(?:nox\.)?session\b[^\n]*\n(?:@[^\n]*\n)*def\s+(\w+)", re.MULTILINE)
# How environments of tox and sessions of nox are called; those of a Makefile are in build_files.
NAMES = {
    TEST_PASS: ("tests", "test", "unit", "pytest"),
    LINT_CLEAN: ("lint", "linters", "style", "ruff", "flake8"),
    TYPE_CHECK: ("typing", "types", "type", "mypy", "typecheck", "type_check", "pyright"),
}

Runner = namedtuple("Runner", "program source names option")
Runner.__doc__ = """What runs named tasks: its program, the file that names them, the names, and the option before one."""


def runners(place: "Place") -> "list[Runner]":
    """Return what runs tasks in a folder."""
    return [found for found in (_just(place), _task(place), _tox(place), _nox(place)) if found]


def is_one(place: "Place") -> bool:
    """Say whether a folder has such a file."""
    return bool(runners(place))


def checks(place: "Place", kind: str) -> "list[Check]":
    """Return the first task of a type."""
    for runner in runners(place):
        wanted = NAMES.get(kind, ()) if runner.option else build_files.TARGETS.get(kind, ())
        name = next((name for name in wanted if name in runner.names), None)
        if name is None and kind == TEST_PASS and runner.program == "tox":
            return [place.check("tox", ("tox",), runner.source, defined(place, runner))]
        if name is not None:
            argv = (runner.program, *([runner.option] if runner.option else []), name)
            return [place.check(" ".join(argv), argv, runner.source, defined(place, runner))]
    return []


def defined(place: "Place", runner: Runner) -> str:
    """Return what stands for all that a file of tasks says: it may be long, and a task calls others."""
    text = build_files.text(os.path.join(place.folder, runner.source))
    return f"{runner.source}: sha256 {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def of(place: "Place", program: str) -> str:
    """Return the same for what runs tasks by its program's name; nothing where it finds no file here."""
    return "\n".join([defined(place, runner) for runner in runners(place) if runner.program == program])


def _just(place: "Place") -> "Runner | None":
    source = next((name for name in JUSTFILES if place.has(name)), "")
    return Runner("just", source, set(RECIPE.findall(_read(place, source))), "") if source else None


def _task(place: "Place") -> "Runner | None":
    source = next((name for name in TASKFILES if place.has(name)), "")
    listed = TASKS.search(_read(place, source) + "\n") if source else None
    found = TASK.findall(listed[1]) if listed else []
    return Runner("task", source, {name for indent, name in found if indent == found[0][0]}, "") if found else None


def _tox(place: "Place") -> "Runner | None":
    for source, section in TOX:
        found = build_files.sections(os.path.join(place.folder, source)) if place.has(source) else {}
        if section in found:
            return Runner("tox", source, {name.partition(":")[2] for name in found if name.startswith("testenv:")}, "-e")
    return None


def _nox(place: "Place") -> "Runner | None":
    found = set(SESSION.findall(_read(place, NOXFILE))) if place.has(NOXFILE) else set()
    return Runner("nox", NOXFILE, found, "-s") if found else None


def _read(place: "Place", name: str) -> str:
    return build_files.text(os.path.join(place.folder, name))


TASK_FILES = build_files.Tools(is_one, checks, is_one)
