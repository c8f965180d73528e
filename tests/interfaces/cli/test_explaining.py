"""why, preview: what was told and what would be told, for which reasons and at which price."""

import json
import re
import subprocess

from tests.hook import said_to_model
from tests.interfaces.cli.situations import QUESTION, inside

SIGNING_IN = "People are thrown out right after signing in"
RATE_LIMIT = "Raise the rate limit of the export endpoint"
ITEM = {"memory", "outcome", "score", "why", "tokens", "marked_wrong_at", "gist"}


# why


def test_each_receipt_says_what_was_told_and_what_it_cost(a_person):
    text = a_person.reads("why")
    first, second = re.findall(r"^\d{4}-\d\d-\d\d \d\d:\d\d  (.+): \d+ of (\d+) tokens$", text, re.MULTILINE)
    assert first == ("SessionStart", "1500")
    assert second == ('UserPromptSubmit for "' + QUESTION + '"', "600")
    name = a_person.turn_that_says(SIGNING_IN)
    assert re.search(rf"^  {name}  full, \d+ tokens, likely 0\.\d\d: fits [^:]*: {SIGNING_IN}", text, re.MULTILINE)


def test_a_program_gets_receipts_with_their_items(a_person):
    newest, oldest = a_person.json("why")
    assert newest.keys() == {"session", "event", "at", "budget", "tokens", "prompt", "items"}
    assert (newest["event"], oldest["event"]) == ("UserPromptSubmit", "SessionStart")
    assert newest["prompt"] == QUESTION and oldest["prompt"] == ""
    assert all(item.keys() == ITEM for item in newest["items"] + oldest["items"])


def test_only_as_many_as_are_asked_for(a_person):
    assert [receipt["event"] for receipt in a_person.json("why", "--last", "1")] == ["UserPromptSubmit"]


def test_only_those_that_name_a_memory(a_person):
    name = a_person.turn_that_says(RATE_LIMIT)  # which the briefing told, and the prompt did not mean
    (receipt,) = a_person.json("why", name)
    assert receipt["event"] == "SessionStart" and name in [item["memory"] for item in receipt["items"]]


def test_only_those_of_a_session(a_person):
    first, second = a_person.values("SELECT public_id FROM sessions ORDER BY id")
    assert a_person.json("why", "--session", first) == []
    assert {receipt["session"] for receipt in a_person.json("why", "--session", second)} == {second}


def test_a_forgotten_memory_is_not_told_of(a_person):
    a_person.confirms("forget", a_person.turn_that_says(SIGNING_IN))
    assert SIGNING_IN not in a_person.reads("why")


def test_where_nothing_was_told_that_is_said(a_newcomer):
    a_newcomer.start()
    assert a_newcomer.reads("why") == "Nothing was told yet.\n"
    assert a_newcomer.json("why") == []


# preview


def test_a_preview_is_what_a_new_session_is_then_told(a_person):
    question = "How many requests a minute does the export endpoint allow by now?"
    start, prompt = a_person.json("preview", question)
    other = a_person.another()
    told = {"SessionStart": said_to_model(other.start()), "UserPromptSubmit": said_to_model(a_person.another().prompt(question))}
    assert re.sub("ralph-mem-[0-9a-f]{24}", "ralph-mem-TAG", told["SessionStart"]) == start["text"] != ""
    assert re.sub("ralph-mem-[0-9a-f]{24}", "ralph-mem-TAG", told["UserPromptSubmit"]) == prompt["text"] != ""


def test_a_preview_below_the_top_is_what_a_session_at_work_there_is_told(a_person):
    subprocess.run(["git", "init", "-q", a_person.project], check=True)
    work = a_person.project / "pier"
    work.mkdir()
    a_person.prompt("Oil the hinges of the gate.")
    a_person.edit("pier/gate.py", "dry", "oiled")
    a_person.stop("Oiled.")
    (start,) = json.loads(a_person.reads("preview", "--json", cwd=work))
    assert "those that changed something in pier/ first" in start["text"]
    assert "those that changed" not in a_person.json("preview")[0]["text"]
    a_person.environment["CLAUDE_PROJECT_DIR"] = str(work)
    assert "in pier/ first" in a_person.types("mem", "preview")


def test_a_preview_shows_text_price_and_reasons(a_person):
    text = a_person.reads("preview", QUESTION)
    assert re.search(r"^SessionStart: \d+ of 1500 tokens\n<ralph-mem-TAG>\n", text)
    assert re.search(r"^UserPromptSubmit: \d+ of 600 tokens\n<ralph-mem-TAG>\n", text, re.MULTILINE)
    assert re.search(r"^  turn-\w+  full, \d+ tokens, likely 0\.\d\d: fits ", text, re.MULTILINE)


def test_a_preview_for_a_program_has_the_same(a_person):
    start, prompt = a_person.json("preview", QUESTION)
    assert start.keys() == prompt.keys() == {"event", "budget", "tokens", "text", "items"}
    assert prompt["tokens"] == sum(item["tokens"] for item in prompt["items"] if item["outcome"] != "missed") <= prompt["budget"]
    assert "It was the proxy this time" in inside(prompt["text"], "ralph-mem-TAG")


def test_a_prompt_that_means_nothing_is_told_nothing(a_person):
    for prompt in ("continue", "please write a haiku about autumn", "/mem-search thrown"):
        assert a_person.reads("preview", prompt).endswith("UserPromptSubmit: nothing\n"), prompt


def test_without_a_prompt_only_the_start_is_shown(a_person):
    assert [each["event"] for each in a_person.json("preview")] == ["SessionStart"]


def test_where_nothing_is_to_be_told_nothing_is_shown(a_person):
    (a_person.memory / "config.yaml").write_text("memory:\n  auto_inject: false\n")
    assert a_person.reads("preview", QUESTION) == "SessionStart: nothing\nUserPromptSubmit: nothing\n"
