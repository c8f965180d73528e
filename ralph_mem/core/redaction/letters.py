"""Say whether letters are words, stand beside each other by chance, or are spelled out in hexadecimal digits."""

# Behind each letter those that follow it in fewer than three of ten thousand pairs, in the mean of the 8,000 most frequent words of
# each of 27 languages in Latin letters (without accents) and of the names in Python's standard library.
RARE = (
    "eqx bcdfghjkmnpqstvwxz bdfgjmpqvwxy bcfghjkmpqvwx q bcdghjkmnpqsvwxyz bcdfjmpqvwxz bcdfghjkmpqsvwxyz qwx"
    " bcdfghjklmnpqrtvwxyz bcdfghjmpqvwxz bcfhpqrwxz cdfghjkqrvwxz bhmpqrwx qx bcdfghjkmnqvwxyz abcdefghijklmnopqrstvwxyz jqwx"
    " bdfgqrwx bcdfgjmpqwxz fqwxy bcdfghjkmpqstvwxz bcdfghjklmnpqrstuvwxyz abcdefghijklmnopqrstuvwxyz bdfghijpquvwxyz"
    " bcfghjkmpqrstwxz"
).split()
DIGITS = "0123456789"
FEWEST, MOST = 10, 128
# Of ten letters four such pairs, of more three in ten: nine of ten texts made by chance have them (from twelve letters on), and one
# of 2,000 words, of 200 names of the standard library that are written without a sign between their words.
FEWEST_RARE, RARE_OF_TEN = 4, 3
FEWEST_DIFFERENT = 7  # letters; what has fewer is a pattern, as is the alphabet
ALPHABET = "abcdefgh"


def are_random(value: str) -> bool:
    """Say whether a value is ASCII letters of one case and nothing else, ten or more, in an order that no word has."""
    letters = value[:MOST].lower()
    if len(value) < FEWEST or not (value.isalpha() and value.isascii()) or (value != letters and not value.isupper()):
        return False
    rare = sum([second in RARE[ord(first) - 97] for first, second in zip(letters, letters[1:])])
    is_odd = rare >= FEWEST_RARE and 10 * rare >= RARE_OF_TEN * (len(letters) - 1)
    return is_odd and len(set(letters)) >= FEWEST_DIFFERENT and ALPHABET not in letters


def are_mixed(value: str) -> bool:
    """Say whether a third of letters are capitals, as where both cases are made by chance."""
    return not value.isupper() and 3 * sum([char.isupper() for char in value]) >= len(value)


def are_words(value: str) -> bool:
    """Words with a small number at the end of some: token1, my-key-v2, sha256."""
    for separator in "-./: ":
        value = value.replace(separator, "_")
    if value.isupper() and sum([len(part) > 3 and part.isalpha() for part in value.split("_")]) > 1:  # a constant
        return True
    parts = (part.rstrip(DIGITS) if len(part) - len(part.rstrip(DIGITS)) < 4 else part for part in value.split("_"))
    return all(not part or (part.isalpha() and (part[1:].islower() or part.isupper()) and not are_random(part)) for part in parts)


def are_hexed(value: str) -> bool:
    """Say whether hexadecimal digits stand for a readable text."""
    try:
        return len(value) > 15 and len(value) % 2 == 0 and bytes.fromhex(value).decode("utf-8").isprintable()
    except ValueError:
        return False
