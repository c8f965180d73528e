"""What every test of the upkeep may start from."""

from tests.memory.conftest import *  # noqa: F403 - the same situations
