"""`ralph-mem learn`: what was found is shown, a rehearsal writes nothing, and one key of a person decides."""

import contextlib
import hashlib
import os
import pty
import select
import subprocess
import time

import pytest

DEADLINE_S = 30
TAUGHT = ("Always run `make check` before you push.", "Never edit `dist/` by hand.", "We decided to stay with REST.")
STATUS = "SELECT o.title, f.status FROM facts AS f JOIN observations AS o ON o.id = f.id ORDER BY o.title"


@pytest.fixture
def a_teacher(a_person):
    """Somebody who said three things in passing."""
    for said in TAUGHT:
        a_person.prompt(said)
        a_person.stop()
    return a_person


def statuses(person):
    return dict(person.rows(STATUS))


def digest(person):
    """Return a digest of the database alone: reading it may make a log beside it."""
    return hashlib.sha256(person.database.read_bytes()).hexdigest()


def answers(person, lines, *more):
    return person.reads("learn", "--review", *more, stdin=lines.encode())


@pytest.mark.check
def test_it_prints_the_verb_the_target_the_score_and_the_sentence(a_teacher):
    head, *rows = a_teacher.reads("learn").splitlines()
    assert head.split() == ["verb", "target", "score", "sentence"]
    assert [row.split(None, 2)[0] for row in rows] == ["ADD"] * 3
    assert all(row.endswith(said) for row, said in zip(rows, TAUGHT, strict=True))
    assert "No prompt" in a_teacher.reads("learn")


def test_a_program_reads_it_as_a_list(a_teacher):
    found = a_teacher.json("learn")
    assert [(each["verb"], each["sentence"], each["kind"]) for each in found] == [
        ("ADD", TAUGHT[0], "rule"), ("ADD", TAUGHT[1], "rule"), ("ADD", TAUGHT[2], "decision"),
    ]  # fmt: skip
    assert all(each["turn"].startswith("turn-") and each["fact"].startswith("obs-") for each in found)


@pytest.mark.check
@pytest.mark.parametrize("option", ["--dry-run", "--no-learn"])
def test_a_rehearsal_finds_the_same_and_changes_no_byte(a_teacher, option):
    before = digest(a_teacher)
    found = a_teacher.json("learn", option)
    assert digest(a_teacher) == before
    assert [each["sentence"] for each in found] == list(TAUGHT) == [each["sentence"] for each in a_teacher.json("learn")]


def test_switched_off_nothing_is_looked_at_and_no_byte_changes(a_teacher):
    before = digest(a_teacher)
    line = a_teacher.fails("learn", RALPH_MEM_MEMORY_LEARN="off")
    assert "learning is switched off here" in line and digest(a_teacher) == before


def test_without_a_memory_it_says_so(a_newcomer):
    for words in (["learn"], ["learn", "--dry-run"], ["learn", "--review"]):
        assert "nothing is remembered" in a_newcomer.fails(*words)
    assert not a_newcomer.database.exists()


def test_one_key_each_decides_and_what_is_left_waits(a_teacher):
    a_teacher.reads("learn")
    text = answers(a_teacher, "y\nn\nl\n")
    assert [line for line in text.splitlines() if " of 3" in line] == ["1 of 3", "2 of 3", "3 of 3"]
    assert statuses(a_teacher) == {TAUGHT[0]: "candidate", TAUGHT[1]: "rejected", TAUGHT[2]: "active"}


@pytest.mark.check
@pytest.mark.parametrize("lines", ["", "y", "q\ny\n", "x\nx\nx\n", "\n\n\n"])
def test_half_a_line_any_other_key_and_the_end_change_nothing(a_teacher, lines):
    a_teacher.reads("learn")
    answers(a_teacher, lines)
    assert set(statuses(a_teacher).values()) == {"candidate"}


@pytest.mark.check
def test_it_says_what_a_yes_would_replace_and_replaces_that(a_teacher):
    a_teacher.reads("facts", "add", "Install packages with npm 10 in every folder.")
    a_teacher.prompt("Always install packages with pnpm 9 in every folder.")
    a_teacher.stop()
    a_teacher.reads("learn")
    text = answers(a_teacher, "y\n")
    assert 'replaces "Install packages with npm 10 in every folder."' in text
    assert statuses(a_teacher)["Install packages with npm 10 in every folder."] == "superseded"


def test_what_is_edited_holds_in_the_persons_words(a_teacher, tmp_path):
    a_teacher.reads("learn")
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\necho "We stay with REST until 2027." > "$1"\n')
    script.chmod(0o700)
    a_teacher.reads("learn", "--review", stdin=b"e\nq\n", EDITOR=str(script))
    assert statuses(a_teacher)["We stay with REST until 2027."] == "active"


@pytest.mark.check
def test_an_editor_that_fails_leaves_a_candidate_to_another_key(a_teacher):
    a_teacher.reads("learn")
    said = a_teacher.cli("learn", "--review", stdin=b"e\n", EDITOR="false")
    assert said.code == 1 and "hint: set EDITOR, or answer with another key; it waits" in said.err
    assert set(statuses(a_teacher).values()) == {"candidate"}


@pytest.mark.check
def test_of_two_reviews_at_once_the_second_hears_what_the_first_decided(a_teacher):
    a_teacher.reads("learn")
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with a_teacher.start_cli("learn", "--review", **pipe) as late:
        while b"uit? " not in late.stdout.peek() and late.stdout.readline():
            pass
        answers(a_teacher, "y\n")
        told = late.communicate(b"n\nq\n", timeout=DEADLINE_S)[0].decode()
    assert "it was decided meanwhile and is active, nothing was done" in told and "not proposed again" not in told
    assert sorted(statuses(a_teacher).values()) == ["active", "candidate", "candidate"]


def test_a_program_reads_what_waits(a_teacher):
    a_teacher.reads("learn")
    found = a_teacher.json("learn", "--review")
    assert sorted(each["text"] for each in found) == sorted(TAUGHT) and {each["does"] for each in found} == {""}


@pytest.mark.parametrize("shell", [{"CLAUDE_CODE_SESSION_ID": "x"}, {"CODEX_THREAD_ID": "x"}])
def test_an_agent_decides_nothing(a_teacher, shell):
    a_teacher.reads("learn")
    line = a_teacher.fails("learn", "--review", stdin=b"y\n", **shell)
    assert "only a person can say what holds" in line
    assert set(statuses(a_teacher).values()) == {"candidate"}


@pytest.mark.check
def test_at_a_terminal_one_key_is_enough(a_teacher):
    a_teacher.reads("learn")
    ours, theirs = pty.openpty()
    process = a_teacher.start_cli("learn", "--review", stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    read, end = b"", time.monotonic() + DEADLINE_S
    while process.poll() is None and time.monotonic() < end:
        if select.select([ours], [], [], 0.3)[0]:
            with contextlib.suppress(OSError):  # it has gone
                read += os.read(ours, 4096)
        elif b"uit? " in read:  # what is typed before the terminal hands over single keys is lost
            os.write(ours, b"q" if b"2 of 3" in read else b"y")
    process.kill()
    os.close(ours)
    assert process.wait() == 0, read
    assert sorted(statuses(a_teacher).values()) == ["active", "candidate", "candidate"]
