"""What holds, brought into the file of rules by a command."""

import pytest

from ralph_mem.memory.rows import facts

NPM, PNPM = "Install packages with npm 10 in every folder.", "Install packages with pnpm 9 in every folder."


@pytest.fixture
def a_file(a_person):
    file = a_person.project / "AGENTS.md"
    file.write_text(f"- {NPM}\n")
    a_person.reads("facts", "add", PNPM, "--kind", "rule")
    return file


def test_the_diff_is_printed_and_the_file_is_left_alone(a_person, a_file):
    said = a_person.reads("facts", "export")
    assert said.startswith("diff --git a/AGENTS.md b/AGENTS.md\n") and f"-- {NPM}\n+- {PNPM}\n" in said
    assert a_file.read_text() == f"- {NPM}\n"


def test_with_apply_it_is_written_and_the_fact_is_told_no_more(a_person, a_file):
    a_person.reads("facts", "export", "AGENTS.md", "--apply")
    assert a_file.read_text() == f"- {PNPM}\n"
    (fact,) = a_person.json("facts", "list", "--status", facts.EXPORTED)
    assert fact["text"] == PNPM
    assert "There is nothing" in a_person.reads("facts", "export", "AGENTS.md")


def test_what_was_brought_into_the_file_is_listed_among_what_holds(a_person, a_file):
    a_person.reads("facts", "export", "AGENTS.md", "--apply")
    assert [(each["text"], each["status"]) for each in a_person.json("facts", "list")] == [(PNPM, facts.EXPORTED)]


def test_a_program_reads_the_changes_and_the_diff(a_person, a_file):
    found = a_person.json("facts", "export")
    assert (found["file"], found["applied"], [each["verb"] for each in found["changes"]]) == ("AGENTS.md", False, ["UPDATE"])


def test_where_nothing_is_to_be_done_nothing_can_be_applied(a_person):
    a_person.reads("facts", "add", PNPM)
    said = a_person.cli("facts", "export", "--apply")
    assert said.code == 1 and "nothing to apply" in said.err


def test_another_file_than_one_of_rules_is_refused(a_person):
    a_person.reads("facts", "add", PNPM)
    assert a_person.cli("facts", "export", "README.md").code == 1
    assert a_person.cli("facts", "export", "../CLAUDE.md").code == 1
