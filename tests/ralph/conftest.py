"""Situations for the tests of the loop: a home nobody lives in, a tree, records of runs as they could have been written."""

import os
import posix

import pytest

from ralph_mem.core.project import Project
from ralph_mem.ralph.criteria import FAILED, PASSED, Verdict
from ralph_mem.ralph.record import NO_ITERATION, baseline_entry, entry_of, fold
from ralph_mem.ralph.stop_reasons import DEFAULT
from tests.ralph.clients import Client
from tests.ralph.loops import Loops

NOON = 1_767_268_800_000  # 2026-01-01 12:00 UTC, in milliseconds
MINUTE = 60_000


@pytest.fixture(autouse=True)
def a_home(tmp_path, monkeypatch):
    """Make an empty home, for `os.environ` and for what reads `posix.environ`."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    kept = {name: value for name, value in posix.environ.items() if name not in (b"XDG_DATA_HOME", b"XDG_CONFIG_HOME")}
    monkeypatch.setattr(posix, "environ", {**kept, b"HOME": str(home).encode()})
    return home


@pytest.fixture
def loops(tmp_path):
    """Return a project, and loops that work in it."""
    return Loops(tmp_path)


@pytest.fixture
def client(tmp_path, monkeypatch):
    """Return what stands in for the client of a loop: it does and says what it is given."""
    return Client(tmp_path / "client", monkeypatch)


@pytest.fixture
def a_tree(tmp_path):
    """Make an empty project."""
    folder = tmp_path / "project"
    folder.mkdir()
    return Project(str(folder))


def verdict(failing=(), *, status=None, total=40, name="pytest", kind="test_pass", **more):
    """Return what a criterion said: it fails with these tests, or passes without any."""
    told = dict.fromkeys(failing, "assert 1 == 2")
    status = status or (FAILED if failing else PASSED)
    given = {"why": "", "skipped": [], "diagnostics": None, "excerpt": "", "seconds": 1.0, "flaky": [], **more}
    return Verdict(type=kind, name=name, status=status, total=total, failing=told, **given)


def lint(findings):
    """Return what a linter said."""
    status = FAILED if findings else PASSED
    return verdict(status=status, name="ruff check", kind="lint_clean", total=None, diagnostics=findings)


def failing_tests(number):
    """Return a verdict with so many failing tests."""
    return verdict([f"test_{each}" for each in range(number)])


def iteration(number, *verdicts, **more):
    """Return an iteration of two minutes that ended with these verdicts and changed a file."""
    started = NOON + 3 * number * MINUTE
    given = {"tree": f"tree-{number}", "snapshot": number + 1, "changed": [["a.py", "changed"]], "cost": 0.1, **more}
    return NO_ITERATION._replace(number=number, started=started, ended=started + 2 * MINUTE, verdicts=list(verdicts), **given)


def entries(*iterations, baseline=(), goal="make the tests pass", options=None, **limits):
    """Return the record of a run that is still at work after these iterations."""
    start = {"what": "start", "id": "loop-1", "at": NOON, "goal": goal, "limits": DEFAULT._replace(**limits)._asdict()}
    found = [{**start, "options": options or {}}, baseline_entry(list(baseline), NOON, snapshot=1, tree="tree-0")]
    for each in iterations:
        found += [{"what": "begun", "number": each.number, "at": each.started}, entry_of(each)]
    return found


def a_run(*iterations, **more):
    """Return a run that is still at work after these iterations."""
    return fold(entries(*iterations, **more))


def after(run):
    """Return the moment right after what was told last."""
    return run.last_seen + 1


@pytest.fixture(autouse=True)
def nothing_to_bury():
    """Bury what a test's loops in the background left: whoever starts them is gone before them elsewhere, and does not."""
    yield
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        pass
