"""Hints: each command that the product names is there, with its options, and can be followed from where the plugin lies."""

import ast
import functools
import os
import posix
import re
import shlex
import sys
from pathlib import Path

import pytest
import typer

from ralph_mem.interfaces import skills
from ralph_mem.interfaces.cli import app
from ralph_mem.interfaces.skills import ralph
from ralph_mem.memory import extras
from tests.hook import REPOSITORY

QUOTED = re.compile(r"`ralph-mem( [^`]+)`")
PLAIN = re.compile(r"(?<![`\w/])ralph-mem((?: [a-z][a-z-]+| --[a-z-]+| [A-Z]+)+)")
TYPED = re.compile(r"(?<![\w/.}])/(mem-\w+|ralph)\b(?: ([a-z]+))?")
ROOT = typer.main.get_command(app.app)


@functools.cache
def texts():
    """Return every text of the product with its place, what is put into it replaced by a word."""
    return list(_texts())


def _texts():
    for path in sorted((REPOSITORY / "ralph_mem").rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        inside = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        name = path.relative_to(REPOSITORY)
        for node in nodes:
            where = f"{name}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.JoinedStr):
                yield where, "".join([str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values])
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
                yield where, node.value
    for path in [REPOSITORY / "README.md", *(REPOSITORY / "docs").rglob("*.md"), *(REPOSITORY / "skills").rglob("*.md")]:
        yield path.name, path.read_text()


def missing_in(words):
    """Return what of a command line is not there; nothing where all of it is."""
    command = ROOT
    for word in words:
        if hasattr(command, "commands") and not word.startswith("-"):
            found = getattr(command, "load", command.commands.get)(word)
            if found is None:
                return word
            command = found
        elif word.startswith("--"):
            options = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help"}
            if word.partition("=")[0] not in options:
                return word
    return ""


def words_of(line):
    try:
        return shlex.split(line.partition(" > ")[0].partition(" | ")[0].replace("[", " ").replace("]", " "))
    except ValueError:
        return line.split()


@pytest.mark.check
def test_every_command_that_is_named_is_there_with_its_options():
    named = [(where, found) for where, text in texts() for found in QUOTED.findall(text)]
    named += [
        (where, found)
        for where, text in texts()
        for found in PLAIN.findall(text)
        if found.split()[0] in ROOT.commands and not (found.split()[0] == "import" and "from" in found)
    ]
    wrong = [f"{where}: ralph-mem{line}: {missing}" for where, line in named if (missing := missing_in(words_of(line)))]
    assert len(named) > 200 and not wrong, "\n".join(wrong)


def test_every_slash_command_that_is_named_is_there():
    named = [(where, *found) for where, text in texts() for found in TYPED.findall(text)]
    wrong = [f"{where}: /{name}" for where, name, _ in named if name not in skills.NAMES and name != "mem-NAME"]
    wrong += [
        f"{where}: /ralph {verb}"
        for where, name, verb in named
        if name == "ralph" and verb and not where.startswith("README") and verb not in {*ralph.VERBS, "in", "is"}
    ]
    assert len(named) > 40 and not wrong, "\n".join(wrong)


def test_no_hint_names_a_package_that_no_index_has_from_us():
    assert [where for where, text in texts() if re.search(r"pip3? install\s+(?:--?\S+\s+)*['\"]?ralph-mem", text)] == []


def test_an_extra_is_installed_from_where_the_plugin_lies(monkeypatch, tmp_path):
    monkeypatch.setattr(extras, "LIES_IN", str(tmp_path / "a plugin's"))
    (tmp_path / "a plugin's").mkdir()
    (tmp_path / "a plugin's" / "pyproject.toml").write_text("")
    python, *words = shlex.split(extras.installation("embeddings"))
    assert words == ["-m", "pip", "install", f"{tmp_path}/a plugin's[embeddings]"] and python.endswith(("python", "python3"))
    assert shlex.split(extras.installation("tokens", "/opt/a b/python"))[0] == "/opt/a b/python"


@pytest.mark.parametrize("virtual", [True, False])
def test_a_python_of_the_system_that_refuses_packages_is_asked_for_none(virtual, monkeypatch, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "EXTERNALLY-MANAGED").write_text("[externally-managed]\n")
    if virtual:
        (tmp_path / "pyvenv.cfg").write_text("")
    monkeypatch.setattr(os, "__file__", str(tmp_path / "os.py"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    *way, package = shlex.split(extras.installation("embeddings"))
    assert package == f"{REPOSITORY}[embeddings]"
    assert way == ([sys.executable, "-m", "pip", "install"] if virtual else ["pipx", "install"])


def test_an_installed_package_names_what_its_extra_brings(monkeypatch, tmp_path):
    monkeypatch.setattr(extras, "LIES_IN", str(tmp_path))
    assert shlex.split(extras.installation("encryption"))[1:] == ["-m", "pip", "install", "pyrage>=1.4"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("`ralph-mem ralph status` shows it", "`/ralph status` shows it"),
        ("a memory is set aside; `ralph-mem trust` shows it", "a memory is set aside; `/mem trust` shows it"),
        ("`ralph-mem doctor` says more", "`/mem doctor` says more"),
        ("`ralph-mem facts` lists them", "`/mem facts` lists them"),
        ("`ralph-mem config show` lists them all", "`/mem config show` lists them all"),
        ("`ralph-mem show turn-1` shows it", "`/mem show turn-1` shows it"),
        ("nothing to do", "nothing to do"),
        ("what ralph-mem: says", "what ralph-mem: says"),
    ],
)
def test_what_a_slash_command_does_is_named_by_that(monkeypatch, line, told):
    monkeypatch.setenv("PATH", "/nowhere")
    assert extras.in_a_session(line) == told


@pytest.mark.parametrize("folder", ["/home/ada/.local/bin", "/nowhere"])
def test_what_the_command_of_the_plugin_does_needs_no_package_where_that_can_be_put(monkeypatch, folder):
    monkeypatch.setenv("PATH", folder)
    monkeypatch.setitem(posix.environ, b"PATH", folder.encode())
    monkeypatch.setitem(posix.environ, b"HOME", b"/home/ada")
    told = extras.in_a_session("it is off (in a terminal: ralph-mem config set recording on)")
    way = extras.installation() if folder == "/nowhere" else "/mem setup shim"
    assert told.endswith(f" (for `ralph-mem` in a terminal: {way})")


def test_in_a_session_a_command_of_the_terminal_says_how_it_gets_there(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    told = extras.in_a_session("`ralph-mem doctor --repair` says more")
    assert told == f"`ralph-mem doctor --repair` says more (for `ralph-mem` in a terminal: {extras.installation()})"
    assert f"-m pip install {shlex.quote(str(REPOSITORY))}" in told and sys.executable in told
    (tmp_path / "ralph-mem").write_text("#!/bin/sh\n")
    (tmp_path / "ralph-mem").chmod(0o755)
    assert extras.in_a_session("`ralph-mem doctor --repair` says more") == "`ralph-mem doctor --repair` says more"
    assert Path(REPOSITORY, "pyproject.toml").is_file()
