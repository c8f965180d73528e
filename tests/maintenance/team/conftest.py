"""What every test of a team may start from."""

from tests.maintenance.team.situations import a_team

__all__ = ["a_team"]
