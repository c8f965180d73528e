"""Situations for criteria: programs that behave badly, and small projects with real tests."""

import json
import os
import sys
import textwrap

import pytest

from ralph_mem.core import project
from ralph_mem.ralph.criteria import TEST_PASS, Criterion, judging
from tests.programs import programs

__all__ = ["programs"]


@pytest.fixture
def a_home(tmp_path, monkeypatch):
    """A data home of its own; `data_home` reads the environment that the interpreter started with."""
    home = tmp_path / "home"
    posix = pytest.importorskip("posix")
    monkeypatch.setattr(posix, "environ", {**posix.environ, b"XDG_DATA_HOME": os.fsencode(home)})
    return home / "ralph-mem"


@pytest.fixture
def a_project(tmp_path):
    """A folder that is a project."""
    (tmp_path / "project").mkdir()
    return project.Project(str(tmp_path / "project"))


class Suite:
    """A project with real pytest tests, judged by one criterion."""

    def __init__(self, folder, state):
        self.folder, self.state = folder, state
        self.judged = []

    def write(self, source, name="test_it.py"):
        head = f"import json, os, pathlib, pytest\ncounts = pathlib.Path({str(self.state)!r})\n"
        (self.folder / name).write_text(head + COUNTING + textwrap.dedent(source))

    def criterion(self, **fields):
        argv = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
        given = {"type": TEST_PASS, "name": "pytest", "argv": argv, "folder": str(self.folder), "seconds": 60, "expected": 0}
        return Criterion(**{**given, "source": "--criteria", "definition": "", **fields})

    def judge(self, baseline=None, **wishes):
        (verdict,) = judging.judge([self.criterion()], str(self.folder), [baseline] if baseline else None, **wishes)
        return verdict

    def runs(self, name):
        """Return how often a test was run."""
        path = self.state / name
        return int(path.read_text()) if path.exists() else 0


COUNTING = '''
def count(name):
    """Return how often this test ran before."""
    path = counts / name
    before = int(path.read_text()) if path.exists() else 0
    path.write_text(str(before + 1))
    return before
'''


@pytest.fixture
def a_suite(tmp_path, monkeypatch):
    """A project whose tests count their runs outside of it."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # half of the start of a pytest
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER"):
        monkeypatch.delenv(name, raising=False)
    for name in ("suite", "state"):
        (tmp_path / name).mkdir()
    (tmp_path / "suite" / "pytest.ini").write_text("[pytest]\n")
    return Suite(tmp_path / "suite", tmp_path / "state")


def plain(verdict):
    """Return a verdict as it comes back from JSON."""
    return type(verdict)(**json.loads(json.dumps(verdict._asdict())))
