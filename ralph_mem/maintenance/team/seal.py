"""Lock the texts of a team with a key that its server never has."""

import os

from ralph_mem.core import hashing, paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project, find
from ralph_mem.maintenance.team import approvals
from ralph_mem.maintenance.team.shared_item import Refused
from ralph_mem.maintenance.transfer import home

KEY = "AGE-SECRET-KEY-1"  # how the line of a file of age's begins that holds the key
ID_DIGITS = 16
MOST_BYTES = 49_152  # of a text at the server
ELSEWHERE = "keep it elsewhere, such as in ~/.config"


class Seal:
    """What closes the texts of a team for its server and opens them again; without a key it leaves them as they are."""

    def __init__(self, key: str = "") -> None:
        self.key = key

    @property
    def id(self) -> str | None:
        """Return what a server calls the key by, from which nobody finds it out; None without one. Raises MissingExtra."""
        return hashing.of("key of a team", home.recipient(self.key))[:ID_DIGITS] if self.key else None

    def closed(self, text: str) -> str:
        """Return a text as the server gets it. Raises Refused for one that is too long then, and MissingExtra."""
        closed = home.sealed(text, self.key) if self.key else text
        if len(closed.encode()) > MOST_BYTES:
            raise Refused(f"it has more than {MOST_BYTES:,} bytes")
        return closed

    def opened(self, text: str) -> str:
        """Return the text that the server has. Raises Refused for one that was not closed with this key; MissingExtra."""
        if not self.key:
            if home.is_sealed(text):
                raise Refused("it is locked with a key of the team: ralph-mem team join NAME ADDRESS --key FILE")
            return text
        try:
            return home.unsealed(text, self.key)
        except ValueError:
            raise Refused("it is not locked with the team's key") from None


def of(project: Project, team: str) -> Seal:
    """Return the seal of a team that was joined. Raises RalphMemError where its key cannot be read."""
    path = approvals.keys(project).get(team, "")
    return Seal(key_in(path)) if path else Seal()


def key_in(path: str) -> str:
    """Return the key in a file, as age-keygen writes one. Raises RalphMemError."""
    lines = [line.strip() for line in paths.read(path).splitlines()]
    found = next((line for line in lines if line.startswith(KEY)), "")
    if not found or not home.is_key(found):
        raise RalphMemError(f"{path} holds no key of a team", "`ralph-mem team key FILE` writes one")
    return found


def make(path: str) -> None:
    """Write a new key into a file that only its owner may read. Raises RalphMemError where there is one, and in a repository."""
    if not path.isprintable():
        raise RalphMemError(f"{path!a} cannot be printed", "give the key's file a plain name")
    if find(os.path.dirname(os.path.realpath(path))).git:
        raise RalphMemError(f"{path} lies in a repository, and would be committed", ELSEWHERE)
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise RalphMemError(f"cannot write {path}: {error.strerror}", "name a new file in a folder of yours") from error
    with os.fdopen(file, "w", encoding="ascii") as opened:
        opened.write(home.new_key() + "\n")


def checked(project: Project, path: str) -> str:
    """Return the whole path of a key's file. Raises RalphMemError for one in the project, which everybody would get."""
    whole = os.path.realpath(os.path.expanduser(path))
    if (whole + "/").startswith(os.path.realpath(project.top).rstrip("/") + "/"):
        raise RalphMemError("the key lies in the project, and would be committed", ELSEWHERE)
    key_in(whole)
    return whole
