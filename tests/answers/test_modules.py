"""What an answer loads: a person waits for it, and the packages of the command line are not there."""

import os
import subprocess
import sys

import pytest

from tests.hook import REPOSITORY
from tests.test_architecture import C_MODULES, DRIVER

# Rooms of core by their short names, then those above it, beside those that every answer needs.
CORE = (
    "adoption candidates context errors event fingerprint index_text instructions memories paths privacy project provenance quick"
    " ranking records redact row seals settings spool store"
)
ABOVE = "access answers answers.arguments moments recall"
CHANGING = "finishing notes observations rewriting sessions turns"
# A forget follows a text to wherever it went, into the records and snapshots of loops too.
OF_LOOPS = "relatives criteria ralph ralph.leftovers ralph.limits ralph.living ralph.record ralph.run ralph.runs"
OF_SNAPSHOTS = "snapshot snapshot.blobs snapshot.quota snapshot.store snapshot.tally"
FORGETTING = (
    f"{CHANGING} schema forgotten git_files quiet strangers tombstones trouble",
    (
        "answers.mem_forget artefacts backups compressor copies erasure erasure_report frozen layers needles reclaiming"
        f" residue selection trees unfinished verifier {OF_LOOPS} {OF_SNAPSHOTS}"
    ),
)
ROOMS = {
    "mem-search thrown": ("", "answers.mem_search compressor layers"),
    "mem-search --layer 3 thrown": ("", "answers.mem_search compressor layers"),
    "mem-status": ("", "answers.mem_status status"),
    "mem-inject a note": (CHANGING, "answers.mem_inject corrections"),
    "mem-inject --global a note": (f"{CHANGING} quiet schema", "answers.mem_inject corrections"),
    "mem-forget --query thrown": FORGETTING,
    "mem-forget --confirm --query thrown": FORGETTING,
}
# What looks at a text more closely, where it may hold a secret or is not plain.
CLOSER = {
    *(
        "known_secrets",
        "secret_assignments",
        "secret_blocks",
        "secret_headers",
        "secret_neighbours",
        "secret_rules",
        "secret_spans",
    ),
    *("secret_values", "terminal"),
}
# A forget follows a text into every kind of file, and has a process of its own read them. That it brings along some sixty
# modules matters less than what it does.
OF_FORGETTING = {"os", "pathlib", "json", "sqlite3", "subprocess"}
NEVER = {"json", "sqlite3", "typing", "subprocess", "logging", "dataclasses", "inspect", "typer", "rich", "yaml"}


def modules_loaded(person, typed):
    """Run a command in a fresh interpreter and return the names of the modules that it loaded."""
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
        name,
    ]
    data = f"{person.project}\n{words}".encode()
    subprocess.run(order, input=data, env=person.environment, cwd=person.project, check=True, capture_output=True, timeout=30)
    return set(report.read_text().split())


@pytest.mark.parametrize("typed", ROOMS)
def test_an_answer_loads_the_modules_of_its_list_and_no_other(a_person, typed):
    core, above = ROOMS[typed]
    allowed = {"ralph_mem", "ralph_mem.core", *(f"ralph_mem.core.{room}" for room in (CORE + " " + core).split())}
    allowed |= {f"ralph_mem.{room}" for room in (ABOVE + " " + above).split()}
    loaded = modules_loaded(a_person, typed) - {f"ralph_mem.core.{room}" for room in CLOSER}
    ours = {name for name in loaded if name.startswith("ralph_mem")}
    assert (sorted(ours - allowed), sorted(allowed - ours)) == ([], [])
    others = loaded - allowed - C_MODULES - {"door"}
    assert others >= OF_FORGETTING if typed.startswith("mem-forget") else others == set()
    assert others & NEVER <= OF_FORGETTING
