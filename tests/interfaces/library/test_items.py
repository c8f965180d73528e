"""Values that programs keep by namespace and key."""

import os
import shutil
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph_mem import Memory, RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.maintenance import tending
from ralph_mem.memory import access, items, opening
from tests import command_line
from tests.readers import files_of, holding
from tests.sessions import DAY

SKILLS = ("app", "skills")
GATES = {"strategy": "Deploys go through the green gate.", "uses": 3}
TOKEN = "ghp_" + "a1B2c3D4" * 4 + "e5F6"


def keys(found):
    return [item.key for item in found]


def now():
    return time.time_ns() // 1_000_000


def purged(memory, at):
    """Let the time come that something has to go; returns how many items went."""
    with access.Change(memory._place.write(())) as opened:
        number = items.purge(opened, at)
    opened.close()
    return number


# Put, get, list, delete


def test_a_value_comes_back_as_it_was_put(a_memory):
    put = a_memory.put(SKILLS, "gates", GATES)
    found = a_memory.get(SKILLS, "gates")
    assert (found.namespace, found.key, found.value, found.score) == (SKILLS, "gates", GATES, 0.0)
    assert (found.id, found.created_at, found.updated_at, found.expires_at) == (put.id, put.created_at, put.updated_at, None)


def test_a_key_that_nobody_put_is_nothing(a_memory):
    assert a_memory.get(SKILLS, "gates") is None
    a_memory.put(SKILLS, "gates", GATES)
    assert a_memory.get(SKILLS, "doors") is None


def test_a_second_put_overwrites_and_keeps_when_it_was_made_and_what_it_was(a_memory):
    first = a_memory.put(SKILLS, "gates", "blue")
    time.sleep(0.002)
    second = a_memory.put(SKILLS, "gates", "green")
    assert (second.id, second.created_at) == (first.id, first.created_at) and second.updated_at > first.updated_at
    assert [(item.value, item.updated_at) for item in a_memory.history(SKILLS, "gates")] == [
        ("blue", first.updated_at), ("green", second.updated_at)
    ]  # fmt: skip


def test_the_history_keeps_the_last_ten_values_before_the_present_one(a_memory):
    for number in range(13):
        a_memory.put(SKILLS, "gates", number)
    assert [item.value for item in a_memory.history(SKILLS, "gates")] == list(range(2, 13))


def test_a_namespace_is_listed_by_itself_and_by_the_beginning_of_keys(a_memory):
    for namespace, key in ((SKILLS, "gate-a"), (SKILLS, "gate-b"), (SKILLS, "door"), ((*SKILLS, "old"), "gate-c")):
        a_memory.put(namespace, key, 1)
    assert keys(a_memory.list(SKILLS)) == ["gate-a", "gate-b", "door"]
    assert keys(a_memory.list(SKILLS, "gate-")) == ["gate-a", "gate-b"]


def test_namespaces_are_listed_by_their_beginning(a_memory):
    for namespace in (("app", "skills"), ("app", "errors"), ("apple",)):
        a_memory.put(namespace, "a", 1)
    assert a_memory.list_namespaces() == [("app", "skills"), ("app", "errors"), ("apple",)]
    assert a_memory.list_namespaces(("app",)) == [("app", "skills"), ("app", "errors")]


@pytest.mark.parametrize("other", [("app", "skills", "old"), ("app", "skills/old"), ("app", 'skills", "old')])
def test_names_that_hold_a_separator_do_not_collide(a_memory, other):
    a_memory.put(("app/skills/old",), "gates", "mine")
    a_memory.put(other, "gates", "theirs")
    assert a_memory.get(("app/skills/old",), "gates").value == "mine"
    assert a_memory.list_namespaces(other) == [other]


def test_delete_says_whether_anything_went(a_memory):
    a_memory.put(SKILLS, "gates", GATES)
    assert [a_memory.delete(SKILLS, "gates"), a_memory.delete(SKILLS, "gates")] == [True, False]
    assert a_memory.get(SKILLS, "gates") is None and a_memory.search(SKILLS, "green gate") == []


def test_a_namespace_is_cleared_without_those_below_it(a_memory):
    for namespace in (SKILLS, (*SKILLS, "old")):
        a_memory.put(namespace, "a", 1)
        a_memory.put(namespace, "b", 2)
    assert a_memory.clear_namespace(SKILLS) == 2
    assert a_memory.list_namespaces() == [(*SKILLS, "old")]


def test_stats_count_the_items_of_every_namespace(a_memory, a_project):
    a_memory.put(SKILLS, "a", 1)
    a_memory.put(("global", "skills"), "b", 1)
    assert a_memory.stats() == {
        "items": 2, "namespaces": 2, "by_namespace": {SKILLS: 1, ("global", "skills"): 1},
        "path": f"{a_project.root}/.ralph-mem/memory.db",
    }  # fmt: skip


NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text("abcé文 \n"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc ", min_size=1), inner, max_size=4), max_leaves=12,
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(JSON)
def test_any_value_of_json_comes_back(a_memory, value):
    a_memory.put(SKILLS, "any", value)
    assert a_memory.get(SKILLS, "any").value == value


@pytest.mark.parametrize("namespace", ["app", None, 7, (), ("",), ("a\n",), ("a", 1), ("a",) * 9, ("session",), ("project",)])
def test_what_names_no_place_is_refused(a_memory, namespace):
    with pytest.raises(RalphMemError, match=r"is no namespace|names no place"):
        a_memory.put(namespace, "a", 1)


@pytest.mark.parametrize("value", [{"a": {1, 2}}, float("nan"), object(), "x" * 65_536], ids=["a set", "nan", "object", "large"])
def test_what_is_no_json_or_too_large_is_refused(a_memory, value):
    with pytest.raises(RalphMemError, match=r"no JSON|too large"):
        a_memory.put(SKILLS, "a", value)


def test_a_value_may_have_64_kib_in_utf_8_in_any_script(a_memory):
    said = "ж" * 32_767  # of two bytes each, and the quotes
    assert a_memory.put(SKILLS, "a", said).value == said
    with pytest.raises(RalphMemError, match="a value of 65,538 bytes is too large"):
        a_memory.put(SKILLS, "a", said + "ж")


@pytest.mark.parametrize("part", ["a" * 201, "a\tb"])
def test_what_a_part_of_a_namespace_may_have_is_said(a_memory, part):
    with pytest.raises(RalphMemError, match="is no namespace") as refused:
        a_memory.put((part,), "a", 1)
    assert "of 1 to 200 characters that can be printed" in refused.value.hint


@pytest.mark.parametrize("ttl", ["x", "5", float("nan"), float("inf"), 1e300])
def test_how_long_it_stays_is_a_number_of_seconds(a_memory, ttl):
    with pytest.raises(RalphMemError, match="is no number of seconds"):
        a_memory.put(SKILLS, "a", 1, ttl=ttl)
    assert a_memory.get(SKILLS, "a") is None


# Search


def test_a_search_finds_what_fits_best_first_and_no_more_than_asked_for(a_memory):
    a_memory.put(SKILLS, "gates", GATES)
    a_memory.put(SKILLS, "doors", {"strategy": "The green paint is for doors."})
    a_memory.put(SKILLS, "walls", {"strategy": "Walls are white."})
    found = a_memory.search(SKILLS, "green gate deploys")
    assert keys(found) == ["gates", "doors"] and found[0].score > found[1].score > 0
    assert keys(a_memory.search(SKILLS, "green gate deploys", limit=1)) == ["gates"]
    assert keys(a_memory.search(SKILLS, "green gate deploys", min_score=found[0].score)) == ["gates"]


def test_a_search_stays_under_its_prefix(a_memory):
    for namespace in (SKILLS, ("app", "errors"), ("apple",)):
        a_memory.put(namespace, "gates", GATES)
    assert [item.namespace for item in a_memory.search(("app",), "green gate")] == [("app", "errors"), SKILLS]
    assert len(a_memory.search((), "green gate")) == 3


def test_a_search_finds_what_is_said_now_and_not_what_was(a_memory):
    a_memory.put(SKILLS, "gates", "Deploys go through the blue gate.")
    a_memory.put(SKILLS, "gates", "Deploys go through the green one.")
    assert a_memory.search(SKILLS, "blue") == [] and keys(a_memory.search(SKILLS, "green")) == ["gates"]


def test_what_is_not_indexed_is_got_and_listed_and_never_found(a_memory):
    a_memory.put(SKILLS, "gates", GATES, index=False)
    assert a_memory.search(SKILLS, "green gates") == []
    assert a_memory.get(SKILLS, "gates").value == GATES and keys(a_memory.list(SKILLS)) == ["gates"]


def test_what_is_indexed_no_longer_is_not_found_any_more(a_memory):
    a_memory.put(SKILLS, "gates", GATES)
    a_memory.put(SKILLS, "gates", GATES, index=False)
    assert a_memory.search(SKILLS, "green gates") == []


@pytest.mark.parametrize(
    ("index", "text"),
    [(True, "the gate"), (["note"], "blue"), (["$"], '{"note": "blue", "strategy": "the gate"}'), (["none"], ""), (False, "")],
)
def test_a_value_is_found_by_its_telling_fields_or_by_those_that_are_named(index, text):
    assert items.text_of({"strategy": "the gate", "note": "blue"}, index) == text


def test_a_field_that_is_not_indexed_leaves_what_is_found_by_as_it_was(a_memory, a_project):
    a_memory.put(SKILLS, "gates", GATES)
    before = _indexed(a_memory)
    a_memory.put(SKILLS, "gates", {**GATES, "uses": 4})
    assert _indexed(a_memory) == before


def _indexed(memory):
    opened = memory._place.read(())
    found = opened.execute("SELECT title, content, checksum FROM observations WHERE type = 'item'").fetchall()
    opened.close()
    return found


def test_a_query_without_a_word_finds_nothing(a_memory):
    a_memory.put(SKILLS, "gates", GATES)
    assert a_memory.search(SKILLS, "!?") == []


# What is kept for a session


def test_a_new_session_sees_nothing_of_what_the_last_one_kept_for_itself(a_project):
    last, new = Memory(a_project.root, session="s-1"), Memory(a_project.root, session="s-2")
    last.put((*last.session, "context"), "task", "mend the green gate")
    last.put(SKILLS, "gates", GATES)
    assert keys(new.search((), "green gate")) == ["gates"]
    assert new.list((*new.session, "context")) == [] and new.context("mend the green gate", tokens=9000).count("### ") == 1
    assert keys(last.search(last.session, "green gate")) == ["task"]


def test_what_another_session_keeps_for_itself_is_neither_read_nor_deleted(a_project):
    last, new = Memory(a_project.root, session="s-1"), Memory(a_project.root, session="s-2")
    last.put(last.session, "plan", "paint the green gate")
    for ask in (lambda: new.get(last.session, "plan"), lambda: new.delete(last.session, "plan"), lambda: new.list(last.session)):
        with pytest.raises(RalphMemError, match="another session"):
            ask()
    assert new.search(("session",), "green gate") == [] and last.session not in new.list_namespaces()
    assert last.get(last.session, "plan").value == "paint the green gate"


@pytest.mark.parametrize("session", ["", "s-2"])
def test_what_another_session_keeps_for_itself_is_neither_counted_nor_seen_in_the_past(a_project, session):
    last, other = Memory(a_project.root, session="s-1"), Memory(a_project.root, session=session)
    last.put(last.session, "plan", "paint the green gate")
    assert other.stats()["by_namespace"] == {} and last.stats()["by_namespace"] == {last.session: 1}
    with pytest.raises(RalphMemError, match="another session"):
        other.as_of(time.time() + 1).get(last.session, "plan")
    assert last.as_of(time.time() + 1).get(last.session, "plan").value == "paint the green gate"


@pytest.mark.parametrize("value", [{1: 2}, {None: 2}, [{"a": {2: 3}}]])
def test_a_value_with_a_key_that_is_no_text_is_refused(a_memory, value):
    with pytest.raises(RalphMemError, match="no JSON"):
        a_memory.put(("app",), "v", value)


def test_what_was_kept_for_a_session_goes_a_day_after_its_end(a_session, a_project):
    memory = Memory(a_project.root, session=a_session.name)
    memory.put((*memory.session, "context"), "task", "mend the green gate")
    assert purged(memory, now() + 2 * DAY) == 0  # it is still open
    a_session.rows("UPDATE sessions SET ended_at = ? WHERE client_session = ?", now() + 2 * DAY, a_session.name)
    assert purged(memory, now() + 3 * DAY - 60_000) == 0
    assert purged(memory, now() + 3 * DAY + 60_000) == 1 and memory.stats()["items"] == 0


def test_what_was_kept_for_a_session_goes_with_it(a_session, a_project):
    memory = Memory(a_project.root, session=a_session.name)
    memory.put((*memory.session, "context"), "task", "mend the green gate")
    (name,) = a_session.rows("SELECT public_id FROM sessions WHERE client_session = ?", a_session.name)[0]
    a_session.store.close()
    memory.forget(name)
    assert memory.list((*memory.session, "context")) == []


def test_what_has_expired_is_shown_no_more_and_can_be_purged(a_memory):
    a_memory.put(SKILLS, "gates", GATES, ttl=0)
    a_memory.put(SKILLS, "doors", GATES, ttl=3600)
    assert a_memory.get(SKILLS, "gates") is None and keys(a_memory.list(SKILLS)) == ["doors"]
    assert keys(a_memory.search(SKILLS, "green gate")) == ["doors"]
    assert a_memory.stats()["items"] == 1  # the second put took the first one away
    assert purged(a_memory, now() + 3_601_000) == 1


def test_what_has_expired_is_deleted_from_time_to_time_without_a_program(a_memory):
    a_memory.put(SKILLS, "gates", GATES, ttl=0)
    opened = a_memory._place.write(())
    tending.tend(opened, a_memory._place.project, a_memory._place.settings, 50, time.monotonic() + 60)
    opened.close()
    assert a_memory.stats()["items"] == 0


# What holds everywhere


def test_secrets_are_cut_out_before_anything_is_written(a_memory, a_project, a_home):
    put = a_memory.put(SKILLS, "deploy", {"password": "hunter2hunter2", "run": [f"push with {TOKEN}"]})
    assert put.value == {"password": "[REDACTED:password]", "run": ["push with [REDACTED:github-token]"]}
    assert not holding(files_of(a_project), TOKEN, "hunter2")


def test_a_key_that_is_a_secret_is_refused(a_memory):
    with pytest.raises(RalphMemError, match="looks like a secret"):
        a_memory.put(SKILLS, TOKEN, 1)


def test_what_ralph_mem_told_is_no_value(a_memory):
    assert a_memory.put(SKILLS, "a", "before <ralph-mem-ab>told</ralph-mem-ab> after").value == "before  after"


def test_text_from_outside_is_told_to_no_model_unasked(a_memory):
    a_memory.put(SKILLS, "gates", GATES, outside=True)
    assert a_memory.get(SKILLS, "gates").outside
    assert "green gate" not in a_memory.context("how do deploys go through gates?")


def test_nothing_is_kept_where_recording_is_paused(a_memory, a_project):
    a_memory.put(SKILLS, "gates", GATES)
    access.pause(a_project)
    with pytest.raises(RalphMemError, match="switched off"):
        a_memory.put(SKILLS, "doors", GATES)
    assert keys(a_memory.list(SKILLS)) == ["gates"]


def test_an_item_is_forgotten_with_what_it_was(a_memory, a_project):
    a_memory.put(SKILLS, "gates", "Deploys go through the tungsten gate.")
    name = a_memory.put(SKILLS, "gates", "Deploys go through the zirconium gate.").id
    report = a_memory.forget(name)
    assert (report["rows"], report["clean"]) == (1, True)
    assert not holding(files_of(a_project), "tungsten", "zirconium")


def test_what_holds_in_all_projects_is_seen_from_each_of_them(a_memory, tmp_path):
    a_memory.put(("global", "skills"), "gates", GATES)
    (tmp_path / "other").mkdir()
    other = Memory(tmp_path / "other")
    assert other.get(("global", "skills"), "gates").value == GATES and keys(other.search((), "green gate")) == ["gates"]
    a_memory.put(SKILLS, "doors", GATES)
    assert other.get(SKILLS, "doors") is None


def test_the_memory_of_another_project_is_not_meant_by_its_id(a_memory, tmp_path):
    (tmp_path / "other").mkdir()
    other = Memory(tmp_path / "other")
    a_memory.put((*a_memory.project, "skills"), "gates", GATES)
    with pytest.raises(RalphMemError, match="this is not the memory of project-"):
        other.put((*a_memory.project, "skills"), "gates", GATES)


def test_a_program_leaves_no_session_that_people_would_see(a_memory, a_project):
    a_memory.put(SKILLS, "gates", GATES)
    opened = a_memory._place.read(())
    assert opened.execute("SELECT agent, ended_at > 0 FROM sessions").fetchall() == [("ralph-mem", 1)]
    opened.close()


def test_the_package_loads_the_memory_only_for_who_asks_for_it():
    code = "import sys, ralph_mem; print([name for name in sys.modules if name.startswith('ralph_mem.interfaces')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# Many at once

WRITER = """
import sys
from ralph_mem import Memory
memory = Memory(sys.argv[1])
for number in range(int(sys.argv[3])):
    memory.put(("app", "many"), f"{sys.argv[2]}-{number}", number)
"""


@pytest.mark.parametrize(
    ("processes", "writes"), [pytest.param(3, 5, id="a few"), pytest.param(8, 200, marks=pytest.mark.nightly, id="8 x 200")]
)
def test_processes_that_write_at_the_same_time_lose_nothing(a_memory, a_project, a_home, processes, writes):
    order = [sys.executable, "-c", WRITER, a_project.root]
    environment = {"HOME": str(a_home), "PATH": "/usr/bin:/bin"}
    running = [
        subprocess.Popen([*order, str(name), str(writes)], env=environment, stderr=subprocess.PIPE, text=True)
        for name in range(processes)
    ]
    assert [each.communicate()[1] for each in running] == [""] * processes
    assert len(a_memory.list(("app", "many"))) == processes * writes


def test_a_copy_of_a_project_has_its_items_under_an_id_of_its_own(a_memory, a_project, tmp_path):
    a_memory.put((*a_memory.project, "skills"), "gates", GATES)
    shutil.copytree(a_project.root, tmp_path / "copy")
    copy = Project(str(tmp_path / "copy"))
    opening.notice(opening.begin(copy, access.WAIT_MS), copy)
    copied = Memory(copy.root)
    assert copied.project != a_memory.project
    assert [item.namespace for item in copied.list((*copied.project, "skills"))] == [(*copied.project, "skills")]
    assert keys(copied.search(copied.project, "green gate")) == ["gates"]


def test_an_export_takes_items_along_with_their_history(a_memory, a_project, a_home, tmp_path):
    for value in ("blue", "green"):
        a_memory.put((*a_memory.project, "skills"), "gates", value)
    (tmp_path / "other").mkdir()
    for words, folder in ((("export", "--to"), a_project.root), (("import-archive", "--mine", "--confirm"), tmp_path / "other")):
        environment = {"HOME": str(a_home), "PATH": os.environ["PATH"]}
        assert command_line.says(*words, str(tmp_path / "out.jsonl"), env=environment, cwd=folder).returncode == 0
    other = Memory(tmp_path / "other")
    assert [item.value for item in other.history((*other.project, "skills"), "gates")] == ["blue", "green"]
    assert keys(other.search(other.project, "green")) == ["gates"]
