"""What a program reads: every command that prints data has --json, and prints nothing but one JSON value then."""

import json

import pytest

from tests.interfaces.cli.test_app import LEAVES

# What prints no data: a page for people, a play, a line for the client, and what only a session can do.
NO_DATA = {"man", "demo", "statusline", "ralph guard", "page"}
# What is run elsewhere with --json, since it takes minutes, a model, a loop or files of its own.
ELSEWHERE = {
    "bench retrieval", "bench injection", "bench loop", "bench commands", "bench facts", "bench taught", "bench precision",
    "bench truth", "embeddings setup", "embeddings rebuild",
    "tokens", "import", "import-archive", "ralph start", "ralph plan", "ralph stop", "ralph resume", "ralph rollback",
    "ralph apply", "ralph diff", "ralph log", "ralph hint", "ralph pause", "ralph continue", "ralph watch",
    "ralph bisect", "ralph replay", "playbook import", "relations edit", "relations remove",
    "team init", "team join", "team leave", "team accept", "team key", "team rotate",
}  # fmt: skip
# Words that go well for somebody who remembers a session; TURN, SESSION and FACT stand for ids.
WORDS = {
    "search": "thrown", "timeline": "TURN", "show": "TURN", "sessions": "SESSION", "preview": "thrown", "inject": "a note",
    "edit": "TURN It was the clock.", "pin": "TURN", "wrong": "TURN", "forget": "--query thrown", "purge": "--origin outside",
    "facts add": "The lamp is dear.", "facts show": "FACT", "facts history": "FACT", "facts edit": "FACT The lamp is cheap.",
    "facts accept": "FACT", "facts reject": "FACT", "facts retire": "FACT", "facts undo": "FACT",
    "facts fold": "FACT OTHER", "facts promote": "FACT", "facts starter": "tests", "core set": "port 8080", "core get": "KEY",
    "core delete": "KEY",
    "config get": "memory.show", "config set": "memory.show full", "config unset": "SETTING",
    "export": "--to out.jsonl", "ralph config": "max_iterations 3",
    "playbook search": "never", "sql": "SELECT(1)", "share": "FACT", "hosts add": "gemini --dry-run",
    "hosts remove": "gemini",
}  # fmt: skip
AT_A_TERMINAL = {"team approve"}  # what only a person is shown
NAMES = [" ".join(path[1:]) for path, _ in LEAVES]
RUN = [name for name in NAMES if name not in NO_DATA | ELSEWHERE]


def test_a_command_that_prints_data_prints_it_for_a_program_too():
    knows = {
        " ".join(path[1:]) for path, command in LEAVES if any("--json" in getattr(each, "opts", ()) for each in command.params)
    }
    assert set(NAMES) - knows == NO_DATA


def said_of(person, name, words):
    ids = {"TURN": person.turn_that_says("thrown"), "SESSION": person.values("SELECT public_id FROM sessions")[0]}
    person.has_terminal = name in AT_A_TERMINAL
    person.cli("inject", "something to take back")
    if "KEY" in words:
        person.cli("core", "set", "port", "8080")
        ids["KEY"] = "port"
    if "SETTING" in words:
        person.cli("config", "set", "memory.show", "full")
        ids["SETTING"] = "memory.show"
    if "FACT" in words:
        person.cli("facts", "add", "Lamps are kept in the cellar of building 4.")
        ids["FACT"] = person.json("facts", "add", "Lamps are kept in the cellar of building 5.")["id"]
    if "OTHER" in words:
        ids["OTHER"] = person.json("facts", "add", "Deploys go to Bonn.")["id"]
    return person.cli(*name.split(), *[ids.get(word, word) for word in words.split()], "--json")


@pytest.mark.check
@pytest.mark.parametrize("name", RUN)
def test_a_program_reads_one_value(a_person, name):
    said = said_of(a_person, name, WORDS.get(name, ""))
    assert said.err == "" and said.code in (0, 1), said
    assert json.loads(said.out) is not None
    assert said.code == 0 or name in ("doctor", "status", "config check")


def test_what_failed_leaves_a_program_without_a_value(a_person):
    said = a_person.cli("show", "turn-k3w9x2mfqa", "--json")
    assert said.code == 1 and said.out == ""


def test_a_change_tells_a_program_what_is_now(a_person):
    name = a_person.turn_that_says("thrown")
    assert a_person.json("pin", name)["pinned"] is True
    assert a_person.json("wrong", name)["wrong"] == 1
    assert a_person.json("edit", name, "It was the clock.")["gist"].endswith("It was the clock.")
    assert a_person.json("undo")["undone"].startswith(f"Taken back: edit of {name}")
    assert a_person.json("pause") == {"project": str(a_person.project), "recording": False, "off_by": f"{a_person.memory}/off"}
    assert a_person.json("resume")["recording"] is True


# Sessions


def test_a_session_is_paged_through_in_its_order(a_person):
    (session, *_) = a_person.values("SELECT public_id FROM sessions ORDER BY id")
    pages = [a_person.json("sessions", session, "--limit", "4", "--page", str(page)) for page in (1, 2, 3)]
    assert {page["pages"] for page in pages} == {3} and pages[0]["id"] == session
    shown = [entry["id"] for page in pages for entry in page["entries"]]
    both = "SELECT public_id, seq FROM turns WHERE session_id = 1 UNION ALL SELECT public_id, seq FROM observations"
    assert shown == a_person.values(f"SELECT public_id FROM ({both} WHERE session_id = 1) ORDER BY seq")


def test_a_page_says_how_to_go_on_and_the_last_one_does_not(a_person):
    (session, *_) = a_person.values("SELECT public_id FROM sessions ORDER BY id")
    first, last = [a_person.reads("sessions", session, "--limit", "4", "--page", page).splitlines() for page in "13"]
    assert first[0].startswith(f"{session}  session  ") and first[-1] == (
        f"page 1 of 3; ralph-mem sessions {session} --page 2 goes on"
    )
    assert last[-1] == "page 3 of 3"
    assert f"{session} has 3 pages" in a_person.fails("sessions", session, "--limit", "4", "--page", "4")


def test_a_list_of_sessions_goes_on_where_it_ended(a_person):
    pages = [a_person.json("sessions", "--limit", "1", "--page", page) for page in "123"]
    assert [len(page) for page in pages] == [1, 1, 0] and pages[0] != pages[1]
    assert "--page 2" in a_person.reads("sessions", "--limit", "1")
    assert "No session is remembered here on that page." in a_person.reads("sessions", "--page", "9")
