"""Tell whether a program tests, checks, builds or runs what is a project's own.

All that it prints is the project's own then.
"""

from ralph_mem.core.command_lines import commands, purposes
from ralph_mem.memory.own_files import BROUGHT, Brought, strange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.memory.own_files import Files

# Programs whose first operand is a file with what they do, or `-m` and a module.
RUNNING = frozenset("python ruby node php bash sh zsh perl tsx ts-node deno lua Rscript julia source .".split())
TARGETS = frozenset("make gmake just task rake invoke ninja gradle gradlew tox nox pre-commit lefthook husky".split())
SCRIPTS = frozenset("run run-script test t tst start stop restart".split())
# Of these the first word says what they do.
VERBS = purposes.RUNNERS | frozenset("git pip pip3 kubectl gh apt brew gem aws svn hg uv conda dnf helm terraform".split())
FETCHED = frozenset("run test exec x".split())  # behind these may stand what is first fetched
FOLDER_OPTIONS = frozenset("-C --prefix --manifest-path --rootdir --project --directory --cwd --dir".split())
GIVEN = frozenset("-m - -c -e -p --eval --print".split())  # behind these stands no file
MOST_OF_NAME, MOST_OF_VERB = 40, 16


def _is_away(word: str, files: "Files") -> bool:
    """Say whether a word names a place outside of the project."""
    if word[:1] == "-":
        name, _, word = word.partition("=")
        if name not in FOLDER_OPTIONS:
            return False
    is_path = word[:1] in ("/", "~") or word[:3] == "../" or not BROUGHT.isdisjoint(word.split("/"))
    return is_path and not word.startswith("/dev/") and not files.holds(word)


def brought(words: "list[str]", files: "Files") -> "Brought | None":
    """Tell of a program what it brought in; None where it tests, checks, builds or runs what is the project's own."""
    name, rest = purposes.program(words)
    away = [word.partition("=")[2] or word for word in words[1:] if _is_away(word, files)]
    if away or purposes.name_of(words[0]) in commands.CONTAINERS:
        return Brought(called(purposes.name_of(words[0]), words[1:]), files.place(away[0]) if away else "")
    first, second = [*[word for word in rest if word[:1] != "-"][:2], "", ""][:2]
    if first in FETCHED and name in purposes.RUNNERS and _is_fetched(second):
        return Brought(f"{name} {first}")
    if name in TARGETS or (name in purposes.OF_SCRIPTS and first in SCRIPTS) or purposes.of(words) or commands.part_checks(words):
        return None
    if name in RUNNING or purposes.name_of(words[0]) in RUNNING:
        return _of_script(name, rest, files) if name in RUNNING else _of_script(words[0], words[1:], files)
    is_path = "/" in words[0] and name == purposes.name_of(words[0])  # a program of its own, or one that it was given
    return strange(name, words[:1], files) if is_path else Brought(called(name, rest))


def _is_fetched(word: str) -> bool:
    """Say whether what is to be run lies elsewhere: an address, or a package by its host, as Go names them."""
    host, slash, _ = word.partition("/")
    return "://" in word or bool(slash and "." in host.strip("."))


def _of_script(name: str, rest: "list[str]", files: "Files") -> "Brought | None":
    while rest and rest[0][:1] == "-" and rest[0] not in GIVEN:
        rest = rest[1:]
    if rest[:1] == ["-m"] and rest[1:]:
        module = rest[1].replace(".", "/")
        is_own = purposes.of([name, *rest]) or any([files.tracks(each) for each in (module, module + ".py", "src/" + module)])
        return None if is_own else Brought(f"{name} -m {rest[1]}"[:MOST_OF_NAME])
    script = "" if not rest or rest[0] in GIVEN else rest[0]
    return None if script and files.tracks(script) else Brought(name, files.place(script) if script else "")


def called(name: str, rest: "list[str]") -> str:
    """Return what a program is called where it is told: of one that does many things with what it did."""
    verb = next((word for word in rest if word[:1] != "-"), "")
    return f"{name} {verb}" if name in VERBS and verb.isalpha() and len(verb) < MOST_OF_VERB else name[:MOST_OF_NAME]
