"""Behind walls nothing but the room can be written, by the agent or by a check; without bubblewrap no such loop begins."""

import os
import shlex

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import options
from ralph_mem.ralph.room import walls
from tests.ralph.loops import STEPS, Loops

MENDS = "; ".join(STEPS)


@pytest.fixture
def loops(tmp_path):
    if walls.why_not():
        pytest.skip(f"bubblewrap cannot be used here: {walls.why_not()}")
    return Loops(tmp_path)


def test_an_agent_writes_in_its_room_and_nowhere_else(loops, tmp_path):
    mine = shlex.quote(str(loops.top / "one.txt"))
    step = (
        f"(echo x >{mine}) 2>>said.txt; (rm {mine}) 2>>said.txt; (echo x >{tmp_path}/outside) 2>>said.txt; "
        f"(echo x >$HOME/home) 2>>said.txt; echo t >/tmp/mine-alone && cat /tmp/mine-alone $TMPDIR/mine-alone >>said.txt; {MENDS}"
    )
    agent = ("/bin/sh", "-c", step)
    run = loops.start(agent=agent, here=False, sandbox="on")
    assert run.status == "success"
    assert loops.text("said.txt").count("Read-only file system") == 3
    assert loops.text("said.txt").endswith("t\nt\n")
    assert not (tmp_path / "outside").exists() and not os.path.exists("/tmp/mine-alone")
    assert loops.text("one.txt") == "right\n"


def test_a_check_writes_nowhere_else_either_and_its_report_is_read(loops, tmp_path):
    loops.write("check.sh", f"#!/bin/sh\n(echo x >{tmp_path}/outside) 2>/dev/null\ngrep -q right one.txt\n")
    run = loops.start(agent=("/bin/sh", "-c", MENDS), here=False, sandbox="on")
    assert (run.status, (tmp_path / "outside").exists()) == ("success", False)


def test_what_else_names_a_place_for_temporary_files_names_one_that_is_there(loops, monkeypatch):
    monkeypatch.setenv("PYTEST_DEBUG_TEMPROOT", "/tmp/of-somebody-else")
    loops.write("check.sh", "#!/bin/sh\necho x >$PYTEST_DEBUG_TEMPROOT/made && grep -q right one.txt\n")
    assert loops.start(agent=("/bin/sh", "-c", MENDS), here=False, sandbox="on").status == "success"


def test_a_check_that_is_missing_is_still_known_as_missing(loops):
    run = loops.start(agent=("/bin/sh", "-c", MENDS), here=False, sandbox="on", criteria=("custom=/nowhere/check",))
    assert run.reason == "broken_criteria"


def test_without_a_network_there_is_only_the_machine_itself(loops):
    loops.write("check.sh", '#!/bin/sh\n[ "$(tail -n +3 /proc/net/dev | wc -l)" = 1 ] && grep -q right one.txt\n')
    run = loops.start(agent=("/bin/sh", "-c", MENDS), here=False, sandbox="no-network")
    assert run.status == "success"


def test_walls_are_refused_where_they_cannot_be_had(tmp_path, monkeypatch):
    loops = Loops(tmp_path)
    with pytest.raises(LoopError, match="for a loop in a room"):
        loops.start(MENDS, here=True, sandbox="on")
    monkeypatch.setattr(walls, "why_not", lambda: "there is no bwrap (bubblewrap) on PATH")
    with pytest.raises(LoopError, match="there is no bwrap") as error:
        loops.start(MENDS, here=False, sandbox="on")
    assert "install bubblewrap" in error.value.hint


@pytest.mark.parametrize("without_a_room", ["--here", "--no-snapshot"])
def test_to_leave_a_result_in_a_room_is_refused_where_there_is_none(without_a_room):
    with pytest.raises(LoopError, match="--no-apply is for a loop in a room") as error:
        options.meant({"--no-apply": True, without_a_room: True})
    assert error.value.hint == "leave out --here and --no-snapshot, or --no-apply"
