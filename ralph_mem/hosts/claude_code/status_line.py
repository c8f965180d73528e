"""Put our line into the client's status line, beside what is there, and take it away again."""

import json
import os
import shlex
from pathlib import Path
from typing import Any

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.hosts import json_text
from ralph_mem.hosts.claude_code import event

ABSENT, OURS, WRAPPED, OTHERS = "absent", "ours", "wrapped", "somebody else's"
KEY, COMMAND = "statusLine", "command"
MOST_BYTES = 4_194_304
# The plugin lies elsewhere after an update: a file says where. Nothing is printed where it is gone.
OWN = '{{ IFS= read -r r <{place} && set -- "$r/hooks/run" statusline && [ -r "$1" ] && . "$1"; }} 2>/dev/null || :'
# What was there gets what we get, and its lines come first.
BEFORE = "i=$(cat); o=$(printf '%s\\n' \"$i\" | sh -c "
BEHIND = '); [ -z "$o" ] || printf \'%s\\n\' "$o"; printf \'%s\\n\' "$i" | '


def where() -> str:
    """Return the file of the client's settings that holds for all projects."""
    return f"{event.config_folder()}/settings.json"


def state() -> str:
    """Say whose status line there is. Raises RalphMemError for settings that cannot be read."""
    return _state(_read().get(KEY))


def _state(given: object) -> str:
    if given is None:
        return ABSENT
    command = given.get(COMMAND) if isinstance(given, dict) else None
    if command == _own():
        return OURS
    return WRAPPED if isinstance(command, str) and _wrapped_in(command) is not None else OTHERS


def add(wrap: bool = False) -> None:
    """Add our line; with `wrap` what is there is run first. Raises RalphMemError where there is one that is not to be wrapped."""
    text = _text()
    values = _parsed(text)
    given = values.get(KEY)
    if _state(given) in (OURS, WRAPPED):
        return
    if given is None:
        text = json_text.cut(text, (KEY,)) if KEY in values else text
        ours = {KEY: {"type": COMMAND, COMMAND: _own()}}
        _write(json_text.put(text, (), ours) if text.strip() else json_text.made(ours), {**values, **ours})
        return
    if not isinstance(given, dict) or given.get("type") != COMMAND or not isinstance(given.get(COMMAND), str):
        raise RalphMemError(f"the status line in {where()} is no command, and was left as it is", "take it out, and try again")
    if not wrap:
        raise RalphMemError(
            "there is a status line already, and it was left as it is", "with --wrap it is run first, ours below it"
        )
    _replace(text, BEFORE + shlex.quote(given[COMMAND]) + BEHIND + _own())


def take_away() -> bool:
    """Take our line away, and leave what was there before it; says whether it was there. Raises RalphMemError."""
    text = _text()
    values = _parsed(text)
    given = values.get(KEY)
    if _state(given) == OURS:
        _write(json_text.cut(text, (KEY,)), {name: value for name, value in values.items() if name != KEY})
        return True
    if isinstance(given, dict) and _state(given) == WRAPPED:
        _replace(text, _wrapped_in(given[COMMAND]) or "")
        return True
    return False


def _own() -> str:
    return OWN.format(place=shlex.quote(f"{paths.data_home()}/{paths.PLUGIN}"))


def _wrapped_in(command: str) -> "str | None":
    """Return the command around which we put ours, None for any other."""
    if not (command.startswith(BEFORE) and command.endswith(BEHIND + _own())):
        return None
    try:
        words = shlex.split(command[len(BEFORE) : -len(BEHIND + _own())])
    except ValueError:
        return None
    return words[0] if len(words) == 1 else None


def _read() -> "dict[str, Any]":
    return _parsed(_text())


def _text() -> str:
    """Return the settings as they are written, empty where there is no file of them."""
    file = where()
    if not os.path.lexists(file):
        return ""
    try:
        return Path(file).read_bytes().decode("utf-8")
    except (OSError, ValueError) as error:
        raise _unreadable() from error


def _parsed(text: str) -> "dict[str, Any]":
    try:
        values = json.loads(text) if text or os.path.lexists(where()) else {}
    except (ValueError, RecursionError) as error:
        raise _unreadable() from error
    if not isinstance(values, dict):
        raise RalphMemError(f"{where()} holds no settings, so nothing in it was changed", "see that it is an object")
    return values


def _unreadable() -> RalphMemError:
    return RalphMemError(f"{where()} cannot be read, so nothing in it was changed", "is it yours, and plain JSON?")


def _replace(text: str, command: str) -> None:
    values = _parsed(text)
    _write(json_text.replace(text, (KEY, COMMAND), command), {**values, KEY: {**values[KEY], COMMAND: command}})


def _write(text: str, values: "dict[str, Any]") -> None:
    """Write the settings in their place, also behind a link, readable by whom they were; where none are left the file goes.

    Where the text is not what the values say, as with a key that stands there twice, nothing is written.
    """
    file = os.path.realpath(where())
    if text and _parsed(text) != values:
        raise RalphMemError(f"{where()} has a key twice, so nothing in it was changed", "take one of them out, and try again")
    try:
        if not text and not os.path.islink(where()):
            os.unlink(file)
            return
        mode = os.stat(file).st_mode & 0o777 if os.path.exists(file) else 0o600
        paths.make_folder(os.path.dirname(file))
        paths.write(file, text or "{}\n")
        os.chmod(file, mode)
    except OSError as error:
        raise RalphMemError(f"cannot write {file}: {error.strerror}", "is it yours, and the disk not full?") from error
