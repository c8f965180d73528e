"""A check that only runs what was built before confirms nothing: an agent can have built it from other sources."""

import os
import shutil
import sys
from collections import namedtuple

import pytest

from ralph_mem.ralph.criteria import finding, native_build
from tests.ralph.loops import Loops

CMAKE = """cmake_minimum_required(VERSION 3.13)
project(shop C)
enable_testing()
add_executable(shop_test tests/shop_test.c shop.c)
add_test(NAME shop COMMAND shop_test)
"""
MESON = """project('shop', 'c')
test('shop', executable('shop_test', 'tests/shop_test.c', 'shop.c'))
"""
WRONG, RIGHT = "int total(int a, int b) { return a; }\n", "int total(int a, int b) { return a + b; }\n"
TEST = "int total(int, int);\nint main(void) { return total(1, 2) != 3; }\n"
MEND, UNMEND = [f"cat >shop.c <<'X'\n{text}X" for text in (RIGHT, WRONG)]
# A second source, from which rules that an agent has written build; they are never made anew.
OTHER = f"mkdir -p build/own\ncat >build/own/shop.c <<'X'\n{RIGHT}X"
FORGED_NINJA = f"""{OTHER}
{sys.executable} - <<'X'
import re
rules = open("build/build.ninja").read().replace("../shop.c", "own/shop.c")
open("build/build.ninja", "w").write(re.sub(r"(?m)^build build.ninja:.*(\\n .*)*", "", rules))
X"""
FORGED_MAKEFILE = f"""{OTHER}
cat >build/Makefile <<'X'
all:
\tcc -o shop_test ../tests/shop_test.c own/shop.c
X"""
Tool = namedtuple("Tool", "file text builds runs builds_by_rules forged")
TOOLS = {
    "cmake": Tool(
        "CMakeLists.txt", CMAKE, "cmake -S . -B build && cmake --build build", "ctest --test-dir build --no-tests=error",
        "make -C build && ctest --test-dir build", FORGED_MAKEFILE,
    ),
    "meson": Tool(
        "meson.build", MESON, "meson setup build && meson compile -C build", "meson test -C build --no-rebuild",
        "ninja -C build test", FORGED_NINJA,
    ),
}  # fmt: skip
HERE_TOO = os.path.dirname(sys.executable)  # where a package such as meson puts its programs


@pytest.fixture(params=TOOLS)
def shop(tmp_path, request, monkeypatch):
    monkeypatch.setenv("PATH", f"{HERE_TOO}:{os.environ['PATH']}")
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    made = Loops(tmp_path)
    made.tool = TOOLS[request.param]
    made.built_from_others = f"{MEND}\n{made.tool.builds}\n{UNMEND}"
    sources = {made.tool.file: made.tool.text, "shop.c": WRONG, "tests/shop_test.c": TEST, ".gitignore": "build/\n"}
    for name, text in sources.items():
        made.write(name, text)
    return made


def asked(shop, text):
    shop.write("check.sh", f"set -e\n{text}\n")
    return ("custom=sh check.sh",)


@pytest.mark.check
@pytest.mark.parametrize("is_mended", [False, True])
@pytest.mark.parametrize("here", [True, False])
def test_a_script_that_runs_what_an_agent_has_built_is_no_success(shop, is_mended, here):
    agent = f"{MEND}\n{shop.tool.builds}" if is_mended else shop.built_from_others
    run = shop.start(agent, criteria=asked(shop, shop.tool.runs), here=here, limits={"iterations": 1})
    assert run.reason == "max_iterations"
    assert "built nothing of the sources" in run.iterations[-1].verdicts[0].why


@pytest.mark.check
@pytest.mark.parametrize("here", [True, False])
def test_a_script_that_builds_first_is_a_success_for_who_mends_the_sources_alone(shop, here):
    check, once = asked(shop, f"{shop.tool.builds}\n{shop.tool.runs}"), {"iterations": 1}
    assert shop.start(shop.built_from_others, criteria=check, here=here, limits=once).reason == "max_iterations"
    assert shop.start(MEND, criteria=check, here=here, limits=once).reason == "success"


@pytest.mark.check
def test_a_check_that_builds_by_the_rules_of_an_agent_is_no_success(shop):
    check, here, once = asked(shop, shop.tool.builds_by_rules), False, {"iterations": 1}
    run = shop.start(f"{shop.tool.builds}\n{shop.tool.forged}", criteria=check, here=here, limits=once)
    assert run.reason == "max_iterations" and "by rules that were not made from" in run.iterations[-1].verdicts[0].why
    assert shop.start(f"rm -rf build\n{MEND}\n{shop.tool.builds}", criteria=check, here=here, limits=once).reason == "success"


@pytest.mark.parametrize(
    "rule", ["ctest --test-dir build", "cd build && ctest", "@ctest --test-dir build", "meson test -C build --no-rebuild"]
)
def test_a_person_is_told_of_a_script_or_rule_that_seems_to_build_nothing(tmp_path, rule):
    (tmp_path / "check.sh").write_text(f"#!/bin/sh\n# cmake --build build was done by hand\n{rule.strip('@')}\n")
    (tmp_path / "Makefile").write_text(f"check:\n\t{rule}\n")
    criteria, _ = finding.find(str(tmp_path), ["custom=./check.sh", "custom=sh check.sh", "custom=make check"])
    assert len(native_build.warnings(criteria)) == 3


@pytest.mark.parametrize(
    "rule",
    ["cmake --build build && ctest --test-dir build", "meson test -C build", "make -C build; ctest", "pytest -q", "./run-ctest"],
)
def test_of_others_nothing_is_told(tmp_path, rule):
    (tmp_path / "check.sh").write_text(f"#!/bin/sh\n{rule}\n")
    criteria, _ = finding.find(str(tmp_path), ["custom=./check.sh"])
    assert native_build.warnings(criteria) == []
