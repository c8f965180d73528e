"""The machine: the packages of the command line, and the clock."""

import re
import time
from collections.abc import Iterator

from ralph_mem.core.project import Project
from ralph_mem.doctor.finding import Finding, ok, problem

NEEDED = ("typer", "rich", "pyyaml")
REQUIREMENT = re.compile(r"""([\w.-]+).*extra == ["']([\w-]+)["']""")
FOR_WORK_ON_IT = ("dev",)
LONG_AGO = 1_735_689_600  # 2025-01-01, before the first release


def packages(_: Project) -> Iterator[Finding]:
    """Look at the packages that the command line is made of, and at those that would add to it."""
    versions = {name: _version(name) for name in NEEDED}
    missing = [name for name, version in versions.items() if not version]
    seen = ", ".join(f"{name} {version or 'missing'}" for name, version in versions.items())
    yield problem("packages", seen, "pip install " + " ".join(missing)) if missing else ok("packages", seen + _extras())


def _version(name: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _extras() -> str:
    """Say which optional packages are missing, by the extra that brings them; they are no fault."""
    from importlib import metadata

    try:
        required = metadata.requires("ralph-mem") or []
    except metadata.PackageNotFoundError:  # run from a checkout
        return ""
    found = [match.groups() for match in map(REQUIREMENT.match, required) if match]
    missing = {extra for name, extra in found if extra not in FOR_WORK_ON_IT and not _version(name)}
    return "".join(f"; without the extra {extra} (pip install 'ralph-mem[{extra}]')" for extra in sorted(missing))


def clock(_: Project, now: float | None = None) -> Iterator[Finding]:
    """Look at the clock, by which memories are dated and put in order."""
    now = time.time() if now is None else now
    today = time.strftime("%Y-%m-%d %H:%M", time.localtime(now))
    yield ok("clock", today) if now >= LONG_AGO else problem("clock", today, "set the clock: memories are dated by it")
