"""Cut the telling part out of a check's output, and sign a failure so that its next occurrence is recognised."""

import hashlib
import json
import re

from ralph_mem.core.redaction import privacy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph_mem.ralph.criteria import Verdict

MOST_CHARACTERS = 4_000
# What is looked at before secrets are cut out and the rest is cut to size.
MOST_SECTIONS = 20
MOST_SECTION = 6_000
MOST_TAIL = 3_000
MOST_TELLING = 6_000
LONGEST_LINE = 500  # a longer one is of a bundle, or a value that a test compared
LEFT_OUT = "[...]"

HEADING = re.compile(r"={3,} (.+?) ={3,}")
SECTION = re.compile(r"_{3,} (.+?) _{3,}")
TELLING = ("FAILURES", "ERRORS")

# What differs between two runs of the same failure.
CHANGING = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"), "<moment>"),
    (re.compile(r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b"), "<moment>"),
    (re.compile(r"\b\d+(?:[.,]\d+)? ?(?:ms|µs|us|ns|s|secs?|seconds?|mins?|minutes?)\b"), "<time>"),
    (re.compile(r"((?:duration|time|elapsed)(?:_ms)?\"?[:=] ?|duration_ms )\d+(?:\.\d+)?", re.IGNORECASE), r"\1<time>"),
    (re.compile(r"\b0x[0-9a-fA-F]{4,}\b"), "<address>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE), "<uuid>"),
    (re.compile(r"((?:/private)?/(?:tmp|var/tmp|var/folders)/)[^\s'\"`:,;)\]}>]+"), r"\1<temporary>"),
    (re.compile(r"\b((?:localhost|127\.0\.0\.1|\[::1\]):)\d{2,5}\b"), r"\1<port>"),
    (re.compile(r"\b((?:random )?seed[:=]? ?|pid[:=]? ?|--randomly-seed=)\d+", re.IGNORECASE), r"\1<number>"),
)


def excerpt(output: str, folder: str, protect: "Callable[[list[str]], list[str]] | None" = None) -> str:
    """Return what an output says about a failure in at most 4,000 characters.

    Of pytest these are the sections of the failing tests, in the order of their names; of others the lines that speak of a
    failure and the end. `protect` cuts secrets out of whole lines, before anything is cut that could leave half of one. Nothing
    else is replaced: a time or a port may be what is wrong.
    """
    lines = [_of_length(line.rstrip()) for line in _readable(output).splitlines()]
    sections = _sections(lines)
    parts = [part.replace(folder.rstrip("/") + "/", "") for part in sections[:MOST_SECTIONS] or _telling_and_tail(lines)]
    return _sized(protect(parts) if protect else parts, len(sections[MOST_SECTIONS:]))


def steady(text: str) -> str:
    """Return a text without what differs between two runs of the same failure: times, addresses, temporary paths, ports.

    To compare failures by (`ralph.signatures`), never to be shown: of `assert '2 s' == '3 s'` it leaves nothing.
    """
    for pattern, instead in CHANGING:
        text = pattern.sub(instead, text)
    return text


def _readable(output: str) -> str:
    """Return what tests printed, where a tool wrapped each line of it into JSON, as `go test -json` does."""
    if not output.lstrip().startswith('{"'):
        return output
    return "".join([_unwrapped(line) for line in output.splitlines()])


def _unwrapped(line: str) -> str:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return line + "\n"
    said = told.get("Output", "") if isinstance(told, dict) else line + "\n"
    return said if isinstance(said, str) else ""


def _of_length(line: str) -> str:
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE].rpartition(' ')[0]} {LEFT_OUT}"  # between words: half a secret is not recognised


def _sections(lines: "list[str]") -> "list[str]":
    """Return what a report of pytest tells of each failing test, sorted: tests that run side by side end in any order."""
    found: dict[str, list[str]] = {}
    inside, name = False, ""
    for line in lines:
        heading, section = HEADING.fullmatch(line), SECTION.fullmatch(line)
        if heading:
            inside, name = heading.group(1) in TELLING, ""
        elif inside and section:
            name = section.group(1)
        elif name:
            found.setdefault(name, []).append(line)
    return [_whole_lines("\n".join([name, *found[name]]).rstrip("\n"), MOST_SECTION) for name in sorted(found)]


def _whole_lines(text: str, most: int) -> str:
    """Return a third of the beginning and the rest of the end, where what was compared stands."""
    if len(text) <= most:
        return text
    head = text[: text.rfind("\n", 0, most // 3) + 1]
    return f"{head}{LEFT_OUT}\n{_end(text, most - most // 3)}"


def _end(text: str, most: int) -> str:
    return text if len(text) <= most else text[text.find("\n", len(text) - most) + 1 :]


def _telling_and_tail(lines: "list[str]") -> "list[str]":
    text = "\n".join(lines).strip()
    if len(text) <= MOST_CHARACTERS:
        return [text]
    tail = _end(text, MOST_TAIL)
    telling = privacy.error_lines(text[: len(text) - len(tail)], MOST_TELLING)
    return [telling, tail] if telling else [tail]


def _sized(parts: "list[str]", more: int) -> str:
    """Return the first parts; each gets a third at least, and what one leaves the next ones may use."""
    kept: list[str] = []
    room = MOST_CHARACTERS - 20  # for the last line
    for position, part in enumerate(parts):
        if room < 200:
            more += len(parts) - position
            break
        kept.append(privacy.shorten(part, room // min(3, len(parts) - position) - 50))
        room -= len(kept[-1]) + 2
    return "\n\n".join(kept + ([f"and {more} more"] if more else []))


LONGEST_SIGNATURE = 200
# What stands in quotes is mostly a value; a short name tells what is missing.
NAME = re.compile(r"[^\s#]{1,40}")
# In this order: what holds digits as a part of something larger goes first. Between the two stands what `steady` takes out.
PLACES = tuple(
    (re.compile(pattern, re.IGNORECASE), put)
    for pattern, put in (
        (r"\x1b\[[0-9;?]*[A-Za-z]", ""),
        ('[\u2018\u2019\u201c\u201d`"]', "'"),
        (r"\b[a-z][a-z0-9+.-]*://\S+", "<url>"),
        (r"(?:/private)?/(?:var/)?tmp/[\w.@+~-]+(?![\w.@+~/-])", "<temporary>"),  # its last name is a new one each time
        (r"(?:\b[a-z]:)?(?:[\w.@+~-]*[\\/])+(?=[\w.@+~-])", ""),  # a path keeps its last name alone
    )
)
RULES = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"0x[0-9a-f]+", "#"),
        (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "#"),
        (r"\b(?=[a-f]*\d)[0-9a-f]{7,}\b", "#"),
        (r"(?<![\w])[-+]?\d+(?:[._,:-]\d+)*(?:e[-+]?\d+)?", "#"),
        (r"#\s?(?:ns|us|µs|ms|s|sec|secs|seconds?|m|min|minutes?|h|hours?)\b", "#"),
        (r"'([^'\n]*)'", lambda quoted: quoted.group() if NAME.fullmatch(quoted.group(1)) else "'~'"),
        (r"#(?:\s*[,;]?\s*#)+", "#"),
        (r"\s+", " "),
    )
)
# What `evidence.steady` puts in place of a value: no word of the message.
STANDS_FOR = re.compile(r"<[a-z]+>")
# A message that says no more than this is like that of any other test: its test's name belongs to it.
SAYS_NOTHING = frozenset(
    "assert assertion assertionerror error errors failed failure fail failing expected received actual to be equal equals tobe"
    " toequal but got was is not true false none null nil undefined and or in the a an of test timeout exit code with"
    " status exception panicked at thread main want have left right open == != e".split()
)


def signature_of(test: str, message: str) -> str:
    """Return the signature of a failure: its message without numbers, addresses, paths, values and times.

    Where the message says nothing of its own, such as `assert 3 == 4`, the name of the test stands before it. Two failures
    with one signature were probably fixed by the same change. To be made of redacted texts only: it is stored.
    """
    said = normal(message)
    words = re.findall(r"[a-zA-Z_]{2,}", STANDS_FOR.sub("", said))
    if all([word in SAYS_NOTHING for word in words]):
        return f"{normal(name_of(test))}: {said}"[:LONGEST_SIGNATURE]
    return said[:LONGEST_SIGNATURE]


def headline(message: str) -> str:
    """Return the first line of a message that says something, so short that nobody has to cut it again."""
    line = next((line for line in message.splitlines() if line.strip("-=_*#~^ \t")), "")
    return " ".join(line[: 10 * LONGEST_SIGNATURE].split())[:LONGEST_SIGNATURE].strip()


def normal(message: str) -> str:
    """Return the headline of a message without what differs from one time to the next; that of a headline is the same."""
    text = headline(message)
    for pattern, instead in PLACES:
        text = pattern.sub(instead, text)
    text = steady(text).lower()
    for pattern, put in RULES:
        text = pattern.sub(put, text)
    return text.strip()


def name_of(test: str) -> str:
    """Return the last name in the id of a test, without its parameters: `test_total` of `tests/test_cart.py::test_total[eur]`."""
    return re.split("::| > | \u203a |/|#", test.partition("[")[0].rstrip())[-1].strip()


def key_of(signature: str) -> str:
    """Return a signature in sixteen characters, for where its words are nobody's business."""
    return hashlib.sha256(signature.encode("utf-8", "replace")).hexdigest()[:16]


def failures(verdicts: "list[Verdict]") -> "dict[str, tuple[str, str]]":
    """Return what fails now, as `criterion :: test` with the test and its message; a criterion without tests by itself."""
    found = {}
    for verdict in verdicts:
        if verdict.status == "passed":
            continue
        for test, message in verdict.failing.items():
            found[f"{verdict.name} :: {test}"] = (test, message or verdict.why)
        if not verdict.failing:
            found[verdict.name] = (verdict.name, _first_error(verdict.excerpt) or verdict.why)
    return found


def _first_error(excerpt: str) -> str:
    """Return the first line of an output that speaks of an error, or its last one."""
    lines = [line.strip() for line in excerpt.splitlines() if line.strip("-=_*#~^ ")]
    telling = [line for line in lines if re.search(r"error|fail|exception|cannot|not found|panic", line, re.IGNORECASE)]
    return (telling or lines[-1:] or [""])[0]
