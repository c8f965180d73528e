"""A loop with a plan: a task is done when its checks pass by our run, and by nothing else."""

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import headless, prospects, record, runs, stopping
from ralph_mem.ralph.tasks import amending, standing_of
from tests.ralph.loops import STEPS, Loops

PLAN = """\
# What is to be done

- [ ] The first is right
  check: grep -q right one.txt
- [ ] The second is right
  check: grep -q right two.txt
- [ ] The third is right
  check: grep -q right three.txt
"""
TICKED = PLAN.replace("[ ]", "[x]")
TICKS_ALL = "sed -i 's/\\[ \\]/[x]/' plan.md"


@pytest.fixture
def loops(tmp_path):
    loops = Loops(tmp_path)
    loops.write("plan.md", PLAN)
    return loops


def replayed(loops):
    return stopping.replay(record.read(runs.path_of(loops.project, loops.latest().id)))


def done(run):
    now = standing_of(run).done
    return [told["number"] for told in run.plan if told["key"] in now]


@pytest.mark.check
def test_each_task_is_ticked_by_us_when_its_checks_pass_and_all_of_them_are_a_success(loops):
    run = loops.start(*STEPS, plan="plan.md")
    assert (run.status, len(run.iterations), done(run)) == ("success", 3, [1, 2, 3])
    assert loops.text("plan.md") == TICKED
    assert replayed(loops) == []


def test_ticking_all_boxes_is_no_success_and_is_said(loops):
    run = loops.start(TICKS_ALL, plan="plan.md", criteria=())
    assert (run.status, run.reason, done(run)) == ("failed", "no_progress", [])
    assert loops.text("plan.md") == PLAN
    assert "ticked in plan.md by somebody else, which counts for nothing: task 1, 2, 3" in run.iterations[0].tampered


@pytest.mark.check
def test_a_task_that_broke_an_earlier_one_is_not_done_until_both_hold(loops):
    breaks = "echo right >two.txt; echo wrong >one.txt"
    run = loops.start(STEPS[0], breaks, STEPS[0], STEPS[2], plan="plan.md", criteria=())
    assert run.status == "success"
    assert [each.tasks.get("now") for each in run.iterations] == [1, 2, 1, 3]
    first = run.plan[0]["key"]
    assert run.iterations[1].tasks["reopened"] == [first] and "done" not in run.iterations[1].tasks
    assert "Task 1 of 3, the one to work at now: The first is right" in loops.prompts()[2]
    assert replayed(loops) == []


@pytest.mark.check
def test_what_breaks_in_the_criteria_of_the_loop_keeps_a_task_from_being_done(loops):
    loops.write("one.txt", "right")
    loops.write("plan.md", "- [ ] Two\n  check: grep -q right two.txt\n")
    run = loops.start("echo right >two.txt; echo wrong >one.txt", STEPS[0], STEPS[2], plan="plan.md")
    assert [each.tasks.get("done", []) != [] for each in run.iterations] == [False, True, False]
    assert "none counts as done while what passed before fails: ./check.sh :: one" in run.iterations[0].verdicts[-1].why
    assert run.status == "success"


@pytest.mark.check
def test_tasks_are_worked_at_in_the_order_of_what_they_come_after(loops):
    names = (("three", "after: 3"), ("one", ""), ("two", "after: 2"))
    loops.write("plan.md", "".join(f"- [ ] {name} is right\n  check: grep -q right {name}.txt\n  {word}\n" for name, word in names))
    run = loops.start(*STEPS, plan="plan.md")
    assert (run.status, [each.tasks["now"] for each in run.iterations]) == ("success", [2, 3, 1])


@pytest.mark.check
def test_what_passes_already_takes_no_iteration(loops):
    run = loops.start("; ".join(STEPS[:2]), STEPS[2], plan="plan.md")
    assert (run.status, len(run.iterations), len(run.iterations[0].tasks["done"])) == ("success", 2, 2)


def test_a_plan_that_the_agent_rewrites_changes_nothing_that_is_run(loops):
    weak = "printf -- '- [ ] The first is right\\n  check: true\\n' >plan.md"
    run = loops.start(weak, plan="plan.md", limits={"iterations": 1})
    assert done(run) == []
    assert "changed plan.md, the plan, which counts as it was accepted" in run.iterations[0].tampered


@pytest.mark.check
def test_a_file_that_is_not_the_tasks_is_said(loops):
    loops.write("plan.md", "- [ ] The first is right\n  check: grep -q right one.txt\n  files: one.txt, *.md\n")
    run = loops.start("; ".join(STEPS), plan="plan.md")
    assert run.iterations[0].tampered == ["not among the files of task 1: three.txt, two.txt"]
    assert "- change no file but one.txt, *.md\n" in loops.prompts()[0]


@pytest.mark.check
def test_a_task_without_a_check_is_done_by_the_agents_word_only_when_every_criterion_passes(loops):
    loops.write("plan.md", "- [ ] Think of it\n- [ ] The rest\n")
    says = 'sed -n "s/.*as its last line: //p" "$here/prompt-$number"'
    run = loops.start(f"{STEPS[0]}; {says}", "; ".join(STEPS), "true", says, plan="plan.md")
    assert [sorted({*each.tasks} - {"now"}) for each in run.iterations] == [["claimed"], [], [], ["done"]]
    assert (run.status, len(run.iterations), done(run)) == ("success", 4, [1, 2])
    assert loops.text("plan.md") == "- [x] Think of it\n- [x] The rest\n"
    assert replayed(loops) == []


def test_a_task_that_nothing_could_prove_begins_no_loop(loops):
    loops.write("plan.md", "- [ ] Think of it\n")
    with pytest.raises(LoopError, match="nothing that is executed would prove task 1"):
        loops.start(*STEPS, plan="plan.md", criteria=(), promise="DONE")
    assert loops.prompts() == []


@pytest.mark.check
def test_a_rollback_leads_back_to_the_moment_at_which_a_task_was_begun(loops):
    loops.start(*STEPS, plan="plan.md")
    loops.back("task-2")
    assert [loops.text(f"{name}.txt") for name in ("one", "two", "three")] == ["right\n", "wrong\n", "wrong\n"]
    assert loops.text("plan.md") == PLAN.replace("[ ]", "[x]", 1)
    assert done(loops.latest()) == [1]
    loops.back("undo")
    assert loops.text("plan.md") == TICKED and done(loops.latest()) == [1, 2, 3]


def test_what_a_person_accepted_is_asked_for_again_when_a_check_of_a_task_changes(loops):
    wish = loops.wish(plan="plan.md")
    before = loops.accepted(wish)
    loops.write("plan.md", TICKED)
    assert prospects.look(loops.project, wish).accepted
    loops.write("plan.md", PLAN.replace("grep -q right two.txt", "true"))
    assert not prospects.look(loops.project, wish).accepted
    assert any("grep -q right two.txt" in line for line in before.shown)


def test_a_box_that_was_ticked_before_the_loop_counts_where_its_check_passes(loops):
    loops.write("plan.md", TICKED)
    loops.write("three.txt", "right")
    run = loops.start("true", plan="plan.md", limits={"iterations": 1})
    assert done(run) == [3]
    assert loops.text("plan.md") == PLAN.replace("[ ] The third", "[x] The third")


@pytest.mark.check
def test_a_plan_that_a_person_changed_is_gone_on_with_and_what_has_other_checks_is_proved_again(loops):
    loops.start(*STEPS[:2], plan="plan.md", criteria=(), limits={"iterations": 2})
    loops.write("plan.md", TICKED.replace("right two.txt", "good two.txt").replace("[x] The third", "[ ] The third"))
    prospect = prospects.again(loops.project, loops.latest(), (), "plan.md")
    assert not prospect.accepted
    amended = amending.of(loops.latest(), prospect.plan, loops.project, loops.values())
    loops.agent("echo good >two.txt", STEPS[2])
    for number in (1, 2):
        (loops.bench / f"prompt-{number}").unlink()
    run = headless.resume(loops.project, loops.values(), loops.latest(), amended=amended, iterations=4)
    assert (run.status, done(run)) == ("success", [1, 2, 3])
    assert [each.tasks["now"] for each in run.iterations] == [1, 2, 2, 3] and replayed(loops) == []
