"""`ralph-mem projects` lists what has a memory, and cleans up after what is gone, once it was told to."""

import json
import os
import shutil
from pathlib import Path

import pytest

from ralph_mem.core import paths
from tests import command_line
from tests.hook import Hook


@pytest.fixture
def ralph_mem(tmp_path):
    """Run the command line as a person whose home is new: `ralph_mem("projects", "--json")`."""
    (tmp_path / "home").mkdir(exist_ok=True)

    def run(*arguments, cwd=tmp_path):
        environment = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        return command_line.says(*arguments, env=environment, cwd=cwd)

    return run


@pytest.fixture
def a_project(tmp_path):
    """Record the first prompt of a session; returns the session, whose project is the folder `project`."""
    hook = Hook(tmp_path)
    for name, fields in (("SessionStart", {"source": "startup"}), ("UserPromptSubmit", {"prompt": "Why is the lamp off?"})):
        assert hook.run(name, hook.event(name, **fields)).code == 0
    return hook


def test_where_nothing_is_remembered_that_is_said(ralph_mem):
    run = ralph_mem("projects")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("No project has a memory on this machine yet")


def test_the_list_shows_each_project_in_a_line(ralph_mem, a_project):
    run = ralph_mem("projects")
    heading, line = run.stdout.splitlines()
    assert heading.split()[:5] == ["name", "path", "id", "sessions", "turns"]
    assert line.split()[:2] == ["project", str(a_project.project)] and line.split()[3:5] == ["1", "1"]
    assert line.split()[-1] == "ok"


def test_what_was_noted_in_a_terminal_makes_no_session(ralph_mem, a_project):
    assert ralph_mem("inject", "The wick is dear.", "--project", str(a_project.project)).returncode == 0
    (listed,) = json.loads(ralph_mem("projects", "--json").stdout)
    assert (listed["sessions"], listed["observations"]) == (1, 1)


def test_the_list_for_programs_has_every_field(ralph_mem, a_project):
    (listed,) = json.loads(ralph_mem("projects", "--json").stdout)
    number, size, at = (listed.pop(key) for key in ("id", "bytes", "at"))
    assert number.startswith("project-") and size > 4096 and at > 1_700_000_000_000
    counted = {"sessions": 1, "turns": 1, "observations": 0}
    assert listed == {"name": "project", "path": str(a_project.project), "there": True, "state": "ok", **counted}


def test_a_name_that_is_no_text_is_shown_all_the_same(ralph_mem, tmp_path):
    hook = Hook(tmp_path, project=b"sh\xffop [bold]")
    hook.run("SessionStart", hook.event("SessionStart", source="startup", cwd=None))
    for arguments in (["projects"], ["projects", "--json"]):
        run = ralph_mem(*arguments)
        assert run.returncode == 0 and "op [bold]" in run.stdout, run.stderr


def test_help_names_the_command_below_it_and_an_example(ralph_mem):
    assert "Example: ralph-mem projects\n" in ralph_mem("projects", "--help").stdout
    assert "clean" in ralph_mem("projects", "-h").stdout
    assert "Example: ralph-mem projects clean --confirm\n" in ralph_mem("projects", "clean", "--help").stdout


def test_a_misspelled_command_is_told(ralph_mem):
    run = ralph_mem("projects", "cleen")
    assert run.returncode == 2 and "No such command 'cleen'" in run.stderr


@pytest.fixture
def gone(a_project):
    """Delete the folder of the project, and leave its entry in the registry; returns the path of the entry."""
    shutil.rmtree(a_project.project)
    (entry,) = (a_project.data / "projects").iterdir()
    return entry


def test_what_would_go_is_shown_before_anything_goes(ralph_mem, gone):
    run = ralph_mem("projects", "clean")
    assert "project: folder gone, " in run.stdout and f"would go  {gone.stat().st_size:>4} bytes  {gone}" in run.stdout
    assert "ralph-mem projects clean --confirm" in run.stdout
    assert gone.exists()


def test_once_confirmed_it_goes_and_that_is_said(ralph_mem, gone):
    (verdict,) = (gone.parents[1] / "known").iterdir()
    size = gone.stat().st_size + verdict.stat().st_size
    run = ralph_mem("projects", "clean", "--confirm")
    assert f"{gone}\nRemoved 2 places, {size} bytes." in run.stdout and str(verdict) in run.stdout
    assert not gone.exists()
    assert ralph_mem("projects", "clean", "--confirm").stdout == "Nothing is left of projects that are gone.\n"


def test_a_memory_that_is_there_stays(ralph_mem, a_project):
    assert ralph_mem("projects", "clean", "--confirm").stdout == "Nothing is left of projects that are gone.\n"
    assert a_project.values("SELECT count(*) FROM turns") == [1]


@pytest.mark.parametrize("order", [["projects", "clean", "--json"], ["projects", "--json", "clean"]])
def test_what_would_go_is_told_to_programs_wherever_they_ask(ralph_mem, gone, order):
    told = json.loads(ralph_mem(*order).stdout)
    files = [{"path": str(path), "bytes": path.stat().st_size} for path in (*(gone.parents[1] / "known").iterdir(), gone)]
    assert told == {"removed": False, "files": files, "kept": [], "unknown": []}


def test_what_loops_left_of_a_project_whose_memory_alone_is_gone_is_kept_and_named_with_what_removes_it(ralph_mem, a_project):
    snapshots = a_project.data / "snapshots" / paths.key_of(str(a_project.project)) / "store.db"
    snapshots.parent.mkdir(parents=True)
    snapshots.write_text("12345")
    shutil.rmtree(a_project.project / ".ralph-mem")
    ralph_mem("projects", "clean", "--confirm")
    said = ralph_mem("projects", "clean").stdout
    assert f"  stays        5 bytes  {snapshots.parent}\n" in said and "Nothing is left" not in said
    assert f"ralph-mem forget --all --scope project --snapshots --project {a_project.project}\n" in said


def test_the_list_says_when_something_is_left_of_a_project(ralph_mem, gone):
    assert "1 project without a memory: `ralph-mem projects clean` shows what is left." in ralph_mem("projects").stdout


def test_what_belongs_to_nobody_is_told_apart(ralph_mem, gone):
    stray = gone.parents[1] / "trouble" / "a-stray-12345678"
    Path(stray).parent.mkdir()
    Path(stray).write_text("a line")
    run = ralph_mem("projects", "clean", "--confirm")
    assert f"left alone:\n  unknown      6 bytes  {stray}\n" in run.stdout
    assert stray.exists()


def test_another_project_is_named_by_its_name_from_anywhere(ralph_mem, a_project):
    run = ralph_mem("doctor", "--project", "project", "--json")
    assert f"{a_project.memory} is yours alone" in run.stdout


def test_an_unknown_project_is_one_line_and_a_hint(ralph_mem):
    run = ralph_mem("doctor", "--project", "nope")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "ralph-mem: no project is called nope\n  hint: `ralph-mem projects` lists those that are known\n"
