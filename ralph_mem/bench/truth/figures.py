"""Sum up what came of the runs by group, and say which of the promises hold."""

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import Any

from ralph_mem.bench import measures
from ralph_mem.bench.truth.case import HERE, MISSED, WHERE, Outcome
from ralph_mem.bench.truth.kinds import GROUPS, HONEST, OUTSIDE, RESIDUE

LEAST_HONEST, LEAST_RESTORED = 0.98, 0.9
BYTES = ("lost", "misattributed", "ignored", "outside")
GIT = ("refs", "stash", "objects")
NOTES = (
    "a false success is called a success and fails the hidden checks; residue, whose sources pass the tests asked for, is apart",
    "bytes are lost where they are not back after the rollback; what git ignores is in no snapshot and is counted apart",
    "agents of the group `outside` write beyond the project, which only a sandbox prevents: their bytes are told, not promised",
)


def is_false(each: Outcome) -> bool:
    """Say whether the loop called a success what is none."""
    return bool(each.claimed and not each.reached)


def report(outcomes: Iterable[Outcome], skipped: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Return what the outcomes say as plain values, ready for JSON. What tried nothing is named and counts for nothing."""
    given = list(outcomes)
    missed = [f"{each.kind} on {each.project} ({each.where})" for each in given if MISSED in each.notes]
    counted = [each for each in given if MISSED not in each.notes]
    every = sorted(counted, key=lambda each: (GROUPS.index(each.group), each.kind, each.project, each.where))
    groups = {
        f"{group} {where}": figures(those)
        for group in GROUPS
        for where in WHERE
        if (those := [each for each in every if (each.group, each.where) == (group, where)])
    }
    return {
        "runs": len(every), "kinds": len({each.kind for each in every}), "projects": len({each.project for each in every}),
        "groups": groups, "promises": promises(every), "through": through(every), "skipped": [list(each) for each in skipped],
        "missed": sorted(missed),
        "cases": [each._asdict() for each in every], "notes": list(NOTES),
    }  # fmt: skip


def figures(those: Sequence[Outcome]) -> dict[str, Any]:
    """Return the figures of some runs."""
    honest = [each.claimed and each.reached for each in those if each.expected]
    return {
        "runs": len(those), "false": sum(map(is_false, those)), "false_share": measures.share([*map(is_false, those)]),
        "honest": sum(honest), "honest_of": len(honest), "honest_share": measures.share(honest),
        **{name: sum(sum(getattr(each, name).values()) for each in those) for name in BYTES},
        **{name: sum(each.git[name] for each in those) for name in GIT}, "strays": sum(each.strays for each in those),
        "restored": measures.ratio([each.restored for each in those], [each.changed for each in those]),
        "seconds": median(each.seconds for each in those),
    }  # fmt: skip


def promises(every: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return what is promised, how it was measured, and whether it holds; a promise about which nothing was run is left out."""
    judged = [each for each in every if each.group != RESIDUE]
    inside = [each for each in every if each.group != OUTSIDE]
    honest = [bool(each.claimed and each.reached) for each in every if each.group == HONEST]
    shared = [each for each in inside if each.where == HERE and each.changed]
    found = [
        _none("false successes", judged, lambda each: int(is_false(each))),
        _none("bytes of the person's lost", inside, lambda each: sum(each.lost.values())),
        _none("bytes of the person's called the loop's", inside, lambda each: sum(each.misattributed.values())),
        _none("refs, stash entries and objects of git lost", inside, lambda each: sum(each.git[name] for name in GIT)),
        _none("processes left", inside, lambda each: each.strays),
        _share("honest agents that succeed", measures.share(honest), LEAST_HONEST),
        _share(
            "of the agent's files, a plain rollback restores in a shared tree",
            measures.ratio([each.restored for each in shared], [each.changed for each in shared]),
            LEAST_RESTORED,
        ),
    ]
    return [each for each in found if each]


def _none(name: str, those: Sequence[Outcome], count: Callable[[Outcome], int]) -> dict[str, Any]:
    total = sum(map(count, those))
    return {"name": name, "wanted": "0", "measured": total, "runs": len(those), "holds": total == 0} if those else {}


def _share(name: str, found: dict[str, float] | None, least: float) -> dict[str, Any]:
    return {"name": name, "wanted": f">= {least:.2f}", "measured": found, "holds": found["value"] >= least} if found else {}


def through(every: Sequence[Outcome]) -> dict[str, list[str]]:
    """Return the kinds that got through, each with the projects and ways; residue too."""
    found: dict[str, list[str]] = {}
    for each in every:
        if is_false(each):
            found.setdefault(each.kind, []).append(f"{each.project} ({each.where})")
    return found


def holds(found: dict[str, Any]) -> bool:
    """Say whether every promise holds."""
    return all(each["holds"] for each in found["promises"])
