"""The settings in force, from the environment, the project's config, the user's config and the defaults."""

import posix

from ralph_mem.core import fast, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

# Every key, its type and range stand in schema.py. `recording` has no default: unset means on, but off where nobody
# is there to have wanted it.
DEFAULTS: "dict[str, Any]" = {
    "mcp": True,
    "memory.auto_inject": True,
    "memory.show": "line",
    "memory.remember": ["remember that", "don't forget that"],
    "memory.learn": True,
    "memory.relations": True,
    "memory.mining": True,
    "memory.worker": True,
    "memory.model_budget_cents": 0,
    "memory.tell": "normal",
    "memory.inject_tokens_prompt": 600,
    "memory.inject_tokens_start": 1500,
    "memory.max_observations": 1000,
    "memory.retention_days": 30,
    "memory.auto_compress": True,
    "memory.quota_mb": 4096,
    "search.default_layer": 2,
    "search.max_results": 10,
    "team.max_items": 50_000,
    "ralph.max_iterations": 10,
    "ralph.cooldown_ms": 1000,
    "ralph.auto_rollback": False,
    "ralph.success_criteria": ["test_pass", "build_success"],
    "ralph.max_duration_ms": 1_800_000,
    "ralph.iteration_ms": 900_000,
    "ralph.silence_ms": 720_000,
    "ralph.max_cost_cents": 0,
    "ralph.no_progress_threshold": 3,
    "ralph.timeout_s": 600,
    "ralph.prompt_tokens": 6000,
    "ralph.memory": True,
    "ralph.agent": [],
    "ralph.allow": [],
    "ralph.notify": [],
    "ralph.protect": [],
    "ralph.git_backup_mb": 512,
    "ralph.may_change": [],
    "ralph.tampering": 2,
    "ralph.here": False,
    "ralph.apply": "success",
    "ralph.room_copy_mb": 512,
    "snapshot.include_ignored": [".env", ".env.*"],
    "snapshot.max_file_mb": 10,
    "snapshot.quota_mb": 1024,
    "privacy.exclude_paths": [],
    "privacy.redact_patterns": [],
}
# Raised when a release understands the files otherwise than the one before: what that one made of them is made anew.
READING = 2
VARIABLES = b"RALPH_MEM_"
COMPLAINT = "config: "  # how a line for the next session start begins that says what is wrong in a file
OFF = ("off", "0", "false", "no")
ON = ("on", "1", "true", "yes")
# By which variable, with which value, a client says that nobody attends its session: each host that is loaded adds its own.
UNATTENDED: "dict[str, str]" = {}


def load(project: "Project") -> "dict[str, Any]":
    """Return the settings by dotted key, cached until a file changes; of one that cannot be read the last good ones stay."""
    stamps = [_stamp(path) for path in files(project)]
    if stamps.count(None) == len(stamps):
        return _under_variables(DEFAULTS)
    home = paths.data_home()
    cache = f"{home}/{paths.SETTINGS}/{paths.key_of(project.root)}.json" if home else ""
    known = _cached(cache)
    # a release with more keys reads the files anew
    if known.get("stamps") != [READING, len(DEFAULTS), *stamps]:
        known = _compile(project, stamps, known.get("values", []))
        try:
            if cache:
                paths.make_folder(cache.rpartition("/")[0])
                paths.write(cache, fast.dumps(known))
        except OSError:  # parsed again by the next event
            pass
    return _under_variables(_merged(known["values"]))


def is_outdated(project: "Project", line: str) -> bool:
    """Say whether a line that waits tells of a file of settings where there is none any more: `load` looks at nothing then."""
    return line.startswith(COMPLAINT) and not any([_stamp(path) is not None for path in files(project)])


def variables() -> "dict[str, str]":
    """Return the settings that the environment names, by their keys, such as RALPH_MEM_SEARCH_MAX_RESULTS."""
    if not [name for name in posix.environ if name[:10] == VARIABLES]:  # as in nearly every event
        return {}
    named = {key: paths.environment(variable(key)) for key in DEFAULTS}
    return {key: text for key, text in named.items() if text}


def variable(key: str) -> str:
    """Return the name of the environment variable that rules over a key."""
    return "RALPH_MEM_" + key.replace(".", "_").upper()


def _under_variables(values: "dict[str, Any]") -> "dict[str, Any]":
    given = variables()
    if not given:
        return values
    from ralph_mem.core.settings import trust  # lazy: only when a file of settings has changed, or a variable names one

    return {**values, **trust.of_variables(given, values)[0]}


def files(project: "Project") -> "list[str]":
    """Return where the configs lie, there or not: the user's if there is a home, then the project's, which rules over it."""
    home = paths.config_home()
    own = [f"{project.folder}/{paths.CONFIG}"]
    return [f"{home}/{paths.CONFIG}", *own] if home else own


def _stamp(path: str) -> "list[int] | None":
    """Return what changes with a file; nothing where there is none, and an empty list where it is out of reach."""
    try:
        status = posix.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        return []
    return [status.st_ctime_ns, status.st_size, status.st_ino]  # the time of change cannot be set back


def _cached(cache: str) -> "dict[str, Any]":
    try:
        known = fast.loads(paths.read(cache)) if cache else {}
    except ValueError:
        return {}
    values = known.get("values") if isinstance(known, dict) else None
    return known if isinstance(values, list) and all([isinstance(each, dict) for each in values]) else {}


def _merged(each: "list[dict[str, Any]]") -> "dict[str, Any]":
    merged = dict(DEFAULTS)
    for values in each:
        merged.update(values)
    return merged


def _compile(project: "Project", stamps: "list[Any]", last: "list[dict[str, Any]]") -> "dict[str, Any]":
    """Return the values of each file as they count from now on, and tell what is wrong with one."""
    from ralph_mem.core import notices  # lazy: only when a file of settings has changed
    from ralph_mem.core.settings import trust  # lazy: only when a file of settings has changed, or a variable names one

    each: list[dict[str, Any]] = []
    complaints: list[str] = []
    for number, path in enumerate(files(project)):
        good = last[number] if len(last) == len(stamps) else {}
        there = stamps[number] is not None
        values, wrong = trust.read(project, path, good, _merged(each), OFF) if there else ({}, [])
        each.append(values)
        complaints += [f"{path}: {what}" for what in wrong]
    if not complaints:
        notices.withdraw(project.root, COMPLAINT)
    elif recording(project, _merged(each)):  # off means that nothing is written
        notices.note(project.root, COMPLAINT + "; ".join(complaints))
    return {"stamps": [READING, len(DEFAULTS), *stamps], "values": each}


def tells(values: "dict[str, Any]") -> bool:
    """Say whether memories are told by themselves."""
    return bool(values["memory.auto_inject"]) and values["memory.tell"] != "off"


def recording(project: "Project", values: "dict[str, Any]", session: str = "") -> bool:
    """Say whether anything may be written or injected in this project now, and in a session of it where one is named.

    A session that a person paused is left alone. Else the environment variable RALPH_MEM_RECORDING rules, then the file
    `.ralph-mem/off`, then the config. Unset, it is on, but for runs that nobody attends in CI.
    """
    if session and paths.exists(paths.pause_of(session)):
        return False
    word = paths.environment("RALPH_MEM_RECORDING").lower()
    if word in OFF or word in ON:
        return word in ON
    if paths.exists(f"{project.folder}/{paths.OFF}"):
        return False
    if "recording" in values:
        return bool(values["recording"])
    return attended() or paths.environment("CI").lower() not in ON


def need_recording(project: "Project", values: "dict[str, Any]", session: str = "") -> None:
    """Raise RalphMemError where nothing may be written now, as `recording` says it."""
    if not recording(project, values, session):
        from ralph_mem.core.errors import RalphMemError  # lazy: hooks ask `recording` and raise nothing

        off = "recording is switched off here, nothing was kept"
        raise RalphMemError(off, "`ralph-mem resume`; `ralph-mem doctor` says by what")


def attended() -> bool:
    """Say whether somebody sits at the session, as far as its client tells: with one that says nothing, somebody does."""
    return not any([paths.environment(name) == value for name, value in UNATTENDED.items()])
