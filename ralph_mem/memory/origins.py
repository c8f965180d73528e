"""Tell which program on a command line, if any, prints words from outside of the project.

What is not known to be the project's own counts as outside. Where git is not there, the project's folder is its own.
"""

from ralph_mem.core.command_lines import commands, operands
from ralph_mem.core.paths import is_folder
from ralph_mem.memory.own_files import Brought, Files, strange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project

# Programs that show what stands in the files that they are given, or make one file of another.
SHOWING = commands.LOOKING - commands.NAMING | frozenset(
    "awk gawk mawk perl jq yq xmllint diff cmp comm join paste tr rev tac od xxd hexdump strings zcat gunzip gzip tar unzip zip sed"
    " iconv fold fmt column pr csvcut csvlook xsv mlr htmlq pup pandoc pdftotext sqlite3 nbconvert".split()
)
SEARCHING = frozenset("grep egrep fgrep rg ag ack".split())
DEEP = frozenset("rg ag ack".split())  # what searches whole folders unasked
REMOTE = ("origin/", "upstream/", "FETCH_HEAD", "@{", "refs/remotes/")
REQUESTS = ("pull", "pr", "mr", "merge-requests")
ELSEWHERE = ("--git-dir", "--work-tree")
OTHER_GIT = ("GIT_DIR=", "GIT_WORK_TREE=")  # variables that have git look into another repository
SHORTEST_HASH = 7
MOVING = frozenset("cd pushd".split())
FILE = "file"  # what stands for a program where a file was read
LOOP = "for"  # what stands for the words that a loop goes through


def of_command(command: str, folder: str, project: "Project") -> "Brought | None":
    """Return what brought in words from outside, None where all that a line printed is the project's own."""
    files = Files(project, folder)
    files.is_elsewhere = any([name in command for name in OTHER_GIT])
    if "$" in command:
        from ralph_mem.core.command_lines import variables  # lazy: only for a line that has some

        files.variables = variables.of(command)
    found = [each for each in [_of_part(words, reads, files) for words, reads in _parts(command)] if each]
    return next((each for each in found if each.own is None), found[0] if found else None)


def _parts(command: str) -> "list[tuple[list[str], list[str]]]":
    """Return of each command of a line its words and the files that it reads from `<`."""
    plain = commands.plain_parts(command)
    if plain is not None:
        return [(words, []) for words in plain]
    from ralph_mem.core.command_lines import parts  # lazy: only for a line that quotes or redirects something

    return parts.of(command)


def _of_part(words: "list[str]", reads: "list[str]", files: Files) -> "Brought | None":
    if not words or not all(map(files.tracks, reads)):
        return strange(FILE, reads, files)
    name, rest = words[0].rpartition("/")[2], words[1:]
    if name in MOVING:
        files.goes_to(next((word for word in rest if word[:1] != "-"), "~"))
        return None
    if name in commands.NAMING or name == LOOP:
        return strange(FILE, [word for word in rest if "/" in word], files) if name == LOOP else None
    is_own = files.is_at_home()
    if name in SHOWING and is_own and (name != "perl" or operands.is_filter(rest)):
        return _of_showing(name, rest, files)
    if name == "git" and is_own and not files.is_elsewhere and _is_own_git(rest, files):
        return None
    from ralph_mem.memory import programs  # lazy: only for what does not merely show a file

    return programs.brought(words, files) if is_own and name != "git" else Brought(programs.called(name, rest), files.place("."))


def _of_showing(name: str, rest: "list[str]", files: Files) -> "Brought | None":
    scripts, paths = operands.parted(name, rest)
    found = strange(name, paths, files)
    if found or operands.runs_more(name, scripts):
        return found or Brought(name)
    deep = name in DEEP or any([word[:1] == "-" and word[1:2] != "-" and "r" in word.lower() for word in rest])
    return Brought(name, "", files) if name in SEARCHING and (deep or len(paths) > 1) else None


def _is_own_git(rest: "list[str]", files: Files) -> bool:
    """Say whether a command of git prints nothing but names, and what stands in files that it tracks."""
    while rest and rest[0][:1] == "-":
        if rest[0].startswith(ELSEWHERE) or (rest[0] == "-C" and not files.tracks("".join(rest[1:2]))):
            return False
        rest = rest[2:] if rest[0] in ("-C", "-c") else rest[1:]
    if "".join(rest[:1]) not in commands.OWN_GIT:
        return False
    operands = [word for word in rest[1:] if word[:1] != "-"]
    if "--no-index" in rest:
        return all(map(files.tracks, operands))
    if rest[0] == "config" and not all([files.tracks(word) for word in _values(rest, ("-f", "--file"))]):
        return False
    if rest[0] == "commit" and "--amend" in rest and not any([word.startswith(("-m", "-am", "--message")) for word in rest]):
        return False  # it prints the message that was there
    return not any([_is_of_others(revision, files) for word in operands for revision in word.split("..")])


def _values(words: "list[str]", options: "tuple[str, ...]") -> "list[str]":
    """Return what options are given, in a word of its own or behind `=`."""
    behind = [word for before, word in zip(words, words[1:]) if before in options]
    return behind + [word.partition("=")[2] for word in words if "=" in word and word.partition("=")[0] in options]


def _is_of_others(revision: str, files: Files) -> bool:
    """Say whether a word of git's names what came from another repository, or may: a commit by its hash, a branch of a request."""
    name, slash, _ = revision.lstrip(".").partition("/")
    fetched = bool(slash) and is_folder(f"{files.project.git}/refs/remotes/{name}")
    return fetched or any([sign in revision for sign in REMOTE]) or _is_hash(revision) or _is_of_request(revision.lower())


def _is_hash(word: str) -> bool:
    return len(word) >= SHORTEST_HASH and not word.strip("0123456789abcdef") and not word.isalpha()


def _is_of_request(word: str) -> bool:
    """Say whether a branch is called as those are that hold a pull request, such as `pr-7`."""
    kind = next((kind for kind in REQUESTS if word.startswith(kind)), "")
    return bool(kind) and word[len(kind) :].strip("-/_#").partition("/")[0].isdigit()
