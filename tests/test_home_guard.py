"""Nothing in this suite touches the real home: the guard works."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests import home_guard

REPOSITORY = Path(__file__).resolve().parents[1]
PASSING = "def test_well_behaved():\n    pass\n"
LEAKING = """
import os, pathlib

def test_badly_behaved():
    leak = pathlib.Path(os.environ["THE_REAL_HOME"], ".config", "ralph-mem", "memory.db")
    leak.parent.mkdir(parents=True)
    leak.write_text("kept")
"""


@pytest.mark.parametrize("name", home_guard.VARIABLES)
def test_what_names_a_home_points_to_a_temporary_folder(name):
    assert os.environ[name].startswith(tempfile.gettempdir())
    assert Path(os.environ[name]).name != ""


def test_the_home_of_a_child_process_is_the_temporary_one():
    seen = subprocess.check_output([sys.executable, "-c", "import os; print(os.path.expanduser('~'))"], text=True)
    assert seen.strip() == os.environ["HOME"]


def test_git_has_no_configuration_of_the_person():
    seen = subprocess.run(["git", "config", "--list", "--show-scope"], capture_output=True, text=True, cwd=tempfile.gettempdir())
    assert "global" not in seen.stdout and "system" not in seen.stdout
    assert subprocess.check_output(["git", "var", "GIT_AUTHOR_IDENT"], text=True).startswith("A Tester <tester@")


def test_a_new_file_in_the_home_is_named(tmp_path):
    watched = home_guard.folders({"HOME": str(tmp_path)})
    before = home_guard.snapshot(watched)
    (tmp_path / ".ralphrc").touch()
    assert home_guard.differences(before, home_guard.snapshot(watched)) == [str(tmp_path / ".ralphrc")]


def test_a_changed_file_of_ours_is_named(tmp_path):
    watched = home_guard.folders({"HOME": "/nowhere", "XDG_DATA_HOME": str(tmp_path)})
    registry = tmp_path / "ralph-mem" / "registry"
    registry.parent.mkdir()
    registry.write_text("one project")
    before = home_guard.snapshot(watched)
    registry.write_text("two projects")
    assert home_guard.differences(before, home_guard.snapshot(watched)) == [str(registry)]


@pytest.mark.check
@pytest.mark.parametrize(("test", "exit_code"), [(PASSING, 0), (LEAKING, 1)])
def test_a_run_that_leaves_something_in_the_real_home_fails(tmp_path, test, exit_code):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "test_inner.py").write_text(test)
    order = [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", ".", "-p", "tests.home_guard", "test_inner.py"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "HOME": str(home), "THE_REAL_HOME": str(home)}
    run = subprocess.run(order, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == exit_code, run.stdout
    assert ("the tests have changed the real home" in run.stdout) == bool(exit_code)
