"""Which project a session's rows belong to: every layout through real hooks, moves and copies, and nothing across projects."""

import os
import shutil
from contextlib import closing

import pytest

from ralph_mem.core import project as projects
from ralph_mem.memory import access
from ralph_mem.memory.facts import taking
from ralph_mem.memory.rows import facts
from tests.faults.layouts import LAYOUTS, Disk, git
from tests.hook import Hook, said_to_model
from tests.sessions import NOON


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """Make a repository to be copied, without the sample hooks that make copying it slow."""
    folder = tmp_path_factory.mktemp("template")
    git(folder, "init", "-q", "-b", "main", "--template=")
    (folder / "readme").write_text("A shop.\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Begin")
    return folder


@pytest.fixture
def a_person(tmp_path, plugin):
    """Make a person with an empty disk; `project` is what a test makes of it."""
    return Hook(tmp_path / "person", plugin)


@pytest.fixture
def a_disk(a_person, template):
    return Disk(a_person.folder, a_person.home, template)


def session_in(person, start, root=None, cwd=None):
    """Return a session that the client begins in a folder and whose memory must be at a root."""
    session = person.another(CLAUDE_PROJECT_DIR=os.fspath(start))
    session.project, session.cwd = root or start, cwd or (start if os.path.exists(start) else root)
    return session


def memories(folder):
    return sorted(f"{place}/memory.db" for place, _, names in os.walk(folder) if "memory.db" in names)


def readable(path):
    return os.fsencode(path).decode("utf-8", "replace")


# Forty layouts and more

FILED = []


@pytest.mark.check
@pytest.mark.parametrize("words", LAYOUTS)
def test_what_happens_is_filed_under_the_project_that_it_belongs_to(a_person, a_disk, monkeypatch, words):
    layout = LAYOUTS[words](a_disk)
    monkeypatch.setattr(projects.posix, "environ", {b"HOME": os.fsencode(a_person.home)})
    assert projects.find(os.fspath(layout.start)).top == str(layout.top or layout.root)
    session = session_in(a_person, layout.start, layout.root, layout.cwd)
    assert "systemMessage" not in session.start(cwd=os.fspath(session.cwd).encode("utf-8", "replace").decode())
    session.prompt("Where is the zeppelin?", cwd=os.fspath(session.cwd).encode("utf-8", "replace").decode())
    assert memories(a_person.folder) == [f"{layout.root}/.ralph-mem/memory.db"]
    rows = session.rows("SELECT client_session, project_path, prompt FROM sessions JOIN turns ON session_id = sessions.id")
    assert rows == [(session.session, readable(layout.root), "Where is the zeppelin?")]
    FILED.append(words)


def test_there_are_at_least_forty_layouts(capsys):
    assert len(LAYOUTS) >= 40
    with capsys.disabled():
        print(f"\nlayouts: {len(FILED)} of {len(LAYOUTS)} filed under the right project")


def test_a_path_that_sqlite_has_no_room_for_disturbs_nobody_and_is_told(a_person):
    deep = a_person.folder
    while len(os.fsencode(deep)) < 3800:
        deep /= "d" * 150
    os.makedirs(deep)
    session = session_in(a_person, deep)
    told = session.start()["systemMessage"]
    assert "an event waits to be stored: the path of the project is too long for a database" in told and "\n" not in told
    assert session.prompt("Where is the zeppelin?") == {}
    assert len(session.spooled()) == 2


# Moved, renamed, copied


@pytest.fixture
def a_shop(a_person, a_disk):
    """Have a session behind it in a repository called shop; returns that session."""
    session = session_in(a_person, a_disk.repository("shop"))
    session.start()
    session.prompt("Where is the zeppelin?")
    session.end()
    return session


def number_of(session):
    return session.values("SELECT value FROM properties WHERE key = 'project_id'")


@pytest.mark.check
@pytest.mark.parametrize("name", ["store", "Shop", "deeper/down/shop", "it's\nmoved"])
def test_a_project_that_was_moved_or_renamed_keeps_its_memory_and_its_id(a_person, a_shop, name):
    number, place = number_of(a_shop), a_person.folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    a_shop.project.rename(place)
    later = session_in(a_person, place)
    assert "systemMessage" not in later.start()
    assert number_of(later) == number
    assert later.values("SELECT prompt FROM turns") == ["Where is the zeppelin?"]


def test_one_folder_under_two_spellings_is_one_project(a_person, a_shop):
    # as on a disk that takes upper and lower case for the same
    (a_person.folder / "SHOP").symlink_to(a_shop.project)
    number = number_of(a_shop)
    later = session_in(a_person, a_person.folder / "SHOP", a_shop.project)
    assert "systemMessage" not in later.start()
    assert number_of(later) == number and memories(a_person.folder) == [str(a_shop.database)]


def test_a_copy_is_a_project_of_its_own_and_says_so_once(a_person, a_shop):
    number, copy = number_of(a_shop), a_person.folder / "copy"
    shutil.copytree(a_shop.project, copy)
    told = [session_in(a_person, copy).start().get("systemMessage", "") for _ in range(2)]
    assert ["this memory is a copy of the one in" in line for line in told] == [True, False]
    assert number_of(a_shop) == number != number_of(session_in(a_person, copy))


def test_worktrees_and_their_repository_share_one_memory(a_person, a_shop, a_disk):
    for name in ("../one", ".claude/worktrees/two"):
        session_in(a_person, a_disk.worktree(a_shop.project, name), a_shop.project).start()
    assert a_shop.values("SELECT count(*) FROM sessions") == [3]
    assert memories(a_person.folder) == [str(a_shop.database)]


def test_a_fact_is_told_in_the_worktrees_that_have_the_file_it_names(a_person, a_shop, a_disk, monkeypatch):
    tree = a_disk.worktree(a_shop.project, "../one")
    (tree / "tax.py").write_text("RATE = 19\n")
    monkeypatch.setattr(projects.posix, "environ", {b"HOME": os.fsencode(a_person.home)})
    with closing(access.open_one(projects.find(str(tree)))) as opened, access.Change(opened):
        taking.take(opened, taking.Statement("The rate is in `tax.py#RATE`.", facts.RULE, facts.ADD, NOON), NOON)
    assert "The rate is in" in said_to_model(session_in(a_person, tree, a_shop.project).start())
    assert "The rate is in" not in (said_to_model(session_in(a_person, a_shop.project).start()) or "")


def test_a_session_stays_in_its_project_wherever_its_shell_goes(a_person, a_shop, a_disk):
    library = a_disk.repository("library")
    other = session_in(a_person, library)
    other.start()
    a_shop.start(source="resume")
    a_shop.prompt("Go there?")
    a_shop.bash("cd ../library && make", "ok", cwd=str(library))
    a_shop.subagent_stop("I looked there.", cwd=str(library))
    assert a_shop.values("SELECT count(*) FROM observations") == [2]
    assert other.values("SELECT (SELECT count(*) FROM observations) + (SELECT count(*) FROM turns)") == [0]


# Nothing of one project surfaces in another

NEEDLES = {"shop": "zeppelin", "nested": "quokka", "library": "marzipan", "again": "bassoon", "notes": "obsidian"}
PAIRS = [(here, there) for here in NEEDLES for there in NEEDLES if here != there]


@pytest.fixture(scope="module")
def neighbours(tmp_path_factory, plugin, template):
    """Give five neighbours, of which two lie in a third and one is its clone, a memory each; returns their sessions."""
    person = Hook(tmp_path_factory.mktemp("neighbours"), plugin)
    disk = Disk(person.folder, person.home, template)
    shop = disk.repository("shop")
    git(shop, "submodule", "--quiet", "add", disk.repository("origin"), "library")
    git(disk.folder, "clone", "-q", shop, "again")
    places = {
        "shop": shop, "library": shop / "library", "again": disk.folder / "again",
        "nested": disk.repository("shop/tools/nested"), "notes": disk.plain("notes"),
    }  # fmt: skip
    sessions = {name: session_in(person, place) for name, place in places.items()}
    for name, session in sessions.items():
        session.start()
        session.prompt(f"Why does the {NEEDLES[name]} of {NEEDLES[name]} street squeak?")
        session.bash(f"make {NEEDLES[name]}", f"the {NEEDLES[name]} squeaks")
        session.stop(f"The {NEEDLES[name]} needs oil, as every {NEEDLES[name]} does.")
    return sessions


def found_by(session, word):
    """Return what a later session in the same project is told by itself, and by a search."""
    later = session.another()
    told = said_to_model(later.start()) + said_to_model(later.prompt(f"Why does the {word} squeak in {word} street?"))
    return told, later.run("mem-search", word.encode()).out.decode()


@pytest.mark.check
@pytest.mark.parametrize("name", NEEDLES)
def test_a_project_finds_what_is_its_own(neighbours, name):
    told, searched = found_by(neighbours[name], NEEDLES[name])
    assert f"{NEEDLES[name]} needs oil" in told and f"{NEEDLES[name]} needs oil" in searched


@pytest.mark.check
@pytest.mark.parametrize(("here", "there"), PAIRS)
def test_nothing_of_one_project_surfaces_in_another(neighbours, here, there):
    told, searched = found_by(neighbours[here], NEEDLES[there])
    # what was asked for is echoed; what the neighbour found out is not
    assert "needs oil" not in told.replace(f"{NEEDLES[here]} needs oil", "") and "needs oil" not in searched


def test_twenty_queries_went_across(capsys):
    assert len(PAIRS) == 20
    with capsys.disabled():
        print(f"\ncross-project queries: {len(PAIRS)}, surfaced: 0")
