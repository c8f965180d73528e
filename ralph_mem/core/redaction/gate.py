"""Decide whether a text may hold a secret, and load the modules that redact it only then. Every hook comes by here."""

RULES_VERSION = 16  # stored with every row, so that a later rule finds the rows it never saw

# The gate. Issued tokens are told by their first three characters, those of `prefixes.PREFIXES` (a test holds the
# two together): looking up each long word costs a tenth of searching the text for two hundred prefixes. A set would be
# quicker in a long text, and costs every event what it takes to make it.
HEADS = (
    b"A3- A3T AAA ABI ABS ACC AGE AIz AKC AKI AP0 AP1 AP2 AP3 AP4 AP5 AP6 AP7 AP8 AP9 APA APB APC APD APE APF API APP AQV ASI "
    b"ATA ATB ATC BSA CCI CFP CLO EAA EZA EZT FLW GOC GR1 HRK KEY LTA NRA NRI NRJ PMA SG. SK0 SK1 SK2 SK3 SK4 SK5 SK6 SK7 SK8 "
    b"SK9 SKA SKB SKC SKD SKE SKF SKa SKb SKc SKd SKe SKf WPL YCA YCM YCN YCO YCP ZXl acc amz api bb_ bed bkc bku cio cmV csk "
    b"dap dbt dck ddo ddp dnk doo dop dor dp. dt0 duf e2b ese ew0 ewo eyJ fc- fig fio fm1 fm2 fo1 fw_ gho ghp ghr ghs ghu git "
    b"gla glc gld glf gli glo glp glr gls gsk hf_ hvb hvr hvs ico jin key lin liv lsv md- nap nfp npm nse ntn nva ops oy2 p8e "
    b"pat pcs pdl per phs phx pk. pk_ pla pnu pol ppl psc pul pyp r8_ rdm re_ rk_ rnd roo rub rzp s-s sat sb_ sbp sdk sec sgp "
    b"shi shp sk- sk. sk_ sl. sm_ snt sq0 sqa sqp squ t1. tfp tgp tk- tk. tr_ tsk tvl v1. ver vtw wak wan whs xai xap xke xnd "
    b"xox xsm ya2 zpk "
)
# Prefixes of tokens in which signs may stand that part words, and of a cookie: these are looked for themselves.
PARTED = ("glc_", "fm1a_", "fm1r_", "fm2_", "pscale_", "sntrys_", "tfp_", "ABSK", "_session=")
ISSUED_FLOOR = 20
# What may stand in a token is an x, all else a blank; spelled out, since every event would pay for making it.
TOKEN_BYTES = b" " * 45 + b"xx xxxxxxxxxx       xxxxxxxxxxxxxxxxxxxxxxxxxx    x xxxxxxxxxxxxxxxxxxxxxxxxxx     " + b" " * 128
SHORTEST_HANDED = 5  # what is no longer is no value for `labels`
HIDING_FLOOR = 16  # our own ids have 15 characters
LOWER_BYTES = b"abcdefghijklmnopqrstuvwxyz_-."
# Named secrets are told by a stem of the name and a value with a digit or a symbol behind it.
LABELS = (
    "pass", "pw", "secret", "token", "key", "auth", "credential", "cookie", "bearer", "salt", "seed", "_code", "psk",
    "kennwort", "clave",
)  # fmt: skip
FOREIGN = (  # in lower case; one text is read the quickest, and a test holds it together with what `names` knows
    "contraseña sésame 合言葉 hasł lösenord schlüssel clé código jelszó şifre lykilorð slaptažodis khẩu "
    "пароль ключ токен секрет парол лозинка κωδικός κωδικος סיסמ "
    "パスワード 密码 密碼 トークン シークレット 令牌 密钥 密鑰 暗証番号 口令 비밀번호 비번 암호 "
    "รหัสผ่าน पासवर्ड المرور السر عبور"
)
WIDE = ("\uff1a", "\uff1d", "\u00a0", "\u202f", "\u3000")  # a colon, an equals sign, blanks
SHOWING = ("xpected", "eceived", " got ", "got:", "left:", " want ", "assert", "XCTA", "db) ", "ghci> ", "debug> ", ">>> ")
DOTTED = (5, 6, 7, 64)  # characters between the dots: of Discord, of Airtable
# Words of which one at least stands in a text of a class that its labels do not tell: programs that take or print a secret, what
# follows those that do more than that, words of statements. The tests of outputs hold them together with the modules of `classes`.
HINTS = {  # by their first character, which is quicker than a set that every event would have to make
    45: b" --decrypt --masterauth --pass --passcode --password-stdin --proxy-user --raw --requirepass --reveal --user "
        b"--with-decryption -enc -encodedcommand -hashes -opw -pass -pw -raw -setcookie -upw -ux ",
    50: b" 2a 2b 2y ",
    55: b" 7z 7za 7zz ",
    97: b" aad3b435b51404eeaad3b435b51404ee access_code accesscode add-authtoken add-generic-password add_user adgangskode "
        b"altool anahtar anahtari anmeldedaten ansible-vault apksigner apr1 argon2 argon2i argon2id ascii-text auth-pass "
        b"auth-user-pass auths authtok authtoken acceder acceso accesso ",
    98: b" bakemacaroon bcp bindpw bw ",
    99: b" chamber change_password chave chiave chpasswd circleci clave clevis codes codigodeacceso communities community "
        b"concealed connect-network consul contrasena contrasenya convertto-securestring cqlsh crackmapexec credenciais "
        b"credenciales credenziali crowbar crypt cryptsetup cypher-shell ",
    100: b" databricks db2 debconf-set-selections decrypt doas doppler dumpprivkey ",
    101: b" eas ejabberdctl encodedcommand encrypt_string erlang_cookie espota.py etcdctl evil-winrm eintippen "
        b"eintippt entra entrar erstzugang ",
    102: b" find-generic-password fly flyctl frase fernet ",
    103: b" geheim geheimnis geheimwort genkey genpsk geslo get-login-password get-secret-value glab gopass gpg gpg2 ",
    104: b" hash-password haslo hemlighet heroku heslo htpasswd ",
    105: b" iadmin identified identify infisical inloggegevens ipmitool isakmp ishidden isql iwconfig inloggen ",
    106: b" jarsigner jdbc jelszo jeton joining jsessionid ",
    107: b" kennwort key-string key:generate keydb-cli keymaterial keytool keyvault kinit klucz kms kodeord krb5tgs kty "
        b"kubeseal kv ",
    108: b" ldapadd ldapcompare ldapdelete ldapmodify ldapmodrdn ldappasswd ldapsearch ldapwhoami lftp llave login losenord "
        b"losung losungswort lozinka lpass ",
    109: b" masterauth matkhau mc mcrcon mdp mkpasswd mnemonic mongodump mongorestore mongosh mosquitto_passwd "
        b"mosquitto_pub mosquitto_sub mssql-cli mycli mysql_config_editor mysqladmin mysqldump ",
    110: b" ncftp net netexec netlify nmcli nostr ntlm nxc ",
    111: b" oathtool obscure openssl osql otp ",
    112: b" parola paroladordine parole parool passcode passfrase passkey passord passwd pbkdf2 pbkdf2_sha1 pbkdf2_sha256 pdftk "
        b"pgbench phpsessid phrase phx.gen.secret pin pragma preauthkeys private-lines psk psw pswd puk pulumi pwgen ",
    113: b" qpdf ",
    114: b" rabbitmq_erlang_cookie rabbitmqctl radius railway random_password rar rclone rcon-cli recovery_phrase redis-cli "
        b"reg_sz release_cookie requirepass reveal ripple rocommunity rootpw rp rpcclient rwcommunity rein ",
    115: b" salasana samba-tool saml saml2 samlassertion samlresponse sandi sasl_passwd scram-sha-256 scrypt secret-tool "
        b"secreto secretphrase secretsmanager securerandom securestring seed seedphrase seeds segredo segreto semilla "
        b"senha sentinel service_account session_id sessionid setuser sifre sifresi signtool signtool.exe slappasswd smbcacls "
        b"smbclient smbget smbpasswd snmp-agent snmp-server snmp_community snmpbulkwalk snmpget snmpgetnext snmpinform snmpset "
        b"snmptable snmptrap snmpwalk sops sqlcmd sqlplus ssh-add ssh-keygen ssha sshpass stdin steamcmd steghide stellar "
        b"store-secret su sudo supabase swaks systemd-creds sesame ",
    116: b" tacacs twine ",
    117: b" unlock-keychain unrar unseal unsealed urandom user-secrets usermod ",
    118: b" valkey-cli vercel ",
    119: b" wachtwoord wallet wg whoami winexe wlfreerdp wpa_cli wpa_passphrase wrangler wpisz ",
    120: b" x-session xcrun xfreerdp xrp xxd ",
    122: b" zugangscode zugangsdaten zugangsschluessel zugriffscode zugang ",
}  # fmt: skip
# What stands in such a word, in lower case, all else a blank; spelled out, since every event would pay for making it.
HINT_BYTES = b" " * 45 + b"-. 0123456789       abcdefghijklmnopqrstuvwxyz    _ abcdefghijklmnopqrstuvwxyz" + b" " * 133
# Signs that no word holds, a line for each character that all behind it hold; ASCII, since that is read and cut the quickest.
SIGNS = """$\t$ \t$6$\t$5$\t$1$\t$y$\t$S$\t$P$\t$mysql\t$9$\t$8$\tAUTH\\r\\n
<\t<<<\t</password\t</passwd\t</passphrase\t<(echo\t<redacted>\t<hidden>
>\t on >\t-> PASS 
@\t@tcp(\t@unix(\t@uri\t@base64\t@//
~\tsha256~\tQ~
|\t| pass \t| base64\t' | \t" | 
=\t.key='\t" == "\tticket=\tlogin=\tpass=\tpw=\t&p=\t?p=\tpwd=\tpasswd=\tssid=\t]=>
4\tbase64 -\tbase64 <\tl base64
2\tbase32 -\tbase32 <\t| base32
(\tcompare(\te_digest(\timeCompare(\tSafeEqual(\thash_equals(\tTimeEquals(\tbind(\techanism(\tbasic("\tfill("\tfill('\tsend (\tnect(\tnection(\togin(\token(\tallet(\tccount(\tuthentication(\tstruct(\tsuperuser(\t_bind\tuth(\tuthenticate(\tredentials(\tassword(\tuthenticator(\tecret(\tcode(\tquote_plus(\tquote(\tescape(\tatob(\tbtoa(\tURIComponent(\tBase64String(\tfromhex(\tr.from(\thexlify(\tHmac(\thmac(\tmac.new(\tmac.New(\tdigest(\tSQL('\tgoDB('\tcode64(
{\t{SHA}
*\t:*:\trow ***\t***'\t***"\t: ****\t***>\t- ***
[\t[REDACTED]\t[FILTERED]\t[ RECORD \t[]uint8\t[UInt8]\t[u8;\tbyte[] \t[]byte{\tbytes([\tfrom([
6\tUGFzc3dvcmQ6
+\tAT+CP
w\t in with \tens with \tlocks with \t12 words\t24 words\tpplication password\tpp password\tpp-password
\\\t\\u00
&\t;&#
-\t-pass \t-pwd \t-pw \thttp-basic
/\t /p \t /p:\t/pw 
:\tsername: \t"u":\t"refresh":\t"p": "\t"p":"\t.psk:\t: RSA \t: EAP \t;P:\tetup code: \tpass: \tpass':\tpass":\t:5432:\t:6432:
"\tassword:"
/\ts/__
c\t code is\tuthentication_string
t\tkind: Secret\t"Secret"\t:"secret\tSecret": true\tsecret set\tsecret put\tsecret create\tsecret generic\tsecrets set\tsecrets put\tsecrets create\tsecrets versions\tsecrets import\tsecrets get
S\tSecureString
_\t_phrase\t_PHRASE\t_unlock\t_UNLOCK
y\tKey Content\tshared-key\tdigest-key\toption key
g\tog in as\tign in as\tgned in as
A\t'AUTH \t"AUTH \te PASS \tnPASS \t"PASS 
v\t"sensitive\""""  # noqa: E501, W291
# Before a password, with most programs, and how many words farther on it stands.
FLAGS = (
    (" -", 0, (" -p", " -P", " -w", " -W", " -a", " -u", "u ", " -U", " -t", " -k", "--login ", "--auth ", "--creds ")),
    ("'-p", 0, ("'-p",)), ("auth=", 0, ("auth=",)), ("creds=", 0, ("creds=",)), ("echo ", 0, ("echo ", "echo -n ")),
    ("<<", 1, ("<<",)), ("printf ", 0, ("printf ", "printf %s ", "printf '%s\\n' ")), ("ogin ", 1, ("ogin ",)),
    ("OGIN ", 1, ("OGIN ",)), ("user ", 1, ("user ",)),
    (" / ", 0, ("n / ", "t / ", "e / ", "o / ", "r / ", "s / ", "y / ", "` / ", "* / ")),
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

    safe = secret_spans.redact(text, known, patterns, by_rules)
    _SEEN.clear()
    _WITHOUT_CLASS[0] = ""
    return safe


def by_rules(text: str) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind) of what the rules tell in a text that may hold a secret."""
    text = narrow(text)
    _, named, holds_sign = _see(text)
    is_of_class = text not in _WITHOUT_CLASS[0] and may_be_of_class(text, named)
    if not is_of_class and text not in _WITHOUT_CLASS[0]:
        _WITHOUT_CLASS[0] = text
    return _find(text, is_of_class) if is_of_class or holds_sign else []


def by_all_rules(text: str) -> "list[tuple[int, int, str]]":
    """Find what `by_rules` does, and what it misses in a text that shows no sign of a secret: takes some milliseconds."""
    return _find(narrow(text), True)


def _find(text: str, is_of_class: bool) -> "list[tuple[int, int, str]]":
    from ralph_mem.core.redaction import spans as secret_spans  # lazy: only for text in which a secret may be

    starts = {word[:width].decode() for word in long_words(text) if _looks_issued(word) for width in (2, 3)}
    starts |= {prefix[:3] for prefix in PARTED if prefix in text} | ({"|"} if _names_app(text) else set())
    return secret_spans.by_rules(text, _see(text)[0], starts, redact if is_of_class else None)


def may_be_of_class(text: str, named: "list[tuple[str, int, int]]") -> bool:
    """Say whether a text may hold a secret that is told by what it stands in: the look costs little, and `classes` decides."""
    raw = text.encode("utf-8", "surrogatepass")
    words = {*raw.translate(HINT_BYTES).split()}
    if any([b" " + word + b" " in HINTS[word[0]] for word in words if word[0] in HINTS]):
        return True
    if not text.isascii():
        folded = fold(text)
        if "\u276f " in text or "\u2022\u2022\u2022" in text or any([name in folded for name in FOREIGN.split()]):
            return True
    groups = [line.split("\t") for line in SIGNS.split("\n") if line[0] in text]
    if (
        any([sign in text for group in groups for sign in group[1:]])
        or _are_in_class(text, named)
        or any([reads_as_text(word) for word in words_of(raw, HIDING_FLOOR)])
    ):
        return True
    if not named or not any([sign in text for sign in SHOWING]):
        return False
    from ralph_mem.core.redaction import coined  # lazy: only for a test's report or an interpreter's that names a secret

    return coined.stands_in(text)


def _named(text: str, folded: str) -> "list[tuple[str, int, int]]":
    """Return each place of a label that ends a name: which it is, where it begins and where it ends."""
    found = [label for label in LABELS if label in folded]
    if not found:
        return []
    from ralph_mem.core.redaction import labels  # lazy: only for a text that may name a secret

    return labels.places(text, folded, found)


def _are_in_class(text: str, named: "list[tuple[str, int, int]]") -> bool:
    """Say whether what a program is handed, or what stands in a table or a call behind a name, may be a secret."""
    handed = [word for word in _handed(text) if len(word) > SHORTEST_HANDED]
    if handed:
        from ralph_mem.core.redaction import labelled  # lazy: only for a text that may hand over a secret

        if any([labelled.may_be_value(word, True) for word in handed]):
            return True
    if not named:
        return False
    from ralph_mem.core.redaction import labels  # lazy: only for a text that may name a secret

    return labels.announce_in_class(text, named)


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


def reads_as_text(word: bytes) -> bool:
    """Say whether a long word may be the base64 of a text or a wallet's key: each fourth character stands for six of seven bits."""
    if word[:3] in (b"PHN", b"xpr", b"ypr", b"zpr", b"tpr") or (51 <= len(word) <= 53 and word[0] in b"5KLc9"):
        return True
    if len(word) > 40 and not word[4:64:8].strip(b"A"):  # two bytes to a character
        return True
    return not word[:64:4].strip(b"CDIJKLMNOPQRSTUVWXYZabcdef") and not word.isdigit() and not word.islower() and not word.isupper()


def may_hold(text: str) -> bool:
    """Say whether a text holds anything that could be a secret, so that the rules are worth loading."""
    text = narrow(text)
    _, named, holds_sign = _see(text)
    return holds_sign or may_be_of_class(text, named)


def trips(text: str) -> bool:
    """Say whether a text holds a sign of a secret, or one that is told by what it stands in."""
    _WITHOUT_CLASS[0] = ""  # a text by itself is no part of the one before it
    return _see(text)[2] or bool(by_rules(text))


_WITHOUT_CLASS = [""]  # the last text that held no sign of a class: what is left of it beside a mark holds none either
_SEEN: "dict[str, tuple[str, list[tuple[str, int, int]], bool]]" = {}  # of the text that was looked at last: rules ask twice


def _see(text: str) -> "tuple[str, list[tuple[str, int, int]], bool]":
    """Return a text in lower case, the places of its labels, and whether it holds a sign of a secret."""
    if text not in _SEEN:
        folded = fold(text)
        named = _named(text, folded)
        _SEEN.clear()
        _SEEN[text] = (folded, named, _holds_sign(text, folded, named))
    return _SEEN[text]


def _holds_sign(text: str, folded: str, named: "list[tuple[str, int, int]]") -> bool:
    """Say whether a text holds a token, an address or a name that may be or announce a secret."""
    if holds_token(text) or _holds_url(text) or "sig=" in text or "ignature=" in text:
        return True
    if not named:
        return False
    from ralph_mem.core.redaction import labels  # lazy: only for a text that may name a secret

    return labels.announce(text, folded, named)


def holds_token(text: str) -> bool:
    """Say whether a word looks like an issued token, or may be one that signs part or stand before."""
    return any([_looks_issued(word) for word in long_words(text)]) or any([sign in text for sign in PARTED]) or _names_app(text)


def _names_app(text: str) -> bool:
    """Say whether a number as long as that of an app of Facebook stands before a bar, as in its token."""
    parts = text.replace("%", "|").split("|")[:-1] if "|" in text or "%" in text else []
    return any([len(part) > 14 and part[-15:].isdigit() for part in parts])


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
    is_dotted = 17 <= len(head) <= 28 and len(rest.partition(b".")[0]) in DOTTED
    if word[:3] in HEADS or (word[:2] == b"AA" and len(word) == 35) or (len(word) > 57 and is_dotted):
        return True
    # what `marks` knows besides, and tokens of JSON and of Vault
    word = word.rstrip(b".")
    if word[32:33] == b"-" or (word[-41:-40] == b"-" and word[:8].isdigit()) or word[-4:] == b"_mmk":
        return True
    if b"T3BlbkFJ" in word or b".acc" in word or b".atlasv1." in word or (word[:2] == b"ey" and b".e" in word):
        return True
    return (len(word) == 42 and word[:2] in (b"00", b"4b")) or (len(word) == 26 and word[:2] == b"s.")


def _holds_url(text: str) -> bool:
    if "hooks.slack.com/" in text:
        return True
    if "://" not in text:
        return False
    from ralph_mem.core.redaction import addresses  # lazy: only for a text with an address

    return addresses.may_open(text)


def fold(text: str) -> str:
    """Lower a text without changing any character's width, as str.lower does with one of them: positions hold in both texts."""
    return (text if text.isascii() else text.replace("\u0130", "i")).lower()


def narrow(text: str) -> str:
    """Return a text with the wide signs and the blanks of other scripts as those that rules know; positions hold in both texts."""
    if text.isascii() or not any([sign in text for sign in WIDE]):
        return text
    from ralph_mem.core.redaction import spelling  # lazy: only for text of Japanese, Chinese or French signs

    return spelling.narrow(text)
