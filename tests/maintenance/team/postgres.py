"""A PostgreSQL of the tests' own, on a Unix socket in a folder of theirs, that ends with them."""

import contextlib
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SECONDS = 60
WHY_NOT = "no PostgreSQL is installed: neither the package pgserver nor Debian's"
ADMIN = "ralphadmin"
NOBODY = 65534


def programs():
    """Return the folder of PostgreSQL's programs, of the package pgserver or of the system; None where there is neither."""
    found = find_spec("pgserver") if sys.platform == "linux" else None
    of_package = [Path(found.origin).parent / "pginstall" / "bin"] if found and found.origin else []
    of_system = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((each for each in [*of_package, *of_system] if (each / "initdb").exists()), None)


def _run(order, folder):
    """Run a program of PostgreSQL, which root may not be, with nothing of ours in its environment."""
    as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    log = folder / "log"
    with log.open("ab") as file:  # a pipe would stay open as long as the server runs
        done = subprocess.run(
            order, stdin=subprocess.DEVNULL, stdout=file, stderr=file, cwd=folder, timeout=SECONDS,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(folder)}, **as_nobody,
        )  # fmt: skip
    assert done.returncode == 0, log.read_text(errors="replace")[-2000:]


@contextlib.contextmanager
def running(folder, memory="32MB"):
    """Start a server whose files lie in a folder, with so much memory of its own; returns the folder of its socket."""
    bin_ = programs()
    if bin_ is None:
        pytest.skip(WHY_NOT)
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
        for above in [each for each in folder.parents if not each.stat().st_mode & 0o001]:
            above.chmod(above.stat().st_mode | 0o011)
    data = folder / "data"
    _run([bin_ / "initdb", "-D", data, "-U", ADMIN, "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"], folder)
    options = f"-c listen_addresses='' -k {folder} -c fsync=off -c shared_buffers={memory} -c max_connections=40"
    _run([bin_ / "pg_ctl", "-D", data, "-w", "-t", str(SECONDS), "-l", folder / "server.log", "-o", options, "start"], folder)
    try:
        yield folder
    finally:
        _run([bin_ / "pg_ctl", "-D", data, "-m", "immediate", "-w", "-t", str(SECONDS), "stop"], folder)
        shutil.rmtree(folder, ignore_errors=True)
