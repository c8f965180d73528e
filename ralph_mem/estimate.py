"""Estimate: how many rows were counted by a vocabulary, and how far the estimate that hooks use is from those counts.

Standard library only: the doctor uses it. What counts is `tokens.py`.
"""

from collections import namedtuple
from collections.abc import Iterable
from typing import Any, Protocol

from ralph_mem.core import row

# Of texts shorter than this the error in per cent says nothing: one token more of three is 33.
FEWEST_TOKENS = 20
# The newest ones are enough, and take a tenth of a second.
MOST_ROWS = 2000

# `vocabularies` has the number of rows by the name of what counted them, None for the estimate. The mean errors are shares
# of 1, None where too little was counted to say.
Estimate = namedtuple("Estimate", "vocabularies code prose")

COUNTED = """
SELECT counted_by, sum(rows) FROM (
    SELECT counted_by, count(*) AS rows FROM turns GROUP BY 1 UNION ALL
    SELECT counted_by, count(*) FROM observations GROUP BY 1) GROUP BY 1"""
OF_TYPES = """
SELECT tokens, title, content, files, lines, created_at FROM observations
WHERE counted_by NOT NULL AND tokens >= ?1 AND type IN """
CODE = OF_TYPES + "('tool_use', 'error', 'success') ORDER BY created_at DESC LIMIT ?2"
PROSE = f"""
SELECT tokens, prompt, response, files, lines, created_at FROM turns WHERE counted_by NOT NULL AND tokens >= ?1 UNION ALL
{OF_TYPES} ('note', 'decision', 'response', 'summary') ORDER BY created_at DESC LIMIT ?2"""


class Database(Protocol):
    """What runs SQL: a store, or a connection."""

    def execute(self, sql: str, values: Any = ..., /) -> Any:
        """Run one statement; returns the cursor."""


def of(database: Database) -> Estimate:
    """Compare the estimate with what was counted: on commands, their output and diffs, and on what was said."""
    vocabularies = dict(database.execute(COUNTED).fetchall())
    return Estimate(vocabularies, *[_error(database.execute(sql, (FEWEST_TOKENS, MOST_ROWS))) for sql in (CODE, PROSE)])


def _error(rows: Iterable[tuple[Any, ...]]) -> float | None:
    """Return by what share of the exact count the estimate is off, on average."""
    errors = [abs(row.tokens(*texts) - exact) / exact for exact, *texts, _ in rows]
    return sum(errors) / len(errors) if errors else None


def told(found: Estimate) -> str:
    """Return the errors in words, such as `9 % on code, 7 % on prose`; nothing where none is known."""
    errors = {"code": found.code, "prose": found.prose}
    return ", ".join(f"{error:.0%}".replace("%", " %") + f" on {what}" for what, error in errors.items() if error is not None)
