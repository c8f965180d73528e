"""Find in a command line the commands that test, lint, build, run or format something, and which are the same."""

from ralph_mem.core.command_lines import exit_codes, purposes
from ralph_mem.core.redaction import blocks, spans

# What only starts the program behind it, and says nothing of it; and what is needed with it.
BEFORE = frozenset("sudo time env nice timeout gtimeout exec command stdbuf nohup xvfb-run then do else if ! { while until".split())
# What changes only how much is printed.
LOUDNESS = frozenset(
    "-v -vv -vvv -q -qq --verbose --quiet --silent --no-color --color --nocapture --no-header --color=always --color=never"
    " --no-progress --plain -count=1 --output-on-failure".split()
)
# What else makes no other command of it: how long it may take, how many at a time, where its output goes, which folder it could
# have been started in, what is measured beside it, if it mends what it finds, and if the first failure ends it. Of the first the
# next word is the value; the last are operands that say what goes without saying.
MINOR = frozenset("-o --output -timeout --timeout --jobs -j --maxfail -n --parallel --test-dir --logger".split())
COUNTING = frozenset("-j -n --parallel".split())  # their value is a number, or none of theirs
MINOR_SO = ("-o=", "--output=", "-timeout=", "--timeout=", "--jobs=", "-j", "--maxfail=", "--tb", "--durations", "--cov")
MINOR_ALONE = frozenset(
    ". ./ -- -x --exitfirst -failfast --fail-fast --bail --bail=1 --fix --write -u --updateSnapshot"
    " --no-restore --no-build --stacktrace --no-tty -T --rm".split()
)
# Only those tests that the next word names; and of a work space only one part, which makes it another command.
SELECTING = frozenset(
    "-k -R --rerun-failed -run --run -t --testNamePattern --testPathPattern --grep -g --tests -Dtest --lf --last-failed --only"
    " --test --filter -bench".split()
)
ALONE = frozenset("--lf --last-failed --test --rerun-failed".split())  # which have no value behind them
# Of the programs that do what their first words say those that run tests themselves.
OF_NAMES = frozenset("cargo go dotnet swift gradle gradlew mvn mvnw mix flutter dart deno bun".split())
# Options by which a program works on one part of all that the project is made of.
PART = {
    "cargo": "-p --package", "cmake": "--target -t", "npm": "-w --workspace", "pnpm": "--filter -F", "bun": "--filter",
    "turbo": "--filter", "yarn": "workspace", "mvn": "-pl", "mvnw": "-pl",
}  # fmt: skip
BY_WORD = frozenset("jest vitest mocha cargo phpunit".split())  # another word behind these names tests
SCRATCH = ("/tmp", "/var/tmp", "$TMP", "$(mktemp")  # noqa: S108 - what runs there is about no project
MOST_CHARACTERS = 160  # a longer line is a script, which nobody types again
END = "\0"  # of a line


class Run:
    """A command of a line: what it is for, its text as it may be typed again, and whether it is about all there is.

    `same` is equal for two runs that differ only in how loud they were, how long they might take, where their output went, or
    which tests of the same place they picked by name. `folder` is where the line went before, as a path below the project,
    `given` the variables that it set for it. `sure` says that the command has passed where its line has.
    """

    __slots__ = ("folder", "given", "is_whole", "purpose", "same", "sure", "text")

    def __init__(self, purpose: str, words: "list[str]", folder: str, given: str, sure: bool) -> None:
        self.purpose, self.text, self.same = purpose, _text(words), _same(words)
        self.is_whole, self.folder, self.given, self.sure = _is_whole(purpose, words), folder, given, sure


def of(command: str) -> "list[Run]":
    """Return the commands of a line that test, lint, build, run or format something, in their order."""
    found: list[Run] = []
    folder = ""
    for all_words, before, behind in _parts(command):
        given, words = _without_beginning(all_words)
        if words[:1] == ["cd"]:
            folder = _below(words[1] if len(words) > 1 else "~") or (words[1] if "".join(words[1:2]).startswith(SCRATCH) else "")
        elif exit_codes.script_in(words):
            found += of(exit_codes.script_in(words)) if len(words) == len(exit_codes.tokens(command)) else []
        elif words and not folder.startswith(SCRATCH):
            sure = behind not in ("|", "|&", "||", "&", ";", "\n") and before != "||"
            known = (purposes.of(words) or purposes.told(words)) if _text(words) else []
            each = [(purpose, purposes.alone(words, purpose)) for purpose in known]
            found += [Run(purpose, its_own, folder, given, sure) for purpose, its_own in each]
    return found


def _text(words: "list[str]") -> str:
    """Return a command as it may be typed again, nothing where it is long or where the shell would have filled something in."""
    quiet = [word for word in words if word not in LOUDNESS]
    text = " ".join([_quoted(word) for word in (quiet[:-1] if quiet[-1] == "--" else quiet)])
    return "" if len(text) > MOST_CHARACTERS or "$" in text or "`" in text or spans.MARK in text or blocks.PRIVATE in text else text


def _same(words: "list[str]") -> str:
    """Return the words of a command that make it another one than the next."""
    program, _ = purposes.program(words)
    kept, skip = [purposes.name_of(words[0])], False
    for at, word in enumerate(words[1:], 1):
        value = words[at + 1] if at + 1 < len(words) else ""
        if skip:
            skip = False
        elif word in MINOR:
            skip = value[:1] != "-" and (word not in COUNTING or value.isdigit() or value == "auto")
        elif _selects(program, word):
            skip = "=" not in word and word not in ALONE
        elif word not in LOUDNESS and word not in MINOR_ALONE and not word.startswith(MINOR_SO):
            kept.append(word)
    return " ".join(kept)


def _parts(command: str) -> "list[tuple[list[str], str, str]]":
    """Return the words of each command, without what is redirected, with the signs before and behind it."""
    found: list[tuple[list[str], str, str]] = []
    words: list[str] = []
    before, skip = "", False
    tokens = exit_codes.tokens(command)
    for token in [*tokens, *([] if tokens[-1:] and tokens[-1] in exit_codes.SIGNS else [END])]:
        if token == END or token in exit_codes.SIGNS:
            found += [(words, before, token)] if words else []
            words, before, skip = [], token, False
        elif skip:
            skip = False
        elif _redirects(token):
            skip = token[-1] in "<>"
        else:
            words.append(token.rstrip(" ") if token.strip() in exit_codes.RESERVED else token)
    return found


def _redirects(word: str) -> bool:
    return word.lstrip("0123456789&").startswith((">", "<"))


def _without_beginning(words: "list[str]") -> "tuple[str, list[str]]":
    """Part the variables that a command is given from the command, and leave out what only starts it."""
    given = []
    while words:
        name, sign, _ = words[0].partition("=")
        first, words = words[0], words[1:]
        if sign and name.isidentifier():
            given.append(first)
        elif first.rpartition("/")[2] in BEFORE:
            while words and (words[0][:1] == "-" or words[0].rstrip("smh").isdigit()):
                words = words[1:]
        else:
            words = [first, *words]
            break
    return " ".join([_quoted(word) for word in given]), words


def _below(folder: str) -> str:
    """Return a folder below the project as a line names it, nothing for any other place."""
    plain = folder.rstrip("/").removeprefix("./")
    return "" if plain[:1] in ("/", "~", "$", "-", "") or ".." in plain or plain == "." else plain


def _quoted(word: str) -> str:
    plain = all([char.isalnum() or char in "-_./:=@%+,^~*{}[]" for char in word])
    return word if word and plain else "'" + word.replace("'", "'\\''") + "'"


def _is_whole(purpose: str, words: "list[str]") -> bool:
    """Say whether a run is about all there is, and not about a file, a folder further down or the tests of some name."""
    program, rest = purposes.program(words)
    if any([word.partition("=")[0] in PART.get(program, "").split() for word in rest]):
        return False
    if purpose not in (purposes.TEST, purposes.LINT, purposes.FORMAT):
        return not any([word.endswith("/...") and _is_part(word) for word in words])
    if purpose == purposes.TEST and any([_selects(program, word) for word in rest]):
        return False
    operands = [word for word in rest if word[:1] != "-"]
    if program in purposes.INTERPRETERS:  # its first operand is the program
        first, operands = operands[0] if operands else "", operands[1:]
        name = first.rpartition("/")[2]
        if name.startswith("test_") or "_test." in name or ".test." in name or ".spec." in name:
            return False
    targets = operands[1:] if program in purposes.RUNNERS or program == "playwright" else operands
    if program in BY_WORD and purpose == purposes.TEST and [word for word in targets if word != "run"]:
        return False
    return not any([_is_part(word) for word in targets])


def _selects(program: str, word: str) -> bool:
    """Say whether an option picks some tests; to a few programs it means something else."""
    if program in purposes.RUNNERS and program not in OF_NAMES:
        return False
    name = word.partition("=")[0]
    return name in SELECTING and not (name == "--test" and program in purposes.INTERPRETERS)


def _is_part(word: str) -> bool:
    """Say whether an operand is a file, a test of one, or a folder further down than the first."""
    plain = word.removeprefix("./").rstrip("/").removesuffix("/...")
    name = plain.rpartition("/")[2]
    end = name.rpartition(".")[2] if "." in name.strip(".") else ""
    return "::" in word or plain.count("/") > 0 or (0 < len(end) <= 4 and end.isalnum() and "*" not in name and name != "...")
