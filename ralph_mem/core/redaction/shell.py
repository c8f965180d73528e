"""Find secrets on command lines, where flags, verbs and pipes hand them to a program."""

from ralph_mem.core.redaction import flags, pipes, taking
from ralph_mem.core.redaction.passwords import is_passphrase
from ralph_mem.core.redaction.shell_words import commands
from ralph_mem.core.redaction.values import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.redaction.shell_words import Word

    Place = tuple[int, int]

JOINING = ("|", "|&")
# One of these stands in each line of which a program takes a secret, or one of the words, which nothing but blanks part.
HANDING = (
    "<<", " /p", "/p:", "/rp", " -p", "'-p", "pw ", "-P", "-D", "base64", "echo ", "printf ", "\n+ ", "-u", "-U ", " -w ",
    " -W ", " -a ", "login:", "--login", "--auth", "--cred", "cred ", "creds ", '" | ', "' | ", "pass insert ", "stdin",
    "-pass", "-hashes", "passwd ", " --", "<(", "s/__",
)  # fmt: skip
WORDS = (taking.PROGRAMS - {"pass"}) | taking.ORACLE | pipes.READING | {"chpasswd"}
COMMON = flags.LOGGING_IN | flags.BARE_NAMES | flags.SETTING | flags.SIGNING_IN  # words of any text
# What stands in a word, in lower case, and line ends; all else is a blank.
WORD_BYTES = (
    bytes([ord(chr(code).lower()) if chr(code).isalnum() or chr(code) in "-_.\n" else 32 for code in range(128)]) + b" " * 128
)
LISTED = (" -", " /p", " /rp", "AUTH")  # of which one stands in each list of words, or of a command in quotes, that hands one over
LISTING = {ord(char): " " for char in "\"',[]"}
LONGEST_LINE = 2048
LONGEST_BODY = 40  # lines behind `<<EOF`


def find(text: str, _folded: str) -> "list[tuple[int, int, str]]":
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
                found += pipes.of_body(line, lines[number + 1 : number + LONGEST_BODY], at + len(line) + 1)
        traced = (line, at) if line.startswith(("+ echo ", "+ printf ")) and len(line) <= LONGEST_LINE else ("", 0)
        at += len(line) + 1
    values = {text[start:end] for start, end in found if end - start >= taking.REPEATED}
    found += [(at, at + len(value)) for value in values for at in places(text, value)]
    return [(start, end, "password") for start, end in found]


def _is_row(line: str) -> bool:
    """Say whether a line is one of a table with bars, which are no pipes, or of a help: an option, and what it does in a column."""
    bare = line.strip()
    said = bare.partition("  ")[2].split() if bare[:1] == "-" else []
    return bare[:1] == "|" == bare[-1:] or (len(said) > 1 and said[0].isalpha() and said[1].strip(".,:;()").isalpha())


def _is_mixed_line(line: str) -> bool:
    """Say whether a word of a line that is no code is long and more than letters."""
    return any([len(word) > 5 and not word.strip("\"',;.:()[]{}").isalpha() and "(" not in word for word in line.split()[1:]])


def _of_line(line: str) -> "list[Place]":
    """Return the places of secrets in a line of a shell, and in a list of words, as files of settings hold command lines."""
    number, colon, numbered = line.partition(":")
    if colon and number.isdigit():  # which `grep -n` says before a line
        return [(start + len(number) + 1, end + len(number) + 1) for start, end in _of_line(numbered)]
    found = _of_words(line)
    for sign in ("<(printf ", "<(echo "):
        at = line.find(sign) + 2
        if at > 1:
            inner = line[at : line.find(")", at) if line.find(")", at) > 0 else len(line)]
            printed = [place for _, words in commands(inner) for place in pipes.printed(words)]
            found += [(at + start, at + end) for start, end in printed if taking.is_mixed(inner[start:end])]
    if line.startswith(("+ printf ", "+ echo ")):
        found += [place for _, words in commands(line) for place in pipes.printed(words) if is_passphrase(line[slice(*place)])]
    if ('"' in line or "'" in line) and (("-" in line and "[" in line) or any([sign in line for sign in LISTED])):
        found += _of_words(line.translate(LISTING))
    return found


def _of_words(line: str) -> "list[Place]":
    found: list[Place] = []
    before: list[Word] = []  # the command whose output comes through the pipe
    grouped: list[Place] = []  # what those before it print in brackets
    for sign, words in commands(line):
        piped = [*grouped, *pipes.printed(before), *taking.here(before)] if sign in JOINING else []
        grouped = [*grouped, *pipes.printed(before)] if sign == ";" and ("(" in line or "{ " in line) else []
        at = next((at for at, word in enumerate(words) if taking.program(word[2]) in taking.PROGRAMS | taking.ORACLE), -1)
        if at >= 0:
            places = taking.of_command(words[at:], piped) + _typed(line, words[at:], piped)
            found += [place for place in places if taking.tells(line[slice(*place)])]
        if words:
            found += [place for place in flags.of_any(words) if taking.tells(line[slice(*place)])]
            found += [place for place in [*piped, *taking.here(words)] if pipes.reads_secret(words, line[slice(*place)])]
            found += [
                place for place in [*piped, *pipes.printed(words)] if pipes.is_kept(words) and taking.is_mixed(line[slice(*place)])
            ]
            found += _inner(words)
        # what only hands on, such as `head`, is looked through
        before = words if sign not in JOINING or not before else before
    return found


def _typed(line: str, words: "list[Word]", piped: "list[Place]") -> "list[Place]":
    """Return what stands in the commands that a program is told in quotes or through a pipe: `db2 "connect ... using z"`."""
    told = [word[:2] for word in words[1:] if word[1] - word[0] == len(word[2])]
    found = []
    for start, end in [*piped, *told]:
        for _, inner in commands(line[start:end]) if " " in line[start:end] else []:
            moved = [(start + first, start + last, said) for first, last, said in inner]
            found += taking.of_command([words[0], *moved], [])
    return found


def _inner(words: "list[Word]") -> "list[Place]":
    """Return what stands in a command within quotes: `sh -c "echo x | login"`."""
    found = []
    for start, end, said in words:
        if end - start == len(said) and " " in said and any([sign in said for sign in ("|", "<<<", " -", " /")]):
            found += [(start + first, start + last) for first, last in _of_line(said)]
    return found
