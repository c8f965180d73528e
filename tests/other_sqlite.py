"""Another SQLite: the interpreter at hand once more, but its `_sqlite3` is that of the package pysqlite3, a newer library.

Hooks, commands and tests run under it as under any Python that was built with that library: nothing is told of it, neither by a
variable nor by a path. It is made of links, in a folder that is gone after the tests.
"""

import atexit
import functools
import importlib.util
import os
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Where SQLite notes in the header of a file which library wrote there last: 3.40.1 is 3040001.
WRITTEN_BY = slice(96, 100)
SAYS_VERSION = "import _sqlite3; print(_sqlite3.sqlite_version)"


@functools.cache
def interpreter():
    """Return the path of the interpreter with the newer library; skips where there is none."""
    package = importlib.util.find_spec("pysqlite3")  # found, not imported: two libraries in one process would share no locks
    modules = [*Path(package.submodule_search_locations[0]).glob("_sqlite3*.so")] if package else []
    if not modules:
        pytest.skip("the newer SQLite comes with the package pysqlite3, which is not installed")
    python = _made(Path(tempfile.mkdtemp(prefix="other-sqlite-")), modules[0])
    ran = subprocess.run([python, "-I", "-S", "-c", SAYS_VERSION], capture_output=True, text=True)
    if ran.returncode or ran.stdout.strip() == sqlite3.sqlite_version:
        pytest.skip(f"this Python takes no other _sqlite3: {ran.stdout}{ran.stderr}")
    return str(python)


def _made(folder, module):
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    library = Path(sysconfig.get_path("stdlib"))
    compiled = Path(sysconfig.get_config_var("DESTSHARED") or library / "lib-dynload")
    there = folder / library.relative_to(sys.base_prefix)
    (there / "lib-dynload").mkdir(parents=True)
    leave_out = {"site-packages", "lib-dynload"}
    links = {path: there / path.name for path in library.iterdir() if path.name not in leave_out}
    links |= {path: there / "lib-dynload" / path.name for path in compiled.iterdir() if not path.name.startswith("_sqlite3")}
    links |= {path: there.parent / path.name for path in library.parent.glob("libpython*.so*")}
    for path, link in {**links, module: there / "lib-dynload" / module.name}.items():
        link.symlink_to(path)
    (folder / "bin").mkdir()
    # a copy, for Python looks for its library beside the file that a link leads to
    return shutil.copy(Path(sys.base_prefix, "bin", "python3").resolve(), folder / "bin" / "python3")


@functools.cache
def number():
    """Return the number of the newer library as a database notes it."""
    said = subprocess.run([interpreter(), "-I", "-S", "-c", SAYS_VERSION], capture_output=True, text=True).stdout
    major, minor, patch = map(int, said.split("."))
    return major * 1_000_000 + minor * 1000 + patch


def run(code, *given, environment, newer=True):
    """Run some lines that may import everything of the project and of its tests, under either library; returns what they print."""
    python = interpreter() if newer else sys.executable
    environment = {**environment, "PYTHONPATH": f"{ROOT}:{sysconfig.get_path('purelib')}", "PATH": os.environ["PATH"]}
    ran = subprocess.run([python, "-c", code, *map(str, given)], env=environment, capture_output=True, text=True, timeout=300)
    assert (ran.returncode, ran.stderr) == (0, ""), ran
    return ran.stdout


def writer_of(database):
    """Return the number of the library that wrote last into a database file, not counting its log."""
    return int.from_bytes(Path(database).read_bytes()[WRITTEN_BY], "big")
