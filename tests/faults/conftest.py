"""Situations for the faults: an installed plugin, a session in a project, and quick hooks that are forks of a launcher."""

import shutil

import pytest

from tests.faults.quick import QuickHook
from tests.hook import INTERPRETER
from tests.installed import a_project, a_session, plugin
from tests.launcher import Launcher

__all__ = ["a_launcher", "a_project", "a_quick_session", "a_session", "plugin"]


@pytest.fixture(scope="session")
def a_launcher(plugin):
    """Start a launcher that has the plugin's modules loaded."""
    found = Launcher(INTERPRETER, plugin)
    yield found
    found.close()


@pytest.fixture
def a_quick_session(tmp_path, plugin, a_launcher):
    """Start a session whose hooks are forks of the launcher, in a new project."""
    hook = QuickHook(tmp_path / "person", plugin, a_launcher)
    hook.start()
    yield hook
    shutil.rmtree(hook.folder, ignore_errors=True)
