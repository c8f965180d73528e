"""export and import-archive as a person types them."""

import json
import os
import sqlite3
import stat
from contextlib import closing

import pytest

from tests.interfaces.cli.situations import STRANGERS, Person, held

RATE_LIMIT = "Raise the rate limit of the export endpoint"


@pytest.fixture
def an_export(a_person):
    """Export what a person remembers; returns the file."""
    a_person.reads("export", "--to", "shop.jsonl")
    return a_person.project / "shop.jsonl"


@pytest.fixture
def elsewhere(a_person, tmp_path):
    """Return somebody else, with a home and a project of their own and no memory."""
    return Person(tmp_path / "elsewhere", a_person.plugin)


@pytest.fixture
def another_machine(a_person, tmp_path):
    """Return the same person on a machine where they have no memory yet."""
    return Person(tmp_path / "machine", a_person.plugin)


def lines(path):
    return path.read_bytes().splitlines()[1:-1]


def test_an_export_is_one_file_for_its_owner_that_is_listed(a_person):
    before = a_person.rows("SELECT * FROM turns")
    said = a_person.reads("export", "--to", "shop.jsonl")
    path = a_person.project / "shop.jsonl"
    assert said.startswith("exported: 2 sessions, ") and said.endswith("  shop.jsonl\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and RATE_LIMIT in path.read_text()
    (listed,) = (a_person.data / "exports.jsonl").read_text().splitlines()
    assert json.loads(listed)["path"] == str(path)
    assert a_person.rows("SELECT * FROM turns") == before


def test_it_does_not_write_over_a_file_unless_told_to(a_person, an_export):
    before = an_export.read_bytes()
    assert "is there already" in a_person.fails("export", "--to", "shop.jsonl")
    assert an_export.read_bytes() == before
    a_person.reads("export", "--to", "shop.jsonl", "--force")
    assert lines(an_export) == before.splitlines()[1:-1]


@pytest.mark.check
def test_without_a_file_it_is_printed_and_a_file_behind_the_shell_is_listed(a_person, an_export):
    assert a_person.reads("export").encode().splitlines()[1:-1] == lines(an_export)
    path = a_person.project / "by-the-shell.jsonl"
    with path.open("wb") as opened, a_person.start_cli("export", stdout=opened) as process:
        assert process.wait() == 0
    assert lines(path) == lines(an_export)
    assert str(path) in (a_person.data / "exports.jsonl").read_text()


def test_what_waits_to_be_stored_is_exported_too(a_person):
    with held(a_person):
        a_person.bash("make quetzalcoatlus", "ok")
    assert len(a_person.spooled()) == 1
    assert "quetzalcoatlus" in a_person.reads("export")


def test_filters_all_have_to_fit(a_person):
    text = a_person.reads("export", "--type", "error", "--since", "1h", "--origin", "test")
    rows = [json.loads(line) for line in text.splitlines()[1:-1]]
    assert {row.get("type") for row in rows if row["row"] != "session"} == {"error"}
    assert a_person.json("export", "--until", "2020-01-31", "--to", "none.jsonl")["turn"] == 0


@pytest.mark.check
def test_what_is_wrong_with_a_call_is_said_in_a_line(a_person, elsewhere):
    assert "there is no type" in a_person.fails("export", "--type", "god")
    assert "there is no origin" in a_person.fails("export", "--origin", "god")
    assert "there is no format" in a_person.fails("export", "--format", "xml")
    assert "is not printed" in a_person.fails("export", "--encrypt")
    assert "--to names no file" in a_person.fails("export", "--to", "")
    assert "two memories" in a_person.fails("export", "--global", "--project", ".")
    assert "nothing is remembered for" in a_person.fails("export", "--global")
    assert "nothing is remembered for" in elsewhere.fails("export") and not elsewhere.memory.exists()


def test_the_memory_of_all_projects_is_exported_by_itself(a_person):
    a_person.reads("inject", "--global", "Sticklebacks swim upstream.")
    text = a_person.reads("export", "--global")
    assert "Sticklebacks" in text and RATE_LIMIT not in text and "Sticklebacks" not in a_person.reads("export")


def test_markdown_is_for_reading_and_withholds_pages(a_person):
    text = a_person.reads("export", "--format", "markdown")
    assert text.startswith("# What is remembered of ") and RATE_LIMIT in text and STRANGERS not in text
    assert STRANGERS in a_person.reads("export", "--format", "markdown", "--outside")


def test_a_database_for_other_tools_is_written_and_never_printed(a_person):
    assert "a database is not printed" in a_person.fails("export", "--format", "sqlite")
    a_person.reads("export", "--format", "sqlite", "--to", "shop.db")
    with closing(sqlite3.connect(a_person.project / "shop.db")) as db:
        held = db.execute("SELECT count(*) FROM turns WHERE prompt LIKE ?", (f"%{RATE_LIMIT}%",)).fetchone()
    assert held == (1,) and str(a_person.project / "shop.db") in (a_person.data / "exports.jsonl").read_text()
    assert RATE_LIMIT in a_person.reads("export", "--format", "csv")


@pytest.mark.check
def test_a_memory_is_asked_in_sql_as_it_lies_there(a_person):
    before = a_person.raw()
    asked = ("sql", "SELECT prompt, tainted FROM turns WHERE prompt LIKE '%export%'")
    assert [row["tainted"] for row in a_person.json(*asked)] == [0]
    assert a_person.reads(*asked, "--csv").splitlines()[0] == "prompt,tainted" and RATE_LIMIT in a_person.reads(*asked)
    assert "the statement was refused" in a_person.fails("sql", "DELETE FROM turns")
    assert a_person.raw() == before


# The way back


def test_an_archive_is_shown_first_and_comes_in_when_confirmed(a_person, an_export):
    for path in a_person.memory.glob("memory.db*"):
        path.unlink()
    shown = a_person.reads("import-archive", "shop.jsonl")
    assert shown.startswith("would come in: 2 sessions, ") and shown.endswith("To take this in, add --confirm.\n")
    assert not a_person.database.exists()
    assert (
        a_person.reads("import-archive", "shop.jsonl", "--confirm")
        == shown.splitlines()[0].replace("would come in", "imported") + "\n"
    )
    a_person.reads("export", "--to", "again.jsonl")
    assert lines(a_person.project / "again.jsonl") == lines(an_export)
    assert a_person.damage() == []


def test_a_second_time_changes_nothing(a_person, an_export):
    before = a_person.rows("SELECT * FROM observations")
    facts = a_person.json("import-archive", "shop.jsonl", "--confirm")
    assert (facts["session"], facts["turn"], facts["observation"]) == (0, 0, 0) and facts["known"] > 5 and facts["ours"]
    assert a_person.rows("SELECT * FROM observations") == before


def test_a_strangers_archive_is_told_to_no_model_unless_the_person_says_it_is_their_own(an_export, elsewhere, another_machine):
    said = elsewhere.reads("import-archive", str(an_export), "--confirm")
    assert "Another home wrote this file" in said and "--mine" in said
    assert elsewhere.start() == {} and RATE_LIMIT in elsewhere.reads("search", "rate limit export", "--outside")
    assert RATE_LIMIT not in elsewhere.reads("search", "rate limit export")
    assert "your own" in another_machine.reads("import-archive", str(an_export), "--mine", "--confirm")
    assert RATE_LIMIT in another_machine.start()["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    ("harm", "complaint"),
    [
        (lambda data: data[:-40], "is damaged"),
        (lambda data: data.replace(b"rate limit", b"rate-limit", 1), "is damaged"),
        (lambda data: data.replace(b'"format":1', b'"format":2', 1), "newer release"),
        (lambda data: b"PK\x03\x04" + data, "no export of ralph-mem"),
        (lambda data: b"", "no export of ralph-mem"),
    ],
)
def test_a_bad_file_is_refused_in_a_line_and_nothing_is_lost(a_person, an_export, harm, complaint):
    an_export.write_bytes(harm(an_export.read_bytes()))
    before = a_person.raw()
    assert complaint in a_person.fails("import-archive", "shop.jsonl", "--confirm")
    assert a_person.raw() == before


@pytest.mark.parametrize(("form", "name"), [("csv", "shop.csv"), ("sqlite", "shop.db"), ("markdown", "shop.md")])
def test_an_export_for_other_tools_is_refused_as_one_of_ours(a_person, form, name):
    a_person.reads("export", "--format", form, "--to", name)
    said = a_person.cli("import-archive", name).err
    assert "an export of ralph-mem for other tools" in said and "`ralph-mem export --format jsonl`" in said


@pytest.mark.parametrize("name", ["missing.jsonl", "folder", "pipe"])
def test_what_is_no_file_is_refused(a_person, name):
    (a_person.project / "folder").mkdir()
    os.mkfifo(a_person.project / "pipe")
    a_person.fails("import-archive", name)


def test_nothing_is_taken_in_while_recording_is_off(a_person, an_export):
    a_person.reads("pause")
    assert "recording is switched off" in a_person.fails("import-archive", "shop.jsonl", "--confirm")


@pytest.mark.check
def test_what_was_forgotten_does_not_come_back(a_person, an_export):
    a_person.confirms("forget", a_person.turn_that_says(RATE_LIMIT))
    facts = a_person.json("import-archive", "shop.jsonl", "--confirm")
    assert facts["forgotten"] >= 1 and facts["turn"] == 0
    assert a_person.values("SELECT count(*) FROM turns WHERE instr(prompt, ?)", RATE_LIMIT) == [0]


def test_encryption_without_the_extra_says_how_to_get_it(a_person):
    hidden = a_person.folder / "hidden"
    hidden.mkdir()
    (hidden / "pyrage.py").write_text("raise ImportError('not here')\n")
    (a_person.folder / "words").write_text("correct horse battery\n")
    path = f"{hidden}:{a_person.terminal()['PYTHONPATH']}"
    order = ["export", "--encrypt", "--to", "a.age", "--passphrase-file", str(a_person.folder / "words")]
    said = a_person.cli(*order, PYTHONPATH=path)
    assert (
        said.code == 1
        and said.err.startswith("ralph-mem: what is encrypted needs pyrage\n  hint: ")
        and said.err.endswith("[encryption]'\n")
    )
    assert not (a_person.project / "a.age").exists()


@pytest.mark.parametrize(("given", "why"), [("words", "the passphrase is shorter"), ("", "nobody to ask")])
def test_who_gives_a_passphrase_gets_no_file_that_is_open(a_person, given, why):
    (a_person.project / "words").write_text("horse\n")
    assert why in a_person.fails("export", "--to", "a.age", "--passphrase-file", given)
    assert not (a_person.project / "a.age").exists()


def test_without_a_terminal_nobody_can_be_asked_for_a_passphrase(a_person):
    assert "nobody to ask" in a_person.fails("export", "--encrypt", "--to", "a.age")


@pytest.mark.nightly  # each use of a passphrase takes seconds, on purpose
def test_an_encrypted_export_opens_with_its_passphrase_alone(a_person):
    pytest.importorskip("pyrage", reason="the extra `encryption` is not installed: pip install pyrage")
    words = a_person.folder / "words"
    words.write_text("correct horse battery\n")
    a_person.reads("export", "--encrypt", "--to", "a.age", "--passphrase-file", str(words))
    assert RATE_LIMIT.encode() not in (a_person.project / "a.age").read_bytes()
    assert a_person.json("import-archive", "a.age", "--passphrase-file", str(words))["ours"]
    words.write_text("correct horse batter\n")
    assert "does not open" in a_person.fails("import-archive", "a.age", "--passphrase-file", str(words))
