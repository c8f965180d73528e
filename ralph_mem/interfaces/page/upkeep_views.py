"""Read for the page how a memory grows, whether all is well, which settings and projects there are."""

import shlex
from itertools import groupby
from typing import Any

from ralph_mem.core.settings import schema
from ralph_mem.interfaces.page.asking import Asked
from ralph_mem.maintenance import approve, config_change, config_file, doctor, registry, usage
from ralph_mem.memory.rows import growth
from ralph_mem.ralph import runs
from ralph_mem.ralph.watching import overview

Values = dict[str, Any]

MOST_BARS, MOST_USES, MOST_PROJECTS = 92, 50, 150  # a bar still has some pixels


def grown(asked: Asked) -> Values:
    """Return what was remembered and told by days, what loops cost, and what all of it takes on the disk."""
    days = asked.number("days", growth.DAYS, 7, growth.MOST_DAYS)
    told = growth.of(asked.reader().stores, asked.now, days)
    loops = overview.facts(runs.all(asked.project), asked.now)["runs"][:MOST_BARS][::-1]
    measured = usage.measure()
    uses = [{**use._asdict(), "total": usage.total(use)} for use in measured.projects[:MOST_USES]]
    return {"days": days, "growth": {**told, "days": together(told["days"])}, "loops": loops, "uses": uses,
            "taken": usage.taken(measured), "allowed": usage.allowed(asked.settings), "kinds": usage.Use._fields[1:]}  # fmt: skip


def together(days: list[Values]) -> list[Values]:
    """Return days as bars that can still be told apart: as many in one as are needed, under the name of the first."""
    of_one = -(-len(days) // MOST_BARS)
    found = []
    for at in range(0, len(days), of_one):
        part = days[at : at + of_one]
        sums = {name: sum([each[name] for each in part]) for name in part[0] if name != "day"}
        found.append({"day": part[0]["day"], **sums})
    return found


def health(asked: Asked) -> Values:
    """Return what `doctor` finds."""
    found = doctor.examine(asked.project)
    return {"findings": [doctor.values(each) for each in found], "ill": doctor.is_ill(found), "last": doctor.lines(found)[-1]}


def settings(asked: Asked) -> Values:
    """Return every setting by its section, with what it means and where it comes from, and what waits for an approval."""
    found = [_setting(each) for each in config_file.load(asked.project).values()]
    problems = [(file.path, each.what) for file in config_file.check(asked.project) for each in file.problems]
    waiting = approve.shown(approve.matters(asked.project))
    sections = [(name, list(part)) for name, part in groupby(sorted(found, key=_section), key=_section)]
    return {"settings": found, "sections": sections, "problems": problems, "waiting": waiting, "known": len(schema.RULES)}


def _section(each: Values) -> str:
    section, dot, _ = str(each["key"]).partition(".")
    return section if dot else ""


def _setting(each: config_file.Setting) -> Values:
    to_set = config_change.written(True if each.value is None else each.value)  # unset is on, and a word that no setting takes
    values = {"written": config_change.written(each.value), "to_set": to_set, "command": command(each.key, to_set)}
    return {**each._asdict(), **values}


def command(key: str, value: str) -> str:
    """Return the command by which a terminal changes a setting."""
    return f"ralph-mem config set {key} {shlex.quote(value)}"


def projects(_asked: Asked) -> Values:
    """Return the projects that have a memory on this machine, those that are gone among them."""
    found = registry.known()
    return {"projects": [registry.values(each) for each in found[:MOST_PROJECTS]], "orphaned": registry.ORPHANED,
            "left_out": max(0, len(found) - MOST_PROJECTS)}  # fmt: skip


def gone(asked: Asked) -> Values:
    """Return a project whose folder or memory is gone, with what is left of it outside."""
    found, left = registry.gone(asked.public_id)
    return {"gone": registry.values(found), "left": [each._asdict() for each in left], "orphaned": registry.ORPHANED}


def forget(_asked: Asked) -> Values:
    """Return nothing: what would go is shown once somebody has said what is meant."""
    return {}
