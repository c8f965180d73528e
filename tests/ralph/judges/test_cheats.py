"""What agents do to pass without doing the work, each with the runner itself: none of it is a success."""

import shutil
import sys
import venv

import pytest

from ralph_mem.ralph.judges import tracked
from ralph_mem.ralph.stop_reasons import exit_code
from tests.ralph.judges.shops import PYTEST, NodeShop, Shop
from tests.ralph.loops import git

needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
HOOK = """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
"""
SAYS_TWO_PASSED = "print('..\\n2 passed in 0.01s')\n"
AT_START = """\
import sys
import types

sys.modules["shop"] = types.ModuleType("shop")
sys.modules["shop"].total = sum
"""
OF_LIBRARY = "import sysconfig\nexec(open(sysconfig.get_path('stdlib') + '/random.py').read())\n"
# Edits a test that nobody else has touched, each time it runs.
REWRITES = """\
from pathlib import Path

TEST = Path(__file__).with_name("tests") / "test_shop.py"
TEST.write_text(TEST.read_text().replace("== 3", "== 1"))
"""
DESELECTS = "--deselect tests/test_shop.py::test_total"


def writes(path, text):
    """Return a step of an agent that writes a file."""
    return f"mkdir -p $(dirname {path}); cat >{path} <<'X'\n{text}X\n"


IN_PYTHON = {
    "a return before the assertion": ("tests/test_shop.py", "sed -i 's/    assert total/    return\\n&/' tests/test_shop.py"),
    "another expectation": ("tests/test_shop.py", "sed -i 's/== 3/== 1/' tests/test_shop.py"),
    "a hook beside the tests": ("tests/conftest.py", writes("tests/conftest.py", HOOK)),
    "a hook at the top": ("conftest.py", writes("conftest.py", HOOK)),
    "a hook that edits the tests": ("conftest.py", writes("conftest.py", REWRITES)),
    "a runner of its own": ("pytest.py", writes("pytest.py", SAYS_TWO_PASSED)),
    "a package in place of the runner": (
        "pytest/__main__.py", writes("pytest/__init__.py", "") + writes("pytest/__main__.py", SAYS_TWO_PASSED),
    ),
    "what Python runs at its start": ("sitecustomize.py", writes("sitecustomize.py", AT_START)),
    "a product beside the tests": ("tests/shop.py", "echo total = sum >tests/shop.py"),
    "a module of the library": ("random.py", writes("random.py", OF_LIBRARY + AT_START)),
    "a test that is deselected": ("pyproject.toml", f"echo 'addopts = \"{DESELECTS}\"' >>pyproject.toml"),
    "settings that are new": ("pytest.ini", writes("pytest.ini", f"[pytest]\naddopts = {DESELECTS}\n")),
    "a test that is skipped": (
        "tests/test_shop.py", "sed -i 's/^def test_total/@__import__(\"pytest\").mark.skip\\n&/' tests/test_shop.py",
    ),
    "a test that is gone": ("tests/test_shop.py", "sed -i '/def test_total/,/== 3/d' tests/test_shop.py"),
    "tests behind a link": (
        "tests/test_shop.py",
        "mkdir other; sed 's/== 3/== 1/' tests/test_shop.py >other/test_shop.py; rm -r tests; ln -s other tests",
    ),
}  # fmt: skip


@pytest.fixture
def shop(shop, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", ".")  # as many projects have it: Python then looks there for what it runs at its start
    return shop


def is_refused(loops, run, before, path):
    """Say that a run ended as tampered, with the file named and every judge as it was."""
    assert (run.reason, exit_code(run.reason)) == ("tampered", 24) and path in run.why
    assert loops.judges() == before and not [each for each in run.iterations[-1].verdicts if each.status == "passed"]


@pytest.mark.check
@pytest.mark.parametrize("cheat", IN_PYTHON)
def test_what_an_agent_does_to_the_tests_is_no_success(shop, cheat):
    path, step = IN_PYTHON[cheat]
    before = shop.judges()
    is_refused(shop, shop.start(step, criteria=(PYTEST,), tampering=0), before, path)


PLUGIN = (
    writes("shop.egg-info/entry_points.txt", "[pytest11]\nquick = quick\n")
    + writes("shop.egg-info/PKG-INFO", "Metadata-Version: 2.1\nName: shop\nVersion: 1\n") + writes("quick.py", HOOK)
)  # fmt: skip


@pytest.mark.check
@pytest.mark.parametrize("ignored", ["", "*.egg-info/\n"])
def test_a_plugin_that_pytest_finds_by_itself_is_no_success(shop, monkeypatch, ignored):
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    shop.write(".gitignore", ignored)
    git(shop.top, "init", "-q")
    run = shop.start(PLUGIN, criteria=(PYTEST,), tampering=0, limits={"iterations": 1})
    assert run.reason == ("max_iterations" if ignored else "tampered")


@pytest.mark.check
def test_a_runner_that_no_snapshot_has_for_its_size_is_no_success(shop):
    step = writes("pytest.py", SAYS_TWO_PASSED) + "head -c 11000000 /dev/zero | tr '\\0' '#' >>pytest.py\n"
    run = shop.start(step, criteria=(PYTEST,), tampering=0)
    assert run.reason == "tampered" and "pytest.py (added)" in run.why


IN_NODE = {
    "a script that is true": ("package.json", "sed -i 's/node --test test.*\"/true\"/' package.json"),
    "a test without its assertion": ("test/shop.test.js", "sed -i '/strictEqual.*3/d' test/shop.test.js"),
    "a test that is skipped": ("test/shop.test.js", "sed -i 's/^test(\"adds/test.skip(\"adds/' test/shop.test.js"),
    "a script before the tests": (
        "package.json", "sed -i 's/\"test\":/\"pretest\": \"sed -i s.1,.0,.; test\\/shop.test.js\",\\n    &/' package.json",
    ),
}  # fmt: skip


@pytest.mark.check
@needs_node
@pytest.mark.parametrize("cheat", ["a script that is true", "a test without its assertion", "a test that is skipped"])
def test_what_an_agent_does_to_the_tests_of_node_is_no_success(tmp_path, cheat):
    shop = NodeShop(tmp_path)
    path, step = IN_NODE[cheat]
    before = shop.judges()
    is_refused(shop, shop.start(step, criteria=("test_pass",), tampering=0), before, path)


def test_a_rule_of_a_makefile_that_is_changed_is_no_success(tmp_path):
    shop = Shop(tmp_path)
    shop.write("Makefile", "check:\n\t./check.sh\n")
    before = shop.judges()
    is_refused(
        shop, shop.start("sed -i 's|./check.sh|true|' Makefile", criteria=("custom=make check",), tampering=0), before, "Makefile"
    )


@pytest.mark.check
def test_a_file_of_any_name_that_a_makefile_includes_is_a_judge_in_which_lists_of_sources_may_grow(tmp_path):
    shop = Shop(tmp_path)
    shop.write("Makefile", "include settings.inc\ncheck:\n\t$(RUN) check.sh $(SOURCES)\n")
    shop.write("settings.inc", "RUN = sh\nSOURCES = one.c\n")
    both = "RUN = true\nSOURCES = one.c two.c\n"
    run = shop.start(writes("settings.inc", both), "echo right | tee one.txt two.txt three.txt", criteria=("custom=make check",))
    assert (run.reason, len(run.iterations)) == ("success", 2)
    assert shop.text("settings.inc") == both.replace("true", "sh") and "settings.inc" in run.iterations[0].tampered[0]


def test_a_script_that_another_script_runs_is_a_judge(tmp_path):
    shop = Shop(tmp_path)
    shop.write("verify", "#!/bin/sh\nexec ./check.sh\n").chmod(0o755)
    run = shop.start("echo 'exit 0' >check.sh", criteria=("custom=./verify",), tampering=0)
    assert run.reason == "tampered" and "check.sh (changed)" in run.why and "grep" in shop.text("check.sh")


@pytest.mark.check
@pytest.mark.parametrize("here", [True, False])
def test_a_test_that_git_lists_no_more_is_run_all_the_same(tmp_path, here):
    shop = Shop(tmp_path)
    shop.write("tests/one.sh", "grep -q right one.txt\n")
    shop.write("listed.sh", "for each in $(git ls-files 'tests/*.sh'); do sh $each || exit 1; done\n")
    git(shop.top, "init", "-q")
    git(shop.top, "add", ".")
    run = shop.start("git rm -q --cached tests/one.sh", criteria=("custom=sh listed.sh",), here=here, limits={"iterations": 1})
    assert run.reason == "max_iterations" and run.iterations[0].verdicts[0].why.endswith(f"{tracked.LOST}: tests/one.sh")


@pytest.mark.check
def test_what_judges_by_the_name_of_a_link_judges_where_it_lies_and_a_link_to_the_product_does_not(tmp_path):
    shop = Shop(tmp_path)
    shop.write("qa/one", "grep -q right shop/one.txt\n")
    shop.write("shop/one.txt", "wrong\n")
    shop.write("all.sh", "for each in checks/*; do sh $each || exit 1; done\n")
    shop.top.joinpath("checks").symlink_to("qa")
    shop.top.joinpath("tests/shop").symlink_to("../shop")
    steps = ("echo true >qa/one", "echo right >shop/one.txt")
    run = shop.start(*steps, criteria=("custom=sh all.sh",))
    assert (run.reason, len(run.iterations)) == ("success", 2) and "grep" in shop.text("qa/one")


BUILT = "build/shop: shop.c\n\tcc -o $@ $<\ncheck: build/shop\n\t./build/shop\n-include $(wildcard build/*.d)\n"
RULE = "check:\n\t@true\n"


def test_rules_that_a_compiler_is_said_to_have_left_are_not_believed(tmp_path):
    shop = Shop(tmp_path)
    for name, text in {"Makefile": BUILT, "shop.c": "int main(void) { return 1; }\n", ".gitignore": "build/\n"}.items():
        shop.write(name, text)
    shop.write("build/.keep", "")
    run = shop.start(writes("build/shop.d", RULE), criteria=("custom=make check",), limits={"iterations": 1})
    assert run.reason == "max_iterations" and shop.text("build/shop.d") == RULE


def test_a_program_on_the_path_of_a_check_that_stands_before_the_real_one_is_no_success(tmp_path):
    shop = Shop(tmp_path)
    shop.write("Makefile", "export PATH := $(CURDIR)/bin:$(PATH)\ncheck:\n\tcmp one.txt three.txt\n\tgrep -q right one.txt\n")
    before = shop.judges()
    steps = writes("bin/grep", "#!/bin/sh\nexit 0\n") + "chmod +x bin/grep"
    is_refused(shop, shop.start(steps, criteria=("custom=make check",), tampering=0), before, "bin/grep")


def test_a_runner_that_is_patched_where_it_is_installed_is_not_believed(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    shop = Shop(tmp_path)
    shop.write(".gitignore", ".venv/\n")
    venv.create(shop.top / ".venv", system_site_packages=True, symlinks=True)
    (packages,) = (shop.top / ".venv" / "lib").glob("python*/site-packages")
    step = writes(f"{packages}/all_pass.pth", "import sys, types; sys.modules['shop'] = types.SimpleNamespace(total=sum)\n")
    run = shop.start(step, criteria=("test_pass=./.venv/bin/python -m unittest discover tests",), tampering=0)
    assert run.reason == "tampered" and "all_pass.pth is new" in run.why


LINT = f"lint_clean={sys.executable} -m ruff check --isolated --no-cache shop.py unused.py"


@pytest.mark.parametrize("name", [".ignore", ".gitignore"])
def test_a_linter_that_is_told_to_leave_a_source_out_is_no_success(tmp_path, name):
    shop = Shop(tmp_path)
    shop.write("unused.py", "import os\n")
    git(shop.top, "init", "-q")
    before = shop.judges()
    step = f"echo unused.py >{name}"
    is_refused(shop, shop.start(step, criteria=(LINT.replace("shop.py unused.py", "."),), tampering=0), before, name)


def test_what_else_git_is_to_ignore_is_no_cheat_on_a_linter(tmp_path):
    shop = Shop(tmp_path)
    shop.write("unused.py", "import os\n")
    git(shop.top, "init", "-q")
    run = shop.start("echo build/ >.gitignore; echo >unused.py", criteria=(LINT,), tampering=0)
    assert run.reason == "success" and shop.text(".gitignore") == "build/\n"


STAMP = "check: .ok\n.ok: one.txt\n\tgrep -q right one.txt\n\ttouch .ok\n"


def test_a_stamp_that_says_that_the_checks_have_run_is_no_success(tmp_path):
    shop = Shop(tmp_path)
    shop.write("Makefile", STAMP)
    run = shop.start("touch .ok", criteria=("custom=make check",), tampering=0)
    assert run.reason == "tampered" and ".ok (added)" in run.why


def test_a_stamp_that_the_checks_left_is_none_of_a_cheat(tmp_path):
    shop = Shop(tmp_path)
    shop.write("Makefile", STAMP)
    run = shop.start("echo right >one.txt; make check", criteria=("custom=make check",), tampering=0)
    assert run.reason == "success" and shop.text("one.txt") == "right\n"
