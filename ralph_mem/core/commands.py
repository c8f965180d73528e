"""Command lines: whether one only looks, brings in what strangers wrote, or checks the work."""

# Commands that only look: what they print is in the files, which change.
LOOKING = frozenset(
    "ls cat bat head tail less more pwd cd grep egrep fgrep rg ag find fd tree wc which type file stat du df nl sort uniq"
    " cut column basename dirname realpath readlink whoami hostname date true sleep sed".split()
)
LOOKING_GIT = frozenset("status log diff show blame ls-files rev-parse describe reflog branch remote".split())
LISTING_OPTIONS = frozenset("-v -vv -a -r --all --list --show-current --verbose".split())
QUIET = (" 2>/dev/null", " >/dev/null", " 2>&1", " &>/dev/null")
CHANGING = (">", "$(", "`", "<(", " -exec", " -delete", " -fprint", " -ok")
# Whatever these print was written by strangers.
FETCHING = frozenset("curl wget http https xh lynx links w3m gh glab".split())
LOCAL = ("localhost", "127.0.0.1", "[::1]", "0.0.0.0")  # noqa: S104 - read from, not bound to
# Programs whose success says something about the work; those that run one of several things; and those that run a file.
CHECKING = frozenset(
    "pytest tox nox make ninja jest vitest mocha mypy pyright pyre ruff flake8 pylint eslint tsc stylelint biome ctest rspec"
    " phpunit phpstan shellcheck clippy-driver golangci-lint ava tap bats".split()
)
RUNNING = frozenset(
    "npm yarn pnpm bun cargo go dotnet swift gradle gradlew mvn mvnw mix rake just task poetry uv hatch pdm bundle composer"
    " deno bazel cmake sbt lein zig flutter dart pre-commit python python3 node ruby perl php bash sh".split()
)
LAUNCHING = frozenset("npx bunx uvx sudo time env nice timeout exec command xvfb-run".split())
SUBJECTS = ("test", "check", "lint", "build", "spec", "clippy", "vet", "verify", "typecheck")


def only_looks(command: str) -> bool:
    """Say whether every part of a command line only looks at things."""
    for sign in QUIET:
        command = command.replace(sign, "")
    if any([sign in command for sign in CHANGING]):
        return False
    return all([_part_looks(words) for words in _parts(command)])


def is_ours(command: str) -> bool:
    """Say whether a command asks this memory: what it prints is remembered already."""
    if 'hooks/run" mem-' in command or "hooks/run mem-" in command:
        return True
    return "ralph-mem" in command and all([_name(words[0]) == "ralph-mem" for words in _parts(command)])


def fetches(command: str) -> bool:
    """Say whether any part brings in text from outside; a server of one's own on this machine is not outside."""
    return any([_part_fetches([word.strip("\"'") for word in words]) for words in _parts(command)])


def checks(command: str) -> bool:
    """Say whether any part runs tests, a linter, a type checker or a build."""
    return any([_part_checks(words) for words in _parts(command)])


def _parts(command: str) -> "list[list[str]]":
    """Split at what stands between two commands, roughly: what is quoted counts too, and errs to the safe side."""
    for sign in ("&&", "||", ";", "|", "&", "\n", "(", ")"):
        command = command.replace(sign, "\0")
    return [part.split() for part in command.split("\0") if part.strip()]


def _name(word: str) -> str:
    return word.rpartition("/")[2]


def _part_looks(words: "list[str]") -> bool:
    name = _name(words[0])
    if name == "git":
        return _git_looks(words[1:])
    if name == "sed":
        return "-n" in words and not any([word.startswith(("-i", "--in-place")) for word in words])
    return name in LOOKING


def _git_looks(words: "list[str]") -> bool:
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in ("-C", "-c") else words[1:]
    if not words or words[0] not in LOOKING_GIT:
        return False
    return words[0] not in ("branch", "remote") or LISTING_OPTIONS.issuperset(words[1:])


def _part_fetches(words: "list[str]") -> bool:
    places = [word.partition("://")[2] or word for word in words if "://" in word or word.startswith(LOCAL)]
    return any([_name(word) in FETCHING for word in words]) and not (places and all([_is_local(place) for place in places]))


def _is_local(place: str) -> bool:
    host = place.partition("/")[0].partition("?")[0].rpartition("@")[2]
    return (host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]) in LOCAL


def _part_checks(words: "list[str]") -> bool:
    while words and (_name(words[0]) in LAUNCHING or "=" in words[0]):
        words = words[1:]
    names = [_name(word).lower() for word in words if not word.startswith("-")][:3]
    if not names:
        return False
    is_script = words[0].startswith("./") or names[0] in RUNNING
    return names[0] in CHECKING or (is_script and any([name in CHECKING or _is_subject(name) for name in names]))


def _is_subject(name: str) -> bool:
    return any([subject in name for subject in SUBJECTS])
