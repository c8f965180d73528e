"""See that a member has the key that a team's server names, and lock the team's texts with another one."""

import re
from collections.abc import Callable
from typing import NamedTuple

from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance.team import server
from ralph_mem.maintenance.team.seal import Seal
from ralph_mem.maintenance.team.shared_item import Refused

# Which key counts, and whether anything that was accepted is still locked with another one.
KEY = """
SELECT t.key, t.key IS NOT NULL AND EXISTS (SELECT 1 FROM ralph_mem.item AS i
    WHERE i.team = t.name AND i.state = 'accepted' AND i.key IS DISTINCT FROM t.key)
FROM ralph_mem.team AS t WHERE t.name = %s"""
IS_KEY = re.compile(r"[0-9a-f]{16}")
IS_EMPTY = "SELECT NOT EXISTS (SELECT 1 FROM ralph_mem.item WHERE team = %s)"
NAME_IT = "UPDATE ralph_mem.team SET key = %s WHERE name = %s RETURNING 1"
OTHERS = "FROM ralph_mem.item WHERE team = %s AND state <> 'rejected' AND key IS DISTINCT FROM %s"
LEFT, NUMBER = f"SELECT id, body, rev {OTHERS} ORDER BY id LIMIT %s", f"SELECT count(*) {OTHERS}"
LOCK = "UPDATE ralph_mem.item SET body = %s, key = %s WHERE team = %s AND id = %s AND rev = %s"
REJECT = "UPDATE ralph_mem.item SET state = 'rejected' WHERE team = %s AND id = %s AND rev = %s"
VECTORS = "SELECT to_regclass('ralph_mem.item_vector') IS NOT NULL"
DROP_VECTORS = "DELETE FROM ralph_mem.item_vector WHERE team = %s"
AT_ONCE = 100  # in one transaction: two seconds of work at most, which a kill costs
GET_IT = (
    "get the team's key from a reviewer, then: ralph-mem team join NAME ADDRESS --key FILE; ralph-mem team status shows the address"
)


class Rotated(NamedTuple):
    """How many texts were locked anew, and the ids of those that the old key did not open: they are rejected now."""

    locked: int
    rejected: list[str]


def need(connection: server.Connection, team: str, lock: Seal) -> None:
    """Raise RalphMemError where a server names another key than a member has, or the team is between two keys."""
    key, is_between = _named(connection, team)
    if key and lock.id != key:
        raise RalphMemError(f"{team} has {'another' if lock.key else 'a'} key: nothing was sent or taken in", GET_IT)
    if is_between:
        raise RalphMemError(
            f"{team} is between two keys: nothing was taken in", f"a reviewer finishes it with: ralph-mem team rotate {team} FILE"
        )


def _named(connection: server.Connection, team: str) -> tuple[str, bool]:
    key, is_between = connection.execute(KEY, (team,)).fetchone() or (None, False)
    if key is not None and not (isinstance(key, str) and IS_KEY.fullmatch(key)):
        raise server.ServerError("the server answers what was not asked for", "nothing was taken in")
    return key or "", bool(is_between)


def joins(address: str, team: str, lock: Seal, role: str) -> bool:
    """See that who joins has the key that counts, and let the server hold an empty team to that of a reviewer.

    Returns whether the server holds everybody to a key. Raises RalphMemError.
    """
    with server.opened(address) as connection:
        key, _ = _named(connection, team)
        if key and lock.id != key:
            raise RalphMemError(f"this is not the key of {team}" if lock.key else f"{team} has a key", GET_IT)
        (is_empty,) = connection.execute(IS_EMPTY, (team,)).fetchone()
        if not key and lock.key and role == "reviewer" and is_empty:
            connection.execute(NAME_IT, (lock.id, team))
            return True
        return bool(key)


def left(address: str, team: str, new: Seal) -> int:
    """Return how many texts another key has locked, or none. Raises ServerError."""
    with server.opened(address) as connection:
        return int(connection.execute(NUMBER, (team, new.id)).fetchone()[0])


def rotate(address: str, team: str, old: Seal, new: Seal, tell: Callable[[int], None]) -> Rotated:
    """Let a team's server take what a new key has locked alone, and lock with it what is there; only a reviewer may.

    Nobody may send anything else from the first step on. Cut short, it goes on where it was; `tell` is told how many are done.
    Raises RalphMemError.
    """
    done = Rotated(0, [])
    with server.opened(address) as connection:
        if connection.execute(NAME_IT, (new.id, team)).fetchone() is None:
            raise RalphMemError("only a reviewer changes the key of a team", "ask one")
        if connection.execute(VECTORS).fetchone()[0]:
            connection.execute(DROP_VECTORS, (team,))
    while True:
        with server.opened(address) as connection:
            rows = connection.execute(LEFT, (team, new.id, AT_ONCE)).fetchall()
            for name, body, rev in rows:
                text = _opened(body, old, new)
                if text is None:
                    connection.execute(REJECT, (team, name, rev))
                    done.rejected.append(str(name))
                else:
                    changed = connection.execute(LOCK, (new.closed(text), new.id, team, name, rev)).rowcount
                    done = done._replace(locked=done.locked + changed)
        tell(done.locked + len(done.rejected))
        if len(rows) < AT_ONCE:
            return done


def _opened(body: str, old: Seal, new: Seal) -> str | None:
    """Return a text that one of two keys has locked, or none while the team had none; None for what cannot be opened."""
    for lock in (old, new, Seal()):
        try:
            return lock.opened(body)
        except Refused:
            continue
    return None
