"""forget: nothing goes that was not shown and confirmed, and what goes is gone from the raw files."""

import json
import signal
import subprocess
import sys

import pytest

from ralph_mem import erasure_report
from tests.cli.situations import STRANGERS, held

RATE_LIMIT = "Raise the rate limit of the export endpoint"


def everything(person):
    return {*person.values("SELECT public_id FROM turns"), *person.values("SELECT public_id FROM observations")}


def test_without_a_confirmation_it_is_only_shown(a_person):
    name, before = a_person.turn_that_says(RATE_LIMIT), a_person.raw()
    lines = a_person.reads("forget", name).splitlines()
    assert lines[0].startswith(f"{name}  ")
    assert lines[1] == "with it, since it tells of the same:"
    assert lines[-1] == "Nothing is deleted yet. To delete this, add --confirm."
    assert a_person.raw() == before


def test_a_program_is_told_what_would_go_and_what_went(a_person):
    name, before = a_person.turn_that_says(RATE_LIMIT), everything(a_person)
    shown = a_person.json("forget", name)
    assert shown["confirmed"] is False and everything(a_person) == before
    done = a_person.json("forget", name, "--confirm")
    assert before - everything(a_person) == set(shown["would_delete"])
    assert done == {
        "deleted": 3,
        "clean": True,
        "log_is_empty": True,
        "still_in": [],
        "said_by": [],
        "backups_deleted": [],
        "changed": {},
        "verified": {**done["verified"], "unread": [], "failed": ""},
        "pending": [],
        "transcripts": done["transcripts"],
        "out_of_reach": [erasure_report.ALWAYS_OUT_OF_REACH],
    }
    assert done["verified"]["files"] > 3 and done["verified"]["bytes"] > 10_000 and done["verified"]["needles"] > 3


def test_what_was_done_is_kept_as_counts_and_never_as_text(a_person):
    a_person.reads("forget", a_person.turn_that_says(RATE_LIMIT), "--confirm")
    (line,) = (a_person.data / "forgotten" / "audit.jsonl").read_text().splitlines()
    kept = json.loads(line)
    assert kept.pop("at") > 1_700_000_000_000
    assert kept.pop("files_read") > 3
    assert kept == {"rows": 3, "sessions": 0, "changed": {}, "clean": True, "pending": 0, "out_of_reach": kept["out_of_reach"]}


def test_all_of_a_project_goes_and_what_is_said_after_it_is_remembered(a_person):
    done = a_person.json("forget", "--all", "--scope", "project", "--confirm")
    assert done["clean"] and everything(a_person) == set()
    assert a_person.values("SELECT count(*) FROM sessions") == [0] and a_person.damage() == []
    a_person.start()
    a_person.prompt("Where do sticklebacks live?")
    assert a_person.values("SELECT prompt FROM turns") == ["Where do sticklebacks live?"]


def test_a_scope_leaves_the_other_memory_alone(a_person):
    a_person.reads("inject", "Sticklebacks swim upstream.")
    a_person.reads("inject", "--global", "Sticklebacks swim downstream.")
    assert len(a_person.json("forget", "-q", "Sticklebacks")["would_delete"]) == 2
    (shared,) = a_person.json("forget", "-q", "Sticklebacks", "--scope", "global")["would_delete"]
    (own,) = a_person.json("forget", "-q", "Sticklebacks", "--scope", "project", "--confirm") and [shared]
    assert a_person.json("forget", "-q", "Sticklebacks")["would_delete"] == [own]


@pytest.mark.parametrize(("option", "value"), [("--origin", "god"), ("--scope", "world")])
def test_an_unknown_origin_or_scope_is_named(a_person, option, value):
    assert f"there is no {option[2:]} {value}" in a_person.fails("forget", "-q", "rate", option, value, "--confirm")


def test_an_export_that_holds_it_is_named_and_left_alone(a_person):
    exported = a_person.folder / "export.jsonl"
    name = a_person.turn_that_says(RATE_LIMIT)
    exported.write_text(json.dumps(a_person.values("SELECT prompt FROM turns WHERE public_id = ?", name)))
    (a_person.data / "exports.jsonl").write_text(json.dumps({"path": str(exported), "at": 1}) + "\n")
    text = a_person.reads("forget", name, "--confirm")
    assert f"Out of reach: an export that you made holds it: {exported}" in text and RATE_LIMIT in exported.read_text()


def test_what_is_confirmed_is_gone_from_every_file(a_person):
    text = a_person.reads("forget", a_person.turn_that_says(RATE_LIMIT), "--confirm")
    assert text.startswith("3 rows deleted, with index entries and lines of receipts.\n")
    assert "no file of ralph-mem holds the text any more" in text
    assert a_person.files_that_hold("EXPORT_PER_MINUTE") == a_person.files_that_hold(RATE_LIMIT) == []
    assert a_person.damage() == []


def test_a_text_that_others_say_too_is_told(a_person):
    a_person.reads("inject", "Sticklebacks swim upstream.")
    a_person.reads("inject", "Do you know?\nSticklebacks swim upstream.")
    first = a_person.observation_that_says("Sticklebacks")
    other = a_person.observation_that_says("Do you know?")
    assert other in a_person.reads("forget", first, "--confirm")


def test_the_clients_own_transcript_is_named_and_left_alone(a_person):
    other = a_person.another()
    other.start()
    other.prompt("Where do sticklebacks live?")
    other.stop("In brooks.")
    transcript = other.home / ".claude" / "projects" / "-project" / f"{other.session}.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("In brooks.")
    text = a_person.reads("forget", a_person.turn_that_says("sticklebacks"), "--confirm")
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


def test_what_waits_to_be_stored_is_forgotten_too(a_person):
    with held(a_person):
        a_person.bash("make quetzalcoatlus", "ok")
    assert len(a_person.spooled()) == 1
    a_person.reads("forget", "--query", "quetzalcoatlus", "--confirm")
    assert a_person.files_that_hold("quetzalcoatlus") == []


def test_a_preview_withholds_what_a_search_withholds(a_person):
    text = a_person.reads("forget", "--query", "grapefruit")
    assert "is withheld" in text and STRANGERS not in text


KILLED = """
import os, signal, sys
from ralph_mem import access, erasure, selection
from ralph_mem.core import settings
from ralph_mem.core.project import Project
from ralph_mem.recall import Reader
place = Project(sys.argv[1])
reader = Reader(access.to_change(place), place, settings.load(place))
plans = selection.plan(reader, selection.Selection(query=sys.argv[2]))
erasure.forget(reader, plans, on_step=lambda step: step == "hidden" and os.kill(os.getpid(), signal.SIGINT))
"""


def test_the_same_forget_typed_again_after_ctrl_c_finishes_the_first_one(a_person):
    order = [sys.executable, "-c", KILLED, str(a_person.project), RATE_LIMIT]
    assert subprocess.run(order, env=a_person.terminal(), capture_output=True, check=False).returncode == -signal.SIGINT
    assert [*(a_person.data / "forgotten").glob("*.job")]
    said = a_person.cli("forget", "--query", RATE_LIMIT, "--confirm")
    assert said.code == 1 and "nothing that is remembered fits" in said.err
    assert said.out.startswith("A forget that was interrupted is finished now:\n3 rows deleted")
    assert [*(a_person.data / "forgotten").glob("*.job")] == []
