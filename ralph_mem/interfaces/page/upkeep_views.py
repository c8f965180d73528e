"""Read for the page how a memory grows, whether all is well, which settings and projects there are."""

import shlex
from typing import Any

from ralph_mem.core.settings import schema
from ralph_mem.interfaces.page.asking import Asked
from ralph_mem.maintenance import approve, config_change, config_file, doctor, registry, usage
from ralph_mem.memory import growth
from ralph_mem.ralph import runs
from ralph_mem.ralph.watching import overview

Values = dict[str, Any]


def grown(asked: Asked) -> Values:
    """Return what was remembered and told by days, what loops cost, and what all of it takes on the disk."""
    days = asked.number("days", growth.DAYS, 7, growth.MOST_DAYS)
    told = growth.of(asked.reader().stores, asked.now, days)
    loops = overview.facts(runs.all(asked.project), asked.now)["runs"][::-1]
    measured = usage.measure()
    uses = [{**use._asdict(), "total": usage.total(use)} for use in measured.projects]
    return {"days": days, "growth": told, "loops": loops, "uses": uses, "taken": usage.taken(measured),
            "allowed": usage.allowed(asked.settings), "kinds": usage.Use._fields[1:]}  # fmt: skip


def health(asked: Asked) -> Values:
    """Return what `doctor` finds."""
    found = doctor.examine(asked.project)
    return {"findings": [doctor.values(each) for each in found], "ill": doctor.is_ill(found), "last": doctor.lines(found)[-1]}


def settings(asked: Asked) -> Values:
    """Return every setting with what it means and where it comes from, and what waits for an approval."""
    found = [_setting(each) for each in config_file.load(asked.project).values()]
    problems = [(file.path, each.what) for file in config_file.check(asked.project) for each in file.problems]
    waiting = approve.shown(approve.matters(asked.project))
    return {"settings": found, "problems": problems, "waiting": waiting, "known": len(schema.RULES)}


def _setting(each: config_file.Setting) -> Values:
    written = config_change.written(each.value)
    return {**each._asdict(), "written": written, "command": command(each.key, written)}


def command(key: str, value: str) -> str:
    """Return the command by which a terminal changes a setting."""
    return f"ralph-mem config set {key} {shlex.quote(value)}"


def projects(_asked: Asked) -> Values:
    """Return the projects that have a memory on this machine, those that are gone among them."""
    found = registry.known()
    return {"projects": [registry.values(each) for each in found], "orphaned": registry.ORPHANED}


def forget(_asked: Asked) -> Values:
    """Return nothing: what would go is shown once somebody has said what is meant."""
    return {}
