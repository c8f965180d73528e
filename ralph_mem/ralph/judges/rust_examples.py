"""Tell the examples in the documentation of a source of Rust, which `cargo test` runs, from the rest of it."""

import re
from collections import Counter, namedtuple

from ralph_mem.ralph.judges import rust_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Example = namedtuple("Example", "start end lines code")
Example.__doc__ = """A comment with code in it: where it begins and ends, its lines without their signs, and of these the code."""

LINE, BLOCK = re.compile(r"//(?:/(?!/)|!)"), re.compile(r"/\*(?:\*(?![*/])|!)")
SIGN = re.compile(r"^\s*\* ?", re.MULTILINE)
FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*(.*?)\s*$")
# What rustdoc takes for Rust that it runs or builds; any other word behind a fence is of another language.
OF_RUST = re.compile(r"(rust|should_panic|no_run|compile_fail|test_harness|standalone(_crate)?|edition\d+|E\d{4})?$")
INDENTED = re.compile(r"(?: {5}|\t)\s*\S")  # the sign of a comment has a blank behind it
SAYS_NOTHING = " -"
AN_ITEM = "#[cfg(doctest)]\n#[allow(dead_code, missing_docs)]\nfn _example_of_the_start_{0}() {{}}\n"


def merged(start: str, now: str) -> str:
    """Return now with the examples of the start: comments with others say nothing, and those that are missing come last.

    Raises ValueError for what cannot be read.
    """
    old, new = found(start), found(now)
    missing = Counter([each.code for each in old])
    texts, done = [], 0
    for each in new:
        missing[each.code] -= 1
        if missing[each.code] < 0:
            texts += [now[done : each.start], _blank(now[each.start : each.end])]
            done = each.end
    text = "".join([*texts, now[done:]])
    for number, each in enumerate(old):
        if missing[each.code] > 0:
            missing[each.code] -= 1
            text = text.rstrip("\n") + "\n\n" + "".join([f"///{line}\n" for line in each.lines]) + AN_ITEM.format(number)
    return text


def _blank(comment: str) -> str:
    if comment.startswith("/*"):
        return f"{comment[:3]}{SAYS_NOTHING} */"
    return re.sub(r"(//[/!])[^\n]*", lambda sign: sign[1] + SAYS_NOTHING, comment)


def found(text: str) -> "list[Example]":
    """Return the comments of a text that have code in them which would be run. Raises ValueError for what cannot be read."""
    every = [(start, end, lines, _code(lines)) for start, end, lines in _comments(text)]
    return [Example(*each) for each in every if each[-1]]


def _comments(text: str) -> "Iterator[tuple[int, int, list[str]]]":
    """Yield the comments of documentation; lines one below the other are one comment."""
    lines: list[str] = []
    begun = ended = 0
    for start, end in rust_text.quoted(text):
        is_line, is_block = LINE.match(text, start), BLOCK.match(text, start)
        goes_on = lines and is_line and text[begun : begun + 3] == text[start : start + 3] and not text[ended:start].strip(" \t\n")
        if lines and not (goes_on and text.count("\n", ended, start) == 1):
            yield begun, ended, lines
            lines = []
        if is_line:
            begun, ended, lines = begun if lines else start, end, [*lines, text[start + 3 : end]]
        elif is_block:
            yield start, end, [f" {line}" for line in SIGN.sub("", text[start + 3 : end - 2]).split("\n")]
    if lines:
        yield begun, ended, lines


def _code(lines: "list[str]") -> "tuple[str, ...]":
    """Return the lines of code in a comment, with the words behind their fences."""
    code: list[str] = []
    fence, is_run, is_indented, last = "", False, False, ""
    for line in lines:
        mark = FENCE.match(line)
        is_indented = not fence and bool(INDENTED.match(line)) and (is_indented or not last.strip())
        if mark and not fence:
            fence, is_run = mark[1], all([OF_RUST.match(word) for word in re.split(r"[,\s]+", mark[2].strip("{}"))])
            code += [mark[2]] if is_run else []
        elif mark and mark[1].startswith(fence) and not mark[2]:
            fence = ""
        elif is_indented or (fence and is_run):
            code.append(line.strip())
        last = line
    return tuple(code)
