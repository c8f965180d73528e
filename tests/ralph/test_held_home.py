"""An agent that takes the person's data home away: what proves whose memories these are comes back, and it is said."""

import os
import shutil
from pathlib import Path

import pytest

from ralph_mem.core import news, paths
from ralph_mem.core.errors import SnapshotError
from ralph_mem.memory.ownership import seals
from ralph_mem.ralph import display, files, headless, record, rolling_back, runs, stopping
from ralph_mem.ralph.criteria import acceptance
from tests.ralph.loops import STEPS


def home():
    return Path(paths.data_home())


def test_an_agent_that_deletes_the_data_home_does_not_take_the_memories_from_their_owner(loops):
    loops.start(STEPS[0], memory=True, limits={"iterations": 1})
    key, first = seals.key(), loops.latest()
    run = loops.start(f"rm -rf {home()}; echo right >two.txt", memory=True)
    assert (home() / paths.KEY).read_bytes() == seals.key() == key and oct((home() / paths.KEY).stat().st_mode)[-3:] == "600"
    assert acceptance.path_of(loops.project) and os.listdir(home() / paths.TRUST)
    assert run.reason == "snapshot_failed" and "was deleted while the agent worked" in "\n".join(display.ended(run))
    assert runs.latest(loops.project).id == run.id != first.id
    assert record.read(runs.path_of(loops.project, run.id))[-1]["what"] == "end"
    assert "could not be taken" in news.take(loops.project.root)
    assert loops.text("two.txt") == "right\n"


@pytest.mark.check
def test_the_next_loop_has_its_memory(loops):
    loops.start(f"{STEPS[0]}; rm -rf {home()}", memory=True)
    loops.start("; ".join(STEPS), memory=True)
    assert loops.latest().status == "success" and loops.latest().taught
    assert not [line for line in loops.told if "not made by you here" in line]


def test_another_key_in_the_place_of_the_persons_is_no_longer_theirs_and_the_run_goes_on(loops):
    seals.key()
    key = (home() / paths.KEY).read_bytes()
    run = loops.start(f"head -c {len(key)} /dev/zero >{home() / paths.KEY}; {'; '.join(STEPS)}", memory=True)
    assert run.reason == "success" and (home() / paths.KEY).read_bytes() == key
    assert any("its key and what you trusted are back" in line for line in loops.told)


@pytest.mark.check
def test_what_a_person_does_meanwhile_stays(loops):
    seals.key()
    approved = home() / paths.TRUST / "approved-other.json"
    run = loops.start(f"echo '{{}}' >{approved}; {'; '.join(STEPS)}", memory=True)
    assert run.reason == "success" and approved.read_text() == "{}\n" and not [each for each in loops.told if "deleted" in each]
    shutil.rmtree(home())


@pytest.mark.check
def test_a_loop_that_finds_the_memory_to_be_nobodys_says_so_when_it_begins_and_when_it_ends(loops):
    loops.start(STEPS[0], memory=True, limits={"iterations": 1})
    shutil.rmtree(home())
    run = loops.start("exit 3", memory=True)
    said = [line for line in loops.told if line.startswith("going on without the memory")]
    assert len(said) == 1 and "not made by you here" in said[0]
    assert said[0] in "\n".join(display.ended(run)) and said[0] in "\n".join(display.status_lines(loops.latest(), 0))


@pytest.mark.check
@pytest.mark.parametrize("here", [True, False], ids=["in the person's files", "in a room"])
def test_where_the_snapshots_went_too_nothing_is_offered_that_cannot_be_done(loops, here):
    loops.start(STEPS[0], f"rm -rf {home()}; echo right >two.txt", here=here)
    run = loops.latest()
    said = "\n".join([*display.ended(run), *display.status_lines(run, 0)])
    assert "nothing is left to go on from" in said and "resume" not in said and "rollback" not in said and "apply" not in said
    for act in (lambda: stopping.check(loops.project, run, {"iterations": 20}), lambda: files.look_for_last(loops.project, run)):
        with pytest.raises(SnapshotError, match=f"the snapshots of {run.id} are gone"):
            act()


@pytest.mark.check
def test_a_rollback_does_not_take_the_snapshots_of_another_run_for_those_that_are_gone(loops):
    first = loops.start(STEPS[0], limits={"iterations": 1})
    shutil.rmtree(home() / "snapshots")
    loops.start(STEPS[1], limits={"iterations": 1})
    with pytest.raises(SnapshotError, match=f"the snapshots of {first.id} are gone"):
        rolling_back.preview_rollback(loops.project, loops.values(), first, rolling_back.START)
    with pytest.raises(SnapshotError, match="are gone"):
        rolling_back.roll_back(loops.project, loops.values(), first, rolling_back.START, force=True)
    assert loops.text("two.txt") == "right\n"


@pytest.mark.check
def test_a_room_that_its_agent_deletes_is_made_anew_when_the_run_goes_on(loops):
    run = loops.start(STEPS[0], 'rm -rf "$PWD"', STEPS[1], STEPS[2], here=False)
    assert run.reason == "snapshot_failed" and "`ralph-mem ralph resume` makes the room anew" in run.why
    loops.agent("; ".join(STEPS))
    run = headless.resume(loops.project, loops.values(), run)
    assert run.status == "success" and loops.text("three.txt") == "right\n"


@pytest.mark.check
def test_a_room_of_a_project_without_git_is_not_said_to_be_without_a_guard(loops):
    loops.start(*STEPS, here=False)
    assert not [line for line in loops.told if "git" in line]
