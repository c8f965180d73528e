import re
import subprocess
import sys
from pathlib import Path

from ralph_mem.core import settings, yaml_reader

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def session(command):
    """What README shows for a command."""
    return re.search(rf"```console\n\$ {command}\n(.*?)```", README, re.DOTALL)[1]


def steady(text):
    """The same text without what differs from run to run: ids and what they cost, days, milliseconds."""
    text = re.sub(r"ralph-mem-[0-9a-f]{24}", "ralph-mem-TAG", text)
    text = re.sub(r"(turn|obs)-[a-z2-9]{10}", r"\1-ID", text)
    text = re.sub(r"(line|full)( +\d+) +\d+\n", r"\1\2 TOKENS\n", text)
    return re.sub(r"\d{4}-\d\d-\d\d", "DAY", re.sub(r"\b\d+ ms", "N ms", text))


def test_the_demonstration_prints_what_readme_shows():
    done = subprocess.run([sys.executable, "-m", "ralph_mem.demo"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert steady(done.stdout) == steady(session("make demo"))


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
