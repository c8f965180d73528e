"""Of a file that judges and does more, only what judges is that of the start.

A test that a person named before it was there counts as the agent wrote it; the rest of its file is that of the start.
"""

import json

import pytest

from ralph_mem.ralph.judges import merging
from tests.folded import folded

PACKAGE = {"name": "shop", "scripts": {"test": "jest", "build": "tsc"}, "jest": {"bail": 1}, "dependencies": {}}
PYPROJECT = '[project]\nname = "shop"\ndependencies = []\n\n[tool.pytest.ini_options]\naddopts = "-q"\n'
MAKEFILE = "CC = cc\nSOURCES = a.c b.c\ncheck: prog\n\t./prog --test\nprog: $(SOURCES)\n\t$(CC) -o prog $(SOURCES)\n"
START = "from shop import total\n\n\ndef test_old():\n    assert total([1]) == 1\n"


def of_package(**changed):
    start, now = PACKAGE, {**PACKAGE, **changed}
    return json.loads(merging.merged("web/package.json", json.dumps(start).encode(), json.dumps(now).encode()))


def test_a_dependency_of_a_package_stays_and_its_scripts_are_the_start_s():
    merged = of_package(
        dependencies={"left-pad": "1"}, scripts={"test": "true", "pretest": "sh cheat.sh", "serve": "node ."}, jest={}
    )
    assert merged["dependencies"] == {"left-pad": "1"} and merged["jest"] == {"bail": 1}
    assert merged["scripts"] == {"test": "jest", "build": "tsc", "serve": "node ."}


def test_a_package_in_which_nothing_judges_otherwise_is_as_the_agent_left_it():
    now = json.dumps({**PACKAGE, "dependencies": {"left-pad": "1"}}, indent=4).encode()
    assert merging.merged("package.json", json.dumps(PACKAGE).encode(), now) == now


@folded(("now", "merged"), [
    (PYPROJECT.replace("[]", '["attrs"]'), PYPROJECT.replace("[]", '["attrs"]')),
    (PYPROJECT.replace("-q", "-q --deselect x"), PYPROJECT),
    (PYPROJECT + "[tool.coverage.run]\nomit = ['*']\n", PYPROJECT),
    (PYPROJECT + "\n[project.entry-points.pytest11]\nevil = 'evil'\n", PYPROJECT),
    (PYPROJECT + "[ tool . pytest . ini_options ]\naddopts = '-k nothing'\n", PYPROJECT),
    (PYPROJECT.replace("name =", 'entry-points.pytest11.evil = "evil"\nname ='), PYPROJECT),
    ('tool.pytest.ini_options.addopts = "-k nothing"\n' + PYPROJECT, PYPROJECT),
    (PYPROJECT.replace("name =", 'text = """\n[tool.pytest.ini_options]\n"""\nname ='), PYPROJECT),
])  # fmt: skip
def test_the_settings_of_tools_are_the_start_s(now, merged):
    said = merging.merged("pyproject.toml", PYPROJECT.encode(), now.encode()).decode()
    assert [line for line in said.splitlines() if line] == [line for line in merged.splitlines() if line]


@folded(("now", "merged"), [
    (MAKEFILE.replace("a.c b.c", "a.c b.c new.c"), MAKEFILE.replace("a.c b.c", "a.c b.c new.c")),
    (MAKEFILE.replace("./prog --test", "true"), MAKEFILE),
    (MAKEFILE.replace("CC = cc", "CC = true"), MAKEFILE),
    (MAKEFILE.replace("a.c b.c", "b.c"), MAKEFILE),
    (MAKEFILE + "SHELL = /bin/true\n", MAKEFILE),
    (MAKEFILE + "new.o: new.c new.h\n", MAKEFILE + "new.o: new.c new.h\n"),
    (MAKEFILE + "check:\n\ttrue\n", MAKEFILE),
    (MAKEFILE.replace("a.c b.c", "a.c b.c -includequiet.h"), MAKEFILE),
])  # fmt: skip
def test_of_a_makefile_lists_may_grow_and_rules_are_the_start_s(now, merged):
    assert merging.merged("Makefile", MAKEFILE.encode(), now.encode()).decode() == merged


@folded(("start", "now", "stays"), [
    ("RUN =", "RUN = ./noop.py", False),
    ("EXTRA_SRCS =", "EXTRA_SRCS = new.c", True),
    ("CHECKS = all.py", "CHECKS = noop.py all.py", False),
    ("CHECKS = all.py", "CHECKS = all.py new.py", True),
    ("SRCS = b.c", "SRCS = a.c b.c", True),
])  # fmt: skip
def test_a_list_of_a_makefile_grows_where_no_program_can_take_the_place_of_another(start, now, stays):
    merged = merging.merged("Makefile", f"{start}\n".encode(), f"{now}\n".encode()).decode()
    assert merged == (f"{now}\n" if stays else f"{start}\n")


def test_what_a_package_calls_a_file_of_its_own_stays_and_more_such_names_may_come():
    start, now = {"imports": {"#eq": "./test/eq.js"}}, {"imports": {"#eq": "./lib/eq.js", "#new": "./lib/new.js"}}
    merged = json.loads(merging.merged("package.json", json.dumps(start).encode(), json.dumps(now).encode()))
    assert merged["imports"] == {"#eq": "./test/eq.js", "#new": "./lib/new.js"}


def test_what_a_go_module_needs_stays_and_what_it_replaces_does_not():
    start = "module shop\n\ngo 1.22\n\nrequire example.com/assert v1.0.0\nrequire x v1.0.0\n"
    now = start + "\nrequire example.com/a v1.0.0\nreplace example.com/assert => ./fake\nreplace (\n\tx => ./y\n\tnew => ./new\n)\n"
    said = merging.merged("go.mod", start.encode(), now.encode()).decode()
    assert "require example.com/a" in said and "fake" not in said and "./y" not in said and "new => ./new" in said
    assert merging.merged("cart/go.mod", None, b"module cart\n") is None


def test_what_is_no_text_or_no_json_is_the_start_s_as_a_whole():
    assert merging.merged("package.json", b"{}", b"no json") == b"{}"
    assert merging.merged("pyproject.toml", b"[project]\n", b"\xff\xfe") == b"[project]\n"
    assert merging.merged("tests/test_a.py", b"old", b"new") == b"old"
    assert merging.merged("tests/test_a.py", None, b"new") is None


def ran(text):
    """Return what a text defines."""
    space = {}
    exec(text.replace("from shop import total", "total = sum"), space)
    return space


@pytest.mark.parametrize(
    ("more", "names", "there"),
    [
        ("def test_new():\n    return 7\n", ["test_new"], "test_new"),
        ("import os\n\n\ndef test_new():\n    return os and 7\n", ["test_new[a-1]"], "test_new"),
        ("class TestNew:\n    def test_a(self):\n        return 7\n", ["TestNew::test_a"], "TestNew"),
    ],
)
def test_a_named_test_is_added_to_the_file_of_the_start_and_old_ones_stay(more, names, there):
    now = START.replace("== 1", "== 0") + "\n\ntotal = len\n\n\n" + more + "\n\ndef test_other():\n    return 1\n"
    text = merging.with_new_tests(START, now, names)
    assert text.startswith(START.rstrip("\n")) and there in ran(text)
    assert "== 0" not in text and "test_other" not in text and "total = len" not in text


def test_a_method_is_added_to_its_class():
    start = "class TestOld:\n    def test_a(self):\n        return 1\n"
    now = "class TestOld:\n    def test_a(self):\n        return 2\n\n    def test_b(self):\n        return 3\n"
    found = ran(merging.with_new_tests(start, now, ["TestOld::test_b"]))["TestOld"]()
    assert (found.test_a(), found.test_b()) == (1, 3)


@pytest.mark.parametrize(
    ("now", "names"),
    [(START, ["test_old"]), (START, ["test_new"]), ("def test_new(:", ["test_new"]), (START.replace("1]", "2]"), ["test_old"])],
)
def test_without_a_new_test_there_is_nothing_to_add(now, names):
    assert merging.with_new_tests(START, now, names) is None
