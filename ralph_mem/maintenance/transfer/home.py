"""Keep the key by which this home knows its exports again, and the list of where they lie."""

import contextlib
import json
import os
import stat
from pathlib import Path

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.extras import MissingExtra, installation

MARK = b"age-encryption.org/v1"
# Four random words have as much; what is shorter is guessed in an afternoon, however slow each guess is made.
ARMOR = "-----BEGIN AGE ENCRYPTED FILE-----"
FEWEST_CHARACTERS = 12


def locked(data: bytes, words: str) -> bytes:
    """Return data that only the passphrase opens; making it takes about a second, as each guess would. Raises MissingExtra."""
    if len(words) < FEWEST_CHARACTERS:
        raise RalphMemError(f"the passphrase is shorter than {FEWEST_CHARACTERS} characters", "four or more random words are good")
    _need()
    from pyrage import passphrase  # lazy: brought by the extra `encryption`; whoever has not got it is told how to get it

    return bytes(passphrase.encrypt(data, words))


def is_locked(data: bytes) -> bool:
    """Say whether an export is behind a passphrase."""
    return data.startswith(MARK)


def opened(data: bytes, words: str) -> bytes:
    """Return what a passphrase opens. Raises RalphMemError where it is the wrong one, or the file is damaged; MissingExtra."""
    _need()
    import pyrage  # lazy: brought by the extra `encryption`; whoever has not got it is told how to get it

    try:
        return bytes(pyrage.passphrase.decrypt(data, words))
    except pyrage.DecryptError:
        raise RalphMemError(
            "the passphrase does not open this file, nothing was taken in", "another one, or the file is damaged"
        ) from None


# A text of a team, by a key that its members share


def new_key() -> str:
    """Return a new key. Raises MissingExtra."""
    _need()
    import pyrage  # lazy: as above

    return str(pyrage.x25519.Identity.generate())


def is_key(key: str) -> bool:
    """Say whether a text is such a key. Raises MissingExtra."""
    _need()
    import pyrage  # lazy: as above

    try:
        return bool(pyrage.x25519.Identity.from_str(key))
    except pyrage.IdentityError:
        return False


def recipient(key: str) -> str:
    """Return the public half of a key, which locks and does not open. Raises MissingExtra."""
    _need()
    import pyrage  # lazy: as above

    return str(pyrage.x25519.Identity.from_str(key).to_public())


def sealed(text: str, key: str) -> str:
    """Return a text that only the key opens, in lines of ASCII. Raises MissingExtra."""
    _need()
    import pyrage  # lazy: as above

    identity = pyrage.x25519.Identity.from_str(key)
    return bytes(pyrage.encrypt(text.encode(), [identity.to_public()], armored=True)).decode("ascii")


def is_sealed(text: str) -> bool:
    """Say whether a text needs a key."""
    return text.startswith(ARMOR)


def unsealed(text: str, key: str) -> str:
    """Return the text that a key opens. Raises ValueError where it does not, or the text is damaged; MissingExtra."""
    _need()
    import pyrage  # lazy: as above

    try:
        return bytes(pyrage.decrypt(text.encode(), [pyrage.x25519.Identity.from_str(key)])).decode()
    except pyrage.DecryptError as error:
        raise ValueError(str(error)) from error


def _need() -> None:
    try:
        # lazy: brought by the extra `encryption`; whoever has not got it is told how to get it
        import pyrage  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise MissingExtra("what is encrypted needs pyrage", installation("encryption")) from error


KEY_BYTES = 32
PRIVATE = os.O_NOFOLLOW | os.O_CLOEXEC


def key() -> bytes:
    """Return the key of this home, made for the first export; nothing where there is no home to keep it in."""
    home = paths.data_home()
    if not home:
        return b""
    try:
        paths.make_folder(home)
        if not paths.exists(f"{home}/{paths.EXPORT_KEY}"):
            _make_key(f"{home}/{paths.EXPORT_KEY}")
        found = bytes.fromhex(paths.read(f"{home}/{paths.EXPORT_KEY}").strip())
    except (OSError, ValueError):
        return b""
    return found if len(found) == KEY_BYTES else b""


def _make_key(path: str) -> None:
    draft = f"{path}.{os.urandom(4).hex()}"
    paths.write(draft, os.urandom(KEY_BYTES).hex() + "\n")
    try:
        with contextlib.suppress(FileExistsError):  # another export was quicker, and its key counts
            os.link(draft, path)
    finally:
        paths.remove(draft)


def write(path: Path, data: bytes, at: int, *, force: bool = False) -> None:
    """Write an export that only its owner can read, and list it. Raises RalphMemError where something is there, unless forced."""
    path = path.absolute()
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}") if force else path
    try:
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PRIVATE, 0o600)
    except FileExistsError:
        raise RalphMemError(f"{path} is there already", "give another name, or write over it with --force") from None
    try:
        list_it(str(path), at)  # before the first byte: a forget has to name a file that a kill left half written as well
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(file)
        if force:
            draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def list_it(path: str, at: int) -> None:
    """Note where an export was written, for a forget to name it; without a home nobody can."""
    home = paths.data_home()
    if home:
        paths.make_folder(home)
        file = os.open(f"{home}/{paths.EXPORTS}", os.O_WRONLY | os.O_APPEND | os.O_CREAT | PRIVATE, 0o600)
        with os.fdopen(file, "w", encoding="utf-8") as opened:
            opened.write(json.dumps({"path": path, "at": at}) + "\n")


def read(path: Path, most: int) -> bytes:
    """Return the bytes of an export, at most so many. Raises RalphMemError for what is no file, cannot be read, or is too large."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a FIFO of that name must not keep anybody waiting
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "No such file"
        raise RalphMemError(f"{why}: {path}", "look at the path: it is read from the folder that you are in") from error
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise RalphMemError(f"{path} is not a file", "name one that `ralph-mem export` wrote")
        if found.st_size > most:
            raise RalphMemError(f"{path} has {found.st_size:,} bytes, more than an export can have", "is it the right file?")
        with os.fdopen(file, "rb", closefd=False) as opened:
            return opened.read(most)
    finally:
        os.close(file)


def behind(number: int) -> str:
    """Return the path of the file that a stream writes to, or nothing where it is no file: `ralph-mem export > FILE`."""
    try:
        if stat.S_ISREG(os.fstat(number).st_mode):
            return str(Path(f"/proc/self/fd/{number}").readlink())
    except OSError:
        pass
    return ""
