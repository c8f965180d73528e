"""Which criteria a project has: read from its files, nothing run."""

import json
import os
import stat
import subprocess
import sys
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph_mem.core.errors import ConfigError
from ralph_mem.ralph.criteria import (
    BUILD_SUCCESS,
    CUSTOM,
    LINT_CLEAN,
    MARKER,
    TEST_PASS,
    TYPE_CHECK,
    TYPES,
    Criterion,
    acceptance,
    finding,
)

PYTEST_CONFIG = "[tool.pytest.ini_options]\naddopts = '-ra'\n\n[tool.other]\nx = 1\n"
CARGO = '[package]\nname = "shop"\n'


class Tree:
    """A project that is made of files named in one call; a name with a slash at its end is a folder."""

    def __init__(self, folder):
        self.folder = folder

    def add(self, **files):
        for name, content in files.items():
            self.write(name, content)
        return self

    def write(self, name, content=""):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return self

    def program(self, name, content="#!/bin/sh\n"):
        self.write(name, content)
        (self.folder / name).chmod(0o755)
        return self

    def find(self, *types):
        return finding.find(str(self.folder), list(types))

    def argv(self, kind):
        """Return the command lines of a type, as they would be typed."""
        return [" ".join(criterion.argv) for criterion in self.find(kind)[0]]

    def names(self, kind):
        return [criterion.name for criterion in self.find(kind)[0]]


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """An empty project, on a machine with a Python and a pytest of the system and nothing else."""
    programs = Tree(tmp_path / "bin").program("python3").program("pytest")
    monkeypatch.setenv("PATH", str(programs.folder))
    (tmp_path / "project").mkdir()
    return Tree(tmp_path / "project")


# Python


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("pyproject.toml", PYTEST_CONFIG),
        ("pytest.ini", "[pytest]\n"),
        ("tox.ini", "[pytest]\n"),
        ("setup.cfg", "[tool:pytest]\n"),
        ("test_shop.py", "def test_a(): pass\n"),
        ("tests/shop_test.py", "import pytest\n"),
    ],
)
def test_pytest_is_found_by_its_settings_or_by_tests(tree, file, content):
    (criterion,), missing = tree.write(file, content).find(TEST_PASS)
    assert criterion[:4] == (TEST_PASS, "pytest", ("python3", "-m", "pytest", "-q"), str(tree.folder))
    assert (criterion.expected, criterion.source, missing) == (0, file, [])


def test_the_definition_is_the_section_and_no_other(tree):
    (criterion,), _ = tree.write("pyproject.toml", PYTEST_CONFIG).find(TEST_PASS)
    assert criterion.definition == "addopts = '-ra'"


@pytest.mark.parametrize("name", [".venv", "venv"])
def test_the_interpreter_of_the_projects_own_environment_runs_the_tests(tree, name):
    tree.write("pytest.ini").program(f"{name}/bin/python")
    assert tree.argv(TEST_PASS) == [f"{tree.folder}/{name}/bin/python -m pytest -q"]


def test_the_environment_of_the_top_serves_a_project_below_it(tree):
    tree.write("server/pytest.ini").program(".venv/bin/python")
    assert tree.argv(TEST_PASS) == [f"{tree.folder}/.venv/bin/python -m pytest -q"]


@pytest.mark.parametrize(("lock", "runner"), [("uv.lock", "uv"), ("poetry.lock", "poetry")])
def test_an_environment_that_lies_elsewhere_is_found_by_its_own_tool(tree, lock, runner):
    tree.write("pytest.ini").write(lock)
    assert tree.argv(TEST_PASS) == ["python3 -m pytest -q"]
    Tree(tree.folder.parent / "bin").program(runner)
    assert tree.argv(TEST_PASS) == [f"{runner} run python -m pytest -q"]


def test_the_interpreter_beside_pytest_is_the_one_that_has_it(tree, monkeypatch):
    other = Tree(tree.folder.parent / "other").program("python3")
    monkeypatch.setenv("PATH", f"{other.folder}:{os.environ['PATH']}")
    assert tree.write("pytest.ini").argv(TEST_PASS) == [f"{tree.folder.parent}/bin/python3 -m pytest -q"]


UNITTEST = "import unittest, shop\nclass A(unittest.TestCase):\n    def test_a(self): 1 / 0\n"


@pytest.mark.parametrize(
    ("file", "packages", "options"),
    [
        ("test_shop.py", (), []),
        ("tests/test_shop.py", ("tests",), ["-s", "tests", "-t", "."]),
        ("tests/test_shop.py", (), ["-s", "tests"]),
        ("tests/unit/test_shop.py", ("tests", "tests/unit"), ["-s", "tests", "-t", "."]),
        ("tests/unit/test_shop.py", ("tests/unit",), ["-s", "tests"]),
        ("tests/unit/test_shop.py", ("tests",), ["-s", "tests/unit"]),
    ],
)
def test_tests_for_unittest_are_run_by_unittest(tree, file, packages, options):
    tree.write("setup.py").write("shop.py").write(file, UNITTEST)
    for folder in packages:
        tree.write(f"{folder}/__init__.py")
    (criterion,), _ = tree.find(TEST_PASS)
    assert criterion.argv == ("python3", "-m", "unittest", "discover", *options)
    ran = subprocess.run([sys.executable, *criterion.argv[1:]], cwd=criterion.folder, capture_output=True, text=True, timeout=60)
    assert "Ran 1 test" in ran.stderr and "errors=1" in ran.stderr and "ZeroDivisionError" in ran.stderr


def test_one_test_for_pytest_has_all_of_them_run_by_pytest(tree):
    tree.write("tests/test_shop.py", UNITTEST)
    assert tree.write("tests/test_b.py", "import pytest\n").names(TEST_PASS) == ["pytest"]


def test_linters_and_type_checkers_are_found_where_they_are_configured(tree):
    assert tree.write("pyproject.toml", "[project]\n").argv(LINT_CLEAN) == []
    tree.write("pyproject.toml", "[tool.ruff]\n[tool.mypy]\nfiles = ['shop']\n[tool.pyright]\n")
    assert tree.argv(LINT_CLEAN) == ["ruff check ."]
    assert tree.argv(TYPE_CHECK) == ["mypy", "pyright"]
    assert tree.write("pyproject.toml", "[[tool.mypy.overrides]]\n[tool.mypy]\n").argv(TYPE_CHECK) == ["mypy ."]
    assert tree.program(".venv/bin/python").program(".venv/bin/mypy").argv(TYPE_CHECK) == [f"{tree.folder}/.venv/bin/mypy ."]


BUILT = "[build-system]\nrequires = ['setuptools>=77']\nbuild-backend = \"setuptools.build_meta\"\n"


@pytest.mark.parametrize(
    ("file", "content", "sources"),
    [
        ("src/shop/__init__.py", BUILT, "src"),
        ("shop/__init__.py", BUILT, "shop"),
        ("shop.py", BUILT, "shop.py"),
        ("shop/part.py", BUILT, "shop"),
        ("shop/__init__.py", "[project]\nname = 'shop'\n", "shop"),
    ],
)
def test_a_python_package_is_compiled_where_it_cannot_be_built(tree, file, content, sources):
    tree.write("pyproject.toml", content).write(file, "total = 0\n").write("tests/__init__.py").write("docs/conf.py")
    (criterion,), missing = tree.find(BUILD_SUCCESS)
    assert (" ".join(criterion.argv), missing) == (f"python3 -m compileall -f -q {sources}", [])
    assert criterion.name == f"compileall {sources}" and criterion.source == "pyproject.toml"
    for code, text in ((0, "total = 0\n"), (1, "total = = 0\n")):
        tree.write(file, text)
        ran = subprocess.run([sys.executable, *criterion.argv[1:]], cwd=criterion.folder, capture_output=True, timeout=60)
        assert ran.returncode == code


def test_a_python_package_is_built_where_its_environment_has_all_for_it(tree):
    tree.write("pyproject.toml", BUILT).write("shop.py").program(".venv/bin/python3.11")
    (tree.folder / ".venv" / "bin" / "python").symlink_to("python3.11")
    packages = ".venv/lib/python3.11/site-packages/"
    tree.write(packages + "setuptools/__init__.py").write(".venv/lib/python3.9/site-packages/build/__init__.py")
    assert tree.names(BUILD_SUCCESS) == ["compileall shop.py"]
    tree.write(packages + "build/__init__.py")
    command = f"{tree.folder}/.venv/bin/python -m build --no-isolation --skip-dependency-check"
    assert tree.argv(BUILD_SUCCESS) == [command]
    tree.write("pyproject.toml", BUILT.replace("setuptools.build_meta", "hatchling.build"))
    assert tree.names(BUILD_SUCCESS) == ["compileall shop.py"]


def test_a_build_that_a_person_wrote_down_comes_before_ours(tree):
    tree.write("setup.py").write("shop.py").write("Makefile", "build:\n\tpython -m build\n")
    assert tree.names(BUILD_SUCCESS) == ["make build"]


def test_each_package_of_a_tree_is_built(tree):
    for folder in ("", "packages/lamps/"):
        tree.write(f"{folder}pyproject.toml", BUILT + PYTEST_CONFIG).write(f"{folder}shop.py").write(f"{folder}test_a.py")
    assert tree.names(BUILD_SUCCESS) == ["compileall shop.py", "packages/lamps: compileall shop.py"]
    assert tree.names(TEST_PASS) == ["pytest"]


def test_a_python_project_that_is_no_package_has_no_build(tree):
    assert tree.write("pytest.ini").write("shop.py").write("requirements.txt").names(BUILD_SUCCESS) == []


# Node


@pytest.mark.parametrize(
    ("lock", "command"),
    [
        ("package-lock.json", "npm test"),
        ("yarn.lock", "yarn test"),
        ("pnpm-lock.yaml", "pnpm test"),
        ("bun.lock", "bun run test"),
        ("", "npm test"),
    ],
)
def test_scripts_are_run_by_the_manager_of_the_lock_file(tree, lock, command):
    tree.write("package.json", {"scripts": {"test": "jest"}})
    assert (tree.write(lock) if lock else tree).argv(TEST_PASS) == [command]


def test_a_package_below_is_run_by_the_manager_of_the_top(tree):
    tree.write("pnpm-lock.yaml").write("web/package.json", {"scripts": {"test": "jest"}})
    assert tree.argv(TEST_PASS) == ["pnpm test"]


def test_each_type_has_its_script(tree):
    tree.write("package.json", {"scripts": {"test": "jest", "build": "vite build", "lint": "eslint .", "type-check": "tsc -b"}})
    found, missing = tree.find(TEST_PASS, BUILD_SUCCESS, LINT_CLEAN, TYPE_CHECK)
    assert [" ".join(each.argv) for each in found] == ["npm test", "npm run build", "npm run lint", "npm run type-check"]
    assert missing == [] and {each.source for each in found} == {"package.json"}


@pytest.mark.parametrize("script", ['echo "Error: no test specified" && exit 1', "", "  "])
def test_what_npm_writes_in_place_of_tests_is_none(tree, script):
    found, missing = tree.write("package.json", {"scripts": {"test": script}}).find(TEST_PASS)
    assert found == []
    assert missing == ["test_pass: no tests found in this project; name one as 'test_pass=COMMAND'"]


def test_the_definition_of_a_script_holds_what_it_runs(tree):
    scripts = {"pretest": "npm run gen", "gen": "node gen.js", "test": "npm run unit", "unit": "jest", "other": "rm -rf x"}
    (criterion,), _ = tree.write("package.json", {"scripts": scripts}).find(TEST_PASS)
    assert criterion.definition == "gen: node gen.js\npretest: npm run gen\ntest: npm run unit\nunit: jest"


def test_a_type_checker_and_a_linter_are_run_by_themselves_where_no_script_does(tree):
    tree.write("package.json", {"devDependencies": {"eslint": "9", "vitest": "4"}}).write("tsconfig.json", "{}").write(
        "eslint.config.js"
    )
    assert tree.argv(TYPE_CHECK) == ["npx --no-install tsc --noEmit"]
    assert tree.argv(LINT_CLEAN) == ["npx --no-install eslint ."]
    assert tree.argv(TEST_PASS) == ["npx --no-install vitest run"]
    tree.write("tsconfig.json", '{"files": [], "references": [{"path": "./a"}]}')
    assert tree.argv(TYPE_CHECK) == ["npx --no-install tsc -b --noEmit"]


@pytest.mark.parametrize("content", ["", "[1]", "{", '{"scripts": 3}', '{"scripts": {"test": 3}}', "[" * 100_000])
def test_a_package_json_that_cannot_be_read_has_no_scripts(tree, content):
    assert tree.write("package.json", content).find(TEST_PASS)[0] == []


# Rust, Go, Java


@pytest.mark.parametrize(
    ("file", "kind", "command"),
    [
        ("Cargo.toml", TEST_PASS, "cargo test --no-fail-fast"),
        ("Cargo.toml", BUILD_SUCCESS, "cargo build"),
        ("Cargo.toml", LINT_CLEAN, "cargo clippy --all-targets -- -D warnings"),
        ("Cargo.toml", TYPE_CHECK, "cargo check --all-targets"),
        ("go.mod", TEST_PASS, "go test -json ./..."),
        ("go.mod", BUILD_SUCCESS, "go build ./..."),
        ("go.mod", LINT_CLEAN, "go vet ./..."),
        ("pom.xml", TEST_PASS, "mvn -B -fae test"),
        ("pom.xml", BUILD_SUCCESS, "mvn -B test-compile"),
        ("build.gradle", TEST_PASS, "gradle cleanTest test --continue"),
        ("build.gradle.kts", BUILD_SUCCESS, "gradle assemble"),
    ],
)
def test_compiled_projects_have_their_commands(tree, file, kind, command):
    assert tree.write(file).argv(kind) == [command]


def test_a_wrapper_in_the_project_is_taken_for_the_tool(tree):
    tree.write("build.gradle").write("gradlew")
    assert tree.argv(TEST_PASS) == ["sh ./gradlew cleanTest test --continue"]
    assert tree.program("gradlew").argv(TEST_PASS) == ["./gradlew cleanTest test --continue"]


def test_a_workspace_of_crates_is_tested_as_one(tree):
    tree.write("Cargo.toml", '[workspace]\nmembers = ["a"]\n').write("a/Cargo.toml", CARGO)
    assert tree.argv(TEST_PASS) == ["cargo test --workspace --no-fail-fast"]


# Make


# Files of tasks

JUSTFILE = """\
set shell := ['sh', '-c']
version := '1'

# the tests
@test *args: build
    ./run {{args}}

build:
    cc x.c
lint:
    x
"""
TASKFILE = """\
version: '3'
vars:
  test: 1
tasks:
  # all of it
  build:
    cmds: [cc x.c]
  'test':
    cmds:
      - ./run
other:
  lint: x
"""
NOXFILE = """\
import nox

@nox.session(python=['3.12'])
def tests(session):
    session.run('pytest')

@nox.session
def lint(session):
    pass
"""
TOX = "[tox]\nenvlist = py312\n[testenv]\ncommands = pytest\n[testenv:lint]\ncommands = ruff check\n[testenv:mypy]\n"


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("justfile", JUSTFILE, {TEST_PASS: ["just test"], BUILD_SUCCESS: ["just build"], LINT_CLEAN: ["just lint"]}),
        (".justfile", "check:\n  x\n", {TEST_PASS: ["just check"]}),
        ("Taskfile.yml", TASKFILE, {TEST_PASS: ["task test"], BUILD_SUCCESS: ["task build"], LINT_CLEAN: []}),
        ("noxfile.py", NOXFILE, {TEST_PASS: ["nox -s tests"], LINT_CLEAN: ["nox -s lint"], TYPE_CHECK: []}),
        ("tox.ini", TOX, {TEST_PASS: ["tox"], LINT_CLEAN: ["tox -e lint"], TYPE_CHECK: ["tox -e mypy"]}),
        ("pyproject.toml", "[tool.tox]\nenv_list = ['py']\n", {TEST_PASS: ["tox"]}),
        ("Taskfile.yml", "version: '3'\n", {TEST_PASS: []}),
        ("justfile", "test := 'x'\nalias check := other\n", {TEST_PASS: []}),
        ("noxfile.py", "def tests(session): pass\n", {TEST_PASS: []}),
    ],
)
def test_a_file_of_tasks_names_checks(tree, name, text, found):
    tree.write(name, text)
    assert {kind: tree.argv(kind) for kind in found} == found


def test_what_a_file_of_tasks_says_is_accepted_with_the_check(tree):
    def digest():
        return acceptance.digest(tree.find(TEST_PASS)[0], str(tree.folder)), acceptance.digest(
            tree.find("test_pass=just test")[0], str(tree.folder)
        )

    before = tree.write("justfile", JUSTFILE) and digest()
    tree.write("justfile", JUSTFILE.replace("cc x.c", "true"))
    assert all(one != other for one, other in zip(before, digest(), strict=True))


def test_where_a_language_has_its_own_tool_a_file_of_tasks_is_not_asked(tree):
    tree.write("justfile", JUSTFILE).write("Taskfile.yml", TASKFILE).write("go.mod", "module x\n")
    assert tree.argv(TEST_PASS) == ["go test -json ./..."] and tree.argv(LINT_CLEAN) == ["go vet ./..."]


@pytest.mark.parametrize(("name", "text", "words"), [("tox.ini", TOX, "tox"), ("noxfile.py", NOXFILE, "nox -s tests")])
def test_where_pytest_is_not_installed_what_makes_its_environment_runs_it(tree, monkeypatch, name, text, words):
    tree.write("tests/test_it.py", "def test_it(): pass\n").write(name, text).program("bin/python3")
    tree.program(f"bin/{words.split()[0]}")
    monkeypatch.setenv("PATH", str(tree.folder / "bin"))
    assert tree.argv(TEST_PASS) == [words]
    tree.program("bin/pytest")
    assert tree.argv(TEST_PASS) == ["python3 -m pytest -q"]


def test_a_lock_file_of_uv_has_it_run_the_tests_where_it_is_installed(tree, monkeypatch):
    tree.write("tests/test_it.py", "def test_it(): pass\n").write("uv.lock").program("bin/uv")
    monkeypatch.setenv("PATH", str(tree.folder / "bin"))
    assert tree.argv(TEST_PASS) == ["uv run python -m pytest -q"]


# C


@pytest.mark.parametrize("rule", ["check", "test", "unittest", "run-tests"])
def test_a_makefile_of_a_c_project_names_its_tests_beside_its_build(tree, rule):
    text = "TESTS = a b\nall: prog\nprog: x.c\n\tcc -o $@ x.c\n{0}: $(TESTS:%=run-%) prog\n\t./prog --self=1\n{0}: CFLAGS += -g\n"
    text = text.format(rule)
    tree.write("Makefile", text).write("x.c", "int main(void) {{ return 0; }}\n")
    assert tree.argv(TEST_PASS) == [f"make {rule}"] and tree.argv(BUILD_SUCCESS) == ["make all"]


def test_a_variable_for_one_target_alone_is_no_rule(tree):
    tree.write("Makefile", "test: CFLAGS += -g\ncheck: export X := 1\nall:\n\ttrue\n")
    assert tree.argv(TEST_PASS) == []


def test_cmake_builds_before_it_tests_and_where_a_person_has_built(tree):
    tree.write("CMakeLists.txt", "project(x C)\nenable_testing()\nadd_subdirectory(tests)\n").write("Makefile", "test:\n\ttrue\n")
    tree.write("tests/CMakeLists.txt", "add_test(NAME a COMMAND a)\n")
    (found,), _ = tree.find(TEST_PASS)
    assert found.name == "ctest" and found.argv[:2] == ("sh", "-c")
    assert found.argv[2].startswith("cmake -S . -B build && cmake --build build && ctest --test-dir build")
    tree.write("cmake-build-debug/CMakeCache.txt")
    assert "-B cmake-build-debug" in tree.argv(BUILD_SUCCESS)[0] and "ctest" not in tree.argv(BUILD_SUCCESS)[0]


def test_meson_is_set_up_and_tested(tree):
    tree.write("meson.build", "project('x', 'c')\ntest('a', executable('a', 'a.c'))\n")
    assert tree.argv(TEST_PASS) == ["sh -c meson setup build && meson test -C build --print-errorlogs"]
    assert tree.names(BUILD_SUCCESS) == ["meson compile"]


@pytest.mark.parametrize("text", ["project(x C)\n", "# enable_testing()\nproject(x)\ninclude(GNUInstallDirs)\n"])
def test_a_build_without_tests_has_none(tree, text):
    tree.write("CMakeLists.txt", text)
    assert tree.argv(TEST_PASS) == [] and len(tree.argv(BUILD_SUCCESS)) == 1


def test_targets_of_a_makefile_are_found(tree):
    tree.write("Makefile", "VERSION := 1\n.PHONY: check\ncheck lint: build\n\t./run $(VERSION)\nbuild:\n\tcc x.c\n")
    found, missing = tree.find(TEST_PASS, BUILD_SUCCESS, LINT_CLEAN, TYPE_CHECK)
    assert [each.name for each in found] == ["make check", "make build", "make lint"]
    assert missing == ["type_check: no type checker found in this project; name one as 'type_check=COMMAND'"]


def test_the_definition_of_a_target_holds_what_it_needs_and_all_variables(tree):
    text = "FLAGS = -x\ntest: \\\n  build\n\t$(MAKE) deep \\\n\t  more\nbuild:\n\tcc $(FLAGS)\ndeep:\n\techo deep\nclean:\n\trm x\n"
    (criterion,), _ = tree.write("Makefile", text).find(TEST_PASS)
    assert "FLAGS = -x" in criterion.definition and "cc $(FLAGS)" in criterion.definition and "echo deep" in criterion.definition
    assert "rm x" not in criterion.definition


def test_make_is_never_run_to_read_a_makefile(tree):
    tree.write("Makefile", "X := $(shell touch made)\ntest:\n\ttrue\n").find(TEST_PASS)
    assert not (tree.folder / "made").exists()


def test_a_makefile_is_left_aside_where_the_language_has_its_own_tool(tree):
    tree.write("Makefile", "test:\n\tpytest\nlint:\n\tmy-lint\n").write("pytest.ini")
    assert tree.names(TEST_PASS) == ["pytest"]
    assert tree.names(LINT_CLEAN) == ["make lint"]


# Several projects


def test_several_kinds_in_one_folder_are_all_found(tree):
    tree.write("pytest.ini").write("package.json", {"scripts": {"test": "jest"}}).write("Cargo.toml", CARGO).write("go.mod")
    assert tree.names(TEST_PASS) == ["pytest", "npm test", "cargo test --no-fail-fast", "go test -json ./..."]


def test_projects_below_the_top_are_named_by_their_folder_and_run_in_it(tree):
    tree.write("web/package.json", {"scripts": {"test": "jest"}}).write("services/api/pyproject.toml", PYTEST_CONFIG)
    found, _ = tree.find(TEST_PASS)
    assert [(each.name, each.folder, each.source) for each in found] == [
        ("web: npm test", f"{tree.folder}/web", "web/package.json"),
        ("services/api: pytest", f"{tree.folder}/services/api", "services/api/pyproject.toml"),
    ]


@pytest.mark.parametrize("folder", ["node_modules/a", "vendor/a", ".venv/a", ".hidden", "a/b/c", "target", "examples"])
def test_folders_of_others_are_not_looked_into(tree, folder):
    tree.write(f"{folder}/package.json", {"scripts": {"test": "jest"}})
    assert tree.find(TEST_PASS)[0] == []


def test_a_linked_folder_is_not_looked_into(tree, tmp_path):
    Tree(tmp_path / "elsewhere").write("package.json", {"scripts": {"test": "jest"}})
    (tree.folder / "linked").symlink_to(tmp_path / "elsewhere")
    assert tree.find(TEST_PASS)[0] == []


def test_what_the_top_runs_already_is_not_run_again_below(tree):
    tree.write("package.json", {"workspaces": ["a"], "scripts": {"test": "jest"}}).write(
        "a/package.json", {"scripts": {"test": "jest"}}
    )
    tree.write("pytest.ini").write("tool/pyproject.toml", PYTEST_CONFIG)
    assert tree.names(TEST_PASS) == ["pytest", "npm test"]


def test_what_the_top_does_not_run_is_found_below(tree):
    tree.write("package.json", {"scripts": {"test": "jest"}}).write("a/package.json", {"scripts": {"test": "jest"}})
    tree.write("pytest.ini", "[pytest]\n").write("b/pytest.ini").write("go.mod").write("c/go.mod")
    tree.write("pyproject.toml", "[tool.pytest.ini_options]\ntestpaths = ['tests']\n").folder.joinpath("pytest.ini").unlink()
    names = ["pytest", "npm test", "go test -json ./...", "a: npm test", "b: pytest", "c: go test -json ./..."]
    assert tree.names(TEST_PASS) == names


def test_a_file_with_the_name_of_a_test_deep_in_another_project_makes_no_python_project(tree):
    tree.write("package.json", {"scripts": {"test": "jest"}}).write("scripts/test_speed.py", "print(1)\n")
    assert tree.names(TEST_PASS) == ["npm test"]
    assert tree.write("tests/unit/test_a.py", "def test_a(): pass\n").names(TEST_PASS) == ["pytest", "npm test"]


def test_the_top_is_no_python_project_because_one_below_it_has_tests(tree):
    tree.write("api/pyproject.toml", PYTEST_CONFIG).write("api/tests/test_a.py", "def test_a(): pass\n")
    assert tree.names(TEST_PASS) == ["api: pytest"]


def test_a_person_is_told_when_there_are_too_many_projects(tree):
    for number in range(finding.MOST_PROJECTS + 3):
        tree.write(f"p{number:02}/go.mod")
    found, (line,) = tree.find(TEST_PASS)
    assert len(found) == finding.MOST_PROJECTS
    assert line == "3 more projects below the top were not looked at: name their checks with --criteria"


def test_an_empty_project_has_none_and_says_so_for_each_type(tree):
    found, missing = tree.find(TEST_PASS, BUILD_SUCCESS)
    assert (found, len(missing)) == ([], 2)
    assert missing[1] == "build_success: no build found in this project; name one as 'build_success=COMMAND'"


def test_a_folder_that_is_not_there_has_none(tmp_path):
    assert finding.find(str(tmp_path / "nowhere"), [TEST_PASS])[0] == []


# What a person asks for


@pytest.mark.parametrize(
    ("item", "argv", "expected"),
    [
        ("test_pass=pytest -q tests/unit", ("pytest", "-q", "tests/unit"), 0),
        ("custom=./check.sh --all", ("./check.sh", "--all"), 0),
        ("custom=./x => 3", ("./x",), 3),
        ("custom=./x => all good", ("./x",), "all good"),
        ("custom = ./x 'a b' \"c d\" e\\ f", ("./x", "a b", "c d", "e f"), 0),
        ("custom=node -e 'x => 3; y | z' => 0 failed", ("node", "-e", "x => 3; y | z"), "0 failed"),
        ('custom=sh -c "a | b && $(c) \\" ;"', ("sh", "-c", 'a | b && $(c) " ;'), 0),
        ("custom=grep foo$ file", ("grep", "foo$", "file"), 0),
        ("custom=./x => it's a => b", ("./x",), "it's a => b"),
        ("custom=./x => 3000", ("./x",), "3000"),
        ('custom=./x => "3"', ("./x",), "3"),
        ("custom=./x => 'all good '", ("./x",), "all good "),
    ],
)
def test_a_command_is_taken_as_it_is_written(tree, item, argv, expected):
    (criterion,), missing = tree.find(item)
    assert (criterion.argv, criterion.expected, criterion.source, missing) == (argv, expected, "--criteria", [])
    assert criterion.type == item.partition("=")[0].strip()


@pytest.mark.parametrize(
    "command", ["a | b", "a && b", "a; b", "a > b", "a $(b)", "a `b`", "a < b", "a & b", "a $HOME", "a ${B}", "a\nb", "a||b"]
)
def test_what_only_a_shell_understands_is_refused(tree, command):
    with pytest.raises(ConfigError, match="started without a shell") as error:
        tree.find(f"custom={command}")
    assert "put it into a script" in error.value.hint and "sh -c" in error.value.hint


@pytest.mark.parametrize(
    "command",
    [
        "ctest --test-dir build", "/usr/bin/ctest", "env CI=1 ctest -j4", 'sh -c "cd build && ctest"',
        "meson test -C build --no-rebuild", "meson test --no-rebuild -C build", 'sh -c "cd build && meson test --no-rebuild"',
    ],
)  # fmt: skip
def test_what_only_runs_what_an_agent_has_built_is_refused_with_what_to_write(tree, command):
    with pytest.raises(ConfigError, match="runs what was built before") as error:
        tree.find(f"test_pass={command}")
    written = tree.argv(error.value.hint.partition("'")[2].rpartition("'")[0])[0]
    assert written.startswith(f"sh -c {'meson' if 'meson' in command else 'cmake'}")


@pytest.mark.parametrize(
    "command",
    [
        'sh -c "cmake -S . -B build && cmake --build build && ctest --test-dir build"', 'sh -c "make -C build && ctest"',
        "meson test -C build", 'sh -c "meson compile -C build && meson test -C build --no-rebuild"',
        "ctest -S ci.cmake", "grep -c ctest notes.md", "./run-ctest.sh",
    ],
)  # fmt: skip
def test_a_command_that_builds_what_it_runs_is_a_criterion(tree, command):
    assert tree.argv(f"test_pass={command}")


def test_a_variable_in_front_of_a_command_is_refused_with_what_to_write(tree):
    with pytest.raises(ConfigError, match="CI=1 is no program") as error:
        tree.find("test_pass=CI=1 npm test")
    assert error.value.hint == "'test_pass=env CI=1 npm test' sets it"


@pytest.mark.parametrize(
    "item", ["", "tests", "custom", "custom=", "custom= => 3", "custom=x => ", "custom='x", "marker=DONE", "=x", "custom=''"]
)
def test_an_item_that_means_nothing_is_refused_with_a_hint(tree, item):
    with pytest.raises(ConfigError) as error:
        tree.find(item)
    assert error.value.hint


def test_an_unknown_type_names_the_choices(tree):
    with pytest.raises(ConfigError, match="no criterion 'tests_pass'") as error:
        tree.find("tests_pass")
    assert all(kind in error.value.hint for kind in TYPES)


def test_a_marker_runs_nothing(tree):
    (criterion,), missing = tree.find(MARKER)
    assert (criterion.type, criterion.argv, missing) == (MARKER, (), [])
    assert criterion == finding.marker(str(tree.folder))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_a_wish_or_refused(text):
    for item in (text, f"custom={text}"):
        with suppress(ConfigError):
            wished = acceptance.read(item)
            assert wished.type in TYPES and (wished.argv or item.strip() in TYPES)
            assert all(wished.argv[:1])


def test_the_definition_of_a_named_command_changes_with_the_script_behind_it(tree):
    tree.program("check.sh", "#!/bin/sh\nexit 0\n").write("package.json", {"scripts": {"test": "jest"}}).write(
        "Makefile", "ci:\n\tfalse\n"
    )
    items = ("custom=./check.sh", "custom=sh check.sh", "test_pass=npm test", "custom=make ci")
    before = [each.definition for each in tree.find(*items)[0]]
    assert all(before)
    tree.write("check.sh", "#!/bin/sh\nexit 1\n").write("package.json", {"scripts": {"test": "true"}}).write(
        "Makefile", "ci:\n\ttrue\n"
    )
    after = [each.definition for each in tree.find(*items)[0]]
    assert not set(before) & set(after)
    assert [each.definition for each in tree.find("custom=true", "custom=pytest tests", "custom=/bin/ls x")[0]] == [""] * 3


def test_the_same_check_is_found_once_and_names_are_distinct(tree):
    tree.write("pytest.ini")
    found, _ = tree.find(TEST_PASS, TEST_PASS, "custom=./x => 1", "custom=./x => 2", "custom=./x => 2")
    assert [each.name for each in found] == ["pytest", "./x", "./x (2)"]


def test_each_type_has_its_time_and_a_caller_may_give_another(tree):
    tree.write("pytest.ini")
    assert [each.seconds for each in tree.find(TEST_PASS, "custom=./x")[0]] == [600, 120]
    assert [finding.given(str(tree.folder), item, 7).seconds for item in ("test_pass=./x", "custom=./x")] == [7, 7]


# Details


@pytest.mark.parametrize(
    ("argv", "at"),
    [
        (("pytest", "-q"), 1),
        (("/x/.venv/bin/python", "-m", "pytest", "-q", "--", "x"), 3),
        (("poetry", "run", "python", "-m", "pytest"), 5),
    ],
)
def test_pytest_is_asked_for_a_report_beside_what_it_does(argv, at):
    criterion = Criterion(TEST_PASS, "pytest", argv, "/p", 1.0, 0, "", "")
    more = ("--junitxml=/s/report.xml", "-o", "junit_family=xunit1")
    assert finding.with_details(criterion, "/s") == (*argv[:at], *more, *argv[at:])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("python3",), ("discover", "-s", "tests")),
        (("/x/.venv/bin/python3.12", "-B"), ("-v", "tests.test_a.A.test_b")),
        (("poetry", "run", "python"), ()),
    ],
)
def test_unittest_is_asked_for_a_file_at_its_own_end(before, after):
    criterion = Criterion(TEST_PASS, "unittest", (*before, "-m", "unittest", *after), "/p", 1.0, 0, "", "")
    assert finding.with_details(criterion, "/s") == (*before, "-c", finding.RUNS_UNITTEST, "/s/report.xml", *after)


@pytest.mark.parametrize(
    ("argv", "definition"),
    [
        (("npm", "test"), "pytest"),
        (("docker", "run", "python", "-m", "unittest"), ""),
        (("coverage", "run", "-m", "unittest"), ""),
        (("python3", "run.py", "-m", "unittest"), ""),
        (("python3", "unittest"), ""),
        (("unittest",), ""),
        (("pytest", "--junitxml=mine.xml"), ""),
        (("pytest",), "addopts = --junit-xml=a"),
        (("./pytest.sh",), ""),
    ],
)
def test_other_commands_and_those_with_a_report_of_their_own_stay_as_they_are(argv, definition):
    criterion = Criterion(CUSTOM, "x", argv, "/p", 1.0, 0, "", definition)
    assert finding.with_details(criterion, "/s") == argv


def test_finding_changes_nothing_in_the_project(tree):
    tree.write("pytest.ini").write("package.json", {}).write("Makefile", "test:\n").program("gradlew").write("build.gradle")
    before = {path: stat.S_IMODE(path.stat().st_mode) for path in tree.folder.rglob("*")}
    tree.find(*[kind for kind in TYPES if kind != CUSTOM])
    assert {path: stat.S_IMODE(path.stat().st_mode) for path in tree.folder.rglob("*")} == before
