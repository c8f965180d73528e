"""The line that a person sees: that it works, what was told, what it cost; and nothing where nobody looks."""

import re
import subprocess
import uuid

import pytest

from ralph_mem.core.release import VERSION
from ralph_mem.ralph.room import walls
from tests.hook import INTERPRETER, REPOSITORY, said_to_model

ASKED = "Why does the halyard slip under load?"
ANSWER = "The halyard slipped because the cleat was mounted upside down."
AGAIN = "The halyard slips again, what was wrong with the cleat?"
RELEASE = "UPDATE properties SET value = ? WHERE key = 'release'"
HOSTILE = "halyard \x1b[31mred\u202e cleat\u200b"


@pytest.fixture
def sailed(a_session):
    """Have a session that somebody saw begin ask and answer something; the next one has somebody in front of it, too."""
    with a_session.connect() as db:
        db.execute("INSERT INTO properties VALUES ('release', ?)", (VERSION,))
    a_session.prompt(ASKED)
    a_session.edit("rig.py", "a", "b")
    a_session.stop(ANSWER)
    a_session.end()
    return a_session.attended()


def shown(answer):
    return answer.get("systemMessage", "")


def test_the_first_session_says_that_the_project_is_recorded_where_and_how_to_switch_it_off(a_project):
    first, second = (shown(a_project.attended().start()) for _ in range(2))
    assert first == f"ralph-mem: this project is recorded from now on, in {a_project.memory}; /mem pause switches that off"
    assert second == ""


def test_where_nobody_saw_the_first_session_begin_the_first_start_that_somebody_sees_says_so_once(a_session):
    a_session.prompt(ASKED)
    a_session.stop(ANSWER)
    first, second = (shown(a_session.attended().start()) for _ in range(2))
    assert first.endswith(f"; this project is recorded, in {a_session.memory}; /mem pause switches that off")
    assert "1 memory here" in first and "1 memory here" in second and "is recorded" not in second


@pytest.mark.skipif(bool(walls.why_not()), reason=f"bubblewrap cannot be used here: {walls.why_not()}")
def test_the_first_session_says_where_a_later_one_will_not_know_the_memory_as_the_person_s(a_project):
    person = a_project.attended()
    person.home.mkdir(exist_ok=True)
    person.wrap = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(person.home), str(person.home)]
    line = shown(person.start())
    assert "recorded from now on" in line and "will set this memory aside" in line and "`ralph-mem trust --memory`" in line


def test_a_start_says_how_much_is_here_what_was_told_and_what_it_cost(sailed):
    line = shown(sailed.start())
    tokens = sailed.values("SELECT tokens FROM receipts ORDER BY id DESC LIMIT 1")[0]
    assert line == f"ralph-mem: 1 memory here; told 1 ({tokens} tokens): {ASKED}; /mem for more"


def test_a_start_counts_no_further_than_a_thousand_memories(sailed):
    many = "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 1010) "
    with sailed.connect() as db:
        db.execute(many + "INSERT INTO memories (id, created_at) SELECT i, 0 FROM n")
    assert shown(sailed.start()).startswith("ralph-mem: more than 1000 memories here; ")


def test_a_prompt_that_is_told_something_says_so_and_another_says_nothing(sailed):
    told, untold = sailed.prompt(AGAIN), sailed.prompt("Write a haiku about autumn")
    assert re.fullmatch(rf"ralph-mem: told 1 \(\d+ tokens\): {re.escape(ASKED)}", shown(told))
    assert untold == {}


def test_a_resumed_session_is_told_nothing_anew(sailed):
    assert shown(sailed.start(source="resume")) == "ralph-mem: 1 memory here; /mem for more"


def test_what_begins_alike_is_named_once(sailed):
    said = "Cleats are oiled in March before the first of the boats goes out"
    sailed.typed("mem-inject", said)
    sailed.prompt(f"{said}; write a list for it")
    sailed.edit("rig.py", "b", "c")
    sailed.stop(ANSWER)
    line = shown(sailed.attended().start())
    assert " told 3 " in line and line.count("Cleats are oiled in March before the...") == 1


def test_a_name_ends_without_a_full_stop(sailed):
    sailed.typed("mem-inject", "Cleats are oiled in March.")
    assert re.search(r"\): Cleats are oiled in March, ", shown(sailed.attended().start()))


def test_where_telling_is_switched_off_the_line_says_so(sailed):
    (sailed.memory / "config.yaml").write_text("memory:\n  auto_inject: false\n")
    assert shown(sailed.start()) == "ralph-mem: 1 memory here; telling is switched off; /mem for more"


@pytest.mark.parametrize("word", ["off", "'off'"])
def test_off_shows_nothing_and_changes_nothing_of_what_is_told(sailed, word):
    config = sailed.home / ".config" / "ralph-mem" / "config.yaml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f"memory:\n  show: {word}\n")
    answers = [sailed.start(), sailed.prompt(AGAIN), sailed.attended().start()]
    assert [shown(each) for each in answers] == ["", "", ""]
    assert [ANSWER in said_to_model(each) for each in (answers[0], answers[2])] == [True, True]


def test_full_names_each_memory_with_its_id_and_its_price(sailed):
    sailed.environment["RALPH_MEM_MEMORY_SHOW"] = "full"
    (name,) = sailed.values("SELECT public_id FROM turns")
    assert re.search(rf"told 1 \(\d+ tokens\): {name} \d+ {re.escape(ASKED)}; ", shown(sailed.start()))


@pytest.mark.parametrize("nobody", [{"CLAUDE_CODE_SESSION_ATTENDED": "0"}, {"RALPH_MEM_LOOP": "1"}], ids=str)
def test_where_nobody_looks_nothing_is_shown(sailed, nobody):
    other = sailed.another(**nobody)
    assert shown(other.start()) == shown(other.prompt(AGAIN)) == ""


def test_a_client_that_does_not_say_who_attends_is_attended(sailed):
    assert "1 memory here" in shown(sailed.another(CLAUDE_CODE_SESSION_ATTENDED=None).start())


def test_what_read_a_page_is_told_and_not_named(sailed):
    with sailed.connect() as db:
        db.execute("UPDATE turns SET tainted = 1")
    answer = sailed.start()
    assert "halyard" in said_to_model(answer)
    assert re.search(r"; told 1 \(\d+ tokens\); ", shown(answer))


def test_a_note_of_an_agent_is_told_and_not_named(sailed):
    for words in ("Cleats come from the agent", "Cleats come from the person"):
        sailed.typed("mem-inject", words)
    with sailed.connect() as db:
        db.execute("UPDATE observations SET origin = 'agent' WHERE title LIKE '%the agent'")
    line = shown(sailed.attended().start())
    assert "from the person" in line and "from the agent" not in line and " told 3 " in line


def test_a_name_holds_nothing_that_cannot_be_printed(sailed):
    sailed.prompt(HOSTILE)
    sailed.edit("rig.py", "b", "c")
    sailed.stop(ANSWER)
    line = shown(sailed.attended().start())
    assert "red" in line and line.isprintable()


def test_a_name_is_cut_out_by_a_rule_that_came_later(sailed):
    (sailed.memory / "config.yaml").write_text("privacy:\n  redact_patterns: ['under load']\n")
    assert "under load" not in shown(sailed.start())


def test_an_update_is_said_once(sailed):
    sailed.start()
    with sailed.connect() as db:
        db.execute(RELEASE, ("0.0.9",))
    first, second = (shown(sailed.attended().start()) for _ in range(2))
    assert first.endswith(f"; updated from 0.0.9 to {VERSION}: CHANGELOG.md in the plugin's folder says what is new")
    assert "updated" not in second


def test_trouble_comes_first(sailed):
    sailed.trouble.parent.mkdir(parents=True, exist_ok=True)
    sailed.trouble.write_text("an event was lost")
    assert shown(sailed.start()).startswith("ralph-mem: an event was lost; 1 memory here; ")


# Sessions from before


def keep_sessions(hook, *names):
    """Have the client keep transcripts of sessions that no hook has heard, beside that of this one; none can be read."""
    folder = hook.home / ".claude" / "projects" / "-project"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("no transcript")
        (folder / name).chmod(0)


def test_sessions_from_before_are_offered_once_by_their_number(a_project):
    keep_sessions(a_project, *[f"{uuid.uuid4()}.jsonl" for _ in range(7)], "agent-1a2b.jsonl", "notes.md", f"{uuid.uuid4()}")
    first, second = (shown(a_project.attended().start()) for _ in range(2))
    assert first.endswith("; /mem pause switches that off; 7 earlier sessions of this project are on this machine: /mem import")
    assert "earlier" not in second


def test_one_session_from_before_is_one(a_project):
    keep_sessions(a_project, f"{uuid.uuid4()}.jsonl")
    assert "; 1 earlier session of this project is on this machine: /mem import" in shown(a_project.attended().start())


def test_what_hooks_have_heard_is_not_offered(a_session):
    session = a_session.attended()
    keep_sessions(a_session, f"{a_session.session}.jsonl", f"{session.session}.jsonl")
    assert "earlier" not in shown(session.start())


def test_an_offer_waits_for_somebody_who_can_read_it(a_project):
    keep_sessions(a_project, f"{uuid.uuid4()}.jsonl")
    a_project.start()
    assert "1 earlier session" in shown(a_project.attended().start())


def test_how_many_sentences_wait_for_a_yes_or_no_is_said_once_a_day(sailed):
    said = ("Always run `make rig` first.", "We decided to stay with hemp.")
    for each in said:
        sailed.prompt(each)
        sailed.stop()
    order = [INTERPRETER, "-I", "-S", REPOSITORY / "ralph_mem" / "interfaces" / "learner.py", sailed.memory]
    subprocess.run(order, env={"HOME": str(sailed.home)}, check=True, timeout=60)
    first, second = shown(sailed.start()), shown(sailed.start())
    assert "; 2 to review: /mem learn" in first and "to review" not in second
    with sailed.connect() as db:
        db.execute("UPDATE properties SET value = value - 86400001 WHERE key = 'review_told'")
    assert "2 to review" in shown(sailed.start())
