"""Take from a file that judges and does more only what judges, and new tests that are named.

An agent adds a dependency to `package.json` or `pyproject.toml`; what is run as a check stays that of the start.
"""

import ast
import json
import re
import textwrap

from ralph_mem.ralph.judges import cmake, kinds, rust, sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

# What of a package.json is none of the checks' business; all else in it is.
OF_A_PACKAGE = frozenset(
    "name version description keywords author contributors license repository homepage bugs funding private main module exports"
    " browser bin files types typings type engines os cpu dependencies devDependencies peerDependencies optionalDependencies"
    " peerDependenciesMeta bundledDependencies workspaces packageManager sideEffects imports".split()
)
# What makes a package of a folder takes its tests from the one around it.
WHOLE_WHERE_NEW = ("go.mod", "Cargo.toml")
OF_GO = frozenset("replace exclude tool godebug toolchain ignore".split())
# Run by themselves around another script or an installation.
BY_ITSELF = re.compile(r"(pre|post)\w|(prepare|install|dependencies)$")
VARIABLE = re.compile(r"^([\w.-]+)\s*([:+?]?=)\s*(.*)$")
# A file of the product in a list of them; what has such a name is compiled or linked, and runs nothing by itself.
SOURCE_FILE = re.compile(r"(?!-)[\w./$()%-]+\.(c|cc|cpp|cxx|h|hpp|o|obj|s|S|f|f90|java|rs|go|ts|js|py)$")
# Such a file can be run too: what stands first in a list may be the program that gets the rest.
SCRIPT = re.compile(r"\.(py|js|ts)$")
SOURCES = re.compile(r"(src|source|obj|object|hdr|header|module)s?$", re.IGNORECASE)
OBJECT_RULE = re.compile(r"^([\w./-]+\.o)\s*:\s*((?:[\w./-]+\.(?:c|cc|cpp|h|hpp)\s*)+)$")
HOLDER_OF_ADDED = "_Added"  # neither runner takes a class of this name for a test


def merged(path: str, start: "bytes | None", now: "bytes | None") -> "bytes | None":
    """Return a file as it was at the start, with what the agent wrote into those parts that judge nothing.

    None for no file at all. Where nothing can be told apart it is the start's as a whole.
    """
    how = _how(path)
    if how is None or now is None or now == start or (start is None and path.endswith(WHOLE_WHERE_NEW)):
        return start
    try:
        return how((start or b"").decode(), now.decode()).encode()
    except (ValueError, RecursionError):
        return start


def is_source(path: str) -> bool:
    """Say whether a file of this name is a source that may have tests in it."""
    return path.endswith(".rs") and not kinds.judges(path)


def has_tests(path: str, text: bytes) -> bool:
    """Say whether there are tests in a source; yes where nothing can be told apart."""
    try:
        return is_source(path) and rust.has_tests(text.decode())
    except (ValueError, RecursionError):
        return True


def is_mixed(path: str) -> bool:
    """Say whether a file of this name is told apart by its parts."""
    return _how(path) is not None


def _how(path: str) -> "Callable[[str, str], str] | None":
    name = path.rpartition("/")[2]
    if is_source(path):
        return rust.merged
    if name.lower() in ("makefile", "gnumakefile") or name.endswith(".mk"):
        return _makefile
    return _by_name().get(name)


def _by_name() -> "dict[str, Callable[[str, str], str]]":
    return {
        "package.json": _package,
        "pyproject.toml": sections.merged,
        "setup.cfg": sections.merged,
        "Cargo.toml": sections.merged_cargo,
        "CMakeLists.txt": cmake.merged,
        "go.mod": _go,
    }


def _package(start: str, now: str) -> str:
    old, new = json.loads(start or "{}"), json.loads(now)
    if not isinstance(old, dict) or not isinstance(new, dict):
        return start
    found = {name: value for name, value in new.items() if name in OF_A_PACKAGE}
    found.update({name: value for name, value in old.items() if name not in OF_A_PACKAGE})
    if isinstance(old.get("imports"), dict) and isinstance(found.get("imports"), dict):
        found["imports"] = {**found["imports"], **old["imports"]}  # a test may get its asserts by one
    scripts = _scripts(old.get("scripts"), new.get("scripts"))
    found = {**found, "scripts": scripts} if scripts else found
    return now if found == new else json.dumps(found, indent=2) + "\n"


def _scripts(old: "Any", new: "Any") -> "dict[str, Any]":
    """Return the scripts of the start, and new ones that nothing runs by itself."""
    before, after = [each if isinstance(each, dict) else {} for each in (old, new)]
    return {**{name: text for name, text in after.items() if name not in before and not BY_ITSELF.match(name)}, **before}


def _go(start: str, now: str) -> str:
    """Return a go.mod without what it newly replaces: a library of asserts could be one that asserts nothing.

    What nothing needed at the start may be taken from anywhere.
    """
    before = {line.strip() for line in start.splitlines()}
    named = set(start.split())
    kept = []
    block = ""
    for line in now.splitlines():
        words = line.split()
        verb = block or (words[0] if words else "")
        is_new = verb in OF_GO and line.strip() not in before and line.strip() not in (")", f"{verb} (")
        is_of_new = verb == "replace" and named.isdisjoint(words[not block :][:1])
        kept += [] if is_new and not is_of_new else [line]
        block = "" if line.strip() == ")" else verb if line.rstrip().endswith("(") else block
    return "\n".join(kept) + "\n"


def _makefile(start: str, now: str) -> str:
    """Return a Makefile with the sources that were added to its lists; rules, tools and options are those of the start."""
    lists = {}
    for line in _joined(now):
        variable = VARIABLE.match(line)
        if variable and variable[3].strip() and all([SOURCE_FILE.match(word) for word in variable[3].split()]):
            lists[variable[1], variable[2]] = line
    found = [_with_more(line, lists) for line in _joined(start)]
    targets = {line.partition(":")[0].strip() for line in found}
    rules = [line for line in _joined(now) if (rule := OBJECT_RULE.match(line)) and rule[1] not in targets]
    return now if sorted([*found, *rules]) == sorted(_joined(now)) else "\n".join([*found, *rules]) + "\n"


def _joined(text: str) -> "list[str]":
    return text.replace("\\\n", " ").splitlines()


def _with_more(line: str, lists: "dict[tuple[str, str], str]") -> str:
    """Return a list of sources as it is now, where it has all that it had before."""
    variable = VARIABLE.match(line)
    now = lists.get((variable[1], variable[2])) if variable else None
    if not variable or not now:
        return line
    old, new = variable[3].split(), now.partition("=")[2].split()
    # what was empty may be the place of a program, unless its name says that it holds sources
    is_first = new[:1] == old[:1] or not SCRIPT.search(new[0])
    return now if set(old) <= set(new) and (is_first if old else SOURCES.search(variable[1])) else line


def with_new_tests(start: str, now: str, names: "Iterable[str]") -> "str | None":
    """Return the text of the start with those tests of `names` that it does not have: `test_total`, or `Cart::test_total`.

    Imports of names that the start does not have come with them. None where there is nothing to add, or a text is no Python.
    """
    try:
        before, after = ast.parse(start), ast.parse(now)
    except (SyntaxError, ValueError, RecursionError):
        return None
    have = _names_in(before)
    wanted = [name.partition("[")[0].split("::") for name in names]
    pieces = [piece for parts in wanted if "::".join(parts) not in have for piece in _new_piece(after, now, parts, have)]
    if not pieces:
        return None
    imports = [
        _source_of(now, node) for node in after.body if isinstance(node, (ast.Import, ast.ImportFrom)) and not _binds(node) & have
    ]
    return "\n".join([start.rstrip("\n"), "", *imports, "", *dict.fromkeys(pieces)]) + "\n"


def _names_in(tree: ast.Module) -> "set[str]":
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


def _new_piece(tree: ast.Module, text: str, parts: "list[str]", have: "set[str]") -> "list[str]":
    """Return what is to be added for one test, nothing where the agent has not written it."""
    top = [
        node
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == parts[0]
    ]
    if not top:
        return []
    if len(parts) == 1 or parts[0] not in have:
        return ["\n" + _source_of(text, top[-1])]
    inside = [node for node in getattr(top[-1], "body", ()) if getattr(node, "name", "") == parts[1]]
    if not inside:
        return []
    body = textwrap.indent(_source_of(text, inside[-1]), "    ")
    return [f"\nclass {HOLDER_OF_ADDED}:\n{body}\n\n\n{parts[0]}.{parts[1]} = {HOLDER_OF_ADDED}.{parts[1]}"]


def _source_of(text: str, node: ast.stmt) -> str:
    """Return the lines of a statement with its decorators, moved to the left."""
    first = min([node.lineno, *[each.lineno for each in getattr(node, "decorator_list", ())]])
    return textwrap.dedent("\n".join(text.split("\n")[first - 1 : node.end_lineno]))
