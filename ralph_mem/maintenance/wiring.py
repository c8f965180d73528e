"""Write our hooks into the file of another client, beside what is there, and take them away again."""

import difflib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.hosts import known
from ralph_mem.memory import extras

# Constant across releases, and without a path of this machine: the plugin lies elsewhere after an update, a file says where. It
# prints nothing where ralph-mem is absent.
OURS = 'IFS= read -r r <"${XDG_DATA_HOME:-$HOME/.local/share}/ralph-mem/plugin-folder"'
LINE = '{{ {ours} && set -- "$r/hooks/run" {event} {host} && [ -r "$1" ] && . "$1"; }} 2>/dev/null || :'
MARK = b"ralph-mem/plugin-folder"  # in each of our lines, and in what is copied
HOOKS, VERSION = "hooks", "version"
LEFT_AS_IT_IS = "it was left as it is"
MOST_BYTES = 4_194_304


class Wired:
    """The file of a host for our hooks, of a person or of a project; `before` and `after` are its bytes, None for no file.

    Raises RalphMemError for what is no file of settings, and for one of a project that lies outside of it.
    """

    def __init__(self, host: str, project: str = "") -> None:
        self.host = host
        self.setup = setup_of(host)
        self.path = f"{project}/{self.setup.IN_PROJECT}" if project else f"{folder_of(self.setup)}/{self.setup.FILE}"
        if project and not Path(self.path).resolve().is_relative_to(Path(project).resolve()):
            raise RalphMemError(f"{self.path} is a link that leads out of the project", "take it away, or leave out --project")
        self.before = _bytes(self.path)
        self.after = self.before

    def is_there(self) -> bool:
        """Say whether our hooks stand in it."""
        return _holds_ours(self.before)

    def add(self) -> None:
        """Put our hooks in. Raises RalphMemError for a file that cannot be understood."""
        self.after = _copied(self.setup, self.before) if hasattr(self.setup, "COPIED") else self._merged()

    def remove(self) -> None:
        """Take our hooks out: all is as it was, byte for byte, where nothing else has changed. Raises RalphMemError."""
        kept = _kept(self.path)
        if kept and self.before is not None and kept["after"] == _digest(self.before):
            self.after = bytes.fromhex(kept["before"]) if kept["before"] is not None else None
        elif hasattr(self.setup, "COPIED"):
            self.after = None if self.is_there() else self.before
        elif self.is_there():
            self.after = self._without()

    def changes(self) -> list[str]:
        """Return the difference, in lines of a unified diff; none where nothing would change."""
        old, new = [(each or b"").decode("utf-8", "replace").splitlines() for each in (self.before, self.after)]
        return list(difflib.unified_diff(old, new, self.path, self.path, lineterm="")) if self.before != self.after else []

    def write(self) -> None:
        """Write what was prepared, and keep beside our data what an undo needs. Raises RalphMemError."""
        if self.before == self.after:
            return
        if _bytes(self.path) != self.before:
            raise RalphMemError(f"{self.path} was changed meanwhile, and nothing was written", "try again")
        try:
            self._write()
        except OSError as error:
            raise RalphMemError(f"cannot write {self.path}: {error.strerror}", "is it yours, and the disk not full?") from error

    def _write(self) -> None:
        if self.after is not None and MARK in self.after:
            _keep(self.path, self.before, self.after)
        self._put()
        if not _holds_ours(self.after):  # only now: what could not be given back is needed another time
            paths.remove(_note(self.path))

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
        if self.setup.VERSION and VERSION not in values:
            values = {VERSION: self.setup.VERSION, **values}
        hooks = values.setdefault(HOOKS, {})
        for event, ours, seconds in self.setup.EVENTS:
            rows = hooks.setdefault(event, [])
            entry = self._entry(LINE.format(ours=OURS, event=ours, host=self.host), seconds)
            if not isinstance(rows, list):
                raise RalphMemError(f"the hooks in {self.path} are no lists, so nothing was changed", LEFT_AS_IT_IS)
            if [row for row in rows if self._is_ours(row)] != [entry]:  # an older form of ours goes
                hooks[event] = [*self._theirs(rows), entry]
        return _text(values, self.before)

    def _without(self) -> "bytes | None":
        values = _parsed(self.path, self.before, self.setup.VERSION)
        hooks = values[HOOKS]
        for event, *_ in self.setup.EVENTS:
            rows = hooks.get(event)
            if isinstance(rows, list) and any(self._is_ours(row) for row in rows):
                hooks[event] = self._theirs(rows)
                if not hooks[event]:
                    del hooks[event]
        if not hooks:
            del values[HOOKS]
        if self.setup.VERSION and set(values) <= {VERSION}:  # a file of our own
            return None
        return _text(values, self.before)

    def _theirs(self, rows: list[Any]) -> list[Any]:
        """Return the entries of others, also where one of ours was put among theirs."""
        kept = [row for row in rows if not self._is_ours(row)]
        for number, row in enumerate(rows):
            inner = row.get(HOOKS) if isinstance(row, dict) else None
            if self._is_ours(row) and isinstance(inner, list) and len(inner) > 1:
                kept.insert(number, {**row, HOOKS: [each for each in inner if not self._is_ours(each)]})
        return kept

    def _is_ours(self, row: object) -> bool:
        if not isinstance(row, dict):
            return False
        inner = row.get(HOOKS)
        command = row.get(self.setup.COMMAND)
        return any(map(self._is_ours, inner)) if isinstance(inner, list) else isinstance(command, str) and OURS in command

    def _entry(self, line: str, seconds: int) -> dict[str, Any]:
        told = {"type": "command", self.setup.COMMAND: line, self.setup.TIMEOUT: seconds * self.setup.PER_SECOND}
        told |= {"name": self.setup.NAMED} if hasattr(self.setup, "NAMED") else {}
        return {HOOKS: [told]} if self.setup.GROUPED else told


def setup_of(host: str) -> ModuleType:
    """Return what is known of a host's files. Raises RalphMemError for one that is not known."""
    if host not in known.OTHERS:
        raise RalphMemError(f"no host is called {host[:40]}", f"there are {', '.join(known.OTHERS)}")
    return known.setup_of(host)


def folder_of(setup: ModuleType) -> str:
    """Return the folder of a host's own files."""
    named = paths.environment(setup.FOLDER_NAMED_BY) if setup.FOLDER_NAMED_BY else ""
    return named or f"{paths.environment('HOME') or '/nowhere'}/{setup.FOLDER}"


def _bytes(path: str) -> "bytes | None":
    if not os.path.lexists(path):
        return None
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > MOST_BYTES:
            raise RalphMemError(f"{path} is no file of settings, so nothing was changed", "see what it is")
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
        raise RalphMemError(f"{path} is no plain JSON ({error}), so nothing was changed", "see what is wrong with it") from error
    if not isinstance(values, dict) or not isinstance(values.get(HOOKS, {}), dict):
        raise RalphMemError(f"{path} holds no settings, so nothing was changed", "see what is wrong with it")
    version = values.get(VERSION, newest)
    if newest and (not isinstance(version, int) or version > newest):
        raise RalphMemError(f"{path} has a newer format than this release knows, so nothing was changed", "update ralph-mem")
    return values


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _text(values: dict[str, Any], before: "bytes | None") -> bytes:
    """Write settings as they were written: with their indent, their characters, and their end."""
    old = (before or b"{\n  \n}\n").decode("utf-8")
    second = old.split("\n")[1] if "\n" in old.strip() else ""
    blank = second[: len(second) - len(second.lstrip())]
    indent = blank or (None if before and "\n" not in old.strip() else 2)
    text = json.dumps(values, indent=indent, ensure_ascii=old.isascii() and before is not None)
    return (text + ("\n" if old.endswith("\n") else "")).encode("utf-8", "surrogatepass")


def need_plugin() -> None:
    """Raise RalphMemError where the files that hooks start do not lie beside this one, as in an installed package."""
    if not paths.exists(f"{extras.LIES_IN}/hooks/run"):
        raise RalphMemError("only the plugin can do that", "type it where the plugin's folder lies")


def _copied(setup: ModuleType, before: "bytes | None") -> bytes:
    ours = Path(extras.LIES_IN, setup.COPIED)
    if before is not None and not _holds_ours(before):
        raise RalphMemError("a file of that name is there, which is not ours", LEFT_AS_IT_IS)
    try:
        return ours.read_bytes()
    except OSError as error:
        raise RalphMemError("only the plugin can do that", "type it where the plugin's folder lies") from error


# What an undo needs


def _holds_ours(data: "bytes | None") -> bool:
    return data is not None and MARK in data


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def written() -> list[str]:
    """Return the files, also of projects, in which our hooks stand because a person had them written here."""
    folder = f"{paths.data_home()}/{paths.WIRED}"
    kept = [_read(f"{folder}/{name}") for name in paths.names(folder)]
    return [note["path"] for note in kept if note and MARK in paths.read(note["path"], MOST_BYTES).encode()]


def _note(path: str) -> str:
    return f"{paths.data_home()}/{paths.WIRED}/{paths.key_of(path)}.json"


def _kept(path: str) -> "dict[str, Any] | None":
    return _read(_note(path))


def _read(note: str) -> "dict[str, Any] | None":
    try:
        found = json.loads(Path(note).read_text(encoding="utf-8"))
        return found if isinstance(found, dict) and {"path", "before", "after"} <= set(found) else None
    except (OSError, ValueError):
        return None


def _keep(path: str, before: "bytes | None", after: bytes) -> None:
    """Keep a copy of a file as it was before our first change; none where somebody has changed it since."""
    note = _note(path)
    first = _kept(path)
    if first and before is not None and first["after"] == _digest(before):
        before = bytes.fromhex(first["before"]) if first["before"] is not None else None
    if _holds_ours(before):
        paths.remove(note)
        return
    paths.make_folder(os.path.dirname(note))
    paths.write(note, json.dumps({"path": path, "before": None if before is None else before.hex(), "after": _digest(after)}))
