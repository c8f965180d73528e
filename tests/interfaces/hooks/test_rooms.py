"""Rooms: how the door loads our modules, in the place of `__import__`. A tree of small ones, and real interpreters."""

import subprocess
import sys
from pathlib import Path

import pytest

HOOKS = Path(__file__).parents[3] / "hooks"
PREAMBLE = """
import builtins, sys
sys.path[:0] = [{hooks!r}]
import door
sys.path.append({root!r})
builtins.__import__ = door.Rooms({root!r}).bring
"""


class Tree:
    """A package with one of its own below it, whose modules are loaded in a fresh interpreter."""

    def __init__(self, root):
        self.root = root
        for name in ("ralph_mem", "ralph_mem.core", "ralph_mem.interfaces", "ralph_mem.interfaces.hooks"):
            self.write(f"{name.replace('.', '/')}/__init__.py", f"here = {name!r}\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    def runs(self, code):
        """Run code behind the importer and return what it prints, or the last line of its traceback."""
        code = PREAMBLE.format(hooks=str(HOOKS), root=str(self.root)) + code
        done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=30)
        return (done.stdout or done.stderr).strip().rpartition("\n")[2]


@pytest.fixture
def a_tree(tmp_path):
    return Tree(tmp_path)


def test_a_room_is_loaded_once_and_found_by_its_package(a_tree):
    a_tree.write("ralph_mem/core/lamp.py", "lit = []\n")
    a_tree.write("ralph_mem/core/house.py", "from ralph_mem.core import lamp\nlamp.lit.append(1)\n")
    code = "from ralph_mem.core import house, lamp\nfrom ralph_mem.core.lamp import lit\nimport ralph_mem.core.lamp as again\n"
    for _ in ("compiled now", "compiled before"):
        assert a_tree.runs(code + "print(lit, again is lamp is house.lamp, lamp.__name__, lamp.__file__)") == (
            f"[1] True ralph_mem.core.lamp {a_tree.root}/ralph_mem/core/lamp.py"
        )


def test_what_a_package_itself_holds_is_no_room(a_tree):
    assert a_tree.runs("from ralph_mem.interfaces.hooks import here\nprint(here)") == "ralph_mem.interfaces.hooks"


def test_a_source_that_changed_counts_at_once(a_tree):
    lamp = a_tree.write("ralph_mem/core/lamp.py", "lit = 1\n")
    code = "from ralph_mem.core import lamp\nprint(lamp.lit)"
    assert [a_tree.runs(code), a_tree.runs(code)] == ["1", "1"]
    lamp.write_text("lit = 2 + 0\n")
    assert a_tree.runs(code) == "2"


@pytest.mark.parametrize("damage", [b"", b"\0" * 16, None])
def test_compiled_code_that_is_damaged_is_compiled_anew(a_tree, damage):
    a_tree.write("ralph_mem/core/lamp.py", "lit = 1\n")
    code = "from ralph_mem.core import lamp\nprint(lamp.lit)"
    assert a_tree.runs(code) == "1"
    (compiled,) = (a_tree.root / "ralph_mem/core/__pycache__").glob("lamp.*")
    compiled.unlink() if damage is None else compiled.write_bytes(damage)
    assert a_tree.runs(code) == "1"


@pytest.mark.parametrize(
    "wanted", ["from ralph_mem.core import none", "from ralph_mem.core.none import x", "from ralph_mem.none import x"]
)
def test_what_is_not_there_raises_the_error_of_every_import(a_tree, wanted):
    assert a_tree.runs(wanted).startswith("ModuleNotFoundError: No module named 'ralph_mem")


def test_a_room_that_fails_is_not_left_there_by_half(a_tree):
    a_tree.write("ralph_mem/core/lamp.py", "import sys\nlit = len(sys.lamps)\n")
    ask = "try:\n    from ralph_mem.core import lamp\nexcept AttributeError: pass\n"
    code = ask + "import sys\nprint('ralph_mem.core.lamp' in sys.modules)\n"
    assert [a_tree.runs(code), a_tree.runs(code)] == ["False", "False"]
    assert a_tree.runs(ask + "import sys\nsys.lamps = 'two'\nfrom ralph_mem.core.lamp import lit\nprint(lit)") == "3"


def test_two_threads_never_see_a_room_by_half(a_tree):
    a_tree.write("ralph_mem/core/lamp.py", "import time\ntime.sleep(0.2)\nlit = 1\n")
    a_tree.runs("from ralph_mem.core import lamp")
    ask = "def ask():\n    from ralph_mem.core.lamp import lit\n    seen.append(lit)\nseen = []\n"
    start = "import threading\nall = [threading.Thread(target=ask) for _ in range(4)]\n[each.start() for each in all]\n"
    assert a_tree.runs(ask + start + "[each.join() for each in all]\nprint(seen)") == "[1, 1, 1, 1]"


def test_modules_of_others_are_imported_as_ever(a_tree):
    code = "import os.path, json.decoder\nfrom json import decoder\nprint(os.path.sep, decoder is json.decoder, 'ü'.encode('idna'))"
    assert a_tree.runs(code) == "/ True b'xn--tda'"


def test_modules_in_c_are_as_importlib_makes_them(a_tree):
    code = "import gc, zlib, _json, _heapq, _weakrefset\nimport importlib, heapq\nimportlib.import_module('zlib').crc32(b'x')\n"
    code += "print(gc.__name__, zlib.__spec__.name, _json.__name__, heapq.heappush is _heapq.heappush, _weakrefset.__name__)"
    assert a_tree.runs(code) == "gc zlib _json True _weakrefset"


def test_a_module_in_c_that_is_not_there_raises_the_error_of_every_import(a_tree):
    assert a_tree.runs("import _none_such") == "ModuleNotFoundError: No module named '_none_such'"
