"""Part a command line into the commands that it runs, those inside of substitutions and scripts too."""

from ralph_mem.core.command_lines import exit_codes
from ralph_mem.core.command_lines.commands import LAUNCHING

DEEPEST = 4  # scripts inside of scripts
# What else only starts the program behind it, and its options whose value is the next word.
LAUNCHERS = LAUNCHING | frozenset("xargs setsid watch strace ionice doas unbuffer caffeinate command builtin exec !".split())
VALUED = frozenset("-I -n -P -L -d -s -a --max-args --max-procs --delimiter -p --package -u --user".split())
LOOP = "for"  # what stands for the words that a loop goes through


def of(command: str, depth: int = 0) -> "list[tuple[list[str], list[str]]]":
    """Return of each command of a line its words and the files that it reads from `<`.

    What only launches a command is left out, and what is handed to one is no command.
    """
    found: list[tuple[list[str], list[str]]] = []
    words: list[str] = []
    for token in [*exit_codes.tokens(command), "\n"]:
        if token in exit_codes.RESERVED and (token in exit_codes.SIGNS or not words):
            found += _completed(words, depth) if words else []
            words = [LOOP] if token == LOOP else []
        else:
            words.append(token)
    return found


def _completed(words: "list[str]", depth: int) -> "list[tuple[list[str], list[str]]]":
    """Return a command, behind those whose output stands for its words; in the place of a shell's its script."""
    script = exit_codes.script_in(words)
    inner = [*[each for word in words for each in exit_codes.substituted(word)], script]
    found = [part for each in inner if each and depth < DEEPEST for part in of(each, depth + 1)]
    plain, reads = _without_redirections(words)
    plain = _launched(plain)
    is_shell = bool(script) and plain[:1] != ["ssh"]
    return found if is_shell or not (plain or reads) else [*found, (plain, reads)]


def _without_redirections(words: "list[str]") -> "tuple[list[str], list[str]]":
    """Return the words of a command, and the files from which it reads."""
    plain, reads, sign = [], [], ""
    for word in words:
        if sign:
            reads += [word] if sign == "<" else []
            sign = ""
            continue
        before, at = _redirection(word)
        plain += [word.rstrip(" ")] if at == len(word) else [before] if before else []
        sign = word[at:]
        rest = sign.lstrip("<>|&")
        if rest:
            reads += [rest] if sign[: len(sign) - len(rest)] == "<" else []
            sign = ""
    return plain, reads


def _redirection(word: str) -> "tuple[str, int]":
    """Return what stands in front of a redirection in a word, and where it begins; a substitution is none."""
    at = next((at for at, char in enumerate(word) if char in "<>" and word[at + 1 : at + 2] != "("), len(word))
    if "$(" in word[:at] or "`" in word[:at]:
        return word, len(word)
    return word[:at].rstrip("0123456789&") if word[:at].strip("0123456789&") == "" else word[:at], at


def _launched(words: "list[str]") -> "list[str]":
    """Return the words of a command without the variables that it is given and what launches it."""
    while words:
        name, sign, _ = words[0].partition("=")
        if sign and name.isidentifier():
            words = words[1:]
        elif words[0].rpartition("/")[2] in LAUNCHERS and words[1:]:
            words = words[1:]
            while words and (words[0][:1] == "-" or words[0].rstrip("smh").isdigit()):
                words = words[2:] if words[0] in VALUED else words[1:]
        else:
            break
    return words
