"""Write sizes, times, counts and confirming digits for people, and read the times they type."""

import time

from ralph_mem.core import hashing
from ralph_mem.core.errors import RalphMemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

UNITS = (("GB", 10**9), ("MB", 10**6), ("KB", 10**3))


AHEAD = "ahead of the clock"  # of a time that is more than a minute away: the clock was set back since


def amount(size: int) -> str:
    """Return a number of bytes, in units of a thousand as disks are sold."""
    for unit, bytes_of_it in UNITS:
        if size >= bytes_of_it:
            return f"{size / bytes_of_it:.1f} {unit}"
    return f"{size} bytes"


def when(at: int) -> str:
    """Return a time in milliseconds as the day and the time of day where the person is; nothing for none."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at / 1000)) if at else ""


def day(at: "int | None") -> str:
    """Return a time in milliseconds as the day where the person is; nothing for none."""
    return when(at or 0)[:10]


def ago(at: int, now: int) -> str:
    """Return how long ago a time was, both in milliseconds, or `AHEAD`."""
    if at - now > 60_000:
        return AHEAD
    seconds = max(0, (now - at) / 1000)
    for length, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return "just now"


def count(number: int, what: str) -> str:
    """Return a number of things, which are named in the singular."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def listed(names: "Sequence[str]", most: int) -> str:
    """Return the first of some names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def duration(ms: int) -> str:
    """Return a length of time, in seconds below two minutes and in hours above two of these."""
    if ms < 120_000:
        return f"{max(0, ms) // 1000} s"
    return f"{ms // 60_000} min" if ms < 7_200_000 else f"{ms // 3_600_000} h {ms // 60_000 % 60:02} min"


DAY_MS = 86_400_000
SPANS = {"m": 60_000, "h": 3_600_000, "d": DAY_MS, "w": 7 * DAY_MS}
WORDS = {"minute": "m", "hour": "h", "day": "d", "week": "w"}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def words_of_moment(words: "list[str]") -> int:
    """Return how many of these words, from the first one on, name a time: `last week` has two, `2 days ago` three."""
    low = [word.lower() for word in words[:3]]
    if low[:2] in (["last", "week"], ["this", "week"]):
        return 2
    return 3 if low[2:] == ["ago"] and low[0].isdigit() and low[1].removesuffix("s") in WORDS else 1


def _named_day(words: str, now: int) -> int:
    """Return the beginning of a day that is named in words, here; 0 where none is."""
    today = time.localtime(now / 1000)
    back = {"today": 0, "yesterday": 1, "this week": today.tm_wday, "last week": today.tm_wday + 7}.get(words)
    if words in WEEKDAYS:
        back = (today.tm_wday - WEEKDAYS.index(words)) % 7
    if back is None:
        return 0
    return int(time.mktime((today.tm_year, today.tm_mon, today.tm_mday - back, 0, 0, 0, 0, 0, -1)) * 1000)


def moment_of(text: str, now: int) -> int:
    """Return a time in milliseconds: `2026-01-31` is the beginning of that day here, `7d` so long before now.

    Units are m, h, d, w; `yesterday`, `monday`, `last week` and `2 days ago` mean what they say. Raises RalphMemError for anything
    else, and for a day that does not exist.
    """
    hint = "a day like 2026-01-31, yesterday, monday, last week, or a span like 7d, 12h, 2w"
    words = text.lower().split()
    if len(words) == 3 and words_of_moment(words) == 3:
        text = words[0] + WORDS[words[1].removesuffix("s")]
    named = _named_day(" ".join(words), now)
    if named:
        return named
    number, unit = text[:-1], text[-1:]
    if unit in SPANS and number.isascii() and number.isdigit() and len(number) < 7:
        return max(1, now - int(number) * SPANS[unit])
    try:
        given = time.strptime(text, "%Y-%m-%d")
        return int(time.mktime((*given[:8], -1)) * 1000) or 1  # 0 would mean that no time was given
    except (ValueError, OverflowError):
        raise RalphMemError(f"{text[:30]} is no time", hint) from None


# Another list has the same six once in sixteen million times; nobody who writes into a memory can choose its ids.
DIGITS = 6
# What a person typed as digits: fewer would be a word, and more are those of the whole hash.
FEWEST, MOST = 4, 64
HEXADECIMAL = frozenset("0123456789abcdefABCDEF")
CHANGED = "what would go is not what was shown under {}: nothing is changed"


def digits_of(what: "Iterable[str]") -> str:
    """Return the digits that stand for what is shown, in whatever order."""
    return hashing.of(*sorted(what))[:DIGITS]


def are_digits(word: str) -> bool:
    """Say whether a word may be such digits, and no id, text or option."""
    return FEWEST <= len(word) <= MOST and HEXADECIMAL.issuperset(word)


def not_as_shown(given: str) -> RalphMemError:
    """Return what to raise where digits stand for something else than would be done now, which is to be shown first."""
    return RalphMemError(CHANGED.format(given[:MOST]), "look at the list, and confirm with its digits")
