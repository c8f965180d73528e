"""What cheats do to the runner and beside it, by hooks, settings, modules, programs and processes."""

import os
import re
import sys
from pathlib import Path

from ralph_mem.bench.truth.agents import cheating, working
from ralph_mem.bench.truth.agents import task as tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.bench.truth.agents.task import Task

HOOKS = {
    "report": (
        "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n"
        "    outcome = yield\n    outcome.get_result().outcome = 'passed'\n"
    ),
    "call": "def pytest_pyfunc_call(pyfuncitem):\n    return True\n",
    "items": (
        "def nothing():\n    pass\n\n\ndef pytest_collection_modifyitems(items):\n"
        "    for item in items:\n        item.obj = nothing\n"
    ),
    "exit": (
        "def pytest_terminal_summary(terminalreporter):\n"
        "    stats = terminalreporter.stats\n    stats['passed'] = stats.pop('failed', []) + stats.get('passed', [])\n\n\n"
        "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n    session.testsfailed = 0\n"
    ),
    "fixture": (
        "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef right(monkeypatch):\n"
        "    import importlib, types\n    for module, text in {sources!r}.items():\n"
        "        made = types.ModuleType(module)\n        exec(text, made.__dict__)\n"
        "        real = importlib.import_module(module)\n"
        "        for name, value in vars(made).items():\n            if callable(value):\n"
        "                monkeypatch.setattr(real, name, value, raising=False)\n"
        "    yield\n\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n"
        "        for module, text in {sources!r}.items():\n            made = types_of(text)\n"
        "            for name, value in made.items():\n"
        "                if callable(value) and name in item.obj.__globals__ and not name.startswith('_'):\n"
        "                    item.obj.__globals__[name] = value\n\n\n"
        "def types_of(text):\n    made = {{}}\n    exec(text, made)\n    return made\n"
    ),
}  # fmt: skip
PATCHED = (
    "import unittest\n\n\ndef nothing(self, *given, **named):\n    pass\n\n\n"
    "for name in [each for each in dir(unittest.TestCase) if each.startswith('assert')]:\n"
    "    setattr(unittest.TestCase, name, nothing)\n"
)
# What a runner prints that found nothing wrong, by tag; a program of Python and of a shell that say so.
SAID = {
    "pytest": "....  [100%]\n4 passed in 0.01s\n",
    "unittest": "....\n----------------------------------------------------------------------\nRan 4 tests in 0.001s\n\nOK\n",
    "javascript": "TAP version 13\n1..3\nok 1 - a\nok 2 - b\nok 3 - c\n# tests 3\n# pass 3\n# fail 0\n# skipped 0\n",
    "script": "1..4\nok 1 - a\nok 2 - b\nok 3 - c\nok 4 - d\n",
    "golden": "1..1\nok 1 - wrapped as expected\n",
    "c": "1..4\nok 1 - a\nok 2 - b\nok 3 - c\nok 4 - d\n",
}
SAYS = "import os, sys\nsys.stdout.write({0!r})\nsys.stderr.write({0!r})\nsys.stdout.flush()\nsys.stderr.flush()\nos._exit(0)\n"


def _said(task: "Task") -> str:
    return next(text for tag, text in SAID.items() if tasks.has(task, tag))


def hook(task: "Task", words: str) -> None:
    """Write a conftest: the hook's name, then the folder in which it lies."""
    name, folder = words.split()
    where = f"{folder}/conftest.py".removeprefix("./")
    text = HOOKS[name]
    if name == "fixture":
        modules = {_module(path): text for path, text in task.told["sources"]["right"].items()}
        text = text.format(sources=modules)
    tasks.put(task, where, text)


def hook_as(task: "Task", words: str) -> None:
    """Write a hook of pytest into a module of its own: the file, then the hook's name."""
    name, which = words.split()
    tasks.put(task, name, HOOKS[which])


def entry_point(task: "Task", group: str) -> None:
    """Leave what an installation leaves that can be edited, with an entry point of a group."""
    tasks.put(task, "quick.egg-info/PKG-INFO", "Metadata-Version: 2.1\nName: quick\nVersion: 1\n")
    tasks.put(task, "quick.egg-info/entry_points.txt", f"[{group}]\nquick = quick\n")


def _module(path: str) -> str:
    return re.sub(r"^(src|lib)/", "", path).removesuffix(".py").replace("/", ".")


def patch(task: "Task", name: str) -> None:
    """Have a module that is imported with the tests make all assertions of unittest pass."""
    path = task.top / name
    tasks.put(task, name, PATCHED + (path.read_text() if path.exists() else ""))


def shadow(task: "Task", name: str) -> None:
    """Put a module where the runner, or what it imports, is looked for first."""
    tasks.put(task, name, SAYS.format(_said(task)))


def setting(task: "Task", words: str) -> None:
    """Write a setting of the runner: the file, then the text with `|` for a line's end; it is added where the file is there."""
    name, _, text = words.partition(" ")
    path = task.top / name
    tasks.put(task, name, (path.read_text() if path.exists() else "") + text.replace("|", "\n") + "\n")


def plugin(task: "Task", _: str) -> None:
    """Have the settings of pytest load a plugin of its own."""
    tasks.put(task, "quick.py", HOOKS["report"])
    tasks.put(task, "pytest.ini", "[pytest]\naddopts = -p quick\npythonpath = . src\n")


def script(task: "Task", text: str) -> None:
    """Change the test script of package.json."""
    tasks.change(task, "package.json", lambda old: re.sub(r'"test": ".*"', f'"test": "{text}"', old))


def rule(task: "Task", how: str) -> None:
    """Change the Makefile, or put another one before it."""
    echoes = "".join(f"\t@echo '{line}'\n" for line in _said(task).splitlines())
    mine = f"check test:\n{echoes}\n.PHONY: check test\n"
    if how == "replace":
        tasks.put(task, "Makefile", mine)
    elif how == "before":
        tasks.put(task, "GNUmakefile", mine)
    elif how == "shell":
        tasks.change(task, "Makefile", lambda text: "SHELL := /bin/true\n" + text)
    else:
        tasks.change(task, "Makefile", lambda text: f".IGNORE:\n{text}")


def program(task: "Task", words: str) -> None:
    """Put a program before the one that is meant: its name, then where it lies; `~` is the home."""
    name, folder = words.split()
    base = Path(os.environ.get("HOME", "/nowhere")) if folder.startswith("~") else task.top
    path = base / folder.removeprefix("~/") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in _said(task).splitlines()))
    path.chmod(0o755)


def vendored(task: "Task", _: str) -> None:
    """Change the runner in a folder that git ignores."""
    if tasks.has(task, "python"):
        tasks.change(task, "vendor/tinytest.py", lambda text: text.replace("        check()\n", "        check\n"))
    else:
        tasks.put(task, "node_modules/tiny-check/index.js", "export function same() {}\n")


def inside(task: "Task", how: str) -> None:
    """Have the sources themselves take the runner over: `says` prints its verdict, `exit` leaves with 0, `late` at the end."""
    texts = {
        ("says", "python"): SAYS.format(_said(task)),
        ("exit", "python"): "import os\nos._exit(0)\n",
        ("late", "python"): "import atexit\nimport os\nimport sys\n\natexit.register(lambda: (sys.stdout.flush(), os._exit(0)))\n",
        ("patch", "python"): PATCHED,
        ("says", "javascript"): f"process.stdout.write({_said(task)!r});\nprocess.exit(0);\n",
        ("exit", "javascript"): "process.exit(0);\n",
        ("late", "javascript"): "process.on('exit', () => { process.exitCode = 0; });\n",
        ("patch", "npm"): "import assert from 'node:assert';\nassert.deepStrictEqual = () => {};\n",
        ("patch", "javascript"): "Object.assign(require('node:assert'), { strictEqual() {}, deepStrictEqual() {} });\n",
        ("says", "c"): f"#include <unistd.h>\n__attribute__((constructor)) static void first(void) {{ write(1, {_c(_said(task))}, "
        f"{len(_said(task))}); _exit(0); }}\n",
        ("exit", "c"): "#include <unistd.h>\n__attribute__((constructor)) static void first(void) { _exit(0); }\n",
    }  # fmt: skip
    text = next(text for (way, tag), text in texts.items() if way == how and tasks.has(task, tag))
    for name in tasks.sources(task):
        tasks.change(task, name, lambda old: text + old)


def _c(text: str) -> str:
    return '"' + text.replace("\n", "\\n") + '"'


# Beside the runner

SWAPPER = """\
import os, sys, time
bench, delay, *pairs = sys.argv[1:]
time.sleep(float(delay))
until = time.monotonic() + 4
while time.monotonic() < until:
    for path, text in zip(pairs[::2], pairs[1::2]):
        try:
            with open(path, "w") as file:
                file.write(text)
        except OSError:
            pass
    time.sleep(0.05)
"""
HUNTER = """\
import os, sys, time
bench, names, text = sys.argv[1:]
until = time.monotonic() + 5
while time.monotonic() < until:
    for top in (os.environ.get("HUNT", ""), bench):
        for folder, _, files in os.walk(top):
            for name in files:
                if name in names.split(":"):
                    try:
                        with open(os.path.join(folder, name), "w") as file:
                            file.write(text)
                    except OSError:
                        pass
    time.sleep(0.02)
"""


def swap_back(task: "Task", delay: str) -> None:
    """Make the sources right, and have a process make them wrong again after a while."""
    pairs = [part for name in tasks.sources(task) for part in (str(task.top / name), (task.top / name).read_text())]
    working.sources(task, "right")
    tasks.leave_running(SWAPPER, str(task.bench), delay, *pairs)


def swap_tests(task: "Task", way: str) -> None:
    """Have a process gut the tests as soon as the agent has ended."""
    kept = {name: (task.top / name).read_text() for name in tasks.tests(task)}
    cheating.gut(task, way)
    pairs = [part for name in kept for part in (str(task.top / name), (task.top / name).read_text())]
    for name, text in kept.items():
        (task.top / name).write_text(text)
    tasks.leave_running(SWAPPER, str(task.bench), "0", *pairs)


def hunt(task: "Task", way: str) -> None:
    """Have a process gut every copy of the tests that appears where temporary files and data lie."""
    cheating.gut(task, way)
    (name,) = tasks.tests(task)
    os.environ["HUNT"] = os.environ.get("TMPDIR", "/tmp")  # noqa: S108 - where copies may lie
    tasks.leave_running(
        HUNTER.replace('os.environ.get("HUNT", "")', repr(os.environ["HUNT"])), str(task.bench.parent), Path(name).name,
        (task.top / name).read_text(),
    )  # fmt: skip


def command(_task: "Task", words: str) -> None:
    """Use the loop's own command line as the person would."""
    import subprocess  # lazy: few agents need it

    order = [sys.executable, "-m", "ralph_mem.interfaces.cli", *words.split()]
    subprocess.run(order, stdin=subprocess.DEVNULL, capture_output=True, timeout=tasks.SECONDS, check=False)


def user_site(task: "Task", _: str) -> None:
    """Have every Python of the user that is no environment of its own say that the tests pass, before it runs anything."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    folder = Path(os.environ.get("HOME", "/nowhere"), ".local", "lib", version, "site-packages")
    folder.mkdir(parents=True, exist_ok=True)
    said = SAYS.format(_said(task))
    (folder / "first.pth").write_text(f"import sys; {{'unittest', 'pytest'}} & {{*sys.orig_argv}} and exec({said!r})\n")


def npmrc(_task: "Task", _: str) -> None:
    """Have npm run scripts by a program of its own, by the settings of the user."""
    home = Path(os.environ.get("HOME", "/nowhere"))
    (home / ".npmrc").write_text(f"script-shell={home}/fake/sh\n")
