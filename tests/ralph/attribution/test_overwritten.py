"""What a person wrote in a tree that they share with a loop, and its agent then overwrote or removed, comes back by a rollback."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.ralph import rolling_back
from ralph_mem.ralph.attribution import listening, overwritten
from ralph_mem.ralph.snapshot import MEANWHILE
from tests.ralph.attribution.test_shared_tree import wait_until
from tests.ralph.loops import STEPS, git, kept, names

pytestmark = pytest.mark.skipif(not listening.is_possible(), reason="the calls of this machine are not known")

# The agent says that it is there, waits for the person, and goes on: both know for certain who came first.
MEET = "touch ../met; while [ ! -e ../edited ]; do sleep 0.05; done"
WAYS = {
    "truncated": "echo right >one.txt",
    "replaced": "echo right >new && mv new one.txt",
    "removed": "rm one.txt",
    "edited in place": "sed -i s/mine/right/ one.txt",
}


def edited(loops, *acts):
    """Have the person act once the agent waits for it."""

    def act():
        wait_until((loops.folder / "met").exists)
        for each in acts:
            each()
        (loops.folder / "edited").touch()

    return loops.meanwhile(act)


def ran(loops, person, *steps, **wished):
    run = loops.start(*steps, limits={"iterations": len(steps)}, **wished)
    person.join()
    return run


@pytest.mark.parametrize(
    "way", [pytest.param(way, id=name, marks=[pytest.mark.check] * (name != "removed")) for name, way in WAYS.items()]
)
def test_an_edit_that_the_agent_destroys_within_its_iteration_comes_back_and_that_is_told(loops, way):
    run = ran(loops, edited(loops, lambda: loops.write("one.txt", "mine\n")), f"{MEET}; {way}")
    assert loops.top.joinpath("one.txt").exists() is (way != WAYS["removed"])
    assert any("overwrote" in line and "one.txt" in line for line in run.iterations[0].tampered)
    assert [change[0] for change in run.iterations[0].changed] == ["one.txt"]
    report = loops.back()
    assert loops.text("one.txt") == "mine\n" and names(report.restored) == ["one.txt"]
    loops.back(rolling_back.UNDO)
    assert not loops.top.joinpath("one.txt").exists() or loops.text("one.txt") != "mine\n"
    loops.back()
    assert loops.text("one.txt") == "mine\n"


def test_what_the_agent_destroys_in_a_later_iteration_comes_back_with_its_folder(loops):
    person = edited(loops, lambda: loops.write("new/mine.txt", "mine"), lambda: loops.write("two.txt", "mine"))
    ran(loops, person, MEET, "rm -r new; echo right >two.txt; touch made.txt")
    report = loops.back()
    assert (loops.text("new/mine.txt"), loops.text("two.txt")) == ("mine", "mine")
    assert names(report.deleted) == ["made.txt"]


@pytest.mark.check
def test_what_the_person_wrote_in_a_folder_that_the_agent_moves_away_comes_back(loops):
    loops.write("docs/one.md", "was")
    ran(loops, edited(loops, lambda: loops.write("docs/one.md", "mine")), f"{MEET}; mv docs old")
    loops.back()
    assert loops.text("docs/one.md") == "mine" and not (loops.top / "old").exists()


def test_by_all_of_it_is_as_it_was_at_the_start(loops):
    ran(loops, edited(loops, lambda: loops.write("one.txt", "mine\n")), f"{MEET}; {STEPS[0]}")
    loops.back(everything=True)
    assert loops.text("one.txt") == "wrong\n"


def test_an_edit_right_after_the_agent_wrote_the_file_is_kept_where_the_agent_was_done_with_it(loops):
    person = edited(loops, lambda: loops.write("one.txt", "agent and mine\n"), lambda: loops.write("later.txt", "mine"))
    ran(loops, person, f"echo agent >one.txt; {MEET}")
    assert kept(loops.back()) == {"one.txt": MEANWHILE, "later.txt": MEANWHILE}
    assert loops.text("one.txt") == "agent and mine\n"


def test_a_program_that_has_a_file_open_writes_to_it_as_long_as_it_likes(loops):
    ran(loops, edited(loops), f"exec 3>one.txt; {MEET}; echo late >&3; exec 3>&-; touch made.txt")
    report = loops.back()
    assert kept(report) == {} and loops.text("one.txt") == "wrong\n"


def test_what_the_agent_writes_twice_is_its_own_and_nothing_is_kept_of_it(loops):
    run = ran(loops, edited(loops), f"echo a >one.txt; {MEET}; echo b >one.txt; rm one.txt; echo c >one.txt")
    assert run.iterations[0].tampered == [] and loops.text("one.txt") == "c\n"
    assert kept(loops.back()) == {} and loops.text("one.txt") == "wrong\n"


def test_a_memory_that_hooks_of_the_agent_write_is_nobody_s_edit(loops):
    loops.top.joinpath(".ralph-mem").mkdir(exist_ok=True)
    person = edited(loops, lambda: loops.write(".ralph-mem/held", "mine\n"))
    run = ran(loops, person, f"{MEET}; echo right >.ralph-mem/held")
    assert not [line for line in run.iterations[0].tampered if "overwrote" in line]
    assert not [name for name in names(loops.back().kept) if "held" in name]


def test_what_no_snapshot_takes_in_is_not_kept_and_nothing_is_left_beside_the_record(loops):
    git(loops.top, "init", "-q")
    loops.write(".gitignore", "*.log\nout/\n")
    person = edited(loops, lambda: loops.write("mine.log", "mine"), lambda: loops.write("out/mine", "mine"))
    run = ran(loops, person, f"{MEET}; echo agent >mine.log; rm -r out")
    assert not any("overwrote" in line for line in run.iterations[0].tampered)
    assert not [*loops.folder.rglob(f"*.{overwritten.SUFFIX}")]


@given(cut=st.integers(0, 300), texts=st.lists(st.binary(max_size=40), min_size=1, max_size=4))
def test_a_file_that_ends_anywhere_tells_whole_files_only(tmp_path_factory, cut, texts):
    folder = tmp_path_factory.mktemp("tree")
    held = overwritten.Overwritten(str(folder / "held"), str(folder))
    for number, text in enumerate(texts):
        (folder / f"f{number}").write_bytes(text)
        held.keep(str(folder / f"f{number}"))
    data = (folder / "held").read_bytes()[:cut]
    found = [*overwritten._entries(data)]
    assert [each.data for each in found] == texts[: len(found)]
    assert len(found) == len(texts) or cut < (folder / "held").stat().st_size
