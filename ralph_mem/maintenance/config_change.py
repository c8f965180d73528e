"""Set one key of a config file, and leave every other word of it where it is. Standard library only, for `/ralph config`."""

import os
from collections import namedtuple
from contextlib import contextmanager, suppress

from ralph_mem.core import paths
from ralph_mem.core.errors import ConfigError
from ralph_mem.core.settings import effective, schema, trust, typed_value, yaml_subset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ralph_mem.core.project import Project

# A file that was changed, the project's own file where that has another word on it, which counts, and the keys that wait for
# a person's approval in the file that was changed.
Changed = namedtuple("Changed", "path value ruled_by waiting", defaults=((),))

CHECK_HINT = "`ralph-mem config check` shows what is wrong with a file, by line and column"


def change(
    project: "Project",
    key: str,
    text: str,
    everywhere: bool = False,
    also_read: "Callable[[str], dict[str, Any]]" = yaml_subset.read,
) -> Changed:
    """Set a key in the project's file, or in the person's for all projects; nothing else in the file changes.

    Whoever sets a key here approves of it. What else waits in the file for an approval goes on waiting, and this key with it.
    A file in which another key is wrong is not approved by that. Raises ConfigError, and leaves the file as it was, where the value
    is out of range, the file cannot be read or is not to be written.
    `also_read` is a second reader, which has to read the new file as the hooks do.
    """
    return _write(project, key, typed_value.parse(key, text), everywhere, also_read)


def unset(
    project: "Project",
    key: str,
    everywhere: bool = False,
    also_read: "Callable[[str], dict[str, Any]]" = yaml_subset.read,
) -> Changed:
    """Take a key out of a file, with the line of its section where nothing else stands below; the value that is returned is None.

    Raises ConfigError as `change` does, and where the file does not set it.
    """
    if key not in schema.RULES:
        raise schema.no_such_key(key)
    path = path_of(project, everywhere)
    if key not in yaml_subset.extents(_readable(path)):
        raise ConfigError(f"{key} is not set in {path}", "`ralph-mem config show` says where each value comes from")
    return _write(project, key, None, everywhere, also_read)


def _write(project: "Project", key: str, value: "Any", everywhere: bool, also_read: "Callable[[str], dict[str, Any]]") -> Changed:
    path = path_of(project, everywhere)
    own = path_of(project)
    try:
        _make_folder(project, path)
        with _alone(path):
            before = _readable(path)
            changed = edited(before, key, value)
            prove(path, before, changed, (key, value), also_read)
            approves = path == own and not set(unapproved(project)[1]) - {key} and not _wrong(changed)
            paths.write(os.path.realpath(path), changed)  # a link in the person's own home stays one
            if approves:
                _approve(project, before, changed, f"{key}: {written(value)}")
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from error
    effective.load(project)  # from now on these are the last good values, also where somebody breaks the file before the next event
    ruled_by = own if everywhere and _values(own)[1].get(key) is not None else ""
    return Changed(path, value, ruled_by, tuple(unapproved(project)[1]) if path == own else ())


def _approve(project: "Project", before: str, changed: str, line: str) -> None:
    """Keep that a person approved what was written. Where that cannot be kept and something waits for it, the file is as before."""
    try:
        trust.approve(project, trust.CONFIG, changed, [f"{line}  (ralph-mem config set)"])
    except OSError as error:
        if not unapproved(project)[1]:
            return
        path = path_of(project)
        if before:
            paths.write(path, before)
        else:
            paths.remove(path)
        what = f"{line} needs an approval, which cannot be kept in {paths.data_home()}: {error.strerror}; nothing was changed"
        raise ConfigError(what, "let that folder be written to, and set it again") from error


def tighten(project: "Project", settings: "dict[str, Any]", key: str, text: str) -> "Changed | None":
    """Set a key of the project's file as `change` does where a repository could do so unapproved; None where it is not so.

    That is what lets less happen than now, and names no command, path or server.
    """
    _, waiting = trust.tightened({key: typed_value.parse(key, text)}, settings)
    return None if waiting else change(project, key, text)


def unapproved(project: "Project") -> "tuple[str, dict[str, Any]]":
    """Return the text of the project's config, and its values that are not in force until a person approves that text."""
    below: dict[str, Any] = dict(effective.DEFAULTS)
    text: str = ""
    values: dict[str, Any] = {}
    held: list[str] = []
    for path in effective.files(project):
        text, values = _values(path)
        counts, held = trust.heard(project, path, text, values, below)
        below.update(counts)
    return text, {key: values[key] for key in held}


def is_heard(project: "Project", key: str) -> bool:
    """Say whether the project's own file sets a key, and counts: none of it waits for an approval."""
    return _values(path_of(project))[1].get(key) is not None and key not in unapproved(project)[1]


def refuse_broken(project: "Project") -> None:
    """Raise ConfigError where a config file cannot be read, or a key in it is wrong."""
    for path in effective.files(project):
        text = _readable(path)
        for key, what in _wrong(text).items():
            raise ConfigError(f"{path}, line {yaml_subset.extents(text)[key][0]}: {what}", CHECK_HINT)


def wrong(project: "Project") -> "list[str]":
    """Return what is wrong in the config files, a line for each that is not in order."""
    told = [(path, schema.values_of(path, {})[1]) for path in effective.files(project) if paths.exists(path)]
    return [f"{path}: {what}" for path, what in told if what]


def path_of(project: "Project", everywhere: bool = False) -> str:
    """Return where the project's config lies, or the person's for all projects. Raises ConfigError without a home."""
    home = paths.config_home()
    if everywhere and not home:
        raise ConfigError("there is no home folder to keep a config in", "set HOME")
    return f"{home if everywhere else project.folder}/{paths.CONFIG}"


def _values(path: str) -> "tuple[str, dict[str, Any]]":
    """Return a file's text and its good values; nothing of one that is not there or cannot be read."""
    try:
        text = yaml_subset.text_of(path)
    except ConfigError:
        return "", {}
    return text, schema.sort(yaml_subset.scan(text)[0])[0]


def _readable(path: str) -> str:
    """Return the text of a file that can be read, nothing of one that is not there; keys in it may be wrong."""
    try:
        text = yaml_subset.text_of(path)
    except ConfigError as error:
        if isinstance(error.__cause__, (FileNotFoundError, NotADirectoryError)) and not os.path.islink(path):
            return ""
        raise ConfigError(f"{path}: {error}", CHECK_HINT) from error
    _, line, why = yaml_subset.scan(text)
    if why:
        raise ConfigError(f"{path}, line {line}: {why}", CHECK_HINT)
    return text


def _wrong(text: str) -> "dict[str, str]":
    """Return what is wrong with the values of a file, by their keys."""
    return schema.sort(yaml_subset.scan(text)[0])[1]


def _make_folder(project: "Project", path: str) -> None:
    """Make the folder of a file that is about to be written, and refuse a file that somebody means to keep as it is."""
    own = path == path_of(project)
    if own and not paths.exists(project.root):
        raise ConfigError(f"there is no folder {project.root}")
    if own and os.path.islink(path):  # a clone may have brought it along
        raise ConfigError(f"{path} is a link to {os.path.realpath(path)}", "change that file by hand")
    if os.path.isfile(path) and not os.stat(path).st_mode & 0o222:
        raise ConfigError(f"{path} is read-only", f"chmod u+w {path}")
    paths.make_folder(os.path.dirname(path))
    if own and not paths.exists(f"{project.folder}/{paths.GITIGNORE}"):
        paths.write(f"{project.folder}/{paths.GITIGNORE}", "*\n")


@contextmanager
def _alone(path: str) -> "Iterator[None]":
    """Keep other changes of a file waiting: two at once would undo each other."""
    file = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a file system without locks
            paths.lock(file, wait_s=paths.FOR_EVER)
        yield
    finally:
        os.close(file)


def prove(
    path: str, before: str, after: str, change: "tuple[str, Any]", also_read: "Callable[[str], dict[str, Any]]" = yaml_subset.read
) -> None:
    """Read the new text in both ways, and refuse it unless this key has changed and nothing else. Raises ConfigError."""
    key, value = change
    wanted = _said({**yaml_subset.read(before), key: value})
    fine = len(after.encode()) <= yaml_subset.LARGEST and _said(yaml_subset.scan(after)[0]) == wanted
    if not fine or _said(also_read(after)) != wanted:
        raise ConfigError(f"{key} cannot be set in {path} without changing more than that", "change it by hand")


def _said(values: "dict[str, Any]") -> "dict[str, str]":
    """Return the values in a form that tells 1 from true, without the keys that have none."""
    return {name: repr(_meant(name, value)) for name, value in values.items() if value is not None}


def _meant(key: str, value: "Any") -> "Any":
    """Return a list with its mappings as what they stand for, such as `custom=./check.sh`."""
    if not isinstance(value, list) or key not in schema.RULES:
        return value
    return [(schema.sort({key: [item]})[0].get(key) or [item])[0] if isinstance(item, dict) else item for item in value]


# Writing


def written(value: object) -> str:
    """Write a value as it stands in a file; what has no value is `unset`."""
    if isinstance(value, list):
        return "[" + ", ".join(written(item) for item in value) + "]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "unset"}[value]
    text = str(value)
    plain = not isinstance(value, str) or yaml_subset.scan(f"a: [{text}]")[0] == {"a": [text]}
    return text if plain else "'" + text.replace("'", "''") + "'"


def edited(text: str, key: str, value: object) -> str:
    """Return the text of a file with one value changed or added, or its key taken out for None; all else stays as it is."""
    extents = yaml_subset.extents(text)
    section, _, leaf = key.rpartition(".")
    if value is None:
        return _without(text, key, extents) if key in extents else text
    if key in extents:
        return _replaced(text, key, value, extents[key])
    inside = [extents[name] for name in extents if section and name.startswith(section + ".")]
    if inside and section in extents:
        margin = _margin(_lines(text)[inside[0][0] - 1])
        return _inserted(text, max(last for _, last in inside), f"{margin}{leaf}: {written(value)}")
    if section in extents:
        at = extents[section][0]
        return _inserted(text, at, f"{_margin(_lines(text)[at - 1])}  {leaf}: {written(value)}")
    margin = _margin(_lines(text)[min(first for first, _ in extents.values()) - 1]) if extents else ""
    lines = [f"{section}:", f"  {leaf}: {written(value)}"] if section else [f"{leaf}: {written(value)}"]
    return _inserted(text, len(_lines(text)), *[margin + line for line in lines])


def _without(text: str, key: str, extents: "dict[str, tuple[int, int]]") -> str:
    """Take out the lines of a key, and that of its section where no other key stands below it."""
    section = key.rpartition(".")[0]
    lines, (first, last) = _lines(text), extents[key]
    del lines[first - 1 : last]
    if section in extents and not [name for name in extents if name.startswith(section + ".") and name != key]:
        del lines[extents[section][0] - 1]
    return "".join(lines)


def _replaced(text: str, key: str, value: object, extent: "tuple[int, int]") -> str:
    """Write another value behind a key, on its line or on the lines of its list."""
    first, last = extent
    if last > first:
        return _with_items(text, key, value, extent)
    lines = text.split("\n")
    lines[first - 1] = _with_value(lines[first - 1], value)
    return "\n".join(lines)


def _with_value(line: str, value: object) -> str:
    head, old, behind = yaml_subset.parts(line)
    if old:
        return f"{head}{written(value)}{behind}"
    return f"{head.rstrip(' ')} {written(value)}{' ' if behind[:1] == '#' else ''}{behind}"


def _with_items(text: str, key: str, value: object, extent: "tuple[int, int]") -> str:
    """Write the items of a list that has lines for each; one that stays keeps its lines, and all comments stay."""
    first, last = extent
    lines, end_of_line = _lines(text), _end_of_line(text)
    block, said = lines[first:last], _meant(key, yaml_subset.read(text)[key])
    starts = [number for number, line in enumerate(block) if line.strip().startswith("- ") or line.strip() == "-"]
    margin = _margin(block[starts[0]])

    def as_line(item: object) -> str:
        return f"{margin}- {written(item)}{end_of_line}"

    new: list[str] = []
    wanted, begin = list(value) if isinstance(value, list) else [], 0
    for number, item in enumerate(said):
        here = starts[number + 1] if number + 1 < len(starts) else len(block)
        while here > starts[number] + 1 and not _has_content(block[here - 1]):
            here -= 1  # a comment in front of the next one
        if item in wanted:
            at = wanted.index(item)
            new += [*map(as_line, wanted[:at]), *block[begin:here]]
            del wanted[: at + 1]
        else:
            new += [*block[begin : starts[number]], *_comments(block[starts[number] : here], margin)]
        begin = here
    new += map(as_line, wanted)
    if not isinstance(value, list) or not value:
        lines[first - 1] = _with_value(lines[first - 1], value)
    return "".join([*lines[:first], *new, *lines[last:]])


def _has_content(line: str) -> bool:
    return bool(line.strip()) and not line.strip().startswith("#")


def _comments(lines: "list[str]", margin: str) -> "list[str]":
    """Return the comments of an item that goes, a line each, and the empty lines in it."""
    kept = []
    for line in lines:
        behind = yaml_subset.parts(line)[2] if _has_content(line) else line
        if behind.strip():
            kept.append(margin + behind.lstrip(" "))
        elif behind is line:
            kept.append(line)
    return kept


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _inserted(text: str, at: int, *new: str) -> str:
    lines, end_of_line = _lines(text), _end_of_line(text)
    return "".join([*lines[:at], *[line + end_of_line for line in new], *lines[at:]])


def _lines(text: str) -> "list[str]":
    """Return the lines with what ends them; the last one gets an end where it has none."""
    *lines, last = text.split("\n")
    return [line + "\n" for line in lines] + ([last + _end_of_line(text)] if last else [])


def _end_of_line(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
