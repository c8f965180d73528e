"""Real work to remember: what tools of this machine print, what is written in its standard library, tracebacks of real mistakes.

Everything goes through the hooks' own functions, as the client would send it. Which texts there are depends on the Python
that runs; how they are picked does not.
"""

import ast
import contextlib
import dis
import inspect
import io
import json
import os
import pydoc
import subprocess
import sys
import sysconfig
import traceback
import unittest
from difflib import unified_diff
from pathlib import Path

LIBRARY = Path(sysconfig.get_path("stdlib"))
MISTAKES = (
    "import nowhere.at.all", "{}['missing']", "[1, 2][7]", "int('seven')", "1 / 0", "'a' + 1", "None.strip()",
    "open('/no/such/file')",
    "f(", "json.loads('{')", "json.dumps(object())", "bytes([300])", "'\\xff'.encode('ascii')", "b'\\xff'.decode()", "undefined",
    "max([])", "next(iter([]))", "(lambda a: a)()", "assert [1, 2] == [1, 3]", "raise OSError(28, 'No space left on device')",
    "ast.literal_eval('a + b')", "a, b = 1, 2, 3", "{}.popitem()", "'%d' % 'x'", "sys.setrecursionlimit(-1)",
    "os.listdir('/no/such/folder')",
)  # fmt: skip
TESTS = """
import pytest

PRICES = {"lamp": 1200, "fuse": 35, "wire": 210}


def total(names, rate=0.19):
    return round(sum(PRICES[name] for name in names) * (1 + rate))


@pytest.mark.parametrize("names, expected", [(["lamp"], 1428), (["fuse", "wire"], 292), (["lamp", "bulb"], 1500)])
def test_total(names, expected):
    assert total(names) == expected


def test_the_lists_agree():
    assert sorted(PRICES) == ["fuse", "lamp", "plug"]
"""
MAKEFILE = "all: a.o b.o\n%.o:\n\t@echo cc -O2 -Wall -c $*.c -o $@\nbroken:\n\t@echo 'b.c:14:9: error: lamp undeclared'; exit 2\n"


class Sources:
    """The functions of the standard library: names, sources, documentation."""

    def __init__(self, drawn):
        self.files = [file for file in sorted(LIBRARY.glob("*.py")) if file.stat().st_size > 4000]
        self.drawn = drawn
        self.functions = []
        for file in drawn.sample(self.files, 40):
            text = file.read_text(errors="replace")
            lines = text.splitlines(keepends=True)
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
                    body = "".join(lines[node.lineno - 1 : node.end_lineno])
                    self.functions.append((file.name, node.name, body, ast.get_docstring(node)))

    def one(self):
        return self.drawn.choice(self.functions)


def printed(call, *given):
    """Return what a call prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        call(*given)
    return out.getvalue()


def ran(folder, *order):
    """Return the exit code and the output of a real command."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}
    done = subprocess.run(order, cwd=folder, capture_output=True, text=True, timeout=120, env=environment)
    return done.returncode, done.stdout + done.stderr


def commands(folder, drawn):
    """Return (command, exit code, output) of real commands, and of tools run inside this process."""
    (folder / "test_prices.py").write_text(TESTS)
    (folder / "Makefile").write_text(MAKEFILE)
    python = [sys.executable, "-m"]
    found = [
        (" ".join(order).replace(sys.executable, "python"), *ran(folder, *order))
        for order in (
            [*python, "pytest", "-q", "-p", "no:cacheprovider", "test_prices.py"],
            [*python, "pytest", "-q", "-p", "no:cacheprovider", "test_prices.py", "-k", "fuse"],
            [*python, "pytest", "-v", "-p", "no:cacheprovider", "--tb=long", "test_prices.py"],
            ["make", "all"], ["make", "broken"], ["make", "lantern"], [*python, "json.tool", "Makefile"],
            [*python, "compileall", "-f", "."], [*python, "timeit", "-n", "1", "-r", "1", "pass"],
        )
    ]  # fmt: skip
    found += [(f"python -c {mistake!r}", 1, failure(mistake)) for mistake in MISTAKES]
    modules = [ast, contextlib, dis, inspect, json, subprocess, traceback, unittest]
    for module in modules:
        functions = [value for _, value in inspect.getmembers(module, inspect.isfunction)]
        function = drawn.choice(functions)
        found.append((f"python -m pydoc {module.__name__}", 0, pydoc.plain(pydoc.render_doc(module))))
        found.append((f"python -m dis {module.__name__}.{function.__name__}", 0, printed(dis.dis, function)))
        found.append((f"python -m inspect {module.__name__}:{function.__name__}", 0, inspect.getsource(function)))
    listing = "\n".join(f"{file.stat().st_size:>9} {file.name}" for file in sorted(LIBRARY.glob("*.py")))
    return [*found, ("python tools/sizes.py", 0, listing), ("python -m sysconfig", 0, printed(sysconfig._main))]


def failure(mistake):
    """Return the traceback of a mistake, with the paths of somebody's project."""
    try:
        exec(compile(mistake, "src/lamps/prices.py", "exec"), {"json": json, "ast": ast, "sys": sys, "os": os})
    except Exception:  # noqa: BLE001 - all of them are meant
        return "Exit code 1\n" + traceback.format_exc()
    raise AssertionError(mistake)


def work(session, drawn, folder, turns):
    """Have so many turns: a question about a function, commands, edits, pages, and an answer."""
    sources, known = Sources(drawn), commands(folder, drawn)
    for _ in range(turns):
        file, name, _, told = sources.one()
        question = drawn.choice(("Why does {} in {} behave like this? {}", "Change {} in {}. {}", "{}, see {}: {}"))
        session.asks(question.format(name, file, told[: drawn.choice((60, 200, 900))]))
        for _ in range(drawn.randint(4, 10)):
            happens(session, drawn, sources, known)
        session.is_answered(drawn.choice((told[:4000], f"{name} is changed. {told[:300]}", "Done.")))


def happens(session, drawn, sources, known):
    """Let one tool be used."""
    kind = drawn.choice(("command", "command", "command", "edit", "edit", "write", "page"))
    if kind == "command":
        command, code, output = drawn.choice(known)
        session.runs(command, output, error=f"Exit code {code}\n{output}" if code else None)
        return
    file, name, body, told = sources.one()
    _, _, other, _ = sources.one()
    if kind == "edit":
        changed = body.replace("self", "this").replace("return", "yield", 1) + drawn.choice(("", "\n" + other[:400]))
        session.edits(f"src/lamps/{file}", body[:3000], changed[:3000])
    elif kind == "write":
        difference = "".join(unified_diff(body.splitlines(True), other.splitlines(True), file, file))
        session.uses("Write", {}, file_path=f"{session.project.root}/patches/{name}.diff", content=difference)
    else:
        session.uses(
            "WebFetch", {"result": told}, url=f"https://docs.example/library/{file}#{name}", prompt=f"What does {name} do?"
        )
