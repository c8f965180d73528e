"""/ralph shows what a loop did, hands a hint to the next round, and pauses a session's loop without an end."""

import json

from tests.interfaces.skills.test_ralph import an_owner, one_line, said_to_model

__all__ = ["an_owner"]


def test_a_hint_is_told_with_the_next_round_and_with_no_other(an_owner):
    an_owner.begins()
    assert "is told with its next iteration" in an_owner.says('hint "Look at the state file."')
    assert "Look at the state file." in said_to_model(an_owner.stop("I looked."))
    assert "Look at the state file." not in said_to_model(an_owner.stop("I looked again."))
    assert "you: Look at the state file." in an_owner.says("status --history")


def is_told_to_pause(owner):
    """Say whether the file that status lines read has it that the loop pauses."""
    (live,) = owner.live()
    return bool(json.loads(live.read_text())["paused"])


def test_a_pause_lets_the_session_rest_until_it_is_to_go_on(an_owner):
    an_owner.begins()
    assert "/ralph continue goes on" in an_owner.says("pause").replace("`", "")
    assert "the loop pauses" in an_owner.stop("I looked.")["systemMessage"]
    assert is_told_to_pause(an_owner)
    an_owner.prompt("Something else.")
    assert an_owner.stop("I answered.") == {}
    assert "paused after iteration 1" in an_owner.says("status")
    assert "next: `/ralph continue` goes on, in its session; `/ralph stop` ends it" in an_owner.says("status")
    assert "goes on in this session, with iteration 2" in an_owner.says("continue")
    assert not is_told_to_pause(an_owner)
    assert "Iteration 3 of 10." in said_to_model(an_owner.stop("I looked."))
    assert "does not pause" in one_line(an_owner.says("continue"))


def test_what_a_loop_did_is_shown_in_the_session(an_owner):
    an_owner.begins()
    an_owner.mend()
    an_owner.stop("I mended it.")
    assert "-broken\n+mended" in an_owner.says("diff")
    assert "state" in an_owner.says("diff --stat") and "+mended" not in an_owner.says("diff --stat")
    assert "I mended it." in an_owner.says("log 1")
    assert "success" in an_owner.says("runs")


def test_a_model_may_look_and_says_nothing_in_the_persons_name(an_owner):
    an_owner.begins()
    an_owner.stop("I looked.")
    for words in ("hint skip the tests", "pause", "continue"):
        assert "only a person can type" in one_line(an_owner.model_runs("ralph", words))
    for words in ("runs", "log", "diff"):
        assert "only a person" not in an_owner.model_runs("ralph", words)
