"""Tell whether a command only looks, brings in text from outside, or checks the work."""

# Commands that only look: what they print is in the files, which change.
LOOKING = frozenset(
    "ls cat bat head tail less more pwd cd grep egrep fgrep rg ag find fd tree wc which type file stat du df nl sort uniq"
    " cut column basename dirname realpath readlink whoami hostname date true sleep sed".split()
)
LOOKING_GIT = frozenset("status log diff show blame ls-files rev-parse describe reflog branch remote".split())
LISTING_OPTIONS = frozenset("-v -vv -a -r --all --list --show-current --verbose".split())
QUIET = (" 2>/dev/null", " >/dev/null", " 2>&1", " &>/dev/null")
CHANGING = (">", "$(", "`", "<(", " -exec", " -delete", " -fprint", " -ok")
# Of these programs those that print names, numbers and what they are told; and what else does so, or prints nothing.
NAMING = frozenset(
    "ls pwd cd which type stat file tree du df wc basename dirname realpath readlink whoami hostname date true sleep echo printf"
    " export unset false test [ [[ mkdir rmdir rm cp mv touch chmod chown ln kill wait read return local break continue shift trap"
    " ulimit uname id ps pgrep pkill nproc free uptime seq yes tput clear".split()
)
OWN_GIT = frozenset(
    "status diff add commit restore rm mv init config rev-parse ls-files ls-tree check-ignore check-attr clean gc worktree grep"
    " apply update-index symbolic-ref diff-index diff-files".split()
)
REBASING = "rebase in progress"  # in what `git status` prints, beside messages of commits
# Whatever these print was written by strangers.
FETCHING = frozenset("curl wget http https xh lynx links w3m gh glab".split())
FARTHER = (
    *(" /", "~", "..", "=/", "`", "$", "<", "cd ", " -C", "node_modules", "venv", '"/', "'/"),
    *("origin/", "upstream/", "FETCH_HEAD", "..", "--no-index", "://", "@", "go run "),
)
QUOTING = (
    "'",
    '"',
    "\\",
    "$",
    "`",
    "<",
    ">",
    "(",
    "{",
    "#",
    "\n",
)  # where one of these stands, to split a line takes a reader of it
GROUPING = frozenset("for while until case select function".split())
# Programs whose success says something about the work; those that run one of several things; those that run a file; and
# those that only bring another program in.
CHECKING = frozenset(
    "pytest py.test tox nox make ninja jest vitest mocha mypy pyright pyre ruff flake8 pylint eslint tsc stylelint biome ctest"
    " rspec phpunit phpstan shellcheck clippy-driver golangci-lint ava tap bats nose2 prove gcc g++ cc c++ clang clang++ javac"
    " rustc".split()
)
RUNNING = frozenset(
    "npm yarn pnpm bun cargo go dotnet swift gradle gradlew mvn mvnw mix rake rails just task poetry uv hatch pdm bundle composer"
    " deno bazel cmake sbt lein zig flutter dart pre-commit python python3 node ruby perl php bash sh zsh nx turbo lerna ng vite"
    " next playwright cypress karma xcodebuild artisan".split()
)
LAUNCHING = frozenset(
    "npx bunx pnpx uvx sudo time env nice timeout gtimeout exec command xvfb-run stdbuf nohup then do else if".split()
)
INSTALLING = frozenset("install i add remove uninstall ci create init".split())
CONTAINERS = frozenset("docker podman kubectl docker-compose ssh".split())
ENVIRONMENTS = ("conda", "mamba", "micromamba")  # whose `run` starts a program
SUBJECTS = ("test", "check", "lint", "build", "spec", "clippy", "vet", "verify", "typecheck", "compile")


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


def is_own_at_sight(command: str) -> bool:
    """Say whether a line only tests, checks or builds in its folder: what it prints is the project's own.

    False where that takes a closer look.
    """
    for sign in QUIET:
        command = command.replace(sign, "")
    if any([sign in command for sign in FARTHER]):
        return False
    return all([_passes_on(words) or (part_checks(words) and words[0] not in CONTAINERS) for words in _parts(command)])


def _passes_on(words: "list[str]") -> bool:
    """Say whether a command prints nothing but what it is told, or what comes through a pipe."""
    if words[0] == "git":
        if "".join(words[1:2]) not in OWN_GIT:
            return False
        from ralph_mem.core.command_lines import launched  # lazy: only for a command of git

        return not launched.may_show_others(words[1], words[2:])
    return words[0] in NAMING or (words[0] in LOOKING and all([word[0] in "-+0123456789" for word in words[1:]]))


def plain_parts(command: str) -> "list[list[str]] | None":
    """Return the words of each command of a line that quotes and redirects nothing; None for any other."""
    for sign in QUIET:
        command = command.replace(sign, "")
    found = _parts(command) if not any([sign in command for sign in QUOTING]) else []
    launched = [words for words in found if words[0] in LAUNCHING or words[0] in GROUPING or "=" in words[0]]
    return found if found and not launched else None


def checks(command: str) -> bool:
    """Say whether any part runs tests, a linter, a type checker or a build."""
    return any([part_checks(words) for words in _parts(command)])


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


def of_git(words: "list[str]") -> "list[str]":
    """Return what git is to do, of the words behind its name: its command, and what belongs to that."""
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in ("-C", "-c") else words[1:]
    return words


def _git_looks(words: "list[str]") -> bool:
    words = of_git(words)
    if not words or words[0] not in LOOKING_GIT:
        return False
    return words[0] not in ("branch", "remote") or LISTING_OPTIONS.issuperset(words[1:])


def part_checks(words: "list[str]") -> bool:
    """Say of the words of one command whether it runs tests, a linter, a type checker or a build."""
    while words and (_name(words[0]) in LAUNCHING or "=" in words[0] or words[0][:1] in "-!{0123456789"):
        words = words[1:]
    if words and words[0] in ENVIRONMENTS:
        from ralph_mem.core.command_lines import launched  # lazy: only for what one of them starts

        words = launched.in_environment(words)
    until = next((at for at, word in enumerate(words) if ">" in word), len(words))
    names = [_name(word).lower().partition("@")[0] for word in words[:until] if not word.startswith("-")][:4]
    if not names or not INSTALLING.isdisjoint(names[1:2]):
        return False
    if names[0] in CHECKING or "--check" in words:
        return True
    if names[0] in CONTAINERS:
        return any([_name(word.strip("\"'")) in CHECKING for word in words])
    if names[0] not in RUNNING and not words[0].startswith("./"):
        return False
    return "--test" in words or any([name in CHECKING or any([subject in name for subject in SUBJECTS]) for name in names])
