"""A plan on the command line: shown and accepted with its tasks, worked through, looked at, gone back to, changed, drafted."""

import re

import pytest

from tests.interfaces.cli.test_ralph import Owner, has_started, program

PLAN = """\
- [ ] The state is mended
  check: grep -q mended state
- [ ] It is told
  check: grep -q told news
"""
AGENT = "if grep -q mended state; then echo told >news; else echo mended >state; fi"
DRAFTS = "printf -- '- [ ] The state is mended\\n  check: touch made\\n'"


@pytest.fixture
def an_owner(tmp_path):
    person = Owner(tmp_path / "person")
    (person.project / "state").write_text("broken\n")
    (person.project / "plan.md").write_text(PLAN)
    return person


def words(person, *options, agent=AGENT):
    """Return the options of a plan, with the digits that accept it."""
    given = ["--plan", "plan.md", "--agent", program(person.folder / "agent", agent), "--cooldown", "0", "--here", *options]
    shown = person.reads("ralph", "plan", *given)
    return [*given, "--accept", re.search(r"--accept ([0-9a-f]{12})", shown)[1]]


def test_a_plan_shows_each_task_with_what_it_runs_and_runs_nothing(an_owner):
    shown = an_owner.reads("ralph", "plan", "--plan", "plan.md")
    assert "  task 1: The state is mended\n    custom: grep -q mended state  (in " in shown
    assert "now: not run, since it is not accepted" in shown and not has_started(an_owner)
    given = words(an_owner)
    assert "now: task 1: grep -q mended state failed · plan.md 0 of 2 tasks done" in an_owner.reads("ralph", "plan", *given)


@pytest.mark.check
def test_a_plan_is_worked_through_looked_at_and_gone_back_to(an_owner):
    said = an_owner.cli("ralph", "start", "Mend it.", *words(an_owner))
    assert said.code == 0 and (an_owner.project / "plan.md").read_text() == PLAN.replace("[ ]", "[x]")
    status = an_owner.reads("ralph", "status")
    assert "plan plan.md: 2 of 2 tasks done\n  [x] 1. The state is mended\n  [x] 2. It is told\n" in status
    assert [task["state"] for task in an_owner.json("ralph", "status")["tasks"]] == ["done", "done"]
    assert "task 2 is done since iteration 2" in an_owner.reads("ralph", "bisect", "task 2")
    assert "there is no task 3" in an_owner.fails("ralph", "rollback", "--task", "3")
    assert "rollback --task 2 --confirm" in re.sub(r" loop-\w+", "", an_owner.reads("ralph", "rollback", "--task", "2"))
    assert "Back to the beginning of task 2: 1 restored, 1 deleted" in an_owner.reads(
        "ralph", "rollback", "--task", "2", "--confirm"
    )
    assert not (an_owner.project / "news").exists() and "1 of 2 tasks done" in an_owner.reads("ralph", "status")


@pytest.mark.check
def test_a_changed_plan_is_asked_for_and_gone_on_with(an_owner):
    assert an_owner.cli("ralph", "start", "Mend it.", *words(an_owner, "--max-iterations", "1")).code == 10
    (an_owner.project / "plan.md").write_text(PLAN.replace("grep -q told", "grep -qx told"))
    more = ["--plan", "plan.md", "--max-iterations", "3"]
    digits = re.search(r"add --accept ([0-9a-f]{12})", an_owner.cli("ralph", "resume", *more).err)[1]
    assert an_owner.cli("ralph", "resume", *more, "--accept", digits).code == 0
    assert [task["checks"] for task in an_owner.json("ralph", "status")["tasks"]][1] == ["grep -qx told news"]


def test_a_draft_is_written_and_not_run(an_owner):
    given = ["--agent", program(an_owner.folder / "agent", DRAFTS), "--from", "Mend the state."]
    digits = re.search(r"add --accept ([0-9a-f]{12})", an_owner.cli("ralph", "plan", *given, "--plan", "new.md").err)[1]
    said = an_owner.reads("ralph", "plan", *given, "--plan", "new.md", "--accept", digits)
    assert "new.md holds a draft of 1 task" in said and (an_owner.project / "new.md").read_text().startswith("- [ ] The state")
    assert not (an_owner.project / "made").exists() and not has_started(an_owner)
    assert "plan.md is there already" in an_owner.fails("ralph", "plan", *given)
