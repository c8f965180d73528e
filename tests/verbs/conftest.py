"""Situations for the verbs: a session at work, and a person who reads, corrects and forgets what it left behind."""

import contextlib
import posix

import pytest

from ralph_mem import corrections
from ralph_mem.core import project as projects
from ralph_mem.core import store
from ralph_mem.core.project import Project
from ralph_mem.recall import Reader, Wanted, search_for
from tests.core import conftest as situations
from tests.core.conftest import Session, a_home, a_project, a_session, a_store, another_session, the_environment

__all__ = ["a_home", "a_project", "a_session", "a_store", "another_session", "the_environment"]


@pytest.fixture(autouse=True)
def nothing_left_open(monkeypatch):
    """Close what is left to the end of a process, and only that: a number of a closed file may belong to another one."""
    left = []
    connect, close = store.connect, store.Store.close

    def connecting(*given):
        left.append(connect(*given))
        return left[-1]

    def closing(opened):
        left.remove(opened)
        close(opened)

    monkeypatch.setattr(store, "connect", connecting)
    monkeypatch.setattr(store.Store, "close", closing)
    yield left
    for opened in list(left):
        with contextlib.suppress(OSError):
            opened.close()
