"""Situations of an installed plugin: a project nobody has worked in, and a session in it."""

import pytest

from tests.hook import FORKED, REPOSITORY, Hook, install, unchanged


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    """Install the plugin, as the client does: a copy, which nobody edits while the tests run."""
    with unchanged(install(tmp_path_factory.mktemp("plugin"))) as found:
        FORKED.update([found] if REPOSITORY in FORKED else [])
        yield found


@pytest.fixture
def a_project(tmp_path, plugin):
    """Make a project that has no memory yet, and a client about to start in it."""
    return Hook(tmp_path / "person", plugin)


@pytest.fixture
def a_session(a_project):
    """Start a session in a new project."""
    a_project.start()
    return a_project
