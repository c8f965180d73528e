import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph_mem.bench import loop, loop_tasks
from ralph_mem.bench.loop_tasks import PAIRS, agent
from ralph_mem.ralph import prompt
from ralph_mem.ralph.criteria import FAILED, Verdict
from ralph_mem.ralph.experience import NOTHING, Known
from ralph_mem.ralph.record import NO_ITERATION, Run
from tests.folded import folded

TASKS = [task for pair in PAIRS for task in (pair.first, pair.again, *pair.later)]
FAULTS = [fault for task in TASKS for fault in task]
TOTAL = PAIRS[0].first[0]  # which is to be int({v} + 0.5)


@pytest.fixture
def a_task(tmp_path, monkeypatch):
    """Write the first task, and stand in its folder as the agent does."""
    loop_tasks.write(tmp_path, [TOTAL])
    monkeypatch.chdir(tmp_path)
    return tmp_path / TOTAL.module


def asked(tried=(), known=NOTHING, number=1):
    """Return a prompt as the loop makes it, after attempts that returned these."""
    run = Run()
    run.id, run.goal = "loop-abcdefghij", loop.GOAL
    failing = {"tests.test_total.Test.test_total": "AssertionError: what comes back is rounded wrongly"}
    run.baseline = [Verdict("test_pass", "unittest", FAILED, "1 of 1 fails", 1, failing, [], None, "", 0.1, [])]
    run.iterations = [
        NO_ITERATION._replace(
            number=at,
            verdicts=run.baseline,
            tree=f"tree-{at}",
            changed=[[TOTAL.module, "changed", 1, 1, f"-    return None\n+    return {way}"]],
        )
        for at, way in enumerate(tried, 1)
    ]
    return prompt.build(run, number, known)[0]


def a_lesson(text):
    return Known((("obs-a", "\n".join(["- [obs-a] met before: x", *["  " + line for line in text.splitlines()]]), "-"),), (), "")


def returned(path):
    return path.read_text().rpartition("return ")[2].strip()


def draws(given_prompt, path, seeds=40):
    """Return what the agent makes of a prompt, by many seeds, each time from the same file."""
    text, found = path.read_text(), set()
    for seed in range(seeds):
        agent.main(str(seed), given_prompt)
        found.add(returned(path))
        path.write_text(text)
    return found


# The tasks


@folded("fault", FAULTS, ids=lambda fault: fault.function)
def test_only_the_right_way_passes_the_test_of_a_task(fault):
    passes = [
        way for way in agent.WAYS[fault.complaint] if all(loop_tasks.answer(way, it) == to for it, to in loop_tasks.cases(fault))
    ]
    assert passes == [fault.right]
    assert len(loop_tasks.cases(fault)) >= 1


def test_what_was_right_at_first_is_right_again_but_where_it_misleads():
    for pair in PAIRS:
        rights = [[(fault.complaint, fault.right) for fault in task] for task in (pair.first, pair.again)]
        assert (rights[0] == rights[1]) is (pair.kind == loop_tasks.REPEATED)
        assert not {fault.function for fault in pair.first} & {fault.function for fault in pair.again}


def test_of_lookalikes_each_needs_another_way():
    for pair in PAIRS:
        ways = [task[0].right for task in (pair.first, pair.again, *pair.later)]
        assert len(ways) == (4 if pair.kind == loop_tasks.MISLEADING else 2)
        assert pair.kind == loop_tasks.REPEATED or len(set(ways)) == 4


@pytest.mark.parametrize(("mended", "code"), [(False, 1), (True, 0)])
def test_a_task_is_broken_until_it_is_mended(tmp_path, mended, code):
    for task in TASKS:
        loop_tasks.write(tmp_path, task, mended=mended)
    command = [sys.executable, "-B", "-m", "unittest", "discover", "-t", ".", "-s", "tests"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == code, ran.stderr
    assert f"Ran {len(FAULTS)} tests" in ran.stderr
    assert mended or f"failures={len(FAULTS)}" in ran.stderr


# The stub agent


def test_the_agent_does_nothing_that_its_prompt_does_not_ask_for(a_task):
    before = a_task.read_text()
    assert agent.main("0", "Make everything work, please.") == "I do not know what is wrong."
    assert a_task.read_text() == before


def test_the_agent_is_the_same_for_the_same_seed_and_tries_all_that_it_knows(a_task):
    ways = {way.replace("{v}", TOTAL.parameter) for way in agent.WAYS[TOTAL.complaint]}
    assert draws(asked(), a_task) == ways
    assert draws(asked(), a_task, 1) == draws(asked(), a_task, 1)
    assert len({*map(frozenset, [draws(asked(number=number), a_task, 1) for number in range(1, 11)])}) > 1


def test_the_agent_does_not_take_again_what_the_prompt_says_did_not_fix_it(a_task):
    tried = ["round(amount)", "int(amount)", "round(amount, 1)"]
    assert draws(asked(tried), a_task) == {"int(amount + 0.5)", "-int(-amount // 1)", "int(amount // 5 * 5)"}


def test_the_agent_takes_at_once_what_the_prompt_says_fixed_it_before(a_task):
    failed = "failed: AssertionError: what comes back is rounded wrongly\n  in: tests.test_fee\n"
    lesson = failed + "fixed by: fees.py +1 -1\n  +    return int(fee + 0.5)"
    assert draws(asked(known=a_lesson(lesson)), a_task) == {"int(amount + 0.5)"}
    assert len(draws(asked(known=a_lesson(lesson.replace("rounded", "read"))), a_task)) == 6
    assert "int(amount + 0.5)" not in draws(asked(["int(amount + 0.5)"], a_lesson(lesson)), a_task)


def test_the_agent_takes_last_what_did_not_help_elsewhere(a_task):
    lesson = "failed: what comes back is rounded wrongly\ndid not help: fees.py +1 -1\n  +    return int(fee)"
    assert "int(amount)" not in draws(asked(known=a_lesson(lesson)), a_task)
    others = ["round(amount)", "round(amount, 1)", "int(amount + 0.5)", "-int(-amount // 1)", "int(amount // 5 * 5)"]
    assert draws(asked(others, a_lesson(lesson)), a_task) == {"int(amount)"}


def test_the_agent_reads_nothing_of_ours():
    text = Path(agent.__file__).read_text()
    assert "import ralph_mem" not in text and "from ralph_mem" not in text and ".ralph-mem" not in text


# The figures


def test_p_is_the_share_of_signs_that_go_as_far():
    assert loop.exact_p([-1, -1, -1, -1]) == 2 / 16
    assert loop.exact_p([0, 0]) == loop.exact_p([]) == 1.0
    assert loop.exact_p([-3, 1]) == 1.0
    assert loop.exact_p([-2] * 30) == pytest.approx(2 / 2**30)


@given(gaps=st.lists(st.integers(-9, 9), min_size=1, max_size=10))
@settings(max_examples=60)
def test_p_is_what_counting_all_signs_gives(gaps):
    sums = [sum(gap if bits >> at & 1 else -gap for at, gap in enumerate(gaps)) for bits in range(2 ** len(gaps))]
    assert loop.exact_p(gaps) == pytest.approx(sum(abs(total) >= abs(sum(gaps)) for total in sums) / len(sums))


@pytest.mark.parametrize(("reason", "counted"), [("success", 2), ("oscillation", 10)])
def test_a_run_that_did_not_get_there_counts_with_all_its_iterations(reason, counted):
    ended = Run()
    ended.reason = reason
    ended.iterations = [NO_ITERATION._replace(number=number, prompt={"tokens": 300}) for number in (1, 2)]
    found = loop.outcome(ended, "names", 0, "on", "first")
    assert found == ("names", 0, "on", "first", reason == "success", counted, 600, reason)


def test_the_arms_are_compared_on_the_same_tasks_and_seeds():
    made = [
        loop.Outcome(
            "names", seed, arm, "first", arm == "on", 2 if arm == "on" else 10, 900, "success" if arm == "on" else "oscillation"
        )
        for seed in range(6)
        for arm in loop.ARMS
    ]
    report = loop.report(made)
    assert report["groups"]["first"]["off"] == {
        "runs": 6, "iterations": 10.0, "tokens": 900.0, "success": 0.0, "reasons": {"oscillation": 6}
    }  # fmt: skip
    assert report["against"]["first"]["iterations"]["difference"] == -8.0
    assert report["against"]["first"]["iterations"]["p"] == 2 / 64
    assert list(report["groups"]) == ["first"]


@pytest.mark.check
def test_two_pairs_are_worked_at_with_and_without_memory_in_a_home_of_their_own(tmp_path, monkeypatch):
    (tmp_path / "a-home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "a-home"))
    told = []
    pairs = [pair for pair in PAIRS if pair.name in {"rounding", "a lookalike count"}]
    report = loop.run(pairs, 1, lambda *given: told.append(given))
    assert report["runs"] == 12
    assert report["groups"]["repeated"]["on"] == {
        **report["groups"]["repeated"]["on"], "runs": 1, "iterations": 1.0, "success": 1.0, "reasons": {"success": 1}
    }  # fmt: skip
    assert report["groups"]["misleading"]["on"]["iterations"] > 1
    twice = report["groups"]["misled twice"]
    assert twice["on"]["iterations"] <= twice["off"]["iterations"]
    assert report["groups"]["first"]["off"]["tokens"] > 0
    assert sorted(done for _, done, _ in told) == [1, 2, 3, 4] and told[0][2] == 4
    assert list((tmp_path / "a-home").iterdir()) == []
