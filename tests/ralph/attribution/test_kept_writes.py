"""What a loop's programs wrote is known after a kill too: a rollback takes that, and keeps what the person did."""

import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.ralph import headless, rolling_back, runs, stopping
from ralph_mem.ralph.attribution import listening, writes
from ralph_mem.ralph.snapshot import MEANWHILE
from tests.ralph.loops import STEPS, Loops, kept, names
from tests.ralph.snapshot.conftest import tree_of
from tests.ralph.test_stopping import until

pytestmark = pytest.mark.skipif(not listening.is_possible(), reason="the calls of this machine are not known")

BY_YOU = "changed by you"
# Done again, the first iteration ends, and writes nothing that it wrote before.
STALLS = "[ -e ../go ] || { echo agent >one.txt; echo agent >made.txt; rm two.txt; touch ../go; sleep 60; }"


@pytest.fixture
def killed(tmp_path):
    """A project whose loop was killed in its first iteration, while and after which the person wrote."""
    loops = Loops(tmp_path)
    with loops.in_background(STALLS, "; ".join(STEPS)) as supervisor:
        until((loops.folder / "go").exists)
        loops.write("meanwhile.txt", "mine")
        time.sleep(0.5)
        supervisor.kill()
    loops.write("later.txt", "mine")
    return loops


def beside(loops):
    return [name for name in os.listdir(runs.folder_of(loops.project)) if name.endswith(writes.SUFFIX)]


@pytest.mark.check
def test_a_plain_rollback_takes_what_the_agent_wrote_before_the_kill_and_keeps_what_the_person_did(killed):
    _what, plan = rolling_back.preview_rollback(killed.project, killed.values(), killed.latest(), rolling_back.START)
    report = killed.back()
    assert (names(report.restored), names(report.deleted)) == (["one.txt", "two.txt"], ["made.txt"])
    assert (
        kept(report) == {"meanwhile.txt": MEANWHILE, "later.txt": MEANWHILE} == {os.fsdecode(path): why for path, why in plan.kept}
    )
    assert killed.text("one.txt") == "wrong\n" and killed.text("later.txt") == "mine"


def test_what_it_took_away_is_brought_again_by_the_undo_and_goes_once_more(killed):
    before = tree_of(killed.top)
    killed.back()
    after = tree_of(killed.top)
    killed.back(rolling_back.UNDO)
    assert tree_of(killed.top) == before
    killed.back()
    assert tree_of(killed.top) == after


@pytest.mark.check
def test_a_run_that_is_stopped_after_the_kill_knows_it_as_well_and_what_comes_later_is_the_persons(killed):
    stopping.stop(killed.project, killed.values())
    killed.write("one.txt", "mine in the end")
    report = killed.back()
    assert names(report.deleted) == ["made.txt"] and killed.text("one.txt") == "mine in the end"


@pytest.mark.check
def test_a_run_that_goes_on_knows_it_as_well_and_leaves_nothing_beside_its_record(killed):
    assert len(beside(killed)) == 1
    assert headless.resume(killed.project, killed.values(), killed.latest()).status == "success" and beside(killed) == []
    report = killed.back()
    assert "made.txt" in names(report.deleted) and set(kept(report)) == {"meanwhile.txt", "later.txt"}


@pytest.mark.check
@pytest.mark.parametrize("looked", [False, True], ids=["at once", "after a look at the way back"])
def test_what_the_person_adds_to_a_file_of_the_agent_before_it_goes_on_comes_back(killed, looked):
    if looked:
        rolling_back.preview_rollback(killed.project, killed.values(), killed.latest(), rolling_back.START)
    killed.write("one.txt", "agent\nmine\n")
    run = headless.resume(killed.project, killed.values(), killed.latest())
    assert killed.text("one.txt") == "right\n" and "one.txt" in [path for path, *_ in run.iterations[0].changed]
    killed.back()
    assert killed.text("one.txt") == "agent\nmine\n" and not (killed.top / "made.txt").exists()


@pytest.mark.check
def test_where_the_project_was_moved_after_the_kill_nobody_knows_and_force_takes_it(killed):
    killed.move("store")
    assert killed.back().deleted == [] and killed.latest().cut_off() == 1
    assert "made.txt" in names(killed.back(force=True).deleted) and killed.text("one.txt") == "wrong\n"


@pytest.mark.check
def test_a_preview_of_the_way_back_changes_nothing_of_what_the_run_that_goes_on_says(killed):
    seen = killed.latest().last_seen
    rolling_back.preview_rollback(killed.project, killed.values(), killed.latest(), rolling_back.START)
    assert killed.latest().last_seen == seen
    run = headless.resume(killed.project, killed.values(), killed.latest())
    assert "made.txt" in [path for path, *_ in run.iterations[0].changed]


@pytest.mark.check
def test_what_a_rollback_put_back_is_not_the_persons_when_the_run_goes_on(tmp_path):
    loops = Loops(tmp_path)
    loops.start(STEPS[0], "echo x >new.txt", "; ".join(STEPS), limits={"iterations": 1})
    time.sleep(writes.SLACK_NS / 1_000_000_000)  # until then it would be the agent's anyhow
    loops.back()
    assert headless.resume(loops.project, loops.values(), loops.latest(), iterations=5).status == "success"
    report = loops.back()
    assert "one.txt" in names(report.restored) and kept(report) == {}


@given(cut=st.integers(0, 200), at=st.integers(0, 2**62))
def test_a_file_that_ends_anywhere_calls_nothing_the_loops_that_no_program_wrote(tmp_path_factory, cut, at):
    path = str(tmp_path_factory.mktemp("kept") / "run.writes")
    told = writes.Writes(path)
    for name, kind in (("/a", "file"), ("/b", "tree"), ("/c", "gone"), ("/a", "file")):
        told.count(writes.STARTED)
        told.count(writes.MET)
        told.add(name, kind, at)
    told.close()
    with open(path, "r+b") as file:
        file.truncate(cut)
    again = writes.Writes(path)
    assert not any(again.explains(name, at, gone=False) for name in ("/c", "/d", "/ab"))
    assert again.explains("/a", at, gone=False) == bool(at and cut >= 3 * writes.ENTRY.size)
