"""Limits: when a loop gives up, whatever it has reached. Some are always on, and none extends itself."""

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Limits = namedtuple("Limits", "iterations duration_ms cooldown_ms cost no_progress")
Limits.__doc__ = """How far a run may go.

`iterations` and `duration_ms` are for the whole run, `cooldown_ms` is the pause between two iterations, `cost` is in US
dollars or None for none, and `no_progress` is how many iterations without a new best end it.
"""

# What the config holds by default; half an hour is what people leave a terminal alone for.
DEFAULT = Limits(10, 1_800_000, 1000, None, 3)


def span(ms: float) -> str:
    """Return a length of time as people say it, such as `21 min` or `40 s`."""
    return f"{ms / 60_000:.0f} min" if ms >= 60_000 else f"{max(0, ms) / 1000:.0f} s"


def from_json(given: "Any", base: Limits = DEFAULT) -> Limits:
    """Return limits as a record holds them (an object, or a list in their order); what is not given is as in `base`."""
    if isinstance(given, dict):
        return base._replace(**{name: given[name] for name in Limits._fields if name in given})
    if isinstance(given, (list, tuple)):
        return Limits(*[*given[: len(Limits._fields)], *base[len(given) :]])
    return base
