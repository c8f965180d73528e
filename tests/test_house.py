"""The checks behind the architecture test can fail: each is fed a small bad tree and names the line."""

import pytest

from tests import house


@pytest.fixture
def a_tree(tmp_path):
    def build(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return build


BARE = {"ralph_mem": ("py39", ()), "hooks": ("py39", ()), "ralph_mem/maintenance": ("py310", ("yaml",))}


def test_a_package_in_a_bare_folder_is_named_even_inside_a_function(a_tree):
    root = a_tree({"ralph_mem/core/store.py": "import time\n\ndef f():\n    import yaml\n"})
    assert house.strangers(root, BARE) == [
        "ralph_mem/core/store.py:4: ralph_mem.core.store imports yaml, which its folder has to do without"
    ]


def test_a_folder_has_the_packages_of_the_nearest_line_above_it(a_tree):
    root = a_tree({"ralph_mem/maintenance/forget/erase.py": "import yaml\nimport rich\n"})
    assert [line.partition(" imports ")[2].split(",")[0] for line in house.strangers(root, BARE)] == ["rich"]


def test_a_package_in_the_door_of_the_hooks_is_named(a_tree):
    assert "hooks/run.py:1" in house.strangers(a_tree({"hooks/run.py": "import yaml\n"}), BARE)[0]


def test_a_neighbour_of_the_door_is_no_package(a_tree):
    root = a_tree({"hooks/run.py": "def f():\n    import too_old\n", "hooks/too_old.py": ""})
    assert not house.strangers(root, BARE)
    assert house.inner_imports(root)[0].startswith("hooks/run.py:2: hooks.run imports hooks.too_old")


def test_a_way_round_to_a_package_is_named_over_any_number_of_modules(a_tree):
    files = {"ralph_mem/a.py": "from ralph_mem import b\n", "ralph_mem/b.py": "from ralph_mem.maintenance import config\n"}
    root = a_tree({**files, "ralph_mem/maintenance/config.py": "import yaml\n"})
    assert [line.partition(":")[0] for line in house.leaks(root, BARE)] == ["ralph_mem/a.py", "ralph_mem/b.py"]


def test_a_second_importer_of_a_package_is_named(a_tree):
    root = a_tree({"ralph_mem/config.py": "import yaml\n", "ralph_mem/worker.py": "import os\nfrom yaml import load\n"})
    assert house.packages_out_of_place(root, {"yaml": "config"}) == [
        "ralph_mem/worker.py:2: ralph_mem.worker imports yaml, which belongs to config"
    ]


@pytest.mark.parametrize("line", ["from ralph_mem.recall import hits", "from ralph_mem import recall", "from .. import recall"])
def test_an_import_from_above_is_named(a_tree, line):
    root = a_tree({"ralph_mem/core/store.py": f"{line}\n", "ralph_mem/recall.py": ""})
    assert house.uphill(root, [{"core"}, {"recall"}]) == [
        "ralph_mem/core/store.py:1: ralph_mem.core.store imports ralph_mem.recall from above"
    ]


def test_a_room_without_a_floor_is_named(a_tree):
    assert house.uphill(a_tree({"ralph_mem/attic.py": "\n"}), [{"core"}]) == ["ralph_mem/attic.py:1: attic stands on no floor"]


def test_one_entrance_that_imports_another_is_named(a_tree):
    root = a_tree(
        {"ralph_mem/interfaces/cli/show.py": "import ralph_mem.interfaces.web.page\n", "ralph_mem/interfaces/web/page.py": ""}
    )
    assert house.doors_between(root, {"interfaces.cli", "interfaces.web"}) == [
        "ralph_mem/interfaces/cli/show.py:1: ralph_mem.interfaces.cli.show imports ralph_mem.interfaces.web.page, another entrance"
    ]


def test_a_circle_is_drawn_function_level_imports_included(a_tree):
    root = a_tree({"ralph_mem/a.py": "import ralph_mem.b\n", "ralph_mem/b.py": "def f():\n    from ralph_mem import a\n"})
    assert house.circles(root) == ["ralph_mem.a (ralph_mem/a.py:1) > ralph_mem.b (ralph_mem/b.py:2) > ralph_mem.a"]


def test_a_circle_through_a_package_is_drawn(a_tree):
    root = a_tree({"ralph_mem/b/__init__.py": "from ralph_mem.b import c\n", "ralph_mem/b/c.py": "from ralph_mem.b import name\n"})
    assert len(house.circles(root)) == 1


def test_imports_for_type_checkers_do_not_count(a_tree):
    root = a_tree({"ralph_mem/core/a.py": "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    import typing\nelse:\n    import re\n"})
    assert [found.name for found in house.imports(root)] == ["re"]


@pytest.mark.parametrize("line", ["import json", "json = __import__('json')", "json = import_module('json')"])
def test_an_import_inside_a_function_is_named(a_tree, line):
    root = a_tree({"ralph_mem/core/a.py": f"def f():\n    {line}\n"})
    assert house.inner_imports(root) == ["ralph_mem/core/a.py:2: ralph_mem.core.a imports json inside a function"]


@pytest.mark.parametrize("text", ["import json  # lazy: seldom needed", "# lazy: seldom needed\n    import json"])
def test_an_import_inside_a_function_has_its_reason_beside_it(a_tree, text):
    assert not house.inner_imports(a_tree({"ralph_mem/core/a.py": f"def f():\n    {text}\n"}))


def test_an_import_of_a_computed_name_is_named(a_tree):
    assert "imports <computed>" in house.inner_imports(a_tree({"ralph_mem/a.py": "f = lambda x: __import__(x)\n"}))[0]


def test_a_fallback_that_is_used_no_more_is_named(a_tree):
    root, allowed = a_tree({"ralph_mem/core/a.py": "import time\n"}), {("ralph_mem.core.a", "json"): "seldom needed"}
    gone = ["ralph_mem.core.a no longer imports json this way: take it off the list"]
    assert house.dear_imports(root, {"ralph_mem.core"}, {"json"}, allowed) == gone


def test_a_dear_import_in_a_hot_room_is_named(a_tree):
    hot = "import time\nfrom collections.abc import Sequence\n"
    root = a_tree({"ralph_mem/core/a.py": hot, "ralph_mem/recall.py": "import collections\n"})
    assert house.dear_imports(root, {"ralph_mem.core"}, {"collections"}, {}) == [
        "ralph_mem/core/a.py:2: ralph_mem.core.a imports collections.abc, too dear for a hook"
    ]


def test_a_dear_import_is_allowed_as_a_fallback_alone(a_tree):
    allowed = {("ralph_mem.core.a", "json"): "no accelerator"}
    fallback = a_tree({"ralph_mem/core/a.py": "try:\n    import _json\nexcept ImportError:\n    import json\n"})
    assert not house.dear_imports(fallback, {"ralph_mem.core"}, {"json"}, allowed)
    plain = a_tree({"ralph_mem/core/a.py": "import json\n"})
    assert "a.py:1: json is allowed as a fallback" in house.dear_imports(plain, {"ralph_mem.core"}, {"json"}, allowed)[0]


def test_syntax_that_is_too_new_is_named(a_tree):
    root = a_tree({"ralph_mem/core/a.py": "x = 1\nmatch x:\n    case 1:\n        pass\n"})
    assert "ralph_mem/core/a.py:" in house.unreadable(root, [root / "ralph_mem/core/a.py"], (3, 9))[0]


@pytest.mark.parametrize("line", ["def f(a: int | None): pass", "x: int | None = 1", "isinstance(1, int | str)"])
def test_a_union_that_an_old_python_would_compute_is_named(a_tree, line):
    root = a_tree({"ralph_mem/core/a.py": f"{line}\n"})
    assert house.unions(root, [root / "ralph_mem/core/a.py"])[0].startswith("ralph_mem/core/a.py:1: int | ")


@pytest.mark.parametrize("line", ["def f(a: 'int | None'): pass", "def f():\n    x: int | None = 1", "x = 1 | 2"])
def test_a_union_that_is_never_computed_is_none(a_tree, line):
    root = a_tree({"ralph_mem/core/a.py": f"{line}\n"})
    assert not house.unions(root, [root / "ralph_mem/core/a.py"])


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("x = f'{1}'", "JoinedStr"),
        ("if (x := 1): pass", "NamedExpr"),
        ("x: int = 1", "AnnAssign"),
        ("def f(a: int): pass", "annotation"),
        ("def f() -> int: pass", "annotation"),
        ("def f(*, a): pass", "keyword-only or positional-only argument"),
        ("print(1, 2)", "print is a statement in Python 2"),
        ("raise ValueError from None", "raise ... from"),
        ("x = [*range(3)]", "unpacking inside a display"),
    ],
)
def test_what_not_every_python_can_read_is_named(a_tree, line, what):
    root = a_tree({"hooks/run.py": f"import sys\n{line}\n"})
    assert house.too_new_for_any_python(root / "hooks" / "run.py") == [f"run.py:2: {what}"]


def test_long_functions_are_named_when_they_are_no_exception(a_tree):
    root = a_tree({"ralph_mem/a.py": "def short():\n    pass\n\n\ndef long():\n" + "    pass\n" * 40})
    assert house.long_functions(root, p90=35) == ["ralph_mem/a.py:5 long: 41 lines"]
    assert not house.long_functions(a_tree({"ralph_mem/b.py": "def short(): pass\n" * 20}), p90=35)


def test_a_large_room_is_named(a_tree):
    root = a_tree({"ralph_mem/a.py": "x = 1\n" * 400, "ralph_mem/b.py": "x = 1\n" * 401})
    assert house.large_rooms(root, lines=400) == ["ralph_mem/b.py:401: 401 lines, 400 is the limit"]


def test_a_name_that_says_nothing_is_named(a_tree):
    root = a_tree({"ralph_mem/core/utils.py": "", "ralph_mem/services/__init__.py": ""})
    assert [line.split(":")[0] for line in house.empty_names(root, {"utils", "services"})] == [
        "ralph_mem/core/utils.py",
        "ralph_mem/services/__init__.py",
    ]


def test_what_does_not_belong_at_the_top_is_named(a_tree):
    root = a_tree({"ralph_mem/a.py": "", "notes.py": ""})
    (root / ".gitignore").write_text("dist/\n*.egg-info/\n")
    (root / "ralph_mem.egg-info").mkdir()
    assert house.unexpected_at_the_top(root, {"ralph_mem", ".gitignore"}) == ["notes.py"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Quiet: who looks keeps the others waiting.", "its first sentence has a colon"),
        ("Hold a lock", "no sentence says what it is"),
        ("", "no sentence says what it is"),
        ("Hold " + "a " * 20 + "lock. Short.", "its first sentence has 22 words, 20 are the limit"),
        ("Hold a lock.\n\nRemarks: any.", ""),
        ("Hold a lock of config.yaml. Remarks: any.", ""),
    ],
)
def test_a_module_that_does_not_say_plainly_what_it_is_is_named(a_tree, text, what):
    root = a_tree({"ralph_mem/core/a.py": f'"""{text}"""\n', "ralph_mem/core/b.py": "", "ralph_mem/c.py": ""})
    named = house.unclear_docstrings(root, {"ralph_mem/core"}, {"ralph_mem/core/b.py"})
    assert named == ([f"ralph_mem/core/a.py:1: {what}"] if what else [])
