"""Situations for the page: a memory with something in it, and the person who looks at it."""

import pytest

from tests.interfaces.page.visitors import Person
from tests.sessions import (
    a_global_session,
    a_home,
    a_project,
    a_session,
    a_store,
    another_session,
    nothing_left_open,
    the_environment,
)

__all__ = ["a_global_session", "a_home", "a_project", "a_session", "a_store", "another_session", "nothing_left_open"]
__all__ += ["the_environment"]


@pytest.fixture
def a_stranger(a_session):
    """Have the page at work, with one turn in the memory, and nobody who has opened it yet."""
    a_session.has_a_turn("Where is the zeppelin lamp?", "In the hangar, behind the zinc gate.")
    return Person(a_session)


@pytest.fixture
def a_person(a_stranger):
    """Introduce a person who has the page open."""
    return a_stranger.comes_in()
