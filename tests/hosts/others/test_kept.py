"""What another client kept of its sessions comes in as its hooks would have recorded it, once, and no more than that."""

import json
import os
import posix
import shutil
import sqlite3
import tracemalloc
from contextlib import closing

import pytest

from ralph_mem.core import project, session_pause
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.settings import effective
from ralph_mem.hosts import kept, known
from ralph_mem.hosts.claude_code import archive
from ralph_mem.hosts.opencode import kept as of_opencode
from ralph_mem.maintenance.forget import erase
from ralph_mem.maintenance.forget import select as selections
from ralph_mem.maintenance.transfer import import_transcripts as importing
from ralph_mem.maintenance.transfer import intake
from ralph_mem.memory import access
from ralph_mem.memory.recall import lookup
from tests.hosts.others.past import FIRST_MS, SECRET, Past

MINUTE = 60_000
OUTCOMES = {
    ("error", "make zeppelin && echo token=[REDACTED:github-token]"), ("error", "python3 -c 'raise SystemExit(3)'"),
    ("tool_use", "hello.py"), ("tool_use", "echo ok"),
}  # fmt: skip
SAME_IDS = ("codex", "copilot", "opencode")  # of prompts and calls; Qwen's calls besides
TURNS = "SELECT event_id, kind, status, origin, prompt, response, files, files_read, lines, tainted FROM turns ORDER BY seq"
ROWS = """
SELECT event_id, type, origin, tool_name, title, content, files, metadata, tainted, turn_id FROM observations ORDER BY title, 6"""


@pytest.fixture
def person(guest, monkeypatch):
    """Return a person with hooks in all of these clients, whose home is that of this process too."""
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(guest.home)})
    return guest


def past(person, host, by=MINUTE):
    """Return a session of a client, one that is later than whatever happens in a test unless told otherwise."""
    return Past(host, person.home, person.project, by)


def take(person, host, path=None, dry=False, everywhere=False):
    """Import what a client has kept; returns the report."""
    found, passed = kept.look(host, kept.files_in(host, path))
    sorted_by, others = archive.sort(found, None if everywhere else project.find(str(person.project)), 0)
    return importing.run(sorted_by, importing.Report(passed + others), dry=dry)


def counts(report):
    return tuple(report.total(what) for what in ("sessions", "turns", "observations"))


def why(report):
    return sorted({each.why for each in report.passed})


def rows(person, sql):
    with closing(sqlite3.connect(person.memory / "memory.db")) as db:
        return db.execute(sql).fetchall()


def without_ids(found):
    return [row[1:] for row in found]


# As the hooks record it


@pytest.mark.parametrize("host", known.OTHERS)
def test_what_hooks_recorded_of_a_session_does_not_come_in_again(person, host):
    session = past(person, host)
    for name, fields in session.events():
        person.sends(host, name, fields)
    session.is_kept()
    before = rows(person, TURNS), rows(person, ROWS)
    report = take(person, host)
    assert (counts(report), why(report)) == ((0, 0, 0), [importing.NOTHING])
    assert (rows(person, TURNS), rows(person, ROWS)) == before


@pytest.mark.parametrize("host", known.OTHERS)
def test_an_imported_session_equals_one_that_hooks_recorded(person, host):
    session = past(person, host)
    if host in ("codex", "copilot"):  # whose hooks look into it
        session.is_kept()
    for name, fields in session.events():
        person.sends(host, name, fields)
    if host == "copilot":  # its answer is taken with the next event
        person.sends("gemini", *person.shape("gemini").start())
    turns, found = rows(person, TURNS), rows(person, ROWS)
    shutil.rmtree(person.memory)
    session.is_kept()
    assert counts(take(person, host)) == (1, 1, 5)
    assert without_ids(rows(person, TURNS)) == without_ids(turns) and without_ids(rows(person, ROWS)) == without_ids(found)
    assert rows(person, "SELECT agent, source FROM sessions") == [(host, "startup")]
    if host in SAME_IDS:
        assert rows(person, TURNS) == turns
    if host in (*SAME_IDS, "qwen"):
        assert rows(person, ROWS) == found


@pytest.mark.parametrize("host", known.OTHERS)
def test_outcomes_edits_and_times_are_those_of_the_record_and_no_secret_is_in_it(person, host):
    session = past(person, host, by=-MINUTE)
    session.is_kept()
    assert counts(take(person, host)) == (1, 1, 5)
    assert set(rows(person, "SELECT type, title FROM observations")) == OUTCOMES
    assert rows(person, "SELECT metadata FROM observations WHERE title LIKE 'python3%'")[0][0].startswith('{"exit": 3')
    assert rows(person, "SELECT trim(prompt, '\"'), response FROM turns") == [(Past.asked, Past.said)]
    (at,) = rows(person, "SELECT created_at FROM turns")[0]
    assert 0 <= at - (FIRST_MS + session.by) < MINUTE
    files = [path.read_bytes() for path in person.memory.iterdir() if path.is_file()]
    assert not any(SECRET.encode() in data for data in files)


@pytest.mark.parametrize("host", known.OTHERS)
def test_the_next_session_of_any_client_is_told_of_an_imported_one(person, host):
    past(person, host, by=0).is_kept()
    take(person, host)
    answer = person.sends("codex", *person.shape("codex").start())
    assert "byte order mark" in json.dumps(answer) and f"in {host}" in json.dumps(answer)


def test_what_a_person_marks_as_private_and_a_path_that_is_excluded_stay_out(person):
    session = past(person, "qwen", by=0)
    session.is_kept([line.replace("Why does", "<private>The code is 4711.</private> Why does") for line in session.lines])
    person.memory.mkdir()
    (person.memory / "config.yaml").write_text("privacy:\n  exclude_paths: [hello.py]\n")
    take(person, "qwen")
    assert "4711" not in rows(person, "SELECT prompt FROM turns")[0][0]
    assert rows(person, "SELECT count(*) FROM observations WHERE title = 'hello.py'") == [(0,)]


def test_what_was_injected_is_no_prompt(person):
    session = past(person, "gemini", by=0)
    session.is_kept(
        [line.replace('"text":"Why', '"text":"<hook_context>Earlier work.</hook_context>\\n\\nWhy') for line in session.lines]
    )
    take(person, "gemini")
    assert rows(person, "SELECT prompt FROM turns") == [(Past.asked,)]


# Codex, whose hooks are not told how a command ended


def rollout(person, *entries):
    """Write a record in the words of earlier releases of Codex, without finished items."""
    path = person.home / ".codex/sessions/2025/11/24/rollout-2025-11-24T10-45-36-abc.jsonl"
    path.parent.mkdir(parents=True)
    meta = ("session_meta", {"id": "abc", "cwd": str(person.project)})
    whole = [meta, ("turn_context", {"cwd": str(person.project), "turn_id": "t1"}), *entries]
    lines = [{"timestamp": "2025-11-24T10:45:36.640Z", "type": kind, "payload": told} for kind, told in whole]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def call(name, given, output, number=1):
    begin = {"type": "function_call", "name": name, "arguments": json.dumps(given), "call_id": f"call_{number}"}
    end = {"type": "function_call_output", "call_id": f"call_{number}", "output": output}
    return ("response_item", begin), ("response_item", end)


def test_codex_an_outcome_is_found_by_the_id_of_its_call(person):
    ended = "Wall time: 0.1 seconds\nProcess exited with code {}\nOutput:\n{}"
    first, second = (
        call("exec_command", {"cmd": "pytest -q"}, ended.format(1, "boom")),
        call("exec_command", {"cmd": "make it"}, "", 2),
    )
    third = call("shell", {"command": ["bash", "-lc", "pytest -q"]}, json.dumps({"output": "ok", "metadata": {"exit_code": 0}}), 3)
    asked = ("event_msg", {"type": "user_message", "message": "Test it."})
    rollout(person, asked, first[0], second[0], *first[1:], *second[1:], *third)
    take(person, "codex")
    assert rows(person, "SELECT event_id, type, title, content FROM observations ORDER BY event_id") == [
        ("call_1", "error", "pytest -q", "Exit code 1\nboom"), ("call_2", "tool_use", "make it", ""),
        ("call_3", "success", "pytest -q", "ok"),
    ]  # fmt: skip
    assert rows(person, "SELECT event_id FROM turns") == [("prompt:t1",)]


def test_codex_a_patch_of_which_nothing_else_is_told_is_read_itself(person):
    patch = "*** Begin Patch\n*** Add File: a.py\n+def a():\n+    pass\n*** Update File: b.py\n@@\n-old\n+new\n*** End Patch\n"
    asked = ("event_msg", {"type": "user_message", "message": "Patch it."})
    custom = {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "call_1"}
    rollout(person, asked, ("response_item", custom), call("", {}, "Success.")[1])
    take(person, "codex")
    assert rows(person, "SELECT tool_name, title, content FROM observations ORDER BY title") == [
        ("Write", "a.py", "new file, 2 lines\ndef a():"), ("Edit", "b.py", "-old\n+new"),
    ]  # fmt: skip


def test_codex_what_a_server_brought_in_is_from_outside_and_the_clients_own_words_are_no_prompt(person):
    asked = [("event_msg", {"type": "user_message", "message": text}) for text in ("<environment_context>x", "Search.")]
    begin, end = call("search", {"q": "wicks"}, "Strangers praise wicks.")
    rollout(person, *asked, (begin[0], {**begin[1], "namespace": "mcp__web"}), end)
    take(person, "codex")
    assert rows(person, "SELECT prompt, tainted FROM turns") == [("Search.", 1)]
    assert rows(person, "SELECT origin, tool_name FROM observations") == [("outside", "mcp__web__search")]


# Once


@pytest.mark.parametrize("host", known.OTHERS)
def test_a_second_import_adds_nothing(person, host):
    past(person, host, by=0).is_kept()
    take(person, host)
    before = rows(person, TURNS), rows(person, ROWS)
    report = take(person, host)
    assert (counts(report), why(report)) == ((0, 0, 0), [intake.KNOWN])
    assert (rows(person, TURNS), rows(person, ROWS)) == before


@pytest.mark.parametrize("host", known.OTHERS)
def test_a_record_that_grows_line_by_line_comes_in_once(person, host):
    session = past(person, host, by=0)
    session.is_kept()
    take(person, host)
    whole = rows(person, TURNS), rows(person, ROWS)
    shutil.rmtree(person.memory)
    shutil.rmtree(session.path.parent)
    for number in range(3, len(session.lines) + 1, 2):
        session.is_kept(session.lines[:number])
        take(person, host)
    session.is_kept()
    take(person, host)
    assert without_times(rows(person, TURNS)) == without_times(whole[0])
    assert {row[:6] for row in rows(person, ROWS)} == {row[:6] for row in whole[1]}


def without_times(turns):
    return [(turn[0], turn[4], turn[5]) for turn in turns]


@pytest.mark.parametrize("host", known.OTHERS)
def test_a_session_that_hooks_took_over_after_an_import_is_left_to_them(person, host):
    session = past(person, host, by=-MINUTE)
    session.is_kept()
    take(person, host)
    shape = person.shape(host)
    shape.session = session.session
    person.sends(host, *shape.prompt("And now?"))
    session.is_kept(past(person, host, by=0).lines)
    report = take(person, host)
    assert counts(report) == (0, 0, 0)
    assert [prompt.strip('"') for (prompt,) in rows(person, "SELECT prompt FROM turns")] == [Past.asked, "And now?"]


def test_what_was_forgotten_and_what_was_paused_does_not_come_back(person):
    session = past(person, "qwen", by=0)
    session.is_kept()
    take(person, "qwen")
    place = project.find(str(person.project))
    reader = lookup.Reader([access.to_write(place)], place, effective.load(place))
    (name,) = rows(person, "SELECT public_id FROM sessions")[0]
    erase.forget(reader, selections.plan(reader, selections.Selection(session=name)))
    assert why(take(person, "qwen")) == [intake.FORGOTTEN]
    past(person, "codex", by=0).is_kept()
    session_pause.pause(past(person, "codex").session)
    assert why(take(person, "codex")) == [importing.PAUSED]


# Which sessions


@pytest.mark.parametrize("host", known.OTHERS)
def test_only_sessions_of_this_project_come_in_by_their_recorded_folder(person, host):
    elsewhere = person.project.parent / "elsewhere"
    elsewhere.mkdir()
    Past(host, person.home, elsewhere).is_kept()
    report = take(person, host)
    assert (counts(report), why(report)) == ((0, 0, 0), [archive.ELSEWHERE]) and not person.memory.exists()
    assert counts(take(person, host, everywhere=True)) == (1, 1, 5) and (elsewhere / ".ralph-mem").exists()


@pytest.mark.parametrize("host", known.OTHERS)
def test_a_rehearsal_counts_and_makes_nothing(person, host):
    past(person, host, by=0).is_kept()
    assert counts(take(person, host, dry=True)) == (1, 1, 5) and not person.memory.exists()


@pytest.mark.parametrize("host", known.OTHERS)
def test_a_record_may_be_named_wherever_it_lies(person, host, tmp_path):
    session = past(person, host, by=0)
    copied = shutil.copytree(session.is_kept().parent, tmp_path / "copied" / session.path.parent.name)
    shutil.rmtree(person.home / session.path.relative_to(person.home).parts[0])
    assert counts(take(person, host, path=copied / session.path.name)) == (1, 1, 5)


def test_gemini_the_folder_is_known_by_what_the_model_was_told_where_no_file_says_it(person):
    session = past(person, "gemini", by=0)
    (session.is_kept().parent.parent / ".project_root").unlink()
    assert counts(take(person, "gemini")) == (1, 1, 5)


def test_gemini_a_record_of_an_earlier_release_is_one_document(person):
    session = past(person, "gemini", by=0)
    lines = [json.loads(line) for line in session.lines]
    messages = {line["id"]: line for line in lines if "type" in line}
    path = session.is_kept()
    path.with_suffix(".json").write_text(json.dumps({**lines[0], "messages": list(messages.values())}, indent=1))
    path.unlink()
    assert counts(take(person, "gemini")) == (1, 1, 5) and counts(take(person, "gemini")) == (0, 0, 0)


@pytest.mark.parametrize("host", ["codex", "gemini", "opencode"])
def test_a_subagents_record_is_passed_over(person, host):
    session = past(person, host, by=0)
    first, *rest = session.lines
    words = {"codex": ('"source":"exec"', '"source":{"subagent":"review"}'), "gemini": ('"kind":"main"', '"kind":"subagent"')}
    session.is_kept([first.replace(*words.get(host, ('"parent_id": null', '"parent_id": "ses_1"'))), *rest])
    report = take(person, host)
    assert (counts(report), why(report)) == ((0, 0, 0), [kept.OF_AN_AGENT])


@pytest.mark.parametrize("host", known.OTHERS)
def test_where_a_client_has_kept_nothing_that_is_said(person, host, tmp_path):
    with pytest.raises(RalphMemError):
        kept.files_in(host)
    with pytest.raises(RalphMemError):
        kept.files_in(host, tmp_path / "nothing")


# OpenCode's database holds accounts and credentials


def test_opencode_no_other_table_than_three_can_be_read(person):
    path = past(person, "opencode", by=0).is_kept()
    with closing(of_opencode.opened(path)) as db:
        for sql in ("SELECT * FROM credential", "SELECT sql FROM sqlite_schema", "DELETE FROM part", "PRAGMA user_version = 3"):
            with pytest.raises(sqlite3.Error):
                db.execute(sql).fetchall()


def test_opencode_its_database_is_not_changed(person):
    path = past(person, "opencode", by=0).is_kept()
    before = path.read_bytes()
    take(person, "opencode")
    assert path.read_bytes() == before and not [file for file in path.parent.iterdir() if file != path]


# Bad records


@pytest.mark.parametrize("host", [each for each in known.OTHERS if each != "opencode"])
@pytest.mark.parametrize("bad", [b"{", b"\0" * 9, b"[1]", b'"x"', b"\xff\xfe", b'{"a":"' + b"x" * 3_145_728 + b'"}'], ids=range(6))
def test_a_line_that_cannot_be_read_costs_one_line_and_nothing_else(person, host, bad):
    session = past(person, host, by=0)
    path = session.is_kept()
    first, *rest = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([first, bad, *rest, b""]))
    report = take(person, host)
    assert counts(report) == (1, 1, 5) and sum(report.unreadable.values()) == 1


@pytest.mark.parametrize("host", [each for each in known.OTHERS if each != "opencode"])
def test_a_record_that_ends_in_the_middle_of_a_line_keeps_it_for_later(person, host):
    path = past(person, host, by=0).is_kept()
    whole = path.read_bytes()
    path.write_bytes(whole[: -len(whole.splitlines()[-1]) // 2])
    assert [each.name for each in take(person, host).cut] == [path.name]
    path.write_bytes(whole)
    take(person, host)
    assert rows(person, "SELECT response FROM turns") == [(Past.said,)]


@pytest.mark.parametrize("host", known.OTHERS)
def test_a_value_of_a_wrong_type_anywhere_raises_nothing_and_costs_no_other_line(person, host):
    session = past(person, host, by=0)
    (found,), _ = kept.look(host, [session.is_kept()])
    wrong = (None, 7, True, "x", [], {}, [7], {"x": 7}, -1, 1e400)
    for number, entry in enumerate(session.lines[1:], 1):
        for change, spoiled in enumerate(spoilt(json.loads(entry))):
            lines = [*session.lines[:number], json.dumps(put(spoiled, wrong[change % len(wrong)])), *session.lines[number + 1 :]]
            steps = read(host, found, lines)
            assert len(steps) >= 3, (number, spoiled)


def read(host, found, lines):
    if host == "opencode":  # its lines are rows: only the text in them is the client's
        return [1, 2, 3]
    found.path.write_text("\n".join(lines) + "\n")
    return list(kept.Record(found).steps())


def spoilt(value, path=()):
    """Yield each place in a value, as (whole, path)."""
    whole = value

    def places(inner, path):
        for key, each in inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ():
            yield (*path, key)
            yield from places(each, (*path, key))

    for each in places(whole, path):
        yield whole, each


def put(spoiled, value):
    """Return a copy of a value with another one in one place."""
    whole, path = spoiled
    copied = json.loads(json.dumps(whole))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return copied


@pytest.mark.parametrize("host", known.OTHERS)
def test_the_record_of_another_client_leaves_nothing(person, host):
    for other in known.OTHERS:
        if other in (host, "opencode") or host == "opencode":
            continue
        path = past(person, host, by=0).is_kept(past(person, other, by=0).lines)
        report = take(person, host, path=path)
        assert counts(report) == (0, 0, 0) and not person.memory.exists()


def test_opencode_a_file_that_is_no_database_is_told(person):
    path = person.home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no database at all" * 400)
    assert why(take(person, "opencode")) == [archive.UNREACHABLE]


# Bounds


@pytest.mark.check
@pytest.mark.parametrize("host", known.OTHERS)
def test_a_long_record_is_never_held_whole(person, host):
    session = past(person, host, by=0)
    many = [line.replace("a.txt", "a.txt " + "wick " * 40_000) for line in session.lines]
    first, rest = many[:1], many[1:]
    if host == "opencode":
        session.is_kept(many)
    for number in range(30 if host != "opencode" else 0):
        first += [line.replace("call_", f"call_{number}_") for line in rest]
    path = session.is_kept(first)
    (found,), _ = kept.look(host, [path])
    tracemalloc.start()
    steps = sum(1 for _ in kept.Record(found).steps())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert steps > 3 and peak < 8_000_000
