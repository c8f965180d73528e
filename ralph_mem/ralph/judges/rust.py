"""Tell the tests in a source of Rust from the rest of it, item by item.

`rust_examples` has what stands in comments.
"""

import re
from collections import namedtuple

from ralph_mem.ralph.judges import rust_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Item = namedtuple("Item", "name text is_test inside")
Item.__doc__ = """A piece of a module with the comments before it; all pieces in their order are its text.

`name` is how it is declared, without its attributes; `inside` is what stands in the braces of a module, None of anything else.
"""
Inside = namedtuple("Inside", "opening items closing")

OPENING = re.compile(r"\s*(?://(?!/(?!/))[^\n]*|/\*(?!\*(?![*/])))")
INNER, ATTRIBUTE = re.compile(r"\s*#!\s*\["), re.compile(r"\s*#\s*\[")
VISIBLE = r"(?:pub\b\s*(?:\([^)]*\)\s*)?)?"
USE, MODULE = re.compile(VISIBLE + r"use\b"), re.compile(VISIBLE + r"mod\s+([\w#]+)\s*\{")
# Braces do not end these.
DECLARES = re.compile(VISIBLE + r"(?:(?:const|static|type)\b(?!\s+(?:fn|unsafe|async|extern)\b)|use\b|extern\s+crate\b)")
GOES_ON = re.compile(r"\s*[>,]")  # behind the braces of an argument: `impl Of<{ 1 }> for`
IS_TEST = re.compile(r"#\s*\[\s*(?:\w+\s*::\s*)*(test|bench|rstest|test_case|test_matrix|quickcheck|wasm_bindgen_test)\b")
CONDITION = re.compile(r"#\s*\[\s*cfg\s*\((.*?)\)\s*\]", re.DOTALL)
OF_TESTS, NOT_TEST = re.compile(r"\b(?:doc)?test\b"), re.compile(r"\bnot\s*\(\s*test\s*\)")
MAY_JUDGE = re.compile(r"test|assert|panic|//[/!]|/\*[*!]")
# What tests judge by: one of such a name in the sources would be taken in its place.
HIDES = re.compile(
    r"macro_rules\s*!\s*(?:debug_)?(?:assert\w*|panic)$|" + VISIBLE + r"use\b.*\b(?:debug_)?assert(?:_eq|_ne)?\s*(?:[,;}]|$)",
    re.DOTALL,
)


def merged(start: str, now: str) -> str:
    """Return the text of now with the tests of the start. Raises ValueError for what cannot be told apart."""
    if not MAY_JUDGE.search(start) and not MAY_JUDGE.search(now):  # nor need it be whole items, as of what another file includes
        return now
    return rust_text.with_examples_of(start, _with_tests(_items(start), _items(now)))


def has_tests(text: str) -> bool:
    """Say whether there is a test in a text. Raises ValueError for what cannot be told apart."""
    return bool(rust_text.examples_in(text)) or any([item.is_test for item in _every(_items(text))])


def _every(items: "list[Item]") -> "Iterator[Item]":
    for item in items:
        yield item
        yield from _every(item.inside.items) if item.inside else ()


def _with_tests(start: "list[Item]", now: "list[Item]") -> str:
    """Return the items of now, where each test is the one of that name at the start; those that are missing come last."""
    tests: dict[str, list[Item]] = {}
    for item in start:
        if item.is_test:
            tests.setdefault(item.name, []).append(item)
    known = {item.name for item in start}
    modules = {item.name: item.inside.items for item in start if item.inside and not item.is_test}
    found = []
    for item in now:
        may_be_one = item.is_test or item.inside  # a module may have been made one that no test is built with
        if may_be_one and tests.get(item.name):
            found.append(tests[item.name].pop(0).text)
        elif item.inside and not item.is_test:
            inside = _with_tests(modules.pop(item.name, []), item.inside.items)
            found.append(item.inside.opening + inside + item.inside.closing)
        elif not item.is_test and (item.name in known or not HIDES.match(item.name)):
            found.append(item.text)
    missing = [item for items in tests.values() for item in items]
    missing += [item for items in modules.values() for item in _every(items) if item.is_test]
    return "".join([*found, *[f"\n{item.text.lstrip()}\n" for item in missing]])


def _items(text: str) -> "list[Item]":
    found, end = _read(text, rust_text.plain(text), 0)
    if end != len(text):
        raise ValueError("more braces close than open")
    return found


def _read(text: str, plain: str, at: int) -> "tuple[list[Item], int]":
    """Return the items from a place on, up to the end of the text or of the module, and where that is."""
    opens = _behind_opening(text, plain, at)
    found, at = [Item("", text[at:opens], False, None)], opens
    while True:
        begins = _behind_attributes(plain, at)
        if begins >= len(plain) or plain[begins] == "}":
            return [*found, Item("", text[at:begins], False, None)], begins
        is_test, module = _is_test(plain[at:begins]), MODULE.match(plain, begins)
        if module:
            inside, end = _read(text, plain, module.end())
            if end >= len(plain):
                raise ValueError("a module does not end")
            parts = Inside(text[at : module.end()], inside, "}")
            found.append(Item(f"mod {module[1]}", text[at : end + 1], is_test, parts))
            at = end + 1
        else:
            end = _end_of(plain, begins)
            is_test = is_test or bool(IS_TEST.search(plain, begins, end))  # within a macro
            found.append(Item(_name(plain[begins:end]), text[at:end], is_test, None))
            at = end


def _behind_opening(text: str, plain: str, at: int) -> int:
    """Return where what belongs to a module itself ends: its comments and its inner attributes."""
    while True:
        comment, attribute = OPENING.match(text, at), INNER.match(plain, at)
        if comment:
            at = rust_text.end_of_comment(text, comment.end()) if comment[0].endswith("/*") else comment.end()
        elif attribute:
            at = rust_text.closed(plain, attribute.end() - 1)
        else:
            return at


def _behind_attributes(plain: str, at: int) -> int:
    while found := ATTRIBUTE.match(plain, at):
        at = rust_text.closed(plain, found.end() - 1)
    while at < len(plain) and plain[at].isspace():
        at += 1
    return at


def _is_test(attributes: str) -> bool:
    conditions = [NOT_TEST.sub("", found) for found in CONDITION.findall(attributes)]
    return bool(IS_TEST.search(attributes)) or any([OF_TESTS.search(each) for each in conditions])


def _end_of(plain: str, at: int) -> int:
    """Return where an item ends: behind its semicolon, or behind its braces where these are its body."""
    is_ended_by_braces = not DECLARES.match(plain, at)
    while at < len(plain):
        sign = plain[at]
        if sign in rust_text.PAIRS:
            at = rust_text.closed(plain, at)
            if sign == "{" and is_ended_by_braces and not GOES_ON.match(plain, at):
                return at
        elif sign == ";":
            return at + 1
        else:
            at += 1
    raise ValueError("an item does not end")


def _name(declared: str) -> str:
    head = declared if USE.match(declared) else re.split(r"[{(;=]", declared, maxsplit=1)[0]
    return " ".join(head.split())
