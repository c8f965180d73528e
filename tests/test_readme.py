import re
import subprocess
import sys
from pathlib import Path

from ralph_mem import answers
from ralph_mem.cli.app import app
from ralph_mem.core import settings, yaml_reader
from tests import readme
from tests.readme import steady

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def command_names():
    """Return every command of the command line; one of a group as `config get`."""
    groups = [(group.name, group.typer_instance) for group in app.registered_groups]
    names = []
    for name, inner in groups:
        if name:
            names += [f"{name} {command.name or command.callback.__name__}" for command in inner.registered_commands]
        else:
            names += [command.name or command.callback.__name__ for command in inner.registered_commands]
            groups += [(group.name, group.typer_instance) for group in inner.registered_groups]
    return names


def session(command):
    """Return what README shows for a command."""
    return re.search(rf"```console\n\$ {command}\n(.*?)```", README, re.DOTALL)[1]


def test_the_demonstration_prints_what_readme_shows():
    done = subprocess.run([sys.executable, "-m", "ralph_mem.demo"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert steady(done.stdout) == steady(session("make demo"))


def test_every_example_prints_what_readme_shows(tmp_path):
    reader = readme.Reader(tmp_path)
    for command, shown in readme.examples(README):
        printed = reader.run(command)
        assert steady(printed.strip()) == steady(shown.strip()), command
        reader.recognise(shown, printed)


def test_every_command_is_shown_in_readme():
    shown = " ".join(command for command, _ in readme.examples(README))
    shown += README  # demo and setup are told of, and shown by the Makefile's target and in the terminal's own tests
    names = [f"ralph-mem {name}" for name in command_names()] + [f"> /{name}" for name in answers.NAMES]
    assert not [name for name in names if name not in shown]


def test_the_config_that_readme_shows_is_read_and_names_every_key():
    example = re.search(r"```yaml\n(.*?)```", README, re.DOTALL)[1]
    values = {key: value for key, value in yaml_reader.read(example).items() if value is not None}
    assert set(values) == {*settings.DEFAULTS, "recording"}


def test_both_commands_of_readme_are_targets_of_the_makefile():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"demo", "test"} <= set(targets)


def test_every_file_and_folder_that_readme_names_is_there():
    named = re.findall(r"`((?:ralph_mem|tests)/[\w./]+)`", README)
    assert named and all((ROOT / name).exists() for name in named)
