"""Tell which commands are handed a secret by a pipe, a file or lines up to a mark."""

from ralph_mem.core.redaction import taking
from ralph_mem.core.redaction.issued import stands_alone
from ralph_mem.core.redaction.names import kind_of_name
from ralph_mem.core.redaction.passwords import is_passphrase
from ralph_mem.core.redaction.shell_words import commands
from ralph_mem.core.redaction.values import HEX, is_plain, looks_random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.redaction.shell_words import Word

    Place = tuple[int, int]

PRINTING = ("echo", "printf", "yes", "write-output", "write-host")
DECODING = frozenset(("-d", "--decode", "-r"))  # what is encoded is looked at as what it says
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
PROMPTS = ("$", "\u276f", "\u279c", "%", "#", ">")
HASHING = frozenset("grep egrep rg ag sed awk jq yq wc cut tr md5sum sha256sum sha1sum shasum".split())
HEX_DIGITS = frozenset(HEX)


def printed(words: "list[Word]") -> "list[Place]":
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


def is_kept(words: "list[Word]") -> bool:
    """Say whether what a command prints goes to a file that is called after a secret."""
    said = [word[2] for word in words]
    files = [after for word, after in zip(said, [*said[1:], ""]) if word in (">", ">>", "1>")]
    files += [word.lstrip(">") for word in said if word[:1] == ">" and len(word) > 2] + (said[1:] if said[:1] == ["tee"] else [])
    return any([kind_of_name(part) != "" or "secret" in part for file in files for part in file.lower().split("/")[-2:]])


def reads_secret(words: "list[Word]", value: str) -> bool:
    """Say whether a command reads from its input what is none but a secret, and this may be one."""
    said = [word[2].lower() for word in words if not word[2].startswith("<<<") and word[2] not in PROMPTS]
    program = taking.program(said[0]) if said else ""
    if program in ("clip", "pbcopy", "xclip", "set-clipboard") and stands_alone(value):
        return True
    is_random = looks_random(value) and not HEX_DIGITS.issuperset(value.replace("-", "")) and not is_plain(value)
    if program not in HASHING and DECODING.isdisjoint(said) and (is_random or (is_passphrase(value) and " " not in value)):
        return True
    if program in FILTERS or not program.replace("-", "a").replace("_", "a").replace(".", "a").isalnum():
        return False
    if program in ("base64", "md5sum", "sha256sum", "sha1sum"):
        user, colon, password = value.partition(":")
        return bool(colon) and user.isalnum() and taking.is_mixed(password)
    line = " ".join(said)
    if ("sudo" in line or "doas" in line) and any([word[:1] == "-" != word[1:2] and "s" in word[:4] for word in line.split()]):
        return taking.tells(value)
    reads = not READING.isdisjoint([word.partition("=")[0] for word in said])
    is_labelled = any([label in word for word in said for label in LABELS])
    return (reads and taking.tells(value)) or (is_labelled and (taking.is_mixed(value) or is_passphrase(value)))


def of_body(line: str, body: "list[str]", at: int) -> "list[Place]":
    """Return the secrets of what a command reads up to a mark: each line that is one word, or what follows a name in it.

    Of a program that is known to take a secret, what it would take on its command line: `open -u name,password host`.
    """
    mark = line.partition("<<")[2].lstrip("-~ ").split(" ", 1)[0].split("|", 1)[0].strip("'\"\\")
    if not mark.replace("_", "a").isalnum() or (not mark.isupper() and mark not in map(str.strip, body)):
        return []
    called = [words for _, words in commands(line) if words]
    takes = any([_takes_input(words) or is_kept(words) for words in called])
    programs = [words[0] for words in called if taking.program(words[0][2]) in taking.PROGRAMS]
    if not takes and not programs:
        return []
    found: list[Place] = []
    for each in body:
        if each.strip() == mark:
            return found
        found += [(at + start, at + end) for start, end in _told(programs, each)]
        value = each.strip().rpartition(" ")[2].partition(":")[2] or each.strip().rpartition(" ")[2]
        if takes and value and " " not in value and taking.is_mixed(value):
            found.append((at + each.rfind(value), at + each.rfind(value) + len(value)))
        at += len(each) + 1
    return found


def _told(programs: "list[Word]", line: str) -> "list[Place]":
    """Return the secrets in a line that programs are told."""
    inner = [words for _, words in commands(line)]
    places = [place for program in programs for words in inner for place in taking.of_command([program, *words], [])]
    return [place for place in places if taking.tells(line[slice(*place)])]


def _takes_input(words: "list[Word]") -> bool:
    said = [word[2].lower() for word in words]
    programs = [taking.program(word) for word in said]
    is_setting = any([label in word for word in said for label in LABELS if word[:1] not in "./~"])
    return (
        not READING.isdisjoint(said)
        or is_setting
        or any([name in ("chpasswd", "smbpasswd", "kinit", "newusers", "cryptsetup") for name in programs])
    )
