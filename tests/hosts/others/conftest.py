"""Situations for the other clients: a person with the plugin's hooks in all of them, and a project nobody has worked in."""

import pytest

from tests.hook import INTERPRETER
from tests.hosts.others.clients import Guest
from tests.installed import plugin
from tests.launcher import Launcher

__all__ = ["plugin"]


@pytest.fixture(scope="session")
def launched(plugin):
    launcher = Launcher(INTERPRETER, plugin=plugin)
    yield launcher
    launcher.close()


@pytest.fixture
def guest(tmp_path, plugin, launched):
    found = Guest(tmp_path / "person", plugin)
    found.launcher = launched
    return found
