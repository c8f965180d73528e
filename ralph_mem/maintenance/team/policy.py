"""Read what an administrator lets the people of a machine share."""

import os
import re
import stat
from typing import Any

from ralph_mem.core.errors import ConfigError, RalphMemError
from ralph_mem.core.settings import yaml_subset
from ralph_mem.maintenance.team import server, shared_item
from ralph_mem.maintenance.team.shared_item import Refused, Shared

PATH = "/etc/ralph-mem/team.yaml"
OWNER, OTHERS_MAY_WRITE = 0, 0o022  # root alone
SHARE, KINDS, TEAMS, HOSTS, CHARACTERS, FORBID = "share", "kinds", "teams", "hosts", "max_characters", "forbid"
KEYS = (SHARE, KINDS, TEAMS, HOSTS, CHARACTERS, FORBID)
HINT = f"who runs this machine has it so in {PATH}"


class Policy:
    """What may be shared; what the file does not name is as without it. A file that is not as it has to be lets nothing out."""

    def __init__(self, values: dict[str, Any], broken: str = "") -> None:
        self.values, self.broken = values, broken

    def check(self, item: Shared, team: str) -> None:
        """Raise Refused for an item that may not go to a team, or into files of the repository."""
        self._check_team(team)
        most = self.values.get(CHARACTERS, shared_item.MOST_CHARACTERS)
        if item.kind not in self.values.get(KINDS, shared_item.KINDS):
            raise Refused(f"a {item.kind} may not be shared here", HINT)
        if len(item.body) > most:
            raise Refused(f"it has {len(item.body):,} characters, and {most:,} may be shared here", HINT)
        if any([pattern.search(shared_item.text_of(item)) for pattern in self.values.get(FORBID, ())]):
            raise Refused("it holds what may not be shared here", HINT)

    def check_server(self, team: str, address: str) -> None:
        """Raise Refused for a team that may not be joined, or a server where it may not lie."""
        self._check_team(team)
        host = server.checked(address)["host"]
        if HOSTS in self.values and host not in self.values[HOSTS]:
            raise Refused(f"{host[:60]} is no server for what is shared here", HINT)

    def _check_team(self, team: str) -> None:
        if self.broken:
            raise Refused(f"{PATH} {self.broken}: nothing is shared", "who runs this machine can put it right")
        if self.values.get(SHARE) is False:
            raise Refused("nothing is shared here", HINT)
        if TEAMS in self.values and team not in self.values[TEAMS]:
            raise Refused(f"nothing is shared with {team[:40]} here", HINT)

    def told(self) -> str:
        """Return in a line what the file says, empty where there is none."""
        if self.broken:
            return f"{PATH} {self.broken}: nothing is shared"
        said = [f"{key} {_told(value)}" for key, value in sorted(self.values.items())]
        return f"{PATH}: " + "; ".join(said) if said else ""


def _told(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join([each if isinstance(each, str) else each.pattern for each in value])
    return "off" if value is False else str(value)


def read() -> Policy:
    """Return the policy of this machine, which is empty where there is no file."""
    try:
        known = os.lstat(PATH)
    except FileNotFoundError:
        return Policy({})
    except OSError as error:
        return Policy({}, f"cannot be read ({error.strerror})")
    if known.st_uid != OWNER or not stat.S_ISREG(known.st_mode) or known.st_mode & OTHERS_MAY_WRITE:
        return Policy({}, "could have been written by somebody else than root")
    try:
        return Policy(_checked(yaml_subset.read(yaml_subset.text_of(PATH))))
    except (ConfigError, re.error, ValueError) as error:
        return Policy({}, f"is wrong: {error}")


def _checked(given: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a file. Raises ValueError for one that is not as it has to be: a slip must not let more out."""
    for key, value in given.items():
        is_list = isinstance(value, list) and all([isinstance(each, str) for each in value])
        fits = {SHARE: isinstance(value, bool), CHARACTERS: type(value) is int and value >= 0}.get(key, is_list)
        if key not in KEYS or not fits:
            raise ValueError(f"{key[:40]} is {'none of ' + ', '.join(KEYS) if key not in KEYS else 'not as it has to be'}")
    patterns = {FORBID: [re.compile(each) for each in given[FORBID]]} if FORBID in given else {}
    return {**given, **patterns}


def need(items: list[Shared], team: str) -> None:
    """Raise RalphMemError where one of these items may not go to a team."""
    policy = read()
    for item in items:
        try:
            policy.check(item, team)
        except Refused as error:
            raise RalphMemError(f"{item.id}: {error}", error.hint) from None
