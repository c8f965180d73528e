"""Find the files that an accepted criterion names.

These are the scripts that it runs, those which these run, and the tests that it asks for.
"""

import os
import re
import shlex
from collections import namedtuple

from ralph_mem.core import paths
from ralph_mem.ralph.judges import asserting, comparisons, doctests, kinds, loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ralph_mem.ralph.criteria import Criterion

    # The text of a path at the start, as seen from the top; None where there was no such file.
    Text = Callable[[str], "str | None"]

Named = namedtuple("Named", "scripts tests folders references")
Named.__doc__ = """The paths, as seen from the top, of scripts that decide, and of tests that count although they are new.

`folders` are those of packages of the tree that the checks run as a program; each ends with a slash. `references` are patterns of
what the checks compare with.
"""

PROGRAMS_OF_NODE = "node_modules/.bin"
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
DEEPEST = 4  # of scripts that run scripts
SHELLS = frozenset("sh bash zsh dash ksh source . exec".split())
PROGRAMS = frozenset("python python3 pypy pypy3 node bun deno ruby perl php tsx ts-node Rscript lua".split())
# Words before a program that are none of interest themselves.
NO_PROGRAM = re.compile(
    r"(env|exec|time|nice|timeout|xvfb-run|uv|poetry|pdm|pipenv|hatch|run|npx|bunx|command|sudo)$|-|[A-Za-z_]\w*=|\d+(\.\d+)?[smh]?$"
)
# Options behind which a file says how a check is made.
SETTINGS = frozenset(
    "-c -f -r --config --config-file --configfile --env-file --file --import --makefile --project --rcfile --require"
    " --settings".split()
)
# A script of such a name decides; of any other name it may be the very program that is to be mended.
CHECKS = re.compile(
    r"(^|[/_.-])(checks?|tests?|verify|validate|accept(ance)?|assert|judge|score|grade|lint|ci|smoke|e2e|specs?|suite|runner)([/_.-]|$)",
    re.IGNORECASE,
)
COMMAND = re.compile(
    r"(?:^|[\s;&|(`\"'=@+-])((?:ba|z|da|k)?sh|source|\.|python[\d.]*|node|bun|deno|ruby|perl|php|tsx|ts-node)\s+((?:-\S+\s+)*)[\"']?([\w./+-]+)"
)
# What is loaded before the tests by a word of a command line; of short options only those of runners, since `cc -c` compiles.
LOADS = re.compile(
    r"(?:^|\s)(?:(?:mocha|node|ts-node|tsx|ava|tape|jest|vitest|playwright)\s(?:[^\n;&|]*\s)?-[rc]|--(?:require|import|loader|file|config|env-file)"
    r"|--experimental-loader|--setupFiles\w*|--globalSetup)[\s=]+[\"']?([\w./@-]+)"
)
# A program in a language of its own, behind -f.
PROGRAM_FILE = re.compile(r"(?:^|[\s;&|(`\"'@])(?:[gmn]?awk|sed|jq)\s(?:[^\n;&|]*?\s)?(?:-f|--from-file|--file)[\s=]*([\w./+-]+)")
# Runners to which a file of any name can be given as a test; unittest takes a module by its dotted name.
GIVEN = frozenset("pytest py.test unittest doctest".split())
DIRECT = re.compile(r"(?:^|[\s;&|(`\"'@+-])((?:\./|\.\./)?(?:[\w.+-]+/)*[\w.+-]+)(?=$|[\s;&|)`\"'])", re.MULTILINE)
MOVES = re.compile(r"(?:^|[\s;&|(`@])cd\s+(?:--\s+)?[\"']?([\w./+-]+)")
OF_MAKE = re.compile(r"(?:^|[\s;&|(`@+-])(?:g?make|\$[({]MAKE[)}])\s(?:[^\n;&|]*?\s)?(?:-C\s*|--directory[= ])[\"']?([\w./+-]+)")


def of(criteria: "Iterable[Criterion]", top: str, text: "Text") -> Named:
    """Return what criteria name, by their words and by the scripts behind them as they were at the start."""
    scripts: set[str] = set()
    tests: set[str] = set()
    folders: set[str] = set()
    pieces: list[tuple[str, str]] = []
    for criterion in criteria:
        folder = os.path.relpath(os.path.realpath(criterion.folder), os.path.realpath(top)) if criterion.folder else "."
        argv = [_inside(word, top) for word in criterion.argv or ()]
        decides = criterion.expected == 0 and not isinstance(criterion.expected, str)
        found = _run_by(argv, folder, decides) | _run_in(criterion.definition or "", folder, text)
        found |= _makefiles(shlex.join(argv), folder)
        for at, word in enumerate(argv):
            if argv[at - 1 : at] == ["-c"] and " " in word:
                found |= _run_in(word, folder, text)
                pieces.append((folder, word))
        pieces.append((folder, criterion.definition or ""))
        found |= _given(argv, folder)
        scripts |= _with_theirs({path for path in found if path}, folder, text)
        tests |= _tests(argv, folder)
        folders |= _packages(criterion, top)
    pieces += [(place, text(path) or "") for path in scripts if _is_shell(path) for place in _places(path)]
    return Named(frozenset(scripts), frozenset(tests), frozenset(folders), comparisons.references(pieces, text))


def _is_shell(path: str) -> bool:
    return not path.endswith((".py", ".js", ".ts", ".rb", ".cjs", ".mjs"))


def _places(script: str) -> "list[str]":
    """Return where a script may run: at the top, and in its own folder."""
    return list(dict.fromkeys([".", os.path.dirname(script) or "."]))


def _given(argv: "list[str]", folder: str) -> "set[str]":
    """Return the files that a command line gives to a runner as tests, whatever they are called."""
    at = next((at for at, word in enumerate(argv) if word.rpartition("/")[2] in GIVEN), None)
    if at is None:
        return set()
    words = [word.partition("::")[0] for word in argv[at + 1 :] if not word.startswith("-")]
    found = {_path(folder, word) for word in words if "." in word.rpartition("/")[2]}
    if any([doctests.RUN_BY.search(word) for word in argv]):  # sources then have their tests in them
        return {path for path in found if not path.endswith(".py")}
    if argv[at] == "unittest":
        parts = [word.split(".") for word in words if re.fullmatch(r"[\w.]+", word)]
        found |= {_path(folder, "/".join(each[:end]) + ".py") for each in parts for end in range(1, len(each) + 1)}
    return found


def _packages(criterion: "Criterion", top: str) -> "set[str]":
    """Return the folders of the packages that are linked among those of Node, and whose programs a check names."""
    words = {word for said in (*criterion.argv, criterion.definition or "") for word in re.findall(r"[\w@.-]+", said)}
    real, found = os.path.realpath(top), set()
    for place in dict.fromkeys([criterion.folder or top, top]):
        for name in words.intersection(paths.names(f"{place}/{PROGRAMS_OF_NODE}")):
            program = os.path.realpath(f"{place}/{PROGRAMS_OF_NODE}/{name}")
            inside = os.path.relpath(program, real)
            if not inside.startswith("..") and kinds.INSTALLED.isdisjoint(inside.split("/")):
                found.add(_package_of(inside, real))
    return found - {""}


def _package_of(path: str, top: str) -> str:
    """Return the folder around a path that is a package, empty for the top itself."""
    folder = os.path.dirname(path)
    while folder and not os.path.exists(f"{top}/{folder}/package.json"):
        folder = os.path.dirname(folder)
    return f"{folder}/" if folder else ""


def _run_by(argv: "list[str]", folder: str, decides: bool) -> "set[str]":
    """Return the paths that a command line runs, or takes its settings from."""
    found = {_path(folder, word) for at, word in enumerate(argv) if at and argv[at - 1] in SETTINGS}
    found |= {_path(folder, word.partition("=")[2]) for word in argv if word.partition("=")[0] in SETTINGS}
    words = argv[next((at for at, word in enumerate(argv) if not NO_PROGRAM.match(word)), 0) :]
    program = words[0] if words else ""
    if "/" in program and _decides(program, decides):
        found.add(_path(folder, program))
    if _plain(program) in SHELLS | PROGRAMS:
        rest = [word for word in words[1:] if not word.startswith("-")]
        if "-m" in words[1:-1]:
            module = words[words.index("-m") + 1].replace(".", "/")
            found |= {_path(folder, module + end) for end in (".py", "/__main__.py")} if _decides(module, decides) else set()
        elif rest and "-c" not in words and _decides(rest[0], decides or _plain(program) in SHELLS):
            found.add(_path(folder, rest[0]))
    return found


def _inside(word: str, top: str) -> str:
    """Return a word of a command line; a path of the tree as seen from its top."""
    within = word.startswith(top.rstrip("/") + "/")
    return f"./{word[len(top.rstrip('/')) + 1 :]}" if within else word


def _decides(word: str, by_its_end: bool) -> bool:
    """Say whether a script decides: where its exit code is what counts, or its name says so."""
    return by_its_end or word.endswith((".sh", ".bash", ".bats")) or bool(CHECKS.search(word))


def _plain(program: str) -> str:
    return re.sub(r"[\d.]+$", "", program.rpartition("/")[2]) or program


def _run_in(said: str, folder: str, text: "Text") -> "set[str]":
    """Return the paths that decide in a piece of shell, as far as that can be read, also where it goes to another folder."""
    said = comparisons.IN_ITS_FOLDER.sub(".", said)
    found = _makefiles(said, folder)
    for place in dict.fromkeys([folder, *[_path(folder, word) or folder for word in MOVES.findall(said)]]):
        found |= _mentioned(comparisons.taken_out(said), place, text)
        found |= {path for path in _mentioned(said, place, text) if CHECKS.search(path)}
    return found


def _makefiles(said: str, folder: str) -> "set[str]":
    """Return where the rules may lie that a piece of shell has made in other folders."""
    return {_path(folder, f"{place}/{name}") for place in OF_MAKE.findall(said) for name in MAKEFILES}


def _mentioned(said: str, folder: str, text: "Text") -> "set[str]":
    found = set()
    for line in said.splitlines():
        for program, _, word in COMMAND.findall(line):
            if program in SHELLS or CHECKS.search(word) or asserting.judges(_path(folder, word), text):
                found.add(_path(folder, word))
        found |= {_path(folder, word) for word in PROGRAM_FILE.findall(line)}
        found |= {_path(folder, word + end) for word in LOADS.findall(line) for end in loaded.ENDS}
        found |= {
            _path(folder, word) for word in DIRECT.findall(line) if word.endswith((".sh", ".bash", ".bats")) or word[:2] == "./"
        }
    return found


def _with_theirs(scripts: "set[str]", folder: str, text: "Text") -> "set[str]":
    """Return those of some scripts that were there at the start, and those which they run."""
    found: set[str] = set()
    for _ in range(DEEPEST):
        new = {path for path in scripts - found if text(path) is not None}
        found |= new
        below = [(os.path.dirname(path) or ".", text(path) or "") for path in new if _is_shell(path)]
        scripts = {module for path in new if CHECKS.search(path) for module in _imported(path, text)}
        scripts |= {path for _, said in below for path in _run_in(said, folder, text)}
        scripts |= {path for place, said in below for path in _run_in(said, place, text)}
    return found


def _tests(argv: "list[str]", folder: str) -> "set[str]":
    """Return the tests that a command line asks for by name: files, or modules behind `-m unittest`."""
    words = [word.partition("::")[0] for word in argv[1:] if not word.startswith("-")]
    found = {_path(folder, word) for word in words}
    if "unittest" in argv:
        found |= {_path(folder, word.replace(".", "/") + ".py") for word in words if re.fullmatch(r"[\w.]+", word)}
    if "--test" in argv and any([each.rpartition("/")[2] == "cargo" for each in argv]):
        found |= {_path(folder, f"tests/{word}.rs") for word in words}
    return {path for path in found if path and kinds.TEST_FILE.search(path) and not path.endswith("conftest.py")}


def _path(folder: str, word: str) -> str:
    """Return a word of a command line as a path seen from the top, empty where it leads out of it."""
    path = os.path.normpath(os.path.join(folder, word)) if word else ""
    return "" if path.startswith(("..", "/")) or path == "." else path


def _imported(script: str, text: "Text") -> "set[str]":
    """Return the modules that lie in the folder of a script, or below it, and that it imports.

    A script at the top, or in a folder of the product, imports the product from there.
    """
    folder = os.path.dirname(script)
    if not folder or folder.partition("/")[0] in kinds.PRODUCT:
        return set()
    places = [os.path.normpath(os.path.join(folder, each)) for each in asserting.imported(script, text(script) or "")]
    return {place for place in places if place.startswith(f"{folder}/") and text(place) is not None}
