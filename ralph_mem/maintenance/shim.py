"""Put the command `ralph-mem` into a folder on the person's PATH at their word, and take it away again."""

import os
import shlex
import shutil
from pathlib import Path

from ralph_mem.core import paths, places
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory import extras

ABSENT, OURS, OTHERS, NOT_ON_PATH = "absent", "ours", "somebody else's", "not on PATH"
MARK = extras.SHIM + "`ralph-mem setup shim --off` takes it away, while the plugin is there."
TEXT = """\
#!/bin/sh
{mark}
IFS= read -r plugin <{place} && [ -r "$plugin/ralph_mem/interfaces/terminal.py" ] || {{
    echo "ralph-mem: the plugin is gone; remove $0, or install it again and type /mem setup shim" >&2
    exit 1
}}
exec python3 "$plugin/ralph_mem/interfaces/terminal.py" "$@"
"""


def where() -> str:
    """Return the path of the command."""
    return f"{paths.environment('HOME')}/{places.COMMAND}"


def state() -> str:
    """Say whose command there is, or that its folder is not on PATH."""
    file = where()
    if not os.path.lexists(file):
        return ABSENT if extras.is_on_path(file) else NOT_ON_PATH
    return OURS if extras.is_shim(file) else OTHERS


def elsewhere() -> str:
    """Return another command of that name on PATH, empty for none."""
    found = shutil.which("ralph-mem", path=paths.environment("PATH")) or ""
    return "" if found == where() else found


def add(wrap: bool = False) -> None:  # noqa: ARG001 - as for the status line: nothing is ever put around a command
    """Write the command. Raises RalphMemError where another one lies there, or where it would not be found."""
    there = state()
    if there == OURS:
        return
    if there == OTHERS:
        raise RalphMemError(f"{where()} is not ours, and was left as it is", "move it, and type /mem setup shim again")
    if there == NOT_ON_PATH:
        raise RalphMemError(f"{os.path.dirname(where())} is not on your PATH, so nothing was written", "put it there first")
    try:
        _write()
    except OSError as error:
        raise RalphMemError(f"cannot write {where()}: {error.strerror}", "is the folder yours, and the disk not full?") from error


def _write() -> None:
    Path(where()).parent.mkdir(parents=True, exist_ok=True)
    text = TEXT.format(mark=MARK, place=shlex.quote(f"{paths.data_home()}/{paths.PLUGIN}"))
    file = os.open(where(), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o755)
    with os.fdopen(file, "w") as opened:
        opened.write(text)
        os.fchmod(file, 0o755)


def take_away() -> bool:
    """Remove the command where it is ours; says whether it was."""
    if state() != OURS:
        return False
    paths.remove(where())
    return True
