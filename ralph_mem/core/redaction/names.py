"""Judge whether a name announces a secret, and whether a value is one."""

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789"
SYMBOLS = "!@#$%^&*+~?"
ALNUM = LETTERS + DIGITS
WORD = ALNUM + "_"
DASH = WORD + "-"
DOT = DASH + "."
BASE64 = WORD + "-+/="
HEX = DIGITS + "abcdefABCDEF"
UPPER = LETTERS[26:] + DIGITS
LONG = 512  # characters that are looked at at once

# A name is cut into words ("dbPassword", "DB_PASSWORD" -> db password); the last telling word decides, what follows it
# may take it back ("password_file").
# In some thirty languages, in lower case.
# What names a password; a longer word may end with it.
PASSWORDS = tuple(
    "password,passwd,passphrase,passcode,passwort,passord,passwrd,passkey,authtok,pwd,kennwort,losungswort,losung,"
    "wachtwoord,contraseña,contrasena,contrasenya,senha,motdepasse,parola,parole,lösenord,losenord,kodeord,adgangskode,"
    "zugangscode,zugriffscode,parolad'ordine,paroladordine,salasana,lykilorð,hasło,hasła,hasłem,haslo,heslo,jelszó,jelszo,geslo,lozinka,"
    "şifre,sifre,parool,slaptažodis,passfrase,codigodeacceso,пароль,пароля,паролем,парол,лозинка,κωδικός,סיסמה,סיסמא,パスワード,暗証番号,密码,密碼,口令,"
    "비밀번호,암호,รหัสผ่าน,mật khẩu,matkhau,kata sandi,katasandi".split(",")
)
# What names another secret.
SECRETS = tuple(
    "secret token apikey accesskey secretkey privatekey authkey keymaterial credential geheimnis jeton secreto segredo "
    "segreto hemlighet zugangsschlüssel zugangsschluessel schlüsselinhalt トークン シークレット 令牌 密钥 密鑰 токен секрет".split()
)
PASSWORD_NAMES = ("pass", "passe", "pw", "pswd", "passw", "mdp", "clave", "psk")  # which no other word ends with
RANDOM_WORDS = (
    " auth jwt sas sig pat refresh salt bearer credentials cookie csrf session sessionid sid schlüssel schluessel clé cle llave"
    " chave chiave klucz "
)
KEY_ENDINGS = ("key", "schlüssel", "schluessel", "sleutel", "nyckel")
# A word that ends with `pass` or `pw` names a password, but for these: `dbpass`, `rootpw`.
NO_PASSWORDS = tuple("bypass compass trespass overpass underpass encompass surpass multipass subpass lowpass highpass".split())
NAME = (
    LETTERS
    + DIGITS
    + "_-.äöüßñçãõáéíóúàèêłąęşőžðпарольлзинктесσκωδιόςסיסמהאパスワードトークンシレッ暗証番号密码碼口令牌钥鑰비밀번호암"
)
# Each name that announces something holds one of these, in lower case; some stand only in a text that is not ASCII.
STEMS = tuple(
    "pass pw secret token key auth cred jwt sas sig _pat salt csrf sessionid session_id pin otp puk refresh sleutel psk "
    "kennwort contrase senha clave mdp wachtwoord geheim jeton kodeord adgang parol heslo salasana zugang code seed"
    " haslo losenord jelszo lozinka sifre geslo llave chave chiave klucz".split()
)
CODES = ("pin", "otp", "puk")
FOREIGN = (
    "hasł lösenord пароль パスワード 密码 密碼 トークン シークレット 令牌 密钥 schlüssel clé 비밀번호 암호 "
    "暗証番号 口令 κωδικός סיסמ jelszó şifre лозинка токен секрет парол"
)
KEY_OWNERS = (
    " access account admin api app application auth client consumer deploy encryption hmac jwt license master secret"
    " preshared service shared sharedaccess signing storage subscription webhook wep wifi wpa "
)
OPEN_KEYS = (
    " public domain primary foreign sort partition cache row object index map dict group lookup routing hot pub unique natural"
    " composite shortcut registry translation message i18n idempotency dedup "
)
TAKEN_BACK = (
    " path paths file files filename dir directory name names id ids type types kind length len size count counts limit"
    " max min ttl expiry expires expiration expired expire age time timeout date url uri endpoint host port env var"
    " header field fields prefix suffix format regex pattern policy rule rules hint label placeholder message error"
    " errors prompt input manager provider backend reset required enabled disabled valid invalid strength version"
    " algorithm mode status state usage used index position stdin line column class sock socket board parallelism"
    " pair pairs alias fingerprint helper broker service server rotation store exchange worker queue"
    " encoder encoders validator validators hasher hashers strategy generator handler factory component widget view form screen"
    " from cache source function mechanism method interval topic range filter checker digest checksum sha sha1 sha256 integrity "
)

CODE_OWNERS = (
    " access supervisor pairing pin security unlock door enroll enrollment activation recovery backup invitation verification "
)

FILLERS = tuple(
    "example changeme change-me change_me your- your_ yourp yours yourt yourapi <your placeholder redacted xxxx **** .... "
    "required| nullable| dummy replace insert notset not-set goes-here goes_here -here _here %s %d".split()
)
OF_PATTERNS = ("(?:", "[a-z", "[A-Z", "[0-9", "[^", "\\d+", "\\w+")  # of regular expressions
PLAIN = frozenset(
    "true false null none nil undefined yes no on off empty required optional string secret password passwd pass token"
    " default hidden masked test enabled disabled inherit pwd user username production development staging testing local"
    " invalid incorrect confirm current new-password current-password one-time-code boolean integer number object bearer"
    " basic forgot confirmed passwort sample base64 base64url utf8 utf-8 scram-sha-256 scram-sha-1 md5".split()
)

# Tokens that say where a listing goes on.
PLACES = " next page continuation starting pagination sync resume paging continue cursor idempotency "
# `test_pass` is a check that passes, as a lone `pass` is a word of Python.
UNTELLING_OWNERS = (
    "  test tests check checks lint build first second third one two all must should each single multi by to pre post will "
)
PASSWORD_FLOOR = 6
# Beside a name: what a value may be wrapped in, what closes a name, what stands between, and how far a name and a value may reach.
QUOTES = "\"'`"
CLOSERS = QUOTES + "\\])"
BLANKS = " \t"
LONGEST_NAME = 80
FAR_VALUE = 160  # where each line begins with a time, a file name or an author
REPEATED_FLOOR = 8  # of a value that is cut out wherever else it stands, in any spelling
SECRET_FLOOR = 8
RANDOM_FLOOR = 16
RANDOM_LETTERS = 10  # of one case, `letters.FEWEST`
_NOTHING_BUT = dict.fromkeys(map(ord, "_-./:+= "), None)
_CLASSES = {
    **dict.fromkeys(map(ord, LETTERS[:26]), "a"),
    **dict.fromkeys(map(ord, LETTERS[26:]), "A"),
    **dict.fromkeys(map(ord, DIGITS), "0"),
    **_NOTHING_BUT,
}


def stems_in(text: str, folded: str) -> "list[str]":
    """Return the stems of names that a text holds, the commonest first; `folded` is the text in lower case."""
    return [stem for stem in (STEMS if text.isascii() else (*STEMS, *FOREIGN.split())) if stem in folded]


def kind_of_name(name: str) -> str:
    """Say what a name announces: "password", "secret", "key" (only if the value looks random), or "" for nothing."""
    words = words_of(name)
    for index in range(len(words) - 1, -1, -1):
        kind = _kind_of_word(words, index)
        if kind:
            return "" if any([f" {word} " in TAKEN_BACK for word in words[index + 1 :]]) else kind
    return ""


def words_of(name: str) -> "list[str]":
    """Cut a name into lower-case words at punctuation and at camel humps."""
    spaced = []
    before = ""
    for char in name:
        if char.isupper() and before.islower():
            spaced.append(" ")
        elif char.islower() and before.isupper() and len(spaced) > 1 and spaced[-2] != " ":  # DBPass
            spaced.insert(-1, " ")
        spaced.append(char.lower() if char.isalnum() else " ")
        before = char
    return "".join(spaced).split()


def kind_of_label(name: str) -> str:
    """Say what a name announces where a sign or a mark makes a label of it: a lone `pass` too."""
    return "password" if name.lower() in ("pass", "npass") else kind_of_name(name)  # the n of a spelled-out line end


def is_secret(value: str, kind: str, style: str) -> bool:
    """Judge a value beside its name; style is "greedy" (an env line), "quoted", "listed" (a quoted value
    after a comma), "flag" (behind one) or "bare", from loose to strict.
    """
    if kind == "code":
        is_number = value.isdigit() and 4 <= len(value) <= 10 and len(set(value)) > 2 and value not in "01234567890"
        return is_number or looks_random(value) or _is_generated(value, SECRET_FLOOR)
    if style != "quoted" and value[-1] in "!?" and value.rstrip("!?").isalpha() and (value[1:].islower() or is_called_so(value)):
        return False  # a word of a sentence, a type of GraphQL
    if len(value) < (PASSWORD_FLOOR if kind == "password" else SECRET_FLOOR) or is_filler(value) or _is_name(value, kind):
        return False
    is_state = value.islower() and value.count("_") + value.count("-") > 1 and _is_said(value)
    if kind == "key" or is_state:
        return not is_state and _is_key(value, style)
    if style == "greedy":
        return not is_plain(value) or value.isalpha() or (kind == "password" and _is_password(value, style))
    is_coined = kind == "secret" and "-" in value and len(value) > 9 and "." not in value and _is_password(value, "bare")
    return is_coined or (kind == "password" and _is_password(value, style)) or _is_issued(value, kind, style)


def _is_key(value: str, style: str) -> bool:
    is_sentence = " " in value and any([word.isalpha() and word.islower() and len(word) > 2 for word in value.split(" ")])
    is_odd = style != "listed" and any([char in value for char in "!#^&*?~"]) and stands_alone(value)
    is_address = is_sentence or value.startswith(("arn:", "sha256/")) or "://" in value or (style == "bare" and is_code(value))
    return (looks_random(value) or is_odd or (style != "bare" and _is_generated(value, 12))) and not is_address


def _is_said(value: str) -> bool:
    from ralph_mem.core.redaction import passwords  # lazy: only for words that are joined

    return passwords.is_said(value)


def _is_wordy(value: str) -> bool:
    from ralph_mem.core.redaction import letters  # lazy: only for what is issued

    return letters.are_words(value)


def _is_generated(value: str, least: int) -> bool:
    from ralph_mem.core.redaction import passwords  # lazy: only for what may be one

    return passwords.is_generated(value, least) or passwords.is_scrambled(value) or _are_random_letters(value)


def _is_password(value: str, style: str) -> bool:
    from ralph_mem.core.redaction import passwords  # lazy: only for what may be one

    return passwords.is_password(value, style, is_called_so(value))


def _is_issued(value: str, kind: str, style: str) -> bool:
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


def _is_name(value: str, kind: str) -> bool:
    """Say whether a value is itself the name of a secret: `client_secret="client_secret"`, `KEY=MYSECRETKEY`, `<the key`."""
    bare = value.rstrip("),;")
    if value[0] == "<" and not looks_random(value):
        return True
    if bare.isalpha() and bare.lower() in PASSWORDS:  # a label
        return True
    is_word = bare.isalpha() and kind != "password" and bare.isupper()
    is_name = "_" in bare and bare.isidentifier() and bare.islower()
    return (is_word or is_name) and is_called_so(bare)


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


def is_called_so(value: str) -> bool:
    """Say whether a value speaks itself of what it would be."""
    return any([word in value.lower() for word in ("secret", "pass", "token", "key", "credential")])


def is_filler(value: str) -> bool:
    """Recognise what stands where a secret should: a reference, a template, a mask, "changeme"."""
    lowered = value.lower()
    if lowered in PLAIN or len(set(value)) < 4 or "EXAMPLE" in value:
        return True
    if (value[0] in "<{[%" and value[-1] in ">}]%") or "{{" in value or "${" in value or value.startswith("$("):
        return True
    if any([sign in value for sign in OF_PATTERNS]):
        return True
    if value.startswith("ENC[") or (value[:2] == "Ag" and len(value) > 200):  # encrypted by sops or kubeseal, to be read by all
        return True
    is_variable = (value[0] == "$" and value[1:].rstrip("\"'`\\),;]").isidentifier()) or (
        value[0] == "%" and not value.strip(UPPER + "%_:-")
    )
    if "+" in value[1:-1] and value[0].isalpha():
        from ralph_mem.core.redaction import keyboard  # lazy: only for what a plus joins

        is_variable = keyboard.is_chord(value)
    return (is_variable or any(filler in lowered for filler in FILLERS)) and not looks_random(value)


def is_plain(value: str) -> bool:
    """Recognise words, numbers, paths, hosts and addresses: values too ordinary to mask wherever they appear."""
    if value.isalpha() and len(value) < 20 and (value.islower() or value.isupper() or value.istitle()):
        return not _are_random_letters(value)
    if not value.translate(_NOTHING_BUT).strip(DIGITS):
        return True
    if value[4:5] == "-" and value[7:8] == "-" and value[:4].isdigit():  # a date
        return True
    if "." in value and any([mark in value for mark in ("+deb", "+dfsg", "ubuntu")]):  # a version of a package
        return True
    return _is_path(value) or _is_host(value) or value.startswith("arn:") or ("://" in value and "@" not in value)


def looks_random(value: str) -> bool:
    """Tell a generated value from words: long, letters and digits, and changing between them often."""
    classes = value[:256].translate(_CLASSES)
    if len(value) < RANDOM_FLOOR or not classes.strip("0") or len(set(value)) < 8:
        return False
    if not classes.strip("a") or not classes.strip("A"):
        return _are_random_letters(value)
    if "0" not in classes and classes.count("AA") < 2:
        return False  # camel humps; one base62 secret of 32 in 300 has no digit either, but capitals side by side
    changes = sum(classes.count(pair) for pair in ("a0", "0a", "A0", "0A", "aA", "Aa"))
    # Random hex changes at every second character, base62 more often, names with a version number twice or so.
    return changes * (6 if "0" in classes else 5) >= len(classes)


def _are_random_letters(value: str) -> bool:
    if len(value) < RANDOM_LETTERS:
        return False
    from ralph_mem.core.redaction import letters  # lazy: only for long words

    return letters.are_random(value)


def is_code(value: str) -> bool:
    """Recognise an unquoted value that is an expression: attribute access, a scope, a reference."""
    if ("::" in value and not looks_random(value)) or "->" in value or value.startswith(("$", "@", "&", "*", "!", "(", "[", "{")):
        return True
    parts = value.split(".")
    # the parts of a token with dots are longer than most names
    is_token = looks_random(value) and max(map(len, parts)) > 18
    if parts[0][:1].isupper() and parts[-1][:1].isupper() and value[-1:].isdigit() and not is_called_so(value):  # `Gang4.Fach12`
        return False
    if len(parts) < 2 or is_token or not all(part.isidentifier() for part in parts):
        return False
    return not any(
        [len(part) > SECRET_FLOOR and _is_generated(part, RANDOM_LETTERS) for part in parts]
    )  # `cf339h.bkj4g7ekkj5g4d1h`


def _kind_of_word(words: "list[str]", index: int) -> str:
    word = words[index]
    owner = words[index - 1] if index else ""
    if (
        word.endswith(PASSWORDS)
        or (word in PASSWORD_NAMES and (f" {owner} " not in UNTELLING_OWNERS or word != "pass"))
        or (word.endswith(("pass", "pw")) and len(word) > 4 and word not in NO_PASSWORDS)
        or (word == "phrase" and owner == "pass")
    ):
        return "" if word == "oldpwd" else "password"
    if word.endswith(SECRETS):
        is_open = word == "token" and (f" {owner} " in PLACES or words[max(0, index - 2) : index] == ["public", "key"])  # of .NET
        return "" if is_open else "secret"
    if word == "key" and owner:
        return "" if f" {owner} " in OPEN_KEYS else "secret" if f" {owner} " in KEY_OWNERS else "key"
    if word in ("pin", "otp", "puk", "totp") or (word == "code" and f" {owner} " in CODE_OWNERS):
        return "code"
    # the id of an approle, of an access list
    is_told = (word == "id" and owner == "secret") or (word == "signature" and owner in ("amz", "goog", "amzn", "oss"))
    is_open = word.endswith("key") and f" {word[:-3]} " in OPEN_KEYS
    is_random = f" {word} " in RANDOM_WORDS or (word.endswith(KEY_ENDINGS) and len(word) > 5 and not is_open)
    return "key" if is_told or is_random else ""


def _is_mixed(value: str) -> bool:
    has_letter = bool(value.strip(DIGITS + SYMBOLS + "_-./:="))
    return has_letter and any(char in value[1:-1] or char in value[-1] for char in DIGITS + SYMBOLS)


def _is_path(value: str) -> bool:
    if (
        value[1:3] == ":\\"
        or (":/" in value and value[: value.index(":/")].replace("-", "a").isalpha())
        or ("/" in value and value.rstrip(DIGITS + ":").rpartition("/")[2].partition(".")[2].isalpha())
    ):
        return True
    # One base64 secret in 64 starts with a slash.
    is_base64 = len(value) >= 32 and "." not in value and looks_random(value)
    return value.startswith(("/", "./", "../", "~/")) and not is_base64


def _is_host(value: str) -> bool:
    host, _, port = value.partition(":")
    labels = host.split(".")
    if port.strip(DIGITS) or not host.islower() or not all(label.replace("-", "a").isalnum() for label in labels):
        return False
    return (len(labels) > 1 or bool(port)) and labels[-1].isalpha() and not looks_random(host)


def places(text: str, sign: str) -> "list[int]":
    """Return where in a text a sign stands, overlapping ones too."""
    found, at = [], text.find(sign)
    while at >= 0:
        found.append(at)
        at = text.find(sign, at + 1)
    return found


def run_of(text: str, at: int, alphabet: str) -> int:
    """Return the end of the run of characters of an alphabet."""
    while True:
        window = text[at : at + LONG]
        rest = len(window.lstrip(alphabet))
        at += len(window) - rest
        if rest or not window:
            return at


def skip(text: str, at: int, characters: str) -> int:
    """Return the first position from `at` on that holds none of the characters, LONGEST_NAME away at most."""
    window = text[at : at + LONGEST_NAME]
    return at + len(window) - len(window.lstrip(characters))
