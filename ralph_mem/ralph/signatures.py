"""Signatures: what stays the same of a failure wherever, whenever and with whatever numbers it happens again."""

import hashlib
import re

from ralph_mem.ralph.criteria import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.criteria import Verdict

MOST_CHARACTERS = 200
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


def of(test: str, message: str) -> str:
    """Return the signature of a failure: its message without numbers, addresses, paths, values and times.

    Where the message says nothing of its own, such as `assert 3 == 4`, the name of the test stands before it. Two failures
    with one signature were probably fixed by the same change. To be made of redacted texts only: it is stored.
    """
    said = normal(message)
    words = re.findall(r"[a-zA-Z_]{2,}", STANDS_FOR.sub("", said))
    if all([word in SAYS_NOTHING for word in words]):
        return f"{normal(name_of(test))}: {said}"[:MOST_CHARACTERS]
    return said[:MOST_CHARACTERS]


def headline(message: str) -> str:
    """Return the first line of a message that says something, so short that nobody has to cut it again."""
    line = next((line for line in message.splitlines() if line.strip("-=_*#~^ \t")), "")
    return " ".join(line[: 10 * MOST_CHARACTERS].split())[:MOST_CHARACTERS].strip()


def normal(message: str) -> str:
    """Return the headline of a message without what differs from one time to the next; that of a headline is the same."""
    text = headline(message)
    for pattern, instead in PLACES:
        text = pattern.sub(instead, text)
    text = evidence.steady(text).lower()
    for pattern, put in RULES:
        text = pattern.sub(put, text)
    return text.strip()


def name_of(test: str) -> str:
    """Return the last name in the id of a test, without its parameters: `test_total` of `tests/test_cart.py::test_total[eur]`."""
    return re.split("::| > | \u203a |/|#", test.partition("[")[0].rstrip())[-1].strip()


def key(signature: str) -> str:
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
