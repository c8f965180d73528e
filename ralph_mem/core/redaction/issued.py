"""Judge by a closer look whether a value was issued, generated or coined, or is code."""

from ralph_mem.core.redaction.values import (
    DIGITS,
    LETTERS,
    RANDOM_FLOOR,
    RANDOM_LETTERS,
    SECRET_FLOOR,
    SYMBOLS,
    are_random_letters,
    is_called_so,
    is_filler,
    is_plain,
    looks_random,
)


def is_key(value: str, style: str) -> bool:
    """Say whether a value is generated, and no sentence, address or expression; `style` as for `names.is_secret`."""
    is_sentence = " " in value and any([word.isalpha() and word.islower() and len(word) > 2 for word in value.split(" ")])
    is_odd = style != "listed" and any([char in value for char in "!#^&*?~"]) and stands_alone(value)
    is_expression = (style == "bare" and is_code(value)) or _is_class(value)
    is_address = is_sentence or is_expression or value.startswith(("arn:", "sha256/")) or "://" in value
    return (looks_random(value) or is_odd or (style != "bare" and is_generated(value, 12))) and not is_address


def is_said(value: str) -> bool:
    """Say whether small words that signs join are what a form or a log says, and no password."""
    from ralph_mem.core.redaction import passwords  # lazy: only for words that are joined

    return passwords.is_said(value)


def _is_class(value: str) -> bool:
    from ralph_mem.core.redaction import passwords  # lazy: only for what may be one

    return value.isalnum() and passwords.is_of_class(value)


def _is_wordy(value: str) -> bool:
    from ralph_mem.core.redaction import letters  # lazy: only for what is issued

    return letters.are_words(value)


def is_generated(value: str, least: int) -> bool:
    """Say whether a value of at least so many characters was generated, random letters too."""
    from ralph_mem.core.redaction import passwords  # lazy: only for what may be one

    return passwords.is_generated(value, least) or passwords.is_scrambled(value) or are_random_letters(value)


def is_issued(value: str, kind: str, style: str) -> bool:
    """Say whether a value holds more than letters, and is no path, name or expression."""
    is_mixed = _is_mixed(value) or looks_random(value)
    if (
        " " in value
        or is_plain(value)
        or not is_mixed
        or (style in ("bare", "flag") and is_code(value.lstrip("!*" * (style == "flag"))))
    ):
        return False
    if style == "listed" and value[0] == "-" and not looks_random(value):  # an option
        return False
    if kind == "password" and style == "listed" and not is_called_so(value):
        return sum(map(value.count, DIGITS)) > 1 or any([char in value for char in SYMBOLS]) or not _is_wordy(value)
    is_numbered = value[0].isupper() and value[-2:].isdigit() and style != "listed" and not is_called_so(value)
    return (kind == "password" and style != "listed") or is_numbered or not _is_wordy(value)


def stands_alone(value: str) -> bool:
    """Say whether a value is none but generated or a password, wherever it stands near a name: no word, name or path looks so."""
    if len(value) < SECRET_FLOOR or is_filler(value) or is_plain(value) or is_code(value):
        return False
    if looks_random(value) or _is_hexed(value):
        return True
    signs = sum([any([char in value for char in each]) for each in (LETTERS[:26], LETTERS[26:], DIGITS)])
    is_odd = any([char in value for char in SYMBOLS]) and signs > 1
    return (is_odd or (signs > 2 and sum(map(value.count, DIGITS)) > 1)) and not any([char in value for char in "/\\()[]{}=,:;<>|"])


def _is_hexed(value: str) -> bool:
    if len(value) < RANDOM_FLOOR or len(value) % 2:
        return False
    from ralph_mem.core.redaction import letters  # lazy: only for long words

    return letters.are_hexed(value)


def is_code(value: str) -> bool:
    """Recognise an unquoted value that is an expression: attribute access, a scope, a reference."""
    if ("::" in value and not looks_random(value)) or "->" in value or value.startswith(("$", "@", "&", "*", "!", "(", "[", "{")):
        return True
    if ":" in value and all([is_plain(part) for part in value.split(":") if part]):  # of a store: `stats:2031-03-04:issued`
        return True
    parts = value.split(".")
    # the parts of a token with dots are longer than most names
    is_token = looks_random(value) and max(map(len, parts)) > 18
    if parts[0][:1].isupper() and parts[-1][:1].isupper() and value[-1:].isdigit() and not is_called_so(value):  # `Gang4.Fach12`
        return False
    if len(parts) < 2 or is_token or not all(part.isidentifier() for part in parts):
        return False
    return not any([len(part) > SECRET_FLOOR and is_generated(part, RANDOM_LETTERS) for part in parts])  # `cf339h.bkj4g7ekkj5g4d1h`


def _is_mixed(value: str) -> bool:
    has_letter = bool(value.strip(DIGITS + SYMBOLS + "_-./:="))
    return has_letter and any(char in value[1:-1] or char in value[-1] for char in DIGITS + SYMBOLS)
