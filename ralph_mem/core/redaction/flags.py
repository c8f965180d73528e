"""Tell which words of a command are a secret by the flag, name or verb before them."""

from ralph_mem.core.redaction import pipes, taking
from ralph_mem.core.redaction.by_hand import is_thought_up
from ralph_mem.core.redaction.issued import stands_alone
from ralph_mem.core.redaction.names import is_secret, kind_of_name
from ralph_mem.core.redaction.passwords import is_generated, is_passphrase
from ralph_mem.core.redaction.values import HEX, is_filler, is_plain, looks_random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.redaction.shell_words import Word

    Place = tuple[int, int]

# What hands over a name and its value, one behind the other.
SETTING = frozenset("set put add write create config env store save update patch insert new edit secret secrets variable".split())
ASSIGNING = ("set", "setx", "-x", "-gx", "-Ux")  # before a name that `assignments` judges
KEEPING, VALUES = frozenset(("secret", "secrets", "sensitive")), ("--value", "--secret-value", "-v")
BARE_NAMES = frozenset("pass pw pwd password passwd passphrase psk passcode".split())
# Words that a name and a password follow, in lines of protocols and of programs that run lines.
SIGNING_IN = frozenset(
    "login user logon signin identify authenticate auth auth-user-pass setpassword set-password changepassword"
    " change-password".split()
)
LOGGING_IN = frozenset("login auth authenticate add-authtoken authtoken --with-token activate register".split())
USERS = frozenset("-u -U -l -n -D --user --username --login --login-name --email --account -user -username /ru /user".split())
PAIRS = frozenset("-u -U -a --user --auth --proxy-user --creds --credentials --basic-auth --userpwd".split())
SHORT = ("-p", "-P", "-w", "-W", "-a", "-k", "-K", "-x", "-X", "-s", "-S", "-t")
# With these programs `-p` and its like are ports, parents and packages.
OTHERWISE = frozenset(
    "adduser cargo chmod chown clang cp curl createdb createuser diff docker find flask gcc git go gradle grep gunicorn install "
    "journalctl jq kill ls lsof minisign mkdir mv mvn nc nerdctl netstat nmap node npm patch perf pg_dump pg_restore pnpm podman "
    "printf ps psql pytest python python3 read rg rsync rustc scp sed sftp ssh strace systemctl tar tmux top touch uvicorn "
    "wget yarn".split()
)
PACKAGERS = frozenset("apt apt-get apt-cache aptitude dpkg dnf yum rpm zypper pacman apk brew man".split())
ENDINGS = (
    "pw",
    "pass",
    "passwd",
    "pwd",
    "tok",
    "unlock",
    "kennwort",
    "psk",
    "cred",
    "wachtwoord",
    "senha",
    "clave",
    "mdp",
    "plaintext",
)
HEX_DIGITS = frozenset(HEX)
PROPERTIES = frozenset("login auth cred creds pw pass passwd sasl".split())


def of_any(words: "list[Word]") -> "list[Place]":
    """Return what stands where any program would take a secret."""
    found = [*_flagged(words), *_paired(words), *_set(words), *_logging_in(words), *_echoed(words), *_properties(words)]
    return found + _signing_in(words) + _hashed(words) + _kept(words) + _filled_in(words)


def _signing_in(words: "list[Word]") -> "list[Place]":
    """Return the password behind a name behind what signs in: `login bob x`, `USER bob x`."""
    found = []
    for word, user, (start, _, said) in zip(words, words[1:], words[2:]):
        is_quoted = user[1] - user[0] == len(user[2]) and start - user[1] == 3  # both in quotes
        is_quoted = is_quoted or "password" in word[2].lower()
        value = said.removesuffix("\\n").removesuffix("\\r")
        end = start + len(value)
        tells = stands_alone(value) or is_generated(value) or is_passphrase(value) or (is_quoted and taking.is_mixed(value))
        tells = tells or (word[2].isupper() and not user[2].isupper() and is_thought_up(value))  # of a protocol
        if (
            word[2].lower() in SIGNING_IN
            and tells
            and user[2] != "="
            and value[:1] not in "-$"
            and ("=" not in value or is_generated(value))
        ):
            found.append((start, end))
    return found


def _kept(words: "list[Word]") -> "list[Place]":
    """Return the value that a command keeps as a secret: `env:create --visibility secret --value x`."""
    said = {part for word in words for part in word[2].lower().split(":")}
    if SETTING.isdisjoint(said) or KEEPING.isdisjoint(said):
        return []
    return [
        after[:2] for word, after in _following(words)
        if word[2] in VALUES and (taking.is_mixed(after[2]) or is_passphrase(after[2]) or _is_issued(after[2]))
    ]  # fmt: skip


def _filled_in(words: "list[Word]") -> "list[Place]":
    """Return what is put where a template says that a secret belongs: `s/__DB_PASS__/x/`."""
    found = []
    for _, end, said in words:
        pieces = said.split(said[1]) if said[:1] == "s" and said[1:2] in ("/", "|", "#", ",") else []
        if len(pieces) == 4 and kind_of_name(pieces[1].strip("_@{}%$<>")) and taking.is_mixed(pieces[2]):
            close = end - len(pieces[3]) - 1
            found.append((close - len(pieces[2]), close))
    return found


def _following(words: "list[Word]") -> "list[tuple[Word, Word]]":
    """Return each word with the one behind it, which says nothing where there is none or a flag."""
    nothing = (0, 0, "")
    return [(word, after if after[2][:1] != "-" else nothing) for word, after in zip(words, [*words[1:], nothing])]


def _flagged(words: "list[Word]") -> "list[Place]":
    found: list[Place] = []
    sourced = [word[:2] for word in words if word[2].startswith(("pass:", "env:", "file:", "fd:"))]
    has_user = any([word[2] in USERS and after[2] for word, after in _following(words)]) or any(
        [word[2][:3].lower() == "/u:" for word in words]
    )
    is_short = has_user and OTHERWISE.isdisjoint([taking.program(word[2]) for word in words])
    is_alone = OTHERWISE.isdisjoint([taking.program(word[2]) for word in words])
    for (_, end, said), after in _following(words):
        name = said.lower()
        is_asked = said in SHORT and is_alone and (stands_alone(after[2]) or (said in ("-P", "-W") and is_passphrase(after[2])))
        is_named = (
            name[:1] in ("-", "/") and name.count("/") < 2 and len(name) > 2 and name.lstrip("-/").endswith((*ENDINGS, "/rp"))
        )
        is_named = is_named and "$" not in name  # a value already: `-p$DB_PASS`
        is_named = is_named or (name.endswith("(echo") and any([label in name for label in pipes.LABELS]))
        if (
            (
                is_named
                or name == "/rp"
                or ((name == "/p" or (said in SHORT and is_short)) and (taking.is_mixed(after[2]) or is_passphrase(after[2])))
                or is_asked
            )
            or (said in ("-t", "-k", "-T", "-K") and is_alone and _is_issued(after[2]) and after[2].strip(HEX + "-"))
            or (said[:1] == "-" and said[1:2].isalnum() and is_alone and is_generated(after[2], 12))
        ):
            found.append(after[:2])
        elif name.startswith(("/p:", "/pw:", "/pass:", "/password:")) and "=" not in name:
            found.append((end - len(said) + said.index(":") + 1, end))
    return [place for place in found if place[1] and place not in sourced]


def _hashed(words: "list[Word]") -> "list[Place]":
    """Return the hash that stands for a password: `-hashes :31d6cfe0...`."""
    return [
        after[:2] for word, after in _following(words)
        if word[2].lower().lstrip("-") in ("hashes", "hash", "h") and word[2][:1] == "-"
        and len(after[2].rpartition(":")[2]) == 32 and HEX_DIGITS.issuperset(after[2].rpartition(":")[2])
    ]  # fmt: skip


def _paired(words: "list[Word]") -> "list[Place]":
    """Return the passwords of `-u name:password`."""
    found = []
    for word, after in _following(words):
        flag, equals, _ = word[2].partition("=")
        _, end, said = word if equals else after
        said = said[len(flag) + 1 :] if equals else said
        user, colon, password = said.rpartition("\\")[2].partition("%" if flag == "-U" and "%" in said else ":")
        is_user = not user.isdigit() and user.replace(".", "a").replace("-", "a").replace("_", "a").replace("@", "a").isalnum()
        if _is_of_user(flag) and colon and is_user and taking.is_mixed(password) and "/" not in password:
            found.append((end - len(password), end))
    return found


def _is_of_user(flag: str) -> bool:
    """Say whether a flag takes a name with a password: by its own name, or as the last of several letters, `-su`."""
    name = flag.lstrip("-").lower()
    is_last = flag[:1] == "-" and flag[1:2] != "-" and len(flag) < 6 and flag[-1:] in "uU"
    return flag in PAIRS or is_last or (flag[:1] == "-" and name.endswith(("user", "login", "auth", "cred", "creds", "userpass")))


def _set(words: "list[Word]") -> "list[Place]":
    """Return the values behind a name: `config set dbPassword x`, `connect Home password x`."""
    found: list[Place] = []
    if words and taking.program(words[0][2]) in PACKAGERS:  # of which `passwd` is a package
        return found
    for at, ((_, _, said), (start, end, value)) in enumerate(_following(words)):
        name = said.lower()
        if (
            said[:1] == "-"
            or not value
            or "=" in said
            or not said.replace("_", "a").replace("-", "a").replace(".", "a").replace(":", "a").isalnum()
        ):
            continue
        kind = "password" if name in BARE_NAMES else kind_of_name(said)
        is_set = not SETTING.isdisjoint([word[2].lower().rpartition(":")[2] for word in words[:at]])
        if (
            at
            and kind
            and words[at - 1][2] not in ASSIGNING
            and (is_set or (name in BARE_NAMES and (len(name) > 4 or stands_alone(value))))
            and is_secret(value, kind, "flag" if is_set else "listed")
            and (kind != "password" or taking.is_mixed(value))
        ):
            found.append((start, end))
    return found


def _logging_in(words: "list[Word]") -> "list[Place]":
    said = [word[2].lower() for word in words]
    is_login = not LOGGING_IN.isdisjoint(said)
    return [
        after[:2] for word, after in _following(words)
        if (word[2].lower() in LOGGING_IN or (is_login and word[2] in ("-t", "-k", "-T", "-K"))) and _is_issued(after[2])
    ]  # fmt: skip


def _is_issued(value: str) -> bool:
    return looks_random(value) and not is_plain(value) and not is_filler(value)


def _echoed(words: "list[Word]") -> "list[Place]":
    """Return what a command echoes that a flag runs for a password."""
    found = []
    for before, (_, end, said) in zip([(0, 0, ""), *words], words):
        flag, echo, rest = said.replace("printf %s ", "echo ").replace("printf ", "echo ").partition("echo ")
        if echo and any([name[:1] == "-" and label in name.lower() for name in (flag, before[2]) for label in pipes.LABELS]):
            value = rest.removeprefix("-n ").removeprefix("-e ")
            found.append((end - len(value), end))
    return found


def _properties(words: "list[Word]") -> "list[Place]":
    """Return the values of NAME=VALUE whose name ends with what stands for a password only beside such a value."""
    found = []
    for _, end, said in words:
        name, equals, value = said.partition("=")
        last = name.replace("_", ".").replace("-", ".").rpartition(".")[2].lower()
        if equals and last in PROPERTIES and (_is_issued(value) or (last in ENDINGS and taking.is_mixed(value))):
            found.append((end - len(value), end))
    return found
