"""Find what a check compares, the files that it goes by and the scripts whose output it looks at.

Such a script is what is to be mended. A script whose exit code decides is a judge.
"""

import os
import re
from collections import namedtuple

from ralph_mem.core.redaction import path_rules
from ralph_mem.ralph.judges import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ralph_mem.ralph.judges.named import Text

COMPARISON = re.compile(r"(?:^|[\s;&|(!@])(?:diff|cmp|comm)\s([^\n;&|]*)")
WORD = re.compile(r"\"[^\"]*\"|'[^']*'|[^\s\"']+")
WRITTEN = re.compile(r"(?:(?<![0-9&>])>{1,2}|\btee(?:\s+-a)?\s|(?<!\S)-o\s)\s*[\"']?([^\s\"';&|)]+)")
# What a command prints is like a file that nobody wrote; a variable stands for anything.
PRINTED, SUBSTITUTED = re.compile(r"<\([^()]*\)"), re.compile(r"\$\([^()]*\)|`[^`]*`")
# What prints a file with less or in another order: then the file is what is compared, or gone through.
FILTER = r"(?:cat|tail|head|sort|uniq|cut|tr|sed|nl|tac|jq|grep\s+-\w*v\w*)"
FILTERED = re.compile(rf"<\(\s*{FILTER}\s(?:[^()|]*\s)?<?\s*[\"']?([\w./*${{}}%+-]+)[\"']?\s*(?:\|\s*{FILTER}\b[^()|]*)*\)")
ASSIGNED = re.compile(r"(?:^|[\s;&|({])([A-Za-z_]\w*)=[\"']?(\$\([^()]*\))")
VARIABLE = re.compile(r"\$\{[^{}]*\}|\$\([\w-]+\)|\$(?:\w+|[@*#?])")
LISTS = (
    re.compile(r"\bin\s+[\"']?\$\(\s*(?:cat\s+|<\s*)([\w./+-]+)\s*\)"),
    re.compile(r"\bdone\s*<\s*[\"']?([\w./+-]+)"),
    re.compile(r"\bxargs\s[^\n;&|]*?(?:-a\s*|--arg-file[= ]|<\s*)[\"']?([\w./+-]+)"),
    re.compile(r"\bcat\s+([\w./+-]+)\s*\|\s*xargs\b"),
    re.compile(
        rf"\b{FILTER}\s(?:[^\n;&|]*\s)?[\"']?([\w./+-]+)[\"']?\s*(?:\|\s*{FILTER}\b[^\n;&|]*)*\|\s*while\s+(?:IFS=\S*\s+)?read\b"
    ),
    re.compile(rf"\bdone\s*<\s*<\(\s*{FILTER}\s(?:[^()|]*\s)?[\"']?([\w./+-]+)[\"']?\s*[|)]"),
    re.compile(r"\b(?:md5|sha\d*|b2|ck)sum\s(?:[^\n;&|]*\s)?(?:-c|--check)(?:\s+-\S+)*\s+<?\s*[\"']?([\w./+-]+)"),
)
# What a command prints, compared with what a file says.
EQUAL = re.compile(r"(?:\[|\btest\b)[^\n;&]*\$\((?!\s*(?:cat\s|<))[^()]*\)[^\n;&]*\$\(\s*(?:cat\s+|<\s*)([\w./+-]+)\s*\)")
EITHER_WAY = re.compile(r"(?:\[|\btest\b)[^\n;&]*\$\(\s*(?:cat\s+|<\s*)([\w./+-]+)\s*\)[^\n;&]*\$\((?!\s*(?:cat\s|<))")
NOTHING = "-"
COMMANDS = frozenset("find ls git ls-files echo name type f print0".split())
TO_MEND = kinds.PRODUCT | {"bin", "examples"}
# What a check goes through: a name, and the words or the command that tell of its values.
LOOP = re.compile(r"\bfor\s+(\w+)\s+in\s+([^\n;]+)")
READ = re.compile(r"\b(find|ls|git\s+ls-files)\s+([^\n;|]*)\|\s*while\s+(?:IFS=\S*\s+)?read\s+(?:-\S+\s+)*(\w+)")
ITEM = re.compile(r"(?<![\w$.*/-])(\.?[\w./*?+-]*[\w*])")
# Such a command that hands each file over to a shell.
HANDED_OVER = re.compile(
    r"\bfind\s+([\w./+-]+)[^\n;|]*(?:-exec\s+(?:ba|z|da|k)?sh\s+(?:\{\}|-c\s+['\"](?:[^'\"]*\s)?(?:(?:ba|z|da|k)?sh|\.)\s+[\"']?\$\{?[01@])"
    r"|\|\s*xargs\s(?:-\S+\s+|\d+\s+)*(?:ba|z|da|k)?sh\s*(?:$|[\n;&|)]))"
)


def references(texts: "Iterable[tuple[str, str]]", text: "Text") -> "tuple[str, ...]":
    """Return patterns, as in .gitignore, of the files that pieces of shell compare with or read as lists.

    `texts` are pieces with the folder in which each runs; where both sides of a comparison are files that were there at the start
    nobody knows which of them is to be mended, and neither is taken.
    """
    found: dict[str, None] = {}
    for folder, said in texts:
        joined = said.replace("\\\n", " ").replace("$$", "$")
        found.update(dict.fromkeys(_compared(joined, folder, text)))
        words = [word for pattern in LISTS for word in pattern.findall(joined)]
        words += [word for pattern in (EQUAL, EITHER_WAY) for word in pattern.findall(_with_values(joined))]
        found.update(dict.fromkeys([_placed(word, folder) for word in [*words, *_run(joined)]]))
    return tuple([each for each in found if each])


def is_reference(patterns: "Iterable[str]", path: str) -> bool:
    """Say whether a path is such a file."""
    return any([path_rules.matches(path, pattern) for pattern in patterns])


def _compared(said: str, folder: str, text: "Text") -> "Iterator[str]":
    written = {_as_pattern(word) for word in WRITTEN.findall(said)}
    for words in COMPARISON.findall(PRINTED.sub(NOTHING, FILTERED.sub(r"\1", said))):
        operands = [word for word in _operands(SUBSTITUTED.sub("${_}", words)) if word not in written]
        there = [word for word in operands if "*" in word or text(_placed(word, folder).lstrip("/")) is not None]
        if len(there) == 1:
            yield _placed(there[0], folder)


def _with_values(said: str) -> str:
    """Return the comparisons of a piece of shell with what a command printed in the place of the variables that have it."""
    values, lines = dict(ASSIGNED.findall(said)), [line for line in said.splitlines() if re.search(r"\[|\btest\b", line)]
    return VARIABLE.sub(lambda found: values.get(found[0].strip("${}"), found[0]), "\n".join(lines))


def _run(said: str) -> "Iterator[str]":
    """Yield the folders and the patterns of scripts that a piece of shell runs one after the other, and whose end decides."""
    yield from HANDED_OVER.findall(said)
    run = deciding(said)
    listed = [(name, words) for name, words in LOOP.findall(said)]
    listed += [(name, f"{command} {words}") for command, words, name in READ.findall(said)]
    for words in [IN_ITS_FOLDER.sub(".", re.sub("[\"']", "", words)) for name, words in listed if name in run]:
        found = [
            each
            for each in ITEM.findall(words)
            if each[0] != "-" and each not in COMMANDS and each.removeprefix("./").split("/")[0] not in TO_MEND
        ]
        # of find it is the folder that counts, of ls and git what stands behind them, else a word may be no file
        yield from [
            each for each in found if ("*" not in each if "find " in words else "*" in each or "/" in each or "ls" in words)
        ]


def _operands(words: str) -> "list[str]":
    given = re.split(r"\s[0-9]*[<>]", words)[0]
    found = [_as_pattern(word) for word in WORD.findall(given) if not word.startswith("-")]
    return [word for word in found if re.search(r"\w", word) and not word.startswith("/")][:2]


def _as_pattern(word: str) -> str:
    return re.sub(r"\*+", "*", VARIABLE.sub("*", word.strip("\"'")))


def _placed(word: str, folder: str) -> str:
    """Return a word as a pattern seen from the top; one that begins with a variable holds in any folder, by its name alone."""
    name = word.rpartition("/")[2]
    if word.startswith("*"):
        return name if re.search(r"\w", name) else ""
    path = os.path.normpath(os.path.join(folder, word))
    return "" if path.startswith("..") else f"/{path}"


Command = namedtuple("Command", "start end ends_with inside")
Command.__doc__ = (
    """A command of a piece of shell: where it lies, what ends it, and where the command begins whose word it makes."""
)

OPENED, SUBSHELL, TICK, QUOTE = "$(", "(", "`", '"'
# One thing after the other: what is behind a backslash, in single quotes or in a comment is one. In double quotes are neither.
QUOTED_PIECE = re.compile(r"\\.|\$\(|[\"`]|[^\\$\"`]+|.", re.DOTALL)
PIECE = re.compile(r"'[^']*'|(?:^|(?<=\s))\#[^\n]*|\\.|\$\(|\|\||&&|[<>]&|&>|[\"`()|;&\n]|[^'\\$\"`()|;&\n<>\#\s]+|.", re.DOTALL)
SEPARATORS = frozenset(["||", "&&", "|", ";", "&", "\n"])
# The program of a command: behind words of the shell, variables that are set for it, and the shell that runs it.
PROGRAM = re.compile(
    r"\s*(?:(?:if|then|elif|else|while|until|do|time|env|command|!|\{|@|[A-Za-z_]\w*=[^\s\"'$`]*)\s*)*"
    r"(?:(?:ba|z|da|k)?sh\s+(?:-\S+\s+)*)?@?[\"']?([\w./+-]+)"
)
# A file that is run, of which the name stands in a variable.
OF_A_VARIABLE = re.compile(
    r"\s*(?:(?:if|then|else|while|until|do|time|env|!|\{|@|\()\s*)*(?:(?:(?:ba|z|da|k)?sh|source|\.)\s+(?:-\S+\s+)*)?[\"']?(?:\./)?\$\{?(\w+)\}?"
)
# Where a script lies that is not named as seen from where it runs.
IN_ITS_FOLDER = re.compile(
    r"""\$\(\s*dirname\s+(?:--\s+)?["']?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?["']?\s*\)|\$\{0%/\*\}|\$\((?:CURDIR|pwd)\)|\$\{?\w+\}?(?=["']?/)"""
)
ASSIGNS = re.compile(r"(?:^|\s)([A-Za-z_]\w*)=\"?$")
CONDITION = re.compile(r"\s*(?:if|elif|while|until|!)\s")
SHOWN = re.compile(r"\s*(?:echo|printf|cat|tee|exit|return|eval|exec)\b")
TOLERATED = re.compile(r"\s*(?:true|:)(?!\S)")
WRITES = re.compile(r"(?<![0-9&>])>\s*[\"']?([\w./$@{}-]+)")
COMPARES = r"(?:^|[\s;&|(!@])(?:diff|cmp|comm|grep)\s[^\n;&|]*"


def taken_out(text: str) -> str:
    """Return a piece of shell without the names of the programs whose output it compares.

    What cannot be read with certainty stays. Continued lines are joined.
    """
    joined = text.replace("\\\n", "  ")
    commands = list(_commands(joined))
    for each in commands:
        found = PROGRAM.match(joined, each.start, each.end)
        if found and _is_compared(joined, each):
            at, until = found.span(1)
            joined = joined[:at] + "_" * (until - at) + joined[until:]
    return joined


def deciding(text: str) -> "set[str]":
    """Return the variables that name scripts whose end decides."""
    found = [(each, OF_A_VARIABLE.match(text, each.start, each.end)) for each in _commands(text)]
    return {match[1] for each, match in found if match and not _is_compared(text, each)}


def _pieces(text: str) -> "Iterator[tuple[str, int, list[str]]]":
    """Yield the pieces of a text, where each begins, and what is open before it, innermost last."""
    openers, at = [""], 0
    while at < len(text):
        piece = (QUOTED_PIECE if openers[-1] == QUOTE else PIECE).match(text, at)
        said = piece.group() if piece else text[at]
        yield said, at, openers
        at += len(said)
        if _closes(said, openers[-1]):
            openers = openers[:-1]
        elif said in (OPENED, TICK, QUOTE) or (said == SUBSHELL and openers[-1] != QUOTE):
            openers = [*openers, said]
    yield "", at, [""]


def _closes(said: str, opener: str) -> bool:
    return (said in (TICK, QUOTE) and said == opener) or (said == ")" and opener in (OPENED, SUBSHELL))


def _commands(text: str) -> "Iterator[Command]":
    """Yield the commands of a text, each as soon as it ends."""
    starts = [0]
    for said, at, openers in _pieces(text):
        inner = openers[-1]
        del starts[len(openers) :]
        if len(starts) < len(openers):
            starts.append(starts[-1] if inner == QUOTE else at)
        if said == "" or (inner != QUOTE and (said in SEPARATORS or _closes(said, inner))):
            yield Command(starts[-1], at, said, starts[-2] if inner in (OPENED, TICK) else None)
            starts[-1] = at + len(said)


def _is_compared(text: str, command: Command) -> bool:
    if command.inside is not None:
        return _is_word_compared(text, command)
    if command.ends_with == "|":
        return not SHOWN.match(text, command.end + 1)
    return _is_written_and_compared(text, command)


def _is_word_compared(text: str, command: Command) -> bool:
    """Say whether what a command prints is a word of another that looks at it."""
    outer = text[command.inside : command.start].removesuffix(OPENED).removesuffix(TICK)
    assigned = ASSIGNS.search(outer)
    if not assigned:
        return bool(outer.strip().strip(QUOTE)) and not SHOWN.match(outer)
    after = re.match(r"[^\n;&|]*(\|\||&&)?", text[command.end :])
    counts = after and after[1] and not (after[1] == "||" and TOLERATED.match(text, command.end + after.end()))
    used = [line for line in text.splitlines() if re.search(rf"\$\{{?{assigned[1]}\b", line) and not SHOWN.match(line)]
    return bool(used) and not counts and not CONDITION.match(outer)


def _is_written_and_compared(text: str, command: Command) -> bool:
    """Say whether a command writes a file that is compared later."""
    written = WRITES.search(text, command.start, command.end)
    if not written or command.ends_with in ("||", "&&"):
        return False
    return bool(re.search(COMPARES + re.escape(written[1]) + r"(?![\w.-])", text[command.end :]))
