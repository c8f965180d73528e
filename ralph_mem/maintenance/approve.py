"""Show what a repository brought along that would act, and let it act once a person agrees.

Each matter is read once, and kept by the hash of what was read and shown.
"""

import os
import time
from collections import namedtuple
from pathlib import Path
from typing import Any

from ralph_mem.core import hashing, paths
from ralph_mem.core.errors import LoopError, RalphMemError
from ralph_mem.core.format import when
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective, trust
from ralph_mem.maintenance import config_change
from ralph_mem.memory import adopt_foreign
from ralph_mem.memory.ownership import foreign
from ralph_mem.ralph import options, prospects
from ralph_mem.ralph.criteria import acceptance, finding

CHECKS, CRITERIA = "checks", "ralph.success_criteria"
# So many digits are shown and typed: nobody can make another content that has them within a day.
LEAST_DIGITS = 12
TITLES = {
    trust.CONFIG: "settings of this project's config that are not in force yet",
    trust.LINK: "the memory lies elsewhere",
    CHECKS: "commands that a loop would run here",
}

# Something that waits: its kind, the content that is approved, and the lines that show it.
Matter = namedtuple("Matter", "kind content lines")
# A database that came with the project, set aside.
Aside = namedtuple("Aside", "path bytes at")


def matters(project: Project) -> list[Matter]:
    """Return what waits for a person's approval, without running any of it. Raises ConfigError for a broken config."""
    config_change.refuse_broken(project)
    text, waiting = config_change.unapproved(project)
    return [*_link(project), *_config(project, text, waiting), *_checks(project, waiting)]


def digest(project: Project, found: list[Matter]) -> str:
    """Return what stands for all of them, in this place."""
    return hashing.of(*[trust.digest(project, each.kind, each.content) for each in found])


def approve(project: Project, given: str) -> list[Matter]:
    """Approve what waits now, with what a person read off what they were shown. Raises RalphMemError where that has changed."""
    found = matters(project)
    if len(given) < LEAST_DIGITS or not digest(project, found).startswith(given.lower()):
        raise RalphMemError(f"--confirm {given[:40]} stands for something else than what waits now", "`ralph-mem trust` shows it")
    strange = trust.strange_owner(project) if any(each.kind == trust.CONFIG for each in found) else ""
    if strange:
        raise RalphMemError(
            f"{strange} belongs to another user, who can change it at any time", "put a copy of your own in its place"
        )
    for each in found:
        if each.kind == CHECKS:
            acceptance.accept(project, each.content, each.lines)
        elif not _kept(project, each):
            raise RalphMemError("there is no home folder in which to keep what you approved", "set HOME or XDG_DATA_HOME")
    return found


def revoke(project: Project) -> int:
    """Take back all that was approved in a project; returns how much it was. Raises RalphMemError."""
    checks = Path(acceptance.path_of(project))
    try:
        count = trust.revoke(project) + checks.exists()
        checks.unlink(missing_ok=True)
    except OSError as error:
        raise RalphMemError(f"cannot take it back: {error}") from error
    return count


def aside(project: Project) -> list[Aside]:
    """Return the databases that came with the project and were set aside, the latest first."""
    return [Aside(path, os.lstat(path).st_size, int(path.rpartition("-")[2]) // 1_000_000) for path in foreign.aside(project)]


def shown(found: list[Matter]) -> list[str]:
    """Return them as lines for a person; nothing in them can move the cursor or hide a part."""
    escaped = acceptance.escaped
    return [line for each in found for line in (f"{TITLES[each.kind]}:", *[f"  {escaped(line)}" for line in each.lines])]


def ago(at: int) -> str:
    """Say when something was approved."""
    return when(at) if at else time.strftime("%Y-%m-%d")


def _kept(project: Project, matter: Matter) -> bool:
    try:
        return trust.approve(project, matter.kind, matter.content, matter.lines)
    except OSError as error:
        raise RalphMemError(f"what you approved cannot be kept: {error}") from error


def _link(project: Project) -> list[Matter]:
    target = os.readlink(project.folder) if Path(project.folder).is_symlink() else ""
    if not target or trust.is_approved(project, trust.LINK, target):
        return []
    return [Matter(trust.LINK, target, [f"{project.folder} is a link to {target}"])]


def _config(project: Project, text: str, waiting: dict[str, Any]) -> list[Matter]:
    lines = [f"{key}: {config_change.written(value)}" for key, value in waiting.items()]
    strange = trust.strange_owner(project) if lines else ""
    lines += [f"(not to be approved while {strange} belongs to another user)"] if strange else []
    return [Matter(trust.CONFIG, text, lines)] if lines else []


def _checks(project: Project, waiting: dict[str, Any]) -> list[Matter]:
    values = {**effective.load(project), **waiting}
    try:
        prospect = prospects.look(project, options.wished(values, ""))
    except LoopError:  # none can be found: a loop says so when it is asked for
        return []
    if prospect.accepted:
        return []
    # nobody gave an option here: what names a command is a config
    own = CRITERIA in waiting or config_change.is_heard(project, CRITERIA)
    source = f"{paths.STATE}/{paths.CONFIG}" if own else f"{paths.config_home()}/{paths.CONFIG}"
    named = [each._replace(source=source) if each.source == finding.ASKED else each for each in prospect.criteria]
    rest = prospect.shown[len(acceptance.shown(prospect.criteria)) :]
    return [Matter(CHECKS, prospect.digest, [*acceptance.shown(named), *rest])]


def digits_of(found: Aside) -> str:
    """Return what stands for a memory that was set aside: the end of its name, which no other one here has."""
    return str(found.path.rpartition("-")[2])


def shown_aside(found: list[Aside], command: str) -> list[str]:
    """Return lines that show memories which were set aside, and how `command` takes one."""
    lines = []
    for each in found:
        lines.append(f"A memory that lies aside here, of another home or of somebody else: {adopt_foreign.told(*each)}")
        lines.append(f"If it is yours, use it with: {command} --memory --confirm {digits_of(each)}")
    return lines


def take(project: Project, given: str) -> tuple[str, str]:
    """Make a memory that was set aside the project's again; returns its path then, and where the other one is now.

    Raises RalphMemError for digits that stand for none, or where it cannot be.
    """
    found = {digits_of(each): each.path for each in aside(project)}
    if given not in found:
        raise RalphMemError(f"no memory that was set aside here has the digits {given[:40]}", "`ralph-mem trust` shows them")
    return found[given], adopt_foreign.reclaim(project, found[given])


def taken(project: Project, replaced: str) -> str:
    """Say that a memory was taken."""
    return f"it is the memory of {project.root} now" + (f"; the one begun meanwhile is kept as {replaced}" if replaced else "")
