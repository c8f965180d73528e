"""Choose what is told of a failure without being asked, since strangers wrote most program output.

Of a message what reads as a diagnostic is quoted; one that addresses its reader, names an address or a command, is not told.
"""

from ralph_mem.memory.inject.diagnostic_words import (
    ACTED,
    ADDRESSED,
    ASKING,
    BEING,
    DOING,
    ERRNO,
    EXCUSED,
    FAILING,
    HOSTED,
    PHRASES,
    PLAIN,
    PROGRAMS,
    SEVERITIES,
    SHELLS,
    SYSTEM,
    VERBS,
)
from ralph_mem.memory.rows import row

MOST_CHARACTERS = 160
MOST_NAME = 120
MOST_OF_NAME = 24  # of a program's
BEFORE = frozenset("cd sudo time env timeout nice exec npx uvx xvfb-run".split())
OF_USER = ("-u", "--user")  # the next word is its value
BEGINNING = 10  # of it: there are no words of its own before
CODE, RESET = "Exit code ", "Shell cwd was reset to "  # how lines of a client begin
WITHHELD = "(its words: /mem-search --layer 3 {})"
PREFIXES = ("npm ERR! ", "npm error ", "npm err! ", "E   ", "error Command ", "> ", "Caused by: ", "Uncaught ", "[ERROR] ", "* ")
# What a line says that tells only that something before it failed, and how one begins or goes on that names it for the next.
ENDING = ("ld returned ", "build stopped", "make: ***", "make[", "] Error ", "Done. PASS=", "exited with ", "ELIFECYCLE")
HEADING = ("Failure in ", " Error in ")
TIME = "00:00:00"
TYPED = (
    "Error",
    "Exception",
    "Failure",
    "Fault",
    "Interrupt",
    "Panic",
    "Timeout",
    "Refused",
    "NotFound",
    "Exit",
    "Warning",
    "Violation",
    "Denied",
)
STATING = ("is", "are", "was", "were", "not", "as")
ASKED_IN = ("://", "www.", "$(", "&&", "[.]", " dot ", " . ", "from now on", "every session", "|sh", "|bash")
SIGNS = (  # beyond ASCII, of those that programs print around their words
    "\u2018\u2019\u201c\u201d\u2192\u2190\u2026\u2022\u25cf\u2715\u2717\u2716\u00d7\u2500\u2502"
    "\u203a\u276f\u2714\u2713\u23af\u2013\u2014"
)


def told(text: str, public_id: str) -> str:
    """Return what may be told unasked of the lines of a failure, each in a line; where words are left out, how to get at them."""
    found = [_told(line) for line in _printed(text)]
    kept = list(dict.fromkeys([line for line, _ in found if line and not _only_fails(line)]))
    if not all([whole for _, whole in found]):
        kept.append(WITHHELD.format(public_id))
    return "\n".join(kept)


def is_told(line: str) -> bool:
    """Say whether a line of a failure may be told unasked as it is."""
    return _told(line)[1]


def last(text: str, public_id: str) -> str:
    """Return in a line what may be told of a failure, and how to get at what comes after that.

    That is its last line that may be told and says more than that something failed, behind the one that names the test, if any.
    """
    found = [(line, *_told(line)) for line in _printed(text)]
    able = [at for at, (_, said, whole) in enumerate(found) if said and whole]
    telling = [at for at in able if not any([sign in found[at][0] for sign in ENDING])]
    at = (telling or able)[-1] if able else 0
    named = [found[at - 1][1]] if at and found[at - 1][1] and _is_heading(found[at - 1][0]) else []
    said = ", ".join([*named, found[at][1]]) if able else ""
    return said if not found or found[-1][2] else f"{said} {WITHHELD.format(public_id)}".strip()


def _is_heading(line: str) -> bool:
    """Say whether a line names the test or model that the next one says the fault of."""
    return any([sign in line for sign in HEADING]) or _numbered(line) != line


def _numbered(line: str) -> str:
    """Return of a line that counts a failed test, as `1) [chromium] \u203a e2e/pay.spec.ts:4:1 \u203a ...`, its place and name."""
    number, _, rest = line.strip().partition(") ")
    if not number.isdigit() or " \u203a " not in rest:
        return line
    return (rest.partition("] \u203a ")[2] or rest).rstrip("\u2500 ")


def _printed(text: str) -> "list[str]":
    """Return the lines of a failure that its program printed and that are more than a rule; a client adds some of its own."""
    lines = [line for line in text.splitlines() if line.strip("-=_*#~^ \t|")]
    return [line for line in lines if not line.startswith(RESET) and not (line.startswith(CODE) and line[len(CODE) :].isdigit())]


def of_turn(lines: str, public_id: str) -> str:
    """Return the commands of a turn with what may be told of those that failed, once where two in a row would read alike.

    How to get at the words that are left out stands once, behind the last command that has such.
    """
    runs: list[list[str]] = []
    for line in lines.splitlines():
        if line.startswith(row.OUTCOMES) or not runs:
            runs.append([])
        runs[-1].append(line)
    kept: list[str] = []
    for run in runs:
        at = int(run[0].startswith(row.OUTCOMES))
        text = "\n".join([*run[:at], *[signed(run[0], said) for said in [told("\n".join(run[at:]), public_id)] if said]])
        if kept[-1:] != [text]:
            kept.append(text)
    pointer = "\n" + WITHHELD.format(public_id)
    before, found, after = "\n".join(kept).rpartition(pointer)
    return before.replace(pointer, "") + found + after


def signed(title: str, said: str) -> str:
    """Return what may be told of the output of a failed command, with whose words it is: those of its first program that ran."""
    line = title.partition(": ")[2] if title.startswith(row.OUTCOMES) else title
    words = line.split()
    while not _stayed(line, said) and words[1:] and (words[0] in BEFORE or "=" in words[0]):
        words = words[words.index("&&") + 1 :] if words[0] == "cd" and "&&" in words[:-1] else _launched(words[1:])
    name = words[0].rpartition("/")[2][:MOST_OF_NAME] if words else ""
    return f"output of {name}: {said}" if name and said and not said.startswith(WITHHELD[:BEGINNING]) else said


def _launched(words: "list[str]") -> "list[str]":
    """Leave out the options, and for how long or how nicely, of what only starts a program: `-k 5 120` of `timeout`."""
    while words[1:] and (words[0][:1] == "-" or words[0].rstrip("smh").isdigit()):
        words = words[2:] if words[0] in OF_USER and words[2:] else words[1:]
    return words


def _stayed(line: str, said: str) -> bool:
    """Say whether a line failed at its `cd`, by what may be told of that."""
    if line[:3] != "cd " or "cd:" not in said:
        return False
    from ralph_mem.core.command_lines import folders  # lazy: only for a `cd` that failed

    return folders.stayed(line, said)


def of_lesson(text: str, public_id: str) -> str:
    """Return a loop's lesson with what may be told of the failures that it names."""
    kept = []
    for line in text.splitlines():
        head, colon, message = line.partition(": ")
        if colon and head in ("failed", "still failing"):
            said, whole = _told(message)
            kept.append(line if whole else f"{head}: {said} {WITHHELD.format(public_id)}")
        elif not colon or head != "  in" or _is_id(message):
            kept.append(line)
    return "\n".join(kept)


def _only_fails(line: str) -> bool:
    """Say whether a line tells no more than that something failed, which its command tells already."""
    return all([word.rstrip(":,").lower() in SEVERITIES for word in line.split()])


def _without_time(line: str) -> str:
    """Return what a line begins with, without the time of day."""
    head = line[: len(TIME)]
    return line[len(TIME) :].lstrip() if "".join(["0" if char.isdigit() else char for char in head]) == TIME else line


def _told(line: str) -> "tuple[str, bool]":
    """Return what may be told of a line, and whether that is all of it."""
    line = _numbered(line)
    for prefix in PREFIXES:
        line = line.removeprefix(prefix)
    facts, message = _facts(" ".join(line.split()))
    is_known, facts = bool(facts), _without_time(facts)
    if not message:
        return facts, True
    if not _is_diagnostic(message, is_known):
        return facts, False
    said = message.replace('"', "'")
    said = said if len(said) <= MOST_CHARACTERS else said[: MOST_CHARACTERS - 3] + "..."
    quoted = said[0] == said[-1] == "'" and len(said) > 1
    return (f"{facts} {said}" if quoted else f'{facts} "{said}"').strip(), True


def _facts(line: str) -> "tuple[str, str]":
    """Part a line into types, places and ids at its beginning, and its message."""
    words = line.split(" ")
    at = 0
    while at < len(words) and (_is_fact(words[at]) or (at and words[at] in ("-", "error", "warning"))):
        at += 1
    facts = [word.partition("[")[0] + "[...]" if "::" in word and "[" in word else word for word in words[:at]]
    return " ".join(facts).rstrip(" -"), " ".join(words[at:])


def _is_fact(word: str) -> bool:
    """Say whether a word is an error type, a place, an id of a test or a word of how bad it is."""
    name = word.rstrip(":,")
    if name.lower() in SEVERITIES and (word != name or name.isupper()):
        return True
    if word in ("---", "FAIL", "FAILED", "ERROR"):
        return True
    last = name.rpartition(".")[2]
    camel = word[-1:] == ":" and last[:1].isupper() and sum([char.isupper() for char in last]) > 1 and not last.isupper()
    if (last.endswith(TYPED) or camel) and last[:1].isupper() and _is_name(name, "._$"):
        return True
    if word[:1] == "(" and word[-2:] == "s)" and word[1:-2].replace(".", "").isdigit():
        return True
    code = name.partition("[")[2].rstrip("]") if name.startswith("error[") else name
    return (code[:1].isupper() and code[-1:].isdigit() and code.isalnum() and len(code) < 10) or _is_id(name)


def _is_name(word: str, signs: str) -> bool:
    return 0 < len(word) <= MOST_NAME and word.isascii() and all([char.isalnum() or char in signs for char in word])


def _is_id(word: str) -> bool:
    """Say whether a word has the form of a place or of a test's id; what stands in brackets is anybody's words."""
    name, _, number = word.partition("(")
    if number and not number.rstrip(")").replace(",", "").isdigit():
        return False
    name = name.partition("[")[0]
    place = "::" in name or "#" in name or (name.count(":") in (1, 2) and name.rpartition(":")[2].isdigit())
    path = ("/" in name and "." in name.rpartition("/")[2]) or (name[:4] == "Test" and name[4:5].isupper())
    if _is_host(name) or not _is_name(name, "._-/:@+#$"):
        return False
    return bool(place or path or (bool(number) and "." in name)) and "//" not in name


def _is_host(word: str) -> bool:
    """Say whether a word is a place in the net, with a path or without."""
    host, slash, _ = word.strip("'\"`()[]<>,;!?").rstrip(".:").partition("/")
    labels = host.partition(":")[0].lower().split(".")
    if len(labels) < 2 or not all(labels):
        return False
    return labels[-1] in HOSTED or bool(slash and host[:1] != "." and all([label.isdigit() for label in labels]))


def _is_diagnostic(message: str, known: bool) -> bool:
    """Say whether a message reads as a diagnostic: in its form, and in that it asks nothing of anybody."""
    low = message.lower()
    if any([sign in low for sign in ASKED_IN]):
        return False
    if any([not (char.isascii() or char in SIGNS) for char in message]):
        return False
    words = low.split()
    if sum([len(word) == 1 and word.isalpha() for word in words]) > 3:  # a word that is spelled
        return False
    coded = any([word[:1] == "E" and word.isupper() and word.isalnum() and len(word) > 3 for word in message.split()])
    if not (known or coded or any([phrase in low for phrase in PHRASES]) or _is_comparison(low)):
        return False
    piped = any([words[at - 1][-1:] == "|" and word.strip("'\"`|") in SHELLS for at, word in enumerate(words) if at])
    fetched = any([_is_host(word) for word in words])
    option = any([word.strip("'\"`([").startswith("--") for word in words]) and "option" not in low and "argument" not in low
    return not (piped or fetched or option) and _asks_nothing(low)


def _is_comparison(low: str) -> bool:
    return low.startswith("assert ") or any(
        [sign in low for sign in (" == ", " != ", " is not ", " === ", "expect(", " >= ", " <= ", " to equal ", " not in ")]
    )


def _asks_nothing(low: str) -> bool:
    """Say whether no word of a message addresses anybody, and enough of them are those of diagnostics."""
    low = low.replace("did you mean", "maybe").replace("\u2019", "'")
    plain, strange, before, first = 0, 0, "", True
    earlier = ""
    for word in low.split():
        name = word.strip("'\"`()[]{}<>,.:;!?*\u2018\u2019\u201c\u201d\u2026")
        quoted = word[:1] in "'\"`\u2018\u201c(" and word.rstrip(",.:;!?)")[-1:] in "'\"`\u2019\u201d"
        if name.isalpha() and not quoted and word[:1] != "." and "()" not in word and not (not before and word in PROGRAMS):
            asked = (name in VERBS and _is_asked(before, earlier, first)) or (name in DOING and _is_asked(before, earlier, True))
            if name in ACTED and before == "be" and earlier in ("must", "should", "shall", "to"):
                return False
            if name in ADDRESSED or (asked and not _is_excused(name, low)):
                return False
            if name in ("must", "should", "shall") and low.partition(name + " ")[2].split(" ")[0] not in BEING:
                return False
            plain += name in PLAIN or name in ("must", "should", "shall")
            strange += (
                name not in PLAIN
                and not (name[-2:] == "ed" and before in STATING)  # "is rounded": what happened, and nothing to be done
                and not (name[-2:] == "ly" and before[-2:] == "ed")
                and len(name) > 1
                and not (name[0] == "e" and name.upper() in ERRNO)
            )
        earlier, before, first = before, name, word[-1:] in ":;.,!?-\u2014(" or word in ("-", "--", "=>", "->", "\u2192", "*")
    return strange <= max(2, plain // 2)


def _is_asked(before: str, earlier: str, first: bool) -> bool:
    """Say of a verb whether it asks for something, by the two words before it and whether it begins a clause."""
    if before in FAILING or (before == "to" and earlier in FAILING):
        return False
    return first or before in ASKING


def _is_excused(name: str, low: str) -> bool:
    """Say whether a verb is the name of what failed, as in `open app.toml: no such file or directory`."""
    return name in SYSTEM and any([phrase in low for phrase in EXCUSED])
