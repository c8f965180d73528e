"""Find where tests lie that only the settings of a runner or its command line call tests."""

import json
import os
import re
import shlex
from collections import namedtuple

from ralph_mem.core.redaction import path_rules
from ralph_mem.ralph.judges import kinds, loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph_mem.ralph.criteria import Criterion
    from ralph_mem.ralph.judges.named import Text

Placed = namedtuple("Placed", "patterns expressions")
Placed.__doc__ = """Where tests lie, as seen from the top: patterns as in .gitignore, and regular expressions for whole paths."""

GLOBS, EXPRESSIONS = r"(?:spec|testMatch|include|files)", r"testRegex"
# Its patterns say what is measured, not what is a test.
COVERAGE = re.compile(r"coverage\w*[\"']?\s*:\s*\{[^}]*\}")
PYTHON_FILES = re.compile(r"^python_files\s*=\s*([^\n]*(?:\n[ \t]+[^\n]*)*)", re.MULTILINE)
# Runners of which every word is a test file, a folder or a pattern of them; `jest x` and `pytest x` may name the product's folder.
TAKES_TESTS = re.compile(r"(?:^|[\s;&|])(?:\S*/)?(?:mocha|ava|tape?|uvu|bats|prove|node\s(?:\S+\s)*--test)(?=\s)([^\n;&|]*)")
OF_UNITTEST = re.compile(r"unittest[^\n;&|]*\s(?:-p|--pattern)[\s=]+[\"']?([^\s\"']+)")
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
MOST_SPREAD = 64  # patterns from one
CODE = re.compile(r"\.(?:[cm]?[jt]sx?|py|sh|bats|t)$|\*$")
ALL = re.compile(r"\*+(\.\w+)?$")


def of(criteria: "Iterable[Criterion]", top: str, settings: "Iterable[str]", text: "Text") -> Placed:
    """Return where the tests lie by the settings of the start, and by the command lines of criteria with what is behind them."""
    told: list[str] = []
    expressions: list[str] = []
    for path in settings:
        said = _to_runners(path, text(path) or "")
        folder = os.path.dirname(path)
        told += [_seen_from_top(each, folder) for each in _globs(path, said)]
        expressions += loaded.words(path, said, EXPRESSIONS)
    for criterion in criteria:
        folder = os.path.relpath(os.path.realpath(criterion.folder or top), os.path.realpath(top)).removeprefix(".")
        for line in [shlex.join(criterion.argv or ()), *(criterion.definition or "").splitlines()]:
            told += [_seen_from_top(each, folder) for each in _of_command(line, folder, text)]
    patterns = [pattern for each in told for pattern in _spread(each) if _says_something(pattern)]
    return Placed(tuple(dict.fromkeys(patterns)), tuple([found for each in expressions if (found := _compiled(each))]))


def has(placed: Placed, path: str) -> bool:
    """Say whether a path is a test by where it lies."""
    if any([path_rules.matches(path, pattern) for pattern in placed.patterns]):
        return True
    return any([each.search(f"/{path}") for each in placed.expressions])


def _to_runners(path: str, said: str) -> str:
    """Return what a file says to runners; `files` and `include` of a package.json are about other things, as those of coverage."""
    if not path.endswith("package.json"):
        return COVERAGE.sub("", said)
    try:
        told = json.loads(said or "{}")
    except (ValueError, RecursionError):
        return ""
    of_runners = {name: told.get(name) for name in ("jest", "mocha", "ava")} if isinstance(told, dict) else {}
    return COVERAGE.sub("", json.dumps(of_runners, indent=1))


def _globs(path: str, said: str) -> "list[str]":
    if loaded.OF_PYTEST.search(path):
        return [word for value in PYTHON_FILES.findall(said) for word in re.findall(r"[\w.*?/-]+", value)]
    return loaded.words(path, said, GLOBS)


def _of_command(line: str, folder: str, text: "Text") -> "list[str]":
    found = OF_UNITTEST.findall(line)
    for words in TAKES_TESTS.findall(line):
        for word in [each.strip("\"'") for each in words.split()]:
            if not word.startswith("-") and "=" not in word and re.search(r"\w", word):
                is_file = "*" in word or text(_seen_from_top(word, folder).lstrip("/")) is not None
                found.append(word if is_file else f"{word.rstrip('/')}/**")
    return found


def _seen_from_top(pattern: str, folder: str) -> str:
    """Return a pattern of a folder as seen from the top; one that begins with `**`, or is but a name with `*`, holds anywhere."""
    inside = pattern.replace("<rootDir>", ".").removeprefix("./").lstrip("/")
    if inside.startswith("**") or ("/" not in inside and "*" in inside):
        return inside
    return f"/{folder}/{inside}" if folder else f"/{inside}"


def _spread(pattern: str) -> "Sequence[str]":
    """Return the patterns that one with braces stands for; none for what is not understood."""
    one = re.sub(r"\[(\w{2,4})\]", lambda found: f"{{{','.join(found[1])}}}", pattern)
    found = [re.sub(r"\?\(([^()|]*)\)", r"{,\1}", one)]
    while any([BRACES.search(each) for each in found]) and len(found) < MOST_SPREAD:
        found = [
            each[: braces.start()] + word + each[braces.end() :] if braces else each
            for each in found
            for braces in [BRACES.search(each)]
            for word in (braces[1].split(",") if braces else [""])
        ]
    return [each for each in found if not re.search(r"[(){}!+@]", each)]


def _says_something(pattern: str) -> bool:
    """Say whether a pattern tells tests from the product: by a part of the name, or by a folder that is none of the product's."""
    folder, _, name = pattern.rpartition("/")
    first = next((part for part in folder.split("/") if part and not part.startswith("*")), "")
    if not name or not CODE.search(name) or (name in ("**", "*") and not first):
        return False
    return bool(not ALL.match(name) or (first and first not in kinds.PRODUCT and first != "."))


def _compiled(expression: str) -> "re.Pattern[str] | None":
    try:
        found = re.compile(expression.replace("\\\\", "\\").replace("\\/", "/"))
    except re.error:
        return None
    return None if found.search("/index.js") or found.search("/src/index.js") else found
