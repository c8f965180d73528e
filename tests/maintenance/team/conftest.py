"""What every test of a team may start from."""

from tests.maintenance.team.servers import a_member, a_postgres, a_server, another_member
from tests.maintenance.team.situations import a_team

__all__ = ["a_member", "a_postgres", "a_server", "a_team", "another_member"]
