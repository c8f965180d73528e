"""Show and do what `setup` offers outside of our own folders, each only at a person's word."""

import os
from types import ModuleType

from ralph_mem.core import paths, places
from ralph_mem.core.errors import RalphMemError
from ralph_mem.hosts import known
from ralph_mem.hosts.claude_code import status_line
from ralph_mem.maintenance import shim, wiring
from ralph_mem.memory import extras, opening

# By the word that a person types.
OFFERED: "dict[str, ModuleType]" = {"status-line": status_line, "shim": shim}
PLACES = dict(zip(OFFERED, places.OUTSIDE))
SHOWS = "how much is remembered, what was told, how a loop stands"


def lines(before: str) -> "list[str]":
    """Return what is there and what could be, each with what to type for it; nothing is changed. `before` stands before `setup`."""
    return [f"status line: {_of_status_line(before + 'setup status-line')}", f"ralph-mem: {_of_shim(before + 'setup shim')}"]


def _of_status_line(command: str) -> str:
    there, file = status_line.state(), status_line.where()
    if there in (status_line.OURS, status_line.WRAPPED):
        beside = ", below your own" if there == status_line.WRAPPED else ""
        return f"there{beside}, in {file}; {command} --off takes it away"
    if there == status_line.OTHERS:
        return f"{file} has one, which stays; {command} --wrap runs it first and shows ours below it: {SHOWS}"
    return f"none; {command} writes one into {file}: {SHOWS}"


def _of_shim(command: str) -> str:
    there, file = shim.state(), shim.where()
    if there == shim.OURS:
        return f"there, {file}; {command} --off takes it away"
    if there == shim.OTHERS or shim.elsewhere():
        return f"there already, {file if there == shim.OTHERS else shim.elsewhere()}, not by this"
    if there == shim.NOT_ON_PATH:
        return f"not offered: {os.path.dirname(file)} is not on your PATH"
    return f"not in your terminal; {command} writes {file}, which starts the plugin where it lies"


def add(word: str, before: str, wrap: bool = False) -> str:
    """Do one of them; returns what was done. `before` stands before `setup` where it is typed. Raises RalphMemError."""
    thing = _meant(word)
    opening.remember_plugin(wiring.plugin())
    thing.add(wrap)
    return f"Written: {thing.where()}. {before}setup {word} --off takes it away."


def take_away(word: str) -> str:
    """Undo one of them; returns what was done. Raises RalphMemError."""
    thing = _meant(word)
    return f"Taken away from {thing.where()}." if thing.take_away() else f"Nothing of ours was in {thing.where()}."


def _meant(word: str) -> ModuleType:
    if not word:
        raise RalphMemError("--off and --wrap are about one thing, and none is named", f"name it: {' or '.join(OFFERED)}")
    if word not in OFFERED:
        raise RalphMemError(f"setup knows no {word[:40]}", f"it knows {' and '.join(OFFERED)}")
    return OFFERED[word]


def there() -> "dict[str, str]":
    """Return by its path what is there of ours, and what it is."""
    found = {OFFERED[word].where(): PLACES[word].meaning for word in _set_up()}
    return found | {wired.path: f"our hooks in {wired.setup.TITLE}" for wired in _wired()}


def _set_up() -> "list[str]":
    """Return the words of what is there of ours; settings that cannot be read hold nothing that we could take."""
    found = []
    for word, thing in OFFERED.items():
        try:
            found += [word] if thing.state() in (shim.OURS, status_line.WRAPPED) else []
        except RalphMemError:
            continue
    return found


def _wired() -> "list[wiring.Wired]":
    """Return the files of other clients in which our hooks stand; those of a project are its own."""
    found = []
    for host in known.OTHERS:
        try:
            wired = wiring.Wired(host)
        except RalphMemError:
            continue
        found += [wired] if wired.is_there() else []
    return found


def absent() -> "list[str]":
    """Return the words of what could be added and would replace nothing, where the plugin's own files run."""
    if not paths.exists(f"{extras.LIES_IN}/hooks/run"):
        return []
    return [
        word for word, thing in OFFERED.items() if thing.state() == status_line.ABSENT and not (thing is shim and shim.elsewhere())
    ]


def stuck() -> "dict[str, str]":
    """Return by its path what of ours cannot be taken away from where it is, why, and what is left to do by hand."""
    found = {}
    for wired in _wired():
        try:
            wired.remove()
        except RalphMemError as error:
            why = str(error).removeprefix(f"{wired.path} ")
            found[wired.path] = f"our hooks in {wired.setup.TITLE}: the file {why}; {error.hint}"
    return found


def take_all_away() -> None:
    """Undo all of them but what cannot be taken away, which stays."""
    for take_away in [*[OFFERED[word].take_away for word in _set_up()], *[wired.take_away for wired in _wired()]]:
        try:
            take_away()
        except RalphMemError:
            continue
