"""Places: each is treated as it is declared by whatever goes through them, and named nowhere else; so are locks and addresses."""

import ast
import functools
import re
from pathlib import Path

import pytest

import ralph_mem
from ralph_mem.core import paths, places
from ralph_mem.core.project import Project
from ralph_mem.maintenance import registry, uninstall, usage
from ralph_mem.memory import relocate
from tests.readers import forget, reader_of

PACKAGE = Path(ralph_mem.__file__).parent
NEEDLE = "the zirconium lantern of the quetzalcoatlus"
MADE_UP = [
    places.Place("drafts", places.PROJECT, places.CACHE, places.GOES, places.FOLLOWS, "waiting", "drafts"),
    places.Place("pages", places.ONE_MEMORY, places.COPY, places.STAYS, places.LEFT, "backups", "pages"),
    places.Place("tokens", places.ALL, places.NO_TEXT, places.GOES, places.LEFT, "", "tokens"),
]
DECLARED = [*places.IN_DATA_HOME, *MADE_UP]
FOLDERS = (paths.FORGOTTEN, paths.EMBEDDINGS)  # of those that are all projects'
# What a forget cleans file by file, whatever lies in it; the memory and its snapshots are databases, with tests of their own.
CLEANED = (places.WAITING, places.COPY, places.LOOP, places.CACHE)


@pytest.fixture
def all_places(a_session, monkeypatch):
    """Put a file into each place, those that were made up too; returns them by place."""
    monkeypatch.setattr(places, "IN_DATA_HOME", DECLARED)
    a_session.has_a_turn("Where is it?", f"Below {NEEDLE}.")
    return {place.name: put_into(place, a_session) for place in DECLARED}


def put_into(place, session):
    key = paths.key_of(session.project.root)
    names = {places.PROJECT: key, places.TREE: key, places.ONE_MEMORY: f"{session.store.property('project_id')}-x"}
    names[places.ALL] = key + places.JOB if place.on_move == places.FOLLOWS else "file"
    path = Path(paths.data_home(), place.name, names[place.whose])
    if place.whose == places.ALL and place.name not in FOLDERS:
        path = path.parent
    if place.name == paths.KEY:  # which the memory has needed already
        return path
    if place.whose == places.TREE or place.on_move == places.JOINS:
        path /= "loop-x.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{{"said": "{NEEDLE}"}}\n')
    return path


def holds_it(path):
    return path.exists() and NEEDLE.encode() in path.read_bytes()


def test_a_forget_cleans_every_place_that_is_declared_to_hold_text(all_places, a_session):
    assert [place.name for place in DECLARED if not holds_it(all_places[place.name])] == [paths.KEY]
    forget(reader_of(a_session), query="quetzalcoatlus")
    assert [place.name for place in DECLARED if place.on_forget in CLEANED and holds_it(all_places[place.name])] == []


def test_a_forget_looks_into_whatever_no_place_declares_and_not_into_what_holds_no_text(all_places, a_session):
    strange = Path(paths.data_home(), "somebody-elses", "file")
    strange.parent.mkdir()
    strange.write_text(NEEDLE)
    report = forget(reader_of(a_session), query="quetzalcoatlus")
    assert any(str(strange) in line for line in report.out_of_reach)
    silent = [str(all_places[place.name]) for place in DECLARED if place.on_forget == places.NO_TEXT]
    assert silent and not set(silent) & {*report.residue.looked, *report.residue.files}


def test_an_uninstall_takes_what_is_declared_to_go_and_leaves_what_memories_need(all_places):
    goes, stays = ({Path(each.path).name for each in part} for part in uninstall.of_home(memories=False))
    top = [place for place in DECLARED if "/" not in place.name]
    assert goes == {place.name for place in top if place.on_uninstall == places.GOES}
    assert stays == {place.name for place in top if place.on_uninstall == places.STAYS}
    assert not [each for each in uninstall.strange() if Path(each.path).name in {place.name for place in top}]


def test_the_quota_counts_each_place_as_it_is_declared(all_places):
    before = usage.measure()
    for place in DECLARED:
        with all_places[place.name].open("a") as file:
            file.write("x" * 1000)
    counted = {kind: sum(getattr(use, kind) for use in usage.measure().projects) for kind in usage.Use._fields[2:]}
    grown = {kind: size - sum(getattr(use, kind) for use in before.projects) for kind, size in counted.items()}
    assert grown == {kind: 1000 * sum(place.counts_as == kind for place in DECLARED) for kind in grown}
    inside = sum(place.name.startswith(paths.EMBEDDINGS) for place in DECLARED)
    assert usage.measure().shared - before.shared == 1000 * inside


def test_what_is_declared_to_follow_a_project_that_moves_does(all_places, a_session):
    old, new = a_session.project, Project(a_session.project.root + "-moved")
    Path(old.root).rename(new.root)
    relocate.follow(new, a_session.store.property("project_id"), {"path": old.root})
    moved = {place.name for place in DECLARED if not all_places[place.name].exists()}
    assert moved == {place.name for place in DECLARED if place.on_move != places.LEFT}
    there = [Path(str(all_places[name]).replace(paths.key_of(old.root), paths.key_of(new.root))) for name in moved]
    assert all(path.exists() for path in there)


def test_what_is_left_of_a_project_that_is_gone_is_in_every_place_that_is_somebodys(all_places, a_session):
    Path(a_session.project.root).rename(a_session.project.root + "-gone")
    number = a_session.store.property("project_id")
    Path(paths.data_home(), paths.PROJECTS, number + ".json").write_text(f'{{"path": "{a_session.project.root}"}}')
    left = {Path(each.path).parent.name for each in registry.leftovers(number)}
    assert left == {place.name for place in DECLARED if place.whose != places.ALL or place.on_move == places.FOLLOWS}


# Named in one place


@functools.cache
def sources():
    """Return what stands in each room, node by node."""
    rooms = {str(file.relative_to(PACKAGE)): file.read_text() for file in sorted(PACKAGE.rglob("*.py"))}
    return [(room, list(ast.walk(ast.parse(text)))) for room, text in rooms.items()]


def joined_by_hand(nodes, names):
    """Yield where a name of ours stands in a path: behind a slash, as a part of a `Path`, or in a list of several."""
    path = re.compile(f"/({'|'.join(map(re.escape, names))})(/.*)?")
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and path.fullmatch(node.value):
            yield node.lineno
        parts = []
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in ("Path", "joinpath"):
            parts = node.args[1:]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and "config_folder" not in ast.unparse(node.left):
            parts = [node.right]  # the client's folder has names of its own
        listed = [getattr(each, "value", "") for each in getattr(node, "elts", ())]
        if {getattr(each, "value", "") for each in parts} & names or (
            len(listed) > 1 and {*listed} & names and {*listed} <= names | OF_DATABASES
        ):
            yield node.lineno


OF_DATABASES = {place.name for place in places.IN_MEMORY if place.name.startswith("memory.db")}


def names_of_places():
    """Return the names that one room alone may write; the files of a database are the store's own."""
    return {place.name for place in (*places.IN_DATA_HOME, *places.IN_MEMORY)} - OF_DATABASES


# The agents of `bench truth` are strangers, who know where things lie as anybody may.
ALLOWED = {"core/paths.py", "core/places.py", "bench/truth/agents/breaking.py", "bench/truth/agents/cheating.py"}


@pytest.mark.check
def test_no_other_room_joins_the_name_of_a_place_to_a_folder():
    found = [(room, line) for room, nodes in sources() for line in joined_by_hand(nodes, names_of_places()) if room not in ALLOWED]
    assert found == []


def test_such_a_join_is_seen():
    for line in ('home + "/backups"', 'f"{home}/projects/{x}.json"', 'Path(home, "spool")', 'folder / "off"', '("flaky", "trust")'):
        assert list(joined_by_hand(ast.walk(ast.parse(line)), names_of_places())), line


def test_every_name_of_a_place_is_declared():
    """Whatever is a constant of `paths` and stands behind a data home is among the places, and nothing is declared twice."""
    declared = [place.name for place in places.IN_DATA_HOME]
    assert len(declared) == len(set(declared))
    constants = {name: value for name, value in vars(paths).items() if name.isupper() and isinstance(value, str)}
    used = {
        node.attr
        for _, nodes in sources()
        for text in nodes
        if isinstance(text, ast.JoinedStr) and ("data_home()" in ast.unparse(text) or "{home}/" in ast.unparse(text))
        for node in ast.walk(text)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "paths" and node.attr in constants
    }
    assert len(used) > 10
    assert {constants[name] for name in used} <= {*declared, paths.CONFIG}


def test_one_room_locks_files():
    naming = {room for room, nodes in sources() for node in nodes if "fcntl" in names_in(node)}
    assert naming == {"core/paths.py"}


def names_in(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) else []


def test_one_room_writes_addresses_for_sqlite():
    beginnings = ("file:/", "file:{")
    writing = {
        room
        for room, nodes in sources()
        for node in nodes
        if (isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant) and str(node.left.value).startswith(beginnings))
        or (isinstance(node, ast.JoinedStr) and ast.unparse(node)[2:].startswith(beginnings))
        or (isinstance(node, ast.Attribute) and node.attr == "as_uri")
    }
    assert writing == {"memory/store/connection.py"}
