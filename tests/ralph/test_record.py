"""The record of a run: whole lines or none, whatever crashes, and a fold that bears what it does not know."""

import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import record, record_lines
from ralph_mem.ralph.record import baseline_entry, entry_of, fold
from tests import clock
from tests.ralph.conftest import MINUTE, NOON, a_run, entries, failing_tests, iteration, verdict


@pytest.fixture
def a_record(tmp_path):
    return str(tmp_path / "loop-1.jsonl")


def test_what_was_appended_is_read_in_order(a_record):
    for number in range(3):
        record.append(a_record, {"what": "begun", "number": number})
    assert [entry["number"] for entry in record.read(a_record)] == [0, 1, 2]


def test_a_secret_is_cut_out_in_its_place_and_the_lines_around_it_stay(a_record):
    for goal in ("one", "pin 4711", "x pin 4711 and more"):
        record.append(a_record, {"what": "start", "goal": goal})
    before = os.stat(a_record)

    def protect(text):
        return text.replace("4711", "[REDACTED:pattern]"), {"pattern": 1} if "4711" in text else {}

    assert record_lines.scrub([a_record], protect, writes=True) == [a_record]
    assert [entry["goal"] for entry in record.read(a_record)] == ["one", "pin [red", "x pin [redacted] an"]
    assert (os.stat(a_record).st_ino, os.stat(a_record).st_size) == (before.st_ino, before.st_size)


def test_a_record_that_is_not_there_has_no_entries(a_record):
    assert record.read(a_record) == []


def test_only_the_owner_can_read_a_record(a_record):
    record.append(a_record, {"what": "start"})
    assert os.stat(a_record).st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "goal", ['"quoted"', "two\nlines", "$(rm -rf /); `id`", "\x1b[2J", "\u2028 한국어", "\udcff", "a" * 100_000]
)
def test_any_goal_comes_back_as_it_was(a_record, goal):
    record.append(a_record, {"what": "start", "goal": goal})
    record.append(a_record, {"what": "end"})
    assert [entry.get("goal") for entry in record.read(a_record)] == [goal, None]


def test_a_line_that_a_crash_cut_off_does_not_count_and_is_gone_with_the_next(a_record):
    record.append(a_record, {"what": "start"})
    with open(a_record, "ab") as file:
        file.write(b'{"what":"begun","num' + b"x" * 200_000)
    assert [entry["what"] for entry in record.read(a_record)] == ["start"]
    record.append(a_record, {"what": "begun", "number": 1})
    assert [entry["what"] for entry in record.read(a_record)] == ["start", "begun"]
    assert b"x" not in Path(a_record).read_bytes()


def test_a_damaged_line_in_the_middle_is_skipped_and_said(a_record):
    record.append(a_record, {"what": "start", "id": "loop-1"})
    with open(a_record, "ab") as file:
        file.write(b"\x00\xff{]\n[1]\n")
    record.append(a_record, {"what": "begun", "number": 1})
    run = fold(record.read(a_record))
    assert run.id == "loop-1" and run.begun == 1 and run.damaged == [2, 3]


def test_a_record_that_cannot_be_written_is_an_error_and_stays_as_it_was(a_record):
    record.append(a_record, {"what": "start"})
    before = Path(a_record).read_bytes()
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, limits[1]))
    try:
        with pytest.raises(LoopError, match="cannot be written"):
            record.append(a_record, {"what": "begun", "number": 1, "prompt": "long" * 50})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert Path(a_record).read_bytes() == before


def test_a_link_in_the_place_of_a_record_is_not_followed(a_record, tmp_path):
    target = tmp_path / "precious"
    target.write_text("kept\n")
    os.symlink(target, a_record)
    with pytest.raises(LoopError):
        record.append(a_record, {"what": "start"})
    assert target.read_text() == "kept\n"


def test_a_writer_that_is_killed_leaves_whole_lines(a_record):
    code = (
        "import sys\nfrom ralph_mem.ralph import record\n"
        "for number in range(10**9):\n"
        "    record.append(sys.argv[1], {'what': 'begun', 'number': number, 'filling': 'x' * 3000})\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", code, a_record])
    try:
        clock.wait_for(lambda: len(record.read(a_record)) >= 3, 20)
    finally:
        writer.kill()
        writer.wait()
    numbers = [entry["number"] for entry in record.read(a_record)]
    assert len(numbers) >= 3 and numbers == list(range(len(numbers)))


def test_a_writer_waits_for_another_one(a_record):
    record.append(a_record, {"what": "start"})
    second = threading.Thread(target=record.append, args=(a_record, {"what": "end"}))
    with open(a_record, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        second.start()
        second.join(0.2)
        assert len(record.read(a_record)) == 1
    second.join()
    assert len(record.read(a_record)) == 2


def test_two_writers_lose_nothing_of_each_other(a_record):
    code = (
        "import sys\nfrom ralph_mem.ralph import record\n"
        "for number in range(20):\n    record.append(sys.argv[1], {'what': sys.argv[2], 'number': number})\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, a_record, name]) for name in ("one", "two")]
    assert [writer.wait() for writer in writers] == [0, 0]
    told = record.read(a_record)
    assert [sum(entry["what"] == name for entry in told) for name in ("one", "two")] == [20, 20]


def test_the_fold_knows_what_was_told():
    done = iteration(1, failing_tests(2), cost=0.4, tokens=900, tampered=["a test was skipped"])
    run = a_run(done, baseline=[failing_tests(3)], goal="mend it", iterations=4)
    assert (run.id, run.goal, run.limits.iterations, run.start_snapshot, run.start_tree) == ("loop-1", "mend it", 4, 1, "tree-0")
    assert run.iterations == [done] and run.baseline == [failing_tests(3)]
    assert run.cost() == 0.4 and run.tokens() == 900 and run.status == "running"


def test_an_iteration_goes_through_json_and_back():
    done = iteration(
        2, verdict(["a::b"], flaky=["c"], skipped=["skipped-1"]), message="done", prompt={"hash": "ab", "memories": [1]}
    )
    there = json.loads(json.dumps(entry_of(done)))
    assert fold([there]).iterations == [done]


def test_unknown_entries_and_keys_change_nothing():
    known = entries(iteration(1, failing_tests(1)), baseline=[failing_tests(2)])
    strange = [{"what": "from_the_future", "at": 1}, {"what": "begun", "number": 1, "mood": "good"}]
    newer = [{**entry, "later": 1, "verdicts": [{**each, "hue": 2} for each in entry.get("verdicts", [])]} for entry in known]
    assert fold([*newer, *strange]).iterations == fold(known).iterations
    assert fold([*newer, *strange]).baseline == fold(known).baseline


def test_the_start_snapshot_is_not_moved_by_a_later_one():
    later = {"what": "snapshot", "snapshot": 9, "tree": "other"}
    run = fold([*entries(), later])
    assert (run.start_snapshot, run.start_tree) == (1, "tree-0")


def test_the_time_that_a_run_lay_interrupted_does_not_count():
    night = 10 * 60 * MINUTE
    first = iteration(1, failing_tests(1))
    resumed = {"what": "resumed", "at": first.ended + night}
    run = fold([*entries(first), resumed])
    assert run.elapsed_ms(resumed["at"] + MINUTE) == (first.ended - NOON) + MINUTE


def test_the_time_after_the_last_heartbeat_of_a_killed_run_does_not_count():
    resumed = {"what": "resumed", "at": NOON + 90 * MINUTE, "last_beat": NOON + 7 * MINUTE}
    assert fold([*entries(), resumed]).elapsed_ms(NOON + 90 * MINUTE) == 7 * MINUTE


def test_a_run_that_has_ended_grows_no_older():
    end = {"what": "end", "at": NOON + 5 * MINUTE, "status": "failed", "reason": "no_progress", "why": "nothing helped"}
    run = fold([*entries(), end])
    assert (run.status, run.reason, run.ended) == ("failed", "no_progress", end["at"])
    assert run.elapsed_ms(NOON + 900 * MINUTE) == 5 * MINUTE


def test_resuming_opens_the_run_again_and_keeps_limits_that_are_not_given_anew():
    end = {"what": "end", "at": NOON + 1, "status": "failed", "reason": "max_iterations"}
    resumed = {"what": "resumed", "at": NOON + 2, "limits": {"iterations": 20}}
    run = fold([*entries(iteration(1), duration_ms=5000), end, resumed])
    assert (run.status, run.reason, run.ended, run.resumed_after) == ("running", "", 0, 1)
    assert (run.limits.iterations, run.limits.duration_ms) == (20, 5000)


def test_an_iteration_that_was_begun_and_never_finished_is_done_again():
    run = fold([*entries(iteration(1)), {"what": "begun", "number": 2, "at": NOON}])
    assert run.begun == 2 and run.next_number() == 2 and run.used() == 1


def test_what_a_rate_limit_ended_is_no_iteration_but_its_price_counts():
    wait = {"what": "waiting", "at": NOON, "until": NOON + 1, "cost": 0.25}
    run = fold([*entries(iteration(1, cost=0.5), iteration(2, kind="rate_limited", cost=0.25)), wait])
    assert run.used() == 1 and run.cost() == 1.0 and run.waiting
    assert not fold([*entries(), wait, {"what": "begun", "number": 1}]).waiting


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
)


@given(
    st.lists(st.dictionaries(st.sampled_from(["at", "number", "until", "cost", "now", "line", "snapshot"]), JSON, max_size=4)),
    st.data(),
)
def test_the_fold_bears_any_number_in_an_entry(found, data):
    kinds = [
        "begun",
        "decision",
        "waiting",
        "paused",
        "resumed",
        "end",
        "snapshot",
        "stop_asked",
        "rolled_back",
        "damaged",
        "strange",
    ]
    run = fold([*entries(), *[{**entry, "what": data.draw(st.sampled_from(kinds))} for entry in found]])
    assert run.id == "loop-1" and run.elapsed_ms(NOON) >= 0


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan"), "3", None])
def test_what_is_no_number_counts_as_none(number):
    wait = {"what": "waiting", "at": number, "cost": number}
    run = fold([*entries(), {"what": "begun", "number": number, "at": number}, wait])
    assert (run.begun, run.cost(), run.last_seen) == (0, 0, NOON)


def test_a_baseline_entry_carries_its_snapshot():
    run = fold([baseline_entry([failing_tests(1)], NOON, 7, "tree")])
    assert (run.start_snapshot, run.start_tree, run.baseline) == (7, "tree", [failing_tests(1)])


def done(number):
    return {"what": "iteration", "number": number, "snapshot": number}


BACK, UNDONE = {"what": "rolled_back", "to": "start"}, {"what": "rolled_back", "to": "undo"}
TO_THE_FIRST = {"what": "rolled_back", "to": "1", "target": 1}


@pytest.mark.parametrize(
    ("told", "standing", "taken_back"),
    [
        ([done(1), done(2)], 2, []),
        ([done(1), done(2), BACK], 0, [1, 2]),
        ([done(1), BACK, done(2)], 2, [1]),
        ([done(1), done(2), TO_THE_FIRST, done(3)], 3, [2]),
        ([done(1), done(2), BACK, UNDONE, done(3)], 3, []),
        ([done(1), BACK, done(2), BACK, UNDONE], 2, [1]),
        ([done(1), done(2), TO_THE_FIRST, done(3), BACK, TO_THE_FIRST], 1, [2, 3]),
    ],
)
def test_a_rollback_takes_back_what_was_done_before_it_and_nothing_that_is_done_after_it(told, standing, taken_back):
    run = fold(told)
    assert run.standing() == standing
    assert [each.number for each in run.iterations if run.is_taken_back(each)] == taken_back


def test_in_a_room_nothing_is_rolled_back_and_what_goes_on_there_has_all_of_it():
    room, applied = {"what": "room", "path": "/room"}, {"what": "applied", "snapshot": 1, "target": 3, "safety": 2}
    assert fold([room, done(1), applied, BACK]).standing() == 0
    assert not any(run.is_taken_back(run.iterations[0]) for run in [fold([room, done(1), applied, BACK, done(2)])])
    assert fold([room, done(1), applied, BACK, UNDONE]).standing() == 1


# A project that was moved


def test_the_paths_of_a_project_that_was_moved_are_those_of_its_place_whenever_they_were_written():
    check = {"argv": ["/a/shop/check.sh", "/a/shop-2/x"], "folder": "/a/shop"}
    told = [
        {"what": "start", "id": "loop-1", "folder": "/a/shop", "goal": "mend /a/shop", "criteria": [check]},
        {"what": "runners", "marks": {"/a/shop/.venv/bin/pytest": "1", "sh": "/bin/sh 2"}},
        {"what": "resumed", "folder": "/a/shop/inner", "options": {"agent": ["/a/shop/inner/agent.sh"]}},
    ]
    run = fold(told, "/a/shop/inner")
    assert run.criteria == [{"argv": ["/a/shop/inner/check.sh", "/a/shop-2/x"], "folder": "/a/shop/inner"}]
    assert run.runners == {"/a/shop/inner/.venv/bin/pytest": "1", "sh": "/bin/sh 2"}
    assert (run.folder, run.goal, run.options["agent"]) == ("/a/shop/inner", "mend /a/shop", ["/a/shop/inner/agent.sh"])


def test_what_ran_the_checks_in_a_room_is_known_in_one_that_is_made_in_another_place():
    told = [{"what": "room", "path": "/rooms/a/loop-1/a"}, {"what": "runners", "marks": {"/rooms/a/loop-1/a/.venv": "1"}}]
    assert fold([*told, {"what": "room", "path": "/rooms/b/loop-1/b"}]).runners == {"/rooms/b/loop-1/b/.venv": "1"}
