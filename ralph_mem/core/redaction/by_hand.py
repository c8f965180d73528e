"""Judge whether a lone value is a password such as people make up."""

from ralph_mem.core.redaction import passwords
from ralph_mem.core.redaction.passwords import is_coined
from ralph_mem.core.redaction.values import DIGITS, LETTERS, SYMBOLS, is_called_so, is_filler, is_plain

FEWEST, MOST = 8, 64
STRANGE = " ()[]{}<>,;=\\`\"'|"  # which people seldom put into one
NO_FIRST = "/.$-%:#@&+"


def is_made_by_hand(value: str) -> bool:
    """Say whether a lone value is a password such as people make up: words with capitals, or letters with digits and signs."""
    if not FEWEST <= len(value) <= MOST or not value.isascii() or not value.isprintable() or value[0] in NO_FIRST:
        return False
    if any([sign in value for sign in STRANGE]) or "://" in value or is_filler(value) or is_plain(value) or is_called_so(value):
        return False
    if is_coined(value):
        return True
    host = value.rpartition("@")[2] if "@" in value else ""
    shapes = [any([char in value for char in each]) for each in (LETTERS[:26], LETTERS[26:], DIGITS, SYMBOLS)]
    is_address = "." in host or value.count("/") > 1
    return sum(shapes) > 2 and not value.replace("-", "").replace(".", "").isalpha() and not value.isidentifier() and not is_address


def is_thought_up(value: str) -> bool:
    """Say whether a value, where one belongs, is a password that people thought up: as above, or words that no code has."""
    if not FEWEST - 2 <= len(value) <= MOST or value[0] in NO_FIRST or is_filler(value) or is_called_so(value) or "://" in value:
        return False
    if is_made_by_hand(value) or passwords.is_passphrase(value) or passwords.is_strange(value) or passwords.is_foreign(value):
        return True
    if " " in value:
        return passwords.is_spaced(value) or passwords.is_unheard(value)
    from ralph_mem.core.redaction import vocabulary  # lazy: only for one word

    return passwords.is_unknown(value) or vocabulary.stands_out(value)
