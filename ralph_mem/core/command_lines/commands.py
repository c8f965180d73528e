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
# Whatever these print was written by strangers.
FETCHING = frozenset("curl wget http https xh lynx links w3m gh glab".split())
LOCAL = ("localhost", "127.0.0.1", "[::1]", "0.0.0.0")  # noqa: S104 - read from, not bound to
# Short options, of curl and of wget, and long ones whose next word is no place; and those that bring one in otherwise.
VALUED = {"curl": "AbcCdDeEFHmoPQrtTuUwXyYz", "wget": "OoPtTUeaQwDARl"}
VALUED_LONG = frozenset(
    "--output --header --request --data --data-raw --data-binary --data-urlencode --form --json --user --user-agent --cookie"
    " --cookie-jar --max-time --connect-timeout --retry --retry-delay --retry-max-time --write-out --referer --cacert --cert --key"
    " --upload-file --unix-socket --limit-rate --range --dump-header --interface --max-redirs --output-dir --output-document"
    " --post-data --body-data --method --password --directory-prefix --timeout --tries --wait".split()
)
ELSEWHERE = ("--resolve", "--connect-to", "--proxy", "--socks", "--config", "--input-file", "-K", "-x")
NAMED = (".com", ".org", ".net", ".edu", ".gov")  # ends of a host that is told inside of a path
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


def fetches(command: str) -> bool:
    """Say whether any part brings in text from outside; a server of one's own on this machine is not outside."""
    return any([_part_fetches(words) for words in _parts(command.replace("\\\n", " "))])


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


def _git_looks(words: "list[str]") -> bool:
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in ("-C", "-c") else words[1:]
    if not words or words[0] not in LOOKING_GIT:
        return False
    return words[0] not in ("branch", "remote") or LISTING_OPTIONS.issuperset(words[1:])


def _part_fetches(words: "list[str]") -> bool:
    plain = [word.strip("\"'") for word in words]
    if not any([_name(word) in FETCHING for word in plain]):
        return False
    merged = _unquoted(words)
    words = merged if any([_name(word) in FETCHING for word in merged]) else plain  # as in `bash -c 'curl ...'`
    fetching = [at for at, word in enumerate(words) if _name(word) in FETCHING]
    places = [place for word in words[: fetching[0]] for place in _places(word, "", "")]
    before = program = _name(words[fetching[0]])
    for word in words[fetching[0] + 1 :]:
        places += _places(word, before, program)
        before = word
    return not places or not all([_is_local(place) for place in places])


def _unquoted(words: "list[str]") -> "list[str]":
    """Return words without their quotes, those of one quoted text as one."""
    found: list[str] = []
    quote = ""
    for word in words:
        if quote:
            found[-1] += " " + word
        else:
            found.append(word)
        for sign in word:
            if sign in "\"'" and quote in ("", sign):
                quote = "" if quote else sign
    return [word.strip("\"'") for word in found]


def _places(word: str, before: str, program: str) -> "list[str]":
    """Return every place that a word names, with a scheme or without, one inside of a path, too. `before` is the word before."""
    if word.startswith(ELSEWHERE):
        return [word]
    word = word.removeprefix("--url=")
    parts = word.split("://")
    pieces = [each for part in parts for each in part.replace("?", "/").replace("=", "/").replace("&", "/").split("/")[1:]]
    found = parts[1:] + [each for each in pieces if each.partition(":")[0].endswith(NAMED)]
    if len(parts) == 1 and (word.startswith(LOCAL) or _is_operand(word, before, program)):
        found.append(word)
    return found


def _is_operand(word: str, before: str, program: str) -> bool:
    """Say whether a word without a scheme is a place to fetch from: neither an option, nor the value of one, nor a file."""
    if not program or not word or word[0] in "-<\\" or ">" in word or before[-1:] in "<>" or before in VALUED_LONG:
        return False
    if program not in VALUED:
        return "." in word.partition("/")[0] and "=" not in word
    short = before[:1] == "-" and before[1:2] != "-" and before[1:].isalpha()
    return not (short and before[-1] in VALUED[program])


def _is_local(place: str) -> bool:
    host = place.partition("/")[0].partition("?")[0].rpartition("@")[2]
    return (host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]) in LOCAL


def part_checks(words: "list[str]") -> bool:
    """Say of the words of one command whether it runs tests, a linter, a type checker or a build."""
    while words and (_name(words[0]) in LAUNCHING or "=" in words[0] or words[0][:1] in "-!{0123456789"):
        words = words[1:]
    until = next((at for at, word in enumerate(words) if ">" in word), len(words))
    names = [_name(word).lower() for word in words[:until] if not word.startswith("-")][:4]
    if not names or not INSTALLING.isdisjoint(names[1:2]):
        return False
    if names[0] in CHECKING or "--check" in words:
        return True
    if names[0] in CONTAINERS:
        return any([_name(word.strip("\"'")) in CHECKING for word in words])
    if names[0] not in RUNNING and not words[0].startswith("./"):
        return False
    return "--test" in words or any([name in CHECKING or _is_subject(name) for name in names])


def _is_subject(name: str) -> bool:
    return any([subject in name for subject in SUBJECTS])
