"""Settings: the values in force, from the project's config.yaml over the user's over the defaults."""

import posix

from ralph_mem.core import paths, quick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

# `recording` has no default: unset means on, but off where nobody is there to have wanted it.
DEFAULTS: "dict[str, Any]" = {
    "memory.auto_inject": True,
    "memory.inject_tokens_prompt": 600,
    "memory.inject_tokens_start": 1500,
    "privacy.exclude_paths": [],
    "privacy.redact_patterns": [],
}
OFF = ("off", "0", "false", "no")
ON = ("on", "1", "true", "yes")


def load(project: "Project") -> "dict[str, Any]":
    """Return the settings by dotted key. A config that cannot be read leaves the last good settings in force.

    The parsed form is cached in the user's data home; a file is parsed again when its time, size or inode changes.
    """
    files = [path for path in _files(project) if paths.exists(path)]
    if not files:
        return DEFAULTS
    home = paths.data_home()
    cache = f"{home}/settings/{paths.key_of(project.root)}.json" if home else ""
    known = _cached(cache)
    stamp = [_stamp(path) for path in files]
    if known.get("stamp") == stamp:
        return {**DEFAULTS, **known["values"]}
    return _compile(project.root, files, stamp, cache, known.get("values", {}))


def _files(project: "Project") -> "list[str]":
    home = paths.config_home()
    own = [project.folder + "/config.yaml"]
    return [home + "/config.yaml", *own] if home else own


def _stamp(path: str) -> "list[int]":
    status = posix.stat(path)
    return [status.st_mtime_ns, status.st_size, status.st_ino]


def _cached(cache: str) -> "dict[str, Any]":
    try:
        known = quick.loads(paths.read(cache)) if cache else {}
    except ValueError:
        return {}
    return known if isinstance(known, dict) and isinstance(known.get("values"), dict) else {}


def _compile(root: str, files: "list[str]", stamp: "list[list[int]]", cache: str, last: "dict[str, Any]") -> "dict[str, Any]":
    from ralph_mem.core import trouble, yaml_reader
    from ralph_mem.core.errors import ConfigError

    values: dict[str, Any] = {}
    for path in files:
        try:
            values.update(_known(yaml_reader.read(paths.read(path)), path))
        except ConfigError as error:
            values = {**values, **last, **_still_off(path)}
            if values.get("recording") is not False:  # off means that nothing is written
                trouble.note(root, f"config: {error}; the last good settings stay in force")
    if cache:
        _keep(cache, quick.dumps({"stamp": stamp, "values": values}))
    return {**DEFAULTS, **values}


def _still_off(path: str) -> "dict[str, Any]":
    """Find the switch that turns recording off in a file that cannot be read as a whole: privacy only tightens."""
    pairs = [line.partition("#")[0].lower().partition(":") for line in paths.read(path).splitlines()]
    return {"recording": False} if any([key.strip() == "recording" and word.strip(" \"'") in OFF for key, _, word in pairs]) else {}


def _keep(cache: str, text: str) -> None:
    try:
        paths.make_folder(cache.rpartition("/")[0])
        paths.write(cache, text)
    except OSError:  # parsed again by the next event
        pass


def _known(values: "dict[str, Any]", path: str) -> "dict[str, Any]":
    """Keep the keys of this release, and refuse a value of the wrong type."""
    from ralph_mem.core.errors import ConfigError

    kept = {}
    for key, value in values.items():
        wanted = bool if key == "recording" else type(DEFAULTS.get(key))
        if (key in DEFAULTS or key == "recording") and value is not None:
            if type(value) is not wanted:
                raise ConfigError(f"{path}: {key} must be a {wanted.__name__}, not {value!r}")
            kept[key] = [str(item) for item in value if item is not None] if isinstance(value, list) else value
    return kept


def recording(project: "Project", values: "dict[str, Any]") -> bool:
    """Say whether anything may be written or injected in this project now.

    The environment variable RALPH_MEM_RECORDING rules, then the file `.ralph-mem/off`, then the config. Unset, it
    is on, but for runs that nobody attends in CI.
    """
    word = paths.environment("RALPH_MEM_RECORDING").lower()
    if word in OFF or word in ON:
        return word in ON
    if paths.exists(project.folder + "/off"):
        return False
    if "recording" in values:
        return bool(values["recording"])
    unattended = paths.environment("CLAUDE_CODE_SESSION_ATTENDED") == "0"
    return not (unattended and paths.environment("CI").lower() in ON)
