"""Tell which run and which of its iterations a person means by the words that they typed."""

from ralph_mem.core.errors import LoopError

NAMES = "start", "best", "last"
SHORTEST_RUN = 5  # letters that name a run: fewer digits are the number of an iteration
HINT = "a number, N..M with N before M, or one of start, best, last; `ralph-mem ralph status --history` numbers them"


def of(words: "list[str]") -> "tuple[str, str]":
    """Return the words for a run and for its iterations, of which either may be missing. Raises LoopError for more of them."""
    if len(words) > 2:
        raise LoopError(f"{len(words)} words, where a run and its iterations are two", HINT)
    first, *more = [*words, ""]
    is_number = first.isdecimal() and len(first) < SHORTEST_RUN
    if len(words) == 1 and (is_number or ".." in first or first in NAMES):
        return "", first
    return first, more[0] if more else ""


def one(words: "list[str]") -> "tuple[str, int]":
    """Return the word for a run, and the number of one iteration, 0 for the last. Raises LoopError for what is no number."""
    run, told = of(words)
    if told in ("", NAMES[-1]):
        return run, 0
    if not (told.isascii() and told.isdecimal() and int(told[:9]) > 0):
        raise LoopError(f"{told[:40]} is no iteration", "`ralph-mem ralph status --history` numbers them")
    return run, int(told[:9])
