"""A query that is too short to be looked for in raw bytes, such as a code name, is cut out of what loops say all the same."""

import json
from pathlib import Path

import pytest

from ralph_mem.core import spool
from ralph_mem.ralph import runs
from tests.readers import files_of, forget, holding, reader_of, waits

NAME = "Falcon9"


@pytest.fixture
def a_past(a_session):
    """Have a code name in a turn, in the goal of a loop, and in a name that the loop's record uses."""
    a_session.has_a_turn(f"Where is {NAME}?", f"{NAME} is in the attic.")
    a_session.store.execute(
        "INSERT INTO loop_runs (public_id, session_id, goal, status, settings, started_at) VALUES ('loop-1', 1, ?, 'failed', ?, 1)",
        (f"paint {NAME} blue", json.dumps({"criteria": ["test_pass"], "goal": f"paint {NAME} blue"})),
    )
    runs.make_folder(a_session.project)
    return a_session


def record(session, **entry):
    path = Path(runs.path_of(session.project, "loop-1"))
    path.write_text(json.dumps({"what": "start", **entry}) + "\n")
    return path


def test_the_goal_of_a_loop_is_rid_of_it_in_its_record_and_in_its_row(a_past):
    path = record(a_past, goal=f"paint {NAME} blue", criteria=["test_pass"])
    report = forget(reader_of(a_past), query=NAME)
    assert holding(files_of(a_past.project), NAME) == [] and report.out_of_reach == []
    assert json.loads(path.read_text()) == {"what": "start", "goal": "[forgotten]", "criteria": ["test_pass"]}
    ((settings,),) = a_past.rows("SELECT settings FROM loop_runs")
    assert json.loads(settings) == {"criteria": ["test_pass"], "goal": "[forgotten]"}


def test_what_a_record_needs_as_a_name_stays_and_is_told(a_past):
    path = record(a_past, goal="paint it", files={NAME: 1})
    report = forget(reader_of(a_past), query=NAME)
    assert json.loads(path.read_text())["files"] == {NAME: 1}
    assert report.out_of_reach == [f"the record of a loop has it as a name: {path}"]


def test_a_word_of_our_own_leaves_records_readable(a_past):
    a_past.has_a_turn("Does the start pass?", "Every test does.")
    path = record(a_past, goal="start it", criteria=["test_pass"])
    forget(reader_of(a_past), query="start")
    assert json.loads(path.read_text()) == {"what": "start", "goal": "[forgott", "criteria": ["test_pass"]}


def test_an_event_that_waits_goes_with_it(a_past):
    reader = reader_of(a_past)
    waits(a_past, f"And now paint {NAME}")
    report = forget(reader, query=NAME)
    assert len(report.changed["spool"]) == 1 and spool.pending(a_past.project.root) == []


def test_summaries_of_iterations_and_keys_of_records_go_where_a_long_query_is_in_them(a_past):
    name = "quetzalcoatlus-lantern"
    a_past.has_a_turn(f"Where is the {name}?", "In the attic.")
    a_past.store.execute(
        "INSERT INTO iterations (loop_run_id, number, verdicts, summary, started_at) VALUES (1, 1, '[]', ?, 1)", (name,)
    )
    path = record(a_past, goal="paint it", files={f"{name}.py": 1, "lamp.py": 2})
    assert forget(reader_of(a_past), query=name).is_clean()
    assert json.loads(path.read_text())["files"] == {"lamp.py": 2} and holding(files_of(a_past.project), name) == []
