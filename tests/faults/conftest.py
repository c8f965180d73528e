"""Situations for the faults: an installed plugin, a session in a project, and quick hooks that are forks of a launcher."""

import shutil

import hypothesis
import pytest

from tests.faults.quick import QuickHook
from tests.hook import INTERPRETER, Hook, install
from tests.launcher import Launcher

# The same examples in every run: a test that fails on one machine fails on all of them.
hypothesis.settings.register_profile("house", derandomize=True, database=None, deadline=None)
hypothesis.settings.load_profile("house")


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    """Install the plugin, as the client does: a copy, which nobody edits while the tests run."""
    return install(tmp_path_factory.mktemp("plugin"))


@pytest.fixture
def a_project(tmp_path, plugin):
    """Make a project that has no memory yet, and a client about to start in it."""
    return Hook(tmp_path / "person", plugin)


@pytest.fixture
def a_session(a_project):
    """Start a session in a new project."""
    a_project.start()
    return a_project


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
