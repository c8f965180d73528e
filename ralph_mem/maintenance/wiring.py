"""Write our hooks into the file of another client, beside what is there, and take them away again."""

import difflib
import glob
import json
import os
import shlex
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.hosts import json_text, known
from ralph_mem.memory import extras

# Constant across releases, and without a path of this machine: the plugin lies elsewhere after an update, a file says where. It
# prints nothing where ralph-mem is absent.
OURS = 'IFS= read -r r <"${XDG_DATA_HOME:-$HOME/.local/share}/ralph-mem/plugin-folder"'
LINE = '{{ {ours} && set -- "$r/hooks/run" {event} {host} && [ -r "$1" ] && . "$1"; }} 2>/dev/null || :'
MARK = b"ralph-mem/plugin-folder"  # in each of our lines, and in what is copied
HOOKS, VERSION = "hooks", "version"
BY_HAND = f"take out by hand each entry that names {MARK.decode()}"
NOT_PLAIN = "a comment, or a comma too many? without it this can be done"
MOST_BYTES = 4_194_304


class Wired:
    """The file of a host for our hooks, of a person or of a project; `before` and `after` are its bytes, None for no file.

    Raises RalphMemError for what is no file of settings, and for one of a project that lies outside of it.
    """

    def __init__(self, host: str, project: str = "") -> None:
        self.host = host
        self.setup = setup_of(host)
        self.path = f"{project}/{self.setup.IN_PROJECT}" if project else f"{known.folder_of(self.setup)}/{self.setup.FILE}"
        if project and not Path(self.path).resolve().is_relative_to(Path(project).resolve()):
            raise RalphMemError(f"{self.path} is a link that leads out of the project", "take it away, or leave out --project")
        self.before = _bytes(self.path)
        self.after = self.before

    def is_there(self) -> bool:
        """Say whether our hooks stand in it."""
        return _holds_ours(self.before)

    def add(self) -> None:
        """Put our hooks in. Raises RalphMemError for a file that cannot be understood."""
        self.after = _copied(self.setup, self.path, self.before) if hasattr(self.setup, "COPIED") else self._merged()

    def remove(self) -> None:
        """Take our hooks out: all is as it was, byte for byte, where nothing else has changed. Raises RalphMemError."""
        if not self.is_there():
            return
        try:
            self.after = None if hasattr(self.setup, "COPIED") else self._without()
        except RalphMemError as error:
            raise RalphMemError(str(error), BY_HAND) from error

    def take_away(self) -> None:
        """Take our hooks out of the file at once. Raises RalphMemError."""
        self.remove()
        self.write()

    def changes(self) -> list[str]:
        """Return the difference, in lines of a unified diff; none where nothing would change."""
        old, new = [(each or b"").decode("utf-8", "replace").splitlines() for each in (self.before, self.after)]
        return list(difflib.unified_diff(old, new, self.path, self.path, lineterm="")) if self.before != self.after else []

    def write(self) -> None:
        """Write what was prepared, and keep beside our data which file it was. Raises RalphMemError."""
        if self.before == self.after:
            return
        if _bytes(self.path) != self.before:
            raise RalphMemError(f"{self.path} was changed meanwhile, and nothing was written", "try again")
        try:
            self._write()
        except OSError as error:
            raise RalphMemError(f"cannot write {self.path}: {error.strerror}", "is it yours, and the disk not full?") from error

    def _write(self) -> None:
        if _holds_ours(self.after):
            _keep(self.path)
        self._put()
        if not _holds_ours(self.after):
            _tidy(self.path)

    def _put(self) -> None:
        file = os.path.realpath(self.path)
        if self.after is None:
            os.unlink(self.path)
            return
        mode = os.stat(file).st_mode & 0o777 if os.path.exists(file) else 0o644
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        opened, beside = tempfile.mkstemp(dir=Path(file).parent)  # a name that nobody can have put there before
        try:
            with os.fdopen(opened, "wb") as draft:
                draft.write(self.after)
            os.chmod(beside, mode)
            os.replace(beside, file)
        except OSError:
            paths.remove(beside)
            raise

    def _merged(self) -> bytes:
        values = _parsed(self.path, self.before, self.setup.VERSION)
        entries = {event: self._entry(ours, seconds) for event, ours, seconds in self.setup.EVENTS}
        ours = {event: [row for row in self._rows(values, event) if self._is_ours(row)] for event in entries}
        wanted = {event: [entry] for event, entry in entries.items() if ours[event] != [entry]}
        text = self._cut(values, list(wanted))  # an older form of ours goes
        version = {VERSION: self.setup.VERSION} if self.setup.VERSION and VERSION not in values else {}
        if not text.strip():
            return json_text.made({**version, HOOKS: wanted}).encode()
        text = json_text.put(text, (), version) if version else text
        return self._put_in(text, wanted).encode()

    @staticmethod
    def _put_in(text: str, wanted: dict[str, Any]) -> str:
        hooks = json.loads(text).get(HOOKS)
        if hooks is None:
            return json_text.put(text, (), {HOOKS: wanted})
        for event in [each for each in wanted if each in hooks]:
            text = json_text.put(text, (HOOKS, event), wanted[event])
        absent = {event: entry for event, entry in wanted.items() if event not in hooks}
        return json_text.put(text, (HOOKS,), absent) if absent else text

    def _rows(self, values: dict[str, Any], event: str) -> list[Any]:
        rows = values.get(HOOKS, {}).get(event, [])
        if not isinstance(rows, list):
            seen = f"the hooks of {event} in {self.path} are no list, so nothing was changed"
            raise RalphMemError(seen, "mend them there, or take them out")
        return rows

    def _without(self) -> "bytes | None":
        values = _parsed(self.path, self.before, self.setup.VERSION)
        text = self._cut(values, [event for event, *_ in self.setup.EVENTS if isinstance(values.get(HOOKS, {}).get(event), list)])
        if self.setup.VERSION and text and set(json.loads(text)) <= {VERSION}:  # a file of our own
            text = ""
        return (text or ("{}\n" if os.path.islink(self.path) else "")).encode() or None

    def _cut(self, values: dict[str, Any], events: list[str]) -> str:
        """Return the text of the file without what is ours of these events, also where one of ours was put among theirs."""
        text = (self.before or b"").decode("utf-8")
        for event in events:
            for number, row in reversed(list(enumerate(self._rows(values, event)))):
                for way in self._ways_to_ours(row):
                    text = json_text.cut(text, (HOOKS, event, number, *way))
        return text

    def _ways_to_ours(self, row: Any) -> list[tuple[Any, ...]]:
        if not self._is_ours(row):
            return []
        inner = row.get(HOOKS)
        if not isinstance(inner, list) or all(map(self._is_ours, inner)):
            return [()]
        return [(HOOKS, number) for number, each in reversed(list(enumerate(inner))) if self._is_ours(each)]

    def _is_ours(self, row: object) -> bool:
        if not isinstance(row, dict):
            return False
        inner = row.get(HOOKS)
        command = row.get(self.setup.COMMAND)
        return any(map(self._is_ours, inner)) if isinstance(inner, list) else isinstance(command, str) and OURS in command

    def _entry(self, event: str, seconds: int) -> dict[str, Any]:
        line = LINE.format(ours=OURS, event=event, host=self.host)
        told = {"type": "command", self.setup.COMMAND: line, self.setup.TIMEOUT: seconds * self.setup.PER_SECOND}
        told |= {"name": self.setup.NAMED} if hasattr(self.setup, "NAMED") else {}
        return {HOOKS: [told]} if self.setup.GROUPED else told


def setup_of(host: str) -> ModuleType:
    """Return what is known of a host's files. Raises RalphMemError for one that is not known."""
    if host not in known.OTHERS:
        raise RalphMemError(f"no host is called {host[:40]}", f"there are {', '.join(known.OTHERS)}")
    return known.setup_of(host)


def plugin_of(setup: ModuleType) -> str:
    """Return the folder of our plugin that a host has itself installed, empty for none."""
    pattern = f"{glob.escape(known.folder_of(setup))}/{setup.PLUGIN_IN}" if hasattr(setup, "PLUGIN_IN") else ""
    return min(glob.glob(pattern), default="")


def _bytes(path: str) -> "bytes | None":
    if not os.path.lexists(path):
        return None
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > MOST_BYTES:
            raise RalphMemError(f"{path} is no file of settings", "move away what lies there, and try again")
        return Path(path).read_bytes()
    except OSError as error:
        raise RalphMemError(f"{path} cannot be read: {error.strerror}", "is it yours?") from error


def _parsed(path: str, data: "bytes | None", newest: int) -> dict[str, Any]:
    """Return the settings in a file. Raises RalphMemError for what would not be written back as it is."""
    if data is None or not data.strip():
        return {}
    try:
        values = json.loads(data.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise RalphMemError(f"{path} is no plain JSON ({error}), so nothing was changed", NOT_PLAIN) from error
    if not isinstance(values, dict) or not isinstance(values.get(HOOKS, {}), dict):
        raise RalphMemError(f"{path} holds no settings, so nothing was changed", "see that it and its hooks are objects")
    version = values.get(VERSION, newest)
    if newest and (not isinstance(version, int) or version > newest):
        raise RalphMemError(f"{path} has a newer format than this release knows, so nothing was changed", "update ralph-mem")
    return values


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def plugin() -> str:
    """Return the folder of the plugin, where the hooks lie. Raises RalphMemError where it is not known, as for a package alone."""
    folder = extras.plugin_folder()
    if not folder:
        command = f"{shlex.quote(sys.executable)} -m ralph_mem.interfaces.cli"
        hint = f"in a clone of the repository, which stays, type the same with `{command}` in place of `ralph-mem`"
        raise RalphMemError("it is not known where the folder of the plugin lies, which has the hooks", hint)
    return folder


def _copied(setup: ModuleType, path: str, before: "bytes | None") -> bytes:
    ours = Path(plugin(), setup.COPIED)
    if before is not None and not _holds_ours(before):
        raise RalphMemError(f"{path} is not ours, and was left as it is", "give it another name, and try again")
    try:
        return ours.read_bytes()
    except OSError as error:
        raise RalphMemError(f"cannot read {ours}: {error.strerror}", "update the plugin, or install it again") from error


# Where our hooks are


def _holds_ours(data: "bytes | None") -> bool:
    return data is not None and MARK in data


def written() -> list[str]:
    """Return the files, also of projects, in which our hooks stand because a person had them written here."""
    folder = f"{paths.data_home()}/{paths.WIRED}"
    kept = [_read(f"{folder}/{name}") for name in paths.names(folder)]
    return [note["path"] for note in kept if note and MARK in paths.read(note["path"], MOST_BYTES).encode()]


def _note(path: str) -> str:
    return f"{paths.data_home()}/{paths.WIRED}/{paths.key_of(path)}.json"


def _read(note: str) -> "dict[str, Any] | None":
    try:
        found = json.loads(Path(note).read_text(encoding="utf-8"))
        return found if isinstance(found, dict) and isinstance(found.get("path"), str) else None
    except (OSError, ValueError):
        return None


def _keep(path: str) -> None:
    """Keep that our hooks are in a file, and the outermost folder that is made for it; nothing of what else is in it."""
    kept, folder = _read(_note(path)) or {"made": ""}, os.path.dirname(path)
    made = kept.get("made", "")
    while folder and not os.path.lexists(folder):
        made, folder = folder, os.path.dirname(folder)
    paths.make_folder(os.path.dirname(_note(path)))
    paths.write(_note(path), json.dumps({"path": path, "made": made}))


def _tidy(path: str) -> None:
    """Forget a file, and remove the folders that were made for it and hold nothing."""
    made, folder = (_read(_note(path)) or {}).get("made"), os.path.dirname(path)
    paths.remove(_note(path))
    while isinstance(made, str) and made and f"{folder}/".startswith(f"{made}/"):
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)
