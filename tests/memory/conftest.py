"""What every test of the memory may start from."""

from tests.readers import a_large_memory, a_reader, a_thousand_rows, another_project, everywhere
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

__all__ = [
    "a_global_session",
    "a_home",
    "a_large_memory",
    "a_project",
    "a_reader",
    "a_session",
    "a_store",
    "a_thousand_rows",
    "another_project",
    "another_session",
    "everywhere",
    "nothing_left_open",
    "the_environment",
]
