"""Find the scripts whose output a check compares.

They are what is to be mended. A script whose exit code decides is a judge.
"""

import re
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Command = namedtuple("Command", "start end ends_with inside")
Command.__doc__ = (
    """A command of a piece of shell: where it lies, what ends it, and where the command begins whose word it makes."""
)

SUBSTITUTED, SUBSHELL, TICK, QUOTE = "$(", "(", "`", '"'
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
ASSIGNED = re.compile(r"(?:^|\s)([A-Za-z_]\w*)=\"?$")
CONDITION = re.compile(r"\s*(?:if|elif|while|until|!)\s")
SHOWN = re.compile(r"\s*(?:echo|printf|cat|tee|exit|return|eval|exec)\b")
TOLERATED = re.compile(r"\s*(?:true|:)(?!\S)")
WRITTEN = re.compile(r"(?<![0-9&>])>\s*[\"']?([\w./$@{}-]+)")
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
        elif said in (SUBSTITUTED, TICK, QUOTE) or (said == SUBSHELL and openers[-1] != QUOTE):
            openers = [*openers, said]
    yield "", at, [""]


def _closes(said: str, opener: str) -> bool:
    return (said in (TICK, QUOTE) and said == opener) or (said == ")" and opener in (SUBSTITUTED, SUBSHELL))


def _commands(text: str) -> "Iterator[Command]":
    """Yield the commands of a text, each as soon as it ends."""
    starts = [0]
    for said, at, openers in _pieces(text):
        inner = openers[-1]
        del starts[len(openers) :]
        if len(starts) < len(openers):
            starts.append(starts[-1] if inner == QUOTE else at)
        if said == "" or (inner != QUOTE and (said in SEPARATORS or _closes(said, inner))):
            yield Command(starts[-1], at, said, starts[-2] if inner in (SUBSTITUTED, TICK) else None)
            starts[-1] = at + len(said)


def _is_compared(text: str, command: Command) -> bool:
    if command.inside is not None:
        return _is_word_compared(text, command)
    if command.ends_with == "|":
        return not SHOWN.match(text, command.end + 1)
    return _is_written_and_compared(text, command)


def _is_word_compared(text: str, command: Command) -> bool:
    """Say whether what a command prints is a word of another that looks at it."""
    outer = text[command.inside : command.start].removesuffix(SUBSTITUTED).removesuffix(TICK)
    assigned = ASSIGNED.search(outer)
    if not assigned:
        return bool(outer.strip().strip(QUOTE)) and not SHOWN.match(outer)
    after = re.match(r"[^\n;&|]*(\|\||&&)?", text[command.end :])
    counts = after and after[1] and not (after[1] == "||" and TOLERATED.match(text, command.end + after.end()))
    used = [line for line in text.splitlines() if re.search(rf"\$\{{?{assigned[1]}\b", line) and not SHOWN.match(line)]
    return bool(used) and not counts and not CONDITION.match(outer)


def _is_written_and_compared(text: str, command: Command) -> bool:
    """Say whether a command writes a file that is compared later."""
    written = WRITTEN.search(text, command.start, command.end)
    if not written or command.ends_with in ("||", "&&"):
        return False
    return bool(re.search(COMPARES + re.escape(written[1]) + r"(?![\w.-])", text[command.end :]))
