"""What was applied is taken out again, and whatever the person has done since stays theirs, however often results came and went."""

from ralph_mem.ralph import headless
from tests.ralph.loops import STEPS, names
from tests.ralph.room.test_loop_in_a_room import applied, in_a_room, kept


def mine(loops):
    """Work as a person in a file of one's own and in one that the loop never touched; returns what has to stay of it."""
    loops.write("mine.txt", "mine\n")
    loops.write("check.sh", "mine as well\n")
    return {"mine.txt": "mine\n", "check.sh": "mine as well\n"}


def there(loops, paths):
    return {path: loops.text(path) for path in paths if (loops.top / path).exists()}


def test_what_the_person_did_between_a_result_and_a_resume_stays(loops):
    run = in_a_room(loops, STEPS[0], limits={"iterations": 1})
    applied(loops)
    work = mine(loops)
    headless.resume(loops.project, loops.values(), run, iterations=2)
    report = loops.back()
    assert (names(report.restored), report.deleted, loops.text("one.txt")) == (["one.txt"], [], "wrong\n")
    assert there(loops, work) == work and set(kept(report)) == set(work)
