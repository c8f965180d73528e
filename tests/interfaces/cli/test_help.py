"""What the command line says of itself: groups, frames on a terminal, a manual page, and the completion of words by shells."""

import os
import pty
import re
import shutil
import subprocess
import sys
import time

import pytest
import typer

from ralph_mem.interfaces import verbs
from ralph_mem.interfaces.cli import app, contents, manual
from tests.hook import REPOSITORY
from tests.interfaces.cli.test_app import LEAVES, on_a_terminal

SHELLS = {
    "bash": "COMP_WORDS=(ralph-mem {}); COMP_CWORD=1; _ralph_mem_completion ralph-mem; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
    "fish": "complete --do-complete 'ralph-mem {}'",
}
QUIET = {"bash": ["--norc", "--noprofile"], "fish": ["--no-config"]}
COMES_WITHIN_S = 60
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


# The list


def test_a_summary_fits_into_its_line():
    assert not [text for text in contents.SUMMARY_OF.values() if len(text) > contents.MOST_CHARACTERS or text[-1] != "."]


def test_a_verb_stands_in_the_group_that_it_has_in_a_session():
    groups = {name: group for group, rows in contents.COMMANDS.items() for name, *_ in rows}
    assert {name: verb.group for name, verb in verbs.OF.items() if name in groups} == {
        name: group for name, group in groups.items() if name in verbs.OF
    }
    assert tuple(contents.COMMANDS) == contents.GROUPS


@pytest.mark.parametrize("where", ["a pipe", "a terminal"])
def test_the_help_has_each_command_under_its_group_with_its_whole_summary_within_80_columns(a_newcomer, where):
    shown = a_newcomer.reads("--help") if where == "a pipe" else on_a_terminal(a_newcomer, "--help", COLUMNS="80")
    lines = [line.strip(" \u2502\r") for line in ESCAPES.sub("", shown).splitlines()]
    assert max(map(len, ESCAPES.sub("", shown).splitlines())) <= 80
    told = [re.sub(r" +", " ", line) for line in lines]
    assert [f"{name} {text}" for name, text in contents.SUMMARY_OF.items() if f"{name} {text}" not in told] == []
    assert [group for group in contents.GROUPS if group.capitalize() not in re.sub(r"[^\w\n ]", "", "\n".join(lines))] == []


def test_the_help_loads_no_command(a_newcomer):
    code = "import sys; from ralph_mem.interfaces.cli.app import _run; _run(['--help']); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], env=a_newcomer.terminal(), capture_output=True, text=True, check=True)
    loaded = run.stdout.splitlines()[-1].split()
    assert not [name for name in {*contents.MODULE_OF.values()} if f"ralph_mem.interfaces.cli.{name}" in loaded]


def test_a_group_of_commands_cuts_no_summary_off(a_newcomer):
    for name in ("config", "embeddings", "ralph", "bench"):
        assert "..." not in a_newcomer.reads(name, "--help").partition("\nCommands:\n")[2]


def test_on_a_terminal_the_help_has_frames_and_colours_but_where_none_are_wanted(a_newcomer):
    environment = {"TERM": "xterm-256color", "COLUMNS": "80"}
    assert "\x1b[1;36m" in on_a_terminal(a_newcomer, "search", "--help", **environment)
    plain = on_a_terminal(a_newcomer, "search", "--help", NO_COLOR="1", **environment)
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", plain) and "\u256d" in plain


def test_words_in_brackets_stand_in_a_help_on_a_terminal(a_newcomer):
    assert "[a, 'b," in ESCAPES.sub("", on_a_terminal(a_newcomer, "config", "set", "--help", COLUMNS="80", TERM="xterm"))


# The manual


@pytest.fixture(scope="module")
def page():
    return manual.page(typer.main.get_command(app.app))


def test_the_manual_has_every_command_with_its_options(page):
    plain = page.replace("\\-", "-")
    for path, command in LEAVES:
        assert f"\n.SS {' '.join(path[1:])}" in plain
        for option in [word for each in command.params if each.param_type_name == "option" for word in each.opts]:
            assert option in plain, (path, option)


def test_in_a_pipe_the_manual_is_its_source(a_newcomer, page):
    assert a_newcomer.reads("man") == page


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed, which reads manual pages")
def test_the_manual_is_read_without_a_warning(page):
    read = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page.encode(), capture_output=True, check=True)
    assert read.stderr == b""
    text = re.sub(r"\x1b\[\d*m|.\x08", "", read.stdout.decode()).replace("\u2010", "-").replace("\u2212", "-")
    assert "ralph-mem - see, search, correct and forget" in " ".join(text.split())
    assert "--no-progress N" in text


# Shells


@pytest.fixture
def shell(a_newcomer, tmp_path):
    """Return a function that runs lines in a shell in which `ralph-mem` is at hand."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "ralph-mem").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ralph_mem.interfaces.cli "$@"\n')
    (folder / "ralph-mem").chmod(0o755)
    environment = a_newcomer.terminal(PATH=f"{folder}:{os.environ['PATH']}", PYTHONPATH=str(REPOSITORY), TERM="dumb")
    for name in ("bash", "zsh", "fish"):
        detect = {**environment, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
        made = subprocess.run([folder / "ralph-mem", "--show-completion", name], env=detect, capture_output=True, check=True)
        (tmp_path / name).write_bytes(made.stdout)
    return environment, tmp_path


def needs(shell):
    return pytest.param(shell, marks=pytest.mark.skipif(not shutil.which(shell), reason=f"{shell} is not installed"))


@pytest.mark.check
@pytest.mark.parametrize("name", [needs(name) for name in SHELLS])
def test_a_shell_completes_the_name_of_a_command(shell, name):
    environment, folder = shell
    lines = f"source '{folder / name}'\n{SHELLS[name].format('time')}\n"
    run = subprocess.run([name, *QUIET[name], "-c", lines], env=environment, capture_output=True, text=True, timeout=COMES_WITHIN_S)
    assert run.stdout.split()[0] == "timeline", run


@pytest.mark.check
@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_completes_the_name_of_a_command(shell):
    environment, folder = shell
    ours, theirs = pty.openpty()
    with subprocess.Popen(["zsh", "-f", "-i"], env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, f"autoload -U compinit; compinit -u -D; source '{folder / 'zsh'}'; echo rea''dy\n".encode())
        assert "ready" in read_until(ours, "ready")
        os.write(ours, b"ralph-mem timel\t")
        assert "timeline" in read_until(ours, "timeline")
        process.kill()
    os.close(ours)


def read_until(terminal, words):
    """Return what a terminal shows until it shows these words, or nothing more comes."""
    shown, deadline = "", time.monotonic() + COMES_WITHIN_S
    os.set_blocking(terminal, False)
    while words not in shown and time.monotonic() < deadline:
        try:
            shown += os.read(terminal, 65_536).decode(errors="replace")
        except BlockingIOError:
            time.sleep(0.05)
    return shown


def test_an_option_is_completed_with_what_it_means(a_newcomer):
    environment = {"_RALPH_MEM_COMPLETE": "complete_bash", "COMP_WORDS": "ralph-mem search --lay", "COMP_CWORD": "2"}
    assert a_newcomer.cli(**environment).out.split() == ["--layer"]
