"""Read a source of Rust as far as its comments, quotes and brackets, and the examples in it."""

import re
from collections import Counter, namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A comment, a raw text, a text, a sign, or a lifetime.
QUOTED = re.compile(
    r"""//[^\n]*|/\*|(?<!\w)(?:br|cr|r)(?P<fence>\#*)"|"(?:[^"\\]|\\.)*"|'(?:\\[^\n]{1,12}?|[^\\'\n])'|'[^\W\d]\w*""", re.DOTALL
)
EDGE, BRACKET = re.compile(r"/\*|\*/"), re.compile(r"[()\[\]{}]")
PAIRS = {"(": ")", "[": "]", "{": "}"}
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


def quoted(text: str) -> "Iterator[tuple[int, int]]":
    """Yield where comments and quoted texts begin and end. Raises ValueError for one that does not end."""
    at = 0
    while found := QUOTED.search(text, at):
        at = found.end()
        if found[0] == "/*":
            at = end_of_comment(text, at)
        elif found["fence"] is not None:
            closing = '"' + found["fence"]
            at = text.find(closing, at) + len(closing)
            if at < found.end():
                raise ValueError("a text is not closed")
        if found[0][0] != "'" or found[0][-1] == "'":
            yield found.start(), at


def plain(text: str) -> str:
    """Return a text of the same length in which comments and what is quoted are blank."""
    found, done = [], 0
    for start, end in quoted(text):
        found += [text[done:start], re.sub(r"[^\n]", " ", text[start:end])]
        done = end
    said = "".join([*found, text[done:]])
    if '"' in said:
        raise ValueError("a text is not closed")
    return said


def end_of_comment(text: str, at: int) -> int:
    """Return the place behind a comment, from one behind its opening; comments hold comments."""
    depth = 1
    for edge in EDGE.finditer(text, at):
        depth += 1 if edge[0] == "/*" else -1
        if not depth:
            return edge.end()
    raise ValueError("a comment is not closed")


def closed(said: str, at: int) -> int:
    """Return the place behind the bracket that closes the one at a place of a plain text."""
    waiting = []
    for found in BRACKET.finditer(said, at):
        if found[0] in PAIRS:
            waiting.append(PAIRS[found[0]])
        elif found[0] != waiting.pop():
            break
        if not waiting:
            return found.end()
    raise ValueError("a bracket is not closed")


def with_examples_of(start: str, now: str) -> str:
    """Return now with the examples of the start: comments with others say nothing, and those that are missing come last.

    Raises ValueError for what cannot be read.
    """
    old, new = examples_in(start), examples_in(now)
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


def examples_in(text: str) -> "list[Example]":
    """Return the comments of a text that have code in them which would be run. Raises ValueError for what cannot be read."""
    every = [(start, end, lines, _code(lines)) for start, end, lines in _comments(text)]
    return [Example(*each) for each in every if each[-1]]


def _comments(text: str) -> "Iterator[tuple[int, int, list[str]]]":
    """Yield the comments of documentation; lines one below the other are one comment."""
    lines: list[str] = []
    begun = ended = 0
    for start, end in quoted(text):
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
