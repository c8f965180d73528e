"""Make the digits by which a person confirms exactly what was shown.

Standard library only: the skill uses it.
"""

from ralph_mem.core import hashing
from ralph_mem.core.errors import RalphMemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Another list has the same six once in sixteen million times; nobody who writes into a memory can choose its ids.
DIGITS = 6
# What a person typed as digits: fewer would be a word, and more are those of the whole hash.
FEWEST, MOST = 4, 64
HEXADECIMAL = frozenset("0123456789abcdefABCDEF")
CHANGED = "what would go is not what was shown under {}: nothing is changed"


def of(what: "Iterable[str]") -> str:
    """Return the digits that stand for what is shown, in whatever order."""
    return hashing.of(*sorted(what))[:DIGITS]


def are_digits(word: str) -> bool:
    """Say whether a word may be such digits, and no id, text or option."""
    return FEWEST <= len(word) <= MOST and HEXADECIMAL.issuperset(word)


def changed(given: str) -> RalphMemError:
    """Return what to raise where digits stand for something else than would be done now, which is to be shown first."""
    return RalphMemError(CHANGED.format(given[:MOST]), "look at the list, and confirm with its digits")
