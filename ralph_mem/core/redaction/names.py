"""Judge what a name announces, and whether the value beside it is a secret."""

from ralph_mem.core.redaction.values import (
    DIGITS,
    LETTERS,
    SECRET_FLOOR,
    is_called_so,
    is_filler,
    is_plain,
    looks_random,
)

# A name is cut into words ("dbPassword", "DB_PASSWORD" -> db password); the last telling word decides, what follows it
# may take it back ("password_file").
# In some thirty languages, in lower case.
# What names a password; a longer word may end with it.
PASSWORDS = tuple(
    "password,passwd,passphrase,passcode,passwort,passord,passwrd,passkey,authtok,pwd,kennwort,losungswort,losung,"
    "wachtwoord,contraseña,contrasena,contrasenya,senha,motdepasse,parola,parole,lösenord,losenord,kodeord,adgangskode,"
    "zugangscode,zugriffscode,paroladordine,salasana,lykilorð,hasło,hasła,hasłem,haslo,heslo,jelszó,jelszo,geslo,lozinka,"
    "şifre,sifre,şifresi,sifresi,parool,slaptažodis,passfrase,codigodeacceso,пароль,пароля,паролем,парол,лозинка,κωδικός,סיסמה,סיסמא,パスワード,暗証番号,密码,密碼,口令,"
    "비밀번호,비번,암호,รหัสผ่าน,matkhau,sesame,sésame,合言葉,पासवर्ड,κωδικος,masterauth,bindcredentials,pswd,passwrd".split(",")
)
# What names another secret.
SECRETS = tuple(
    "secret token apikey accesskey secretkey privatekey authkey keymaterial credential geheimnis jeton "
    "zugangsdaten anmeldedaten credenciales credenciais credenziali inloggegevens secreto segredo segreto geheim geheimwort "
    "hemlighet zugangsschlüssel zugangsschluessel schlüsselinhalt "
    "トークン シークレット 令牌 密钥 密鑰 токен секрет".split()
)
# Which no other word ends with; some are the last of two, of Vietnamese, Indonesian, Arabic, Persian.
PASSWORD_NAMES = ("pass", "passe", "pw", "passw", "mdp", "clave", "psk", "khẩu", "sandi", "المرور", "السر", "عبور", "psw")
RANDOM_WORDS = (
    " anahtar anahtari ключ auth jwt sas sig pat refresh salt bearer credentials cookie csrf session sessionid sid"
    " schlüssel schluessel clé cle llave"
    " chave chiave klucz community xsrf pepper ikey phpsessid jsessionid crumb verifier access private fernet signing sess nkey "
)
KEY_ENDINGS = ("key", "schlüssel", "schluessel", "sleutel", "nyckel")
# A word that ends with `pass` or `pw` names a password, but for these: `dbpass`, `rootpw`.
NO_PASSWORDS = tuple("bypass compass trespass overpass underpass encompass surpass multipass subpass lowpass highpass".split())
NAME = (
    LETTERS + DIGITS + "_-.äöüßñçãõáéíóúàèêłąęşőžðабвгдеёжзийклмнопрстуфхцчшщыьюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЫЬЮЯσκωδιόςסימהאパ"
    "スワードトクンシレッ合言葉暗証番号密码碼口令牌钥鑰비밀번호암รหัสผ่านपासवर्डالمروسعبẩοΚΩΔΙΌΟΣŞİıĄĆĘŁŃÓŚŹŻÄÖÜÑÇÃÕÁÉÍÚÀÈÊŐÐŽćńśźżýÝůŮěĚřŘČčŠšÆæØøÅå"
)
# Each name that announces something holds one of these, in lower case; some stand only in a text that is not ASCII.
STEMS = tuple(
    "pass pw secret token key auth cred jwt sas sig _pat salt csrf xsrf sess .sid crumb community pepper phrase pin otp puk"
    " refresh sleutel psk "
    "kennwort contrase senha clave mdp wachtwoord geheim jeton kodeord adgang parol heslo salasana zugang code seed"
    " codigo codice haslo losenord jelszo lozinka sifre geslo llave chave chiave klucz losung segre hemlig parool matkhau"
    " sandi anmeld anahtar inlogg sesam unlock psw access private fernet signing answer".split()
)
CODES = ("pin", "otp", "puk")
FOREIGN = (
    "ключ hasł lösenord schlüssel clé código jelszó şifre lykilorð slaptažodis khẩu пароль токен секрет парол лозинка κωδικός "
    "κωδικος סיסמ "
    "sésame 合言葉 "
    "パスワード 密码 密碼 トークン シークレット 令牌 密钥 密鑰 暗証番号 口令 비밀번호 비번 암호 รหัสผ่าน पासवर्ड المرور السر عبور"
)
KEY_OWNERS = (
    " access account admin api app application auth client consumer deploy encryption hmac jwt license master secret"
    " preshared service shared sharedaccess signing storage subscription webhook wep wifi wpa "
)
OPEN_KEYS = (
    " public domain primary foreign sort partition cache row object index map dict group lookup routing hot pub unique natural"
    " composite shortcut registry translation message i18n idempotency dedup from "
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
    " audience issuer scope scopes namespace use at on changed updated created since until enrolment enrollment challenge grant "
    " tag tags "
)

# Whose phrases are words of a sentence, of a text or of a language.
PHRASES_OF_SENTENCES = (
    " search match reason query exact catch noun verb text stock keyword first last next this that each any no default status test"
    " the a to of in with and or prepositional adjective common fixed http error response input hot my new long short current stop"
    " trigger wake matching tag target source token filter multi sub adverb start end base example word title "
)
OF_USERS = " admin root user run account login db mail smtp "  # whose `secret` is a password
CODE_OWNERS = (
    " access supervisor pairing pin security unlock door enroll enrollment activation recovery backup invitation verification"
    " operator cashier temp temporary auth login signin acceso accesso acces device user keypad alarm door gate lock safe claim "
)

OF_ACCESS = ("acces", "acceso", "accesso", "accès")
SEED_OWNERS = " mfa otp totp wallet hd "
# Tokens that say where a listing goes on.
PLACES = " next page continuation starting pagination sync resume paging continue cursor idempotency request "
# `test_pass` is a check that passes, as a lone `pass` is a word of Python.
UNTELLING_OWNERS = (
    "  test tests check checks lint build first second third one two all must should each single multi by to pre post will "
)
LONGEST_SAID = 13  # characters, the sign of a sentence among them
PASSWORD_FLOOR = 6
FEWEST_DIGITS = 7  # of a password of digits alone: what is shorter counts or measures something more often
# Beside a name: what a value may be wrapped in, what closes a name, what stands between, and how far a name and a value may reach.
QUOTES = "\"'`"
CLOSERS = QUOTES + "\\])"
BLANKS = " \t"
LONGEST_NAME = 80
FAR_VALUE = 160  # where each line begins with a time, a file name or an author
REPEATED_FLOOR = 8  # of a value that is cut out wherever else it stands, in any spelling


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
        is_letter = char.isalnum() or (char > "\u02ff" and f"a{char}".isidentifier())  # or a sign upon one
        spaced.append(char.lower()[0] if is_letter else " ")
        before = char
    return "".join(spaced).split()


LABELS = ("pass", "npass", "phrase", "cred")  # the n of a spelled-out line end


def kind_of_label(name: str) -> str:
    """Say what a name announces where a sign or a mark makes a label of it: a lone `pass` too."""
    return "password" if name.lower() in LABELS else kind_of_name(name)


def is_secret(value: str, kind: str, style: str) -> bool:
    """Judge a value beside its name; style is "greedy" (an env line), "quoted", "listed" (a quoted value
    after a comma), "flag" (behind one) or "bare", from loose to strict.
    """
    if kind == "code":
        return _is_secret_code(value)
    is_word = value[-1] in "!?" and value.rstrip("!?").isalpha() and (len(value) <= LONGEST_SAID or not value.islower())
    if style != "quoted" and is_word and (value[1:].islower() or is_called_so(value)):
        return False  # a word of a sentence, a type of GraphQL
    if len(value) < (PASSWORD_FLOOR if kind == "password" else SECRET_FLOOR) or is_filler(value) or _is_name(value, kind):
        return False
    may_be_state = value.islower() and value.count("_") + value.count("-") > 1
    if kind == "key" or may_be_state or style != "greedy":
        from ralph_mem.core.redaction import issued  # lazy: only for what needs a closer look

        is_state = may_be_state and issued.is_said(value)
        if kind == "key" or is_state:
            return not is_state and issued.is_key(value, style)
        if style != "greedy":
            if kind == "password":
                is_coined = is_worded(value) or _is_password(value, style)
            else:
                is_coined = (
                    kind == "secret" and "-" in value and len(value) > 9 and "." not in value and _is_password(value, "bare")
                )
            return is_coined or issued.is_issued(value, kind, style)
    return not is_plain(value) or value.isalpha() or (kind == "password" and (is_worded(value) or _is_password(value, style)))


def _is_secret_code(value: str) -> bool:
    if value.isdigit() and 4 <= len(value) <= 10 and len(set(value)) > 2 and value not in "01234567890":
        return True
    groups = value.replace(" ", "-").split("-")
    digits = "".join(groups)
    if len(groups) > 1 and digits.isdigit():  # in groups, and no date
        is_date = value[4:5] == "-" == value[7:8]
        is_long = len(groups) > 2 and len(groups[0]) < 4
        return len(set(digits)) > 2 and not is_date and (4 <= len(digits) <= 10 or is_long)
    if value.count(" ") > 2:  # a sentence of a form
        return False
    from ralph_mem.core.redaction import issued  # lazy: only for a code that is no number

    if looks_random(value) or issued.is_generated(value, SECRET_FLOOR):
        return True
    from ralph_mem.core.redaction import by_hand  # lazy: as above

    return by_hand.is_made_by_hand(value)


def _is_password(value: str, style: str) -> bool:
    from ralph_mem.core.redaction import passwords  # lazy: only for what may be one

    return passwords.is_password(value, style, is_called_so(value) or any([name in value.lower() for name in PASSWORDS]))


def is_worded(value: str) -> bool:
    """Say whether digits alone, or words that neither code nor documentation has, are a password where a name says so."""
    if value.isdigit() or (value.count("-") > 3 and value.replace("-", "").isdigit()):
        return len(value) >= FEWEST_DIGITS
    from ralph_mem.core.redaction import passwords  # lazy: only for what may be one

    return not is_called_so(value) and (passwords.is_strange(value) or passwords.is_equated(value) or passwords.is_foreign(value))


def _is_name(value: str, kind: str) -> bool:
    """Say whether a value is itself the name of a secret: `client_secret="client_secret"`, `KEY=MYSECRETKEY`, `<the key`."""
    bare = value.rstrip("),;")
    if value[0] == "<" and not looks_random(value):
        return True
    is_own = bare.lower() in PASSWORDS or (not bare.isascii() and bare.lower().endswith(PASSWORDS))  # `新しいパスワード`
    if bare.isalpha() and is_own:  # a label
        return True
    if kind == "key" and ("." in bare or "T" in bare):
        from ralph_mem.core.redaction import open_forms  # lazy: only for what may be one

        if open_forms.is_time_or_type(bare.rstrip(":")):
            return True
    words = bare.lower().split(" ")
    if (
        1 < len(words) < 4
        and all([word.isalpha() for word in words])
        and any([word in PASSWORD_NAMES or word.endswith(PASSWORDS) for word in words])
    ):  # in a form
        return True
    if kind != "password" and bare[:1] > "\u2fff" and bare[-1:] > "\u2fff":  # a sentence of Japanese or Chinese
        return True
    is_word = bare.isalpha() and kind != "password" and bare.isupper()
    is_name = "_" in bare and bare.isidentifier() and bare.islower()
    is_name = is_name or (kind != "password" and bare.islower() and "-" in bare and bare.replace("-", "a").isalpha())  # `api-token`
    return (is_word or is_name) and is_called_so(bare)


def _kind_of_word(words: "list[str]", index: int) -> str:
    word = words[index].rstrip(DIGITS) or words[index]  # `password2`
    owner = words[index - 1] if index else ""
    if (
        word.endswith(PASSWORDS)
        or (word in PASSWORD_NAMES and (f" {owner} " not in UNTELLING_OWNERS or word != "pass"))
        or (word.endswith(("pass", "pw")) and len(word) > 4 and word not in NO_PASSWORDS)
        or (word == "phrase" and owner and f" {owner} " not in PHRASES_OF_SENTENCES)
        or (word == "secret" and f" {owner} " in OF_USERS)
        or (word in ("unlock", "cred") and owner and owner not in ("to", "can", "will"))
        or (word == "community" and owner in ("snmp", "ro", "rw"))
        or (word == "answer" and owner in ("secret", "security"))
        or (word == "credentials" and owner in ("security", "bind"))
    ):
        return "" if word == "oldpwd" else "password"
    if word.endswith(SECRETS):
        is_open = word == "token" and (f" {owner} " in PLACES or words[max(0, index - 2) : index] == ["public", "key"])  # of .NET
        return "" if is_open else "secret"
    if word == "key" and owner:
        return "" if f" {owner} " in OPEN_KEYS else "secret" if f" {owner} " in KEY_OWNERS else "key"
    if word in ("pin", "otp", "puk", "totp") or (word == "code" and f" {owner} " in CODE_OWNERS):
        return "code"
    if word in OF_ACCESS and owner in ("code", "codigo", "código", "codice"):
        return "code"
    # the id of an approle, of an access list
    is_told = (word == "seed" and f" {owner} " in SEED_OWNERS) or (word == "id" and owner == "secret")
    is_told = is_told or (word == "signature" and owner in ("amz", "goog", "amzn", "oss"))
    is_open = word.endswith("key") and f" {word[:-3]} " in OPEN_KEYS
    is_random = f" {word} " in RANDOM_WORDS or (word.endswith(KEY_ENDINGS) and len(word) > 5 and not is_open)
    return "key" if is_told or is_random else ""


def skip(text: str, at: int, characters: str) -> int:
    """Return the first position from `at` on that holds none of the characters, LONGEST_NAME away at most."""
    window = text[at : at + LONGEST_NAME]
    return at + len(window) - len(window.lstrip(characters))
