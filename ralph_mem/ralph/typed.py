"""What a person typed about a loop, as values: lengths of time, money, commands, and the wish that they make together."""

import shlex

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import starting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.ralph.starting import Wish

UNITS = {"ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000}
# A second is for trying it out; a month is longer than anybody's patience, and still a limit.
SHORTEST_MS, LONGEST_MS = 1000, 30 * 24 * 3_600_000
# A cent is what the smallest of all iterations costs; a hundred thousand is a typing error.
LEAST_COST, MOST_COST = 0.01, 100_000.0
# From the least to the most that an option may say: those of the config, and room to go on after a limit was reached.
RANGES = {"iterations": (1, 1000), "cooldown": (0, 3_600_000), "no_progress": (1, 1000), "timeout": (1, 7200)}


def duration_ms(text: str) -> int:
    """Return a length of time such as `90s`, `30m` or `2h` in ms; a bare number counts minutes. Raises LoopError."""
    plain = text.strip().lower()
    digits = plain.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = plain[len(digits) :].strip() or "m"
    found = float(digits) * UNITS[unit] if unit in UNITS and _is_number(digits) else 0.0
    if not SHORTEST_MS <= found <= LONGEST_MS:
        raise LoopError(f"{text[:40]} is no length of time from a second to a month", "for example: --max-duration 90s, 30m or 2h")
    return int(found)


def dollars(text: str) -> float:
    """Return an amount of US dollars, such as `2.50` or `$2.50`. Raises LoopError."""
    plain = text.strip().removeprefix("$")
    found = float(plain) if _is_number(plain) else 0.0
    if not LEAST_COST <= found <= MOST_COST:
        raise LoopError(f"{text[:40]} is no amount of dollars from 0.01 up", "for example: --max-cost 2.50")
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.replace(".", "", 1).isdigit() and len(text) <= 12


def number(name: str, text: "str | int") -> int:
    """Return the whole number of an option of RANGES. Raises LoopError."""
    low, high = RANGES[name]
    plain = str(text).strip()
    if not (plain.isascii() and plain.isdigit() and len(plain) < 10 and low <= int(plain) <= high):
        raise LoopError(f"{plain[:40]} is no number from {low} to {high:,} for --{OPTIONS[name]}", f"for example: {high // 10}")
    return int(plain)


OPTIONS = {"iterations": "max-iterations", "cooldown": "cooldown", "no_progress": "no-progress", "timeout": "timeout"}


def words(option: str, command: str) -> "tuple[str, ...]":
    """Return the words of a command as a shell would see them; nothing else of a shell happens to it. Raises LoopError."""
    try:
        found = tuple(shlex.split(command))
    except ValueError as error:
        raise LoopError(f"{option} {command[:40]} cannot be read: {error}", "quote it as for a shell") from error
    if not found:
        raise LoopError(f"{option} names no command", f"for example: {option} './my-command --quick'")
    return found


def bounds(
    max_iterations: "str | int | None" = None,
    max_duration: "str | None" = None,
    max_cost: "str | None" = None,
    cooldown: "str | int | None" = None,
    no_progress: "str | int | None" = None,
) -> "dict[str, Any]":
    """Return the limits that were asked for as fields of Limits; None is not asked. Raises LoopError."""
    found: dict[str, Any] = {
        "iterations": max_iterations if max_iterations is None else number("iterations", max_iterations),
        "duration_ms": max_duration if max_duration is None else duration_ms(max_duration),
        "cost": max_cost if max_cost is None else dollars(max_cost),
        "cooldown_ms": cooldown if cooldown is None else number("cooldown", cooldown),
        "no_progress": no_progress if no_progress is None else number("no_progress", no_progress),
    }
    return {name: value for name, value in found.items() if value is not None}


def wish(values: "dict[str, Any]", goal: str, given: "dict[str, Any]", limits: "dict[str, Any]") -> "Wish":
    """Return what is wished for: the options as they were typed, else what the settings say. Raises LoopError.

    `given` has what Wish has, commands as one text; None and an empty list are not asked, and `limits` is what `bounds` returns.
    """
    asked = {name: value for name, value in given.items() if value is not None and value not in ([], ())}
    for name in ("agent", "notify"):
        if name in asked:
            asked[name] = words(f"--{name}", asked[name])
    if "timeout_s" in asked:
        asked["timeout_s"] = number("timeout", asked["timeout_s"])
    for name in ("criteria", "allow", "protect"):
        if name in asked:
            asked[name] = tuple(asked[name])
    return starting.wish(values, plain(goal), **asked, **limits)


def plain(goal: str) -> str:
    """Return a goal as text that any file and any agent can take: no NUL, no half characters."""
    return goal.replace("\0", "").encode("utf-8", "replace").decode().strip()
