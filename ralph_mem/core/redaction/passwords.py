"""Judge by its own letters whether a value is a password, wherever a weak sign of one stands before it."""

DIGITS, FEWEST, MOST = "0123456789", 8, 128  # characters of a password, and how many of a longer text are looked at
HEX_DIGITS = frozenset("0123456789abcdefABCDEF-")
# Characters to a change between capitals, small letters and digits: names in code that hold digits have more, of words made by
# chance nine in ten have fewer; of those in one case alone, which change less often, the long ones are told.
MOST_TO_A_CHANGE, MOST_IN_ONE_CASE, SHORTEST_GENERATED = 2.5, 3.3, 10
# Encodings and methods, which calls that encrypt are given as well.
METHODS = frozenset(
    "base64 base64url base32 utf8 utf16le latin1 sha1 sha224 sha256 sha384 sha512 rs256 hs256 es256 rsa2048 ed25519 scram-sha-256"
    " scram-sha-1".split()
)
# Words of sentences, of code and of what is shown in a form: four words with one of these are no passphrase.
UNTELLING_WORDS = frozenset(
    "the and for not with from your you are has have this that enter choose repeat confirm reset forgot invalid wrong change show"
    " must may can will should login user name new old type get set use using config settings args self env process request data"
    " secret password pass token key credential"
    " credentials test case default value string error file path code app service server client admin auth database"
    " hello world".split()
)


# What is said of a field beside that; and words that stand in any sentence, behind which a number may stand all the same.
OF_FORMS = UNTELLING_WORDS.union(
    "been blank can't cannot character characters chars chosen did different digit digits do does doesn't don't empty equal every"
    " expected expires failed given if invalid is it least length letters line long longer match matches max min minimum mismatch"
    " missing more most no numbers only or required same short shown specified step strong symbols than there too upper lower used"
    " caracteres caractères caratteri mindestens zeichen ungültig falsch tekens minimaal ongeldig verplicht znaków trop"
    " court requis incorrecto incorrecta mínimo obligatorio obligatoire obbligatorio vergessen vergeten oublié olvidó olvidada"
    " zurücksetzen"
    " about ago address contains valid version was weak when where which without within words between port line page".split()
)
JOINING = frozenset("a all an any as at be by http in of on so to".split())
LONGEST_SPACED = 16
FEWEST_STRANGE, MOST_STRANGE = 10, 6  # characters and words, of small ones that signs join: what is shorter is a name mostly
MOST_UNHEARD = 9  # words
FEWEST_ALONE = 13  # letters of a word alone, which is then one of several that nothing joins
FEWEST_SAID = 2  # words of forms; one alone stands in a password too
BRACKETS, RANGES = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">")), ("A-Z", "a-z", "0-9")


def is_password(value: str, style: str, is_called_so: bool) -> bool:
    """Say whether letters or digits alone are a password; `is_called_so`: the value speaks itself of what it would be."""
    if not is_called_so and (is_worded(value, style) or (style != "bare" and is_unknown(value))):
        return True
    if style == "quoted" and (is_spaced(value) or is_half_coined(value) or is_unheard(value)) and not is_called_so:
        return True
    if style in ("quoted", "greedy") and is_of_words(value) and not is_called_so:
        return True
    are_letters = value.replace("-", "").isalpha() and value.islower() and not is_called_so
    if style == "quoted" and (are_letters or (value.isdigit() and len(value) > 7)):
        return True
    is_cased = not (value.islower() or value.isupper())
    if style == "quoted" and is_cased and " " not in value and any([sign in value[1:-1] for sign in "<>|;="]) and "(" not in value:
        return True
    return is_passphrase(value) or (is_made_up(value, style) and not is_called_so)


def is_unknown(value: str) -> bool:
    """Say whether letters with a capital among them are words that neither code nor documentation knows: `Schranke`."""
    if not value.isalpha() or value.islower() or value.isupper():
        return False
    from ralph_mem.core.redaction import vocabulary  # lazy: only for letters alone

    return vocabulary.are_others(value)


def is_foreign(value: str) -> bool:
    """Say whether signs or capitals join words that neither code nor documentation has: `MeinHundHeisst_Balu`."""
    if " " in value or not value[:1].isalpha() or value.isupper() or not value.translate(_JOINED).replace(" ", "").isalnum():
        return False
    spaced = "".join([f" {char}" if char.isupper() else char if char.isalpha() else " " for char in value])
    words = [word.lower() for word in spaced.split()]
    if len(words) < 2 or value == value.lower():
        return False
    from ralph_mem.core.redaction import vocabulary  # lazy: only for words that something joins

    return OF_FORMS.isdisjoint(words) and vocabulary.are_all_others(words)


def is_strange(value: str) -> bool:
    """Say whether signs join small words that neither code nor documentation knows: `kanelbroodje-op-zondag`; or nothing does."""
    words = value.rstrip(DIGITS + "!?").replace("_", "-").split("-")
    fewest = FEWEST_STRANGE if len(words) > 1 else FEWEST_ALONE
    if len(words) >= MOST_STRANGE or len(value) < fewest or not all([word.isalpha() for word in words]):
        return False
    if value.lower() != value or not OF_FORMS.isdisjoint(words) or not JOINING.isdisjoint(words):
        return False
    from ralph_mem.core.redaction import vocabulary  # lazy: only for letters alone

    return vocabulary.are_all_others(words)


def is_unheard(value: str) -> bool:
    """Say whether a few words, some that neither code nor documentation has, say nothing of a form: `zomerregen in Utrecht`."""
    words = value.replace(",", "").split(" ")
    if not 1 < len(words) < MOST_UNHEARD or not all([word.isalpha() for word in words]) or value.isupper():
        return False
    if not OF_FORMS.isdisjoint(value.lower().split()):
        return False
    from ralph_mem.core.redaction import vocabulary  # lazy: only for letters alone

    return vocabulary.are_mostly_others([word.lower() for word in words])


def is_equated(value: str) -> bool:
    """Say whether a sign of code joins two words that no code has, one with a capital: `Stroopwafel=lekker`."""
    words = value.rstrip(DIGITS + "!?").replace("|", "=").split("=")
    if len(words) != 2 or not value[:1].isupper() or not all([word.isalpha() and len(word) > 2 for word in words]):
        return False
    from ralph_mem.core.redaction import vocabulary  # lazy: only for letters alone

    return vocabulary.are_all_others([word.lower() for word in words])


def is_made_up(value: str, style: str) -> bool:
    """Say whether letters alone are a password, by how they are mixed."""
    if is_jumbled(value, 2 if style in ("quoted", "flag") else 3):
        return True
    if not value.isalpha():
        return False
    from ralph_mem.core.redaction import letters  # lazy: only for letters alone

    return letters.are_random(value)


def is_passphrase(value: str) -> bool:
    """Say whether a value is four words or more, as people are told to make passwords, and no sentence, name or path."""
    sign = next((sign for sign in " -_." if sign in value), "")
    words = value.rstrip(DIGITS + "!?").rstrip("_").split(sign) if sign else []
    return (
        (len(words) > 3 or (len(words) == 3 and value[-2:].isdigit()))
        and all([word.isalpha() and 3 <= len(word) <= 9 and word[1:].islower() for word in words])
        and (value.islower() or all([word[0].isupper() for word in words]))
        and UNTELLING_WORDS.isdisjoint(value.lower().split(sign))
    )


def is_spaced(value: str) -> bool:
    """Say whether blanks part a few short words that no form or message says: `licht an 2024`, `velvet kitten`."""
    words = value.split(" ")
    is_numbered = any([char in DIGITS for char in value])
    return (
        1 < len(words) < (7 if is_numbered else 5)
        and (is_numbered or (value[0].islower() and value.replace(" ", "").isalpha() and JOINING.isdisjoint(words)))
        and words[0].translate(_WITHIN).isalpha()
        and all([word.translate(_WITHIN).isalnum() and len(word) <= LONGEST_SPACED for word in words])
        and OF_FORMS.isdisjoint(value.lower().split())
    )


def is_half_coined(value: str) -> bool:
    """Say whether signs join words of which the first has no capital and another has: `camion-Rojo`."""
    words = value.translate(_JOINED).split(" ")
    return (
        value[0].islower()
        and 1 < len(words) < 4
        and len(value) >= FEWEST
        and is_coined(value[0].upper() + value[1:])
        and all([word.isalpha() for word in words])
    )


def is_coined(value: str) -> bool:
    """Say whether signs join words that begin with a capital: `Copper-Kite`, `Amber&Fox`; dots, which code has too, only at two."""
    words = value.strip("!?").translate(_JOINED).split(" ")
    return (
        1 < len(words) < 6
        and " " not in value
        and len(value) >= FEWEST
        and all(
            [len(word) > 1 and word.isascii() and word.isalnum() and word[0].isupper() and word[1:].islower() for word in words]
        )
        and UNTELLING_WORDS.isdisjoint(value.translate(_JOINED).lower().split())
    )


def is_worded(value: str, style: str) -> bool:
    """Say whether joined words are a password where they stand: with capitals, or small ones with dots where code stands seldom."""
    if style in ("quoted", "greedy") and is_dotted(value):
        return True
    if style == "flag" and is_dotted(value) and any([char in DIGITS for char in value]):
        return True
    return (style != "bare" or "." not in value) and is_coined(value)


def is_dotted(value: str) -> bool:
    """Say whether two or three short words that dots join are no place in code, where a password is sure to stand: `gold.fern`."""
    words = value.split(".")
    if value[-1:] in DIGITS and value.lower() != value and 1 < len(words) < 5:  # `Maple.leaf41`
        return all(
            [word.rstrip(DIGITS).isalpha() and word[1:].islower() | (len(word.rstrip(DIGITS)) < 2) for word in words]
        ) and UNTELLING_WORDS.isdisjoint(_bare_words(words))
    return (
        1 < len(words) < 4
        and all([word.isascii() and word.rstrip(DIGITS).isalpha() and word.islower() and 2 < len(word) < 14 for word in words])
        and (value.replace(".", "").isalpha() or sum([char in DIGITS for char in value]) > 1)
        and UNTELLING_WORDS.isdisjoint(words)
    )


def is_said(value: str) -> bool:
    """Say whether small words that signs join are what a form or a log says of a password: `must_have_12_characters`."""
    return len(OF_FORMS.intersection(value.replace("-", "_").split("_"))) >= FEWEST_SAID


def is_of_words(value: str) -> bool:
    """Say whether people joined words: by signs, one with a capital, or three by capitals: `Oak-und-Elm`, `RedOakTree`."""
    words = value.translate(_JOINED).split(" ")
    if len(words) == 1 and value.isalpha() and not value.isupper():
        words = "".join([" " + char if char.isupper() else char for char in value]).split()
        are_words = len(words) > 2 and sum([len(word) > 2 for word in words]) > 1 and all([len(word) > 1 for word in words])
        are_words = are_words and UNTELLING_WORDS.isdisjoint(_bare_words(words))
        return are_words and _holds_other(words)
    return (
        1 < len(words) < 7
        and len(value) >= FEWEST
        and not any([sign in value for sign in " ."])
        and all([word.isalnum() for word in words])
        and any([len(word) > 3 and word[:1].isalpha() and word[1:].islower() for word in words])
        and value.lower() != value
        and value.lower() not in METHODS
        and UNTELLING_WORDS.isdisjoint(_bare_words(words))
    )


def _holds_other(words: "list[str]") -> bool:
    from ralph_mem.core.redaction import vocabulary  # lazy: only for letters alone

    return vocabulary.hold_other(words)


def _bare_words(words: "list[str]") -> "list[str]":
    """Return words in lower case, without the digits at their ends."""
    return [word.lower().rstrip(DIGITS) for word in words]


def is_odd(value: str) -> bool:
    """Say whether letters, digits and signs stand as in no word, call, path or list: `p)k7Hq!w<R2s`, `red,Wine33`."""
    signs = [char for char in value[:MOST] if not char.isalnum()]
    is_call = any(
        [
            value.find(opening) < value.rfind(close) and value[value.rfind(close) + 1 :][:1] in ("", ".", ",", ";", ":", ")", "]")
            for opening, close in BRACKETS
            if opening in value and close in value
        ]
    )
    return (
        len(value) >= FEWEST
        and bool(signs)
        and any([char in DIGITS for char in value])
        and value.lower() != value != value.upper()
        and not is_call
        and not any([sign in value for sign in RANGES])
        and not value.startswith(("/", "./", "~/", "$", "@", "<", "'", '"', "`", "[", "{"))
        and "://" not in value
        and value[-1] not in ",;:({[="
        and not (value.replace(".", "a").replace("-", "a").isidentifier() and value[0] not in "!*")
    )


def is_jumbled(value: str, least: int = 2) -> bool:
    """Say whether letters, with a digit at an end at most, look generated: what stands between their humps is no word."""
    value = value[:MOST].strip(DIGITS)
    parts = "".join(
        [" " + char if char.isupper() and before.islower() else char for before, char in zip(" " + value, value)]
    ).split()
    odd = [part for part in parts if len(part) < 3 or not any([vowel in part.lower() for vowel in "aeiouy"]) or part[:2].isupper()]
    return value.isalpha() and len(value) >= FEWEST and len(odd) >= least


def is_generated(value: str, least: int = SHORTEST_GENERATED) -> bool:
    """Say whether a word of letters and digits changes between them so often that it is made by chance, and is no number in hex."""
    bare = value.translate(_WITHOUT_SIGNS)
    if (
        len(bare) < least
        or len(value) - len(bare) > 1 + len(value) // (6 if value.isupper() else 12)
        or HEX_DIGITS.issuperset(value)
        or not bare.isascii()
        or is_of_class(bare)
    ):
        return False
    classes = bare.translate(_RUNS)
    changes = sum([one != two for one, two in zip(classes, classes[1:])])
    digits = classes.count("0")
    is_mixed = "a" in classes and "A" in classes
    most = MOST_TO_A_CHANGE if is_mixed or len(bare) < 14 else MOST_IN_ONE_CASE
    return (
        bare.isalnum()
        and digits < len(classes)
        and digits > (0 if is_mixed and len(bare) > 11 else 1)
        and len(bare) <= most * changes
    )


def is_of_class(value: str) -> bool:
    """Say whether words of three or four letters, each with a capital, and a digit or two name a class: `Gemma2TextModel`."""
    humps = sum([char.isupper() for char in value])
    digits = sum([char in DIGITS for char in value])
    return value[0].isupper() and humps > 2 and digits < 3 and 2 * (len(value) - digits) >= 7 * humps


def is_scrambled(value: str) -> bool:
    """Say whether letters of both cases, digits and many signs stand in no order, as generators of salts print them."""
    signs = {char for char in value if not char.isalnum() and char != " "}
    classes = [
        any([char.islower() for char in value]),
        any([char.isupper() for char in value]),
        any([char.isdigit() for char in value]),
    ]
    return len(value) > 31 and all(classes) and len(signs) > 7 and value.count(" ") * 12 < len(value)


def is_base32(value: str) -> bool:
    """Say whether capitals and the digits from 2 to 7 are the seed of one-time passwords."""
    return (
        len(value) > 15 and not value.strip("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") and sum(map(value.count, "AEIOU")) * 4 < len(value)
    )


_WITHIN = dict.fromkeys(map(ord, ".+&"), "a")
_WITHOUT_SIGNS = dict.fromkeys(map(ord, "_-+/="))
_JOINED = dict.fromkeys(map(ord, ".-_+&~*/#@"), " ")
_RUNS = {**dict.fromkeys(range(48, 58), "0"), **dict.fromkeys(range(65, 91), "A"), **dict.fromkeys(range(97, 123), "a")}
