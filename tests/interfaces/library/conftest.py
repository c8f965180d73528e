"""A program that opens the memory of a project."""

import pytest

from ralph_mem import Memory
from tests.sessions import a_global_session, a_home, a_project, a_session, a_store, nothing_left_open, the_environment

__all__ = ["a_global_session", "a_home", "a_project", "a_session", "a_store", "nothing_left_open", "the_environment"]


@pytest.fixture
def a_memory(a_project):
    """Open the memory of a project that has none yet."""
    return Memory(a_project.root)
