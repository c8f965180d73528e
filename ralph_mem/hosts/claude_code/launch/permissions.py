"""Find the permission rules that let the calls through which an unattended client refused."""

import os
import re
from pathlib import Path

from ralph_mem.hosts.claude_code.launch.stream import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_CHARACTERS = 200  # a longer rule is a program of its own, and nobody wants to allow that unread

# Their first argument says what is run, so a rule for the name alone would allow anything.
INTERPRETERS = set("python python3 node deno ruby perl php bash sh zsh fish".split())
# They run another command, reach far or destroy: allowed as they stand, word by word.
IN_FULL = set(
    "sudo su env exec eval source . xargs timeout nohup nice time find ssh scp rsync docker parallel watch "
    "rm mv cp dd chmod chown ln kill pkill killall curl wget sed awk tee".split()
)
# The word after these says what is done, and after `npm run` or `uv run` yet another word.
WITH_VERBS = set(
    "npm pnpm yarn bun npx cargo go git make just task uv poetry pip pip3 mvn gradle dotnet bundle rake tox nox gh kubectl".split()
)
GOES_ON = {"run", "exec", "run-script", "dlx", "x"}
# The client lets these through by itself where it edits files: they are not what was refused.
HARMLESS = set("cd echo printf ls pwd cat head tail wc grep rg sort uniq cut true false test [ touch mkdir sleep which".split())
KEYWORDS = {"if", "then", "else", "elif", "while", "until", "do", "!", "{"}
ENDINGS = {"for", "done", "fi", "}", "case", "esac"}

# No part of it matches what starts a command within a command, a subshell, a here-document or a background job.
_TOKEN = re.compile(
    r"""[ \t]*(?:
    (?P<end>&&|\|\||;|\||\n)
    |(?P<redirection>&>>?|\d*(?:>>?|<(?!<))&?)
    |(?P<word>(?:[^\s;|&<>()'"`\\$]|\\.|'[^']*'|"(?:[^"\\`$]|\\.|\$(?!\())*"|\$(?![\('"]))+)
    )""",
    re.VERBOSE | re.DOTALL,
)


def rules_for(tool: str, given: "dict[str, Any]", folder: str) -> "list[str]":
    """Return what to allow for one refused call, such as `Bash(npm test:*)`; empty where no rule would help."""
    if tool == "Bash":
        return of_command(text_of(given, "command"))
    path = text_of(given, "file_path") or text_of(given, "notebook_path") or text_of(given, "path")
    if tool in {"Edit", "MultiEdit", "Write", "NotebookEdit"}:
        return _of_path("Edit", path, folder)
    if tool in {"Read", "Glob", "Grep", "LS"}:
        return _of_path("Read", path, folder)
    if tool == "WebFetch":
        return _of_address(text_of(given, "url"))
    return [tool] if tool and all([letter.isalnum() or letter in "_-." for letter in tool]) else []


def of_command(command: str) -> "list[str]":
    """Return the rules that let a shell command through, one for each part of it that is not harmless.

    Empty where none would: the client asks about commands within commands, subshells and background jobs each time.
    """
    parts = [_without_keywords(part) for part in _parts(command) or []]
    wanted = [part for part in parts if part and part[0] not in ENDINGS]
    telling = [part for part in wanted if part[0] not in HARMLESS]
    rules = [_prefix(part) for part in telling] or [_exact(part) for part in wanted]
    return list(dict.fromkeys(rules)) if all([len(rule) <= MOST_CHARACTERS and "\n" not in rule for rule in rules]) else []


def _prefix(words: "list[str]") -> str:
    """Return the rule for one simple command; variables that are set before it belong to it."""
    at = next((number for number, word in enumerate(words) if not _sets_a_variable(word)), len(words))
    name, after = Path(words[at]).name if at < len(words) else "", words[at + 1 :]
    taken = 1
    if not name or name in IN_FULL or _is_open(name, after):
        return _exact(words)
    if name in INTERPRETERS:
        taken = 3 if after[0] == "-m" else 2
    elif name in WITH_VERBS:
        taken = 3 if after[0] in GOES_ON and len(after) > 1 and _is_a_verb(after[1]) else 2
    return f"Bash({' '.join(words[: at + taken])}:*)"


def _exact(words: "list[str]") -> str:
    return f"Bash({' '.join(words)})"


def _is_open(name: str, after: "list[str]") -> bool:
    """Say whether a name would allow anything, since what is run is not told by the word after it."""
    if name in INTERPRETERS:
        return not after or (after[0].startswith("-") and (after[0] != "-m" or len(after) < 2))
    return name in WITH_VERBS and not (after and _is_a_verb(after[0]))


def _is_a_verb(word: str) -> bool:
    return word[:1].isalpha() and all([letter.isalnum() or letter in "_-:" for letter in word])


def _sets_a_variable(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _without_keywords(words: "list[str]") -> "list[str]":
    while words and words[0] in KEYWORDS:
        words = words[1:]
    return words


def _parts(command: str) -> "list[list[str]] | None":
    """Return the simple commands of a shell line, as words with their quotes; None for nested, open or background ones."""
    text = command.replace("\\\n", " ").strip()
    parts: list[list[str]] = [[]]
    at, is_target = 0, False
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            return None
        at = found.end()
        if found["end"]:
            parts.append([])
        elif found["word"] and not is_target:
            parts[-1].append(found["word"])
        is_target = bool(found["redirection"])
    return [part for part in parts if part]


def _of_path(verb: str, path: str, folder: str) -> "list[str]":
    """Return the rule for a file: within the folder the verb is enough, outside of it the file has to be named."""
    whole = os.path.normpath(Path(folder, path)) if path else ""
    if not whole or Path(folder) in (Path(whole), *Path(whole).parents):
        return [verb]
    return [f"{verb}(/{whole})"] if not set(whole) & set("()*?[]\n,") else []


def _of_address(address: str) -> "list[str]":
    host = address.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0]
    return [f"WebFetch(domain:{host})"] if host and all([letter.isalnum() or letter in ".-" for letter in host]) else []
