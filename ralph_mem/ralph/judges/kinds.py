"""Say by its name what a file is to the checks.

A file that judges is taken from the start when a success is confirmed; of the others a change is only told.
"""

import re
from collections import namedtuple

Kind = namedtuple("Kind", "name says judges pattern")
Kind.__doc__ = """A kind of files.

`name` is for a count and `says` for a sentence, `judges` says whether it decides about a success, `pattern` how its paths look.
"""

TESTS, SETTINGS, BUILDS, NAMED, SHADOWS, IGNORED = "tests", "settings", "build files", "named", "shadows", "ignored"

# Tests by their own name, whatever folder they lie in.
TEST_FILE = re.compile(
    r"(^|/)(test_[^/]*|tests|conftest)\.py$|(^|/)tests?\.rs$|_tests?\.(py|go|rb|exs|dart|cc|cpp|c|rs)$|_spec\.rb$|(^|/)test_[^/]*\.(c|cc|cpp|rs|sh|rb)$"
    r"|(^|/)test([-_][^/]*)?\.[cm]?[jt]sx?$|([._-]test|[._]spec|\.cy|e2e-spec)(-d)?\.[cm]?[jt]sx?$|[^/]Tests?\.(java|kt|cs|php|scala|swift|groovy)$|\.(bats|t|feature|robot)$|(^|/)run[-_]?tests?(\.[a-z]+)?$"
)
TEST = re.compile(
    TEST_FILE.pattern
    + r"|(^|/)(tests?|testing|specs?|__tests__|__mocks__|__fixtures__|e2e)/"
    + r"|(^|/)(testdata|test[-_]data|goldens?|__snapshots__|cassettes)/"
    r"|\.(snap|golden|approved)(\.[a-z]+)?$|(^|/)(expected|golden|approved)[^/]*\.(txt|json|ya?ml|csv|xml|html|out|md|snap|log)$"
    r"|(^|/)[^/]*[._-](expected|golden|approved)(\.[a-z]+)?$|(^|/)(expected|golden|approved)$|(^|/)expected/|(^|/)features/(steps|support|step_definitions)/"
)
# The first that fits names a file.
KINDS = (
    Kind("CI", "CI settings", False, re.compile(
        r"^\.(github|gitlab|circleci|buildkite|forgejo|gitea|woodpecker)/|^\.(gitlab-ci|travis|cirrus|drone|appveyor|pre-commit-config)"
        r"|^\.ci/|(^|/)(Jenkinsfile|azure-pipelines|bitbucket-pipelines)|^\.husky/|^lefthook"
    )),
    Kind(SETTINGS, "which Python runs by itself at its start", True, re.compile(
        r"(^|/)(sitecustomize|usercustomize)(\.pyc?$|/)|\.pth$|\.(egg|dist)-info/entry_points\.txt$"
    )),
    Kind(SETTINGS, "settings of the checks", True, re.compile(
        r"(^|/)(\.?pytest\.(ini|toml)|tox\.(ini|toml)|setup\.cfg|pyproject\.toml|noxfile\.py|\.?ruff\.toml|\.?mypy\.ini|\.flake8|\.pylintrc"
        r"|pylintrc|\.coveragerc|pyrightconfig\.json|\.?eslint(rc|\.config)[^/]*|\.(eslint|prettier|stylelint)?ignore|biome\.jsonc?|tsconfig[^/]*\.json"
        r"|jsconfig\.json|(jest|vitest|vite|playwright|ava|cypress|wdio|babel|rollup|webpack)\.(config|setup|workspace)[^/]*|\.babelrc[^/]*"
        r"|\.swcrc|(jest|vitest)[-.]?setup[^/]*|setup-?tests\.[cm]?[jt]sx?|karma\.conf[^/]*|\.mocharc[^/]*|\.taprc|\.nycrc[^/]*|\.c8rc[^/]*"
        r"|\.npmrc|\.yarnrc[^/]*|\.pnpmfile\.cjs|pnpm-workspace\.yaml|bunfig\.toml|deno\.jsonc?|turbo\.json|nx\.json|lerna\.json"
        r"|\.prettierrc[^/]*|\.?clippy\.toml|\.?nextest\.toml|\.?golangci\.(ya?ml|toml|json)|checkstyle[^/]*\.xml|phpunit[^/]*\.xml|\.rspec"
        r"|\.rubocop[^/]*|unittest\.cfg|nose2?\.cfg|behave\.ini|\.behaverc|hatch\.toml|web-test-runner\.config[^/]*|cucumber\.[a-z]+|\.busted|\.noserc|\.proverc|go\.work|rust-toolchain(\.toml)?|CMake(User)?Presets\.json|\.valgrindrc|\.gdbinit)$"
        r"|(^|/)(\.cargo|\.config/nextest|\.yarn/(releases|plugins|sdks))/|(^|/)\.pnp\.[a-z.]+$"
    )),
    Kind(BUILDS, "a build file that defines checks", True, re.compile(
        r"(^|/)(package\.json|[Mm]akefile|GNUmakefile|[^/]+\.(mk|cmake)|[Jj]ustfile|\.justfile|[^/]+\.just|[Tt]askfile(\.dist)?\.ya?ml|pixi\.toml|\.?mise\.toml|(gulp|Grunt|Jake)file[^/]*|composer\.json|mix\.exs|tasks\.py|dodo\.py|Rakefile"
        r"|Cargo\.toml|(?<!src/)build\.rs|go\.mod|pom\.xml|(build|settings)\.gradle(\.kts)?|CMakeLists\.txt|meson\.build|BUILD(\.bazel)?|SConstruct)$"
    )),
    Kind(IGNORED, "which says what git ignores", False, re.compile(r"(^|/)\.gitignore$")),
    Kind("attributes", "which says what git does with files", False, re.compile(r"(^|/)\.gitattributes$")),
    Kind(TESTS, "a test", True, TEST),
)  # fmt: skip
# Folders of such a name hold tests in one project, the product itself in another: what is new there is a test only beside others.
UNSURE = re.compile(r"(^|/)(testing|specs?|goldens?|cassettes)/")
SURE = re.compile(r"(^|/)(tests?|__tests__|__mocks__|__fixtures__|e2e|testdata|test[-_]data|__snapshots__)/")
# A file that makes its folder a package, which is built where another one says so: in a new folder it takes nothing from old tests.
OF_A_PACKAGE = re.compile(r"^(.+/)(Cargo\.toml|build\.rs|go\.mod|package\.json|pom\.xml|build\.gradle(\.kts)?)$")
# Folders of the product: that settings of tests name all that is in one of them makes it no test.
PRODUCT = frozenset("src lib app source server packages".split())
# Folders of packages that somebody else wrote, in no snapshot where git ignores them.
INSTALLED = frozenset(
    "node_modules bower_components .venv venv env .tox .nox vendor .gradle .bundle Pods .yarn .pnpm-store".split()
)
# Folders of packages that are kept with the project, and the file that shows it; what lists them is a matter of the build.
KEPT = re.compile(r"^(.*?(?:^|/)(?:node_modules|vendor)/)(?!modules\.txt$)([^/]+)/")
# A header that a compiler would take in place of the library's, or a module with which Perl tests.
HEADER = re.compile(
    r"(^|/)((assert|stdlib|stdio|string|setjmp|errno|signal|unistd|math|time|unity|cmocka|doctest)\.h|catch\.hpp)$"
    r"|(^|/)(gtest|gmock|catch2|boost/test)/[^/]+\.h(pp)?$"
    r"|(^|/)(Test/(More|Simple|Builder|Harness|Deep|Exception|Most|Differences|Fatal|Warn|Class)|Test2/.*|TAP/.*|App/Prove.*|Carp|Exporter|strict|warnings)\.pm$"
)


def of(path: str) -> "Kind | None":
    """Return the kind of a path, None for an ordinary file."""
    return next((kind for kind in KINDS if kind.pattern.search(path)), None)


def judges(path: str) -> bool:
    """Say whether a file of this name decides about a success."""
    kind = of(path)
    return bool(kind and kind.judges)


def unsure_folder(path: str) -> str:
    """Return the folder that alone makes a path a test, and only perhaps; empty where its name or another folder is sure."""
    found = UNSURE.search(path)
    kind = of(path)
    if not found or not kind or kind.name != TESTS or SURE.search(path) or TEST_FILE.search(path):
        return ""
    return path[: found.end()]


def signs_of_others(path: str) -> "list[str]":
    """Return files of which one shows that a path belongs to a package of somebody else that is kept with the project."""
    found = KEPT.search(path)
    if not found:
        return []
    top, package = found[1], found[1] + found[2]
    if top.endswith("node_modules/"):
        return [f"{package}/package.json"]
    return [f"{top}modules.txt", f"{package}/.cargo-checksum.json"]


def folder_of_a_package(path: str) -> str:
    """Return the folder that a build file makes a package of its own; empty for any other file, and for the top."""
    found = OF_A_PACKAGE.search(path)
    return found[1] if found else ""
