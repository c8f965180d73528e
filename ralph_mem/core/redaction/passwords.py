"""Judge by its own letters whether a value is a password, wherever a weak sign of one stands before it."""

from ralph_mem.core.redaction.names import (
    DIGITS,
    LETTERS,
    SECRET_FLOOR,
    SYMBOLS,
    is_called_so,
    is_code,
    is_filler,
    is_plain,
    looks_random,
)  # fmt: skip

# Words of sentences, of code and of what is shown in a form: four words with one of these are no passphrase.
UNTELLING_WORDS = frozenset(
    "the and for not with from your you are has have this that enter choose repeat confirm reset forgot invalid wrong change show"
    " must may can will should login user name new old type get set use using config settings args self env process request data"
    " test case default value string error file path code app service server client admin auth database".split()
)


def is_made_up(value: str, style: str) -> bool:
    """Say whether letters alone are a password, by how they are mixed."""
    return is_jumbled(value, 2 if style in ("quoted", "flag") else 3) and not is_called_so(value)


def is_passphrase(value: str) -> bool:
    """Say whether a value is four words or more, as people are told to make passwords, and no sentence, name or path."""
    sign = next((sign for sign in " -_." if sign in value), "")
    words = value.rstrip(DIGITS + "!?").split(sign) if sign else []
    return (
        (len(words) > 3 or (len(words) == 3 and value[-2:].isdigit()))
        and all([word.isalpha() and 3 <= len(word) <= 9 and word[1:].islower() for word in words])
        and (value.islower() or all([word[0].isupper() for word in words]))
        and UNTELLING_WORDS.isdisjoint(value.lower().split(sign))
        and not is_called_so(value)
    )


def stands_alone(value: str) -> bool:
    """Say whether a value is none but generated or a password, wherever it stands near a name: no word, name or path looks so."""
    if len(value) < SECRET_FLOOR or is_filler(value) or is_plain(value) or is_code(value):
        return False
    if looks_random(value) or is_hexed(value):
        return True
    signs = sum([any([char in value for char in each]) for each in (LETTERS[:26], LETTERS[26:], DIGITS)])
    is_odd = any([char in value for char in SYMBOLS]) and signs > 1
    return (is_odd or (signs > 2 and sum(map(value.count, DIGITS)) > 1)) and not any([char in value for char in "/\\()[]{}=,:;<>|"])


def is_hexed(value: str) -> bool:
    """Say whether hexadecimal digits stand for a readable text."""
    try:
        return len(value) > 15 and len(value) % 2 == 0 and bytes.fromhex(value).decode("ascii").isprintable()
    except ValueError:
        return False


def is_jumbled(value: str, least: int = 2) -> bool:
    """Say whether letters, with a digit at an end at most, look generated: what stands between their humps is no word."""
    value = value.strip(DIGITS)
    parts = "".join(
        [" " + char if char.isupper() and before.islower() else char for before, char in zip(" " + value, value)]
    ).split()
    odd = [part for part in parts if len(part) < 3 or not any([vowel in part.lower() for vowel in "aeiouy"]) or part[:2].isupper()]
    return value.isalpha() and len(value) >= SECRET_FLOOR and len(odd) >= least
