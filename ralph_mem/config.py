"""Config: the YAML files of a person and a project, explained by line and column, and changed without losing a word of them.

The one importer of PyYAML. Hooks read the same files with core.yaml_reader, to which this room is held.
"""

import fcntl
import os
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

from ralph_mem.core import paths, setting_rules, settings, trust, yaml_reader
from ralph_mem.core.errors import ConfigError
from ralph_mem.core.project import Project

# A value in force and where it comes from: `origin` is project, global or default, `path` the file.
Setting = namedtuple("Setting", "key value origin path meaning")
# What is wrong with a file; `level` is error or warning, and a problem of the whole file has no line.
Problem = namedtuple("Problem", "line column level what")
# A file with its values by dotted key, as PyYAML reads them; `root` is its tree.
File = namedtuple("File", "path there text root values problems")
# A file that was changed, the project's own file where that has another word on it, which counts, and the keys that wait for
# a person's approval in the file that was changed.
Changed = namedtuple("Changed", "path value ruled_by waiting", defaults=((),))

CHECK_HINT = "`ralph-mem config check` shows what is wrong with a file, by line and column"


def load(project: Project) -> dict[str, Setting]:
    """Return every setting: the project's over the person's over the defaults. Raises ConfigError for a broken file.

    Of a project's file that nobody approved, only what tightens counts.
    """
    merged = {
        key: Setting(key, settings.DEFAULTS.get(key), "default", "", rule.meaning) for key, rule in setting_rules.RULES.items()
    }
    for path in settings.files(project):
        below = {key: setting.value for key, setting in merged.items()}
        for key, value in _heard(project, _sound(path), below)[0].items():
            origin = "project" if path == _path_of(project) else "global"
            merged[key] = merged[key]._replace(value=value, origin=origin, path=path)
    return merged


def find(project: Project, key: str) -> Setting:
    """Return one setting. Raises ConfigError for an unknown key, and for a broken file."""
    if key not in setting_rules.RULES:
        raise setting_rules.no_such_key(key)
    return load(project)[key]


def check(project: Project) -> list[File]:
    """Return the config files, there or not, with what is wrong in each, and what waits for an approval."""
    below: dict[str, Any] = dict(settings.DEFAULTS)
    found = []
    for path in settings.files(project):
        file = _examined(path)
        values, waiting = _heard(project, file, below)
        below.update(values)
        found.append(file._replace(problems=sorted([*file.problems, *_unapproved(file, waiting)])))
    return found


def unapproved(project: Project) -> tuple[str, dict[str, Any]]:
    """Return the text of the project's config, and its values that are not in force until a person approves that text."""
    below: dict[str, Any] = dict(settings.DEFAULTS)
    for path in settings.files(project):
        file = _examined(path)
        values, held = _heard(project, file, below)
        below.update(values)
    return file.text, {key: file.values[key] for key in held}


def _heard(project: Project, file: File, below: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the values of a file that count, and the keys that wait for an approval."""
    return trust.heard(project, file.path, file.text, setting_rules.sort(file.values)[0], below)


def _unapproved(file: File, held: list[str]) -> list[Problem]:
    marks = {name: key.start_mark for name, key, _ in _pairs(file.root)}
    what = "is not in force until you approve it: " + trust.HOW
    return [Problem(marks[key].line + 1, marks[key].column + 1, "warning", f"{key} {what}") for key in held]


def change(project: Project, key: str, text: str, everywhere: bool = False) -> Changed:
    """Set a key in the project's file, or in the person's for all projects; nothing else in the file changes.

    Whoever sets a key here approves of it. What else waits in the file for an approval goes on waiting, and this key with it.
    Raises ConfigError, and leaves the file as it was, where the value is out of range, the file broken or not to be written.
    """
    value = setting_rules.parse(key, text)
    path = _path_of(project, everywhere)
    try:
        _make_folder(project, path)
        with _alone(path):
            file = _sound(path, key)
            changed = _edited(file, key, value)
            _prove(file, changed, key, value)
            own, approves = _path_of(project), path == _path_of(project) and not set(unapproved(project)[1]) - {key}
            paths.write(os.path.realpath(path), changed)  # a link in the person's own home stays one
            if approves:
                trust.approve(project, trust.CONFIG, changed, [f"{key}: {written(value)}  (ralph-mem config set)"])
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from error
    ruled_by = own if everywhere and _examined(own).values.get(key) is not None else ""
    return Changed(path, value, ruled_by, tuple(unapproved(project)[1]) if path == own else ())


def written(value: object) -> str:
    """Write a value as it stands in a file; what has no value is `unset`."""
    if isinstance(value, list):
        return "[" + ", ".join(written(item) for item in value) + "]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "unset"}[value]
    text = str(value)
    plain = not isinstance(value, str) or yaml_reader.scan(f"a: [{text}]")[0] == {"a": [text]}
    return text if plain else "'" + text.replace("'", "''") + "'"


# Reading


def _path_of(project: Project, everywhere: bool = False) -> str:
    home = paths.config_home()
    if everywhere and not home:
        raise ConfigError("there is no home folder to keep a config in", "set HOME")
    return (home if everywhere else project.folder) + "/config.yaml"


def _sound(path: str, changing: str = "") -> File:
    """Return a file in which nothing is wrong but, perhaps, the value that is about to be changed."""
    file = _examined(path)
    errors = [problem for problem in file.problems if problem.level == "error"]
    if errors and set(setting_rules.sort(file.values)[1]) != {changing}:
        raise ConfigError(f"{path}{_place(errors[0])}: {errors[0].what}", CHECK_HINT)
    return file


def _place(problem: Problem) -> str:
    return f", line {problem.line}, column {problem.column}" if problem.line else ""


def _examined(path: str) -> File:
    try:
        text = yaml_reader.text_of(path)
    except ConfigError as error:
        absent = isinstance(error.__cause__, (FileNotFoundError, NotADirectoryError)) and not Path(path).is_symlink()
        return File(path, not absent, "", None, {}, [] if absent else [_no_text(error)])
    try:
        root = yaml.compose(text, yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        return File(path, True, text, None, {}, [_syntax(text, error)])
    _, line, why = yaml_reader.scan(text)
    if why:  # not looked at any further: anchors that repeat each other could be unfolded without end
        begins = len(content := text.split("\n")[line - 1]) - len(content.lstrip()) + 1
        return File(path, True, text, None, {}, [Problem(line, begins, "error", f"the hooks do not read this: {why}")])
    values = dict(_flat(yaml.safe_load(text) or {}))
    return File(path, True, text, root, values, _broken_rules(root, values))


def _flat(values: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield above + key, value


def _no_text(error: ConfigError) -> Problem:
    """Say what keeps a file from being text, and where that is a byte, where it stands."""
    cause = error.__cause__
    if not isinstance(cause, UnicodeDecodeError):
        return Problem(0, 0, "error", str(error))
    before = cause.object[: cause.start]
    return Problem(before.count(b"\n") + 1, len(before) - before.rfind(b"\n"), "error", str(error).partition(": ")[2])


def _syntax(text: str, error: Exception) -> Problem:
    """Say where PyYAML stops, and where the hooks do if that is another line."""
    _, line, why = yaml_reader.scan(text)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    at, column = (mark.line + 1, mark.column + 1) if mark else (line, 1)
    if isinstance(error, yaml.reader.ReaderError):
        before = text[: error.position]
        at, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    if at == line:
        return Problem(at, column, "error", why)
    said = " ".join(filter(None, [getattr(error, "context", ""), getattr(error, "problem", "")])) or "nested too deeply"
    return Problem(at, column, "error", f"{said}; the hooks stop reading at line {line}: {why}")


def _broken_rules(root: yaml.Node | None, values: dict[str, Any]) -> list[Problem]:
    nodes = {name: (key, value) for name, key, value in _pairs(root)}
    _, wrong, unknown = setting_rules.sort(values)
    found = [(_culprit(key, values[key], nodes[key][1]).start_mark, "error", what) for key, what in wrong.items()]
    found += [(nodes[key][0].start_mark, "warning", f"{setting_rules.unknown_key(key)}; it is ignored") for key in unknown]
    return sorted(Problem(mark.line + 1, mark.column + 1, level, what) for mark, level, what in found)


def _culprit(key: str, value: Any, node: yaml.Node) -> yaml.Node:
    """Return the node of the first bad item of a list, or of the whole value."""
    items = zip(node.value, value, strict=True) if isinstance(node, yaml.SequenceNode) and key in setting_rules.RULES else []
    return next((each for each, item in items if setting_rules.problem(key, [item])), node)


def _pairs(node: yaml.Node | None, above: str = "") -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
    """Return the dotted name of each key, its node and that of its value, top down."""
    for key, value in node.value if isinstance(node, yaml.MappingNode) else []:
        yield above + key.value, key, value
        yield from _pairs(value, f"{above}{key.value}.")


# Writing


def _make_folder(project: Project, path: str) -> None:
    """Make the folder of a file that is about to be written, and refuse a file that somebody means to keep as it is."""
    own, file = path == _path_of(project), Path(path)
    if own and not paths.exists(project.root):
        raise ConfigError(f"there is no folder {project.root}")
    if own and file.is_symlink():  # a clone may have brought it along
        raise ConfigError(f"{path} is a link to {os.path.realpath(path)}", "change that file by hand")
    if file.is_file() and not file.stat().st_mode & 0o222:
        raise ConfigError(f"{path} is read-only", f"chmod u+w {path}")
    paths.make_folder(str(file.parent))
    if own and not paths.exists(project.folder + "/.gitignore"):
        paths.write(project.folder + "/.gitignore", "*\n")


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """Keep other changes of a file waiting: two at once would undo each other."""
    file = os.open(Path(path).parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def _edited(file: File, key: str, value: object) -> str:
    """Return the text of a file with one value changed or added, and every other character left where it is."""
    text: str = file.text
    for name, at, old in _pairs(file.root):
        if name == key and isinstance(old, yaml.SequenceNode) and not old.flow_style:
            return _with_items(file, (name, at), old, value)
        if name == key:
            start, end = old.start_mark.index, old.end_mark.index
            return text[:start] + (" " if start == end else "") + written(value) + text[end:]
    section, _, leaf = key.rpartition(".")
    for name, at, old in _pairs(file.root):
        if name == section and isinstance(old, yaml.MappingNode):
            return _inserted(text, _last_line(old) + 1, " " * old.start_mark.column + f"{leaf}: {written(value)}")
        if name == section and old.start_mark.index == old.end_mark.index:
            return _inserted(text, at.start_mark.line + 1, " " * (at.start_mark.column + 2) + f"{leaf}: {written(value)}")
    margin = " " * file.root.start_mark.column if isinstance(file.root, yaml.MappingNode) else ""
    lines = [f"{section}:", f"  {leaf}: {written(value)}"] if section else [f"{leaf}: {written(value)}"]
    return _inserted(text, len(_lines(text)), *[margin + line for line in lines])


def _with_items(file: File, key: tuple[str, yaml.Node], node: yaml.SequenceNode, value: object) -> str:
    """Write the items of a list that has a line for each; one that stays keeps its line, and all comments stay."""
    text, end_of_line = file.text, _end_of_line(file.text)
    lines, first, last = _lines(text), node.value[0].start_mark.line, node.value[-1].end_mark.line
    margin = " " * node.start_mark.column

    def as_line(item: object) -> str:
        return f"{margin}- {written(item)}{end_of_line}"

    new: list[str] = []
    wanted, begin = list(value) if isinstance(value, list) else [], first
    for item, said in zip(node.value, file.values[key[0]], strict=True):
        here = item.end_mark.line
        if said in wanted:
            at = wanted.index(said)
            new += [*map(as_line, wanted[:at]), *lines[begin : here + 1]]
            del wanted[: at + 1]
        else:
            behind = text[item.end_mark.index :].partition("\n")[0].strip()
            new += [*lines[begin:here], *([margin + behind + end_of_line] if behind else [])]
        begin = here + 1
    new += map(as_line, wanted)
    colon = text.index(":", key[1].end_mark.index) + 1
    before = "".join(lines[:first])
    if not isinstance(value, list) or not value:
        before = f"{text[:colon]} {written(value)}{before[colon:]}"
    return before + "".join(new + lines[last + 1 :])


def _inserted(text: str, at: int, *new: str) -> str:
    lines, end_of_line = _lines(text), _end_of_line(text)
    return "".join([*lines[:at], *[line + end_of_line for line in new], *lines[at:]])


def _lines(text: str) -> list[str]:
    """Return the lines with what ends them; the last one gets an end where it has none."""
    *lines, last = text.split("\n")
    return [line + "\n" for line in lines] + ([last + _end_of_line(text)] if last else [])


def _end_of_line(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _last_line(node: yaml.Node) -> int:
    """Return the number of the line on which the last value inside a node ends; a block's own mark is further down."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.line)


def _prove(file: File, changed: str, key: str, value: object) -> None:
    """Read the new text in both ways, and refuse it unless this key has changed and nothing else."""
    wanted = _said({**file.values, key: value})
    fine = len(changed.encode()) <= yaml_reader.LARGEST and _said(yaml_reader.scan(changed)[0]) == wanted
    if not fine or _said(dict(_flat(yaml.safe_load(changed)))) != wanted:
        raise ConfigError(f"{key} cannot be set in {file.path} without changing more than that", "change it by hand")


def _said(values: dict[str, Any]) -> dict[str, str]:
    """Return the values in a form that tells 1 from true, without the keys that have none."""
    return {name: repr(value) for name, value in values.items() if value is not None}
