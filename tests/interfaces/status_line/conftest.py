"""Situations for the status line: a home nobody lives in, a project, its store, sessions at work."""

from tests.sessions import a_home, a_project, a_session, a_store, another_session, nothing_left_open, the_environment

__all__ = ["a_home", "a_project", "a_session", "a_store", "another_session", "nothing_left_open", "the_environment"]
