"""Put the agent and the checks of a loop behind walls, by bubblewrap where it is there.

Behind them all is as it was and nothing can be written but the room, a folder for temporary files, and for the agent its own
settings and the person's memory.
"""

import os
import shutil
import tempfile
from contextlib import contextmanager

from ralph_mem.core import paths, process
from ralph_mem.core.errors import LoopError
from ralph_mem.hosts.claude_code import event, launch
from ralph_mem.ralph.room.dependencies import KEPT_BY_TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph_mem.ralph.loop import Loop

ON, NO_NETWORK = "on", "no-network"
PROGRAM = "bwrap"
HINT = "install bubblewrap, or leave out --sandbox: then nothing holds an agent that writes to other folders on purpose"
TRIES_S = 10.0
# Where agents keep their settings and sessions, below the home; of those that are not there only claude's is made.
OF_AGENTS = (
    *launch.SETTINGS,
    ".codex",
    ".copilot",
    ".gemini",
    ".qwen",
    ".config/opencode",
    ".local/share/opencode",
    ".local/state/opencode",
)
# What hooks write in the data home. Snapshots, records and what a person approved are not among it.
OF_HOOKS = (paths.SPOOL, paths.SETTINGS, paths.TROUBLE, paths.NEWS)
OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))  # hooks run from there
TEMPORARY = "/tmp"  # noqa: S108 - what programs write to without asking
# Beside TMPDIR they name a folder for temporary files, which would be out of reach. They get one in which nothing else is: among
# the private files lie the places of what can still be seen below /tmp.
TEMPORARY_TOO, OWN = ("TEMP", "TMP", "PYTEST_DEBUG_TEMPROOT"), "own"


def check(sandbox: str, here: bool) -> None:
    """Raise LoopError where walls are wanted and cannot be had."""
    if not sandbox:
        return
    if here:
        raise LoopError("--sandbox is for a loop in a room", "leave out --here and --no-snapshot, or --sandbox")
    why = why_not()
    if why:
        raise LoopError(f"--sandbox cannot be had: {why}", HINT)


def why_not() -> str:
    """Say why there can be no walls here, nothing where there can."""
    program = shutil.which(PROGRAM)
    if not program:
        return "there is no bwrap (bubblewrap) on PATH"
    tried = process.run([program, "--ro-bind", "/", "/", "true"], "/", dict(os.environ), TRIES_S)
    return "" if tried.code == 0 else f"bwrap says: {tried.err.decode('utf-8', 'replace').strip()[:200] or 'nothing'}"


@contextmanager
def around(loop: "Loop", is_agent: bool, folder: str = "") -> "Iterator[None]":
    """Have all that is started within this work behind the walls that the run wants, if it wants any.

    `folder` is another one that it may write to, such as a copy of the room.
    """
    sandbox = loop.option("sandbox")
    if not sandbox or not loop.run.room:
        with process.behind(_with_links_held(loop)):
            yield
        return
    private = os.path.join(os.path.dirname(loop.run.room), "tmp")
    paths.make_folder(private)
    paths.make_folder(f"{private}/{OWN}")
    before, tempfile.tempdir = tempfile.tempdir, private  # reports and prompts have to be seen on both sides
    try:
        with process.behind(_order(loop, private, is_agent, sandbox == NO_NETWORK, folder)):
            yield
    finally:
        tempfile.tempdir = before


def holds_links(loop: "Loop") -> bool:
    """Say whether nothing can be written to what the room has as links to the person's files."""
    return bool(loop.option("sandbox")) or not why_not()


def _with_links_held(loop: "Loop") -> "list[str]":
    """Return what is put in front of a command so that what is linked is read-only to it, nothing where nothing is or can be.

    Caches in it can be written to, and are nobody's afterwards: tools keep one wherever they read.
    """
    places = [f"{loop.project.top}/{name}" for name in loop.run.linked if loop.run.room]
    order = [PROGRAM, "--die-with-parent", "--dev-bind", "/", "/"]
    for path in filter(os.path.lexists, places):
        order += ["--ro-bind", path, path]
        for name in paths.names(path):
            order += ["--tmpfs", f"{path}/{name}"] if name in KEPT_BY_TOOLS and os.path.isdir(f"{path}/{name}") else []
    return [*order, "--"] if places and not why_not() else []


def _order(loop: "Loop", private: str, is_agent: bool, without_network: bool, folder: str) -> "list[str]":
    """Return what is put in front of a command."""
    order = [PROGRAM, "--die-with-parent", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--tmpfs", "/dev/shm"]  # noqa: S108
    order += ["--bind", private, TEMPORARY]
    for path in _seen_in_temporary(loop):
        order += ["--ro-bind", path, path]
    writable = [private, loop.run.room, folder, *(_of_agent(loop) if is_agent else [])]
    for path in filter(None, dict.fromkeys(writable)):
        order += ["--bind", path, path]
    needs_network = is_agent and not loop.option("agent")  # claude is nothing without it
    order += ["--unshare-net"] if without_network and not needs_network else []
    for name in [name for name in TEMPORARY_TOO if name in os.environ]:
        order += ["--setenv", name, f"{private}/{OWN}"]
    return [*order, "--setenv", "TMPDIR", private, "--"]


def _seen_in_temporary(loop: "Loop") -> "list[str]":
    """Return what lies among the temporary files, which the private ones hide, and is needed all the same."""
    words = [word for check in loop.criteria() for word in check.argv] + list(loop.option("agent") or [])
    homes = [os.environ.get(name, "") for name in ("HOME", "VIRTUAL_ENV")]
    homes += [os.path.dirname(launch.find(os.environ)), OURS]
    wanted = [loop.project.top, *homes, *os.environ.get("PATH", "").split(os.pathsep), *map(os.path.dirname, words)]
    found = [path for path in wanted if path.startswith(TEMPORARY + "/") and os.path.isdir(path)]
    return sorted(dict.fromkeys(found))


def _of_agent(loop: "Loop") -> "list[str]":
    home, data = paths.environment("HOME"), paths.data_home()
    if not loop.option("agent"):
        paths.make_folder(f"{home}/{launch.SETTINGS[0]}")  # claude runs no hooks where it cannot write its sessions
    wanted = [f"{home}/{name}" for name in OF_AGENTS] + [f"{data}/{name}" for name in OF_HOOKS]
    wanted += [os.environ.get(event.CONFIG_FOLDER, ""), loop.project.folder]
    return [path for path in wanted if path and os.path.exists(path)]
