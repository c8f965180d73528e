"""Keep what a build has left from standing for sources that it was not made from.

Tools build anew what is older than its sources, and an agent can set times, or leave what was built from others.
"""

import os
import stat
from contextlib import contextmanager

from ralph_mem.ralph.judges import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ralph_mem.ralph.snapshot.store import Snapshots

# What shows that a folder was configured for the place where it is; such a one is made anew in any other place.
CONFIGURED = frozenset([b"CMakeCache.txt", b"meson-private"])


# What make takes for rules, written by a compiler: without it all that depends on it is built anew.
DEPENDENCIES = (".d", ".dep")
# What ctest and meson write whenever they run tests, and where programs lie that are none of the project's.
LOGS = frozenset(["LastTest.log", "testlog.txt", "testlog.json"])
NO_PROGRAMS = frozenset(["CMakeFiles", "_deps", "meson-private"])
# What each generator writes anew when what it was made from is younger.
RULES = ("build.ninja", "Makefile")
UNBUILT = "it ran what was built before in {}, and built nothing of the sources: it has to build first"
OLD_RULES = "it built in {} by rules that were not made from the sources: let the check remove that folder and configure it"
MAGIC = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ")
TICK_NS = 20_000_000  # the kernel stamps a file with the time of its last tick
ASIDE = ".ralph-mem-aside"


def is_new_judge(path: str, since_ns: int) -> bool:
    """Say whether a file that git ignores decides what is checked, and was written since: it may say anything."""
    try:
        st = os.lstat(path)
    except OSError:
        return False
    decides = path.endswith(DEPENDENCIES) or kinds.judges(path)
    return decides and stat.S_ISREG(st.st_mode) and st.st_ctime_ns > since_ns


def not_from_the_sources(snapshots: "Snapshots", since_ns: int) -> "list[str]":
    """Return why tests that were run since then in build folders that git ignores say nothing of the sources.

    Every source has to be younger than what was built: a tool that builds then makes its rules anew, and a program.
    """
    tops = [os.fsdecode(os.path.join(snapshots.top, path)) for (path,) in snapshots.query("SELECT path FROM ignored")]
    folders = [folder for top in tops for folder, below, names in os.walk(top) if is_configured(map(os.fsencode, below + names))]
    told = [(os.path.relpath(each, os.fsdecode(snapshots.top)), _why_not(each, since_ns - TICK_NS)) for each in folders]
    return [why.format(folder) for folder, why in told if why]


def _why_not(folder: str, since_ns: int) -> str:
    is_run, programs = False, []
    for here, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each not in NO_PROGRAMS]
        for name in names:
            st = os.lstat(f"{here}/{name}")
            is_run |= name in LOGS and st.st_mtime_ns >= since_ns
            if stat.S_ISREG(st.st_mode) and st.st_mode & 0o100 and is_program(f"{here}/{name}"):
                programs.append(st.st_mtime_ns)
    if not is_run or not programs:
        return ""
    if max(programs) < since_ns:
        return UNBUILT
    rules = [os.lstat(f"{folder}/{name}").st_mtime_ns for name in RULES if os.path.lexists(f"{folder}/{name}")]
    return OLD_RULES if rules and max(rules) < since_ns else ""


def is_program(path: str) -> bool:
    """Say whether a file was compiled. Raises OSError."""
    with open(path, "rb") as file:
        return file.read(4).startswith(MAGIC)


@contextmanager
def without_new_settings(snapshots: "Snapshots", since_ns: int) -> "Iterator[None]":
    """Have files that git ignores, set how checks run and were written since be gone for a while, but for installed packages."""
    aside = [
        path for (ignored,) in snapshots.query("SELECT path FROM ignored") for path in _new_settings(snapshots, ignored, since_ns)
    ]
    for path in aside:
        os.replace(path, path + ASIDE)
    try:
        yield
    finally:
        for path in aside:
            os.replace(path + ASIDE, path)


def _new_settings(snapshots: "Snapshots", ignored: bytes, since_ns: int) -> "Iterator[str]":
    if os.fsdecode(ignored.rpartition(b"/")[2]) in kinds.INSTALLED:
        return
    top = os.fsdecode(os.path.join(snapshots.top, ignored))
    every = [top] if os.path.isfile(top) else [f"{folder}/{name}" for folder, _, names in os.walk(top) for name in names]
    for path in every:
        kind = kinds.of(path)
        sets = path.endswith(DEPENDENCIES) or bool(kind and kind.name == kinds.SETTINGS)
        if sets and is_new_judge(path, since_ns):
            yield path


def is_configured(names: "Iterable[bytes]") -> bool:
    """Say whether a folder with these names in it was configured for its place."""
    return not CONFIGURED.isdisjoint(names)


def age(path: bytes, most_ns: int, to_ns: int) -> None:
    """Give all files below a path that claim to be younger than `most_ns` the time `to_ns`: sources are younger then."""
    for folder, _, names in os.walk(path):
        for name in names:
            file = os.path.join(folder, name)
            try:
                st = os.lstat(file)
                if stat.S_ISREG(st.st_mode) and st.st_mtime_ns > most_ns:
                    os.utime(file, ns=(st.st_atime_ns, to_ns))
            except OSError:  # gone meanwhile, or somebody else's
                continue


def age_ignored(snapshots: "Snapshots", most_ns: int, to_ns: int) -> None:
    """Do the same for all that git ignores in a tree, but for what somebody else wrote and was only installed there."""
    for (path,) in snapshots.query("SELECT path FROM ignored"):
        if os.fsdecode(path.rpartition(b"/")[2]) not in kinds.INSTALLED:
            age(os.path.join(snapshots.top, path), most_ns, to_ns)


@contextmanager
def sources_younger(top: bytes, paths: "Iterable[bytes]") -> "Iterator[None]":
    """Have files of a tree be younger than all that was built from them; afterwards they have their times again."""
    before = {}
    for path in paths:
        file = os.path.join(top, path)
        try:
            st = os.lstat(file)
            if stat.S_ISREG(st.st_mode):
                os.utime(file)
                before[file] = st
        except OSError:
            continue
    try:
        yield
    finally:
        for file, st in before.items():
            _set_back(file, st)


def _set_back(file: bytes, before: os.stat_result) -> None:
    try:
        now = os.lstat(file)
        if (now.st_ino, now.st_size) == (before.st_ino, before.st_size):
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    except OSError:
        pass
