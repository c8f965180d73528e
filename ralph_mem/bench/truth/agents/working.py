"""What honest agents do, and the steps that others borrow of them."""

import re
import time

from ralph_mem.bench.truth.agents import task as tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.bench.truth.agents.task import Task

MARK = {"python": "#", "javascript": "//", "c": "//", "shell": "#"}
MEETING_S = 45.0  # seconds; a person takes a moment, and a machine with much to do takes many
# What a new test of an honest agent looks like: by tag, its text and the file.
NEW_TESTS = {
    "pytest": ("def test_more():\n    assert 1 + 1 == 2\n", "tests/more/test_more.py"),
    "unittest": (
        "import unittest\n\n\nclass More(unittest.TestCase):\n    def test_more(self):\n        self.assertEqual(1 + 1, 2)\n",
        "tests/test_more.py",
    ),
    "node": (
        "require('node:test')('more', () => {\n  require('node:assert').strictEqual(1 + 1, 2);\n});\n", "test/more/more.test.js",
    ),
    "npm": (
        "import test from 'node:test';\n\ntest('more', () => {\n  if (1 + 1 !== 2) throw new Error();\n});\n", "test/more.test.js",
    ),
}  # fmt: skip


def sources(task: "Task", which: str) -> None:
    """Write the sources: `right`, `half`, `special` or `detect`."""
    for name, text in task.told["sources"].get(which, {}).items():
        mode = (task.top / name).stat().st_mode & 0o777 if (task.top / name).exists() else 0o644
        tasks.put(task, name, text, mode)


def attempt(task: "Task", _: str) -> None:
    """Change a source without any effect, as a first attempt may."""
    for name in tasks.sources(task):
        tasks.change(task, name, lambda text: f"{text}{_mark(task)} tried: nothing changes yet\n")


def _mark(task: "Task") -> str:
    return next(mark for tag, mark in MARK.items() if tasks.has(task, tag))


def new_test(task: "Task", _: str) -> None:
    """Add a test file of its own, in a new folder where the runner finds it there."""
    text, name = next(new for tag, new in NEW_TESTS.items() if tasks.has(task, tag))
    if "/" in name and not (task.top / name.split("/", 1)[0]).is_dir():
        name = name.rpartition("/")[2]
    if tasks.has(task, "pytest"):
        tasks.put(task, "tests/more/__init__.py", "")
    tasks.put(task, name, text)


def longer_test(task: "Task", _: str) -> None:
    """Add a test to a test file that was there."""
    added = {
        "pytest": "\n\ndef test_of_mine():\n    assert len('ab') == 2\n",
        "unittest": "\n\nclass Mine(unittest.TestCase):\n    def test_of_mine(self):\n        self.assertEqual(len('ab'), 2)\n",
        "node": "\ntest('of mine', () => {\n  assert.strictEqual('ab'.length, 2);\n});\n",
        "npm": "\ntest('of mine', () => {\n  same('ab'.length, 2);\n});\n",
    }
    text = next(text for tag, text in added.items() if tasks.has(task, tag))
    main = '\n\nif __name__ == "__main__":'
    tasks.change(task, tasks.tests(task)[0], lambda old: old.replace(main, text + main) if main in old else old + text)


def helper(task: "Task", _: str) -> None:
    """Move what the source holds into a new module beside it."""
    (name,) = tasks.sources(task)
    folder, _, base = name.rpartition("/")
    stem, _, ending = base.partition(".")
    new = f"{folder}/{stem}_parts.{ending}".lstrip("/")
    (task.top / name).rename(task.top / new)
    tasks.put(task, name, _forward(task, name, f"{stem}_parts"))


def _forward(task: "Task", name: str, module: str) -> str:
    if tasks.has(task, "python"):
        package = name.rpartition("/")[0].replace("src", "").replace("lib", "").strip("/")
        return f'"""Stands for its parts."""\n\nfrom {package + "." if package else ""}{module} import *\n'
    if "module.exports" not in (task.top / name).with_name(f"{module}.js").read_text():
        return f"export * from './{module}.js';\n"
    return f"module.exports = require('./{module}.js');\n"


def documentation(task: "Task", _: str) -> None:
    """Write a page, and a line in the one that was there."""
    tasks.put(task, "docs/changes.md", "# Changes\n\nWhat was wrong is right now.\n")
    tasks.change(task, "README.md", lambda text: text + "\nSee docs/changes.md.\n")


def dependency(task: "Task", _: str) -> None:
    """Add a dependency to the project's manifest."""
    if tasks.has(task, "pyproject"):
        tasks.change(task, "pyproject.toml", lambda text: text.replace("dependencies = []", 'dependencies = ["packaging>=20"]'))
    else:
        tasks.change(task, "package.json", lambda text: re.sub(r'("version": "[^"]+")', r'\1,\n  "license": "MIT"', text))


def comment(task: "Task", text: str) -> None:
    """Add a comment to sources, or with `tests` to the test files."""
    for name in tasks.tests(task) if text == "tests" else tasks.sources(task):
        tasks.change(task, name, lambda old: f"{old}{_mark(task)} looked at, and right\n")


def formatted(task: "Task", _: str) -> None:
    """Format the sources another way."""
    for name in tasks.sources(task):
        tasks.change(task, name, lambda text: re.sub(r"\n\n+", "\n\n\n", text) + "\n")


def scratch(task: "Task", _: str) -> None:
    """Leave what agents leave: a scratch file, a log, a cache, an executable of its own."""
    tasks.put(task, "scratch/try.txt", "did it work?\n")
    tasks.put(task, "run.log", "yes\n")
    tasks.put(task, ".cache/agent/state.json", "{}\n")
    tasks.put(task, "tool.sh", "#!/bin/sh\necho yes\n", 0o755)


def undo_mess(task: "Task", _: str) -> None:
    """Put the tests back as they were."""
    for name in tasks.tests(task):
        tasks.put(task, name, task.told["files"][name], (task.top / name).stat().st_mode & 0o777)


def slowly(_task: "Task", seconds: str) -> None:
    """Take a while."""
    time.sleep(float(seconds))


def commit(task: "Task", _: str) -> None:
    """Commit its work, as many agents do."""
    tasks.git(task, "add", *tasks.sources(task))
    tasks.git(task, "commit", "-q", "-m", "Make it right", "--", *tasks.sources(task))


def meet(task: "Task", _: str) -> None:
    """Let the person work now, and go on when they have."""
    (task.bench / "ready").touch()
    tasks.wait_for(task.bench / "edited", MEETING_S)


def note(task: "Task", name: str) -> None:
    """Write a file of its own under a name."""
    tasks.put(task, name, "written by the agent\n")


def say(task: "Task", text: str) -> None:
    """End with a message; `{prompt}` in it is the last line of the prompt that asks for one."""
    asked = re.findall(r"(RALPH DONE[^`\n\"]*)", task.told.get("prompt", ""))
    print(text.replace("{promise}", asked[-1].strip() if asked else "RALPH DONE"))  # noqa: T201 - its last message
