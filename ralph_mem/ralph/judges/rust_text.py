"""Read a source of Rust as far as its comments, what is quoted in it, and its brackets."""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A comment, a raw text, a text, a sign, or a lifetime.
QUOTED = re.compile(
    r"""//[^\n]*|/\*|(?<!\w)(?:br|cr|r)(?P<fence>\#*)"|"(?:[^"\\]|\\.)*"|'(?:\\[^\n]{1,12}?|[^\\'\n])'|'[^\W\d]\w*""", re.DOTALL
)
EDGE, BRACKET = re.compile(r"/\*|\*/"), re.compile(r"[()\[\]{}]")
PAIRS = {"(": ")", "[": "]", "{": "}"}


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
