"""Encryption: exports behind a passphrase, in the format of age, so that `age --decrypt` opens them as well, without us."""

from ralph_mem.core.errors import RalphMemError
from ralph_mem.extras import MissingExtra

MARK = b"age-encryption.org/v1"
# Four random words have as much; what is shorter is guessed in an afternoon, however slow each guess is made.
FEWEST_CHARACTERS = 12


def locked(data: bytes, words: str) -> bytes:
    """Return data that only the passphrase opens; making it takes about a second, as each guess would. Raises MissingExtra."""
    if len(words) < FEWEST_CHARACTERS:
        raise RalphMemError(f"the passphrase is shorter than {FEWEST_CHARACTERS} characters", "four or more random words are good")
    _need()
    from pyrage import passphrase

    return bytes(passphrase.encrypt(data, words))


def is_locked(data: bytes) -> bool:
    """Say whether an export is behind a passphrase."""
    return data.startswith(MARK)


def opened(data: bytes, words: str) -> bytes:
    """Return what a passphrase opens. Raises RalphMemError where it is the wrong one, or the file is damaged; MissingExtra."""
    _need()
    import pyrage

    try:
        return bytes(pyrage.passphrase.decrypt(data, words))
    except pyrage.DecryptError:
        raise RalphMemError(
            "the passphrase does not open this file, nothing was taken in", "another one, or the file is damaged"
        ) from None


def _need() -> None:
    try:
        import pyrage  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise MissingExtra("encrypted exports need pyrage", "pip install 'ralph-mem[encryption]'") from error
