"""The walls of the house, found by walking the tree with `ast`: what imports what, where, and how big things are."""

import ast
import sys
from collections import namedtuple
from fnmatch import fnmatch
from pathlib import Path

PACKAGE = "ralph_mem"
DOOR = "hooks"
DYNAMIC = "<computed>"

# `where` is "file:line"; `by` and `name` are dotted, `through` is the package in `from package import name`; `inside`
# says that the import stands in a function, `fallback` that it stands under `except ImportError`.
Import = namedtuple("Import", "where by name through inside fallback")


def modules(root):
    """Return {dotted name: path} of the package and of the hooks' door."""
    paths = [*Path(root, PACKAGE).rglob("*.py"), *Path(root, DOOR).glob("*.py")]
    return {_dotted(path.relative_to(root)): path for path in sorted(paths)}


def _dotted(path):
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(root):
    """Return every import there is, those for type checkers aside."""
    known = modules(root)
    return [found for by, path in known.items() for found in _imports_of(by, path, root, known)]


def _imports_of(by, path, root, known):
    package = by if path.name == "__init__.py" else by.rpartition(".")[0]

    def visit(node, inside, fallback):
        for name, through in _names(node, package, known):
            yield Import(f"{path.relative_to(root)}:{node.lineno}", by, name, through, inside, fallback)
        for child in ast.iter_child_nodes(node):
            if isinstance(node, ast.If) and _is_type_checking(node.test) and child in node.body:
                continue
            function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from visit(child, inside or function, fallback or _catches_import_error(node))

    return visit(_parse(path), False, False)


def _names(node, package, known):
    """Return (name, through) of what one statement imports; `from package import module` counts as the module."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
        # run.py puts its own folder on the path, so its neighbours have no package
        return [(f"{DOOR}.{name}" if f"{DOOR}.{name}" in known and package == DOOR else name, name) for name in names]
    if isinstance(node, ast.ImportFrom):
        up = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        base = ".".join([*up, *([node.module] if node.module else [])])
        names = [f"{base}.{alias.name}" for alias in node.names]
        return list(dict.fromkeys((name if name in known else base, base) for name in names))
    if isinstance(node, ast.Call) and ast.unparse(node.func) in {"__import__", "import_module", "importlib.import_module"}:
        name = node.args[0] if node.args else None
        return [(name.value if isinstance(name, ast.Constant) else DYNAMIC, None)]
    return []


def _is_type_checking(test):
    return ast.unparse(test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def _catches_import_error(node):
    return isinstance(node, ast.ExceptHandler) and node.type is not None and "ImportError" in ast.unparse(node.type)


def _parse(path, **options):
    return ast.parse(path.read_text(encoding="utf-8"), str(path), **options)


def belongs(module, room):
    """Say whether a module is this room or lies inside it."""
    return module == room or module.startswith(room + ".")


def room_of(module):
    """Return the room in which a module lies: `core`, `recall`, `hooks`, or `` for the package itself."""
    return module.removeprefix(PACKAGE).lstrip(".").split(".")[0]


def is_ours(name):
    """Say whether a name is a module of this house."""
    return belongs(name, PACKAGE) or belongs(name, DOOR)


# What an import may do


def strangers(root, standard_only):
    """Name imports from outside the standard library, in rooms that run without any package."""
    return [
        f"{found.where}: {found.by} imports {found.name}, which is not in the standard library"
        for found in imports(root)
        if room_of(found.by) in standard_only
        and not is_ours(found.name)
        and found.name != DYNAMIC
        and found.name.split(".")[0] not in sys.stdlib_module_names
    ]


def leaks(root, standard_only):
    """Name imports through which such a room would reach a package after all."""
    return [
        f"{found.where}: {found.by} has to do without packages, {found.name} does not"
        for found in imports(root)
        if room_of(found.by) in standard_only and is_ours(found.name) and room_of(found.name) not in {*standard_only, ""}
    ]


def packages_out_of_place(root, importer_of):
    """Name imports of a package by another room than the one that it belongs to."""
    bad = []
    for found in imports(root):
        package = found.name.split(".")[0]
        if is_ours(found.name) or found.name == DYNAMIC or package in sys.stdlib_module_names:
            continue
        if package not in importer_of:
            bad.append(f"{found.where}: {package} belongs to no room yet; give it one in ONE_IMPORTER")
        elif room_of(found.by) != importer_of[package]:
            bad.append(f"{found.where}: {found.by} imports {package}, which belongs to {importer_of[package]}")
    return bad


def uphill(root, floors):
    """Name imports that run from a lower floor to a higher one, and rooms that stand on no floor."""
    floor = {room: number for number, rooms in enumerate(floors) for room in rooms}
    rooms = {room_of(module): path for module, path in modules(root).items()}
    bad = [f"{path.relative_to(root)}:1: {room} stands on no floor" for room, path in rooms.items() if room not in floor]
    ours = [found for found in imports(root) if is_ours(found.name)]
    steps = [(found, floor.get(room_of(found.by)), floor.get(room_of(found.name))) for found in ours]
    return bad + [
        f"{found.where}: {found.by} imports {found.name} from above" for found, a, b in steps if None not in {a, b} and a < b
    ]


def doors_between(root, entrances, *, except_for):
    """Name imports of one entrance by another."""
    return [
        f"{found.where}: {found.by} imports {found.name}, another entrance"
        for found in imports(root)
        if {room_of(found.by), room_of(found.name)} <= set(entrances)
        and room_of(found.by) != room_of(found.name)
        and found.by not in except_for
    ]


def circles(root):
    """Draw every import circle, imports inside functions counted."""
    graph = {module: [] for module in modules(root)}
    for found in imports(root):
        steps = {found.name, found.through} & graph.keys() - {found.by}
        graph[found.by] += [found._replace(name=name) for name in sorted(steps)]
    drawn, finished = [], set()

    def visit(module, way):
        for found in graph[module]:
            names = [step.by for step in way] + [module]
            if found.name in names:
                circle = [*way, found][names.index(found.name) :]
                drawn.append(" > ".join(f"{step.by} ({step.where})" for step in circle) + f" > {found.name}")
            elif found.name not in finished:
                visit(found.name, [*way, found])
        finished.add(module)

    for module in graph:
        if module not in finished:
            visit(module, [])
    return drawn


def inner_imports(root, allowed):
    """Name imports inside functions that are not on the list, and entries of the list that are used no more."""
    inner = [found for found in imports(root) if found.inside]
    bad = [f"{f.where}: {f.by} imports {f.name} inside a function" for f in inner if (f.by, f.name) not in allowed]
    return bad + _unused(allowed, {(found.by, found.name) for found in inner})


def dear_imports(root, hot, dear, allowed):
    """Name what a hot room imports at the top of a file although it costs too much, and unused exceptions."""
    top = [found for found in imports(root) if not found.inside and any(belongs(found.by, room) for room in hot)]
    dear_ones = [found for found in top if found.name.split(".")[0] in dear]
    bad = [f"{f.where}: {f.by} imports {f.name}, too dear for a hook" for f in dear_ones if (f.by, f.name) not in allowed]
    not_a_fallback = [f for f in dear_ones if (f.by, f.name) in allowed and not f.fallback]
    bad += [f"{f.where}: {f.name} is allowed as a fallback, under `except ImportError` only" for f in not_a_fallback]
    return bad + _unused(allowed, {(found.by, found.name) for found in dear_ones})


def _unused(allowed, used):
    return [f"{by} no longer imports {name} this way: take it off the list" for by, name in allowed if (by, name) not in used]


# How old a Python may be


def unreadable(root, paths, version):
    """Name what a Python of this version cannot parse."""
    bad = []
    for path in paths:
        try:
            _parse(path, feature_version=version)
        except SyntaxError as error:
            bad.append(f"{path.relative_to(root)}:{error.lineno}: {error.msg}")
    return bad


def unions(root, paths):
    """Name `X | Y` where it is computed when the module loads, or as a second argument of isinstance."""
    return [f"{path.relative_to(root)}:{line}: {what}" for path in paths for line, what in _unions(_parse(path), at_load=True)]


def _unions(node, *, at_load):
    function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    computed = [node.returns, *(a.annotation for a in ast.walk(node.args) if isinstance(a, ast.arg))] if function else []
    computed += [node.annotation] if isinstance(node, ast.AnnAssign) and at_load else []
    computed += node.args[1:] if isinstance(node, ast.Call) and ast.unparse(node.func) in {"isinstance", "issubclass"} else []
    for part in filter(None, computed):
        if any(isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.BitOr) for inner in ast.walk(part)):
            yield part.lineno, ast.unparse(part)
    for child in ast.iter_child_nodes(node):
        yield from _unions(child, at_load=at_load and not function)


TOO_NEW = (
    *(ast.JoinedStr, ast.NamedExpr, ast.AnnAssign, ast.AsyncFunctionDef, ast.Await, ast.YieldFrom, ast.Nonlocal, ast.MatMult),
    *(getattr(ast, name) for name in ("Match", "TryStar", "TypeAlias", "TemplateStr") if hasattr(ast, name)),
)


def too_new_for_any_python(path):
    """Name what neither Python 2.7 nor an early Python 3 could parse."""
    return [f"{path.name}:{node.lineno}: {what}" for node in ast.walk(_parse(path)) if (what := _novelty(node))]


def _novelty(node):
    if isinstance(node, TOO_NEW):
        return type(node).__name__
    if isinstance(node, ast.FunctionDef):
        a = node.args
        every = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
        if node.returns or any(argument.annotation for argument in every):
            return "annotation"
        return "keyword-only or positional-only argument" if a.kwonlyargs or a.posonlyargs else None
    if isinstance(node, ast.Raise) and node.cause:
        return "raise ... from"
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "print":
        return None if len(node.args) == 1 and not node.keywords else "print is a statement in Python 2"
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)) and any(isinstance(item, ast.Starred) for item in node.elts):
        return "unpacking inside a display"
    return None


# How big


def function_lengths(root):
    """Return (lines, "file:line name") of every function, shortest first."""
    return sorted(
        (node.end_lineno - node.lineno + 1, f"{path.relative_to(root)}:{node.lineno} {node.name}")
        for path in modules(root).values()
        for node in ast.walk(_parse(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    )


def long_functions(root, *, p90):
    """Name the longest tenth of the functions, if even its shortest is longer than this."""
    lengths = function_lengths(root)
    tenth = lengths[int(len(lengths) * 0.9) :]
    return [f"{where}: {lines} lines" for lines, where in tenth] if tenth and tenth[0][0] > p90 else []


def large_rooms(root, *, lines):
    """Name the modules that are longer than this."""
    counted = [(path.relative_to(root), len(path.read_text(encoding="utf-8").splitlines())) for path in modules(root).values()]
    return [f"{path}:{lines + 1}: {count} lines, {lines} is the limit" for path, count in counted if count > lines]


def empty_names(root, banned):
    """Name modules and folders whose name says nothing."""
    names = [(path.relative_to(root), module.rpartition(".")[2]) for module, path in modules(root).items()]
    return [f"{path}:1: {name} says nothing about what is in it" for path, name in names if name in banned]


def unexpected_at_the_top(root, allowed):
    """Name what lies in the root folder and is neither allowed nor ignored."""
    ignored = (
        [line.strip("/") for line in Path(root, ".gitignore").read_text().split()] if Path(root, ".gitignore").exists() else []
    )
    there = sorted(path.name for path in Path(root).iterdir())
    return [name for name in there if name not in allowed and not any(fnmatch(name, pattern) for pattern in [".git", *ignored])]
