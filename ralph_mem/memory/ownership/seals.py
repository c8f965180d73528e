"""Seal a database with an HMAC under the user's key, and check the seal."""

import posix

from ralph_mem.core import fast, hashing, paths
from ralph_mem.memory.store import connection

SEAL = "seal"  # the property with the number and its HMAC
NUMBER_DIGITS = 32  # 128 random bits
KEY_BYTES = 32
LINK, REGULAR, KIND = 0o120000, 0o100000, 0o170000


def put(opened: "connection.Store", folder: str = "") -> None:
    """Give a database that we made, for its folder or another one, its number and HMAC; none where no key can be kept."""
    secret = key() if can_be_shipped(folder or opened.folder) else b""
    if secret:
        number = posix.urandom(NUMBER_DIGITS // 2).hex()
        opened.set_property(SEAL, number + hashing.keyed(secret, number))


def is_seal(held: object, secret: bytes) -> bool:
    """Say whether a property is a seal under the user's key."""
    if not (isinstance(held, str) and held.isascii()):
        return False
    # a stranger cannot try often enough to learn anything from how long this takes
    return len(held) > NUMBER_DIGITS and hashing.keyed(secret, held[:NUMBER_DIGITS]) == held[NUMBER_DIGITS:]


def note(folder: str) -> None:
    """Keep outside of the project that the database which lies there now is ours; events believe that."""
    home = paths.data_home()
    if home and can_be_shipped(folder):
        try:
            path, verdict = connection.verdict_of(home, folder, posix.lstat(folder + "/memory.db").st_ino)
            paths.make_folder(f"{home}/{paths.KNOWN}")
            paths.write(path, verdict)
        except OSError:  # an unwritable home: there is no key either, or the events wait in the spool
            pass


def note_again(folder: str) -> None:
    """Say that what was noted was found to be so now; another home's database may be in that place already, and is not noted."""
    try:
        posix.utime(connection.verdict_of(paths.data_home(), folder, 0)[0])
    except OSError:  # as above
        pass


def can_be_shipped(folder: str) -> bool:
    """Say whether a repository can bring this folder along, as it cannot the memory of all projects in the config home."""
    return folder.endswith("/" + paths.STATE)


def key() -> bytes:
    """Return the user's key, made at the first need; nothing where none can be kept. Raises StoreError for a readable one."""
    home = paths.data_home()
    path = f"{home}/{paths.KEY}"
    if home and not paths.exists(path):
        _make_key(home, path)
    try:
        state = posix.lstat(path)
    except OSError:
        return b""
    found = bytes_of(path, KEY_BYTES)
    if state.st_uid == posix.geteuid() and state.st_mode & (KIND | 0o077) == REGULAR and len(found) == KEY_BYTES:
        return found
    raise fast.errors().StoreError(
        f"{path} is damaged, or not yours alone: your memories are told by it", f"chmod 600 {path}, or remove it"
    )


def bytes_of(path: str, limit: int) -> bytes:
    """Return the first bytes of a regular file that is no link; none where they cannot be read."""
    try:
        file = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_NOFOLLOW | posix.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return posix.read(file, limit) if posix.fstat(file).st_mode & KIND == REGULAR else b""
    finally:
        posix.close(file)


def kind_of(path: str) -> int:
    """Return what a path leads to, links not followed; 0 for nothing."""
    try:
        return posix.lstat(path).st_mode & KIND
    except OSError:
        return 0


def _make_key(home: str, path: str) -> None:
    """Make the user's key, unless another session was quicker, or it cannot be kept."""
    draft = f"{path}.{posix.getpid()}"
    try:
        paths.make_folder(home)
        file = posix.open(draft, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_NOFOLLOW | posix.O_CLOEXEC, 0o600)
        try:
            whole = posix.write(file, posix.urandom(KEY_BYTES)) == KEY_BYTES
        finally:
            posix.close(file)
        if whole:
            posix.link(draft, path)  # unlike a rename it leaves the key of another session
    except OSError:
        pass
    paths.remove(draft)
