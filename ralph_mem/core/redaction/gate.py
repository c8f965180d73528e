"""Decide whether a text may hold a secret, and load the modules that redact it only then. Every hook comes by here."""

RULES_VERSION = 8  # stored with every row, so that a later rule finds the rows it never saw

# The gate. Issued tokens are told by their first three characters, those of `prefixes.PREFIXES` (a test holds the
# two together): looking up each long word costs a tenth of searching the text for two hundred prefixes. A set would be
# quicker in a long text, and costs every event what it takes to make it.
HEADS = (
    b"A3- ABI ACC AGE AIz AKC AKI API APP AQV ASI ATA ATB ATC BSA CCI CFP CLO EAA EZA EZT FLW GOC GR1 HRK KEY LTA NRA NRI NRJ "
    b"PMA SG. SK0 SK1 SK2 SK3 SK4 SK5 SK6 SK7 SK8 SK9 SKA SKB SKC SKD SKE SKF SKa SKb SKc SKd SKe SKf WPL acc amz api bb_ bed "
    b"bkc bku cio cmV csk dap dbt dck ddo ddp dnk doo dop dor dp. dt0 duf e2b ese eyJ fc- fig fio fm1 fm2 fo1 fw_ gho ghp ghr "
    b"ghs ghu git gla glc gld glf gli glo glp glr gls gsk hf_ hvb hvr hvs ico jin key lin lsv md- nap nfp npm nse ntn nva ops "
    b"oy2 p8e pat pcs pdl per phs phx pk_ pla pnu pol ppl psc pul pyp r8_ rdm re_ rk_ rnd roo rub rzp sb_ sbp sdk sec sgp shi "
    b"shp sk- sk_ sl. sm_ snt sq0 sqa sqp squ tfp tgp tk- tr_ tsk tvl v1. ver vtw wak wan whs xai xap xke xnd xox xsm ya2 zpk "
)
ISSUED_FLOOR = 20
# What may stand in a token is an x, all else a blank; spelled out, since every event would pay for making it.
TOKEN_BYTES = b" " * 45 + b"xx xxxxxxxxxx       xxxxxxxxxxxxxxxxxxxxxxxxxx    x xxxxxxxxxxxxxxxxxxxxxxxxxx     " + b" " * 128
HIDING_FLOOR = 16  # our own ids have 15 characters
LOWER_BYTES = b"abcdefghijklmnopqrstuvwxyz_-."
# Named secrets are told by a stem of the name and a value with a digit or a symbol behind it.
LABELS = ("passw", "passp", "pass", "pwd", "pw", "secret", "token", "key", "auth", "credential", "cookie", "bearer")
PASSWORD_LABELS = ("passw", "passp", "pass", "pwd", "pw", "credential")
LINKS = (": ", " is ", " now ", " to ", " was ", " auf ", "> ")  # between a name and what it names, in a sentence or a line
FOREIGN = (  # one text is read the quickest; a test holds it together with that of `names`
    "contraseña hasło lösenord пароль パスワード 密码 密碼 トークン シークレット 令牌 密钥 schlüssel clé 비밀번호 암호 暗証番号 "
    "口令 κωδικός סיסמ jelszó şifre лозинка токен секрет парол"
)
NAME = "abcdefghijklmnopqrstuvwxyz0123456789_-."
SHOWING = ("xpected", "eceived", " got ", "got:", "left:", "assert", "XCTA", "db) ", "ghci> ", "debug> ", ">>> ")
BETWEEN = " \t\"'`\\=:>)]|,"
UNTELLING = "abcdefghijklmnopqrstuvwxyz_-.,;:()[]{}<>'\"`\\/|=+$*&%\t "
PARTING = "\"'`()|│║{}<>,;"  # between words of tables and calls
CLOSING = ",;)]}'\"`\\"
NUMBERS = "0123456789_-./:+="
# These go on: their first letters are labels, as are those of words that announce nothing.
LONGER = ("authorization", "credentials", "passw", "passp", "passe ", "passe:", "passe=", "contrase", "sessionid")
# Behind these a value may stand without a sign: in prose, behind a scheme.
WITHOUT_SIGN = ("pass", "_pass", "pwd", "bearer")
DOTTED = (5, 6, 7, 64)  # characters between the dots: of Discord, of Airtable
# Words of which one at least stands in a text of a class that its labels do not tell: programs that take or print a secret, what
# follows those that do more than that, words of statements. The tests of outputs hold them together with the modules of `classes`.
HINTS = frozenset(b"""
-hashes 7z 7za 7zz altool bcp cqlsh crackmapexec crowbar evil-winrm ipmitool iwconfig ldapadd ldapcompare ldapdelete ldapmodify
ldapmodrdn ldapsearch ldapwhoami lftp mongodump mongorestore mongosh mosquitto_pub mosquitto_sub mssql-cli mycli mysqldump ncftp
netexec nxc osql pgbench rar rpcclient smbcacls smbclient smbget snmpgetnext snmpinform snmptable sqlcmd sshpass twine unrar
usermod winexe wlfreerdp wpa_cli xcrun xfreerdp --decrypt --pass --passcode --password-stdin --proxy-user --raw --reveal --user
--with-decryption -opw -pass -pw -raw -upw 2a 2b 2y aad3b435b51404eeaad3b435b51404ee add-authtoken add-generic-password add_user
ansible-vault apksigner apr1 argon2 argon2i argon2id ascii-text auth-pass auth-user-pass auths authtoken bindpw bw chamber
change_password chpasswd circleci clave clevis codes communities community concealed consul contrasena convertto-securestring crypt
cryptsetup databricks db2 debconf-set-selections decrypt doas doppler dumpprivkey encodedcommand encrypt_string etcdctl
find-generic-password fly flyctl frase geheim genkey genpsk get-login-password get-secret-value glab gopass gpg gpg2 hash-password
heroku htpasswd identified infisical ishidden isql jarsigner jdbc jeton kennwort key-string key:generate keydb-cli keytool keyvault
kinit kms krb5tgs kty kubeseal kv ldappasswd login lpass masterauth mc mdp mkpasswd mnemonic mosquitto_passwd mysql_config_editor
mysqladmin net netlify nmcli nostr ntlm oathtool obscure openssl otp passcode passwd pbkdf2 pbkdf2_sha1 pbkdf2_sha256 pdftk phrase
phx.gen.secret pin preauthkeys private-lines psk puk pulumi pwgen qpdf rabbitmqctl railway random_password rclone redis-cli
requirepass reveal ripple rocommunity rootpw rp rwcommunity saml saml2 samlassertion samlresponse sasl_passwd scram-sha-256 scrypt
secret-tool secretsmanager securerandom securestring seed seeds semilla senha sentinel service_account session_id sessionid setuser
slappasswd smbpasswd snmp-server snmpbulkwalk snmpget snmpset snmptrap snmpwalk sops sqlplus ssh-add ssh-keygen ssha stdin steghide
stellar store-secret su sudo supabase swaks systemd-creds unlock-keychain unseal unsealed urandom user-secrets valkey-cli vercel
wachtwoord wallet wg whoami wpa_passphrase wrangler xrp heslo kodeord adgangskode zugangscode parola salasana haslo losenord jelszo
xxd
""".split())  # fmt: skip
# What stands in such a word, in lower case, all else a blank; spelled out, since every event would pay for making it.
HINT_BYTES = b" " * 45 + b"-. 0123456789       abcdefghijklmnopqrstuvwxyz    _ abcdefghijklmnopqrstuvwxyz" + b" " * 133
# Signs that no word holds, a line for each character that all behind it hold; ASCII, since that is read and cut the quickest.
SIGNS = """$\t$ \t$6$\t$5$\t$1$\t$y$\t$S$\t$P$\t$mysql\tAUTH\\r\\n
<\t<<<\t<(echo
>\t on >
@\t@tcp(\t@unix(\t@uri\t@base64
~\tsha256~\tQ~
|\t| pass \t| base64\t' | \t" | 
=\tlogin=\tpass=\tpw=\t&p=\t?p=\tpwd=\tpasswd=
4\tbase64 -\tbase64 <\tl base64
2\tbase32 -\tbase32 <\t| base32
(\tnect(\tnection(\togin(\tstruct(\tsuperuser(\t_bind\tuth(\tuthenticate(\tredentials(\tassword(\tuthenticator(\tecret(\tcode(\tquote_plus(\tquote(\tescape(\tatob(\tbtoa(\tURIComponent(\tBase64String(\tfromhex(\tr.from(\thexlify(\tcode64(
{\t{SHA}
*\t:*:
6\tUGFzc3dvcmQ6
w\t12 words\t24 words
\\\t\\u00
&\t;&#
/\t /p \t /p:\t/pw 
:\tpass: \tpass':\tpass":\t:5432:\t:6432:
t\tkind: Secret\t"Secret"\t:"secret\tSecret": true\tsecret set\tsecret put\tsecret create\tsecret generic\tsecrets set\tsecrets put\tsecrets create\tsecrets versions\tsecrets import\tsecrets get
S\tSecureString
v\t"sensitive\""""  # noqa: E501, W291
# Before a password, with most programs, and how many words farther on it stands.
FLAGS = (
    (" -", 0, (" -p", " -P", " -w", " -W", " -a", " -u", "u ", " -U", " -t", " -k", "--login ", "--auth ", "--creds ")),
    ("'-p", 0, ("'-p",)), ("auth=", 0, ("auth=",)), ("creds=", 0, ("creds=",)), ("echo ", 0, ("echo ", "echo -n ")),
    ("<<", 1, ("<<",)), ("printf ", 0, ("printf ", "printf %s ", "printf '%s\\n' ")), ("ogin ", 1, ("ogin ",)),
    ("OGIN ", 1, ("OGIN ",)), ("user ", 1, ("user ",)),
)  # fmt: skip


def clean(text: str) -> str:
    """Strip terminal sequences and invisible characters, which could split a secret; the rest fits UTF-8."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():  # no invisible one is
        return text
    from ralph_mem.core.redaction import terminal  # lazy: only for text with escape sequences

    return terminal.plain(text)


def drop_blocks(text: str) -> "tuple[str, dict[str, int]]":
    """Replace <private> passages and private keys. Needs the whole text: a cut one hides where they begin or end."""
    folded = fold(text)
    if "private" not in folded and "1b[" not in folded:
        return text, {}
    from ralph_mem.core.redaction import blocks  # lazy: only for text in which a key may be

    if "1b[" in folded:
        text = blocks.without_colours(text)
        folded = fold(text)
    text, passages = blocks.cut_private(text, folded)
    text, keys = blocks.cut_keys(text)
    return text, {kind: count for kind, count in (("private", passages), ("private-key", keys)) if count}


def redact(text: str, known: "list[str] | tuple[()]" = (), patterns: "list[str] | tuple[()]" = ()) -> "tuple[str, dict[str, int]]":
    """Replace known values, what matches the user's patterns, and all that the rules find; return counts by kind too.

    Redacting twice changes nothing: what a round has marked is never looked at again, and rounds go on until one
    finds nothing.
    """
    if not (patterns or any([value in text for value in known]) or may_hold(text) or "1b[" in text or "33[" in text):
        return text, {}
    from ralph_mem.core.redaction import spans as secret_spans  # lazy: only for text in which a secret may be

    return secret_spans.redact(text, known, patterns, by_rules)


def by_rules(text: str) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind) of what the rules tell."""
    folded = fold(text)
    labels = _labels(text, folded)
    is_of_class = may_be_of_class(text, labels)
    if not is_of_class and not _holds_sign(text, folded, labels):
        return []
    from ralph_mem.core.redaction import rules  # lazy: only for text in which a secret may be

    starts = {word[:width].decode() for word in long_words(text) if _looks_issued(word) for width in (2, 3)}
    return rules.find(text, folded, starts, redact if is_of_class else None)


def may_be_of_class(text: str, labels: "list[tuple[str, int, int]]") -> bool:
    """Say whether a text may hold a secret that is told by what it stands in: the look costs little, and `classes` decides."""
    raw = text.encode("utf-8", "surrogatepass")
    if not HINTS.isdisjoint(raw.translate(HINT_BYTES).split()):
        return True
    if not text.isascii() and ("\u276f " in text or any([name in text for name in FOREIGN.split()])):
        return True
    groups = [line.split("\t") for line in SIGNS.split("\n") if line[0] in text]
    if (
        any([sign in text for group in groups for sign in group[1:]])
        or any([_may_be_value(word, True) for word in _handed(text)])
        or any([_announces(label, ahead, True) for label, ahead in _ahead(text, labels)])
        or any([reads_as_text(word) for word in words_of(raw, HIDING_FLOOR)])
    ):
        return True
    if not labels or not any([sign in text for sign in SHOWING]):
        return False
    from ralph_mem.core.redaction import coined  # lazy: only for a test's report or an interpreter's that names a secret

    return coined.stands_in(text)


def _handed(text: str) -> "list[str]":
    """Return the words behind a flag, a name or a sign that may be a password's, and what stands before an @ behind a colon."""
    found = [
        piece[-64:].replace("\n", " ").rpartition(" ")[2].rpartition(":")[2] for piece in text.split("@")[:-1] if ":" in piece[-64:]
    ]
    for flag, which in [(flag, which) for sign, which, flags in FLAGS if sign in text for flag in flags]:
        at = text.find(flag)
        while at >= 0:
            at += len(flag)
            words = text[at : at + 96].lstrip(" =").replace("\n", " ").split(" ", which + 1)
            found += [word.strip("\"'`").rpartition(":")[2].rpartition("%")[2] for word in words[which : which + 1]]
            at = text.find(flag, at)
    return found


def _labels(text: str, folded: str) -> "list[tuple[str, int, int]]":
    """Return each place of a label that ends a name: which it is, where it begins and where it ends."""
    found = []
    for label in LABELS:
        at = folded.find(label)
        while at >= 0:
            end = at + len(label)
            if not folded.startswith("ed", end) and _is_name(text, folded, at, end):  # not `passed`
                found.append((label, at, end))
            at = folded.find(label, end)
    return found


def _ahead(text: str, labels: "list[tuple[str, int, int]]") -> "set[tuple[str, str]]":
    """Return each label with what stands behind it, once where that is repeated thousands of times."""
    return {(label, text[at : at + 512]) for label, _, at in labels}


def _announces(label: str, ahead: str, in_class: bool) -> bool:
    """Say whether in reach of a name stands what may be its value: in a table or a call, or else in a sentence or below."""
    line, end, below = ahead.lstrip(NAME + NAME.upper()).partition("\n")
    after = line.lstrip("\"'`\\]?*:)") + end
    is_head = after[:1] in ("\n", ",", "\t", ";") or after[:2] == "  " or (after.lstrip(" ")[:1] or " ") in "|│║┃┐─┬"
    is_open = not after.strip(" \n=|>+-<\"'") or after[:2] == "</"
    link = min([each for each in [after.find("=", 0, 4), *map(after[:80].find, LINKS)] if each >= 0], default=-1)
    is_told = is_open or after.endswith((":\n", "(\n"))
    is_quoted = '"' in after or "'" in after
    is_password = label in PASSWORD_LABELS
    if in_class and is_password and (after[:2] in (' "', " '") or after.lstrip(" ")[:1] in ("=", ":", "|", "│", "║", "┃")):
        said = after.lstrip(" =:|│║┃\"'")  # a few words may be one
        if said[:1] not in ("", *"($<{[*\n") and (" " in said.rstrip() or is_quoted):
            return True
    if not (is_head or is_quoted or (after[:1] == " " and after.count(" ") == 1) if in_class else link >= 0 or is_told):
        return False
    least = 6 if is_password else 8 if label in ("secret", "token") else 16
    near = after[:128] if in_class or link < 0 or is_quoted else " ".join(after[link + 2 : link + 90].split(" ", 3)[:3])
    near += "\n".join(below.split("\n", 4)[:4]) if is_head or is_told else ""
    for sign in PARTING:
        near = near.replace(sign, " ")
    return any([len(word) >= least and (_may_be_value(word, is_password) or _is_long_letters(word)) for word in near.split()])


def _may_be_value(word: str, is_password: bool) -> bool:
    """Say whether a word of a table or a call is no path, name or number; a password may be capitals among small letters."""
    word = word.strip("'\"")
    if is_password and word.isalpha() and not word.isupper() and len(word) > 7:
        return any([one.isupper() and two.isupper() for one, two in zip(word, word[1:])])
    is_numbered = is_password and word[:1].isupper() and word.rstrip(CLOSING)[-2:].isdigit()
    is_plain = ("." in word.rstrip(CLOSING + ".") and not is_numbered) or ("/" in word and len(word) <= 32)
    is_plain = is_plain or word.count(":") > 2 or word[:3] in ("SHA", "sha")
    bare = word.replace("_", "-")
    if is_password and bare.count("-") > 2 and len(bare) > 15 and bare.islower() and bare.replace("-", "").isalpha():
        return all([len(part) > 2 for part in bare.split("-")])
    return (is_password and _is_coined(word)) or (len(word) > 5 and not is_plain and _stands_out(word.lower(), False))


def _is_coined(word: str) -> bool:
    if len(word) < 7 or not word[0].isupper() or word.isalpha():
        return False
    from ralph_mem.core.redaction import coined  # lazy: only for a word that begins with a capital, behind a label

    return coined.is_joined(word)


def reads_as_text(word: bytes) -> bool:
    """Say whether a long word may be the base64 of a text or a wallet's key: each fourth character stands for six of seven bits."""
    if word[:3] in (b"PHN", b"xpr", b"ypr", b"zpr", b"tpr") or (51 <= len(word) <= 53 and word[0] in b"5KLc9"):
        return True
    return not word[:64:4].strip(b"CDIJKLMNOPQRSTUVWXYZabcdef") and not word.isdigit() and not word.islower() and not word.isupper()


def may_hold(text: str) -> bool:
    """Say whether a text holds anything that could be a secret, so that the rules are worth loading."""
    folded = fold(text)
    labels = _labels(text, folded)
    return _holds_sign(text, folded, labels) or may_be_of_class(text, labels)


def trips(text: str) -> bool:
    """Say whether a text holds a sign of a secret, or one that is told by what it stands in."""
    return _holds_sign(text, fold(text), _labels(text, fold(text))) or bool(by_rules(text))


def _holds_sign(text: str, folded: str, labels: "list[tuple[str, int, int]]") -> bool:
    """Say whether a text holds a token, an address or a name that may be or announce a secret."""
    if holds_token(text) or _holds_url(text) or "sig=" in text or "ignature=" in text:
        return True
    for label, start, at in labels:
        if _tells(text, folded, start, at) or (label[0] == "p" and _quotes(folded[at : at + 64])):
            return True
    return any([_announces(label, ahead, False) for label, ahead in _ahead(text, labels)])


def holds_token(text: str) -> bool:
    """Say whether a word looks like an issued token."""
    return any([_looks_issued(word) for word in long_words(text)])


def long_words(text: str) -> "list[bytes]":
    """Return the words that are long enough to be a token."""
    raw = text.encode("utf-8", "surrogatepass")
    if b"\\" in raw:  # a spelled-out line end would stick to the word behind it
        raw = raw.replace(b"\\n", b"  ").replace(b"\\t", b"  ").replace(b"\\r", b"  ")
    return [word.lstrip(b"-._") for word in words_of(raw, ISSUED_FLOOR)]


def words_of(raw: bytes, fewest: int) -> "list[bytes]":
    """Return the words of at least so many characters that may stand in a token: only long ones cost more than a look."""
    found, marks, long = [], raw.translate(TOKEN_BYTES), b"x" * fewest
    at = marks.find(long)
    while at >= 0:
        end = marks.find(b" ", at)
        end = end if end >= 0 else len(marks)
        found.append(raw[at:end])
        at = marks.find(long, end)
    return found


def _looks_issued(word: bytes) -> bool:
    if not word.strip(LOWER_BYTES) and len(word.replace(b"-", b"_").rpartition(b"_")[2]) < 16:
        return False
    tail = word.partition(b"_")[2]
    if len(tail) > 23 and word[:2].islower() and tail.lower() != tail != tail.upper() and not tail.isalpha() and b"." not in tail:
        return True
    # besides the prefixes: Telegram's second half, and the tokens that are told by where their first dots stand
    head, _, rest = word.partition(b".")
    is_dotted = b".atlasv1." in word or (17 <= len(head) <= 28 and len(rest.partition(b".")[0]) in DOTTED)
    return word[:3] in HEADS or (word[:2] == b"AA" and len(word) == 35) or (len(word) > 57 and is_dotted)


def _holds_url(text: str) -> bool:
    if "://" not in text:
        return False
    from ralph_mem.core.redaction import addresses  # lazy: only for a text with an address

    return addresses.may_open(text)


def _is_name(text: str, folded: str, start: int, at: int) -> bool:
    """Say whether a word of a name ends with a label: `tokens` and `author` announce nothing, nor does a lone `key`."""
    after = text[at : at + 1]
    if (
        after == "s"
        and (folded[start:at] != "key" or folded[start - 1 : start] in "_-")
        and text[at + 1 : at + 2] in ('"', "'", ":", "]", "=")
    ):
        return True
    if after.isalnum() and not (after.isupper() and text[at - 1].islower()) and not folded.startswith(LONGER, start):
        return False
    if folded[start:at] == "pass" and (folded[start - 1 : start] not in NAME or not start):
        line = text[text.rfind("\n", 0, start) + 1 : start]  # a word of Python, a test that passes
        if not line.strip() if after in ("\n", "") else text[start:at] == "PASS" and after == ":":
            return False
    if folded[start:at] != "key" or folded[start - 1 : start] in NAME or folded[at : at + 1] in NAME:
        return True
    before = text[max(0, start - 24) : start].rstrip(" \t-")
    return before[-1:] in ("\n", "") or before.rpartition(" ")[2].isalpha()  # "API key: ...", or of a section


def _tells(text: str, folded: str, start: int, at: int) -> bool:
    """Say whether what stands behind a label may be a value; `start` is where the label begins, `at` where it ends."""
    is_upper = text[at - 1].isupper()
    after = folded[at : at + 128].lstrip(NAME)
    if after[:1] == "(":
        return False
    if is_upper and (after[:1] == "=" or (after[:2] == ": " and after[2:3].isalpha() and "." in after.partition("\n")[0])):
        return after[1:7].isprintable() and len(after) > 6
    if is_upper and "value" in after:
        return True
    if not (_is_assigned(after) or folded.startswith(WITHOUT_SIGN, start) or _comes_before_value(folded[:start][-80:])):
        return False
    line = after.lstrip(BETWEEN)[:64].partition("\n")[0]
    # the second word where a type, a flag or "is" comes first
    words = (line.partition(" = ")[2] or line).split(" ", 2)[:2]
    if words[0] in ("basic", "bearer") and len(words) > 1:
        return len(words[1]) >= 6 and words[1][0] not in "<${"
    numbers_tell = folded.startswith(("auth", "cookie"), start)
    said = text[at : at + 128].lstrip(NAME + NAME.upper()).lstrip(BETWEEN)[:64].partition("\n")[0].partition(" ")[0].rstrip(CLOSING)
    tells = [len(word) >= 6 and (_stands_out(word, numbers_tell) or _is_long_letters(word)) for word in words]
    return any(tells) or _is_coined(said)


def _is_assigned(after: str) -> bool:
    """Say whether a sign between a name and its value follows: nothing else makes a value of what comes behind most names."""
    rest = after.lstrip("\"'`\\]) \t")
    is_listed = rest[:1] == "," and after[:1] in ("'", '"')
    return rest[:1] in ("=", ":", ">", "!") or rest[:3] == "%3d" or is_listed or "value" in after[:64]


def _comes_before_value(before: str) -> bool:
    """Say whether a name stands where a blank is enough: `--token x`, `set TOKEN x`."""
    outside = before.rstrip(NAME)
    return before.startswith("-", len(outside)) or outside.endswith(
        ("set ", "setx ", "-x ", "-gx ", "env ", "config ", "--global ", "--local ", "--system ")
    )


def _stands_out(word: str, numbers_tell: bool) -> bool:
    """Say whether a word holds more than letters and, but for where they are enough, numbers."""
    return bool(word.strip(UNTELLING)) and (numbers_tell or bool(word.rstrip(CLOSING).strip(NUMBERS)))


def _quotes(after: str) -> bool:
    """Say whether a quoted word is assigned: of a password that alone tells."""
    operator, _, value = after.lstrip(NAME + "\"'`\\])").replace("'", '"').partition('"')
    return operator.strip(" =:>\\") == "" and operator.strip() != "" and len(value.partition('"')[0]) >= 6


def _is_long_letters(word: str) -> bool:
    # a generated value without a digit: rare, but no word is that long
    word = word.partition("\\n")[0].strip(BETWEEN + ";.}").rpartition("=")[2].replace("+", "").replace("/", "")
    return len(word) >= 18 and word.isalpha()


def fold(text: str) -> str:
    """Lower a text without changing any character's width, as str.lower does: positions hold in both texts."""
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
