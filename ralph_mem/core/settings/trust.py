"""Keep what a person approved of a project, by the hash of its content and the project's path."""

import posix
import time

from ralph_mem.core import fast, hashing, paths
from ralph_mem.core.errors import ConfigError
from ralph_mem.core.settings import schema, typed_value, yaml_subset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

# Less of these is stricter; what a memory keeps, injects and answers with, and how far a loop may go.
SMALLER = (
    "memory.inject_tokens_prompt", "memory.inject_tokens_start", "memory.max_observations", "memory.retention_days",
    "search.default_layer", "search.max_results", "team.max_items",
    "ralph.max_iterations", "ralph.max_duration_ms", "ralph.no_progress_threshold",
    "ralph.timeout_s", "ralph.prompt_tokens", "ralph.tampering", "ralph.iteration_ms", "ralph.silence_ms",
    "memory.model_budget_cents",
)  # fmt: skip
# For these it is `false`: nothing recorded, injected or offered, nothing put back or kept unasked.
OFF = (
    "recording", "mcp", "memory.auto_inject", "memory.learn", "memory.relations", "memory.mining", "memory.worker",
    "ralph.auto_rollback", "ralph.memory", "ralph.here",
)  # fmt: skip
# What a person has in these stays, and a project may add to it.
LONGER = ("privacy.exclude_paths", "privacy.redact_patterns", "ralph.protect")
# A project may take from these.
SHORTER = ("ralph.allow", "ralph.may_change", "memory.remember")
CHECKS, COST, PAUSE, TELL = "ralph.success_criteria", "ralph.max_cost_cents", "ralph.cooldown_ms", "memory.tell"
APPLY = "ralph.apply"
BUDGET = "memory.model_budget_cents"
# Checks whose command we find out ourselves. `marker` would let an agent's word do, `custom` names a command.
OUR_CHECKS = ("test_pass", "build_success", "lint_clean", "type_check")
# In an expression of a stranger nothing may repeat but once, and not without end: else it could take minutes to fail.
REPEATING = "*+?|("
LONGEST_PATTERN = 200
LONGEST_REPEAT = 256


def tightened(values: "dict[str, Any]", below: "dict[str, Any]") -> "tuple[dict[str, Any], list[str]]":
    """Return what counts unapproved of a project's values over those `below` them, and the keys that wait for an approval."""
    counts: dict[str, Any] = {}
    waiting: list[str] = []
    for key, value in values.items():
        if value == below.get(key):
            continue
        stricter = _stricter(key, value, below.get(key))
        if stricter is not None:
            counts[key] = stricter
        if stricter != value:
            waiting.append(key)
    return counts, waiting


def loosens(key: str, value: "Any", now: "Any") -> bool:
    """Say whether a value lets more happen than the one in force: a command, a permission, more recorded, spent, less private."""
    return value != now and (isinstance(value, list) or key in ("recording", BUDGET)) and _stricter(key, value, now) != value


def _stricter(key: str, value: "Any", now: "Any") -> "Any":
    """Return a value made such that it only tightens what is in force now; None where it cannot be."""
    if key in LONGER:
        fine = [item for item in value if item in now or key != "privacy.redact_patterns" or is_quick(item)]
        return [*[item for item in now if item not in fine], *fine]
    if key == COST:
        return value if value and (not now or value < now) else None
    if key == APPLY:
        return value if value == "never" else None
    if key == TELL:
        return value if schema.LEVELS.index(value) < schema.LEVELS.index(now) else None
    tightens = (
        (key in SMALLER and value < now)
        or (key in OFF and value is False)
        or (key == PAUSE and value > now)
        or (key in SHORTER and all([item in now for item in value]))
        or (key == CHECKS and all([item in OUR_CHECKS for item in value]))
    )
    return value if tightens else None


def is_quick(pattern: str) -> bool:
    """Say whether an expression is sure to end soon on any text: plain characters and classes, one of them repeated."""
    plain = ""
    rest = pattern
    while rest:  # escapes and classes count as one character each
        if rest[0] == "\\":
            if rest[1:2].isdigit():  # what a group matched, again
                return False
            plain, rest = plain + "x", rest[2:]
        elif rest[0] == "[":
            end = rest.find("]", 3 if rest[1:2] == "^" else 2)
            if end < 0 or "\\" in rest[:end]:
                return False
            plain, rest = plain + "x", rest[end + 1 :]
        else:
            plain, rest = plain + rest[0], rest[1:]
    if len(pattern) > LONGEST_PATTERN or any([char in plain for char in REPEATING]) or plain.count("{") > 1:
        return False
    numbers = plain.partition("{")[2].partition("}")[0].split(",") if "{" in plain else ["1"]
    return len(numbers) <= 2 and all([number.isdigit() and int(number) <= LONGEST_REPEAT for number in numbers])


# What these name is run only once a person has accepted exactly that (criteria/acceptance.py), wherever it comes from.
ACCEPTED_BEFORE_USE = ("ralph.success_criteria", "ralph.agent", "ralph.allow", "ralph.notify", "ralph.may_change")


def of_variables(given: "dict[str, str]", below: "dict[str, Any]") -> "tuple[dict[str, Any], dict[str, str]]":
    """Return the settings of the environment that count over those below them, and what is wrong with the others.

    A project may set variables too, in its settings of the client: what is kept private and what is protected they only add to.
    """
    counts: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for key, text in given.items():
        try:
            value = typed_value.parse(key, text)
        except ConfigError as error:
            wrong[key] = str(error)
            continue
        if key not in ACCEPTED_BEFORE_USE and loosens(key, value, below.get(key)):
            wrong[key] = f"would loosen {key}, which only a config can"
            value = tightened({key: value}, below)[0].get(key, below[key])
        counts[key] = value
    return counts, wrong


def read(
    project: "Project", path: str, last: "dict[str, Any]", below: "dict[str, Any]", off: "tuple[str, ...]"
) -> "tuple[dict[str, Any], list[str]]":
    """Return the values of a file that count over those below it, and what a person has to be told of the file.

    `last` are the last good ones, which stay where it cannot be read, and that of a key which stays where it is wrong. A
    project's own values count as far as they were approved, and where they tighten. `off` are the words that switch recording
    off, in a file that is broken too.
    """
    text = ""
    try:
        text = yaml_subset.text_of(path)
        values, wrong, unknown = schema.values_in(text, last)
    except ConfigError as error:
        values, wrong, unknown = schema.unreadable(error, last)
    if wrong:  # what was good stays as it was approved, and only what is new has to be
        new = {key: value for key, value in values.items() if value != last.get(key)}
        counts, waiting = heard(project, path, text, new, {**below, **last})
        counts = {**{key: last[key] for key in values if key in last}, **counts}
    else:
        counts, waiting = heard(project, path, text, values, below)
    if wrong and _says_off(path, off):
        counts["recording"] = False
    more = f" and {len(waiting) - 1} more are" if len(waiting) > 1 else " is"
    told = [f"{waiting[0]}{more} not in force until you approve it: {HOW}"] if waiting else []
    return counts, [each for each in (wrong, *told, unknown) if each]


def _says_off(path: str, off: "tuple[str, ...]") -> bool:
    """Find the switch that turns recording off in a file that cannot be read as a whole: privacy only tightens."""
    pairs = [line.partition("#")[0].lower().partition(":") for line in paths.read(path).splitlines()]
    return any([key.strip(" \"'") == "recording" and word.strip(" \"'") in off for key, _, word in pairs])


CONFIG, LINK = "config", "link"
HOW = "`ralph-mem trust` shows it"
MOST_KEPT = 50  # approvals of one project: an older config that comes back is asked about again
MOST_BYTES = 1_048_576
OTHERS_MAY_WRITE = 0o022


def digest(project: "Project", kind: str, content: str) -> str:
    """Return what an approval is kept under: it holds for this content in this place alone."""
    return hashing.of(kind, _real(project.root), content)


def is_approved(project: "Project", kind: str, content: str) -> bool:
    """Say whether a person has approved exactly this here. What others could have written holds nothing."""
    return digest(project, kind, content) in _read(_path(project))


def approve(project: "Project", kind: str, content: str, lines: "list[str]") -> bool:
    """Keep that a person approved this, with the lines shown to them; says whether there is a place for it. Raises OSError."""
    path = _path(project)
    if not path:
        return False
    entry = {"kind": kind, "path": _real(project.root), "at": int(time.time()), "lines": lines}
    approved = {**_read(path), digest(project, kind, content): entry}
    paths.make_folder(path.rpartition("/")[0])
    paths.write(path, fast.dumps(dict(sorted(approved.items(), key=lambda item: item[1]["at"])[-MOST_KEPT:])))
    _read_settings_anew()
    return True


def revoke(project: "Project") -> int:
    """Take back everything that was approved of a project's config and link; returns how much it was. Raises OSError."""
    path = _path(project)
    approved = _read(path)
    if approved:
        paths.remove(path)
    _read_settings_anew(forgetting=True)
    return len(approved)


def approvals() -> "list[dict[str, Any]]":
    """Return every approval of every project, the latest first: its kind, path, time in ms and the lines that were shown."""
    folder = f"{paths.data_home()}/{paths.TRUST}"
    names = [name for name in paths.names(folder) if name.startswith("approved-")]
    found = [{**entry, "at": entry["at"] * 1000} for name in names for entry in _read(f"{folder}/{name}").values()]
    return sorted(found, key=lambda entry: (-entry["at"], entry["path"]))


def _read_settings_anew(forgetting: bool = False) -> None:
    """Have the next events read the configs anew: they count differently from now on, although they have not changed.

    Of all projects, since this one may be known by several paths. The last good values stay, unless they may be what was
    taken back.
    """
    folder = f"{paths.data_home()}/{paths.SETTINGS}"
    for name in paths.names(folder):
        path = f"{folder}/{name}"
        try:
            known = None if forgetting else fast.loads(paths.read(path))
        except ValueError:
            known = None
        if isinstance(known, dict):
            paths.write(path, fast.dumps({**known, "stamps": []}))
        else:
            paths.remove(path)


def heard(
    project: "Project", path: str, text: str, values: "dict[str, Any]", below: "dict[str, Any]"
) -> "tuple[dict[str, Any], list[str]]":
    """Return which values of a config count, and the keys that wait for an approval.

    `text` is what the values were read from, once: a file that is swapped in between changes nothing. The person's own
    config needs no approval.
    """
    own = f"{project.folder}/{paths.CONFIG}"
    if path != own or project.folder == paths.config_home():
        return values, []
    counts, waiting = tightened(values, below)
    approved = not waiting or (not strange_owner(project) and is_approved(project, CONFIG, text))
    return (values, []) if approved else (counts, waiting)


def strange_owner(project: "Project") -> str:
    """Return which of a project's config and its folder, if any, somebody else owns and can replace at any moment."""
    places = (project.folder, f"{project.folder}/{paths.CONFIG}")
    return next((path for path in places if not _is_ours(path)), "")


def _is_ours(path: str) -> bool:
    """Say whether a file or folder belongs to this user or to root."""
    try:
        return posix.stat(path).st_uid in (posix.geteuid(), 0)
    except OSError:
        return False


def _path(project: "Project") -> str:
    """Return where a project's approvals lie; nowhere without a home, and never inside of the project itself."""
    home, root = paths.data_home(), project.root.rstrip("/") + "/"
    # the home folder may be a project, and all that is the user's lies in it; but no other project holds its own approvals
    if not home or (home.startswith(root) and not (paths.environment("HOME") + "/").startswith(root)):
        return ""
    return f"{home}/{paths.TRUST}/approved-{paths.key_of(_real(project.root))}.json"


def _real(path: str) -> str:
    from posixpath import realpath  # lazy: brings `os`; only for the key of a project's approvals

    return realpath(path)


def _read(path: str) -> "dict[str, dict[str, Any]]":
    try:
        state = posix.lstat(path)
        if state.st_uid != posix.geteuid() or state.st_mode & (0o170000 | OTHERS_MAY_WRITE) != 0o100000:
            return {}
        told = fast.loads(paths.read(path, MOST_BYTES))
        return {what: entry for what, entry in told.items() if isinstance(entry["at"], int)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
