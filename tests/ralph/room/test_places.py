"""Rooms are of the person's project: what a session in one remembers, and what a forget and an uninstall do with them."""

from pathlib import Path

from ralph_mem.core import paths, places, rooms
from ralph_mem.maintenance.doctor import files as doctor_files
from ralph_mem.maintenance.forget import loop_snapshots
from tests.hook import Hook
from tests.ralph.loops import Loops


def test_what_an_agent_does_in_a_room_is_remembered_in_the_persons_project_under_the_same_path(tmp_path):
    hook = Hook(tmp_path)
    hook.start()
    tree, room = str(hook.project), str(hook.data / "rooms" / paths.key_of(str(hook.project)) / "loop-1" / hook.project.name)
    Path(room, "shop").mkdir(parents=True)
    Path(room, "shop/cart.py").write_text("new\n")
    (Path(room).parents[1] / rooms.STANDS_FOR).write_text(f'{{"root": "{tree}", "tree": "{tree}"}}')
    agent = hook.another(CLAUDE_PROJECT_DIR=room, RALPH_MEM_LOOP="loop-1/1")
    agent.cwd = Path(room)
    agent.start()
    agent.prompt("mend the cart")
    agent.edit(f"{room}/shop/cart.py", "old", "new")
    assert hook.rows("SELECT title, files FROM observations") == [("shop/cart.py", "shop/cart.py")]
    assert not Path(room, ".ralph-mem").exists()


def test_a_room_is_a_place_that_goes_with_snapshots_and_an_uninstall():
    place = places.of("rooms/key/loop-1/shop/file", places.IN_DATA_HOME)
    assert (place.name, place.on_forget, place.on_uninstall, place.whose) == ("rooms", places.SNAPSHOT, places.GOES, places.TREE)


def test_a_forget_that_deletes_the_snapshots_of_a_run_deletes_its_room(tmp_path):
    loops = Loops(tmp_path)
    run = loops.start("echo secret words >said.txt", here=False, limits={"iterations": 1})
    (held,) = loop_snapshots.delete_runs(loops.project, [loop_snapshots.Held(run.id, False, False, False)])
    assert (held.deleted, Path(run.room).exists()) == (True, False)


def test_doctor_leaves_the_modes_of_files_in_a_room_alone(tmp_path):
    loops = Loops(tmp_path)
    run = loops.start("echo x >x; chmod 666 x", here=False, limits={"iterations": 1})
    seen = [finding.seen for finding in doctor_files.permissions(loops.project) if finding.check == "data folder"]
    assert len(seen) == 1 and "/rooms/" not in seen[0]
    assert Path(run.room, "x").stat().st_mode & 0o777 == 0o666
