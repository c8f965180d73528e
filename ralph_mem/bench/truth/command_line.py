"""Call the loop as a person does, by its command line in a home of their own."""

import functools
import json
import os
import re
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
SECONDS = 120
ACCEPT = re.compile(r"--accept (\w{12,})")

Said = namedtuple("Said", "code out err")


def environment(folder: Path) -> dict[str, str]:
    """Return what the person's shell has set: a home, a place for temporary files, a path that begins with programs of theirs."""
    home = folder / "home"
    return {
        "PATH": f"{home}/bin:{os.environ.get('PATH', os.defpath)}", "HOME": str(home), "TMPDIR": str(folder / "tmp"),
        "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        "npm_config_update_notifier": "false", "npm_config_offline": "true",
    }  # fmt: skip


def call(folder: Path, *words: str) -> Said:
    """Run `ralph-mem ralph` in the project of a folder; the time that it may take is long for a loop of two iterations."""
    order = [sys.executable, "-m", "ralph_mem.interfaces.cli", "ralph", *words]
    try:
        ran = subprocess.run(
            order, cwd=folder / "project", env=environment(folder), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="replace", timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Said(None, "", f"it did not end within {SECONDS} s")
    return Said(ran.returncode, ran.stdout, ran.stderr)


def start(folder: Path, *words: str) -> Said:
    """Start a loop as a person does: see what would be run, accept it, and start it."""
    shown = call(folder, "start", *words)
    digits = ACCEPT.findall(shown.err)
    return call(folder, "start", *words, "--accept", digits[-1]) if digits else shown


def told(said: Said) -> dict[str, Any]:
    """Return the JSON object that a command printed, empty where it printed none."""
    try:
        given = json.loads(said.out)
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


@functools.cache
def knows(verb: str, option: str) -> bool:
    """Say whether a verb has an option."""
    order = [sys.executable, "-m", "ralph_mem.interfaces.cli", "ralph", verb, "--help"]
    around = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    ran = subprocess.run(order, env=around, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return bool(re.search(rf"{option}\b", ran.stdout))
