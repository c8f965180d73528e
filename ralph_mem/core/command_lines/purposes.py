"""Tell what a command is for by its words, such as testing, linting or building."""

from ralph_mem.core.command_lines.commands import FETCHING, LOOKING, NAMING

# Of these an image is what `docker build` makes: who wants to know how the project is built means another command.
PURPOSES = TEST, LINT, BUILD, TYPES, RUN, FORMAT, IMAGE = ("test", "lint", "build", "types", "run", "format", "image")
# Programs by what they are for, whatever is behind them.
TOOLS = {
    name: purpose
    for purpose, names in {
        TEST: "pytest py.test tox nox jest vitest mocha ava tap bats rspec phpunit pest ctest nose2 prove karma behave busted"
        " gotestsum unittest trial cypress playwright twister",
        LINT: "flake8 pylint ruff eslint oxlint stylelint shellcheck golangci-lint staticcheck phpstan psalm rubocop hadolint"
        " yamllint hlint tflint markdownlint clang-tidy ktlint detekt swiftlint pre-commit biome actionlint bandit"
        " ansible-lint",
        TYPES: "mypy dmypy pyright basedpyright pyre ty vue-tsc svelte-check",
        BUILD: "ninja scons xmake msbuild nmake hugo sphinx-build latexmk gcc g++ cc"
        " c++ clang clang++ javac rustc webpack rollup esbuild tsup tsc parcel xcodebuild",
        FORMAT: "black isort prettier gofmt gofumpt goimports rustfmt clang-format yapf autopep8 shfmt dprint stylua",
        RUN: "uvicorn gunicorn flask nodemon http.server",
    }.items()
    for name in names.split()
}
# Programs that do what their first words say; of some it may be several, one after the other.
RUNNERS = frozenset(
    "make gmake just task rake invoke npm yarn pnpm bun cargo go dotnet swift gradle gradlew mvn mvnw mix rails lein sbt zig"
    " flutter dart deno bazel bazelisk nx turbo next vite ng astro nuxt composer meson stack cabal dune artisan hatch pdm cmake"
    " docker poetry docker-compose podman manage.py setup.py pio platformio west idf.py dbt mkdocs docusaurus terraform".split()
)
OF_SEVERAL = frozenset("make gmake just rake gradle gradlew mvn mvnw lein sbt turbo".split())
OF_PACKAGES = frozenset("npm yarn pnpm bun".split())
OF_NODE = frozenset("turbo nx vite next ng astro nuxt docusaurus".split())  # which these launch by their names
OF_SCRIPTS = OF_PACKAGES | {"hatch", "pdm", "composer"}
OF_CONTAINERS = frozenset("docker docker-compose podman".split())
RUNNING = OF_SCRIPTS | {"turbo", "deno"}  # of which the first word may say that they run the next
INTERPRETERS = frozenset("python ruby node php bash sh zsh perl tsx ts-node".split())
LAUNCHERS = frozenset("npx bunx pnpx uvx".split())
LAUNCHING = frozenset("run exec dlx x".split())
LAUNCHING_WITH = frozenset(
    "uv poetry pipenv hatch pdm rye pixi conda mamba micromamba npm yarn pnpm bun bundle composer mise docker docker-compose podman"
    " coverage".split()
)
# What takes any names, so that the first of them says nothing.
NO_RUNNERS = (
    LOOKING
    | NAMING
    | FETCHING
    | OF_CONTAINERS
    | INTERPRETERS
    | frozenset(
        "git hg svn jj code vi vim nvim nano emacs open tee diff ssh scp rsync tar zip unzip source . man watch xargs entr kubectl"
        " apt apt-get brew pip pip3 conda gem sqlite3 psql mysql redis-cli jq yq set eval alias".split()
    )
)
# Options in front of the word that counts, whose value is the next word.
VALUED = frozenset(
    "--prefix -w --workspace --filter -F -C --dir -f --file --manifest-path -pl --project --cwd --with --extra --group -x"
    " --directory".split()
)
PLACING = frozenset("--directory -C --project --cwd --dir -f --file".split())  # those of a launcher that name a place
DEVICES = "/dev/"
CHECKING = frozenset(
    "--check -check -l --list-different --diff --dry-run -c --check-only --verify-no-changes --set-exit-if-changed"
    " --check-formatted".split()
)
ASKING = frozenset("--version --help -h -V --list --co --collect-only help".split())
SETTING_UP = frozenset("install install-deps init uninstall autoupdate show-trace codegen open show-report".split())
# Words in the names of targets, scripts and files.
FORMATS = frozenset("fmt format formatting prettier black gofmt style spotless".split())
CHECKED_TYPES = frozenset("typecheck types type typing tsc mypy pyright dialyzer".split())
LINTS = frozenset("lint linter linting vet clippy analyze analyse analysis stan ruff eslint credo stylelint rubocop cs".split())
TESTS = frozenset("test tests testing spec specs e2e unit integration coverage cov jest pytest vitest nextest rspec verify".split())
BUILDS = frozenset("build compile bundle dist package assemble assembly wheel bdist sdist".split())
# What the first word behind a program that nobody knows here has to be, so that it says what it does.
TELLING = (
    TESTS & {"test", "tests", "spec", "specs"}
    | BUILDS & {"build", "compile", "bundle", "dist"}
    | {"lint", "fmt", "format", "typecheck", "check", "validate"}
)
TURNING = frozenset("run call exec xtask run-script workspaces foreach".split())  # it comes behind one of these
RUNS = frozenset("dev start serve server run runserver watch up develop preview".split())


def name_of(word: str) -> str:
    """Return the name of a program without its folder; that of every Python is the same."""
    name = word.rpartition("/")[2].lower()
    return "python" if name.startswith("python") else name


def of(words: "list[str]") -> "list[str]":
    """Return what a command is for: mostly one thing or none, with several targets one for each."""
    name, rest = program(words)
    if not ASKING.isdisjoint(rest):
        return []
    if name in TOOLS:
        found = [_of_tool(name, rest)]
    elif name in RUNNERS:
        found = _of_runner(name, rest)
    elif name in INTERPRETERS or words[0].startswith("./") or name.endswith(".sh"):
        found = [_of_file(name, rest)]
    else:
        found = []
    return list(dict.fromkeys([purpose for purpose in found if purpose]))


def told(words: "list[str]") -> "list[str]":
    """Return what a command is for that no list here has, as its own words tell it: `forge test`, `mise run lint`, `bin/build`.

    A stranger's program may call what it does a test as well, so this is no ground to trust what it prints.
    """
    name, rest = program(words)
    is_own = "/" in words[0] and words[0][0] not in "/~"
    if name in NO_RUNNERS and not is_own:
        return []
    if words[0][:1] in ("/", "~") or not ASKING.isdisjoint(rest) or not words[0].islower():
        return []  # a sentence begins with a capital
    found = _of_file(words[0], []) if is_own else BUILD if name == "build" != words[0] else ""
    verbs = [word.lstrip(":+") for word in rest if word[:1] != "-" and word not in TURNING]
    turns = rest[:1] != [] and rest[0] in TURNING
    if turns and len(verbs) > 1 and verbs[0] not in TELLING | NO_RUNNERS:
        verbs = verbs[1:]  # of a program that is launched
    if not found and verbs and verbs[0] in TELLING and (turns or rest[0][:1] != "-"):
        found = LINT if verbs[0] in ("check", "validate") else said(name, verbs[0])
    return [LINT if found == FORMAT and not CHECKING.isdisjoint(rest) else found] if found else []


def alone(words: "list[str]", purpose: str) -> "list[str]":
    """Return a command without those of its targets that are for something else."""
    name = program(words)[0]
    others = [word for word in of_several(words) if said(name, word) not in ("", purpose)]
    return [word for word in words if word not in others]


def of_several(words: "list[str]") -> "list[str]":
    """Return the targets of a command that does several, one after the other; none of any other command."""
    name, rest = program(words)
    return _targets(name, rest) if name in OF_SEVERAL else []


def program(words: "list[str]") -> "tuple[str, list[str]]":
    """Return the program that does the work, past all that launches it, and what stands behind it."""
    at = 0
    while at < len(words) - 1:
        name, following = name_of(words[at]), words[at + 1]
        if name in LAUNCHERS or (name in OF_SCRIPTS and following in TOOLS) or (name in OF_PACKAGES and following in OF_NODE):
            at += 1
        elif name == "python" and following == "-m":
            at += 2
        elif name in LAUNCHING_WITH and _launches(name, words, at + 1):
            at = _launches(name, words, at + 1)
        else:
            break
        while at < len(words) - 1 and words[at][:1] == "-":
            at += 2 if words[at] in VALUED else 1
    found, rest = name_of(words[at]) if words else "", words[at + 1 :]
    if found in INTERPRETERS and rest[:1] and name_of(rest[0]) in ("manage.py", "setup.py", "artisan"):
        return name_of(rest[0]), rest[1:]
    return found, rest


def _launches(name: str, words: "list[str]", at: int) -> int:
    """Return where the program stands that `poetry run` and the like launch; 0 where they do something else."""
    verb = next((place for place in range(at, min(at + 4, len(words))) if words[place] in LAUNCHING), 0)
    before = [word for place, word in enumerate(words[:verb]) if place >= at and words[place - 1] not in PLACING]
    if not verb or any([word[:1] != "-" and word != "compose" for word in before]):
        return 0
    first = verb + 1
    if name in OF_CONTAINERS:  # the name of a service or an image comes before the program
        first = next((place for place in range(first, len(words)) if words[place][:1] != "-"), len(words)) + 1
    started = [(place, name_of(words[place])) for place in range(first, len(words))]
    known = [place for place, each in started if each in TOOLS or each in RUNNERS or each in INTERPRETERS]
    if name in OF_PACKAGES and words[verb] == "run":
        return 0
    return min(known) if known else 0


def _of_tool(program: str, rest: "list[str]") -> str:
    purpose, first = TOOLS[program], next((word for word in rest if word[:1] != "-"), "")
    if program in ("ruff", "biome", "golangci-lint") and first in ("format", "fmt"):
        purpose = FORMAT
    if program == "tsc" and "--noEmit" in rest:
        purpose = TYPES
    if program == "xcodebuild" and "test" in rest:
        purpose = TEST
    if program == "ninja" and "-t" not in rest:
        named = [(word, said(program, word)) for word in rest if word[:1] != "-" and "/" not in word]
        # a test by its name is built alone
        does = [
            each for word, each in named if each in (LINT, FORMAT) or (each == TEST and _pieces(word) <= TESTS | {"all", "run"})
        ]
        purpose = next(iter(does), purpose)
    if program in ("tox", "nox"):
        purpose = next((said(program, name) for option, name in zip(rest, rest[1:]) if option in ("-e", "-s")), "") or TEST
    if purpose == FORMAT and not CHECKING.isdisjoint(rest):
        purpose = LINT
    return "" if first in SETTING_UP else purpose


def _of_runner(program: str, rest: "list[str]") -> "list[str]":
    """Return what the first word of a runner says, of one of several targets what each says."""
    targets = _targets(program, rest)
    if program in OF_CONTAINERS:
        verb = next((word for word in targets if word not in ("compose", "buildx", "image")), "")
        return [IMAGE] if verb in ("build", "bake") else [RUN] if verb == "up" else []
    if program == "cmake":
        return [BUILD] if "--build" in rest or "--workflow" in rest else []
    if program == "nx" and targets[:1] and targets[0] in ("run-many", "affected"):
        targets = [name for option, name in zip(rest, rest[1:]) if option in ("-t", "--target", "--targets")]
    if program == "zig" and targets[:1] == ["build"]:
        targets = targets[1:2] or targets
    if program in ("make", "gmake") and not targets:
        return [BUILD]
    if program == "vite" and not targets:
        return [RUN]
    checked = LINT if not CHECKING.isdisjoint(rest) else FORMAT
    found = [said(program, word) for word in (targets if program in OF_SEVERAL else targets[:1])]
    return [checked if purpose == FORMAT else purpose for purpose in found]


def _targets(program: str, rest: "list[str]") -> "list[str]":
    """Return the words behind a runner that are neither options nor their values, up to `--`, without one that says to run them."""
    found, at = [], 0
    while at < len(rest) and rest[at] != "--":
        if rest[at] in VALUED:
            at += 1
        elif rest[at][:1] not in ("-", "+") and "=" not in rest[at] and not rest[at].startswith(DEVICES):
            found.append(rest[at])
        at += 1
    if program in RUNNING and found[:1] in (["run"], ["run-script"], ["task"], ["workspace"]):
        return found[2:] if found[0] == "workspace" else found[1:]
    return found


SHORT = {
    ("cargo", "t"): TEST, ("npm", "t"): TEST, ("cargo", "c"): TYPES, ("cargo", "check"): TYPES, ("cargo", "b"): BUILD,
    ("cargo", "r"): RUN, ("rails", "s"): RUN, ("go", "run"): RUN,
    ("make", "check"): TEST, ("gradle", "check"): TEST, ("gradlew", "check"): TEST, ("make", "all"): BUILD,
    ("dotnet", "publish"): BUILD, ("mix", "release"): BUILD, ("go", "install"): BUILD,
    ("gmake", "check"): TEST, ("mvn", "install"): BUILD, ("mvnw", "install"): BUILD,
    ("terraform", "validate"): LINT, ("dbt", "run"): "",
    ("pio", "run"): BUILD, ("platformio", "run"): BUILD,
}  # fmt: skip


def said(program: str, word: str) -> str:
    """Return what a target, a script or a file is for, by the words in its name."""
    if (program, word) in SHORT:
        return SHORT[program, word]
    if word in TOOLS:
        return TOOLS[word]
    parts = _pieces(word)
    is_check = "check" in parts or "ci" in parts
    if not FORMATS.isdisjoint(parts):
        return LINT if is_check else FORMAT
    for known, purpose in ((CHECKED_TYPES, TYPES), (LINTS, LINT), (TESTS, TEST)):
        if not known.isdisjoint(parts):
            return purpose
    if is_check:
        return LINT if "check" in parts else ""
    return BUILD if not BUILDS.isdisjoint(parts) else RUN if not RUNS.isdisjoint(parts) else ""


def _pieces(word: str) -> "set[str]":
    """Return the words in a name: `:app:testDebugUnitTest` has app, test, debug and unit in it."""
    parted = "".join([" " + char.lower() if char.isupper() else char if char.isalnum() else " " for char in word])
    return set(parted.split())


def _of_file(program: str, rest: "list[str]") -> str:
    """Return what a script is for by its name; one that an interpreter gets as text is for anything."""
    if program in INTERPRETERS:
        if "--test" in rest:
            return TEST
        program = next((word for word in rest if word[:1] != "-"), "") if rest[:1] not in (["-c"], ["-e"]) else ""
    name = program.rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    return said("", stem)
