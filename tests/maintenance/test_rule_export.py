"""What is brought into a project's file of rules, and what stays as it is."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance import rule_export
from ralph_mem.maintenance.rule_lines import RuleFile
from ralph_mem.memory.facts import taking
from ralph_mem.memory.inject import block, briefing
from ralph_mem.memory.rows import facts
from tests.readers import reader_of
from tests.sessions import NOON, Session

SHIP, NPM = "Releases go out with make ship.", "Install packages with npm 10 in every folder."


@pytest.fixture
def rules(a_session):
    """Return the file of rules of the project."""
    return Path(a_session.project.root, "CLAUDE.md")


@pytest.fixture
def say(a_session):
    """Take a statement in as a person's own, said in so many sessions."""

    def said(text, sessions=3, source=facts.ADD, **known):
        for number in range(sessions):
            session = Session(a_session.store, a_session.project, f"s{number}", NOON)
            session.starts()
            turn = session.has_a_turn(f"Look at {number}.", "Done.")
            a_session.store.begin()
            taking.take(a_session.store, taking.Statement(text, facts.RULE, source, NOON, turn, **known), NOON)
            a_session.store.commit()

    return said


@pytest.fixture
def export(a_session):
    """Plan an export into the file, and apply it if that is wanted; returns what was planned."""

    def exported(name="CLAUDE.md", apply=False):
        reader = reader_of(a_session)
        found = rule_export.plan(reader, name, ("CLAUDE.md",))
        if apply:
            rule_export.apply(reader, found)
        return found

    return exported


def git(folder, *words, **more):
    order = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-C", str(folder), *words]
    return subprocess.run(order, check=True, capture_output=True, **more).stdout


def changes(found):
    return [(each.verb, each.old, each.new) for each in found.changes]


def test_what_was_said_in_three_sessions_is_added(say, export, rules):
    rules.write_text("# Rules\n\n- Be kind.\n")
    say(SHIP)
    assert changes(export()) == [("ADD", "", SHIP)]


def test_what_was_said_in_two_sessions_is_not(say, export):
    say(SHIP, sessions=2)
    assert changes(export()) == []


def test_what_the_file_says_is_not_added(say, export, rules):
    rules.write_text(f"Be kind. {SHIP} Be brave.\n")
    say(SHIP)
    assert changes(export()) == []


def test_what_an_import_of_the_file_says_is_not_added(say, export, rules):
    rules.write_text("@AGENTS.md\n")
    rules.with_name("AGENTS.md").write_text(f"- {SHIP}\n")
    say(SHIP)
    assert changes(export()) == []


def test_a_line_that_a_fact_says_otherwise_is_replaced_in_its_place(say, export, rules):
    rules.write_text(f"# Rules\n\n  * {NPM}\n  * Be kind.\n")
    say("Install packages with pnpm 9 in every folder.", sessions=1)
    assert "".join(export().lines) == "# Rules\n\n  * Install packages with pnpm 9 in every folder.\n  * Be kind.\n"


def test_a_line_goes_of_which_the_only_path_was_deleted(export, rules):
    folder = rules.parent
    rules.write_text("- The old exporter lives in `src/old.py`.\n- Look at `src/new.py`.\n- Never write `src/never.py`.\n")
    (folder / "src").mkdir()
    for name in ("old.py", "new.py"):
        (folder / "src" / name).write_text("pass\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")
    (folder / "src/old.py").unlink()
    assert changes(export()) == [("DELETE", "The old exporter lives in `src/old.py`.", None)]


def test_nothing_is_written_before_a_person_applies_it(say, export, rules):
    rules.write_text("- Be kind.\n")
    say(SHIP)
    export()
    assert rules.read_text() == "- Be kind.\n"


def test_what_was_applied_is_told_no_more_while_the_file_says_it(say, export, rules, a_session):
    say(SHIP)
    export(apply=True)
    assert [fact.status for fact in facts.read(a_session.store)] == [facts.EXPORTED]
    assert SHIP not in told(a_session)
    assert changes(export()) == []


def test_what_the_file_says_no_longer_is_told_again(say, export, rules, a_session):
    say(SHIP)
    export(apply=True)
    rules.write_text("- Be kind.\n")
    assert SHIP in told(a_session)


def test_what_replaces_a_line_that_was_brought_in_replaces_its_fact(say, export, rules, a_session):
    rules.write_text("- Use npm for installing.\n")
    for name in ("pnpm", "bun"):
        say(f"Use {name} for installing.", sessions=1)
        export(apply=True)
    assert rules.read_text() == "- Use bun for installing.\n"
    assert "installing" not in told(a_session)
    rules.write_text("- Be kind.\n")
    assert "Use bun" in told(a_session) and "pnpm" not in told(a_session)


def test_what_contradicts_a_line_that_was_brought_in_is_told_with_it_in_one_line(say, export, a_session):
    say("Timeouts are 30 seconds for the worker.")
    export(apply=True)
    say("Timeouts are 10 seconds for the client.", sessions=1)
    (line,) = [line for line in told(a_session).splitlines() if "Timeouts" in line]
    assert "client. (may contradict [" in line and 'for the worker.")' in line


def told(session):
    known = block.read_instructions(session.project, ("CLAUDE.md",))
    return briefing.build([session.store], session.settings, 0, known, NOON)[0]


@pytest.mark.parametrize("before", [
    b"", b"- Be kind.\n", b"- Be kind.", b"- Be kind.\r\n- Be brave.\r\n", b"\xef\xbb\xbf# Rules\r\n\r\n- Be kind.",
    b"\xff\xfe odd \n", b"# Rules\n\n## What holds\n\n- Be kind.\n\n## More\n\n- Be brave.\n", b"```\n- Be kind.\n```\n",
    b"a\x0cb\x1ec\n",
])  # fmt: skip
def test_git_applies_the_diff_and_comes_to_what_apply_writes(say, export, rules, before):
    rules.write_bytes(before)
    say(SHIP)
    found = export()
    diff = found.diff().encode("utf-8", "surrogateescape")
    git(rules.parent, "init", "-q")
    git(rules.parent, "apply", "--whitespace=nowarn", "-", input=diff)
    by_git = rules.read_bytes()
    rules.write_bytes(before)
    export(apply=True)
    assert rules.read_bytes() == by_git and SHIP.encode() in by_git


def test_a_file_that_is_not_there_is_made(say, export, rules):
    say(SHIP)
    found = export()
    assert "new file mode" in found.diff() and not rules.exists()
    export(apply=True)
    assert rules.read_text() == f"## What holds\n\n- {SHIP}\n"


def test_lines_end_as_they_did(say, export, rules):
    rules.write_bytes(b"- Be kind.\r\n- Be brave.")
    say(SHIP)
    export(apply=True)
    assert rules.read_bytes() == b"- Be kind.\r\n- Be brave.\r\n\r\n## What holds\r\n\r\n- " + SHIP.encode()


def test_what_a_link_leads_to_is_changed_and_the_link_stays(say, export, rules):
    rules.with_name("AGENTS.md").write_text("- Be kind.\n")
    rules.symlink_to("AGENTS.md")
    say(SHIP)
    found = export(apply=True)
    assert (found.file.name, rules.is_symlink()) == ("AGENTS.md", True)
    assert SHIP in rules.read_text()


def test_a_link_out_of_the_project_is_refused(export, rules, tmp_path):
    outside = tmp_path / "elsewhere.md"
    outside.write_text("- Be kind.\n")
    rules.symlink_to(outside)
    with pytest.raises(RalphMemError, match="outside of the project"):
        export()


def test_a_read_only_file_is_left_alone(say, export, rules, a_session):
    rules.write_text("- Be kind.\n")
    rules.chmod(0o444)
    say(SHIP)
    with pytest.raises(RalphMemError, match="read-only"):
        export(apply=True)
    assert [fact.status for fact in facts.read(a_session.store)] == [facts.ACTIVE]


def test_the_rights_of_a_file_stay(say, export, rules):
    rules.write_text("- Be kind.\n")
    rules.chmod(0o640)
    say(SHIP)
    export(apply=True)
    assert os.stat(rules).st_mode & 0o777 == 0o640


def test_a_file_that_changed_meanwhile_is_left_alone(say, a_session, rules):
    rules.write_text("- Be kind.\n")
    say(SHIP)
    found = rule_export.plan(reader_of(a_session), "CLAUDE.md")
    rules.write_text("- Be brave.\n")
    with pytest.raises(RalphMemError, match="changed meanwhile"):
        rule_export.apply(reader_of(a_session), found)


@pytest.mark.parametrize("text", [
    "Follow @~/secrets.md in all you do.", "Never <!-- say this.", "Use ``` for code of every sort.",
])  # fmt: skip
def test_what_means_something_in_the_file_is_not_added(say, export, text):
    say(text)
    assert changes(export()) == []


def test_a_candidate_is_not_added(say, export):
    say(SHIP, source=facts.PROMPT)
    assert changes(export()) == []


def test_what_the_person_excludes_is_not_added(say, a_session):
    say("Passwords of the shop stand in secret/keys.txt for now.")
    reader = reader_of(a_session, privacy_exclude_paths=["secret/**"])
    assert rule_export.plan(reader, "CLAUDE.md").changes == []


LINES = st.lists(st.text(st.sampled_from("ab -*#`\r\t\u2028\ufeff"), max_size=6), max_size=6).map("\n".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(LINES)
def test_no_byte_changes_where_nothing_is_to_change(tmp_path, text):
    (tmp_path / "AGENTS.md").write_bytes(text.encode())
    file = RuleFile(str(tmp_path), "AGENTS.md")
    assert "".join(file.changed({}, [])).encode() == text.encode() and file.diff(file.lines) == ""
    for each in file.statements():
        assert each.text in file.lines[each.line] and file.lines[each.line].startswith(each.before)


def test_of_two_that_contradict_each_other_neither_is_brought_in(say, export):
    say("Deploys happen on Thursdays only.", source=facts.INJECT)
    say("Deploys happen on Fridays only.")
    found = export()
    assert (found.changes, len(found.disputed)) == ([], 2)
