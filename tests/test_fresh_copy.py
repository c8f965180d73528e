"""What somebody has after a clone: the tree, an empty home, and whatever their shell has set."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def a_fresh_copy(tmp_path):
    ignored = (ROOT / ".gitignore").read_text().replace("/", "").split()
    shutil.copytree(ROOT, tmp_path / "copy", ignore=shutil.ignore_patterns(".git", *ignored))
    return tmp_path / "copy"


@pytest.mark.nightly
def test_a_fresh_copy_builds_its_environment_in_any_shell_and_only_once(a_fresh_copy):
    awkward = {"PYTHONDONTWRITEBYTECODE": "1", "PIP_USER": "1", "PYTHONPATH": "/nowhere", "PIP_TARGET": "/nowhere"}
    order = ["make", "-C", a_fresh_copy, ".venv/.installed"]
    first = subprocess.run(order, env=os.environ | awkward, capture_output=True, text=True, timeout=500, stdin=subprocess.DEVNULL)
    assert first.returncode == 0, first.stdout + first.stderr
    assert (a_fresh_copy / ".venv" / "bin" / "mypy").exists()
    again = subprocess.run([*order, "--question"], env=os.environ | awkward, timeout=100, stdin=subprocess.DEVNULL)
    assert again.returncode == 0
