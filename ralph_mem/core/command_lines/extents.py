"""Tell whether a command tests, lints or builds all there is, or a part of it alone."""

from ralph_mem.core.command_lines import purposes

# Only those tests that the next word names; and of a work space only one part, which makes it another command.
SELECTING = frozenset(
    "-k -R -L --rerun-failed -run -t --testNamePattern --testPathPattern --grep -g --tests -Dtest --lf --last-failed --only"
    " --test --filter -bench --failed --stale --suite --test_filter --plain-name --ta --test-arguments --test-options --testFile"
    " --gtest_filter -only-testing --changed --onlyChanged".split()
)
ALONE = frozenset("--lf --last-failed --test --rerun-failed --failed --stale --changed --onlyChanged".split())  # without a value
# Of the programs that do what their first words say those that run tests themselves.
OF_NAMES = frozenset(
    "cargo go dotnet swift gradle gradlew mvn mvnw mix flutter dart deno bun meson stack cabal bazel bazelisk rails artisan".split()
)
# Options by which a program works on one part of all that the project is made of, or only says what it would do.
PART = {
    "cargo": "-p --package --bin --example --bench --lib --doc", "cmake": "--target -t", "npm": "-w --workspace",
    "pnpm": "--filter -F", "bun": "--filter", "turbo": "--filter", "yarn": "workspace", "mvn": "-pl --projects",
    "mvnw": "-pl --projects",
    "swift": "--target --product", "lerna": "--scope", "rush": "--to -t --only", "melos": "--scope", "tflint": "--chdir",
    "dbt": "-s --select -m --models --exclude --selector",
    "terraform": "-chdir", "west": "-t --target", "pio": "-t --target", "platformio": "-t --target", "ninja": "-t",
    "make": "-n -t --just-print --recon --touch", "gmake": "-n -t --just-print --recon --touch",
}  # fmt: skip
# Another word behind the first of these names tests, or what is built, tested or looked at.
BY_WORD = frozenset("jest vitest mocha cargo phpunit".split())
BY_LABEL = frozenset("bazel bazelisk meson stack cabal nx ninja".split())
BY_PLACE = frozenset("go dotnet".split())  # an operand of a build is a place
# The next word is their value.
VALUED = purposes.VALUED | frozenset("--test-dir -p --config --rcfile --settings --configuration --preset".split())
WHOLE = frozenset("run all . ./... ... //... run-many affected install".split())  # which are no part
BUILT = frozenset("-o --output -out".split())  # one thing is built of many, which is all that is wanted
NO_WORDS = frozenset("test tests unit run all sh".split())  # of the name of a program that runs all tests


def is_whole(purpose: str, words: "list[str]") -> bool:
    """Say whether a run is about all there is, and not about a file, a folder further down or the tests of some name."""
    program, rest = purposes.program(words)
    targets = _targets(program, rest)
    if any([word.partition("=")[0] in PART.get(program, "").split() for word in rest]) or _is_of_module(purpose, program, rest):
        return False
    if purpose in (purposes.RUN, purposes.IMAGE):
        return True
    if program in BY_LABEL and any([_is_label(purpose, program, word) for word in targets]):
        return False
    if purpose == purposes.BUILD or program in ("tsc", "vue-tsc"):
        is_product = program not in BY_PLACE or not BUILT.isdisjoint(rest)
        return is_product or not any([_is_below(word) for word in targets])
    return not (purpose == purposes.TEST and _is_of_some(program, words, targets)) and not any([is_part(word) for word in targets])


def _is_of_some(program: str, words: "list[str]", targets: "list[str]") -> bool:
    """Say whether a run of tests is one of those of some name alone."""
    is_by_word = program in BY_WORD and not WHOLE.issuperset(targets)
    return is_by_word or _is_test(program, words) or any([selects(program, word) for word in words[1:]])


def selects(program: str, word: str) -> bool:
    """Say whether an option picks some tests; to a few programs it means something else."""
    if program in purposes.RUNNERS and program not in OF_NAMES:
        return False
    name = word.partition("=")[0].partition(":")[0]
    return name in SELECTING and not (name == "--test" and program in purposes.INTERPRETERS)


def _targets(program: str, rest: "list[str]") -> "list[str]":
    """Return the operands of a run without those that say what is done."""
    found = [word for at, word in enumerate(rest) if word[:1] != "-" and not (at and rest[at - 1] in VALUED)]
    if program in purposes.INTERPRETERS:  # its first operand is the program
        found = found[1:]
    is_verb = program in purposes.RUNNERS or program == "playwright"
    return found[1:] if is_verb else found


def _is_label(purpose: str, program: str, word: str) -> bool:
    """Say whether an operand names one target of several, and not what is done."""
    is_named = ":" in word or "/" in word or purposes.said(program, word) != purpose
    return is_named and word not in WHOLE and not word.isdigit()


def _is_of_module(purpose: str, program: str, rest: "list[str]") -> bool:
    """Say whether tasks are those of one module of several, as `:core:test` names one; the app is built of all others."""
    if program not in ("gradle", "gradlew"):
        return False
    named = [word.strip(":") for word in rest if word[:1] != "-" and ":" in word.strip(":")]
    return any([not (purpose == purposes.BUILD and word.startswith("app:")) for word in named])


def _is_test(program: str, words: "list[str]") -> bool:
    """Say whether a program or script is by its name one test of several, such as `build/parser_test`."""
    path = words[0] if "/" in words[0] and purposes.name_of(words[0]) == program else ""
    if program in purposes.INTERPRETERS:
        _, rest = purposes.program(words)
        path = next((word for word in rest if word[:1] != "-"), "")
    name = path.rpartition("/")[2]
    stem = name.partition(".")[0]
    is_test = stem.startswith(("test_", "test-")) or stem.removesuffix("s").endswith(("_test", "-test"))
    is_named = is_test or ".test." in name or ".spec." in name
    return is_named and not NO_WORDS.issuperset(stem.replace("-", "_").split("_"))


def _is_below(word: str) -> bool:
    """Say whether an operand of a build is one folder or file further down."""
    return "/" in word.removeprefix("./").removesuffix("/...").rstrip("/")


def is_part(word: str) -> bool:
    """Say whether an operand is a file, a test of one, or a folder further down than the first."""
    place = word.partition("*")[0].rpartition("/")[0] if "*" in word else word
    plain = "" if word in WHOLE else place.removeprefix("./").rstrip("/").removesuffix("/...")
    name = plain.rpartition("/")[2]
    end = name.rpartition(".")[2] if "." in name.strip(".") else ""
    is_file = 0 < len(end) <= 4 and end.isalnum() and name != "..." and end not in ("sln", "slnx")
    return "::" in word or (plain.count("/") > 0 and not word.startswith(purposes.DEVICES)) or is_file
