"""The door of the answers: whatever comes, whatever is broken, it leaves with 0, in time, silent on stderr, with one line."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from ralph_mem.interfaces import skills
from ralph_mem.memory import access
from tests import clock
from tests.hook import INTERPRETER
from tests.interfaces.cli.broken import newer, of_somebody_else, without_tables
from tests.interfaces.cli.situations import held, one_line, seconds

READING = ("mem-search", "mem-forget")  # mem-status says in its own words that there is nothing to read
WORDS = {
    "mem": "search thrown signing",
    "mem-search": "thrown signing",
    "mem-status": "",
    "mem-inject": "a note",
    "mem-forget": "--query thrown",
    "ralph": "status",
}
SILENCE_S = 2
ROOM_S = 10  # what a busy machine may add to a wait


# Which command


@pytest.mark.parametrize("name", ["mem-nope", "mem-", "mem-search\n", "mem-search ", "mem-../mem_search", "mem-" + "x" * 1000])
def test_an_unknown_command_is_told_which_there_are(a_person, name):
    line = one_line(a_person.model_runs(name, "thrown"))
    assert line.endswith("(one of mem, mem-search, mem-status, mem-inject, mem-forget, ralph)")


@pytest.mark.parametrize("name", ["ralph-mem:remembering", "other:mem-searching", "commit", "", None, 7, ["mem-search"]])
def test_a_typed_command_of_somebody_else_is_not_answered(a_person, name):
    data = a_person.event("UserPromptExpansion", command_name=name, command_args="thrown")
    assert a_person.at_the_door("UserPromptExpansion", data) == ""


@pytest.mark.parametrize("words", [None, 7, ["thrown"], {}], ids=str)
def test_words_that_are_no_text_are_none(a_person, words):
    assert "no word to search for" in one_line(a_person.types("mem-search", words))


@pytest.mark.parametrize("data", [b"", b"junk", b"{}", b"[]", b"\xff\0", b'{"command_name": 7'], ids=repr)
def test_an_event_that_cannot_be_understood_leaves_nothing(a_newcomer, data):
    assert a_newcomer.at_the_door("UserPromptExpansion", data) == ""
    assert not a_newcomer.memory.exists()


@pytest.mark.parametrize(("name", "words"), [("mem-forget", "--confirm --query thrown out"), ("mem-inject", "Never do thrown")])
def test_half_a_command_is_not_carried_out(a_person, name, words):
    data = a_person.event("UserPromptExpansion", command_name=f"ralph-mem:{name}", command_args=words)
    before = a_person.raw()
    out = a_person.at_the_door("UserPromptExpansion", data[: data.index(b"thrown") + 2])
    assert out == "" or one_line(json.loads(out)["reason"])
    assert a_person.raw() == before


@pytest.mark.check
def test_an_answer_leaves_no_process_and_writes_nowhere_else(a_person):
    before = a_person._elsewhere()
    for name, words in WORDS.items():
        a_person.types(name, words)
        a_person.model_runs(name, words)
        assert a_person.left_behind() == []
    assert a_person._elsewhere() == before


# What stands on stdin

SHAPES = {
    "nothing": b"",
    "an empty line": b"\n",
    "white space": b" \n\t ",
    "zeros": b"\0" * 4096,
    "junk": bytes(range(256)) * 64,
    "half a character": b"\xe2\x82",
    "a word": b"hello",
    "a folder that is gone": b"/dev/null/gone\nhello",
    "a file": b"/etc/passwd\nhello",
    "a folder with a NUL": b"/tmp\0/x\nhello",
    "a path of 10,000 characters": b"/" + b"y" * 10_000 + b"\nhello",
    "300 KB": b"word " * 60_000,
    "3 MB": b"x" * 3_000_000,
}


@pytest.mark.check
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_whatever_stands_on_stdin_is_answered(a_person, shape):
    for name in ("mem-search", "mem-forget", "mem-inject"):
        text = a_person.at_the_door(name, shape)
        assert text.startswith(("<", "Nothing", "Remembered", "This is remembered")) or one_line(text)
    assert a_person.at_the_door("mem-status", shape).startswith(f"{a_person.project}: recording")


@pytest.mark.check
@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
@pytest.mark.parametrize("name", skills.NAMES)
def test_a_closed_stream_is_no_obstacle(a_person, name, closed):
    a_person.wrap = ["/bin/sh", "-c", f'"$0" "$@" {closed}']
    text = a_person.at_the_door(name, b"")
    assert text.startswith(f"{a_person.project}: recording") if name in ("mem", "mem-status") else one_line(text)


def test_nobody_hearing_the_answer_is_no_obstacle(a_person):
    a_person.wrap = ["/bin/sh", "-c", '"$0" "$@" >&-']
    typed = a_person.event("UserPromptExpansion", command_name="ralph-mem:mem-inject", command_args="Zebras are striped.")
    assert a_person.at_the_door("UserPromptExpansion", typed) == ""
    assert a_person.notes() == [("Zebras are striped.", "")]


def test_a_stdin_that_says_nothing_is_not_waited_for(a_person):
    with a_person.open("mem-status", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        out, took = seconds(process.stdout.read)
    assert out.startswith(b"%b: recording" % bytes(a_person.project))
    assert took < SILENCE_S


def test_a_first_line_that_is_no_folder_belongs_to_the_words(a_person):
    for line in ("/dev/null/zirconium", "/etc/passwd", "not/from/xenon"):
        a_person.types("mem-inject", f"about {line}")
        assert line in a_person.at_the_door("mem-search", f"{line}\n--layer 1 --type note".encode())


def test_a_folder_inside_the_project_means_the_project(a_person):
    (a_person.project / ".git").mkdir()
    (a_person.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (a_person.project / "src").mkdir()
    text = a_person.at_the_door("mem-status", bytes(a_person.project / "src"))
    assert text.startswith(f"{a_person.project}: recording")


def test_a_folder_on_the_first_line_means_that_project(a_person, a_newcomer):
    text = a_newcomer.at_the_door("mem-status", bytes(a_person.project))
    assert text.startswith(f"{a_person.project}: recording")


def test_where_the_current_folder_is_gone_and_no_other_is_named_that_is_said(a_person):
    a_person.wrap = ["/bin/sh", "-c", 'cd "$(mktemp -d)" && rmdir "$PWD" && exec "$0" "$@" 2>/dev/null']
    assert "folder is gone" in one_line(a_person.at_the_door("mem-search", b"thrown"))
    assert a_person.model_runs("mem-search", "thrown").startswith(f"<{a_person.tag}>")


# What is broken


def torn(person):
    with sqlite3.connect(person.database) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(person.database.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    person.database.write_bytes(data)


def a_folder_in_its_place(person):
    for path in person.memory.glob("memory.db*"):
        path.unlink()
    person.database.mkdir()


BROKEN = {
    "is junk": (lambda person: person.database.write_bytes(b"junk" * 2000), "is not a database"),
    "is torn": (torn, "database"),
    "is of a newer release": (newer, "update the plugin"),
    "has no tables": (without_tables, "is not used (not made by you here)"),
    "is somebody else's": (of_somebody_else, "is not used (not made by you here)"),
    "is a folder": (a_folder_in_its_place, "is not used (no regular file)"),
}


@pytest.mark.check
@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("name", ["mem-search", "mem-inject", "mem-forget"])
def test_a_memory_that_cannot_be_opened_is_told_in_a_line(a_person, name, how):
    broken, wanted = BROKEN[how]
    broken(a_person)
    assert wanted in one_line(a_person.types(name, WORDS[name]))
    ran = one_line(a_person.model_runs(name, WORDS[name]))
    assert wanted in ran or (name != "mem-search" and "only a person can type" in ran)


@pytest.mark.parametrize("name", READING)
def test_where_nothing_is_remembered_that_is_told_in_a_line(a_newcomer, name):
    line = one_line(a_newcomer.types(name, WORDS[name]))
    assert "nothing is remembered" in line and "`/mem status` says whether it is recorded" in line and "pip install" not in line
    assert not a_newcomer.memory.exists()


@pytest.mark.parametrize("name", ["mem-inject", "mem-forget"])
@pytest.mark.parametrize("ignored", [True, False])
def test_a_memory_that_cannot_be_written_is_told_in_a_line(a_person, as_an_ordinary_owner, name, ignored):
    if not ignored:
        (a_person.memory / ".gitignore").unlink()
    as_an_ordinary_owner(a_person, a_person.memory)
    assert "cannot write to" in one_line(a_person.types(name, WORDS[name]))
    assert "trouble: " in a_person.types("mem-status")


def test_a_memory_that_cannot_be_written_is_searched_all_the_same(a_person, as_an_ordinary_owner):
    answer = a_person.types("mem-search", WORDS["mem-search"])
    as_an_ordinary_owner(a_person, a_person.memory)
    assert "turn-" in answer and a_person.types("mem-search", WORDS["mem-search"]).count("turn-") == answer.count("turn-")


@pytest.mark.check
def test_a_home_that_cannot_be_written_is_named_by_a_forget(a_person, as_an_ordinary_owner):
    asked = a_person.types("mem-forget", "--query rate")
    digits = re.search(r"--confirm (\w+)", asked)[1]
    as_an_ordinary_owner(a_person, a_person.data)
    assert "ralph-mem: Permission denied: " in a_person.types("mem-forget", f"--confirm {digits} --query rate")


def test_a_project_that_cannot_be_written_takes_no_note(a_newcomer, as_an_ordinary_owner):
    as_an_ordinary_owner(a_newcomer, a_newcomer.project)
    assert "cannot write to" in one_line(a_newcomer.types("mem-inject", "a note"))


def test_a_project_that_cannot_be_written_is_named_as_the_cause_by_status_and_doctor(a_newcomer, as_an_ordinary_owner):
    as_an_ordinary_owner(a_newcomer, a_newcomer.project)
    cause = f"cannot write in {a_newcomer.project}"
    assert f": not yet: {cause}; " in a_newcomer.types("mem", "status")
    found = a_newcomer.types("mem", "doctor")
    assert f"problem  permissions      {cause}, " in found and f"; do: chmod u+rwx {a_newcomer.project}" in found
    assert "/reload-plugins" not in found and "Errno" not in found


@pytest.mark.check
def test_somebody_who_holds_the_memory_is_waited_for_and_not_for_ever(a_person, tmp_path):
    other = a_person.copied_to(tmp_path / "other")
    name = a_person.turn_that_says("thrown")
    asked = [
        *[
            (a_person, command, words)
            for command, words in (("mem-inject", "x"), ("mem-forget", name), ("mem-forget", f"--confirm {name}"))
        ],
        *[(other, command, words) for command, words in WORDS.items() if command != "ralph"],  # a loop can do without a memory
    ]
    with held(a_person, "writing"), held(other, "tidying"), ThreadPoolExecutor(len(asked)) as threads:
        watch = clock.Watch()
        waiting = [threads.submit(seconds, lambda each=each: each[0].types(*each[1:])) for each in asked]
        told = [each.result() for each in waiting]
        assert watch.seconds() > access.WAIT_MS / 1000 - 0.1
    for (_, command, _), (text, took) in zip(asked, told, strict=True):
        assert "trouble: the memory cannot be used: another session" in text if command == "mem-status" else one_line(text)
        assert took < access.WAIT_MS / 1000 + ROOM_S
    assert a_person.turn_that_says("thrown") == name


def test_somebody_who_lets_go_in_time_is_not_noticed(a_person):
    with held(a_person) as holder, ThreadPoolExecutor(1) as threads:
        note = threads.submit(a_person.types, "mem-inject", "a note")
        time.sleep(0.3)
        holder.kill()
        assert note.result().startswith("Remembered")


def test_a_search_does_not_wait_for_somebody_who_writes(a_person):
    with held(a_person):
        text, took = seconds(lambda: a_person.types("mem-search", "thrown"))
    assert text.startswith(f"<{a_person.tag}>") and took < access.WAIT_MS / 1000


# Which interpreter there is


def remember(person, interpreter):
    """Let `hooks/run` start this, as if a session start had found it; nothing is like a first start."""
    (person.data / "python").unlink(missing_ok=True)
    if interpreter:
        (person.data / "python").write_text(f"{interpreter}\n")


@pytest.mark.parametrize("name", skills.NAMES)
def test_without_python_that_is_told_in_a_line(a_person, name):
    remember(a_person, None)
    a_person.environment["PATH"] = str(a_person.folder)
    assert "python3, version 3.9 or newer" in one_line(a_person.model_runs(name, WORDS[name]))
    assert "python3, version 3.9 or newer" in a_person.types(name, WORDS[name])


# Runs hooks/run.py as `hooks/run` does, in a Python that is not what it is.
INSTEAD = """#!/bin/sh
while [ "${{1##*/}}" != run.py ]; do shift; done
exec {python} -I -S -c 'import sys
{poison}
del sys.argv[0]
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"), {{"__name__": "__main__", "__file__": sys.argv[0]}})' "$@"
"""
TOO_OLD = "sys.version_info = (3, 8, 1)"
NO_SQLITE = """
class Missing:
    def find_spec(self, name, *_):
        if name == "_sqlite3":
            raise ModuleNotFoundError("No module named _sqlite3")
sys.meta_path.insert(0, Missing())
import _imp
create = _imp.create_dynamic
_imp.create_dynamic = lambda spec, *more: Missing().find_spec(spec.name) or create(spec, *more)
"""


def interpreter(person, poison):
    path = person.home / "python3"
    path.write_text(INSTEAD.format(python=INTERPRETER, poison=poison))
    path.chmod(0o700)
    remember(person, path)


def test_a_python_without_sqlite_is_told_in_a_line(a_person):
    interpreter(a_person, NO_SQLITE)
    for name in skills.NAMES:
        assert "No module named _sqlite3" in one_line(a_person.model_runs(name, WORDS[name]))
        assert "No module named _sqlite3" in one_line(a_person.types(name, WORDS[name]))


def test_a_python_that_is_too_old_is_told_in_a_line(a_person):
    interpreter(a_person, TOO_OLD)
    for name in skills.NAMES:
        assert one_line(a_person.model_runs(name)) == "ralph-mem: python3 is 3.8, it needs 3.9 or newer."
        assert one_line(a_person.types(name)) == "ralph-mem: python3 is 3.8, it needs 3.9 or newer."


def test_a_python_that_lacks_nothing_is_what_these_tests_start_from(a_person):
    interpreter(a_person, "")
    assert a_person.model_runs("mem-search", "thrown").startswith(f"<{a_person.tag}>")


def test_a_home_that_is_missing_is_no_obstacle(a_person):
    for variable in ("HOME", "CLAUDE_CODE_SESSION_ID"):
        del a_person.environment[variable]
    assert "thrown out" in a_person.types("mem-search", "thrown")
    assert a_person.types("mem-inject", "a note").startswith("Remembered")


def test_a_plugin_that_is_half_removed_is_no_traceback(a_person, tmp_path):
    shutil.copytree(a_person.plugin, tmp_path / "half")
    a_person.plugin = tmp_path / "half"
    shutil.rmtree(a_person.plugin / "ralph_mem" / "core")
    assert one_line(a_person.model_runs("mem-search", "thrown"))
