"""Add to a test file of the start only the new tests that a person has named."""

import ast
import textwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

HOLDER = "_Added"  # neither runner takes a class of this name for a test


def added(start: str, now: str, names: "Iterable[str]") -> "str | None":
    """Return the text of the start with those tests of `names` that it does not have: `test_total`, or `Cart::test_total`.

    Imports of names that the start does not have come with them. None where there is nothing to add, or a text is no Python.
    """
    try:
        before, after = ast.parse(start), ast.parse(now)
    except (SyntaxError, ValueError, RecursionError):
        return None
    have = _names(before)
    wanted = [name.partition("[")[0].split("::") for name in names]
    pieces = [piece for parts in wanted if "::".join(parts) not in have for piece in _piece(after, now, parts, have)]
    if not pieces:
        return None
    imports = [
        _source(now, node) for node in after.body if isinstance(node, (ast.Import, ast.ImportFrom)) and not _binds(node) & have
    ]
    return "\n".join([start.rstrip("\n"), "", *imports, "", *dict.fromkeys(pieces)]) + "\n"


def _names(tree: ast.Module) -> "set[str]":
    """Return all names that a module binds, and its methods as `Class::method`."""
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in tree.body:
        found |= _binds(node)
        if isinstance(node, ast.ClassDef):
            found |= {
                f"{node.name}::{each.name}" for each in node.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))
            }
    return found


def _binds(node: ast.stmt) -> "set[str]":
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(each.asname or each.name).partition(".")[0] for each in node.names}
    return {node.name} if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else set()


def _piece(tree: ast.Module, text: str, parts: "list[str]", have: "set[str]") -> "list[str]":
    """Return what is to be added for one test, nothing where the agent has not written it."""
    top = [
        node
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == parts[0]
    ]
    if not top:
        return []
    if len(parts) == 1 or parts[0] not in have:
        return ["\n" + _source(text, top[-1])]
    inside = [node for node in getattr(top[-1], "body", ()) if getattr(node, "name", "") == parts[1]]
    if not inside:
        return []
    body = textwrap.indent(_source(text, inside[-1]), "    ")
    return [f"\nclass {HOLDER}:\n{body}\n\n\n{parts[0]}.{parts[1]} = {HOLDER}.{parts[1]}"]


def _source(text: str, node: ast.stmt) -> str:
    """Return the lines of a statement with its decorators, moved to the left."""
    first = min([node.lineno, *[each.lineno for each in getattr(node, "decorator_list", ())]])
    return textwrap.dedent("\n".join(text.split("\n")[first - 1 : node.end_lineno]))
