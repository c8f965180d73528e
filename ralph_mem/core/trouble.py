"""Trouble: one line about what went wrong, kept until the next session start tells the user."""

from ralph_mem.core import paths


def note(project: str, line: str) -> None:
    """Keep a line; a newer one takes its place. Where nothing can be written it is lost."""
    for path in _places(project):
        try:
            paths.make_folder(path.rpartition("/")[0])
            paths.write(path, line[:300].replace("\n", " "))
        except OSError:
            continue
        return


def take(project: str) -> str:
    """Return the line that waits, and forget it."""
    for path in _places(project):
        line = paths.read(path, 1024)
        if line:
            paths.remove(path)
            return line
    return ""


def _places(project: str) -> "list[str]":
    home = paths.data_home()
    folder = f"{project.rstrip('/')}/{paths.STATE}"
    near = [f"{folder}/trouble"] if paths.exists(folder) else []
    return [*near, f"{home}/trouble/{paths.key_of(project)}"] if home else near
