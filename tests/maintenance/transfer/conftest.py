"""What every test of exports and imports may start from."""

from tests.maintenance.transfer.situations import a_place, a_rich_session, another_home

__all__ = ["a_place", "a_rich_session", "another_home"]
