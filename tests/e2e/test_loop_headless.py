"""The headless loop with the real client: a broken repository is driven to green, and back byte for byte."""

import os
import signal
from collections import namedtuple

import pytest

from tests import clock
from tests.ralph.snapshot.conftest import bytes_below

from .broken_repository import FAILING, replies, tree_of
from .client import eventually
from .looping import GOAL, Keeper
from .messages_api import MessagesApi, call, refuse, say

AT_ONCE = ("--cooldown", "0")
# What a way through the whole of it left: trees at the start, when green, rolled back, and after the undo.
Driven = namedtuple("Driven", "keeper start git said prompts green back git_back again")


@pytest.fixture
def keeper(tmp_path, client_binary):
    """A person with a broken repository; nothing that the loop started may be left."""
    with MessagesApi() as api:
        person = Keeper(tmp_path, client_binary, api)
        yield person
        eventually(lambda: not person.client.survivors(), 3, otherwise=lambda: f"left behind: {person.client.survivors()}")


@pytest.fixture(scope="module")
def driven(client_binary, tmp_path_factory):
    """A loop that has reached its goal, was rolled back, and the rollback undone."""
    with MessagesApi() as api:
        keeper = Keeper(tmp_path_factory.mktemp("driven"), client_binary, api)
        start, git = tree_of(keeper.project), bytes_below(keeper.project / ".git")
        keeper.mends_all()
        said = keeper.begin(*AT_ONCE)
        green, git_green = tree_of(keeper.project), bytes_below(keeper.project / ".git")
        assert keeper.cli("stop", "--rollback", "--confirm").code == 0
        back, git_back = tree_of(keeper.project), bytes_below(keeper.project / ".git")
        assert keeper.cli("rollback", "--undo", "--confirm").code == 0
        again = tree_of(keeper.project)
        eventually(lambda: not keeper.client.survivors(), 3)
        yield Driven(keeper, start, git, said, keeper.prompts(), green, back, git_back == git_green, again)


def test_both_packages_are_mended_in_three_iterations(driven):
    assert driven.said.code == 0, driven.said
    lines = driven.said.out.splitlines()
    assert "pytest 9 failing of 40" in lines[1] and "window: npm test 4 failing of 15" in lines[1]
    assert [line.split()[0] for line in lines[2:5]] == ["1/10", "2/10", "3/10"]
    assert "pytest ok · window: npm test ok" in lines[4]
    assert lines[5] == "lessons: 3 added" and "success after 3 iterations" in lines[6]


def test_each_iteration_is_a_session_of_its_own_that_is_told_what_fails_by_then(driven):
    first, second, third = driven.prompts
    assert all(name in first for name in FAILING)
    assert "test_a_page_has_its_items[1-items0]\n" in first and "test_a_page_has_its_items[1-items0]\n" not in second
    assert "test_a_day_is_reported" in second and "what is loaded is returned" in third
    assert "test_tax.py::" not in third.partition("Failing now")[2].partition("tried")[0]


def test_the_second_attempt_is_told_what_the_first_one_changed(driven):
    _, second, third = driven.prompts
    assert "Iteration 1 changed" in second and "-(-count // size)" in second
    assert "Mended what I found, round 2." in third


def test_the_prompts_of_the_loop_are_nobodys_words_and_bring_no_other_memories(driven):
    turns = driven.keeper.rows("SELECT kind, prompt FROM turns")
    sessions = driven.keeper.rows("SELECT DISTINCT session_id FROM turns")
    assert turns == [("loop", "")] * 3 and len(sessions) == 3
    for prompt in driven.prompts:
        assert prompt.count(GOAL) == 1 and "hook additional context" not in prompt


def test_a_rollback_brings_every_byte_back_and_leaves_git_alone(driven):
    assert driven.green != driven.start
    assert driven.back == driven.start and driven.git_back


def test_the_undo_of_the_rollback_brings_the_mended_tree_back(driven):
    assert driven.again == driven.green


def test_a_loop_that_is_killed_leaves_no_agent_behind_and_is_resumed_to_its_end(keeper):
    start = tree_of(keeper.project)
    slow = [{**reply, "delay_s": 60} if number == 2 else reply for number, reply in enumerate(replies(keeper.project, 2))]
    keeper.plays(replies(keeper.project, 1), slow)
    shown = keeper.cli("start", GOAL).err.split("--accept ")[1][:12]
    with keeper.start_cli("start", GOAL, *AT_ONCE, "--max-iterations", "3", "--accept", shown) as supervisor:
        eventually(lambda: (keeper.project / "ledger" / "money.py").read_text().count("Decimal") > 1, 30)
        eventually(lambda: len(keeper.api.requests("main")) == len(replies(keeper.project, 1)) + 3, 30)  # all that it does is done
        supervisor.kill()
    eventually(lambda: keeper.client.survivors() == [], 30)
    assert "interrupted" in keeper.cli("status").out

    keeper.plays([say("It is mended already.")], replies(keeper.project, 3))
    resumed = keeper.cli("resume")
    assert resumed.code == 0 and "success after 3 iterations" in resumed.out, resumed
    assert [line.split()[0] for line in resumed.out.splitlines() if line[:2] in ("2/", "3/")] == ["2/3", "3/3"]
    assert keeper.cli("rollback", "--confirm").code == 0 and tree_of(keeper.project) == start


def test_an_agent_that_is_refused_a_tool_is_told_and_finds_another_way(keeper):
    refused = [call(("Bash", {"command": "curl --version > version.txt"})), say("I could not.")]
    keeper.plays(refused, *(replies(keeper.project, number) for number in (1, 2, 3)))
    said = keeper.begin(*AT_ONCE)
    assert said.code == 0 and "success after 4 iterations" in said.out, said
    assert ["- Bash(curl" in prompt for prompt in keeper.prompts()] == [False, True, True, True]


def test_a_tool_that_the_agent_may_not_use_ends_a_loop_without_progress_with_the_rule_to_add(keeper):
    keeper.plays(*[[call(("Bash", {"command": "curl --version > version.txt"})), say("I could not.")]] * 3)
    said = keeper.begin(*AT_ONCE, "--criteria", "custom=./run.sh => 1")
    assert said.code == 16 and "Bash(curl" in said.out and not (keeper.project / "version.txt").exists()


def test_what_an_agent_had_done_when_a_rate_limit_ended_it_goes_back_too(keeper):
    start = tree_of(keeper.project)
    wrote = call(("Write", {"file_path": str(keeper.project / "half.txt"), "content": "half of it"}))
    keeper.plays([wrote, *[refuse(429, "rate_limit_error", "too many requests")] * 20])
    said = keeper.begin(*AT_ONCE, "--no-wait", "--criteria", "custom=./run.sh => 1")
    assert said.code == 17 and keeper.record("iteration") == [] and (keeper.project / "half.txt").exists()
    assert "1 deleted, 0 kept" in keeper.cli("rollback", "--confirm").out and tree_of(keeper.project) == start


def test_ctrl_c_ends_agent_and_loop_and_tells_how_to_go_on(keeper):
    keeper.plays([call(("Bash", {"command": "true"}), delay_s=60)])
    check = ("--criteria", "custom=./run.sh => 1")
    shown = keeper.cli("start", GOAL, *check).err.split("--accept ")[1][:12]
    with keeper.start_cli("start", GOAL, *check, "--accept", shown) as loop:
        eventually(lambda: keeper.api.requests("main"), 30)
        watch = clock.Watch()
        os.kill(loop.pid, signal.SIGINT)
        out, _ = loop.communicate(timeout=120)
    assert loop.returncode == 19 and "resume" in out and watch.free() < 5
