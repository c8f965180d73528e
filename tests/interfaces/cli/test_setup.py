"""`ralph-mem setup` makes ready what can be, says what was there, and what is left to the person."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ralph_mem.core.settings import effective, schema, yaml_subset
from tests import command_line
from tests.hook import REPOSITORY

MODES = {True: 0o700, False: 0o600}


@pytest.fixture
def a_home(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    return home


@pytest.fixture
def config(a_home):
    return a_home / ".config" / "ralph-mem" / "config.yaml"


@pytest.fixture
def remembered(a_home):
    """Name the file in which the interpreter of the hooks stands."""
    return a_home / ".local" / "share" / "ralph-mem" / "python"


@pytest.fixture
def ralph_mem(a_home, tmp_path):
    """Run the command line as a person whose home is new: `ralph_mem("setup")`."""

    def run(*arguments, python=sys.executable, **environment):
        environment = {"HOME": str(a_home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **environment}
        return command_line.says(*arguments, env=environment, cwd=tmp_path, python=python)

    return run


def states(run):
    return {each["step"]: each["state"] for each in json.loads(run.stdout)}


def everything(home):
    return {str(path): (path.stat().st_mtime_ns, path.is_file() and path.read_bytes()) for path in home.rglob("*")}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="a virtual environment cannot tell what it stands on")
def test_the_first_time_it_makes_what_is_missing(ralph_mem, config, remembered):
    run = ralph_mem("setup")
    assert (run.returncode, run.stderr) == (0, "")
    assert re.findall(r"^(made|was there|to do) +(python of hooks|config|plugin)", run.stdout, re.MULTILINE) == [
        *(("made", "python of hooks"), ("made", "config"), ("to do", "plugin")),
    ]
    assert config.exists() and remembered.exists()


def test_the_second_time_it_changes_nothing(ralph_mem, a_home):
    ralph_mem("setup")
    before = everything(a_home)
    assert states(ralph_mem("setup", "--json")) == {"python of hooks": "was there", "config": "was there", "plugin": "to do"}
    assert everything(a_home) == before


@pytest.mark.parametrize("option", ["--off", "--wrap"])
def test_an_option_about_one_thing_without_its_name_makes_nothing(ralph_mem, a_home, option):
    run = ralph_mem("setup", option)
    assert (run.returncode, everything(a_home)) == (1, {})
    assert "name it: status-line or shim" in run.stderr


def test_what_it_makes_is_for_the_owner_alone(ralph_mem, a_home):
    ralph_mem("setup")
    ours = [path for path in a_home.rglob("*") if "ralph-mem" in str(path.relative_to(a_home))]
    assert len(ours) >= 2 and all(path.stat().st_mode & 0o777 == MODES[path.is_dir()] for path in ours)


def test_the_plugin_is_installed_by_two_commands_that_it_prints(ralph_mem):
    lines = [line.strip() for line in ralph_mem("setup").stdout.splitlines()]
    assert f"/plugin marketplace add {REPOSITORY}" in lines and "/plugin install ralph-mem@ralph-mem" in lines


def test_a_plugin_that_is_installed_was_there(ralph_mem, a_home):
    file = a_home / ".claude" / "plugins" / "installed_plugins.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"plugins": {"ralph-mem@ralph-mem": [{"installPath": "/somewhere"}]}}')
    run = ralph_mem("setup")
    assert "/plugin" not in run.stdout.replace("/plugins", "") and states(ralph_mem("setup", "--json"))["plugin"] == "was there"


# The config


def test_the_config_that_is_made_changes_no_setting(ralph_mem, config):
    ralph_mem("setup")
    assert yaml_subset.read(config.read_text()) == {}


def test_the_config_that_is_made_names_every_key_with_its_default(ralph_mem, config):
    ralph_mem("setup")
    text = re.sub(r"^( *)#(?=\w)", r"\1", config.read_text(), flags=re.MULTILINE)
    values = {key: value for key, value in yaml_subset.read(text).items() if value is not None}
    assert values == {"recording": True, **effective.DEFAULTS}
    assert values.keys() == schema.RULES.keys()
    assert all(rule.meaning in text for rule in schema.RULES.values())


@pytest.mark.parametrize("text", ["recording: off\n", ""])
def test_a_config_that_is_there_stays_as_it_is(ralph_mem, config, text):
    config.parent.mkdir(parents=True)
    config.write_text(text)
    assert states(ralph_mem("setup", "--json"))["config"] == "was there"
    assert config.read_text() == text


def test_a_config_that_is_a_link_to_nowhere_stays_as_it_is(ralph_mem, config):
    config.parent.mkdir(parents=True)
    config.symlink_to("/nowhere/config.yaml")
    assert states(ralph_mem("setup", "--json"))["config"] == "was there"
    assert config.is_symlink()


def test_a_config_that_cannot_be_written_is_one_line_and_a_hint(ralph_mem, a_home):
    (a_home / ".config").write_text("a file where a folder belongs")
    run = ralph_mem("setup")
    assert run.returncode == 1
    assert re.fullmatch(r"ralph-mem: cannot write .*/config.yaml: Not a directory\n  hint: .*\n", run.stderr)


def test_without_a_home_that_is_told(ralph_mem):
    run = ralph_mem("setup", HOME="")
    assert run.returncode == 1 and "there is no home folder" in run.stderr


# The interpreter


@pytest.mark.check
def test_the_interpreter_that_is_remembered_is_no_virtual_environments(ralph_mem, remembered, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    packages = os.pathsep.join([str(REPOSITORY), *sys.path])
    ralph_mem("setup", python=str(tmp_path / "venv" / "bin" / "python"), PYTHONPATH=packages)
    assert "venv" not in (remembered.read_text() if remembered.exists() else "")


def test_an_interpreter_that_works_stays_remembered(ralph_mem, remembered):
    remembered.parent.mkdir(parents=True)
    other = Path("/usr/bin/env")  # found on every machine; what matters is that it answers like a Python
    script = remembered.parent / "python3"
    script.write_text(f"#!{other} sh\necho 3.12.0; echo 3.45.0; echo fts5\n")
    script.chmod(0o755)
    remembered.write_text(f"{script}\n")
    assert states(ralph_mem("setup", "--json"))["python of hooks"] == "was there"
    assert remembered.read_text() == f"{script}\n"


@pytest.mark.parametrize("program", ["exit 1", "echo 3.8.1; echo 3.31.0; echo fts5"])
def test_an_interpreter_that_does_not_work_is_replaced(ralph_mem, remembered, program):
    script = remembered.parent / "python3"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!/bin/sh\n{program}\n")
    script.chmod(0o755)
    remembered.write_text(f"{script}\n")
    assert states(ralph_mem("setup", "--json"))["python of hooks"] == "made"
    assert not remembered.exists() or remembered.read_text() != f"{script}\n"


def test_where_no_interpreter_does_that_is_left_to_do(ralph_mem, tmp_path):
    (tmp_path / "bin").mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--copies", tmp_path / "venv"], check=True)
    # an interpreter that believes to be the base of its environment, as before Python 3.11
    code = "import sys; sys._base_executable = sys.executable; from ralph_mem.interfaces.cli.app import main; main(['setup'])"
    packages = os.pathsep.join([str(REPOSITORY), *sys.path])
    environment = {"HOME": str(tmp_path / "home"), "PATH": str(tmp_path / "bin"), "PYTHONPATH": packages}
    run = subprocess.run([tmp_path / "venv/bin/python", "-c", code], env=environment, capture_output=True, text=True)
    assert "to do      python of hooks  python3: not on PATH:\n" in run.stdout, run.stderr
    assert not (tmp_path / "home" / ".local").exists()


def test_help_has_an_example(ralph_mem):
    assert "Example: ralph-mem setup\n" in ralph_mem("setup", "--help").stdout
