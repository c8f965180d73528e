"""The spool: what the database could not take waits in a file, and comes in with a later event."""

import os
import posix

import pytest

from ralph_mem.core import quick, records, spool
from ralph_mem.events import post_compact

from .conftest import a_note, check


def drained(session):
    """Do what every event does first; returns how many files it brought in."""
    session.store.begin()
    done = records.drain(session.store, session.project.root)
    session.store.commit()
    spool.remove(done)
    return len(done)


def wait(session, *given):
    assert spool.put(session.project.root, list(given))


def test_records_wait_and_come_in_once(a_session):
    wait(a_session, a_note(a_session, title="Lamps need fuses"))
    assert (drained(a_session), drained(a_session)) == (1, 0)
    assert a_session.observations("title") == [("Lamps need fuses",)]
    assert spool.pending(a_session.project.root) == []
    assert not os.path.exists(f"{a_session.project.folder}/spool")


def test_records_come_in_in_the_order_in_which_they_went_out(a_session):
    for number in range(5):
        wait(a_session, a_note(a_session, event_id=f"note:{number}", title=f"note {number}"))
    assert drained(a_session) == 5
    assert a_session.observations("title") == [(f"note {number}",) for number in range(5)]


def test_what_was_stored_after_all_comes_in_as_nothing(a_session):
    record = a_note(a_session)
    records.apply(a_session.store, record)
    wait(a_session, record)
    assert drained(a_session) == 1
    assert len(a_session.observations("*")) == 1
    check(a_session.store)


def test_every_verb_comes_through_the_spool_as_it_went_in(a_session):
    turn = {"turn": "prompt:1", "prompt": "lamp \u96fb\U0001f600", "response": "on", "status": "stopped", "kind": "prompt"}
    whole = a_note(a_session, branch=None, commit_id=None, source="startup", project="/shop", read=True, **turn)
    wait(a_session, *[{**whole, "verb": verb, "event_id": verb, "files": "a.py"} for verb in records.VERBS if verb != "end"])
    assert drained(a_session) == 1
    assert a_session.turns("prompt, response, files, files_read") == [("lamp \u96fb\U0001f600", "on", "", "a.py\n")]
    assert a_session.observations("event_id") == [("observation",), ("memory",)]
    check(a_session.store)


UNREADABLE = {
    "no json": "{",
    "empty": "",
    "no list": "7",
    "no records": "[7]",
    "no verb": "[{}]",
    "unknown verb": '[{"verb": "of the future"}]',
    "fields missing": '[{"verb": "observation"}]',
    "text is a list": '[{"verb": "files", "session": [1], "turn": "", "read": true, "files": "a"}]',
    "text is a mapping": '[{"verb": "end", "session": {}, "at": 1, "reason": ""}]',
    "number is a text": '[{"verb": "turn", "session": "the-session", "turn": "t", "prompt": "x", "at": "soon"}]',
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_cannot_be_understood_is_set_aside_and_blocks_nothing(a_session, name):
    wait(a_session)
    (path,) = spool.pending(a_session.project.root)
    with open(path, "w") as file:
        file.write(UNREADABLE[name])
    wait(a_session, a_note(a_session))
    assert drained(a_session) == 1
    assert spool.pending(a_session.project.root) == []
    assert os.path.exists(path + ".unreadable") and len(a_session.observations("*")) == 1


@pytest.mark.parametrize("change", [{"prompt": None}, {"branch": {}}, {"commit_id": 2**70}, {"kind": None}])
def test_a_record_that_the_tables_refuse_is_set_aside_whole(a_session, change):
    turn = {"verb": "turn", "turn": "prompt:1", "prompt": "lamp", "kind": "prompt", "branch": None, "commit_id": None}
    wait(a_session, a_note(a_session), a_note(a_session, **{**turn, **change}))
    assert drained(a_session) == 0
    assert (a_session.observations("*"), a_session.turns("*")) == ([], [])
    assert spool.pending(a_session.project.root) == []


# Where it lies


def test_beside_a_memory_that_is_there(a_session):
    wait(a_session, a_note(a_session))
    (path,) = spool.pending(a_session.project.root)
    assert path.startswith(a_session.project.folder + "/spool/")
    assert not spool.waits_outside(a_session.project.root)


def test_outside_when_the_project_has_no_memory(a_project, a_home):
    assert spool.put(a_project.root, [{"verb": "lamp"}])
    (path,) = spool.pending(a_project.root)
    assert path.startswith(f"{a_home}/.local/share/ralph-mem/spool/")
    assert not os.path.exists(a_project.folder)
    assert spool.waits_outside(a_project.root)
    assert quick.loads(spool.take(path)) == [{"verb": "lamp"}]


def test_outside_when_the_memory_cannot_be_written(a_session, a_home):
    with open(f"{a_session.project.folder}/spool", "w"):
        pass
    wait(a_session, a_note(a_session))
    assert spool.waits_outside(a_session.project.root)
    assert drained(a_session) == 1
    assert not spool.waits_outside(a_session.project.root)


def test_nowhere_without_a_home_and_a_memory(a_project, the_environment):
    the_environment(HOME="")
    assert not spool.put(a_project.root, [{}])
    assert (spool.pending(a_project.root), spool.waits_outside(a_project.root)) == ([], False)


def test_a_spool_that_is_full_takes_no_more(a_session, monkeypatch):
    monkeypatch.setattr(spool, "MOST_FILES", 2)
    wait(a_session)
    wait(a_session)
    assert not spool.put(a_session.project.root, [])


def test_two_projects_with_like_names_do_not_share_a_spool(tmp_path):
    assert spool.put(str(tmp_path / "a-b"), []) and spool.put(str(tmp_path / "a" / "b"), [])
    assert [len(spool.pending(str(tmp_path / name))) for name in ("a-b", "a/b", "a")] == [1, 1, 0]


def test_the_largest_record_that_an_event_makes_is_read_whole(a_session):
    event = a_session.event("post-compact", compact_summary="\U0001f600" * 100_000)
    wait(a_session, *post_compact.records(event, a_session.project, a_session.settings))
    assert drained(a_session) == 1


def test_setting_aside_what_is_gone_is_no_error(tmp_path):
    spool.set_aside(f"{tmp_path}/gone.json")
    assert posix.listdir(tmp_path) == ["home"]
