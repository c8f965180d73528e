"""In a tree that a loop shares with a person a rollback takes what the loop's programs wrote, and nothing that the person did."""

import os
import random
import shutil
import tempfile
import time

import pytest

from ralph_mem.ralph import rolling_back
from ralph_mem.ralph.attribution import explaining, listening, system_calls
from ralph_mem.ralph.snapshot import MEANWHILE
from tests.ralph.loops import CHECK, STEPS, git, kept, names
from tests.ralph.snapshot.conftest import tree_of

pytestmark = pytest.mark.skipif(not listening.is_possible(), reason="the calls of this machine are not known")


@pytest.mark.check
def test_what_the_person_writes_while_an_iteration_runs_is_kept_and_named(loops):
    loops.write("mine.txt", "before")
    person = loops.meanwhile(lambda: (loops.write("mine.txt", "edited"), loops.write("new.txt", "new")))
    loops.start(f"sleep 1; {STEPS[0]}", limits={"iterations": 1})
    person.join()
    report = loops.back()
    assert names(report.restored) == ["one.txt"] and kept(report) == {"mine.txt": MEANWHILE, "new.txt": MEANWHILE}
    assert (loops.text("mine.txt"), loops.text("new.txt"), loops.text("one.txt")) == ("edited", "new", "wrong\n")


def test_a_file_that_a_program_names_by_its_own_open_folder_is_its(loops):
    act = "import os; at = os.open('.', os.O_RDONLY); open(f'/proc/self/fd/{at}/one.txt', 'w').write('by a handle')"
    loops.start(f'python3 -c "{act}"', limits={"iterations": 1})
    assert loops.text("one.txt") == "by a handle"
    report = loops.back()
    assert names(report.restored) == ["one.txt"] and kept(report) == {}


@pytest.mark.check
def test_with_all_it_goes_back_as_well_and_the_undo_brings_it_again(loops):
    person = loops.meanwhile(lambda: loops.write("new.txt", "new"))
    loops.start(f"sleep 1; {STEPS[0]}", limits={"iterations": 1})
    person.join()
    loops.back(everything=True)
    assert not (loops.top / "new.txt").exists()
    loops.back(rolling_back.UNDO)
    assert loops.text("new.txt") == "new"


@pytest.mark.check
def test_a_file_that_the_agent_wrote_and_then_the_person_is_kept(loops):
    person = loops.meanwhile(lambda: (time.sleep(2), loops.write("one.txt", "mine in the end")))
    loops.start(f"{STEPS[0]}; sleep 3", limits={"iterations": 1})
    person.join()
    assert kept(loops.back()) == {"one.txt": MEANWHILE} and loops.text("one.txt") == "mine in the end"


@pytest.mark.check
def test_what_the_person_writes_where_the_agent_has_just_deleted_a_file_is_theirs(loops):
    person = loops.meanwhile(lambda: (wait_until(lambda: not (loops.top / "one.txt").exists()), loops.write("one.txt", "mine")))
    loops.start("rm one.txt; sleep 1", limits={"iterations": 1})
    person.join()
    assert kept(loops.back()) == {"one.txt": MEANWHILE} and loops.text("one.txt") == "mine"


def wait_until(there):
    until = time.monotonic() + 20
    while not there() and time.monotonic() < until:
        time.sleep(0.01)


@pytest.mark.check
def test_what_the_person_does_while_checks_run_is_theirs(loops):
    loops.write("check.sh", CHECK.replace("exit $wrong", "echo x >left.txt; sleep 1; exit $wrong"))

    def act():
        wait_until(lambda: loops.text("one.txt") == "right\n")
        time.sleep(0.5)
        loops.write("mine.txt", "mine")

    person = loops.meanwhile(act)
    loops.start(*STEPS)
    person.join()
    report = loops.back()
    assert kept(report) == {"mine.txt": MEANWHILE} and "left.txt" in names(report.deleted)


@pytest.mark.check
def test_what_is_told_of_an_iteration_is_the_agents(loops):
    person = loops.meanwhile(lambda: loops.write("mine.txt", "mine"))
    run = loops.start(f"sleep 1; {STEPS[0]}", limits={"iterations": 1})
    person.join()
    assert [change[0] for change in run.iterations[0].changed] == ["one.txt"]


@pytest.mark.check
def test_what_the_person_protected_and_edits_meanwhile_is_not_put_back_under_their_hands(loops):
    loops.write("tests/test_it.txt", "before")
    person = loops.meanwhile(lambda: loops.write("tests/test_it.txt", "mine"))
    loops.start(f"sleep 1; {STEPS[0]}", limits={"iterations": 1}, protect=("tests/**",))
    person.join()
    assert loops.text("tests/test_it.txt") == "mine"


# Ways in which agents write: by a shell, an editor's draft, git, Python, a folder that moves, links, a process left behind.
WAYS = [
    "echo agent >{0}",
    "sed -i s/was/agent/ {0}",
    "printf agent >{0}.new && mv {0}.new {0}",
    "rm {0}",
    "cp one.txt {0}",
    "python3 -c \"open('{0}','a').write('agent')\"",
    "chmod 600 {0}",
    "mkdir -p d-{0} && echo agent >d-{0}/file",
    "ln -s one.txt link-{0}",
    "mkdir x-{0} && echo agent >x-{0}/a && mv x-{0} y-{0}",
    "truncate -s 1 {0}",
    "dd if=one.txt of={0} 2>/dev/null",
    "tee {0} <one.txt >/dev/null",
    "(setsid sh -c 'echo agent >{0}' &)",
    "git rm -qf {0}",
    "perl -pi -e s/was/agent/ {0}",
    "ln one.txt hard-{0}",
    "echo agent >{0}; ln -s {0} link-{0}; rm link-{0}",
]


@pytest.mark.check
def test_nine_in_ten_files_of_an_agent_come_back_and_no_byte_of_the_persons_goes(loops):
    chance = random.Random(17)
    git(loops.top, "init", "-q")
    for number in range(60):
        loops.write(f"agent-{number}", "was")
        loops.write(f"mine-{number}", "was")
    git(loops.top, "add", "-A")
    before = tree_of(loops.top)
    acts = [WAYS[number % len(WAYS)].format(f"agent-{number}") for number in range(60)]

    def edit():
        for number in range(60):
            time.sleep(chance.random() * 0.06)
            [lambda path: path.write_text("mine"), lambda path: path.unlink(), lambda path: path.rename(f"{path}-moved")][
                number % 3
            ](loops.top / f"mine-{number}")

    person = loops.meanwhile(edit)
    loops.start("; sleep 0.03; ".join(acts) + "; sleep 1", limits={"iterations": 1})
    person.join()
    changed = {path for path, told in tree_of(loops.top).items() if before.get(path) != told} | (before.keys() - tree_of(loops.top))
    theirs = {path: told for path, told in tree_of(loops.top).items() if b"mine" in path}
    agents = {path for path in changed if b"mine" not in path}
    report = loops.back()
    after = tree_of(loops.top)
    back = [path for path in agents if after.get(path) == before.get(path)]
    print(f"{len(back)} of {len(agents)} paths of the agent came back, {len(theirs)} of the person's are as they were")
    assert len(agents) > 50 and len(back) >= 0.9 * len(agents)
    assert {path: told for path, told in after.items() if b"mine" in path} == theirs
    assert not [name for name in names([*report.restored, *report.deleted]) if "mine" in name]


# What is heard


@pytest.mark.check
@pytest.mark.parametrize("way", WAYS)
def test_each_way_to_write_is_heard(loops, way):
    loops.write("f", "was")
    git(loops.top, "init", "-q")
    git(loops.top, "add", "-A")
    before = tree_of(loops.top)
    loops.start(way.format("f") + "; sleep 0.2", limits={"iterations": 1})
    assert tree_of(loops.top) != before
    assert kept(loops.back()) == {} and tree_of(loops.top) == before


@pytest.mark.parametrize("way", ["ln -sfn new current", "ln -s new made; mv -T made current", "mv current moved"])
def test_who_points_a_link_elsewhere_does_nothing_to_what_it_led_to(loops, way):
    for name in ("old", "new"):
        loops.write(f"{name}/a.txt", "was")
    (loops.top / "current").symlink_to("old")
    person = loops.meanwhile(lambda: loops.write("old/a.txt", "mine"))
    run = loops.start(f"sleep 1; {way}; sleep 0.5", limits={"iterations": 1})
    person.join()
    assert not [line for line in run.iterations[0].tampered if "a.txt" in line]
    assert kept(loops.back()) == {"old/a.txt": MEANWHILE}
    assert loops.text("old/a.txt") == "mine" and (loops.top / "current").readlink().name == "old"


def test_what_is_written_through_a_link_that_leads_elsewhere_since_is_the_agents(loops):
    loops.write("new/a.txt", "was")
    before = tree_of(loops.top)
    loops.start("mkdir t; echo 1 >t/x; mv t u; ln -s new t; echo agent >t/a.txt; sleep 0.2", limits={"iterations": 1})
    assert loops.text("new/a.txt") == "agent\n"
    assert kept(loops.back()) == {} and tree_of(loops.top) == before


def two_names(loops):
    """Give a file a second name."""
    loops.write("a.txt", "was")
    os.link(loops.top / "a.txt", loops.top / "b.txt")
    return tree_of(loops.top)


@pytest.mark.check
@pytest.mark.parametrize(
    "way",
    [
        "echo two >a.txt",
        "sed -i s/was/two/ a.txt",
        "rm a.txt",
        "mv a.txt c.txt",
        "ln -f a.txt one.txt",
        "echo x >a.txt; echo y >b.txt",
    ],
)
def test_what_an_agent_does_to_one_name_of_a_file_is_its_doing_under_the_others_too(loops, way):
    before = two_names(loops)
    run = loops.start(way, limits={"iterations": 1})
    assert run.iterations[0].tampered == []
    assert kept(loops.back()) == {} and tree_of(loops.top) == before
    assert (loops.top / "a.txt").samefile(loops.top / "b.txt")


@pytest.mark.check
def test_what_the_person_writes_by_another_name_is_theirs_under_all(loops):
    two_names(loops)
    person = loops.meanwhile(lambda: (time.sleep(2), loops.write("b.txt", "mine in the end")))
    loops.start("echo two >a.txt; sleep 3", limits={"iterations": 1})
    person.join()
    assert kept(loops.back()) == {"a.txt": MEANWHILE, "b.txt": MEANWHILE} and loops.text("a.txt") == "mine in the end"


@pytest.mark.check
def test_where_the_system_tells_nothing_a_rollback_takes_all_and_that_is_said(loops, monkeypatch):
    monkeypatch.setattr(system_calls, "filter_of", lambda: b"\0" * 8)
    person = loops.meanwhile(lambda: loops.write("mine.txt", "mine"))
    loops.start(f"sleep 1; {STEPS[0]}", limits={"iterations": 1})
    person.join()
    assert any("counts as the loop's" in line for line in loops.told)
    assert names(loops.back().deleted) == ["mine.txt"]


def test_where_nobody_hears_who_writes_a_loop_in_the_persons_files_says_so_first(loops, monkeypatch):
    loops.start(STEPS[0], limits={"iterations": 1}, attribution=False)
    assert loops.told[0].startswith("what you change here") and loops.told[0].endswith("--no-attribution")
    monkeypatch.setattr(listening, "is_possible", lambda: False)  # such as on macOS
    loops.told.clear()
    loops.write("one.txt", "wrong\n")
    loops.start(STEPS[0], limits={"iterations": 1})
    assert "does not tell who writes" in loops.told[0] and kept(loops.back()) == {} and loops.text("one.txt") == "wrong\n"


def test_nothing_is_left_of_the_listening(loops, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with explaining.watching(loops.project, "loop-1", {}, loops.told.append) as writes:
        assert [*tmp_path.glob("ralph-mem-*")] and writes.started == 0
    assert not [*tmp_path.glob("ralph-mem-*")] and shutil.which("sh")
