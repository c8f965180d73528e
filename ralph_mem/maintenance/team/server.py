"""Open a team's server by a Unix socket or checked TLS, within a time that a person waits."""

import logging
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.extras import MissingExtra, installation

Connection = Any  # of psycopg, which only who has joined a server has
# Longer than any answer takes that is not broken, and shorter than a person thinks that it hangs.
SECONDS = 4
AGAIN_S = 0.2  # after the time is over: a library that tidies up may wait for an answer once more
KEYS = frozenset("host port dbname user password passfile sslmode sslrootcert sslcert sslkey".split())
VERIFIED = "verify-full"
TIMEOUTS = "-c statement_timeout=3500 -c lock_timeout=2500 -c search_path="
ABOVE_POLICIES = """
SELECT rolsuper OR rolbypassrls OR pg_has_role(current_user, 'ralph_mem_owner', 'member')
FROM pg_roles WHERE rolname = current_user"""
HINT = "such as host=/run/postgresql dbname=team, or host=db.example.org dbname=team sslrootcert=system"

NOT_ALLOWED = "this login may not do that: a reviewer accepts, and who runs the server adds members: ralph-mem team init"


class ServerError(RalphMemError):
    """A server that cannot be reached, refuses, or answers what no server of a team answers."""


def _psycopg() -> Any:
    try:
        import psycopg  # lazy: brought by the extra `team`; whoever has not got it is told how to get it
    except ImportError as error:
        raise MissingExtra("a team's server needs psycopg", installation("team")) from error
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # what it could not tidy up is nothing that a person can mend
    return psycopg


def checked(address: str) -> dict[str, str]:
    """Return the parts of an address. Raises RalphMemError for one that says too little, or would send anything in the open."""
    try:
        parts = {key: str(value) for key, value in _psycopg().conninfo.conninfo_to_dict(address).items() if value is not None}
    except _psycopg().Error as error:
        raise RalphMemError(f"this is no address of a server: {error}", HINT) from None
    wrong = sorted(parts.keys() - KEYS)
    if wrong or not parts.get("host") or not parts.get("dbname") or "," in parts["host"]:
        raise RalphMemError(f"an address has {wrong[0]} not" if wrong else "an address names one host and one dbname", HINT)
    if not parts["host"].startswith("/"):
        if parts.get("sslmode", VERIFIED) != VERIFIED:
            raise RalphMemError(
                f"sslmode={parts['sslmode'][:20]} does not check whom it talks to", f"only {VERIFIED}, or a Unix socket"
            )
        parts["sslmode"] = VERIFIED
    return parts


def shown(address: str) -> str:
    """Return an address as it may be shown: without its password."""
    parts = checked(address)
    return " ".join(f"{key}={value}" for key, value in sorted(parts.items()) if key != "password")


@contextmanager
def opened(address: str, seconds: float = SECONDS, *, as_owner: bool = False) -> Iterator[Connection]:
    """Open a server for one piece of work, committed at its end. Raises ServerError, also when the time is over.

    Variables of the environment count for nothing but PGPASSFILE. A superuser, or who owns the tables, is refused: no policy would
    hold for them; `as_owner` is for setting up alone.
    """
    psycopg, parts = _psycopg(), checked(address)
    for name in [each for each in os.environ if each.startswith("PG") and each != "PGPASSFILE"]:
        del os.environ[name]
    try:
        with _limited(seconds):
            connection = psycopg.connect(**parts, connect_timeout=SECONDS, options=TIMEOUTS, client_encoding="utf8")
            try:
                if not as_owner:
                    _check_role(connection)
                yield connection
                connection.commit()
            finally:
                connection.close()  # what is not committed the server takes back: to ask it to would wait for its answer
    except (psycopg.errors.UndefinedColumn, psycopg.errors.UndefinedFunction) as error:
        raise ServerError(
            "the tables of the team's server are older than this release", "who runs it types: ralph-mem team init NAME ADDRESS"
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise ServerError(_told(error), NOT_ALLOWED) from error
    except psycopg.Error as error:
        raise ServerError(_told(error), f"is {shown(address)} right, and does it run?") from error
    except (UnicodeError, ValueError, TypeError, LookupError, OverflowError) as error:
        raise ServerError(
            f"the server answers what no team's server answers: {type(error).__name__}", "nothing was taken in"
        ) from error


def _told(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return f"the team's server: {ascii(lines[0][:160])[1:-1]}"


def _check_role(connection: Connection) -> None:
    row = connection.execute(ABOVE_POLICIES).fetchone()
    if row is None or row[0] is not False:
        raise ServerError("the login is a superuser or owns the tables: no policy would hold for it", "use the login of a member")


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise ServerError in the middle of whatever is done when the time is over: a server may let its bytes drip."""

    def over(_signal: int, _frame: object) -> None:
        raise ServerError(f"the team's server has not answered in {seconds:g} s", "try again later; nothing was taken in")

    before = signal.signal(signal.SIGALRM, over)
    began, (left, _) = time.monotonic(), signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:  # whoever set an alarm before still gets it
            signal.setitimer(signal.ITIMER_REAL, max(0.01, left - (time.monotonic() - began)))
