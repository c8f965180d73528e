"""Read and write times for people, in their own time zone."""

import time

from ralph_mem.core.errors import RalphMemError

DAY_MS = 86_400_000
UNITS = {"m": 60_000, "h": 3_600_000, "d": DAY_MS, "w": 7 * DAY_MS}


def of(text: str, now: int) -> int:
    """Return a time in milliseconds: `2026-01-31` is the beginning of that day here, `7d` so long before now.

    Units are m, h, d, w. Raises RalphMemError for what is neither, and for a day that does not exist.
    """
    hint = "a day like 2026-01-31, or a span like 7d, 12h, 2w"
    number, unit = text[:-1], text[-1:]
    if unit in UNITS and number.isascii() and number.isdigit() and len(number) < 7:
        return max(1, now - int(number) * UNITS[unit])
    try:
        given = time.strptime(text, "%Y-%m-%d")
        return int(time.mktime((*given[:8], -1)) * 1000) or 1  # 0 would mean that no time was given
    except (ValueError, OverflowError):
        raise RalphMemError(f"{text[:30]} is no time", hint) from None
