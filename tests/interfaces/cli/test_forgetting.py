"""forget: nothing goes that was not shown and confirmed, and what goes is gone from the raw files."""

import json
import re
import signal
import subprocess
import sys

import pytest

from ralph_mem.maintenance.forget import pending
from tests.interfaces.cli.situations import STRANGERS, held

RATE_LIMIT = "Raise the rate limit of the export endpoint"


def everything(person):
    return {*person.values("SELECT public_id FROM turns"), *person.values("SELECT public_id FROM observations")}


def test_without_a_confirmation_it_is_only_shown(a_person):
    name, before = a_person.turn_that_says(RATE_LIMIT), a_person.raw()
    lines = a_person.reads("forget", name).splitlines()
    assert lines[0].startswith(f"{name}  ")
    assert lines[1] == "with it, since it tells of the same:"
    assert re.fullmatch(r"Nothing is deleted yet\. To delete exactly this, add --confirm [0-9a-f]{6}", lines[-1])
    assert a_person.raw() == before


WAYS = {
    "ids": ["turn"],
    "a text": ["--query", "rate limit"],
    "a time": ["--since", "7d"],
    "a type": ["--type", "note"],
    "all": ["--all"],
    "all with snapshots": ["--all", "--snapshots"],
    "a session": ["--session", "session"],
    "an origin": ["--origin", "user"],
}


@pytest.mark.check
@pytest.mark.parametrize("how", WAYS)
def test_what_was_not_shown_does_not_go_with_what_was(a_person, how):
    names = {
        "turn": a_person.turn_that_says(RATE_LIMIT),
        "session": a_person.values("SELECT public_id FROM sessions ORDER BY id LIMIT 1")[0],
    }
    a_person.reads("inject", "The rate limit is 60.")
    words = ["forget", *[names.get(word, word) for word in WAYS[how]]]
    order = a_person.confirming(*words)
    a_person.reads("inject", "Raise the rate limit to 90.")
    turn = a_person.values("SELECT public_id FROM turns WHERE session_id = 1 ORDER BY id LIMIT 1")[0]
    for name in {turn, names["turn"]}:
        a_person.reads("edit", name, "The rate limit was the cause.")
    before = a_person.raw()
    said = a_person.cli(*order)
    assert said.code == 1 and f"not what was shown under {order[-1]}: nothing is changed" in said.err
    (digits,) = re.findall(r"To delete exactly this, add --confirm ([0-9a-f]{6})", said.out)
    assert a_person.raw() == before and digits != order[-1]
    assert " deleted, with index entries" in a_person.reads(*words, "--confirm", digits.upper())


@pytest.mark.parametrize("words", ["--query rate --confirm", "--confirm --query rate", "--confirm NAME", "NAME --confirm="])
def test_a_confirmation_without_digits_shows_the_list_and_deletes_nothing(a_person, words):
    before = a_person.raw()
    shown = a_person.reads("forget", *words.replace("NAME", a_person.turn_that_says(RATE_LIMIT)).split())
    assert "To delete exactly this, add --confirm " in shown and a_person.raw() == before


def test_digits_of_another_list_confirm_nothing(a_person):
    order = a_person.confirming("forget", "--type", "error")
    assert "not what was shown" in a_person.cli("forget", "--type", "success", *order[-2:]).err
    assert "not what was shown" in a_person.cli("purge", "--origin", "user", "--confirm", "000000").err


def test_a_program_is_told_what_would_go_and_what_went(a_person):
    name, before = a_person.turn_that_says(RATE_LIMIT), everything(a_person)
    shown = a_person.json("forget", name)
    assert shown["confirmed"] is False and everything(a_person) == before
    done = a_person.json(*a_person.confirming("forget", name))
    assert before - everything(a_person) == set(shown["would_delete"])
    assert done == {
        "deleted": 3,
        "clean": True,
        "log_is_empty": True,
        "still_in": [],
        "said_by": [],
        "in_snapshots": False,
        "backups_deleted": [],
        "changed": {},
        "verified": {**done["verified"], "unread": [], "failed": ""},
        "pending": [],
        "transcripts": done["transcripts"],
        "out_of_reach": [pending.ALWAYS_OUT_OF_REACH],
    }
    assert done["verified"]["files"] > 3 and done["verified"]["bytes"] > 10_000 and done["verified"]["needles"] > 3


@pytest.mark.check
def test_what_was_done_is_kept_as_counts_and_never_as_text(a_person):
    a_person.confirms("forget", a_person.turn_that_says(RATE_LIMIT))
    (line,) = (a_person.data / "forgotten" / "audit.jsonl").read_text().splitlines()
    kept = json.loads(line)
    assert kept.pop("at") > 1_700_000_000_000
    assert kept.pop("files_read") > 3
    assert kept == {"rows": 3, "sessions": 0, "changed": {}, "clean": True, "pending": 0, "out_of_reach": kept["out_of_reach"]}


def test_all_of_a_project_goes_and_what_is_said_after_it_is_remembered(a_person):
    done = a_person.json(*a_person.confirming("forget", "--all", "--scope", "project"))
    assert done["clean"] and everything(a_person) == set()
    assert a_person.values("SELECT count(*) FROM sessions") == [0] and a_person.damage() == []
    a_person.start()
    a_person.prompt("Where do sticklebacks live?")
    assert a_person.values("SELECT prompt FROM turns") == ["Where do sticklebacks live?"]


@pytest.mark.check
def test_a_scope_leaves_the_other_memory_alone(a_person):
    a_person.reads("inject", "Sticklebacks swim upstream.")
    a_person.reads("inject", "--global", "Sticklebacks swim downstream.")
    assert len(a_person.json("forget", "-q", "Sticklebacks")["would_delete"]) == 2
    (shared,) = a_person.json("forget", "-q", "Sticklebacks", "--scope", "global")["would_delete"]
    (own,) = a_person.json(*a_person.confirming("forget", "-q", "Sticklebacks", "--scope", "project")) and [shared]
    assert a_person.json("forget", "-q", "Sticklebacks")["would_delete"] == [own]


@pytest.mark.parametrize(("option", "value"), [("--origin", "god"), ("--scope", "world")])
def test_an_unknown_origin_or_scope_is_named(a_person, option, value):
    assert f"there is no {option[2:]} {value}" in a_person.fails("forget", "-q", "rate", option, value, "--confirm")


@pytest.mark.check
def test_an_export_that_holds_it_is_named_and_left_alone(a_person):
    exported = a_person.folder / "export.jsonl"
    name = a_person.turn_that_says(RATE_LIMIT)
    exported.write_text(json.dumps(a_person.values("SELECT prompt FROM turns WHERE public_id = ?", name)))
    (a_person.data / "exports.jsonl").write_text(json.dumps({"path": str(exported), "at": 1}) + "\n")
    text = a_person.confirms("forget", name)
    assert f"Out of reach: an export that you made holds it: {exported}" in text and RATE_LIMIT in exported.read_text()


def test_what_is_confirmed_is_gone_from_every_file(a_person):
    text = a_person.confirms("forget", a_person.turn_that_says(RATE_LIMIT))
    assert text.startswith("3 rows deleted, with index entries and lines of receipts.\n")
    assert "no file kept for this project or for all projects holds the text any more" in text
    assert a_person.files_that_hold("EXPORT_PER_MINUTE") == a_person.files_that_hold(RATE_LIMIT) == []
    assert a_person.damage() == []


@pytest.mark.check
def test_a_text_that_others_say_too_is_told(a_person):
    a_person.reads("inject", "Sticklebacks swim upstream.")
    a_person.reads("inject", "Do you know?\nSticklebacks swim upstream.")
    first = a_person.observation_that_says("Sticklebacks")
    other = a_person.observation_that_says("Do you know?")
    assert other in a_person.confirms("forget", first)


@pytest.mark.check
def test_the_clients_own_transcript_is_named_and_left_alone(a_person):
    other = a_person.another()
    other.start()
    other.prompt("Where do sticklebacks live?")
    other.stop("In brooks.")
    transcript = other.home / ".claude" / "projects" / "-project" / f"{other.session}.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("In brooks.")
    text = a_person.confirms("forget", a_person.turn_that_says("sticklebacks"))
    assert f"Claude Code's own transcript is out of reach: {transcript}" in text
    assert transcript.read_text() == "In brooks."


def test_filters_all_have_to_fit(a_person):
    session, other = a_person.values("SELECT public_id FROM sessions ORDER BY id")
    (failed,) = a_person.values("SELECT public_id FROM observations WHERE type = 'error'")
    fitting = ["--type", "error", "--session", session, "--since", "1h", "-q", "PYTEST"]
    assert failed in a_person.json("forget", *fitting)["would_delete"]
    assert "nothing that is remembered fits" in a_person.fails("forget", "--type", "error", "--session", other)
    assert "nothing that is remembered fits" in a_person.fails("forget", "--type", "error", "--until", "2020-01-31")


def test_a_query_is_a_text_and_no_pattern(a_person):
    for query in ("%rate%", "limit rate", "x" * 100_000):
        assert "nothing that is remembered fits" in a_person.fails("forget", "--query", query, "--confirm")


@pytest.mark.check
def test_what_waits_to_be_stored_is_forgotten_too(a_person):
    with held(a_person):
        a_person.bash("make quetzalcoatlus", "ok")
    assert len(a_person.spooled()) == 1
    a_person.confirms("forget", "--query", "quetzalcoatlus")
    assert a_person.files_that_hold("quetzalcoatlus") == []


def test_a_preview_withholds_what_a_search_withholds(a_person):
    text = a_person.reads("forget", "--query", "grapefruit")
    assert "is withheld" in text and STRANGERS not in text


KILLED = """
import os, signal, sys
from ralph_mem.memory import access
from ralph_mem.maintenance.forget import erase, select
from ralph_mem.core.settings import effective
from ralph_mem.core.project import Project
from ralph_mem.memory.recall.lookup import Reader
place = Project(sys.argv[1])
reader = Reader(access.to_change(place), place, effective.load(place))
plans = select.plan(reader, select.Selection(query=sys.argv[2]))
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts the tests may have had it ignored
erase.forget(reader, plans, on_step=lambda step: step == "hidden" and os.kill(os.getpid(), signal.SIGINT))
"""


@pytest.mark.check
def test_the_same_forget_typed_again_after_ctrl_c_finishes_the_first_one(a_person):
    order = [sys.executable, "-c", KILLED, str(a_person.project), RATE_LIMIT]
    assert subprocess.run(order, env=a_person.terminal(), capture_output=True, check=False).returncode == -signal.SIGINT
    assert [*(a_person.data / "forgotten").glob("*.job")]
    said = a_person.cli("forget", "--query", RATE_LIMIT, "--confirm", "7a3f21")
    assert said.code == 1 and "nothing that is remembered fits" in said.err
    assert said.out.startswith("A forget that was interrupted is finished now:\n3 rows deleted")
    assert [*(a_person.data / "forgotten").glob("*.job")] == []


CUT_OFF = """
import os, signal, sqlite3, sys
from ralph_mem.interfaces.cli import app
from ralph_mem.memory import access
signal.signal(signal.SIGINT, signal.default_int_handler)
how = sys.argv.pop(1)
def rewrite(opened):
    if how == "disk":
        raise sqlite3.OperationalError("database or disk is full")
    os.kill(os.getpid(), signal.SIGINT)
access.rewrite = rewrite
app.main(sys.argv[1:])
"""


@pytest.mark.check
@pytest.mark.parametrize(("how", "why", "code"), [("disk", "database or disk is full", 1), ("ctrl-c", "interrupted", 130)])
def test_a_forget_that_is_cut_off_says_so_until_it_is_finished(a_person, how, why, code):
    order = [sys.executable, "-c", CUT_OFF, how, *a_person.confirming("forget", "--query", RATE_LIMIT)]
    said = subprocess.run(order, env=a_person.terminal(), cwd=a_person.project, capture_output=True, check=False)
    assert said.returncode == code
    assert said.stderr.decode().startswith(f"ralph-mem: {why}: the forget has begun: backups and other copies may hold the text")
    assert "a forget is not finished" in a_person.cli("status").out
    assert "warning  forget           one is not finished" in a_person.cli("doctor").out
    assert "A forget that was interrupted is finished now:\n3 rows deleted" in a_person.reads("forget")
    assert "not finished" not in a_person.cli("status").out + a_person.cli("doctor").out


FULL = CUT_OFF.replace(
    "access.rewrite = rewrite",
    """
from ralph_mem.memory.rows import tombstones
tombstones.add = lambda *_: rewrite(None)""",
)


@pytest.mark.check
def test_a_forget_that_found_the_disk_full_before_it_hid_a_row_is_named_until_it_is_finished(a_person):
    order = [sys.executable, "-c", FULL, "disk", *a_person.confirming("forget", "--query", RATE_LIMIT)]
    said = subprocess.run(order, env=a_person.terminal(), cwd=a_person.project, capture_output=True, check=False)
    assert b"the forget has begun" in said.stderr
    assert "a forget is not finished: its rows may still be found" in a_person.cli("status").out
    assert "warning  forget           one is not finished: its rows may still be found" in a_person.cli("doctor").out
    assert "A forget that was interrupted is finished now" in a_person.reads("forget")
    assert "not finished" not in a_person.cli("status").out + a_person.cli("doctor").out
