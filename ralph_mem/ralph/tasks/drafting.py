"""Have the agent write the first draft of a plan into a new file; nothing of it is run."""

import os
import re
import shlex

from ralph_mem.core import paths
from ralph_mem.core.errors import LoopError
from ralph_mem.hosts.claude_code import launch
from ralph_mem.ralph.agents import command, presets
from ralph_mem.ralph.tasks import reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.ralph.options import Wish

NAME = "plan.md"
TRIES = 2  # a draft that cannot be read goes back once, with the reason
MOST_SECONDS = 900  # to read a project and write a page takes an agent some minutes
FENCED = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
PROMPT = """\
Read this project and write a plan for the goal below: a list of tasks, each small enough for one sitting, each proved by commands
or tests that fail before it is done and pass afterwards. Change no file. Answer with the plan alone, in this form:

# {title}

- [ ] What is to be done, in one line
  check: COMMAND that exits with 0 when it is done; no shell, no pipes
  test: tests/test_cart.py::test_total
  files: src/**, docs/*.md
- [ ] The next task
  test: tests/test_cart.py::test_tax
  after: 1

`check:` and `test:` may stand several times, and one of them has to. `test:` names one test of pytest or unittest that has to exist
and pass, or in Go `cart/cart_test.go::TestTotal`. `files:` are the only files that the task may change, `after:` the numbers of the
tasks that it needs; both may be left out. No title stands there twice.

<goal>
{goal}
</goal>
"""
AGAIN = "\nYour last answer cannot be used: {why} ({hint}). It was:\n\n{text}\n"


def check(project: "Project", wished: "Wish") -> "tuple[str, str]":
    """Return the name and the path of the file that a draft goes into. Raises LoopError where it is there already."""
    name = wished.plan or NAME
    path = os.path.join(project.top, name)
    if os.path.lexists(path):
        raise LoopError(f"{name} is there already", f"name another file: --plan {'tasks.md' if name == NAME else NAME}")
    if name.endswith(reading.IN_YAML):
        raise LoopError("a draft is written in Markdown", "name a file such as --plan plan.md")
    return name, path


def draft(project: "Project", wished: "Wish", told: "Any" = None) -> "reading.Plan":
    """Have a plan for the goal drafted into the file that is wished for, which must not be there yet; returns it.

    Raises LoopError where the agent gives none, and then no file is written.
    """
    name, path = check(project, wished)
    problem, prompt = "", PROMPT.format(title=" ".join(wished.goal.split())[:80], goal=wished.goal)
    for _ in range(TRIES):
        text = plan_in(_asked(project, wished, prompt, told))
        try:
            plan = reading.parse(project.top, name, text, wished.timeout_s)
        except LoopError as error:
            prompt = PROMPT.format(title="...", goal=wished.goal) + AGAIN.format(why=error, hint=error.hint, text=text)
            problem = str(error)
            continue
        _write(path, name, text)
        return plan
    raise LoopError(
        f"the agent gave no plan that can be used: {problem}", "try again, or write it yourself: docs/loop.md has an example"
    )


def plan_in(message: str) -> str:
    """Return the plan that an answer holds: in a block of code, or from its first heading or task on."""
    found: list[str] = [block for _, block in FENCED.findall(message) if "[ ]" in block]
    if found:
        return max(found, key=len)
    lines = message.strip().split("\n")
    first = next((at for at, line in enumerate(lines) if line.startswith("#") or "[ ]" in line), 0)
    return "\n".join(lines[first:]) + "\n"


def _asked(project: "Project", wished: "Wish", prompt: str, told: "Any") -> str:
    seconds = min(MOST_SECONDS, wished.limits.duration_ms / 1000)
    around = {**os.environ, paths.LOOP.decode(): "draft/1"}  # what it is told is not the person's word
    if not presets.is_claude(wished.agent):
        answer = command.run(shlex.join(wished.agent), prompt, project.top, around, seconds, told=told)
    else:
        cost, more = wished.limits.cost, [*presets.options(wished.agent), *launch.ONLY_READING]
        answer = launch.run(prompt, project.top, around, seconds, cost, allow=wished.allow, more=more, told=told)
    if answer.kind not in (launch.DONE, launch.PERMISSION_DENIED):
        raise LoopError(
            f"the agent gave no plan: {answer.why or answer.kind}", "`ralph-mem ralph plan` tells whether it can be started"
        )
    return str(answer.message)


def _write(path: str, name: str, text: str) -> None:
    """Write a new file, whole or not at all; one that has come meanwhile stays."""
    draft = f"{path}.{os.getpid()}"
    try:
        with open(draft, "x", encoding="utf-8") as file:
            file.write(text)
        try:
            os.link(draft, path)
        finally:
            os.unlink(draft)
    except OSError as error:
        raise LoopError(f"cannot write {name}: {error.strerror}", "name another file with --plan") from error
