"""What an answer loads: a person waits for it, and the packages of the command line are not there."""

import os
import subprocess
import sys

import pytest

from tests import house
from tests.hook import REPOSITORY
from tests.test_architecture import C_MODULES, DRIVER, ours

# How many modules of ours an answer loads, each a fraction of a millisecond that a person waits. One more raises its number.
# A forget follows a text to wherever it went; where a project has had loops, some twenty more read their snapshots.
MODULES = {
    "mem-search thrown": 33,
    "mem-search --layer 3 thrown": 33,
    "mem-status": 24,
    "mem-inject a note": 46,
    "mem-inject --global a note": 48,
    "mem-forget --query thrown": 64,
    "mem-forget --confirm --query thrown": 64,
}
# What looks at a text more closely, where it may hold a secret or is not plain.
CLOSER = {
    f"ralph_mem.core.redaction.{name}"
    for name in "addresses assignments beside blocks classes context encodings fields flags headers issued known labelled names"
    " passwords pipes prefixes prose rules shell shell_words spans spelling tables taking terminal tokens values wrappers".split()
}
# A forget follows a text into every kind of file, and has a process of its own read them. That it brings along some sixty
# modules matters less than what it does.
OF_FORGETTING = {"os", "pathlib", "json", "sqlite3", "subprocess"}
NEVER = {"json", "sqlite3", "typing", "subprocess", "logging", "dataclasses", "inspect", "typer", "rich", "yaml"}


def modules_loaded(person, typed):
    """Type a command into a fresh interpreter and return the names of the modules that it loaded."""
    name, _, words = typed.partition(" ")
    report = person.scratch / "loaded"
    order = [
        os.path.realpath(sys.executable),
        "-I",
        "-S",
        "-X",
        "utf8",
        "-c",
        DRIVER,
        report,
        REPOSITORY / "hooks" / "run.py",
        "user-prompt-expansion",
    ]
    data = person.event("UserPromptExpansion", command_name=f"ralph-mem:{name}", command_args=words)
    subprocess.run(order, input=data, env=person.environment, cwd=person.project, check=True, capture_output=True, timeout=30)
    return set(report.read_text().split())


@pytest.mark.parametrize("typed", MODULES)
def test_an_answer_loads_so_many_modules_of_ours_and_no_package(a_person, typed):
    loaded = modules_loaded(a_person, typed)
    mine, others = ours(loaded) - CLOSER, {name for name in loaded - C_MODULES if name != "door" and not house.is_ours(name)}
    assert len(mine) == MODULES[typed], chr(10).join(sorted(mine))
    assert others >= OF_FORGETTING if typed.startswith("mem-forget") else typed.startswith("mem-inject") or others == set()
    assert others & NEVER <= OF_FORGETTING
