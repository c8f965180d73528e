"""Find the checks of a Python project, run by its own interpreter, of pytest or unittest, linters and type checkers."""

import glob
import os
import re
import shutil

from ralph_mem.ralph.criteria import BUILD_SUCCESS, LINT_CLEAN, TEST_PASS, TYPE_CHECK, build_files, task_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.criteria.finding import Check, Place

MARKS = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt", "manage.py")
# What makes a folder below another project a project of its own.
OF_ITS_OWN = {"pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "manage.py"}
# Where a tool keeps its settings: the file, and the section; no section where the file is all its own.
PYTEST = (
    *(("pytest.ini", ""), (".pytest.ini", ""), ("pytest.toml", "")),
    *(("pyproject.toml", "tool.pytest.ini_options"), ("pyproject.toml", "tool.pytest"), ("tox.ini", "pytest")),
    ("setup.cfg", "tool:pytest"),
)
LINTERS = {
    "ruff": (("ruff.toml", ""), (".ruff.toml", ""), ("pyproject.toml", "tool.ruff"), ("pyproject.toml", "tool.ruff.lint")),
    "flake8": ((".flake8", ""), ("setup.cfg", "flake8"), ("tox.ini", "flake8")),
}
TYPE_CHECKERS = {
    "mypy": (("mypy.ini", ""), (".mypy.ini", ""), ("pyproject.toml", "tool.mypy"), ("setup.cfg", "mypy")),
    "pyright": (("pyrightconfig.json", ""), ("pyproject.toml", "tool.pyright")),
}
# What can be built into a package.
BUILDS = (("pyproject.toml", "build-system"), ("pyproject.toml", "project"), ("setup.py", ""))
BACKEND = re.compile(r"""^\s*build-backend\s*=\s*["']([A-Za-z]\w*)""", re.MULTILINE)
# Isolated, a build would fetch its tools anew each time, and fail without a network.
BUILD = ("-m", "build", "--no-isolation", "--skip-dependency-check")
NO_SOURCES = {"test", "tests", "testing", "doc", "docs", "example", "examples", "script", "scripts", "tools", "benchmarks"}
ENVIRONMENTS = (".venv", "venv")
# Tools that keep the environment elsewhere, by their lock files.
RUNNERS = {"uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm", "Pipfile.lock": "pipenv"}
TEST_FILE = re.compile(r"(?:test_.*|.*_test|tests)\.py$")
FOR_PYTEST = re.compile(r"^\s*(?:import pytest|from pytest\b)|^(?:async )?def test", re.MULTILINE)
FOR_UNITTEST = re.compile(r"^\s*(?:import unittest|from unittest\b|from django\.test\b)", re.MULTILINE)
# Enough to tell pytest's from unittest's.
MOST_READ = 50
MOST_FOLDERS = 500
LEFT_OUT = {"node_modules", "venv", "env", "build", "dist", "site-packages", "target", "vendor"}


def is_one(place: "Place") -> bool:
    """Say whether a folder holds a Python project."""
    return place.has(*MARKS) or (place.is_top and _has_tests(place))


def checks(place: "Place", kind: str) -> "list[Check]":
    """Return the checks of one type that the project has."""
    if kind == TEST_PASS:
        return _tests(place)
    if kind == BUILD_SUCCESS:
        return _build(place)
    if kind == LINT_CLEAN:
        return _tools(place, LINTERS, {"ruff": ("check", "."), "flake8": ()})
    return _tools(place, TYPE_CHECKERS, {"mypy": _mypy_files(place), "pyright": ()}) if kind == TYPE_CHECK else []


def covers(place: "Place") -> bool:
    """Say whether its checks see the projects below it: pytest collects all files where it is told of no folder."""
    _, section = _configured(place, PYTEST)
    return "testpaths" not in section and not any("unittest" in check.argv for check in _tests(place))


def _has_tests(place: "Place") -> bool:
    """Say whether tests lie where they would without any settings; a name deep in another project proves nothing."""
    return any(map(TEST_FILE.match, place.names)) or any(
        _test_files(os.path.join(place.folder, name)) for name in ("tests", "test") if place.has(name)
    )


def _tests(place: "Place") -> "list[Check]":
    files = _test_files(place.folder)
    source, section = _configured(place, PYTEST)
    if not source and not files:
        return []
    if not source and _are_for_unittest(files) and not place.has("conftest.py"):
        where = "manage.py" if place.has("manage.py") else os.path.relpath(files[0], place.folder)
        words = ("manage.py", "test") if place.has("manage.py") else ("-m", "unittest", "discover", *_start_folder(place, files))
        return [place.check(" ".join(words).replace("-m ", ""), (*_python(place, "python3"), *words), where)]
    python = _python(place, "pytest")
    if python[0] == "python3" and not shutil.which("pytest") and not _are_installed("python3", "pytest") and _has_maker(place):
        return []
    return [place.check("pytest", (*python, "-q"), source or os.path.relpath(files[0], place.folder), section)]


def _has_maker(place: "Place") -> bool:
    """Say whether something is there that makes the environment in which tests can be run, as tox and nox do."""
    return any(shutil.which(check.argv[0]) for check in task_files.checks(place, TEST_PASS))


def test_starter(place: "Place") -> "tuple[tuple[str, ...], bool]":
    """Return what starts the runner that the project has, and whether that is unittest, which takes dotted names; else pytest."""
    if any(["unittest" in check.argv for check in _tests(place)]):
        return (*_python(place, "python3"), "-m", "unittest", "-v"), True
    return (*_python(place, "pytest"), "-q"), False


def _start_folder(place: "Place", files: "list[str]") -> "tuple[str, ...]":
    """Return what unittest needs to find tests below the top; it starts in a package only where it is told of the folder above."""
    folder = os.path.dirname(os.path.relpath(files[0], place.folder))
    while os.path.isfile(os.path.join(place.folder, folder, "__init__.py")) and folder:
        if "/" not in folder:
            return ("-s", folder, "-t", ".")
        folder = os.path.dirname(folder)
    return ("-s", folder) if folder else ()


def _build(place: "Place") -> "list[Check]":
    """Return how the package is built where that can be done here; else its sources are compiled, which finds what cannot be read.

    What a person wrote into a Makefile for it says more.
    """
    source, section = _configured(place, BUILDS)
    if not source or build_files.checks_of_make(place, BUILD_SUCCESS):
        return []
    python, backend = _python(place, "python3"), BACKEND.search(section)
    if len(python) == 1 and _are_installed(python[0], "build", backend[1] if backend else "setuptools"):
        return [place.check("python -m build", (*python, *BUILD), source, section)]
    names = _sources(place)
    return (
        [place.check("compileall " + " ".join(names), (*python, "-m", "compileall", "-f", "-q", *names), source, section)]
        if names
        else []
    )


def _are_installed(python: str, *modules: str) -> bool:
    """Say whether modules lie among the packages of an interpreter; it is not run."""
    path = shutil.which(python) or python
    version = os.path.basename(os.path.realpath(path))
    folders = glob.glob(os.path.join(glob.escape(os.path.dirname(os.path.dirname(path))), "lib", "python3*", "*-packages"))
    own = [each for each in folders if os.path.basename(os.path.dirname(each)) in (version, "python3") or len(folders) == 1]
    return all(
        any(os.path.exists(os.path.join(folder, module + end)) for folder in own for end in ("", ".py")) for module in modules
    )


def _sources(place: "Place") -> "list[str]":
    """Return the folders and files in which the package's own code lies, as seen from the project."""
    if place.has("src"):
        return ["src"]
    folders = sorted(name for name in place.names - LEFT_OUT - NO_SOURCES if not name.startswith((".", "-")))
    packages = [name for name in folders if os.path.isfile(os.path.join(place.folder, name, "__init__.py"))]
    modules = [name for name in folders if name.endswith(".py") and not TEST_FILE.match(name)]
    return [*packages, *modules] or [name for name in folders if glob.glob(os.path.join(glob.escape(place.folder), name, "*.py"))]


def _python(place: "Place", tool: str) -> "tuple[str, ...]":
    """Return what starts a tool, or the interpreter itself, in the project's own environment.

    Else it is the interpreter beside the tool on the PATH: started with `-m`, the project's folder is on its path.
    """
    module = () if tool == "python3" else ("-m", tool)
    own = _interpreter(place)
    if own:
        return (own, *module)
    for lock, runner in RUNNERS.items():
        if place.has(lock) and shutil.which(runner):
            return (runner, "run", "python", *module)
    found = shutil.which(tool) or ""
    beside = os.path.join(os.path.dirname(found), "python3")
    if found and not os.access(beside, os.X_OK):
        return (tool,)
    on_path = shutil.which("python3") or ""
    return ("python3" if not found or os.path.dirname(on_path) == os.path.dirname(found) else beside, *module)


def _interpreter(place: "Place") -> str:
    # absolute: a criterion may be run in a copy of the tree, and an environment is in no copy
    for folder in (place.folder, place.top):
        for name in ENVIRONMENTS:
            path = os.path.join(folder, name, "bin", "python")
            if os.access(path, os.X_OK):
                return path
    return ""


def _tools(
    place: "Place", settings: "dict[str, tuple[tuple[str, str], ...]]", words: "dict[str, tuple[str, ...]]"
) -> "list[Check]":
    found = []
    for name, files in settings.items():
        source, section = _configured(place, files)
        if source:
            found.append(place.check(" ".join([name, *words[name]]), (*_started(place, name), *words[name]), source, section))
    return found


def _started(place: "Place", name: str) -> "tuple[str, ...]":
    own = os.path.join(os.path.dirname(_interpreter(place) or "/nowhere/"), name)
    if os.access(own, os.X_OK):
        return (own,)
    for lock, runner in RUNNERS.items():
        if not _interpreter(place) and place.has(lock) and shutil.which(runner):
            return (runner, "run", name)
    return (name,)


def _mypy_files(place: "Place") -> "tuple[str, ...]":
    _, section = _configured(place, TYPE_CHECKERS["mypy"])
    return () if re.search(r"^\s*(?:files|packages|modules)\s*=", section, re.MULTILINE) else (".",)


def _configured(place: "Place", files: "tuple[tuple[str, str], ...]") -> "tuple[str, str]":
    """Return the first file that configures a tool, and what it says there; two empty texts where none does."""
    for name, section in files:
        path = os.path.join(place.folder, name)
        if not section and os.path.isfile(path):
            return name, build_files.text(path)
        found = build_files.sections(path) if section else {}
        if section in found:
            return name, found[section]
    return "", ""


def _are_for_unittest(files: "list[str]") -> bool:
    texts = [build_files.text(path) for path in files[:MOST_READ]]
    return any(FOR_UNITTEST.search(text) for text in texts) and not any(FOR_PYTEST.search(text) for text in texts)


def _test_files(top: str) -> "list[str]":
    """Return files whose names say that they hold tests, those in higher folders first."""
    found = []
    for number, (folder, folders, files) in enumerate(os.walk(top)):
        if folder != top and not OF_ITS_OWN.isdisjoint(files):
            folders[:] = []
            continue
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and not name.startswith("."))
        found += [os.path.join(folder, name) for name in sorted(files) if TEST_FILE.match(name)]
        if number >= MOST_FOLDERS or len(found) >= MOST_READ:
            break
    return sorted(found, key=lambda path: (path.count("/"), path))


PYTHON = build_files.Tools(is_one, checks, covers)
