"""What is a judge: by its name, by a criterion that names it, by what it hides."""

import os
import sys

import pytest

from ralph_mem.ralph.criteria import Criterion
from ralph_mem.ralph.judges import installed, kinds, loaded, named, scratch, shadows
from tests.folded import folded

JUDGES = (
    "tests/test_a.py", "test_a.py", "pkg/a_test.go", "testdata/a.json", "src/cart.test.ts", "test/cart.js", "__snapshots__/a.snap",
    "tests/integration.rs", "conftest.py", "deep/down/conftest.py", "sitecustomize.py", "lib/hook.pth", "pytest.ini", "tox.ini",
    "setup.cfg", "pyproject.toml", "package.json", "jest.config.js", "vitest.config.ts", "tsconfig.json", ".mocharc.yml", ".npmrc",
    "Makefile", "GNUmakefile", "rules.mk", "justfile", "CMakeLists.txt", "go.mod", "Cargo.toml", ".cargo/config.toml",
    "babel.config.js", "expected.txt", "data/shop.expected.json", "run_tests.sh", "noxfile.py", "go.work",
    "test.js", "shop-test.mjs", "shop_test.ts", "test-shop.cjs", "src/cart.cy.tsx", "app.e2e-spec.ts", "t/shop.t", "shop.feature",
    "features/steps/shop.py", "suite.robot", "shop.egg-info/entry_points.txt", "hatch.toml", "Taskfile.dist.yml", "gulpfile.js",
    "expected", "expected/shop.svg", ".proverc",
)  # fmt: skip
ORDINARY = (
    "shop.py", "src/latest.py", "src/contest.py", "docs/testing.md", "README.md", ".gitignore", ".github/workflows/ci.yml",
    "src/main.rs", "expected.py", "requirements.txt", "package-lock.json", "src/index.ts", "data/prices.json",
    "latest.js", "api-spec.js", "features/cart.py", "shop.egg-info/PKG-INFO", "golden.py",
)  # fmt: skip


@folded("path", JUDGES)
def test_a_file_of_such_a_name_judges(path):
    assert kinds.judges(path)


@folded("path", ORDINARY)
def test_any_other_file_does_not(path):
    assert not kinds.judges(path)


def names(*argv, definition="", files=(), expected=0):
    """Return what a criterion names, in a project that has these files with these texts."""
    there = dict(files)
    criterion = Criterion("custom", "check", argv, "/shop", 60, expected, "--criteria", definition)
    return named.of([criterion], "/shop", there.get)


CHECK = {
    "check.sh": "pytest\n",
    "app.py": "print(42)\n",
    "tools/verify.py": "",
    "scripts/all.sh": ". ./scripts/lib.sh\nsh check.sh\n",
}
CHECK["scripts/lib.sh"] = "set -e\n"
SCRIPTS = (
    (("./check.sh", "--all"), {"check.sh"}),
    (("sh", "-e", "check.sh"), {"check.sh"}),
    (("/shop/check.sh",), {"check.sh"}),
    (("timeout", "5", "bash", "scripts/all.sh"), {"scripts/all.sh", "scripts/lib.sh", "check.sh"}),
    (("sh", "-c", "python tools/verify.py && ./check.sh"), {"tools/verify.py", "check.sh"}),
    (("python", "tools/verify.py"), {"tools/verify.py"}),
    (("grep", "-q", "total", "app.py"), set()),
    (("pytest", "-q"), set()),
)


@folded(("argv", "scripts"), SCRIPTS)
def test_the_scripts_that_a_criterion_runs_judge_with_those_which_they_run(argv, scripts):
    assert names(*argv, files=CHECK).scripts == scripts


def test_a_program_whose_output_is_expected_is_what_is_to_be_mended_and_not_a_judge():
    assert names("python", "app.py", files=CHECK, expected="42").scripts == set()
    assert names("python", "tools/verify.py", files=CHECK, expected="fine").scripts == {"tools/verify.py"}


SUBJECTS = (
    'if sh app.sh week.csv | cmp -s - week.expected; then echo "ok 1"; fi',
    '[ "$(sh app.sh week.csv | wc -l)" -eq 3 ] || exit 1',
    'same "a blank is kept" "$(./app.sh \'a b\')" "a b"',
    "printf 'a b' | ./app.sh --upper | diff - upper.expected",
    'got=`./app.sh 3`\n[ "$got" = 4 ] || exit 1',
    "got=$(sh app.sh 3 2>&1) || true\ncase $got in 4) ;; *) exit 1 ;; esac",
    'if [ "$(wc -l <"$(./app.sh 3)")" = 4 ]; then echo ok; fi',
    "./app.sh 3 >found.txt\ndiff found.txt found.expected",
    "# It's what a week was.\nsame \"it's $(sh app.sh 3)\" \"it's 4\"  # isn't it",
    "\t@sh app.sh week.csv | \\\n\t  diff - week.expected",
)
DECIDING = (
    "sh app.sh week.csv",
    "sh app.sh || exit 1",
    "if ./app.sh --all; then echo fine; fi",
    "sh app.sh 'a | b'",
    '(cd sub && ./app.sh) || echo "not ok | 1"',
    'got=$(sh app.sh 2>&1) || exit 1\n[ "$got" = fine ]',
    'if got=$(sh app.sh); then echo "$got"; fi\n[ "$got" ]',
    'got=$(sh app.sh)\necho "$got"',
    'exit "$(sh app.sh)"',
    'echo "$(sh app.sh)"',
    "sh app.sh >log.txt\ncat log.txt",
    "set -o pipefail\nsh app.sh 2>&1 | tee log.txt",
    ". ./app.sh\n[ $(sh app.sh) = 3 ]",
    "diff week.expected week.txt && sh app.sh",
)


@folded("said", SUBJECTS)
def test_a_script_of_which_the_output_is_compared_is_what_is_to_be_mended_and_not_a_judge(said):
    assert names("sh", "check.sh", files={"check.sh": said, "app.sh": "echo 3\n"}).scripts == {"check.sh"}


@folded("said", DECIDING)
def test_a_script_whose_end_decides_judges_whatever_else_it_prints(said):
    assert names("sh", "check.sh", files={"check.sh": said, "app.sh": "echo 3\n"}).scripts == {"check.sh", "app.sh"}


def test_a_script_that_is_called_a_check_judges_although_its_output_is_compared():
    there = {"all.sh": '[ "$(sh verify.sh)" = fine ]\n', "verify.sh": "echo fine\n"}
    assert names("sh", "all.sh", files=there).scripts == {"all.sh", "verify.sh"}


def test_the_scripts_behind_a_rule_or_a_package_script_judge():
    assert names("make", "check", definition="check: build\n\t@./check.sh --all", files=CHECK).scripts == {"check.sh"}
    assert names("npm", "test", definition="test: sh scripts/all.sh", files=CHECK).scripts >= {"scripts/all.sh", "check.sh"}


PROGRAMS = {
    "audit.py": "import prog\nassert prog.total([1]) == 1\n",
    "scripts/all.js": 'require("node:assert").equal(require("../prog.js").total, 1)\n',
    "tools/try.py": "import subprocess, sys\nsys.exit(int(subprocess.run(['./prog']).returncode))\n",
    "prog.py": "import sys\nassert sys.argv\n",
    "main.py": "import prog\nprint(prog.total([1]))\n",
    "prog.js": "exports.total = 1\n",
}


@folded("path", ["audit.py", "scripts/all.js", "tools/try.py"])
def test_a_program_that_asserts_something_of_others_judges_whatever_it_is_called(path):
    program = "node" if path.endswith(".js") else "python3"
    assert names("make", "check", definition=f"check:\n\t{program} {path}", files=PROGRAMS).scripts == {path}
    assert names("make", "check", definition=f"check:\n\t{program} {path} | cmp - want", files=PROGRAMS).scripts == set()


@folded("path", ["prog.py", "main.py"])
def test_a_program_that_asserts_nothing_of_others_may_be_what_is_to_be_mended(path):
    assert names("make", "check", definition=f"check:\n\tpython3 {path}", files=PROGRAMS).scripts == set()


ELSEWHERE = (
    ("cd sub && sh go", "sub/go"),
    ("cd sub\n./go", "sub/go"),
    ('. "$(dirname "$0")/common.sh"', "common.sh"),
    ('here=$(cd "${0%/*}" && pwd)\n. "$here/common.sh"', "common.sh"),
    ("make -C sub all", "sub/go"),
    ("$(MAKE) -s -C sub all", "sub/go"),
)


@folded(("said", "path"), ELSEWHERE)
def test_a_script_judges_that_is_run_in_another_folder_or_named_by_where_it_lies(said, path):
    there = {"check.sh": said, "sub/go": "", "common.sh": "", "sub/Makefile": "all:\n\t./go\n"}
    assert path in names("sh", "check.sh", files=there).scripts


def test_a_program_that_is_named_in_quotes_and_whose_output_is_compared_is_no_judge():
    there = {"check.sh": '"$here/app.sh" 3 | cmp - want && sh "$here/app.sh" 4 | cmp - more\n', "app.sh": ""}
    assert names("sh", "check.sh", files=there).scripts == {"check.sh"}


@folded(("argv", "tests"), [
    (("pytest", "tests/test_new.py::test_a", "-q"), {"tests/test_new.py"}),
    (("python", "-m", "unittest", "tests.test_new"), {"tests/test_new.py"}),
    (("node", "--test", "test/new.test.js"), {"test/new.test.js"}),
    (("pytest", "tests"), set()),
    (("pytest", "conftest.py"), set()),
])  # fmt: skip
def test_tests_that_a_criterion_names_count_although_they_are_new(argv, tests):
    assert names(*argv).tests == tests


KNOWN = shadows.names()
PLACES = {"", "src", "tests"}


@pytest.mark.parametrize(
    "path", ["random.py", "pytest.py", "src/json.py", "unittest/__init__.py", "_pytest/__init__.py", "tests/mock.py"]
)
def test_a_new_module_of_a_known_name_hides_that_one(path):
    assert shadows.is_one(path, {path}, PLACES, KNOWN)


@pytest.mark.parametrize("path", ["shop/random.py", "store.py", "docs/json.md", "json/schema.txt", "src/shop/queue.py"])
def test_a_new_module_elsewhere_or_of_another_name_hides_none(path):
    assert not shadows.is_one(path, {path}, PLACES, KNOWN)


def test_a_runner_is_known_again_unless_it_is_changed(tmp_path):
    packages = tmp_path / "env" / "lib" / "python3.9" / "site-packages"
    (packages / "_pytest").mkdir(parents=True)
    (packages / "_pytest" / "runner.py").write_text("old")
    (packages / "requests.py").write_text("old")
    program = tmp_path / "env" / "bin" / "python"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    criterion = Criterion("test_pass", "pytest", (str(program), "-m", "pytest"), str(tmp_path), 60, 0, "", "")
    around = {"PATH": "/nowhere", "HOME": str(tmp_path)}

    def patched():
        return [line.removeprefix(f"{packages}/") for line in installed.patched(marks, [criterion], str(tmp_path / "shop"), around)]

    marks = installed.marks([criterion], str(tmp_path / "shop"), around)
    (packages / "requests.py").write_text("new")
    (packages / "shop.pth").write_text("/shop/src\n")
    assert patched() == []
    (packages / "_pytest" / "runner.py").write_text("all pass")
    (packages / "hook.pth").write_text("import hook\n")
    (packages / "evil.dist-info").mkdir()
    (packages / "evil.dist-info" / "entry_points.txt").write_text("[pytest11]\nevil = evil\n")
    (tmp_path / ".npmrc").write_text("script-shell=/bin/true\n")
    assert patched() == [f"{tmp_path}/.npmrc is new", "_pytest was changed", "evil.dist-info is new", "hook.pth is new"]
    (packages / "_pytest" / "runner.py").write_text("old")
    assert "_pytest was changed" not in patched()


@pytest.mark.parametrize(
    ("path", "counts"),
    [("lib/checker.py", True), ("lib/checker/__init__.py", True), ("shop/checkers.py", False), ("lib/checker.txt", False)],
)
def test_a_new_module_that_the_checks_run_by_its_name_hides_it_from_any_folder(path, counts):
    assert shadows.is_run(path, shadows.run_by(["PYTHONPATH=lib:vendor python3 -m checker tests"])) is counts


def test_a_package_that_is_only_watched_for_its_own_sake_is_known_again_unless_it_is_changed(tmp_path):
    package = tmp_path / "vendor" / "checker.py"
    package.parent.mkdir()
    package.write_text("old")
    around = {"PATH": "/nowhere", "HOME": str(tmp_path / "home")}
    marks = installed.marks([], str(tmp_path), around, [str(package)])
    assert installed.patched(marks, [], str(tmp_path), around) == []
    package.write_text("all pass")
    assert installed.patched(marks, [], str(tmp_path), around) == ["vendor/checker.py was changed"]


@pytest.mark.parametrize(("check", "told"), [("pytest -q", []), ("cargo vet && go vet", ["go is new"])])
def test_a_program_that_a_package_of_the_system_brings_meanwhile_counts_only_where_a_check_names_it(
    tmp_path, monkeypatch, check, told
):
    programs = tmp_path / "usr" / "bin"
    programs.mkdir(parents=True)
    monkeypatch.setattr(installed, "OF_THE_SYSTEM", (f"{programs}/",))
    criterion = Criterion("custom", "check", ("./check.sh",), str(tmp_path), 60, 0, "", check)
    around = {"PATH": str(programs), "HOME": str(tmp_path / "home")}
    marks = installed.marks([criterion], str(tmp_path / "shop"), around)
    (programs / "go").write_text("#!/bin/sh\n")
    (programs / "go").chmod(0o755)
    assert installed.patched({**marks, "a": ""}, [criterion], str(tmp_path / "shop"), around) == told


def test_what_an_editable_installation_imports_from_is_found(tmp_path):
    (tmp_path / "__editable__.shop.pth").write_text("/shop/src\n/elsewhere/src\n")
    (tmp_path / "__editable___store_finder.py").write_text("import sys\nMAPPING: dict[str, str] = {'store': '/shop/store'}\n")
    assert sorted(scratch.editable([str(tmp_path)], "/shop")) == ["/shop", "/shop/src"]


def test_a_copy_never_lies_where_settings_of_runners_lie_above_it(tmp_path, monkeypatch):
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(scratch, "MEMORY", str(memory))
    with_memory = scratch._folder_around("/shop", 10)
    assert with_memory.startswith(f"{memory}/") and os.stat(with_memory).st_mode & 0o077 == 0
    (memory / "pytest.ini").write_text("[pytest]\n")
    assert not scratch._folder_around("/shop", 10).startswith(f"{memory}/")


@folded("path", ["lib/Test/More.pm", "Test2/API.pm", "lib/TAP/Parser.pm", "vendor/assert.h"])
def test_what_is_new_and_called_as_what_tests_in_perl_or_c_hides_it(path):
    assert kinds.HEADER.search(path) and not kinds.HEADER.search(f"{path}.txt")


PLUGINS = (
    ("tests/test_a.py", 'pytest_plugins = ["support.plug"]\n'),
    ("conftest.py", 'pytest_plugins: list = ["support.plug"]\n'),
    ("conftest.py", "from support.plug import *\n"),
)


@folded("path, says", PLUGINS)
def test_a_plugin_of_the_tree_is_loaded_before_the_tests_wherever_it_is_named(path, says):
    files = {path: says, "support/plug.py": "", "shop.py": ""}
    assert loaded.of(files, files.get) == {"support/plug.py"}


def test_a_plugin_that_an_environment_names_is_loaded_before_the_tests():
    files = {"support/plug.py": "", "shop.py": ""}
    said = ["check:\n\tPYTEST_PLUGINS=support.plug,shop.cart pytest -q shop.py\n"]
    assert loaded.by_command(said, files.get) == {"support/plug.py"}


def test_the_product_that_a_conftest_imports_is_loaded_as_it_is():
    files = {"conftest.py": "from shop import *\nfrom support.plug import cart\n", "support/plug.py": "", "shop.py": ""}
    assert loaded.of(files, files.get) == set()


def test_an_environment_of_python_that_is_pointed_elsewhere_is_told(tmp_path):
    python, settings = tmp_path / ".venv" / "bin" / "python", tmp_path / ".venv" / "pyvenv.cfg"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    settings.write_text("home = /usr/bin\n")
    criterion = Criterion("test_pass", "check", (str(python), "-m", "unittest"), str(tmp_path), 60, 0, "", "")
    marks = installed.marks([criterion], str(tmp_path), {})
    settings.write_text("home = /elsewhere\n")
    assert installed.patched(marks, [criterion], str(tmp_path), {}) == [".venv/pyvenv.cfg was changed"]
