"""What every test of a client may start from."""

from tests.memory.conftest import *  # noqa: F403 - the same situations
