"""search, timeline, show: the three layers, for people and for programs."""

import json
import re

import pytest

from tests.interfaces.cli.situations import STRANGERS, Person
from tests.interfaces.cli.test_app import on_a_terminal

SIGNING_IN = "People are thrown out right after signing in"
RATE_LIMIT = "Raise the rate limit of the export endpoint"
FACTS = {"id", "type", "score", "at", "gist", "tokens", "namespace", "origin", "pinned", "wrong", "tainted"}
WHOLE = FACTS | {"text", "files", "branch", "commit", "transcript", "prompt_id", "emptied_at"}


# search


def test_a_search_prints_what_happened_around_each_hit(a_person):
    text = a_person.reads("search", "thrown", "signing", "--type", "turn")
    assert text.startswith(f"> {a_person.turn_that_says(SIGNING_IN)}  ")
    assert "\n  obs-" in text and "error: python -m pytest -q tests/test_session.py" in text


def test_the_first_layer_is_a_line_for_each_hit(a_person):
    line, *_ = a_person.reads("search", "--layer", "1", "thrown", "signing").splitlines()
    name = a_person.turn_that_says(SIGNING_IN)
    assert re.fullmatch(rf"{name}  score \d\.\d\d  turn  \d{{4}}-\d\d-\d\d \d\d:\d\d  {SIGNING_IN}.+  \[\d+ tokens\]", line)


def test_the_third_layer_is_the_whole_text(a_person):
    assert "the session tests pass and staging is deployed." in a_person.reads("search", "-l", "3", "-n", "1", "thrown", "signing")


def test_a_program_gets_the_facts_of_each_hit(a_person):
    (found,) = a_person.json("search", "thrown", "signing", "--type", "turn", "--limit", "1")
    assert found.keys() == FACTS
    assert found["id"] == a_person.turn_that_says(SIGNING_IN) and found["type"] == "turn"
    assert found["score"] > 1 and found["namespace"] == "project" and found["origin"] == "user"
    assert not (found["pinned"] or found["wrong"] or found["tainted"])


def test_a_program_gets_more_from_a_deeper_layer(a_person):
    (around,) = a_person.json("search", "--layer", "2", "-n", "1", "thrown")
    assert around.keys() == FACTS | {"timeline"} and all(entry.keys() == FACTS for entry in around["timeline"])
    (whole,) = a_person.json("search", "--layer", "3", "-n", "1", "thrown")
    assert whole.keys() == WHOLE and whole["files"] == ["auth/session.py", "auth/tokens.py"]


def test_a_program_gets_an_empty_list_where_nothing_is_found(a_person):
    assert a_person.json("search", "hippopotamus") == []
    assert a_person.reads("search", "hippopotamus") == "Nothing that is remembered holds any of these words.\n"


def test_the_ids_of_sessions_stay_in_one_line_on_a_narrow_terminal(a_person):
    shown = on_a_terminal(a_person, "sessions", COLUMNS="80")
    assert [each["id"] for each in a_person.json("sessions") if each["id"] not in shown] == []


def test_types_and_times_hold(a_person):
    for types in (("-t", "error", "-t", "success"), ("--type", "error, success")):
        found = a_person.json("search", "pytest", *types, "--since", "1h")
        assert {each["type"] for each in found} == {"error", "success"}
    assert a_person.json("search", "pytest", "--since", "1h", "--until", "2020-01-31") == []


def test_text_from_the_web_is_shown_only_where_it_is_asked_for(a_person):
    words = ["grapefruit", "--layer", "3", "--type", "tool_use"]
    assert STRANGERS not in a_person.reads("search", *words)
    assert STRANGERS in a_person.reads("search", *words, "--outside")
    assert STRANGERS in a_person.reads("show", a_person.observation_that_says(STRANGERS), "--outside")


def test_what_is_kept_for_all_projects_is_found_and_named_so(a_person):
    a_person.reads("inject", "--global", "Zebras are filed under Z.")
    (found,) = a_person.json("search", "zebras")
    assert found["namespace"] == "global"


def test_another_project_is_searched_by_its_folder_or_its_name(a_person, tmp_path):
    other = Person(tmp_path / "person", a_person.plugin, project="aquarium")
    other.start()
    other.prompt("How many sticklebacks are there?")
    other.stop("Eleven.")
    for name in ("aquarium", str(other.project)):
        assert a_person.json("search", "sticklebacks", "--project", name)[0]["type"] == "turn"


QUERIES = {
    "FTS5": 'NEAR("thrown" "b" , 5) AND title : thrown* ^thrown NOT (z OR',
    "SQL": "thrown'; DROP TABLE turns; --",
    "brackets": "thrown [REDACTED:x] {}",
    "a NUL's name": "thrown \\0 %00",
    "CJK": "\u6642\u9593\u5e2f",
    "100 KB": "thrown " + "word " * 20_000,
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_whatever_is_searched_for_is_words(a_person, query):
    assert json.loads(a_person.reads("search", "--json", "--", query)) != []


# timeline


def test_a_timeline_is_what_happened_in_order(a_person):
    lines = a_person.reads("timeline", a_person.turn_that_says(SIGNING_IN)).splitlines()
    assert [line[:2] for line in lines] == ["> ", *["  "] * (len(lines) - 1)]
    assert [line.split()[1][:4] if line[0] == ">" else line.split()[0][:4] for line in lines][-1] == "turn"
    assert RATE_LIMIT in lines[-1]


def test_a_timeline_goes_as_far_as_is_asked(a_person):
    name = a_person.turn_that_says(RATE_LIMIT)
    assert SIGNING_IN in a_person.reads("timeline", name)
    assert SIGNING_IN not in a_person.reads("timeline", name, "--before", "0")


def test_a_timeline_for_a_program_is_a_list_of_facts(a_person):
    entries = a_person.json("timeline", a_person.turn_that_says(SIGNING_IN))
    assert all(entry.keys() == FACTS for entry in entries)
    assert [entry["at"] for entry in entries] == sorted(entry["at"] for entry in entries)
    assert entries[-1]["gist"].startswith(RATE_LIMIT)


# show


def test_a_memory_is_shown_whole(a_person):
    name = a_person.turn_that_says(SIGNING_IN)
    text = a_person.reads("show", name)
    assert text.startswith(f"{name}  turn  ") and "changed: auth/session.py, auth/tokens.py" in text


def test_a_long_memory_is_shown_in_pieces_or_at_once(a_person):
    a_person.reads("inject", "-", stdin="\n".join(f"line {number}" for number in range(800)).encode())
    name = a_person.observation_that_says("line 0")
    first = a_person.reads("show", name)
    (start,) = re.findall(r"from character (\d+)\n", first)
    rest = a_person.reads("show", name, "--from", start)
    assert "line 799" not in first and f"line {first.count('line ')}\n" in rest
    assert a_person.reads("show", name, "--all").splitlines() == [f"line {number}" for number in range(800)]


def test_behind_the_end_there_is_nothing_more(a_person):
    assert "more tokens" not in a_person.reads("show", a_person.turn_that_says(RATE_LIMIT), "--from", "99999")


def test_a_memory_for_a_program_has_its_text_and_where_it_comes_from(a_person):
    found = a_person.json("show", a_person.turn_that_says(RATE_LIMIT))
    assert found.keys() == WHOLE
    assert found["text"].startswith(RATE_LIMIT) and found["files"] == ["api/limits.py"] and found["prompt_id"] == "p2"


def test_reading_changes_nothing(a_person):
    before, name = a_person.raw(), a_person.turn_that_says(SIGNING_IN)
    a_person.all_at_once(["search thrown", f"timeline {name}", f"show {name}", "why", "preview thrown", "status"])
    assert a_person.raw() == before


# sessions


def test_sessions_are_listed_and_one_is_shown_whole(a_person):
    found = a_person.json("sessions")
    assert len(found) == 2 and found[0]["at"] > found[1]["at"]
    lines = a_person.reads("sessions").splitlines()
    assert lines[0].split()[:4] == ["session", "when", "for", "prompts"] and lines[1].startswith(found[0]["id"])
    first = next(each for each in found if SIGNING_IN in each["request"])
    text = a_person.reads("show", first["id"])
    assert text.startswith(f"{first['id']}  session  ") and SIGNING_IN in text and "last answer:" in text
    assert "failed once, then passed: python -m pytest -q tests/test_session.py" in text
    assert a_person.json("show", first["id"])["text"] in a_person.reads("show", "--all", first["id"])


def test_where_there_is_no_session_that_is_told(a_newcomer):
    a_newcomer.cli("inject", "a lamp")
    assert a_newcomer.reads("sessions") == "No session is remembered here yet.\n"


def test_sessions_are_limited_and_none_is_told(a_person):
    assert len(a_person.json("sessions", "--limit", "1")) == 1
    assert a_person.reads("sessions", "--until", "2020-01-31") == "No session is remembered here from that time.\n"
    assert "no memory has the id sess-" in a_person.fails("show", "sess-aaaaaaaaaa")
