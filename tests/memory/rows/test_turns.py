"""A turn: opened by its prompt, closed by Stop or by whatever comes instead, and findable as it last stood."""

import pytest

from ralph_mem.hosts.claude_code import event  # noqa: F401 - which tells how its client's notifications begin
from ralph_mem.memory import conversation
from ralph_mem.memory.rows import existing, row
from tests.folded import folded
from tests.sessions import check, found, words_of


def index_is_that_of_the_rows(session):
    """Check that the index holds what the turns say now: taking them all out must leave it empty."""
    for (number,) in session.rows("SELECT id FROM turns"):
        existing.remove_entry(session.store, row.TURN, number)
    left = words_of(session.store, "memory_fts")
    check(session.store)
    return left == {}


def test_a_prompt_opens_a_turn(a_session):
    a_session.asks("Why is the lamp off?")
    assert a_session.turns("prompt, response, status, kind, origin, ended_at, index_version") == [
        ("Why is the lamp off?", "", "open", "prompt", "user", None, 0)
    ]
    assert found(a_session.store, "memory_fts", "lamp") == []


def test_stop_closes_it_and_makes_it_findable(a_session):
    a_session.has_a_turn("Why is the lamp off?", "The fuse was blown.")
    assert a_session.turns("response, status, ended_at") == [("The fuse was blown.", "stopped", a_session.now)]
    assert found(a_session.store, "memory_fts", "title:lamp AND body:fuse") == [1]


def test_a_turn_that_is_closed_again_is_found_by_its_newer_answer_alone(a_session):
    a_session.has_a_turn("Why is the lamp off?", "The fuse was blown.")
    a_session.is_answered("The switch was broken.")
    assert a_session.turns("response") == [("The switch was broken.",)]
    assert (found(a_session.store, "memory_fts", "fuse"), found(a_session.store, "memory_fts", "switch")) == ([], [1])
    assert index_is_that_of_the_rows(a_session)


@pytest.mark.parametrize("named", [True, False])
def test_the_next_prompt_closes_what_was_left_open(a_session, named):
    a_session.asks("Why is the lamp off?")
    a_session.asks("And the heating?", **({} if named else {"prompt_id": None}))
    assert a_session.turns("status, ended_at IS NULL") == [("interrupted", 0), ("open", 1)]
    assert found(a_session.store, "memory_fts", "lamp") == [1]


def test_an_interrupted_turn_that_is_answered_after_all_is_stopped(a_session):
    a_session.asks("Why is the lamp off?")
    a_session.asks("And the heating?")
    a_session.is_answered("The fuse.", prompt_id="the-session-1")
    assert a_session.turns("response, status") == [("The fuse.", "stopped"), ("", "open")]


def test_the_turns_of_another_session_stay_open(a_session, another_session):
    a_session.asks("Why is the lamp off?")
    another_session.asks("And the heating?")
    assert a_session.turns("status") == [("open",), ("open",)]


DONE = {"stdout": "", "stderr": "", "interrupted": False}


def test_a_client_that_names_no_prompts_means_the_last_one(a_session):
    for prompt in ("Why is the lamp off?", "And the heating?"):
        a_session.asks(prompt, prompt_id=None)
        a_session.sends("post-tool-use", tool_name="Bash", tool_input={"command": "make"}, tool_use_id=prompt, tool_response=DONE)
        a_session.is_answered("Because.", prompt_id=None)
    assert a_session.turns("status, response, lines") == 2 * [("stopped", "Because.", "passed: make")]


def test_a_stop_whose_prompt_was_never_seen_opens_a_turn(a_session):
    a_session.is_answered("The fuse was blown.", prompt_id="unseen")
    assert a_session.turns("kind, prompt, response, status") == [("notification", "", "The fuse was blown.", "stopped")]


def test_keeping_makes_an_open_turn_findable_and_leaves_it_open(a_session):
    a_session.asks("Why is the lamp off?")
    a_session.runs("make lamps")
    a_session.sends("pre-compact", trigger="auto")
    assert a_session.turns("status, ended_at, lines") == [("open", None, "passed: make lamps")]
    assert found(a_session.store, "memory_fts", "lamp") == [1]


def test_a_turn_that_was_kept_and_went_on_is_found_as_it_ended(a_session):
    a_session.asks("Why is the lamp off?")
    a_session.sends("pre-compact", trigger="auto")
    a_session.edits("src/fuse.py")
    a_session.uses("Read", file_path=f"{a_session.project.root}/src/wiring.py")
    a_session.is_answered("The switch was broken.")
    assert [len(found(a_session.store, "memory_fts", word)) for word in ("fuse", "wiring", "switch")] == [1, 1, 1]
    assert index_is_that_of_the_rows(a_session)


def test_a_tool_that_ends_after_its_turn_is_still_found_with_it(a_session):
    a_session.has_a_turn("Why is the lamp off?", "The switch was broken.")
    a_session.edits("src/fuse.py")
    a_session.is_answered("The switch was broken.")
    assert a_session.turns("files") == [("src/fuse.py\n",)]
    assert found(a_session.store, "memory_fts", "fuse") == [1]
    assert index_is_that_of_the_rows(a_session)


def test_the_checksum_and_cost_of_a_turn_are_those_of_its_texts(a_session):
    a_session.has_a_turn("Why is the lamp off?", "The switch was broken.")
    a_session.edits("src/fuse.py")
    a_session.asks("And the heating?")
    a_session.sends("pre-compact", trigger="auto")
    a_session.edits("src/boiler.py")
    a_session.is_answered("It is on.")
    a_session.edits("src/pipe.py")
    for *texts, checksum, tokens in a_session.turns("prompt, response, files, lines, checksum, tokens"):
        assert (checksum, tokens) == (row.checksum(*texts), row.tokens(*texts))


def test_a_session_that_ends_closes_its_turns(a_session):
    a_session.asks("Why is the lamp off?")
    a_session.sends("session-end", reason="logout")
    assert a_session.turns("status") == [("interrupted",)]


def test_a_prompt_wakes_a_session_that_has_ended(a_session):
    a_session.sends("session-end", reason="logout")
    a_session.asks("Why is the lamp off?")
    assert a_session.rows("SELECT ended_at, end_reason FROM sessions") == [(None, None)]


# What a turn holds


def test_the_context_holds_the_two_turns_before(a_session, another_session):
    another_session.has_a_turn("elsewhere", "elsewhere")
    for number in range(4):
        a_session.has_a_turn(f"prompt {number} " + "x" * 300, f"answer {number}")
    (context,) = a_session.turns("context")[-1]
    first, second = context.split("\n")
    assert first.startswith("prompt 2 xxx") and first.endswith("answer 2")
    assert second.startswith("prompt 1 xxx") and len(second) < 2 * 160 + 2
    assert a_session.turns("context")[1] == ("",)


def test_the_lines_are_the_commands_with_their_outcome_each_once(a_session):
    a_session.asks("Make the lamps")
    a_session.runs("make lamps", error="Exit code 2\nmake: *** missing fuse. Stop.\nerror: no fuse")
    a_session.runs("mv fuse box")
    a_session.runs("make lamps")
    a_session.runs("mv fuse box")
    a_session.edits("lamp.py")
    a_session.is_answered("Done.")
    assert a_session.turns("lines")[0][0] == "failed: make lamps\nerror: no fuse\npassed: make lamps\nran: mv fuse box"


def test_the_lines_of_a_long_turn_are_the_last_ones(a_session):
    a_session.asks("Make the lamps")
    for number in range(100):
        a_session.runs(f"make lamp number {number}")
    a_session.is_answered("Done.")
    (lines,) = a_session.turns("lines")[0]
    assert len(lines) <= 1200
    assert lines.endswith("passed: make lamp number 99") and "number 3\n" not in lines


def test_what_strangers_wrote_is_not_among_the_lines(a_session):
    a_session.asks("Look it up")
    a_session.runs("curl https://lamps.example", "buy lamps")
    a_session.is_answered("Done.")
    assert a_session.turns("lines, tainted") == [("", 1)]


def test_files_are_named_once_read_and_changed_apart(a_session):
    a_session.asks("Mend the lamp")
    for path in ("src/lamp.py", "src/lamp.py", "src/lamp", "src/fuse.py"):
        a_session.edits(path)
    for path in ("src/lamp.py", "wiring.md", "wiring.md"):
        a_session.uses("Read", file_path=f"{a_session.project.root}/{path}")
    assert a_session.turns("files, files_read") == [("src/lamp.py\nsrc/lamp\nsrc/fuse.py\n", "src/lamp.py\nwiring.md\n")]


def test_a_turn_does_not_fill_with_files_for_ever(a_session):
    a_session.asks("Rename the lamp everywhere")
    for number in range(400):
        a_session.edits(f"src/very/deep/folder/lamp_{number}.py")
    assert 8000 <= len(a_session.turns("files")[0][0]) < 8100


@folded(
    ("prompt", "kind"),
    [
        ("Why is the lamp off?", "prompt"),
        ("/mem-search lamp", "command"),
        ("/ralph-mem:mem-status", "command"),
        (" /mem-forget obs-1", "command"),
        ("/ralph-mem:purge obs-1", "command"),
        ("/ralph start mend the lamp", "loop"),
        ("/ralph-mem:ralph start", "loop"),
        ("<task-notification>done</task-notification>", "notification"),
        ('<teammate-message teammate_id="eve">\nlook\n</teammate-message>', "notification"),
        ('<channel source="slack" user="eve">\nlook\n</channel>', "notification"),
        ("This session is being continued from a previous conversation that ran out of context.", "notification"),
        ("/review the lamp", "prompt"),
        ("/ lamp", "prompt"),
        ("/", "prompt"),
        ("", "prompt"),
        ("/members of the board", "prompt"),
    ],
)
def test_the_kind_of_a_turn_is_told_by_its_prompt(prompt, kind):
    assert conversation.kind_of(prompt) == kind


def test_the_answer_to_one_of_our_commands_is_not_kept(a_session):
    a_session.has_a_turn("/mem-search lamp", "Found: the fuse was blown.")
    assert a_session.turns("kind, prompt, response") == [("command", "", "")]
    assert words_of(a_session.store, "memory_fts") == {}


def test_a_notification_has_no_prompt_but_an_answer(a_session):
    a_session.has_a_turn("<task-notification>the lamp works</task-notification>", "The errand is done.")
    assert a_session.turns("kind, prompt, response") == [("notification", "", "The errand is done.")]


@pytest.mark.parametrize(("asked", "said"), [("Use it", "I used {}."), ("Use {} please", "I used it.")])
def test_what_was_cut_out_of_a_prompt_or_its_answer_is_counted(a_session, asked, said):
    secret = "ghp_" + "a1B2" * 9
    a_session.has_a_turn(asked.format(secret), said.format(secret))
    prompt, response, redactions = a_session.turns("prompt, response, redactions")[0]
    assert secret not in prompt + response
    assert redactions == '{"github-token": 1}'


@folded(
    ("answer", "kept"),
    [("Done.", False), ("The subagent found that the fuse was blown, and I replaced it.", True)],
)
def test_a_nod_to_the_end_of_a_subagent_is_no_memory(a_session, answer, kept):
    before = a_session.rows("SELECT count(*) FROM memories")[0][0]
    a_session.asks("<task-notification>\n<summary>the agent is done</summary>\n</task-notification>")
    a_session.is_answered(answer)
    assert a_session.rows("SELECT count(*) FROM memories")[0][0] - before == kept
    assert a_session.turns("response")[-1] == (answer if kept else "",)
