"""A draft of a plan: the agent writes it, nobody runs it."""

import shlex

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph.tasks import drafting

ANSWER = """\
Here it is:

```markdown
# Carts
- [ ] Add the totals
  check: sh -c "touch made"
```
I hope this helps.
"""


def says(loops, *answers):
    """Return the wish for a draft, of an agent that gives these answers in turn."""
    for number, answer in enumerate(answers, 1):
        (loops.bench / f"answer-{number}").write_text(answer)
    return loops.wish(*[f"cat {shlex.quote(str(loops.bench))}/answer-{number}" for number in range(1, len(answers) + 1)])


def test_a_draft_is_written_into_a_new_file_and_nothing_of_it_is_run(loops):
    plan = drafting.draft(loops.project, says(loops, ANSWER))
    assert [task.title for task in plan.tasks] == ["Add the totals"]
    assert loops.text("plan.md") == '# Carts\n- [ ] Add the totals\n  check: sh -c "touch made"\n'
    assert not (loops.top / "made").exists()


def test_a_draft_that_cannot_be_read_goes_back_once_with_the_reason(loops):
    drafting.draft(loops.project, says(loops, ANSWER.replace("check:", "chek:"), ANSWER))
    assert "line 3: there is no word `chek:`" in loops.prompts()[1] and (loops.top / "plan.md").exists()


def test_an_agent_that_gives_no_plan_leaves_no_file(loops):
    with pytest.raises(LoopError, match="no plan that can be used"):
        drafting.draft(loops.project, says(loops, "I would rather not."))
    assert len(loops.prompts()) == 2 and not (loops.top / "plan.md").exists()


def test_an_agent_that_fails_leaves_no_file(loops):
    with pytest.raises(LoopError, match="the agent gave no plan: the agent ended with exit code 3"):
        drafting.draft(loops.project, loops.wish("exit 3"))
    assert sorted(path.name for path in loops.top.iterdir()) == ["check.sh", "one.txt", "three.txt", "two.txt"]


def test_a_file_that_is_there_stays_as_it_is_and_no_agent_is_asked(loops):
    loops.write("plan.md", "mine\n")
    with pytest.raises(LoopError, match=r"plan\.md is there already"):
        drafting.draft(loops.project, says(loops, ANSWER))
    assert loops.text("plan.md") == "mine\n" and loops.prompts() == []
