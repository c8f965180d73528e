"""Describe what an iteration did to the files, and what of that touches the tests that judge it.

An edit to tests is said, not forbidden: a test may be what was wrong. The caller reads the files. A line that a test is
skipped may be wrong about what it quotes, never about the file.
"""

import difflib
import json
import re
from collections import namedtuple

from ralph_mem.core.format import count
from ralph_mem.core.redaction import path_rules, privacy
from ralph_mem.ralph.criteria import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.criteria import Criterion
    from ralph_mem.ralph.snapshot import Change

    Content = Callable[[Change], "bytes | None"]

# Lines of a diff that are kept of one file, and files of one iteration whose lines are kept: an iteration mostly touches one
# to three, and what it did must fit beside nine others into a prompt of 6,000 tokens.
MOST_LINES, MOST_LINE_CHARACTERS, MOST_QUOTED = 12, 160, 6
MOST_FILES = 50
# difflib takes a tenth of a second for files of this size, and ten for some of ten times that.
MOST_COMPARED = 200_000
EXCLUDED = "(excluded)"
NO_TEXT = ("", 0, 0)


def described(
    changes: "list[Change]", before: "Content", after: "Content", project: "Project", settings: "dict[str, Any]"
) -> "list[list[Any]]":
    """Return the changes of an iteration, each as `[path, what, lines added, lines removed, the lines]`, redacted.

    `before` and `after` return the bytes of a path, or None where it has none or they are not kept. A path that the user
    excludes is counted without its name, a file of secrets told without its lines. After fifty files the rest is counted in
    one entry, whose path says how many.
    """
    found = []
    for change in changes[:MOST_FILES]:
        path = _name(change.path)
        if path_rules.is_excluded(path, settings):
            found.append([EXCLUDED, change.what, 0, 0, ""])
            continue
        quoted = len(found) < MOST_QUOTED and not path_rules.is_secret(path)
        lines, plus, minus = _compared(before(change), after(change))
        found.append([path, change.what, plus, minus, lines if quoted else ""])
    if len(changes) > MOST_FILES:
        found.append([f"({len(changes) - MOST_FILES} more)", "changed", 0, 0, ""])
    return _protected(found, project, settings)


def _name(path: "bytes | str") -> str:
    return path.decode("utf-8", "replace") if isinstance(path, bytes) else path


def _compared(before: "bytes | None", after: "bytes | None") -> "tuple[str, int, int]":
    """Return the changed lines of a text, the first ones, and how many came and went."""
    old, new = _lines(before), _lines(after)
    if old is None or new is None:
        return NO_TEXT
    if len(before or b"") + len(after or b"") > MOST_COMPARED:
        return "", max(0, len(new) - len(old)), max(0, len(old) - len(new))
    changed = [line for line in list(difflib.unified_diff(old, new, lineterm="", n=0))[2:] if line[:1] in "+-"]
    plus = len([line for line in changed if line[0] == "+"])
    shown = [line[:MOST_LINE_CHARACTERS] for line in _both_sides(changed) if line[1:].strip()]
    return "\n".join(shown), plus, len(changed) - plus


def _both_sides(changed: "list[str]") -> "list[str]":
    """Return so many lines that what came is among them, however much went."""
    if len(changed) <= MOST_LINES:
        return changed
    gone = [line for line in changed if line[0] == "-"][: MOST_LINES // 3]
    return gone + [line for line in changed if line[0] == "+"][: MOST_LINES - len(gone)] + ["..."]


def _lines(content: "bytes | None") -> "list[str] | None":
    """Return the lines of a text; None for what is no text."""
    if content is None:
        return []
    return None if b"\0" in content[:8000] else content.decode("utf-8", "replace").splitlines()


def _protected(found: "list[list[Any]]", project: "Project", settings: "dict[str, Any]") -> "list[list[Any]]":
    safe = iter(privacy.protect([text for each in found for text in (each[0], each[4])], project, settings)[0])
    return [[next(safe), *each[1:4], next(safe)] for each in found]


def told(changed: "list[list[Any]]", most: int = 8) -> str:
    """Return changes in one line: `shop/cart.py +3 -1, shop/tax.py (deleted)`; also those that have no numbers."""
    parts = []
    for path, what, *numbers in [list(each) for each in changed[:most]]:
        plus, minus = [*numbers, 0, 0][:2]
        parts.append(f"{path} +{plus} -{minus}" if plus or minus else f"{path} ({what})")
    if len(changed) > most:
        parts.append(f"{len(changed) - most} more")
    return ", ".join(parts)


def lines_of(changed: "list[list[Any]]") -> "list[str]":
    """Return the changed lines of an iteration, below the name of the file where there are several."""
    quoted = [each for each in changed if len(each) > 4 and each[4]]
    found = []
    for each in quoted:
        found += [each[0] + ":"] if len(quoted) > 1 else []
        found += each[4].splitlines()
    return found


MOST_TOLD = 20  # more than a person reads; the rest is counted
MOST_READ = 1_000_000  # bytes of a file that are looked through

Kind = namedtuple("Kind", "says pattern")
TEST = re.compile(
    r"(^|/)(tests?|testing|specs?|__tests__|e2e)/|(^|/)(test_[^/]*|conftest)\.py$|_test\.(py|go|rb|exs|dart|cc|cpp)$|_spec\.rb$"
    r"|\.(test|spec)\.[cm]?[jt]sx?$|[^/]Tests?\.(java|kt|cs|php|scala|swift|groovy)$|\.(snap|bats)$|(^|/)testdata/"
)
# The first that fits names a file.
KINDS = (
    Kind("CI settings", re.compile(
        r"^\.(github|gitlab|circleci|buildkite|forgejo|gitea|woodpecker)/|^\.(gitlab-ci|travis|cirrus|drone|appveyor|pre-commit-config)"
        r"|^\.ci/|(^|/)(Jenkinsfile|azure-pipelines|bitbucket-pipelines)|^\.husky/|^lefthook"
    )),
    Kind("settings of the checks", re.compile(
        r"(^|/)(pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|noxfile\.py|\.?ruff\.toml|mypy\.ini|\.mypy\.ini|\.flake8|\.pylintrc|pylintrc"
        r"|\.coveragerc|pyrightconfig\.json|\.?eslint(rc|\.config)[^/]*|\.eslintignore|biome\.jsonc?|tsconfig[^/]*\.json|jest\.config[^/]*"
        r"|vitest\.config[^/]*|vite\.config[^/]*|karma\.conf[^/]*|\.mocharc[^/]*|playwright\.config[^/]*|\.prettierrc[^/]*|\.?clippy\.toml"
        r"|\.?nextest\.toml|\.?golangci\.ya?ml|checkstyle[^/]*\.xml|phpunit[^/]*\.xml|\.rspec|\.rubocop[^/]*)$|(^|/)\.cargo/"
    )),
    Kind("a build file that defines checks", re.compile(
        r"(^|/)(package\.json|Makefile|GNUmakefile|makefile|[^/]+\.mk|Justfile|justfile|Taskfile\.ya?ml|Cargo\.toml|go\.mod|pom\.xml"
        r"|(build|settings)\.gradle(\.kts)?|CMakeLists\.txt)$"
    )),
    Kind("which says what git ignores", re.compile(r"(^|/)\.gitignore$")),
    Kind("which says what git does with files", re.compile(r"(^|/)\.gitattributes$")),
    Kind("a test", TEST),
)  # fmt: skip
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
EXITS = re.compile(
    r"\b(sys\.exit|os\._exit|process\.exit|exit)\s*\(\s*0?\s*\)|\|\|\s*true\b|--passWithNoTests|--exit-zero|continue-on-error"
)


def tampering(changes: "Sequence[Change]", before: "Content", after: "Content", criteria: "Sequence[Criterion]") -> "list[str]":
    """Return a line for each thing in these changes that may make the criteria pass without the goal being reached.

    `before` and `after` return the bytes of a path, or None where it has none or they are not kept. What was there before
    is not told.
    """
    sources = {criterion.source for criterion in criteria}
    sources |= {word.removeprefix("./") for criterion in criteria for word in criterion.argv or ()}
    lines = []
    for change in changes:
        path = change.path.decode("utf-8", "replace")
        old, new = _text(before(change)), _text(after(change))
        lines += _edited(change, path, old, new, sources)
        gone, come = _difference(old, new)
        judges = path in sources or any([kind.pattern.search(path) for kind in KINDS])
        lines += _marks(path, gone, come, judges) + _lost(change, path, gone, come)
    return lines if len(lines) <= MOST_TOLD else [*lines[:MOST_TOLD], f"and {len(lines) - MOST_TOLD} more"]


def _text(content: "bytes | None") -> str:
    return (content or b"")[:MOST_READ].decode("utf-8", "replace")


def _edited(change: "Change", path: str, old: str, new: str, sources: "set[str]") -> "list[str]":
    """Say that a file which judges was changed; a test that was only added judges more."""
    kind = next((kind for kind in KINDS if kind.pattern.search(path)), None)
    if path in sources and not (path.endswith("package.json") and _scripts(old) == _scripts(new)):
        return [f"{change.what} {path}, which tells what the checks are"]
    if kind is None or (kind.pattern is TEST and change.what == "added" and not path.endswith("conftest.py")):
        return []
    if path.endswith("package.json") and _scripts(old) == _scripts(new):
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


def _difference(old: str, new: str) -> "tuple[list[str], list[str]]":
    """Return the lines that went and those that came, wherever: a line that only moved is neither."""
    was, now = old.splitlines(), new.splitlines()
    return _without(was, now), _without(now, was)


def _without(lines: "list[str]", others: "list[str]") -> "list[str]":
    counts: dict[str, int] = {}
    for line in others:
        counts[line.strip()] = counts.get(line.strip(), 0) + 1
    left = []
    for line in lines:
        if counts.get(line.strip(), 0):
            counts[line.strip()] -= 1
        else:
            left.append(line)
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
    if not TEST.search(path) or change.what == "deleted":
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
