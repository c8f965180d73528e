"""What users of other loops suffer from, each a test: who loops, when it is over, and what it costs. The rest is about files.

A comment in front of each test names the row of the list of complaints that it answers.
"""

import re
import shlex
import time
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from ralph_mem.core.errors import LoopError
from ralph_mem.core.project import Activity
from ralph_mem.interfaces.skills.typed_words import Order
from ralph_mem.ralph import headless, in_session, record, runs
from ralph_mem.ralph.agents import command
from ralph_mem.ralph.record import HEADLESS
from tests.hook import MANIFEST, REPOSITORY, said_to_anybody, said_to_model
from tests.ralph.clients import Session, ends
from tests.ralph.loops import GOAL, STEPS

pytestmark = pytest.mark.check  # whole loops, hook by hook; what they are made of has tests of its own

IDLE = "date +%N >>notes"
# Prints the last line that the loop asks for, in some dress.
SAYS = """line=$(sed -n 's/^- Only when the goal is reached.*: //p' "$here/prompt-$number" | tail -n 1); {}"""
UNITTEST = "test_pass=python3 -m unittest -q"
SUITE = """\
import unittest

class Sums(unittest.TestCase):
    def test_one(self):
        self.assertEqual(1 + 1, 2)

    def test_two(self):
        self.assertEqual(1 + 1, 3)
"""


@pytest.fixture
def session(tmp_path):
    return Session(tmp_path)


# row 1: loop captures another session
def test_only_the_main_agent_of_the_session_that_began_it_is_in_the_loop(session):
    session.begins()
    others = [{"session_id": "another"}, {"session_id": ""}, {"session_id": None}, {"agent_id": "a1"}, {"session_id": "*"}]
    assert [session.stop("Done.", **other) for other in others] == [{}] * len(others)
    assert session.subagent_stop("Done.") == {} and session.another().stop("Done.") == {}
    assert session.latest().iterations == [] and runs.live(session.loops.project).owner == session.session


# row 1: loop captures another session
def test_a_loop_without_an_owner_acts_for_nobody_least_of_all_for_a_session_without_an_id(session):
    session.begins()
    runs.write_live(session.loops.project, runs.live(session.loops.project)._replace(owner=""))
    assert [session.stop("Done.", session_id=name) for name in ("", None, session.session)] == [{}, {}, {}]
    assert in_session.step(Activity("answer"), session.loops.project, session.loops.values()) == {}
    assert session.latest().iterations == []


# row 1: loop captures another session
def test_who_owns_a_loop_is_told_by_the_event_and_by_no_variable(session):
    session.environment["CLAUDE_CODE_SESSION_ID"] = ""
    session.begins()
    other = session.another(CLAUDE_CODE_SESSION_ID=session.session)
    assert other.stop("Done.") == {} and "Iteration 2 of" in said_to_model(session.stop("Done."))


# row 1: loop captures another session
def test_a_second_session_can_neither_begin_a_loop_beside_the_first_nor_end_it_by_ending(session):
    session.begins()
    other = session.another()
    assert "a loop is at work here already" in said_to_anybody(other.typed("ralph", f"start --criteria custom=./check.sh {GOAL}"))
    other.end()
    assert session.latest().owner == session.session and "Iteration 2 of" in said_to_model(session.stop("Done."))


# row 2: completion not seen
def test_the_end_is_seen_without_a_transcript_whatever_surrounds_the_last_line(session):
    text = session.begins("--cooldown 0 --promise 'ALL  DONE'", criteria=("marker",))
    line = re.search(r"as its last line: (ALL DONE \w+)", text)[1]
    words = line.split(" ")
    assert not Path(session.home, ".claude").exists()
    answer = session.stop(f'\x07Mended\x00 \\d {{"}}\r\n\r\n \t{words[0]}\u00a0 {words[1]}   {words[2]} \r\n\n')
    assert "success" in answer["systemMessage"] and session.latest().status == "success"


# row 2: completion not seen
def test_checks_that_pass_end_it_though_the_agent_says_nothing_of_it(loops, client):
    client.plays(f"{'; '.join(STEPS)}; {ends('')}")
    assert loops.start(agent=()).status == "success"


MARKER_IN = {
    "a fence": r"""printf '```\n%s\n```\n' "$line" """,
    "an open fence": r"""printf '```\n%s\n' "$line" """,
    "a fence in an open fence": r"""printf '```md\n~~~\n%s\n' "$line" """,
    "a quotation": r"""printf '> %s\n' "$line" """,
    "code": r"""printf '`%s`\n' "$line" """,
    "prose": r"""printf 'I shall end with %s\n' "$line" """,
    "text after it": r"""printf '%s\nNot yet, though.\n' "$line" """,
    "other letters": r"""printf '%s\n' "$line" | tr A-Za-z a-zA-Z""",
    "words that know no nonce": "echo RALPH DONE",
    "the prompt": 'cat "$here/prompt-$number"',
}


# row 3: false completion
@pytest.mark.parametrize("says", MARKER_IN.values(), ids=MARKER_IN)
def test_the_marker_in_other_places_than_the_last_line_is_talk(loops, says):
    run = loops.start(SAYS.format(says), criteria=("marker",), limits={"iterations": 1})
    assert run.reason == "max_iterations" and run.iterations[0].message.strip()


# row 3: false completion
def test_the_marker_as_the_last_line_is_the_end_once_and_never_that_of_a_later_run(loops):
    says = SAYS.format('[ -e "$here/kept" ] || echo "$line" >"$here/kept"; cat "$here/kept"')
    first = loops.start(says, criteria=("marker",), limits={"iterations": 1})
    for prompt in loops.bench.glob("prompt-*"):
        prompt.unlink()
    later = loops.start(says, criteria=("marker",), limits={"iterations": 1})
    assert (first.reason, later.reason) == ("success", "max_iterations")


# row 3: false completion
def test_the_word_of_the_agent_does_not_beat_a_check_that_fails(loops):
    run = loops.start(SAYS.format('echo "$line"'), criteria=("marker", "custom=./check.sh"), limits={"iterations": 1})
    assert run.reason == "max_iterations"
    assert {each.type: each.status for each in run.iterations[0].verdicts} == {"marker": "passed", "custom": "failed"}


VACUOUS = {
    "no test is left": ("rm test_sums.py", "no test"),
    "the failing test is gone": ("sed -i '/test_two/,$d' test_sums.py", "fewer tests than at the start: 1, then 2"),
    "it is skipped": (r"sed -i 's/    def test_two/    @unittest.skip(\"\")\n    def test_two/' test_sums.py", "test"),
}


# row 3: false completion
@pytest.mark.parametrize(("step", "why"), VACUOUS.values(), ids=VACUOUS)
def test_a_check_that_passes_because_less_is_checked_is_no_success(loops, step, why):
    loops.write("test_sums.py", SUITE)
    run = loops.start(step, criteria=(UNITTEST,), limits={"iterations": 1}, may_change=("*",))
    (verdict,) = run.iterations[0].verdicts
    assert run.status == "failed" and verdict.status in {"vacuous", "failed"} and why in verdict.why
    assert any("test_sums.py" in line for line in run.iterations[0].tampered)


# row 3: false completion
def test_a_check_that_the_agent_rewrote_is_told_and_put_back_where_it_is_protected(loops):
    cheat = "printf '#!/bin/sh\\nexit 0\\n' >check.sh"
    run = loops.start(cheat, limits={"iterations": 1}, protect=("check.sh",))
    assert run.reason == "max_iterations" and any("check.sh" in line for line in run.iterations[0].tampered)
    loops.start(cheat, limits={"iterations": 1})
    assert any("look: changed check.sh, which tells what the checks are" in line for line in loops.told)


# row 4: runs for ever
@pytest.mark.parametrize("form", ["--max-iterations=2", "--max-iterations 2"])
def test_both_forms_of_a_limit_count_and_stand_nowhere_in_the_goal(session, form):
    session.begins(f"--cooldown 0 {form}")
    run = session.latest()
    assert (run.goal, run.limits.iterations) == (GOAL, 2)
    answers = [session.stop("Done.") for _ in range(4)]
    assert "Iteration 2 of 2" in said_to_model(answers[0]) and "all iterations are used up" in answers[1]["systemMessage"]
    assert answers[2:] == [{}, {}] and len(session.latest().iterations) == 2


# row 4: runs for ever
def test_an_unknown_option_begins_nothing(session):
    for words in ("--max-iteration=3", "--max-iterations=", "--max-iterations=three", "\u2014max-iterations 3"):
        assert "ralph-mem: " in said_to_anybody(session.types(f"start {words} --criteria custom=./check.sh {GOAL}"))
    assert runs.all(session.loops.project) == [] and session.stop("Done.") == {}


# row 4: runs for ever
def test_a_limit_is_the_same_at_the_end_though_every_iteration_got_further(loops):
    run = loops.start(*STEPS, limits={"iterations": 2})
    entries = record.read(runs.path_of(loops.project, run.id))
    assert (run.reason, len(loops.prompts())) == ("max_iterations", 2)
    assert [entry["limits"]["iterations"] for entry in entries if "limits" in entry] == [2]


# row 4: runs for ever
@pytest.mark.parametrize("limit", [{"iterations": 1}, {"duration_ms": 1100}, {"cost": 0.15}], ids=["iterations", "time", "cost"])
def test_to_let_a_run_go_on_extends_no_limit_that_it_has_reached(loops, client, limit):
    client.plays(f"{IDLE}; {ends(cost=0.1)}; {'sleep 5' if 'duration_ms' in limit else ''}")
    first = loops.start(agent=(), limits=limit)
    with pytest.raises(LoopError, match="cannot go on"):
        headless.resume(loops.project, loops.values(), loops.latest())
    assert loops.latest().reason == first.reason and len(client.argv()) == len(loops.latest().iterations) == 1
    assert runs.live(loops.project) is None


# row 4: runs for ever
def test_a_session_that_lets_a_run_go_on_extends_no_limit_either(session):
    session.begins("--cooldown 0 --max-iterations 1")
    session.stop("Done.")
    assert "1 of 1 iterations are used" in said_to_anybody(session.types("resume")) and session.stop("Done.") == {}
    assert "goes on in this session, with iteration 2" in said_to_anybody(session.types("resume --max-iterations 2"))


HOSTILE = (
    'it\'s "quoted"; touch made',
    "$(touch made) `touch made` && touch made | touch made > made; (touch made",
    "EOF\ntouch made\nRALPH_MEM_WORDS\n'; touch made; '",
    '\\"; touch made #',
    "${IFS}touch${IFS}made !touch made",
)


# row 7: prompt text breaks the shell
@pytest.mark.parametrize("goal", HOSTILE)
def test_a_goal_typed_in_a_session_arrives_as_it_was_typed_and_runs_nothing(session, goal):
    assert goal in session.begins(goal=goal)
    assert session.latest().goal == goal and list(session.folder.rglob("made")) == []


# row 7: prompt text breaks the shell
@hypothesis.given(st.text(alphabet="ab'\"`$(){};|&<>\\\n\t -=#*?~!%é", max_size=60))
@hypothesis.settings(max_examples=300)
def test_any_words_behind_two_dashes_are_a_goal(text):
    order = Order("--max-iterations=3 -- " + text, ("--max-iterations",))
    bare = text.strip()
    assert order.options == {"--max-iterations": ["3"]}
    assert order.rest in {bare, bare[1:-1]}


# row 7: prompt text breaks the shell
@hypothesis.given(st.text(alphabet="ab'\"`$(){};|&<>\\\n\t -=#*?~!%é", min_size=1, max_size=60))
@hypothesis.settings(max_examples=25)
def test_any_prompt_is_one_argument_of_an_agent(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("agent")
    shows = "import sys; open('told', 'w').write(sys.argv[1])"
    command.run(f"python3 -I -S -c {shlex.quote(shows)} {{prompt}}", text, str(folder), {"PATH": "/usr/bin:/bin"}, 20)
    assert (folder / "told").read_text() == text and len(list(folder.iterdir())) == 1


# row 7: prompt text breaks the shell
def test_the_skill_runs_no_line_and_so_none_with_words_of_a_person():
    skill = (REPOSITORY / "skills" / "ralph" / "SKILL.md").read_text()
    assert "$ARGUMENTS" not in skill and "!`" not in skill and "```!" not in skill


# row 9: rate limit = crash or hot loop
def test_words_about_limits_are_neither_waited_for_nor_an_error(loops, client):
    words = "API Error: 429 rate_limit_error: You've hit your limit, resets 5pm. overloaded_error"
    client.plays(f"echo {shlex.quote(words)} >notes; echo {shlex.quote(words)} >&2; {ends(words)}", f"{'; '.join(STEPS)}; {ends()}")
    run = loops.start(agent=())
    assert run.status == "success" and [each.kind for each in run.iterations] == ["done", "done"] and run.waits == []


# row 9: rate limit = crash or hot loop
def test_a_limit_is_waited_for_with_a_countdown_and_costs_no_iteration(loops, client):
    soon = int(time.time()) + 2
    limited = client.tells("limited_until", code=1, resets=soon)
    client.plays(limited, f"{'; '.join(STEPS)}; {ends()}")
    run = loops.start(agent=(), limits={"iterations": 1})
    assert run.status == "success" and len(run.waits) == 1 and [each.number for each in run.iterations] == [1]
    assert time.time() >= soon and any("the rate limit ends in" in line for line in loops.told)


# row 9: rate limit = crash or hot loop
def test_a_limit_that_claims_to_be_over_is_no_hot_loop(loops, client):
    client.plays(client.tells("limited_until", code=1, resets=int(time.time()) - 60))
    run = loops.start(agent=(), limits={"duration_ms": 3000})
    assert (run.reason, len(client.argv())) == ("rate_limited", 1)


# row 9: rate limit = crash or hot loop
def test_who_does_not_want_to_wait_is_told_at_once(loops, client):
    client.plays(client.tells("limited_until", code=1, resets=int(time.time()) + 60))
    run = loops.start(agent=(), wait=False)
    assert (run.reason, run.used(), len(client.argv())) == ("rate_limited", 0, 1)


# row 11: context exhausted, compaction deadlock
# row 13: single session is not Ralph
def test_each_iteration_is_a_fresh_agent_that_knows_nothing_of_the_others_session(loops, client):
    client.plays(*[f"{step}; {ends('a secret of this session')}" for step in STEPS])
    assert loops.start(agent=(), limits={"cost": 5.0}).mode == HEADLESS
    sessions = [argv[argv.index("--session-id") + 1] for argv in client.argv()]
    assert len(set(sessions)) == 3 and not {"--continue", "--resume", "-c", "-r"} & {
        word for argv in client.argv() for word in argv
    }
    assert not any("a secret of this session" in client.heard(number) for number in (1, 2, 3))


# row 11: context exhausted, compaction deadlock
def test_a_compaction_is_never_held_up_and_what_ends_by_an_error_is_left_alone(session):
    session.begins()
    assert session.pre_compact() == {} and session.subagent_stop("A summary.", kind="") == {}
    assert session.post_compact("<summary>So far.</summary>") == {} and "StopFailure" not in MANIFEST
    assert session.latest().iterations == []


# row 12: blocks while background work runs
@pytest.mark.parametrize("waiting", [{"background_tasks": [{"id": "b1"}]}, {"session_crons": [{"id": "c1"}]}])
def test_while_the_client_waits_for_something_the_loop_waits_too(session, waiting):
    session.begins()
    event = {"last_assistant_message": "Waiting.", "stop_hook_active": False, "background_tasks": [], **waiting}
    assert session.fire("Stop", **event) == {} and session.latest().iterations == []
    assert "Iteration 2 of" in said_to_model(session.stop("Done."))


# row 14: permission prompts kill unattended runs
def test_refused_tools_that_keep_the_loop_from_any_progress_end_it_with_the_rule_to_add(loops, client):
    client.plays(client.tells("denied"))
    run = loops.start(agent=(), allow=("Bash(make:*)",))
    assert (run.reason, len(client.argv())) == ("permission_denied", 3) and "Bash(npm test:*)" in run.why
    argv, *_ = client.argv()
    assert argv[argv.index("--allowedTools") + 1 :] == ["Bash(./check.sh:*)", "Bash(make:*)"]
    assert not any("dangerously" in word or "bypass" in word for word in argv)


# row 10: no-progress detector wrong both ways
def test_each_new_best_counts_as_progress_however_small_and_without_a_commit(loops):
    run = loops.start(*STEPS, limits={"no_progress": 1})
    assert run.status == "success" and len(run.iterations) == 3 and not (loops.top / ".git").exists()


# row 10: no-progress detector wrong both ways
def test_a_way_round_in_a_circle_is_seen_however_long_it_is(loops):
    run = loops.start(*[f"echo {word} >notes" for word in "abca"], limits={"no_progress": 9})
    assert (run.reason, len(run.iterations)) == ("oscillation", 4) and "after iteration 1" in run.why


# row 10: no-progress detector wrong both ways
def test_much_that_is_written_and_said_is_no_progress(loops):
    run = loops.start(f"{IDLE}; echo 'Great progress, all tests pass now!'; head -c 50000 /dev/urandom | od >$(date +%N).md")
    assert (run.reason, len(run.iterations)) == ("no_progress", 3)


# row 17: loop forgets why it failed
def test_the_next_prompt_tells_what_was_tried_and_why_it_did_not_help(loops):
    loops.start("echo rigth >one.txt", "echo wrong >two.txt; echo x >three.txt", IDLE, limits={"iterations": 3}, memory=True)
    first, second, third = loops.prompts()
    assert "What was tried in this run" not in first and "+rigth" in second and "one.txt" in second
    assert "+rigth" in third and "three.txt" in third and ":: one" in third


# row 18: costs, want caps
def test_what_cannot_be_paid_for_is_not_started_and_the_rest_is_the_childs_ceiling(loops, client):
    client.plays(f"{IDLE}; {ends(cost=0.4)}")
    run = loops.start(agent=(), limits={"cost": 1.0, "no_progress": 9})
    ceilings = [float(argv[argv.index("--max-budget-usd") + 1]) for argv in client.argv()]
    assert run.reason == "max_cost" and ceilings == [1.0, 0.6] and run.cost() == pytest.approx(0.8)
    assert [each.cost for each in run.iterations] == [0.4, 0.4] and any("$0.40" in line for line in loops.told)


# row 18: costs, want caps
def test_what_was_spent_on_a_turn_that_failed_or_was_limited_counts(loops, client):
    limited = client.tells("limited_until", code=1, resets=int(time.time()) + 1, cost=0.7)
    client.plays(limited, f"{IDLE}; {ends(cost=0.2)}")
    run = loops.start(agent=(), limits={"cost": 1.0, "no_progress": 9})
    assert run.reason == "max_cost" and run.cost() == pytest.approx(0.9) and run.used() == 1


# thread: claude exits with 0 and is_error, and with another code after real success
@pytest.mark.parametrize(("name", "code", "kind"), [("error_500", 0, "error"), ("done", 1, "done")])
def test_what_the_client_reports_counts_and_not_its_exit_code(loops, client, name, code, kind):
    client.plays(f"echo right >one.txt; {client.tells(name, code)}")
    run = loops.start(agent=(), limits={"iterations": 1})
    assert [each.kind for each in run.iterations] == [kind] and [*run.verdicts()[0].failing] == ["three", "two"]


# thread: every check has to run, not only those before the first that fails
def test_every_check_is_run_in_every_iteration(loops):
    run = loops.start(IDLE, criteria=("custom=false", "custom=./check.sh", "custom=true"), limits={"iterations": 2})
    statuses = [[each.status for each in verdicts] for verdicts in (run.baseline, *[each.verdicts for each in run.iterations])]
    assert statuses == [["failed", "failed", "passed"]] * 3


# thread: continue: false beside a decision halts the session; three dashes in a prompt drop what follows
def test_an_answer_to_a_stop_only_adds_what_the_agent_is_told_dashes_included(session):
    goal = "first\n---\nname: x\n---\nlast"
    assert goal in session.begins(goal=goal)
    session.start(source="compact")  # after which the goal is told again
    answer = session.stop("Done.")
    assert answer.keys() == {"hookSpecificOutput"} and goal in said_to_model(answer)


# The list


def test_every_row_of_the_list_has_its_test():
    text = "".join([path.read_text() for path in sorted(Path(__file__).parent.glob("test_complaints*.py"))])
    told = {int(number) for number in re.findall(r"^# row (\d+): ", text, re.MULTILINE)}
    assert told == set(range(1, 21))
