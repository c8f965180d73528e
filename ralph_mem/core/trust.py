"""Trust: what of a project a person has looked at and approved, by the hash of its content and the real path of the project.

It lies in the user's data home, where no repository can bring it along. Loaded when a config has changed, at a session
start where `.ralph-mem` is a link, and by the command line.
"""

import posix
import time

from ralph_mem.core import fingerprint, paths, quick, tightening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project

CONFIG, LINK = "config", "link"
HOW = "`ralph-mem trust` shows it"
MOST_KEPT = 50  # approvals of one project: an older config that comes back is asked about again
MOST_BYTES = 1_048_576
OTHERS_MAY_WRITE = 0o022


def digest(project: "Project", kind: str, content: str) -> str:
    """Return what an approval is kept under: it holds for this content in this place alone."""
    return fingerprint.of(kind, _real(project.root), content)


def is_approved(project: "Project", kind: str, content: str) -> bool:
    """Say whether a person has approved exactly this here. What others could have written holds nothing."""
    return digest(project, kind, content) in _read(_path(project))


def approve(project: "Project", kind: str, content: str, lines: "list[str]") -> bool:
    """Keep that a person approved this, with the lines that they were shown. Raises OSError.

    Says whether there is a place to keep it.
    """
    path = _path(project)
    if not path:
        return False
    entry = {"kind": kind, "path": _real(project.root), "at": int(time.time()), "lines": lines}
    approved = {**_read(path), digest(project, kind, content): entry}
    _write(path, dict(sorted(approved.items(), key=lambda item: item[1]["at"])[-MOST_KEPT:]))
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
    """Return every approval of every project, the latest first: its kind, path, time and the lines that were shown."""
    folder = paths.data_home() + "/trust"
    names = [name for name in _names(folder) if name.startswith("approved-")]
    found = [entry for name in names for entry in _read(f"{folder}/{name}").values()]
    return sorted(found, key=lambda entry: -entry["at"])


def _read_settings_anew(forgetting: bool = False) -> None:
    """Have the next events read the configs anew: they count differently from now on, although they have not changed.

    Of all projects, since this one may be known by several paths. The last good values stay, unless they may be what was
    taken back.
    """
    folder = paths.data_home() + "/settings"
    for name in _names(folder):
        path = f"{folder}/{name}"
        try:
            known = None if forgetting else quick.loads(paths.read(path))
        except ValueError:
            known = None
        if isinstance(known, dict):
            paths.write(path, quick.dumps({**known, "stamps": []}))
        else:
            paths.remove(path)


def _names(folder: str) -> "list[str]":
    try:
        return posix.listdir(folder)
    except OSError:
        return []


def heard(
    project: "Project", path: str, text: str, values: "dict[str, Any]", below: "dict[str, Any]"
) -> "tuple[dict[str, Any], list[str]]":
    """Return which values of a config count, and the keys that wait for an approval.

    `text` is what the values were read from, once: a file that is swapped in between changes nothing. The person's own
    config needs no approval.
    """
    own = f"{project.folder}/config.yaml"
    if path != own or project.folder == paths.config_home():
        return values, []
    counts, waiting = tightening.heard(values, below)
    approved = not waiting or (not strange_owner(project) and is_approved(project, CONFIG, text))
    return (values, []) if approved else (counts, waiting)


def strange_owner(project: "Project") -> str:
    """Return which of a project's config and its folder belongs to neither this user nor root; nothing where both are theirs.

    Whoever it belongs to can put another in its place at any moment.
    """
    places = (project.folder, project.folder + "/config.yaml")
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
    return f"{home}/trust/approved-{paths.key_of(_real(project.root))}.json"


def _real(path: str) -> str:
    from posixpath import realpath  # brings `os` with it, and is needed only here

    return realpath(path)


def _read(path: str) -> "dict[str, dict[str, Any]]":
    try:
        state = posix.lstat(path)
        if state.st_uid != posix.geteuid() or state.st_mode & (0o170000 | OTHERS_MAY_WRITE) != 0o100000:
            return {}
        told = quick.loads(paths.read(path, MOST_BYTES))
        return {what: entry for what, entry in told.items() if isinstance(entry["at"], int)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _write(path: str, approved: "dict[str, dict[str, Any]]") -> None:
    paths.make_folder(path.rpartition("/")[0])
    paths.write(path, quick.dumps(approved))
