"""Find in a command line the commands that test, lint, build, run or format something, and which are the same."""

from ralph_mem.core.command_lines import exit_codes, extents, folders, purposes
from ralph_mem.core.redaction import blocks, spans

# What only starts the program behind it, and says nothing of it; and what is needed with it.
BEFORE = frozenset("sudo time env nice timeout gtimeout exec command stdbuf nohup xvfb-run then do else if ! { while until".split())
# What changes only how much is printed.
LOUDNESS = frozenset(
    "-v -vv -vvv -q -qq --verbose --quiet --silent --no-color --color --nocapture --no-header --color=always --color=never"
    " --no-progress -quiet --plain -count=1 --output-on-failure --print-errorlogs --trace --info --nologo --no-ansi --ansi"
    " --no-capture-output --live-stream".split()
)
# What else makes no other command of it: how long it may take, how many at a time, where its output goes and in which form, which
# folder it could have been started in, on which device, what is measured beside it, if it mends what it finds, if the first failure
# or a warning ends it, if it waits for changes, and if it begins anew. Of the first the next word is the value; the last are
# operands that say what goes without saying.
MINOR = frozenset(
    "-o --output -timeout --timeout --jobs -j --maxfail -n --parallel --concurrency --workers --test-dir --logger --reporter"
    " --verbosity --repeat --summary --max-failures -destination --max-warnings".split()
)
TIMING = frozenset(("-timeout", "--timeout"))  # of these the same, to any program
COUNTING = frozenset("-j -n --parallel --concurrency --workers --repeat".split())  # their value is a number, or none of theirs
MINOR_SO = (
    "-o=", "--output=", "-timeout=", "--timeout=", "--jobs=", "-j", "--maxfail=", "--tb", "--durations", "--cov", "--parallel=",
    "--concurrency=", "--workers=", "--maxWorkers=", "--reporter", "--test_output", "--test-show-details", "--console", "-cover",
    "--watch=false", "--watchAll=false", "--cache", "--autocorrect", "--max-warnings=",
)  # fmt: skip
MINOR_ALONE = frozenset(
    ". ./ -- -x --exitfirst -failfast --fail-fast --bail --bail=1 --no-fail-fast --continue --keep-going --fix --write -u"
    " --updateSnapshot --allow-dirty --allow-staged --no-restore --no-build --stacktrace --no-tty -T --rm --coverage --cover"
    " --enable-coverage --enable-code-coverage --run --no-watch --file-watch --force --no-cache --no-build-cache"
    " --rerun-tasks --skip-nx-cache --clean-first --no-incremental --no-daemon --offline --locked --frozen -ntp"
    " --no-transfer-progress --warnings-as-errors -warnaserror -Werror -Dwarnings".split()
)
# To a few programs what is something else to others.
MINOR_TO = {
    "rubocop": ("-a", "-A"), "mvn": ("-o", "-B"), "mvnw": ("-o", "-B"), "make": ("-B", "-k"), "gmake": ("-B", "-k"),
    "west": ("-p", "--pristine", "always", "auto", "never"), "golangci-lint": ("./...",), "swiftlint": ("lint",),
}  # fmt: skip
TURBO = "turbo"
ANEW = "clean"  # as a target beside others
# By which a program works in the folder that the next word names, as it does behind `cd`.
IN_FOLDER = {
    "make": ("-C", "--directory"), "ninja": ("-C",), "meson": ("-C",), "go": ("-C",), "pnpm": ("-C", "--dir"), "npm": ("--prefix",),
    "yarn": ("--cwd",), "bun": ("--cwd",), "cargo": ("--manifest-path", "-C"), "swift": ("--package-path",),
    "ctest": ("--test-dir",), "mvn": ("-f", "--file"), "mvnw": ("-f", "--file"), "gradle": ("-p", "--project-dir"),
    "gradlew": ("-p", "--project-dir"), "git": ("-C",), "uv": ("--directory",), "poetry": ("-C", "--directory"),
}  # fmt: skip
MANIFESTS = (".toml", ".xml")  # a file in the folder
WRAPPED = {"mvnw": "mvn", "gradlew": "gradle", "gmake": "make"}  # the same program, in the version of the project
FILLED_IN = ("$", "`")  # where the shell fills something in
SOLUTION = (".sln", ".slnx")  # which names all the projects there are
PIPES, INPUT = ("|", "|&"), "-"  # between what prints and what reads, and how that is named as a file
MOST_CHARACTERS = 160  # a longer line is a script, which nobody types again
END = "\0"  # of a line
TOGETHER = frozenset(("&&", "(", ")"))  # signs between commands that have all passed where the last one has
OPEN = frozenset(("|", "|&", "||", "&"))  # behind which a line tells nothing of the command before


class Run:
    """A command of a line: what it is for, its text as it may be typed again, and whether it is about all there is.

    `same` is equal for two runs that differ only in how loud they were, how long they might take, where their output went, or
    which tests of the same place they picked by name. `folder`, `way`, `given`, `place` and `sure` are those of its `Step`.
    """

    __slots__ = ("folder", "given", "is_whole", "place", "purpose", "same", "sure", "text", "way")

    def __init__(self, purpose: str, words: "list[str]", step: "Step") -> None:
        self.purpose, self.text, self.same = purpose, _text(words), _same(words)
        self.is_whole, self.folder, self.given, self.sure = extents.is_whole(purpose, words), step.folder, step.given, step.sure
        self.place, self.way = step.place, step.way


class Step:
    """A command of a line: its words without what only starts it, the variables it was given, and where it is at work.

    `folder` is where the line went before, as a path below the project, `way` what is typed at the top to be there in a shell that
    is set up as the line set it up, `place` where the command is at work. `sure` says that it has passed where its line has,
    `piped` that it can read what another one prints.
    """

    __slots__ = ("folder", "given", "piped", "place", "sure", "way", "words")

    def __init__(self, words: "list[str]", given: str, walk: folders.Walk, sure: bool, piped: bool = False) -> None:
        self.words, self.given, self.folder, self.way, self.sure = words, given, walk.folder, walk.way(), sure
        self.place, self.piped = _place(words, walk.folder), piped

    def purposes(self) -> "list[str]":
        """Return what it is for: mostly one thing or none."""
        return [] if exit_codes.script_in(self.words) else purposes.of(self.words) or purposes.told(self.words)

    def is_typed(self) -> bool:
        """Say whether its words are all that it takes to run it again; what reads its input may be about that alone."""
        reads = self.piped and purposes.program(self.words)[0] not in purposes.RUNNERS
        return not (reads or INPUT in self.words) and bool(_text(self.words))

    def same(self) -> str:
        """Return the words that make it another one than the next, as `Run.same`; of one that is for nothing we know nearly all."""
        return _same(self.words) if self.purposes() else " ".join(self.plain())

    def plain(self) -> "list[str]":
        """Return its words without how loud it was and how long it might take, whatever program it is."""
        words = _quiet(self.words)
        return [word for before, word in zip(["", *words], words) if TIMING.isdisjoint((before, word.partition("=")[0]))]


def of(command: str, folder: str = "") -> "list[Run]":
    """Return the commands of a line that test, lint, build, run or format something in the project, in their order.

    `folder` is where the line begins.
    """
    found: list[Run] = []
    for step in steps(command, folder):
        if step.place != folders.ELSEWHERE and step.is_typed():
            each = [(purpose, purposes.alone(step.words, purpose)) for purpose in step.purposes()]
            found += [Run(purpose, its_own, step) for purpose, its_own in each]
    return found


def steps(command: str, folder: str = "") -> "list[Step]":
    """Return all commands of a line that do more than to go somewhere and to set up the shell, in their order."""
    found: list[Step] = []
    walk = folders.Walk(folder)
    parts = _parts(command)
    first_sure = _first_sure(parts)
    for number, (all_words, before, behind) in enumerate(parts):
        given, words = _without_beginning(_without_number(all_words))
        script = exit_codes.script_in(words)
        walk.begins(before)
        if script and words[0] != "ssh" and len(words) == len(exit_codes.tokens(command)):
            found += steps(script, walk.folder)
        elif words and not walk.goes(words) and not walk.sets_up(words):
            found.append(Step(words, given, walk, number >= first_sure and all_words[0] != "!", before in PIPES))
        walk.ends(behind)
    return found


def _first_sure(parts: "list[tuple[list[str], str, str]]") -> int:
    """Return the number of the first command of a line that has passed where the line has, as all behind it have."""
    first, is_either = 0, False
    for at, (_, before, _) in enumerate(parts[1:], 1):
        others = {parts[at - 1][2], before} - TOGETHER
        if others:
            first, is_either = at, "||" in others
    return len(parts) if is_either or (parts and parts[-1][2] in OPEN) else first


def _place(words: "list[str]", folder: str) -> str:
    """Return the folder in which a command is at work that is started in one."""
    options = _options_of_folder(words)
    for word, value in zip(words, [*words[1:], ""]):
        name, sign, its_own = word.partition("=")
        if name in options:
            path = its_own if sign else value
            return folders.joined(folder, path.rpartition("/")[0] or "." if path.endswith(MANIFESTS) else path)
    return folder


def _options_of_folder(words: "list[str]") -> "tuple[str, ...]":
    """Return the options by which a program, or what launches it, works in the folder that the next word names."""
    return IN_FOLDER.get(purposes.program(words)[0], ()) + IN_FOLDER.get(purposes.name_of(words[0]), ())


def _text(words: "list[str]") -> str:
    """Return a command as it may be typed again, nothing where it is long or where the shell would have filled something in."""
    quiet = _quiet(words)
    text = " ".join([folders.quoted(word) for word in (quiet[:-1] if quiet[-1:] == ["--"] else quiet)])
    is_told = len(text) <= MOST_CHARACTERS and not any([mark in text for mark in (*FILLED_IN, spans.MARK, blocks.PRIVATE)])
    return text if is_told else ""


def _quiet(words: "list[str]") -> "list[str]":
    return [word for word in words if word not in LOUDNESS]


def _without_number(words: "list[str]") -> "list[str]":
    """Leave out how many jobs may run at a time where the shell counts them, as in `make -j$(nproc)`."""
    kept: list[str] = []
    for word in words:
        is_filled_in = any([mark in word for mark in FILLED_IN])
        if is_filled_in and word.startswith(FILLED_IN) and kept and kept[-1] in COUNTING:
            kept.pop()
        elif not (is_filled_in and word.startswith(("-j", "--jobs=", "--parallel=", "--workers="))):
            kept.append(word)
    return kept


def _same(words: "list[str]") -> str:
    """Return the words of a command that make it another one than the next."""
    program, options = purposes.program(words)[0], _options_of_folder(words)
    first = purposes.name_of(words[0])
    kept, skip = [WRAPPED.get(first, first)], False
    for at, word in enumerate(words[1:], 1):
        value = words[at + 1] if at + 1 < len(words) else ""
        if skip:
            skip = False
        elif word in MINOR_TO.get(program, ()) or (word == ANEW and program in purposes.OF_SEVERAL and len(words) > 2):
            continue
        elif word.partition("=")[0] in options or (word == "-D" and value == "warnings"):
            skip = "=" not in word
        elif word in ("run", "exec") and first in purposes.OF_CONTAINERS:
            continue  # a new container or the one that runs
        elif program == TURBO and first in purposes.OF_PACKAGES and word in (TURBO, "run"):
            continue  # the package's script of that name mostly is this
        elif word in MINOR:
            skip = value[:1] != "-" and (word not in COUNTING or value.isdigit() or value == "auto")
        elif extents.selects(program, word):
            skip = "=" not in word and word not in extents.ALONE
        elif word not in LOUDNESS and word not in MINOR_ALONE and not word.startswith(MINOR_SO) and not word.endswith(SOLUTION):
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
    return " ".join([folders.quoted(word) for word in given]), words
