"""Where files lie: the user's config and data homes, and files only their owner can read."""

import posix
import zlib

STATE = ".ralph-mem"
MODEL = "/embeddings/model.json"  # in the data home, and only where embeddings are set up
LOOP = b"RALPH_MEM_LOOP"  # set for the agent of a headless loop: what it is told is not the user's word


def environment(name: str) -> str:
    """Return an environment variable as text, empty when it is unset."""
    return posix.environ.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def config_home() -> str:
    """Return the folder of the user's own settings, or nothing where there is no home."""
    return _home("XDG_CONFIG_HOME", "/.config")


def data_home() -> str:
    """Return the folder of what we keep for the user outside projects, or nothing where there is no home."""
    return _home("XDG_DATA_HOME", "/.local/share")


def _home(variable: str, below: str) -> str:
    base = environment(variable)
    if base.startswith("/") and base.strip("/"):
        return base + "/ralph-mem"
    home = environment("HOME")
    # a home of "/" is what containers without a user have: nothing is written there
    return home.rstrip("/") + below + "/ralph-mem" if home.startswith("/") and home.strip("/") else ""


def key_of(path: str) -> str:
    """Return a file name for a path: readable, and different for different paths."""
    name = "".join(char if char.isalnum() and char.isascii() else "-" for char in path[-80:]).strip("-")
    return f"{name}-{zlib.crc32(path.encode('utf-8', 'surrogateescape')):08x}"


def make_folder(path: str) -> None:
    """Make a folder, and those above it, that only the owner can enter. Raises OSError."""
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:  # or another process was quicker
        return
    except FileNotFoundError:
        above = path.rpartition("/")[0]
        if not above:
            raise
        make_folder(above)
        posix.mkdir(path, 0o700)


def exists(path: str) -> bool:
    """Say whether something is there, links followed."""
    try:
        posix.stat(path)
    except (OSError, ValueError):
        return False
    return True


def same_place(one: str, other: str) -> bool:
    """Say whether two paths lead to the same file or folder."""
    try:
        a, b = posix.stat(one), posix.stat(other)
    except (OSError, ValueError):
        return False
    return (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)


def is_folder(path: str) -> bool:
    """Say whether a folder is there that is no link: a repository may bring one along that leads elsewhere."""
    try:
        return posix.lstat(path).st_mode & 0o170000 == 0o040000
    except (OSError, ValueError):
        return False


def read(path: str, limit: int = 65_536) -> str:
    """Return at most `limit` bytes of a regular file as text, and nothing where it cannot be read."""
    try:
        # not blocking: a FIFO of that name must not hold up a hook
        file = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        return posix.read(file, limit).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        posix.close(file)


def write(path: str, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all. Raises OSError."""
    draft = f"{path}.{posix.getpid()}"
    file = posix.open(draft, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_NOFOLLOW | posix.O_CLOEXEC, 0o600)
    try:
        try:
            data = memoryview(text.encode("utf-8", "surrogateescape"))
            while data:
                data = data[posix.write(file, data) :]
        finally:
            posix.close(file)
        posix.rename(draft, path)
    except OSError:
        remove(draft)
        raise


def remove(path: str) -> None:
    """Remove a file if it is there."""
    try:
        posix.unlink(path)
    except OSError:
        pass
