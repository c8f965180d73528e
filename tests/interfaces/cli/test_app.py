"""The edge of the command line: help, exit codes, one line for every error, and whatever a terminal or a pipe does to it."""

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import typer

from ralph_mem import __version__
from ralph_mem.interfaces import verbs
from ralph_mem.interfaces.cli import app, contents
from tests.folded import folded
from tests.hook import REPOSITORY
from tests.interfaces.cli.broken import newer, of_somebody_else, without_tables
from tests.interfaces.cli.situations import ANSWER, PIPES, Person, Said, complaint, held, seconds

ID = "turn-k3w9x2mfqa"
# Every command of ours that opens a memory, with words that go well.
READING = ("search thrown", f"show {ID}", "why", "preview thrown", f"edit {ID} x", "forget --query thrown")
OPENING = (*READING, f"timeline {ID}", f"pin {ID}", f"wrong {ID}", "inject a note")
SOME = ("search thrown", "inject a note", "forget --query thrown")
COLOUR = re.compile(r"\x1b\[(?:[0-9]+;)*[349][0-7]m")
# What printing a version does without.
DEAR = {"rich", "email", "statistics", "secrets"}
WAIT_S, ROOM_S = 5, 12


def commands(command=None, path=("ralph-mem",)):
    """Return every command of the tree with the words that call it."""
    command = command or typer.main.get_command(app.app)
    below = [(name, getattr(command, "load", command.commands.get)(name)) for name in list(getattr(command, "commands", ()))]
    return [(path, command), *[found for name, each in below for found in commands(each, (*path, name))]]


LEAVES = [(path, command) for path, command in commands() if not hasattr(command, "commands")]


# Help


def test_the_version_is_that_of_the_plugin(a_newcomer):
    assert a_newcomer.reads("--version") == f"ralph-mem {__version__}\n"


def test_a_version_is_printed_without_what_is_dear(a_newcomer):
    code = "import sys; from ralph_mem.interfaces.cli.app import _run; _run(['--version']); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], env=a_newcomer.terminal(), capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in run.stdout.split()} & DEAR == set()


def test_a_command_loads_no_module_of_another_one(a_newcomer):
    code = "import sys; from ralph_mem.interfaces.cli.app import _run; _run(['status']); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], env=a_newcomer.terminal(), capture_output=True, text=True, check=True)
    assert {name for name in {*contents.MODULE_OF.values()} if f"ralph_mem.interfaces.cli.{name}" in run.stdout.split()} == {
        "setup"
    }


def test_each_command_is_in_the_module_that_is_said_to_have_it():
    found = typer.main.get_command(app.app)
    assert all(found.load(name).name == name for name in contents.MODULE_OF)
    assert {path[1] for path, _ in LEAVES} == set(contents.MODULE_OF)


def test_a_word_that_is_no_command_brings_the_one_that_was_meant(capfd):
    app._run(["serch"])
    assert "Did you mean 'search'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("word", "command"),
    [("add", "inject"), ("rm", "forget"), ("list", "sessions"), ("rollback", "ralph rollback"), ("loop", "ralph")],
)
def test_a_word_of_other_programs_brings_the_command_that_does_it_here(word, command, capfd):
    assert app._run([word, "the zeppelin"]) == 2
    assert f"Did you mean '{command}'?" in capfd.readouterr().err


def test_no_other_name_of_a_command_is_a_command_itself():
    assert set(verbs.MEANT_BY) & {*contents.MODULE_OF, *verbs.OF} == set()
    assert set(verbs.OTHER_NAMES) <= {*contents.MODULE_OF} & {*verbs.OF}


def test_help_lists_the_commands_with_a_sentence_each(a_newcomer):
    text = a_newcomer.reads("-h")
    listed = dict(re.findall(r"^  (\w+)  +(\S.*)$", text.partition("\nLook:\n")[2], re.MULTILINE))
    assert {"search", "timeline", "show", "inject", "edit", "pin", "wrong", "forget", "why", "preview", "status"} <= listed.keys()
    assert all(sentence[0].isupper() and sentence[-1] == "." for sentence in listed.values())


def test_without_a_command_the_help_is_shown_as_it_is(a_newcomer):
    said = a_newcomer.cli()
    assert said.code == 2
    assert "\nLook:\n" in said.out + said.err
    assert "ralph-mem: Usage" not in said.err


@folded(("path", "command"), LEAVES, ids=[" ".join(path[1:]) for path, _ in LEAVES])
def test_a_command_is_explained_by_a_sentence_and_an_example(path, command):
    sentence, _, example = command.help.strip().rpartition("\n\n")
    assert re.match(r"[A-Z].+\.$", " ".join(sentence.split()))
    words = shlex.split(example.removeprefix("Example: "))
    assert tuple(words[: len(path)]) == path and "\n" not in example
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words if word.startswith("-")} <= known
    command.make_context(path[-1], words[len(path) :])  # it takes these words


@folded(("path", "command"), LEAVES, ids=[" ".join(path[1:]) for path, _ in LEAVES])
def test_help_fits_a_terminal_and_its_example_can_be_copied(path, command):
    lines = command.get_help(typer.Context(command, info_name=" ".join(path))).splitlines()
    assert max(map(len, lines)) <= 80
    assert command.help.strip().rpartition("\n")[2] in [line.strip() for line in lines]
    assert "[[" not in lines[0]


# Errors

MISUSED = {
    "a word that is no command": "nonsense",
    "an option that there is not": "search --nope thrown",
    "an option before the command": "--project . status",
    "no words": "search",
    "no id": "show",
    "a number below the least": "search thrown --limit -1",
    "a limit of nothing": "search thrown --limit 0",
    "no number": "search thrown --limit x",
    "a layer of its own": "search thrown --layer 4",
    "no receipt": "why --last 0",
    "an option without its value": "search thrown --since",
    "a value too many": "status here",
}
FAILING = {
    "no word in it": ("search (", "there is no word to search for"),
    "an unknown id to show": (f"show {ID}", f"no memory has the id {ID}"),
    "an unknown id to correct": (f"edit {ID} x", f"no memory has the id {ID}"),
    "an unknown id to forget": (f"forget {ID}", f"no memory has the id {ID}"),
    "an unknown id to explain": (f"why {ID}", f"no memory has the id {ID}"),
    "a day that does not exist": ("search thrown --since 2026-02-30", "2026-02-30 is no time"),
    "another day that does not exist": ("forget --until 2026-13-01", "2026-13-01 is no time"),
    "an unknown type to find": ("search thrown --type bogus", "there is no type bogus"),
    "an unknown type to forget": ("forget --type bogus", "there is no type bogus"),
    "nothing to forget": ("forget", "what should be forgotten?"),
    "a project that there is not": ("status --project /dev/null/gone", "no project is called"),
}


@pytest.mark.parametrize("words", MISUSED.values(), ids=MISUSED)
def test_a_wrong_call_is_told_in_a_line_with_the_help_to_read(words, capfd):
    said = Said(app._run(words.split()), *capfd.readouterr())
    assert said.code == 2
    assert len(complaint(said)) < 200
    assert re.search(r"\n  hint: see `ralph-mem( \w+)? --help`\n$", said.err), said


def test_what_can_be_mended_is_told_in_a_line(a_person):
    told = a_person.all_at_once([words for words, _ in FAILING.values()])
    for words, wanted in FAILING.values():
        assert told[words].code == 1, (words, told[words])
        assert wanted in complaint(told[words])


def test_where_nothing_is_remembered_that_is_told_in_a_line(a_newcomer):
    for words, said in a_newcomer.all_at_once(READING).items():
        assert said.code == 1, (words, said)
        assert f"nothing is remembered for {a_newcomer.project} yet" in complaint(said)
    assert not a_newcomer.memory.exists()


def test_a_backup_where_nothing_is_remembered_makes_no_memory(a_newcomer):
    assert "nothing is remembered" in a_newcomer.fails("backup")
    assert not a_newcomer.memory.exists()


def test_a_folder_without_a_memory_is_told_by_its_name(a_person, tmp_path):
    (tmp_path / "empty").mkdir()
    line = a_person.fails("search", "thrown", "--project", str(tmp_path / "empty"))
    assert f"nothing is remembered for {tmp_path}/empty yet" in line


BROKEN = {
    "is junk": (lambda person: person.database.write_bytes(b"junk" * 2000), "is not a database", OPENING),
    "is of a newer release": (newer, "this release knows", SOME),
    "has no tables": (without_tables, "is not used (not made by you here)", SOME),
    "is somebody else's": (of_somebody_else, "is not used (not made by you here)", SOME),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_memory_that_cannot_be_opened_is_told_in_a_line(a_person, how):
    broken, wanted, commands = BROKEN[how]
    broken(a_person)
    for words, said in a_person.all_at_once(commands).items():
        assert said.code == 1, (words, said)
        assert wanted in complaint(said)


@pytest.mark.check
@pytest.mark.parametrize("ignored", [True, False])
def test_a_memory_that_cannot_be_written_is_told_in_a_line(a_person, as_an_ordinary_owner, ignored):
    if not ignored:
        (a_person.memory / ".gitignore").unlink()
    as_an_ordinary_owner(a_person, a_person.memory)
    for words, said in a_person.all_at_once([words for words in SOME if words != "search thrown"]).items():
        assert said.code == 1, (words, said)
        assert "cannot write to" in complaint(said)


@pytest.mark.check
@pytest.mark.parametrize("shut", [".ralph-mem", ".ralph-mem/memory.db"])
def test_a_memory_that_permissions_close_to_writers_is_read_and_told_to_be_closed(a_person, as_an_ordinary_owner, shut):
    with a_person.connect() as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    closed = a_person.project / shut
    as_an_ordinary_owner(a_person, closed, 0o555)
    closed.chmod(0o555 if closed.is_dir() else 0o400)
    assert "rate limit" in a_person.reads("search", "rate limit")
    assert "rate limit" in a_person.reads("export") and a_person.reads("sessions")
    status, doctor = a_person.cli("status").out, a_person.cli("doctor").out
    assert f"trouble: cannot write in {closed}; " in status and "cannot be used" not in status
    assert f"{closed} cannot be written" in doctor
    assert not any(wrong in doctor for wrong in ("unreadable", "damaged", "cannot be used", "not in WAL mode"))


@pytest.mark.check
@pytest.mark.parametrize("log", [True, False])
def test_on_a_read_only_file_system_what_reads_reads_and_what_cannot_write_says_so(a_person, log):
    if not log:
        with a_person.connect() as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    a_person.wrap = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(a_person.project), str(a_person.project)]
    assert "rate limit" in a_person.reads("search", "rate limit")
    assert "rate limit" in a_person.reads("export") and a_person.reads("sessions")
    status, doctor = a_person.cli("status").out, a_person.cli("doctor").out
    assert f"trouble: cannot write in {a_person.memory}; " in status and "cannot be used" not in status
    assert "read-only: " in doctor
    assert not any(wrong in doctor for wrong in ("unreadable", "damaged", "cannot be used", "not in WAL mode"))
    assert f"cannot write to {a_person.memory}: Read-only file system" in a_person.fails("maintain")


@pytest.mark.check
def test_somebody_who_stays_in_the_memory_is_waited_for_and_not_for_ever(a_person, tmp_path):
    name, other = a_person.turn_that_says("thrown"), a_person.copied_to(tmp_path / "other")
    shown = other.confirming("forget", name)
    asked = [f"pin {name}", f"edit {name} x", "inject x", " ".join(shown), "search thrown"]
    with held(a_person), other.connect() as reader, ThreadPoolExecutor(1) as threads:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM turns").fetchall()
        forgotten = threads.submit(seconds, lambda: other.cli(*shown))
        told, took = seconds(lambda: a_person.all_at_once(asked))
        said, took_to_forget = forgotten.result()
    assert max(took, took_to_forget) < WAIT_S + ROOM_S
    assert told.pop("search thrown").code == 0
    assert all(each.code == 1 and "database is locked" in complaint(each) for each in told.values())
    # what is gone from the rows is still in the log that the reader needs
    assert said.code == 1 and "\nAnother process reads the database" in said.out


def test_a_crash_leaves_a_report_without_any_memory_in_it(a_person):
    broken = "from ralph_mem.maintenance import status\nstatus.of = lambda *_: {}['thrown out right after']\n"
    order = [sys.executable, "-c", broken + "from ralph_mem.interfaces.cli import app\napp.main()", "status"]
    run = subprocess.run(order, cwd=a_person.project, env=a_person.terminal(), capture_output=True, text=True)
    report = a_person.data / "crash.txt"
    assert run.returncode == 3
    assert "a bug: KeyError" in complaint(Said(3, run.stdout, run.stderr))
    assert f"stands in {report}" in run.stderr
    assert "thrown" not in report.read_text() and "setup.py" in report.read_text()
    assert report.stat().st_mode & 0o777 == 0o600


# Where it is called

PLACES = {
    "spaces": "my  project ",
    "quotes": 'it\'s "quoted" `here` $(touch made)',
    "a new line": "two\nlines",
    "no ASCII": "caf\u00e9 \u6642\u9593",
    "no UTF-8": b"caf\xe9 \xff",
    "signs of an address": "100%20%zz?mode=memory&x=#1",
    "a leading dash": "-rf",
}


@pytest.mark.check
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_project_may_lie_anywhere(lived_in, tmp_path, place):
    person = Person(tmp_path / "person", lived_in.plugin, place)
    person.types("mem-inject", "Zebras are striped.")
    assert "Zebras are striped." in person.reads("search", "zebras", "--project", person.project, cwd=tmp_path)
    assert list(person.project.iterdir()) == [person.memory]


def test_where_the_folder_is_gone_that_is_told_in_a_line(a_person):
    gone = a_person.folder / "gone"
    gone.mkdir()
    a_person.wrap = ["/bin/sh", "-c", 'rmdir "$PWD" && exec "$0" "$@"']
    assert a_person.fails("status", cwd=gone) == "ralph-mem: the current folder is gone"


def test_a_folder_inside_the_project_means_the_project(a_person):
    (a_person.project / ".git").mkdir()
    (a_person.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (a_person.project / "src").mkdir()
    assert a_person.reads("status", cwd=a_person.project / "src").startswith(f"{a_person.project}: recording")


def test_without_a_home_the_project_is_read_all_the_same(a_person):
    assert "thrown out" in a_person.reads("search", "thrown", HOME=None)


# What a terminal or a pipe does to it


@pytest.mark.check
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["status", "search thrown --layer 3 --limit 100", "--help"])
def test_a_pipe_that_is_closed_is_no_trouble(a_person, words, unbuffered):
    with a_person.start_cli(*words.split(), environment={"PYTHONUNBUFFERED": unbuffered}, **PIPES) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize("words", ["status", "search thrown --json"])
def test_a_disk_that_is_full_is_told_in_a_line(a_person, words):
    with open("/dev/full", "wb") as full, a_person.start_cli(*words.split(), **{**PIPES, "stdout": full}) as process:
        said = Said(process.wait(timeout=20), "", process.stderr.read().decode())
    assert said.code == 1
    assert "No space left on device" in complaint(said) and "a bug" not in said.err


@pytest.mark.check
@pytest.mark.parametrize(("closed", "words"), [("<&-", "inject -"), (">&-", "status"), ("2>&-", "status"), ("2>&-", "inject -")])
def test_a_closed_stream_is_no_crash(a_person, closed, words):
    a_person.wrap = ["/bin/sh", "-c", f'"$0" "$@" {closed}']
    assert a_person.cli(*words.split()).code == (1 if words == "inject -" else 0)
    assert not (a_person.data / "crash.txt").exists()


PLAIN = {"ASCII": {"PYTHONIOENCODING": "ascii"}, "C": {"LC_ALL": "C", "LANG": None}}


@pytest.mark.parametrize("environment", PLAIN.values(), ids=PLAIN)
def test_what_a_terminal_cannot_show_is_replaced(a_person, environment):
    said = a_person.cli("search", "--layer", "1", "proxy", **environment)
    assert (said.code, said.err) == (0, "")
    assert "It was the proxy this time" in said.out


@pytest.mark.parametrize("environment", PLAIN.values(), ids=PLAIN)
def test_a_program_gets_every_character_whatever_the_encoding(a_person, environment):
    with a_person.start_cli("search", "--layer", "3", "proxy", "--json", environment=environment, **PIPES) as process:
        out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, b"")
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    assert ANSWER in json.loads(out.decode(encoding))[0]["text"]


def test_words_and_a_folder_beyond_ascii_are_text_in_a_locale_of_ascii(a_person, tmp_path):
    project = tmp_path / "gr\u00f6\u00dfe"
    project.mkdir()
    said = a_person.cli("inject", "Gr\u00f6\u00dfe: \u65e5\u672c", cwd=project, LC_ALL="C", PYTHONUTF8="0")
    assert (said.code, said.err) == (0, "")
    assert "Gr\u00f6\u00dfe: \u65e5\u672c" in a_person.cli("search", "gr\u00f6\u00dfe", "--layer", "1", cwd=project).out


def test_a_pipe_gets_no_colours(a_person):
    for words, said in a_person.all_at_once(["search thrown", "why", "nonsense"]).items():
        assert "\x1b" not in said.out + said.err, words


@pytest.mark.check
@pytest.mark.parametrize("words", ["search thrown", "forget --query thrown --confirm"])
def test_a_terminal_gets_no_colours_where_none_are_wanted(a_person, words):
    assert not COLOUR.search(on_a_terminal(a_person, *words.split(), NO_COLOR="1", TERM="xterm-256color"))


def on_a_terminal(person, *arguments, **environment):
    """Run a command on a terminal and return what that is sent."""
    ours, theirs = pty.openpty()
    with person.start_cli(*arguments, stdin=theirs, stdout=theirs, stderr=theirs, environment=environment) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 65_536)
            except OSError:
                break
        process.wait(timeout=20)
    os.close(ours)
    return shown.decode()


def test_the_script_is_the_same_as_the_module(a_person):
    order = [os.path.join(os.path.dirname(sys.executable), "ralph-mem"), "status"]
    run = subprocess.run(order, cwd=a_person.project, env=a_person.terminal(), capture_output=True, text=True, check=True)
    assert run.stdout == a_person.reads("status")
    assert (REPOSITORY / "ralph_mem" / "interfaces" / "cli" / "__main__.py").exists()


def test_on_a_narrow_terminal_a_table_stands_as_lines(a_person):
    shown = on_a_terminal(a_person, "sessions", COLUMNS="40", NO_COLOR="1")
    assert "\nstate: " in shown.replace("\r", "") and "asked first: " in shown
