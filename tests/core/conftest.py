"""What every test of the core may start from."""

from tests.programs import programs
from tests.sessions import a_home, a_project, a_session, a_store, another_session, nothing_left_open, the_environment

__all__ = ["a_home", "a_project", "a_session", "a_store", "another_session", "nothing_left_open", "programs", "the_environment"]
