"""Find secrets on command lines, where flags, verbs and pipes hand them to a program."""

from ralph_mem.core.redaction import taking
from ralph_mem.core.redaction.names import (
    DIGITS,
    HEX,
    is_filler,
    is_plain,
    is_secret,
    kind_of_name,
    looks_random,
    places,
    stands_alone,
)
from ralph_mem.core.redaction.passwords import is_generated, is_jumbled, is_passphrase
from ralph_mem.core.redaction.shell_words import commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.redaction.shell_words import Word

    Place = tuple[int, int]

PRINTING = ("echo", "printf", "yes", "write-output", "write-host")
JOINING = ("|", "|&")
FILTERS = frozenset("grep egrep rg ag sed awk jq yq wc tee head tail sort uniq xargs cut tr cat less column pbcopy xclip".split())
# What says that a command reads a secret from its input.
READING = frozenset(
    "--password-stdin --with-token --passwd-on-stdin --stdin --pass-stdin --token-stdin --passphrase-fd --auth-user-pass"
    " --password-file --pw-stdin --secret-stdin --key-file --passphrase-file".split()
)
LABELS = (
    "passw",
    "pw",
    "passphrase",
    "secret",
    "token",
    "login",
    "auth",
    "cred",
    "sshpass",
    "askpass",
    "load-key",
    "unlock",
    "luks",
    "crypt",
    "securestring",
    "keygen",
    "sign",
    "seal",
    "argon",
    "wallet",
    "debconf",
)
# What hands over a name and its value, one behind the other.
SETTING = frozenset("set put add write create config env store save update patch insert new edit secret secrets variable".split())
ASSIGNING = ("set", "setx", "-x", "-gx", "-Ux")  # before a name that `assignments` judges
BARE_NAMES = frozenset("pass pw pwd password passwd passphrase psk passcode".split())
# Words that a name and a password follow, in lines of protocols and of programs that run lines.
SIGNING_IN = frozenset("login user logon signin identify authenticate auth auth-user-pass".split())
LOGGING_IN = frozenset("login auth authenticate add-authtoken authtoken --with-token activate register".split())
USERS = frozenset("-u -U -l -n -D --user --username --login --login-name --email --account -user -username /ru /user".split())
PAIRS = frozenset("-u -U -a --user --auth --proxy-user --creds --credentials --basic-auth --userpwd".split())
PROMPTS = ("$", "\u276f", "\u279c", "%", "#", ">")
SHORT = ("-p", "-P", "-w", "-W", "-a", "-k", "-K", "-x", "-X", "-s", "-S", "-t")
# With these programs `-p` and its like are ports, parents and packages.
OTHERWISE = frozenset(
    "adduser cargo chmod chown clang cp createdb createuser diff docker find flask gcc git go gradle grep gunicorn install "
    "journalctl jq kill ls lsof mkdir mv mvn nc nerdctl netstat nmap node npm patch perf pg_dump pg_restore pnpm podman "
    "printf ps psql pytest python python3 read rg rsync rustc scp sed sftp ssh strace systemctl tar tmux top touch uvicorn "
    "wget yarn".split()
)
ENDINGS = ("pw", "pass", "passwd", "pwd", "tok", "unlock", "kennwort", "psk", "cred", "wachtwoord", "senha", "clave", "mdp", "plaintext")
PROPERTIES = frozenset("login auth cred creds pw pass passwd sasl".split())
HASHING = frozenset("grep egrep rg ag sed awk jq yq wc cut tr md5sum sha256sum sha1sum shasum".split())
HEX_DIGITS = frozenset(HEX)
# One of these stands in each line of which a program takes a secret, or one of the words, which nothing but blanks part.
HANDING = (
    "<<", " /p", "/p:", "/rp", " -p", "'-p", "pw ", "-P", "-D", "base64", "echo ", "printf ", "\n+ ", "-u", "-U ", " -w ",
    " -W ", " -a ", "login:", "--login", "--auth", "--cred", "cred ", "creds ", '" | ', "' | ", "pass insert ", "stdin",
    "-pass", "passwd ", " --", "<(",
)  # fmt: skip
WORDS = (taking.PROGRAMS - {"pass"}) | taking.ORACLE | READING | {"chpasswd"}
COMMON = LOGGING_IN | BARE_NAMES | SETTING | SIGNING_IN  # words of any text
# What stands in a word, in lower case, and line ends; all else is a blank.
WORD_BYTES = (
    bytes([ord(chr(code).lower()) if chr(code).isalnum() or chr(code) in "-_.\n" else 32 for code in range(128)]) + b" " * 128
)
LISTING = {ord(char): " " for char in "\"',[]"}
LONGEST_LINE = 2048
LONGEST_BODY = 40  # lines behind `<<EOF`
FEWEST = 4  # characters of a password that a flag is known to hold
REPEATED = 6  # characters of a value that is looked for elsewhere too


def find(text: str) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind) of what programs are handed that is secret, wherever in the text that stands."""
    signs = [sign for sign in HANDING if sign in text]
    bare = text.encode("utf-8", "surrogatepass").translate(WORD_BYTES).decode()
    used = set(bare.split())
    words = [f" {word} " for word in WORDS & used]
    common = [f" {word} " for word in COMMON & used]
    if not signs and not words and not common:
        return []
    found, at, lines, traced = [], 0, text.split("\n"), ("", 0)
    for number, (line, said) in enumerate(zip(lines, bare.split("\n"))):
        of_program: bool = any([sign in line for sign in signs]) or any([word in f" {said} " for word in words])
        of_program = of_program or bool(traced[0] and line[:2] == "+ ")
        is_one = of_program or (common and _is_mixed_line(line) and any([word in f" {said} " for word in common]))
        if is_one and len(line) <= LONGEST_LINE and not _is_row(line):
            found += [(at + start, at + end) for start, end in _of_line(line)]
            if traced[0] and line[:2] == "+ ":  # of a pipe that a shell shows, each command has a line
                joined = traced[0] + " | " + line[2:]
                found += [(traced[1] + start, traced[1] + end) for start, end in _of_line(joined) if end <= len(traced[0])]
            if "<<" in line:
                found += _of_body(line, lines[number + 1 : number + LONGEST_BODY], at + len(line) + 1)
        traced = (line, at) if line.startswith(("+ echo ", "+ printf ")) and len(line) <= LONGEST_LINE else ("", 0)
        at += len(line) + 1
    values = {text[start:end] for start, end in found if end - start >= REPEATED}
    found += [(at, at + len(value)) for value in values for at in places(text, value)]
    return [(start, end, "password") for start, end in found]


def _is_row(line: str) -> bool:
    """Say whether a line is one of a table with bars, which are no pipes."""
    bare = line.strip()
    return bare[:1] == "|" == bare[-1:]


def _is_mixed_line(line: str) -> bool:
    """Say whether a word of a line that is no code is long and more than letters."""
    return any([len(word) > 5 and not word.strip("\"',;.:()[]{}").isalpha() and "(" not in word for word in line.split()[1:]])


def _of_line(line: str) -> "list[Place]":
    """Return the places of secrets in a line of a shell, and in a list of words, as files of settings hold command lines."""
    found = _of_words(line)
    for sign in ("<(printf ", "<(echo "):
        at = line.find(sign) + 2
        if at > 1:
            inner = line[at : line.find(")", at) if line.find(")", at) > 0 else len(line)]
            printed = [place for _, words in commands(inner) for place in _printed(words)]
            found += [(at + start, at + end) for start, end in printed if _is_mixed(inner[start:end])]
    if line.startswith(("+ printf ", "+ echo ")):
        found += [place for _, words in commands(line) for place in _printed(words) if is_passphrase(line[slice(*place)])]
    if ('"' in line or "'" in line) and (" -" in line or ("-" in line and "[" in line) or " /p" in line or "AUTH" in line):
        found += _of_words(line.translate(LISTING))
    return found


def _of_words(line: str) -> "list[Place]":
    found: list[Place] = []
    before: list[Word] = []  # the command whose output comes through the pipe
    for sign, words in commands(line):
        piped = _printed(before) if sign in JOINING else []
        at = next((at for at, word in enumerate(words) if taking.program(word[2]) in taking.PROGRAMS | taking.ORACLE), -1)
        if at >= 0:
            found += [place for place in taking.of_command(words[at:], piped) if _tells(line[slice(*place)])]
        if words:
            found += [place for place in _of_any(words) if _tells(line[slice(*place)])]
            found += [place for place in [*piped, *taking.here(words)] if _reads_secret(words, line[slice(*place)])]
            found += [place for place in [*piped, *_printed(words)] if _is_kept(words) and _is_mixed(line[slice(*place)])]
            found += _inner(words)
        # what only hands on, such as `head`, is looked through
        before = words if sign not in JOINING or not before else before
    return found


def _inner(words: "list[Word]") -> "list[Place]":
    """Return what stands in a command within quotes: `sh -c "echo x | login"`."""
    found = []
    for start, end, said in words:
        if end - start == len(said) and " " in said and ("|" in said or "<<<" in said or " -" in said):
            found += [(start + first, start + last) for first, last in _of_line(said)]
    return found


def _is_kept(words: "list[Word]") -> bool:
    """Say whether what a command prints goes to a file that is called after a secret."""
    said = [word[2] for word in words]
    files = [after for word, after in zip(said, [*said[1:], ""]) if word in (">", ">>", "1>")]
    files += [word.lstrip(">") for word in said if word[:1] == ">" and len(word) > 2] + (said[1:] if said[:1] == ["tee"] else [])
    return any([kind_of_name(part) != "" or "secret" in part for file in files for part in file.lower().split("/")[-2:]])


def _of_any(words: "list[Word]") -> "list[Place]":
    """Return what stands where any program would take a secret."""
    found = [*_flagged(words), *_paired(words), *_set(words), *_logging_in(words), *_echoed(words), *_properties(words)]
    return found + _signing_in(words)


def _signing_in(words: "list[Word]") -> "list[Place]":
    """Return the password behind a name behind what signs in: `login bob x`, `USER bob x`."""
    found = []
    for word, user, (start, end, value) in zip(words, words[1:], words[2:]):
        is_quoted = user[1] - user[0] == len(user[2]) and start - user[1] == 3  # both in quotes
        value = value.removesuffix("\\n").removesuffix("\\r")
        end = start + len(value)
        tells = stands_alone(value) or is_generated(value) or is_passphrase(value) or (is_quoted and _is_mixed(value))
        if word[2].lower() in SIGNING_IN and tells and value[:1] not in "-$" and ("=" not in value or is_generated(value)):
            found.append((start, end))
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
        is_named = is_named or (name.endswith("(echo") and any([label in name for label in LABELS]))
        if (
            is_named
            or name == "/rp"
            or ((name == "/p" or (said in SHORT and is_short)) and (_is_mixed(after[2]) or is_passphrase(after[2])))
            or is_asked
        ) or (said in ("-t", "-k", "-T", "-K") and is_alone and _is_issued(after[2]) and after[2].strip(HEX + "-")) or (said[:1] == "-" != said[1:2] and is_alone and is_generated(after[2], 12)):
            found.append(after[:2])
        elif name.startswith(("/p:", "/pw:", "/pass:", "/password:")) and "=" not in name:
            found.append((end - len(said) + said.index(":") + 1, end))
    return [place for place in found if place[1] and place not in sourced]


def _paired(words: "list[Word]") -> "list[Place]":
    """Return the passwords of `-u name:password`."""
    found = []
    for word, after in _following(words):
        flag, equals, _ = word[2].partition("=")
        _, end, said = word if equals else after
        said = said[len(flag) + 1 :] if equals else said
        user, colon, password = said.rpartition("\\")[2].partition("%" if flag == "-U" and "%" in said else ":")
        is_user = not user.isdigit() and user.replace(".", "a").replace("-", "a").replace("_", "a").replace("@", "a").isalnum()
        if _is_of_user(flag) and colon and is_user and _is_mixed(password) and "/" not in password:
            found.append((end - len(password), end))
    return found


def _is_of_user(flag: str) -> bool:
    """Say whether a flag takes a name with a password: by its own name, or as the last of several letters, `-su`."""
    name = flag.lstrip("-").lower()
    is_last = flag[:1] == "-" and flag[1:2] != "-" and len(flag) < 6 and flag[-1:] in "uU"
    return flag in PAIRS or is_last or (flag[:1] == "-" and name.endswith(("user", "login", "auth", "cred", "creds", "userpass")))


def _set(words: "list[Word]") -> "list[Place]":
    """Return the values behind a name: `config set dbPassword x`, `connect Home password x`."""
    found = []
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
            and (kind != "password" or _is_mixed(value))
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
        if echo and any([name[:1] == "-" and label in name.lower() for name in (flag, before[2]) for label in LABELS]):
            value = rest.removeprefix("-n ").removeprefix("-e ")
            found.append((end - len(value), end))
    return found


def _properties(words: "list[Word]") -> "list[Place]":
    """Return the values of NAME=VALUE whose name ends with what stands for a password only beside such a value."""
    found = []
    for _, end, said in words:
        name, equals, value = said.partition("=")
        last = name.replace("_", ".").replace("-", ".").rpartition(".")[2].lower()
        if equals and last in PROPERTIES and (_is_issued(value) or (last in ENDINGS and _is_mixed(value))):
            found.append((end - len(value), end))
    return found


def _reads_secret(words: "list[Word]", value: str) -> bool:
    """Say whether a command reads from its input what is none but a secret, and this may be one."""
    said = [word[2].lower() for word in words if not word[2].startswith("<<<") and word[2] not in PROMPTS]
    program = taking.program(said[0]) if said else ""
    if program in ("clip", "pbcopy", "xclip", "set-clipboard") and stands_alone(value):
        return True
    if program not in HASHING and is_passphrase(value) and " " not in value:
        return True
    if program not in HASHING and looks_random(value) and not HEX_DIGITS.issuperset(value.replace("-", "")) and not is_plain(value):
        return True
    if program in FILTERS or not program.replace("-", "a").replace("_", "a").replace(".", "a").isalnum():
        return False
    if program in ("base64", "md5sum", "sha256sum", "sha1sum"):
        user, colon, password = value.partition(":")
        return bool(colon) and user.isalnum() and _is_mixed(password)
    if any([(word.startswith(("sudo", "doas")) and " -s" in word) for word in said]):
        return _tells(value)
    reads = not READING.isdisjoint([word.partition("=")[0] for word in said])
    is_labelled = any([label in word for word in said for label in LABELS])
    return (reads and _tells(value)) or (is_labelled and (_is_mixed(value) or is_passphrase(value)))


def _of_body(line: str, body: "list[str]", at: int) -> "list[Place]":
    """Return the secrets of what a command reads up to a mark: each line that is one word, or what follows a name in it."""
    mark = line.partition("<<")[2].lstrip("-~ ").split(" ", 1)[0].split("|", 1)[0].strip("'\"\\")
    if not mark.replace("_", "a").isalnum() or (not mark.isupper() and mark not in map(str.strip, body)) or not any([_takes_input(words) or _is_kept(words) for _, words in commands(line)]):
        return []
    found: list[Place] = []
    for each in body:
        if each.strip() == mark:
            return found
        value = each.strip().rpartition(" ")[2].partition(":")[2] or each.strip().rpartition(" ")[2]
        if value and " " not in value and _is_mixed(value):
            found.append((at + each.rfind(value), at + each.rfind(value) + len(value)))
        at += len(each) + 1
    return found


def _takes_input(words: "list[Word]") -> bool:
    said = [word[2].lower() for word in words]
    programs = [taking.program(word) for word in said]
    is_setting = any([label in word for word in said for label in LABELS if word[:1] not in "./~"])
    return (
        not READING.isdisjoint(said)
        or is_setting
        or any([name in ("chpasswd", "smbpasswd", "kinit", "newusers", "cryptsetup") for name in programs])
    )


def _printed(words: "list[Word]") -> "list[Place]":
    """Return what a command prints that only repeats what it is told."""
    at = next((at for at, word in enumerate(words) if word[2].rpartition("/")[2].lstrip("@-").lower() in PRINTING), -1)
    if at < 0:  # a text by itself, as PowerShell prints it
        is_text = words and (len(words) == 1 or words[-2][2] == "=")
        return [words[-1][:2]] if is_text and words[-1][2][:1] != "$" else []
    if words[at][2].endswith("printf") and len(words) > at + 2 and "\\0" in words[at + 1][2]:  # as SASL wants it
        return [words[-1][:2]]
    told = [word for word in words[at + 1 :] if word[2] not in ("-n", "-e", "-ne", "-en", "--")]
    if words[at][2].endswith("printf") and len(told) > 1 and "%" in told[0][2]:
        told = told[1:]
    return [word[:2] for word in told if word[2][:1] != ">"]


def _is_mixed(value: str) -> bool:
    """Say whether a value is a password by itself: letters with digits or symbols, and no path, port, file or name."""
    if len(value) < REPEATED or is_filler(value) or value[0] in "$<-{/.@" or "/" in value or " " in value:
        return False
    if value.strip("!?.@,:;").isalpha() and (value.isupper() or value[1:].islower()):  # a word with a sign behind it
        return False
    return is_secret(value, "password", "flag") or is_jumbled(value)


def _tells(value: str) -> bool:
    """Say whether a value that stands where a secret belongs is one: no variable, no option, no file of that, no number."""
    value = value.strip("\"'\\ \t\r\n")
    if value[-1:] in "]" and "[" not in value:  # how a program is called
        return False
    if len(value) < FEWEST or is_filler(value) or value[0] in "$<-{" or value.startswith(("@", "//", "./", "/dev/", "`")):
        return False
    return bool(value.strip(DIGITS)) or len(value) > 5
