"""Tell the examples in a source of Python, which doctest runs, from the rest of it."""

import ast
import doctest
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

PROMPT = ">>>"
RUN_BY = re.compile(r"doctest")
HOLDER = "\n\ndef _example_of_the_start_{0}():\n    {1}\n"


def merged(start: str, now: str) -> str:
    """Return now with the examples of the start: each where it was, those of what is gone at the end.

    Raises ValueError or SyntaxError for what is no Python.
    """
    old, new = [dict(_documented(ast.parse(text))) for text in (start, now)]
    edits, held = [], ""
    for name, node in old.items():
        said = ast.get_docstring(node, clean=False) or ""
        if PROMPT not in said or (name in new and _examples(said) == _examples(ast.get_docstring(new[name], clean=False) or "")):
            continue
        literal = ast.get_source_segment(start, _literal(node)) or ""
        if name in new:
            edits.append(_edit(now, new[name], literal))
        else:
            held += HOLDER.format(len(held), literal)
    for begin, end, text in sorted(edits, reverse=True):
        now = now[:begin] + text + now[end:]
    return now + held


def _documented(tree: ast.Module) -> "Iterator[tuple[str, Documented]]":
    """Yield what may have documentation, by its dotted name; the module itself has none."""
    waiting: list[tuple[str, Documented]] = [("", tree)]
    while waiting:
        name, node = waiting.pop()
        yield name, node
        inside = [each for each in node.body if isinstance(each, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))]
        waiting += [(f"{name}.{each.name}", each) for each in inside]


def _literal(node: "Documented") -> ast.expr:
    first: ast.Expr = node.body[0]  # type: ignore[assignment]  # who calls knows that it has documentation
    return first.value


def _edit(text: str, node: "Documented", literal: str) -> "tuple[int, int, str]":
    """Return from where to where a text is to be replaced, and by what, to have this literal as the documentation of a node."""
    if ast.get_docstring(node, clean=False) is not None:
        found = _literal(node)
        return (
            _offset(text, found.lineno, found.col_offset),
            _offset(text, found.end_lineno or 1, found.end_col_offset or 0),
            literal,
        )
    first = node.body[0] if node.body else None
    if first is None:
        return 0, 0, literal + "\n"
    line = min([first.lineno, *[each.lineno for each in getattr(first, "decorator_list", ())]])
    at = _offset(text, line, 0) if line < first.lineno else _offset(text, line, first.col_offset)
    before = text[text.rfind("\n", 0, at) + 1 : at]
    is_below = not before.strip()
    return at, at, f"{literal}\n{before}" if is_below else f"{literal}; "


def _offset(text: str, line: int, column: int) -> int:
    """Return where a place of the syntax tree, whose columns count bytes, is in a text."""
    lines = text.splitlines(keepends=True)
    return sum([len(each) for each in lines[: line - 1]]) + len(lines[line - 1].encode()[:column].decode() if lines else "")


def _examples(said: str) -> "list[tuple[str, str]] | str":
    try:
        return [(each.source, each.want) for each in doctest.DocTestParser().get_examples(said)]
    except ValueError:
        return said
