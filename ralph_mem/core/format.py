"""Write sizes, times and counts for people."""

import time

UNITS = (("GB", 10**9), ("MB", 10**6), ("KB", 10**3))


def amount(size: int) -> str:
    """Return a number of bytes, in units of a thousand as disks are sold."""
    for unit, bytes_of_it in UNITS:
        if size >= bytes_of_it:
            return f"{size / bytes_of_it:.1f} {unit}"
    return f"{size} bytes"


def when(at: int) -> str:
    """Return a time in milliseconds as the day and the time of day where the person is; nothing for none."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at / 1000)) if at else ""


def count(number: int, what: str) -> str:
    """Return a number of things, which are named in the singular."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def duration(ms: int) -> str:
    """Return a length of time, in seconds below two minutes and in hours above two of these."""
    if ms < 120_000:
        return f"{max(0, ms) // 1000} s"
    return f"{ms // 60_000} min" if ms < 7_200_000 else f"{ms // 3_600_000} h {ms // 60_000 % 60:02} min"
