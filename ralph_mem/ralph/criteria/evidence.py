"""Say what fails, the most telling first, and sign a failure so that its next occurrence is recognised."""

import hashlib
import re

from ralph_mem.ralph.criteria import PLAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.criteria import Verdict

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


def steady(text: str) -> str:
    """Return a text without what differs between two runs of the same failure: times, addresses, temporary paths, ports.

    To compare failures by (`ralph.signatures`), never to be shown: of `assert '2 s' == '3 s'` it leaves nothing.
    """
    for pattern, instead in CHANGING:
        text = pattern.sub(instead, text)
    return text


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
INSIDE = ("::", ".", " > ", " \u203a ")  # behind the name of a file or class, before that of a test in it
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
        if verdict.status == "passed" or verdict.type == PLAN:  # what is wrong with a plan is what is wrong with its tasks
            continue
        for test, message in verdict.failing.items():
            found[f"{verdict.name} :: {test}"] = (test, message or verdict.why)
        if not verdict.failing:
            found[verdict.name] = (verdict.name, _first_error(verdict.excerpt) or verdict.why)
    return found


def telling_first(found: "dict[str, tuple[str, str]]") -> "dict[str, tuple[str, str]]":
    """Return failures in the order in which they tell the most: what kept a file from being read, then one of each sort.

    Of the sorts that with the most failures comes first: one change may mend them all.
    """
    sorts: dict[str, list[str]] = {}
    for label, (test, message) in found.items():
        sorts.setdefault(normal(message) or test, []).append(label)
    order = sorted(sorts.values(), key=lambda labels: (not _is_of_a_file(found[labels[0]][0]), -len(labels)))
    first = [labels[0] for labels in order]
    return {label: found[label] for label in dict.fromkeys([*first, *found])}


def _is_of_a_file(test: str) -> bool:
    """Say whether a test is a whole file, which could not be read: nothing in it ran."""
    return test.endswith((".py", ".js", ".ts", ".go")) and "::" not in test


def after(before: "dict[str, tuple[str, str]]", verdicts: "list[Verdict]") -> "dict[str, tuple[str, str]]":
    """Return what fails now, where `before` failed: a test that was skipped since, or that could not run, fails on."""
    found, by_name = failures(verdicts), {verdict.name: verdict for verdict in verdicts}
    left = [
        label for label in before if label not in found and not _is_told(by_name.get(label.partition(" :: ")[0]), before[label][0])
    ]
    return {**found, **{label: before[label] for label in left}}


def _is_told(verdict: "Verdict | None", test: str) -> bool:
    """Say whether a verdict tells of a test that does not fail in it: one that ran, as far as is known, and passed."""
    if verdict is None or verdict.status not in ("passed", "failed") or test in verdict.skipped:
        return False
    return verdict.status == "passed" or test == verdict.name or _has_run(verdict, test)


def _has_run(verdict: "Verdict", test: str) -> bool:
    """Say whether a check that fails got as far as a test: something ran, and the file it stands in did not fail as a whole."""
    ran = verdict.total != 0 if verdict.failing else bool(verdict.total)
    return ran and not any([test[:at] in verdict.failing for at in range(len(test)) if test.startswith(INSIDE, at)])


def _first_error(excerpt: str) -> str:
    """Return the first line of an output that speaks of an error, or its last one."""
    lines = [line.strip() for line in excerpt.splitlines() if line.strip("-=_*#~^ ")]
    telling = [line for line in lines if re.search(r"error|fail|exception|cannot|not found|panic", line, re.IGNORECASE)]
    return (telling or lines[-1:] or [""])[0]
