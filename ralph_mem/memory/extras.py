"""Name the package that is missing, and the command that installs it from where this plugin lies. No index has one of ours."""

import os
import re
import shlex
import shutil
import sys

from ralph_mem.core import paths, places
from ralph_mem.core.errors import RalphMemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LIES_IN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = re.compile(r"\bralph-mem (?=[a-z])")
# What the command of `/mem setup shim` does and `/mem` does not.
BY_SHIM = re.compile(r"\bralph-mem config set ")
# What `/mem` does as well, where it is named alone; `interfaces/verbs.py` has them all.
BY_MEM = (
    *("config", "doctor", "facts", "import", "inject", "pause", "relations", "resume", "sessions", "setup", "status", "trust"),
    "why",
)
# And with the words that it takes as the terminal does.
WITH_WORDS = ("config show", "facts (?:add|retire|show|undo)", "inject", "pin", "sessions", "show")
IN_THE_CLIENT = re.compile("`ralph-mem " + f"((?:{'|'.join(BY_MEM)})(?=`)|(?:{'|'.join(WITH_WORDS)})(?: [^`]+)?(?=`))")
OF_THE_LOOP = re.compile(r"\bralph-mem ralph\b")
SHIM = "# Written by /mem setup; "  # how the second line of the command of `setup shim` begins in every release


class MissingExtra(RalphMemError):
    """A package that only an extra of ralph-mem brings."""


def installation(extra: str = "", python: str = "") -> str:
    """Return the command that installs `ralph-mem`, or one of its extras, for an interpreter, quoted for a shell.

    Where ralph-mem itself was installed as a package, and no longer lies where it came from, it names the extra's packages. An
    interpreter that belongs to the system, and refuses packages, is left alone: pipx makes one for `ralph-mem`, once the command of
    `setup shim` is out of its way.
    """
    if not python and _is_managed() and os.path.exists(os.path.join(LIES_IN, "pyproject.toml")):
        return _without_shim() + "pipx install " + shlex.quote(LIES_IN + (f"[{extra}]" if extra else ""))
    start = f"{shlex.quote(python or _interpreter())} -m pip install "
    if not os.path.exists(os.path.join(LIES_IN, "pyproject.toml")):
        return start + " ".join([shlex.quote(name) for name in packages(extra) or [LIES_IN]])
    return start + shlex.quote(LIES_IN + (f"[{extra}]" if extra else ""))


def missing(names: "tuple[str, ...]") -> "list[str]":
    """Return those of some packages that this interpreter has not."""
    from importlib.util import find_spec  # lazy: brings more than most lines about an extra need

    return [name for name in names if find_spec(name) is None]


def packages(extra: str) -> "list[str]":
    """Return the packages that an extra brings, as the installed package declares them."""
    from importlib import metadata  # lazy: its metadata brings `email`, and most people have the folder of the plugin

    try:
        declared = metadata.requires("ralph-mem") or []
    except metadata.PackageNotFoundError:
        return []
    parted = [line.partition(";") for line in declared]
    return [name.strip() for name, _, mark in parted if re.search(rf"""extra == ["']{re.escape(extra)}["']""", mark)]


def plugin_folder() -> str:
    """Return the folder of the plugin: that of this file, else the one that is kept, else what the package was installed from.

    It is empty where none of them has the hooks.
    """
    return next((each for each in _plugin_folders() if each[:1] == "/" and paths.exists(f"{each}/hooks/run")), "")


def _plugin_folders() -> "Iterator[str]":
    yield LIES_IN
    yield paths.read(f"{paths.data_home()}/{paths.PLUGIN}").rstrip("\n")
    yield _origin()


def _origin() -> str:
    """Return the folder from which pip says that it installed the package, empty for none."""
    import json  # lazy: only where a package is installed, which no hook is
    from importlib import metadata  # lazy: likewise
    from urllib import parse  # lazy: likewise

    try:
        said = json.loads(metadata.distribution("ralph-mem").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    return parse.unquote(said.get("url", "").removeprefix("file://"))


def in_a_session(line: str) -> str:
    """Return a line of ours for somebody in a session of the client, where the terminal's command may not be installed.

    What a slash command does is named by that; for all else it says how `ralph-mem` comes onto the machine.
    """
    told = line if "in a terminal" in line else OF_THE_LOOP.sub("/ralph", IN_THE_CLIENT.sub(r"`/mem \1", line))
    if not COMMAND.search(told) or shutil.which("ralph-mem"):
        return told
    needs_more = COMMAND.search(BY_SHIM.sub("", told)) or not is_on_path(f"{paths.environment('HOME')}/{places.COMMAND}")
    way = installation() if needs_more else "/mem setup shim"
    return f"{told} (for `ralph-mem` in a terminal: {way})"


def _without_shim() -> str:
    command = f"{paths.environment('HOME')}/{places.COMMAND}"
    return f"{shlex.quote(command)} setup shim --off && " if is_shim(command) else ""


def is_shim(command: str) -> bool:
    """Say whether a file is a command that `setup shim` of any release wrote."""
    return not os.path.islink(command) and paths.read(command).partition("\n")[2].startswith(SHIM)


def is_on_path(command: str) -> bool:
    """Say whether a shell would look for a command where it lies, or is to lie."""
    return os.path.dirname(command) in paths.environment("PATH").split(":")


def _is_managed() -> bool:
    """Say whether the interpreter refuses packages, as that of Debian does outside of a virtual environment."""
    is_virtual = os.path.exists(os.path.join(os.path.dirname(os.path.dirname(sys.executable)), "pyvenv.cfg"))
    return not is_virtual and os.path.exists(os.path.join(os.path.dirname(os.__file__), "EXTERNALLY-MANAGED"))


def _interpreter() -> str:
    """Return how a terminal starts the interpreter that runs now."""
    there = shutil.which("python3") or ""
    return "python3" if os.path.dirname(there) == os.path.dirname(sys.executable) else sys.executable or "python3"
