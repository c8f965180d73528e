"""What git ignores: copied into the room, linked where it is large, or made anew; and no check imports from outside the room."""

import os
import sys
from pathlib import Path

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import loop, planning, prospects, record, runs, stopping
from ralph_mem.ralph.room import applying, dependencies, redirects, walls
from ralph_mem.ralph.room import ignored as linked_paths
from tests.ralph.loops import STEPS, Loops, git
from tests.ralph.snapshot.conftest import bytes_below

MENDS = "; ".join(STEPS)
MEGABYTE = 1_048_576


@pytest.fixture
def loops(tmp_path):
    found = Loops(tmp_path)
    git(found.top, "init", "-q")
    found.write(".gitignore", "node_modules/\n.venv/\ntarget/\nbuild/\ndata/\n*.local\n__pycache__/\n")
    return found


def in_a_room(loops, step, **wished):
    return loops.start(f"{{ {step}; }} >$here/said 2>&1; {MENDS}", here=False, **wished)


def said(loops):
    return (loops.bench / "said").read_text()


def chosen(loops, most_mb, *paths):
    return [
        (each.path.decode(), each.how)
        for each in dependencies.choose(str(loops.top), [os.fsencode(path) for path in paths], most_mb)
    ]


def large(loops, name):
    """Make a file that is larger than a megabyte."""
    path = loops.write(name, "")
    path.write_bytes(b"\0" * (MEGABYTE + 1))


# What becomes of it


def test_what_is_small_is_copied_and_what_is_large_is_linked_or_left_out(loops):
    loops.write("node_modules/small/index.js", "")
    large(loops, ".venv/large")
    large(loops, "target/debug/large")
    large(loops, "weights.local")
    found = chosen(loops, 1, "node_modules", ".venv", "target", "weights.local", "__pycache__", "src/__pycache__/a.pyc", "gone")
    assert found == [(".venv", "linked"), ("node_modules", "copied"), ("target", "left out"), ("weights.local", "linked")]


def test_an_agent_that_deletes_dependencies_deletes_copies(loops):
    loops.write("node_modules/a/index.js", "a\n")
    loops.write(".env", "TOKEN=1\n")
    loops.write("settings.local", "mine\n")
    git(loops.top, "add", "-A", ":!.env")
    git(loops.top, "commit", "-qm", "first")
    loops.write(".git/info/exclude", ".env\n")
    run = in_a_room(loops, "cat node_modules/a/index.js .env settings.local; rm -r node_modules settings.local; git clean -qfdx")
    assert said(loops) == "a\nTOKEN=1\nmine\n"
    assert run.status == "success"
    assert [loops.text(name) for name in ("node_modules/a/index.js", "settings.local", ".env")] == ["a\n", "mine\n", "TOKEN=1\n"]


def test_what_is_linked_is_said_and_git_overlooks_it(loops):
    large(loops, "node_modules/large")
    run = in_a_room(loops, "git status --porcelain; readlink node_modules", values={**loops.values(), "ralph.room_copy_mb": 1})
    assert said(loops).splitlines()[-1] == str(loops.top / "node_modules")
    assert "node_modules" not in said(loops).splitlines()[:-1]
    assert any(line.startswith("linked, ") and line.endswith(": node_modules") for line in loops.told)
    assert run.iterations[0].tampered == []


def test_ignored_folders_are_neither_snapshotted_nor_applied(loops):
    loops.write("build/out.txt", "built\n")
    run = in_a_room(loops, "echo rebuilt >build/out.txt; mkdir -p target; echo x >target/x")
    assert (run.status, loops.text("build/out.txt"), (loops.top / "target").exists()) == ("success", "built\n", False)


def test_what_an_agent_writes_to_ignored_paths_is_named_and_its_room_is_kept(loops):
    loops.write(".git/info/exclude", "/gen/\n/local.txt\n/node_modules/\n")
    for name in ("gen/old.txt", "gen/same.txt", "local.txt", "node_modules/left/index.js"):
        loops.write(name, "as it was\n")
    acts = "for each in gen/old.txt gen/new.txt local.txt node_modules/right/lib/b; do echo new >$each; done"
    run = in_a_room(loops, f"mkdir -p node_modules/right/lib; {acts}; echo 'as it was' >gen/same.txt")
    assert (run.status, loops.text("one.txt"), loops.text("gen/old.txt")) == ("success", "right\n", "as it was\n")
    assert run.applied[-1]["conflicts"] == ["gen/new.txt", "gen/old.txt", "local.txt", "node_modules/right"]
    assert Path(run.room, "node_modules/right/lib/b").read_text() == "new\n"


def test_of_an_ignored_path_in_which_much_was_written_the_whole_is_named_whenever_that_was(loops):
    loops.write(".git/info/exclude", "/gen/\n")
    loops.write("gen/old.txt", "as it was\n")
    run = loops.start("for each in 1 2 3 4 5 6 7 8 9 10 11; do echo new >gen/$each; done", MENDS, here=False)
    assert run.applied[-1]["conflicts"] == ["gen"]


def test_what_the_person_takes_from_the_room_by_hand_is_named_no_more(loops):
    loops.write(".git/info/exclude", "/gen/\n")
    loops.write("gen/old.txt", "as it was\n")
    run = in_a_room(loops, "echo new >gen/old.txt")
    loops.write("gen/old.txt", "new\n")
    assert applying.apply(loops.project, loops.values(), run, "")[1].kept == []


LEFT = (
    *("gen/__pycache__/a.pyc", "node_modules/.cache/a", "target/debug/a", "htmlcov/index.html", "shop.egg-info/PKG-INFO"),
    *(".pytest_cache/a", ".coverage", "coverage.xml", ".eslintcache", "debug.log", "src/shop.o", "report/by_checks"),
)


@pytest.mark.check
def test_what_tools_leave_in_ignored_paths_is_no_conflict_and_the_room_goes(loops):
    ignored = "gen node_modules target htmlcov report .pytest_cache *.egg-info .coverage coverage.xml .eslintcache *.log *.o"
    loops.write(".git/info/exclude", ignored.replace(" ", "\n"))
    loops.write("check.sh", loops.text("check.sh").replace("\n", "\nmkdir -p report; echo run >report/by_checks\n", 1))
    loops.write("gen/a.py", "\n")
    acts = "; ".join(f"mkdir -p $(dirname {name}); echo left >{name}" for name in LEFT)
    run = in_a_room(loops, f"cp /bin/true gen/program; {acts}")
    assert (run.status, run.applied[-1]["conflicts"], Path(run.room).exists()) == ("success", [], False)


def test_a_plan_says_what_a_room_would_have(loops):
    loops.write("node_modules/a/index.js", "a\n")
    planned = planning.plan(loops.project, loops.values(), loops.wish("true", here=False))
    lines = planning.lines(planned)
    assert any(line.startswith("works in a room of its own") for line in lines)
    assert any("copied: node_modules" in line for line in lines)
    assert "works in your own files" in planning.lines(planning.plan(loops.project, loops.values(), loops.wish("true")))


# Copies that name the room


def test_a_copied_text_that_names_the_persons_folder_names_the_room(loops):
    top = str(loops.top)
    loops.write(".venv/lib/python3.11/site-packages/shop.pth", f"{top}/src\n")
    script = loops.write(".venv/bin/tool", f"#!{top}/.venv/bin/python\n")
    script.chmod(0o755)
    os.utime(script, ns=(10**18, 10**18))
    loops.write(".venv/other.txt", f"{top}-other {top}2\n")
    loops.write(".venv/binary", f"\0{top}\0")
    run = in_a_room(loops, "true", limits={"iterations": 1}, apply="never")
    room = Path(run.room, ".venv")
    assert (room / "lib/python3.11/site-packages/shop.pth").read_text() == f"{run.room}/src\n"
    assert (room / "bin/tool").read_text() == f"#!{run.room}/.venv/bin/python\n"
    assert (room / "bin/tool").stat().st_mode & 0o777 == 0o755
    assert (room / "bin/tool").stat().st_mtime_ns == 10**18
    assert (room / "other.txt").read_text() == f"{top}-other {top}2\n"
    assert (room / "binary").read_text() == f"\0{top}\0"


def test_links_in_copies_stay_in_the_room_or_lead_where_they_led(loops, tmp_path):
    (tmp_path / "outside").mkdir()
    loops.write("packages/own/index.js", "own\n")
    modules = loops.top / "node_modules"
    modules.mkdir()
    (modules / "own").symlink_to("../packages/own")
    (modules / "absolute").symlink_to(loops.top / "packages/own")
    (modules / "outside").symlink_to("../../outside")
    (tmp_path / "back").symlink_to(loops.top / "packages/own")
    (modules / "round").symlink_to("../../back")
    run = in_a_room(loops, "true", apply="never")
    links = {name: os.path.realpath(f"{run.room}/node_modules/{name}") for name in ("own", "absolute", "outside", "round")}
    own = f"{run.room}/packages/own"
    assert links == {"own": own, "absolute": own, "outside": str(tmp_path / "outside"), "round": own}


# What is installed as editable


def a_site(folder):
    site = folder / "lib/python3.11/site-packages"
    site.mkdir(parents=True)
    return site


@pytest.fixture
def looked(loops, tmp_path, monkeypatch):
    """Return what leads out of the room, of an environment outside of the project."""
    site = a_site(tmp_path / "env")
    around = {"PATH": "/nowhere", "VIRTUAL_ENV": str(tmp_path / "env"), "HOME": str(tmp_path / "home")}
    return site, lambda *criteria: redirects.look(str(loops.top), criteria, around)


def test_a_path_of_an_editable_install_is_redirected(loops, looked):
    site, look = looked
    (site / "__editable__.shop-1.0.pth").write_text(f"{loops.top}/src\n")
    assert look() == ([f"{loops.top}/src"], [])


def test_a_finder_of_setuptools_is_redirected(loops, looked):
    site, look = looked
    text = f"MAPPING: dict[str, str] = {{'shop': '{loops.top}/lib/shop', 'one': '{loops.top}/one.py'}}\n"
    (site / "__editable___shop_1_0_finder.py").write_text(text)
    assert look() == ([f"{loops.top}/lib", str(loops.top)], [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("_shop_editable.py", "KNOWN = {{'shop': '{top}/src/shop/__init__.py'}}\n"),
        ("__editable___shop_finder.py", "MAPPING = {{'shop': '{top}/elsewhere'}}\n"),
    ],
)
def test_an_import_hook_that_cannot_be_redirected_is_refused(loops, looked, name, text):
    site, look = looked
    (site / name).write_text(text.format(top=loops.top))
    assert look().refused == [f"{name} in {site} imports this project from {loops.top}"]


def test_what_is_installed_of_other_projects_is_nobodys_business(loops, looked):
    site, look = looked
    (site / "other.pth").write_text(f"{loops.top}-other/src\nimport os\n# {loops.top}\n")
    (site / "__editable___other_finder.py").write_text(f"MAPPING = {{'other': '{loops.top}-other/other'}}\n")
    assert look() == ([], [])


def test_a_loop_whose_checks_would_import_from_outside_is_refused_with_the_way_out(loops, tmp_path, monkeypatch):
    site = a_site(tmp_path / "env")
    (site / "_shop_editable.py").write_text(f"'{loops.top}/src/shop'")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "env"))
    with pytest.raises(LoopError, match="your own files") as error:
        in_a_room(loops, "true")
    assert "--here" in error.value.hint
    assert loops.latest() is None


def test_a_check_imports_the_rooms_sources_and_not_those_that_are_installed(loops, tmp_path, monkeypatch):
    """With a real environment and a real editable install, as `pip install -e` writes it."""
    # longer than what the agent writes: of the same size in the same second, Python would take what it compiled before
    loops.write("src/shop/__init__.py", "WHERE = 'in the wrong'\n")
    loops.write("check.py", "import shop, sys\nprint(shop.__file__)\nsys.exit(shop.WHERE != 'right')\n")
    environment = tmp_path / "env"
    __import__("venv").create(environment, symlinks=True)
    site = next(environment.glob("lib/python*/site-packages"))
    (site / "__editable__.shop-1.0.pth").write_text(f"{loops.top}/src\n")
    python = f"{environment}/bin/python"
    run = loops.start(
        "echo \"WHERE = 'right'\" >src/shop/__init__.py", criteria=(f"custom={python} check.py",), here=False, apply="never"
    )
    assert (run.status, run.roots) == ("success", [f"{loops.top}/src"])


def test_a_linked_environment_that_the_check_would_change_is_refused(loops):
    large(loops, ".venv/large")
    loops.write(".venv/pyvenv.cfg", "home = /usr/bin\n")
    wish = loops.wish("true", criteria=("custom=uv run pytest",), here=False)
    with pytest.raises(LoopError, match=r"too large to copy \(ralph.room_copy_mb\)"):
        loops.start("true", criteria=wish.criteria, here=False, values={**loops.values(), "ralph.room_copy_mb": 1})


# The environment


def test_paths_of_the_persons_folder_in_the_environment_lead_to_the_room(tmp_path):
    top, room = tmp_path / "shop", tmp_path / "rooms" / "shop"
    for folder in (top, room):
        (folder / "bin").mkdir(parents=True)
    given = {"PATH": f"{top}/bin:/usr/bin:{top}/missing", "PWD": str(top), "HOME": f"{top}/bin", "GIT_DIR": "x", "N": f"{top}2"}
    expected = {"PATH": f"{room}/bin:/usr/bin:{top}/missing", "PWD": str(room), "HOME": f"{top}/bin", "N": f"{top}2"}
    assert loop.mapped(given, str(top), str(room)) == expected


def test_a_command_that_names_a_program_of_the_project_runs_the_rooms(loops):
    check = loops.write(".venv/bin/check", f"#!/bin/sh\nexec {loops.top}/check.sh\n")
    check.chmod(0o755)
    run = in_a_room(loops, "true", criteria=(f"custom={check}",))
    assert (run.status, sys.platform) == ("success", "linux")
    assert prospects.look(loops.project, loops.wish("true", criteria=(f"custom={check}",))).accepted


# What is linked, and so the person's


def linked(loops, step, **wished):
    """Let an agent work in a room that has a folder of the person's as a link, too large to be copied."""
    large(loops, "data/large")
    loops.write("data/story.txt", "mine\n")
    loops.write("data/tool/__pycache__/a.pyc", "compiled")
    loops.write("data/.cache/a", "kept")
    return in_a_room(loops, step, values={**loops.values(), "ralph.room_copy_mb": 1}, **wished)


DAMAGE = {
    "overwritten": "echo agent >data/story.txt",
    "removed": "rm data/story.txt",
    "added": "echo agent >data/new.txt",
    "with its old time": "cp -p data/story.txt x; echo nine >data/story.txt; touch -r x data/story.txt; rm x",
    "through the person's folder": "echo agent >$(readlink -f data)/story.txt",
    "moved": "mv data/tool data/other",
    "made read-only": "chmod 400 data/story.txt",
}


@pytest.mark.check
@pytest.mark.skipif(bool(walls.why_not()), reason=f"bubblewrap cannot be used here: {walls.why_not()}")
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_with_bubblewrap_what_is_linked_can_be_read_and_not_written_to_but_for_caches(loops, damage):
    run = linked(loops, f"cat data/story.txt; {damage}; echo x >data/.cache/a && echo a cache")
    after = {os.path.basename(path): told[0] for path, told in bytes_below(loops.top / "data").items()}
    assert after == {b"large": b"\0" * (MEGABYTE + 1), b"story.txt": b"mine\n", b"a.pyc": b"compiled", b"a": b"kept"}
    assert run.status == "success" and said(loops).startswith("mine\n") and said(loops).endswith("a cache\n")
    assert "Read-only file system" in said(loops) and "linked, and read-only there: data" in loops.told


@pytest.mark.check
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_without_it_a_loop_that_writes_there_ends_and_says_what(loops, monkeypatch, damage):
    monkeypatch.setattr(walls, "why_not", lambda: "there is no bwrap (bubblewrap) on PATH")
    large(loops, "data/large")
    run = linked(loops, f"{damage}; exit")
    name = "data/new.txt" if "new.txt" in damage else "data/other" if "data/other" in damage else "data/story.txt"
    assert (run.reason, len(run.iterations)) == ("linked_written", 1) and name in run.why
    assert run.iterations[0].tampered == [f"written to what is linked from your files: {run.why}"]
    assert stopping.replay(record.read(runs.path_of(loops.project, run.id))) == []


def test_what_tools_keep_there_is_nobodys_damage_and_a_success_stays_one(loops, monkeypatch):
    monkeypatch.setattr(walls, "why_not", lambda: "there is no bwrap (bubblewrap) on PATH")
    caches = "mkdir -p data/__pycache__ data/.cache/b; echo x >data/__pycache__/b.pyc; echo x >data/.cache/b/c; touch data/.cache/a"
    assert linked(loops, f"{caches}; exit", limits={"iterations": 1}).reason == "max_iterations"
    run = linked(loops, "echo agent >data/story.txt")
    assert run.status == "success" and "data/story.txt" in run.iterations[0].tampered[0]


def test_of_a_very_large_folder_the_upper_part_is_looked_at(loops, monkeypatch):
    monkeypatch.setattr(walls, "why_not", lambda: "there is no bwrap (bubblewrap) on PATH")
    monkeypatch.setattr(linked_paths, "MOST_LOOKED_AT", 3)
    deep = "echo agent >data/tool/deep/new; rm -r data/tool/deep/a"
    loops.write("data/tool/deep/a/b", "")
    assert linked(loops, f"{deep}; exit", limits={"iterations": 1}).reason == "max_iterations"
    assert linked(loops, "rm data/large; exit").why == "data/large"
