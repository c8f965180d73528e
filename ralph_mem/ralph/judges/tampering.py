"""Tell what an iteration did to the files that judge it.

An edit to tests is said, not forbidden: a test may be what was wrong.
"""

import json
import re
from collections import Counter

from ralph_mem.core.format import count
from ralph_mem.ralph.criteria import Criterion, evidence
from ralph_mem.ralph.judges import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ralph_mem.ralph.snapshot import Change

    Content = Callable[[Change], "bytes | None"]

MOST_TOLD = 20  # more than a person reads; the rest is counted
MOST_READ = 1_000_000  # bytes of a file that are looked through

SKIPS = re.compile(
    r"pytest\.(skip|mark\.(skip|skipif|xfail))|unittest\.(skip|expectedFailure)|\bself\.skipTest\(|@expectedFailure|pytest\.importorskip"
    r"|\b(it|test|describe|context|suite)\.(skip|only|todo|fixme|failing)\b|\b(xit|xtest|xdescribe|fit|fdescribe)\s*\("
    r"|\bt\.Skip(Now|f)?\(|#\[ignore\b|@(Disabled|Ignore)\b|\[Ignore|\bGTEST_SKIP|@pytest\.mark\.skip|\bskip\s*:\s*true"
)
IGNORES = re.compile(
    r"#\s*(noqa|nosec|type:\s*ignore|pyright:\s*ignore|pylint:\s*disable|mypy:\s*ignore|fmt:\s*off|ruff:\s*noqa|pragma:\s*no cover)"
    r"|(eslint|tslint|biome|stylelint|oxlint)-(disable|ignore)|@ts-(ignore|nocheck|expect-error)|#!?\[allow\(|//\s*nolint|@SuppressWarnings"
    r"|\bNOSONAR\b|(istanbul|c8|v8) ignore|#\s*rubocop:disable|//\s*swiftlint:disable|@phpstan-ignore"
)
ASSERTS = re.compile(
    r"^\s*(assert\b|self\.assert|self\.fail|expect\(|assert[A-Z_.!(]|Assert\.|t\.(Error|Fatal|Fail)|require\.|assert_|\.should|debug_assert)"
    r"|\b(expect|assertThat|assertEquals|assert_eq!?)\s*\(|\bpytest\.raises\("
)
DEFINES_TEST = re.compile(
    r"^\s*(?:async\s+)?def\s+(test\w*)\s*\(|^\s*func\s+(Test\w+)\s*\(|^\s*(?:it|test)(?:\.\w+)?\s*\(\s*['\"`]([^'\"`]+)|^\s*@Test\b()|^\s*#\[test\]()"
)
COMPILES = "compileall"
LOOKS, PATTERNS_IN = frozenset("grep egrep fgrep rg test [".split()), re.compile(r"-\w+f$|--file$")  # `-f` alone is of test as well
EXITS = re.compile(
    r"\b(sys\.exit|os\._exit|process\.exit|exit)\s*\(\s*0?\s*\)|\|\|\s*true\b|--passWithNoTests|--exit-zero|continue-on-error"
)


def told(changes: "Sequence[Change]", before: "Content", after: "Content", criteria: "Sequence[Criterion]") -> "list[str]":
    """Return a line for each thing in these changes that may make the criteria pass without the goal being reached.

    `before` and `after` return the bytes of a path, or None where it has none or they are not kept. What was there before
    is not told.
    """
    sources = {criterion.source for criterion in criteria}
    sources |= {word.removeprefix("./") for criterion in criteria for word in _judging(criterion.argv or ())}
    lines = []
    for change in changes:
        path = change.path.decode("utf-8", "replace")
        old, new = _text(before(change)), _text(after(change))
        lines += _edited(change, path, old, new, sources)
        gone, come = _without(old, new), _without(new, old)
        judges = path in sources or kinds.of(path) is not None
        lines += _marks(path, gone, come, judges) + _lost(change, path, gone, come)
    return lines if len(lines) <= MOST_TOLD else [*lines[:MOST_TOLD], f"and {len(lines) - MOST_TOLD} more"]


def _judging(argv: "Sequence[str]") -> "Sequence[str]":
    """Return the words of a command but for what it compiles or looks into: to change that is what is asked for."""
    if COMPILES in argv:
        return argv[: argv.index(COMPILES)]
    if argv and argv[0].rpartition("/")[2] in LOOKS:
        return [word for option, word in zip(argv, argv[1:]) if PATTERNS_IN.match(option)]
    return argv


def _text(content: "bytes | None") -> str:
    return (content or b"")[:MOST_READ].decode("utf-8", "replace")


def _edited(change: "Change", path: str, old: str, new: str, sources: "set[str]") -> "list[str]":
    """Say that a file which judges was changed; a test that was only added judges more."""
    kind = kinds.of(path)
    if path.endswith("package.json") and _scripts(old) == _scripts(new):
        return []
    if path in sources:
        return [f"{change.what} {path}, which tells what the checks are"]
    if kind is None or (kind.name == kinds.TESTS and change.what == "added" and not path.endswith("conftest.py")):
        return []
    return [f"{change.what} {path}, {kind.says}"]


def _scripts(text: str) -> object:
    """Return what of a package.json can change a check: its scripts and the settings of tools, not what it depends on."""
    try:
        told = json.loads(text)
    except ValueError:
        return text
    if not isinstance(told, dict):
        return text
    return {name: told.get(name) for name in ("scripts", "jest", "mocha", "ava", "eslintConfig", "vitest", "nyc", "c8", "tap")}


def _without(text: str, other: str) -> "list[str]":
    """Return the lines that the other text does not have as often, wherever: a line that only moved is not among them."""
    counts, left = Counter([line.strip() for line in other.splitlines()]), []
    for line in text.splitlines():
        counts[line.strip()] -= 1
        left += [line] if counts[line.strip()] < 0 else []
    return left


def _marks(path: str, gone: "list[str]", come: "list[str]", judges: bool) -> "list[str]":
    """Say what a file got more of: skip markers, lint ignores and, where it judges, ways to end well whatever happens."""
    found = []
    for says, pattern in (("skips a test", SKIPS), ("silences a check", IGNORES), ("may end with success anyway", EXITS)):
        if pattern is EXITS and not judges:
            continue
        new = [line for line in come if pattern.search(line)]
        if len(new) > len([line for line in gone if pattern.search(line)]):
            found.append(f"{path} {says}: {evidence.headline(new[0])}")
    return found


def _lost(change: "Change", path: str, gone: "list[str]", come: "list[str]") -> "list[str]":
    """Say what a test file has lost: tests by their names, assertions by their number."""
    if not kinds.TEST.search(path) or change.what == "deleted":
        return []
    names, kept = _tests(gone), _tests(come)
    lost = [name for name in names if name not in kept]
    asserts = len([line for line in gone if ASSERTS.search(line)]) - len([line for line in come if ASSERTS.search(line)])
    found = [f"{path} lost {count(len(lost), 'test')}: {', '.join(lost[:3])}"] if lost else []
    if len(names) > len(kept) and not lost:
        found.append(f"{path} lost {len(names) - len(kept)} tests")
    return [*found, *([f"{path} lost {count(asserts, 'assertion')}"] if asserts > 0 else [])]


def _tests(lines: "list[str]") -> "list[str]":
    matches = [DEFINES_TEST.search(line) for line in lines]
    return [next((name for name in match.groups() if name), "(without a name)") for match in matches if match]
