"""Find passwords that a text gives with an account or with words of getting in, and does not name."""

from ralph_mem.core.redaction.values import DIGITS, LETTERS, is_called_so, is_filler

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]
    Said = tuple[int, int, bool]  # where a value begins and ends in a line, and whether it stands in marks

# What parts a user and a password; the last three part much else, so that more has to be said beside them.
SIGNS = ("/", "//", "+", "->", "\u2192")
USERS = frozenset("admin administrator root guest gast guest1 operator service ubnt pi user scott sa sys sysdba test".split())
# Beginnings of words that speak of getting in, of those that speak of an account, in some languages.
ENTERING = (
    "get in", "gets in", "got in", "log in", "logs in", "logged in", "log on", "login", "sign in", "signed in", "unlock", "opens ",
    "open it", "ssh ", "anmeld", "melde", "einlogg", "eingelogg", "rein", "entsperr", "aufsperr", "kommst", "eingeb", "eintipp",
    "gibt", "connecte", "rentre", "d\u00e9verrouill", "saisi", "tape", "acced", "entra", "entre ", "inicia", "ingres", "inlog",
    "log je", "logga in", "logg inn", "zalog", "loguj", "logowa", "wejd", "wpisz", "accede", "bejelent", "p\u0159ihl\u00e1s",
    "\u30ed\u30b0\u30a4\u30f3", "\u5408\u8a00\u8449", "\u0432\u0445\u043e\u0434", "\u0432\u043e\u0439\u0442\u0438",
)  # fmt: skip
OF_ACCOUNTS = (
    *ENTERING, "user", "account", "cred", "admin", "ftp", "console", "portal", "benutzer", "konto", "konta", "zugang", "compte",
    "identifiant", "acc\u00e8s", "usuari", "cuenta", "mailbox", "postfach", "authentic", "conta ", "utilizador", "utente",
    "accesso", "gebruiker", "dost\u0119p", "anv\u00e4ndar", "bruker", "\u30e6\u30fc\u30b6", "\u043b\u043e\u0433\u0438\u043d",
    "passw", "kennwort", "box", "router", "nas",
)  # fmt: skip
NAMED = ("passw", "kennwort", "contrase", "mot de passe", "senha", "has\u0142", "wachtwoord", "l\u00f6senord")
# A word before a value that says by what one gets in; one that only joins it to the account.
BY = frozenset(
    "with using use used type types enter say says takes need needs mit gib gibt nimm braucht brauchst avec tape tapes tapez"
    " saisir saisis saisissez con usando escribe pon com usa digita digite escreva met typ tik med skriv z wpisz".split()
)
JOINING = frozenset(
    "then and dann und puis et luego y poi depois e daarna en potem i och is now jetzt to auf c'est"
    " acceso acc\u00e8s dost\u0119p zugang".split()
)
TYPED = frozenset(
    "eintippen eingeben eintippt eingibt ein rein an anmelden einloggen tippen saisir invoeren wpisa\u0107"
    " gesetzt umgestellt ge\u00e4ndert".split()
)
OF_CODE = frozenset("use uses using used type types".split())  # before what names something in code too
CODES = frozenset("code digicode zahlencode t\u00fcrcode c\u00f3digo codice cadenas kod kode kood combination secours".split())
OF_STATES = frozenset(  # whose codes open none
    "error exit status http return fehler zip country response postal area erreur".split()
)
LOCKS = (
    "door", "t\u00fcr", "safe", "tresor", "alarm", "porte ", "puerta", "porta ", "padlock", "schloss", "unlock", "entsperr",
    "eintipp", "tippt", "badge", "secours", "kiosk", "digicode", "cadenas", "lockscreen", "schl\u00fcsselkasten", "deur", "kluis",
    "operator card", "serverraum", "server room", "gate",
)  # fmt: skip
MARKS = {
    "<b>": "</b>",
    "<code>": "</code>",
    "<strong>": "</strong>",
    "**": "**",
    "`": "`",
    '"': '"',
    "\u201e": "\u201c",
    "\u201c": "\u201d",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "'": "'",
}
AROUND = "`*\"'\u201e\u201c\u201d\u00ab\u00bb(),;:[]"
JOINED = dict.fromkeys(map(ord, "-._"), " ")
ODD = "!#&*+~@%$^?"
FEWEST, MOST, LONGEST_LINE, LONGEST_SAID = 7, 40, 1500, 60
FEWEST_HUMPED = 12  # letters of words that capitals join: what is shorter is a product mostly
NEAR, FAR, MOST_WORDS = 48, 160, 8


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    spans: list[Span] = []
    nouns = [word for word in (*OF_ACCOUNTS, *LOCKS) if word in folded]
    at = 0
    for line in text.split("\n") if nouns or " / " in text else ():
        if len(line) <= LONGEST_LINE and " " in line.strip():
            around = folded[max(0, at - FAR) : at + len(line)]
            if " / " in line or any([word in around for word in nouns]):
                whole = text[at : at + len(line) + LONGEST_SAID].replace("\n", " ")  # a sentence goes on below
                found = _of_line(line, whole, folded[at : at + len(whole)], around)
                spans += [(at + start, at + end, "password") for start, end in found]
        at += len(line) + 1
    return spans


def _of_line(line: str, whole: str, folded: str, around: str) -> "list[tuple[int, int]]":
    found, at, before = [], 0, ""
    for word in line.split(" "):
        bare = word.strip(AROUND).lower()
        end = at + len(word)
        is_link = (
            bare in BY
            or bare in JOINING
            or bare in CODES
            or bare in ("die", "das")
            or word in SIGNS
            or (word.endswith((",", ":")) and end < len(line))
        )
        said = _said(whole, end + 1) if is_link else None
        if said and _tells(whole, folded, around, (before, word), at, said):
            found.append(said[:2])
        at, before = end + 1, word or before
    return found


def _tells(line: str, folded: str, around: str, words: "tuple[str, str]", at: int, said: "Said") -> bool:
    """Say whether what stands behind the second of two words is a password: the weaker what says so, the odder it has to be."""
    before, word = words
    value, is_marked = line[said[0] : said[1]], said[2]
    if word in SIGNS:
        degree = strength(value)
        return _is_of_user(before.strip(AROUND), word, around, degree + (degree == 1 and is_marked and before[-1:] in "`*"))
    if value[:1] in DIGITS and _is_of_lock(folded, words, at, value):
        return True
    bare = word.strip(AROUND).lower()
    behind = line[said[1] :].lstrip(AROUND + " ").partition(" ")[0].rstrip(".,;")
    is_near = any([verb in folded[max(0, at - NEAR) : at + len(word)] for verb in ENTERING]) or behind in TYPED
    is_account = any([noun in around for noun in OF_ACCOUNTS])
    if bare in BY or behind in TYPED:
        is_name = is_marked and line[said[0] - 1] == "`" and value.replace(".", "a").isidentifier()
        is_name = is_name and (bare in OF_CODE or value[1:].lower() != value[1:])
        least = 2 - is_marked if is_near and not is_name else 3 - (is_marked and not is_name)
        return is_account and strength(value) >= least
    is_named = word[-1:] == ":" and any([noun in around for noun in NAMED])
    return is_account and (is_near or is_marked or is_named) and strength(value) > 2


def _is_of_lock(folded: str, words: "tuple[str, str]", at: int, value: str) -> bool:
    """Say whether digits behind two words open a door, a safe or a screen: `the safe opens with 34-08-71`, `digicode 7142`."""
    before, word = words[0].strip(AROUND).lower(), words[1].strip(AROUND).lower()
    digits = value.strip("#*").replace("-", "").replace("#", "")
    is_date = value[4:5] == "-" == value[7:8] or (len(digits) == 4 and digits[:2] in ("19", "20"))
    if not digits.isdigit() or not 4 <= len(digits) <= 8 or len(set(digits)) < 3 or is_date or before in OF_STATES:
        return False
    around = folded[max(0, at - FAR // 2) : at + len(word) + len(value) + NEAR]
    is_told = word in CODES or (word in (*BY, "die", "das") and (len(digits) > 4 or digits != value))
    return is_told and any([lock in around for lock in LOCKS])


def _is_of_user(user: str, sign: str, around: str, degree: int) -> bool:
    bare = user.replace("-", "a").replace("_", "a").replace(".", "a").replace("@", "a").replace("\\", "a")
    if not bare.isalnum() or not user[:1].isalpha() or not degree:
        return False
    is_known = user.lower() in USERS
    return degree > (1 if is_known else 2) - (sign in SIGNS[:2]) and (is_known or any([noun in around for noun in OF_ACCOUNTS]))


def _said(line: str, at: int) -> "Said | None":
    """Return where the word or the marked words at a place of a line begin and end."""
    at += len(line[at:]) - len(line[at:].lstrip(" "))
    mark = next((mark for mark in MARKS if line.startswith(mark, at)), "")
    if mark:
        at += len(mark) + (mark == "\u00ab" and line[at + 1 : at + 2] == " ")
        close = line.find(MARKS[mark], at, at + LONGEST_SAID)
        return (at, at + len(line[at:close].rstrip(" ")), True) if close > at else None
    word = line[at : at + LONGEST_SAID].partition(" ")[0].rstrip(".,;:)\"'`")
    user, _, password = word.partition(":")
    at += len(user) + 1 if password and user.isalnum() and user[0].isalpha() else 0  # `with bob:x`
    return (at, at + len(password if at and line[at - 1] == ":" and password else word), False) if word else None


def strength(value: str) -> int:
    """Say how far a value looks like a password alone: 3 with digits or signs in it, 2 of words that something joins, 1 of one."""
    from ralph_mem.core.redaction import passwords, vocabulary  # lazy: only for what may be one

    if not FEWEST <= len(value) <= LONGEST_SAID or is_filler(value) or is_called_so(value):
        return 0
    if " " in value:
        words = value.replace(",", "").split(" ")
        are_words = (
            len(words) < MOST_WORDS and all([word.isalnum() for word in words]) and not value[:1].isupper() | value.isdigit()
        )
        return int(are_words and vocabulary.are_mostly_others([word.lower() for word in words if word.isalpha()]))
    if len(value) > MOST or any([sign in value for sign in '/\\=<>(){}[]|;,"`:']) or value[0] in "-.%$@#+":
        return 0
    if "@" in value and "." in value.rpartition("@")[2]:
        return 0
    return 3 if _is_signed(value) else _joined(value, passwords.OF_FORMS)


def _is_signed(value: str) -> bool:
    """Say whether digits stand within a word or beside capitals, or a sign that no name has joins words that no code has."""
    from ralph_mem.core.redaction import passwords, vocabulary  # lazy: as above

    words = _words(value)
    is_other = any([len(word) > vocabulary.SHORTEST and vocabulary.hold_other([word]) for word in words])
    name = value.rstrip(DIGITS + ".")
    is_version = "." in value[len(name) :] or name.endswith(("-", "v", "."))
    digits, is_cased = any([char in DIGITS for char in value]), value.lower() != value
    is_number = value.upper() == value or (value[0] in DIGITS and value.islower())  # of a part, of a ticket
    if is_number or (value.isalnum() and passwords.is_of_class(value)):
        return False
    if any([sign in value[:-1] or (sign in value and (digits or is_cased)) for sign in ODD]):
        return is_other or digits
    if len(value) - len(name) < 3 and name.isalpha():  # `PostgreSQL14`
        return False
    is_within = name.strip(LETTERS + "-._") != "" or any([char in DIGITS for char in name])
    return digits and is_other and not is_version and (is_cased or is_within) and value.count(".") < 2


def _joined(value: str, of_forms: "frozenset[str]") -> int:
    from ralph_mem.core.redaction import vocabulary  # lazy: as above

    bare = value.rstrip(DIGITS + "!?")
    words = _words(bare)
    told = [word for word in words if len(word) > vocabulary.SHORTEST]
    if not told or not of_forms.isdisjoint(words):
        return 0
    others = [word for word in told if vocabulary.hold_other([word])]
    if len(others) < len(told):
        is_one = len(words) > 2 and bare.isalpha()
        return (2 if is_one else int(len(words) == 2 and not _is_file(value))) if others else 0
    if not bare.translate(JOINED).replace(" ", "").isalpha() or value.upper() == value or _is_file(value):
        return 0
    is_joined = len(words) > 1 and (not bare.isalpha() or len(bare) >= FEWEST_HUMPED)
    return 2 if is_joined else int(len(bare) > FEWEST)


def _is_file(value: str) -> bool:
    """Say whether what stands behind a dot is the ending of a file or of a host."""
    ending = value.rpartition(".")[2]
    return ending != value and (len(ending) < 4 or value.count(".") > 2) and ending.islower()


def _words(value: str) -> "list[str]":
    """Return the words of letters in a value, cut at signs and where a capital follows a small letter."""
    spaced = [
        " " if not char.isalpha() else f" {char}" if char.isupper() and before.islower() else char
        for before, char in zip(" " + value, value)
    ]
    return "".join(spaced).lower().split()
