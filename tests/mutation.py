"""Are mistakes caught? Changes one line of the product after the other, and counts those that the tests of `make test` notice.

    python -m tests.mutation [HOW_MANY [SEED]]

Each change is one that a person makes: a comparison or a condition the other way round, a number that is off by one, a statement
that is not there. It is made in a copy of the tree. Of the tests those run that lie where the module lies or import it, until
one fails: what they let through another test may still notice, so that the count is a lower bound.
"""

import ast
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TIERS = ("-m", "not check and not nightly", "--hypothesis-profile=quick")
OTHER_WAY = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
OTHER_WAY |= {ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}
# Enough for the slowest files; a mutant that loops forever is a mutant that is caught.
MOST_S = 1200
CAUGHT, MISSED, RED = "caught", "MISSED", "red"

Change = namedtuple("Change", "path line what source")


def changes_of(path):
    """Return every change that can be made to a file, each with the whole text that it leads to."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    # where a node of an f-string stands, Python 3.11 does not tell
    unplaced = {each for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for each in ast.walk(node)}
    for node in dict.fromkeys(each for function in functions for each in ast.walk(function) if each not in unplaced):
        for what, new in _of(node):
            yield Change(path.relative_to(ROOT), node.lineno, what, _replaced(source, node, new))


def _of(node):
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER_WAY and len(node.ops) == 1:
        yield "comparison", ast.unparse(ast.Compare(node.left, [OTHER_WAY[type(node.ops[0])]()], node.comparators))
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield "number", str(node.value + 1)
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield "truth", str(not node.value)
    if isinstance(node, (ast.If, ast.While)):
        yield "condition", f"(not ({ast.unparse(node.test)}))"
    if isinstance(node, (ast.AugAssign, ast.Raise)) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield "statement", "pass"


def _replaced(source, node, new):
    node = node.test if isinstance(node, (ast.If, ast.While)) else node
    lines = source.encode().split(b"\n")
    first, last = lines[node.lineno - 1], lines[node.end_lineno - 1]
    whole = first[: node.col_offset] + new.encode() + last[node.end_col_offset :]
    return b"\n".join([*lines[: node.lineno - 1], whole, *lines[node.end_lineno :]]).decode()


def tests_of(path):
    """Return the test files that have to do with a module, the nearest first."""
    module = ".".join(path.with_suffix("").parts)
    package, _, name = module.rpartition(".")
    there = ROOT / "tests" / Path(*path.parts[1:-1])
    imports = re.compile(rf"^\s*(from {package} import .*\b{name}\b|(from|import) {module}\b)", re.MULTILINE)
    every = sorted((ROOT / "tests").rglob("test_*.py"))
    found = [there / f"test_{name}.py", *[file for file in every if imports.search(file.read_text(encoding="utf-8"))]]
    found += [file for file in every if file.parent == there]
    return [str(file.relative_to(ROOT)) for file in dict.fromkeys(found) if file.exists()]


def fate_of(change, tree):
    """Say what becomes of a change in a copy of the tree: caught, missed, or `red` where the test fails without it too."""
    file = tree / change.path
    kept = file.read_text(encoding="utf-8")
    file.write_text(change.source, encoding="utf-8")
    try:
        ran = _tested(tests_of(change.path), tree)
    except subprocess.TimeoutExpired:
        return CAUGHT
    finally:
        file.write_text(kept, encoding="utf-8")
    if ran.returncode == 0:
        return MISSED
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", ran.stdout, re.MULTILINE)
    return RED if failed and _tested(failed, tree).returncode else CAUGHT


def _tested(what, tree):
    order = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *TIERS, *what]
    return subprocess.run(order, cwd=tree, capture_output=True, text=True, timeout=MOST_S)


def main(how_many=100, seed=1):
    """Change so many lines, by chance, and print what became of each."""
    rng = random.Random(seed)
    files = sorted(path for path in (ROOT / "ralph_mem").rglob("*.py") if path.name != "__main__.py")
    everything = [change for path in files for change in changes_of(path)]
    fates = []
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        for change in rng.sample(everything, how_many):
            fates.append(fate_of(change, Path(folder)))
            print(f"{fates[-1]:8}{change.path}:{change.line} {change.what}", flush=True)
    print(f"{fates.count(CAUGHT)} of {len(fates) - fates.count(RED)} caught")


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    main(*map(int, sys.argv[1:]))
