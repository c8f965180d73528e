"""Read the YAML files of a person and a project, and tell what is wrong by line and column."""

from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ralph_mem.core.errors import ConfigError
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective, schema, trust, typed_value, yaml_subset
from ralph_mem.maintenance import config_change

# A value in force and where it comes from: `origin` is environment, project, global or default, `path` the variable or the file.
Setting = namedtuple("Setting", "key value origin path meaning")
# What is wrong with a file; `level` is error or warning, and a problem of the whole file has no line.
Problem = namedtuple("Problem", "line column level what")
# A file with its values by dotted key, as PyYAML reads them; `root` is its tree.
File = namedtuple("File", "path there text root values problems")

ENVIRONMENT = "environment"


def load(project: Project, asked: str = "") -> dict[str, Setting]:
    """Return every setting: the environment's over the project's over the person's over the defaults.

    Raises ConfigError for a file that cannot be read, and for one in which the value of `asked` is wrong. Where another is, what
    counts is what the hooks have in force.

    Of a project's file that nobody approved, only what tightens counts.
    """
    merged = {key: Setting(key, effective.DEFAULTS.get(key), "default", "", rule.meaning) for key, rule in schema.RULES.items()}
    for path in effective.files(project):
        below = {key: setting.value for key, setting in merged.items()}
        file = _readable(path, asked)
        origin = "project" if path == config_change.path_of(project) else "global"
        for key, value in _heard(project, file, below)[0].items():
            merged[key] = merged[key]._replace(value=value, origin=origin, path=path)
        for key in merged.keys() & schema.sort(file.values)[1].keys():
            merged[key] = merged[key]._replace(origin=origin, path=path)
    if config_change.wrong(project):
        in_force = effective.load(project)
        merged = {key: setting._replace(value=in_force.get(key, setting.value)) for key, setting in merged.items()}
    below = {key: setting.value for key, setting in merged.items()}
    for key, value in trust.of_variables(effective.variables(), below)[0].items():
        if value != below[key]:
            merged[key] = merged[key]._replace(value=value, origin=ENVIRONMENT, path=effective.variable(key))
    return merged


def find(project: Project, key: str) -> Setting:
    """Return one setting. Raises ConfigError for an unknown key, for a wrong value of it, and for a file that cannot be read."""
    if key not in schema.RULES:
        raise schema.no_such_key(key)
    return load(project, key)[key]


def check(project: Project) -> list[File]:
    """Return the config files, there or not, with what is wrong in each, and what waits for an approval.

    The environment stands among them where a variable in it is not heard.
    """
    below: dict[str, Any] = dict(effective.DEFAULTS)
    found = []
    for path in effective.files(project):
        file = _examined(path)
        values, waiting = _heard(project, file, below)
        below.update(values)
        found.append(file._replace(problems=sorted([*file.problems, *_unapproved(file, waiting)])))
    unheard = trust.of_variables(effective.variables(), below)[1]
    problems = [Problem(0, 0, "warning", f"{effective.variable(key)}: {what}") for key, what in unheard.items()]
    return [*found, File(ENVIRONMENT, True, "", None, {}, problems)] if problems else found


def _heard(project: Project, file: File, below: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the values of a file that count, and the keys that wait for an approval."""
    return trust.heard(project, file.path, file.text, schema.sort(file.values)[0], below)


def _unapproved(file: File, held: list[str]) -> list[Problem]:
    marks = {name: key.start_mark for name, key, _ in _pairs(file.root)}
    what = "is not in force until you approve it: " + trust.HOW
    return [Problem(marks[key].line + 1, marks[key].column + 1, "warning", f"{key} {what}") for key in held]


def change(project: Project, key: str, text: str, everywhere: bool = False) -> config_change.Changed:
    """Set a key as `config_change.change` does, and have PyYAML read the new file as well. Raises ConfigError."""
    typed_value.parse(key, text)
    path = config_change.path_of(project, everywhere)
    if everywhere or not Path(path).is_symlink():
        _readable(path)  # which names the column too
    return config_change.change(project, key, text, everywhere, _as_pyyaml_reads)


def unset(project: Project, key: str, everywhere: bool = False) -> config_change.Changed:
    """Take a key out of a file as `config_change.unset` does, and have PyYAML read the new file as well. Raises ConfigError."""
    return config_change.unset(project, key, everywhere, _as_pyyaml_reads)


def _as_pyyaml_reads(text: str) -> dict[str, Any]:
    return dict(_flat(yaml.safe_load(text) or {}))


# Reading


def _readable(path: str, asked: str = "") -> File:
    """Return a file that can be read, in which the value of a key that is asked for is not wrong, as others may be."""
    file = _examined(path)
    errors = [problem for problem in file.problems if problem.level == "error"]
    if file.root is not None:
        wrong = schema.sort(file.values)[1].get(asked)
        errors = [problem for problem in errors if problem.what == wrong]
    if errors:
        raise ConfigError(f"{path}{_place(errors[0])}: {errors[0].what}", config_change.CHECK_HINT)
    return file


def _place(problem: Problem) -> str:
    return f", line {problem.line}, column {problem.column}" if problem.line else ""


def _examined(path: str) -> File:
    try:
        text = yaml_subset.text_of(path)
    except ConfigError as error:
        absent = isinstance(error.__cause__, (FileNotFoundError, NotADirectoryError)) and not Path(path).is_symlink()
        return File(path, not absent, "", None, {}, [] if absent else [_no_text(error)])
    try:
        root = yaml.compose(text, yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        return File(path, True, text, None, {}, [_syntax(text, error)])
    _, line, why = yaml_subset.scan(text)
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
    _, line, why = yaml_subset.scan(text)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    at, column = (mark.line + 1, mark.column + 1) if mark else (line, 1)
    if isinstance(error, yaml.reader.ReaderError):
        before = text[: error.position]
        at, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    if at == line:
        return Problem(at, column, "error", why)
    said = " ".join(filter(None, [getattr(error, "context", ""), getattr(error, "problem", "")])) or "nested too deeply"
    return Problem(at, column, "error", f"{said}; the hooks stop reading at line {line}: {why}")


def _broken_rules(root: "yaml.Node | None", values: dict[str, Any]) -> list[Problem]:
    nodes = {name: (key, value) for name, key, value in _pairs(root)}
    _, wrong, unknown = schema.sort(values)
    found = [(_culprit(key, values[key], nodes[key][1]).start_mark, "error", what) for key, what in wrong.items()]
    found += [(nodes[key][0].start_mark, "warning", f"{schema.unknown_key(key)}; it is ignored") for key in unknown]
    return sorted(Problem(mark.line + 1, mark.column + 1, level, what) for mark, level, what in found)


def _culprit(key: str, value: Any, node: yaml.Node) -> yaml.Node:
    """Return the node of the first bad item of a list, or of the whole value."""
    items = zip(node.value, value) if isinstance(node, yaml.SequenceNode) and key in schema.RULES else []
    return next((each for each, item in items if schema.problem(key, [item])), node)


def _pairs(node: "yaml.Node | None", above: str = "") -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
    """Return the dotted name of each key, its node and that of its value, top down; those of a list's items as its own."""
    for key, value in node.value if isinstance(node, yaml.MappingNode) else []:
        yield above + key.value, key, value
        for inner in value.value if isinstance(value, yaml.SequenceNode) else [value]:
            yield from _pairs(inner, f"{above}{key.value}.")
