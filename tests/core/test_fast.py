"""JSON and SQLite without the modules that are dear: the same answers as theirs, under every Python there is."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ralph_mem.core import fast
from tests.folded import folded

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)
NO_JSON = (
    *("", " ", "{", "[", '"', '"cut off', '{"a"', '{"a":', '{"a": 1', "[1,", "[1 2]", "nul", "tru", "{1: 2}", "'a'"),
    *("1 2", "{} {}", "01", "+1", ".5", "1.", '"\\x"', '"\\u12"', "\ufeff{}", "[" * 100_000, '{"a":' * 100_000),
)


def interpreters():
    """Return the real path of each Python from 3.9 to 3.13 on this machine, by version."""
    found = {}
    for minor in range(9, 14):
        name = f"python3.{minor}"
        versions = sorted((Path.home() / ".pyenv" / "versions").glob(f"3.{minor}.*/bin/{name}"))
        for path in [*map(str, reversed(versions)), shutil.which(name)]:
            if path and f"3.{minor}" not in found and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0:
                found[f"3.{minor}"] = path
    found.setdefault(f"{sys.version_info[0]}.{sys.version_info[1]}", sys.executable)
    return found


INTERPRETERS = interpreters()


def in_a_fresh_process(code, version, **variables):
    """Run code as a hook runs, without installed packages; returns what it prints."""
    start = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
    order = [INTERPRETERS[version], "-I", "-S", "-W", "error", "-c", start + code]
    run = subprocess.run(order, capture_output=True, text=True, env={"PATH": os.environ["PATH"], **variables}, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stdout


@given(VALUES)
def test_what_is_written_is_what_json_writes(value):
    assert fast.dumps(value) == json.dumps(value)


@pytest.mark.parametrize("text", ["Infinity", "-Infinity", "NaN", "1e999"])
def test_a_number_that_is_none_is_written_as_it_can_be_read(text):
    assert fast.dumps(fast.loads(text)) == json.dumps(json.loads(text))


@given(VALUES)
@example("\ud83d\ude00 \ud800 \x7f\x00")
def test_what_is_read_is_what_json_reads(value):
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False), json.dumps(value, indent=2)):
        assert fast.loads(text) == json.loads(text)


def test_tuples_are_written_as_lists():
    assert fast.dumps({"a": (1, (None,))}) == '{"a": [1, [null]]}'


def test_a_control_character_inside_a_string_is_read():
    assert fast.loads('{"a": "tab\there\nand there"}') == {"a": "tab\there\nand there"}


@folded("text", NO_JSON, ids=lambda text: text[:12].encode("unicode_escape").decode())
def test_text_that_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError, match="JSON"):
        fast.loads(text)


@given(st.text() | st.text(alphabet='{}[]",:\\u0123456789truefalsn eE+-.\n'))
def test_any_text_is_read_or_is_a_value_error(text):
    try:
        value = fast.loads(text)
    except ValueError:
        return
    assert fast.dumps(value) == json.dumps(json.loads(text, strict=False))


# In a process of its own, where nothing of the standard library is loaded yet

READ_NO_JSON = """
from ralph_mem.core import fast
import _random
drawn = _random.Random(7)
texts = NO_JSON + ["".join([CHARACTERS[drawn.getrandbits(5)] for _ in range(1 + drawn.getrandbits(5))]) for _ in range(5000)]
read = 0
for text in texts:
    try:
        fast.loads(text)
        read += 1
    except ValueError:
        pass
print(0 < read < 5000)
"""
CHARACTERS = '{}[]",:\\u0123456789truefalsnd -.'
assert len(CHARACTERS) == 32


@pytest.mark.parametrize("version", INTERPRETERS)
def test_text_that_is_no_json_is_a_value_error_in_a_fresh_process(version):
    given = f"NO_JSON = {[text for text in NO_JSON if len(text) < 1000]!r}\nCHARACTERS = {CHARACTERS!r}\n"
    assert in_a_fresh_process(given + READ_NO_JSON, version) == "True\n"


WORK_WITH_SQLITE = """
from ralph_mem.core import fast
sqlite = fast.load_sqlite()
print(sqlite.__name__, "functools" in sys.modules, "collections" in sys.modules)
db = sqlite.connect(":memory:", isolation_level=None)
db.execute("CREATE VIRTUAL TABLE t USING fts5(words)")
for number in range(300):  # more statements than the cache holds
    db.execute("INSERT INTO t (rowid, words) VALUES (%d, ?)" % number, ("lamp %d" % number,))
print(db.execute("SELECT rowid FROM t WHERE t MATCH ?", ("299",)).fetchall())
try:
    db.execute("SELECT nonsense")
except sqlite.Error as error:
    print("an error:", error)
import functools, sqlite3
print(functools.lru_cache(maxsize=2)(len)("ab"), functools.__file__ is not None)
print(sqlite3.connect(":memory:").execute("SELECT 1").fetchone())
"""


@pytest.mark.parametrize("version", INTERPRETERS)
def test_sqlite_works_and_leaves_no_stand_in_behind(version):
    first, *rest = in_a_fresh_process(WORK_WITH_SQLITE, version).splitlines()
    assert first == "_sqlite3 False False"
    assert rest == ["[(299,)]", "an error: no such column: nonsense", "2 True", "(1,)"]


@pytest.mark.parametrize("version", INTERPRETERS)
@pytest.mark.parametrize(("loaded", "name"), [("functools", "sqlite3"), ("sqlite3", "_sqlite3")])
def test_where_functools_or_sqlite_is_loaded_already_nothing_is_put_in_its_place(version, loaded, name):
    code = f"import {loaded}\nfrom ralph_mem.core import fast\nprint(fast.load_sqlite().__name__, {loaded}.__file__ is not None)"
    assert in_a_fresh_process(code, version) == f"{name} True\n"


def test_sqlite_is_the_public_one_where_the_private_one_has_changed(monkeypatch):
    def broken():
        raise AttributeError("lru_cache")

    for name in ("_sqlite3", "functools"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(fast, "_import_without_functools", broken)
    monkeypatch.setitem(sys.modules, "sqlite3", sys)  # stands for the public one
    assert fast.load_sqlite() is sys


def test_sqlite_that_is_not_there_is_an_import_error():
    code = """
class WithoutSqlite:
    def find_spec(self, name, path=None, target=None):
        if name == "_sqlite3":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, WithoutSqlite())
from ralph_mem.core import fast
try:
    fast.load_sqlite()
except ImportError:
    print("missing")
"""
    assert in_a_fresh_process(code, next(iter(INTERPRETERS))) == "missing\n"


@pytest.mark.parametrize("version", INTERPRETERS)
def test_json_works_without_its_c_module(version):
    code = """
sys.modules["_json"] = None
from ralph_mem.core import fast
print(fast.dumps(fast.loads('{"a": [1, -2.5, "b\\\\n\\u00e9", true, null]}')))
for text in ("", "[", '"', "{} {}", '{"a": 1'):
    try:
        fast.loads(text)
    except ValueError:
        print("refused")
"""
    assert in_a_fresh_process(code, version) == '{"a": [1, -2.5, "b\\n\\u00e9", true, null]}\n' + 5 * "refused\n"
