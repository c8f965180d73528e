"""Situations for what strangers bring along: a person with a home and a clone of somebody else's repository."""

import subprocess

import pytest

from tests.faults.conftest import a_launcher, a_quick_session
from tests.hook import Hook
from tests.installed import plugin

__all__ = ["a_clone", "a_launcher", "a_project", "a_quick_session", "git", "plugin"]


@pytest.fixture
def a_project(tmp_path):
    """Make a session in a folder that has no memory yet."""
    return Hook(tmp_path / "person")


@pytest.fixture
def a_clone(tmp_path):
    """Make a session in a folder that came from elsewhere, with a `.ralph-mem` of its own."""
    hook = Hook(tmp_path / "person")
    hook.memory.mkdir()
    return hook


@pytest.fixture
def git():
    """Run git in a folder."""

    def run(folder, *arguments):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)

    return run
