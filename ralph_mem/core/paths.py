"""Locate the user's config and data folders, write files that only their owner can read, and lock them."""

import fcntl
import posix
import time
import zlib

STATE = ".ralph-mem"
# What lies in the data home, by the first part of its path, then what lies in the folder of a memory; places.py says what each is.
BACKUPS, FLAKY, FORGOTTEN, KNOWN, LOOPS, PROJECTS = "backups", "flaky", "forgotten", "known", "loops", "projects"
SETTINGS, SNAPSHOTS, SPOOL, TROUBLE, TRUST, EMBEDDINGS = "settings", "snapshots", "spool", "trouble", "trust", "embeddings"
CRASH, EXPORTS, EXPORT_KEY, KEY, PYTHON, QUOTA = "crash.txt", "exports.jsonl", "export-key", "key", "python", "quota"
HEARD, PAGE, WIRED, TEAM, TEAM_FOUND = "heard", "page-files", "hosts", "team", "team-found"
TEAM_FILES = ".ralph-team"  # in a work tree, tracked by git: what its people share
PAUSED, NEWS, PLUGIN, LEARNER, MODEL_COSTS, ROOMS, SCRATCH = (
    "paused",
    "news",
    "plugin-folder",
    "learner",
    "model-costs",
    "rooms",
    "scratch",
)
IN_ROOMS = "/ralph-mem/rooms/"  # in the path of all that lies in the room of a loop
GIT_COPIES = "git-copies"
ASIDE = ".unknown-"  # behind the name of a database that came with the folder and was set aside
CONFIG, OFF, LOCK, GITIGNORE, DAMAGED, RESTORED = "config.yaml", "off", "lock", ".gitignore", "damaged", "restored"
MODEL = "/embeddings/model.json"  # in the data home, and only where embeddings are set up
ALONE, SHARED = fcntl.LOCK_EX, fcntl.LOCK_SH  # ways to hold a lock
FOR_EVER = -1.0
POLL_S = 0.005  # as long as a short event holds a lock
DASHES = bytes.maketrans(bytes(range(48)) + b":;<=>?@[\\]^_`{|}~\x7f", b"-" * 66)  # for all of ASCII but letters and digits
LOOP = b"RALPH_MEM_LOOP"  # set for the agent of a headless loop: what it is told is not the user's word
HOMES: "dict[tuple[bytes, bytes | None, bytes | None], str]" = {}  # by what the environment says


def environment(name: str) -> str:
    """Return an environment variable as text, empty when it is unset."""
    return posix.environ.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def names(folder: str) -> "list[str]":
    """Return the sorted names in a folder, none where it is not there or out of reach."""
    try:
        return sorted(posix.listdir(folder))
    except OSError:
        return []


def config_home() -> str:
    """Return the folder of the user's own settings, or nothing where there is no home."""
    return _home(b"XDG_CONFIG_HOME", "/.config")


def data_home() -> str:
    """Return the folder of what we keep for the user outside projects, or nothing where there is no home."""
    return _home(b"XDG_DATA_HOME", "/.local/share")


def _home(variable: bytes, below: str) -> str:
    told = (variable, posix.environ.get(variable), posix.environ.get(b"HOME"))
    if told not in HOMES:  # a start asks two dozen times
        HOMES[told] = _below(environment(variable.decode()), below)
    return HOMES[told]


def _below(base: str, below: str) -> str:
    if base.startswith("/") and base.strip("/"):
        return base + "/ralph-mem"
    home = environment("HOME")
    # a home of "/" is what containers without a user have: nothing is written there
    return home.rstrip("/") + below + "/ralph-mem" if home.startswith("/") and home.strip("/") else ""


def key_of(path: str) -> str:
    """Return a file name for a path: readable, and different for different paths."""
    end = path[-80:]
    if end.isascii():  # each event asks for two or three: twenty times as quick as to look at each character
        name = end.encode().translate(DASHES).decode()
    else:
        name = "".join([char if char.isalnum() and char.isascii() else "-" for char in end])
    name = name.strip("-")
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
        return posix.access(path, posix.F_OK)  # cheaper than a status, which no caller needs, and than an error for what is missing
    except ValueError:
        return False


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
    """Write a file that only its owner can read, whole or not at all. Raises OSError, which names the file."""
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
    except OSError as error:
        remove(draft)
        error.filename = path  # to write into a file that is open names none
        raise


def open_lock(folder: str) -> int:
    """Open the lock file of a folder, which is made where it is missing, for its owner alone. Raises OSError."""
    return posix.open(f"{folder}/{LOCK}", posix.O_RDWR | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_CLOEXEC, 0o600)


def lock(file: int, how: int = ALONE, wait_s: float = 0) -> bool:
    """Lock an open file or folder until it is closed; says whether it could be had in that time. Raises OSError without locks."""
    if wait_s == FOR_EVER:
        fcntl.flock(file, how)
        return True
    end = wait_s and time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(file, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if not end or time.monotonic() >= end:
                return False
            time.sleep(POLL_S)
        else:
            return True


def hold_byte(file: int, at: int) -> bool:
    """Lock one byte of an open file for as long as this process lives; says whether nobody else has."""
    posix.lseek(file, at, 0)
    try:
        posix.lockf(file, posix.F_TLOCK, 1)
    except OSError:
        return False
    return True


def is_byte_held(file: int, at: int) -> bool:
    """Say whether another process has locked a byte of an open file."""
    posix.lseek(file, at, 0)
    try:
        posix.lockf(file, posix.F_TEST, 1)
    except OSError:
        return True
    return False


FICLONE = 0x40049409  # of Linux


def clone(source: int, target: int) -> bool:
    """Have an open file share the bytes of another until one is written to; says whether the file system can do that."""
    try:
        fcntl.ioctl(target, FICLONE, source)
    except OSError:
        return False
    return True


def remove(path: str) -> None:
    """Remove a file if it is there."""
    try:
        posix.unlink(path)
    except OSError:
        pass


def is_out_of_use(home: str) -> bool:
    """Say whether nothing was ever kept in a data home, not even the user's key, nor can be."""
    if exists(f"{home}/{KEY}"):
        return False
    while home and not exists(home):
        home = home.rpartition("/")[0]
    return not posix.access(home + "/.", posix.W_OK | posix.X_OK)


def pause_of(session: str) -> str:
    """Return the file that is there while a session of a client is paused; its place stands for no session without a home."""
    return f"{data_home()}/{PAUSED}/{key_of(session)}"


def may_wait(folder: str) -> bool:
    """Say whether there is a spool, in which events may wait for the memory that lies in a folder."""
    return exists(f"{data_home()}/{SPOOL}") or exists(f"{folder}/{SPOOL}")
