"""Say which items of a team wait, which hold, and which another one has replaced."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ralph_mem.core.format import day
from ralph_mem.maintenance.team.shared_item import Shared

WAITING, TOLD, REPLACED, BESIDE = "waiting", "approved", "replaced", "beside a newer one"
SAID_TOO = "said otherwise on"


class Standing(NamedTuple):
    """How an item stands, and the successors of the same item that are told with it, newest first."""

    word: str
    others: tuple[Shared, ...] = ()


def of(items: Mapping[str, Shared], approved: Iterable[str]) -> dict[str, Standing]:
    """Return how each item stands; `approved` are the ids of those that a person here has approved or said themselves.

    What nobody has approved waits, and replaces nothing. Of approved successors of one item that replace each other not, the
    newest is told, with the others behind it.
    """
    held = {name: items[name] for name in approved if name in items}
    replaced = {old for item in held.values() for old in item.supersedes}
    found = {name: Standing(WAITING) for name in items if name not in held}
    found.update({name: Standing(REPLACED) for name in held if name in replaced})
    standing = {name: item for name, item in held.items() if name not in replaced}
    for group in _of_one_origin(standing):
        newest, *others = sorted(group, key=lambda item: (-item.at, item.id))
        found[newest.id] = Standing(TOLD, tuple(others))
        found.update({other.id: Standing(BESIDE, tuple(each for each in (newest, *others) if each != other)) for other in others})
    return found


def _of_one_origin(items: Mapping[str, Shared]) -> list[list[Shared]]:
    """Return items in groups: those that replace a common one belong together, all others stand alone."""
    groups: list[tuple[set[str], list[Shared]]] = []
    for item in items.values():
        olds, members = set(item.supersedes), [item]
        for group in [each for each in groups if each[0] & olds]:
            groups.remove(group)
            olds |= group[0]
            members += group[1]
        if not item.supersedes:
            olds = set()
        groups.append((olds, members))
    return [members for _, members in groups]


def beside(others: Iterable[Shared]) -> str:
    """Return what is told behind an item that others contradict, a line each, newest first."""
    return "\n".join([f"{each.author} {SAID_TOO} {day(each.at)} [{each.id}]: {' '.join(each.body.split())}" for each in others])
