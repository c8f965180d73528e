"""The walls of the house, found by walking the tree with `ast`: what imports what, where, and how big things are."""

import ast
import functools
import re
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
    return list(_imports(root, tuple((by, path, path.stat().st_mtime_ns) for by, path in known.items())))


@functools.cache
def _imports(root, files):
    known = {by: path for by, path, _ in files}
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
    return _parsed(path.read_text(encoding="utf-8"), str(path), **options)


@functools.cache
def _parsed(text, name, **options):
    """Return the tree of a text: every rule looks at all of them, and none changes one."""
    return ast.parse(text, name, **options)


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


def rule_of(folders, path):
    """Return what is said of the nearest folder above a path."""
    return next(folders[str(above)] for above in (path, *Path(path).parents) if str(above) in folders)


def _is_package(found):
    return not is_ours(found.name) and found.name != DYNAMIC and found.name.split(".")[0] not in sys.stdlib_module_names


def matches(name, glob):
    """Say whether a glob of pyproject.toml, with alternatives in braces and `**`, takes a file's name."""
    start, opened, rest = glob.partition("{")
    if not opened:
        return fnmatch(name, glob)
    words, _, end = rest.partition("}")
    return any(matches(name, start + word + end) for word in words.split(","))


def strangers(root, folders):
    """Name imports of packages that the folder may not import; `folders` maps a folder to (oldest Python, packages)."""
    return [
        f"{found.where}: {found.by} imports {found.name}, which its folder has to do without"
        for found in imports(root)
        if _is_package(found) and found.name.split(".")[0] not in rule_of(folders, found.where.rpartition(":")[0])[1]
    ]


def leaks(root, folders):
    """Name imports by which a folder without packages would reach one after all, over any number of modules."""
    steps = {}
    for found in imports(root):
        steps.setdefault(found.by, []).append(found)
    reach = {found.by for found in imports(root) if _is_package(found)}
    while True:
        more = {by for by, ways in steps.items() if any(way.name in reach for way in ways)} - reach
        if not more:
            break
        reach |= more
    return [
        f"{found.where}: {found.by} has to do without packages, {found.name} does not"
        for found in imports(root)
        if found.name in reach and not rule_of(folders, found.where.rpartition(":")[0])[1]
    ]


def packages_out_of_place(root, importer_of):
    """Name imports of a package by another module than the one that it belongs to."""
    owned = [(found, importer_of.get(found.name.split(".")[0])) for found in imports(root)]
    return [
        f"{found.where}: {found.by} imports {found.name}, which belongs to {owner}"
        for found, owner in owned
        if owner and found.by.rpartition(".")[2] != owner
    ]


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


def doors_between(root, entrances):
    """Name imports of one entrance by another."""

    def entrance(module):
        return next((each for each in entrances if belongs(module, f"{PACKAGE}.{each}")), None)

    ours = [(found, entrance(found.by), entrance(found.name)) for found in imports(root)]
    return [f"{found.where}: {found.by} imports {found.name}, another entrance" for found, a, b in ours if a and b and a != b]


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


def inner_imports(root):
    """Name imports inside functions without a reason: a comment `lazy: why` on their line or on the one above."""
    bad = []
    for found in imports(root):
        path, _, line = found.where.rpartition(":")
        around = Path(root, path).read_text(encoding="utf-8").splitlines()[max(0, int(line) - 2) : int(line)]
        if found.inside and not any("# lazy: " in each for each in around):
            bad.append(f"{found.where}: {found.by} imports {found.name} inside a function")
    return bad


def dear_imports(root, hot, dear, allowed, cold=()):
    """Name what a hot room imports at the top of a file although it costs too much, and unused exceptions.

    `cold` are modules inside of hot rooms that no hook loads; a hot module that imports one is named, too.
    """
    warm = [found for found in imports(root) if any(belongs(found.by, room) for room in hot) and found.by not in cold]
    top = [found for found in warm if not found.inside]
    dear_ones = [found for found in top if found.name.split(".")[0] in dear]
    bad = [f"{f.where}: {f.by} imports {f.name}, too dear for a hook" for f in dear_ones if (f.by, f.name) not in allowed]
    not_a_fallback = [f for f in dear_ones if (f.by, f.name) in allowed and not f.fallback]
    bad += [f"{f.where}: {f.name} is allowed as a fallback, under `except ImportError` only" for f in not_a_fallback]
    bad += [f"{found.where}: {found.by} imports {found.name}, which is for no hook" for found in warm if found.name in cold]
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


# What they say of themselves

LONGEST_SENTENCE = 20


def unclear_docstrings(root, folders, but=()):
    """Name modules in these folders that do not begin with one plain sentence of a few words that says what they are.

    A colon stands for `Name: remark`, which says less than a sentence. `but` are folders and modules to leave out.
    """
    inside = [
        path
        for path in modules(root).values()
        if _is_in(path.relative_to(root), folders) and not _is_in(path.relative_to(root), but)
    ]
    told = [(path.relative_to(root), (ast.get_docstring(_parse(path)) or "").partition("\n\n")[0]) for path in inside]
    first = [(path, re.split(r"(?<=\.)(?=\s|$)", " ".join(text.split()), maxsplit=1)[0]) for path, text in told]
    return [f"{path}:1: {why}" for path, sentence in first if (why := _unclear(sentence))]


def _is_in(path, folders):
    return any(str(each) in folders for each in (path, *path.parents))


def _unclear(sentence):
    if not sentence.endswith("."):
        return "no sentence says what it is"
    if len(sentence.split()) > LONGEST_SENTENCE:
        return f"its first sentence has {len(sentence.split())} words, {LONGEST_SENTENCE} are the limit"
    return "its first sentence has a colon" if re.search(r"[^\"]: ", sentence) else ""
